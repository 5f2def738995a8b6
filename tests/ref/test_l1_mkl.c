/* l1-mkl-path against a slow solver of its own: accelerated proximal gradient over the functions f_k
 * themselves, on dense kernels written out by definition. With f_k = K_k a_k the gradient step in the
 * space of K_k is a_k + step U, and its norm is sqrt(a_k'K_k a_k): no factors, no active sets. */
#include "support/feature_kernels.h"
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { N = 18, D = 4, STEPS = 6000, MAX_OUTPUTS = 3 };

typedef struct dense_mkl {
    int64_t c;
    bool classes;
    double K[D][N * N]; /* centred, of trace 1 */
    double share[N], y[MAX_OUTPUTS][N];
    double lambda;
    double a[MAX_OUTPUTS][D][N]; /* f_ko = K_k a_ok */
    double b[MAX_OUTPUTS];
} dense_mkl;

static void values(const dense_mkl *m, double f[MAX_OUTPUTS][N]) {
    for (int64_t o = 0; o < m->c; o++)
        for (int i = 0; i < N; i++) {
            f[o][i] = m->b[o];
            for (int k = 0; k < D; k++)
                for (int l = 0; l < N; l++) f[o][i] += m->K[k][i * N + l] * m->a[o][k][l];
        }
}

/* The loss, and U = minus its gradient. */
static double loss(const dense_mkl *m, double f[MAX_OUTPUTS][N], double U[MAX_OUTPUTS][N]) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double all = m->c == 1 ? 1 : 0, own = 0;
        for (int64_t o = 0; o < m->c; o++) {
            all += exp(f[o][i]);
            own += m->y[o][i] * f[o][i];
        }
        for (int64_t o = 0; o < m->c; o++)
            U[o][i] = m->share[i] * (m->y[o][i] - (m->classes ? exp(f[o][i]) / all : f[o][i]));
        sum += m->share[i] *
               (m->classes ? log(all) - own : (m->y[0][i] - f[0][i]) * (m->y[0][i] - f[0][i]) / 2);
    }
    return sum;
}

static double norm_of(const dense_mkl *m, int k) {
    double sum = 0;
    for (int64_t o = 0; o < m->c; o++)
        for (int i = 0; i < N; i++)
            for (int l = 0; l < N; l++) sum += m->a[o][k][i] * m->K[k][i * N + l] * m->a[o][k][l];
    return sqrt(fmax(sum, 0));
}

static double objective(const dense_mkl *m) {
    double f[MAX_OUTPUTS][N], U[MAX_OUTPUTS][N];
    values(m, f);
    double sum = loss(m, f, U);
    for (int k = 0; k < D; k++) sum += m->lambda * norm_of(m, k);
    return sum;
}

/* The intercept counts as a kernel of ones that is not penalised. */
static void step_from(dense_mkl *m, const dense_mkl *at, double step) {
    double f[MAX_OUTPUTS][N], U[MAX_OUTPUTS][N];
    values(at, f);
    loss(at, f, U);
    for (int64_t o = 0; o < m->c; o++) {
        m->b[o] = at->b[o];
        for (int i = 0; i < N; i++) m->b[o] += step / N * U[o][i];
        for (int k = 0; k < D; k++)
            for (int i = 0; i < N; i++) m->a[o][k][i] = at->a[o][k][i] + step * U[o][i];
    }
    for (int k = 0; k < D; k++) {
        double norm = norm_of(m, k), keep = norm > 0 ? fmax(0, 1 - step * m->lambda / norm) : 0;
        for (int64_t o = 0; o < m->c; o++)
            for (int i = 0; i < N; i++) m->a[o][k][i] *= keep;
    }
}

static double solve(dense_mkl *m) {
    dense_mkl *at = malloc(sizeof *at), *before = malloc(sizeof *before);
    assert_non_null(at);
    assert_non_null(before);
    double most = 0, t = 1; /* the loss curves by share times the kernels' eigenvalues, D + 1 of at
                               most their traces without weights */
    for (int i = 0; i < N; i++) most = fmax(most, m->share[i]);
    double trace = 1;
    for (int k = 0; k < D; k++)
        for (int i = 0; i < N; i++) trace += m->K[k][i * N + i];
    double step = 1 / (most * trace);
    *at = *m;
    for (int i = 0; i < STEPS; i++) {
        *before = *m;
        step_from(m, at, step);
        double next = (1 + sqrt(1 + 4 * t * t)) / 2, ahead = (t - 1) / next;
        if (objective(m) > objective(before)) { /* start the momentum again */
            next = 1;
            ahead = 0;
        }
        *at = *m;
        for (int64_t o = 0; o < m->c; o++) {
            at->b[o] += ahead * (m->b[o] - before->b[o]);
            for (int k = 0; k < D; k++)
                for (int l = 0; l < N; l++)
                    at->a[o][k][l] += ahead * (m->a[o][k][l] - before->a[o][k][l]);
        }
        t = next;
    }
    free(before);
    free(at);
    return objective(m);
}

