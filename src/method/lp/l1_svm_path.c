/* NAME       l1-svm-path
 * PAPER      J. Zhu, S. Rosset, T. Hastie, R. Tibshirani. 1-norm support vector
 *            machines. NIPS 2003.
 * PROBLEM    that of l1-svm, mean hinge + lambda |w|_1, for every lambda at once. Its solution is
 *            piecewise constant in lambda: vertices of a linear program between breakpoints.
 * SYMBOLS    mu = lambda; c outputs, each with a path of its own (several classes: one against the
 *            rest), walked down together: a joint range ends where the first of them changes.
 * ALGORITHM  1. the parametric simplex of each output (solve/l1/l1_path.h, margins)
 *               from lambda_max on.
 *            2. lambda: as given; the first range that leaves k features; or
 *               lambda_ratio lambda_max.
 *            3. the predictor at that lambda by l1-svm, whose dual certifies it.
 *            Groups of features (l1-svm: the largest weight of each): there is no walk by single
 *            features, so that lambda is found by bisection, points are solved one by one, and
 *            there is no sweep. Along (pare path): the solutions at `lambda_count` lambdas from
 *            lambda_max to lambda_least of it, in equal ratios, all from one walk.
 * COST       that of solve/l1/l1_path.h for each output. None of it if lambda is given.
 * GUARANTEE  duality gap of the predictor over all d columns from raw data (certify_l1_svm.c); each
 *            range is optimal to rounding (tests/ref/test_l1_path.c, against CLP).
 * STOPPING   at the end of the path; a basis that is singular to rounding ends it early, with a
 *            note; points beyond are then solved one by one.
 * DEVIATIONS the paper's path is over the bound s on |w|_1 with the hinge summed; ours over lambda
 *            with the mean hinge: the same solutions. */

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "method/blocks.h"
#include "method/lp/path_walk.h"
#include "solve/l1/l1_path.h"

static const double MIN_LAMBDA_SHARE = 1e-9; /* of the largest s_i: what l1-svm can certify */

typedef struct joint_path {
    const fit_job *job;
    arena mem;
    int64_t c;
    l1_path **path; /* c */
    l1_segment *at; /* c: the current range of each */
    double mu_high, mu_low;
    bool last; /* the joint range is the last; lost: it ended too early */
    bool lost;
    pare_outcome outcome;
    /* The solution of the joint range. */
    double loss, norm;
    double *b;         /* c */
    int64_t count;     /* features in use by some output */
    int64_t *S, *slot; /* count, d: where in S, or -1 */
    double floor;      /* MIN_LAMBDA_SHARE times the largest share */
} joint_path;

/* The range in which no output changes. */
static void join(joint_path *p) {
    p->mu_low = 0;
    p->last = true;
    for (int64_t o = 0; o < p->c; o++) {
        const l1_segment *s = &p->at[o];
        p->last &= s->last;
        if (s->mu_low > p->mu_low) p->mu_low = s->mu_low;
        if (s->outcome > p->outcome) p->outcome = s->outcome;
        if (s->last && (s->lost || s->outcome != PARE_OPTIMAL)) p->lost = true;
    }
    p->last |= p->lost;
    for (int64_t i = 0; i < p->count; i++) p->slot[p->S[i]] = -1;
    p->count = 0;
    p->loss = p->norm = 0;
    for (int64_t o = 0; o < p->c; o++) {
        const l1_segment *s = &p->at[o];
        p->loss += s->error;
        p->norm += s->norm;
        p->b[o] = s->b;
        for (int64_t k = 0; k < s->n_weight; k++) {
            int64_t j = s->weight[k].feature;
            if (p->slot[j] >= 0) continue;
            p->slot[j] = p->count;
            p->S[p->count++] = j;
        }
    }
}

