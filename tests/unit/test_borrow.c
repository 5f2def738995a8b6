/* Data sets around the caller's arrays: every layout gives what a copy gives, what is borrowed is let
 * go exactly once, and what is set later replaces what was there or leaves it alone. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/text_files.h"

enum { N = 12, D = 5 };

static void count_release(void *user) { ++*(int *)user; }

static const char *const labels[N] = {"a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"};

/* Quarters: floats hold them as they are. */
static void fill(double *x) {
    rng r = rng_from(5);
    for (int64_t e = 0; e < N * D; e++)
        x[e] = rng_below(&r, 3) ? 0.25 * (double)((int64_t)rng_below(&r, 41) - 20) : 0;
}

static void same(const pare_data *a, const pare_data *b) {
    char one[65], two[65];
    assert_int_equal(pare_data_checksum(one, a, NULL, NULL), PARE_OK);
    assert_int_equal(pare_data_checksum(two, b, NULL, NULL), PARE_OK);
    assert_string_equal(one, two);
    char *text = fit_text(a, "svm", NULL, 1), *other = fit_text(b, "svm", NULL, 1);
    assert_string_equal(text, other);
    pare_text_free(text, NULL);
    pare_text_free(other, NULL);
}

static void dense_layouts_are_one(void **state) {
    (void)state;
    double x[N * D], rows[N * D], flipped[2 * N * D];
    float single[N * D];
    int released = 0;
    fill(x);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++) {
            rows[i * D + j] = x[j * N + i];
            single[i * D + j] = (float)x[j * N + i];
            flipped[2 * ((N - 1 - i) * D + j)] = x[j * N + i]; /* backwards, every other */
        }
    pare_data *copy, *data[4];
    pare_error err;
    assert_int_equal(pare_data_dense(&copy, N, D, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    assert_int_equal(
        pare_data_borrow_dense(&data[0], N, D, x, 1, N, count_release, &released, NULL, &err),
        PARE_OK);
    assert_int_equal(
        pare_data_borrow_dense(&data[1], N, D, rows, D, 1, count_release, &released, NULL, &err),
        PARE_OK);
    assert_int_equal(pare_data_borrow_dense(&data[2], N, D, flipped + 2 * (N - 1) * D, -2 * D, 2,
                                            count_release, &released, NULL, &err),
                     PARE_OK);
    assert_int_equal(
        pare_data_borrow_float(&data[3], N, D, single, D, 1, count_release, &released, NULL, &err),
        PARE_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(pare_data_set_labels(data[k], labels, &err), PARE_OK);
        same(copy, data[k]);
        assert_int_equal(released, k);
        pare_data_free(data[k]);
        assert_int_equal(released, k + 1);
    }
    pare_data_free(copy);
}

static void sparse_widths_are_one(void **state) {
    (void)state;
    double x[N * D], value[N * D];
    int64_t ptr64[D + 1] = {0}, row64[N * D];
    int32_t ptr32[D + 1] = {0}, row32[N * D];
    int released = 0;
    int64_t e = 0;
    fill(x);
    for (int64_t j = 0; j < D; j++) {
        for (int64_t i = 0; i < N; i++) {
            if (x[j * N + i] == 0) continue;
            value[e] = x[j * N + i];
            row64[e] = i;
            row32[e++] = (int32_t)i;
        }
        ptr64[j + 1] = e;
        ptr32[j + 1] = (int32_t)e;
    }
    pare_data *copy, *data;
    pare_error err;
    assert_int_equal(
        pare_data_sparse(&copy, N, D, ptr64, row32, value, NULL, labels, NULL, NULL, &err),
        PARE_OK);
    for (int k = 0; k < 4; k++) {
        const void *ptr = k & 1 ? (const void *)ptr64 : ptr32;
        const void *row = k & 2 ? (const void *)row64 : row32;
        assert_int_equal(pare_data_borrow_sparse(&data, N, D, ptr, k & 1 ? 64 : 32, row,
                                                 k & 2 ? 64 : 32, value, count_release, &released,
                                                 NULL, &err),
                         PARE_OK);
        assert_true(pare_data_is_sparse(data));
        assert_int_equal(pare_data_set_labels(data, labels, &err), PARE_OK);
        same(copy, data);
        pare_data_free(data);
        assert_int_equal(released, k + 1);
    }
    pare_data_free(copy);
}

/* Whatever is refused is let go, with a sentence. */
static void refusals_let_go(void **state) {
    (void)state;
    double x[N * D];
    int32_t ptr[D + 1] = {0, 3, 2, 2, 2, 2}, row[3] = {0, 1, 2};
    int released = 0;
    pare_data *data;
    pare_error err;
    pare_ctx raw;
    pare_ctx_init(&raw);
    raw.struct_size = 3;
    fill(x);
    x[7] = INFINITY;
    assert_int_equal(
        pare_data_borrow_dense(&data, N, D, x, 1, N, count_release, &released, NULL, &err),
        PARE_E_DATA);
    assert_non_null(strstr(err.message, "infinite"));
    assert_int_equal(released, 1);
    assert_null(data);
    assert_int_equal(
        pare_data_borrow_dense(&data, N, D, NULL, 1, N, count_release, &released, NULL, &err),
        PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "x is a null pointer"));
    assert_int_equal(
        pare_data_borrow_dense(&data, 0, D, x, 1, N, count_release, &released, NULL, &err),
        PARE_E_DATA);
    assert_non_null(strstr(err.message, "no samples"));
    assert_int_equal(
        pare_data_borrow_dense(&data, N, D, x, 1, N, count_release, &released, &raw, &err),
        PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "pare_ctx_init was not called"));
    assert_int_equal(pare_data_borrow_sparse(&data, N, D, ptr, 32, row, 32, x, count_release,
                                             &released, NULL, &err),
                     PARE_E_DATA);
    assert_int_equal(pare_data_borrow_sparse(&data, N, D, ptr, 16, row, 32, x, count_release,
                                             &released, NULL, &err),
                     PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "32 or 64"));
    assert_int_equal(released, 6);
}

