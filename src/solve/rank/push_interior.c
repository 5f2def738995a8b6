/* The infinite push by the interior point method, on all rows and columns or on generated ones.
 *
 * ALGORITHM  1. start with the negatives and features that stand out along the difference of means,
 *               and with a sample of the positives, which shows where the rest is;
 *            2. solve on them, roughly at first;
 *            3. price all: negatives above the maximum t are cuts the program lacks, features with
 *               |g_j| > lambda columns it lacks (groups: |g_k|_2 > lambda). Positives far from the
 *               kink of their hinge need no row: those that lose stand as one row, their mean,
 *               those that do not are left out. Both make the loss smaller (the hinge of a mean is
 *               at most the mean of hinges), so the bound holds; a positive found on the other side
 *               of its kink gets its own row;
 *            4. add the worst of them, and solve more exactly as the gap closes;
 *            5. weights that are zero but for rounding become zero.
 *            A warm start takes the place of 1: the negatives, features and positives that the
 *            solution at hand lives on, and a few more.
 * COST       three passes over X per round, and an interior point run on the generated part. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/rank/push.h"
#include "solve/rank/push_qp.h"
#include "solve/rank/push_units.h"

enum { FIRST = 200, SAMPLE = 1000, ROUNDS = 60, MORE = 20 };
static const double TARGET = 1e-8;     /* relative gap: a few more steps than 1e-4 takes */
static const double FIRST_TOL = 1e-2;  /* of the first rounds */
static const double IDLE = 1e-6;       /* duals below this share of the largest do nothing */
static const double WARM_SHARE = 0.1;  /* of the tolerance is the target of warm solves */
static const double CLEAN_SHARE = 0.1; /* of the tolerance may be lost to weights set to zero */
static const double SMALL = 1e-3;      /* weights above this share of the largest are not zero */

typedef struct generator {
    const push_problem *p;
    subset own, rows, cols; /* positives with a row of their own, negatives, units of features */
    push_units units;
    double *slack;    /* units */
    bool *losing;     /* m: positives with a loss but no row, in the row of the mean */
    double own_scale; /* of the costs of the own rows: above 1 while they are a sample */
    double l1, l2, target;
    double *mean, mean_cost;   /* d: the row of the mean, and its cost; 0: there is none */
    double *w, *g;             /* d */
    double *f, *dual, *u;      /* m + n */
    double *row_cost, *offset; /* of the master's rows */
    double *master_w, *extra, *master_dual;
    int32_t *row;
    int64_t *col;
    double *scratch;
    int64_t iterations;
} generator;

static pare_status allocate(generator *s, arena *mem, pare_error *err) {
    const push_problem *p = s->p;
    int64_t d = p->x->d, N = p->m + p->n;
    double **wide[] = {&s->mean, &s->w, &s->g, &s->master_w, &s->extra};
    double **tall[] = {&s->f, &s->dual, &s->u, &s->row_cost, &s->offset, &s->master_dual};
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        PASS_MEM(*wide[k] = ARENA_ZERO(mem, double, d));
    for (size_t k = 0; k < sizeof tall / sizeof tall[0]; k++)
        PASS_MEM(*tall[k] = ARENA_ZERO(mem, double, N));
    PASS_MEM(s->row = ARENA_NEW(mem, int32_t, N));
    PASS_MEM(s->col = ARENA_NEW(mem, int64_t, d));
    PASS_MEM(s->scratch = ARENA_NEW(mem, double, p->n_groups));
    PASS_MEM(s->losing = ARENA_ZERO(mem, bool, p->m));
    PASS(subset_init(&s->own, mem, p->m, err));
    PASS(subset_init(&s->rows, mem, p->n, err));
    PASS(units_init(&s->units, mem, p, err));
    PASS_MEM(s->slack = ARENA_NEW(mem, double, s->units.count));
    return subset_init(&s->cols, mem, s->units.count, err);
}

