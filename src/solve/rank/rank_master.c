#include "solve/rank/rank_master.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/interior/steps.h"
#include "solve/rank/rank_system.h"

enum { MAX_STEPS = 300, MAX_HALVINGS = 40, LONG = 8, MAX_STALLED = 120 };
static const double STEP_SHARE = 0.99; /* of the way to the boundary */
static const double ARMIJO = 1e-4;     /* of the slope must be gained */
static const double FIRST_PACE = 0.3, SLOWEST = 0.8, WIDER = 4, UNSETTLED = 0.5;
static const double MIN_SHARE = 0.1; /* of the corner's part in the gap is the path's */
static const double WHOLE = 0.5;     /* steps from here on were not cut */
static const double ENOUGH = 0.1;    /* of the tolerance: a corner that costs so little may stay */
static const double HARMLESS = 1e-3; /* of the gap: a rise of the merit that does not matter */

typedef struct newton {
    rank_master *m;
    const push_problem *p;
    cones units; /* |w_k| <= s_k with the multipliers (l1, -y_k); count 0: none */
    rank_system sys;
    int64_t N, d;
    double *w, *y, *g, *r, *dw, *z, *best_w;      /* d */
    double *f, *df, *trial, *slope, *u, *scratch; /* N; scratch: units */
    rank_sums sums;
    double primal, dual;
    double width, aim, pace; /* see plan */
    int waited;
} newton;

static pare_status allocate(newton *q, arena *mem, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = q->p;
    q->N = p->m + p->n;
    q->d = p->x->d;
    double **wide[] = {&q->y, &q->g, &q->r, &q->dw, &q->z, &q->best_w};
    double **tall[] = {&q->f, &q->df, &q->trial, &q->slope, &q->u};
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        PASS_MEM(*wide[k] = ARENA_ZERO(mem, double, q->d));
    for (size_t k = 0; k < sizeof tall / sizeof tall[0]; k++)
        PASS_MEM(*tall[k] = ARENA_ZERO(mem, double, q->N));
    PASS_MEM(q->scratch = ARENA_ZERO(mem, double, q->m->n_units));
    q->units = (cones){.s1 = q->w, .z1 = q->y, .ds1 = q->dw};
    if (q->m->l1 > 0) PASS(cones_open(&q->units, mem, q->m->n_units, q->m->unit_start, err));
    for (int64_t k = 0; k < q->units.count; k++) q->units.z0[k] = q->m->l1;
    bool groups = p->penalty == PUSH_GROUP;
    return rank_system_init(&q->sys, mem, p->x, rank_pairs_curve, q->m->pairs,
                            groups ? &q->units : NULL, q->m->l1 == 0, ctx, err);
}

/* The loss and its slopes at q->f, both sides of the gap on these columns. */
static pare_status judge(newton *q, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = q->p;
    bool squared = !q->m->pairs->bent;
    pare_status status = push_gather(p, q->slope, q->u, q->g, ctx, err);
    q->primal = (squared ? q->sums.squared : q->sums.hinge) +
                p->lambda * push_penalty_value(p, q->w, q->scratch);
    push_best_scaling(p, q->sums.total, squared ? q->sums.squared : 0, q->g, q->scratch, &q->dual);
    return status;
}

static double relative_gap(const newton *q) {
    double size = fmax(fabs(q->primal), fabs(q->dual));
    return q->primal == q->dual ? 0 : (q->primal - q->dual) / size;
}

static pare_status factor(newton *q, bool *definite, const pare_ctx *ctx, pare_error *err) {
    *definite = rank_cones_weights(&q->sys, &q->units, q->m->l2, q->z);
    return *definite ? rank_system_factor(&q->sys, q->z, definite, ctx, err) : PARE_OK;
}

