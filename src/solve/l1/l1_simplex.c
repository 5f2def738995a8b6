/* Primal simplex for l1_simplex.h.
 *
 * SYMBOLS   E: the m samples fitted exactly; S: the m columns in use, the intercept's among them.
 *           M = X_ES, B its inverse; z = w_S solves M z = y_E; r = y - X_S z.
 *           u: the dual, u_i = s_i sign(r_i) outside E, and on E such that X_S'u = c_S sign(z).
 * ALGORITHM 1. Start with E and S empty, or where the last solve ended.
 *           2. z, r, u and X'u from the data and B.
 *           3. Optimal if |u_i| <= s_i on E and |X_j'u| <= c_j outside S. Else the largest
 *              violation enters: that sample leaves E, or that column enters S. Columns are the few
 *              that were worst when all were priced last, until none of them is violated.
 *           4. Along this edge the objective is convex and piecewise linear: go on over all kinks
 *              (an r_i or a w_j changes sign) until it would rise. What is 0 there enters E or
 *              leaves S. B changes by a product of two vectors. Go to 2.
 *           Every REFRESH pivots, and before an optimum is accepted, M is factored and z and u are
 *           solved with its factors, so that rounding does not add up.
 * TIES      of kinks at one place those with small rates are passed first; after many
 *           steps of length zero the lowest index enters and leaves at the first
 *           kink, which cannot cycle. */
#include "la/factor.h"
#include "solve/l1/l1_simplex_state.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"

static const double tie = 1e-12;         /* relative: kinks this close are at one place */
static const double small_rate = 1e-9;   /* of the largest along the edge: does not move */
static const double wrong_sign = 1e-10;  /* of the largest |y|: a sign that rounding did not make */
static const double price_error = 2e-15; /* of sum_i |x_ij| s_i: rounding in X_j'u */
static const double zero_residual = 1e-11; /* of the largest |y| */
static const double dual_error = 1e-12;    /* of the largest s: rounding in u */
static const double small_excess = 1e-11;  /* relative: a violation not worth a pivot */
static const double weak_rate = 1e-5;      /* of the largest along the edge: B loses digits */
enum { MAX_ZERO_STEPS = 20 };              /* steps of length zero before the lowest index enters */
enum { REFRESH = 30 };
enum { MAX_CELLS = 1000000, MAX_BASIS = 1000, PIVOTS_EACH = 50 };

bool l1_simplex_suits(int64_t n, int64_t d) {
    return d < MAX_CELLS && n * (d + 1) <= MAX_CELLS && (n < d ? n : d) <= MAX_BASIS;
}

static void reset(l1_simplex *q) {
    q->m = q->age = 0;
    for (int64_t i = 0; i < q->n; i++) {
        q->is_exact[i] = false;
        q->side[i] = q->y[i] < 0 ? -1 : 1;
    }
    for (int64_t j = 0; j < q->p; j++) q->used[j] = false;
}

static pare_status allocate(l1_simplex *q, pare_error *err) {
    int64_t n = q->n, p = q->p, m = n < p ? n : p;
    q->most = m;
    arena *own = &q->own;
    PASS_MEM(q->X = ARENA_NEW(own, double, n *p));
    PASS_MEM(ARENA_NEWS(own, double, n, &q->y, &q->s, &q->side, &q->r, &q->dr, &q->f, &q->u));
    PASS_MEM(q->is_exact = ARENA_NEW(own, bool, n));
    PASS_MEM(ARENA_ZEROS(own, double, p, &q->c, &q->range));
    PASS_MEM(ARENA_NEWS(own, double, p, &q->blur, &q->price, &q->sign));
    PASS_MEM(q->used = ARENA_NEW(own, bool, p));
    PASS_MEM(ARENA_NEWS(own, int64_t, m, &q->E, &q->S));
    PASS_MEM(ARENA_NEWS(own, double, m, &q->z, &q->dz, &q->level));
    PASS_MEM(q->weight = ARENA_NEW(own, lp_weight, m));
    if (!l1_inverse_init(&q->basis, own, m)) PASS_MEM(NULL);
    PASS_MEM(q->zero_rows = ARENA_NEW(own, double, n *m));
    PASS_MEM(q->kinks = ARENA_NEW(own, l1_kink, n + m));
    return PARE_OK;
}

