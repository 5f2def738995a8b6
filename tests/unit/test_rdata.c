/* R's files byte by byte: what a file claims and does not hold, what points to nothing, what would make a
 * reader take too much or go too deep. What R itself writes is in tests/cli/test_rdata.sh. */
#include "support/rdata_bytes.h"
#include "support/support.h"
#include "support/text_files.h"

#include <math.h>
#include <pare/pare.h>
#include <stdio.h>
#include <stdlib.h>

static const pare_ctx *limit; /* of the reads below, or NULL */

static pare_status read_with(pare_data **out, const rdata_bytes *b, const pare_read_options *o,
                             pare_error *err) {
    pare_read_options own = *o;
    own.format = "rds";
    return pare_data_read_memory(out, b->at, b->size, &own, limit, err);
}

static pare_data *read_well(const rdata_bytes *b, const pare_read_options *o) {
    pare_data *data;
    pare_error err;
    if (read_with(&data, b, o, &err) != PARE_OK) fail_msg("%s", err.message);
    return data;
}

static void refused(const rdata_bytes *b, const pare_read_options *o, const char *message) {
    pare_data *data;
    pare_error err;
    assert_int_not_equal(read_with(&data, b, o, &err), PARE_OK);
    assert_null(data);
    assert_string_equal(err.message, message);
}

static void damaged(const rdata_bytes *b, const char *what) {
    char message[200];
    pare_read_options o = read_options();
    snprintf(message, sizeof message, "memory: R's file is damaged: %s", what);
    refused(b, &o, message);
}

static void test_frame(void **state) {
    (void)state;
    rdata_bytes b;
    pare_read_options o = read_options();
    r_frame(&b);
    refused(&b, &o,
            "memory, row 2 (x): the value is missing (\"NA\"); choose `missing` mean, median, "
            "indicator or drop");
    o.allow_missing = true;
    refused(&b, &o,
            "memory, row 1 (f): expected a number, found \"v\"; `target` names what is to be "
            "predicted, `categorical` codes columns of text, `drop` leaves them out");
    o.categorical = true;
    check_data(read_well(&b, &o), "x|f=u|f=v|s", "p|q|p", "a|b|c",
               (double[]){1.5, 0, 1, 7, NAN, 1, 0, 8, -2, 0, 1, 9});
    o.target = "s";
    o.drop = "f,y";
    check_data(read_well(&b, &o), "x", "7|8|9", "a|b|c", (double[]){1.5, NAN, -2});
    o.drop = "f";
    o.id = "y";
    check_data(read_well(&b, &o), "x", "7|8|9", "p|q|p", (double[]){1.5, NAN, -2});
    o = read_options();
    o.features_in_rows = o.allow_missing = true;
    refused(&b, &o,
            "memory: column 2 is no vector of numbers; with features in rows every column is a "
            "sample");
}

static void test_matrix(void **state) {
    (void)state;
    rdata_bytes b;
    pare_read_options o = read_options();
    r_matrix(&b);
    check_data(read_well(&b, &o), "", "", "", (double[]){1, 3, 5, 2, 4, 6});
    o.target = "y";
    refused(&b, &o, "memory: target names a column, but the matrix has no names of columns");
    o.features_in_rows = true;
    refused(&b, &o, "memory: the rows have no names, \"y\" is not found");
    o.target = NULL;
    check_data(read_well(&b, &o), "", "", "", (double[]){1, 2, 3, 4, 5, 6});
    o.skip = 1;
    refused(&b, &o, "`skip` is for csv, tsv and xlsx, the format is rds");
}

static void test_sparse(void **state) {
    (void)state;
    rdata_bytes b;
    pare_read_options o = read_options();
    r_sparse(&b);
    pare_data *data = read_well(&b, &o);
    assert_true(pare_data_is_sparse(data));
    check_data(data, "a|b|c", "", "s|t", (double[]){1, 0, 0, 0, 0, 5});
    o.features_in_rows = true;
    data = read_well(&b, &o);
    assert_true(pare_data_is_sparse(data));
    check_data(data, "s|t", "", "a|b|c", (double[]){1, 0, 0, 0, 0, 5});
    o.na = "0";
    refused(&b, &o,
            "memory is sparse, and most of its zeros are not written: `na` 0 cannot tell them "
            "apart; save it as a dense matrix, or leave `na` out");
    o.na = "7,n.d.";
    check_data(read_well(&b, &o), "s|t", "", "a|b|c", (double[]){1, 0, 0, 0, 0, 5});
}

