/* .mtx: coordinate and array files against the numbers they spell; every refusal with its line. */
#define _POSIX_C_SOURCE 200809L
#include "support/read_stream.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/dataset.h"
#include "data/format/stream.h"

static pare_status read_text(pare_data **data, const char *text, size_t size, size_t piece,
                             bool allow_missing, pare_error *err) {
    pare_read_options o = {.allow_missing = allow_missing};
    stream s;
    assert_int_equal(stream_open_memory(&s, "a.mtx", text, size, piece, NULL, err), PARE_OK);
    pare_status status = read_stream(data, read_mtx, &s, "a.mtx", &o, NULL, err);
    stream_close(&s);
    return status;
}

/* The text must give these n x d numbers, column-major, in dense or sparse storage. */
static void expect(const char *text, bool is_sparse, int64_t n, int64_t d, const double *x) {
    for (size_t piece = 1; piece < 300; piece = piece * 2 + 1) {
        pare_data *data;
        pare_error err = {.message = ""};
        pare_status status = read_text(&data, text, strlen(text), piece, true, &err);
        if (status != PARE_OK) fail_msg("%s", err.message);
        assert_int_equal(pare_data_is_sparse(data), is_sparse);
        assert_int_equal(pare_data_n(data), n);
        assert_int_equal(pare_data_d(data), d);
        double *full = dense_of(&data->x);
        for (int64_t i = 0; i < n * d; i++)
            assert_true(full[i] == x[i] || (isnan(full[i]) && isnan(x[i])));
        free(full);
        pare_data_free(data);
    }
}

static void coordinates(void **state) {
    (void)state;
    const double x[] = {0, 2.5, 0, -1e-3, 0, 7}, ones[] = {0, 1, 0, 1, 0, 1};
    const double symmetric[] = {1, 2, 0, 2, 0, 3, 0, 3, NAN};
    expect("%%MatrixMarket matrix coordinate real general\n% by hand\n\n2 3 3\n2 1 2.5\n2 2 "
           "-1e-3\n2 3 7\n",
           true, 2, 3, (const double[]){0, 2.5, 0, -1e-3, 0, 7});
    expect("%%matrixmarket MATRIX Coordinate Real General\r\n2 3 3\r\n2 3 7\r\n\r\n2 1 2.5 \r\n\t2 "
           " 2 -1e-3",
           true, 2, 3, x);
    expect("%%MatrixMarket matrix coordinate pattern general\n2 3 3\n2 3\n2 1\n2 2\n", true, 2, 3,
           ones);
    expect("%%MatrixMarket matrix coordinate integer general\n1 1 0\n", true, 1, 1,
           (const double[]){0});
    expect("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 nan\n",
           true, 3, 3, symmetric);
}

static void arrays(void **state) {
    (void)state;
    expect("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", false, 2, 3,
           (const double[]){1, 2, 3, 4, 5, 6});
    expect("%%MatrixMarket matrix array integer symmetric\n% c\n2 2\n1\n-2\nNaN", false, 2, 2,
           (const double[]){1, -2, -2, NAN});
}

/* Entries in random order, and several rows a column out of order. */
static void any_order(void **state) {
    (void)state;
    rng r = rng_from(11);
    for (int round = 0; round < 50; round++) {
        int64_t n = 1 + rng_below(&r, 9), d = 1 + rng_below(&r, 9), order[81], count = 0;
        double x[81] = {0};
        for (int64_t e = 0; e < n * d; e++)
            if (rng_uniform(&r) < 0.5) {
                order[count++] = e;
                x[e] = (double)(e + 1) / 4;
            }
        rng_shuffle(&r, order, count);
        char text[4096];
        int at = snprintf(text, sizeof text,
                          "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", (int)n,
                          (int)d, (int)count);
        for (int64_t k = 0; k < count; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%d %d %.17g\n",
                           (int)(order[k] % n) + 1, (int)(order[k] / n) + 1, x[order[k]]);
        expect(text, true, n, d, x);
    }
}

static void refuse_bytes(const char *text, size_t size, pare_status code, int64_t row,
                         int64_t at_column, const char *message) {
    for (size_t piece = 1; piece < 300; piece = piece * 2 + 1) {
        pare_data *data;
        pare_error err;
        assert_int_equal(read_text(&data, text, size, piece, false, &err), code);
        assert_string_equal(err.message, message);
        assert_int_equal(err.row, row);
        assert_int_equal(err.column, at_column);
        pare_data_free(data);
    }
}

