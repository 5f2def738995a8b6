/* A validation under failing allocations: an error, no crash, no leak. */
#include "support/fits.h"

typedef struct trial {
    pare_model *model, *other;
    const pare_data *data[2];
} trial;

static pare_status run(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    static const char *const names[] = {"one", "two"};
    pare_validation *v = NULL;
    pare_model *again = NULL;
    pare_validate_options o;
    pare_error err;
    char *text = NULL;
    pare_validate_options_init(&o);
    o.absent = "mean";
    o.cut = 0.4;
    o.against = t->other;
    pare_status status = pare_validate(&v, t->model, t->data, names, 2, &o, ctx, &err);
    if (status != PARE_OK) {
        assert_null(v);
        return status;
    }
    status = pare_validation_json(&text, v, t->model, ctx, &err);
    pare_text_free(text, ctx);
    if (status == PARE_OK) status = pare_validation_tsv(&text, v, t->model, ctx, &err);
    if (status == PARE_OK) pare_text_free(text, ctx);
    pare_validation_free(v);
    if (status != PARE_OK) return status;
    o.recalibrate = "slope";
    status = pare_validate(&v, t->model, t->data, names, 1, &o, ctx, &err);
    if (status != PARE_OK) return status;
    status = pare_validation_recalibrated(&again, v, t->model, ctx, &err);
    pare_model_free(again);
    pare_validation_free(v);
    return status;
}

static void survives(void **state) {
    rng r;
    trial t;
    (void)state;
    rng_seed(&r, 71, 0);
    problem_shape shape = {.n = 24, .d = 6, .classes = 2, .signal = 0.4, .density = 1};
    pare_data *train = problem_make(&r, &shape);
    shape.n = 16;
    pare_data *one = problem_make(&r, &shape), *two = problem_make(&r, &shape);
    t.data[0] = one;
    t.data[1] = two;
    t.model = fit_or_fail(train, "logistic", PAIRS("lambda_ratio", "0.1", "alternatives", "1"));
    t.other = fit_or_fail(train, "logistic", PAIRS("lambda_ratio", "0.4"));
    check_oom_thinly(run, &t, 60);
    pare_model_free(t.other);
    pare_model_free(t.model);
    pare_data_free(two);
    pare_data_free(one);
    pare_data_free(train);
}

TEST_FILE(test_validate_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(survives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
