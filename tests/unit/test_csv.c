/* CSV and TSV: what is read, every refusal with its text and place, and writing that reads back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/format/stream.h"
#include "support/support.h"
#include "support/read_stream.h"
#include "support/text_files.h"

#define HINT                                                                                       \
    "; `target` names what is to be predicted, `categorical` codes columns of text, `drop` "       \
    "leaves them out"

static const double one_two[] = {1, 2, 3, 4};

static void test_plain(void **state) {
    (void)state;
    check_data(read_text("t.csv", "a,b,y\n1,2,p\n3,4,q\n", NULL), "a|b", "p|q", "", one_two);
    check_data(read_text("t.csv", "a,b,y\n1,2,p\n3,4,q", NULL), "a|b", "p|q", "", one_two);
    check_data(read_text("t.csv", "a,b,y\r\n1,2,p\r\n3,4,q\r\n", NULL), "a|b", "p|q", "", one_two);
    check_data(read_text("t.csv", "a,b,y\r\n1,2,p\r\n3,4,q\r\n\r\n\n", NULL), "a|b", "p|q", "",
               one_two);
    check_data(read_text("t.csv",
                         "\xef\xbb\xbf"
                         "a,b,y\n1,2,p\n3,4,q\n",
                         NULL),
               "a|b", "p|q", "", one_two);
    check_data(read_text("t.tsv", "a\tb\ty\n1\t2\tp\n3\t4\tq\n", NULL), "a|b", "p|q", "", one_two);
    check_data(read_text("t.csv", " a , b,y\n 1 ,2\t, p \n3,\t4,q\n", NULL), "a|b", "p|q", "",
               one_two);
    check_data(read_text("t.csv", "a,b,y\n+1,2.0,p\n3e0,0.4e1,q\n", NULL), "a|b", "p|q", "",
               one_two);
}

static void test_quotes(void **state) {
    (void)state;
    check_data(
        read_text("t.csv",
                  "\"a,\"\"x\"\"\",\"b\n2\",\"y\"\r\n\"1\",\" 2 \",\"p\"\r\n3,4,\" q\nr \"\r\n",
                  NULL),
        "a,\"x\"|b\n2", "p|q\nr", "", one_two);
    check_data(read_text("t.csv", "\"a\",b,\"y\"\n1,2,\"p\"\n3,4,\"q\"", NULL), "a|b", "p|q", "",
               one_two);
}

static void test_target_id_drop_weights(void **state) {
    (void)state;
    pare_read_options o = read_options();
    const char *text = "id,class,a,label,b\ns1,p,1,5,2\ns2,q,3,6,4\n";
    o.id = "id";
    o.drop = "label";
    check_data(read_text("t.csv", text, &o), "a|b", "p|q", "s1|s2", one_two);
    o.drop = " label , class";
    o.target = "b";
    check_data(read_text("t.csv", text, &o), "a", "2|4", "s1|s2", (double[]){1, 3});
    o = read_options();
    o.drop = "id,class";
    check_data(read_text("t.csv", text, &o), "a|b", "5|6", "", one_two); /* label is next */
    o.drop = "id,class,label";
    check_data(read_text("t.csv", text, &o), "a", "2|4", "", (double[]){1, 3}); /* the last */
    o.no_target = true;
    check_data(read_text("t.csv", text, &o), "a|b", "", "", one_two);
    o.target = "b"; /* what is named wins */
    check_data(read_text("t.csv", text, &o), "a", "2|4", "", (double[]){1, 3});
    o = read_options();
    o.drop = "id,class,b";
    o.weights = "label";
    o.no_target = true;
    pare_data *data = read_text("t.csv", text, &o);
    assert_true(data->weight[0] == 5 && data->weight[1] == 6);
    check_data(data, "a", "", "", (double[]){1, 3});
}

