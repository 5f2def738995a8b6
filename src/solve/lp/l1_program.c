/* Builds the master of l1_program.h, keeps its duals feasible and recomputes its objective.
 *
 * Row i is the residual of sample i: factor_i (w'x_i + b) + slack terms, with factor y_i, bounds
 * [1, inf) and one slack for a margin; factor 1, bounds [y_i, y_i] and two slacks for a fit. Hard
 * samples have no slack. The intercept is core variable 0.
 *
 * Small fits go through l1_simplex.h, where a solve takes less than making a model for CLP; the
 * master is made when that gives up or leaves a gap. */
#include "solve/lp/l1_program.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/l1/l1_simplex.h"

/* A weight is rounding if it moves no decision value by more than the first, of the targets' size,
 * and the objective without it is worse by no more than the second, of itself. */
static const double rounding_weight = 1e-9, rounding_objective = 1e-9;
static const double default_tol_rel = 1e-9;
static const double rounding_gap = 1e-6; /* relative; the most that counts as rounding, see lp.h */

struct l1_program {
    pare_allocator mem;
    arena own;
    lp_master *master;   /* NULL until it is needed */
    l1_simplex *simplex; /* or NULL */
    view x;
    l1_loss loss;
    double tol_rel;
    bool intercept, hard; /* hard: some s_i is infinite */
    int64_t n, n_core;
    double *y, *factor, *s; /* n */
    double *cost;           /* d */
    double *core_cost;      /* n_core */
    int64_t *slack_sample;  /* n_core: the sample whose slack it is; -1: the intercept */
    double *f, *u;          /* n */
    int64_t *support;       /* of the last solution, as are weight and packed */
    double *packed;
    lp_weight *weight, *untrimmed;
    double *column; /* n */
    int64_t capacity;
    lp_groups groups;
    const signed char *sign;
    double *largest; /* of each group, zero between uses */
};

/* Puts the duals exactly into their boxes, then makes the two sides of the intercept's constraint
 * equal by shrinking the heavier one. In a ray, soft samples are 0. */
static void repair(void *user, double *pi, bool ray) {
    l1_program *p = user;
    double plus = 0, minus = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double limit = ray && p->s[i] < INFINITY ? 0 : p->s[i];
        pi[i] = fmax(p->loss == L1_FIT ? -limit : 0, fmin(limit, pi[i]));
        double u = p->factor[i] * pi[i];
        if (u > 0) plus += u;
        if (u < 0) minus -= u;
    }
    if (!p->intercept || plus == minus) return;
    double heavy = plus > minus ? 1 : -1, shrink = fmin(plus, minus) / fmax(plus, minus);
    for (int64_t i = 0; i < p->n; i++)
        if (heavy * p->factor[i] * pi[i] > 0) pi[i] *= shrink;
}

static void fill_core_costs(l1_program *p) {
    for (int64_t k = 0; k < p->n_core; k++)
        p->core_cost[k] = p->slack_sample[k] < 0 ? 0 : p->s[p->slack_sample[k]];
}