/* The difference of means finds the first features, and along it the first negatives. */
static pare_status begin(generator *s, bool generate, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    int64_t d = p->x->d, few_rows = p->n, few_cols = s->units.count;
    for (int64_t i = 0; i < p->m; i++) s->u[i] = p->cost[i];
    for (int64_t j = 0; j < p->n; j++) s->u[p->m + j] = -1.0 / (double)p->n;
    PASS(mat_tmul(p->x, s->u, 1, s->g, ctx, err));
    PASS(mat_mul(p->x, NULL, d, s->g, 1, s->f, ctx, err));
    if (generate) {
        few_rows = FIRST > d ? FIRST : d < 5 * FIRST ? d : 5 * FIRST;
        if (s->l1 > 0) few_cols = units_first(&s->units);
    }
    units_norms(&s->units, s->g);
    for (int64_t k = 0; k < s->units.count; k++) subset_find(&s->cols, k, s->units.norm[k]);
    for (int64_t j = 0; j < p->n; j++) subset_find(&s->rows, j, s->f[p->m + j]);
    subset_grow(&s->cols, few_cols);
    subset_grow(&s->rows, few_rows);
    int64_t stride = generate ? 1 + p->m / (2 * SAMPLE) : 1;
    double sampled = 0;
    for (int64_t i = 0; i < p->m; i++) {
        s->losing[i] = p->collapsed;
        if (p->collapsed || i % stride != 0) continue;
        subset_find(&s->own, i, 0);
        sampled += p->cost[i];
    }
    subset_grow(&s->own, p->m);
    s->own_scale = p->collapsed || stride == 1 ? 1 : 1 / sampled;
    return PARE_OK;
}

/* The mean of the losing positives without a row. */
static pare_status aggregate(generator *s, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    s->mean_cost = 0;
    for (int64_t i = 0; i < p->m + p->n; i++) {
        s->u[i] = i < p->m && s->losing[i] && !s->own.in[i] ? p->cost[i] : 0;
        s->mean_cost += s->u[i];
    }
    if (s->mean_cost == 0) return PARE_OK;
    pare_status status = mat_tmul(p->x, s->u, 1, s->mean, ctx, err);
    for (int64_t j = 0; j < p->x->d; j++) s->mean[j] /= s->mean_cost;
    return status;
}

/* After the solve on a sample of the positives: own rows for those nearest to their kink. */
static pare_status sort_out(generator *s, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    double t = -INFINITY;
    pare_status status = mat_mul(p->x, NULL, p->x->d, s->w, 1, s->f, ctx, err);
    for (int64_t j = 0; j < p->n; j++) t = fmax(t, s->f[p->m + j]);
    subset_clear(&s->own);
    for (int64_t i = 0; i < p->m; i++) {
        double hinge = 1 - s->f[i] + t;
        s->losing[i] = hinge > 0;
        subset_find(&s->own, i, -fabs(hinge));
    }
    subset_grow(&s->own, p->m / 8 > SAMPLE ? p->m / 8 : SAMPLE);
    s->own_scale = 1;
    return status;
}

static pare_status resume(generator *s, const push_solution *neighbour, const pare_ctx *ctx,
                          pare_error *err) {
    const push_problem *p = s->p;
    double largest = 0;
    memcpy(s->w, neighbour->w, sizeof *s->w * (size_t)p->x->d);
    PASS(push_gather(p, neighbour->dual, s->u, s->g, ctx, err));
    PASS(sort_out(s, ctx, err)); /* and the scores */
    for (int64_t j = 0; j < p->n; j++) largest = fmax(largest, neighbour->dual[p->m + j]);
    for (int pass = 0; pass < 2; pass++) { /* those in use, then those next to them */
        units_norms(&s->units, pass ? s->g : s->w);
        for (int64_t k = 0; k < s->units.count; k++)
            if (pass || s->l1 == 0 || s->units.norm[k] > 0)
                subset_find(&s->cols, k, s->units.norm[k]);
        for (int64_t j = 0; j < p->n; j++)
            if (pass || neighbour->dual[p->m + j] > IDLE * largest)
                subset_find(&s->rows, j, s->f[p->m + j]);
        subset_grow(&s->cols, pass ? MORE + s->cols.count : s->units.count);
        subset_grow(&s->rows, pass ? MORE + s->rows.count : p->n);
    }
    return PARE_OK;
}

