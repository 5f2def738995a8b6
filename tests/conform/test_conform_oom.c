/* Allocation failure, of every method: whichever allocation of a fit, a check, a prediction, a saved
 * and a loaded model fails, there is an error and nothing is left behind. */
#include "support/conform.h"

#include <stdio.h>

static const char *const file = "conform_oom.json";

typedef struct trial {
    const conform_case *c;
    const pare_data *data;
    const pare_model *model;
} trial;

static pare_status fit(void *user, const pare_ctx *given) {
    const trial *t = user;
    pare_ctx ctx = *given;
    ctx.threads = 1; /* the order of allocations is then always the same */
    pare_settings *set = conform_settings(t->c, false, &ctx);
    pare_model *m = NULL;
    pare_error err;
    if (!set) return PARE_E_MEMORY;
    pare_status status = pare_fit(&m, t->data, set, &ctx, &err);
    if (status != PARE_OK) assert_null(m);
    pare_model_free(m);
    pare_settings_free(set);
    return status;
}

static pare_status check(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    pare_report predictor, selection;
    pare_error err;
    return pare_check(&predictor, &selection, t->model, t->data, ctx, &err);
}

static pare_status predict(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    double scores[64];
    pare_error err;
    return pare_predict(scores, t->model, t->data, ctx, &err);
}

static pare_status save(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    pare_error err;
    return pare_model_save(t->model, file, ctx, &err);
}

static pare_status load(void *user, const pare_ctx *ctx) {
    pare_model *m = NULL;
    pare_error err;
    (void)user;
    pare_status status = pare_model_load(&m, file, ctx, &err);
    pare_model_free(m);
    return status;
}

static void run(const conform_case *c, void *user) {
    rng r;
    (void)user;
    rng_seed(&r, 51, 0);
    sheet s = sheet_for(&r, c, (sheet_shape){9, 4, 1, 1});
    pare_data *data = sheet_data(&s, false);
    pare_model *m = conform_fit_if(c, data, false, 1);
    trial t = {c, data, m};
    if (!m) goto done;                            /* hard margins may be impossible */
    check_oom_thinly(fit, &t, c->name ? 10 : 60); /* a setting changes a part of a fit */
    check_oom_thinly(check, &t, c->name ? 10 : 60);
    check_oom(predict, &t);
    if (!c->name && c->chooses) check_oom(save, &t);
    if (!c->name && c->chooses) check_oom(load, &t);
done:
    pare_model_free(m);
    pare_data_free(data);
    sheet_free(&s);
}

static void every_failure_is_an_error(void **state) {
    (void)state;
    conform_walk(run, NULL);
    remove(file);
}

TEST_FILE(test_conform_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
