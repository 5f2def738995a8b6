/* Parametric simplex for l1_path.h.
 *
 * SYMBOLS   E: the m samples fitted exactly; S: the features in use; m = |S| + (1 with intercept).
 *           M = [X_ES 1], m x m; z = (w_S, b) solves M z = y_E; r = y - X_S w_S - b.
 *           u = p + mu q: the dual, at an end of [-down_i, up_i] outside E, and on E such that
 *           X_S'u = mu sign(w_S) and, with an intercept, sum u = 0.
 * ALGORITHM 1. Start at w = 0 with b the weighted median or quantile (E holds its sample), or E empty.
 *           2. The next mu: the largest at which a u_i in E reaches an end, or an |X_j'u| outside S
 *              reaches mu. Both are linear in mu: one pass of X'[p q].
 *           3. That sample leaves E, or that feature enters S; the ratio test along the edge says
 *              which w_j reaches 0 and leaves S, or which residual reaches 0 and enters E.
 *           4. Factor the new M and compute z, r, p and q from the data. Go to 2.
 * TIES      among equal mu the lowest index enters (samples before features); among equal ratios
 *           the largest pivot leaves, and after many steps of length zero the lowest index, which
 *           cannot cycle. Margins tie by the hundred (every y is -1 or 1): their pivots are chosen
 *           with targets shaken by SHAKE, which moves no breakpoint, for duals do not depend on
 *           targets; the vertices shown are those of the true ones. A vertex that is optimal at one mu only is passed over. */
#include "solve/l1_path.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"

static const double tie = 1e-12;        /* relative: breakpoints and ratios this close are one */
static const double flat = 1e-9;        /* a reduced cost that falls slower than this is constant */
static const double small_pivot = 1e-9; /* of the largest entry of the direction */
static const double singular = 1e-15;   /* reciprocal condition of M */
static const double rounding = 1e-14;   /* of the first mu, the size of X'u */
static const double nothing = 1e-11;    /* a weight that moves no fit by this share of y's range */
static const double SHAKE = 1e-7;       /* of a target of size 1 */
enum { PATIENCE = 20 };                 /* steps of length zero before the lowest index leaves */

struct l1_path {
    pare_allocator mem;
    arena own;
    view x; /* the samples with s_i > 0 */
    int64_t n, d;
    int64_t *sample; /* n: which of the caller's */
    double *all;     /* the caller's n: the dual handed out */
    bool intercept;
    double *y, *shaken;    /* n: targets; those that choose the pivots, y itself for errors */
    double *up, *down;     /* n: cost of a unit of residual above and below 0 */
    double *side;          /* n: sign of the residual outside E, 0 in E */
    int64_t m, n_features; /* |E|, |S| */
    int64_t *exact;        /* m: E */
    int64_t *feature;      /* n_features: S */
    double *sign;          /* n_features: sign of w_S */
    bool *used;            /* d: in S */
    double *columns;       /* n x n_features: X_S */
    double *M, *norms;     /* factored; norms: scratch of the condition estimate */
    lapack_int *pivot, *whole;
    double *z, *r;     /* m, n: of the shaken targets */
    double *own_z;     /* m: of the true ones; z itself for errors */
    double *dz, *dr;   /* the edge: m, n */
    double *dual;      /* n x 2: p, q */
    double *price;     /* d x 2: X'p, X'q */
    double *entering;  /* n: the column of the entering feature */
    lp_weight *weight; /* of the segment that is out */
    double mu, mu_end, error, norm;
    double range; /* the largest residual of w = 0 */
    double least; /* mu_end, or what is rounding in X'u if that is more */
    int64_t zero_steps, pivots;
    bool lost;
};

/* What enters: sample E[index], or feature index. */
typedef struct entrant {
    bool found, is_feature;
    int64_t index;
    double mu, sign;
} entrant;

typedef struct by_target {
    double y;
    int64_t sample;
} by_target;

static int compare_targets(const void *pa, const void *pb) {
    const by_target *a = pa, *b = pb;
    if (a->y != b->y) return a->y < b->y ? -1 : 1;
    return a->sample < b->sample ? -1 : a->sample > b->sample;
}

static int compare_weights(const void *a, const void *b) {
    int64_t i = ((const lp_weight *)a)->feature, j = ((const lp_weight *)b)->feature;
    return (i > j) - (i < j);
}

/* 1: the sides of the residuals of w = 0; with an intercept the sample of the weighted quantile is
 * fitted exactly, samples before it in the order of y are above the fit's zero, those after below. */
