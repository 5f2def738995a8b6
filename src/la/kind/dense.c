/* Doubles in columns: `self` is the array itself, so that a matrix over numbers at hand needs no
 * memory of its own. Products read it in place (tile.c, product.c). */
#include <string.h>

#include "base/error.h"
#include "la/product/dot.h"
#include "la/storage.h"

bool any_missing(const double *value, int64_t count) {
    enum { RUN = 4096 };
    for (int64_t first = 0; first < count; first += RUN) {
        int64_t last = min64(count, first + RUN);
        int found = 0;
        for (int64_t i = first; i < last; i++) found |= value[i] != value[i];
        if (found) return true;
    }
    return false;
}

static const double *dense_direct(const matrix *x, int64_t *stride) {
    *stride = x->n;
    return x->self;
}

static pare_status dense_load(const matrix *x, const int64_t *base, int64_t count,
                              const int32_t *rows, int64_t n, double *out, pare_error *err) {
    (void)err;
    for (int64_t k = 0; k < count; k++, out += n) {
        const double *from = (const double *)x->self + base[k] * x->n;
        if (k + 1 < count) prefetch_column((const double *)x->self + base[k + 1] * x->n, x->n);
        if (!rows) memcpy(out, from, (size_t)n * sizeof *out);
        for (int64_t i = 0; rows && i < n; i++) out[i] = from[rows[i]];
    }
    return PARE_OK;
}

static void dense_save(matrix *x, int64_t j, const double *value) {
    memcpy((double *)x->self + j * x->n, value, (size_t)x->n * sizeof *value);
}

static void dense_free(matrix *x, const pare_allocator *mem) { mem_free(mem, x->self); }

#define DENSE                                                                                      \
    .kind = "dense", .load = dense_load, .direct = dense_direct, .make = mat_dense_make,           \
    .save = dense_save
static const mat_ops dense_ops = {DENSE, .free = dense_free};
static const mat_ops dense_borrowed_ops = {DENSE};

pare_status mat_dense_make(matrix *out, int64_t n, int64_t d, const pare_allocator *mem,
                           pare_error *err) {
    size_t count;
    void *value = size_mul(n, d, &count) ? mem_alloc(mem, (int64_t)count, sizeof(double)) : NULL;
    *out = (matrix){&dense_ops, n, d, false, value};
    return value ? PARE_OK : error_memory(err);
}

matrix mat_dense(int64_t n, int64_t d, const double *value) {
    return (matrix){&dense_borrowed_ops, n, d, any_missing(value, n * d), (void *)value};
}

matrix mat_dense_own(int64_t n, int64_t d, double *value) {
    return (matrix){&dense_ops, n, d, any_missing(value, n * d), value};
}
