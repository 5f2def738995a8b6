/* `dlsr`, `lsr` and `dlsr-fs` on many random problems, judged from raw data by the certificate. */
#include "support/certified.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"

static const problem_shape several[] = {
    {.n = 60, .d = 5, .classes = 3, .signal = 0.5, .density = 1},
    {.n = 50, .d = 80, .classes = 4, .signal = 1, .density = 0.2, .weights = true},
    {.n = 25, .d = 40, .classes = 12, .signal = 1, .density = 1},
};
enum { N_SEVERAL = sizeof several / sizeof several[0] };

static void check_variants(const char *method, const char *const *const *variants, int count,
                           double tol, uint64_t seed) {
    certified_run usual = {.seed = seed},
                  more = {.seed = seed, .shapes = several, .n_shapes = N_SEVERAL};
    check_settings_certified(usual, method, variants, count, tol);
    check_settings_certified(more, method, variants, count, tol);
}

static void squared_fits_are_certified(void **state) {
    (void)state;
    const char *const *const variants[] = {
        PAIRS("lambda_ratio", "0.1"),
        PAIRS("lambda", "1e-4", "scale", "minmax"),
        PAIRS("lambda", "1e-6", "scale", "none"),
        PAIRS("lambda_ratio", "10", "class_weight", "balanced", "scale", "unit"),
    };
    check_variants("dlsr", variants, 4, 1e-8, 51);
    check_variants("lsr", variants, 4, 1e-8, 52);
}

/* Prices must then be accurate to a millionth of a tiny number. */
static void small_lambdas_are_certified(void **state) {
    (void)state;
    const char *const *const variants[] = {
        PAIRS("lambda_ratio", "1e-6", "refit", "none"),
        PAIRS("lambda", "1e-6", "refit", "none"),
        PAIRS("lambda", "1e-6", "refit", "none", "scale", "unit"),
    };
    for (uint64_t seed = 60; seed < 63; seed++) check_variants("dlsr-fs", variants, 3, 1e-5, seed);
}

static void row_sparse_fits_are_certified(void **state) {
    (void)state;
    const char *const *const loose[] = {
        PAIRS("lambda_ratio", "0.5"),
        PAIRS("lambda_ratio", "0.1", "scale", "unit"),
        PAIRS("lambda_ratio", "0.01", "class_weight", "balanced"),
        PAIRS("lambda_ratio", "1.5", "scale", "none"),
    };
    const char *const *const tight[] = {
        PAIRS("lambda_ratio", "0.3", "tol", "1e-7"),
        PAIRS("lambda_ratio", "1e-3", "tol", "1e-7", "scale", "minmax"),
    };
    check_variants("dlsr-fs", loose, 4, 1e-5, 53);
    check_variants("dlsr-fs", tight, 2, 1e-7, 54);
}

/* Two samples per class and many classes, which use another solver. */
static void many_classes_are_certified(void **state) {
    (void)state;
    const problem_shape wide = {
        .n = 200, .d = 12, .classes = 100, .signal = 1, .density = 1, .weights = true};
    const char *const *const variants[] = {
        PAIRS("lambda_ratio", "0.5"),
        PAIRS("lambda_ratio", "0.1", "intercept", "false"),
        PAIRS("lambda_ratio", "0.01", "class_weight", "balanced"),
        PAIRS("lambda_ratio", "0.001"),
    };
    certified_run run = {.seed = 57, .shapes = &wide, .n_shapes = 1};
    check_settings_certified(run, "dlsr-fs", variants, 4, 1e-5);
}

static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(55);
    const char *const methods[] = {"dlsr", "lsr", "dlsr-fs"};
    for (int s = 0; s < 6; s++)
        for (int k = 0; k < 3; k++) {
            problem_shape shape = certified_problems[s];
            shape.missing = 0;
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, methods[k], NULL);
            cert_probe p = {m, data, CERT_PREDICTOR, 1e-5, 2e-5};
            check_breaks(&p, &m->p.coef[0], 1.5 * m->p.coef[0] + 0.01);
            check_breaks(&p, &m->p.intercept[0], m->p.intercept[0] + 0.5);
            check_scaling_breaks(&p, m->dual, data->x.n, 0.8);
            pare_model_free(m);
            pare_data_free(data);
        }
}

