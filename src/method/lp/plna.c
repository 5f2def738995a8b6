/* NAME       plna
 * PAPER      parsimonious least norm, problem (14) and Algorithm 3.1.
 * PROBLEM    minimise over x, b0
 *              F = (1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda sum_j (1 - exp(-alpha |x_j|))
 *            0 <= lambda < 1, sample weights w_i (1 by default); b0 = 0 without an intercept.
 *            Groups of features: lambda sum_g (1 - exp(-alpha max_j |x_j|)) over each group's.
 * SYMBOLS    A: n x d features as scaled (default none); b: the target; mu = lambda / (1 - lambda);
 *            c_j = lambda alpha exp(-alpha |x_j|): the cost of |x_j| in the linearisation at x.
 * ALGORITHM  1. Start: the llna solution at lambda, then, unless `restarts` is 0, up to 64 vertices of
 *               the llna path (plna_vertices.h) above a tenth of mu and `restarts` draws
 *               x ~ N(0, I); with more features than samples the draws are 0 outside the support
 *               of the llna solution. Vertices further down have coefficients so large that the
 *               penalty is flat there: F ends lower, by 7% on the paper's rates, with coefficients
 *               of 1e7 and a true error up to 37% larger.
 *            2. (3.1) x <- a vertex that minimises the linearisation at x (plna_descent, from the
 *               basis before); until the linearisation gains nothing. F falls strictly and there
 *               are finitely many vertices.
 *            3. The best F of all starts; then from it with each coefficient's cost as if that were
 *               0, as long as one of these ends lower (not on a pool).
 *            4. alpha_growth above 1 (Theorem 2.1): alpha grows, 2 continues from the best x, until
 *               the vertex repeats.
 *            5. global: branch and bound from there (plna_global.h).
 *            k: 1 to 4 at each step of a bisection on log mu.
 * COST       llna, then for all starts together one pass over X per round of plna_descent (about
 *            5); on X of up to a million cells a pass per linear program instead. O(d) memory.
 * GUARANTEE  the minimum principle: no vertex improves the linearisation at x by more than the
 *            value in the certificate, by the dual over all columns (certify_least_norm.c). Other
 *            local minima may exist.
 *            With global no x has an F below the bound, in the settings as global_bound; the
 *            certificate is F again, from the raw data, less that bound, which is taken as it is.
 * STOPPING   the linearisation gains at most tol of its value.
 * DEVIATIONS costs c_j under 1e-8 (1 - lambda) max_i w_i max_i |a_ij| are raised to that: far from
 *            0 the penalty is flat, and such a slope is below the rounding of A_j'u. The
 *            paper starts at one random point, on few features; the llna start is never worse than
 *            llna in F. On X of more than a million cells intermediate programs use a pool of
 *            columns; the last one of a start uses all (tests/ref/test_plna_pool.c). */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/rng.h"
#include "method/lp/plna_global.h"
#include "method/lp/plna_vertices.h"

static const double DEFAULT_SHARE = 0.1;  /* of the mu at which llna leaves no coefficient */
static const double SAME_VERTEX = 1e-9;   /* relative */
static const double WIDEST_SEARCH = 1e18; /* ratio of mu that the bisection may span */
static const double NARROWEST = 1e-4;     /* ratio - 1 of mu at which the bisection ends */
static const double PATH_END = 0.1;       /* of mu: the vertices below are no starts, see 1 */
static const double SEARCH_STEP = 8;      /* factor of mu while the bracket is not yet found */
enum { MAX_GROWTHS = 64, MAX_VERTICES = 64, WIDE_VERTICES = 5 }; /* 5: with ten draws one group */

typedef struct plna_fitting {
    plna_work w;
    const plna_settings *set;                 /* in effect */
    plna_point llna, best, start[PLNA_GROUP]; /* llna: at lambda */
    plna_vertices vertices;
    bool repeated; /* the solution repeated as alpha grew */
} plna_fitting;

