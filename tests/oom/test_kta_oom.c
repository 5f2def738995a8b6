/* Fits on weighted kernels, and their models, under failing allocations. */
#include "support/problem.h"

#include <stdio.h>

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct trial {
    const pare_data *data;
    const char *method, *kernel;
} trial;

/* Fits, checks, predicts, saves and loads. */
static pare_status whole_life(void *user, const pare_ctx *given) {
    trial *t = user;
    pare_ctx one = *given, *ctx = &one;
    one.threads = 1;
    pare_settings *set = NULL;
    pare_model *m = NULL, *again = NULL;
    pare_report final, selection;
    double scores[90];
    pare_error err;
    pare_status status = pare_settings_new(&set, t->method, ctx, &err);
    if (status == PARE_OK && t->kernel) status = pare_settings_set(set, "kernel", t->kernel, &err);
    if (status == PARE_OK && !t->kernel) status = pare_settings_set(set, "sweep", "true", &err);
    if (status == PARE_OK) status = pare_fit(&m, t->data, set, ctx, &err);
    if (status == PARE_OK) status = pare_check(&final, &selection, m, t->data, ctx, &err);
    if (status == PARE_OK) status = pare_predict(scores, m, t->data, ctx, &err);
    if (status == PARE_OK) status = pare_model_save(m, "kta_oom.json", ctx, &err);
    if (status == PARE_OK) status = pare_model_load(&again, "kta_oom.json", ctx, &err);
    pare_model_free(again);
    pare_model_free(m);
    pare_settings_free(set);
    return status;
}

static void every_failure_is_an_error(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 91, 0);
    const problem_shape shapes[] = {
        {.n = 8, .d = 3, .classes = 2, .signal = 2, .density = 1},
        {.n = 8, .d = 4, .classes = 3, .signal = 2, .density = 0.4},
    };
    const char *const kernels[] = {"rbf", "linear", "delta"};
    for (int k = 0; k < 3; k++) {
        pare_data *data = problem_make(&r, &shapes[k > 0]);
        trial t = {data, "kta", kernels[k]};
        check_oom(whole_life, &t);
        pare_data_free(data);
    }
    const trial rivals[] = {{NULL, "kta-centered", "rbf"},
                            {NULL, "bahsic", "rbf"},
                            {NULL, "bahsic", "linear"},
                            {NULL, "l1-svm-path", NULL}};
    for (int k = 0; k < 4; k++) {
        pare_data *data = problem_make(&r, &shapes[k % 2]);
        trial t = rivals[k];
        t.data = data;
        check_oom(whole_life, &t);
        pare_data_free(data);
    }
    remove("kta_oom.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
