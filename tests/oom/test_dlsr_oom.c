/* The least squares family under failing allocations: an error, no crash, no leak. */
#include "support/problem.h"

#include <stdio.h>

#include "model/model.h"

typedef struct trial {
    const pare_data *data;
    const char *method, *key, *value;
    const pare_model *model;
} trial;

static pare_status fit(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_settings *set;
    pare_model *m = NULL;
    pare_error err;
    pare_status status = pare_settings_new(&set, t->method, ctx, &err);
    if (status != PARE_OK) return status;
    if (t->key) status = pare_settings_set(set, t->key, t->value, &err);
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
    double scores[60];
    pare_error err;
    return pare_predict(scores, t->model, t->data, ctx, &err);
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 71, 0);
    trial trials[] = {
        {.method = "dlsr", .key = "k", .value = "3"},
        {.method = "dlsr", .key = "predict", .value = "1nn"},
        {.method = "dlsr", .key = "algorithm", .value = "alternating"},
        {.method = "lsr"},
        {.method = "dlsr-fs", .key = "k", .value = "2"},
        {.method = "dlsr-fs", .key = "lambda", .value = "2"},
        {.method = "dlsr-fs", .key = "refit", .value = "svm"},
        {.method = "lda", .key = "predict", .value = "1nn"},
        {.method = "1nn"},
    };
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        problem_shape shape = {.n = 14,
                               .d = i % 2 ? 6 : 18,
                               .classes = 2 + (int64_t)i % 2,
                               .signal = 1,
                               .density = 1,
                               .weights = i % 3 == 0};
        pare_data *data = problem_make(&r, &shape);
        trial *t = &trials[i];
        const char *pairs[] = {t->key, t->value, NULL};
        pare_model *model = fit_or_fail(data, t->method, t->key ? pairs : NULL);
        t->data = data;
        t->model = model;
        check_oom(fit, t);
        check_oom(check, t);
        check_oom(predict, t);
        pare_model_free(model);
        pare_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
