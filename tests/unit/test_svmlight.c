/* svmlight: what is read, every refusal with its text and place, and writing that reads back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/format/stream.h"
#include "support/support.h"
#include "support/read_stream.h"
#include "support/text_files.h"

static void check_values(pare_data *data, int64_t n, int64_t d, const double *rows) {
    assert_true(pare_data_is_sparse(data));
    check_rows(data, n, d, rows);
    pare_data_free(data);
}

static void test_plain(void **state) {
    (void)state;
    static const double rows[] = {0, 2, 0, -3e5, 0, 0, 0, 0, 1, 0, 0, 0.5};
    static const char *const same[] = {
        "+1 2:2 4:-3e5\n-1\nb 1:1 4:.5\n", "+1 2:2 4:-3e5\r\n-1\r\nb 1:1 4:.5\r\n",
        "# a comment 1:1\n\n  +1\t 2:2  4:-3e5 # 9:9\n-1#\n\nb 1:1 4:.5#x",
        "\xef\xbb\xbf+1 00002:2.0 0000000000004:-300000\n-1 \nb 1:1 4:5e-1\n\n"};
    for (int i = 0; i < 4; i++) {
        pare_data *data = read_text("t.svm", same[i], NULL);
        assert_string_equal(strings_at(&data->target.text, 0), "+1");
        assert_string_equal(strings_at(&data->target.text, 1), "-1");
        assert_string_equal(strings_at(&data->target.text, 2), "b");
        check_values(data, 3, 4, rows);
    }
    pare_read_options o = read_options();
    o.index_base = 0;
    o.n_features = 4;
    o.no_target = true;
    pare_data *data = read_text("t.libsvm", "1 0:7 1:8\n2 2:9\n", &o);
    assert_false(pare_data_has_target(data));
    check_values(data, 2, 4, (double[]){7, 8, 0, 0, 0, 0, 9, 0});
    o = read_options();
    o.allow_missing = true;
    check_values(read_text("t.svmlight", "1 1:? 2:nan 3:NA 4: 5:1\n", &o), 1, 5,
                 (double[]){NAN, NAN, NAN, NAN, 1});
}

static void test_labels_replace(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.labels = "labels.txt";
    write_text("labels.txt", "u\nv\n");
    pare_data *data = read_text("t.svm", "1 1:1\n2 1:2\n", &o);
    assert_string_equal(strings_at(&data->target.text, 1), "v");
    pare_data_free(data);
    remove("labels.txt");
}

static void test_refusals(void **state) {
    (void)state;
    check_refused("t.svm", "", NULL, "t.svm has no samples", 0, 0);
    check_refused("t.svm", "1\n2\n", NULL, "t.svm has no features", 0, 0);
    check_refused("t.svm", "1 1:1\n1 2:1 2:3\n", NULL,
                  "t.svm, line 2, column 2: index 2 follows 2, indices must ascend and differ", 2,
                  2);
    check_refused("t.svm", "1 3:1 2:3\n", NULL,
                  "t.svm, line 1, column 2: index 2 follows 3, indices must ascend and differ", 1,
                  2);
    check_refused("t.svm", "1 0:1\n", NULL, "t.svm, line 1: index 0 is below the index base 1", 1,
                  0);
    check_refused("t.svm", "1 -1:1\n", NULL, "t.svm, line 1: expected an index, found \"-1\"", 1,
                  0);
    check_refused("t.svm", "1 :1\n", NULL, "t.svm, line 1: expected an index, found \"\"", 1, 0);
    check_refused(
        "t.svm", "1 2147483648:1\n", NULL,
        "t.svm, line 1: index \"2147483648\" is too large, at most 2147483647 features are "
        "allowed",
        1, 0);
    check_refused(
        "t.svm", "1 99999999999999999999999:1\n", NULL,
        "t.svm, line 1: index \"99999999999999999999999\" is too large, at most 2147483647 "
        "features are allowed",
        1, 0);
    check_refused("t.svm", "1 1:1\n1 qid:3 1:1\n", NULL,
                  "t.svm, line 2: query ids (qid:) are not supported", 2, 0);
    check_refused("t.svm", "1 5\n", NULL, "t.svm, line 1: expected index:value, found \"5\"", 1, 0);
    check_refused("t.svm", "1:2 2:3\n", NULL,
                  "t.svm, line 1: expected a label first, found \"1:2\"", 1, 0);
    check_refused("t.svm", "? 2:3\n", NULL, "t.svm, line 1: the target is missing (\"?\")", 1, 0);
    check_refused("t.svm", "1 1:1 7:abc\n", NULL,
                  "t.svm, line 1, column 7: expected a number, found \"abc\"", 1, 7);
    check_refused("t.svm", "1 1:1 7:1:2\n", NULL,
                  "t.svm, line 1, column 7: expected a number, found \"1:2\"", 1, 7);
    check_refused("t.svm", "1 1:inf\n", NULL,
                  "t.svm, line 1, column 1: expected a finite number, found \"inf\"", 1, 1);
    check_refused("t.svm", "1 1:1e400\n", NULL,
                  "t.svm, line 1, column 1: \"1e400\" is too large for a number", 1, 1);
    check_refused("t.svm", "1 1:\n", NULL,
                  "t.svm, line 1, column 1: the value is missing (\"\"); choose "
                  "`missing` mean, median, indicator or drop",
                  1, 1);
    static const char nul[] = "1 1:1\0 2:1\n";
    check_refused_at("t.svm", nul, sizeof nul - 1, NULL,
                     "t.svm, line 1: a NUL byte, this is not a text file", 1, 0, __FILE__,
                     __LINE__);
    pare_read_options o = read_options();
    o.target = "y";
    check_refused("t.svm", "1 1:1\n", &o,
                  "target names a column, but svmlight columns have no names", 0, 0);
    o = read_options();
    o.index_base = 2;
    check_refused("t.svm", "1 1:1\n", &o, "index base 2 is neither 0 nor 1", 0, 0);
    o = read_options();
    o.n_features = -1;
    check_refused("t.svm", "1 1:1\n", &o,
                  "the number of features is -1, allowed are 0 to 2147483647", 0, 0);
}

static void test_memory_limit(void **state) {
    (void)state;
    pare_error err;
    pare_data *data;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = 1000000;
    write_text("t.svm", "1 2000000000:1\n");
    assert_int_equal(pare_data_read(&data, "t.svm", NULL, &ctx, &err), PARE_E_MEMORY);
    assert_string_equal(err.message,
                        "t.svm has at least 2000000000 columns, too many for the memory "
                        "limit of 1000000 bytes");
    remove("t.svm");
}

static void test_every_split(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.index_base = 0;
    const char *small = "a 0:1.5 3:-2 # x\n# y\nb\t5:1e-5\r\n";
    pare_data *whole = read_text("t.svm", small, &o);
    for (size_t piece = 1; piece < 40; piece++)
        for (int twice = 0; twice < 2; twice++) {
            pare_error err;
            stream s;
            pare_data *data;
            assert_int_equal(
                stream_open_memory(&s, "t.svm", small, strlen(small), piece, NULL, &err), PARE_OK);
            s.can_rewind = twice;
            assert_int_equal(read_stream(&data, read_svmlight, &s, "t.svm", &o, NULL, &err),
                             PARE_OK);
            check_same_data(data, whole);
            pare_data_free(data);
            stream_close(&s);
        }
    pare_data_free(whole);
}

/* Random matrices, past the size of a block of entries, written and read back to the bit. */
static void test_write_and_read_back(void **state) {
    (void)state;
    static const int64_t shape[][2] = {{300, 900}, {2, 200000}, {20000, 12}, {1, 1}};
    rng r = rng_from(8);
    for (int k = 0; k < 4; k++) {
        int64_t n = shape[k][0], d = shape[k][1];
        matrix x = random_sparse(&r, n, d, 0.4);
        const char **labels = malloc((size_t)n * sizeof *labels);
        for (int64_t i = 0; i < n; i++) labels[i] = i % 3 ? "1" : "b\"c";
        pare_data *data;
        pare_error err;
        assert_int_equal(pare_data_sparse(&data, n, d, arrays_of(&x)->col_ptr, arrays_of(&x)->row,
                                          arrays_of(&x)->value, NULL, labels, NULL, NULL, &err),
                         PARE_OK);
        pare_read_options o = read_options();
        o.n_features = d;
        static const char *const path[] = {"w.svm", "w.svm.gz"};
        for (int z = 0; z < 2; z++) {
            pare_data *back;
            assert_int_equal(pare_data_write(data, path[z], NULL, NULL, NULL, &err), PARE_OK);
            assert_int_equal(pare_data_read(&back, path[z], &o, NULL, &err), PARE_OK);
            check_same_data(data, back);
            pare_data_free(back);
            remove(path[z]);
        }
        pare_data_free(data);
        mat_free(&x, NULL);
        free(labels);
    }
}

