/* NAME       lda-forward
 * PAPER      none for the greedy forward search. The discriminant, its correlation within classes
 *            shrunk to the identity: Y. Guo, T. Hastie, R. Tibshirani. Regularized linear
 *            discriminant analysis and its application in microarrays. Biostatistics 8:86-100, 2007.
 * PROBLEM    features one by one, each the one after which the mean over class pairs (a, b) of
 *            Phi(-Delta_ab / 2) is least: the error of the discriminant between two normal classes
 *            at the Mahalanobis distance Delta_ab under C_g = (1 - g) C + g I.
 *            Two classes: the largest distance.
 * SYMBOLS    r_j: n, feature j about its class means, over its deviation within classes, times
 *            sqrt(weight); A = (1 - g) / (total weight - c); C_g,jm = A r_j'r_m off the diagonal.
 *            s_j: variance of j given the chosen features; M_kj: mean of class k in j, given them;
 *            D_pj = M_aj - M_bj and Delta2_p of the pair p.
 * ALGORITHM  s = 1, Delta2 = 0; the pool: the features whose class means vary most. K times:
 *            1. among those not chosen, m with the least
 *               mean_p Phi(-sqrt(Delta2_p + D_pm^2/s_m)/2);
 *            2. l_j = A r_j'q_m / sqrt(s_m) with q_m = r_m - sum_t q_t (A q_t'r_m / s_t), t chosen:
 *               the m-th row of the Cholesky factor of C_g, through n-vectors, so that its other
 *               rows need not be kept: sum_t l_tm l_tj = A r_j'(r_m - q_m);
 *            3. Delta2_p += D_pm^2/s_m, M_k -= (M_km / sqrt(s_m)) l, s = max(s - l^2, FLOOR).
 *            Ranking: the chosen in order, the rest of the pool by the last criterion, all others
 *            by the variance of their class means. A larger K begins with the same features.
 *            Score: D_m^2/s_m when m was chosen (more than two classes: the fall of the mean
 *            error), after the last step for the rest of the pool, 0 for all others.
 * COST       2 passes over X, the second over the pool alone, or that one only where the scaling of
 *            a training fold came with the variances of class means; K n (pool + 2 K) operations and
 *            K pool c^2 / 2 of Phi; memory n (pool + K).
 * GUARANTEE  none to certify: a sequence of formulas (tests/ref/test_lda_forward.c
 *            has the slow one).
 * STOPPING   after k features, 50 where k was not given, or the whole pool. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/discriminant/within.h"

enum { STEPS = 50 };              /* where no number of features is given */
static const double FLOOR = 1e-6; /* of the variance of a feature given the chosen ones */

typedef struct forward {
    within in; /* of the pool */
    int64_t n, c, d, pool, steps;
    double A;
    int64_t *cols;    /* pool: view columns */
    double *R;        /* n x pool */
    double *M;        /* pool x c */
    double *s, *l;    /* pool */
    double *Delta2;   /* pairs */
    double *Q, *dots; /* n x steps, steps: A q'r / s */
    double *over;     /* steps: s of each chosen, when it was chosen */
    double *value;    /* pool: the criterion, larger is better */
    double *gain;     /* pool: what it added when it was chosen */
    bool *chosen;     /* pool */
    int64_t *order;   /* steps: places in the pool */
} forward;

/* Of the scaled class means over the classes. */
static double variance_between(const within *in, int64_t j) {
    double sum = 0, squares = 0;
    if (in->dev[j] == 0) return 0;
    for (int64_t k = 0; k < in->c; k++) sum += in->M[k * in->d + j];
    for (int64_t k = 0; k < in->c; k++) {
        double off = in->M[k * in->d + j] - sum / (double)in->c;
        squares += off * off;
    }
    return squares / (double)in->c / (in->dev[j] * in->dev[j]);
}

static pare_status allocate(forward *f, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t pool = f->pool, pairs = f->c * (f->c - 1) / 2;
    PASS(ctx_check_memory(ctx, 8 * (double)f->n * (double)(pool + f->steps), "the pool of features",
                          err));
    PASS_MEM(f->cols = ARENA_NEW(mem, int64_t, pool));
    PASS_MEM(f->R = ARENA_NEW(mem, double, f->n *pool));
    PASS_MEM(f->M = ARENA_NEW(mem, double, pool * f->c));
    PASS_MEM(ARENA_NEWS(mem, double, pool, &f->s, &f->l, &f->value, &f->gain));
    PASS_MEM(f->Delta2 = ARENA_ZERO(mem, double, pairs));
    PASS_MEM(f->Q = ARENA_NEW(mem, double, f->n * f->steps));
    PASS_MEM(ARENA_NEWS(mem, double, f->steps, &f->dots, &f->over));
    PASS_MEM(f->chosen = ARENA_ZERO(mem, bool, pool));
    PASS_MEM(f->order = ARENA_NEW(mem, int64_t, f->steps));
    return PARE_OK;
}

