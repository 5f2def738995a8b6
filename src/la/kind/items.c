/* Small items in columns: integers of 1, 2 and 4 bytes and halves, in as many bytes as they came.
 * `self` is the array itself; products are of doubles, in the tile, and have the same bits as those
 * of the same numbers stored as doubles. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/storage.h"

static void items_free(matrix *x, const pare_allocator *mem) { mem_free(mem, x->self); }

static pare_status make_items(matrix *out, const mat_ops *ops, size_t size, int64_t n, int64_t d,
                              const pare_allocator *mem, pare_error *err) {
    size_t count;
    void *value = size_mul(n, d, &count) ? mem_alloc(mem, (int64_t)count, size) : NULL;
    *out = (matrix){ops, n, d, false, value};
    return value ? PARE_OK : error_memory(err);
}

#define LOAD(type, number)                                                                         \
    (void)err;                                                                                     \
    for (int64_t k = 0; k < count; k++, out += n) {                                                \
        const type *from = (const type *)x->self + base[k] * x->n;                                 \
        for (int64_t i = 0; i < n; i++) out[i] = number(from[rows ? rows[i] : i]);                 \
    }                                                                                              \
    return PARE_OK

#define INTEGER_KIND(name, type, text)                                                             \
    static pare_status name##_load(const matrix *x, const int64_t *base, int64_t count,            \
                                   const int32_t *rows, int64_t n, double *out, pare_error *err) { \
        LOAD(type, (double));                                                                      \
    }                                                                                              \
    static void name##_save(matrix *x, int64_t j, const double *value) {                           \
        type *to = (type *)x->self + j * x->n;                                                     \
        for (int64_t i = 0; i < x->n; i++) to[i] = (type)value[i];                                 \
    }                                                                                              \
    static pare_status name##_make(matrix *, int64_t, int64_t, const pare_allocator *,             \
                                   pare_error *);                                                  \
    static double name##_bytes(const matrix *x) {                                                  \
        return sizeof(type) * (double)x->n * (double)x->d;                                         \
    }                                                                                              \
    static const mat_ops name##_ops = {.kind = text,                                               \
                                       .bytes = name##_bytes,                                      \
                                       .free = items_free,                                         \
                                       .load = name##_load,                                        \
                                       .make = name##_make,                                        \
                                       .save = name##_save};                                       \
    static pare_status name##_make(matrix *out, int64_t n, int64_t d, const pare_allocator *mem,   \
                                   pare_error *err) {                                              \
        return make_items(out, &name##_ops, sizeof(type), n, d, mem, err);                         \
    }

INTEGER_KIND(i1, int8_t, "int8")
INTEGER_KIND(u1, uint8_t, "uint8")
INTEGER_KIND(i2, int16_t, "int16")
INTEGER_KIND(u2, uint16_t, "uint16")
INTEGER_KIND(i4, int32_t, "int32")
INTEGER_KIND(u4, uint32_t, "uint32")

/* IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. */
double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static pare_status half_load(const matrix *x, const int64_t *base, int64_t count,
                             const int32_t *rows, int64_t n, double *out, pare_error *err) {
    LOAD(uint16_t, half_value);
}

/* A compact copy has floats, which hold every half. */
static const mat_ops half_ops = {.kind = "float16",
                                 .bytes = u2_bytes,
                                 .free = items_free,
                                 .load = half_load,
                                 .make = mat_float32_make};

size_t mat_item_size(mat_item item) {
    static const size_t size[] = {1, 1, 2, 2, 4, 4, 2, 4, 8};
    return size[item];
}

static const mat_ops *const items_ops[] = {&i1_ops, &u1_ops, &i2_ops,  &u2_ops,
                                           &i4_ops, &u4_ops, &half_ops};

pare_status mat_make_kind(matrix *out, const char *kind, int64_t n, int64_t d,
                          const pare_allocator *mem, pare_error *err) {
    for (size_t k = 0; k < sizeof items_ops / sizeof *items_ops; k++)
        if (strcmp(kind, items_ops[k]->kind) == 0) return items_ops[k]->make(out, n, d, mem, err);
    return (strcmp(kind, "float32") == 0 ? mat_float32_make : mat_dense_make)(out, n, d, mem, err);
}

pare_status mat_items_own(matrix *out, int64_t n, int64_t d, mat_item item, void *value,
                          const pare_allocator *mem, pare_error *err) {
    if (item == MAT_F4) return mat_float32_own(out, n, d, value, mem, err);
    *out = (matrix){items_ops[item], n, d, false, value};
    return item == MAT_F2 ? mat_look_for_missing(out, mem, err) : PARE_OK;
}
