/* The path as numbers is the path as text, and folds as an array are folds as a file. */
#include "support/fits.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/text_files.h"

enum { N = 36 };

static pare_data *make(void) {
    rng r = rng_from(21);
    problem_shape shape = {.n = N, .d = 14, .classes = 2, .signal = 1, .density = 1};
    return problem_make(&r, &shape);
}

static pare_path *run(const pare_data *data, const pare_path_options *o, const char *more) {
    pare_settings *s[] = {settings_make("corr", NULL), settings_make("svm", NULL)};
    pare_path *path;
    pare_error err;
    pare_status status =
        pare_path_run(&path, data, (const pare_settings *const *)s, 2, o, NULL, &err);
    if (status != PARE_OK && !more) fail_msg("%s", err.message);
    if (more) {
        assert_int_not_equal(status, PARE_OK);
        assert_null(path);
        if (!strstr(err.message, more)) fail_msg("\"%s\" lacks \"%s\"", err.message, more);
    }
    pare_settings_free(s[0]);
    pare_settings_free(s[1]);
    return path;
}

static json_t *parsed(const pare_path *path) {
    char *text;
    assert_int_equal(pare_path_json(&text, path, NULL, NULL), PARE_OK);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    pare_text_free(text, NULL);
    return root;
}

/* The value at a dotted name; NULL: the name is not there; null: an object on the way is null. */
static const json_t *json_value(const json_t *from, const char *field) {
    char key[64];
    while (from && !json_is_null(from)) {
        size_t length = strcspn(field, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, field);
        from = json_object_get(from, key);
        if (!field[length]) break;
        field += length + 1;
    }
    return from;
}

static const json_t *at(const json_t *from, const char *field) {
    const json_t *found = json_value(from, field);
    if (!found) fail_msg("no %s", field);
    return found;
}

/* One value by its name, and where the JSON has it. */
static void check_value(const pare_path *path, const pare_column *c, int64_t m, int64_t i,
                        const json_t *row) {
    double x = pare_path_number(path, c->table, c->field, m, i);
    const char *text = pare_path_text(path, c->table, c->field, m, i);
    const json_t *value = json_value(row, c->field);
    bool optional = c->shown & PARE_SHOWN_OPTIONAL;
    if (!value && !optional) fail_msg("%s %s is not in the JSON", c->table, c->field);
    if (!value || json_is_null(value)) {
        /* not defined; or in an object that another value makes null */
        assert_true(optional ? isnan(x) || x == 0 : true);
        assert_true(!optional || !text);
        return;
    }
    if (c->type == PARE_COLUMN_TEXT)
        assert_string_equal(text, json_string_value(value));
    else if (c->type == PARE_COLUMN_FLAG)
        assert_true(x == json_is_true(value));
    else if (!(x == json_number_value(value)))
        fail_msg("%s %s of row %d: %g, in the JSON %g", c->table, c->field, (int)i, x,
                 json_number_value(value));
}

static bool is_value(const pare_column *c) {
    return c->type <= PARE_COLUMN_TEXT && c->shown & PARE_SHOWN_JSON;
}

/* Every column of every row that the JSON shows; returns how many values it compared. */
static int check_table(const pare_path *path, const char *table, int64_t m, const json_t *rows) {
    pare_column c;
    int count = 0;
    for (int64_t i = 0; pare_path_column(&c, i); i++) {
        if (strcmp(c.table, table) != 0 || !is_value(&c)) continue;
        assert_int_equal(pare_path_rows(path, table, m), json_array_size(rows));
        for (size_t row = 0; row < json_array_size(rows); row++, count++)
            check_value(path, &c, m, (int64_t)row, json_array_get(rows, row));
        assert_true(
            isnan(pare_path_number(path, table, c.field, m, (int64_t)json_array_size(rows))));
        assert_null(pare_path_text(path, table, c.field, m, -1));
    }
    return count;
}

/* The tables that the rows of `of` have lists of. */
static int check_lists(const pare_path *path, const char *of, int64_t m, const json_t *row) {
    pare_column c;
    int count = 0;
    for (int64_t i = 0; pare_path_column(&c, i); i++) {
        if (strcmp(c.table, of) != 0 || c.type != PARE_COLUMN_LIST) continue;
        const char *name = strrchr(c.field, '.') ? strrchr(c.field, '.') + 1 : c.field;
        const json_t *rows = json_value(row, c.field);
        if (!rows) assert_int_equal(pare_path_rows(path, name, m), 0);
        if (rows) count += check_table(path, name, m, rows);
    }
    return count;
}

