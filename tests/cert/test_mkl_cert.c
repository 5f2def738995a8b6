/* Multiple kernel learning on many random problems, judged from raw data; a model that was changed is
 * found out. */
#include "support/certified.h"

#include "model/kernel_machine.h"
#include "model/model.h"

static const certified_way ways[] = {
    {"smo-mkl", PAIRS("kernel", "rbf"), 1e-6, 0},
    {"smo-mkl", PAIRS("p", "1.33"), 1e-6, 0},
    {"smo-mkl", PAIRS("p", "2", "C", "50"), 1e-6, 0},
    {"smo-mkl", PAIRS("p", "5", "kernel", "linear", "scale", "none"), 1e-6, 0},
    {"smo-mkl", PAIRS("kernel", "delta", "p", "1.1", "C_ratio", "1000"), 1e-6, 0},
    {"smo-mkl", PAIRS("gamma", "2", "k", "1"), 1e-6, 0},
    {"smo-mkl", PAIRS("gamma", "30", "p", "1.001", "lambda", "0.01"), 1e-6, 0},
    {"lp-mkl", PAIRS("kernel", "rbf"), 1e-6, 0},
    {"lp-mkl", PAIRS("p", "1.33", "eps", "0.05"), 1e-6, 0},
    {"lp-mkl", PAIRS("p", "2", "lambda1", "50", "lambda2", "3"), 1e-6, 0},
    {"lp-mkl", PAIRS("p", "5", "kernel", "linear", "scale", "none"), 1e-6, 0},
    {"lp-mkl", PAIRS("kernel", "delta", "p", "1.1", "lambda1_ratio", "100"), 1e-6, 0},
    {"lp-mkl", PAIRS("gamma", "2", "k", "1"), 1e-6, 0},
    {"lp-mkl", PAIRS("gamma", "30", "p", "1.001", "lambda2_ratio", "0.1"), 1e-6, 0},
    {"l1-mkl-path", PAIRS("kernel", "rbf"), 1e-6, 0},
    {"l1-mkl-path", PAIRS("lambda_ratio", "0.6", "kernel", "delta"), 1e-6, 0},
    {"l1-mkl-path", PAIRS("kernel", "linear", "scale", "none", "lambda_ratio", "0.02"), 1e-6, 0},
    {"l1-mkl-path", PAIRS("gamma", "20", "k", "1", "sweep", "true"), 1e-6, 0},
    {"l1-mkl-path", PAIRS("lambda", "10"), 1e-6, 0},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static void fits_are_certified(void **state) {
    (void)state;
    certified_run run = {.seed = 411, .shapes = kernel_problems, .n_shapes = N_KERNEL_PROBLEMS};
    check_all_certified(run, ways, N_WAYS);
}

static void a_changed_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(412);
    for (int s = 0; s < 15; s++) {
        problem_shape shape = kernel_problems[s % 5];
        shape.missing = 0;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = s < 5    ? fit_or_fail(data, "smo-mkl", PAIRS("p", "1.5"))
                        : s < 10 ? fit_or_fail(data, "l1-mkl-path", PAIRS("lambda_ratio", "0.3"))
                                 : fit_or_fail(data, "lp-mkl", PAIRS("p", "1.5", "eps", "1e-12"));
        kernel_machine *k = m->p.self;
        cert_probe p = {m, data, CERT_PREDICTOR, 1e-6, 1e-5};
        double *const changed[] = {&k->weight[0], &k->alpha[0], &k->gamma[0], &m->dual[0],
                                   &m->p.intercept[0]};
        for (size_t e = 0; e < sizeof changed / sizeof *changed; e++) {
            double before = *changed[e];
            bool cut = changed[e] == m->dual && before > 0; /* a bound may cut more */
            check_breaks(&p, changed[e], cut ? 0.5 * before : 1.3 * before + 0.1);
        }
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Nonlinear dependence, and a redundant copy. */
static void a_square_is_seen(void **state) {
    (void)state;
    rng r = rng_from(413);
    pare_data *data = problem_square(&r, 120, 12);
    pare_model *m = fit_or_fail(data, "smo-mkl", PAIRS("k", "1"));
    assert_int_equal(pare_model_get(m)->index[0], 0);
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_mkl_cert) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(a_changed_model_is_found_out),
        cmocka_unit_test(a_square_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
