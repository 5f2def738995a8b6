/* The multiplicative updates of l2-AROM (zero-norm section 3).
 *
 * SYMBOLS    z: factor per feature, m active of d (the paper's z); K = X diag(z^2) X';
 *            U: alpha.y per output; g = X'U; w = z g: weights in the rescaled features;
 *            v = z sum_k |w_k|: the next z, for two classes the raw weights' size; s: slack per
 *            sample and output, with zero slack; share_j = v_j^2 |x_j|^2 / (cost_j sum):
 *            the feature's part in the next Gram's trace.
 * ALGORITHM  1. z = 1.
 *            2. Solve the SVM on K (Problem 8; several classes: Problems 10 and 11
 *               with the 2-norm).
 *            3. z <- v; a feature is eliminated when its share is below MIN_SHARE.
 *            While very many standardised features are active, K is in single precision; the final
 *            problem uses it in double precision, unless it was stopped before.
 *            4. Until z converges, or at most k features are active: then back to the previous
 *               iterate (section 4.5: the last one above k, whose largest k are taken).
 *            Hard margins that are impossible get the ridge 1e-6 tr(K)/n, that of the largest trace
 *            from there on, so that it keeps its weight as z leaves the scale of the features.
 *            Zero slack (section 3.2): x_i is extended by s_i/sqrt(lambda0) in a coordinate of its
 *            own, which adds ridge_i = s_i^2/lambda0 to the Gram; s_i = 1, then s_i <- ridge_i
 *            alpha_i, the slack itself.
 *            Groups: sum_g ln |w_g| instead, so that all features of a group have one z, the norm
 *            of its weights (several classes: summed over the outputs), and are active or
 *            eliminated together. Costs: sum_j cost_j ln |w_j|, in a group at their mean, so that a
 *            step minimises sum_j cost_j w_j^2 / z_j^2: K has z^2 / cost for z^2.
 * COST       a gram and a tmul over the active features per step: about 3 of each over all d, for
 *            shares fall like (|g_j| / max |g|)^(2^t). Memory a few n^2 and 44 bytes a feature, the
 *            result's 16 among them; several outputs: 8 more for each, and 8.
 * GUARANTEE  the SVM of the last step has a certified gap. For two classes with hard margins or
 *            zero slack sum ln z (+ lambda0 sum ln s) cannot increase from the second step on:
 *            v = z is feasible, so sum w^2 <= m, and the mean of logs is below the log of the
 *            mean. */
#include "method/svm/arom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/blocks.h"
#include "method/svm/gram_svm.h"

static const double MIN_SHARE = 1e-10;   /* a part below 1e-5 of the decision values */
static const double STANDS_STILL = 1e-5; /* relative to the largest weight */
static const double SLACK_FLOOR = 1e-4;  /* less slack than this counts as none: the margin is
                                            almost hard */
/* A relative gap e leaves weights uncertain by sqrt(2 e): SVMs are solved this much further. */
static const double INNER_TOL = 1e-4;
enum { MAX_STEPS = 1000, MAX_POWER = 1000 };

typedef struct arom_state {
    view x; /* centred */
    const char *name;
    gram_svm svm;
    int64_t d, n_active;
    int64_t *own, *base;  /* n_active: view column and column of the matrix */
    double *z, *v, *row;  /* n_active; row: 2-norm of the weights over the outputs */
    double *z_before;     /* z of the last step that counts, by its columns */
    double *both;         /* 2 d: z and z_before lie in it, then the ranking's list */
    double *norm2;        /* d: |x_j|^2, or NULL: all n */
    double total;         /* the next Gram's trace */
    double *share;        /* n_active: the group's part in it; NULL: there are no groups */
    const int64_t *group; /* d, or NULL: every feature by itself */
    int64_t n_groups;
    const double *cost; /* d, of its group; NULL: 1 each */
    double *sum;        /* n_groups: scratch */
    double *G;          /* n_active x c; v may share its memory */
    double *K;
    const fit_job *as_is; /* while z = 1: its Gram may be available */
    double *slack;        /* n x c, or NULL */
    double zero_slack;
    bool single_precision;  /* the precision of fit_gram */
    bool rounded;           /* the precision of K in this step */
    bool own_ridge;         /* the ridge is automatic if needed, and grows with the Gram's trace */
    int32_t *eliminated_at; /* d: the step, -1 while active */
    double *price; /* d: row at the last step it was active; uses the memory of the result's
                      scores */
    int64_t step;
    double moved;  /* largest change of a weight in this step, relative */
    double change; /* of sum ln z + lambda0 sum ln s in this step */
} arom_state;