/* The rows in the form of lp.h. */
static pare_status build(l1_program *p, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena own, *scratch = &own;
    arena_init(scratch, &p->mem);
    int64_t n = p->n, most = 1 + 2 * n, k = 0, e = 0;
    double *lo, *hi, *core_value;
    int64_t *core_ptr;
    int32_t *core_index;
    bool *core_free;
    TRY_MEM(ARENA_NEWS(scratch, double, n, &lo, &hi));
    TRY_MEM(core_ptr = ARENA_NEW(scratch, int64_t, n + 1));
    TRY_MEM(core_index = ARENA_NEW(scratch, int32_t, 3 * n));
    TRY_MEM(core_value = ARENA_NEW(scratch, double, 3 * n));
    TRY_MEM(core_free = ARENA_ZERO(scratch, bool, most));
    TRY_MEM(p->slack_sample = ARENA_NEW(&p->own, int64_t, most));
    TRY_MEM(p->core_cost = ARENA_NEW(&p->own, double, most));
    if (p->intercept) {
        core_free[k] = true;
        p->slack_sample[k++] = -1;
    }
    for (int64_t i = 0; i < n; i++) {
        bool margin = p->loss == L1_MARGIN;
        lo[i] = margin ? 1 : p->y[i];
        hi[i] = margin ? INFINITY : p->y[i];
        core_ptr[i] = e;
        if (p->intercept) {
            core_index[e] = 0;
            core_value[e++] = p->factor[i];
        }
        int64_t slacks = p->s[i] == INFINITY ? 0 : margin ? 1 : 2;
        for (int64_t side = 0; side < slacks; side++) {
            core_index[e] = (int32_t)k;
            core_value[e++] = side == 0 ? 1 : -1;
            p->slack_sample[k++] = i;
        }
    }
    core_ptr[n] = e;
    p->n_core = k;
    fill_core_costs(p);
    lp_spec master = {.x = &p->x,
                      .cost = p->cost,
                      .groups = p->groups.of ? &p->groups : NULL,
                      .sign = p->sign,
                      .n_core = k,
                      .core_cost = p->core_cost,
                      .core_free = core_free,
                      .rows = {.count = n,
                               .lo = lo,
                               .hi = hi,
                               .factor = p->factor,
                               .core_ptr = core_ptr,
                               .core_index = core_index,
                               .core_value = core_value},
                      .repair = repair,
                      .user = p,
                      .tol_rel = p->tol_rel};
    TRY(lp_create(&p->master, &master, ctx, err));
done:
    arena_free(scratch);
    return status;
}

pare_status l1_create(l1_program **out, const l1_spec *spec, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t n = spec->x->n, d = spec->x->d;
    const pare_allocator *mem = ctx_allocator(ctx);
    *out = NULL;
    l1_program *p = mem_zero(mem, 1, sizeof *p);
    TRY_MEM(p);
    p->mem = *mem;
    arena_init(&p->own, mem);
    p->x = *spec->x;
    p->loss = spec->loss;
    p->intercept = spec->intercept;
    p->n = n;
    p->tol_rel = spec->tol_rel > 0 ? spec->tol_rel : default_tol_rel;
    if (spec->groups) p->groups = *spec->groups;
    p->sign = spec->sign;
    TRY_MEM(p->largest = ARENA_ZERO(&p->own, double, p->groups.count));
    TRY_MEM(ARENA_NEWS(&p->own, double, n, &p->y, &p->factor, &p->s));
    TRY_MEM(p->f = ARENA_ZERO(&p->own, double, n)); /* read also where a solve found no point */
    TRY_MEM(ARENA_NEWS(&p->own, double, n, &p->u, &p->column));
    TRY_MEM(p->cost = ARENA_NEW(&p->own, double, d));
    memcpy(p->y, spec->y, (size_t)n * sizeof *p->y);
    memcpy(p->s, spec->loss_cost, (size_t)n * sizeof *p->s);
    if (d) memcpy(p->cost, spec->cost, (size_t)d * sizeof *p->cost);
    for (int64_t i = 0; i < n; i++) {
        p->factor[i] = p->loss == L1_MARGIN ? p->y[i] : 1;
        if (!(p->s[i] < INFINITY)) p->hard = true;
    }
    bool plain = p->loss == L1_FIT && !p->hard && !p->groups.of && !p->sign;
    if (plain && l1_simplex_suits(n, d))
        TRY(l1_simplex_new(&p->simplex, &p->x, p->y, p->intercept, ctx, err));
    else
        TRY(build(p, ctx, err));
    *out = p;
    p = NULL;
done:
    l1_free(p);
    return status;
}

void l1_free(l1_program *p) {
    if (!p) return;
    pare_allocator mem = p->mem;
    lp_free(p->master);
    l1_simplex_free(p->simplex);
    mem_free(&mem, p->support);
    mem_free(&mem, p->packed);
    mem_free(&mem, p->weight);
    mem_free(&mem, p->untrimmed);
    arena_free(&p->own);
    mem_free(&mem, p);
}

void l1_set_costs(l1_program *p, const double *cost, const double *loss_cost) {
    if (cost && p->x.d) memcpy(p->cost, cost, (size_t)p->x.d * sizeof *cost);
    if (loss_cost) memcpy(p->s, loss_cost, (size_t)p->n * sizeof *loss_cost);
    if (!p->master) return;
    fill_core_costs(p);
    lp_set_costs(p->master, p->cost, p->core_cost);
}

