/* The together form of l1_outputs.h: one master of lp.h with a block of weights per class, a row
 * and, where it is soft, a slack per sample and other class, and the intercepts as its first core
 * variables.
 *
 * The duals must balance: for each class, what leaves (samples of the class against others) equals
 * what arrives (samples of other classes against it). With P_ab the total of class a against b this
 * requires equal row and column sums, which scaling row a by t and column a by 1/t in turn
 * (Osborne) achieves in a few sweeps where only rounding is wrong. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "solve/lp/l1_outputs.h"
#include "solve/lp/lp.h"

static const double balanced = 1e-15; /* relative difference of the two sums */
static const double rounding_weight = 1e-9, rounding_objective = 1e-9; /* as in l1_program.c */
enum { SWEEPS_MAX = 200 };

typedef struct together {
    const outputs_spec *spec;
    int64_t n, c, count; /* rows */
    int32_t *sample;     /* count */
    int64_t *other;      /* count: the class k of row (i, k) */
    double *pi_limit;    /* count: s */
    double *P, *t;       /* c x c, c */
} together;

static void balance(together *g, double *pi) {
    int64_t c = g->c;
    const int32_t *cls = g->spec->cls;
    for (int64_t e = 0; e < c * c; e++) g->P[e] = 0;
    for (int64_t r = 0; r < g->count; r++) g->P[cls[g->sample[r]] * c + g->other[r]] += pi[r];
    for (int64_t a = 0; a < c; a++) g->t[a] = 1;
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double worst = 0;
        for (int64_t a = 0; a < c; a++) {
            double leaves = 0, arrives = 0;
            for (int64_t b = 0; b < c; b++) {
                leaves += g->P[a * c + b] * g->t[a] / g->t[b];
                arrives += g->P[b * c + a] * g->t[b] / g->t[a];
            }
            if (leaves == arrives) continue;
            if (leaves == 0 || arrives == 0) { /* in no cycle: nothing of it can stay */
                for (int64_t b = 0; b < c; b++) g->P[a * c + b] = g->P[b * c + a] = 0;
                worst = 1;
                continue;
            }
            worst = fmax(worst, fabs(leaves - arrives) / (leaves + arrives));
            g->t[a] *= sqrt(arrives / leaves);
        }
        if (worst <= balanced) break;
    }
    for (int64_t r = 0; r < g->count; r++) {
        int64_t a = cls[g->sample[r]], b = g->other[r];
        pi[r] = g->P[a * c + b] > 0 ? pi[r] * g->t[a] / g->t[b] : 0;
    }
}

static void repair(void *user, double *pi, bool ray) {
    together *g = user;
    double over = 1;
    for (int64_t r = 0; r < g->count; r++) {
        double limit = ray && g->pi_limit[r] < INFINITY ? 0 : g->pi_limit[r];
        pi[r] = fmax(0, fmin(limit, pi[r]));
    }
    if (!g->spec->intercept) return;
    balance(g, pi);
    for (int64_t r = 0; r < g->count; r++)
        if (pi[r] > g->pi_limit[r]) over = fmax(over, pi[r] / g->pi_limit[r]);
    for (int64_t r = 0; over > 1 && r < g->count; r++) pi[r] /= over;
}

static pare_status create(lp_master **out, together *g, arena *mem, const pare_ctx *ctx,
                          pare_error *err) {
    const outputs_spec *spec = g->spec;
    int64_t n = g->n, c = g->c, most = n * (c - 1), r = 0, e = 0, k_core = 0;
    double *lo, *hi, *factor, *value, *core_cost;
    int64_t *ptr;
    int32_t *index;
    bool *core_free;
    PASS_MEM(g->sample = ARENA_NEW(mem, int32_t, most));
    PASS_MEM(g->other = ARENA_NEW(mem, int64_t, most));
    PASS_MEM(ARENA_NEWS(mem, double, most, &g->pi_limit, &lo, &hi));
    PASS_MEM(g->P = ARENA_NEW(mem, double, c *c));
    PASS_MEM(g->t = ARENA_NEW(mem, double, c));
    PASS_MEM(factor = ARENA_ZERO(mem, double, most *c));
    PASS_MEM(ptr = ARENA_NEW(mem, int64_t, most + 1));
    PASS_MEM(index = ARENA_NEW(mem, int32_t, 3 * most));
    PASS_MEM(value = ARENA_NEW(mem, double, 3 * most));
    PASS_MEM(core_cost = ARENA_ZERO(mem, double, c + most));
    PASS_MEM(core_free = ARENA_ZERO(mem, bool, c + most));
    for (; spec->intercept && k_core < c; k_core++) core_free[k_core] = true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < c; k++) {
            int32_t own = spec->cls[i];
            if (k == own) continue;
            g->sample[r] = (int32_t)i;
            g->other[r] = k;
            g->pi_limit[r] = spec->loss[k * n + i];
            lo[r] = 1;
            hi[r] = INFINITY;
            factor[r * c + own] = 1;
            factor[r * c + k] = -1;
            ptr[r] = e;
            if (spec->intercept) {
                index[e] = own;
                value[e++] = 1;
                index[e] = (int32_t)k;
                value[e++] = -1;
            }
            if (g->pi_limit[r] < INFINITY) {
                core_cost[k_core] = g->pi_limit[r];
                index[e] = (int32_t)k_core++;
                value[e++] = 1;
            }
            r++;
        }
    ptr[r] = e;
    g->count = r;
    lp_spec master = {.x = spec->x,
                      .cost = spec->cost,
                      .groups = spec->groups,
                      .blocks = c,
                      .n_core = k_core,
                      .core_cost = core_cost,
                      .core_free = core_free,
                      .rows = {.count = r,
                               .lo = lo,
                               .hi = hi,
                               .sample = g->sample,
                               .factor = factor,
                               .core_ptr = ptr,
                               .core_index = index,
                               .core_value = value},
                      .repair = repair,
                      .user = g};
    return lp_create(out, &master, ctx, err);
}

