/* Pairwise ranking on all columns, by rank_master on those generated so far.
 *
 * ALGORITHM  1. start with the units that stand out along the difference of means, or along the
 *               slopes at the w that is given, and with those of w;
 *            2. solve on them, roughly at first;
 *            3. price all: units with |g_k| > l1 are columns the master lacks. The slopes of the
 *               smooth loss are a feasible dual point: the gap;
 *            4. add the worst of them, and solve more exactly as the gap closes;
 *            5. weights that are zero but for rounding become zero.
 *            The hinge of few enough pairs is solved as it is, with a variable each
 *            (rank_interior.c); that of more, and the squared loss, by rank_master.c.
 * COST       two passes over X per round, and rank_master on the generated columns. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/rank/push_units.h"
#include "solve/rank/rank_master.h"

enum { ROUNDS = 60, MORE = 20, MAX_EXACT_PAIRS = 1 << 16 };
static const double FIRST_TOL = 1e-2;   /* of the first rounds */
static const double SOLVE_SHARE = 0.5;  /* of the tolerance is the master's */
static const double CLEAN_SHARE = 0.25; /* of the tolerance may be lost to weights set to zero */
static const double MAX_SMALL = 1e-2;   /* shares of the largest weight that may be zero */
static const double MIN_SMALL = 1e-9;
static const double MIN_RESOLVE =
    1e-4; /* from here on the remaining weights are solved for again */
static const double WARM_CORNER = 0.05; /* of the objective is what the first corner may cost */
static const double RAISE = 4;          /* of the path's mu when columns are added */

typedef struct ranker {
    const push_problem *p;
    rank_pairs pairs;
    push_units units;
    subset cols;
    rank_sums sums;
    int64_t N, d, *col, *group;
    double l1, l2;
    double *w, *g, *master_w, *start_w; /* d */
    double *f, *slope, *u;              /* N */
    bool exact;                         /* every pair is a variable */
    double *master_slope;               /* N: the master's duals then */
    double mu;                          /* where the next master starts on its path */
    double *scratch, *slack;            /* units */
} ranker;

static pare_status allocate(ranker *s, arena *mem, bool squared, pare_error *err) {
    const push_problem *p = s->p;
    s->N = p->m + p->n;
    s->d = p->x->d;
    double **wide[] = {&s->w, &s->g, &s->master_w, &s->start_w};
    double **tall[] = {&s->f, &s->slope, &s->u, &s->master_slope};
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        PASS_MEM(*wide[k] = ARENA_ZERO(mem, double, s->d));
    for (size_t k = 0; k < sizeof tall / sizeof tall[0]; k++)
        PASS_MEM(*tall[k] = ARENA_ZERO(mem, double, s->N));
    PASS_MEM(ARENA_NEWS(mem, int64_t, s->d, &s->col, &s->group));
    PASS(units_init(&s->units, mem, p, err));
    PASS(subset_init(&s->cols, mem, s->units.count, err));
    PASS_MEM(s->scratch = ARENA_NEW(mem, double, p->n_groups));
    PASS_MEM(s->slack = ARENA_NEW(mem, double, s->units.count));
    return rank_pairs_init(&s->pairs, mem, p->m, p->n, p->cost, !squared, err);
}

/* The duals of the last master instead of the slopes of a rounded corner. */
static void take_slopes(ranker *s) {
    memcpy(s->slope, s->master_slope, sizeof(double) * (size_t)s->N);
    s->sums.total = 0;
    for (int64_t i = 0; i < s->p->m; i++) s->sums.total += s->slope[i];
}

/* Objective and bound at s->w: each into out if it is better. */
static pare_status judge(ranker *s, push_solution *out, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    bool squared = !s->pairs.bent;
    double value;
    PASS(mat_mul(p->x, NULL, s->d, s->w, 1, s->f, ctx, err));
    rank_pairs_sums(&s->pairs, s->f, &s->sums, s->slope);
    if (s->exact && out->iterations > 0) take_slopes(s);
    PASS(push_gather(p, s->slope, s->u, s->g, ctx, err));
    double loss = squared ? s->sums.squared : s->sums.hinge;
    double objective = loss + p->lambda * push_penalty_value(p, s->w, s->scratch);
    double scale =
        push_best_scaling(p, s->sums.total, squared ? loss : 0, s->g, s->scratch, &value);
    if (objective < out->objective) {
        out->objective = objective;
        memcpy(out->w, s->w, sizeof(double) * (size_t)s->d);
    }
    if (value > out->bound) {
        out->bound = value;
        for (int64_t i = 0; i < s->N; i++) out->dual[i] = squared ? s->f[i] : scale * s->slope[i];
    }
    return PARE_OK;
}

