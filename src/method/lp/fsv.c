/* NAME       fsv
 * PAPER      P. S. Bradley, O. L. Mangasarian. Feature selection via concave minimization and support
 *            vector machines. ICML 1998, as in zero-norm section 1, Problem 2; zero-norm
 *            section 4.5 for an exact k.
 * PROBLEM    minimise over w, b   (1-lambda)(mean slack of + and of -) + lambda sum_j phi(|w_j|)
 *            slack_i = max(0, 1 - y_i f_i), f_i = w'x_i + b, means weighted within their class, and
 *            phi(v) = 1 - exp(-alpha v). lambda unset: sum_j phi(|w_j|) subject to y_i f_i >= 1.
 *            Groups of features: sum_g phi(max_j |w_j|), at the mean of their costs.
 * SYMBOLS    v = |w|, in a group that of its largest; c_j = lambda phi'(v_j): the costs of the next
 *            program; u: its n duals.
 * ALGORITHM  1. v = 0.
 *            2. Minimise the linearisation at v, sum_j c_j |w_j| + (1-lambda)(...): a linear
 *               program (solve/l1_program), from the basis of the last one.
 *            3. v <- |w|; until the linearisation gains nothing on the point it was made at: phi is
 *               concave and the program has finitely many vertices, so this ends.
 *            With k: stop when at most k weights are left, back to the iterate before, whose k
 *            largest are taken (section 4.5).
 * COST       the passes of the programs: the first 5 to 15, the later ones 1 to 3 each; memory
 *            O(d) + the master program.
 * GUARANTEE  the minimum principle: no point of the feasible set improves the linearisation at the
 *            point found, certified by the stored dual over all d columns (certify/certify_fsv.c).
 *            Stopped by k: the duality gap of the last program.
 * STOPPING   the linearisation's gain <= 1e-8 of the objective.
 * DEVIATIONS phi continues as a straight line where its slope has fallen to 1e-9 of alpha, since a
 *            program cannot hold costs of 1e-300; the reported objective is the paper's. A lambda
 *            for which lambda alpha is under 1e-9 of the largest slack cost is raised to that
 *            (tests/cert/test_fsv.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/blocks.h"
#include "solve/lp/l1_program.h"

static const double COST_FLOOR = 1e-9; /* of the largest slack cost, and of phi'(0): see
                                          solve/lp/lp.h */
static const double STATIONARY = 1e-8;
enum { MAX_STEPS = 200 };

typedef struct fsv_point {
    int64_t count; /* nonzero weights */
    double *w, *v; /* d; v: |w|, of its group */
    double b;
    double objective; /* of the problem */
    double *at;       /* d: the v that the program was linearised at */
    double *u;        /* n: its duals */
} fsv_point;

typedef struct fsv_work {
    int64_t n, d;
    double alpha, lambda;        /* lambda = 1 with hard margins */
    double floor;                /* smallest phi' / alpha */
    double *y, *s, *cost, *sums; /* sums: scratch, d */
    double *price;               /* d: the features' costs */
    feature_blocks blocks;
} fsv_work;

static double slope(const fsv_work *w, int64_t j, double v) {
    return w->price[j] * w->lambda * w->alpha * fmax(exp(-w->alpha * v), w->floor);
}

/* The penalty of feature j at weight v. */
static double counted(const fsv_work *w, int64_t j, double v) {
    return w->price[j] * w->lambda * -expm1(-w->alpha * v);
}

/* A group counts by its first feature. */
static bool counts(const fsv_work *w, int64_t j) {
    const feature_blocks *b = &w->blocks;
    return !b->of || b->member[b->start[b->of[j]]] == j;
}

/* The quantity that k limits. */
static int64_t taken(const fsv_work *w, const fsv_point *p) {
    return w->blocks.counted ? blocks_active(&w->blocks, p->v) : p->count;
}

