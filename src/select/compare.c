#include "select/compare.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/p_values.h"
#include "select/summary.h"

enum { EXACT_PARTS = 500 };

/* P(W <= w) where each of n doubled ranks is in W with probability 1/2; dp: total + 1 numbers. */
static double signed_rank_tail(const int64_t *doubled, int64_t n, int64_t w, double *dp,
                               int64_t total) {
    for (int64_t s = 0; s <= total; s++) dp[s] = s == 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = total; s >= 0; s--)
            dp[s] = 0.5 * (dp[s] + (s >= doubled[i] ? dp[s - doubled[i]] : 0));
    double tail = 0;
    for (int64_t s = 0; s <= w; s++) tail += dp[s];
    return tail;
}

/* v: the size of each difference as key, its sign as index. Zero differences are left out; equal
 * sizes share their mean rank, which is doubled here to stay an integer. */
static pare_status wilcoxon(paired_test *out, ranked *v, int64_t n, const pare_ctx *ctx,
                            pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    out->w = 0;
    out->p_w = 1;
    if (n == 0) return PARE_OK;
    sort_least_first(v, n);
    int64_t *doubled = mem_alloc(mem, n, sizeof *doubled);
    double *dp = mem_alloc(mem, n <= EXACT_PARTS ? n * (n + 1) + 1 : 1, sizeof *dp);
    pare_status status = doubled && dp ? PARE_OK : error_memory(err);
    if (status == PARE_OK) {
        int64_t plus = 0, total = n * (n + 1);
        double squares = 0;
        for (int64_t i = 0, end; i < n; i = end) {
            for (end = i; end < n && v[end].key == v[i].key;) end++;
            for (int64_t q = i; q < end; q++) doubled[q] = i + 1 + end;
        }
        for (int64_t i = 0; i < n; i++) {
            if (v[i].index > 0) plus += doubled[i];
            squares += (double)doubled[i] * (double)doubled[i];
        }
        int64_t w = plus < total - plus ? plus : total - plus;
        out->w = (double)w / 2;
        if (n <= EXACT_PARTS)
            out->p_w = fmin(1, 2 * signed_rank_tail(doubled, n, w, dp, total));
        else /* the doubled sum has mean total/2 and variance squares/4 */
            out->p_w = erfc(((double)total / 2 - (double)w) / sqrt(squares / 4) / sqrt(2));
    }
    mem_free(mem, dp);
    mem_free(mem, doubled);
    return status;
}

/* A power of two about 2^-44 of the largest score. Differences are rounded to multiples of it: 0.9
 * - 0.8 and 0.8 - 0.7 then tie, as they should among ranks, and scores that differ by rounding only
 * are equal. */
static double grain_of(const double *a, const double *b, int64_t count) {
    double largest = 0;
    for (int64_t j = 0; j < count; j++) {
        if (isfinite(a[j])) largest = fmax(largest, fabs(a[j]));
        if (isfinite(b[j])) largest = fmax(largest, fabs(b[j]));
    }
    return largest > 0 ? ldexp(1, ilogb(largest) - 44) : 0;
}

pare_status compare_paired(paired_test *out, const double *a, const double *b, int64_t count,
                           double ratio, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    double *off = mem_alloc(mem, count, sizeof *off);
    ranked *v = mem_alloc(mem, count, sizeof *v);
    pare_status status = PARE_OK;
    *out = (paired_test){NAN, NAN, NAN, NAN, NAN, NAN};
    TRY_MEM(off && v);
    double grain = grain_of(a, b, count);
    int64_t defined = 0, gaps = 0;
    for (int64_t j = 0; j < count; j++) {
        double x = a[j] - b[j];
        if (isnan(x)) continue;
        if (grain > 0) x = rint(x / grain) * grain;
        off[defined++] = x;
        if (x != 0) v[gaps++] = (ranked){fabs(x), x > 0 ? 1 : -1};
    }
    if (defined < 2) goto done;
    estimate e = summary_of(off, defined, 1, ratio);
    out->difference = e.mean;
    out->se = e.se;
    out->t = e.se > 0 ? e.mean / e.se : 0;
    out->p_t = e.se > 0 ? student_two_sided(out->t, (double)defined - 1) : e.mean == 0 ? 1 : 0;
    TRY(wilcoxon(out, v, gaps, ctx, err));

done:
    mem_free(mem, v);
    mem_free(mem, off);
    return status;
}

void compare_ranks(double *rank, int64_t *parts, const double *score, int64_t methods,
                   int64_t count, int higher) {
    *parts = 0;
    for (int64_t m = 0; m < methods; m++) rank[m] = 0;
    for (int64_t j = 0; j < count; j++) {
        int defined = 1;
        for (int64_t m = 0; m < methods; m++) defined &= !isnan(score[m * count + j]);
        *parts += defined;
        for (int64_t m = 0; m < methods && defined; m++) {
            double own = score[m * count + j], better = 0, equal = 0;
            for (int64_t o = 0; o < methods; o++) {
                double x = score[o * count + j];
                better += higher ? x > own : x < own;
                equal += x == own;
            }
            rank[m] += better + (equal + 1) / 2;
        }
    }
    for (int64_t m = 0; m < methods; m++) rank[m] = *parts ? rank[m] / (double)*parts : NAN;
}

double compare_critical(int64_t methods, int64_t parts) {
    /* Quantiles of the studentized range at 5%, over sqrt 2 (Demsar 2006, table 5, continued). */
    static const double q[] = {1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219,
                               3.268, 3.313, 3.354, 3.391, 3.426, 3.458, 3.489, 3.517, 3.544};
    if (methods < 2 || methods > 20 || parts < 1) return NAN;
    double k = (double)methods;
    return q[methods - 2] * sqrt(k * (k + 1) / (6 * (double)parts));
}