/* Solves on the generated part; fills s->w and s->dual over all, and the master's t. */
static pare_status solve_master(generator *s, double tol, double *t, pare_outcome *outcome,
                                const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    int64_t samples = 0, own = s->own.count;
    PASS(aggregate(s, ctx, err));
    for (; samples < own; samples++) {
        s->row[samples] = (int32_t)s->own.list[samples];
        s->row_cost[samples] = s->own_scale * p->cost[s->own.list[samples]];
        s->offset[samples] = 1;
    }
    for (int64_t k = 0; k < s->rows.count; k++, samples++) {
        s->row[samples] = (int32_t)(p->m + s->rows.list[k]);
        s->row_cost[samples] = s->offset[samples] = 0;
    }
    for (int64_t k = 0; p->x->rows && k < samples; k++) s->row[k] = p->x->rows[s->row[k]];
    units_gather(&s->units, &s->cols);
    for (int64_t k = 0; k < s->units.n_member; k++) {
        int64_t j = s->units.member[k];
        s->col[k] = p->x->cols ? p->x->cols[j] : j;
        s->extra[k] = s->mean[j];
    }
    if (s->mean_cost > 0) {
        s->row_cost[samples] = s->mean_cost;
        s->offset[samples] = 1;
    }
    view part = *p->x;
    part.rows = s->row;
    part.n = samples;
    part.cols = s->col;
    part.d = s->units.n_member;
    bool whole = own == p->m && s->rows.count == p->n && s->units.n_member == p->x->d;
    push_qp qp = {.rows = {.x = &part, .d = part.d},
                  .cost = s->row_cost,
                  .offset = s->offset,
                  .l1 = s->l1,
                  .l2 = s->l2,
                  .tol_rel = tol};
    if (p->penalty == PUSH_GROUP) {
        qp.n_groups = s->cols.count;
        qp.group_start = s->units.group_start;
    }
    if (whole && p->K &&
        p->penalty !=
            PUSH_GROUP) { /* in the order of the problem: the view itself, and its Gram matrix */
        for (int64_t i = 0; i < p->m + p->n; i++) {
            s->row_cost[i] = i < p->m ? p->cost[i] : 0;
            s->offset[i] = i < p->m;
        }
        for (int64_t i = 0; i < p->m; i++) s->own.list[i] = i;
        for (int64_t j = 0; j < p->n; j++) s->rows.list[j] = j;
        for (int64_t j = 0; j < p->x->d; j++) s->units.member[j] = j;
        qp.rows.x = p->x;
        qp.rows.K = p->K;
    } else if (s->mean_cost > 0) {
        qp.rows.extra = s->extra;
        qp.rows.n_extra = 1;
    }
    push_qp_solution out = {.w = s->master_w, .dual = s->master_dual};
    pare_status status = push_qp_solve(&out, &qp, ctx, err);
    s->iterations += out.iterations;
    *t = out.t;
    *outcome = out.outcome;
    memset(s->w, 0, sizeof *s->w * (size_t)p->x->d);
    memset(s->dual, 0, sizeof *s->dual * (size_t)(p->m + p->n));
    for (int64_t k = 0; k < s->units.n_member; k++) s->w[s->units.member[k]] = s->master_w[k];
    for (int64_t i = 0; i < p->m; i++)
        if (s->losing[i] && !s->own.in[i])
            s->dual[i] = p->cost[i] / s->mean_cost * s->master_dual[samples];
    for (int64_t k = 0; k < own; k++) s->dual[s->own.list[k]] = s->master_dual[k] / s->own_scale;
    for (int64_t k = 0; k < s->rows.count; k++)
        s->dual[p->m + s->rows.list[k]] = s->master_dual[own + k];
    return status;
}

/* Scores and prices over all; copies the point into out, and adds missing rows and columns to the
 * subsets. */
static pare_status price(generator *s, push_solution *out, double t, const pare_ctx *ctx,
                         pare_error *err) {
    const push_problem *p = s->p;
    PASS(mat_mul(p->x, NULL, p->x->d, s->w, 1, s->f, ctx, err));
    PASS(push_gather(p, s->dual, s->u, s->g, ctx, err));
    push_improve(out, p, s->w, s->f, s->dual, s->g, s->scratch);
    for (int64_t j = 0; j < p->n; j++)
        if (s->f[p->m + j] > t) subset_find(&s->rows, j, s->f[p->m + j]);
    for (int64_t i = 0; !p->collapsed && i < p->m; i++) {
        double hinge = 1 - s->f[i] + t;
        if (s->losing[i] ? hinge < 0 : hinge > 0) subset_find(&s->own, i, fabs(hinge));
    }
    units_norms(&s->units, s->g);
    for (int64_t k = 0; s->l1 > 0 && k < s->units.count; k++)
        if (s->units.norm[k] > s->l1) subset_find(&s->cols, k, s->units.norm[k]);
    return PARE_OK;
}

/* Interior points have no exact zeros: a weight that is small compared with the slack of its
 * feature becomes zero. If that changes the objective, the remaining weights are solved for
 * again. */
