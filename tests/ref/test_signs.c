/* Coefficients limited to a sign: lasso, logistic and cox against plain projected proximal gradient steps
 * on dense numbers, with kept features, costs and groups; l1-svm and llna against the best of the
 * programs without signs that leave some of the features out. */
#include "support/fits.h"
#include "support/regression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, D = 9, STEPS = 400000 };
typedef enum loss_of { SQUARED, LOGISTIC, COX, LOSSES } loss_of;
static const char *const methods[LOSSES] = {"lasso", "logistic", "cox"};

typedef struct plain {
    double x[D][N], y[N], cost[D]; /* columns of mean 0 and variance 1; cost 0: kept */
    signed char sign[D];
    int group[D]; /* of each feature; by itself: its number */
    bool event[N];
    loss_of loss;
} plain;

static void make(plain *p, rng *r, loss_of l, bool terms, bool groups) {
    memset(p, 0, sizeof *p);
    p->loss = l;
    for (int j = 0; j < D; j++) {
        double mean = 0, var = 0;
        for (int i = 0; i < N; i++) p->x[j][i] = rng_normal(r) + (j > 0 ? 0.6 * p->x[0][i] : 0);
        for (int i = 0; i < N; i++) mean += p->x[j][i] / N;
        for (int i = 0; i < N; i++) var += (p->x[j][i] - mean) * (p->x[j][i] - mean) / N;
        for (int i = 0; i < N; i++) p->x[j][i] = (p->x[j][i] - mean) / sqrt(var);
        p->cost[j] = terms ? 0.4 + 0.3 * j : 1;
        p->sign[j] = (signed char)(j % 3 - 1);
        p->group[j] = groups ? j / 3 : j;
    }
    if (terms) p->cost[3] = p->cost[6] = p->cost[8] = 0;
    for (int i = 0; i < N; i++) {
        double f = p->x[0][i] - p->x[1][i] + 0.8 * p->x[3][i] - p->x[5][i] + 0.7 * rng_normal(r);
        p->event[i] = i % 4 != 0;
        p->y[i] = l == LOGISTIC ? f > 0 : l == COX ? exp(-0.5 * f) * (1 + 0.01 * i) : 3 + f;
    }
}

/* The mean loss's slope in the decision value of each sample. */
static void slopes(const plain *p, const double *f, double *u) {
    for (int i = 0; i < N; i++)
        u[i] = (p->loss == LOGISTIC ? 1 / (1 + exp(-f[i])) - p->y[i] : f[i] - p->y[i]) / N;
    if (p->loss != COX) return;
    for (int i = 0; i < N; i++) u[i] = p->event[i] ? -1.0 / N : 0;
    for (int e = 0; e < N; e++) {
        double sum = 0;
        for (int i = 0; i < N; i++) sum += p->y[i] >= p->y[e] ? exp(f[i]) : 0;
        for (int i = 0; i < N && p->event[e]; i++)
            if (p->y[i] >= p->y[e]) u[i] += exp(f[i]) / sum / N;
    }
}

/* First onto the signs, then the norm of each group, or of each feature by itself, is shrunk. */
static void shrink(const plain *p, double *v, double step, double lambda, double alpha) {
    for (int j = 0; j < D; j++)
        if (p->sign[j] * v[j] < 0) v[j] = 0;
    for (int g = 0; g < D; g++) {
        double norm = 0, cost = 0;
        int size = 0;
        for (int j = 0; j < D; j++) {
            if (p->group[j] != g) continue;
            norm = hypot(norm, v[j]);
            cost += p->cost[j];
            size++;
        }
        if (size == 0 || norm == 0) continue;
        cost /= size;
        double keep = fmax(1 - step * lambda * alpha * cost * sqrt(size) / norm, 0) /
                      (1 + step * lambda * (1 - alpha) * cost);
        for (int j = 0; j < D; j++)
            if (p->group[j] == g) v[j] *= keep;
    }
}

/* b[D]: the intercept. only_kept: the others stay 0. u: the slopes at the end. */
static void solve(double *b, double *u, const plain *p, double lambda, double alpha,
                  bool only_kept) {
    double step = (p->loss == LOGISTIC ? 4.0 : 1.0) / (D + 1) / 2;
    memset(b, 0, sizeof *b * (D + 1));
    for (int s = 0; s < STEPS; s++) {
        double f[N], v[D + 1], moved = 0;
        for (int i = 0; i < N; i++) {
            f[i] = b[D];
            for (int j = 0; j < D; j++) f[i] += b[j] * p->x[j][i];
        }
        slopes(p, f, u);
        for (int j = 0; j <= D; j++) {
            double g = 0;
            for (int i = 0; i < N; i++) g += u[i] * (j < D ? p->x[j][i] : p->loss != COX);
            v[j] = j < D && only_kept && p->cost[j] > 0 ? 0 : b[j] - step * g;
        }
        shrink(p, v, step, lambda, alpha);
        for (int j = 0; j <= D; j++) moved = fmax(moved, fabs(v[j] - b[j]));
        memcpy(b, v, sizeof v);
        if (moved < 1e-15) break;
    }
}

