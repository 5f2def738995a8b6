/* The certificate of `rank-svm`, from raw columns and O(N log N) sums over pairs:
 *   primal   sum_ij c_i c_j loss(1 - f_i + f_j) + lambda Omega(w),  w_j = coef_j / scale_j
 *   dual     squared: the stored scores stand for gamma_ij = 2 c_i c_j max(0, 1 - s_i + s_j), any of
 *            which is feasible; sum gamma and sum gamma^2/(4 c_i c_j) follow by sorting.
 *            hinge: the stored sums a_i, b_j belong to some gamma in [0, c_i c_j] exactly if
 *            sum a = sum b and, with A = a/c, B = b/c and positives by descending A, for each k
 *               sum of the first k a_i  <=  sum_j c_j min(B_j, c_1 + ... + c_k)
 *            (flows saturate the sources if no cut is smaller, and the smallest cuts are these).
 *            Then sum gamma = sum a.
 * Either point is scaled down to where g = sum a_i x_i - sum b_j x_j is allowed and the value best.
 * Shifts cancel. Without coefficients (a selecting problem) l2 and l1l2 have the dual's own point, the
 * norms have none: then there is no certificate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"
#include "data/groups.h"

enum { HALVINGS = 200, SCALINGS = 60 };

typedef struct rank_item {
    double key, cost, sum;
    int64_t index;
} rank_item;

typedef struct rank_judge {
    const cert_job *job;
    const rank_svm_settings *set;
    int64_t n;
    double *cost; /* n: share within the class, 0: without weight */
    rank_item *plus, *minus;
    int64_t n_plus, n_minus;
    double *u;            /* n: a, -b */
    double *f;            /* n: scores of the point to judge */
    double total, square; /* dual: sum gamma, sum gamma^2/(4 c c) */
    double *g;            /* n_cols */
    double one, two;
    const int64_t *group;
    int64_t n_groups;
    double *norm2, *dual_norm2;
} rank_judge;

static bool is_squared(const rank_judge *s) { return strcmp(s->set->loss, "squared") == 0; }
static bool is_group(const rank_judge *s) { return strcmp(s->set->penalty, "group") == 0; }
static double share_one(const rank_judge *s) {
    if (strcmp(s->set->penalty, "l1l2") == 0) return s->set->alpha;
    return strcmp(s->set->penalty, "l2") == 0 ? 0 : 1;
}

static int descending(const void *pa, const void *pb) {
    const rank_item *a = pa, *b = pb;
    return a->key > b->key ? -1 : a->key < b->key;
}

static void set_costs(rank_judge *s) {
    const cert_job *job = s->job;
    double weight[2] = {0, 0};
    for (int64_t i = 0; i < s->n; i++) weight[job->y->cls[i]] += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < s->n; i++)
        s->cost[i] = (job->weight ? job->weight[i] : 1) / weight[job->y->cls[i]];
}

/* Both classes by descending value / divisor, where the divisor is 1 or the cost. */
static void sort_by(rank_judge *s, const double *value, bool per_cost) {
    s->n_plus = s->n_minus = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->cost[i] == 0) continue;
        rank_item item = {value[i] / (per_cost ? s->cost[i] : 1), s->cost[i], value[i], i};
        if (s->job->y->cls[i] == 1)
            s->plus[s->n_plus++] = item;
        else
            s->minus[s->n_minus++] = item;
    }
    qsort(s->plus, (size_t)s->n_plus, sizeof *s->plus, descending);
    qsort(s->minus, (size_t)s->n_minus, sizeof *s->minus, descending);
}

/* Sums over the pairs with h = 1 - f_i + f_j > 0 of c_i c_j h and c_i c_j h^2; per sample, if asked,
 * 2 c_i c_j h, negative for negatives. */
