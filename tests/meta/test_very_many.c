/* So many features that passes over all of them are spared: working sets look at the most violated in between, Grams
 * on the way to an answer are in single precision. The answers are as good as ever. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/matrix.h"
#include "registry.h"

enum { N = 41, D = MIN_SINGLE_COLUMNS + 1000 };

/* The gap of the selecting problem, or NaN: not certified, not in time, or not for such data. */
static double gap_of(const pare_data *data, const char *name, const char *k) {
    pare_model *model = NULL;
    pare_settings *set = settings_make(name, PAIRS("k", k));
    pare_ctx ctx;
    pare_error err;
    pare_report of;
    pare_ctx_init(&ctx);
    ctx.time_limit_s = 2;
    pare_status status = pare_fit(&model, data, set, &ctx, &err);
    pare_settings_free(set);
    if (status == PARE_E_INTERNAL) fail_msg("%s: %s", name, err.message);
    if (status != PARE_OK) return NAN;
    if (!selection_of(&of, model)) of = pare_model_get(model)->predictor;
    pare_model_free(model);
    bool certified = of.certificate.kind == PARE_CERT_DUALITY_GAP && of.outcome != PARE_TIME_LIMIT;
    return certified ? of.certificate.relative : NAN;
}

/* Every method that needs no more than a few passes and certifies its answer; where nearly all
 * features stay, that of a single step is the last. */
static void answers_are_certified(void **state) {
    (void)state;
    rng r = rng_from(71);
    for (int64_t classes = 2; classes <= 3; classes++) {
        problem_shape shape = {.n = N, .d = D, .classes = classes, .signal = 1, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        int certified = 0;
        for (int64_t i = 0; i < pare_methods_count(); i++) {
            const char *name = method_at(i).name;
            const method *m = method_named(name);
            if ((m->effort && !m->single_gram) || m->expand) continue;
            if (!(m->tasks & (classes == 2 ? TASK_BINARY : TASK_MULTICLASS))) continue;
            for (int many = 0; many <= m->single_gram; many++) {
                double gap = gap_of(data, name, many ? "66000" : "20");
                if (gap > 1e-5) fail_msg("%s, %d classes: gap %g", name, (int)classes, gap);
                certified += !isnan(gap);
            }
        }
        assert_true(certified >= 4);
        pare_data_free(data);
    }
}

/* Whole weights of 1 change nothing but that the Gram is exact. */
static void single_precision_steps_choose_the_same(void **state) {
    (void)state;
    rng r = rng_from(72);
    problem_shape shape = {.n = N, .d = D, .classes = 2, .signal = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    double one[N];
    for (int i = 0; i < N; i++) one[i] = 1;
    int tried = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const char *name = method_at(i).name;
        if (!method_named(name)->single_gram) continue;
        assert_true(method_named(name)->selects_only); /* a predictor is from its exact Gram */
        pare_error err;
        pare_model *single = fit_or_fail(data, name, PAIRS("k", "3"));
        assert_int_equal(pare_data_set_weights(data, one, &err), PARE_OK);
        pare_model *exact = fit_or_fail(data, name, PAIRS("k", "3"));
        assert_int_equal(pare_data_set_weights(data, NULL, &err), PARE_OK);
        assert_int_equal(pare_model_get(single)->n_selected, 3);
        for (int64_t k = 0; k < 3; k++)
            assert_int_equal(pare_model_get(single)->index[k], pare_model_get(exact)->index[k]);
        pare_model_free(single);
        pare_model_free(exact);
        tried++;
    }
    assert_true(tried >= 2);
    pare_data_free(data);
}

/* Its Gram is close, and has the same bits on any number of threads. */
static void check_single_gram(const matrix *x, const double *z, const double *scale) {
    double *exact = calloc(N * N, sizeof *exact), *single = calloc(N * N, sizeof *single);
    double *again = calloc(N * N, sizeof *again), worst = 0;
    assert_true(exact && single && again);
    view v = view_all(x);
    v.scale = scale;
    assert_int_equal(mat_gram(&v, NULL, z, exact, NULL, NULL), PARE_OK);
    v.single_precision = true;
    assert_int_equal(mat_gram(&v, NULL, z, single, NULL, NULL), PARE_OK);
    for (int e = 0; e < N * N; e++) worst = fmax(worst, fabs(single[e] - exact[e]));
    assert_true(worst > 0 && worst <= 1e-7 * exact[0]);
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    for (ctx.threads = 1; ctx.threads <= 5; ctx.threads += 2) {
        assert_int_equal(mat_gram(&v, NULL, z, again, &ctx, NULL), PARE_OK);
        assert_memory_equal(again, single, N * N * sizeof *again);
    }
    free(exact);
    free(single);
    free(again);
}

/* Also seen through asinh, of columns that are left as they are and of numbers too large for it. */
static void a_single_precision_gram_is_close(void **state) {
    (void)state;
    rng r = rng_from(73);
    double *value = random_normal(&r, N, D), *z = random_normal(&r, D, 1);
    double *median = random_normal(&r, D, 1), *spread = random_normal(&r, D, 1);
    double *scale = calloc(D, sizeof *scale);
    assert_true(value && z && median && spread && scale);
    for (int64_t j = 0; j < D; j++) {
        z[j] *= z[j];
        spread[j] = j % 10 ? exp(spread[j]) : 0;
        scale[j] = j % 100 == 11 ? 0.01 : 1.5;
        if (j % 100 == 11) value[j * N + j % N] *= 1e70;
    }
    matrix x = mat_dense(N, D, value);
    asinh_view by = {&x, median, spread};
    matrix transformed = mat_asinh(&by);
    check_single_gram(&transformed, NULL, scale);
    check_single_gram(&transformed, z, scale);
    for (int64_t j = 11; j < D; j += 100) value[j * N + j % N] /= 1e70;
    check_single_gram(&x, NULL, NULL);
    check_single_gram(&x, z, NULL);
    free(value);
    free(z);
    free(median);
    free(spread);
    free(scale);
}

TEST_FILE(test_very_many) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_single_precision_gram_is_close),
                                       cmocka_unit_test(single_precision_steps_choose_the_same),
                                       cmocka_unit_test(answers_are_certified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