/* The problem of the last valid step. Its columns are the active ones and those eliminated in
 * it. */
typedef struct snapshot {
    int64_t step, n_cols;
    bool rounded;
    double *dual; /* n x c, with zero slack followed by the ridges */
    double ridge;
    double objective;
    pare_outcome outcome;
} snapshot;

static pare_status take_costs(arom_state *a, arena *mem, const fit_job *job, const double *own,
                              pare_error *err) {
    feature_blocks blocks;
    double *cost = fit_cost_factors(mem, job, 1);
    if (!cost) return error_memory(err);
    for (int64_t j = 0; own && j < job->x->d; j++) cost[j] *= own[j];
    pare_status status = blocks_of(&blocks, mem, job, err);
    if (status == PARE_OK) blocks_mean(&blocks, cost);
    a->cost = cost;
    return status;
}

/* Of active feature i. */
static double cost_of(const arom_state *a, int64_t i) { return a->cost ? a->cost[a->own[i]] : 1; }

/* The factor of active feature i in K. */
static double square_of(const arom_state *a, int64_t i) {
    return a->z[i] * a->z[i] / cost_of(a, i);
}

/* The arrays of d numbers; at a million features it matters how many there are. */
static pare_status allocate(arom_state *a, fit_result *r, arena *mem, const fit_job *job,
                            pare_error *err) {
    int64_t d = a->d, c = a->svm.c;
    bool alone = c == 1 && !job->terms.group;
    pare_status status = PARE_OK;
    TRY_MEM(r->ranking = ARENA_NEW(&r->mem, int64_t, d));
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    a->own = r->ranking; /* written after the last step */
    a->price = r->score; /* a score depends on the price of the same feature only */
    TRY_MEM(a->base = job->x->cols ? ARENA_NEW(mem, int64_t, d) : a->own);
    TRY_MEM(a->both = ARENA_NEW(mem, double, 2 * d));
    a->z = a->both;
    a->z_before = a->both + d;
    TRY_MEM(a->G = ARENA_NEW(mem, double, d *c));
    TRY_MEM(a->v = alone ? a->G : ARENA_NEW(mem, double, d)); /* v_i depends on its own entry of G
                                                                 only */
    TRY_MEM(a->row = alone ? a->v : ARENA_NEW(mem, double, d));
    if (job->terms.group) TRY_MEM(a->share = ARENA_NEW(mem, double, d));
    TRY_MEM(a->eliminated_at = ARENA_NEW(mem, int32_t, d));
    memset(a->price, 0, sizeof(double) * (size_t)d);
done:
    return status;
}