static void pair_sums(rank_judge *s, const double *f, double *hinge, double *squared, double *u) {
    sort_by(s, f, false);
    double zero = 0, first = 0, second = 0, top = s->plus[0].key;
    int64_t k = 0;
    *hinge = *squared = 0;
    for (int64_t i = 0; i < s->n_plus; i++) {
        double own = s->plus[i].cost, base = 1 - (s->plus[i].key - top);
        for (; k < s->n_minus && 1 - s->plus[i].key + s->minus[k].key > 0; k++) {
            double v = s->minus[k].key - top, c = s->minus[k].cost;
            zero += c;
            first += c * v;
            second += c * v * v;
        }
        *hinge += own * (base * zero + first);
        *squared += own * (base * base * zero + 2 * base * first + second);
        if (u) u[s->plus[i].index] = 2 * own * (base * zero + first);
    }
    zero = first = 0;
    k = s->n_plus - 1;
    for (int64_t j = s->n_minus - 1; u && j >= 0; j--) {
        double own = s->minus[j].cost, base = 1 + (s->minus[j].key - top);
        for (; k >= 0 && 1 - s->plus[k].key + s->minus[j].key > 0; k--) {
            zero += s->plus[k].cost;
            first += s->plus[k].cost * (s->plus[k].key - top);
        }
        u[s->minus[j].index] = -2 * own * (base * zero - first);
    }
}

/* Do the sums, scaled by t, belong to pairs within their limits? Sorted by sum / cost. */
static bool is_flow(const rank_judge *s, double t) {
    double taken = 0, mass = 0, filled = 0,
           open = 1;           /* open: costs of the negatives not yet full */
    int64_t full = s->n_minus; /* minus[full ..] have t B <= mass */
    for (int64_t i = 0; i < s->n_plus; i++) {
        taken += t * s->plus[i].sum;
        mass += s->plus[i].cost;
        for (; full > 0 && t * s->minus[full - 1].key <= mass; full--) {
            filled += t * s->minus[full - 1].sum;
            open -= s->minus[full - 1].cost;
        }
        if (full == 0) open = 0;
        if (taken > (filled + open * mass) * (1 + 1e-13)) return false;
    }
    return true;
}

static void set_hinge_dual(rank_judge *s) {
    double sum[2] = {0, 0}, lo = 0, hi = 1;
    for (int64_t i = 0; i < s->n; i++) {
        s->u[i] = s->cost[i] > 0 ? fmax(s->job->dual[i], 0) : 0;
        sum[s->job->y->cls[i]] += s->u[i];
    }
    s->total = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < s->n; i++)
        s->u[i] *= sum[s->job->y->cls[i]] > 0 ? s->total / sum[s->job->y->cls[i]] : 0;
    sort_by(s, s->u, true);
    for (int step = 0; step < SCALINGS && !is_flow(s, hi); step++) { /* t = 0 always is one */
        double middle = (lo + hi) / 2;
        if (step == 0) middle = 1 - 1e-9; /* rounding alone */
        if (is_flow(s, middle))
            lo = middle;
        else
            hi = middle;
        if (hi - lo < 1e-12 * hi) hi = lo;
        if (step == SCALINGS - 1) hi = lo;
    }
    s->total *= hi;
    for (int64_t i = 0; i < s->n; i++) s->u[i] *= s->job->y->cls[i] == 1 ? hi : -hi;
}

static void set_dual(rank_judge *s) {
    if (is_squared(s)) {
        pair_sums(s, s->job->dual, &s->total, &s->square, s->u);
        s->total *= 2;
    } else {
        set_hinge_dual(s);
    }
}

static void add_column(rank_judge *s, const cert_column *col, int64_t i, int64_t j, double coef) {
    double g = 0, one = share_one(s), lambda = s->set->lambda;
    for (int64_t k = 0; k < s->n; k++) g += s->u[k] * (col->x[k] - col->shift);
    s->g[i] = g *= col->scale;
    double w = coef == 0 ? 0 : coef / col->scale; /* scale 0: infinite, as it should */
    if (!s->job->coef && one < 1) {
        w = copysign(fmax(fabs(g) - lambda * one, 0), g) / (lambda * (1 - one));
        coef = w * col->scale;
    }
    s->one += fabs(w);
    s->two += w * w;
    if (s->group) {
        s->norm2[s->group[j]] += w * w;
        s->dual_norm2[s->group[j]] += g * g;
    }
    for (int64_t k = 0; coef != 0 && k < s->n; k++) s->f[k] += coef * (col->x[k] - col->shift);
}