static void what_is_set_replaces_or_leaves(void **state) {
    (void)state;
    double x[N * D], values[N], weights[N] = {0}, bad[N] = {-1};
    static const char *const classes[] = {"a", "b"};
    static const char *const twice[D] = {"p", "q", "p", "r", "s"};
    static const char *const names[D] = {"p", "q", "o", "r", "s"};
    static const char *const broken[N] = {"a", "b", "c"};
    int32_t codes[N], wrong[N] = {2};
    pare_data *data, *copy;
    pare_error err;
    char before[65], after[65], buffer[32];
    fill(x);
    for (int i = 0; i < N; i++) {
        codes[i] = i % 2;
        values[i] = 0.1 * i;
        weights[i] = i % 3;
    }
    assert_int_equal(pare_data_borrow_dense(&data, N, D, x, 1, N, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_dense(&copy, N, D, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_codes(data, codes, classes, 2, &err), PARE_OK);
    same(data, copy);
    assert_int_equal(pare_data_checksum(before, data, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_codes(data, wrong, classes, 2, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "0 to 1"));
    assert_int_equal(pare_data_set_codes(data, NULL, classes, 2, &err), PARE_E_ARGUMENT);
    assert_int_equal(pare_data_set_labels(data, broken, &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "label 4 is a null pointer"));
    values[3] = NAN;
    assert_int_equal(pare_data_set_values(data, values, &err), PARE_E_DATA);
    assert_int_equal(pare_data_set_weights(data, bad, &err), PARE_E_DATA);
    assert_int_equal(pare_data_set_weights(data, (double[N]){0}, &err), PARE_E_DATA);
    assert_int_equal(pare_data_set_names(data, twice, &err), PARE_E_DATA);
    assert_int_equal(pare_data_checksum(after, data, NULL, &err), PARE_OK);
    assert_string_equal(before, after); /* nothing of that counted */
    assert_int_equal(pare_data_set_weights(data, weights, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(after, data, NULL, &err), PARE_OK);
    assert_string_not_equal(before, after);
    assert_int_equal(pare_data_set_weights(data, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_offset(data, values, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "offset of sample 4"));
    assert_int_equal(pare_data_set_offset(data, weights, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(after, data, NULL, &err), PARE_OK);
    assert_string_not_equal(before, after);
    assert_int_equal(pare_data_set_offset(data, NULL, &err), PARE_OK);
    same(data, copy);
    assert_int_equal(pare_data_set_names(data, names, &err), PARE_OK);
    assert_string_equal(pare_data_name(data, 2, buffer), "o");
    assert_int_equal(pare_data_set_ids(data, labels, &err), PARE_OK);
    assert_string_equal(pare_data_id(data, 1, buffer), "b");
    assert_int_equal(pare_data_set_groups(data, twice, &err), PARE_OK);
    assert_int_equal(pare_data_set_labels(data, NULL, &err), PARE_OK);
    assert_false(pare_data_has_target(data));
    pare_data_free(data);
    pare_data_free(copy);
}

static void a_subset_is_those_samples(void **state) {
    (void)state;
    double x[N * D], part[6 * D], weights[N], some[6];
    static const int32_t rows[6] = {11, 2, 2, 5, 0, 8}, outside[1] = {N};
    const char *own[6];
    pare_data *all, *subset, *copy;
    pare_error err;
    fill(x);
    for (int i = 0; i < N; i++) weights[i] = 1 + i % 3;
    for (int i = 0; i < 6; i++) {
        own[i] = labels[rows[i]];
        some[i] = weights[rows[i]];
        for (int j = 0; j < D; j++) part[j * 6 + i] = x[j * N + rows[i]];
    }
    assert_int_equal(pare_data_dense(&all, N, D, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_weights(all, weights, &err), PARE_OK);
    assert_int_equal(pare_data_subset(&subset, all, rows, 6, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_dense(&copy, 6, D, part, NULL, own, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_weights(copy, some, &err), PARE_OK);
    same(subset, copy);
    pare_data_free(subset);
    char first[65], second[65];
    assert_int_equal(pare_data_set_offset(all, weights, &err), PARE_OK);
    assert_int_equal(pare_data_set_offset(copy, some, &err), PARE_OK);
    assert_int_equal(pare_data_subset(&subset, all, rows, 6, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(first, subset, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(second, copy, NULL, &err), PARE_OK);
    assert_string_equal(first, second);
    pare_data_free(copy);
    assert_int_equal(pare_data_subset(&copy, all, outside, 1, NULL, &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "0 to 11"));
    assert_int_equal(pare_data_subset(&copy, all, NULL, 1, NULL, &err), PARE_E_ARGUMENT);
    assert_int_equal(pare_data_subset(&copy, all, rows, 0, NULL, &err), PARE_E_DATA);
    pare_data_free(subset);
    pare_data_free(all);
}

/* The same numbers from a file, from its bytes and from an array are the same data. */
static void files_and_arrays_agree(void **state) {
    (void)state;
    static const char text[] = "u,v,y\n1.50,0,1.0\n-2,3e0,2\n0.25,1,1\n";
    const double x[] = {1.5, -2, 0.25, 0, 3, 1}, y[] = {1, 2, 1};
    static const char *const names[] = {"u", "v"};
    pare_read_options o;
    pare_read_options_init(&o);
    pare_data *file = read_text("t.csv", text, NULL), *bytes, *array;
    pare_error err;
    assert_int_equal(pare_data_read_memory(&bytes, text, strlen(text), &o, NULL, &err),
                     PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "`format`"));
    o.format = "csv";
    assert_int_equal(pare_data_read_memory(&bytes, text, strlen(text), &o, NULL, &err), PARE_OK);
    check_same_data(file, bytes);
    assert_int_equal(pare_data_dense(&array, 3, 2, x, names, NULL, y, NULL, &err), PARE_OK);
    char one[65], two[65];
    assert_int_equal(pare_data_checksum(one, file, NULL, NULL), PARE_OK);
    assert_int_equal(pare_data_checksum(two, array, NULL, NULL), PARE_OK);
    assert_string_equal(one, two);
    pare_data_free(file);
    pare_data_free(bytes);
    pare_data_free(array);
    assert_int_equal(pare_data_read_memory(&bytes, NULL, 4, &o, NULL, &err), PARE_E_ARGUMENT);
    assert_int_equal(pare_data_read_memory(&bytes, "a\n", 2, &o, NULL, &err), PARE_E_DATA);
}

/* An older program's shorter options have the defaults of what they lack. */
static void options_may_be_short(void **state) {
    (void)state;
    static const char text[] = "1 1:2 2:1\n0 1:1\n";
    pare_read_options o;
    pare_data *data;
    pare_error err;
    pare_read_options_init(&o);
    o.format = "svmlight";
    o.index_base = 7; /* beyond the size that is said */
    o.struct_size = offsetof(pare_read_options, target);
    assert_int_equal(pare_data_read_memory(&data, text, strlen(text), &o, NULL, &err), PARE_OK);
    pare_data_free(data);
    o.struct_size = sizeof o;
    assert_int_equal(pare_data_read_memory(&data, text, strlen(text), &o, NULL, &err),
                     PARE_E_ARGUMENT);
    o.struct_size = 0;
    assert_int_equal(pare_data_read_memory(&data, text, strlen(text), &o, NULL, &err),
                     PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "pare_read_options_init was not called"));
    char guard[sizeof o];
    memset(guard, 0x5a, sizeof guard);
    pare_read_options_init_sized((pare_read_options *)(void *)guard, 16);
    assert_int_equal(guard[16], 0x5a); /* not a byte beyond */
}

static pare_status borrow_call(void *user, const pare_ctx *ctx) {
    pare_data *data, *part = NULL;
    pare_error err;
    int released = 0;
    static const char *const groups[D] = {"g", "g", "h", "h", "h"};
    static const char *const names[D] = {"p", "q", "o", "r", "s"};
    static const int32_t rows[] = {1, 3, 4};
    pare_status status =
        pare_data_borrow_dense(&data, N, D, user, D, 1, count_release, &released, ctx, &err);
    if (status == PARE_OK) status = pare_data_set_labels(data, labels, &err);
    if (status == PARE_OK) status = pare_data_set_groups(data, groups, &err);
    if (status == PARE_OK) status = pare_data_set_names(data, names, &err);
    if (status == PARE_OK) status = pare_data_subset(&part, data, rows, 3, ctx, &err);
    pare_data_free(part);
    pare_data_free(data);
    assert_int_equal(released, 1);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    double x[N * D];
    fill(x);
    check_oom(borrow_call, x);
}

TEST_FILE(test_borrow) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_layouts_are_one),
        cmocka_unit_test(sparse_widths_are_one),
        cmocka_unit_test(refusals_let_go),
        cmocka_unit_test(what_is_set_replaces_or_leaves),
        cmocka_unit_test(a_subset_is_those_samples),
        cmocka_unit_test(files_and_arrays_agree),
        cmocka_unit_test(options_may_be_short),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