static pare_status prepare(arom_state *a, snapshot *last, fit_result *r, arena *mem,
                           const fit_job *job, const arom_options *o, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    pare_status status = PARE_OK;
    *a = (arom_state){.name = o->name, .d = d, .n_active = d, .zero_slack = o->zero_slack};
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    TRY(gram_svm_init(&a->svm, mem, job, o->multiclass, err));
    a->svm.tol_rel = fmax(INNER_TOL * o->tol, 1e-12);
    a->svm.ridge = o->ridge;
    a->own_ridge = o->ridge == 0;
    if (a->own_ridge) a->svm.ridge = o->first_ridge;
    a->single_precision = job->of_gram == GRAM_SINGLE && !o->z0;
    bool costs = o->cost || job->terms.cost;
    a->as_is = o->z0 || costs ? NULL : job;
    if (costs) TRY(take_costs(a, mem, job, o->cost, err));
    a->x = fit_centred(job);
    int64_t c = a->svm.c;
    TRY(allocate(a, r, mem, job, err));
    TRY_MEM(a->K = ARENA_NEW(mem, double, n *n));
    if (job->terms.group) {
        int64_t *group = ARENA_NEW(mem, int64_t, d);
        TRY_MEM(a->group = group);
        TRY_MEM(a->sum = ARENA_NEW(mem, double, job->terms.n_groups));
        a->n_groups = job->terms.n_groups;
        for (int64_t j = 0; j < d; j++)
            group[j] = job->terms.group[job->x->cols ? job->x->cols[j] : j];
    }
    TRY_MEM(last->dual = ARENA_NEW(mem, double, 2 * n * c));
    for (int64_t j = 0; j < d; j++) {
        a->own[j] = j;
        a->base[j] = job->x->cols ? job->x->cols[j] : j;
        a->z[j] = o->z0 ? o->z0[j] : 1;
        a->eliminated_at[j] = -1;
    }
    if (job->weight || o->z0 || !job->standard) {
        double *ones = ARENA_NEW(mem, double, n);
        TRY_MEM(ones);
        TRY_MEM(a->norm2 = ARENA_NEW(mem, double, d));
        for (int64_t i = 0; i < n; i++) ones[i] = 1;
        TRY(mat_tmul2(&a->x, ones, 1, a->norm2, ctx, err));
    }
    if (o->zero_slack > 0) {
        TRY_MEM(a->slack = ARENA_NEW(mem, double, n *c));
        TRY_MEM(a->svm.ridges = ARENA_NEW(mem, double, n *c));
        for (int64_t i = 0; i < n * c; i++) a->slack[i] = 1;
    }
done:
    return status;
}

/* out[i] = the sum of `value` over the group of active feature i. */
static void sum_groups(double *out, const arom_state *a, const double *value) {
    memset(a->sum, 0, sizeof(double) * (size_t)a->n_groups);
    for (int64_t i = 0; i < a->n_active; i++) a->sum[a->group[a->own[i]]] += value[i];
    for (int64_t i = 0; i < a->n_active; i++) out[i] = a->sum[a->group[a->own[i]]];
}

/* v and row of the groups: norms over their features, v summed over the outputs. */
static void weigh_groups(arom_state *a) {
    int64_t c = a->svm.c;
    double *square = a->share; /* not needed yet */
    for (int64_t i = 0; i < a->n_active; i++) a->v[i] = a->row[i] = 0;
    for (int64_t o = 0; o < c; o++) {
        for (int64_t i = 0; i < a->n_active; i++) {
            double w = square_of(a, i) * a->G[o * a->n_active + i];
            square[i] = w * w;
        }
        sum_groups(square, a, square);
        for (int64_t i = 0; i < a->n_active; i++) {
            a->v[i] += sqrt(square[i]);
            a->row[i] = hypot(a->row[i], sqrt(square[i]));
        }
    }
}

/* K = X diag(z^2) X', in single precision or not: then z^2 is in units of a power of 2, which is
 * exact. */
static pare_status rescaled_gram(arom_state *a, view active, const pare_ctx *ctx, pare_error *err) {
    int64_t n2 = active.n * active.n;
    int power = 0;
    double most = 0, *z2 = a->G; /* G is computed later */
    active.single_precision = a->rounded;
    for (int64_t i = 0; i < a->n_active; i++) {
        z2[i] = square_of(a, i);
        if (z2[i] > most) most = z2[i];
    }
    if (active.single_precision) frexp(most, &power);
    if (abs(power) > MAX_POWER) power = 0; /* its unit would overflow */
    double unit = ldexp(1, power), per = ldexp(1, -power);
    for (int64_t i = 0; power != 0 && i < a->n_active; i++) z2[i] *= per;
    pare_status status = mat_gram(&active, NULL, z2, a->K, ctx, err);
    for (int64_t i = 0; power != 0 && i < n2; i++) a->K[i] *= unit;
    return status;
}