static bool same_vertex(const plna_point *a, const plna_point *b) {
    if (a->count != b->count) return false;
    for (int64_t k = 0; k < a->count; k++) {
        double x = a->weight[k].value, y = b->weight[k].value;
        if (a->weight[k].feature != b->weight[k].feature) return false;
        if (!(fabs(x - y) <= SAME_VERTEX * fmax(fabs(x), fabs(y)))) return false;
    }
    return true;
}

static bool interrupted(const plna_point *p) {
    return p->outcome == PARE_TIME_LIMIT || p->outcome == PARE_CANCELLED;
}

/* Of two results the lower, but one that settled before one that did not. */
static bool is_better(const plna_point *a, const plna_point *b) {
    bool settled = a->outcome == PARE_STATIONARY, other = b->outcome == PARE_STATIONARY;
    if (isnan(b->value)) return true;
    return settled == other ? a->value < b->value : settled;
}

/* 4: the best point at the alpha where it repeats. */
static pare_status grow_alpha(plna_fitting *f, double growth, const pare_ctx *ctx,
                              pare_error *err) {
    plna_point *now = &f->start[0];
    for (int round = 0; round < MAX_GROWTHS; round++) {
        if (f->best.outcome != PARE_STATIONARY) break;
        f->w.alpha *= growth;
        PASS(plna_point_copy(now, &f->best, &f->w, err));
        now->value = now->error + plna_penalty(&f->w, now);
        now->outcome = PARE_OPTIMAL;
        PASS(plna_settle(&f->w, &now, 1, ctx, err));
        bool same = same_vertex(now, &f->best);
        PASS(plna_point_copy(&f->best, now, &f->w, err));
        f->repeated = same;
        if (same) break;
    }
    return PARE_OK;
}

/* 1: the first vertex of a start. */
static pare_status start_at(plna_fitting *f, int64_t start, int64_t vertices, plna_point *out,
                            const pare_ctx *ctx, pare_error *err) {
    plna_work *w = &f->w;
    double ignored;
    rng random;
    if (start == 0) {
        for (int64_t j = 0; j < w->d; j++) w->cost[j] = w->lambda;
        pare_status status = plna_program(w, true, out, &ignored, ctx, err);
        if (status == PARE_OK) status = plna_point_copy(&f->llna, out, w, err);
        return status == PARE_OK ? plna_pool_point(w, out, err) : status;
    }
    if (start <= vertices) return plna_vertex_at(&f->vertices, start - 1, w, out, err);
    rng_seed(&random, ctx ? ctx->seed : 1, (uint64_t)(start - vertices));
    plna_costs_at_zero(w);
    bool wide = w->d > w->n;
    int64_t drawn = wide ? f->llna.count : w->d;
    for (int64_t k = 0; k < drawn; k++) {
        int64_t j = wide ? f->llna.weight[k].feature : k;
        w->cost[j] = plna_slope(w, j, rng_normal(&random));
    }
    blocks_mean(&w->blocks, w->cost);
    return plna_program(w, false, out, &ignored, ctx, err);
}

/* The best point with the cost of one of its coefficients as if that were 0. */
static pare_status start_without(plna_fitting *f, int64_t k, plna_point *out, const pare_ctx *ctx,
                                 pare_error *err) {
    plna_work *w = &f->w;
    double ignored;
    plna_costs_at_zero(w);
    for (int64_t l = 0; l < f->best.count; l++) {
        int64_t j = f->best.weight[l].feature;
        if (l != k) w->cost[j] = plna_slope(w, j, f->best.weight[l].value);
    }
    blocks_mean(&w->blocks, w->cost);
    return plna_program(w, false, out, &ignored, ctx, err);
}

