/* smo-mkl against the paper's own algorithm to convergence: sequential minimal optimisation on the
 * dual, pair by pair with a search along the line, on dense kernels written out by definition. */
#include "support/feature_kernels.h"
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "solve/kernel/kernel_columns.h"

enum { N = 16, D = 4, SWEEPS = 800, MAX_OUTPUTS = 3 };

typedef struct dense_mkl {
    int64_t c;          /* outputs */
    double K[D][N * N]; /* centred, of trace 1 */
    double y[MAX_OUTPUTS][N], weight[N];
    double p, lambda, C;
    double alpha[MAX_OUTPUTS][N], s[D];
} dense_mkl;

/* |s|_q^2 / (8 lambda) of s + 2 t a + t^2 b. */
static double penalty(const dense_mkl *m, const double *a, const double *b, double t) {
    double q = m->p / (m->p - 1), sum = 0, most = 0, s[D];
    for (int k = 0; k < D; k++) {
        s[k] = fmax(m->s[k] + 2 * t * a[k] + t * t * b[k], 0);
        most = fmax(most, s[k]);
    }
    for (int k = 0; k < D; k++) sum += most > 0 ? pow(s[k] / most, q) : 0;
    return most * most * pow(sum, 2 / q) / (8 * m->lambda);
}

/* Moves along u_i + t, u_j - t, which keeps sum u = 0. */
static void pair_step(dense_mkl *m, int64_t o, int i, int j) {
    double a[D] = {0}, b[D], *alpha = m->alpha[o];
    const double *y = m->y[o];
    double low = -INFINITY, high = INFINITY, gain = y[i] - y[j]; /* of sum alpha per t */
    double at[2] = {alpha[i], alpha[j]}, by[2] = {y[i], -y[j]},
           most[2] = {m->C * m->weight[i], m->C * m->weight[j]};
    for (int k = 0; k < 2; k++) {
        double to_zero = -at[k] / by[k], to_most = (most[k] - at[k]) / by[k];
        low = fmax(low, fmin(to_zero, to_most));
        high = fmin(high, fmax(to_zero, to_most));
    }
    for (int k = 0; k < D; k++) {
        const double *K = m->K[k];
        for (int l = 0; l < N; l++) a[k] += (K[i * N + l] - K[j * N + l]) * y[l] * alpha[l];
        b[k] = K[i * N + i] + K[j * N + j] - 2 * K[i * N + j];
    }
    for (int look = 0; look < 70; look++) { /* golden section of a concave function */
        double left = high - 0.6180339887498949 * (high - low),
               right = low + 0.6180339887498949 * (high - low);
        if (gain * left - penalty(m, a, b, left) < gain * right - penalty(m, a, b, right))
            low = left;
        else
            high = right;
    }
    double t = 0.5 * (low + high);
    alpha[i] = fmin(fmax(at[0] + t * by[0], 0), most[0]);
    alpha[j] = fmin(fmax(at[1] + t * by[1], 0), most[1]);
    for (int k = 0; k < D; k++) m->s[k] += 2 * t * a[k] + t * t * b[k];
}

static double dual_value(const dense_mkl *m) {
    double zero[D] = {0}, sum = 0;
    for (int64_t o = 0; o < m->c; o++)
        for (int i = 0; i < N; i++) sum += m->alpha[o][i];
    return sum - penalty(m, zero, zero, 0);
}

static double solve(dense_mkl *m) {
    double before = -INFINITY, now = 0;
    for (int sweep = 0; sweep < SWEEPS && !(now - before <= 1e-13 * fabs(now)); sweep++) {
        for (int64_t o = 0; o < m->c; o++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < i; j++) pair_step(m, o, i, j);
        before = now;
        now = dual_value(m);
    }
    return now;
}

/* d_k = s_k^(q-1) |s|_q^(2-q) / (2 lambda). */
static double weight_of(const dense_mkl *m, int k) {
    double q = m->p / (m->p - 1), sum = 0, most = 0;
    for (int l = 0; l < D; l++) most = fmax(most, m->s[l]);
    for (int l = 0; l < D; l++) sum += pow(m->s[l] / most, q);
    return pow(m->s[k] / most, q - 1) * most * pow(sum, (2 - q) / q) / (2 * m->lambda);
}