static pare_status open_joint(joint_path *p, const fit_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    *p = (joint_path){.job = job, .mu_high = INFINITY, .outcome = PARE_OPTIMAL};
    int64_t c = p->c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    arena_init(&p->mem, ctx_allocator(ctx));
    double total = 0, heaviest = 0;
    double *y = ARENA_NEW(&p->mem, double, n), *s = ARENA_NEW(&p->mem, double, n);
    PASS_MEM(y && s);
    PASS_MEM(p->path = ARENA_ZERO(&p->mem, l1_path *, c));
    PASS_MEM(p->at = ARENA_ZERO(&p->mem, l1_segment, c));
    PASS_MEM(p->b = ARENA_NEW(&p->mem, double, c));
    PASS_MEM(ARENA_NEWS(&p->mem, int64_t, d, &p->S, &p->slot));
    for (int64_t j = 0; j < d; j++) p->slot[j] = -1;
    for (int64_t i = 0; i < n; i++) total += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < n; i++) {
        s[i] = (job->weight ? job->weight[i] : 1) / total;
        heaviest = fmax(heaviest, s[i]);
    }
    p->floor = MIN_LAMBDA_SHARE * heaviest;
    PASS(ctx_check_memory(ctx, l1_path_bytes(job->x) * (double)c,
                          "the bases of the paths over lambda", err));
    for (int64_t o = 0; o < c; o++) {
        int32_t positive = (int32_t)(c == 1 ? 1 : o);
        for (int64_t i = 0; i < n; i++) y[i] = job->y->cls[i] == positive ? 1 : -1;
        PASS(l1_path_open_margins(&p->path[o], job->x, y, s, job->set->common.intercept, p->floor,
                                  ctx, err));
        PASS(l1_path_next(p->path[o], &p->at[o], ctx, err));
    }
    join(p);
    return PARE_OK;
}

static void close_joint(joint_path *p) {
    for (int64_t o = 0; p->path && o < p->c; o++) l1_path_free(p->path[o]);
    arena_free(&p->mem);
}

/* Moves to the next joint range, unless this is the last. */
static pare_status step_down(joint_path *p, const pare_ctx *ctx, pare_error *err) {
    double reached = p->mu_low;
    for (int64_t o = 0; o < p->c; o++) {
        if (p->at[o].mu_low < reached || p->at[o].last) continue;
        PASS(l1_path_next(p->path[o], &p->at[o], ctx, err));
    }
    p->mu_high = reached;
    join(p);
    return PARE_OK;
}

static pare_status keep_point(fit_result *r, const joint_path *p, pare_error *err) {
    double lambda = isinf(p->mu_high) ? p->mu_low : p->mu_high; /* the empty model is the first */
    double objective = p->loss + lambda * p->norm;
    pare_lambda_point point = {lambda, objective, p->loss, p->norm, NAN, p->count, NAN, 0};
    int64_t first = r->path.rows;
    pare_status status = fit_path_point(r, point, p->c, p->b, err);
    for (int64_t i = 0; i < p->count && status == PARE_OK; i++)
        status = fit_path_row(r, p->S[i], NULL, 0, err);
    for (int64_t o = 0; o < p->c && status == PARE_OK; o++)
        for (int64_t k = 0; k < p->at[o].n_weight; k++) {
            const lp_weight *w = &p->at[o].weight[k];
            r->path.coef[(first + p->slot[w->feature]) * p->c + o] = w->value;
        }
    return status;
}