/* sum_kj c_j |w_kj|, or of the largest |w_kj| of each group. */
static double penalty_of(const double *W, const outputs_spec *spec) {
    const lp_groups *g = spec->groups;
    int64_t d = spec->x->d, units = g ? g->count : d;
    double sum = 0;
    for (int64_t k = 0; k < spec->c; k++)
        for (int64_t u = 0; u < units; u++) {
            int64_t from = g ? g->start[u] : u, to = g ? g->start[u + 1] : u + 1, j = u;
            double largest = 0;
            for (int64_t i = from; i < to; i++) {
                j = g ? g->member[i] : i;
                largest = fmax(largest, fabs(W[k * d + j]));
            }
            if (largest > 0) sum += spec->cost[j] * largest;
        }
    return sum;
}

/* f and the objective of (W, b) from X, stretched to hard margins. */
static pare_status evaluate(outputs_solution *out, const outputs_spec *spec, const pare_ctx *ctx,
                            pare_error *err) {
    int64_t n = spec->x->n, d = spec->x->d, c = spec->c;
    PASS(mat_mul(spec->x, NULL, d, out->W, c, out->f, ctx, err));
    double least = INFINITY, stretch = 1;
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++) out->f[k * n + i] += out->b[k];
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++)
            if (k != spec->cls[i] && isinf(spec->loss[k * n + i]))
                least = fmin(least, out->f[spec->cls[i] * n + i] - out->f[k * n + i]);
    if (least > 0 && least < 1) stretch = 1 / least;
    for (int64_t k = 0; k < c; k++) out->b[k] *= stretch;
    for (int64_t e = 0; e < n * c; e++) out->f[e] *= stretch;
    for (int64_t e = 0; e < d * c; e++) out->W[e] *= stretch;
    out->objective = penalty_of(out->W, spec);
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++)
            if (spec->loss[k * n + i] < INFINITY)
                out->objective += spec->loss[k * n + i] * l1_outputs_slack(spec, out->f, i, k);
    return PARE_OK;
}

/* Drops weights of rounding size where the objective does not change. */
static pare_status trim(outputs_solution *out, const outputs_spec *spec, const lp_result *r,
                        arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t n = spec->x->n, d = spec->x->d, c = spec->c, dropped = 0;
    double objective = out->objective, *x, *W, *b;
    PASS_MEM(x = ARENA_NEW(mem, double, n));
    PASS_MEM(W = ARENA_NEW(mem, double, r->n_weight));
    PASS_MEM(b = ARENA_NEW(mem, double, c));
    memcpy(b, out->b, sizeof *b * (size_t)c);
    for (int64_t e = 0; e < r->n_weight; e++) {
        int64_t number = r->weight[e].feature, j = number % d;
        double size = 0;
        W[e] = out->W[number];
        PASS(mat_columns(spec->x, &j, 1, x, ctx, err));
        for (int64_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
        if (size * fabs(W[e]) > rounding_weight) continue;
        out->W[number] = 0;
        dropped++;
    }
    if (dropped == 0) return PARE_OK;
    PASS(evaluate(out, spec, ctx, err));
    if (out->objective <= objective * (1 + rounding_objective)) return PARE_OK;
    for (int64_t e = 0; e < r->n_weight; e++) out->W[r->weight[e].feature] = W[e];
    memcpy(out->b, b, sizeof *b * (size_t)c);
    return evaluate(out, spec, ctx, err);
}

pare_status l1_together_solve(outputs_solution *out, const outputs_spec *spec, const pare_ctx *ctx,
                              pare_error *err) {
    pare_status status = PARE_OK;
    lp_master *master = NULL;
    lp_result r;
    int64_t n = spec->x->n, d = spec->x->d, c = spec->c;
    arena mem = arena_of(ctx);
    together g = {.spec = spec, .n = n, .c = c};
    TRY(create(&master, &g, &mem, ctx, err));
    TRY(lp_solve(master, &r, ctx, err));
    out->outcome = r.outcome;
    out->infeasible = r.infeasible;
    out->objective = NAN;
    out->bound = r.bound;
    out->pivots = r.pivots;
    for (int64_t e = 0; e < n * c; e++) out->dual[e] = out->f[e] = 0;
    for (int64_t e = 0; e < d * c; e++) out->W[e] = 0;
    for (int64_t k = 0; k < c; k++) out->b[k] = 0;
    for (int64_t e = 0; e < g.count; e++) out->dual[g.other[e] * n + g.sample[e]] = r.pi[e];
    if (isnan(r.objective)) goto done;
    for (int64_t e = 0; e < r.n_weight; e++) out->W[r.weight[e].feature] = r.weight[e].value;
    for (int64_t k = 0; spec->intercept && k < c; k++) out->b[k] = r.core[k];
    TRY(evaluate(out, spec, ctx, err));
    TRY(trim(out, spec, &r, &mem, ctx, err));
done:
    lp_free(master);
    arena_free(&mem);
    return status;
}