pare_status l1_simplex_new(l1_simplex **out, const view *x, const double *y, bool intercept,
                           const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t *all = NULL;
    *out = NULL;
    l1_simplex *q = mem_zero(mem, 1, sizeof *q);
    TRY_MEM(q);
    q->mem = *mem;
    q->n = x->n;
    q->d = x->d;
    q->p = x->d + intercept;
    arena_init(&q->own, mem);
    TRY(allocate(q, err));
    TRY_MEM(all = mem_alloc(mem, x->d, sizeof *all));
    for (int64_t j = 0; j < x->d; j++) all[j] = j;
    if (x->d) TRY(mat_columns(x, all, x->d, q->X, ctx, err));
    for (int64_t i = 0; i < q->n; i++) {
        q->y[i] = y[i];
        q->size = fmax(q->size, fabs(y[i]));
        if (intercept) q->X[q->d * q->n + i] = 1;
    }
    for (int64_t j = 0; j < q->p; j++)
        for (int64_t i = 0; i < q->n; i++)
            q->range[j] = fmax(q->range[j], fabs(q->X[j * q->n + i]));
    reset(q);
    *out = q;
    q = NULL;
done:
    mem_free(mem, all);
    l1_simplex_free(q);
    return status;
}

void l1_simplex_free(l1_simplex *q) {
    if (!q) return;
    pare_allocator mem = q->mem;
    arena_free(&q->own);
    mem_free(&mem, q);
}

/* f = X_S v. */
static void combine(const l1_simplex *q, const double *v, double *f) {
    for (int64_t i = 0; i < q->n; i++) f[i] = 0;
    for (int64_t k = 0; k < q->m; k++) {
        const double *x = q->X + q->S[k] * q->n;
        for (int64_t i = 0; i < q->n; i++) f[i] += v[k] * x[i];
    }
}

/* B from the data; false where M is singular. */
static bool refresh(l1_simplex *q) {
    int64_t m = q->m;
    q->age = 0;
    for (int64_t k = 0; k < m; k++)
        for (int64_t e = 0; e < m; e++) q->basis.M[e * m + k] = q->X[q->S[k] * q->n + q->E[e]];
    return l1_inverse_make(&q->basis, m);
}

/* Step 2. */
static void compute(l1_simplex *q) {
    int64_t n = q->n, m = q->m;
    for (int64_t e = 0; e < m; e++) q->z[e] = q->y[q->E[e]];
    l1_inverse_solve(&q->basis, false, q->z, q->dz);
    combine(q, q->z, q->f);
    for (int64_t k = 0; k < m; k++) {
        int64_t j = q->S[k];
        if (q->sign[j] * q->z[k] * q->range[j] < -wrong_sign * q->size) q->sign[j] *= -1;
    }
    for (int64_t i = 0; i < n; i++) {
        q->r[i] = q->y[i] - q->f[i];
        if (q->side[i] * q->r[i] < -wrong_sign * q->size) q->side[i] *= -1;
        q->u[i] = q->is_exact[i] ? 0 : q->s[i] * q->side[i];
    }
    double *rest = q->dz; /* c_S sign(z) - X_S'u, then u on E */
    for (int64_t k = 0; k < m; k++) {
        int64_t j = q->S[k];
        rest[k] = q->c[j] * q->sign[j] - cblas_ddot((int)n, q->X + j * n, 1, q->u, 1);
    }
    l1_inverse_solve(&q->basis, true, rest, q->level);
    for (int64_t e = 0; e < m; e++) q->u[q->E[e]] = rest[e];
}

/* X_j'u of all columns, or of the listed ones (L1_HOT). */
static void price(l1_simplex *q, bool all) {
    int n = (int)q->n;
    if (all && n > 0 && q->p > 0)
        cblas_dgemv(CblasColMajor, CblasTrans, n, (int)q->p, 1, q->X, n, q->u, 1, 0, q->price, 1);
    for (int64_t k = 0; !all && k < q->n_hot; k++)
        q->price[q->hot[k]] = cblas_ddot(n, q->X + q->hot[k] * q->n, 1, q->u, 1);
}

typedef struct entrant {
    bool found, is_feature;
    int64_t index; /* column, or position in E */
    double sign, excess;
} entrant;