static void refuse(const char *text, int64_t line, const char *message) {
    refuse_bytes(text, strlen(text), PARE_E_FORMAT, line, 0, message);
}

#define REAL "%%MatrixMarket matrix coordinate real general\n"
#define ARRAY "%%MatrixMarket matrix array real general\n"

static void refuses_headers(void **state) {
    (void)state;
    refuse("", 0,
           "a.mtx is not a Matrix Market file: its first line does not start with %%MatrixMarket");
    refuse("a,b\n1,2\n", 1,
           "a.mtx is not a Matrix Market file: its first line does not start with %%MatrixMarket");
    refuse("%%MatrixMarket matrix coordinate real\n", 1,
           "a.mtx, line 1 must name object, format, field and symmetry, as in \"%%MatrixMarket "
           "matrix coordinate real general\"");
    refuse("%%MatrixMarket vector coordinate real general\n", 1,
           "a.mtx, line 1: the object is \"vector\", allowed is matrix");
    refuse("%%MatrixMarket matrix table real general\n", 1,
           "a.mtx, line 1: the format is \"table\", allowed are coordinate and array");
    refuse("%%MatrixMarket matrix coordinate complex general\n", 1,
           "a.mtx, line 1: the field is \"complex\", allowed are real, integer and pattern");
    refuse("%%MatrixMarket matrix array pattern general\n", 1,
           "a.mtx, line 1: an array cannot be a pattern");
    refuse("%%MatrixMarket matrix coordinate real hermitian\n", 1,
           "a.mtx, line 1: the symmetry is \"hermitian\", allowed are general and symmetric");
    refuse(REAL "% only a comment\n", 2, "a.mtx ends before its line of sizes");
    refuse(REAL "2 3\n", 2, "a.mtx, line 2 must hold rows, columns and entries, but is \"2 3\"");
    refuse(ARRAY "2 3 4\n", 2, "a.mtx, line 2 must hold rows and columns, but is \"2 3 4\"");
    refuse(ARRAY "2 99999999999999999999\n", 2,
           "a.mtx, line 2 must hold rows and columns, but is \"2 99999999999999999999\"");
    refuse("%%MatrixMarket matrix array real symmetric\n2 3\n", 2,
           "a.mtx, line 2: a symmetric matrix cannot be 2 x 3");
    refuse(REAL "2 3 7\n", 2, "a.mtx, line 2: 7 entries are more than 2 x 3 can hold");
    refuse_bytes(REAL "0 3 0\n", strlen(REAL) + 6, PARE_E_DATA, 0, 0, "a.mtx has no samples");
    refuse_bytes(ARRAY "3 0\n", strlen(ARRAY) + 4, PARE_E_DATA, 0, 0, "a.mtx has no features");
}

static void refuses_entries(void **state) {
    (void)state;
    const char nul[] = REAL "1 1 1\n1 1 2\0 3\n";
    refuse(REAL "2 2 1\n3 1 1\n", 3, "a.mtx, line 3: row 3 is not among 1 to 2");
    refuse(REAL "2 2 1\n0 1 1\n", 3, "a.mtx, line 3: row 0 is not among 1 to 2");
    refuse(REAL "2 2 1\n\n%\n2 3 1\n", 5, "a.mtx, line 5: column 3 is not among 1 to 2");
    refuse(REAL "2 2 1\n1 1\n", 3,
           "a.mtx, line 3 must hold a row, a column and a number, but is \"1 1\"");
    refuse(REAL "2 2 1\n1 1 x\n", 3,
           "a.mtx, line 3 must hold a row, a column and a number, but is \"1 1 x\"");
    refuse(REAL "2 2 1\n1 1 2x\n", 3,
           "a.mtx, line 3 must hold a row, a column and a number, but is \"1 1 2x\"");
    refuse(REAL "2 2 1\n1.5 1 2\n", 3,
           "a.mtx, line 3 must hold a row, a column and a number, but is \"1.5 1 2\"");
    refuse(REAL "2 2 1\n1 1 2 3\n", 3,
           "a.mtx, line 3 must hold a row, a column and a number, but is \"1 1 2 3\"");
    refuse_bytes(nul, sizeof nul - 1, PARE_E_FORMAT, 3, 0,
                 "a.mtx, line 3 must hold a row, a column and a number, but is \"1 1 2\"");
    refuse("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", 3,
           "a.mtx, line 3 must hold a row and a column, but is \"1 1 1\"");
    refuse(REAL "2 2 2\n1 1 1\n", 3, "a.mtx ends after 1 of 2 entries");
    refuse(REAL "2 2 1\n1 1 1\n2 2 1\n", 4,
           "a.mtx, line 4 comes after the last of the values that the line of sizes announces");
    refuse_bytes(REAL "2 2 3\n2 1 1\n1 1 1\n2 1 5\n", strlen(REAL) + 24, PARE_E_FORMAT, 2, 1,
                 "a.mtx: the entry in row 2, column 1 appears twice");
    refuse_bytes("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 2\n",
                 strlen("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 2\n"),
                 PARE_E_FORMAT, 2, 1, "a.mtx: the entry in row 2, column 1 appears twice");
    refuse(ARRAY "2 1\n1\n", 3, "a.mtx ends before row 2 of column 1");
    refuse(ARRAY "2 1\n1\n2 3\n", 4, "a.mtx, line 4 must hold one number, but is \"2 3\"");
    refuse(ARRAY "1 1\n1\n2\n", 4,
           "a.mtx, line 4 comes after the last of the values that the line of sizes announces");
    refuse_bytes(REAL "2 2 1\n2 1 nan\n", strlen(REAL) + 14, PARE_E_DATA, 2, 1,
                 "a.mtx: feature 1 (\"x1\") of sample 2 is missing; choose `missing` "
                 "mean, median, indicator or drop");
    refuse_bytes(REAL "2 2 1\n2 1 1e999\n", strlen(REAL) + 16, PARE_E_DATA, 2, 1,
                 "a.mtx: feature 1 (\"x1\") of sample 2 is infinite, values must be finite");
}

