/* Tests of proportional hazards and standard errors: against R's cox.zph and coxph (survival 3.5-3) at
 * the maximum of the partial likelihood, with ties and strata; whole weights against copies; the level
 * at risks that are no maximum, as a ridge leaves them. */
#include "model/hazard_tests.h"

#include <math.h>
#include <stdlib.h>

#include "base/p_values.h"
#include "support/support.h"
#include "task/task.h"

enum { N = 15, K = 2 };

static const double TIME[N] = {5, 6, 6, 2.5, 4, 4, 1, 3, 3, 7, 8, 2, 4, 9, 9};
static const int32_t EVENT[N] = {1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0};
static const int32_t STRATUM[N] = {0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1};
static const double X[N * K] = {.3,  -1.2, .8,   1.9, .4, -.6, 2.1, -.2, .5, -1.1,
                                -.4, 1.3,  .1,   -.7, .9, 1,   .2,  -.5, .7, -.9,
                                1.4, .3,   -1.3, .6,  .8, -.2, -.6, 1.1, .4, -.8};

typedef struct r_numbers {
    bool efron, strata;
    double coef[K], se[K], chi2[K + 1];
} r_numbers;

static const r_numbers FROM_R[] = {{false,
                                    false,
                                    {1.05609210091, 0.506987156686},
                                    {0.4567506323, 0.4994059403},
                                    {4.905479371, 8.666475037, 8.671455265}},
                                   {false,
                                    true,
                                    {1.35709088833, 0.563511575763},
                                    {0.5629260684, 0.5314103487},
                                    {3.501755534, 5.006021873, 5.428640473}},
                                   {true,
                                    false,
                                    {1.05886870627, 0.51271723648},
                                    {0.4559559344, 0.5021895667},
                                    {4.891824792, 8.666768061, 8.670579416}},
                                   {true,
                                    true,
                                    {1.36381486572, 0.583724496738},
                                    {0.5630284889, 0.537209595},
                                    {3.46244132, 5.010385333, 5.399234912}}};

static target target_of(bool strata) {
    return (target){.task = &task_survival,
                    .time = (double *)(uintptr_t)TIME,
                    .event = (int32_t *)(uintptr_t)EVENT,
                    .n_strata = strata ? 2 : 1,
                    .stratum = strata ? (int32_t *)(uintptr_t)STRATUM : NULL};
}

static hazard_tests tests_of(arena *mem, const target *y, const double *weight, const double *coef,
                             bool efron) {
    double own[N * K], f[N];
    hazard_tests t;
    for (int i = 0; i < N * K; i++) own[i] = X[i];
    for (int i = 0; i < N; i++) f[i] = coef[0] * X[i] + coef[1] * X[N + i] + 3; /* any center */
    assert_int_equal(hazard_tests_make(&t, mem, own, N, K, y, weight, f, efron, NULL), PARE_OK);
    return t;
}

static void test_against_r(void **state) {
    (void)state;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    for (size_t c = 0; c < sizeof FROM_R / sizeof *FROM_R; c++) {
        const r_numbers *r = &FROM_R[c];
        target y = target_of(r->strata);
        hazard_tests t = tests_of(&mem, &y, NULL, r->coef, r->efron);
        for (int j = 0; j < K; j++) {
            check_close(t.se[j], r->se[j], 1e-6);
            check_close(t.feature_chi2[j], r->chi2[j], 1e-5);
        }
        check_close(t.chi2, r->chi2[K], 1e-5);
        check_close(t.df, K, 0);
        check_close(t.p, chi2_p_value(r->chi2[K], K), 1e-5);
    }
    arena_free(&mem);
}

/* A whole weight is as many copies (Breslow). */
static void test_weights(void **state) {
    (void)state;
    enum { COPIES = 2 * N };
    static const double coef[K] = {0.4, -0.3};
    double weight[N], x[COPIES * K], f[COPIES], time[COPIES];
    int32_t event[COPIES];
    int64_t n = 0;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    for (int i = 0; i < N; i++) {
        weight[i] = 1 + i % 2;
        for (int e = 0; e <= i % 2; e++, n++) {
            time[n] = TIME[i];
            event[n] = EVENT[i];
            f[n] = coef[0] * X[i] + coef[1] * X[N + i];
        }
    }
    for (int j = 0; j < K; j++)
        for (int64_t i = 0, at = 0; i < N; i++)
            for (int e = 0; e <= i % 2; e++) x[j * n + at++] = X[j * N + i];
    target y = target_of(false), copied = y;
    copied.time = time;
    copied.event = event;
    hazard_tests one = tests_of(&mem, &y, weight, coef, false), other;
    assert_int_equal(hazard_tests_make(&other, &mem, x, n, K, &copied, NULL, f, false, NULL),
                     PARE_OK);
    for (int j = 0; j < K; j++) {
        check_close(one.se[j], other.se[j], 1e-9);
        check_close(one.feature_chi2[j], other.feature_chi2[j], 1e-9);
    }
    check_close(one.chi2, other.chi2, 1e-9);
    arena_free(&mem);
}

/* Risks that stay below the maximum, as a ridge leaves them, keep the level of the test: it rejects about
 * 5% of data whose hazards are proportional. */
static void test_level(void **state) {
    (void)state;
    enum { SAMPLES = 80, ROUNDS = 400 };
    rng r = rng_from(5);
    int rejected = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double *x = random_normal(&r, SAMPLES, K), f[SAMPLES], time[SAMPLES];
        int32_t event[SAMPLES];
        hazard_tests t;
        arena mem;
        arena_init(&mem, ctx_allocator(NULL));
        for (int i = 0; i < SAMPLES; i++) {
            double risk = 0.8 * x[i] - 0.5 * x[SAMPLES + i];
            double own = -log(rng_uniform(&r)) * exp(-risk), end = -2 * log(rng_uniform(&r));
            event[i] = own < end;
            time[i] = fmin(own, end);
            f[i] = 0.6 * risk;
        }
        target y = {.task = &task_survival, .time = time, .event = event, .n_strata = 1};
        assert_int_equal(hazard_tests_make(&t, &mem, x, SAMPLES, K, &y, NULL, f, false, NULL),
                         PARE_OK);
        rejected += t.p < 0.05;
        arena_free(&mem);
        free(x);
    }
    assert_in_range(rejected, 6, 40);
}

/* More features than can be told apart, and none: no number is made up. */
static void test_undefined(void **state) {
    (void)state;
    double x[N * K], f[N] = {0};
    target y = target_of(false);
    hazard_tests t;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    for (int i = 0; i < N; i++) x[i] = x[N + i] = X[i]; /* twice the same */
    assert_int_equal(hazard_tests_make(&t, &mem, x, N, K, &y, NULL, f, false, NULL), PARE_OK);
    assert_true(isnan(t.chi2) && isnan(t.p) && isnan(t.se[0]) && isnan(t.feature_chi2[1]));
    assert_int_equal(hazard_tests_make(&t, &mem, x, N, 0, &y, NULL, f, false, NULL), PARE_OK);
    assert_true(isnan(t.chi2));
    arena_free(&mem);
}

TEST_FILE(test_hazard_tests) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_r),
                                       cmocka_unit_test(test_weights), cmocka_unit_test(test_level),
                                       cmocka_unit_test(test_undefined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
