#include "la/pass/gather.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

void gather_plan(gather_list *p, const int32_t *rows, int64_t n, int64_t height) {
    p->rows = rows;
    p->n = n;
    p->groups = p->done = 0;
    if (!rows) return;
    for (int64_t i = 1; i < n; i++)
        if (rows[i] <= rows[i - 1]) return;
    int64_t at = 0;
    for (int64_t g = 0; g < GATHER_GROUPS && (g + 1) * GATHER_GROUP <= height; g++) {
        int64_t first = g * GATHER_GROUP, count = 0;
        if (at + GATHER_GROUP > n) break; /* a group is written as a whole */
        memset(p->group[g].from, 0, sizeof p->group[g].from);
        for (; at < n && rows[at] < first + GATHER_GROUP; at++)
            p->group[g].from[count++] = (int32_t)(rows[at] - first);
        p->group[g].count = count;
        p->groups = g + 1;
        p->done = at;
    }
}

static void gather_plain(const gather_list *p, int64_t from, const double *x, double shift,
                         double scale, float *out) {
    const int32_t *rows = p->rows;
    if (rows)
        for (int64_t i = from; i < p->n; i++) out[i] = (float)((x[rows[i]] - shift) * scale);
    else
        for (int64_t i = from; i < p->n; i++) out[i] = (float)((x[i] - shift) * scale);
}

#ifdef __x86_64__
/* Transforms eight rows and moves the requested ones to the front; the next group overwrites the
 * rest. */
__attribute__((target("avx2"))) static void gather_groups(const gather_list *p, const double *x,
                                                          double shift, double scale, float *out) {
    __m256d away = _mm256_set1_pd(shift), by = _mm256_set1_pd(scale);
    for (int64_t g = 0; g < p->groups; g++, x += GATHER_GROUP) {
        __m256d low = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(x), away), by);
        __m256d high = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(x + 4), away), by);
        __m256 all = _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
        __m256i from = _mm256_loadu_si256((const __m256i *)p->group[g].from);
        _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(all, from));
        out += p->group[g].count;
    }
}
#endif

void gather_single(const gather_list *p, const double *x, double shift, double scale, float *out) {
    int64_t from = 0;
#ifdef __x86_64__
    if (p->groups > 0 && __builtin_cpu_supports("avx2")) {
        gather_groups(p, x, shift, scale, out);
        from = p->done;
    }
#endif
    gather_plain(p, from, x, shift, scale, out);
}
