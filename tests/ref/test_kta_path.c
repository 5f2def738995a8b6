/* The path along p against a fit at each of its points, for each kernel and task. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/method.h"
#include "model/predictor.h"
#include "registry.h"
#include "solve/kernel/kta_basis.h"

enum { N = 60, TRAIN = 45, D = 30, POINTS = 11 };

/* A fit at one p: selection, refit on what it selects, scores of the test samples. */
static int64_t fit_at(double *F, const view *train, const view *test, const target *y,
                      const all_settings *set, double p) {
    all_settings own = *set;
    own.kta.p = p;
    fit_result selection, second;
    pare_error err;
    fit_result_init(&selection, NULL);
    fit_result_init(&second, NULL);
    fit_job job = {.x = train, .y = y, .set = &own};
    if (kta_fit(&selection, &job, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    view small = *train, others = *test;
    small.cols = others.cols = selection.support;
    small.d = others.d = selection.n_support;
    fit_job refit = {.x = &small, .y = y, .set = &own, .refit = true};
    if (kta_fit(&second, &refit, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    fitted from = {.r = &second, .x = small, .y = y, .place = second.support};
    predictor made;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(predictor_from_result(&made, &mem, &from, NULL, &err), PARE_OK);
    assert_int_equal(predictor_apply(F, &made, &others, NULL, &err), PARE_OK);
    arena_free(&mem);
    int64_t used = selection.n_support;
    fit_result_free(&second);
    fit_result_free(&selection);
    return used;
}

static void check_path(rng *r, const char *kernel, int64_t classes, double density) {
    matrix sparse = random_sparse(r, N, D, density);
    int32_t cls[TRAIN], train_rows[TRAIN], test_rows[N - TRAIN];
    double value[TRAIN], points_p[POINTS];
    double *x = dense_of(&sparse);
    for (int64_t i = 0; i < TRAIN; i++) {
        train_rows[i] = (int32_t)(N - 1 - i);
        value[i] = x[N - 1 - i] * x[N - 1 - i] + rng_normal(r);
        cls[i] = (int32_t)(i < classes ? i : rng_below(r, classes ? classes : 1));
    }
    for (int64_t i = 0; i < N - TRAIN; i++) test_rows[i] = (int32_t)i;
    target y = {.n_classes = classes, .cls = classes ? cls : NULL, .value = classes ? NULL : value};
    view train = view_all(&sparse), test = train;
    train.rows = train_rows;
    train.n = TRAIN;
    test.rows = test_rows;
    test.n = N - TRAIN;
    pare_settings *given = settings_make(
        "kta", (const char *const[]){"kernel", kernel, "p_step", "0.1", "tol", "1e-10", NULL});
    all_settings set = given->v;
    int64_t outputs = classes > 2 ? classes : 1, size = (N - TRAIN) * outputs, used[POINTS];
    double *F = malloc(sizeof *F * (size_t)(POINTS * size)),
           *F_other = malloc(sizeof *F_other * (size_t)(POINTS * size)),
           *own = malloc(sizeof *own * (size_t)size);
    assert_true(F && F_other && own);
    int64_t used_other[POINTS];
    all_settings set_other = given->v; /* a second path in the same pass */
    set_other.kta.lambda2_ratio = 0.05;
    set_other.kta.C_ratio = 3;
    all_settings fresh_other = set_other;
    const method *m = method_named("kta");
    assert_int_equal(m->along->axis->values(NULL, &set, m), POINTS);
    m->along->axis->values(points_p, &set, m);
    fit_job job = {.x = &train, .y = &y, .set = &set};
    along_points points[] = {
        {.set = &set, .count = POINTS, .value = points_p, .used = used, .F = F},
        {.set = &set_other, .count = POINTS, .value = points_p, .used = used_other, .F = F_other},
    };
    pare_error err;
    if (along_run(m, points, 2, &job, &test, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    all_settings fresh = given->v;
    for (int s = 0; s < POINTS; s++) {
        assert_int_equal(used[s], fit_at(own, &train, &test, &y, &fresh, points_p[s]));
        for (int64_t i = 0; i < size; i++)
            if (!(fabs(F[s * size + i] - own[i]) <= 1e-4 * fmax(1, fabs(own[i]))))
                fail_msg("%s, %d classes, p %g: %.9g, not %.9g", kernel, (int)classes, points_p[s],
                         F[s * size + i], own[i]);
        assert_true(s == 0 || used[s] >= used[s - 1]);
        assert_int_equal(used_other[s], fit_at(own, &train, &test, &y, &fresh_other, points_p[s]));
        for (int64_t i = 0; i < size; i++)
            assert_true(fabs(F_other[s * size + i] - own[i]) <= 1e-4 * fmax(1, fabs(own[i])));
    }
    free(own);
    free(F_other);
    free(F);
    free(x);
    pare_settings_free(given);
    mat_free(&sparse, NULL);
}

static void every_point_is_its_own_fit(void **state) {
    (void)state;
    rng r = rng_from(76);
    const char *const kernels[] = {"rbf", "linear", "delta"};
    for (int k = 0; k < 3; k++)
        for (int classes = 0; classes < 4; classes++)
            if (classes != 1)
                check_path(&r, kernels[k], classes, k == 2 || classes == 3 ? 0.3 : 0.9);
}

/* Weights that were not in the sample, at all points, from those at the basis points. */
static void few_points_span_the_path(void **state) {
    (void)state;
    enum { FEATURES = 1000, P = 101 };
    double *a = malloc(sizeof *a * FEATURES), p[P];
    assert_non_null(a);
    for (int i = 0; i < FEATURES; i++) a[i] = 100 * exp(-9.0 * i / FEATURES);
    for (int s = 0; s < P; s++) p[s] = 1 + 0.01 * s;
    kta_problem k = {.lambda1 = 50, .lambda2 = 20, .eps = 1e-4}, at_points[P];
    for (int s = 0; s < P; s++) {
        at_points[s] = k;
        at_points[s].p = p[s];
    }
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    kta_basis b;
    pare_error err;
    assert_int_equal(kta_basis_make(&b, &mem, at_points, P, a, FEATURES, 1e-6, NULL, &err),
                     PARE_OK);
    assert_true(b.rank <= 40 && b.error <= 1e-6);
    for (int s = 0; s < P; s++) {
        double off = 0, all = 0;
        for (int i = 0; i < FEATURES; i++) {
            kta_problem at = k;
            at.p = p[s];
            double exact = exp(kta_log_weight(&at, a[i])), combined = 0;
            for (int64_t q = 0; q < b.rank; q++) {
                at.p = p[b.point[q]];
                combined += b.coef[s * b.rank + q] * exp(kta_log_weight(&at, a[i]));
            }
            off += (exact - combined) * (exact - combined);
            all += exact * exact;
        }
        assert_true(sqrt(off) <= 1e-5 * sqrt(all));
    }
    arena_free(&mem);
    free(a);
}

TEST_FILE(test_kta_path) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_its_own_fit),
        cmocka_unit_test(few_points_span_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
