/* NAME       plna
 * PAPER      parsimonious least norm, problem (14) and Algorithm 3.1.
 * PROBLEM    minimise over x, b0
 *              F = (1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda sum_j (1 - exp(-alpha |x_j|))
 *            0 <= lambda < 1, sample weights w_i (1 by default); b0 = 0 without an intercept.
 * SYMBOLS    A: n x d features as scaled (default none); b: the target; mu = lambda / (1 - lambda);
 *            c_j = lambda alpha exp(-alpha |x_j|): the cost of |x_j| in the linearisation at x.
 * ALGORITHM  1. Start: the llna solution at lambda, then `restarts` draws x ~ N(0, I); with more
 *               features than samples the draws are 0 outside the support of the llna solution.
 *            2. (3.1) x <- a vertex that minimises the linearisation at x (solve/l1_program, from
 *               the basis before); until the linearisation gains nothing. F falls strictly and
 *               there are finitely many vertices.
 *            3. The best F of all starts.
 *            4. alpha_growth above 1 (Theorem 2.1): alpha grows, 2 goes on from the best x, until
 *               the vertex repeats.
 *            k: all of this at each step of a bisection on log mu.
 * COST       per linear program 1 pass over X per round of column generation; O(d) memory.
 * GUARANTEE  the minimum principle: no vertex improves the linearisation at x by more than the
 *            value in the certificate, by the dual over all columns (certify_least_norm.c). Other
 *            local minima may exist.
 * STOPPING   the linearisation gains at most tol of its value.
 * DEVIATIONS costs c_j under 1e-8 (1 - lambda) max_i w_i max_i |a_ij| are raised to that: far from 0
 *            the penalty is flat, and such a slope cannot be told from rounding in A_j'u. The paper starts at one
 *            random point, on few features; the llna start is never worse than llna in F. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/rng.h"
#include "method/least_norm.h"

static const double DEFAULT_SHARE = 0.1;  /* of the mu at which llna leaves no coefficient */
static const double SLOPE_FLOOR = 1e-8;   /* of what the column can gain on the heaviest sample */
static const double SAME_VERTEX = 1e-9;   /* relative */
static const double WIDEST_SEARCH = 1e18; /* ratio of mu that the bisection may span */
static const double NARROWEST = 1e-4;     /* ratio - 1 of mu at which the bisection ends */
static const double SEARCH_STEP = 8;      /* of mu while the bracket is not yet found */
enum { MAX_LINEARISATIONS = 1000, MAX_GROWTHS = 64 };

typedef struct point {
    int64_t count, capacity;
    lp_weight *weight;
    double b, error; /* error: sum_i loss_i |residual| */
    double value;    /* F, NaN: nothing found yet */
    double *dual;    /* n, of the linearisation at this point */
    pare_outcome outcome;
} point;

typedef struct plna_work {
    const fit_job *job;
    const pare_allocator *mem;
    l1_program *program;
    int64_t n, d, programs;
    double *weight, *loss; /* n */
    double *cost, *range;  /* d: of |x_j|; largest |a_ij| */
    double heaviest, lambda, alpha, tol;
    point llna, now, next, best; /* llna: the first program's */
} plna_work;

static double slope(const plna_work *w, int64_t j, double x) {
    double least = SLOPE_FLOOR * (1 - w->lambda) * w->heaviest * w->range[j];
    if (w->range[j] == 0) least = w->lambda * w->alpha; /* a column of zeros */
    return fmax(least, w->lambda * w->alpha * exp(-w->alpha * fabs(x)));
}

static double penalty(const plna_work *w, const point *p) {
    double sum = 0;
    for (int64_t k = 0; k < p->count; k++) sum -= expm1(-w->alpha * fabs(p->weight[k].value));
    return w->lambda * sum;
}

static bool room(point *p, int64_t count, const pare_allocator *mem) {
    if (count <= p->capacity) return true;
    if (!mem_resize(mem, &p->weight, 2 * count, sizeof *p->weight)) return false;
    p->capacity = 2 * count;
    return true;
}

static bool copy_point(point *to, const point *from, int64_t n, const pare_allocator *mem) {
    if (!room(to, from->count, mem)) return false;
    to->count = from->count;
    if (from->count) memcpy(to->weight, from->weight, sizeof *to->weight * (size_t)from->count);
    memcpy(to->dual, from->dual, sizeof *to->dual * (size_t)n);
    to->b = from->b;
    to->error = from->error;
    to->value = from->value;
    to->outcome = from->outcome;
    return true;
}

/* Solves the linear program of the present costs into `out`; *value: its objective. */
static pare_status linear_program(plna_work *w, point *out, double *value, const pare_ctx *ctx,
                                  pare_error *err) {
    l1_solution s;
    l1_set_costs(w->program, w->cost, w->loss);
    pare_status status = l1_solve(w->program, &s, ctx, err);
    if (status != PARE_OK) return status;
    w->programs++;
    if (!room(out, s.n_weight, w->mem)) return error_memory(err);
    out->count = s.n_weight;
    if (s.n_weight) memcpy(out->weight, s.weight, sizeof *s.weight * (size_t)s.n_weight);
    memcpy(out->dual, s.dual, sizeof *s.dual * (size_t)w->n);
    out->b = s.b;
    out->outcome = s.outcome;
    out->error = 0;
    for (int64_t i = 0; i < w->n; i++)
        out->error += w->loss[i] * fabs(s.f[i] - w->job->y->value[i]);
    out->value = isnan(s.objective) ? NAN : out->error + penalty(w, out);
    *value = s.objective;
    return PARE_OK;
}