static double primal_value(rank_judge *s) {
    double hinge, squared, groups = 0, one = share_one(s);
    pair_sums(s, s->f, &hinge, &squared, NULL);
    double loss = is_squared(s) ? squared : hinge;
    for (int64_t k = 0; k < s->n_groups; k++) groups += sqrt(s->norm2[k]);
    if (is_group(s)) return loss + s->set->lambda * groups;
    return loss + s->set->lambda * (one * s->one + (1 - one) / 2 * s->two);
}

static double scaled_value(const rank_judge *s, double t) {
    double one = share_one(s), lambda = s->set->lambda, conjugate = 0;
    for (int64_t i = 0; one < 1 && i < s->job->n_cols; i++) {
        double over = fmax(0, t * fabs(s->g[i]) - lambda * one);
        conjugate += over * over / (2 * lambda * (1 - one));
    }
    return t * s->total - t * t * s->square - conjugate;
}

/* The value, concave in the scaling, at its best within what a norm allows. */
static double dual_value(const rank_judge *s) {
    double largest = 0, lo = 0, hi = 1;
    for (int64_t i = 0; i < s->job->n_cols; i++) largest = fmax(largest, fabs(s->g[i]));
    if (is_group(s)) largest = 0;
    for (int64_t k = 0; k < s->n_groups; k++) largest = fmax(largest, sqrt(s->dual_norm2[k]));
    if (share_one(s) == 1 && largest > s->set->lambda) hi = s->set->lambda / largest;
    double end = hi;
    for (int step = 0; step < HALVINGS; step++) {
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (scaled_value(s, a) > scaled_value(s, b))
            hi = b;
        else
            lo = a;
    }
    return fmax(scaled_value(s, end), scaled_value(s, (lo + hi) / 2));
}

pare_status certify_rank(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = job->data->x.n, d = job->data->x.d;
    rank_judge s = {.job = job, .set = &job->set->rank_svm, .n = n};
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;

    cert_column col = {0};
    double *coef = ARENA_ZERO(&reader.mem, double, d);
    TRY_MEM(coef);
    TRY_MEM(col.x = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.cost = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.plus = ARENA_NEW(&reader.mem, rank_item, n));
    TRY_MEM(s.minus = ARENA_NEW(&reader.mem, rank_item, n));
    TRY_MEM(s.u = ARENA_ZERO(&reader.mem, double, n));
    TRY_MEM(s.f = ARENA_ZERO(&reader.mem, double, n));
    TRY_MEM(s.g = ARENA_ZERO(&reader.mem, double, job->n_cols));
    if (is_group(&s)) {
        TRY(groups_number(&s.group, &s.n_groups, &reader.mem, job->data, err));
        if (!s.group) {
            status =
                error_set(err, PARE_E_ARGUMENT,
                          "the model has penalty group: give its feature groups, --groups FILE");
            goto done;
        }
        TRY_MEM(s.norm2 = ARENA_ZERO(&reader.mem, double, s.n_groups));
        TRY_MEM(s.dual_norm2 = ARENA_ZERO(&reader.mem, double, s.n_groups));
    }
    for (int64_t i = 0; i < job->n_coef; i++) coef[job->index[i]] = job->coef[i];
    set_costs(&s);
    set_dual(&s);
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        cert_column_read(&reader, j, &col);
        add_column(&s, &col, i, j, coef[j]);
    }
    if (!job->coef && share_one(&s) == 1) goto done;
    out->objective = primal_value(&s);
    out->certificate = cert_gap(out->objective, dual_value(&s));

done:
    cert_close(&reader);
    return status;
}