/* 1, 2: lambda from the path, and its breakpoints if they are wanted. */
static pare_status follow(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    l1_svm_path_settings *set = &r->set.l1_svm_path;
    path_walk w = {.k = isnan(set->lambda) ? job->k : 0};
    joint_path p;
    pare_status status = PARE_OK;
    TRY(open_joint(&p, job, ctx, err));
    for (;;) {
        if (set->sweep) TRY(keep_point(r, &p, err));
        bool going = w.k > 0 && path_walk_see(&w, p.mu_high, p.mu_low, p.count, p.floor);
        if (p.last || (!going && !set->sweep)) break;
        TRY(step_down(&p, ctx, err));
    }
    if (p.outcome == PARE_CANCELLED && r->path.count == 0) {
        status = error_set(err, PARE_E_CANCELLED, "stopped inside the path over lambda");
        goto done;
    }
    if (p.lost && (set->sweep || (w.k > 0 && !w.found)))
        TRY(fit_note(r, err, "the path ended at lambda %.6g: %s", p.mu_low,
                     p.outcome == PARE_OPTIMAL ? "there the basis is singular to rounding"
                                               : pare_outcome_name(p.outcome)));
    if (w.k == 0) goto done;
    set->lambda = w.mu;
    if (w.count < w.k) r->most = w.count;
    if (!w.found)
        TRY(fit_note(r, err,
                     "no lambda %s exactly %lld feature%s (the path has at most %lld): lambda %.6g "
                     "was taken, which leaves %lld",
                     p.lost ? "was found that leaves" : "leaves", (long long)w.k, PLURAL(w.k),
                     (long long)w.most, w.mu, (long long)w.count));
done:
    close_joint(&p);
    return status;
}

/* --- groups --- */

static const double SEARCH_STEP = 0.6;  /* factor of lambda, downwards, until k groups are
                                           selected */
static const double SEARCH_ENDS = 1e-6; /* ratio - 1 of the two lambdas at which the bisection
                                           ends */
enum { MAX_SEARCH = 60 };

/* The program at `lambda`; NaN: at the largest lambda that selects something. count: the quantity
 * that k limits. */
static pare_status try_lambda(double *lambda, int64_t *count, const fit_job *job,
                              const feature_blocks *blocks, const pare_ctx *ctx, pare_error *err) {
    all_settings set = *job->set;
    fit_job one = *job;
    fit_result r;
    one.set = &set;
    one.selected = NULL;
    set.l1_svm.lambda = *lambda;
    set.l1_svm.lambda_ratio = 1;
    fit_result_init(&r, ctx);
    double *active = ARENA_ZERO(&r.mem, double, job->x->d);
    pare_status status = PARE_OK;
    TRY_MEM(active);
    TRY(l1_svm_fit(&r, &one, ctx, err));
    if (r.outcome == PARE_CANCELLED || r.outcome == PARE_TIME_LIMIT)
        status = error_set(err, PARE_E_CANCELLED, "stopped inside the search for lambda");
    for (int64_t s = 0; s < r.n_support; s++) active[r.support[s]] = 1;
    *count = blocks->counted ? blocks_active(blocks, active) : r.n_support;
    *lambda = r.set.l1_svm.lambda;
done:
    fit_result_free(&r);
    return status;
}

/* 2 by bisection. */
static pare_status search_groups(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                                 pare_error *err) {
    double above = NAN, below = NAN, *lambda = &r->set.l1_svm_path.lambda;
    int64_t k = job->k, count;
    feature_blocks blocks;
    PASS(blocks_of(&blocks, &r->mem, job, err));
    PASS(try_lambda(&above, &count, job, &blocks, ctx, err));
    *lambda = above;
    for (int step = 0; step < MAX_SEARCH && count != k; step++) {
        *lambda = isnan(below) ? SEARCH_STEP * above : sqrt(above) * sqrt(below);
        if (!isnan(below) && above <= below * (1 + SEARCH_ENDS)) break;
        double asked = *lambda;
        PASS(try_lambda(lambda, &count, job, &blocks, ctx, err));
        if (count < k) above = *lambda;
        if (count > k) below = *lambda;
        if (*lambda > asked) break; /* as small as can be certified */
    }
    if (count < k && !isnan(below)) *lambda = below; /* several entered at once */
    if (count < k && isnan(below)) r->most = count;
    if (count != k)
        PASS(fit_note(r, err, "no lambda was found that leaves exactly %lld %s: %.6g was taken",
                      (long long)k, blocks.counted ? "groups" : "features", *lambda));
    return PARE_OK;
}