static void begin(ranker *s) {
    for (int pass = 0; pass < 2; pass++) { /* units of w, then those with the largest prices */
        units_norms(&s->units, pass ? s->g : s->w);
        for (int64_t k = 0; k < s->units.count; k++)
            if (pass || s->units.norm[k] > 0) subset_find(&s->cols, k, s->units.norm[k]);
        int64_t more = s->p->warm ? s->cols.count + MORE : units_first(&s->units);
        subset_grow(&s->cols, pass && s->l1 > 0 ? more : s->units.count);
    }
}

static pare_status solve_master(ranker *s, push_solution *out, double tol, pare_outcome *outcome,
                                const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    units_gather(&s->units, &s->cols);
    view part = *p->x;
    part.cols = s->col;
    part.d = s->units.n_member;
    for (int64_t k = 0, unit = 0; k < part.d; k++) {
        int64_t j = s->units.member[k];
        while (k >= s->units.group_start[unit + 1]) unit++;
        s->col[k] = p->x->cols ? p->x->cols[j] : j;
        s->group[k] = unit;
        s->start_w[k] = s->w[j];
    }
    push_problem few = *p;
    few.x = &part;
    few.tol_rel = tol;
    if (p->penalty == PUSH_GROUP) {
        few.group = s->group;
        few.n_groups = s->cols.count;
    }
    rank_master m = {.p = &few,
                     .start_w = s->start_w,
                     .w = s->master_w,
                     .unit_start = s->units.group_start,
                     .n_units = s->cols.count,
                     .l1 = s->l1,
                     .l2 = s->l2,
                     .pairs = &s->pairs,
                     .mu = s->mu,
                     .slope = s->master_slope,
                     .outcome = PARE_MAX_ITER};
    pare_status status =
        s->exact ? rank_interior_solve(&m, ctx, err) : rank_master_solve(&m, ctx, err);
    s->mu = RAISE * m.mu;
    memset(s->w, 0, sizeof(double) * (size_t)s->d);
    for (int64_t k = 0; k < part.d; k++) s->w[s->units.member[k]] = s->master_w[k];
    out->iterations += m.steps;
    *outcome = m.outcome;
    return status;
}

/* Accepts s->w, or the solution on its units only, if its objective is at most `allowed`. */
static pare_status accept(ranker *s, push_solution *out, double allowed, bool solve, bool *accepted,
                          const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    *accepted = false;
    for (int attempt = 0; attempt < 1 + solve && !*accepted; attempt++) {
        pare_outcome outcome;
        if (attempt) PASS(solve_master(s, out, SOLVE_SHARE * p->tol_rel, &outcome, ctx, err));
        PASS(mat_mul(p->x, NULL, s->d, s->w, 1, s->f, ctx, err));
        rank_pairs_sums(&s->pairs, s->f, &s->sums, s->slope);
        double objective = (s->pairs.bent ? s->sums.hinge : s->sums.squared) +
                           p->lambda * push_penalty_value(p, s->w, s->scratch);
        if (objective > allowed) continue;
        out->objective = objective;
        memcpy(out->w, s->w, sizeof(double) * (size_t)s->d);
        *accepted = true;
    }
    return PARE_OK;
}

/* Interior points have no exact zeros: weights that are small compared with the slack of their
 * units become zero, fewer and fewer of them until the objective allows it. */
