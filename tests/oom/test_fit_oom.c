/* Every public function under failing allocations: an error, no crash, no leak. */
#include "support/fits.h"

#include <stdio.h>

#include "model/model.h"

typedef struct trial {
    const pare_data *data;
    const pare_model *model;
    const char *method, *probability;
} trial;

static pare_status fit(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_settings *set;
    pare_model *m = NULL;
    pare_error err;
    pare_status status = pare_settings_new(&set, t->method, ctx, &err);
    if (status != PARE_OK) return status;
    status = pare_settings_set(set, "k", "3", &err);
    if (status == PARE_OK) status = pare_settings_set(set, "missing", "mean", &err);
    if (status == PARE_OK && t->probability)
        status = pare_settings_set(set, "probability", t->probability, &err);
    if (status == PARE_OK) status = pare_fit(&m, t->data, set, ctx, &err);
    if (status != PARE_OK) assert_null(m);
    pare_model_free(m);
    pare_settings_free(set);
    return status;
}

static pare_status check(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_report report, selection;
    pare_error err;
    return pare_check(&report, &selection, t->model, t->data, ctx, &err);
}

static pare_status predict(void *user, const pare_ctx *ctx) {
    trial *t = user;
    double scores[300];
    pare_error err;
    return pare_predict(scores, t->model, t->data, ctx, &err);
}

static pare_status probable(void *user, const pare_ctx *ctx) {
    trial *t = user;
    double P[300];
    pare_error err;
    return pare_predict_probability(P, t->model, t->data, ctx, &err);
}

static pare_status save(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_error err;
    return pare_model_save(t->model, "oom.json", ctx, &err);
}

static pare_status load(void *user, const pare_ctx *ctx) {
    (void)user;
    pare_model *m;
    pare_error err;
    pare_status status = pare_model_load(&m, "oom.json", ctx, &err);
    pare_model_free(m);
    return status;
}

static pare_status describe(void *user, const pare_ctx *ctx) {
    trial *t = user;
    char *text;
    pare_error err;
    pare_status status = pare_data_describe(&text, t->data, false, ctx, &err);
    pare_text_free(text, ctx);
    return status;
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r = rng_from(41);
    const problem_shape shapes[] = {
        {.n = 20, .d = 15, .classes = 2, .signal = 1, .density = 1, .missing = 0.05},
        {.n = 20, .d = 15, .classes = 3, .signal = 1, .density = 0.4, .weights = true},
    };
    const char *const methods[] = {"svm", "corr", "auto"}; /* auto: robust scaling, lda */
    for (int s = 0; s < 2; s++)
        for (int m = 0; m < 3; m++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_model *model = fit_or_fail(data, methods[m], PAIRS("k", "3", "missing", "mean"));
            trial t = {data, model, methods[m], NULL};
            check_oom(fit, &t);
            check_oom(check, &t);
            check_oom(predict, &t);
            check_oom(save, &t);
            check_oom(load, &t);
            check_oom(describe, &t);
            pare_model_free(model);
            pare_data_free(data);
        }
    remove("oom.json");
}

static void probabilities_leak_nothing(void **state) {
    (void)state;
    rng r = rng_from(42);
    const problem_shape shape = {.n = 20, .d = 5, .classes = 3, .signal = 1, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *model = fit_or_fail(data, "corr", PAIRS("k", "3", "probability", "true"));
    assert_true(pare_model_get(model)->has_probability);
    trial t = {data, model, "corr", "true"};
    check_oom_thinly(fit, &t, 40);
    check_oom(probable, &t);
    check_oom(save, &t);
    check_oom(load, &t);
    remove("oom.json");
    pare_model_free(model);
    pare_data_free(data);
}

static void batches_leak_nothing(void **state) {
    (void)state;
    rng r = rng_from(43);
    const problem_shape shape = {
        .n = 24, .d = 8, .classes = 2, .signal = 1, .density = 1, .missing = 0.05};
    const char *name[24], *const ways[] = {"center", "combat"};
    for (int w = 0; w < 2; w++) {
        pare_data *data = problem_make(&r, &shape);
        for (int i = 0; i < 24; i++) name[i] = i % 3 ? i % 2 ? "a" : "b" : "c";
        assert_int_equal(pare_data_set_batches(data, name, ways[w], "adapt", NULL), PARE_OK);
        pare_model *model = fit_or_fail(data, "svm", PAIRS("k", "3", "missing", "mean"));
        trial t = {data, model, "svm", NULL};
        check_oom(fit, &t);
        check_oom(check, &t);
        check_oom(save, &t);
        check_oom(load, &t);
        for (int i = 0; i < 24; i++) name[i] = i % 2 ? "a" : "new"; /* estimated from its own */
        assert_int_equal(pare_data_set_batches(data, name, ways[w], "adapt", NULL), PARE_OK);
        check_oom(predict, &t);
        pare_model_free(model);
        pare_data_free(data);
    }
    remove("oom.json");
}

TEST_FILE(test_fit_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks),
                                       cmocka_unit_test(batches_leak_nothing),
                                       cmocka_unit_test(probabilities_leak_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