/* Fewer features than active ones: both the selection problem and the refit are certified, also
 * from file. */
static void a_refit_and_its_selection_are_certified(void **state) {
    (void)state;
    rng r = rng_from(56);
    const char *const *const variants[] = {PAIRS("k", "3", "refit", "none"), PAIRS("k", "3"),
                                           PAIRS("k", "3", "classifier", "lda")};
    for (int classes = 2; classes <= 3; classes++)
        for (int v = 0; v < 3; v++) {
            problem_shape shape = {.n = 40, .d = 60, .classes = classes, .signal = 1, .density = 1};
            pare_data *data = problem_make(&r, &shape);
            pare_model *m = fit_or_fail(data, "dlsr-fs", variants[v]), *loaded;
            pare_report selection, again, final = report_of(m);
            pare_error err;
            assert_int_equal(selection_of(&selection, m), 1);
            assert_true(selection.certificate.relative <= 1e-5);
            assert_true(final.certificate.relative <= 1e-5);
            assert_int_equal(pare_model_save(m, "dlsr_refit.json", NULL, &err), PARE_OK);
            assert_int_equal(pare_model_load(&loaded, "dlsr_refit.json", NULL, &err), PARE_OK);
            assert_int_equal(pare_check(&final, &again, loaded, data, NULL, &err), PARE_OK);
            check_close(again.objective, selection.objective, 1e-12);
            cert_probe p = {loaded, data, CERT_SELECTION, 1e-5, 2e-5};
            check_breaks(&p, &loaded->selection_coef[0], 1.5 * loaded->selection_coef[0]);
            remove("dlsr_refit.json");
            pare_model_free(loaded);
            pare_model_free(m);
            pare_data_free(data);
        }
}

static void lambda_max_separates_empty_from_not(void **state) {
    (void)state;
    rng r = rng_from(57);
    problem_shape shape = {.n = 40, .d = 60, .classes = 4, .signal = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *above = fit_or_fail(data, "dlsr-fs", PAIRS("lambda_ratio", "1.0001")),
               *below = fit_or_fail(data, "dlsr-fs", PAIRS("lambda_ratio", "0.999"));
    assert_int_equal(pare_model_get(above)->n_selected, 0);
    assert_true(has_note(above, "exact"));
    assert_true(has_note(above, "no feature is selected"));
    assert_true(report_of(above).certificate.relative <= 1e-5);
    assert_true(pare_model_get(below)->n_selected > 0);
    pare_model_free(below);
    pare_model_free(above);
    pare_model *small = fit_or_fail(data, "dlsr-fs", PAIRS("lambda_ratio", "1e-3")),
               *smaller = fit_or_fail(data, "dlsr-fs", PAIRS("lambda_ratio", "1e-4"));
    assert_true(has_note(smaller, "all residuals vanish"));
    check_close(report_of(smaller).objective / report_of(small).objective, 0.1,
                1e-4); /* the path has ended: only the penalty is left, in proportion to lambda */
    pare_model_free(smaller);
    pare_model_free(small);
    pare_data_free(data);
}

static void exact_k_finds_k_active_features(void **state) {
    (void)state;
    rng r = rng_from(58);
    problem_shape shape = {.n = 50, .d = 80, .classes = 3, .signal = 1.5, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    const char *const ks[] = {"1", "2", "5", "9"};
    for (int i = 0; i < 4; i++) {
        pare_model *m =
            fit_or_fail(data, "dlsr-fs", PAIRS("k", ks[i], "exact_k", "true", "refit", "none"));
        pare_report selection;
        assert_int_equal(pare_model_get(m)->n_selected, atoi(ks[i]));
        if (!has_note(m, "no lambda was found"))
            assert_int_equal(selection_of(&selection, m), 0); /* no refit was needed */
        assert_true(report_of(m).certificate.relative <= 1e-5);
        pare_model_free(m);
    }
    pare_data_free(data);
}

TEST_FILE(test_dlsr_cert) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squared_fits_are_certified),
        cmocka_unit_test(row_sparse_fits_are_certified),
        cmocka_unit_test(small_lambdas_are_certified),
        cmocka_unit_test(many_classes_are_certified),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(a_refit_and_its_selection_are_certified),
        cmocka_unit_test(lambda_max_separates_empty_from_not),
        cmocka_unit_test(exact_k_finds_k_active_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