static void test_only(void **state) {
    (void)state;
    pare_read_options o = read_options();
    const char *const only[] = {"b", "a"};
    o.only = only;
    o.n_only = 2;
    o.no_target = true;
    const char *text = "x,a,z,b\nhello,1,,2\n\"w,\",3,?,4\n";
    check_data(read_text("t.csv", text, &o), "a|b", "", "", one_two);
    o.no_target = false;
    check_data(read_text("t.csv", "x,a,y,b\nq,1,u,2\nr,3,v,4\n", &o), "a|b", "u|v", "", one_two);
    check_refused("t.csv", "a,c\n1,2\n", &o,
                  "t.csv: there is no column \"b\" (asked for as feature)", 0, 0);
}

static void test_missing(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.allow_missing = true;
    check_data(read_text("t.csv", "a,b,y\n,NA,p\nNaN,?,q\n na ,4,r\n", &o), "a|b", "p|q|r", "",
               (double[]){NAN, NAN, NAN, NAN, NAN, 4});
    check_refused("t.csv", "a,b,y\n1,NA,p\n", NULL,
                  "t.csv, line 2, column 2 (b): the value is missing (\"NA\"); choose "
                  "`missing` mean, median, indicator or drop",
                  2, 2);
    check_refused("t.csv", "a,b,y\n1,2,?\n", &o,
                  "t.csv, line 2, column 3 (y): the target is missing (\"?\"); choose "
                  "`missing drop`",
                  2, 3);
}

static void test_refusals(void **state) {
    (void)state;
    check_refused("t.csv", "", NULL, "t.csv is empty", 1, 0);
    check_refused("t.csv", "\n\n", NULL, "t.csv is empty", 1, 0);
    check_refused("t.csv", "a,y\n", NULL, "t.csv has no samples", 0, 0);
    check_refused("t.csv", "y\n1\n", NULL, "t.csv has no features", 0, 0);
    check_refused(
        "t.csv", "a,,y\n1,2,3\n", NULL,
        "t.csv, line 1, column 2: the name of the column is empty: write one, or delete the column",
        1, 2);
    check_refused("t.csv", "a,b,a,y\n1,2,3,4\n", NULL,
                  "t.csv, line 1, column 3: the name \"a\" is that of column 1 too: "
                  "`duplicate_names number` keeps both, `drop` leaves both out",
                  1, 3);
    check_refused("t.csv", "a,b,y\n1,2,p\n1,p\n", NULL,
                  "t.csv, line 3: expected 3 fields, found 2: complete the line, or remove it", 3,
                  0);
    check_refused(
        "t.csv", "a,b,y\n1,2,p\n1,2,3,p,\n", NULL,
        "t.csv, line 3: expected 3 fields, found 5: put a field that holds the separator in quotes",
        3, 0);
    check_refused("t.csv", "a,b,y\n1,2\n", NULL,
                  "t.csv, line 2: expected 3 fields, found 2: complete the line, or remove it", 2,
                  0);
    check_refused("t.csv", "a,b,y\n1,2,p\n\n1,2,p\n", NULL,
                  "t.csv, line 3: a blank line before the end: remove it, or what follows it", 3,
                  0);
    check_refused("t.csv", "a,b,y\n1,abc,p\n", NULL,
                  "t.csv, line 2, column 2 (b): expected a number, found \"abc\"" HINT, 2, 2);
    check_refused("t.csv", "a,b,y\n1,1e,p\n", NULL,
                  "t.csv, line 2, column 2 (b): expected a number, found \"1e\"" HINT, 2, 2);
    check_refused("t.csv", "a,b,y\n1,0x10,p\n", NULL,
                  "t.csv, line 2, column 2 (b): expected a number, found \"0x10\": write numbers "
                  "in decimal digits",
                  2, 2);
    check_refused("t.csv", "a,b,y\n1,1 2,p\n", NULL,
                  "t.csv, line 2, column 2 (b): expected a number, found \"1 2\"" HINT, 2, 2);
    check_refused("t.csv", "a,b,y\n1,-Inf,p\n", NULL,
                  "t.csv, line 2, column 2 (b): expected a finite number, found \"-Inf\": `na` "
                  "\"-Inf\" takes it for missing",
                  2, 2);
    check_refused("t.csv", "a,b,y\n1,1e999,p\n", NULL,
                  "t.csv, line 2, column 2 (b): \"1e999\" is too large for a number: `na` "
                  "\"1e999\" takes it for missing",
                  2, 2);
    check_refused("t.csv", "a,b,y\n\"x\n\ny\",2,p\n", NULL,
                  "t.csv, line 2, column 1 (a): expected a number, found \"x\\n\\ny\"" HINT, 2, 1);
    check_refused("t.csv", "a,b,y\n1,2,\"p\nq\"\n1,z,p\n", NULL,
                  "t.csv, line 4, column 2 (b): expected a number, as in the rest of the column, "
                  "found \"z\": `na` \"z\" takes it for missing",
                  4, 2);
    check_refused("t.csv", "a,b,y\n1,\x01\x7f\tx,p\n", NULL,
                  "t.csv, line 2, column 2 (b): expected a number, found \"\\x01\\x7f\\tx\"" HINT,
                  2, 2);
    check_refused("t.csv", "a,b,y\n1,\"2,p\n", NULL,
                  "t.csv, line 2, column 2: the quote that opens here is not closed: close it, or "
                  "write it twice in a field in quotes",
                  2, 2);
    check_refused(
        "t.csv", "a,b,y\n1,\"2\"3,p\n", NULL,
        "t.csv, line 2, column 2: text after a closing quote: write a quote within the field twice",
        2, 2);
    check_refused("t.csv", "a,b,y\n1,2\",p\n", NULL,
                  "t.csv, line 2, column 2: a quote within a field that is not quoted: put the "
                  "field in quotes, and write its own quotes twice",
                  2, 2);
    static const char nul[] = "a,b,y\n1,2\0,p\n";
    check_refused_at("t.csv", nul, sizeof nul - 1, NULL,
                     "t.csv, line 2, column 2: a NUL byte, this is not a text file", 2, 2, __FILE__,
                     __LINE__);
}