/* Step 2: the SVM on the rescaled active features, and v. */
static pare_status solve_step(arom_state *a, fit_result *r, const pare_ctx *ctx, pare_error *err) {
    gram_svm *g = &a->svm;
    view active = a->x;
    pare_status status = PARE_OK;
    if (a->n_active < a->d) {
        active.cols = a->base;
        active.d = a->n_active;
    }
    for (int64_t i = 0; a->slack && i < g->n * g->c; i++)
        g->ridges[i] = a->slack[i] * a->slack[i] / a->zero_slack;
    a->rounded = a->single_precision && a->n_active >= MIN_SINGLE_COLUMNS;
    if (a->as_is)
        TRY(fit_gram(a->as_is, true, a->K, ctx, err));
    else
        TRY(rescaled_gram(a, active, ctx, err));
    a->as_is = NULL;
    if (a->own_ridge && g->ridge > 0) g->ridge = fmax(g->ridge, gram_auto_ridge(g, a->K));
    TRY(gram_svm_solve_anyhow(g, r, a->K, ctx, err));
    TRY(mat_tmul(&active, g->U, g->c, a->G, ctx, err));
    double most = 0, moved = 0;
    a->change = 0;
    for (int64_t i = 0; i < a->n_active; i++) {
        double sum = 0, square = 0;
        for (int64_t o = 0; o < g->c; o++) {
            double size = fabs(a->G[o * a->n_active + i]);
            sum += size;
            square += size * size;
        }
        a->v[i] = square_of(a, i) * sum;
        a->row[i] = g->c == 1 ? a->v[i] : square_of(a, i) * sqrt(square);
    }
    if (a->group) weigh_groups(a);
    for (int64_t i = 0; i < a->n_active; i++) {
        double norm = a->norm2 ? sqrt(a->norm2[a->own[i]]) : 1;
        double size = a->v[i] * norm, way = fabs(a->v[i] - a->z[i]) * norm;
        if (size > most) most = size;
        if (way > moved) moved = way;
        if (a->v[i] > 0) a->change += log(a->v[i] / a->z[i]);
    }
    a->moved = most > 0 ? moved / most : 0;
done:
    return status;
}

/* The slacks of the solution: ridge_i alpha_i. */
static void update_slack(arom_state *a) {
    if (!a->slack) return;
    const gram_svm *g = &a->svm;
    for (int64_t i = 0; i < g->n * g->c; i++) {
        double own = g->weight ? g->weight[i % g->n] : 1;
        double s = own > 0 ? g->ridges[i] / own * g->dual[i] : 0;
        double next = fmax(s, SLACK_FLOOR);
        if (a->slack[i] > SLACK_FLOOR) a->change += a->zero_slack * log(next / a->slack[i]);
        a->moved = fmax(a->moved, fabs(next - a->slack[i]));
        a->slack[i] = next;
    }
}

static double trace_part(const arom_state *a, int64_t i) {
    return a->v[i] * a->v[i] / cost_of(a, i) * (a->norm2 ? a->norm2[a->own[i]] : 1);
}

static bool stays(const arom_state *a, int64_t i) {
    return (a->share ? a->share[i] : trace_part(a, i)) / a->total >= MIN_SHARE;
}

