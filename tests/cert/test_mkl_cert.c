/* Multiple kernel learning on many random problems, judged from raw data; a model that was changed is
 * found out. */
#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/kernel_machine.h"
#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const problem_shape shapes[] = {
    {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 1},
    {.n = 60, .d = 8, .classes = 2, .signal = 0.5, .density = 1, .weights = true},
    {.n = 40, .d = 20, .classes = 2, .density = 1, .constant = true, .missing = 0.1},
    {.n = 50, .d = 70, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 45, .d = 30, .classes = 3, .signal = 1, .density = 0.3, .constant = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

typedef struct way {
    const char *method;
    const char *const *pairs;
} way;

static const way ways[] = {
    {"smo-mkl", PAIRS("missing", "mean")},
    {"smo-mkl", PAIRS("missing", "mean", "p", "1.33")},
    {"smo-mkl", PAIRS("missing", "mean", "p", "2", "C", "50")},
    {"smo-mkl", PAIRS("missing", "mean", "p", "5", "kernel", "linear", "scale", "none")},
    {"smo-mkl", PAIRS("missing", "mean", "kernel", "delta", "p", "1.1", "C_ratio", "1000")},
    {"smo-mkl", PAIRS("missing", "mean", "gamma", "2", "k", "1")},
    {"smo-mkl", PAIRS("missing", "mean", "gamma", "30", "p", "1.001", "lambda", "0.01")},
    {"l1-mkl-path", PAIRS("missing", "mean")},
    {"l1-mkl-path", PAIRS("missing", "mean", "lambda_ratio", "0.6", "kernel", "delta")},
    {"l1-mkl-path",
     PAIRS("missing", "mean", "kernel", "linear", "scale", "none", "lambda_ratio", "0.02")},
    {"l1-mkl-path", PAIRS("missing", "mean", "gamma", "20", "k", "1", "sweep", "true")},
    {"l1-mkl-path", PAIRS("missing", "mean", "lambda", "10")},
};

static void fits_are_certified(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 411, 0);
    for (int s = 0; s < N_SHAPES; s++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            pare_data *data = problem_make(&r, &shapes[s]);
            pare_model *m = fit_or_fail(data, ways[w].method, ways[w].pairs);
            pare_report final = report_of(m), selection;
            if (!(final.certificate.relative <= 1e-6))
                fail_msg("shape %d way %d: gap %g", s, (int)w, final.certificate.relative);
            if (pare_model_selection(&selection, m) && !(selection.certificate.relative <= 1e-6))
                fail_msg("shape %d way %d: selection %g", s, (int)w,
                         selection.certificate.relative);
            for (int64_t i = 0; i < m->n_selected; i++)
                assert_true(!shapes[s].constant || m->index[i] != 1);
            pare_model_free(m);
            pare_data_free(data);
        }
}

static double gap_of(const pare_model *m, const pare_data *data) {
    pare_report final;
    pare_error err;
    assert_int_equal(pare_check(&final, NULL, m, data, NULL, &err), PARE_OK);
    return isnan(final.certificate.relative) ? INFINITY : final.certificate.relative;
}

static void a_changed_model_is_found_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 412, 0);
    for (int s = 0; s < 10; s++) {
        problem_shape shape = shapes[s % 5];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = s < 5 ? fit_or_fail(data, "smo-mkl", PAIRS("p", "1.5"))
                              : fit_or_fail(data, "l1-mkl-path", PAIRS("lambda_ratio", "0.3"));
        kernel_machine *k = m->p.self;
        assert_true(gap_of(m, data) <= 1e-6);
        double *const changed[] = {&k->weight[0], &k->alpha[0], &k->gamma[0], &m->dual[0],
                                   &m->p.intercept[0]};
        for (size_t e = 0; e < sizeof changed / sizeof *changed; e++) {
            double before = *changed[e];
            *changed[e] = changed[e] == m->dual && before > 0
                              ? 0.5 * before /* a bound may cut more */
                              : before * 1.3 + 0.1;
            if (!(gap_of(m, data) > 1e-5)) fail_msg("shape %d, number %d", s, (int)e);
            *changed[e] = before;
        }
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Dependence that no line shows, and a copy that has nothing to add. */
static void a_square_is_seen(void **state) {
    (void)state;
    enum { N = 120, D = 12 };
    rng r;
    rng_seed(&r, 413, 0);
    double *x = random_normal(&r, N, D);
    const char *y[N];
    for (int i = 0; i < N; i++) y[i] = fabs(x[i]) > 0.7 ? "large" : "small";
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, N, D, x, NULL, y, NULL, NULL, &err), PARE_OK);
    pare_model *m = fit_or_fail(data, "smo-mkl", PAIRS("k", "1"));
    assert_int_equal(pare_model_index(m, 0), 0);
    pare_model_free(m);
    pare_data_free(data);
    free(x);
}

TEST_FILE(test_mkl_cert) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(a_changed_model_is_found_out),
        cmocka_unit_test(a_square_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
