/* A method's part of a path is its own: the same bytes alone, first and last among others, whatever
 * their settings. And what the training parts share is used. */
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "registry.h"

enum { N = 30, OWN = 6, D = 8, METHODS_MAX = 64 };

/* Raw intensities: columns above 0 and far from it, so that centring shows in every digit. From OWN
 * on they are close to the first, as substitutes. */
static pare_data *raw_data(int64_t classes, bool regression, bool missing) {
    rng r;
    pare_error err;
    pare_data *data;
    char text[N][16];
    const char *labels[N];
    rng_seed(&r, 17, 0);
    double *x = random_normal(&r, N, D), y[N];
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) {
            if (j < 3) x[j * N + i] += (double)((i + j) % classes);
            x[j * N + i] += 5 + 4 * (double)(j % 3);
            if (j >= OWN) x[j * N + i] = x[(j - OWN) * N + i] + 0.3 * rng_normal(&r);
        }
        y[i] = x[i] - x[N + i] + rng_normal(&r);
        if (missing && i % 5 < 2) x[2 * N + i] = NAN;
        if (missing && i % 7 == 0) x[4 * N + i] = NAN;
        snprintf(text[i], sizeof text[i], "%lld", (long long)(i % classes));
        labels[i] = text[i];
    }
    pare_status status = pare_data_dense(&data, N, D, x, NULL, regression ? NULL : labels,
                                         regression ? y : NULL, NULL, &err);
    if (status != PARE_OK) fail_msg("%s", err.message);
    free(x);
    return data;
}

/* Every method has its own treatment of missing values. */
static const char *missing_of(const method *m) {
    static const char *const words[] = {"mean", "indicator", "median"};
    return words[m->group % 3];
}

/* With the poly kernel where a method has it: a kernel that sees a shift of the samples. */
static pare_settings *settings_for(const method *m, const char *scale, const task_type *task,
                                   bool poly) {
    pare_settings *s = settings_make(m->name, NULL);
    pare_error err;
    assert_int_equal(pare_settings_set(s, "missing", missing_of(m), &err), PARE_OK);
    assert_int_equal(pare_settings_set(s, "task", task->word, &err), PARE_OK);
    assert_int_equal(pare_settings_set(s, "scale", scale, &err), PARE_OK);
    for (int64_t i = 0; poly && i < pare_settings_count(s); i++) {
        pare_setting_info info;
        pare_settings_info(&info, s, i);
        if (strcmp(info.name, "kernel") == 0 && strstr(info.allowed, "poly"))
            assert_int_equal(pare_settings_set(s, "kernel", "poly", &err), PARE_OK);
    }
    return s;
}

static char *path_text(const pare_data *data, const method *const *m, int64_t count,
                       const char *scale, const task_type *task, bool poly, const char *sizes) {
    pare_settings *settings[METHODS_MAX];
    pare_path_options o;
    pare_path *p;
    pare_error err;
    char *text;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = 2;
    o.substitutes = 1;
    o.sizes = sizes;
    for (int64_t i = 0; i < count; i++) settings[i] = settings_for(m[i], scale, task, poly);
    if (pare_path_run(&p, data, (const pare_settings *const *)settings, count, &o, NULL, &err) !=
        PARE_OK)
        fail_msg("%s: %s", m[0]->name, err.message);
    assert_int_equal(pare_path_json(&text, p, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < count; i++) pare_settings_free(settings[i]);
    pare_path_free(p);
    return text;
}

/* The run of one method in the path's JSON; *length of it. */
static const char *run_of(const char *text, const char *name, size_t *length) {
    char key[80];
    snprintf(key, sizeof key, "{\"method\":\"%s\",", name);
    const char *start = strstr(text, key), *end = strstr(text, "\n \"comparison\"");
    assert_true(start && end && start < end);
    const char *next = strstr(start + 1, "{\"method\":\"");
    if (next && next < end) end = next;
    while (end[-1] != '}') end--; /* commas and brackets between runs */
    *length = (size_t)(end - start);
    return start;
}

static void check_runs(char *batch, char *const *single, const method *const *m, int64_t count,
                       const char *what) {
    for (int64_t i = 0; i < count; i++) {
        size_t a, b;
        const char *own = run_of(single[i], m[i]->name, &a), *there = run_of(batch, m[i]->name, &b);
        if (a != b || memcmp(own, there, a) != 0)
            fail_msg("%s has another curve %s:\n%.300s\nalone:\n%.300s", m[i]->name, what, there,
                     own);
    }
    pare_text_free(batch, NULL);
}

/* Everybody alone; all together in the order of the registry and in the opposite one; and each with
 * its neighbour, first and last. */
static void check_task(const task_type *task, int64_t classes, bool poly, const char *scale,
                       bool missing) {
    const method *m[METHODS_MAX] = {0}, *reversed[METHODS_MAX] = {0};
    char *single[METHODS_MAX] = {0}, *mirror[METHODS_MAX] = {0};
    int64_t count = 0;
    pare_data *data = raw_data(classes, task->real, missing);
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *one = method_named(method_at(i).name);
        if ((one->tasks & task->kind) && !(missing && one->counts)) m[count++] = one;
    }
    assert_in_range(count, 2, METHODS_MAX);
    for (int64_t i = 0; i < count; i++) {
        single[i] = path_text(data, &m[i], 1, scale, task, poly, "2,8");
        mirror[count - 1 - i] = single[i];
        reversed[count - 1 - i] = m[i];
    }
    check_runs(path_text(data, m, count, scale, task, poly, "2,8"), single, m, count, "with all");
    check_runs(path_text(data, reversed, count, scale, task, poly, "2,8"), mirror, reversed, count,
               "with all, reversed");
    for (int64_t i = 0; i + 1 < count; i++) {
        const method *swapped[] = {m[i + 1], m[i]};
        char *texts[] = {single[i + 1], single[i]};
        check_runs(path_text(data, &m[i], 2, scale, task, poly, "2,8"), &single[i], &m[i], 2,
                   "with the next");
        check_runs(path_text(data, swapped, 2, scale, task, poly, "2,8"), texts, swapped, 2,
                   "with the one before");
    }
    for (int64_t i = 0; i < count; i++) pare_text_free(single[i], NULL);
    pare_data_free(data);
}