/* From the best point without each of its coefficients in turn, as long as one of them is better. */
static pare_status improve(plna_fitting *f, const pare_ctx *ctx, pare_error *err) {
    plna_work *w = &f->w;
    for (bool better = true; better;) {
        better = false;
        int64_t taken = f->best.count;
        for (int64_t first = 0; first < taken && !better; first += PLNA_GROUP) {
            plna_point *group[PLNA_GROUP];
            int64_t count = taken - first < PLNA_GROUP ? taken - first : PLNA_GROUP;
            pare_status status = PARE_OK;
            for (int64_t t = 0; t < count; t++) {
                group[t] = &f->start[t];
                TRY(start_without(f, first + t, group[t], ctx, err));
                if (interrupted(group[t])) return PARE_OK;
            }
            TRY(plna_settle(w, group, count, ctx, err));
            for (int64_t t = 0; t < count; t++) {
                if (!is_better(group[t], &f->best)) continue;
                better |= group[t]->value < f->best.value - w->tol * f->best.value;
                TRY(plna_point_copy(&f->best, group[t], w, err));
            }
        done:
            if (status != PARE_OK) return status;
        }
    }
    return PARE_OK;
}

/* 1 to 4 at w.lambda, into the best point. */
static pare_status minimise(plna_fitting *f, const pare_ctx *ctx, pare_error *err) {
    plna_work *w = &f->w;
    const plna_settings *s = f->set;
    pare_status status = PARE_OK;
    w->alpha = s->alpha;
    f->best.value = NAN;
    f->repeated = false;
    for (int64_t i = 0; i < w->n; i++) w->loss[i] = (1 - w->lambda) * w->weight[i];
    int64_t vertices = plna_vertices_above(&f->vertices, PATH_END * least_norm_mu(w->lambda));
    int64_t starts = 1 + vertices + s->restarts;
    for (int64_t first = 0; first < starts; first += PLNA_GROUP) {
        int64_t count = starts - first;
        plna_point *group[PLNA_GROUP];
        if (count > PLNA_GROUP) count = PLNA_GROUP;
        for (int64_t t = 0; t < count; t++) {
            group[t] = &f->start[t];
            TRY(start_at(f, first + t, vertices, group[t], ctx, err));
            if (interrupted(group[t])) count = t + 1;
        }
        TRY(plna_settle(w, group, count, ctx, err)); /* 2 */
        for (int64_t t = 0; t < count; t++)
            if (is_better(group[t], &f->best))
                TRY(plna_point_copy(&f->best, group[t], w, err)); /* 3 */
        if (!interrupted(group[count - 1])) continue;
        f->best.outcome = group[count - 1]->outcome;
        goto done;
    }
    if (s->restarts > 0 && !w->pooled) TRY(improve(f, ctx, err));
    if (s->alpha_growth > 1) TRY(grow_alpha(f, s->alpha_growth, ctx, err));
done:
    if (status == PARE_OK)
        status = least_norm_clean(f->best.weight, &f->best.count, w->job, ctx, err);
    return status;
}