/* Changes the second of the dimensions 2 x 3. */
static void change_dimension(rdata_bytes *b, int64_t to) {
    rdata_bytes words = {.size = 0};
    size_t at = b->size - 8;
    r_int(&words, 2);
    r_int(&words, 3);
    for (; memcmp(b->at + at, words.at, 8) != 0; at--) assert_true(at > 0);
    words.size = 0;
    r_int(&words, to);
    memcpy(b->at + at + 4, words.at, 4);
}

static void test_claims(void **state) {
    (void)state;
    rdata_bytes b;
    r_begin(&b);
    r_int(&b, R_REAL);
    r_int(&b, INT32_MAX);
    damaged(&b, "it ends early");
    r_begin(&b);
    r_int(&b, R_TEXTS);
    r_int(&b, INT32_MAX);
    damaged(&b, "it ends early");
    r_begin(&b);
    r_int(&b, R_LIST);
    r_int(&b, -1); /* more than 2^31 */
    r_int(&b, 1 << 12);
    r_int(&b, 0);
    damaged(&b, "it ends early");
    r_begin(&b);
    r_int(&b, R_REAL);
    r_int(&b, -2);
    damaged(&b, "a length below 0");
    r_begin(&b);
    r_int(&b, R_REAL);
    r_int(&b, -1);
    r_int(&b, -1);
    r_int(&b, 0);
    damaged(&b, "a length below 0");
    r_begin(&b);
    r_int(&b, 255 | 7 << 8);
    damaged(&b, "a reference to nothing");
    r_begin(&b);
    r_int(&b, 77);
    damaged(&b, "an unknown type");
    r_matrix(&b);
    change_dimension(&b, 1 << 30);
    damaged(&b, "a matrix has not as many numbers as its dimensions say");
    r_sparse(&b);
    change_dimension(&b, INT32_MAX);
    damaged(&b, "the parts of a sparse matrix do not fit each other");
}

/* The form of a sequence; its state follows. */
static void begin_sequence(rdata_bytes *b) {
    r_int(b, R_ALTERNATIVE);
    r_int(b, 2);
    r_int(b, R_SYMBOL);
    r_chars(b, "compact_realseq");
    r_int(b, R_NIL);
}

/* Numbers that are where numbers belong, and still mean nothing there. */
static void test_misplaced(void **state) {
    (void)state;
    static const double dim[][2] = {{1e300, 1e-300}, {0.5, 2}, {4294967296.0, 0x1p-32}, {1, NAN}};
    rdata_bytes b;
    r_begin(&b);
    begin_sequence(&b);
    begin_sequence(&b); /* the ends of a sequence are a sequence */
    r_reals(&b, R_REAL, 3, (double[]){3, 1, 1});
    r_int(&b, R_NIL);
    r_int(&b, R_NIL);
    damaged(&b, "a sequence without its ends");
    for (int k = 0; k < 4; k++) {
        r_begin(&b);
        r_reals(&b, R_REAL | R_WITH, 1, (double[]){1});
        r_name(&b, "dim");
        r_reals(&b, R_REAL, 2, dim[k]);
        r_int(&b, R_NIL);
        damaged(&b, "a matrix has not as many numbers as its dimensions say");
    }
}