void l1_start(l1_program *p, const lp_weight *weight, int64_t count, double b) {
    if (p->simplex) l1_simplex_start(p->simplex, weight, count, b);
}

void l1_expect(l1_program *p, const double *price) {
    if (p->master) lp_expect(p->master, price);
}

/* The least y_i f_i over the hard margins, which simplex keeps at 1 up to its tolerance. */
static double hard_margin(const l1_program *p) {
    double least = INFINITY;
    for (int64_t i = 0; i < p->n; i++)
        if (p->s[i] == INFINITY) least = fmin(least, p->y[i] * p->f[i]);
    return least;
}

/* sum_j c_j |w_j|, or of the largest |w_j| of each group. */
static double penalty_of(l1_program *p, int64_t count) {
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        double size = fabs(p->weight[k].value), *largest = NULL;
        if (p->groups.of) largest = &p->largest[p->groups.of[p->weight[k].feature]];
        if (!largest) sum += p->cost[p->weight[k].feature] * size;
        if (largest) *largest = fmax(*largest, size);
    }
    for (int64_t k = 0; p->groups.of && k < count; k++) {
        double *largest = &p->largest[p->groups.of[p->weight[k].feature]];
        sum += p->cost[p->weight[k].feature] * *largest;
        *largest = 0; /* the group's other features add nothing */
    }
    return sum;
}

/* f and the objective of the returned (w, b), from X. */
static pare_status evaluate(l1_program *p, l1_solution *out, const pare_ctx *ctx, pare_error *err) {
    for (int64_t k = 0; k < out->n_weight; k++) {
        p->support[k] = p->weight[k].feature;
        p->packed[k] = p->weight[k].value;
    }
    for (int64_t i = 0; i < p->n; i++) p->f[i] = 0;
    if (out->n_weight) {
        pare_status status =
            mat_mul(&p->x, p->support, out->n_weight, p->packed, 1, p->f, ctx, err);
        if (status != PARE_OK) return status;
    }
    for (int64_t i = 0; i < p->n; i++) p->f[i] += out->b;
    if (p->hard && p->loss == L1_MARGIN) {
        double margin = hard_margin(p), stretch = margin > 0 && margin < 1 ? 1 / margin : 1;
        for (int64_t k = 0; k < out->n_weight; k++) p->weight[k].value *= stretch;
        for (int64_t i = 0; i < p->n; i++) p->f[i] *= stretch;
        out->b *= stretch;
    }
    out->objective = penalty_of(p, out->n_weight);
    for (int64_t i = 0; i < p->n; i++) {
        double loss =
            p->loss == L1_MARGIN ? fmax(0, 1 - p->y[i] * p->f[i]) : fabs(p->f[i] - p->y[i]);
        if (p->s[i] < INFINITY) out->objective += p->s[i] * loss;
    }
    return PARE_OK;
}

/* The simplex method leaves weights of rounding size on columns that should have none: they are
 * dropped where the objective does not notice. */
static pare_status trim(l1_program *p, l1_solution *out, const pare_ctx *ctx, pare_error *err) {
    double scale = 0, b = out->b, objective = out->objective;
    int64_t count = out->n_weight, kept = 0;
    for (int64_t i = 0; i < p->n; i++) scale = fmax(scale, fabs(p->y[i]));
    for (int64_t k = 0; k < count; k++) {
        double size = 0;
        p->untrimmed[k] = p->weight[k];
        PASS(mat_columns(&p->x, &p->weight[k].feature, 1, p->column, ctx, err));
        for (int64_t i = 0; i < p->n; i++) size = fmax(size, fabs(p->column[i]));
        if (size * fabs(p->weight[k].value) > rounding_weight * scale)
            p->weight[kept++] = p->weight[k];
    }
    if (kept == count) return PARE_OK;
    out->n_weight = kept;
    PASS(evaluate(p, out, ctx, err));
    if (out->objective <= objective * (1 + rounding_objective)) return PARE_OK;
    memcpy(p->weight, p->untrimmed, (size_t)count * sizeof *p->weight);
    out->n_weight = count;
    out->b = b;
    return evaluate(p, out, ctx, err);
}