static pare_status start(l1_path *p, pare_error *err) {
    if (!p->intercept || p->n == 0) {
        for (int64_t i = 0; i < p->n; i++) p->side[i] = p->shaken[i] < 0 ? -1 : 1;
        return PARE_OK;
    }
    by_target *order = mem_alloc(&p->mem, p->n, sizeof *order);
    if (!order) return error_memory(err);
    double above = 0, below = 0; /* what pulls up and down: samples after, and before and with it */
    for (int64_t i = 0; i < p->n; i++) {
        order[i] = (by_target){p->shaken[i], i};
        above += p->up[i];
    }
    qsort(order, (size_t)p->n, sizeof *order, compare_targets);
    int64_t median = 0;
    for (;; median++) {
        above -= p->up[order[median].sample];
        below += p->down[order[median].sample];
        if (median + 1 == p->n || !(below < above)) break;
    }
    for (int64_t k = 0; k < p->n; k++) p->side[order[k].sample] = k < median ? -1 : 1;
    p->exact[0] = order[median].sample;
    p->side[p->exact[0]] = 0;
    p->m = 1;
    mem_free(&p->mem, order);
    return PARE_OK;
}

/* M's LU in place; false: singular to rounding. */
static bool factor(l1_path *p) {
    int64_t m = p->m;
    if (m == 0) return true;
    for (int64_t k = 0; k < p->n_features; k++)
        for (int64_t e = 0; e < m; e++) p->M[k * m + e] = p->columns[k * p->n + p->exact[e]];
    if (p->intercept)
        for (int64_t e = 0; e < m; e++) p->M[p->n_features * m + e] = 1;
    double norm = 0, rcond = 0;
    for (int64_t k = 0; k < m; k++) {
        double sum = 0;
        for (int64_t e = 0; e < m; e++) sum += fabs(p->M[k * m + e]);
        norm = fmax(norm, sum);
    }
    lapack_int size = (lapack_int)m;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, p->M, size, p->pivot) != 0) return false;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', size, p->M, size, norm, &rcond, p->norms, p->whole);
    return rcond > singular;
}

static void solve(const l1_path *p, char transposed, int64_t columns, double *v) {
    lapack_int m = (lapack_int)p->m;
    if (m > 0)
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed, m, (lapack_int)columns, p->M, m, p->pivot,
                            v, m);
}

/* f = X_S v_S + v_b at all samples. */
static void combine(const l1_path *p, const double *v, double *f) {
    double b = p->intercept ? v[p->n_features] : 0;
    for (int64_t i = 0; i < p->n; i++) f[i] = b;
    for (int64_t k = 0; k < p->n_features; k++)
        for (int64_t i = 0; i < p->n; i++) f[i] += v[k] * p->columns[k * p->n + i];
}

/* Where the dual of a residual on this side is; 0: none. */
static double end_of(const l1_path *p, int64_t i, double side) {
    return side > 0 ? p->up[i] : side < 0 ? -p->down[i] : 0;
}

/* The point that fits E exactly, and the residuals of all samples. */
static void find_point(const l1_path *p, const double *y, double *z, double *r) {
    for (int64_t e = 0; e < p->m; e++) z[e] = y[p->exact[e]];
    solve(p, 'N', 1, z);
    combine(p, z, r);
    for (int64_t i = 0; i < p->n; i++) r[i] = p->side[i] == 0 ? 0 : y[i] - r[i];
}

/* 4: z, r, error, norm, p and q of the present E and S; false: the basis is singular. */
static bool compute(l1_path *p) {
    if (!factor(p)) return false;
    int64_t n = p->n, m = p->m;
    double *u = p->dual, *slope = p->dual + n, *sides = p->dz; /* m x 2 */
    find_point(p, p->y, p->own_z, p->r);
    p->error = p->norm = 0;
    for (int64_t i = 0; i < n; i++) {
        p->error += fmax(p->up[i] * p->r[i], -p->down[i] * p->r[i]);
        u[i] = end_of(p, i, p->side[i]);
        slope[i] = 0;
    }
    if (p->z != p->own_z) find_point(p, p->shaken, p->z, p->r);
    for (int64_t k = 0; k < p->n_features; k++) {
        p->norm += fabs(p->own_z[k]);
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += p->columns[k * n + i] * u[i];
        sides[k] = -sum;
        sides[m + k] = p->sign[k];
    }
    if (p->intercept && m > 0) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += u[i];
        sides[m - 1] = -sum;
        sides[2 * m - 1] = 0;
    }
    solve(p, 'T', 2, sides);
    for (int64_t e = 0; e < m; e++) {
        u[p->exact[e]] = sides[e];
        slope[p->exact[e]] = sides[m + e];
    }
    return true;
}