/* The step towards products of `target`. */
static pare_status direction(newton *q, double target, const pare_ctx *ctx, pare_error *err) {
    for (int64_t j = 0; j < q->d; j++) q->r[j] = q->g[j] - q->m->l2 * q->w[j] - q->y[j];
    for (int64_t k = 0; k < q->units.count; k++) cone_aim(&q->units, k, target, false);
    for (int64_t j = 0; q->units.count && j < q->d; j++) q->r[j] += q->units.g[j];
    pare_status status = rank_system_solve(&q->sys, q->r, q->dw, ctx, err);
    for (int64_t k = 0; k < q->units.count; k++) cone_follow(&q->units, k);
    return status;
}

/* Smooth objective with the barrier of mu at a step along the direction, given its loss; and the
 * slope of all that at the start. */
static double merit(const newton *q, double loss, double mu, double step) {
    const cones *c = &q->units;
    double value = loss, square = 0;
    for (int64_t j = 0; j < q->d; j++) {
        double w = q->w[j] + step * q->dw[j];
        square += w * w;
    }
    for (int64_t k = 0; k < c->count; k++) {
        double s = c->s0[k] + step * c->ds0[k], norm = 0;
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) {
            double w = q->w[j] + step * q->dw[j];
            norm += w * w;
        }
        norm = sqrt(norm);
        value += c->z0[k] * s - 0.5 * mu * (log(s - norm) + log(s + norm));
    }
    return value + 0.5 * q->m->l2 * square;
}

static double merit_slope(const newton *q, double mu) {
    const cones *c = &q->units;
    double slope = 0;
    for (int64_t j = 0; j < q->d; j++) slope += (q->m->l2 * q->w[j] - q->g[j]) * q->dw[j];
    for (int64_t k = 0; k < c->count; k++) {
        double square = 0, along = 0;
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) {
            square += q->w[j] * q->w[j];
            along += q->w[j] * q->dw[j];
        }
        double norm = sqrt(square), det = (c->s0[k] - norm) * (c->s0[k] + norm);
        slope += c->z0[k] * c->ds0[k] - mu * (c->s0[k] * c->ds0[k] - along) / det;
    }
    return slope;
}

/* What the barrier adds to the gap. */
static double path_gap(const newton *q) {
    double sum = 0;
    for (int64_t k = 0; k < q->units.count; k++) sum += cone_product(&q->units, k, 0, 0);
    return sum;
}

/* Halves the step until the merit falls; the sums are then those of the new point. */
static bool search(newton *q, double mu, double *step) {
    double before = merit(q, q->sums.smooth, mu, 0), slope = fmin(merit_slope(q, mu), 0);
    before += HARMLESS * (path_gap(q) + (q->m->pairs->bent ? q->sums.open : 0));
    for (int k = 0; k < MAX_HALVINGS; k++, *step /= 2) {
        for (int64_t i = 0; i < q->N; i++) q->trial[i] = q->f[i] + *step * q->df[i];
        rank_pairs_sums(q->m->pairs, q->trial, &q->sums, q->slope);
        double after = merit(q, q->sums.smooth, mu, *step);
        if (after <= before + ARMIJO * *step * slope) return true;
    }
    return false;
}

/* One step; *moved: false when rounding stops it. */
static pare_status iterate(newton *q, double *length, bool *moved, const pare_ctx *ctx,
                           pare_error *err) {
    cones *c = &q->units;
    double target = 0, primal = 1, dual = 1;
    bool definite;
    *moved = false;
    bool narrower = q->width != q->m->pairs->width;
    if (narrower) {
        rank_pairs_narrow(q->m->pairs, q->width, q->slope);
        PASS(push_gather(q->p, q->slope, q->u, q->g, ctx, err));
    }
    PASS(factor(q, &definite, ctx, err));
    if (!definite) return PARE_OK;
    if (c->count == 0) {
        PASS(direction(q, 0, ctx, err));
    } else {
        target = q->aim / (double)c->count;
        PASS(direction(q, target, ctx, err));
        primal = dual = 1 / STEP_SHARE;
        for (int64_t k = 0; k < c->count; k++) cone_longest(c, k, &primal, &dual);
        primal = fmin(1, STEP_SHARE * primal);
        dual = fmin(1, STEP_SHARE * dual);
    }
    PASS(mat_mul(q->p->x, NULL, q->d, q->dw, 1, q->df, ctx, err));
    if (narrower) { /* the merit is that of the new corner itself */
        rank_pairs_sums(q->m->pairs, q->f, &q->sums, q->slope);
        PASS(push_gather(q->p, q->slope, q->u, q->g, ctx, err));
    }
    double step = primal;
    if (!search(q, target, &step)) return PARE_OK;
    if (step < primal) dual = fmin(dual, step);
    for (int64_t j = 0; c->count == 0 && j < q->d; j++) q->w[j] += step * q->dw[j];
    for (int64_t k = 0; k < c->count; k++) cone_move(c, k, step, dual);
    memcpy(q->f, q->trial, sizeof(double) * (size_t)q->N);
    *length = step;
    *moved = true;
    return PARE_OK;
}

