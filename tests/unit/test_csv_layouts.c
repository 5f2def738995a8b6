/* CSV and TSV as other programs write them: ids without a name, other separators, no header, other
 * encodings; labels, weights, names and groups in files of their own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "support/text_files.h"

static const double one_two[] = {1, 2, 3, 4};

static void test_side_files(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.labels = "labels.txt";
    o.weights = "weights.txt";
    o.groups = "groups.txt";
    const char *text = "a,b\n1,2\n3,4\n";
    write_text("labels.txt", "p\r\n q \n\n");
    write_text("weights.txt", "0.5\n2\n");
    write_text("groups.txt", "b,g2\na\tg 1\n");
    pare_data *data = read_text("t.csv", text, &o);
    assert_true(data->weight[0] == 0.5 && data->weight[1] == 2);
    check_list(&data->groups, "g 1|g2");
    check_data(data, "a|b", "p|q", "", one_two);
    write_text("labels.txt", "p\n");
    check_refused("t.csv", text, &o, "labels.txt has 1 labels, but t.csv has 2 samples", 0, 0);
    write_text("labels.txt", "p\n\nq\n");
    check_refused("t.csv", text, &o,
                  "labels.txt, line 2: a blank line before the end: remove it, or write NA for a "
                  "missing value",
                  2, 0);
    write_text("labels.txt", "p\nNA\n");
    check_refused("t.csv", text, &o,
                  "labels.txt, line 2: the target is missing (\"NA\"); choose `missing drop`", 2,
                  0);
    write_text("labels.txt", "p\nq\n");
    write_text("weights.txt", "1\n-2\n");
    check_refused("t.csv", text, &o,
                  "weights.txt, line 2: expected a weight, at least 0, found \"-2\"", 2, 0);
    write_text("weights.txt", "1\n2\n3\n");
    check_refused("t.csv", text, &o, "weights.txt has 3 weights, but t.csv has 2 samples", 0, 0);
    write_text("weights.txt", "1\n2\n");
    write_text("groups.txt", "a,g\n");
    check_refused("t.csv", text, &o, "groups.txt: feature \"b\" has no group", 0, 0);
    write_text("groups.txt", "a,g\nb,g\na,h\n");
    check_refused("t.csv", text, &o, "groups.txt, line 3: feature \"a\" has a group already", 3, 0);
    write_text("groups.txt", "a,g\nc,g\n");
    check_refused("t.csv", text, &o, "groups.txt, line 2: t.csv has no feature \"c\"", 2, 0);
    write_text("groups.txt", "a,b,g\n");
    check_refused("t.csv", text, &o,
                  "groups.txt, line 1: expected a feature name, one tab or comma and a group name, "
                  "found \"a,b,g\"",
                  1, 0);
    remove("labels.txt");
    remove("weights.txt");
    remove("groups.txt");
}

/* As R's write.csv, write.table and write.csv2, and pandas, lay a table out. */
static void test_layouts(void **state) {
    (void)state;
    pare_read_options o = read_options();
    static const char *const same[] = {
        "\"\",\"a\",\"b\",\"y\"\n\"i\",1,2,\"p\"\n\"j\",3,4,\"q\"\n",
        "\"a\",\"b\",\"y\"\n\"i\",1,2,\"p\"\n\"j\",3,4,\"q\"\n",
        ",a,b,y\r\ni,1,2,p\r\nj,3,4,q\r\n",
        "Unnamed: 0,a,b,y\ni,1,2,p\nj,3,4,q\n",
        ";a;b;y\ni;1,0;2;p\nj;3;4,0;q\n",
        "a;b;y\ni;1;\"2,0\";p\nj;3;4.0;q\n",
        "|a|b|y\ni|1|2|p\nj|3|4|q\n",
        "\ta\tb\ty\ni\t1\t2\tp\nj\t3\t4\tq\n",
        "a\tb\ty\ni\t1\t2\tp\nj\t3\t4\tq\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        check_data(read_text("t.csv", same[i], NULL), "a|b", "p|q", "i|j", one_two);
    check_data(read_text("t.csv", "k__A;p__B,b,y\n1,2,p\n3,4,q\n", NULL), "k__A;p__B|b", "p|q", "",
               one_two);
    check_data(read_text("t.csv", "a;b;y\n1;2;1,5\n3;4;2\n", NULL), "a|b", "1.5|2", "", one_two);
    check_data(read_text("t.tsv", "a\tb\ty\ni\t1\t2\tp;q,r\n", NULL), "a|b", "p;q,r", "i", one_two);
    o.no_target = true; /* names of one column alone are no title */
    check_data(read_text("t.csv", ",a\ni,1\nj,3\n", &o), "a", "", "i|j", (double[]){1, 3});
    check_data(read_text("t.tsv", "\ta\ni\t1\nj\t3\n", &o), "a", "", "i|j", (double[]){1, 3});
    o.no_target = false;
    o.id = "s"; /* then the numbers of the rows are nothing */
    check_data(read_text("t.csv", ",s,a,b,y\n0,i,1,2,p\n1,j,3,4,q\n", &o), "a|b", "p|q", "i|j",
               one_two);
    o = read_options();
    o.features_in_rows = true;
    check_data(read_text("t.csv", "s1;s2\na;1,0;3\nb;2;4\ny;p;q\n", &o), "a|b", "p|q", "s1|s2",
               one_two);
}

static void test_no_header(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.no_header = true;
    check_data(read_text("t.csv", "1,2,p\n3,4,q\n", &o), "x1|x2", "p|q", "", one_two);
    check_data(read_text("t.csv", "1,0;2;p\n3;4,0;q\n", &o), "x1|x2", "p|q", "", one_two);
    o.target = "x1";
    check_data(read_text("t.csv", "p,1,2\nq,3,4\n", &o), "x2|x3", "p|q", "", one_two);
    static const char *const samples[] = {"5.1,3.5,1.4,0.2,setosa\n5,3,1,0,setosa\n",
                                          "0,1,0\n1,1,0\n", "p,1.5,2\nq,3,4\n"};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check_refused(
            "t.csv", samples[i], NULL,
            "t.csv: its first line looks like a sample, not like names; give `no_header` if "
            "it is one, `header` if these are the names",
            1, 0);
    check_data(read_text("t.csv", ",0,1,y\ni,1,2,p\nj,3,4,q\n", NULL), "0|1", "p|q", "i|j",
               one_two);
    o = read_options();
    o.header = true;
    check_data(read_text("t.csv", "1007,117,y\n1,2,p\n3,4,q\n", &o), "1007|117", "p|q", "",
               one_two);
    o.no_header = true;
    check_refused("t.csv", "a,b\n1,2\n", &o, "`no_header` does not go with `header`", 0, 0);
    o.header = false;
    o.features_in_rows = true;
    check_refused("t.csv", "a,b\n1,2\n", &o, "`no_header` does not go with features in rows", 0, 0);
}

static void test_encodings(void **state) {
    (void)state;
    check_refused_at(
        "t.csv", "a\0,\0y\0", 6, NULL,
        "t.csv looks like UTF-16 text without a byte order mark: give `encoding` utf-16", 0, 0,
        __FILE__, __LINE__);
    check_refused("t.csv",
                  "gr\xf6\xdf"
                  "e,y\n1,p\n2,q\n",
                  NULL,
                  "t.csv: number 1 of the feature names is not UTF-8 text; most likely `encoding` "
                  "cp1252 or latin1 reads it, else convert the file with iconv",
                  0, 0);
}

/* With the target elsewhere, the one that is left in the table would be a feature. */
static void test_no_leak(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.labels = "labels.txt";
    write_text("labels.txt", "p\nq\n");
    check_refused("t.csv", "a,b,class\n1,2,0\n3,4,1\n", &o,
                  "t.csv: the column \"class\" would be a feature, since the target comes from "
                  "`labels`; leave it out with `drop`",
                  0, 0);
    o.drop = "class";
    check_data(read_text("t.csv", "a,b,class\n1,2,0\n3,4,1\n", &o), "a|b", "p|q", "", one_two);
    o.drop = NULL;
    o.features_in_rows = true;
    check_refused(
        "t.csv", "g,s1,s2\na,1,3\ny,0,1\n", &o,
        "t.csv: the row \"y\" would be a feature, since the target comes from `labels`; leave "
        "it out with `drop`",
        0, 0);
    remove("labels.txt");
}

/* Labels and weights from a table in another order, joined by the samples' ids. */
static void test_joined(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.labels = "pheno.csv";
    o.target = "kind";
    o.id = "s";
    o.weights = "pheno.csv:w";
    write_text("pheno.csv", "s,w,kind\nj,2,q\nz,9,r\ni,0.5,p\n");
    static const char *const same[] = {"s,a,b\ni,1,2\nj,3,4\n", ",a,b\ni,1,2\nj,3,4\n"};
    for (int k = 0; k < 2; k++) {
        pare_data *data = read_text("t.csv", same[k], &o);
        assert_true(data->weight[0] == 0.5 && data->weight[1] == 2);
        check_data(data, "a|b", "p|q", "i|j", one_two);
    }
    o.features_in_rows = true;
    check_data(read_text("t.csv", "g,i,j\na,1,3\nb,2,4\n", &o), "a|b", "p|q", "i|j", one_two);
    o.features_in_rows = false;
    check_refused(
        "t.csv", "s,a,b\ni,1,2\nk,3,4\n", &o,
        "pheno.csv has no line for sample \"k\": add one, with NA where its value is missing", 0,
        0);
    check_refused("t.csv", "a,b\n1,2\n3,4\n", &o,
                  "t.csv: there is no column \"s\" (asked for as id)", 0, 0);
    write_text("pheno.csv", "s;w;kind\ni;1;p\nj;1;q\ni;1;q\n");
    check_refused("t.csv", same[0], &o, "pheno.csv has two lines for sample \"i\": leave one", 0,
                  0);
    write_text("pheno.csv", "s;w;kind\nz;1;p\nz;1;q\ni;1;p\nj;1;q\nj;1;p\n");
    check_refused("t.csv", same[0], &o, "pheno.csv has two lines for sample \"j\": leave one", 0,
                  0);
    write_text("pheno.csv", "s;w;kind\nz;1;p\nz;1;q\ni;.5;p\nj;2;q\n"); /* z is not of the data */
    check_data(read_text("t.csv", same[0], &o), "a|b", "p|q", "i|j", one_two);
    write_text("pheno.csv", "s;w\ni;1\nj;1\n");
    check_refused("t.csv", same[0], &o, "pheno.csv has no column \"kind\"", 0, 0);
    write_text("pheno.csv", "s,w,kind\ni,1,NA\nj,1,q\n");
    check_refused("t.csv", same[0], &o,
                  "pheno.csv (i): the target is missing (\"NA\"); choose `missing drop`", 0, 0);
    o = read_options();
    o.labels = "labels.txt";
    write_text("labels.txt", "kind\np\nq\n"); /* a header line is seen */
    check_data(read_text("t.csv", "a,b\n1,2\n3,4\n", &o), "a|b", "p|q", "", one_two);
    write_text("labels.txt", "p\np\nq\n");
    check_refused("t.csv", "a,b\n1,2\n3,4\n", &o,
                  "labels.txt has 3 labels, but t.csv has 2 samples", 0, 0);
    remove("pheno.csv");
    remove("labels.txt");
}

TEST_FILE(test_csv_layouts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_files), cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_no_header),  cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_no_leak),    cmocka_unit_test(test_joined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
