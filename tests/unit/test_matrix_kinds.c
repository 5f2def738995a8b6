/* Every further storage kind: each operation against plain loops, and what is borrowed is released
 * once. */
#define _POSIX_C_SOURCE 200809L
#include "support/views.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 19, D = 41 };

static void count_release(void *user) { ++*(int *)user; }

static void run(rng *r, sample *s) {
    check_every_view(r, s);
    mat_free(&s->x, NULL);
}

/* n x d floats as doubles, some missing. */
static void make_floats(rng *r, double *dense, int64_t count, double missing) {
    for (int64_t i = 0; i < count; i++)
        dense[i] = rng_uniform(r) < missing ? NAN : (float)rng_normal(r);
}

static void strided_in_any_direction(void **state) {
    (void)state;
    static const int64_t row[] = {1, 1, D, 2 * D + 3, -1, 1}, col[] = {N, N + 5, 1, 2, N, -N};
    static double dense[N * D], far[8 * N * D];
    static float near[8 * N * D];
    rng r = rng_from(21);
    for (int k = 0; k < 24; k++) {
        int64_t rs = row[k % 6], cs = col[k % 6];
        int64_t origin = (rs < 0 ? (N - 1) * -rs : 0) + (cs < 0 ? (D - 1) * -cs : 0);
        int released = 0;
        mat_release release = {count_release, &released};
        make_floats(&r, dense, N * D, k % 12 < 6 ? 0 : 0.1);
        for (int64_t i = 0; i < N * D; i++) {
            int64_t at = origin + i % N * rs + i / N * cs;
            far[at] = dense[i];
            near[at] = (float)dense[i];
        }
        sample s = {.dense = dense};
        pare_status status = k < 12 ? mat_strided(&s.x, N, D, far + origin, rs, cs, release,
                                                  ctx_allocator(NULL), NULL)
                                    : mat_strided_float(&s.x, N, D, near + origin, rs, cs, release,
                                                        ctx_allocator(NULL), NULL);
        assert_int_equal(status, PARE_OK);
        assert_int_equal(s.x.missing, k % 12 >= 6);
        run(&r, &s);
        assert_int_equal(released, 1);
    }
}

static void float32(void **state) {
    (void)state;
    rng r = rng_from(22);
    for (int k = 0; k < 2; k++) {
        double dense[N * D];
        float *value = malloc(sizeof *value * N * D);
        make_floats(&r, dense, N * D, k ? 0.2 : 0);
        for (int i = 0; i < N * D; i++) value[i] = (float)dense[i];
        sample s = {.dense = dense};
        assert_int_equal(mat_float32_own(&s.x, N, D, value, ctx_allocator(NULL), NULL), PARE_OK);
        assert_int_equal(s.x.missing, k);
        assert_string_equal(mat_kind(&s.x), "float32");
        run(&r, &s);
    }
}

/* Whole numbers in as many bytes as they need: every operation as on the same doubles. */
static void small_items(void **state) {
    (void)state;
    static const mat_item items[] = {MAT_I1, MAT_U1, MAT_I2, MAT_U2, MAT_I4, MAT_U4};
    rng r = rng_from(24);
    for (int k = 0; k < 6; k++) {
        double dense[N * D];
        bool is_signed = k % 2 == 0;
        size_t size = mat_item_size(items[k]);
        char *value = malloc(size * N * D);
        for (int i = 0; i < N * D; i++) {
            dense[i] = floor(200 * rng_uniform(&r)) - (is_signed ? 100 : 0);
            int64_t whole = (int64_t)dense[i];
            memcpy(value + (size_t)i * size, &whole, size); /* the low bytes come first here */
        }
        sample s = {.dense = dense};
        assert_int_equal(mat_items_own(&s.x, N, D, items[k], value, ctx_allocator(NULL), NULL),
                         PARE_OK);
        assert_false(s.x.missing);
        run(&r, &s);
    }
}

/* A file with these bytes behind four others, open for reading and writing. */
static int file_of(const void *bytes, size_t size) {
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite("head", 1, 4, file), 4);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fflush(file), 0);
    int own = dup(fileno(file));
    fclose(file);
    return own;
}

/* Two bits each: 2, missing, 1, 0. */
static void pack(unsigned char *out, const double *x, int64_t n, int64_t d) {
    int64_t pitch = mat_item_pitch(MAT_G2, n);
    memset(out, 0, (size_t)(pitch * d));
    for (int64_t e = 0; e < n * d; e++) {
        int code = isnan(x[e]) ? 1 : x[e] == 2 ? 0 : x[e] == 1 ? 2 : 3;
        int64_t at = e / n * pitch + e % n / 4;
        out[at] = (unsigned char)(out[at] | code << 2 * (e % n % 4));
    }
}