/* 2: from w->now until the linearisation gains nothing; w->now then has its dual. */
static pare_status descend(plna_work *w, const pare_ctx *ctx, pare_error *err) {
    for (int step = 0; step < MAX_LINEARISATIONS && w->now.outcome == PARE_OPTIMAL; step++) {
        double here = w->now.error, there;
        for (int64_t j = 0; j < w->d; j++) w->cost[j] = slope(w, j, 0);
        for (int64_t k = 0; k < w->now.count; k++) {
            double x = w->now.weight[k].value, c = slope(w, w->now.weight[k].feature, x);
            w->cost[w->now.weight[k].feature] = c;
            here += c * fabs(x);
        }
        pare_status status = linear_program(w, &w->next, &there, ctx, err);
        if (status != PARE_OK) return status;
        bool better = there < here - w->tol * here && w->next.value < w->now.value;
        if (!better) { /* the program at x has told that x is as good as any vertex */
            memcpy(w->now.dual, w->next.dual, sizeof *w->now.dual * (size_t)w->n);
            w->now.outcome = w->next.outcome == PARE_OPTIMAL ? PARE_STATIONARY : w->next.outcome;
            return PARE_OK;
        }
        point swap = w->now;
        w->now = w->next;
        w->next = swap;
    }
    if (w->now.outcome == PARE_OPTIMAL) w->now.outcome = PARE_MAX_ITER;
    return PARE_OK;
}

static bool same_vertex(const point *a, const point *b) {
    if (a->count != b->count) return false;
    for (int64_t k = 0; k < a->count; k++) {
        double x = a->weight[k].value, y = b->weight[k].value;
        if (a->weight[k].feature != b->weight[k].feature) return false;
        if (!(fabs(x - y) <= SAME_VERTEX * fmax(fabs(x), fabs(y)))) return false;
    }
    return true;
}

/* 4: w->best at the alpha where it repeats. */
static pare_status grow_alpha(plna_work *w, double growth, const pare_ctx *ctx, pare_error *err) {
    for (int round = 0; round < MAX_GROWTHS; round++) {
        if (w->best.outcome != PARE_STATIONARY) return PARE_OK;
        w->alpha *= growth;
        if (!copy_point(&w->now, &w->best, w->n, w->mem)) return error_memory(err);
        w->now.value = w->now.error + penalty(w, &w->now);
        w->now.outcome = PARE_OPTIMAL;
        pare_status status = descend(w, ctx, err);
        if (status != PARE_OK) return status;
        bool same = same_vertex(&w->now, &w->best);
        if (!copy_point(&w->best, &w->now, w->n, w->mem)) return error_memory(err);
        if (same) break;
    }
    return PARE_OK;
}

/* 1: the costs that the first program of a start has. */
static void start_costs(plna_work *w, int64_t start, uint64_t seed) {
    rng random;
    rng_seed(&random, seed, (uint64_t)start);
    bool wide = w->d > w->n;
    for (int64_t j = 0; j < w->d; j++) {
        double x = start > 0 && !wide ? rng_normal(&random) : 0;
        w->cost[j] = start == 0 ? w->lambda : slope(w, j, x);
    }
    for (int64_t k = 0; start > 0 && wide && k < w->llna.count; k++) {
        int64_t j = w->llna.weight[k].feature;
        w->cost[j] = slope(w, j, rng_normal(&random));
    }
}

/* 1 to 4 at w->lambda, into w->best. */
static pare_status minimise(plna_work *w, const pare_ctx *ctx, pare_error *err) {
    const plna_settings *s = &w->job->set->plna;
    pare_status status = PARE_OK;
    double ignored;
    w->alpha = s->alpha;
    w->best.value = NAN;
    for (int64_t i = 0; i < w->n; i++) w->loss[i] = (1 - w->lambda) * w->weight[i];
    for (int64_t start = 0; start <= s->restarts; start++) {
        start_costs(w, start, ctx ? ctx->seed : 1);
        TRY(linear_program(w, &w->now, &ignored, ctx, err));
        if (start == 0) TRY_MEM(copy_point(&w->llna, &w->now, w->n, w->mem));
        TRY(descend(w, ctx, err));
        bool stopped = w->now.outcome == PARE_TIME_LIMIT || w->now.outcome == PARE_CANCELLED;
        pare_outcome why = w->now.outcome;
        if (!(w->best.value <= w->now.value))
            TRY_MEM(copy_point(&w->best, &w->now, w->n, w->mem)); /* 3 */
        if (!stopped) continue;
        w->best.outcome = why;
        goto done;
    }
    if (s->alpha_growth > 1) TRY(grow_alpha(w, s->alpha_growth, ctx, err));
done:
    if (status == PARE_OK)
        status = least_norm_clean(w->best.weight, &w->best.count, w->job, ctx, err);
    return status;
}

