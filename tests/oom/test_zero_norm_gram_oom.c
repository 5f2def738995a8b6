/* The zero-norm methods on Gram matrices under failing allocations. */
#include "support/problem.h"

#include <stdio.h>

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct trial {
    const pare_data *data;
    const pare_settings *set;
    const pare_model *model;
} trial;

static pare_status fit(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    pare_model *m;
    pare_error err;
    pare_status status = pare_fit(&m, t->data, t->set, ctx, &err);
    if (status != PARE_OK) assert_null(m);
    pare_model_free(m);
    return status;
}

static pare_status check(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    pare_report final, selection;
    pare_error err;
    return pare_check(&final, &selection, t->model, t->data, ctx, &err);
}

static pare_status predict(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    double scores[100];
    pare_error err;
    return pare_predict(scores, t->model, t->data, ctx, &err);
}

static pare_status load(void *user, const pare_ctx *ctx) {
    (void)user;
    pare_model *m;
    pare_error err;
    pare_status status = pare_model_load(&m, "zero_norm_oom.json", ctx, &err);
    pare_model_free(m);
    return status;
}

static void nothing_leaks(void **state) {
    (void)state;
    const struct {
        const char *method;
        const char *const *pairs;
    } runs[] = {
        {"l2-arom", PAIRS("k", "2", "scale", "minmax")},
        {"l2-arom", PAIRS("zero_slack", "1", "multiclass", "ww")},
        {"poly-arom", PAIRS("degree", "2", "k", "2")},
        {"svm-rfe", PAIRS("k", "2", "step", "2")},
        {"svm-rfe", PAIRS("k", "2", "step", "0.5", "kernel", "rbf")},
        {"r2w2", PAIRS("k", "2", "tol", "0.1")},
        {"r2w2", PAIRS("k", "2", "kernel", "poly", "tol", "0.1")},
        {"svm", PAIRS("slack", "zero")},
        {"svm", PAIRS("multiclass", "ww", "kernel", "rbf")},
    };
    rng r;
    rng_seed(&r, 81, 0);
    problem_shape shape = {.n = 7, .d = 4, .classes = 3, .signal = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        pare_settings *set = settings_make(runs[k].method, runs[k].pairs);
        pare_model *model = fit_or_fail(data, runs[k].method, runs[k].pairs);
        pare_error err;
        trial t = {data, set, model};
        check_oom(fit, &t);
        check_oom(check, &t);
        check_oom(predict, &t);
        assert_int_equal(pare_model_save(model, "zero_norm_oom.json", NULL, &err), PARE_OK);
        pare_model *back = NULL;
        assert_int_equal(pare_model_load(&back, "zero_norm_oom.json", NULL, &err), PARE_OK);
        pare_model_free(back);
        check_oom(load, &t);
        pare_model_free(model);
        pare_settings_free(set);
    }
    pare_data_free(data);
    remove("zero_norm_oom.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