/* The number of features, or groups of them, that will remain active. */
static int64_t count_survivors(arom_state *a) {
    int64_t count = 0;
    a->total = 0;
    for (int64_t i = 0; i < a->n_active; i++) {
        a->total += trace_part(a, i);
        if (a->share) a->share[i] = trace_part(a, i);
    }
    if (a->share) {
        sum_groups(a->share, a, a->share);
        memset(a->sum, 0, sizeof(double) * (size_t)a->n_groups);
    }
    for (int64_t i = 0; i < a->n_active; i++) {
        double *seen = a->share ? &a->sum[a->group[a->own[i]]] : NULL;
        count += (!seen || *seen == 0) && stays(a, i);
        if (seen) *seen = 1;
    }
    return count;
}

static void take_solution(snapshot *s, const gram_svm *g, double tol) {
    memcpy(s->dual, g->dual, sizeof(double) * (size_t)(g->n * g->c));
    s->ridge = g->ridge;
    s->objective = g->objective;
    s->outcome = g->outcome;
    double gap = g->objective - g->dual_value;
    if (g->outcome == PARE_MAX_ITER && gap <= tol * fabs(g->objective)) s->outcome = PARE_OPTIMAL;
}

/* Records this step as the last valid one; its z is kept when the update computes the next. */
static void keep(snapshot *s, const arom_state *a, double tol) {
    const gram_svm *g = &a->svm;
    size_t size = sizeof(double) * (size_t)(g->n * g->c);
    s->step = a->step;
    s->n_cols = a->n_active;
    s->rounded = a->rounded;
    if (a->slack) memcpy(s->dual + g->n * g->c, g->ridges, size);
    take_solution(s, g, tol);
}

/* Step 3: prices of the active features, removal of the eliminated ones, z <- v. */
static void update(arom_state *a) {
    int64_t kept = 0;
    double *next = a->z_before;
    a->z_before = a->z;
    a->z = next;
    for (int64_t i = 0; i < a->n_active; i++) {
        int64_t j = a->own[i];
        a->price[j] = a->row[i];
        if (stays(a, i)) {
            a->own[kept] = j;
            a->base[kept] = a->base[i];
            a->z[kept++] = a->v[i];
        } else {
            a->eliminated_at[j] = (int32_t)a->step;
        }
    }
    a->n_active = kept;
}

/* 0: active; else 1 + the number of steps since the elimination. */
static int64_t fate_of(const arom_state *a, int64_t j) {
    return a->eliminated_at[j] < 0 ? 0 : 1 + a->step - a->eliminated_at[j];
}

/* The active by weight (its 2-norm over the outputs), then the eliminated, last first, those of one
 * step by their weight in it. A score is the weight, at most that of every feature before it. */
static pare_status rank(fit_result *r, const arom_state *a, arena *mem, pare_error *err) {
    int64_t d = a->d, fates = a->step + 2;
    ranked *v = (ranked *)a->both;
    int64_t *next = ARENA_ZERO(mem, int64_t, fates + 1);
    if (!next) return error_memory(err);
    for (int64_t j = 0; j < d; j++) next[1 + fate_of(a, j)]++;
    for (int64_t f = 0; f < fates; f++) next[f + 1] += next[f];
    for (int64_t j = 0; j < d; j++) v[next[fate_of(a, j)]++] = (ranked){a->price[j], j};
    for (int64_t f = 0, first = 0; f < fates; first = next[f++])
        if (r->first < 1 || first < r->first) sort_best_first(v + first, next[f] - first);
    double most = INFINITY;
    for (int64_t i = 0; i < d; i++) {
        if (v[i].key < most) most = v[i].key;
        r->ranking[i] = v[i].index;
        r->score[v[i].index] = most;
    }
    return PARE_OK;
}

/* The columns of the last valid step, and their z in its problem. */
static void give_problem(fit_result *r, const arom_state *a, const snapshot *s) {
    int64_t at = 0;
    for (int64_t j = 0; j < a->d; j++) {
        if (a->eliminated_at[j] >= 0 && a->eliminated_at[j] < s->step) continue;
        r->cols[at] = j;
        r->z[at] = a->z_before[at] / sqrt(a->cost ? a->cost[j] : 1);
        at++;
    }
}