/* The largest price of a coefficient that its sign allows, where only the kept ones are fitted. */
static double lambda_max(const plain *p) {
    double b[D + 1], u[N], most = 0;
    solve(b, u, p, 0, 1, true);
    for (int j = 0; j < D; j++) {
        double g = 0;
        for (int i = 0; i < N; i++) g -= u[i] * p->x[j][i];
        double pull = p->sign[j] ? fmax(p->sign[j] * g, 0) : fabs(g);
        if (p->cost[j] > 0) most = fmax(most, pull / p->cost[j]);
    }
    return most;
}

static pare_data *data_of(const plain *p) {
    pare_data *data;
    pare_error err;
    double cost[D];
    bool kept[D], any = false, groups = p->group[1] == 0;
    const char *label[N], *const name[] = {"g0", "g1", "g2"};
    const char *group[D];
    assert_int_equal(pare_data_dense(&data, N, D, &p->x[0][0], NULL, NULL, NULL, NULL, &err),
                     PARE_OK);
    for (int j = 0; j < D; j++) {
        any |= kept[j] = p->cost[j] == 0;
        cost[j] = kept[j] ? 5 : p->cost[j];
        if (groups) group[j] = name[p->group[j]];
    }
    for (int i = 0; i < N; i++) label[i] = p->y[i] > 0.5 ? "b" : "a";
    if (p->loss == LOGISTIC) assert_int_equal(pare_data_set_labels(data, label, &err), PARE_OK);
    if (p->loss == SQUARED) assert_int_equal(pare_data_set_values(data, p->y, &err), PARE_OK);
    if (p->loss == COX)
        assert_int_equal(pare_data_set_time_event(data, p->y, p->event, &err), PARE_OK);
    assert_int_equal(pare_data_set_costs(data, cost, &err), PARE_OK);
    if (any) assert_int_equal(pare_data_set_kept(data, kept, &err), PARE_OK);
    if (groups) assert_int_equal(pare_data_set_groups(data, group, &err), PARE_OK);
    assert_int_equal(pare_data_set_signs(data, p->sign, &err), PARE_OK);
    return data;
}

static void compare(const plain *p, double lambda, const char *alpha) {
    double b[D + 1], u[N], found[D] = {0};
    char text[40];
    snprintf(text, sizeof text, "%.17g", lambda);
    pare_data *data = data_of(p);
    solve(b, u, p, lambda, atof(alpha), false);
    pare_model *m =
        fit_or_fail(data, methods[p->loss],
                    PAIRS("lambda", text, "alpha", alpha, "scale", "none", "tol", "1e-12"));
    const pare_model_info *info = pare_model_get(m);
    for (int64_t i = 0; i < info->n_selected; i++) found[info->index[i]] = info->coef[i];
    for (int j = 0; j < D; j++) {
        check_close(found[j], b[j], 1e-6);
        assert_true(p->sign[j] * found[j] >= 0);
    }
    if (p->loss != COX) check_close(info->intercept[0], b[D], 1e-6);
    assert_true(fabs(report_of(m).certificate.relative) < 1e-7);
    pare_model_free(m);
    pare_data_free(data);
}

static void coefficients_are_those_of_plain_steps(void **state) {
    (void)state;
    for (loss_of l = 0; l < LOSSES; l++)
        for (int terms = 0; terms < 2; terms++) {
            rng r = rng_from(51);
            plain p;
            make(&p, &r, l, terms, false);
            double most = lambda_max(&p);
            compare(&p, 0.6 * most, "1");
            compare(&p, 0.1 * most, "1");
            compare(&p, 0.02 * most, "1");
            compare(&p, 0.2 * most, "0.5");
            compare(&p, 0.2, "0");
        }
}

static void groups_obey_inside(void **state) {
    (void)state;
    for (loss_of l = 0; l < LOSSES; l++)
        for (int seed = 0; seed < 3; seed++) {
            rng r = rng_from((uint64_t)(60 + seed));
            plain p;
            make(&p, &r, l, false, true);
            compare(&p, 0.1, "1");
            compare(&p, 0.01, "1");
            compare(&p, 0.05, "0.5");
        }
}

/* Just above lambda_max the kept features alone are selected, just below another one. */
static void lambda_max_is_one_sided(void **state) {
    (void)state;
    for (loss_of l = 0; l < LOSSES; l++)
        for (int above = 0; above < 2; above++) {
            rng r = rng_from(52);
            plain p;
            char lambda[40];
            make(&p, &r, l, true, false);
            snprintf(lambda, sizeof lambda, "%.17g", lambda_max(&p) * (above ? 1.0001 : 0.9999));
            pare_data *data = data_of(&p);
            pare_model *m = fit_or_fail(data, methods[l],
                                        PAIRS("lambda", lambda, "scale", "none", "tol", "1e-12"));
            assert_int_equal(pare_model_get(m)->n_selected, above ? 3 : 4);
            pare_model_free(m);
            pare_data_free(data);
        }
}

