/* The path as numbers is the path as text, and folds as an array are folds as a file. */
#include "support/fits.h"

#include <jansson.h>
#include <math.h>
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

static void same(double x, const json_t *number) {
    if (isnan(x))
        assert_true(json_is_null(number));
    else
        assert_true(x == json_number_value(number));
}

static const json_t *at(const json_t *from, const char *key) {
    const json_t *found = json_object_get(from, key);
    if (!found) fail_msg("no %s", key);
    return found;
}

static void check_interval(const pare_path *path, int64_t m, int64_t s, const json_t *json) {
    pare_path_interval i;
    if (!pare_path_interval_at(&i, path, m, s)) {
        assert_true(json_is_null(json));
        return;
    }
    same(i.level, at(json, "level"));
    same(i.low, at(json, "low"));
    same(i.high, at(json, "high"));
    assert_string_equal(i.kind, json_string_value(at(json, "kind")));
    assert_true(i.low < i.high);
}

static void check_null(const pare_path *path, int64_t m, int64_t s, const json_t *json) {
    pare_path_null n;
    assert_true(pare_path_null_at(&n, path, m, s));
    same(n.p, at(json, "p"));
    same(n.least, at(json, "least"));
    same(n.mean, at(json, "mean"));
    same(n.low, at(json, "low"));
    same(n.high, at(json, "high"));
    if (s >= 0) assert_null(json_object_get(json, "p_methods"));
    if (s < 0) same(n.p_methods, at(json, "p_methods"));
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

static void check_points(const pare_path *path, int64_t m, const json_t *points) {
    int64_t sizes = pare_path_n_points(path), parts = pare_path_n_parts(path);
    double *score = calloc((size_t)(sizes * parts), sizeof *score);
    pare_path_point p;
    assert_int_equal(json_array_size(points), sizes);
    for (int64_t s = 0; s < sizes; s++) {
        const json_t *point = json_array_get(points, (size_t)s);
        assert_true(pare_path_at(&p, path, m, s));
        assert_int_equal(p.n_features, json_integer_value(at(point, "n_features")));
        assert_true(isnan(p.value));
        same(p.used_mean, at(point, "used_mean"));
        same(p.mean, at(point, "mean"));
        same(p.se, at(point, "se"));
        same(p.null_p, at(at(point, "null"), "p"));
        same(p.null_mean, at(at(point, "null"), "mean"));
        check_interval(path, m, s, at(point, "interval"));
        check_null(path, m, s, at(point, "null"));
        same(p.stability, at(at(point, "stability"), "index"));
        same(p.stability_low, at(at(point, "stability"), "low"));
        for (int64_t q = 0; q < pare_path_n_metrics(path); q++) {
            const json_t *metric =
                json_object_get(at(point, "metrics"), pare_path_metric_name(path, q));
            assert_true(pare_path_scores(score, path, m, q));
            for (int64_t j = 0; j < parts; j++) {
                if (!metric) assert_true(isnan(score[s * parts + j])); /* no probabilities */
                if (metric)
                    same(score[s * parts + j], json_array_get(at(metric, "folds"), (size_t)j));
            }
        }
    }
    assert_false(pare_path_at(&p, path, m, sizes));
    assert_false(pare_path_at(&p, path, 2, 0));
    assert_false(pare_path_scores(score, path, m, -1));
    free(score);
}

static void check_chosen(const pare_path *path, int64_t m, const json_t *run_json) {
    pare_path_run_info info;
    double nested[64], share[64], score[64];
    int64_t size[64], index[64];
    assert_true(pare_path_info(&info, path, m));
    assert_string_equal(info.method, json_string_value(at(run_json, "method")));
    const json_t *chosen = at(run_json, "chosen"), *own = at(chosen, "nested");
    assert_int_equal(info.n_features, json_integer_value(at(chosen, "n_features")));
    same(info.nested_mean, at(own, "mean"));
    same(info.nested_se, at(own, "se"));
    same(info.null_p, at(at(chosen, "null"), "p"));
    check_interval(path, m, -1, at(own, "interval"));
    check_null(path, m, -1, at(chosen, "null"));
    check_headline(path, m, at(run_json, "headline"));
    assert_int_equal(info.parts_done, pare_path_n_parts(path));
    assert_true(pare_path_nested(nested, size, path, m, pare_path_metric(path)));
    for (int64_t j = 0; j < pare_path_n_parts(path); j++)
        assert_int_equal(size[j],
                         json_integer_value(json_array_get(at(own, "n_features"), (size_t)j)));
    const json_t *often = at(at(run_json, "stability"), "frequency");
    int64_t count = pare_path_frequency(index, share, path, m, info.chosen);
    assert_int_equal(count, json_array_size(often));
    for (int64_t i = 0; i < count; i++) {
        const json_t *f = json_array_get(often, (size_t)i);
        assert_int_equal(index[i], json_integer_value(at(f, "index")));
        same(share[i], at(f, "share"));
    }
    const json_t *features = at(run_json, "features");
    count = pare_path_features(index, score, path, m);
    assert_int_equal(count, json_array_size(features));
    assert_true(count > 0);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(index[i],
                         json_integer_value(at(json_array_get(features, (size_t)i), "index")));
        same(score[i], at(json_array_get(features, (size_t)i), "score"));
    }
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
    json_t *root = parsed(path);
    assert_int_equal(pare_path_n_runs(path), 2);
    assert_string_equal(pare_path_metric_name(path, pare_path_metric(path)),
                        json_string_value(at(root, "metric")));
    assert_null(pare_path_metric_name(path, pare_path_n_metrics(path)));
    for (int64_t m = 0; m < 2; m++) {
        const json_t *one = json_array_get(at(root, "runs"), (size_t)m);
        check_points(path, m, at(one, "points"));
        check_chosen(path, m, one);
    }
    pare_path_run_info none;
    pare_path_interval no_interval;
    pare_path_null no_null;
    char *text;
    assert_true(pare_path_info(&none, path, pare_path_best(path)));
    assert_string_equal(none.method, json_string_value(at(root, "best")));
    assert_false(pare_path_info(&none, path, 2));
    assert_false(pare_path_interval_at(&no_interval, path, 0, 3));
    assert_false(pare_path_interval_at(&no_interval, path, 0, -2));
    assert_false(pare_path_null_at(&no_null, path, 2, 0));
    assert_int_equal(pare_path_headline(&text, path, 2, NULL, NULL), PARE_E_ARGUMENT);
    assert_int_equal(pare_path_features(NULL, NULL, path, -1), 0);
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