static void offer(const l1_path *p, entrant *best, double mu, bool is_feature, int64_t index,
                  double sign) {
    if (!(mu > p->least)) return;
    if (mu > p->mu) mu = p->mu; /* rounding: it was to enter already */
    if (best->found && !(mu > best->mu * (1 + tie))) return;
    *best = (entrant){true, is_feature, index, mu, sign};
}

/* 2: what enters next; needs p->price. */
static entrant next_entrant(const l1_path *p) {
    entrant best = {0};
    const double *u = p->dual, *slope = p->dual + p->n, *at = p->price, *per = p->price + p->d;
    for (int64_t e = 0; e < p->m; e++) {
        int64_t i = p->exact[e];
        if (slope[i] == 0 || fabs(slope[i]) * p->mu <= flat * (p->up[i] + p->down[i])) continue;
        double sign = slope[i] > 0 ? -1 : 1; /* the side that u_i goes to as mu falls */
        offer(p, &best, (end_of(p, i, sign) - u[i]) / slope[i], false, e, sign);
    }
    for (int64_t j = 0; j < p->d; j++) {
        if (p->used[j]) continue;
        if (1 - per[j] > flat) offer(p, &best, at[j] / (1 - per[j]), true, j, 1);
        if (1 + per[j] > flat) offer(p, &best, -at[j] / (1 + per[j]), true, j, -1);
    }
    return best;
}

/* The edge along which the entrant grows: dz and dr per unit of it. */
static pare_status find_edge(l1_path *p, const entrant *in, const pare_ctx *ctx, pare_error *err) {
    for (int64_t e = 0; e < p->m; e++) p->dz[e] = 0;
    if (in->is_feature) {
        pare_status status = mat_columns(&p->x, &in->index, 1, p->entering, ctx, err);
        if (status != PARE_OK) return status;
        for (int64_t e = 0; e < p->m; e++) p->dz[e] = -in->sign * p->entering[p->exact[e]];
    } else {
        p->dz[in->index] = -in->sign;
    }
    solve(p, 'N', 1, p->dz);
    combine(p, p->dz, p->dr);
    for (int64_t i = 0; i < p->n; i++)
        p->dr[i] = -p->dr[i] - (in->is_feature ? in->sign * p->entering[i] : 0);
    return PARE_OK;
}

typedef struct leaver {
    bool found, is_feature;
    int64_t index; /* position in S, or sample */
    double step, size;
} leaver;

/* Keeps the least step; among equal ones the largest pivot, or the first when going by index. */
static void consider(leaver *best, double value, double rate, double scale, bool is_feature,
                     int64_t index, bool by_index) {
    if (!(rate > small_pivot * scale)) return;
    double step = fmax(0, value) / rate;
    bool same = best->found && fabs(step - best->step) <= tie * fmax(step, best->step);
    if (best->found && !same && step > best->step) return;
    if (same && (by_index || rate <= best->size)) return;
    *best = (leaver){true, is_feature, index, step, rate};
}

/* 3: what stops the entrant. Residuals and weights are measured in the units of y: a weight by its
 * largest effect on a sample. */
static leaver ratio_test(const l1_path *p) {
    leaver out = {0};
    bool by_index = p->zero_steps > PATIENCE;
    double largest_r = 0, largest_z = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->side[i] != 0) largest_r = fmax(largest_r, fabs(p->dr[i]));
    for (int64_t k = 0; k < p->n_features; k++) largest_z = fmax(largest_z, fabs(p->dz[k]));
    for (int64_t i = 0; i < p->n; i++)
        if (p->side[i] != 0)
            consider(&out, p->side[i] * p->r[i], -p->side[i] * p->dr[i], largest_r, false, i,
                     by_index);
    for (int64_t k = 0; k < p->n_features; k++)
        consider(&out, p->sign[k] * p->z[k], -p->sign[k] * p->dz[k], largest_z, true, k, by_index);
    return out;
}

