/* NAME       bahsic
 * PAPER      L. Song, A. Smola, A. Gretton, J. Bedo, K. Borgwardt. Feature selection via dependence
 *            maximization. JMLR 13:1393-1434, 2012, algorithm BAHSIC.
 * PROBLEM    which features to keep so that HSIC(S) = sum_ab L_ab K_ab stays large; K: kernel of
 *            the features S together, rbf exp(-gamma |u - v|^2) or linear u'v; L: kernel of the
 *            target, centred: y y' of two classes, the ideal kernel of several, y y' of values.
 * SYMBOLS    active: remaining features; gain_j = HSIC(S without j) - HSIC(S); M = L . K, n x n.
 * ALGORITHM  1. K on the active features, gamma of them.
 *            2. gain_j of every active feature (solve/kernel/pair_form.h).
 *            3. `step` of them are removed, or that share of the active features, or by themselves a
 *               tenth down to 1,000 and then one at a time, the largest gains first. Go to 1.
 *            Groups: the loss of a group is the sum of its features', and it is removed as a whole.
 *            Linear: gains do not depend on the others, -x_j'L x_j, and one pass orders all.
 * COST       rbf: per round n^2 / 2 terms for each of the active (2 r n^2 flops where the joint
 *            kernel is wide, r about 5; sparse and few-valued features: half the square of the
 *            samples off the common value); 1 / step times that in all for a share,
 *            half as many as features for one at a time. If samples are so distant
 *            that a joint kernel value underflows, n^2 / 2 values for each feature and a Gram
 *            for each round. Gram passes: three over X otherwise. Memory 2 n^2.
 *            Linear: one pass.
 * GUARANTEE  the last round's criteria, HSIC without each feature, from raw data
 *            (certify/certify_bahsic.c). The elimination is greedy: its result has no certificate.
 * STOPPING   at k features, or at one: the full ranking.
 * DEVIATIONS the paper eliminates one at a time: `step` 1, as auto does below 1,000 features. The biased
 *            estimator (the paper's experiments use both); gamma follows the paper's
 *            1 / (2 |S|) on unit variance: 1 / (2 |S| variance of all their values). Constant
 *            features are last. Regression ends in lstsq on the chosen features, as no classifier
 *            applies (tests/cert/test_kta_comparators.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "la/product/dot.h"
#include "method/svm/rfe.h"
#include "method/svm/rfe_groups.h"
#include "solve/kernel/gauss_row.h"
#include "solve/kernel/kernel_align.h"
#include "solve/kernel/pair_form.h"

static const double MODERATE = 300; /* exponents for which a kernel value can be divided by
                                       another */

typedef struct elimination {
    const fit_job *job;
    view x; /* centred */
    align_target target;
    double *mean, *var;                   /* d: of each column */
    double *gram, *M;                     /* n x n */
    double *square, *row_sum, *far, *one; /* n each */
    double *work;                         /* n for each thread */
    double *gain, *gamma;
    int64_t in_gram, whole;        /* features of the Gram now, and when it was last computed from
                                      all */
    int64_t n_active, *own, *cols; /* number of active features, these, and their columns of the
                                      matrix */
    ranked *order;                 /* n_active: the decrease of HSIC without each, the least
                                      first */
    double hsic;                   /* of the active features */
    rfe_groups groups;
} elimination;

/* Weighted mean and variance of each column, in two passes over it: with a large mean, sums of
 * squares would cancel. */
static pare_status measure_columns(elimination *s, const pare_ctx *ctx, pare_error *err) {
    const view *x = s->job->x;
    const double *weight = s->target.s;
    walk w;
    column col;
    int64_t j;
    PASS(walk_open(&w, x, NULL, x->d, ctx, err));
    while (walk_next(&w, &j, &col)) {
        double listed = 0, sum = 0, square = 0;
        for (int64_t e = 0; e < col.count; e++) {
            double own = weight[col.index ? col.index[e] : e];
            listed += own;
            sum += own * col.value[e];
        }
        double rest = col.count < x->n ? fmax(s->target.total - listed, 0) : 0;
        if (rest > 0) sum += rest * col.rest;
        double mean = s->mean[j] = sum / s->target.total;
        for (int64_t e = 0; e < col.count; e++) {
            double off = col.value[e] - mean;
            square += weight[col.index ? col.index[e] : e] * off * off;
        }
        if (rest > 0) square += rest * (col.rest - mean) * (col.rest - mean);
        s->var[j] = square / s->target.total;
    }
    return walk_close(&w, err);
}