/* Labels from a data frame whose column of labels has names of its own, and that has no ids. */
static void test_no_ids(void **state) {
    (void)state;
    static const char *const message[] = {
        "labels.rds is joined by sample ids: name their column with `id`",
        "labels.rds: the column of ids holds none"};
    for (int k = 0; k < 2; k++) {
        rdata_bytes b;
        pare_data *data;
        pare_error err;
        pare_read_options o = read_options();
        failing f = {.allow = INT64_MAX};
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        ctx.allocator = failing_allocator(&f);
        limit = &ctx;
        r_begin(&b);
        r_int(&b, R_LIST | R_WITH | 1 << 8);
        r_int(&b, 1 + k);
        if (k) {
            r_int(&b, R_LIST);
            r_int(&b, 2);
            r_texts(&b, "i");
            r_texts(&b, "j");
        }
        r_int(&b, R_TEXTS | R_WITH);
        r_int(&b, 2);
        r_chars(&b, "p");
        r_chars(&b, "q");
        r_name(&b, "names");
        r_texts(&b, "u|v");
        r_int(&b, R_NIL);
        r_name(&b, "names");
        r_texts(&b, k ? "ids|kind" : "kind");
        r_name(&b, "class");
        r_texts(&b, "data.frame");
        r_name(&b, "row.names");
        r_integers(&b, R_INTEGER, 2, (int[]){INT32_MIN, -2});
        r_int(&b, R_NIL);
        FILE *file = fopen("labels.rds", "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(b.at, 1, b.size, file), b.size);
        fclose(file);
        o.labels = "labels.rds:kind";
        r_matrix(&b);
        assert_int_equal(read_with(&data, &b, &o, &err), PARE_E_DATA);
        assert_string_equal(err.message, message[k]);
        assert_int_equal(f.live, 0);
        limit = NULL;
    }
    remove("labels.rds");
}

/* Lists within lists, and calls within calls, deeper than a stack should go. */
static void test_depth(void **state) {
    (void)state;
    pare_read_options o = read_options();
    enum { DEEP = 1 << 16 };
    static const int64_t item[2][2] = {{R_LIST, 1}, {6, 6}};
    o.format = "rds";
    unsigned char *bytes = malloc(14 + 8 * (size_t)DEEP);
    assert_non_null(bytes);
    for (int kind = 0; kind < 2; kind++) {
        rdata_bytes b;
        pare_data *data;
        pare_error err;
        r_begin(&b);
        memcpy(bytes, b.at, b.size);
        size_t size = b.size;
        b.size = 0;
        for (int k = 0; k < 2; k++) r_int(&b, item[kind][k]);
        for (int k = 0; k < DEEP; k++, size += 8) memcpy(bytes + size, b.at, 8);
        assert_int_not_equal(pare_data_read_memory(&data, bytes, size, &o, NULL, &err), PARE_OK);
        assert_string_equal(err.message,
                            "memory: R's file is damaged: its objects are nested too deeply");
    }
    free(bytes);
}

/* A sequence claims a million numbers in a few bytes. */
static void test_bounded(void **state) {
    (void)state;
    rdata_bytes b;
    pare_read_options o = read_options();
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = 1 << 20;
    limit = &ctx;
    r_begin(&b);
    r_int(&b, R_LIST | R_WITH | 1 << 8);
    r_int(&b, 1);
    begin_sequence(&b);
    r_reals(&b, R_REAL, 3, (double[]){1e6, 1, 1});
    r_int(&b, R_NIL);
    r_name(&b, "names");
    r_texts(&b, "x");
    r_name(&b, "class");
    r_texts(&b, "data.frame");
    r_name(&b, "row.names");
    r_integers(&b, R_INTEGER, 2, (int[]){INT32_MIN, -1000000});
    r_int(&b, R_NIL);
    o.no_target = true;
    refused(&b, &o, "memory needs 8000000 bytes of memory, the limit is 1048576");
    ctx.memory_bytes = 1 << 24;
    pare_data *data = read_well(&b, &o);
    assert_int_equal(pare_data_n(data), 1000000);
    pare_data_free(data);
    limit = NULL;
}

/* Every end of a file is refused, and every byte changed is read or refused. */
static void test_cut(void **state) {
    (void)state;
    static void (*const make[])(rdata_bytes *) = {r_frame, r_matrix, r_sparse};
    pare_read_options o = read_options();
    o.format = "rds";
    o.allow_missing = o.categorical = true;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = 1 << 24;
    for (int k = 0; k < 3; k++) {
        rdata_bytes b;
        make[k](&b);
        for (size_t i = 0; i < 9 * b.size; i++) {
            pare_data *data;
            pare_error err = {0};
            bool cut = i < b.size;
            size_t at = i % b.size;
            if (!cut) b.at[at] ^= (unsigned char)(1 << (i / b.size - 1));
            pare_status status =
                pare_data_read_memory(&data, b.at, cut ? i : b.size, &o, &ctx, &err);
            if (!cut) b.at[at] ^= (unsigned char)(1 << (i / b.size - 1));
            assert_true(!cut || status != PARE_OK);
            assert_true(status == PARE_OK || *err.message);
            pare_data_free(data);
        }
    }
}

TEST_FILE(test_rdata) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),     cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_sparse),    cmocka_unit_test(test_claims),
        cmocka_unit_test(test_misplaced), cmocka_unit_test(test_no_ids),
        cmocka_unit_test(test_depth),     cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