/* The next corner and the next products. They shrink together, by `pace`, once the steps have
 * settled: once the gap is little more than what corner and barrier cost. Where that takes long the
 * last change was too much: back, and slower from there. */
static void plan(newton *q, double length) {
    const rank_pairs *pairs = q->m->pairs;
    double path = path_gap(q), open = pairs->bent ? q->sums.open : 0;
    bool settled = length >= WHOLE && q->primal - q->dual <= (1 + UNSETTLED) * (path + open);
    q->width = pairs->width;
    q->aim = fmax(path, MIN_SHARE * open);
    q->waited++;
    if (settled) {
        if (open > fmax(ENOUGH * q->p->tol_rel * q->primal, q->pace * path))
            q->width = q->pace * pairs->width;
        q->aim = fmin(path, q->pace * fmax(path, open));
        q->waited = 0;
    } else if (q->waited > LONG) {
        q->pace = fmin(SLOWEST, sqrt(q->pace));
        if (pairs->bent) q->width = fmin(1, WIDER * pairs->width);
        if (q->units.count && path < q->aim)
            rank_cones_centre(&q->units, q->aim / (double)q->units.count);
        q->aim /= q->pace;
        q->waited = 0;
    }
}

pare_status rank_master_solve(rank_master *m, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    newton q = {.m = m, .p = m->p, .w = m->w, .pace = FIRST_PACE};
    pare_status status = PARE_OK;
    m->outcome = PARE_MAX_ITER;
    TRY(allocate(&q, &mem, ctx, err));
    memcpy(q.w, m->start_w, sizeof(double) * (size_t)q.d);
    rank_cones_centre(&q.units, m->mu);
    TRY(mat_mul(m->p->x, NULL, q.d, q.w, 1, q.f, ctx, err));
    rank_pairs_sums(m->pairs, q.f, &q.sums, q.slope);
    double length = 1, best_width = m->pairs->width;
    progress so_far = progress_start();
    for (int step = 0; step < MAX_STEPS; step++) {
        bool moved;
        TRY(judge(&q, ctx, err));
        if (relative_gap(&q) <= m->p->tol_rel) {
            m->outcome = PARE_OPTIMAL;
            break;
        }
        if (progress_note(&so_far, relative_gap(&q))) {
            best_width = m->pairs->width;
            memcpy(q.best_w, q.w, sizeof(double) * (size_t)q.d);
        }
        if (so_far.waited > MAX_STALLED) break;
        if (ctx_stops(ctx, "Newton method", -1, &m->outcome)) break;
        plan(&q, length);
        TRY(iterate(&q, &length, &moved, ctx, err));
        m->steps++;
        if (!moved) break;
    }
    if (m->outcome != PARE_OPTIMAL && so_far.best < INFINITY) {
        memcpy(q.w, q.best_w, sizeof(double) * (size_t)q.d);
        m->pairs->width = best_width;
    }
    if (q.units.count) m->mu = path_gap(&q) / (double)q.units.count;
done:
    arena_free(&mem);
    return status;
}