static void exchange(l1_path *p, const entrant *in, const leaver *out) {
    if (!in->is_feature) { /* its residual takes the side that its dual had reached */
        p->side[p->exact[in->index]] = in->sign;
        p->exact[in->index] = p->exact[--p->m];
    }
    if (out->is_feature) {
        int64_t last = --p->n_features, k = out->index;
        p->used[p->feature[k]] = false;
        p->feature[k] = p->feature[last];
        p->sign[k] = p->sign[last];
        if (k != last)
            memcpy(p->columns + k * p->n, p->columns + last * p->n, sizeof(double) * (size_t)p->n);
    } else {
        p->side[out->index] = 0;
        p->exact[p->m++] = out->index;
    }
    if (in->is_feature) {
        int64_t k = p->n_features++;
        p->used[in->index] = true;
        p->feature[k] = in->index;
        p->sign[k] = in->sign;
        memcpy(p->columns + k * p->n, p->entering, sizeof(double) * (size_t)p->n);
    }
}

static pare_status allocate(l1_path *p, const view *x, const double *y, const double *s,
                            bool margins, pare_error *err) {
    pare_status status = PARE_OK;
    arena *own = &p->own;
    int64_t d = x->d, n = 0;
    rng shake;
    rng_seed(&shake, 0, 0);
    int32_t *rows = ARENA_NEW(own, int32_t, x->n);
    TRY_MEM(rows);
    TRY_MEM(p->sample = ARENA_NEW(own, int64_t, x->n));
    TRY_MEM(p->all = ARENA_ZERO(own, double, x->n));
    TRY_MEM(p->y = p->shaken = ARENA_NEW(own, double, x->n));
    if (margins) TRY_MEM(p->shaken = ARENA_NEW(own, double, x->n));
    TRY_MEM(p->up = ARENA_NEW(own, double, x->n));
    TRY_MEM(p->down = ARENA_NEW(own, double, x->n));
    for (int64_t i = 0; i < x->n; i++) {
        if (!(s[i] > 0)) continue; /* a sample without weight has no say */
        rows[n] = x->rows ? x->rows[i] : (int32_t)i;
        p->sample[n] = i;
        p->y[n] = y[i];
        if (margins) p->shaken[n] = y[i] + SHAKE * (2 * rng_uniform(&shake) - 1);
        p->up[n] = margins && y[i] < 0 ? 0 : s[i]; /* y f > 1 costs nothing */
        p->down[n++] = margins && y[i] > 0 ? 0 : s[i];
    }
    p->x = *x;
    p->x.rows = rows;
    p->x.n = p->n = n;
    p->d = d;
    int64_t most = n < d + 1 ? n : d + 1; /* of exact samples, before one leaves */
    TRY_MEM(p->side = ARENA_ZERO(own, double, n));
    TRY_MEM(p->exact = ARENA_NEW(own, int64_t, n + 1));
    TRY_MEM(p->feature = ARENA_NEW(own, int64_t, most + 1));
    TRY_MEM(p->sign = ARENA_NEW(own, double, most + 1));
    TRY_MEM(p->used = ARENA_ZERO(own, bool, d));
    TRY_MEM(p->columns = ARENA_NEW(own, double, n *(most + 1)));
    TRY_MEM(p->M = ARENA_NEW(own, double, (most + 1) * (most + 1)));
    TRY_MEM(p->norms = ARENA_NEW(own, double, 4 * (most + 1)));
    TRY_MEM(p->pivot = ARENA_NEW(own, lapack_int, most + 1));
    TRY_MEM(p->whole = ARENA_NEW(own, lapack_int, most + 1));
    TRY_MEM(p->z = p->own_z = ARENA_NEW(own, double, most + 1));
    if (margins) TRY_MEM(p->own_z = ARENA_NEW(own, double, most + 1));
    TRY_MEM(p->r = ARENA_NEW(own, double, n));
    TRY_MEM(p->dz = ARENA_NEW(own, double, 2 * (most + 1)));
    TRY_MEM(p->dr = ARENA_NEW(own, double, n));
    TRY_MEM(p->dual = ARENA_ZERO(own, double, 2 * n));
    TRY_MEM(p->price = ARENA_NEW(own, double, 2 * d));
    TRY_MEM(p->entering = ARENA_NEW(own, double, n));
    TRY_MEM(p->weight = ARENA_NEW(own, lp_weight, most + 1));
done:
    return status;
}