/* Solves the final problem, which is to be certified, once more with its Gram in double
 * precision. */
static pare_status solve_exactly(snapshot *s, fit_result *r, arom_state *a, double tol, arena *mem,
                                 const pare_ctx *ctx, pare_error *err) {
    gram_svm *g = &a->svm;
    view x = a->x;
    int64_t m = s->n_cols, *cols;
    pare_status status = PARE_OK;
    TRY_MEM(cols = ARENA_NEW(mem, int64_t, m));
    for (int64_t i = 0; i < m; i++) {
        cols[i] = a->x.cols ? a->x.cols[r->cols[i]] : r->cols[i];
        a->G[i] = r->z[i] * r->z[i];
    }
    x.cols = cols;
    x.d = m;
    TRY(mat_gram(&x, NULL, a->G, a->K, ctx, err));
    g->ridge = s->ridge;
    if (a->slack) memcpy(g->ridges, s->dual + g->n * g->c, sizeof(double) * (size_t)(g->n * g->c));
    TRY(gram_svm_solve_anyhow(g, r, a->K, ctx, err));
    take_solution(s, g, tol);
done:
    return status;
}

static pare_status finish(fit_result *r, arom_state *a, snapshot *s, double tol, arena *mem,
                          const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t n = a->svm.n, m = s->n_cols;
    r->n_support = a->n_active;
    r->n_dual = a->svm.c * (a->slack ? 2 : 1);
    r->n_cols = m;
    TRY_MEM(r->dual = ARENA_NEW(&r->mem, double, n * r->n_dual));
    TRY_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, m));
    TRY_MEM(r->z = ARENA_NEW(&r->mem, double, m));
    give_problem(r, a, s);
    TRY(rank(r, a, mem, err)); /* over z */
    if (s->rounded && r->outcome <= PARE_MAX_ITER) {
        TRY(solve_exactly(s, r, a, tol, mem, ctx, err));
        if (s->outcome >= PARE_MAX_ITER) r->outcome = s->outcome;
    }
    r->objective = s->objective;
    memcpy(r->dual, s->dual, sizeof(double) * (size_t)(n * r->n_dual));
done:
    return status;
}

pare_status arom_run(fit_result *r, const fit_job *job, arom_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    if (o->zero_slack > 0 && o->ridge > 0)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`zero_slack`: %g and ridge %g exclude each other: choose one kind of slack",
            o->zero_slack, o->ridge);
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    arom_state a;
    snapshot last = {0};
    TRY(prepare(&a, &last, r, &mem, job, o, ctx, err));
    r->outcome = PARE_MAX_ITER;
    for (a.step = 0; a.step < MAX_STEPS; a.step++) {
        TRY(solve_step(&a, r, ctx, err));
        update_slack(&a);
        r->iterations++;
        int64_t survivors = count_survivors(&a);
        ctx_log(ctx, PARE_LOG_DEBUG, "%s step %lld: %lld features, log change %.9g", a.name,
                (long long)a.step + 1, (long long)survivors, a.change);
        if (a.step > 0 && survivors <= job->k) { /* the previous step is the result */
            r->outcome = PARE_GREEDY;
            break;
        }
        keep(&last, &a, o->tol);
        update(&a);
        if (a.svm.outcome > PARE_MAX_ITER) {
            r->outcome = a.svm.outcome;
            break;
        }
        bool still = a.step > 0 && a.moved <= STANDS_STILL;
        if (still || survivors <= job->k) {
            r->outcome = still ? PARE_STATIONARY : PARE_GREEDY;
            if (last.outcome == PARE_MAX_ITER) r->outcome = PARE_MAX_ITER;
            break;
        }
        if (ctx_stops(ctx, a.name, -1, &r->outcome)) break;
    }
    TRY(finish(r, &a, &last, o->tol, &mem, ctx, err));
    o->ridge = last.ridge;

done:
    arena_free(&mem);
    return status;
}