static void check_headline(const pare_path *path, int64_t m, const json_t *sentences) {
    char *text, *line;
    assert_int_equal(pare_path_headline(&text, path, m, NULL, NULL), PARE_OK);
    line = text;
    for (size_t i = 0; i < json_array_size(sentences); i++) {
        const char *one = json_string_value(json_array_get(sentences, i));
        assert_int_equal(strncmp(line, one, strlen(one)), 0);
        line += strlen(one);
        assert_int_equal(*line++, '\n');
    }
    assert_int_equal(*line, '\0');
    assert_true(json_array_size(sentences) >= 4);
    pare_text_free(text, NULL);
}

static void check_scores(const pare_path *path, int64_t m, const json_t *run_json) {
    int64_t sizes = pare_path_rows(path, "points", m), parts = pare_path_n_parts(path);
    double *score = calloc((size_t)(sizes * parts), sizeof *score), nested[64];
    int64_t size[64];
    for (int64_t q = 0; q < pare_path_n_metrics(path); q++) {
        assert_true(pare_path_scores(score, path, m, q));
        for (int64_t s = 0; s < sizes; s++) {
            const json_t *metrics =
                at(json_array_get(at(run_json, "points"), (size_t)s), "metrics");
            const json_t *metric = json_object_get(metrics, pare_path_metric_name(path, q));
            for (int64_t j = 0; j < parts; j++) {
                double x = score[s * parts + j];
                if (metric)
                    assert_true(x ==
                                json_number_value(json_array_get(at(metric, "folds"), (size_t)j)));
                else
                    assert_true(isnan(x)); /* no probabilities */
            }
        }
    }
    assert_false(pare_path_scores(score, path, m, -1));
    assert_true(pare_path_nested(nested, size, path, m, pare_path_metric(path)));
    for (int64_t j = 0; j < parts; j++)
        assert_int_equal(size[j], json_integer_value(json_array_get(
                                      at(run_json, "chosen.nested.n_features"), (size_t)j)));
    free(score);
}

/* What a metric is, the same that the path says of the one it chooses by. */
static void check_metrics(const pare_path *path, const json_t *root) {
    pare_metric m;
    int64_t count = 0;
    const char *task = json_string_value(at(root, "task"));
    for (; pare_metric_info(&m, task, count); count++) {
        assert_string_equal(m.name, pare_path_metric_name(path, count));
        assert_true(m.least < m.most);
        if (count == pare_path_metric(path))
            assert_true(m.higher_is_better == json_is_true(at(root, "higher_is_better")));
    }
    assert_int_equal(count, pare_path_n_metrics(path));
    assert_false(pare_metric_info(&m, "no task", 0));
}

static void numbers_are_the_text(void **state) {
    (void)state;
    pare_data *data = make();
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 4;
    o.null_runs = 3;
    o.sizes = "1,3,14";
    pare_path *path = run(data, &o, NULL);
    json_t *root = parsed(path), *alone = json_pack("[O]", root);
    assert_non_null(alone);
    assert_string_equal(pare_path_metric_name(path, pare_path_metric(path)),
                        json_string_value(at(root, "metric")));
    assert_null(pare_path_metric_name(path, pare_path_n_metrics(path)));
    assert_true(check_table(path, "path", 0, alone) > 8);
    assert_true(check_lists(path, "path", 0, root) > 30); /* runs and pairs */
    for (int64_t m = 0; m < 2; m++) {
        const json_t *one = json_array_get(at(root, "runs"), (size_t)m);
        assert_true(check_lists(path, "runs", m, one) > 60); /* points, features, ... */
        check_scores(path, m, one);
        check_headline(path, m, at(one, "headline"));
    }
    check_metrics(path, root);
    char *text;
    assert_true(pare_path_number(path, "points", "interval.low", 0, 0) <
                pare_path_number(path, "points", "interval.high", 0, 0));
    assert_true(isnan(pare_path_number(path, "points", "no such field", 0, 0)));
    assert_true(isnan(pare_path_number(path, "no such table", "mean", 0, 0)));
    assert_true(isnan(pare_path_number(path, "points", "mean", 2, 0)));
    assert_int_equal(pare_path_rows(path, "points", 2), 0);
    assert_int_equal(pare_path_rows(path, "points", -1), 0);
    assert_int_equal(pare_path_headline(&text, path, 2, NULL, NULL), PARE_E_ARGUMENT);
    json_decref(alone);
    json_decref(root);
    pare_path_free(path);
    pare_data_free(data);
}