/* What rounding may leave of the gap where all residuals all but vanish. */
static double rounding_of(const l1_program *p) {
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->s[i] < INFINITY) sum += 1e-14 * p->s[i] * (fabs(p->f[i]) + fabs(p->y[i]));
    return sum;
}

static pare_status keep_weights(l1_program *p, const lp_weight *weight, int64_t count,
                                pare_error *err) {
    if (count > p->capacity) {
        PASS_MEM(mem_resize(&p->mem, &p->support, count, sizeof *p->support));
        PASS_MEM(mem_resize(&p->mem, &p->packed, count, sizeof *p->packed));
        PASS_MEM(mem_resize(&p->mem, &p->weight, count, sizeof *p->weight));
        PASS_MEM(mem_resize(&p->mem, &p->untrimmed, count, sizeof *p->untrimmed));
        p->capacity = count;
    }
    if (count) memcpy(p->weight, weight, (size_t)count * sizeof *weight);
    return PARE_OK;
}

/* The whole program by l1_simplex.h; *solved: and its gap is closed. */
static pare_status solve_small(l1_program *p, l1_solution *out, bool *solved, const pare_ctx *ctx,
                               pare_error *err) {
    l1_vertex v;
    *solved = false;
    if (!l1_simplex_solve(p->simplex, &v, p->cost, p->s)) return PARE_OK;
    PASS(keep_weights(p, v.weight, v.n_weight, err));
    memcpy(p->f, v.f, (size_t)p->n * sizeof *p->f);
    memcpy(p->u, v.u, (size_t)p->n * sizeof *p->u);
    repair(p, p->u, false);
    double shrink = fmax(1, l1_simplex_worst_price(p->simplex, p->u));
    *out = (l1_solution){.objective = v.objective,
                         .weight = p->weight,
                         .n_weight = v.n_weight,
                         .b = v.b,
                         .dual = p->u,
                         .f = p->f,
                         .pivots = v.pivots};
    for (int64_t i = 0; i < p->n; i++) {
        p->u[i] /= shrink;
        out->bound += p->u[i] * p->y[i];
    }
    /* A cost near the rounding of its X_j'u lets the scaled dual lose as much; as lp.h does. */
    double share = p->tol_rel + fmin(rounding_gap, l1_simplex_price_rounding(p->simplex));
    *solved = out->objective - out->bound <= share * out->objective + rounding_of(p);
    return *solved ? trim(p, out, ctx, err) : PARE_OK;
}

pare_status l1_solve(l1_program *p, l1_solution *out, const pare_ctx *ctx, pare_error *err) {
    lp_result r;
    *out = (l1_solution){.objective = NAN};
    if (p->simplex) {
        bool solved;
        PASS(solve_small(p, out, &solved, ctx, err));
        if (solved) {
            ctx_stops(ctx, "linear program", -1, &out->outcome);
            return PARE_OK;
        }
    }
    if (!p->master) PASS(build(p, ctx, err));
    PASS(lp_solve(p->master, &r, ctx, err));
    *out = (l1_solution){.outcome = r.outcome,
                         .infeasible = r.infeasible,
                         .objective = NAN,
                         .bound = r.bound,
                         .residual = r.residual,
                         .n_weight = r.n_weight,
                         .dual = r.pi,
                         .price = r.price,
                         .f = p->f,
                         .pivots = r.pivots,
                         .passes = r.passes,
                         .generated = r.generated};
    if (isnan(r.objective)) return PARE_OK;
    PASS(keep_weights(p, r.weight, r.n_weight, err));
    out->weight = p->weight;
    out->b = p->intercept ? r.core[0] : 0;
    PASS(evaluate(p, out, ctx, err));
    PASS(trim(p, out, ctx, err));
    /* The master closed its own gap, up to rounding; the recomputed objective has rounding of its
     * own. */
    double gap = out->objective - out->bound;
    if (out->outcome == PARE_OPTIMAL && !(gap <= rounding_gap * out->objective + rounding_of(p)))
        out->outcome = PARE_MAX_ITER;
    return PARE_OK;
}
