/* Data sets made from arrays: what is kept, what is refused and in which words, dropping samples.
 */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/builder.h"

#include "base/memory.h"

enum { N = 3, D = 2 };
static const double dense_x[N * D] = {1, 2, 3, 4, 5, 6};

static void dense_keeps_everything(void **state) {
    (void)state;
    const char *names[D] = {"a", "b"}, *labels[N] = {"yes", "no", "yes"};
    pare_data *data;
    pare_error err;
    char buffer[32];
    assert_int_equal(pare_data_dense(&data, N, D, dense_x, names, labels, NULL, NULL, &err),
                     PARE_OK);
    assert_int_equal(pare_data_n(data), N);
    assert_int_equal(pare_data_d(data), D);
    assert_false(pare_data_is_sparse(data));
    assert_true(pare_data_has_target(data));
    assert_string_equal(pare_data_name(data, 1, buffer), "b");
    assert_string_equal(strings_at(&data->target.text, 1), "no");
    assert_memory_equal(values_of(&data->x), dense_x, sizeof dense_x);
    assert_ptr_not_equal(values_of(&data->x), dense_x);
    assert_false(data->x.missing);
    pare_data_free(data);
}

static void values_become_text(void **state) {
    (void)state;
    const double values[N] = {-1, 0.1, 1e300};
    pare_data *data;
    char buffer[32];
    assert_int_equal(pare_data_dense(&data, N, D, dense_x, NULL, NULL, values, NULL, NULL),
                     PARE_OK);
    for (int i = 0; i < N; i++)
        assert_true(strtod(pare_data_target(data, i, (char[32]){0}), NULL) == values[i]);
    assert_string_equal(pare_data_target(data, 0, (char[32]){0}), "-1");
    assert_string_equal(pare_data_name(data, 1, buffer), "x2");
    pare_data_free(data);
    assert_int_equal(pare_data_dense(&data, N, D, dense_x, NULL, NULL, NULL, NULL, NULL), PARE_OK);
    assert_false(pare_data_has_target(data));
    pare_data_free(data);
}

static void refuse_dense(int64_t n, int64_t d, const double *x, const char *const *names,
                         const char *const *labels, const double *values, const pare_ctx *ctx,
                         pare_status expected, int64_t row, int64_t at_column,
                         const char *message) {
    pare_data *data = (pare_data *)&n; /* must be overwritten */
    pare_error err;
    assert_int_equal(pare_data_dense(&data, n, d, x, names, labels, values, ctx, &err), expected);
    assert_null(data);
    assert_string_equal(err.message, message);
    assert_int_equal(err.code, expected);
    assert_int_equal(err.row, row);
    assert_int_equal(err.column, at_column);
}

static void dense_refuses(void **state) {
    (void)state;
    const char *twice[D] = {"gene", "gene"}, *hole[D] = {"a", NULL}, *labels[N] = {"1", "2", "3"};
    const double nan_value[N] = {1, NAN, 2}, infinite[N * D] = {1, 2, NAN, 4, -INFINITY, 6};
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = 47;
    refuse_dense(0, D, dense_x, NULL, NULL, NULL, NULL, PARE_E_DATA, 0, 0,
                 "the data set has no samples");
    refuse_dense(-1, D, dense_x, NULL, NULL, NULL, NULL, PARE_E_DATA, 0, 0,
                 "the data set has no samples");
    refuse_dense(N, 0, dense_x, NULL, NULL, NULL, NULL, PARE_E_DATA, 0, 0,
                 "the data set has no features");
    refuse_dense(INT64_C(2147483648), 1, dense_x, NULL, NULL, NULL, NULL, PARE_E_DATA, 0, 0,
                 "the data set has 2147483648 samples, at most 2147483647 are allowed");
    refuse_dense(INT32_MAX, INT64_MAX, dense_x, NULL, NULL, NULL, NULL, PARE_E_MEMORY, 0, 0,
                 "not enough memory");
    refuse_dense(N, D, dense_x, NULL, NULL, NULL, &ctx, PARE_E_MEMORY, 0, 0,
                 "the data set needs 48 bytes of memory, the limit is 47");
    refuse_dense(N, D, NULL, NULL, NULL, NULL, NULL, PARE_E_ARGUMENT, 0, 0, "x is a null pointer");
    refuse_dense(N, D, dense_x, twice, NULL, NULL, NULL, PARE_E_DATA, 0, 2,
                 "the data set: features 1 and 2 have the same name \"gene\", names must differ");
    refuse_dense(N, D, dense_x, hole, NULL, NULL, NULL, PARE_E_ARGUMENT, 0, 0,
                 "feature name 2 is a null pointer");
    refuse_dense(N, D, dense_x, NULL, labels, nan_value, NULL, PARE_E_ARGUMENT, 0, 0,
                 "give labels or target values, not both");
    refuse_dense(N, D, dense_x, NULL, NULL, nan_value, NULL, PARE_E_DATA, 2, 0,
                 "the target value of sample 2 is nan, it must be finite");
    refuse_dense(N, D, infinite, NULL, NULL, NULL, NULL, PARE_E_DATA, 2, 2,
                 "the data set: feature 2 (\"x2\") of sample 2 is infinite, values must be finite");
}