static void on_disk(void **state) {
    (void)state;
    rng r = rng_from(26);
    for (int k = 0; k < 5; k++) {
        static double dense[N * D];
        static unsigned char bytes[8 * N * D];
        static const mat_item items[] = {MAT_F8, MAT_F4, MAT_U2, MAT_G2, MAT_I2};
        bool gaps = k != 2 && k != 4;
        for (int i = 0; i < N * D; i++) {
            dense[i] = k < 2 ? (float)rng_normal(&r) : floor(3 * rng_uniform(&r));
            if (gaps && rng_uniform(&r) < 0.1) dense[i] = NAN;
            float narrow = (float)dense[i];
            uint16_t whole = k == 2 ? (uint16_t)dense[i] : 0;
            if (k == 4) { /* decimal numbers: over 100 */
                int16_t cents = (int16_t)(floor(2000 * rng_uniform(&r)) - 1000);
                dense[i] = cents / 100.0;
                memcpy(&whole, &cents, sizeof whole);
            }
            const void *from = k == 0 ? (const void *)&dense[i] : k == 1 ? (void *)&narrow : &whole;
            size_t size = k != 3 ? mat_item_size(items[k]) : 0;
            memcpy(bytes + (size_t)i * size, from, size);
        }
        if (k == 3) pack(bytes, dense, N, D);
        mat_file of = {.file = file_of(bytes, (size_t)(D * mat_item_pitch(items[k], N))),
                       .item = items[k],
                       .at = 4,
                       .missing = gaps,
                       .look = k < 2,
                       .name = "it",
                       .over = k == 4 ? 100 : 0};
        sample s = {.dense = dense};
        assert_int_equal(mat_on_disk(&s.x, N, D, &of, ctx_allocator(NULL), NULL), PARE_OK);
        assert_int_equal(s.x.missing, gaps);
        assert_false(mat_in_memory(&s.x));
        run(&r, &s);
    }
}

/* Columns longer than what is read at a time, all rows and some, and a file that became shorter. */
static void long_columns_on_disk(void **state) {
    (void)state;
    enum { LONG = 140001, WIDE = 3 };
    double *dense = malloc(sizeof *dense * LONG * WIDE), *out = malloc(sizeof *out * LONG);
    unsigned char *bytes = malloc((size_t)(WIDE * mat_item_pitch(MAT_G2, LONG)));
    int32_t rows[1000];
    rng r = rng_from(27);
    for (int i = 0; i < LONG * WIDE; i++) dense[i] = floor(3 * rng_uniform(&r));
    for (int i = 0; i < 1000; i++) rows[i] = (int32_t)(LONG * rng_uniform(&r));
    pack(bytes, dense, LONG, WIDE);
    mat_file of = {.file = file_of(bytes, (size_t)(WIDE * mat_item_pitch(MAT_G2, LONG))),
                   .item = MAT_G2,
                   .at = 4,
                   .name = "it"};
    matrix x;
    assert_int_equal(mat_on_disk(&x, LONG, WIDE, &of, ctx_allocator(NULL), NULL), PARE_OK);
    view v = view_all(&x);
    for (int64_t j = 0; j < WIDE; j++) {
        assert_int_equal(mat_columns(&v, &j, 1, out, NULL, NULL), PARE_OK);
        assert_memory_equal(out, dense + j * LONG, sizeof *out * LONG);
    }
    v.rows = rows;
    v.n = 1000;
    for (int64_t j = 0; j < WIDE; j++) {
        assert_int_equal(mat_columns(&v, &j, 1, out, NULL, NULL), PARE_OK);
        for (int i = 0; i < 1000; i++) assert_true(out[i] == dense[j * LONG + rows[i]]);
    }
    pare_error err;
    assert_int_equal(ftruncate(of.file, 40000), 0);
    assert_int_equal(mat_columns(&v, (int64_t[]){2}, 1, out, NULL, &err), PARE_E_IO);
    assert_non_null(strstr(err.message, "shorter"));
    mat_free(&x, NULL);
    free(dense);
    free(out);
    free(bytes);
}

/* Rows and columns times factors, over sparse and dense storage and over rows of another. */
static void row_scaled(void **state) {
    (void)state;
    rng r = rng_from(25);
    for (int k = 0; k < 6; k++) {
        double row[N], col[D], dense[N * D];
        sample of = k % 2 ? sample_sparse(&r, N, D, 0.3, 0) : sample_dense(&r, N, D, 0);
        int32_t turned[N];
        matrix rows = {0};
        for (int i = 0; i < N; i++) {
            row[i] = i % 5 ? rng_uniform(&r) : 0;
            turned[i] = k > 3 ? N - 1 - i : i;
        }
        for (int j = 0; j < D; j++) col[j] = k > 1 ? 0.5 + rng_uniform(&r) : 1;
        for (int e = 0; e < N * D; e++)
            dense[e] = of.dense[e / N * N + turned[e % N]] * col[e / N] * row[e % N];
        assert_int_equal(mat_rows(&rows, &of.x, false, turned, N, ctx_allocator(NULL), NULL),
                         PARE_OK);
        row_scaling by = {k > 3 ? &rows : &of.x, row, k > 1 ? col : NULL};
        sample s = {.x = mat_row_scaled(&by), .dense = dense};
        assert_int_equal(mat_is_sparse(&s.x), k % 2);
        check_every_view(&r, &s);
        mat_free(&rows, NULL);
        sample_free(&of);
    }
}

