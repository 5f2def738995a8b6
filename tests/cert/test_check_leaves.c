/* Every number of a model file that a prediction or a printed figure depends on, changed by a
 * hundredth, one at a time, for every method of the registry: the check must reject it. */
#include "support/regression.h"
#include "support/survival.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "registry.h"

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

enum { KINDS = 256, SELDOM = 8 };

/* The kinds of leaves that were tested for a method: paths without their numbers. */
typedef struct known {
    int count, skipped;
    char kind[KINDS][64];
} known;

typedef struct tampering {
    json_t *file;
    const pare_data *data;
    const char *method;
    known *thin; /* NULL: every leaf */
    int tried, missed;
    char first[128];
} tampering;

/* New kinds are tested, and one in SELDOM of the others. */
static bool is_due(known *k, const char *path) {
    char kind[64];
    size_t length = 0;
    for (const char *at = path; *at && length < sizeof kind - 1; at++)
        if (*at < '0' || *at > '9') kind[length++] = *at;
    kind[length] = 0;
    for (int i = 0; i < k->count; i++)
        if (strcmp(k->kind[i], kind) == 0) return ++k->skipped % SELDOM == 0;
    assert_true(k->count < KINDS);
    strcpy(k->kind[k->count++], kind);
    return true;
}

/* A kernel's numbers that its type does not use. */
static bool is_idle(const tampering *t, const char *path) {
    const char *type =
        json_string_value(json_object_get(json_object_get(t->file, "kernel"), "type"));
    return type && strcmp(type, "poly") != 0 &&
           (strcmp(path, "/kernel/degree") == 0 || strcmp(path, "/kernel/coef0") == 0);
}

static bool says_no(const tampering *t) {
    pare_model *m;
    pare_verdict v;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    char *text = json_dumps(t->file, JSON_REAL_PRECISION(17));
    assert_non_null(text);
    bool readable = pare_model_parse(&m, text, strlen(text), &ctx, &err) == PARE_OK;
    free(text);
    if (!readable) return true;
    pare_status status = pare_verify(&v, m, t->data, &ctx, &err);
    pare_model_free(m);
    return status != PARE_OK || !v.holds;
}

/* A certificate or weight that consists of rounding cannot be distinguished from a changed one. */
static bool is_noise(const tampering *t, const char *path, double x) {
    const json_t *selection = json_object_get(t->file, "selection");
    double objective = fabs(json_number_value(json_object_get(selection, "objective")));
    return x == 0 || (strstr(path, "certificate") && fabs(x) < 1e-9 * fmax(1, objective));
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
    if (!json_is_number(at) || is_noise(t, path, json_number_value(at))) return;
    if (is_idle(t, path) || (t->thin && !is_due(t->thin, path))) return;
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

/* The model file; NULL: the method rejects such settings. */
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

/* The number of changes that are not detected. */
static int tamper(const pare_data *data, const char *name, const char *const *pairs, known *thin,
                  int *models) {
    char *text = try_fit(data, name, pairs);
    if (!text) return 0;
    ++*models;
    tampering t = {.file = json_loads(text, 0, NULL), .data = data, .method = name, .thin = thin};
    assert_non_null(t.file);
    if (says_no(&t)) fail_msg("%s: an honest model is refused", name);
    walk_json(&t, t.file, "");
    if (t.missed > 0)
        print_error("%s: %d of %d changes go unseen, first %s\n", name, t.missed, t.tried, t.first);
    assert_true(thin || t.tried > 5);
    json_decref(t.file);
    pare_text_free(text, NULL);
    return t.missed;
}

static void every_leaf_counts(void **state) {
    (void)state;
    rng r = rng_from(131);
    problem_shape shape = {
        .n = 18, .d = 5, .classes = 2, .signal = 3, .density = 1, .missing = 0.03};
    pare_data *data = problem_make(&r, &shape);
    shape.missing = 0;
    pare_data *whole = problem_make(&r, &shape);
    pare_data *counts = problem_make(&r, &shape); /* no negative number */
    double *count = values_of(&counts->x);
    for (int64_t e = 0; e < shape.n * shape.d; e++) count[e] = fabs(count[e]);
    regression line = regression_make(&r, 18, 5, REG_NORMAL, false);
    survival_problem times = survival_make(&r, 24, 5, 9, SURVIVAL_STRATA);
    int missed = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info info;
        assert_true(pare_methods_info(&info, i));
        bool classes = strstr(info.tasks, "binary"), ranks = strstr(info.tasks, "ranking");
        bool timed = strstr(info.tasks, "survival"), takes_counts = method_named(info.name)->counts;
        const char *task = classes ? "classify" : ranks ? "rank" : timed ? "survival" : "regress";
        bool regresses = !classes && !ranks;
        const pare_data *usual = timed          ? times.data
                                 : regresses    ? line.data
                                 : takes_counts ? counts
                                                : whole;
        int models = 0;
        known seen = {.count = 0};
        missed += tamper(regresses || takes_counts ? usual : data, info.name,
                         PAIRS("task", task, "missing", "median"), NULL, &models);
        missed += tamper(usual, info.name, PAIRS("task", task, "k", "3"), NULL, &models);
        if (classes)
            missed += tamper(usual, info.name, PAIRS("task", task, "k", "3", "probability", "true"),
                             &seen, &models);
        assert_true(models > 0);
    }
    assert_int_equal(missed, 0);
    survival_free(&times);
    regression_free(&line);
    pare_data_free(counts);
    pare_data_free(whole);
    pare_data_free(data);
}