/* Into r->score: how much the class means of each feature vary, per cost. */
static pare_status score_means(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                               pare_error *err) {
    const view *x = job->x;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    within all;
    bool known = fit_take_scores(r, job->scored, x->d);
    if (!known) TRY(within_make(&all, &mem, job, ctx, err));
    for (int64_t j = 0; j < x->d; j++) {
        double of = known ? r->score[j] : variance_between(&all, j);
        if (known && x->scale[x->cols ? x->cols[j] : j] == 0) of = 0; /* a constant feature */
        r->score[j] = fit_per_cost(job, j, of);
    }
done:
    arena_free(&mem);
    return status;
}

/* The features that vary most, and the statistics of their columns. */
static pare_status take_best(forward *f, fit_result *r, const fit_job *job, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t count = 0;
    view pool = *job->x;
    fit_job own = *job;
    ranked *best = ARENA_NEW(mem, ranked, f->pool);
    int64_t *base = ARENA_NEW(mem, int64_t, f->pool);
    PASS_MEM(best && base);
    for (int64_t j = 0; j < f->d; j++) keep_best(best, &count, f->pool, (ranked){r->score[j], j});
    for (int64_t p = 0; p < f->pool; p++) f->cols[p] = best[p].index;
    sort_index(f->cols, f->pool); /* ties are broken by index */
    for (int64_t p = 0; p < f->pool; p++) base[p] = pool.cols ? pool.cols[f->cols[p]] : f->cols[p];
    pool.cols = base;
    pool.d = f->pool;
    own.x = &pool;
    return within_make(&f->in, mem, &own, ctx, err);
}

/* The columns of the pool less their class means, in units of their deviations. */
static pare_status take_pool(forward *f, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    const within *in = &f->in;
    pare_status status = mat_columns(job->x, f->cols, f->pool, f->R, ctx, err);
    for (int64_t p = 0; p < f->pool && status == PARE_OK; p++) {
        double over = in->dev[p] > 0 ? 1 / in->dev[p] : 0, *r = f->R + p * f->n;
        f->s[p] = 1;
        for (int64_t k = 0; k < f->c; k++) f->M[k * f->pool + p] = in->M[k * in->d + p] * over;
        for (int64_t i = 0; i < f->n; i++) {
            double centre = in->mean[p] + in->M[job->y->cls[i] * in->d + p];
            r[i] = (r[i] - centre) * over * sqrt(in->weight[i]);
        }
    }
    return status;
}

/* The criterion of feature p given the chosen ones: minus the error, or the gain in distance. */
static double criterion(const forward *f, int64_t p) {
    double sum = 0;
    int64_t pair = 0;
    for (int64_t a = 0; a < f->c; a++)
        for (int64_t b = a + 1; b < f->c; b++, pair++) {
            double D = f->M[a * f->pool + p] - f->M[b * f->pool + p], gain = D * D / f->s[p];
            if (f->c == 2) return gain;
            sum += 0.5 * erfc(sqrt((f->Delta2[pair] + gain) / 8));
        }
    return -sum / (double)pair;
}

/* What feature p adds, per cost: to the squared distance, for two classes, else the fall of the
 * mean error. */
static double gain_of(const forward *f, const fit_job *job, int64_t p) {
    double value = criterion(f, p), now = 0;
    int64_t pairs = f->c * (f->c - 1) / 2;
    for (int64_t pair = 0; pair < pairs; pair++) now += 0.5 * erfc(sqrt(f->Delta2[pair] / 8));
    return fit_per_cost(job, f->cols[p], f->c == 2 ? value : value + now / (double)pairs);
}

/* What orders them: small gains lose their digits, the errors do not. */
static double value_of(const forward *f, const fit_job *job, int64_t p) {
    return job->terms.cost ? gain_of(f, job, p) : criterion(f, p);
}

static void compute_criterion(forward *f, const fit_job *job, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t p = 0; p < f->pool; p++)
        if (!f->chosen[p]) f->value[p] = value_of(f, job, p);
}

static int64_t best(const forward *f) {
    int64_t at = -1;
    for (int64_t p = 0; p < f->pool; p++)
        if (!f->chosen[p] && (at < 0 || f->value[p] > f->value[at])) at = p;
    return at;
}

/* Step 2: l. */
static void factor_row(forward *f, int64_t t, int64_t m) {
    int n = (int)f->n;
    double *q = f->Q + t * f->n;
    const double *r = f->R + m * f->n;
    memcpy(q, r, sizeof *q * (size_t)f->n);
    if (t > 0) {
        cblas_dgemv(CblasColMajor, CblasTrans, n, (int)t, f->A, f->Q, n, r, 1, 0, f->dots, 1);
        for (int64_t e = 0; e < t; e++) f->dots[e] /= f->over[e];
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, (int)t, -1, f->Q, n, f->dots, 1, 1, q, 1);
    }
    cblas_dgemv(CblasColMajor, CblasTrans, n, (int)f->pool, f->A / sqrt(f->s[m]), f->R, n, q, 1, 0,
                f->l, 1);
    f->l[m] = sqrt(f->s[m]);
}