/* Missing values filled, then a shift and a scale for each batch of rows, over dense storage, rows of
 * another and another such matrix; rows of no batch, and no shift at all. */
static void batched(void **state) {
    (void)state;
    enum { BATCHES = 3 };
    rng r = rng_from(29);
    for (int k = 0; k < 4; k++) {
        double shift[BATCHES * D], scale[BATCHES * D], fill[D], dense[N * D];
        int32_t batch[N];
        sample of = sample_dense(&r, N, D, k > 1 ? 0.2 : 0);
        for (int e = 0; e < BATCHES * D; e++) {
            shift[e] = rng_uniform(&r) - 0.5;
            scale[e] = 0.5 + rng_uniform(&r);
        }
        for (int i = 0; i < N; i++) batch[i] = i % (BATCHES + 1) - 1;
        for (int j = 0; j < D; j++) fill[j] = rng_uniform(&r);
        for (int e = 0; e < N * D; e++) {
            int32_t b = batch[e % N];
            double x = isnan(of.dense[e]) && k != 3 ? fill[e / N] : of.dense[e];
            dense[e] = b < 0 || k == 1 ? x : (x - shift[b * D + e / N]) * scale[b * D + e / N];
        }
        batched_view by = {&of.x, batch, k == 1 ? NULL : shift, scale, k == 3 ? NULL : fill};
        sample s = {.x = mat_batched(&by), .dense = dense};
        assert_int_equal(s.x.missing, k == 3 && of.x.missing);
        check_every_view(&r, &s);
        sample_free(&of);
    }
}

static void csc_of_any_width(void **state) {
    (void)state;
    rng r = rng_from(23);
    for (int k = 0; k < 4; k++) {
        sample own = sample_sparse(&r, N, D, 0.2, 0.05);
        const csc_arrays *of = arrays_of(&own.x);
        int64_t count = of->col_ptr[D];
        int32_t narrow[D + 1];
        int64_t wide[N * D];
        for (int j = 0; j <= D; j++) narrow[j] = (int32_t)of->col_ptr[j];
        for (int64_t e = 0; e < count; e++) wide[e] = of->row[e];
        csc_foreign from = {.value = of->value, .ptr_is_64 = k & 1, .row_is_64 = k & 2};
        from.col_ptr = from.ptr_is_64 ? (const void *)of->col_ptr : narrow;
        from.row = from.row_is_64 ? (const void *)wide : of->row;
        int released = 0;
        mat_release release = {count_release, &released};
        sample s = {.dense = own.dense};
        assert_int_equal(
            mat_csc_borrow(&s.x, N, D, &from, release, "it", ctx_allocator(NULL), NULL), PARE_OK);
        run(&r, &s);
        assert_int_equal(released, 1);
        sample_free(&own);
    }
}

static void broken_csc_is_refused(void **state) {
    (void)state;
    int32_t ptr[] = {0, 2, 1}, good[] = {0, 1, 2}, row[] = {1, 0};
    int64_t far[] = {0, 5};
    double value[2] = {1, 2};
    pare_error err;
    matrix x;
    mat_release none = {NULL, NULL};
    csc_foreign from = {ptr, row, value, false, false};
    assert_int_equal(mat_csc_borrow(&x, 2, 2, &from, none, "it", ctx_allocator(NULL), &err),
                     PARE_E_DATA);
    assert_string_equal(err.message, "it: the pointers of column 2 run from 2 down to 1");
    from.col_ptr = good;
    from.row = far;
    from.row_is_64 = true;
    assert_int_equal(mat_csc_borrow(&x, 2, 2, &from, none, "it", ctx_allocator(NULL), &err),
                     PARE_E_DATA);
    assert_string_equal(err.message, "it: an entry is in row 5, rows are 0 to 1");
    from.row = NULL;
    assert_int_equal(mat_csc_borrow(&x, 2, 2, &from, none, "it", ctx_allocator(NULL), &err),
                     PARE_E_ARGUMENT);
}

