/* The text readers and writers under failing allocations: PARE_E_MEMORY and no leak. */
#include <stdio.h>
#include <string.h>

#include <pare/files.h>

#include "data/format/stream.h"
#include "support/rdata_bytes.h"
#include "support/support.h"
#include "support/text_files.h"

typedef struct job {
    const char *path;
    pare_read_options o;
    const pare_data *data; /* to be written, or NULL: read */
} job;

static pare_status call(void *user, const pare_ctx *ctx) {
    job *j = user;
    pare_error err;
    pare_data *data = NULL;
    if (j->data) return pare_data_write(j->data, j->path, NULL, NULL, ctx, &err);
    pare_status status = pare_data_read(&data, j->path, &j->o, ctx, &err);
    pare_data_free(data);
    return status;
}

static void check_read(const char *path, const char *text, const pare_read_options *o) {
    job j = {.path = path, .o = *o};
    for (int gzip = 0; gzip < 2; gzip++) {
        write_bytes(path, text, strlen(text), gzip);
        check_oom(call, &j);
        remove(path);
    }
}

static void test_readers(void **state) {
    (void)state;
    pare_read_options plain, full;
    pare_read_options_init(&plain);
    full = plain;
    full.id = "id";
    full.drop = "z,a";
    full.weights = "w";
    full.groups = "groups.txt";
    write_text("groups.txt", "b,g\n");
    check_read("t.csv", "id,a,z,w,b,y\ni,1,2,3,\"4\",p\nj,1,2,3,4,q\n", &full);
    full.features_in_rows = true;
    write_text("groups.txt", "b,g\nlabel,g\n");
    check_read("t.tsv", "g\ts\nid\ti\na\t1\nz\t2\nw\t3\nb\t4\nlabel\t1\nclass\tp\n", &full);
    remove("groups.txt");
    pare_read_options survival = plain;
    survival.time = "t";
    survival.event = "events.tsv:e=dead";
    survival.strata = "s";
    survival.drop_unlabelled = true;
    write_text("events.tsv", "id\te\ni\tdead\nj\t\nk\talive\n");
    check_read("t.csv", "id,t,a,s\ni,1,2,u\nj,4,3,u\nk,5,1,v\n", &survival);
    remove("events.tsv");
    plain.labels = "labels.txt";
    plain.weights = "weights.txt";
    write_text("labels.txt", "p\nq\n");
    write_text("weights.txt", "1\n2\n");
    check_read("t.svm", "1 1:2 5:3\n2 2:1 900:4\n", &plain);
    plain.labels = plain.weights = NULL;
    rdata_bytes frame;
    r_frame(&frame);
    write_bytes("frame.rds", frame.at, frame.size, false);
    plain.labels = "frame.rds:y";
    plain.target = NULL;
    check_read("t.tsv", "\ta\tb\nc\t1\t1\na\t2\t1\n", &plain);
    remove("frame.rds");
    plain.labels = NULL;
    check_read("t.arff", "@attribute a real\n@attribute class {p,q}\n@data\n1,p\n2,q\n", &plain);
    check_read("t.arff", "@attribute a real\n@attribute class {p,q}\n@data\n{0 1}\n{1 q}\n",
               &plain);
    remove("labels.txt");
    remove("weights.txt");
}

/* Decoders, codes of missing values, numbered names, ids that only the last row decides, labels. */
static void test_foreign(void **state) {
    (void)state;
    pare_read_options o;
    pare_read_options_init(&o);
    o.na = "n.d.,-9";
    o.duplicate_names = "number";
    o.encoding = "latin1";
    o.skip = 1;
    o.allow_missing = o.drop_unlabelled = o.categorical = true;
    check_read("t.csv",
               "T\xe4tle;;;;\nid;a;a;b;y;\n1;-9;2,5;x;Ja;\n2;3;n.d.;-;JA;\n3;4;1;x;;\n;;;;;\n", &o);
    o.merge_case = true;
    check_read("t.csv", "\nname,a,b,y\ns,-,2,Ja\ns,3,-9,JA\n", &o);
    o.categorical = false;
    o.features_in_rows = true;
    check_read("t.csv", "\ng,s,t,\na,1,2,\na,-9,n.d.,\ny,.,4\n", &o);
    pare_read_options_init(&o);
    check_read("t.arff",
               "@attribute id real\n@attribute a real\n@attribute y {p,q}\n@data\n1,2,p\n2,3,q\n",
               &o);
}

static pare_status describe(void *user, const pare_ctx *ctx) {
    pare_error err;
    char *text = NULL;
    pare_status status = pare_data_describe_columns(&text, user, false, ctx, &err);
    pare_text_free(text, ctx);
    return status;
}

static void test_columns(void **state) {
    (void)state;
    pare_read_options o;
    pare_read_options_init(&o);
    o.categorical = true;
    pare_data *data = read_text("t.csv", "id,a,b,y\ni,1,u,p\nj,2,v,q\nk,2,u,q\n", &o);
    check_oom(describe, data);
    pare_data_free(data);
    data = read_text("t.svm", "1 1:2 5:3\n2 2:1 9:4\n", NULL);
    check_oom(describe, data);
    pare_data_free(data);
}

/* What a fit stops at: text with features in rows, names that repeat, infinite ids, strings of arff. */
static void test_described(void **state) {
    (void)state;
    static const struct {
        const char *path, *text;
        bool rows;
    } files[] = {
        {"t.csv", "g,s,t\nlabel,u,v\nclass,p,q\na,1,x\na,inf,2020-01-02\n", true},
        {"t.csv", "id,a,a,y\n1,2,x,p\ninf,3,4,q\n", false},
        {"t.arff",
         "@attribute id real\n@attribute a string\n@attribute y {p,q}\n@data\n1,u,p\n2,v,q\n",
         false},
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        pare_read_options o;
        pare_read_options_init(&o);
        o.describe = o.allow_missing = true;
        o.features_in_rows = files[k].rows;
        check_read(files[k].path, files[k].text, &o);
        pare_data *data = read_text(files[k].path, files[k].text, &o);
        check_oom(describe, data);
        pare_data_free(data);
    }
}

static void test_writers(void **state) {
    (void)state;
    pare_read_options o;
    pare_read_options_init(&o);
    pare_data *dense = read_text("t.csv", "a,b,y\n1,2,p\n3,4,q\n", &o);
    pare_data *sparse = read_text("t.svm", "1 1:2 5:3\n2 2:1 900:4\n", &o);
    static const char *const path[] = {"w.csv", "w.tsv.gz", "w.svm"};
    for (int i = 0; i < 3; i++) {
        job j = {.path = path[i], .data = dense};
        check_oom(call, &j);
        j.data = sparse;
        check_oom(call, &j);
        remove(path[i]);
    }
    pare_data_free(dense);
    pare_data_free(sparse);
}

TEST_FILE(test_text_oom) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers), cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_described),
        cmocka_unit_test(test_writers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