static void folds_may_be_an_array(void **state) {
    (void)state;
    pare_data *data = make();
    pare_path_options o;
    pare_path_options_init(&o);
    int32_t fold[N];
    char text[8 * N] = "", *one, *two;
    for (int i = 0; i < N; i++) {
        fold[i] = 7 * (i % 3); /* any numbers below n */
        strcat(text, i % 3 == 0 ? "a\n" : i % 3 == 1 ? "b\n" : "c\n");
    }
    o.sizes = "1,4";
    o.fold_of = fold;
    pare_path *path = run(data, &o, NULL);
    assert_int_equal(pare_path_json(&one, path, NULL, NULL), PARE_OK);
    pare_path_free(path);
    write_text("folds.txt", text);
    o.fold_file = "folds.txt";
    run(data, &o, "given twice");
    o.fold_of = NULL;
    path = run(data, &o, NULL);
    assert_int_equal(pare_path_json(&two, path, NULL, NULL), PARE_OK);
    assert_string_equal(one, two);
    pare_path_free(path);
    pare_text_free(one, NULL);
    pare_text_free(two, NULL);
    o.fold_file = NULL;
    o.fold_of = fold;
    fold[5] = N;
    run(data, &o, "the fold of sample 6 is 36, allowed are 0 to 35");
    memset(fold, 0, sizeof fold);
    run(data, &o, "one fold only");
    o.repeats = 2;
    run(data, &o, "fold_of gives the folds");
    pare_path_options_init(&o);
    o.struct_size += 8;
    run(data, &o, "newer");
    pare_data_free(data);
}

/* What the parts are given as must not matter, and samples may be left out. */
static void parts_may_be_given(void **state) {
    (void)state;
    pare_data *data = make();
    pare_path_options o;
    pare_path_options_init(&o);
    int32_t fold[N];
    int8_t part[3 * N];
    for (int i = 0; i < N; i++) {
        fold[i] = i % 3;
        for (int p = 0; p < 3; p++) part[p * N + i] = i % 3 == p ? 2 : 1;
    }
    o.sizes = "1,4";
    o.inner = 0;
    o.fold_of = fold;
    pare_path *folds = run(data, &o, NULL);
    o.n_parts = 3;
    o.part_of = part;
    run(data, &o, "cannot be combined");
    o.fold_of = NULL;
    pare_path *parts = run(data, &o, NULL);
    double a[2 * 3], b[2 * 3], c[2];
    assert_true(pare_path_scores(a, folds, 0, 0));
    assert_true(pare_path_scores(b, parts, 0, 0));
    assert_memory_equal(a, b, sizeof a);
    pare_path_free(parts);
    /* one part alone, then the same without one of its test samples */
    o.n_parts = 1;
    parts = run(data, &o, NULL);
    assert_int_equal(pare_path_n_parts(parts), 1);
    assert_true(pare_path_scores(c, parts, 0, 0));
    assert_true(c[0] == a[0] && c[1] == a[3]);
    pare_path_free(parts);
    for (int i = 6; i < N; i += 3) part[i] = 0;
    parts = run(data, &o, NULL);
    char *text;
    assert_int_equal(pare_path_json(&text, parts, NULL, NULL), PARE_OK);
    assert_non_null(strstr(text, "\"given parts\""));
    assert_non_null(strstr(text, "\"n_test\":2"));
    pare_text_free(text, NULL);
    pare_path_free(parts);
    part[1] = 3;
    run(data, &o, "sample 2 has the number 3 in part 1");
    memset(part, 1, sizeof part);
    run(data, &o, "no samples to test on");
    o.part_of = NULL;
    run(data, &o, "null pointer");
    pare_path_free(folds);
    pare_data_free(data);
}

/* Samples of a group stay together: a part tests all of it or none. */
static void groups_may_be_an_array(void **state) {
    (void)state;
    pare_data *data = make();
    pare_path_options o;
    pare_path_options_init(&o);
    const char *group[N];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    for (int i = 0; i < N; i++) group[i] = names[i / 3 % 12];
    pare_error err;
    assert_int_equal(pare_data_set_fold_groups(data, group, &err), PARE_OK);
    o.sizes = "1,4";
    o.folds = 3;
    o.predictions = true;
    pare_path *path = run(data, &o, NULL);
    char *text;
    int part_of[12] = {0};
    assert_int_equal(pare_path_predictions(&text, path, data, NULL, &err), PARE_OK);
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        int size, part, sample;
        assert_int_equal(sscanf(line + 1, "%*s %d %d %d", &size, &part, &sample), 3);
        int *of = &part_of[(sample - 1) / 3 % 12];
        assert_true(*of == 0 || *of == part);
        *of = part;
    }
    for (int g = 0; g < 12; g++) assert_true(part_of[g] > 0);
    pare_text_free(text, NULL);
    pare_path_free(path);
    group[5] = NULL;
    assert_int_equal(pare_data_set_fold_groups(data, group, &err), PARE_E_ARGUMENT);
    assert_int_equal(pare_data_set_fold_groups(data, NULL, &err), PARE_OK);
    pare_data_free(data);
}

TEST_FILE(test_path_numbers) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_the_text), cmocka_unit_test(folds_may_be_an_array),
        cmocka_unit_test(parts_may_be_given), cmocka_unit_test(groups_may_be_an_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
