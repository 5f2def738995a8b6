/* The dense columns that have a coordinate in Newton's system, next to each other for BLAS. */
#include <string.h>

#include "base/error.h"
#include "solve/glm/work.h"

bool active_gather(glm_work *w) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    gathered *l = &w->active;
    int64_t n = w->loss->n, c = w->loss->c, count = w->cols.count, used = 0;
    l->count = 0;
    if (w->cols.sparse) return true;
    for (int64_t k = 0; k < count; k++)
        for (int64_t o = 0, seen = 0; o < c && !seen; o++) used += seen = w->place[k * c + o] >= 0;
    if (used > l->capacity) {
        int64_t more = used + used / 4 + 8;
        bool fine = mem_resize(mem, &l->x, n * more, sizeof(double)) &&
                    mem_resize(mem, &l->in, more * c, sizeof(double)) &&
                    mem_resize(mem, &l->out, more * c, sizeof(double)) &&
                    mem_resize(mem, &l->column, more, sizeof(int64_t));
        if (!fine) return false;
        l->capacity = more;
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t o = 0; o < c; o++) {
            if (w->place[k * c + o] < 0) continue;
            memcpy(l->x + l->count * n, w->cols.dense + k * n, sizeof(double) * (size_t)n);
            l->column[l->count++] = k;
            break;
        }
    return true;
}

void active_sum(const glm_work *w, const double *v, double *T) {
    const gathered *l = &w->active;
    int64_t n = w->loss->n, c = w->loss->c;
    for (int64_t e = 0; e < l->count * c; e++) {
        int64_t at = w->place[l->column[e / c] * c + e % c];
        l->in[e] = at < 0 ? 0 : v[at];
    }
    dense_sum(n, l->count, l->x, c, l->in, T);
}

void active_dots(const glm_work *w, const double *T, double *out) {
    const gathered *l = &w->active;
    int64_t n = w->loss->n, c = w->loss->c;
    dense_dots(n, l->count, l->x, c, 1, T, l->out);
    for (int64_t e = 0; e < l->count * c; e++) {
        int64_t at = w->place[l->column[e / c] * c + e % c];
        if (at >= 0) out[at] = l->out[e];
    }
}
