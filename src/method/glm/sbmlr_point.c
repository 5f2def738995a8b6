#include "method/glm/sbmlr_point.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

/* With an even number of outputs the 1-norm is constant under a shift of a feature's coefficients
 * between the two in the middle: the shift with the fewest coefficients is used. */
static void fewest(double *v, int64_t c) {
    double low = 0, high = 0;
    int64_t lows = 0, highs = 0;
    for (int64_t o = 0; o < c; o++) {
        int64_t under = 0, upto = 0;
        for (int64_t l = 0; l < c; l++) {
            under += v[l] < v[o];
            upto += v[l] <= v[o];
        }
        if (under <= c / 2 - 1 && upto >= c / 2) {
            low = v[o];
            lows = upto - under;
        }
        if (under <= c / 2 && upto >= c / 2 + 1) {
            high = v[o];
            highs = upto - under;
        }
    }
    double shift = lows >= highs ? low : high;
    for (int64_t o = 0; o < c; o++) v[o] -= shift;
}

void sbmlr_count(sbmlr_point *p, int64_t c) {
    p->n_active = 0;
    p->sum = 0;
    for (int64_t e = 0; e < p->at.n_features * c; e++) {
        p->n_active += p->B[e] != 0;
        p->sum += fabs(p->B[e]);
    }
}

pare_status sbmlr_keep(sbmlr_point *to, const glm_task *t, const glm_point *point,
                       pare_error *err) {
    const pare_allocator *mem = &t->mem.mem;
    int64_t c = t->c, nc = t->n * c, count = point->n_features;
    if (!to->B || count > to->capacity) {
        int64_t more = count + count / 4 + 16;
        bool fine = mem_resize(mem, &to->feature, more, sizeof(int64_t)) &&
                    mem_resize(mem, &to->B, more * c, sizeof(double)) &&
                    mem_resize(mem, &to->b, c, sizeof(double)) &&
                    mem_resize(mem, &to->U, nc, sizeof(double));
        if (!fine) return error_memory(err);
        to->capacity = more;
    }
    memcpy(to->feature, point->feature, sizeof(int64_t) * (size_t)count);
    memcpy(to->B, point->B, sizeof(double) * (size_t)(count * c));
    memcpy(to->b, point->b, sizeof(double) * (size_t)c);
    memcpy(to->U, point->U, sizeof(double) * (size_t)nc);
    to->at = *point;
    to->at.feature = to->feature;
    to->at.B = to->B;
    to->at.b = to->b;
    to->at.U = to->U;
    for (int64_t i = 0; c % 2 == 0 && i < count; i++) fewest(to->B + i * c, c);
    sbmlr_count(to, c);
    return PARE_OK;
}

void sbmlr_drop(sbmlr_point *p, const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    mem_free(mem, p->U);
    mem_free(mem, p->b);
    mem_free(mem, p->B);
    mem_free(mem, p->feature);
}

pare_status sbmlr_enter(sbmlr_point *p, const glm_task *t, int64_t j, int64_t o, double value,
                        pare_error *err) {
    int64_t c = t->c, at = 0, count = p->at.n_features;
    while (at < count && p->feature[at] != j) at++;
    if (at == count) {
        if (count == p->capacity) {
            bool fine = mem_resize(&t->mem.mem, &p->feature, 2 * count + 16, sizeof(int64_t)) &&
                        mem_resize(&t->mem.mem, &p->B, (2 * count + 16) * c, sizeof(double));
            if (!fine) return error_memory(err);
            p->capacity = 2 * count + 16;
            p->at.feature = p->feature;
            p->at.B = p->B;
        }
        p->feature[at] = j;
        for (int64_t l = 0; l < c; l++) p->B[at * c + l] = 0;
        p->at.n_features++;
    }
    p->B[at * c + o] = value;
    sbmlr_count(p, c);
    return PARE_OK;
}
