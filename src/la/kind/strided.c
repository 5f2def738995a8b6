/* Doubles or floats of the caller at any row and column stride, such as an array of samples in
 * rows. Columns are loaded from where they are; contiguous ones are read in place. */
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "la/storage.h"

typedef struct strided {
    const void *value; /* of row 0, column 0 */
    int64_t row, col;  /* elements from one to the next; may be negative */
    mat_release release;
} strided;

#define AT(type, i, j) ((const type *)s->value)[(i)*s->row + (j)*s->col]

/* Row by row where rows are contiguous: a run of columns then shares its cache lines. */
#define LOAD(type)                                                                                 \
    const strided *s = x->self;                                                                    \
    bool by_row = llabs(s->row) > llabs(s->col);                                                   \
    (void)err;                                                                                     \
    for (int64_t k = 0; !by_row && k < count; k++)                                                 \
        for (int64_t i = 0; i < n; i++) out[k * n + i] = AT(type, rows ? rows[i] : i, base[k]);    \
    for (int64_t i = 0; by_row && i < n; i++)                                                      \
        for (int64_t k = 0; k < count; k++)                                                        \
            out[k * n + i] = AT(type, rows ? rows[i] : i, base[k]);                                \
    return PARE_OK

static pare_status load_doubles(const matrix *x, const int64_t *base, int64_t count,
                                const int32_t *rows, int64_t n, double *out, pare_error *err) {
    LOAD(double);
}

static pare_status load_floats(const matrix *x, const int64_t *base, int64_t count,
                               const int32_t *rows, int64_t n, double *out, pare_error *err) {
    LOAD(float);
}

static const double *direct(const matrix *x, int64_t *stride) {
    const strided *s = x->self;
    if (s->row != 1 || s->col < x->n || s->col > INT_MAX) return NULL;
    *stride = s->col;
    return s->value;
}

static void strided_free(matrix *x, const pare_allocator *mem) {
    mat_release release = ((strided *)x->self)->release;
    mem_free(mem, x->self);
    if (release.call) release.call(release.user);
}

static const mat_ops double_ops = {
    .kind = "strided", .free = strided_free, .load = load_doubles, .direct = direct};
static const mat_ops float_ops = {
    .kind = "strided float32", .free = strided_free, .load = load_floats};

static pare_status borrow(matrix *out, const mat_ops *ops, int64_t n, int64_t d, strided from,
                          const pare_allocator *mem, pare_error *err) {
    strided *s = mem_alloc(mem, 1, sizeof *s);
    *out = (matrix){0};
    if (!s) return error_memory(err);
    *s = from;
    matrix made = {ops, n, d, false, s};
    pare_status status = mat_look_for_missing(&made, mem, err);
    if (status == PARE_OK)
        *out = made;
    else
        mem_free(mem, s);
    return status;
}

pare_status mat_strided(matrix *out, int64_t n, int64_t d, const double *value, int64_t row_stride,
                        int64_t col_stride, mat_release release, const pare_allocator *mem,
                        pare_error *err) {
    strided from = {value, row_stride, col_stride, release};
    return borrow(out, &double_ops, n, d, from, mem, err);
}

pare_status mat_strided_float(matrix *out, int64_t n, int64_t d, const float *value,
                              int64_t row_stride, int64_t col_stride, mat_release release,
                              const pare_allocator *mem, pare_error *err) {
    strided from = {value, row_stride, col_stride, release};
    return borrow(out, &float_ops, n, d, from, mem, err);
}