/* By how much the price of column j exceeds its cost, if it is worth a pivot; else 0. */
static double excess_of(const l1_simplex *q, int64_t j) {
    double excess = fabs(q->price[j]) - q->c[j];
    bool worth = !q->used[j] && excess > small_excess * q->c[j] + q->blur[j];
    return worth ? excess : 0;
}

/* Lists the L1_HOT most violated of all columns, whose prices are known. */
static void list_hot(l1_simplex *q) {
    q->n_hot = 0;
    for (int64_t j = 0; j < q->p; j++) {
        double size = excess_of(q, j) / q->range[j];
        int64_t k = q->n_hot;
        if (!(size > 0) || (k == L1_HOT && !(size > q->heat[k - 1]))) continue;
        if (k < L1_HOT)
            q->n_hot++;
        else
            k--;
        for (; k > 0 && q->heat[k - 1] < size; k--) {
            q->heat[k] = q->heat[k - 1];
            q->hot[k] = q->hot[k - 1];
        }
        q->heat[k] = size;
        q->hot[k] = j;
    }
}

/* Step 3: the entrant with the largest excess, in units of a sample's cost, of the samples and the
 * listed columns; or the first one of all. */
static entrant choose(const l1_simplex *q, bool first) {
    entrant best = {0};
    double most = 0;
    for (int64_t e = 0; e < q->m; e++) {
        int64_t i = q->E[e];
        double excess = fabs(q->u[i]) - q->s[i];
        bool preferred = first ? !best.found || i < q->E[best.index] : excess > most;
        if (!(preferred && excess > small_excess * q->s[i] + dual_error * q->heaviest)) continue;
        best = (entrant){true, false, e, q->u[i] > 0 ? 1 : -1, excess};
        most = excess;
    }
    int64_t count = first ? q->p : q->n_hot;
    for (int64_t k = 0; k < count && !(first && best.found); k++) {
        int64_t j = first ? k : q->hot[k];
        double excess = excess_of(q, j);
        if (!(excess > most * q->range[j])) continue;
        best = (entrant){true, true, j, q->price[j] > 0 ? 1 : -1, excess};
        most = excess / q->range[j];
    }
    return best;
}

static entrant next_entrant(l1_simplex *q) {
    bool first = q->zero_steps > MAX_ZERO_STEPS;
    entrant in = {0};
    if (!first) {
        price(q, false);
        in = choose(q, false);
    }
    if (in.found) return in;
    price(q, true);
    list_hot(q);
    return choose(q, first);
}

/* Step 4: dz and dr per unit of the entrant. */
static void find_edge(l1_simplex *q, const entrant *in) {
    const double *x = in->is_feature ? q->X + in->index * q->n : NULL;
    for (int64_t e = 0; e < q->m; e++) q->dz[e] = x ? -in->sign * x[q->E[e]] : 0;
    if (!x) q->dz[in->index] = -in->sign;
    l1_inverse_solve(&q->basis, false, q->dz, q->level);
    combine(q, q->dz, q->dr);
    for (int64_t i = 0; i < q->n; i++) q->dr[i] = -q->dr[i] - (x ? in->sign * x[i] : 0);
}

static int64_t list_kinks(l1_simplex *q) {
    double most_r = 0, most_z = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < q->n; i++)
        if (!q->is_exact[i]) most_r = fmax(most_r, fabs(q->dr[i]));
    for (int64_t k = 0; k < q->m; k++) most_z = fmax(most_z, fabs(q->dz[k]) * q->range[q->S[k]]);
    q->fastest = fmax(most_r, most_z);
    for (int64_t i = 0; i < q->n; i++) {
        double rate = -q->side[i] * q->dr[i];
        if (q->is_exact[i] || !(q->s[i] > 0 && rate > small_rate * most_r)) continue;
        q->kinks[count++] = (l1_kink){
            fmax(0, q->side[i] * q->r[i]) / rate, rate, 2 * rate * q->s[i], false, false, i, i};
    }
    for (int64_t k = 0; k < q->m; k++) {
        int64_t j = q->S[k];
        double rate = -q->sign[j] * q->dz[k];
        if (!(q->c[j] > 0 && rate * q->range[j] > small_rate * most_z)) continue;
        q->kinks[count++] = (l1_kink){fmax(0, q->sign[j] * q->z[k]) / rate,
                                      rate * q->range[j],
                                      2 * rate * q->c[j],
                                      true,
                                      false,
                                      k,
                                      q->n + j};
    }
    return count;
}

