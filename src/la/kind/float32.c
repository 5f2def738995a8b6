/* Floats in columns: `self` is the array itself. Half the memory of doubles; products are of
 * doubles, in the tile, and have the same bits as those of the same numbers stored as doubles. */
#include "base/error.h"
#include "la/storage.h"

static pare_status float_load(const matrix *x, const int64_t *base, int64_t count,
                              const int32_t *rows, int64_t n, double *out, pare_error *err) {
    (void)err;
    for (int64_t k = 0; k < count; k++, out += n) {
        const float *from = (const float *)x->self + base[k] * x->n;
        for (int64_t i = 0; i < n; i++) out[i] = from[rows ? rows[i] : i];
    }
    return PARE_OK;
}

static void float_save(matrix *x, int64_t j, const double *value) {
    float *to = (float *)x->self + j * x->n;
    for (int64_t i = 0; i < x->n; i++) to[i] = (float)value[i];
}

static void float_free(matrix *x, const pare_allocator *mem) { mem_free(mem, x->self); }

static double float_bytes(const matrix *x) { return 4 * (double)x->n * (double)x->d; }

static const mat_ops float_ops = {.kind = "float32",
                                  .bytes = float_bytes,
                                  .free = float_free,
                                  .load = float_load,
                                  .make = mat_float32_make,
                                  .save = float_save};

pare_status mat_float32_make(matrix *out, int64_t n, int64_t d, const pare_allocator *mem,
                             pare_error *err) {
    size_t count;
    void *value = size_mul(n, d, &count) ? mem_alloc(mem, (int64_t)count, sizeof(float)) : NULL;
    *out = (matrix){&float_ops, n, d, false, value};
    return value ? PARE_OK : error_memory(err);
}

pare_status mat_float32_own(matrix *out, int64_t n, int64_t d, float *value,
                            const pare_allocator *mem, pare_error *err) {
    *out = (matrix){&float_ops, n, d, false, value};
    return mat_look_for_missing(out, mem, err);
}
