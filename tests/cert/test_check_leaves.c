/* Every number of a model file that a prediction or a printed figure comes from, changed by a
 * hundredth, one at a time, for every method of the registry: the check must say no. */
#include "support/regression.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/dataset.h"
#include "registry.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char FILE_NAME[] = "check_leaves.json";

/* What neither predicts nor is printed: how the fit went, and what certificates are made from, which
 * they judge as a whole. */
static bool is_exempt(const char *path) {
    static const char *const parts[] = {"/settings/",      "/dual",
                                        "/iterations",     "/seconds",
                                        "/selection/dual", "/selection/columns",
                                        "/selection/z",    "/selection/index",
                                        "/selection/coef", "/selection/intercept"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strncmp(path, parts[i], strlen(parts[i])) == 0) return true;
    return false;
}

typedef struct tampering {
    json_t *file;
    const pare_data *data;
    const char *method;
    int tried, missed;
    char first[128];
} tampering;

static bool says_no(const tampering *t) {
    pare_model *m;
    pare_verdict v;
    pare_error err;
    assert_int_equal(json_dump_file(t->file, FILE_NAME, JSON_REAL_PRECISION(17)), 0);
    if (pare_model_load(&m, FILE_NAME, NULL, &err) != PARE_OK) return true;
    pare_status status = pare_verify(&v, m, t->data, NULL, &err);
    pare_model_free(m);
    return status != PARE_OK || !v.holds;
}

/* A certificate or weight that is rounding alone cannot be told from its neighbours. */
static bool is_noise(const char *path, double x) {
    return x == 0 || (strstr(path, "certificate") && fabs(x) < 1e-9);
}

static void walk_json(tampering *t, json_t *at, const char *path) {
    char inner[128];
    const char *key;
    json_t *part;
    if (is_exempt(path)) return;
    for (size_t i = 0; i < json_array_size(at); i++) {
        snprintf(inner, sizeof inner, "%.100s/%d", path, (int)i);
        walk_json(t, json_array_get(at, i), inner);
    }
    json_object_foreach(at, key, part) {
        snprintf(inner, sizeof inner, "%.80s/%.40s", path, key);
        walk_json(t, part, inner);
    }
    if (!json_is_number(at) || is_noise(path, json_number_value(at))) return;
    json_int_t whole = json_integer_value(at);
    double real = json_real_value(at);
    if (json_is_integer(at))
        json_integer_set(at, whole + 1);
    else
        json_real_set(at, real * 1.01);
    t->tried++;
    if (!says_no(t) && t->missed++ == 0) strcpy(t->first, path);
    if (json_is_integer(at))
        json_integer_set(at, whole);
    else
        json_real_set(at, real);
}

/* The model file; NULL: the method refuses such settings. */
static char *try_fit(const pare_data *data, const char *name, const char *const *pairs) {
    pare_settings *set = settings_make(name, pairs);
    pare_model *m;
    pare_error err;
    char *text = NULL;
    if (pare_fit(&m, data, set, NULL, &err) == PARE_OK) {
        assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
        pare_model_free(m);
    }
    pare_settings_free(set);
    return text;
}

/* How many changes go unseen. */
static int tamper(const pare_data *data, const char *name, const char *const *pairs, int *models) {
    char *text = try_fit(data, name, pairs);
    if (!text) return 0;
    ++*models;
    tampering t = {json_loads(text, 0, NULL), data, name, 0, 0, ""};
    assert_non_null(t.file);
    if (says_no(&t)) fail_msg("%s: an honest model is refused", name);
    walk_json(&t, t.file, "");
    if (t.missed > 0)
        print_error("%s: %d of %d changes go unseen, first %s\n", name, t.missed, t.tried, t.first);
    assert_true(t.tried > 5);
    json_decref(t.file);
    pare_text_free(text, NULL);
    remove(FILE_NAME);
    return t.missed;
}

static void every_leaf_counts(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 131, 0);
    problem_shape shape = {
        .n = 18, .d = 5, .classes = 2, .signal = 3, .density = 1, .missing = 0.03};
    pare_data *data = problem_make(&r, &shape);
    shape.missing = 0;
    pare_data *whole = problem_make(&r, &shape);
    pare_data *counts = problem_make(&r, &shape); /* no negative number */
    double *count = values_of(&counts->x);
    for (int64_t e = 0; e < shape.n * shape.d; e++) count[e] = fabs(count[e]);
    regression line = regression_make(&r, 18, 5, REG_NORMAL, false);
    int missed = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info info;
        assert_true(pare_methods_info(&info, i));
        bool classes = strstr(info.tasks, "binary"), ranks = strstr(info.tasks, "ranking");
        const char *task = classes ? "classify" : ranks ? "rank" : "regress";
        bool regresses = !classes && !ranks, takes_counts = method_named(info.name)->counts;
        const pare_data *usual = regresses ? line.data : takes_counts ? counts : whole;
        int models = 0;
        missed += tamper(regresses || takes_counts ? usual : data, info.name,
                         PAIRS("task", task, "missing", "median"), &models);
        missed += tamper(usual, info.name, PAIRS("task", task, "k", "3"), &models);
        if (classes)
            missed += tamper(usual, info.name, PAIRS("task", task, "k", "3", "probability", "true"),
                             &models);
        assert_true(models > 0);
    }
    assert_int_equal(missed, 0);
    regression_free(&line);
    pare_data_free(counts);
    pare_data_free(whole);
    pare_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_leaf_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