static pare_status clean(generator *s, push_solution *out, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    double largest = 0, t;
    if (s->l1 == 0) return PARE_OK;
    PASS(push_gather(p, out->dual, s->u, s->g, ctx, err));
    units_norms(&s->units, s->g);
    for (int64_t k = 0; k < s->units.count; k++) s->slack[k] = 1 - s->units.norm[k] / s->l1;
    units_norms(&s->units, out->w);
    for (int64_t k = 0; k < s->units.count; k++) largest = fmax(largest, s->units.norm[k]);
    s->cols.count = 0;
    memcpy(s->w, out->w, sizeof *s->w * (size_t)p->x->d);
    for (int64_t k = 0; k < s->units.count; k++) {
        double size = s->units.norm[k] / largest;
        if (size >= SMALL || size >= s->slack[k])
            s->cols.list[s->cols.count++] = k;
        else
            for (int64_t i = s->units.start[k]; i < s->units.start[k + 1]; i++)
                s->w[s->units.col[i]] = 0;
    }
    double allowed = out->objective * (1 + s->target);
    if (1 <= out->objective * (1 + CLEAN_SHARE * p->tol_rel)) { /* the value at w = 0 */
        memset(out->w, 0, sizeof *out->w * (size_t)p->x->d);
        out->objective = 1;
        return PARE_OK;
    }
    for (int attempt = 0; attempt < 2; attempt++) {
        PASS(mat_mul(p->x, NULL, p->x->d, s->w, 1, s->f, ctx, err));
        double value = push_loss(p, s->f) + p->lambda * push_penalty_value(p, s->w, s->scratch);
        if (value <= allowed) {
            memcpy(out->w, s->w, sizeof *s->w * (size_t)p->x->d);
            out->objective = value;
            break;
        }
        if (attempt || s->cols.count == 0) break;
        pare_outcome outcome;
        PASS(solve_master(s, s->target, &t, &outcome, ctx, err));
        allowed = out->objective * (1 + CLEAN_SHARE * p->tol_rel);
    }
    return PARE_OK;
}

pare_status push_interior(push_solution *out, const push_problem *p, bool generate,
                          const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    generator s = {.p = p};
    if (p->penalty == PUSH_L1 || p->penalty == PUSH_GROUP) s.l1 = p->lambda;
    if (p->penalty == PUSH_L2) s.l2 = p->lambda;
    if (p->penalty == PUSH_L1L2) {
        s.l1 = p->lambda * p->mix;
        s.l2 = p->lambda * (1 - p->mix);
    }
    out->outcome = PARE_MAX_ITER;
    pare_status status = PARE_OK;
    TRY(allocate(&s, &mem, err));
    s.target = p->warm ? fmax(TARGET, WARM_SHARE * p->tol_rel) : TARGET;
    if (p->warm)
        TRY(resume(&s, out, ctx, err));
    else
        TRY(begin(&s, generate, ctx, err)); /* 1 */
    out->objective = INFINITY;
    out->bound = -INFINITY;
    bool whole = s.rows.count == p->n && s.cols.count == s.units.count && s.own.count == p->m;
    double tol = whole ? s.target : FIRST_TOL, t = 0;
    if (s.own_scale > 1) {
        pare_outcome ignored; /* an interruption shows again in the next solve */
        TRY(solve_master(&s, tol, &t, &ignored, ctx, err));
        TRY(sort_out(&s, ctx, err));
    }
    for (int round = 0; round < ROUNDS; round++) {
        pare_outcome outcome;
        TRY(solve_master(&s, tol, &t, &outcome, ctx, err)); /* 2 */
        TRY(price(&s, out, t, ctx, err));                   /* 3 */
        if (outcome == PARE_TIME_LIMIT || outcome == PARE_CANCELLED) {
            out->outcome = outcome;
            goto done;
        }
        double gap = push_gap(out);
        if (gap <= s.target) break;
        int64_t most_rows = s.rows.count > FIRST ? s.rows.count : FIRST; /* 4 */
        int64_t first = units_first(&s.units),
                most_cols = s.cols.count > first ? s.cols.count : first;
        int64_t grown = subset_grow(&s.rows, most_rows) + subset_grow(&s.cols, most_cols) +
                        subset_grow(&s.own, s.own.count > FIRST ? s.own.count : FIRST);
        if (grown == 0 && tol <= s.target) break;
        tol = grown == 0 ? s.target : fmin(tol, fmax(s.target, 0.1 * gap));
    }
    TRY(clean(&s, out, ctx, err)); /* 5 */
    if (push_gap(out) <= p->tol_rel) out->outcome = PARE_OPTIMAL;
done:
    out->iterations = s.iterations;
    arena_free(&mem);
    if (status != PARE_OK || !p->warm || out->outcome != PARE_MAX_ITER) return status;
    push_problem cold = *p; /* the start was not good after all */
    cold.warm = false;
    return push_interior(out, &cold, true, ctx, err);
}
