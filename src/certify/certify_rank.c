/* The certificate of `rank-svm`, from raw columns and O(N log N) sums over pairs:
 *   primal   sum_ij c_i c_j loss(1 - f_i + f_j) + lambda Omega(w)
 *   dual     squared: the stored scores stand for gamma_ij = 2 c_i c_j max(0, 1 - s_i + s_j), any
 *            of which is feasible; sum gamma and sum gamma^2/(4 c_i c_j) follow by sorting.
 *            hinge: the stored sums a_i, b_j belong to some gamma in [0, c_i c_j] exactly if
 *            sum a = sum b and, with A = a/c, B = b/c and positives by descending A, for each k
 *               sum of the first k a_i  <=  sum_j c_j min(B_j, c_1 + ... + c_k)
 *            (flows saturate the sources if no cut is smaller, and the smallest cuts are these).
 *            Then sum gamma = sum a.
 * Either point is scaled down to where g = sum a_i x_i - sum b_j x_j is allowed and the value best
 * (penalty.h). Without coefficients there is no certificate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "certify/ranking_penalty.h"

enum { SCALINGS = 60 };

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
    cert_penalty p;       /* u: a, -b */
    double total, square; /* dual: sum gamma, sum gamma^2/(4 c c) */
} rank_judge;

static bool is_squared(const rank_judge *s) { return strcmp(s->set->loss, "squared") == 0; }

static int descending(const void *pa, const void *pb) {
    const rank_item *a = pa, *b = pb;
    int by_key = order_down(a->key, b->key);
    return by_key ? by_key : order_index(a->index, b->index);
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

/* Sums over the pairs with h = 1 - f_i + f_j > 0 of c_i c_j h and c_i c_j h^2; per sample, if
 * wanted, 2 c_i c_j h, negative for negatives. */
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

/* Whether the sums, scaled by t, belong to pairs within their limits. Sorted by sum / cost. */
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
        s->p.u[i] = s->cost[i] > 0 ? fmax(s->job->dual[i], 0) : 0;
        sum[s->job->y->cls[i]] += s->p.u[i];
    }
    s->total = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < s->n; i++)
        s->p.u[i] *= sum[s->job->y->cls[i]] > 0 ? s->total / sum[s->job->y->cls[i]] : 0;
    sort_by(s, s->p.u, true);
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
    for (int64_t i = 0; i < s->n; i++) s->p.u[i] *= s->job->y->cls[i] == 1 ? hi : -hi;
}

static void set_dual(rank_judge *s) {
    if (is_squared(s)) {
        pair_sums(s, s->job->dual, &s->total, &s->square, s->p.u);
        s->total *= 2;
    } else {
        set_hinge_dual(s);
    }
}

static double primal_loss(rank_judge *s) {
    double hinge, squared;
    pair_sums(s, s->p.f, &hinge, &squared, NULL);
    return is_squared(s) ? squared : hinge;
}

pare_status certify_rank(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = job->data->x.n;
    rank_judge s = {.job = job, .set = job->own, .n = n};
    cert_reader reader;
    if (!job->coef) return PARE_OK;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;

    TRY_MEM(s.cost = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(ARENA_NEWS(&reader.mem, rank_item, n, &s.plus, &s.minus));
    TRY(cert_penalty_open(&s.p, &reader, s.set->penalty, s.set->alpha, s.set->lambda, err));
    set_costs(&s);
    set_dual(&s);
    TRY(cert_penalty_pass(&s.p, &reader, err));
    out->objective = primal_loss(&s) + cert_penalty_value(&s.p);
    out->certificate = cert_gap(out->objective, cert_penalty_dual(&s.p, s.total, s.square));

done:
    return cert_close(&reader, status, err);
}
