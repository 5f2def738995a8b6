/* Class weights, of every classifier: times the sample weights. The certificate and `pare check`
 * use the weights of the fit; a path computes them inside each training fold. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 17, D = 5 };
static const sheet_shape clear = {N, D, 1, 2};

static int64_t class_of(const sheet *t, int64_t i) { return t->label[i][1] - '0'; }

/* The weight of each class by the definition: n / (classes * n_c), or from the list. */
static void weigh(double *of_class, const sheet *t, const char *what) {
    double total = 0, classes = 0;
    for (int64_t c = 0; c < 3; c++) of_class[c] = 0;
    for (int64_t i = 0; i < t->n; i++) of_class[class_of(t, i)] += t->weight ? t->weight[i] : 1;
    for (int64_t c = 0; c < 3; c++) total += of_class[c];
    for (int64_t c = 0; c < 3; c++) classes += of_class[c] > 0;
    for (int64_t c = 0; c < 3; c++)
        of_class[c] = strcmp(what, "balanced") == 0 ? total / (classes * of_class[c])
                      : c == 2                      ? 1
                      : c == 0                      ? 3
                                                    : 0.5;
}

/* The case with that class weight. NULL: rejected, as the case would be with any weights. */
static pare_model *fit_weighed(const conform_case *c, const pare_data *data, const char *what) {
    pare_settings *set = conform_settings(c, true, NULL);
    pare_model *m = NULL;
    pare_error err;
    assert_non_null(set);
    assert_int_equal(pare_settings_set(set, "class_weight", what, &err), PARE_OK);
    pare_status status = pare_fit(&m, data, set, NULL, &err);
    pare_settings_free(set);
    if (status != PARE_OK && status != PARE_E_ARGUMENT && status != PARE_E_INFEASIBLE)
        conform_fail(c, "%s", err.message);
    return m;
}

/* The predictor and the features from the text of a model, without settings and checksums. */
static const char *from(const char *text, const char *key) {
    const char *at = strstr(text, key);
    assert_non_null(at);
    return at;
}

static void same_text(const conform_case *c, const char *a, const char *b, const char *first,
                      const char *end) {
    const char *own = from(a, first), *other = from(b, first);
    size_t length = (size_t)(from(own, end) - own);
    if (length != (size_t)(from(other, end) - other) || strncmp(own, other, length) != 0)
        conform_fail(c, "%s differs", first);
}