static bool earlier(const l1_kink *a, const l1_kink *b, bool by_index) {
    if (fabs(a->step - b->step) > tie * fmax(a->step, b->step)) return a->step < b->step;
    return by_index ? a->order < b->order : a->rate < b->rate;
}

/* The kink behind which the objective rises, from `slope` on; NULL: none, which is rounding. */
static const l1_kink *last_kink(l1_simplex *q, double slope) {
    bool by_index = q->zero_steps > MAX_ZERO_STEPS;
    int64_t count = list_kinks(q);
    for (;;) {
        l1_kink *next = NULL;
        for (int64_t k = 0; k < count; k++)
            if (!q->kinks[k].passed && (!next || earlier(&q->kinks[k], next, by_index)))
                next = &q->kinks[k];
        if (!next) return NULL;
        slope += next->gain;
        if (slope >= 0 || by_index) return next;
        next->passed = true;
        if (next->is_feature)
            q->sign[q->S[next->index]] *= -1;
        else
            q->side[next->index] *= -1;
    }
}

static void remove_places(l1_simplex *q, int64_t k, int64_t e) {
    q->used[q->S[k]] = q->is_exact[q->E[e]] = false;
    q->m--;
    q->S[k] = q->S[q->m];
    q->E[e] = q->E[q->m];
}

/* B, E and S after the pivot along dz and dr. */
static void exchange(l1_simplex *q, const entrant *in, const l1_kink *out) {
    int64_t e = in->is_feature ? -1 : in->index, k = out->is_feature ? out->index : -1;
    if (k >= 0) {
        l1_inverse_row(&q->basis, k, q->level);
    } else {              /* of r_i = y_i - x_i'z */
        double *x = q->z; /* recomputed after the pivot */
        for (int64_t t = 0; t < q->m; t++) x[t] = -q->X[q->S[t] * q->n + out->index];
        l1_inverse_apply(&q->basis, true, x, q->level);
    }
    double rate = k >= 0 ? q->dz[k] : q->dr[out->index];
    l1_inverse_exchange(&q->basis, e, k, in->sign, q->dz, q->level, rate);
    if (e >= 0) q->side[q->E[e]] = in->sign;
    if (e >= 0 && k >= 0) {
        remove_places(q, k, e);
        return;
    }
    if (e >= 0) q->is_exact[q->E[e]] = false;
    if (k >= 0) q->used[q->S[k]] = false;
    if (k < 0) {
        q->E[e >= 0 ? e : q->m] = out->index;
        q->is_exact[out->index] = true;
    }
    if (e < 0) {
        q->S[k >= 0 ? k : q->m] = in->index;
        q->used[in->index] = true;
        q->sign[in->index] = in->sign;
    }
    q->m = q->basis.m;
}

/* Step 1; false: the basis is singular. Columns of infinite cost leave, each with the sample whose
 * removal leaves the best conditioned basis. */
static bool begin(l1_simplex *q, const double *cost, const double *loss) {
    q->heaviest = 0;
    for (int64_t i = 0; i < q->n; i++) {
        q->s[i] = loss[i];
        q->heaviest = fmax(q->heaviest, loss[i]);
    }
    for (int64_t j = 0; j < q->p; j++) {
        if (j < q->d) q->c[j] = cost[j];
        double sum = 0;
        for (int64_t i = 0; i < q->n; i++) sum += fabs(q->X[j * q->n + i]) * q->s[i];
        q->blur[j] = price_error * sum;
    }
    if (!refresh(q)) return false;
    for (int64_t k = q->m - 1; k >= 0; k--) {
        if (q->c[q->S[k]] < INFINITY) continue;
        int64_t best = 0;
        l1_inverse_row(&q->basis, k, q->level);
        for (int64_t e = 0; e < q->m; e++)
            if (fabs(q->level[e]) > fabs(q->level[best])) best = e;
        memcpy(q->dz, l1_inverse_column(&q->basis, best), sizeof *q->dz * (size_t)q->m);
        l1_inverse_exchange(&q->basis, best, k, 1, q->dz, q->level, q->dz[k]);
        remove_places(q, k, best);
    }
    return q->basis.fresh || refresh(q);
}