static pare_status prepare(elimination *s, int64_t *gone, int64_t *n_gone, arena *mem,
                           const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = s->job;
    int64_t n = job->x->n, d = job->x->d;
    PASS(align_target_make(&s->target, mem, job->y->cls, job->y->n_classes, job->y->value,
                           job->weight, n, err));
    s->x = fit_centred(job);
    PASS_MEM(ARENA_NEWS(mem, double, d, &s->mean, &s->var, &s->gain, &s->gamma));
    PASS_MEM(ARENA_NEWS(mem, double, n, &s->square, &s->row_sum, &s->far, &s->one));
    PASS_MEM(s->work = ARENA_NEW(mem, double, n *ctx_threads(ctx)));
    PASS_MEM(ARENA_NEWS(mem, int64_t, d, &s->own, &s->cols));
    PASS_MEM(s->order = ARENA_NEW(mem, ranked, d));
    PASS(measure_columns(s, ctx, err));
    for (int64_t j = d - 1; j >= 0; j--) /* a constant column reads as 0 */
        if (s->mean[j] == 0 && s->var[j] == 0) gone[(*n_gone)++] = j;
    for (int64_t j = 0; j < d; j++)
        if (s->mean[j] != 0 || s->var[j] != 0) s->own[s->n_active++] = j;
    return PARE_OK;
}

/* Gram of the active features. The removed ones are subtracted, which costs less than a new sum; a
 * new sum is computed once half have been removed, so that rounding stays that of a sum. */
static pare_status active_gram(elimination *s, const pare_ctx *ctx, pare_error *err) {
    const view *v = s->job->x;
    int64_t n = s->x.n;
    bool anew = 2 * s->n_active <= s->whole || s->whole == 0;
    view part = s->x;
    part.cols = s->cols;
    part.d = anew ? s->n_active : s->in_gram - s->n_active;
    for (int64_t i = 0; i < part.d; i++) {
        int64_t j = anew ? s->own[i] : s->order[i].index; /* the first of the order were removed */
        s->cols[i] = v->cols ? v->cols[j] : j;
    }
    s->in_gram = s->n_active;
    if (anew) s->whole = s->n_active;
    if (anew) return mat_gram(&part, NULL, NULL, s->gram, ctx, err);
    pare_status status = mat_gram(&part, NULL, NULL, s->M, ctx, err);
    for (int64_t e = 0; e < n * n && status == PARE_OK; e++) s->gram[e] -= s->M[e];
    return status;
}

/* 1 / (2 |S| variance of all values of S). */
static double own_gamma(const elimination *s) {
    double count = (double)s->n_active, mean = 0, var = 0;
    for (int64_t i = 0; i < s->n_active; i++) mean += s->mean[s->own[i]] / count;
    for (int64_t i = 0; i < s->n_active; i++) {
        double off = s->mean[s->own[i]] - mean;
        var += (s->var[s->own[i]] + off * off) / count;
    }
    return var > 0 ? 0.5 / (count * var) : 0.5;
}

/* A row of L. */
static void target_row(double *out, const align_target *t, int64_t a, int64_t n) {
    memset(out, 0, sizeof *out * (size_t)n);
    for (int64_t c = 0; c < t->q; c++) {
        double v = t->factor * t->v[a * t->q + c];
        for (int64_t b = 0; b < n; b++) out[b] += v * t->v[b * t->q + c];
    }
}

/* The squared distance of two samples. */
static double squared_distance(const elimination *s, int64_t a, int64_t b) {
    double square = s->square[a] + s->square[b] - 2 * s->gram[a * s->x.n + b];
    return square > 0 ? square : 0;
}

/* A row of L . K; its sum. work: n scratch. */
static double joint_row(const elimination *s, double gamma, int64_t a, double *work) {
    int64_t n = s->x.n;
    double *row = s->M + a * n, far = 0;
    for (int64_t b = 0; b < n; b++) {
        row[b] = squared_distance(s, a, b);
        far = row[b] > far ? row[b] : far;
    }
    s->far[a] = far;
    row[a] = 0;
    exp_row(row, row, n, -gamma);
    target_row(work, &s->target, a, n);
    double sum = la_dot(row, work, n);
    for (int64_t b = 0; b < n; b++) row[b] *= work[b];
    return sum;
}

