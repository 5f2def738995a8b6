/* ARFF: dense and sparse rows, quoting, and every refusal with its text and place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/format/stream.h"
#include "support/support.h"
#include "support/text_files.h"

#define HEAD "% c\n@RELATION 'my data'\n\n@attribute a numeric\n@Attribute 'b c' REAL\n"
#define CLASS "@attribute class {p, 'q r', \"s\"}\n@data\n"

static void check_values(pare_data *data, const char *const *target, int64_t n, int64_t d,
                         const double *rows) {
    check_rows(data, n, d, rows);
    assert_int_equal(target_column_count(&data->target), target ? n : 0);
    for (int64_t i = 0; target && i < n; i++)
        assert_string_equal(strings_at(&data->target.text, i), target[i]);
    pare_data_free(data);
}

static void test_dense(void **state) {
    (void)state;
    static const char *const target[] = {"p", "q r", "s"};
    static const double rows[] = {1, 2, -3, 4e5, 0.5, 6};
    const char *text = HEAD CLASS "1,2,p\n% c\n -3 , 4e5 ,'q r'\r\n\n0.5,\"6\",s\n";
    pare_data *data = read_text("t.arff", text, NULL);
    assert_false(pare_data_is_sparse(data));
    assert_string_equal(strings_at(&data->names, 0), "a");
    assert_string_equal(strings_at(&data->names, 1), "b c");
    check_values(data, target, 3, 2, rows);
    pare_read_options o = read_options();
    o.no_target = true;
    o.drop = "class";
    check_values(read_text("t.arff", text, &o), NULL, 3, 2, rows);
    o = read_options();
    o.target = "a"; /* numeric */
    o.drop = "class";
    static const char *const numbers[] = {"1", "-3", "0.5"};
    check_values(read_text("t.arff", text, &o), numbers, 3, 1, (double[]){2, 4e5, 6});
    o = read_options();
    o.allow_missing = true;
    static const char *const p[] = {"p"};
    check_values(read_text("t.arff", HEAD CLASS "?,1,p\n", &o), p, 1, 2, (double[]){NAN, 1});
}

static void test_id_weight_and_escapes(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.id = "name";
    o.weights = "w";
    o.drop = "when";
    pare_data *data = read_text(
        "t.arff",
        "@relation r\n@attribute name string\n@attribute w integer\n@attribute when date\n"
        "@attribute a real\n@attribute last {x,y}\n@data\n'it\\'s \\\"',2,'1/2',5,x\n",
        &o);
    assert_string_equal(strings_at(&data->ids, 0), "it's \"");
    assert_true(data->weight[0] == 2);
    static const char *const x[] = {"x"};
    check_values(data, x, 1, 1, (double[]){5});
}

static void test_sparse(void **state) {
    (void)state;
    static const char *const target[] = {"p", "q r", "p"};
    pare_data *data = read_text("t.arff", HEAD CLASS "{0 1, 1 2}\n{ 1 3 ,2 'q r' }\n{}\n", NULL);
    assert_true(pare_data_is_sparse(data));
    check_values(data, target, 3, 2, (double[]){1, 2, 0, 3, 0, 0});
}