static void test_long_text_is_shortened(void **state) {
    (void)state;
    char text[5000], *at = text + sprintf(text, "a,y\n");
    for (int i = 0; i < 1000; i++) at += sprintf(at, "\xc3\xa4");
    strcpy(at, ",p\n");
    pare_error err;
    pare_data *data;
    write_text("t.csv", text);
    assert_int_equal(pare_data_read(&data, "t.csv", NULL, NULL, &err), PARE_E_FORMAT);
    remove("t.csv");
    assert_true(strlen(err.message) < 280);
    assert_non_null(strstr(err.message, "\xc3\xa4...\""));
    assert_int_equal(err.byte, 4);
}

/* The offset of the cell, also behind quotes, line ends and a byte order mark. */
static void test_byte_offsets(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t byte;
    } cases[] = {{"a,b,y\n1,x,p\n", 8},
                 {"a,b,y\r\n1,x,p\r\n", 9},
                 {"\xef\xbb\xbf"
                  "a,b,y\n1,x,p\n",
                  11},
                 {"a,b,y\n1,\"\n\",p\n", 8},
                 {"a,b,y\n1,2,p\n1,2,NA", 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pare_error err;
        pare_data *data;
        write_text("t.csv", cases[i].text);
        assert_int_equal(pare_data_read(&data, "t.csv", NULL, NULL, &err), PARE_E_FORMAT);
        assert_int_equal(err.byte, cases[i].byte);
        remove("t.csv");
    }
}