static void rows_of_another(void **state) {
    (void)state;
    rng r = rng_from(24);
    for (int k = 0; k < 8; k++) {
        sample base = k % 2 ? sample_sparse(&r, N, D, 0.3, k < 4 ? 0 : 0.1)
                            : sample_dense(&r, N, D, k < 4 ? 0 : 0.1);
        enum { FIRST = 25, SECOND = 12 };
        int32_t rows[FIRST], again[SECOND];
        double dense[SECOND * D];
        for (int j = 0; k % 4 == 0 && j < D; j += 3) base.dense[j * N] = NAN; /* in row 0 alone */
        base.x.missing |= k % 4 == 0;
        for (int i = 0; i < FIRST; i++) rows[i] = (int32_t)(1 + rng_below(&r, N - 1));
        for (int i = 0; i < SECOND; i++) again[i] = (int32_t)rng_below(&r, FIRST);
        for (int i = 0; i < SECOND * D; i++)
            dense[i] = base.dense[rows[again[i % SECOND]] + i / SECOND * N];
        matrix first;
        sample s = {.dense = dense};
        bool own = k % 4 < 2; /* the first goes with the second, or only lends its base */
        const pare_allocator *mem = ctx_allocator(NULL);
        assert_int_equal(mat_rows(&first, &base.x, false, rows, FIRST, mem, NULL), PARE_OK);
        assert_int_equal(mat_rows(&s.x, &first, own, again, SECOND, mem, NULL), PARE_OK);
        if (!own) mat_free(&first, NULL);
        assert_string_equal(mat_kind(&s.x), mat_kind(&base.x));
        bool missing = false;
        for (int i = 0; i < SECOND * D; i++) missing = missing || isnan(dense[i]);
        assert_int_equal(s.x.missing, missing);
        run(&r, &s);
        sample_free(&base);
    }
}

/* Sparse or dense on the left, bytes or sparse columns on the right, none of them too. */
static void side_by_side(void **state) {
    (void)state;
    enum { RIGHT = 7 };
    rng r = rng_from(25);
    for (int k = 0; k < 8; k++) {
        bool sparse = k % 2, few = k == 4 || k == 5;
        int64_t left = few ? 1 : D, right = k > 5 ? 0 : RIGHT;
        sample base = sparse ? sample_sparse(&r, N, left, 0.3, k < 4 ? 0.1 : 0)
                             : sample_dense(&r, N, left, k < 4 ? 0.1 : 0);
        double dense[N * (D + RIGHT)] = {0};
        uint8_t *bytes = calloc(N * RIGHT, 1);
        matrix other;
        assert_non_null(bytes);
        memcpy(dense, base.dense, sizeof *dense * (size_t)(N * left));
        for (int64_t e = 0; e < N * right; e++) {
            bytes[e] = rng_uniform(&r) < 0.3;
            dense[N * left + e] = bytes[e];
        }
        assert_int_equal(mat_items_own(&other, N, right, MAT_U1, bytes, ctx_allocator(NULL), NULL),
                         PARE_OK);
        sample s = {.dense = dense};
        assert_int_equal(mat_hstack(&s.x, &base.x, &other, ctx_allocator(NULL), NULL), PARE_OK);
        assert_int_equal(s.x.d, left + right);
        assert_int_equal(s.x.missing, base.x.missing);
        assert_string_equal(mat_kind(&s.x), mat_kind(&base.x));
        if (!sparse) run(&r, &s); /* where the left is sparse, so is the right */
        if (sparse) mat_free(&s.x, NULL);
        sample_free(&base);
    }
}

/* Where the left is sparse the right is, and what is made of them is. */
static void sparse_side_by_side(void **state) {
    (void)state;
    enum { RIGHT = 9 };
    rng r = rng_from(26);
    for (int k = 0; k < 4; k++) {
        sample base = sample_sparse(&r, N, D, 0.3, k < 2 ? 0.1 : 0),
               more = sample_sparse(&r, N, RIGHT, 0.2, 0);
        double dense[N * (D + RIGHT)];
        memcpy(dense, base.dense, sizeof *dense * N * D);
        memcpy(dense + N * D, more.dense, sizeof *dense * N * RIGHT);
        sample s = {.dense = dense};
        assert_int_equal(mat_hstack(&s.x, &base.x, &more.x, ctx_allocator(NULL), NULL), PARE_OK);
        assert_true(mat_is_sparse(&s.x));
        run(&r, &s);
        free(more.dense);
        sample_free(&base);
    }
}

TEST_FILE(test_matrix_kinds) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strided_in_any_direction),
        cmocka_unit_test(float32),
        cmocka_unit_test(small_items),
        cmocka_unit_test(on_disk),
        cmocka_unit_test(long_columns_on_disk),
        cmocka_unit_test(row_scaled),
        cmocka_unit_test(batched),
        cmocka_unit_test(csc_of_any_width),
        cmocka_unit_test(broken_csc_is_refused),
        cmocka_unit_test(rows_of_another),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(sparse_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