static void one_case(rng *r, const char *kernel, const char *p, int64_t classes, double C_ratio) {
    dense_mkl *m = calloc(1, sizeof *m);
    assert_non_null(m);
    double *x = random_normal(r, N, D);
    const char *y[N];
    char label[N][4], ratio[32];
    for (int i = 0; i < N; i++) {
        int64_t own = i % classes;
        snprintf(label[i], sizeof label[i], "c%d", (int)own);
        y[i] = label[i];
        m->weight[i] = 1 + (double)rng_below(r, 2);
        x[i] += (double)own;
        x[N + i] = x[N + i] * x[N + i] + (own == 1);
        x[2 * N + i] = (double)rng_below(r, 3) + (own == 1);
    }
    for (int k = 0; k < D; k++) {
        for (int i = 0; kernel[0] == 'd' && i < N; i++) x[k * N + i] = round(x[k * N + i]);
        write_kernel(m->K[k], N, x + k * N, m->weight, kernel);
    }
    pare_error err;
    pare_data *data = data_labelled(N, D, x, y);
    assert_int_equal(pare_data_set_weights(data, m->weight, &err), PARE_OK);
    snprintf(ratio, sizeof ratio, "%g", C_ratio);
    pare_model *model = fit_or_fail(
        data, "smo-mkl",
        PAIRS("kernel", kernel, "p", p, "C_ratio", ratio, "tol", "1e-9", "lambda", "0.7"));
    const smo_mkl_settings *set = &model->set.smo_mkl;
    m->c = classes == 2 ? 1 : classes;
    m->p = set->p;
    m->lambda = set->lambda;
    m->C = set->C;
    for (int64_t o = 0; o < m->c; o++)
        for (int i = 0; i < N; i++) m->y[o][i] = i % classes == (m->c == 1 ? 1 : o) ? 1 : -1;
    double value = solve(m);
    pare_report found = report_of(model);
    assert_int_equal(found.certificate.kind, PARE_CERT_DUALITY_GAP);
    if (!(found.certificate.relative <= 1e-8) || !(fabs(found.objective - value) <= 2e-7 * value))
        fail_msg("%s p %s, %d classes, ratio %g: objective %.12g, by pairs %.12g, gap %g", kernel,
                 p, (int)classes, C_ratio, found.objective, value, found.certificate.relative);
    for (int64_t i = 0; i < model->n_selected; i++) {
        double own = weight_of(m, (int)model->index[i]);
        if (own < 0.02 * weight_of(m, (int)model->index[0])) continue; /* s^(q-1) is steep */
        if (!(fabs(model->score[i] - own) <= 5e-3 * own))
            fail_msg("%s p %s: weight %g, by pairs %g", kernel, p, model->score[i], own);
    }
    pare_model_free(model);
    pare_data_free(data);
    free(x);
    free(m);
}

static void weights_are_those_of_pairwise_optimisation(void **state) {
    (void)state;
    rng r = rng_from(401);
    const char *const kernels[] = {"rbf", "linear", "delta"};
    const char *const norms[] = {"1.05", "1.33", "2", "4"};
    for (int k = 0; k < 3; k++)
        for (int p = 0; p < 4; p++) one_case(&r, kernels[k], norms[p], 2, k == 1 ? 1 : 10);
    one_case(&r, "rbf", "1.2", 3, 5);
    one_case(&r, "linear", "2", 3, 5);
}

/* K_j U of columns with few values, sparse ones and continuous ones. */
static void columns_are_the_definition(void **state) {
    (void)state;
    enum { SAMPLES = 150, FEATURES = 9, OUTPUTS = 2 };
    rng r = rng_from(402);
    for (int kind = 0; kind < 3; kind++)
        for (int look = 0; look < 3; look++) {
            matrix sparse = random_sparse(&r, SAMPLES, FEATURES, look == 0 ? 1 : 0.6);
            double *x = dense_of(&sparse), s[SAMPLES], U[SAMPLES * OUTPUTS];
            double gamma[FEATURES], trace[FEATURES], *T;
            int64_t own[FEATURES];
            for (int e = 0; look == 2 && e < SAMPLES * FEATURES; e++) x[e] = round(x[e]);
            matrix dense = mat_dense(SAMPLES, FEATURES, x);
            view v = view_all(look == 1 ? &sparse : &dense);
            for (int o = 0; o < OUTPUTS; o++) {
                double sum = 0;
                for (int i = 0; i < SAMPLES; i++) sum += U[o * SAMPLES + i] = rng_normal(&r);
                for (int i = 0; i < SAMPLES; i++) U[o * SAMPLES + i] -= sum / SAMPLES;
            }
            for (int i = 0; i < SAMPLES; i++) s[i] = 0.5 + rng_uniform(&r);
            for (int j = 0; j < FEATURES; j++) {
                gamma[j] = pow(10, 3 * rng_uniform(&r) - 2);
                trace[j] = 1 + rng_uniform(&r);
                own[j] = FEATURES - 1 - j;
            }
            assert_non_null(T = malloc(sizeof *T * SAMPLES * OUTPUTS * FEATURES));
            kernel_columns k;
            pare_error err;
            assert_int_equal(kernel_columns_open(&k, &v, (kernel_kind)kind, gamma, trace, s,
                                                 OUTPUTS, NULL, &err),
                             PARE_OK);
            kernel_columns_take(&k, own, FEATURES, U, T);
            assert_int_equal(kernel_columns_close(&k, PARE_OK, &err), PARE_OK);
            for (int l = 0; l < FEATURES; l++)
                for (int o = 0; o < OUTPUTS; o++) {
                    const double *z = x + own[l] * SAMPLES, *u = U + o * SAMPLES;
                    double plain[SAMPLES] = {0}, mean = 0, total = 0;
                    for (int a = 0; a < SAMPLES; a++) {
                        for (int b = 0; b < SAMPLES; b++)
                            plain[a] +=
                                u[b] * (kind == KERNEL_LINEAR ? z[a] * z[b]
                                        : kind == KERNEL_DELTA
                                            ? z[a] == z[b]
                                            : exp(-gamma[own[l]] * (z[a] - z[b]) * (z[a] - z[b])));
                        mean += s[a] * plain[a];
                        total += s[a];
                    }
                    for (int a = 0; a < SAMPLES; a++)
                        check_close(T[(l * OUTPUTS + o) * SAMPLES + a],
                                    (plain[a] - mean / total) / trace[own[l]], 1e-11);
                }
            free(T);
            free(x);
            mat_free(&sparse, NULL);
        }
}

TEST_FILE(test_mkl) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_definition),
        cmocka_unit_test(weights_are_those_of_pairwise_optimisation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