static void sparse_keeps_and_refuses(void **state) {
    (void)state;
    const int64_t good[] = {0, 2, 2, 3}, late[] = {1, 2, 2, 3}, down[] = {0, 2, 1, 3};
    const int32_t row[] = {0, 2, 1}, out_of_range[] = {0, 3, 1}, twice[] = {2, 2, 1};
    const double x[] = {1, NAN, 3}, infinite[] = {1, 2, INFINITY};
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_sparse(&data, 3, 3, good, row, x, NULL, NULL, NULL, NULL, &err),
                     PARE_OK);
    assert_true(pare_data_is_sparse(data));
    assert_true(data->x.missing);
    assert_int_equal(arrays_of(&data->x)->col_ptr[3], 3);
    assert_memory_equal(arrays_of(&data->x)->row, row, sizeof row);
    pare_data_free(data);
    assert_int_equal(pare_data_sparse(&data, 3, 3, late, row, x, NULL, NULL, NULL, NULL, &err),
                     PARE_E_DATA);
    assert_string_equal(err.message, "the data set: the column pointers start with 1 instead of 0");
    assert_int_equal(pare_data_sparse(&data, 3, 3, down, row, x, NULL, NULL, NULL, NULL, &err),
                     PARE_E_DATA);
    assert_string_equal(err.message, "the data set: the pointers of column 2 run from 2 down to 1");
    assert_int_equal(err.column, 2);
    assert_int_equal(
        pare_data_sparse(&data, 3, 3, good, out_of_range, x, NULL, NULL, NULL, NULL, &err),
        PARE_E_DATA);
    assert_string_equal(err.message,
                        "the data set: column 1 has an entry in row 3, rows are 0 to 2");
    assert_int_equal(pare_data_sparse(&data, 3, 3, good, twice, x, NULL, NULL, NULL, NULL, &err),
                     PARE_E_DATA);
    assert_string_equal(err.message,
                        "the data set: column 1 has row 2 after row 2, rows must ascend");
    assert_int_equal(
        pare_data_sparse(&data, 3, 3, good, row, infinite, NULL, NULL, NULL, NULL, &err),
        PARE_E_DATA);
    assert_string_equal(
        err.message,
        "the data set: feature 3 (\"x3\") of sample 2 is infinite, values must be finite");
    assert_int_equal(err.row, 2);
    assert_int_equal(err.column, 3);
    assert_int_equal(pare_data_sparse(&data, 3, 3, good, NULL, x, NULL, NULL, NULL, NULL, &err),
                     PARE_E_ARGUMENT);
    assert_string_equal(err.message, "row or x is a null pointer, and there are 3 entries");
    assert_int_equal(pare_data_sparse(&data, 3, 3, NULL, row, x, NULL, NULL, NULL, NULL, &err),
                     PARE_E_ARGUMENT);
    assert_string_equal(err.message, "col_ptr is a null pointer");
    assert_null(data);
}