static void refuses_long_lines(void **state) {
    (void)state;
    enum { SIZE = 1 << 18 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, ' ', SIZE);
    memcpy(text, REAL, strlen(REAL));
    pare_data *data;
    pare_error err;
    assert_int_equal(read_text(&data, text, SIZE, 4096, false, &err), PARE_E_FORMAT);
    assert_string_equal(err.message, "a.mtx, line 2 is longer than 65536 bytes");
    assert_int_equal(err.row, 2);
    pare_data_free(data);
    free(text);
}

static void written_reads_back(void **state) {
    (void)state;
    char dir[] = "/tmp/pare_mtx_XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    rng r = rng_from(3);
    for (int variant = 0; variant < 4; variant++) {
        bool is_sparse = variant & 1;
        snprintf(path, sizeof path, "%s/x.mtx%s", dir, variant & 2 ? ".gz" : "");
        matrix x = random_sparse(&r, 13, 9, 0.3);
        ((double *)(uintptr_t)arrays_of(&x)->value)[0] = NAN;
        double *full = dense_of(&x);
        pare_data *data, *back;
        pare_error err;
        sink out;
        stream in;
        pare_read_options o = {.allow_missing = true};
        assert_int_equal(
            is_sparse ? pare_data_sparse(&data, 13, 9, arrays_of(&x)->col_ptr, arrays_of(&x)->row,
                                         arrays_of(&x)->value, NULL, NULL, NULL, NULL, &err)
                      : pare_data_dense(&data, 13, 9, full, NULL, NULL, NULL, NULL, &err),
            PARE_OK);
        assert_int_equal(sink_open(&out, path, NULL, &err), PARE_OK);
        assert_int_equal(write_mtx(data, &out, NULL, &err), PARE_OK);
        assert_int_equal(sink_commit(&out, &err), PARE_OK);
        assert_int_equal(stream_open(&in, path, NULL, &err), PARE_OK);
        assert_int_equal(read_stream(&back, read_mtx, &in, path, &o, NULL, &err), PARE_OK);
        stream_close(&in);
        assert_int_equal(pare_data_is_sparse(back), is_sparse);
        double *again = dense_of(&back->x);
        for (int i = 0; i < 13 * 9; i++)
            assert_true(again[i] == full[i] || (isnan(again[i]) && isnan(full[i])));
        free(again);
        pare_data_free(data);
        pare_data_free(back);
        mat_free(&x, NULL);
        free(full);
        unlink(path);
    }
    rmdir(dir);
}

TEST_FILE(test_mtx) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates),        cmocka_unit_test(arrays),
        cmocka_unit_test(any_order),          cmocka_unit_test(refuses_headers),
        cmocka_unit_test(refuses_entries),    cmocka_unit_test(refuses_long_lines),
        cmocka_unit_test(written_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