/* Bisection on log mu for exactly k coefficients: more of them at mu_low, fewer at mu_high. */
static pare_status search_k(fit_result *r, plna_work *w, double mu, const pare_ctx *ctx,
                            pare_error *err) {
    int64_t k = w->job->k, above_count = 0, below_count = 0;
    double first = mu, above = NAN, below = NAN; /* mu with more, with fewer than k */
    double floor = LEAST_NORM_FLOOR * w->heaviest;
    for (;;) {
        w->lambda = least_norm_lambda(mu);
        pare_status status = minimise(w, ctx, err);
        if (status != PARE_OK || w->best.count == k) return status;
        if (w->best.outcome == PARE_TIME_LIMIT || w->best.outcome == PARE_CANCELLED) break;
        if (w->best.count > k) {
            above = mu;
            above_count = w->best.count;
        } else {
            below = mu;
            below_count = w->best.count;
        }
        if (isnan(above)) {
            if (mu <= floor) break;
            mu = fmax(floor, mu / SEARCH_STEP);
        } else if (isnan(below)) {
            if (mu >= first * WIDEST_SEARCH) break;
            mu *= SEARCH_STEP;
        } else {
            if (below <= above * (1 + NARROWEST)) break;
            mu = sqrt(above) * sqrt(below);
        }
    }
    if (!isnan(above) && w->best.count < k) {
        w->lambda = least_norm_lambda(above);
        pare_status status = minimise(w, ctx, err);
        if (status != PARE_OK) return status;
    }
    if (isnan(above))
        return fit_note(r, err,
                        "no lambda leaves exactly %lld coefficients: the smallest, %.6g, leaves "
                        "%lld",
                        (long long)k, w->lambda, (long long)w->best.count);
    return fit_note(r, err,
                    "bisection found no lambda that leaves exactly %lld coefficients: %.9g leaves "
                    "%lld, %.9g leaves %lld",
                    (long long)k, least_norm_lambda(above), (long long)above_count,
                    isnan(below) ? 1 : least_norm_lambda(below), (long long)below_count);
}

pare_status plna_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    plna_settings *s = &job->set->plna;
    plna_work w = {.job = job, .mem = ctx_allocator(ctx), .n = n, .d = d, .tol = s->tol};
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;

    TRY_MEM(w.weight = least_norm_weights(job, &scratch));
    TRY_MEM(w.loss = least_norm_weights(job, &scratch));
    TRY_MEM(w.cost = ARENA_NEW(&scratch, double, d));
    TRY_MEM(w.range = ARENA_NEW(&scratch, double, d));
    TRY(least_norm_ranges(w.range, job, ctx, err));
    TRY_MEM(w.llna.dual = ARENA_ZERO(&scratch, double, n));
    TRY_MEM(w.now.dual = ARENA_ZERO(&scratch, double, n));
    TRY_MEM(w.next.dual = ARENA_ZERO(&scratch, double, n));
    TRY_MEM(w.best.dual = ARENA_ZERO(&scratch, double, n));
    w.heaviest = least_norm_heaviest(w.weight, n);
    for (int64_t j = 0; j < d; j++) w.cost[j] = 1;
    l1_spec spec = {L1_FIT, job->x, job->y->value, w.cost, w.loss, job->set->common.intercept,
                    s->tol};
    TRY(l1_create(&w.program, &spec, ctx, err));
    if (isnan(s->lambda)) {
        double mu;
        TRY(least_norm_mu_max(&mu, job, w.weight, ctx, err));
        mu = mu > 0 ? DEFAULT_SHARE * mu : 1;
        w.lambda = least_norm_lambda(mu);
        if (job->k > 0)
            TRY(search_k(r, &w, mu, ctx, err));
        else
            TRY(minimise(&w, ctx, err));
        s->lambda = w.lambda;
    } else {
        TRY(least_norm_raise(r, &s->lambda, w.heaviest, err));
        if (s->lambda == 0) {
            TRY(least_norm_by_path(r, job, w.weight, 0, ctx, err));
            goto done;
        }
        w.lambda = s->lambda;
        TRY(minimise(&w, ctx, err));
    }
    if (w.alpha != s->alpha)
        TRY(fit_note(r, err, "alpha grew from %.6g to %.6g, where the solution repeated", s->alpha,
                     w.alpha));
    s->alpha = w.alpha;
    TRY(least_norm_keep(r, job, w.best.weight, w.best.count, w.best.b, w.best.dual, err));
    r->objective = w.best.value;
    r->outcome = w.best.outcome;
    r->iterations = w.programs;

done:
    l1_free(w.program);
    mem_free(w.mem, w.llna.weight);
    mem_free(w.mem, w.now.weight);
    mem_free(w.mem, w.next.weight);
    mem_free(w.mem, w.best.weight);
    arena_free(&scratch);
    return status;
}
