/* A copy of the columns of a working set: dense, or their entries where X is sparse. With an
 * intercept, or a loss that equal shifts do not change, a constant is subtracted from each column (`rest`: its weighted mean, or the value of
 * its unlisted entries), which is absorbed: sparse stays sparse under any scaling. */
#ifndef PARE_SOLVE_GLM_COLUMNS_H
#define PARE_SOLVE_GLM_COLUMNS_H

#include <stdbool.h>

#include "base/memory.h"
#include "la/product/dot.h"
#include "la/matrix.h"

typedef struct columns {
    const view *x;
    const double *share; /* n: weights of the mean */
    const pare_ctx *ctx;
    bool intercept, sparse;
    int64_t n, count, capacity;
    double *rest;   /* capacity */
    double *dense;  /* n x capacity, or NULL */
    int64_t *start; /* capacity + 1 */
    int32_t *row;   /* entry_capacity */
    double *value;  /* entry_capacity */
    int64_t entry_capacity;
} columns;

typedef struct held {
    int64_t count;
    const int32_t *row; /* NULL: 0 .. n-1 */
    const double *value;
} held;

void columns_open(columns *w, const view *x, const double *share, bool intercept,
                  const pare_ctx *ctx);
void columns_close(columns *w);
/* Appends `more` columns of the view. */
PARE_NODISCARD pare_status columns_add(columns *w, const int64_t *S, int64_t more, pare_error *err);
/* Keeps the columns at the places `keep`, ascending, and drops the rest. */
void columns_keep(columns *w, const int64_t *keep, int64_t count);
int64_t columns_entries(const columns *w, int64_t k);

static inline held columns_at(const columns *w, int64_t k) {
    if (w->dense) return (held){w->n, NULL, w->dense + k * w->n};
    return (held){w->start[k + 1] - w->start[k], w->row + w->start[k], w->value + w->start[k]};
}

/* x_k'v, v: n. */
static inline double held_dot(const held *x, const double *v) {
    if (!x->row) return la_dot(x->value, v, x->count);
    const int32_t *row = x->row;
    const double *value = x->value;
    double a = 0, b = 0, c = 0, d = 0; /* four running sums, to hide the latency of additions */
    int64_t e = 0;
    for (; e + 4 <= x->count; e += 4) {
        a += value[e] * v[row[e]];
        b += value[e + 1] * v[row[e + 1]];
        c += value[e + 2] * v[row[e + 2]];
        d += value[e + 3] * v[row[e + 3]];
    }
    for (; e < x->count; e++) a += value[e] * v[row[e]];
    return (a + c) + (b + d);
}

/* Of `count` dense columns side by side, `in` and `out` being count x c and T n x c:
 *     T = sum_k x_k in_k'   and   out = by X'T. */
void dense_sum(int64_t n, int64_t count, const double *x, int64_t c, const double *in, double *T);
void dense_dots(int64_t n, int64_t count, const double *x, int64_t c, double by, const double *T,
                double *out);

/* f[., o] += a x_k for one of c outputs. */
static inline void held_add(const held *x, double a, double *f, int64_t c, int64_t o) {
    if (x->row && c == 1)
        for (int64_t e = 0; e < x->count; e++) f[x->row[e]] += a * x->value[e];
    else if (x->row)
        for (int64_t e = 0; e < x->count; e++) f[x->row[e] * c + o] += a * x->value[e];
    else if (c == 1)
        for (int64_t e = 0; e < x->count; e++) f[e] += a * x->value[e];
    else
        for (int64_t e = 0; e < x->count; e++) f[e * c + o] += a * x->value[e];
}

#endif