static void show(l1_simplex *q, l1_vertex *out) {
    out->weight = q->weight;
    out->f = q->f;
    out->u = q->u;
    out->b = out->objective = 0;
    out->n_weight = 0;
    for (int64_t i = 0; i < q->n; i++) out->objective += q->s[i] * fabs(q->r[i]);
    for (int64_t k = 0; k < q->m; k++) {
        int64_t j = q->S[k];
        out->objective += q->c[j] * fabs(q->z[k]);
        if (j == q->d)
            out->b = q->z[k];
        else if (q->z[k] != 0)
            q->weight[out->n_weight++] = (lp_weight){j, q->z[k]};
    }
    lp_weights_sort(q->weight, out->n_weight);
}

/* Steps 3 and 4; false: no further pivot is possible. */
static bool pivot_once(l1_simplex *q, const entrant *in) {
    find_edge(q, in);
    const l1_kink *leaves = last_kink(q, -in->excess);
    if (!leaves) return false;
    bool moved = leaves->step * in->excess > tie * q->heaviest * q->size;
    bool weak = leaves->rate < weak_rate * q->fastest;
    q->zero_steps = moved ? 0 : q->zero_steps + 1;
    exchange(q, in, leaves);
    if (weak || ++q->age >= REFRESH) return refresh(q);
    return true;
}

bool l1_simplex_solve(l1_simplex *q, l1_vertex *out, const double *cost, const double *loss) {
    bool fine = begin(q, cost, loss);
    out->pivots = q->zero_steps = q->n_hot = 0;
    while (fine) {
        compute(q);
        entrant in = next_entrant(q);
        if (in.found) {
            fine = ++out->pivots <= PIVOTS_EACH * (q->n + q->p) && pivot_once(q, &in);
        } else if (q->basis.fresh) {
            show(q, out);
            fine = isfinite(out->objective);
            if (fine) return true;
        } else {
            fine = refresh(q);
        }
    }
    reset(q);
    return false;
}

static int compare_residuals(const void *a, const void *b) {
    const l1_kink *x = a, *y = b;
    int order = order_up(x->step, y->step);
    return order ? order : order_index(x->index, y->index);
}

void l1_simplex_start(l1_simplex *q, const lp_weight *weight, int64_t count, double b) {
    int64_t n = q->n, m = count + (q->p > q->d), zeros = 0;
    reset(q);
    if (m > q->most) return;
    for (int64_t k = 0; k < m; k++) {
        q->S[k] = k < count ? weight[k].feature : q->d;
        q->z[k] = k < count ? weight[k].value : b;
    }
    q->m = m;
    combine(q, q->z, q->f);
    q->m = 0;
    for (int64_t i = 0; i < n; i++)
        q->kinks[i] = (l1_kink){.step = fabs(q->y[i] - q->f[i]), .index = i};
    qsort(q->kinks, (size_t)n, sizeof *q->kinks, compare_residuals);
    while (zeros < n && (zeros < m || q->kinks[zeros].step <= zero_residual * q->size)) zeros++;
    for (int64_t k = 0; k < m; k++)
        for (int64_t e = 0; e < zeros; e++)
            q->zero_rows[k * zeros + e] = q->X[q->S[k] * n + q->kinks[e].index];
    if (!lu_factor(zeros, m, q->zero_rows, zeros, q->basis.pivot)) return;
    for (int64_t e = 0; e < m; e++) { /* the rows that the factors begin with */
        l1_kink swap = q->kinks[e];
        q->kinks[e] = q->kinks[q->basis.pivot[e] - 1];
        q->kinks[q->basis.pivot[e] - 1] = swap;
    }
    for (int64_t k = 0; k < m; k++) {
        q->E[k] = q->kinks[k].index;
        q->is_exact[q->E[k]] = q->used[q->S[k]] = true;
        q->sign[q->S[k]] = q->z[k] < 0 ? -1 : 1;
    }
    q->m = m;
}

double l1_simplex_worst_price(const l1_simplex *q, const double *u) {
    double worst = 0;
    for (int64_t j = 0; j < q->d; j++) {
        double size = fabs(cblas_ddot((int)q->n, q->X + j * q->n, 1, u, 1));
        if (size > 0) worst = fmax(worst, size / q->c[j]);
    }
    return worst;
}

double l1_simplex_price_rounding(const l1_simplex *q) {
    double worst = 0;
    for (int64_t j = 0; j < q->d; j++)
        if (q->blur[j] > 0) worst = fmax(worst, q->blur[j] / q->c[j]);
    return worst;
}