static pare_status set_losses(fit_result *r, fsv_work *w, const fit_job *job, pare_error *err) {
    fsv_settings *set = &fit_settings(r, job)->fsv;
    double total[2] = {0, 0}, max_slack_cost = 0;
    for (int64_t i = 0; i < w->n; i++) total[job->y->cls[i]] += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < w->n; i++) {
        double own = job->weight ? job->weight[i] : 1;
        w->y[i] = job->y->cls[i] == 1 ? 1 : -1;
        w->s[i] = own / total[job->y->cls[i]];
        max_slack_cost = fmax(max_slack_cost, w->s[i]);
    }
    w->lambda = isnan(set->lambda) ? 1 : set->lambda;
    if (!isnan(set->lambda)) {
        double least = COST_FLOOR * max_slack_cost / w->alpha; /* of lambda / (1 - lambda) */
        least /= 1 + least;
        if (w->lambda < least) {
            pare_status status =
                fit_note(r, err, "lambda %g is too small to be certified in doubles: %g was used",
                         w->lambda, least);
            if (status != PARE_OK) return status;
            w->lambda = set->lambda = least;
        }
    }
    w->floor = COST_FLOOR * fmax(1, (1 - w->lambda) * max_slack_cost / (w->lambda * w->alpha));
    for (int64_t i = 0; i < w->n; i++)
        w->s[i] = isnan(set->lambda) ? (w->s[i] > 0 ? INFINITY : 0) : (1 - w->lambda) * w->s[i];
    return PARE_OK;
}

/* Step 2 at |at->w|, into p. */
static pare_status solve_step(fsv_point *p, l1_solution *found, fsv_work *w, l1_program *program,
                              const fsv_point *at, const fit_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    for (int64_t j = 0; j < w->d; j++) {
        p->at[j] = at->v[j];
        w->cost[j] = slope(w, j, p->at[j]);
        p->w[j] = p->v[j] = 0;
    }
    l1_set_costs(program, w->cost, NULL);
    PASS(l1_solve(program, found, ctx, err));
    if (found->infeasible)
        return error_set(err, PARE_E_INFEASIBLE,
                         "no hyperplane separates class \"%.64s\" from the other, so hard margins "
                         "have no solution: allow errors with `lambda` between 0 and 1",
                         job->y->classes[1]);
    p->count = found->n_weight;
    p->b = found->b;
    p->objective = found->objective;
    for (int64_t k = 0; k < found->n_weight; k++) {
        int64_t j = found->weight[k].feature;
        p->w[j] = found->weight[k].value;
        p->v[j] = fabs(p->w[j]);
    }
    blocks_largest(&w->blocks, p->v);
    for (int64_t j = 0; j < w->d; j++)
        if (p->v[j] > 0 && counts(w, j))
            p->objective += counted(w, j, p->v[j]) - w->cost[j] * p->v[j];
    memcpy(p->u, found->dual, sizeof *p->u * (size_t)w->n);
    return PARE_OK;
}

/* The linearisation at p's own point, there: the sum of the costs and the losses. */
static double linearised(const fsv_work *w, const fsv_point *p) {
    double value = p->objective;
    for (int64_t j = 0; j < w->d; j++) {
        double v = p->v[j];
        if (v > 0 && counts(w, j)) value += slope(w, j, v) * v - counted(w, j, v);
    }
    return value;
}

/* Stores the point's weights and, unless it is the same, the point its program was linearised
 * at. */
static pare_status keep_point(fit_result *r, const fsv_work *w, const fsv_point *p, bool own,
                              pare_error *err) {
    int64_t d = w->d, marked = 0;
    for (int64_t j = 0; j < d; j++) marked += p->at[j] > 0;
    PASS_MEM(r->point = ARENA_NEW(&r->mem, int64_t, p->count));
    PASS_MEM(r->point_W = ARENA_NEW(&r->mem, double, p->count));
    PASS_MEM(r->point_b = ARENA_NEW(&r->mem, double, 1));
    PASS_MEM(r->dual = ARENA_NEW(&r->mem, double, w->n));
    memcpy(r->dual, p->u, sizeof *r->dual * (size_t)w->n);
    r->n_dual = 1;
    r->point_b[0] = p->b;
    for (int64_t j = 0; j < d; j++)
        if (p->w[j] != 0) {
            r->point_W[r->n_point] = p->w[j];
            r->point[r->n_point++] = j;
        }
    if (own) return PARE_OK;
    PASS_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, marked));
    PASS_MEM(r->z = ARENA_NEW(&r->mem, double, marked));
    for (int64_t j = 0; j < d; j++)
        if (p->at[j] > 0) {
            r->z[r->n_cols] = p->at[j];
            r->cols[r->n_cols++] = j;
        }
    return PARE_OK;
}

