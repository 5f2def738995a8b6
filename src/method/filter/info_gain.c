/* NAME       info-gain
 * PAPER      U. M. Fayyad, K. B. Irani. Multi-interval discretization of continuous-valued
 *            attributes for classification learning. IJCAI 1993.
 * PROBLEM    score_j = H(y) - H(y | interval of the feature), in nats. A cut of the samples S into
 *            S1 and S2 is the one of largest gain, taken where, in bits,
 *            gain > (log2(N - 1) + log2(3^k - 2) - k H(S) + k1 H(S1) + k2 H(S2)) / N,
 *            k the number of classes that occur; then both parts are cut in the same way.
 * ALGORITHM  each column sorted; class weights left of each cut, with the sum of t ln t kept up.
 * COST       1 pass over X and a sort of each column (of its stored entries); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS of cuts of equal gain the lowest. No cut taken: score 0. */
#include <math.h>

#include "base/error.h"
#include "method/filter/filter.h"
#include "method/filter/filter_tally.h"

/* Class weights of a part of the samples; N H = g(N) - sum_k g(t_k), g(t) = t ln t. */
typedef struct part {
    double weight, logs; /* N, sum_k g(t_k) */
    int64_t classes;
} part;

static double entropy_sum(const filter *f, const part *p) {
    return filter_log(f, p->weight) - p->logs;
}

static part part_of(const filter *f, const double *by_class) {
    part p = {0, 0, 0};
    for (int64_t k = 0; k < f->c; k++) {
        p.weight += by_class[k];
        p.logs += filter_log(f, by_class[k]);
        p.classes += by_class[k] > 0;
    }
    return p;
}

/* Class weights of entries [from, to). */
static void count(const filter *f, const tally *t, int64_t from, int64_t to, double *out) {
    for (int64_t k = 0; k < f->c; k++) out[k] = 0;
    for (int64_t i = from; i < to; i++) out[t->cls[i]] += t->weight[i];
}

/* Returns the entry behind which the best cut of [from, to) lies; `to`: there is none. */
static int64_t best_cut(const filter *f, const tally *t, int64_t from, int64_t to) {
    double *right = t->spare, *left = t->spare + f->c, least = INFINITY;
    int64_t at = to;
    count(f, t, from, to, right);
    part l = {0, 0, 0}, r = part_of(f, right);
    for (int64_t k = 0; k < f->c; k++) left[k] = 0;
    for (int64_t e = from; e + 1 < to; e++) {
        int32_t k = t->cls[e];
        double w = t->weight[e];
        l.logs += filter_log(f, left[k] + w) - filter_log(f, left[k]);
        r.logs += filter_log(f, fmax(0, right[k] - w)) - filter_log(f, right[k]);
        left[k] += w;
        right[k] = fmax(0, right[k] - w);
        l.weight += w;
        r.weight = fmax(0, r.weight - w);
        if (t->value[e] == t->value[e + 1]) continue;
        double rest = entropy_sum(f, &l) + entropy_sum(f, &r);
        if (rest < least - 1e-12 * f->total) {
            least = rest;
            at = e + 1;
        }
    }
    return at;
}

/* 3^k - 2 in bits. */
static double log2_codes(int64_t k) {
    return (double)k * log2(3) + log2(1 - 2 * pow(3, -(double)k));
}

/* Whether the cut of [from, to) behind `at` satisfies the criterion. */
static bool pays(const filter *f, const tally *t, int64_t from, int64_t at, int64_t to) {
    double *left = t->spare, *right = left + f->c, *both = right + f->c;
    count(f, t, from, at, left);
    count(f, t, at, to, right);
    for (int64_t k = 0; k < f->c; k++) both[k] = left[k] + right[k];
    part l = part_of(f, left), r = part_of(f, right), s = part_of(f, both);
    double of_l = entropy_sum(f, &l), of_r = entropy_sum(f, &r), of_s = entropy_sum(f, &s);
    if (!(s.weight > 1)) return false;
    double bits = 1 / log(2), gain = (of_s - of_l - of_r) * bits;
    double mixed = (double)s.classes * of_s / s.weight - (double)l.classes * of_l / l.weight -
                   (double)r.classes * of_r / r.weight;
    return gain > log2(s.weight - 1) + log2_codes(s.classes) - mixed * bits;
}

/* N H(y
 * interval) of [from, to) after all cuts that satisfy the criterion. */
static double entropy_left(const filter *f, const tally *t, int64_t from, int64_t to) {
    double sum = 0;
    while (true) { /* the right part is handled by the next iteration */
        int64_t at = best_cut(f, t, from, to);
        if (at == to || !pays(f, t, from, at, to)) break;
        sum += entropy_left(f, t, from, at);
        from = at;
    }
    count(f, t, from, to, t->spare);
    part p = part_of(f, t->spare);
    return sum + entropy_sum(f, &p);
}

static filter_score score(const filter *f, const tally *t) {
    part all = part_of(f, f->class_weight);
    double gain = entropy_sum(f, &all) - entropy_left(f, t, 0, t->count);
    return (filter_score){fmax(0, gain) / f->total, 1};
}

pare_status info_gain_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    static const filter_kind kind = {.tally = score};
    return filter_fit(r, job, &kind, ctx, err);
}
