/* The pivots of l1_path.h: steps 2 to 4 of l1_path.c. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "solve/l1/l1_path_state.h"

static const double tie = 1e-12;        /* relative: breakpoints and ratios this close are one */
static const double flat = 1e-9;        /* a reduced cost that falls slower than this is constant */
static const double small_pivot = 1e-9; /* of the largest entry of the direction */
static const double nothing = 1e-11;    /* a weight that moves no fit by this share of y's range */
static const double disagree = 1e-9;    /* of the pivot: difference between its two computations */
static const double accurate = 1e-12;   /* of the fastest residual: error along an edge */
static const double drift = 1e-13;      /* of the range of r: what may add up in it */
enum { MAX_ZERO_STEPS = 20 };           /* steps of length zero before the lowest index leaves */
enum { REFRESH = 100 };                 /* pivots */

typedef struct leaver {
    bool found, is_feature;
    int64_t index; /* place in S, or sample */
    double step, size;
} leaver;

/* The dual of a residual on this side; 0: the residual is 0. */
static double end_of(const l1_path *p, int64_t i, double side) {
    return side > 0 ? p->up[i] : side < 0 ? -p->down[i] : 0;
}

/* The point that fits E exactly, and the residuals of all samples: z = 0, corrected twice. */
static pare_status find_point(l1_path *p, l1_point *at, const pare_ctx *ctx, pare_error *err) {
    double *wrong = p->level, *by = p->dz;
    pare_status status = PARE_OK;
    memcpy(at->r, at->y, sizeof(double) * (size_t)p->n);
    memset(at->z, 0, sizeof(double) * (size_t)p->m);
    for (int round = 0; round < 2 && status == PARE_OK; round++) {
        for (int64_t e = 0; e < p->m; e++) wrong[e] = at->r[p->exact[e]];
        l1_inverse_apply(&p->basis, false, wrong, by);
        for (int64_t k = 0; k < p->m; k++) at->z[k] += by[k];
        memcpy(at->r, at->y, sizeof(double) * (size_t)p->n);
        status = l1_pool_combine(&p->pool, -1, at->z, at->r, ctx, err);
    }
    return status;
}

/* v on E such that X_S'v = mu sign(w_S), corrected once; v: n, given outside E and 0 on E. */
static void find_dual(l1_path *p, double mu, double *v) {
    double *wrong = p->level, *by = p->dz;
    for (int round = 0; round < 2; round++) {
        l1_pool_used_product(&p->pool, v, wrong);
        for (int64_t k = 0; k < p->m; k++) wrong[k] = mu * p->sign[k] - wrong[k];
        l1_inverse_apply(&p->basis, true, wrong, by);
        for (int64_t e = 0; e < p->m; e++) v[p->exact[e]] += by[e];
    }
}

bool l1_path_is_nothing(const l1_path *p, int64_t k) {
    return !(p->sign[k] * p->shown.z[k] * p->extent[k] > nothing * p->range);
}

pare_status l1_path_refresh(l1_path *p, bool *singular, const pare_ctx *ctx, pare_error *err) {
    for (int64_t e = 0; e < p->m; e++)
        memcpy(p->basis.M + e * p->m, p->pool.X + p->exact[e] * p->pool.stride,
               sizeof(double) * (size_t)p->m);
    *singular = !l1_inverse_make(&p->basis, p->m);
    if (*singular) return PARE_OK;
    pare_status status = find_point(p, &p->shown, ctx, err);
    if (status == PARE_OK && p->shaken) status = find_point(p, &p->chooser, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t i = 0; i < p->n; i++) {
        p->dual[i] = end_of(p, i, p->side[i]);
        p->dual[p->n + i] = 0;
    }
    find_dual(p, l1_path_mu(p), p->dual);
    find_dual(p, 1, p->dual + p->n);
    p->age = 0;
    p->worn = false;
    return l1_pool_refresh(&p->pool, p->dual, ctx, err);
}

/* order: the feature, or the sample minus n; the lowest of equal mu enters. */
static void offer(const l1_path *p, l1_entrant *best, double mu, bool is_feature, int64_t index,
                  int64_t order, double sign) {
    if (!(mu > p->least)) return;
    if (mu > p->mu) mu = p->mu; /* rounding: it was to enter already */
    if (best->found && !(mu > best->mu * (1 + tie)))
        if (order > best->order || mu < best->mu * (1 - tie)) return;
    *best = (l1_entrant){true, is_feature, index, order, mu, sign};
}