static pare_status clean(ranker *s, push_solution *out, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = s->p;
    push_units *u = &s->units;
    double largest = 0, allowed = out->objective + CLEAN_SHARE * p->tol_rel * fabs(out->objective);
    bool accepted = false;
    memcpy(s->w, out->w, sizeof(double) * (size_t)s->d);
    PASS(mat_mul(p->x, NULL, s->d, s->w, 1, s->f, ctx, err));
    rank_pairs_sums(&s->pairs, s->f, &s->sums, s->slope);
    if (s->exact) memcpy(s->slope, out->dual, sizeof(double) * (size_t)s->N);
    PASS(push_gather(p, s->slope, s->u, s->g, ctx, err));
    units_norms(u, s->g);
    for (int64_t k = 0; k < u->count; k++) s->slack[k] = 1 - u->norm[k] / s->l1;
    units_norms(u, out->w);
    for (int64_t k = 0; k < u->count; k++) largest = fmax(largest, u->norm[k]);
    for (double small = MAX_SMALL; small > MIN_SMALL && !accepted; small /= 10) {
        memcpy(s->w, out->w, sizeof(double) * (size_t)s->d);
        subset_clear(&s->cols);
        for (int64_t k = 0; k < u->count; k++) {
            double size = u->norm[k] / largest;
            if (size > 0 && (size >= small || size >= s->slack[k]))
                subset_find(&s->cols, k, size);
            else
                for (int64_t i = u->start[k]; i < u->start[k + 1]; i++) s->w[u->col[i]] = 0;
        }
        bool any = subset_grow(&s->cols, u->count) > 0;
        PASS(accept(s, out, allowed, any && small >= MIN_RESOLVE, &accepted, ctx, err));
    }
    return PARE_OK;
}

pare_status rank_svm_solve(push_solution *out, const push_problem *p, bool squared,
                           const pare_ctx *ctx, pare_error *err) {
    if (p->penalty == PUSH_L2 && p->x->d > p->m + p->n)
        return rank_svm_reduced(out, p, squared, ctx, err);
    arena mem = arena_of(ctx);
    ranker s = {.p = p};
    double one = p->penalty == PUSH_L1L2 ? p->mix : p->penalty == PUSH_L2 ? 0 : 1;
    s.l1 = p->lambda * one;
    s.l2 = p->penalty == PUSH_L2 || p->penalty == PUSH_L1L2 ? p->lambda * (1 - one) : 0;
    out->objective = INFINITY;
    out->bound = -INFINITY;
    out->outcome = PARE_MAX_ITER;
    out->iterations = 0;
    pare_status status = PARE_OK;
    s.exact = !squared && p->m <= MAX_EXACT_PAIRS / p->n;
    TRY(allocate(&s, &mem, squared, err));
    if (p->warm) memcpy(s.w, out->w, sizeof(double) * (size_t)s.d);
    TRY(judge(&s, out, ctx, err)); /* 1 */
    while (p->warm && s.pairs.bent && !s.exact && s.sums.open > WARM_CORNER * out->objective) {
        s.pairs.width /= 2;
        TRY(judge(&s, out, ctx, err));
    }
    begin(&s);
    int64_t products = s.cols.count + (s.exact ? 2 * p->m * p->n : 0);
    s.mu = (out->objective - out->bound) / (double)products;
    double goal = SOLVE_SHARE * p->tol_rel, tol = FIRST_TOL;
    if (s.cols.count == s.units.count) tol = goal;
    for (int round = 0; round < ROUNDS; round++) {
        pare_outcome outcome;
        double gap = push_gap(out);
        if (gap <= goal) break;
        TRY(solve_master(&s, out, fmax(tol, goal), &outcome, ctx, err));
        TRY(judge(&s, out, ctx, err)); /* 3 */
        if (outcome == PARE_TIME_LIMIT || outcome == PARE_CANCELLED) {
            out->outcome = outcome;
            break;
        }
        units_norms(&s.units, s.g);
        for (int64_t k = 0; s.l1 > 0 && k < s.units.count; k++)
            if (s.units.norm[k] > s.l1) subset_find(&s.cols, k, s.units.norm[k]);
        int64_t most = units_first(&s.units);
        int64_t grown = subset_grow(&s.cols, s.cols.count > most ? s.cols.count : most); /* 4 */
        if (grown == 0 && tol <= goal) break;
        tol = grown == 0 ? goal : fmin(tol, fmax(goal, 0.1 * push_gap(out)));
    }
    if (s.l1 > 0) TRY(clean(&s, out, ctx, err)); /* 5 */
    if (push_gap(out) <= p->tol_rel) out->outcome = PARE_OPTIMAL;
done:
    arena_free(&mem);
    if (status != PARE_OK || !p->warm || out->outcome != PARE_MAX_ITER) return status;
    push_problem cold = *p; /* the start was not good after all */
    cold.warm = false;
    return rank_svm_solve(out, &cold, squared, ctx, err);
}