/* The one feature falls with the outcome, and must rise. */
static void nothing_to_select_is_said(void **state) {
    (void)state;
    const char *const method[] = {"lasso", "llna", "logistic", "l1-svm", "cox"};
    for (int k = 0; k < 5; k++) {
        double x[N], y[N];
        const char *label[N];
        bool event[N];
        pare_error err;
        for (int i = 0; i < N; i++) {
            y[i] = i + 1 + (i % 3) * 0.1;
            x[i] = k == 4 ? y[i] : -y[i]; /* a longer time is less of a risk */
            label[i] = i < N / 2 ? "a" : "b";
            event[i] = true;
        }
        pare_data *data = k < 2 ? data_valued(N, 1, x, y) : data_labelled(N, 1, x, label);
        if (k == 4) {
            pare_data_free(data);
            assert_int_equal(pare_data_dense(&data, N, 1, x, NULL, NULL, NULL, NULL, &err),
                             PARE_OK);
            assert_int_equal(pare_data_set_time_event(data, y, event, &err), PARE_OK);
        }
        const signed char sign[1] = {1};
        assert_int_equal(pare_data_set_signs(data, sign, &err), PARE_OK);
        pare_model *m = fit_or_fail(data, method[k], PAIRS("scale", "standard"));
        assert_int_equal(pare_model_get(m)->n_selected, 0);
        assert_true(has_note(m, "the empty model is optimal for every lambda above 0"));
        assert_int_equal(report_of(m).outcome, PARE_OPTIMAL);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* --- programs --- */

enum { LP_N = 24, LP_D = 5 };

/* Whether a model has no coefficient that its sign forbids. */
static bool obeys(const pare_model *m, const signed char *sign, const int64_t *cols) {
    const pare_model_info *info = pare_model_get(m);
    for (int64_t i = 0; i < info->n_selected; i++)
        if (sign[cols[info->index[i]]] * info->coef[i] < 0) return false;
    return true;
}

/* The least objective over the features left by `mask`, without signs; infinite if its solution does not
 * obey them. */
static double value_of(const double *x, const void *y, bool classes, int mask,
                       const signed char *sign, const char *lambda) {
    int64_t cols[LP_D], d = 0;
    double part[LP_N * LP_D];
    for (int64_t j = 0; j < LP_D; j++)
        if (mask >> j & 1) cols[d++] = j;
    for (int64_t j = 0; j < d; j++)
        memcpy(part + j * LP_N, x + cols[j] * LP_N, sizeof(double) * LP_N);
    if (d == 0) return INFINITY;
    pare_data *data = classes ? data_labelled(LP_N, d, part, y) : data_valued(LP_N, d, part, y);
    pare_model *m =
        fit_or_fail(data, classes ? "l1-svm" : "llna", PAIRS("lambda", lambda, "scale", "none"));
    double value = obeys(m, sign, cols) ? report_of(m).objective : INFINITY;
    pare_model_free(m);
    pare_data_free(data);
    return value;
}

static void programs_are_the_best_of_the_subsets(void **state) {
    (void)state;
    for (int run = 0; run < 12; run++) {
        bool classes = run % 2;
        const char *lambda = run % 3 ? "0.05" : "0.3";
        rng r = rng_from((uint64_t)(70 + run));
        double x[LP_N * LP_D], y[LP_N], best = INFINITY;
        const char *label[LP_N];
        signed char sign[LP_D];
        pare_error err;
        for (int64_t e = 0; e < LP_N * LP_D; e++) x[e] = rng_normal(&r);
        for (int64_t j = 0; j < LP_D; j++) sign[j] = (signed char)(j % 3 - 1);
        for (int64_t i = 0; i < LP_N; i++) {
            y[i] = x[i] - x[LP_N + i] - x[2 * LP_N + i] + 0.5 * rng_normal(&r);
            label[i] = y[i] > 0.3 ? "b" : "a"; /* the classes differ in size */
        }
        const void *target = classes ? (const void *)label : y;
        for (int mask = 1; mask < 1 << LP_D; mask++)
            best = fmin(best, value_of(x, target, classes, mask, sign, lambda));
        pare_data *data =
            classes ? data_labelled(LP_N, LP_D, x, label) : data_valued(LP_N, LP_D, x, y);
        assert_int_equal(pare_data_set_signs(data, sign, &err), PARE_OK);
        pare_model *m = fit_or_fail(data, classes ? "l1-svm" : "llna",
                                    PAIRS("lambda", lambda, "scale", "none"));
        const int64_t all[LP_D] = {0, 1, 2, 3, 4};
        assert_true(obeys(m, sign, all));
        assert_true(fabs(report_of(m).objective - best) <= 1e-7 * fmax(1, best));
        pare_model_free(m);
        pare_data_free(data);
    }
}

TEST_FILE(test_signs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_are_those_of_plain_steps),
        cmocka_unit_test(groups_obey_inside),
        cmocka_unit_test(lambda_max_is_one_sided),
        cmocka_unit_test(nothing_to_select_is_said),
        cmocka_unit_test(programs_are_the_best_of_the_subsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