/* Step 2: the u_i in E that reaches an end first. */
static l1_entrant next_sample(const l1_path *p) {
    l1_entrant best = {0};
    const double *u = p->dual, *slope = p->dual + p->n;
    double from = l1_path_mu(p);
    for (int64_t e = 0; e < p->m; e++) {
        int64_t i = p->exact[e];
        if (slope[i] == 0 || fabs(slope[i]) * p->mu <= flat * (p->up[i] + p->down[i])) continue;
        double sign = slope[i] > 0 ? -1 : 1; /* the side that u_i goes to as mu falls */
        offer(p, &best, from - (u[i] - end_of(p, i, sign)) / slope[i], false, e, i - p->n, sign);
    }
    return best;
}

/* Offers the mu at which a feature of these prices reaches mu; without a division if that is too
 * late. */
static void offer_feature(const l1_path *p, l1_entrant *best, double at, double per, int64_t index,
                          int64_t feature) {
    double mu = l1_path_mu(p), down = mu - (best->found ? best->mu * (1 - 2 * tie) : 0);
    if (1 - per > flat && !(mu - at > down * (1 - per)))
        offer(p, best, mu - (mu - at) / (1 - per), true, index, feature, 1);
    if (1 + per > flat && !(mu + at > down * (1 + per)))
        offer(p, best, mu - (mu + at) / (1 + per), true, index, feature, -1);
}

static l1_entrant next_candidate(const l1_path *p) {
    const l1_pool *q = &p->pool;
    l1_entrant best = next_sample(p);
    for (int64_t k = q->used; k < q->count; k++)
        offer_feature(p, &best, q->at[k], q->per[k], k, q->feature[k]);
    return best;
}

static l1_entrant next_of_all(const l1_path *p) {
    const l1_pool *q = &p->pool;
    l1_entrant best = next_sample(p);
    for (int64_t j = 0; j < q->d; j++)
        if (q->place[j] < 0 || q->place[j] >= q->used)
            offer_feature(p, &best, q->price[j], q->price[q->d + j], 0, j);
    return best;
}

/* u at the mu where this enters, or at the end. */
static double dual_at(l1_path *p, const l1_entrant *in) {
    double mu = in->found ? in->mu : p->least, by = mu - l1_path_mu(p);
    for (int64_t i = 0; i < p->n; i++) p->u[i] = p->dual[i] + by * p->dual[p->n + i];
    return mu;
}

pare_status l1_path_find_entrant(l1_path *p, l1_entrant *best, const pare_ctx *ctx,
                                 pare_error *err) {
    bool many = true;
    if (!isinf(p->mu)) {
        *best = next_candidate(p);
        double mu = dual_at(p, best);
        int64_t before = p->pool.count;
        PASS(l1_pool_bound(&p->pool, p->u, mu, p->dual, &many, ctx, err));
        if (!many && p->pool.count > before) *best = next_candidate(p);
    }
    if (!many) return PARE_OK;
    PASS(l1_pool_price_all(&p->pool, p->dual, ctx, err));
    *best = next_of_all(p);
    double mu = dual_at(p, best);
    PASS(l1_pool_restart(&p->pool, p->u, mu - l1_path_mu(p), best->is_feature ? best->order : -1,
                         ctx, err));
    if (best->is_feature) best->index = p->pool.used;
    return PARE_OK;
}

/* Along the edge, E except the entrant must stay fitted exactly. With nearly equal columns and
 * slowly changing residuals B is not accurate enough: then the edge is corrected. */
static pare_status correct_edge(l1_path *p, const l1_entrant *in, const pare_ctx *ctx,
                                pare_error *err) {
    double *wrong = p->used, *by = p->correction, worst = 0, largest = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->side[i] != 0) largest = fmax(largest, fabs(p->dr[i]));
    for (int64_t e = 0; e < p->m; e++) {
        wrong[e] = p->dr[p->exact[e]];
        if (!in->is_feature && e == in->index) wrong[e] -= in->sign;
        worst = fmax(worst, fabs(wrong[e]));
    }
    if (worst <= accurate * largest) return PARE_OK;
    p->worn = true; /* B after this pivot would be less accurate still */
    l1_inverse_apply(&p->basis, false, wrong, by);
    for (int64_t k = 0; k < p->m; k++) p->dz[k] += by[k];
    return l1_pool_combine(&p->pool, -1, by, p->dr, ctx, err);
}