static void test_refusals(void **state) {
    (void)state;
    check_refused("t.arff", "@relation r\n", NULL, "t.arff has no @data line", 0, 0);
    check_refused("t.arff", HEAD CLASS, NULL, "t.arff has no samples", 0, 0);
    check_refused("t.arff", "@relation r\nhello\n", NULL,
                  "t.arff, line 2: expected @relation, @attribute or @data, found \"hello\"", 2, 0);
    check_refused("t.arff", "@attribute a numbers\n", NULL,
                  "t.arff, line 1 (a): expected numeric, real, integer, string, date or {values}, "
                  "found \"numbers\"",
                  1, 0);
    check_refused("t.arff", "@attribute '' real\n", NULL,
                  "t.arff, line 1: the name of the attribute is empty", 1, 0);
    check_refused("t.arff", "@attribute 'a real\n", NULL,
                  "t.arff, line 1: the quote that opens here is not closed", 1, 0);
    check_refused("t.arff", "@attribute a {x,y\n", NULL,
                  "t.arff, line 1 (a): expected {value, value, ...}", 1, 0);
    check_refused(
        "t.arff", "@attribute a real\n@attribute a real\n@data\n1,2\n", NULL,
        "t.arff, line 2 (a): another attribute has this name too: `duplicate_names number` "
        "keeps both, `drop` leaves both out",
        2, 0);
    check_refused("t.arff", "@attribute a real\n@attribute n {u,v}\n" CLASS "1,u,p\n", NULL,
                  "t.arff, line 2 (n): the attribute is nominal, a feature must be numeric", 2, 0);
    check_refused(
        "t.arff", "@attribute a string\n" CLASS "1,p\n", NULL,
        "t.arff, line 1 (a): the attribute is a string or date, a feature must be numeric", 1, 0);
    check_refused("t.arff", "@attribute a real\n@attribute class string\n@data\n1,p\n", NULL,
                  "t.arff, line 2 (class): the target must be nominal or numeric", 2, 0);
    check_refused("t.arff", HEAD CLASS "1,2\n", NULL, "t.arff, line 8: expected 3 fields, found 2",
                  8, 0);
    check_refused("t.arff", HEAD CLASS "1,2,p,4\n", NULL,
                  "t.arff, line 8: expected 3 fields, found 4", 8, 0);
    check_refused("t.arff", HEAD CLASS "1 2,p\n", NULL,
                  "t.arff, line 8: expected a comma after value 1", 8, 0);
    check_refused("t.arff", HEAD CLASS "1,x,p\n", NULL,
                  "t.arff, line 8, column 2 (b c): expected a number, found \"x\"", 8, 2);
    check_refused("t.arff", HEAD CLASS "1,?,p\n", NULL,
                  "t.arff, line 8, column 2 (b c): the value is missing (\"?\"); choose "
                  "`missing` mean, median, indicator or drop",
                  8, 2);
    check_refused("t.arff", HEAD CLASS "1,2,?\n", NULL,
                  "t.arff, line 8, column 3 (class): the target is missing (\"?\"); choose "
                  "`missing drop`",
                  8, 3);
    check_refused("t.arff", HEAD CLASS "1,2,z\n", NULL,
                  "t.arff, line 8, column 3 (class): expected one of the declared values, found "
                  "\"z\"",
                  8, 3);
    check_refused("t.arff", HEAD CLASS "1,2,p\n{0 1}\n", NULL,
                  "t.arff, line 9: a sparse row among dense ones", 9, 0);
    check_refused("t.arff", HEAD CLASS "{0 1}\n1,2,p\n", NULL,
                  "t.arff, line 9: a dense row among sparse ones", 9, 0);
    check_refused("t.arff", HEAD CLASS "{1 1, 0 1}\n", NULL,
                  "t.arff, line 8: index \"0\" is not a whole number above 1 and below 3", 8, 0);
    check_refused("t.arff", HEAD CLASS "{3 1}\n", NULL,
                  "t.arff, line 8: index \"3\" is not a whole number above -1 and below 3", 8, 0);
    pare_read_options zero = read_options();
    zero.na = "-9, 0.0";
    check_refused("t.arff", HEAD CLASS "{0 1}\n", &zero,
                  "t.arff is sparse, and most of its zeros are not written: `na` 0.0 cannot tell "
                  "them apart; save it as a dense matrix, or leave `na` out",
                  0, 0);
    check_refused("t.arff", HEAD CLASS "{0 1\n", NULL,
                  "t.arff, line 8: expected } at the end of the row", 8, 0);
    check_refused("t.arff", HEAD CLASS "{0}\n", NULL,
                  "t.arff, line 8: expected a value after index 0", 8, 0);
    pare_read_options o = read_options();
    o.target = "nobody";
    check_refused("t.arff", HEAD CLASS "1,2,p\n", &o,
                  "t.arff: there is no column \"nobody\" (asked for as target)", 0, 0);
    static const char nul[] = HEAD CLASS "1,\0,p\n";
    check_refused_at("t.arff", nul, sizeof nul - 1, NULL,
                     "t.arff, line 8: a NUL byte, this is not a text file", 8, 0, __FILE__,
                     __LINE__);
}

TEST_FILE(test_arff) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense), cmocka_unit_test(test_id_weight_and_escapes),
        cmocka_unit_test(test_sparse), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