static void test_bad_options(void **state) {
    (void)state;
    const char *text = "a,b,y\n1,2,p\n3,4,q\n";
    pare_read_options o = read_options();
    o.target = "z";
    check_refused("t.csv", text, &o, "t.csv: there is no column \"z\" (asked for as target)", 0, 0);
    o = read_options();
    o.drop = "a,zz";
    check_refused("t.csv", text, &o,
                  "t.csv: there is no column \"zz\" (asked for as dropped column)", 0, 0);
    o = read_options();
    o.id = "a";
    o.drop = "b,a";
    check_refused("t.csv", text, &o, "column \"a\" is asked for both as id and as dropped column",
                  0, 0);
    o = read_options();
    o.weights = "a";
    check_refused("t.csv", "a,b,y\n-1,2,p\n", &o,
                  "t.csv, line 2, column 1 (a): expected a weight, at least 0, found \"-1\"", 2, 1);
    check_refused("t.csv", "a,b,y\n0,2,p\n", &o, "t.csv: all sample weights are 0", 0, 0);
    o.weights = "no-such";
    check_refused("t.csv", text, &o,
                  "t.csv: weights \"no-such\" are neither one of its columns nor a file", 0, 0);
    o = read_options();
    o.format = "xml";
    check_refused("t.csv", text, &o,
                  "format \"xml\" is not one of csv, tsv, xlsx, rds, rdata, svmlight, mat, npy, "
                  "npz, mtx, 10x (a "
                  "folder), h5ad, h5, pare, bed, arff",
                  0, 0);
    check_refused("t.dat", text, NULL,
                  "t.dat: the extension does not tell the format: give `format`, one of csv, tsv, "
                  "xlsx, rds, rdata, svmlight, "
                  "mat, npy, npz, mtx, 10x (a folder), h5ad, h5, pare, bed, arff",
                  0, 0);
    pare_error err;
    pare_data *data;
    assert_int_equal(pare_data_read(&data, "-", NULL, NULL, &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "there is no extension"));
    o.format = "csv";
    check_data(read_text("t.dat", text, &o), "a|b", "p|q", "", one_two);
}

static void test_features_in_rows(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.features_in_rows = true;
    const char *text = "gene,s1,s2\na,1,3\nclass,p,q\nb,2,4\n";
    check_data(read_text("t.csv", text, &o), "a|b", "p|q", "s1|s2", one_two);
    check_data(read_text("t.csv", "g,s1,s2\na,1,3\nb,2,4\n", &o), "a|b", "", "s1|s2", one_two);
    check_data(read_text("t.csv", "g,s1,s2\na,1,3\nlabel,2,4\nclass,p,q", &o), "a|label", "p|q",
               "s1|s2", one_two);
    check_data(read_text("t.csv", "g,s1,s2\na,1,3\nclass,p,q\nlabel,2,4\n", &o), "a|label", "p|q",
               "s1|s2", one_two);
    o.target = "a";
    o.drop = "class";
    check_data(read_text("t.csv", text, &o), "b", "1|3", "s1|s2", (double[]){2, 4});
    o.target = NULL;
    o.no_target = true;
    o.weights = "a";
    pare_data *data = read_text("t.csv", text, &o);
    assert_true(data->weight[0] == 1 && data->weight[1] == 3);
    check_data(data, "b", "", "s1|s2", (double[]){2, 4});
    o.weights = o.drop = NULL;
    const char *const only[] = {"b"};
    o.only = only;
    o.n_only = 1;
    check_data(read_text("t.csv", text, &o), "b", "", "s1|s2", (double[]){2, 4});
    o.no_target = false;
    check_data(read_text("t.csv", "g,s1,s2\nz,?,x\nb,2,4\ny,p,q\n", &o), "b", "p|q", "s1|s2",
               (double[]){2, 4});
    o = read_options();
    o.features_in_rows = true;
    check_refused("t.csv", "g,s1,s2\na,1,x\nclass,p,q\n", &o,
                  "t.csv, line 2, column 3 (a): expected a number, as in the rest of the column, "
                  "found \"x\": `na` \"x\" takes it for missing",
                  2, 3);
    check_refused("t.csv", "g,s1,s2\nclass,p,q\na,1,x\n", &o,
                  "t.csv, line 3, column 3 (a): expected a number, as in the rest of the column, "
                  "found \"x\": `na` \"x\" takes it for missing",
                  3, 3);
    check_refused("t.csv", "g,s1,s2\nclass,p,q\na,1\n", &o,
                  "t.csv, line 3: expected 3 fields, found 2: complete the line, or remove it", 3,
                  0);
    check_refused(
        "t.csv", "g,s1,s2\nclass,p,q\na,1,2,3\n", &o,
        "t.csv, line 3: expected 3 fields, found 4: put a field that holds the separator in quotes",
        3, 0);
    check_refused("t.csv", "g,s1,s2\nclass,p,q\na\n", &o,
                  "t.csv, line 3: expected 3 fields, found 1: complete the line, or remove it", 3,
                  0);
    check_refused("t.csv", "g,s1,s2\nclass,p,NA\na,1,2\n", &o,
                  "t.csv, line 2, column 3 (class): the target is missing (\"NA\"); choose "
                  "`missing drop`",
                  2, 3);
    check_refused("t.csv", "g,s1,s2\nclass,p,q\n,1,2\n", &o,
                  "t.csv, line 3, column 1: the name of the row is empty", 3, 1);
    check_refused("t.csv", "g\nclass\n", &o, "t.csv has no samples", 0, 0);
    check_refused("t.csv", "g,s1\nclass,p\n", &o, "t.csv has no features", 0, 0);
    check_refused("t.csv", "g,s1\na,1\na,2\nclass,p\n", &o,
                  "t.csv: features 1 and 2 have the same name \"a\", names must differ: "
                  "`duplicate_names number` numbers them",
                  0, 2);
    o.target = "t";
    check_refused("t.csv", "g,s1\na,1\n", &o, "t.csv: there is no row \"t\" (asked for as target)",
                  0, 0);
    check_refused(
        "t.csv", "g,s1\nt,1\na,1\nt,2\n", &o,
        "t.csv, line 4, column 1: another row is named \"t\" too: `duplicate_names number` "
        "keeps both, `drop` leaves both out",
        4, 1);
    o.format = "svmlight";
    o.target = NULL;
    check_refused("t.csv", "1 1:1\n", &o,
                  "`features_in_rows` is for csv, tsv, xlsx, rds and rdata, the format is svmlight",
                  0, 0);
}

