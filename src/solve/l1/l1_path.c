/* Parametric simplex for l1_path.h.
 *
 * SYMBOLS   E: the m samples fitted exactly; S: the m features in use, the intercept
 *           being the first.
 *           M = X_ES, B its inverse (l1_inverse.h); z = w_S solves M z = y_E; r = y - X_S z.
 *           u: the dual, at an end of [-down_i, up_i] outside E, and on E such that
 *           X_S'u = mu sign(w_S), and sum u = 0 for the intercept; linear in mu between
 *           breakpoints, with slope q.
 * ALGORITHM 1. Start at w = 0 with b the weighted median or quantile (E holds its
 *              sample), or E empty.
 *           2. The next mu: the largest at which a u_i in E reaches an end, or an |X_j'u| outside S
 *              reaches mu. Both are linear in mu; features are priced as l1_pool.h has it.
 *           3. That sample leaves E, or that feature enters S; the ratio test along the edge says
 *              which w_j reaches 0 and leaves S, or which residual reaches 0 and enters E.
 *           4. z and r go along the edge, u and its prices X'u down to mu. q moves along the one
 *              direction rho that keeps X_S'q as it is for what stays in S, until the entrant's own
 *              condition holds at every mu, and X'q along X'rho. B changes by a product of two
 *              vectors. Go to 2.
 *           Every REFRESH pivots, and where the edge and rho, which must agree on the pivot, do
 *           not, or more than rounding has added up in r, all is made from the data anew.
 * TIES      among equal mu the lowest index enters (samples before features); among equal ratios
 *           the largest pivot leaves, and after many steps of length zero the lowest index, which
 *           cannot cycle. Margins tie by the hundred (every y is -1 or 1): their pivots are chosen
 *           with targets shaken by SHAKE, which moves no breakpoint, for duals do not depend on
 *           targets; the vertices shown are those of the true ones. A vertex that is optimal at one
 *           mu only is passed over. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "base/rng.h"
#include "solve/l1/l1_path_state.h"

static const double tie = 1e-12;      /* relative: breakpoints and ratios this close are one */
static const double rounding = 1e-14; /* of the first mu, the size of X'u */
static const double SHAKE = 1e-7;     /* of a target of size 1 */

/* 1: the sides of the residuals of w = 0; with an intercept the sample of the weighted quantile is
 * fitted exactly, samples before it in the order of y are above the fit's zero, those after
 * below. */
static pare_status start(l1_path *p, pare_error *err) {
    if (!p->intercept || p->n == 0) {
        for (int64_t i = 0; i < p->n; i++) p->side[i] = p->chooser.y[i] < 0 ? -1 : 1;
        return PARE_OK;
    }
    ranked *order = mem_alloc(&p->mem, p->n, sizeof *order);
    if (!order) return error_memory(err);
    double above = 0, below = 0; /* what pulls up and down: samples after, and before and with it */
    for (int64_t i = 0; i < p->n; i++) {
        order[i] = (ranked){p->chooser.y[i], i};
        above += p->up[i];
    }
    sort_least_first(order, p->n);
    int64_t median = 0;
    for (;; median++) {
        above -= p->up[order[median].index];
        below += p->down[order[median].index];
        if (median + 1 == p->n || !(below < above)) break;
    }
    for (int64_t k = 0; k < p->n; k++) p->side[order[k].index] = k < median ? -1 : 1;
    p->exact[0] = order[median].index;
    p->side[p->exact[0]] = 0;
    p->m = 1;
    mem_free(&p->mem, order);
    return PARE_OK;
}

/* Error and norm of the point shown. */
static void measure(l1_path *p) {
    p->error = p->norm = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->side[i] != 0)
            p->error += fmax(p->up[i] * p->shown.r[i], -p->down[i] * p->shown.r[i]);
    for (int64_t k = 0; k < p->m; k++)
        if (p->sign[k] != 0 &&
            !(p->shaken && l1_path_is_nothing(p, k))) /* only the shaking moves it */
            p->norm += fabs(p->shown.z[k]);
}

/* Of exact samples and of features in use with the intercept, before one of them leaves. */
static int64_t largest_basis(const view *x) { return 1 + (x->n < x->d + 1 ? x->n : x->d + 1); }

double l1_path_bytes(const view *x) {
    double most = (double)largest_basis(x);
    return l1_pool_bytes(x, largest_basis(x)) + 16 * most * most + 120 * (double)x->n;
}