/* The edge along which the entrant grows: dz and dr per unit of it. */
static pare_status find_edge(l1_path *p, const l1_entrant *in, const pare_ctx *ctx,
                             pare_error *err) {
    if (in->is_feature) {
        pare_status status = l1_pool_column(&p->pool, in->index, p->entering, ctx, err);
        if (status != PARE_OK) return status;
        for (int64_t e = 0; e < p->m; e++) p->level[e] = -in->sign * p->entering[p->exact[e]];
        for (int64_t i = 0; i < p->n; i++) p->dr[i] = -in->sign * p->entering[i];
        l1_inverse_apply(&p->basis, false, p->level, p->dz);
    } else {
        const double *unit = l1_inverse_column(&p->basis, in->index);
        for (int64_t k = 0; k < p->m; k++) p->dz[k] = -in->sign * unit[k];
        for (int64_t i = 0; i < p->n; i++) p->dr[i] = 0;
    }
    pare_status status = l1_pool_combine(&p->pool, -1, p->dz, p->dr, ctx, err);
    return status == PARE_OK ? correct_edge(p, in, ctx, err) : status;
}

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

/* Step 3: the variable that stops the entrant. Residuals and weights are measured in the units of
 * y: a weight by its largest effect on a sample. */
static leaver ratio_test(const l1_path *p) {
    leaver out = {0};
    bool by_index = p->zero_steps > MAX_ZERO_STEPS;
    const l1_point *at = &p->chooser;
    double largest_r = 0, largest_z = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->side[i] != 0) largest_r = fmax(largest_r, fabs(p->dr[i]));
    for (int64_t k = 0; k < p->m; k++)
        if (p->sign[k] != 0) largest_z = fmax(largest_z, fabs(p->dz[k]));
    for (int64_t i = 0; i < p->n; i++)
        if (p->side[i] != 0)
            consider(&out, p->side[i] * at->r[i], -p->side[i] * p->dr[i], largest_r, false, i,
                     by_index);
    for (int64_t k = 0; k < p->m; k++)
        if (p->sign[k] != 0)
            consider(&out, p->sign[k] * at->z[k], -p->sign[k] * p->dz[k], largest_z, true, k,
                     by_index);
    return out;
}

/* Step 4: level, the row by which B changes: how the value that reaches zero depends on the targets
 * of E. rho is the same for all targets, corrected once, for its errors stay in the dual: X_S'rho
 * must be 0, or 1 for the feature that leaves. */
static pare_status find_row(l1_path *p, const leaver *out, const pare_ctx *ctx, pare_error *err) {
    double *wrong = p->used, *by = p->correction;
    memset(p->rho, 0, sizeof(double) * (size_t)p->n);
    if (out->is_feature) {
        l1_inverse_row(&p->basis, out->index, p->level);
    } else {
        l1_inverse_apply(&p->basis, true, p->pool.X + out->index * p->pool.stride, p->level);
        for (int64_t e = 0; e < p->m; e++) p->level[e] = -p->level[e];
        p->rho[out->index] = 1;
    }
    for (int64_t e = 0; e < p->m; e++) p->rho[p->exact[e]] = p->level[e];
    l1_pool_used_product(&p->pool, p->rho, wrong);
    if (out->is_feature) wrong[out->index] -= 1;
    l1_inverse_apply(&p->basis, true, wrong, by);
    for (int64_t e = 0; e < p->m; e++) p->rho[p->exact[e]] -= by[e];
    return l1_pool_product(&p->pool, p->rho, p->row, ctx, err);
}

/* The rate at which the leaver reaches zero, by the edge, and by rho without its sign. */
static double rate_by_edge(const l1_path *p, const leaver *out) {
    return out->is_feature ? p->dz[out->index] : p->dr[out->index];
}

static double rate_by_row(const l1_path *p, const l1_entrant *in) {
    return in->is_feature ? p->row[in->index] : p->rho[p->exact[in->index]];
}

static bool rates_agree(const l1_path *p, const l1_entrant *in, const leaver *out) {
    double one = rate_by_edge(p, out), other = -in->sign * rate_by_row(p, in);
    return fabs(one - other) <= disagree * fabs(one);
}

/* To the vertex where the leaver is zero. */
static double move_point(l1_path *p, l1_point *at, const leaver *out) {
    double value = out->is_feature ? at->z[out->index] : at->r[out->index];
    double t = -value / rate_by_edge(p, out);
    for (int64_t k = 0; k < p->m; k++) at->z[k] += t * p->dz[k];
    for (int64_t i = 0; i < p->n; i++) at->r[i] += t * p->dr[i];
    return t;
}

/* Moves u or q by `by` along rho, with its prices. */
static void move_dual(l1_path *p, double *v, double *price, double by) {
    const l1_pool *q = &p->pool;
    for (int64_t i = 0; i < p->n; i++) v[i] += by * p->rho[i];
    for (int64_t k = q->used; k < q->count; k++) price[k] += by * p->row[k];
}

