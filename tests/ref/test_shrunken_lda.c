/* The final classifier lda against a dense computation by its definition. */
#include "support/certified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { MOST = 60, CLASSES = 5 };

/* f_k(x) = W_k'x + b_k in raw units, from columns x (n x d, the selected ones). */
typedef struct dense {
    double W[CLASSES][MOST], b[CLASSES];
} dense;

static void invert(double *A, int64_t d, double *x, int64_t c) { /* x (c rows of d) = A^-1 x */
    for (int64_t p = 0; p < d; p++)
        for (int64_t i = 0; i < d; i++) {
            if (i == p) continue;
            double by = A[i * d + p] / A[p * d + p];
            for (int64_t j = p; j < d; j++) A[i * d + j] -= by * A[p * d + j];
            for (int64_t k = 0; k < c; k++) x[k * d + i] -= by * x[k * d + p];
        }
    for (int64_t i = 0; i < d; i++)
        for (int64_t k = 0; k < c; k++) x[k * d + i] /= A[i * d + i];
}

static void define(dense *out, const double *x, const double *w, const int *cls, int64_t n,
                   int64_t d, int c) {
    double *R = calloc((size_t)(n * d), sizeof *R), *C = calloc((size_t)(d * d), sizeof *C);
    double total = 0, of[CLASSES] = {0}, mean[MOST], dev[MOST], m[CLASSES * MOST] = {0},
           v[CLASSES * MOST];
    for (int64_t i = 0; i < n; i++) total += w[i], of[cls[i]] += w[i];
    for (int64_t j = 0; j < d; j++) {
        double inside = 0, about = 0;
        mean[j] = 0;
        for (int k = 0; k < c; k++) m[k * d + j] = 0;
        for (int64_t i = 0; i < n; i++) mean[j] += w[i] * x[j * n + i] / total;
        for (int64_t i = 0; i < n; i++)
            m[cls[i] * d + j] += w[i] * (x[j * n + i] - mean[j]) / of[cls[i]];
        for (int64_t i = 0; i < n; i++) {
            R[j * n + i] = x[j * n + i] - mean[j] - m[cls[i] * d + j];
            inside += w[i] * R[j * n + i] * R[j * n + i];
            about += w[i] * (x[j * n + i] - mean[j]) * (x[j * n + i] - mean[j]);
        }
        dev[j] = sqrt(fmax(inside / (total - c), 1e-12 * about / total));
        for (int k = 0; k < c; k++) m[k * d + j] /= dev[j];
        for (int64_t i = 0; i < n; i++) R[j * n + i] /= dev[j];
    }
    double g = fmin(0.9, 40 / total);
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < d; b++) {
            for (int64_t i = 0; i < n; i++)
                C[a * d + b] += (1 - g) / (total - c) * w[i] * R[a * n + i] * R[b * n + i];
            if (a == b) C[a * d + b] += g;
        }
    memcpy(v, m, sizeof v);
    invert(C, d, v, c);
    for (int k = 0; k < c; k++) {
        out->b[k] = log(of[k] / total);
        for (int64_t j = 0; j < d; j++) {
            out->W[k][j] = v[k * d + j] / dev[j];
            out->b[k] -= v[k * d + j] * (m[k * d + j] / 2 + mean[j] / dev[j]);
        }
    }
    free(C);
    free(R);
}

static void compare(const pare_model *m, const dense *by, int c) {
    int64_t d = pare_model_get(m)->n_selected, outputs = c == 2 ? 1 : c;
    for (int64_t o = 0; o < outputs; o++) {
        double b = c == 2 ? by->b[1] - by->b[0] : by->b[o];
        check_close(m->p.intercept[o], b, 1e-8);
        for (int64_t j = 0; j < d; j++)
            check_close(m->p.coef[o * d + j], c == 2 ? by->W[1][j] - by->W[0][j] : by->W[o][j],
                        1e-8);
    }
}

static void check_certificate(pare_model *m, const pare_data *data) {
    assert_int_equal(m->predictor.certificate.kind, PARE_CERT_KKT);
    assert_true(m->predictor.certificate.relative < 1e-9);
    cert_probe p = {m, data, CERT_PREDICTOR, 1e-9, 1e-7};
    check_breaks(&p, &m->p.coef[0], 1.001 * m->p.coef[0]);
    check_breaks(&p, &m->p.intercept[0], m->p.intercept[0] + 0.01);
}

static void outputs_are_the_definition(void **state) {
    (void)state;
    const problem_shape shapes[] = {
        {.n = 30, .d = 12, .classes = 2, .signal = 1, .density = 1},
        {.n = 20, .d = 50, .classes = 2, .signal = 1, .density = 1, .weights = true},
        {.n = 60, .d = 12, .classes = 4, .signal = 1, .density = 0.5, .weights = true},
        {.n = 25, .d = 55, .classes = 3, .signal = 1, .density = 1},
    };
    const char *const k[] = {"5", "45", "7", "50"}, *const scale[] = {"none", "minmax", "standard"};
    const char *const methods[] = {"corr", "svm-rfe", "lda-forward"};
    rng r = rng_from(41);
    for (int t = 0; t < 12; t++) {
        const problem_shape *s = &shapes[t % 4];
        pare_data *data = problem_make(&r, s);
        pare_model *m = fit_or_fail(
            data, methods[t % 3], PAIRS("k", k[t % 4], "scale", scale[t / 4], "classifier", "lda"));
        double *all = dense_of(&data->x), *x = malloc(sizeof *x * (size_t)(s->n * MOST)), w[64];
        int cls[64];
        problem_samples(data, cls, w);
        int64_t d = pare_model_get(m)->n_selected;
        for (int64_t j = 0; j < d; j++)
            memcpy(x + j * s->n, all + m->index[j] * s->n, sizeof *x * (size_t)s->n);
        dense by;
        define(&by, x, w, cls, s->n, d, (int)s->classes);
        compare(m, &by, (int)s->classes);
        check_certificate(m, data);
        free(x);
        free(all);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Constant within classes, a copy of it, and as many features as samples. */
static void separated_classes_have_finite_outputs(void **state) {
    (void)state;
    enum { N = 6, D = 6 };
    double x[N * D], *F = malloc(sizeof *F * N);
    const char *labels[N];
    rng r = rng_from(42);
    for (int i = 0; i < N; i++) {
        labels[i] = i % 2 ? "yes" : "no";
        for (int j = 0; j < D; j++) x[j * N + i] = j < 2 ? i % 2 : rng_normal(&r);
    }
    pare_error err;
    pare_data *data = data_labelled(N, D, x, labels);
    pare_model *m = fit_or_fail(data, "corr", PAIRS("k", "6", "classifier", "lda"));
    assert_true(m->predictor.certificate.relative < 1e-6);
    assert_int_equal(pare_predict(F, m, data, NULL, &err), PARE_OK);
    for (int i = 0; i < N; i++) assert_true(isfinite(F[i]) && (F[i] > 0) == i % 2);
    pare_model_free(m);
    check_no_fit(data, "corr", PAIRS("classifier", "lda", "intercept", "false"), PARE_E_ARGUMENT,
                 "intercept");
    pare_data_free(data);
    free(F);
}

TEST_FILE(test_shrunken_lda) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_the_definition),
        cmocka_unit_test(separated_classes_have_finite_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