static pare_status allocate(l1_path *p, const view *x, const double *y, const double *s,
                            const pare_ctx *ctx, pare_error *err) {
    arena *own = &p->own;
    int64_t n = 0;
    rng shake;
    rng_seed(&shake, 0, 0);
    int32_t *rows = ARENA_NEW(own, int32_t, x->n);
    PASS_MEM(rows);
    PASS_MEM(p->sample = ARENA_NEW(own, int64_t, x->n));
    PASS_MEM(p->all = ARENA_ZERO(own, double, x->n));
    PASS_MEM(p->shown.y = p->chooser.y = ARENA_NEW(own, double, x->n));
    if (p->shaken) PASS_MEM(p->chooser.y = ARENA_NEW(own, double, x->n));
    PASS_MEM(ARENA_NEWS(own, double, x->n, &p->up, &p->down));
    for (int64_t i = 0; i < x->n; i++) {
        if (!(s[i] > 0)) continue; /* a sample of weight 0 is ignored */
        rows[n] = x->rows ? x->rows[i] : (int32_t)i;
        p->sample[n] = i;
        p->shown.y[n] = y[i];
        if (p->shaken) p->chooser.y[n] = y[i] + SHAKE * (2 * rng_uniform(&shake) - 1);
        p->up[n] = p->shaken && y[i] < 0 ? 0 : s[i]; /* margins: y f > 1 costs nothing */
        p->down[n++] = p->shaken && y[i] > 0 ? 0 : s[i];
    }
    view some = *x;
    some.rows = rows;
    some.n = p->n = n;
    int64_t most = largest_basis(&some);
    PASS(l1_pool_init(&p->pool, own, &some, most, p->intercept && n > 0, ctx, err));
    if (!l1_inverse_init(&p->basis, own, most)) PASS_MEM(NULL);
    PASS_MEM(p->side = ARENA_ZERO(own, double, n));
    PASS_MEM(p->exact = ARENA_NEW(own, int64_t, most));
    PASS_MEM(ARENA_ZEROS(own, double, most, &p->sign, &p->extent));
    PASS_MEM(p->shown.z = p->chooser.z = ARENA_NEW(own, double, most));
    PASS_MEM(p->shown.r = p->chooser.r = ARENA_NEW(own, double, n));
    if (p->shaken) PASS_MEM(p->chooser.z = ARENA_NEW(own, double, most));
    if (p->shaken) PASS_MEM(p->chooser.r = ARENA_NEW(own, double, n));
    PASS_MEM(ARENA_NEWS(own, double, most, &p->dz, &p->level, &p->used, &p->correction));
    PASS_MEM(ARENA_NEWS(own, double, n, &p->dr, &p->rho, &p->u, &p->entering));
    PASS_MEM(p->row = ARENA_NEW(own, double, p->pool.capacity));
    PASS_MEM(p->dual = ARENA_ZERO(own, double, 2 * n));
    PASS_MEM(p->weight = ARENA_NEW(own, lp_weight, most));
    return PARE_OK;
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
    p->shaken = margins;
    p->mu = INFINITY;
    p->mu_end = p->least = mu_end;
    TRY(allocate(p, x, y, s, ctx, err));
    TRY(start(p, err));
    TRY(l1_path_refresh(p, &p->lost, ctx, err));
    measure(p);
    for (int64_t i = 0; i < p->n; i++) p->range = fmax(p->range, fabs(p->chooser.r[i]));
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

static void show(l1_path *p, l1_segment *out) {
    *out = (l1_segment){.mu_high = p->mu,
                        .error = p->error,
                        .norm = p->norm,
                        .weight = p->weight,
                        .b = p->intercept && p->m > 0 ? p->shown.z[0] : 0};
    for (int64_t k = 0; k < p->m; k++)
        if (!l1_path_is_nothing(p, k))
            p->weight[out->n_weight++] = (lp_weight){p->pool.feature[k], p->shown.z[k]};
    lp_weights_sort(p->weight, out->n_weight);
}

static bool interrupted(l1_segment *out, const pare_ctx *ctx) {
    return ctx_stops(ctx, "path", -1, &out->outcome);
}

pare_status l1_path_next(l1_path *p, l1_segment *out, const pare_ctx *ctx, pare_error *err) {
    int64_t limit = 1000 + 200 * p->n; /* pivots: far beyond any path seen */
    show(p, out);
    out->last = out->lost = p->lost;
    while (!out->last) {
        l1_entrant in = {0};
        bool again;
        PASS(l1_path_find_entrant(p, &in, ctx, err));
        out->mu_low = in.found ? in.mu : p->mu_end;
        out->last = !in.found;
        if (out->last) break;
        if (isinf(p->mu)) p->least = fmax(p->mu_end, rounding * in.mu);
        double error = p->error, norm = p->norm;
        PASS(l1_path_pivot(p, &in, &again, ctx, err));
        if (again && !p->lost) continue;
        if (!p->lost) measure(p);
        if (p->pivots > limit) out->outcome = PARE_MAX_ITER;
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
            p->all[p->sample[i]] = p->dual[i] + (out->mu_low - l1_path_mu(p)) * p->dual[p->n + i];
        out->dual = p->all;
    }
    return PARE_OK;
}