static void one_case(rng *r, const char *kernel, const char *ratio, int64_t classes) {
    dense_mkl *m = calloc(1, sizeof *m);
    assert_non_null(m);
    double *x = random_normal(r, N, D), weight[N], value[N], total = 0;
    const char *y[N];
    char label[N][4];
    for (int i = 0; i < N; i++) {
        int64_t own = classes ? i % classes : i % 2;
        snprintf(label[i], sizeof label[i], "c%d", (int)own);
        y[i] = label[i];
        total += weight[i] = 1 + (double)rng_below(r, 2);
        x[i] += (double)own;
        x[N + i] = x[N + i] * x[N + i] + (own == 1);
        x[2 * N + i] = (double)rng_below(r, 3) + (own == 1);
        value[i] = sin(2 * x[i]) + 0.3 * x[N + i] + 0.1 * rng_normal(r);
    }
    for (int k = 0; k < D; k++) {
        for (int i = 0; kernel[0] == 'd' && i < N; i++) x[k * N + i] = round(x[k * N + i]);
        write_kernel(m->K[k], N, x + k * N, weight, kernel);
    }
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, N, D, x, NULL, classes ? y : NULL,
                                     classes ? NULL : value, NULL, &err),
                     PARE_OK);
    assert_int_equal(pare_data_set_weights(data, weight, &err), PARE_OK);
    pare_model *model = fit_or_fail(data, "l1-mkl-path",
                                    PAIRS("kernel", kernel, "lambda_ratio", ratio, "tol", "1e-9"));
    m->c = classes > 2 ? classes : 1;
    m->classes = classes > 0;
    m->lambda = model->set.l1_mkl_path.lambda;
    for (int i = 0; i < N; i++) {
        m->share[i] = weight[i] / total;
        for (int64_t o = 0; o < m->c; o++)
            m->y[o][i] = classes ? i % classes == (m->c == 1 ? 1 : o) : value[i];
    }
    double found = solve(m);
    pare_report said = report_of(model);
    assert_int_equal(said.certificate.kind, PARE_CERT_DUALITY_GAP);
    if (!(said.certificate.relative <= 1e-8) || !(fabs(said.objective - found) <= 1e-6 * found))
        fail_msg("%s, %s of lambda_max, %d classes: objective %.12g, by gradient %.12g, gap %g",
                 kernel, ratio, (int)classes, said.objective, found, said.certificate.relative);
    double norm[D] = {0};
    for (int64_t i = 0; i < model->n_selected; i++) norm[model->index[i]] = model->score[i];
    for (int k = 0; k < D; k++) check_close(norm[k], norm_of(m, k), 2e-2);
    pare_model_free(model);
    pare_data_free(data);
    free(x);
    free(m);
}

static void points_are_those_of_proximal_gradients(void **state) {
    (void)state;
    rng r = rng_from(421);
    const char *const kernels[] = {"rbf", "linear", "delta"};
    const char *const ratios[] = {"0.7", "0.3"};
    for (int k = 0; k < 3; k++)
        for (int q = 0; q < 2; q++) {
            one_case(&r, kernels[k], ratios[q], 2);
            one_case(&r, kernels[k], ratios[q], 0);
        }
    one_case(&r, "rbf", "0.4", 3);
}

/* Every point of a sweep is the fit at that lambda; nothing is selected at lambda_max, more later. */
static void a_sweep_is_many_fits(void **state) {
    (void)state;
    rng r = rng_from(422);
    problem_shape shape = {.n = 40, .d = 30, .classes = 2, .signal = 0.7, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *m = fit_or_fail(data, "l1-mkl-path", PAIRS("sweep", "true", "lambda_count", "12"));
    pare_lambda_path path = pare_model_get(m)->lambda_path;
    int64_t count = path.count;
    assert_int_equal(count, 12); /* the fit's own lambda, between two of them, is no row */
    assert_int_equal(path.point[0].n_features, 0);
    assert_true(path.point[count - 1].n_features > 2);
    for (int64_t i = 1; i < count; i++) {
        char lambda[32];
        assert_true(path.point[i].lambda < path.point[i - 1].lambda);
        assert_true(path.point[i].gap <= 1e-6);
        assert_int_equal(path.start[i + 1] - path.start[i], path.point[i].n_features);
        if (i % 4) continue;
        snprintf(lambda, sizeof lambda, "%.17g", path.point[i].lambda);
        pare_model *one = fit_or_fail(data, "l1-mkl-path", PAIRS("lambda", lambda));
        check_close(report_of(one).objective, path.point[i].objective, 1e-6);
        assert_int_equal(one->n_selected, path.point[i].n_features);
        pare_model_free(one);
    }
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_l1_mkl) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_proximal_gradients),
        cmocka_unit_test(a_sweep_is_many_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