/* Every split of the input into pieces gives the same data. */
static void test_every_split(void **state) {
    (void)state;
    const char *text =
        "\xef\xbb\xbf"
        "id,\"a,\"\"b\"\"\",c,y\r\n\"x\ny\",1.25e-3,-17,p\r\nz,12345678.5, 3 ,\"q \"\"\"\r\n\r\n";
    pare_read_options o = read_options();
    o.id = "id";
    pare_data *whole = read_text("t.csv", text, &o);
    for (size_t piece = 1; piece < 40; piece++)
        for (int twice = 0; twice < 2; twice++) {
            pare_error err;
            stream s;
            pare_data *data;
            assert_int_equal(stream_open_memory(&s, "t.csv", text, strlen(text), piece, NULL, &err),
                             PARE_OK);
            s.can_rewind = twice;
            assert_int_equal(read_stream(&data, read_csv, &s, "t.csv", &o, NULL, &err), PARE_OK);
            check_same_data(data, whole);
            pare_data_free(data);
            stream_close(&s);
        }
    pare_data_free(whole);
}

/* Wide and long random tables against the numbers they were printed from, past every block size. */
static void test_random_tables(void **state) {
    (void)state;
    static const int64_t shape[][2] = {{1, 1}, {3, 70000}, {100, 333}, {5000, 7}, {17, 2000}};
    rng r = rng_from(5);
    for (int k = 0; k < 5; k++) {
        int64_t n = shape[k][0], d = shape[k][1];
        double *x = random_normal(&r, n, d);
        char *text = malloc((size_t)(n * d * 26 + d * 10 + n * 10 + 100)), *at = text;
        for (int64_t j = 0; j < d; j++) at += sprintf(at, "f%d,", (int)j);
        at += sprintf(at, "y\n");
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < d; j++) at += sprintf(at, "%.17g,", x[j * n + i]);
            at += sprintf(at, "%d\n", (int)i % 3);
        }
        pare_data *data = read_bytes("t.csv", text, (size_t)(at - text), NULL);
        assert_int_equal(data->x.n, n);
        assert_int_equal(data->x.d, d);
        assert_memory_equal(values_of(&data->x), x, (size_t)(n * d) * sizeof *x);
        pare_data_free(data);
        free(text);
        free(x);
    }
}