static void compare(const conform_case *c, const sheet *t, const char *what) {
    double of_class[3];
    sheet by_hand = sheet_pick(t, NULL, 0, NULL, 0);
    if (!by_hand.weight) assert_non_null(by_hand.weight = malloc(sizeof(double) * (size_t)t->n));
    weigh(of_class, t, what);
    for (int64_t i = 0; i < t->n; i++)
        by_hand.weight[i] = (t->weight ? t->weight[i] : 1) * of_class[class_of(t, i)];
    pare_data *a = sheet_data(t, false), *b = sheet_data(&by_hand, false);
    pare_model *ma = fit_weighed(c, a, what), *mb = conform_fit_if(c, b, true, 0);
    pare_verdict verdict;
    pare_error err;
    if ((ma == NULL) != (mb == NULL)) conform_fail(c, "one of two equal fits was refused");
    if (ma) {
        char *ta = conform_text(c, ma), *tb = conform_text(c, mb);
        conform_same(c, ma, a, mb, b, NULL);
        /* what lies between, range, mean and deviation, is of the samples, whatever a class counts */
        const char *next = strstr(ta, "\"range\"") ? "\"range\"" : "\"objective\"";
        same_text(c, ta, tb, "\"selected\"", next);
        same_text(c, ta, tb, "\"objective\"", "\"certificate\"");
        if (pare_verify(&verdict, ma, a, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
        if (!verdict.holds) conform_fail(c, "%s", verdict.sentence);
        pare_text_free(tb, NULL);
        pare_text_free(ta, NULL);
    } else if (!c->name) { /* a setting may exclude weights */
        conform_fail(c, "class weights were refused");
    }
    pare_model_free(mb);
    pare_model_free(ma);
    pare_data_free(b);
    pare_data_free(a);
    sheet_free(&by_hand);
}

static void refuse(const conform_case *c, const sheet *t) {
    pare_data *data = sheet_data(t, false);
    pare_settings *set = conform_settings(c, true, NULL);
    pare_model *m = NULL;
    pare_error err;
    assert_int_equal(pare_settings_set(set, "class_weight", "balanced", &err), PARE_OK);
    if (pare_fit(&m, data, set, NULL, &err) != PARE_E_ARGUMENT ||
        !strstr(err.message, "class_weight"))
        conform_fail(c, "class weights of %s were not refused", c->task);
    pare_settings_free(set);
    pare_data_free(data);
}

static void ask(const conform_case *c, void *user) {
    rng r = rng_from(31);
    sheet t = sheet_for(&r, c, clear);
    (void)user;
    if (strcmp(c->task, "binary") != 0 && strcmp(c->task, "multiclass") != 0) {
        if (!c->name) refuse(c, &t);
    } else {
        compare(c, &t, "c0=3,c1=0.5");
        if (!c->name) {
            assert_non_null(t.weight = malloc(sizeof(double) * N));
            for (int64_t i = 0; i < N; i++) t.weight[i] = 1 + (double)(i % 3);
            compare(c, &t, "balanced");
        }
    }
    sheet_free(&t);
}

static void class_weights_are_sample_weights(void **state) {
    (void)state;
    conform_walk(ask, NULL);
}

/* --- the path --- */

static char *points_text(const sheet *t, const char *method, const char *what, const int8_t *part) {
    pare_data *data = sheet_data(t, false);
    pare_path_options o;
    pare_path_options_init(&o);
    o.n_parts = 1;
    o.part_of = part;
    o.inner = 0; /* no probabilities: class weights are not in their calibration */
    o.sizes = "1,2,5";
    char *text = path_json_or_fail(data, method, PAIRS("class_weight", what), &o);
    char *points = strstr(text, "\"points\""), *end = strstr(text, "\"settings\"");
    assert_true(points && end && points < end);
    memmove(text, points, (size_t)(end - points));
    text[end - points] = '\0';
    pare_data_free(data);
    return text;
}

static void same_path(const sheet *t, const sheet *by_hand, const char *method, const char *what,
                      const int8_t *part) {
    char *a = points_text(t, method, what, part), *b = points_text(by_hand, method, "none", part),
         *none = points_text(t, method, "none", part);
    if (strcmp(a, b) != 0) fail_msg("%s: %s is not %s", method, a, b);
    if (strcmp(a, none) == 0) fail_msg("%s: the weights change nothing", method);
    pare_text_free(none, NULL);
    pare_text_free(b, NULL);
    pare_text_free(a, NULL);
}

/* The test samples are mostly of one class: counting them would change the weights. */
static void a_path_weighs_inside_its_training_parts(void **state) {
    (void)state;
    enum { ROWS = 40 };
    static const char *const methods[] = {"svm", "logistic", "lda", "corr", "dlsr"};
    rng r = rng_from(33);
    sheet t = sheet_random(&r, "binary", (sheet_shape){ROWS, D, 1, 0.7});
    int8_t part[ROWS];
    double count[2] = {0};
    for (int64_t i = 0; i < ROWS; i++) {
        part[i] = i % 4 == 1 || i == 0 || i == 10 ? 2 : 1;
        if (part[i] == 1) count[class_of(&t, i)]++;
    }
    assert_true(count[0] > count[1] + 5);
    sheet by_hand = sheet_pick(&t, NULL, 0, NULL, 0);
    assert_non_null(by_hand.weight = malloc(sizeof(double) * ROWS));
    for (int given = 0; given < 2; given++) {
        for (int64_t i = 0; i < ROWS; i++) {
            int64_t c = class_of(&t, i);
            by_hand.weight[i] = given ? (c == 0 ? 0.5 : 3) : (count[0] + count[1]) / (2 * count[c]);
        }
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
            same_path(&t, &by_hand, methods[m], given ? "c1=3,c0=0.5" : "balanced", part);
    }
    sheet_free(&by_hand);
    sheet_free(&t);
}

TEST_FILE(test_conform_class_weight) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_weights_are_sample_weights),
        cmocka_unit_test(a_path_weighs_inside_its_training_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