static void finish_checks_lists(void **state) {
    (void)state;
    pare_error err;
    data_builder b;
    assert_int_equal(data_begin(&b, NULL, &err), PARE_OK);
    assert_int_equal(data_alloc_dense(&b, 2, 1, "f.csv", NULL, &err), PARE_OK);
    b.fill.value[0] = b.fill.value[1] = 1;
    pare_data *data = b.data, *out = NULL;
    assert_int_equal(data_complete(&b, "f.csv", &err), PARE_OK);
    assert_true(strings_add(&data->target.text, &data->mem, "a", 1));
    assert_int_equal(data_finish(&out, &b, "f.csv", &err), PARE_E_DATA);
    assert_string_equal(err.message, "f.csv: the number of target values is 1, that of samples 2");
    assert_true(strings_add(&data->target.text, &data->mem, "b", 1));
    data->weight = mem_zero(&data->mem, 2, sizeof *data->weight);
    assert_int_equal(data_finish(&out, &b, "f.csv", &err), PARE_E_DATA);
    assert_string_equal(err.message, "f.csv: all sample weights are 0");
    data->weight[1] = NAN;
    assert_int_equal(data_finish(&out, &b, "f.csv", &err), PARE_E_DATA);
    assert_string_equal(err.message, "f.csv: the weight of sample 2 is nan, it must be a finite "
                                     "number, at least 0");
    assert_int_equal(err.row, 2);
    data->weight[1] = -1;
    assert_int_equal(data_finish(&out, &b, "f.csv", &err), PARE_E_DATA);
    data->weight[1] = 1;
    assert_int_equal(data_complete(&b, "f.csv", &err), PARE_OK);
    assert_true(strings_add(&data->groups, &data->mem, "g", 1));
    assert_int_equal(data_complete(&b, "f.csv", &err), PARE_OK);
    assert_true(strings_add(&data->groups, &data->mem, "h", 1));
    assert_int_equal(data_finish(&out, &b, "f.csv", &err), PARE_E_DATA);
    assert_string_equal(err.message,
                        "f.csv: the number of feature groups is 2, that of features 1");
    assert_null(out);
    data_abandon(&b);
}

/* What is handed out is no longer the builder's; what fails or is abandoned leaves no memory. */
static void builder_ends_once(void **state) {
    (void)state;
    pare_error err;
    failing f = {.allow = INT64_MAX};
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.allocator = failing_allocator(&f);
    for (int round = 0; round < 3;
         round++) { /* abandoned while filled, after a failure, finished */
        data_builder b;
        pare_data *out = NULL;
        assert_int_equal(data_begin(&b, &ctx, &err), PARE_OK);
        assert_int_equal(data_alloc_dense(&b, 2, 1, "f.csv", &ctx, &err), PARE_OK);
        b.fill.value[0] = 3;
        b.fill.value[1] = round == 1 ? INFINITY : 4;
        if (round > 0)
            assert_int_equal(data_finish(&out, &b, "f.csv", &err),
                             round == 1 ? PARE_E_DATA : PARE_OK);
        data_abandon(&b);
        assert_null(b.data);
        assert_true((out != NULL) == (round == 2));
        if (out) assert_int_equal(pare_data_n(out), 2);
        pare_data_free(out);
        assert_int_equal(f.live, 0);
    }
}

/* A random data set with missing values, dense or sparse, where sample i's target, id and weight
 * all spell i; after dropping, each sample must still carry its own numbers. */