static pare_status open_path(l1_path **out, const view *x, const double *y, const double *s,
                             bool margins, bool intercept, double mu_end, const pare_ctx *ctx,
                             pare_error *err) {
    pare_status status = PARE_OK;
    const pare_allocator *mem = ctx_allocator(ctx);
    *out = NULL;
    l1_path *p = mem_zero(mem, 1, sizeof *p);
    TRY_MEM(p);
    p->mem = *mem;
    arena_init(&p->own, mem);
    p->intercept = intercept;
    p->mu = INFINITY;
    p->mu_end = p->least = mu_end;
    TRY(allocate(p, x, y, s, margins, err));
    TRY(start(p, err));
    p->lost = !compute(p);
    for (int64_t i = 0; i < p->n; i++) p->range = fmax(p->range, fabs(p->r[i]));
    *out = p;
    p = NULL;
done:
    l1_path_free(p);
    return status;
}

pare_status l1_path_open(l1_path **out, const view *x, const double *y, const double *s,
                         bool intercept, double mu_end, const pare_ctx *ctx, pare_error *err) {
    return open_path(out, x, y, s, false, intercept, mu_end, ctx, err);
}

pare_status l1_path_open_margins(l1_path **out, const view *x, const double *y, const double *s,
                                 bool intercept, double mu_end, const pare_ctx *ctx,
                                 pare_error *err) {
    return open_path(out, x, y, s, true, intercept, mu_end, ctx, err);
}

void l1_path_free(l1_path *p) {
    if (!p) return;
    pare_allocator mem = p->mem;
    arena_free(&p->own);
    mem_free(&mem, p);
}

/* A basic weight that is zero but for rounding. */
static bool is_nothing(const l1_path *p, int64_t k) {
    double largest = 0;
    for (int64_t i = 0; i < p->n; i++) largest = fmax(largest, fabs(p->columns[k * p->n + i]));
    return !(p->sign[k] * p->own_z[k] * largest > nothing * p->range);
}

static void show(l1_path *p, l1_segment *out) {
    *out = (l1_segment){.mu_high = p->mu,
                        .error = p->error,
                        .norm = p->norm,
                        .weight = p->weight,
                        .b = p->intercept && p->m > 0 ? p->own_z[p->n_features] : 0};
    for (int64_t k = 0; k < p->n_features; k++)
        if (!is_nothing(p, k)) p->weight[out->n_weight++] = (lp_weight){p->feature[k], p->own_z[k]};
    qsort(p->weight, (size_t)out->n_weight, sizeof *p->weight, compare_weights);
}

static bool interrupted(l1_segment *out, const pare_ctx *ctx) {
    interruption stop = ctx_poll(ctx, "path", -1);
    if (stop == INTERRUPT_CANCEL) out->outcome = PARE_CANCELLED;
    if (stop == INTERRUPT_TIME) out->outcome = PARE_TIME_LIMIT;
    return stop != INTERRUPT_NONE;
}

pare_status l1_path_next(l1_path *p, l1_segment *out, const pare_ctx *ctx, pare_error *err) {
    int64_t limit = 1000 + 200 * p->n; /* pivots: far beyond any path seen */
    show(p, out);
    out->last = out->lost = p->lost;
    while (!out->last) {
        pare_status status = mat_tmul(&p->x, p->dual, 2, p->price, ctx, err);
        if (status != PARE_OK) return status;
        entrant in = next_entrant(p);
        out->mu_low = in.found ? in.mu : p->mu_end;
        out->last = !in.found;
        if (out->last) break;
        if (isinf(p->mu)) p->least = fmax(p->mu_end, rounding * in.mu);
        status = find_edge(p, &in, ctx, err);
        if (status != PARE_OK) return status;
        leaver leaves = ratio_test(p);
        double error = p->error, norm = p->norm;
        if (leaves.found) exchange(p, &in, &leaves);
        p->lost = !leaves.found || !compute(p);
        p->mu = in.mu;
        if (++p->pivots > limit) out->outcome = PARE_MAX_ITER;
        out->lost = p->lost;
        out->last = p->lost || out->outcome != PARE_OPTIMAL || interrupted(out, ctx);
        bool moved = fabs(p->norm - norm) > tie * fmax(norm, p->norm) ||
                     fabs(p->error - error) > tie * fmax(error, p->error);
        p->zero_steps = moved ? 0 : p->zero_steps + 1;
        if (out->last || !moved) continue;
        double high = out->mu_high;
        if (out->mu_low < high * (1 - 10 * tie)) break;
        show(p, out);
        out->mu_high = high; /* segments join */
    }
    if (out->last && !out->lost) {
        for (int64_t i = 0; i < p->n; i++)
            p->all[p->sample[i]] = p->dual[i] + out->mu_low * p->dual[p->n + i];
        out->dual = p->all;
    }
    return PARE_OK;
}