/* Bisection on log mu for exactly k coefficients: more of them at mu_low, fewer at mu_high. */
static pare_status search_k(fit_result *r, plna_fitting *f, double mu, const pare_ctx *ctx,
                            pare_error *err) {
    plna_work *w = &f->w;
    int64_t k = w->job->k, above_count = 0, below_count = 0;
    double first = mu, above = NAN, below = NAN; /* mu with more, with fewer than k */
    double floor = LEAST_NORM_FLOOR * w->heaviest;
    const char *what = w->blocks.counted ? "groups" : "coefficients";
    for (;;) {
        w->lambda = least_norm_lambda(mu);
        pare_status status = minimise(f, ctx, err);
        int64_t count = plna_taken(w, &f->best);
        if (status != PARE_OK || count == k) return status;
        if (interrupted(&f->best)) break;
        if (count > k) {
            above = mu;
            above_count = count;
        } else {
            below = mu;
            below_count = count;
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
    if (!isnan(above) && plna_taken(w, &f->best) < k) {
        w->lambda = least_norm_lambda(above);
        pare_status status = minimise(f, ctx, err);
        if (status != PARE_OK) return status;
    }
    if (isnan(above))
        return fit_note(r, err, "no lambda leaves exactly %lld %s: the smallest, %.6g, leaves %lld",
                        (long long)k, what, w->lambda, (long long)plna_taken(w, &f->best));
    return fit_note(r, err,
                    "bisection found no lambda that leaves exactly %lld %s: %.9g leaves %lld, %.9g "
                    "leaves %lld",
                    (long long)k, what, least_norm_lambda(above), (long long)above_count,
                    isnan(below) ? 1 : least_norm_lambda(below), (long long)below_count);
}

static pare_status points_new(plna_fitting *f, pare_error *err) {
    PASS(plna_point_new(&f->llna, &f->w, err));
    PASS(plna_point_new(&f->best, &f->w, err));
    for (int t = 0; t < PLNA_GROUP; t++) PASS(plna_point_new(&f->start[t], &f->w, err));
    return PARE_OK;
}

/* 5. */
static pare_status search_globally(fit_result *r, plna_fitting *f, plna_settings *s,
                                   const pare_ctx *ctx, pare_error *err) {
    int64_t boxes;
    PASS(plna_global(&f->w, &f->best, &s->global_bound, &boxes, ctx, err));
    PASS(least_norm_clean(f->best.weight, &f->best.count, f->w.job, ctx, err));
    return fit_note(r, err,
                    "the search looked at %lld boxes: no coefficients have an objective below %.9g",
                    (long long)boxes, s->global_bound);
}

pare_status plna_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    plna_settings *s = &fit_settings(r, job)->plna;
    plna_fitting f = {0};
    plna_work *w = &f.w;
    pare_status status = PARE_OK;

    f.set = s;
    bool wide = plna_is_wide(job->x->n, job->x->d) && !job->terms.group;
    TRY(plna_open(w, job, wide, ctx, err));
    if (s->global) TRY(plna_global_suits(w, err));
    s->global_bound = NAN;
    TRY(points_new(&f, err));
    int64_t most = wide ? WIDE_VERTICES : MAX_VERTICES;
    TRY(plna_vertices_find(&f.vertices, w, s->restarts > 0 ? most : 0, ctx, err));
    if (isnan(s->lambda)) {
        double mu;
        TRY(w->blocks.of ? least_norm_mu_max_groups(&mu, job, &w->blocks, w->weight, ctx, err)
                         : least_norm_mu_max(&mu, job, w->weight, ctx, err));
        mu = mu > 0 ? DEFAULT_SHARE * mu : 1;
        w->lambda = least_norm_lambda(mu);
        if (job->k > 0)
            TRY(search_k(r, &f, mu, ctx, err));
        else
            TRY(minimise(&f, ctx, err));
        s->lambda = w->lambda;
    } else {
        TRY(least_norm_raise(r, &s->lambda, w->heaviest, err));
        if (s->lambda == 0) {
            TRY(least_norm_by_path(r, job, w->weight, 0, ctx, err));
            goto done;
        }
        w->lambda = s->lambda;
        TRY(minimise(&f, ctx, err));
    }
    ctx_log(ctx, PARE_LOG_DEBUG,
            "plna: %lld linear programs, %lld passes over X, pool of %lld columns",
            (long long)w->programs, (long long)w->passes, (long long)w->n_pool);
    if (w->alpha != s->alpha)
        TRY(fit_note(r, err, "alpha grew from %.6g to %.6g, where the solution %s", s->alpha,
                     w->alpha, f.repeated ? "repeated" : "had not yet repeated"));
    s->alpha = w->alpha;
    if (s->global && !interrupted(&f.best)) TRY(search_globally(r, &f, s, ctx, err));
    TRY(least_norm_keep(r, job, f.best.weight, f.best.count, f.best.b, f.best.dual, err));
    r->objective = f.best.value;
    r->outcome = f.best.outcome;
    r->iterations = w->programs;

done:
    for (int t = 0; t < PLNA_GROUP; t++) plna_point_free(&f.start[t], w);
    plna_point_free(&f.best, w);
    plna_vertices_free(&f.vertices);
    plna_point_free(&f.llna, w);
    plna_close(w);
    return status;
}

/* The cost of a descent of linear programs from every start. */
effort_estimate plna_effort(const effort_job *job) {
    double starts = 1 + (double)job->set->plna.restarts;
    return (effort_estimate){starts * (3e-3 * job->n + 1e-9 * job->stored),
                             starts > 1 ? "`restarts 0` is many times as fast" : NULL};
}
