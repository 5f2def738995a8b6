/* The regressions under failing allocations: an error, no crash, no leak. */
#include "support/regression.h"

#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct trial {
    const pare_data *data;
    const char *method;
    const char *const *pairs;
} trial;

static const struct {
    const char *method;
    const char *const *pairs;
} variants[] = {
    {"llna", PAIRS("k", "2", "sweep", "true")},
    {"llna", PAIRS("lambda", "0")},
    {"llna", PAIRS("k", "6", "lambda", "0.1")},
    {"plna", PAIRS("restarts", "1", "alpha_growth", "3")},
    {"plna", PAIRS("restarts", "0", "k", "2")},
    {"lstsq", PAIRS("tol", "0", "k", "3")},
    {"best-subset", PAIRS("k", "1")},
};

static pare_status fit(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_settings *set;
    pare_model *m = NULL;
    pare_error err;
    pare_status status = pare_settings_new(&set, t->method, ctx, &err);
    if (status != PARE_OK) return status;
    for (const char *const *p = t->pairs; *p; p += 2)
        assert_int_equal(pare_settings_set(set, p[0], p[1], &err), PARE_OK);
    status = pare_fit(&m, t->data, set, ctx, &err);
    if (status != PARE_OK) assert_null(m);
    pare_model_free(m);
    pare_settings_free(set);
    return status;
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 95, 0);
    for (int s = 0; s < 2; s++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            regression p = regression_make(&r, s ? 5 : 9, s ? 9 : 4, REG_NORMAL, s);
            trial t = {p.data, variants[v].method, variants[v].pairs};
            if (p.d >= 6 || variants[v].pairs[1][0] != '6') check_oom(fit, &t);
            regression_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