/* Weights first, then the prices |X_j'u| / c_j. */
static pare_status rank(fit_result *r, const fsv_work *w, const fsv_point *p, bool own,
                        const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    double *u = w->y, *price = w->cost;
    for (int64_t i = 0; i < w->n; i++) u[i] = p->u[i] * w->y[i];
    PASS(mat_tmul(job->x, u, 1, price, ctx, err));
    for (int64_t j = 0; j < w->d; j++) price[j] = fabs(price[j]);
    blocks_sum(&w->blocks, price, w->sums);
    PASS_MEM(r->score = ARENA_NEW(&r->mem, double, w->d));
    for (int64_t j = 0; j < w->d; j++) {
        r->score[j] = fabs(p->w[j]);
        price[j] /= slope(w, j, own ? p->v[j] : p->at[j]);
    }
    fit_score_eliminated(r, price, w->d);
    PASS(fit_rank(r, w->d, err));
    r->support = r->ranking;
    r->n_support = p->count;
    return PARE_OK;
}

pare_status fsv_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    l1_program *program = NULL;
    fsv_work w = {.n = n, .d = d, .alpha = job->set->fsv.alpha};
    fsv_point points[2], *last = &points[0], *next = &points[1];
    bool own = false;
    TRY_MEM(ARENA_NEWS(&scratch, double, n, &w.y, &w.s));
    TRY_MEM(ARENA_NEWS(&scratch, double, d, &w.cost, &w.sums));
    TRY_MEM(w.price = fit_cost_factors(&scratch, job, 1));
    TRY(blocks_of(&w.blocks, &scratch, job, err));
    blocks_mean(&w.blocks, w.price);
    for (int k = 0; k < 2; k++) {
        points[k] = (fsv_point){0};
        TRY_MEM(points[k].w = ARENA_ZERO(&scratch, double, d));
        TRY_MEM(points[k].v = ARENA_ZERO(&scratch, double, d));
        TRY_MEM(points[k].at = ARENA_NEW(&scratch, double, d));
        TRY_MEM(points[k].u = ARENA_NEW(&scratch, double, n));
    }
    TRY(set_losses(r, &w, job, err));
    for (int64_t j = 0; j < d; j++) w.cost[j] = slope(&w, j, 0);
    lp_groups groups;
    l1_spec spec = {.loss = L1_MARGIN,
                    .x = job->x,
                    .groups = blocks_lp(&groups, &w.blocks),
                    .y = w.y,
                    .cost = w.cost,
                    .loss_cost = w.s,
                    .intercept = job->set->common.intercept};
    TRY(l1_create(&program, &spec, ctx, err));

    r->outcome = PARE_MAX_ITER;
    for (int step = 0; step < MAX_STEPS; step++) {
        l1_solution found;
        TRY(solve_step(next, &found, &w, program, last, job, ctx, err));
        r->iterations++;
        if (step > 0 && found.outcome == PARE_OPTIMAL &&
            linearised(&w, last) - found.bound <= STATIONARY * last->objective) {
            own = true; /* the program at last's own point certifies it */
            memcpy(last->u, next->u, sizeof *last->u * (size_t)n);
            r->outcome = PARE_STATIONARY;
            break;
        }
        bool few = job->k > 0 && taken(&w, next) <= job->k && found.outcome == PARE_OPTIMAL;
        bool worse =
            step > 0 && (found.outcome != PARE_OPTIMAL || next->objective >= last->objective);
        if (few || (worse && found.outcome == PARE_OPTIMAL)) r->outcome = PARE_GREEDY;
        if (step == 0 || !(few || worse)) {
            fsv_point *old = last;
            last = next;
            next = old;
        }
        if (found.outcome != PARE_OPTIMAL) r->outcome = found.outcome;
        if (few || worse || found.outcome != PARE_OPTIMAL) break;
    }
    r->objective = last->objective;
    TRY(keep_point(r, &w, last, own, err));
    TRY(rank(r, &w, last, own, job, ctx, err));

done:
    l1_free(program);
    arena_free(&scratch);
    return status;
}