static void test_write_dense(void **state) {
    (void)state;
    const double x[] = {1, 0, 0, -2.5, NAN, 0};
    pare_data *data, *back;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, 2, 3, x, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_write(data, "w.svm", NULL, NULL, NULL, &err), PARE_OK);
    pare_data_free(data);
    pare_read_options o = read_options();
    o.allow_missing = true;
    assert_int_equal(pare_data_read(&back, "w.svm", &o, NULL, &err), PARE_OK);
    assert_string_equal(strings_at(&back->target.text, 0), "0");
    check_values(back, 2, 3, (double[]){1, 0, NAN, 0, -2.5, 0});
    remove("w.svm");
    const char *labels[] = {"ok", "not ok"};
    assert_int_equal(pare_data_dense(&data, 2, 3, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_write(data, "w.svm", NULL, NULL, NULL, &err), PARE_E_DATA);
    assert_string_equal(err.message, "w.svm: sample 2 has the label \"not ok\", svmlight allows no "
                                     "blank, # or :");
    assert_null(fopen("w.svm", "rb")); /* nothing is left behind */
    assert_null(fopen("w.svm.tmp0", "rb"));
    pare_data_free(data);
}

TEST_FILE(test_svmlight) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),       cmocka_unit_test(test_labels_replace),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_every_split), cmocka_unit_test(test_write_and_read_back),
        cmocka_unit_test(test_write_dense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