/* Moves u to the breakpoint mu, with its prices. */
static void go_down(l1_path *p, double mu) {
    l1_pool *q = &p->pool;
    double by = mu - l1_path_mu(p);
    for (int64_t i = 0; i < p->n; i++) p->dual[i] += by * p->dual[p->n + i];
    for (int64_t k = q->used; k < q->count; k++) q->at[k] += by * q->per[k];
    p->mu = mu;
}

/* Along rho until the entrant's condition holds at every mu; u is there already but for
 * rounding. */
static void move_duals(l1_path *p, const l1_entrant *in, const leaver *out) {
    double *u = p->dual, *slope = p->dual + p->n, rate = rate_by_row(p, in);
    l1_pool *q = &p->pool;
    int64_t k = in->index, i = in->is_feature ? -1 : p->exact[k];
    double end = in->is_feature ? in->sign * p->mu : end_of(p, i, in->sign);
    double by = (end - (in->is_feature ? q->at[k] : u[i])) / rate;
    double by_slope = (in->is_feature ? in->sign - q->per[k] : -slope[i]) / rate;
    move_dual(p, u, q->at, by);
    move_dual(p, slope, q->per, by_slope);
    if (in->is_feature) {
        q->at[k] = end;
        q->per[k] = in->sign;
    } else {
        u[i] = end;
        slope[i] = 0;
    }
    if (!out->is_feature) return;
    q->at[out->index] = p->sign[out->index] * p->mu + by;
    q->per[out->index] = p->sign[out->index] + by_slope;
}

/* What comes in or goes out of S: place k. */
static void set_place(l1_path *p, int64_t k, double sign, double t_shown, double t_chooser) {
    p->shown.z[k] = sign * t_shown;
    p->chooser.z[k] = sign * t_chooser;
    p->sign[k] = sign;
    p->extent[k] = 0;
    for (int64_t i = 0; i < p->n; i++) p->extent[k] = fmax(p->extent[k], fabs(p->entering[i]));
}

static void exchange(l1_path *p, const l1_entrant *in, const leaver *out) {
    double t = move_point(p, &p->shown, out);
    double t_chooser = p->shaken ? move_point(p, &p->chooser, out) : t;
    int64_t e = in->is_feature ? -1 : in->index, k = out->is_feature ? out->index : -1;
    go_down(p, in->mu);
    move_duals(p, in, out);
    l1_inverse_exchange(&p->basis, e, k, in->sign, p->dz, p->level, rate_by_edge(p, out));
    l1_pool_exchange(&p->pool, in->is_feature ? in->index : -1, k, p->entering);
    if (e >= 0) p->side[p->exact[e]] = in->sign; /* the side that its dual had reached */
    if (k < 0) {
        p->side[out->index] = 0;
        p->exact[e >= 0 ? e : p->m] = out->index;
    }
    if (e < 0) set_place(p, k >= 0 ? k : p->m, in->sign, t, t_chooser);
    if (e < 0 && k < 0) p->m++;
    if (e >= 0 && k >= 0) {
        int64_t last = --p->m;
        p->exact[e] = p->exact[last];
        p->shown.z[k] = p->shown.z[last];
        p->chooser.z[k] = p->chooser.z[last];
        p->sign[k] = p->sign[last];
        p->extent[k] = p->extent[last];
    }
    p->age++;
    p->pivots++;
}

/* Returns true if rounding errors have added up. */
static bool is_stale(const l1_path *p) {
    double worst = 0;
    for (int64_t e = 0; e < p->m; e++) worst = fmax(worst, fabs(p->chooser.r[p->exact[e]]));
    return p->worn || p->age >= REFRESH || !(worst <= drift * p->range);
}

pare_status l1_path_pivot(l1_path *p, const l1_entrant *in, bool *again, const pare_ctx *ctx,
                          pare_error *err) {
    *again = false;
    PASS(find_edge(p, in, ctx, err));
    leaver out = ratio_test(p);
    if (out.found) PASS(find_row(p, &out, ctx, err));
    if ((!out.found || !rates_agree(p, in, &out)) && p->age > 0) {
        *again = true; /* recomputed from the data; pivot again */
        PASS(l1_path_refresh(p, &p->lost, ctx, err));
        return PARE_OK;
    }
    p->lost = !out.found;
    if (!out.found) return PARE_OK;
    exchange(p, in, &out);
    if (is_stale(p)) PASS(l1_path_refresh(p, &p->lost, ctx, err));
    return PARE_OK;
}