static void drop_keeps_samples_together(void **state) {
    (void)state;
    rng r = rng_from(5);
    for (int round = 0; round < 40; round++) {
        bool is_sparse = round % 2;
        int64_t n = 1 + rng_below(&r, 12), d = 1 + rng_below(&r, 6);
        matrix x = random_sparse(&r, n, d, 0.6);
        for (int64_t e = 0; e < arrays_of(&x)->col_ptr[d]; e++)
            if (rng_uniform(&r) < 0.15) ((double *)(uintptr_t)arrays_of(&x)->value)[e] = NAN;
        double *full = dense_of(&x), *values = malloc(sizeof(double) * (size_t)n);
        assert_non_null(values);
        for (int64_t i = 0; i < n; i++) values[i] = (double)i;
        pare_data *data;
        pare_error err;
        assert_int_equal(
            is_sparse ? pare_data_sparse(&data, n, d, arrays_of(&x)->col_ptr, arrays_of(&x)->row,
                                         arrays_of(&x)->value, NULL, NULL, values, NULL, &err)
                      : pare_data_dense(&data, n, d, full, NULL, NULL, values, NULL, &err),
            PARE_OK);
        data->weight = mem_alloc(&data->mem, n, sizeof(double));
        assert_non_null(data->weight);
        int64_t complete = 0;
        for (int64_t i = 0; i < n; i++) {
            bool whole = true;
            data->weight[i] = (double)(i + 1);
            char digits[32];
            const char *id = pare_data_target(data, i, digits);
            assert_true(strings_add(&data->ids, &data->mem, id, (int64_t)strlen(id)));
            for (int64_t j = 0; j < d; j++) whole = whole && !isnan(full[j * n + i]);
            complete += whole;
        }
        int64_t dropped = -1;
        pare_status status = pare_data_drop_missing(data, &dropped, NULL, &err);
        if (complete == 0) {
            assert_int_equal(status, PARE_E_DATA);
            assert_int_equal(pare_data_n(data), n);
        } else {
            assert_int_equal(status, PARE_OK);
            assert_int_equal(dropped, n - complete);
            assert_int_equal(pare_data_n(data), complete);
            assert_int_equal(target_column_count(&data->target), complete);
            assert_false(data->x.missing);
            double *now = dense_of(&data->x);
            int64_t k = 0;
            for (int64_t i = 0; i < n; i++) {
                bool whole = true;
                for (int64_t j = 0; j < d; j++) whole = whole && !isnan(full[j * n + i]);
                if (!whole) continue;
                for (int64_t j = 0; j < d; j++)
                    assert_true(now[j * complete + k] == full[j * n + i]);
                assert_true(strtod(pare_data_target(data, k, (char[32]){0}), NULL) == (double)i);
                assert_true(strtod(strings_at(&data->ids, k), NULL) == (double)i);
                assert_true(data->weight[k] == (double)(i + 1));
                k++;
            }
            free(now);
            data_builder whole = {.data = data};
            assert_int_equal(data_complete(&whole, "dropped", &err), PARE_OK);
        }
        pare_data_free(data);
        free(full);
        free(values);
        mat_free(&x, NULL);
    }
}

static void drop_refuses(void **state) {
    (void)state;
    const double all[] = {NAN, NAN}, one[] = {NAN, 1};
    pare_data *data;
    pare_error err;
    int64_t dropped;
    assert_int_equal(pare_data_dense(&data, 2, 1, all, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_drop_missing(data, &dropped, NULL, &err), PARE_E_DATA);
    assert_string_equal(err.message,
                        "every one of the 2 samples has a missing value, so none would be left");
    assert_int_equal(dropped, 0);
    pare_data_free(data);
    assert_int_equal(pare_data_dense(&data, 2, 1, one, NULL, NULL, NULL, NULL, &err), PARE_OK);
    data->weight = mem_zero(&data->mem, 2, sizeof(double));
    assert_non_null(data->weight);
    data->weight[0] = 1;
    assert_int_equal(pare_data_drop_missing(data, NULL, NULL, &err), PARE_E_DATA);
    assert_string_equal(err.message, "every sample without a missing value has weight 0");
    assert_int_equal(pare_data_n(data), 2);
    data->weight[1] = 1;
    assert_int_equal(pare_data_drop_missing(data, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_n(data), 1);
    pare_data_free(data);
}

TEST_FILE(test_dataset) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_keeps_everything),
        cmocka_unit_test(values_become_text),
        cmocka_unit_test(dense_refuses),
        cmocka_unit_test(sparse_keeps_and_refuses),
        cmocka_unit_test(finish_checks_lists),
        cmocka_unit_test(builder_ends_once),
        cmocka_unit_test(drop_keeps_samples_together),
        cmocka_unit_test(drop_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
