/* With p_f the frequency of feature f over M sets, k_i the size of set i and k their mean,
 *     index = 1 - [1/d sum_f M/(M-1) p_f (1 - p_f)] / [k/d (1 - k/d)]             (definition 4)
 *     phi_i = [1/d sum_(f in set i) p_f - k_i k/d^2 + index/2 (2 k_i k/d^2 - k_i/d - k/d + 1)]
 *             / [k/d (1 - k/d)]                                                    (theorem 7)
 *     variance of the index = 4/M^2 sum_i (phi_i - mean phi)^2. */
#include "select/stability.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

static const double NORMAL_975 = 1.959963984540054;

static double half_width(const double *p, const int64_t *const *pick, const int64_t *count,
                         int64_t sets, double d, double k, double index) {
    double sum = 0, squares = 0, spread = k / d * (1 - k / d);
    for (int64_t i = 0; i < sets; i++) {
        double own = (double)count[i], shared = 0;
        for (int64_t q = 0; q < count[i]; q++) shared += p[pick[i][q]];
        double phi = (shared / d - own * k / (d * d) +
                      index / 2 * (2 * own * k / (d * d) - own / d - k / d + 1)) /
                     spread;
        sum += phi;
        squares += phi * phi;
    }
    double m = (double)sets;
    return NORMAL_975 * sqrt(4 / (m * m) * fmax(0, squares - sum * sum / m));
}

pare_status stability_of(stability *out, double *frequency, const int64_t *const *pick,
                         const int64_t *count, int64_t sets, int64_t d, const pare_ctx *ctx,
                         pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    double *own = frequency ? NULL : mem_alloc(mem, d, sizeof *own);
    double *p = frequency ? frequency : own, m = (double)sets, k = 0, variance = 0;
    if (!p) return error_memory(err);
    for (int64_t f = 0; f < d; f++) p[f] = 0;
    for (int64_t i = 0; i < sets; i++) {
        k += (double)count[i];
        for (int64_t q = 0; q < count[i]; q++) p[pick[i][q]] += 1;
    }
    k /= m;
    for (int64_t f = 0; f < d; f++) {
        p[f] /= m;
        variance += p[f] * (1 - p[f]);
    }
    double share = k / (double)d;
    *out = (stability){NAN, NAN, NAN};
    if (sets >= 2 && share > 0 && share < 1) {
        out->index = 1 - variance / (double)d * m / (m - 1) / (share * (1 - share));
        double half = half_width(p, pick, count, sets, (double)d, k, out->index);
        out->low = out->index - half;
        out->high = fmin(1, out->index + half);
    }
    mem_free(mem, own);
    return PARE_OK;
}