/* A row of L times the kernel without the feature whose values are s->one: returns twice its sum
 * over the samples before a, and once over a itself. M is L. */
static double joint_row_without(const elimination *s, double gamma, int64_t a, double *work) {
    const double *L = s->M + a * s->x.n;
    for (int64_t b = 0; b < a; b++) {
        double off = s->one[a] - s->one[b], rest = squared_distance(s, a, b) - off * off;
        work[b] = rest > 0 ? rest : 0;
    }
    exp_row(work, work, a, -gamma);
    return 2 * la_dot(L, work, a) + L[a];
}

static double sum_rows(elimination *s,
                       double (*row)(const elimination *, double, int64_t, double *), double gamma,
                       const pare_ctx *ctx) {
    int threads = ctx_threads(ctx);
    int64_t n = s->x.n;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int p = 0; p < threads; p++)
        for (int64_t a = p; a < n; a += threads) s->row_sum[a] = row(s, gamma, a, s->work + p * n);
    double sum = 0;
    for (int64_t a = 0; a < n; a++) sum += s->row_sum[a];
    return sum;
}

/* 2 where kernel values underflow, so that the feature's factor cannot be divided out. */
static pare_status gains_separately(elimination *s, double gamma, const pare_ctx *ctx,
                                    pare_error *err) {
    for (int64_t a = 0; a < s->x.n; a++) target_row(s->M + a * s->x.n, &s->target, a, s->x.n);
    for (int64_t i = 0; i < s->n_active; i++) s->gain[i] = 0;
    for (int64_t i = 0; i < s->n_active && ctx_poll(ctx, "bahsic", -1) == INTERRUPT_NONE; i++) {
        PASS(mat_columns(s->job->x, &s->own[i], 1, s->one, ctx, err));
        s->gain[i] = sum_rows(s, joint_row_without, gamma, ctx) - s->hsic;
    }
    return PARE_OK;
}

/* 1, 2 for rbf. */
static pare_status gains_joint(elimination *s, const pare_ctx *ctx, pare_error *err) {
    double gamma = s->job->set->bahsic.gamma, far = 0;
    int64_t n = s->x.n;
    PASS(active_gram(s, ctx, err));
    if (isnan(gamma)) gamma = own_gamma(s);
    for (int64_t a = 0; a < n; a++) s->square[a] = s->gram[a * n + a];
    s->hsic = sum_rows(s, joint_row, gamma, ctx);
    for (int64_t a = 0; a < n; a++) far = fmax(far, s->far[a]);
    if (!(gamma * far < MODERATE)) {
        s->whole = 0; /* the removed part may be all but rounding of the Gram */
        return gains_separately(s, gamma, ctx, err);
    }
    for (int64_t i = 0; i < s->n_active; i++) s->gamma[i] = gamma;
    return pair_forms(s->gain, s->job->x, s->own, s->n_active, KERNEL_RBF, s->gamma, s->M, ctx,
                      err);
}

/* The same for linear, where the criterion is a sum over the features. */
static pare_status gains_linear(elimination *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    const align_target *t = &s->target;
    int64_t n = s->x.n, d = s->x.d, q = t->q;
    double *V = ARENA_NEW(mem, double, n *q), *XV = ARENA_NEW(mem, double, d *q);
    PASS_MEM(V && XV);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < q; c++) V[c * n + i] = t->v[i * q + c];
    PASS(mat_tmul(&s->x, V, q, XV, ctx, err));
    s->hsic = 0;
    for (int64_t i = 0; i < s->n_active; i++) {
        s->gain[i] = 0;
        for (int64_t c = 0; c < q; c++) {
            double along = XV[c * d + s->own[i]];
            s->gain[i] -= t->factor * along * along;
        }
        s->hsic -= s->gain[i];
    }
    return PARE_OK;
}