static void two_classes(void **state) {
    (void)state;
    check_task(&task_binary, 2, false, "none", false);
    check_task(&task_binary, 2, true, "unit", false);
}

static void three_classes(void **state) {
    (void)state;
    check_task(&task_multiclass, 3, true, "none", false);
}

static void regression(void **state) {
    (void)state;
    check_task(&task_regression, 2, false, "none", false);
    check_task(&task_regression, 2, false, "minmax", false);
}

static void ranking(void **state) {
    (void)state;
    check_task(&task_ranking, 2, false, "none", false);
}

/* --- passes --- */

static _Atomic int64_t passes; /* jobs run on several threads */
static mat_ops counting;
static const mat_ops *original;

/* The view of the matrix as it is without the count. */
static view uncounted(const view *v, matrix *plain) {
    view out = *v;
    *plain = *v->x;
    plain->ops = original;
    out.x = plain;
    return out;
}

static pare_status count_gram(const view *a, const view *b, const double *z, double *K,
                              const pare_ctx *ctx, pare_error *err) {
    matrix x;
    view own = uncounted(a, &x), other = b ? uncounted(b, &x) : own;
    passes += !b && !z && a->d == D;
    return mat_gram(&own, b ? &other : NULL, z, K, ctx, err);
}

static pare_status count_gram_many(int64_t count, const view *v, const double *const *z,
                                   double *const *K, const pare_ctx *ctx, pare_error *err) {
    matrix x;
    view own[16];
    assert_in_range(count, 1, 16);
    for (int64_t i = 0; i < count; i++) own[i] = uncounted(&v[i], &x);
    passes++;
    return mat_gram_many(count, own, z, K, ctx, err);
}

/* Whole Gram passes of a path of one method. */
static int64_t passes_of(const method *m, const char *scale, bool poly) {
    pare_data *data = raw_data(2, false, false);
    counting = *(original = data->x.ops);
    counting.gram = count_gram;
    counting.gram_many = count_gram_many;
    data->x.ops = &counting;
    passes = 0;
    pare_text_free(path_text(data, &m, 1, scale, &task_binary, poly, "8"), NULL);
    data->x.ops = original;
    pare_data_free(data);
    return passes;
}

/* Missing values are imputed, or have indicators as further columns, for each method by itself. */
static void own_missing_values(void **state) {
    (void)state;
    check_task(&task_binary, 2, false, "standard", true);
    check_task(&task_regression, 2, false, "standard", true);
}

/* What belongs to the whole path must be the same for all methods. */
static void the_path_has_one_target(void **state) {
    static const char *const set[][2] = {
        {"task", "classify"}, {"positive", "1"}, {"class_weight", "balanced"}};
    (void)state;
    pare_data *data = raw_data(2, false, false);
    for (int i = 0; i < 3; i++) {
        pare_settings *own[] = {settings_make("corr", NULL), settings_make("t-test", NULL)};
        pare_path *p;
        pare_error err;
        assert_int_equal(pare_settings_set(own[1], set[i][0], set[i][1], &err), PARE_OK);
        assert_int_equal(
            pare_path_run(&p, data, (const pare_settings *const *)own, 2, NULL, NULL, &err),
            PARE_E_ARGUMENT);
        assert_non_null(strstr(err.message, set[i][0]));
        assert_non_null(strstr(err.message, set[i][1]));
        assert_non_null(strstr(err.message, "corr"));
        pare_settings_free(own[0]);
        pare_settings_free(own[1]);
    }
    pare_data_free(data);
}

/* Standardised columns are about their means already: whatever the scale, the Grams of the training
 * parts are made in one pass for all of them (two outer parts, and two inner ones in each) and
 * used. Only the fit on all samples needs its own, once more where a final classifier follows. */
static void shared_grams_are_used(void **state) {
    static const char *const scales[] = {"standard", "none", "unit", "minmax"};
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        if (!m->from_gram) continue;
        for (int s = 0; s < 4; s++)
            for (int poly = 0; poly < 2; poly++) {
                int64_t count = passes_of(m, scales[s], poly);
                if (count != 1 + 1 + m->selects_only)
                    fail_msg("%s, scale %s, %s kernel: %lld passes", m->name, scales[s],
                             poly ? "poly" : "default", (long long)count);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),
        cmocka_unit_test(three_classes),
        cmocka_unit_test(regression),
        cmocka_unit_test(ranking),
        cmocka_unit_test(own_missing_values),
        cmocka_unit_test(the_path_has_one_target),
        cmocka_unit_test(shared_grams_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