/* 3: l1-svm at the lambda found, or at an automatic one. */
static pare_status solve_at(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    all_settings own = r->set;
    fit_job at = *job;
    own.l1_svm.lambda = own.l1_svm_path.lambda;
    own.l1_svm.lambda_ratio = own.l1_svm_path.lambda_ratio;
    at.set = &own;
    at.selected = NULL;
    pare_status status = l1_svm_fit(r, &at, ctx, err);
    r->set.l1_svm_path.lambda = r->set.l1_svm.lambda;
    return status;
}

pare_status l1_svm_path_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const l1_svm_path_settings *set = &fit_settings(r, job)->l1_svm_path;
    bool searches = isnan(set->lambda) && job->k > 0 && !job->refit, groups = job->terms.group;
    if (groups && set->sweep)
        return error_set(err, PARE_E_ARGUMENT,
                         "`sweep`: true is not allowed with groups of features: the path goes "
                         "feature by feature");
    pare_status status = !searches ? PARE_OK
                         : groups  ? search_groups(r, job, ctx, err)
                                   : follow(r, job, ctx, err);
    if (status == PARE_OK) status = solve_at(r, job, ctx, err);
    if (status == PARE_OK && set->sweep && !searches && !job->refit)
        status = follow(r, job, ctx, err); /* last, as it may be interrupted */
    return status;
}

/* --- along the path --- */

static pare_status give_joint(along_points *points, int64_t s, const joint_path *p,
                              const view *test, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *W = ARENA_ZERO(&mem, double, p->count * p->c);
    TRY_MEM(W);
    for (int64_t o = 0; o < p->c; o++)
        for (int64_t k = 0; k < p->at[o].n_weight; k++)
            W[o * p->count + p->slot[p->at[o].weight[k].feature]] = p->at[o].weight[k].value;
    TRY(along_give(points, s, test, p->S, p->count, W, p->b, p->c, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* For a path that ended early, or groups: the program at that lambda. */
static pare_status give_solved(along_points *points, int64_t s, const fit_job *job, double lambda,
                               const view *test, const pare_ctx *ctx, pare_error *err) {
    all_settings set = *job->set;
    fit_job one = *job;
    fit_result r;
    one.set = &set;
    set.l1_svm.lambda = lambda;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    TRY(l1_svm_fit(&r, &one, ctx, err));
    points->unconverged += r.outcome == PARE_MAX_ITER;
    TRY(along_give(points, s, test, r.support, r.n_support, r.W, r.b, r.n_outputs, ctx, err));
done:
    fit_result_free(&r);
    return status;
}

static pare_status run_groups(along_points *points, const fit_job *job, const view *test,
                              const pare_ctx *ctx, pare_error *err) {
    double most = NAN;
    int64_t count;
    pare_status status = try_lambda(&most, &count, job, &(feature_blocks){0}, ctx, err);
    for (int64_t s = 0; s < points->count && status == PARE_OK; s++)
        status = give_solved(points, s, job, points->value[s] * most, test, ctx, err);
    return status;
}

static pare_status run_one(along_points *points, const fit_job *job, const view *test,
                           const pare_ctx *ctx, pare_error *err) {
    joint_path p;
    pare_status status = PARE_OK;
    TRY(open_joint(&p, job, ctx, err));
    double most = p.mu_low;
    for (int64_t s = 0; s < points->count; s++) {
        double lambda = fmax(points->value[s] * most, p.floor);
        while (!p.last && lambda < p.mu_low) TRY(step_down(&p, ctx, err));
        if (p.outcome == PARE_CANCELLED || p.outcome == PARE_TIME_LIMIT) {
            status = error_set(err, PARE_E_CANCELLED, "stopped inside a path");
            goto done;
        }
        if (lambda >= p.mu_low)
            TRY(give_joint(points, s, &p, test, ctx, err));
        else
            TRY(give_solved(points, s, job, lambda, test, ctx, err));
    }
done:
    close_joint(&p);
    return status;
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    return job->terms.group ? run_groups(points, job, test, ctx, err)
                            : run_one(points, job, test, ctx, err);
}

const method_along l1_svm_along = {&along_shares, run_path, NULL};