/* Stores the last round: its features, and HSIC without each of them. */
static pare_status keep_round(fit_result *r, const elimination *s, pare_error *err) {
    r->cols = ARENA_NEW(&r->mem, int64_t, s->n_active);
    r->z = ARENA_NEW(&r->mem, double, s->n_active);
    if (!r->cols || !r->z) return error_memory(err);
    r->n_cols = s->n_active;
    for (int64_t i = 0; i < s->n_active; i++) {
        const ranked *one = &s->order[s->n_active - 1 - i]; /* the last to be removed comes first */
        r->cols[i] = one->index;
        r->z[i] = s->hsic + s->gain[place_from(s->own, s->n_active, one->index)];
    }
    r->objective = s->hsic;
    return PARE_OK;
}

static pare_status run_rounds(fit_result *r, elimination *s, int64_t *gone, int64_t *n_gone,
                              arena *mem, const pare_ctx *ctx, pare_error *err) {
    const bahsic_settings *set = &s->job->set->bahsic;
    bool linear = choice_is(set->kernel, "linear");
    int64_t least = s->job->k > 0 ? s->job->k : 1, first = s->n_active;
    while (s->n_active > 0) {
        if (linear)
            PASS(gains_linear(s, mem, ctx, err));
        else
            PASS(gains_joint(s, ctx, err));
        r->iterations++;
        for (int64_t i = 0; i < s->n_active; i++) {
            const view *x = s->job->x;
            int64_t base = x->cols ? x->cols[s->own[i]] : s->own[i];
            double cost = terms_cost(&s->job->terms, base), loss = -s->gain[i];
            s->order[i] = (ranked){loss < 0 ? loss * cost : loss / cost, s->own[i]};
        }
        sort_worst_first(s->order, s->n_active);
        rfe_groups_order(&s->groups, s->order, s->n_active);
        int64_t units = rfe_groups_among(&s->groups, s->own, s->n_active);
        ctx_stops(ctx, "bahsic", 1 - (double)s->n_active / (double)(first > 0 ? first : 1),
                  &r->outcome);
        bool over = linear || units <= least || r->outcome != PARE_OPTIMAL;
        int64_t count = over ? s->n_active : rfe_step(set->step, units, least);
        if (!over) count = rfe_groups_first(&s->groups, s->order, s->n_active, count);
        if (over) PASS(keep_round(r, s, err));
        for (int64_t i = 0; i < count; i++) gone[(*n_gone)++] = s->order[i].index;
        for (int64_t i = count; i < s->n_active; i++) s->own[i - count] = s->order[i].index;
        s->n_active -= count;
        sort_index(s->own, s->n_active);
    }
    return PARE_OK;
}

pare_status bahsic_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, n_gone = 0;
    bool linear = choice_is(job->set->bahsic.kernel, "linear");
    arena mem = arena_of(ctx);
    elimination s = {.job = job};
    pare_status status = PARE_OK;
    int64_t *gone = ARENA_NEW(&mem, int64_t, d);
    TRY_MEM(gone);
    TRY(rfe_check_step(job->set->bahsic.step, err));
    if (!linear)
        TRY(ctx_check_memory(ctx, 16 * (double)n * (double)n, "the kernel matrices of the samples",
                             err));
    TRY(prepare(&s, gone, &n_gone, &mem, ctx, err));
    TRY(rfe_groups_init(&s.groups, &mem, job, err));
    TRY_MEM(ARENA_NEWS(&mem, double, linear ? 0 : n *n, &s.gram, &s.M));
    r->outcome = PARE_OPTIMAL;
    TRY(run_rounds(r, &s, gone, &n_gone, &mem, ctx, err));
    TRY_MEM(r->ranking = ARENA_NEW(&r->mem, int64_t, d));
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    for (int64_t i = 0; i < d; i++) { /* the score: the number of features it outlasted */
        r->ranking[d - 1 - i] = gone[i];
        r->score[gone[i]] = (double)i;
    }

done:
    arena_free(&mem);
    return status;
}

/* rbf: every active feature in every round. */
effort_estimate bahsic_effort(const effort_job *job) {
    const bahsic_settings *set = &job->set->bahsic;
    double rounds, visits = effort_visits(&rounds, (int64_t)job->d, job->k > 0 ? job->k : 1,
                                          set->step, rfe_step);
    if (choice_is(set->kernel, "linear")) return (effort_estimate){1e-9 * job->stored, NULL};
    return (effort_estimate){
        visits * (16e-6 + 5e-10 * job->n * job->n),
        "`step 0.5` is about five times as fast, `kernel linear` takes seconds"};
}