/* The next word of "one of: a b c" into `out`; NULL: that was the last. */
static const char *next_word(char out[32], const char *at) {
    at += strspn(at, " ");
    size_t length = strcspn(at, " ");
    snprintf(out, 32, "%.*s", (int)length, at);
    return length ? at + length : NULL;
}

/* With every choice of every setting that has some. */
static int tamper_choices(const pare_data *data, const char *name, const char *task, known *seen) {
    pare_settings *set = settings_make(name, NULL);
    pare_setting_info info;
    char word[32];
    int missed = 0, models = 0;
    for (int64_t i = 0; pare_settings_info(&info, set, i); i++) {
        if (strcmp(info.type, "choice") != 0 || strcmp(info.name, "task") == 0) continue;
        const char *at = strchr(info.allowed, ':') + 1;
        while ((at = next_word(word, at)))
            if (strcmp(word, info.fallback) != 0)
                missed += tamper(data, name, PAIRS("task", task, "k", "3", info.name, word), seen,
                                 &models);
    }
    pare_settings_free(set);
    return missed;
}

/* So far from 0, and of such different units, that coefficients are small beside the intercept. */
static pare_data *far_off(rng *r) {
    enum { N = 14, D = 4 };
    static const char *const labels[] = {"a", "b", "c"};
    const char *label[N];
    double x[N * D];
    for (int64_t i = 0; i < N; i++) label[i] = labels[i % 3];
    for (int64_t e = 0; e < N * D; e++)
        x[e] = (1e8 + rng_normal(r) + (double)(e % 3)) * (e < N ? 1e-20 : 1e6);
    return data_labelled(N, D, x, label);
}

/* One leaf of each kind: several classes, weights, offsets that dominate the coefficients, and
 * every choice of settings. */
static void every_kind_of_leaf_counts(void **state) {
    (void)state;
    rng r = rng_from(132);
    problem_shape three = {.n = 15, .d = 4, .classes = 3, .signal = 3, .density = 1};
    problem_shape two = {.n = 12, .d = 4, .classes = 2, .signal = 3, .density = 1, .weights = true};
    problem_shape thin = {.n = 14, .d = 4, .classes = 3, .density = 0.7};
    pare_data *several = problem_make(&r, &three), *weighted = problem_make(&r, &two),
              *sparse = problem_make(&r, &thin), *far = far_off(&r);
    regression line = regression_make(&r, 14, 4, REG_NORMAL, false);
    int missed = 0, models = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info info;
        assert_true(pare_methods_info(&info, i));
        bool classes = strstr(info.tasks, "binary"), ranks = strstr(info.tasks, "ranking");
        const char *task = classes ? "classify" : ranks ? "rank" : "regress";
        const pare_data *plain = classes || ranks ? weighted : line.data;
        if (method_named(info.name)->counts) continue; /* no negative number: as above */
        known seen = {.count = 0};
        missed += tamper_choices(plain, info.name, task, &seen);
        if (strstr(info.tasks, "multiclass")) {
            missed += tamper(several, info.name, PAIRS("task", task, "k", "3"), &seen, &models);
            missed += tamper(sparse, info.name, PAIRS("task", task), &seen, &models);
            missed += tamper(several, info.name, PAIRS("scale", "robust"), &seen, &models);
            known afresh = {.count = 0};
            missed += tamper(far, info.name, PAIRS("scale", "unit"), &afresh, &models);
            known mapped = {.count = 0};
            if (has_setting(info.name, "predict"))
                missed += tamper(far, info.name, PAIRS("scale", "unit", "predict", "1nn"), &mapped,
                                 &models);
        }
    }
    assert_int_equal(missed, 0);
    regression_free(&line);
    pare_data_free(far);
    pare_data_free(sparse);
    pare_data_free(weighted);
    pare_data_free(several);
}

TEST_FILE(test_check_leaves) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_leaf_counts),
                                       cmocka_unit_test(every_kind_of_leaf_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