/* Steps 2 and 3. */
static void choose(forward *f, int64_t t, int64_t m) {
    int64_t pair = 0;
    double s = f->s[m];
    f->order[t] = m;
    f->over[t] = s;
    f->chosen[m] = true;
    factor_row(f, t, m);
    for (int64_t a = 0; a < f->c; a++)
        for (int64_t b = a + 1; b < f->c; b++, pair++) {
            double D = f->M[a * f->pool + m] - f->M[b * f->pool + m];
            f->Delta2[pair] += D * D / s;
        }
    for (int64_t k = 0; k < f->c; k++) {
        double *M = f->M + k * f->pool, by = M[m] / sqrt(s);
        for (int64_t p = 0; p < f->pool; p++) M[p] -= by * f->l[p];
    }
    for (int64_t p = 0; p < f->pool; p++) f->s[p] = fmax(f->s[p] - f->l[p] * f->l[p], FLOOR);
}

/* Ranks the features outside the pool from place `at` on, best first where their order is needed. */
static pare_status rank_others(fit_result *r, const forward *f, int64_t at, arena *mem,
                               pare_error *err) {
    int64_t left = 0, p = 0;
    bool in_order = r->first < 1 || r->first > at;
    ranked *rest = in_order ? ARENA_NEW(mem, ranked, f->d - f->pool) : NULL;
    if (in_order && !rest) return error_memory(err);
    for (int64_t j = 0; j < f->d; j++)
        if (p < f->pool && f->cols[p] == j)
            p++;
        else if (in_order)
            rest[left++] = (ranked){r->score[j], j};
        else
            r->ranking[at++] = j;
    sort_best_first(rest, left);
    for (int64_t i = 0; i < left; i++) r->ranking[at++] = rest[i].index;
    return PARE_OK;
}

/* The score is the gain: when a feature was chosen, after the last step for the rest of the pool; of
 * the others none is known (0). */
static pare_status rank(fit_result *r, const forward *f, const fit_job *job, int64_t taken,
                        arena *mem, pare_error *err) {
    int64_t at = 0, left = 0;
    ranked *rest = ARENA_NEW(mem, ranked, f->pool);
    r->ranking = ARENA_NEW(&r->mem, int64_t, f->d);
    if (!rest || !r->ranking) return error_memory(err);
    for (int64_t t = 0; t < taken; t++) r->ranking[at++] = f->cols[f->order[t]];
    for (int64_t p = 0; p < f->pool; p++)
        if (!f->chosen[p]) rest[left++] = (ranked){f->value[p], f->cols[p]};
    sort_best_first(rest, left);
    for (int64_t p = 0; p < left; p++) r->ranking[at++] = rest[p].index;
    PASS(rank_others(r, f, at, mem, err));
    memset(r->score, 0, sizeof *r->score * (size_t)f->d);
    for (int64_t p = 0; p < f->pool; p++)
        r->score[f->cols[p]] = f->chosen[p] ? f->gain[p] : gain_of(f, job, p);
    return PARE_OK;
}

pare_status lda_forward_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const lda_forward_settings *set = &job->set->lda_forward;
    int64_t d = job->x->d, wanted = job->k > 0 ? job->k : STEPS, t = 0;
    forward f = {.n = job->x->n, .c = job->y->n_classes, .d = d};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;

    f.pool = set->pool < d ? set->pool : d;
    f.steps = wanted < f.pool ? wanted : f.pool;
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    TRY(score_means(r, job, ctx, err));
    TRY(allocate(&f, &mem, ctx, err));
    TRY(take_best(&f, r, job, &mem, ctx, err));
    f.A = (1 - set->shrinkage) / (f.in.total - (double)f.c);
    TRY(take_pool(&f, job, ctx, err));
    int threads = f.c * f.c * f.pool < 1 << 14 ? 1 : ctx_threads(ctx);
    r->outcome = PARE_OPTIMAL;
    compute_criterion(&f, job, threads);
    for (; t < f.steps; t++) {
        if (ctx_stops(ctx, "selecting", (double)t / (double)f.steps, &r->outcome)) break;
        int64_t next = best(&f);
        f.gain[next] = gain_of(&f, job, next);
        choose(&f, t, next);
        compute_criterion(&f, job, threads);
    }
    r->iterations = t;
    TRY(rank(r, &f, job, t, &mem, err));

done:
    arena_free(&mem);
    return status;
}