static void test_write_and_read_back(void **state) {
    (void)state;
    rng r = rng_from(6);
    int64_t n = 40, d = 30;
    double *x = random_normal(&r, n, d);
    x[7] = NAN;
    x[8] = -0.0;
    x[9] = 5e-324;
    char name[30][16];
    const char *names[30], *labels[40];
    for (int j = 0; j < d; j++) {
        snprintf(name[j], 16, j == 3 ? "q\"%d,\n" : j == 4 ? " b %d" : "f%d", j);
        names[j] = name[j];
    }
    for (int i = 0; i < n; i++) labels[i] = i % 2 ? "a,b" : "c\td\"";
    pare_data *data, *back;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, n, d, x, names, labels, NULL, NULL, &err), PARE_OK);
    data->weight = malloc((size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        data->weight[i] = rng_uniform(&r);
        assert_true(strings_add(&data->ids, &data->mem, i % 2 ? "i" : "", i % 2));
    }
    pare_read_options o = read_options();
    o.allow_missing = true;
    o.id = "id";
    o.weights = "weight";
    static const char *const path[] = {"w.csv", "w.tsv", "w.csv.gz", "w.tsv.gz"};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(pare_data_write(data, path[k], NULL, NULL, NULL, &err), PARE_OK);
        pare_status status = pare_data_read(&back, path[k], &o, NULL, &err);
        if (status != PARE_OK) print_error("%s\n", err.message);
        assert_int_equal(status, PARE_OK);
        check_same_data(data, back);
        pare_data_free(back);
        remove(path[k]);
    }
    assert_int_equal(pare_data_write(data, "w.arff", NULL, NULL, NULL, &err), PARE_E_ARGUMENT);
    assert_string_equal(err.message,
                        "arff cannot be written, only csv, tsv, svmlight, npy, mtx and pare can");
    assert_int_equal(pare_data_write(data, "w.csv", NULL, "l.txt", NULL, &err), PARE_E_ARGUMENT);
    pare_data_free(data);
    free(x);
}

static void test_sparse_to_csv(void **state) {
    (void)state;
    rng r = rng_from(7);
    matrix x = random_sparse(&r, 20, 15, 0.3);
    double *dense = dense_of(&x);
    pare_data *data, *back;
    pare_error err;
    assert_int_equal(pare_data_sparse(&data, 20, 15, arrays_of(&x)->col_ptr, arrays_of(&x)->row,
                                      arrays_of(&x)->value, NULL, NULL, NULL, NULL, &err),
                     PARE_OK);
    assert_int_equal(pare_data_write(data, "w.csv", NULL, NULL, NULL, &err), PARE_OK);
    pare_read_options o = read_options();
    o.no_target = true;
    assert_int_equal(pare_data_read(&back, "w.csv", &o, NULL, &err), PARE_OK);
    assert_memory_equal(values_of(&back->x), dense, 300 * sizeof *dense);
    assert_string_equal(strings_at(&back->names, 14), "x15");
    remove("w.csv");
    pare_data_free(back);
    pare_data_free(data);
    mat_free(&x, NULL);
    free(dense);
}

TEST_FILE(test_csv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain),
                                       cmocka_unit_test(test_quotes),
                                       cmocka_unit_test(test_target_id_drop_weights),
                                       cmocka_unit_test(test_only),
                                       cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_long_text_is_shortened),
                                       cmocka_unit_test(test_byte_offsets),
                                       cmocka_unit_test(test_bad_options),
                                       cmocka_unit_test(test_features_in_rows),
                                       cmocka_unit_test(test_every_split),
                                       cmocka_unit_test(test_random_tables),
                                       cmocka_unit_test(test_write_and_read_back),
                                       cmocka_unit_test(test_sparse_to_csv)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
