/* lp-mkl against a slow solver of its own: majorise and minimise in ln eta with Gauss's elimination,
 * on dense kernels written out by definition; Theorems 3 and 4 of the lp-KTA paper's Appendix A; and
 * the junctures of its path. */
#include "support/elimination.h"
#include "support/feature_kernels.h"
#include "support/fits.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { N = 14, D = 4, MAX_OUTPUTS = 3 };

typedef struct dense_mkl {
    int n, d;
    int64_t c;
    double K[D][N * N]; /* centred, of trace 1 */
    double y[MAX_OUTPUTS][N], weight[N];
    double p, lambda1, lambda2;
    double x[D], q[D], a[MAX_OUTPUTS][N]; /* ln eta */
} dense_mkl;

/* a on K = sum_k eta_k K_k, the forms q, and the objective. */
static double evaluate(dense_mkl *m) {
    int n = m->n;
    double value = 0, A[N * N];
    memset(m->q, 0, sizeof m->q);
    for (int64_t o = 0; o < m->c; o++) {
        memset(A, 0, sizeof A);
        for (int k = 0; k < m->d; k++)
            for (int e = 0; e < n * n; e++) A[e] += exp(m->x[k]) * m->K[k][e];
        for (int i = 0; i < n; i++) {
            A[i * n + i] += 1 / (2 * m->lambda1 * m->weight[i]);
            m->a[o][i] = m->y[o][i];
        }
        assert_true(eliminate(A, m->a[o], n));
        for (int i = 0; i < n; i++) value += 0.5 * m->y[o][i] * m->a[o][i];
        for (int k = 0; k < m->d; k++)
            for (int i = 0; i < n; i++)
                for (int l = 0; l < n; l++) m->q[k] += m->a[o][i] * m->K[k][i * n + l] * m->a[o][l];
    }
    for (int k = 0; k < m->d; k++) value += m->lambda2 * exp(m->p * m->x[k]);
    return value;
}

/* With the f_k held, eta_k^(p+1) = |f_k|^2 / (2 lambda2 p), |f_k|^2 = eta_k^2 q_k. */
static double solve(dense_mkl *m, int turns) {
    double value = 0;
    for (int k = 0; k < m->d; k++) m->x[k] = -log(m->d);
    for (int turn = 0; turn < turns; turn++) {
        double moved = 0;
        value = evaluate(m);
        for (int k = 0; k < m->d; k++) {
            double to = (2 * m->x[k] + log(fmax(m->q[k], 1e-290)) - log(2 * m->lambda2 * m->p)) /
                        (m->p + 1);
            moved = fmax(moved, fabs(to - m->x[k]));
            m->x[k] = fmax(to, -600);
        }
        if (moved < 1e-13) break;
    }
    return value;
}

static void centre_target(dense_mkl *m) {
    for (int64_t o = 0; o < m->c; o++) {
        double sum = 0, total = 0;
        for (int i = 0; i < m->n; i++) {
            sum += m->weight[i] * m->y[o][i];
            total += m->weight[i];
        }
        for (int i = 0; i < m->n; i++) m->y[o][i] -= sum / total;
    }
}

/* classes 0: values. */
static void one_case(rng *r, const char *kernel, const char *p, int64_t classes,
                     const char *ratio) {
    dense_mkl *m = calloc(1, sizeof *m);
    assert_non_null(m);
    double *x = random_normal(r, N, D), values[N];
    const char *y[N];
    char label[N][4];
    m->n = N;
    m->d = D;
    m->c = classes > 2 ? classes : 1;
    for (int i = 0; i < N; i++) {
        int64_t own = classes ? i % classes : i % 3;
        snprintf(label[i], sizeof label[i], "c%d", (int)own);
        y[i] = label[i];
        m->weight[i] = 1 + (double)rng_below(r, 2);
        x[i] += (double)own;
        x[N + i] = x[N + i] * x[N + i] + (own == 1);
        x[2 * N + i] = (double)rng_below(r, 3) + (own == 1);
        values[i] = 3 * (double)own + rng_normal(r);
        for (int64_t o = 0; o < m->c; o++)
            m->y[o][i] = !classes ? values[i] : own == (m->c == 1 ? 1 : o) ? 1 : -1;
    }
    for (int k = 0; k < D; k++) {
        for (int i = 0; kernel[0] == 'd' && i < N; i++) x[k * N + i] = round(x[k * N + i]);
        write_kernel(m->K[k], N, x + k * N, m->weight, kernel);
    }
    centre_target(m);
    pare_error err;
    pare_data *data = classes ? data_labelled(N, D, x, y) : data_valued(N, D, x, values);
    assert_int_equal(pare_data_set_weights(data, m->weight, &err), PARE_OK);
    pare_model *model = fit_or_fail(
        data, "lp-mkl",
        PAIRS("kernel", kernel, "p", p, "lambda1_ratio", ratio, "tol", "1e-10", "eps", "1e-250"));
    const lp_mkl_settings *set = &model->set.lp_mkl;
    m->p = set->p;
    m->lambda1 = set->lambda1;
    m->lambda2 = set->lambda2;
    double value = solve(m, 200000);
    pare_report found = report_of(model);
    assert_int_equal(found.certificate.kind, PARE_CERT_DUALITY_GAP);
    if (!(found.certificate.relative <= 1e-9) || !(fabs(found.objective - value) <= 1e-8 * value))
        fail_msg("%s p %s, %d classes, ratio %s: objective %.12g, slowly %.12g, gap %g", kernel, p,
                 (int)classes, ratio, found.objective, value, found.certificate.relative);
    for (int64_t i = 0; i < model->n_selected; i++) {
        double own = exp(m->x[model->index[i]]);
        if (own > 1e-3 && !(fabs(model->score[i] - own) <= 2e-3 * own))
            fail_msg("%s p %s: weight %.12g, slowly %.12g", kernel, p, model->score[i], own);
    }
    pare_model_free(model);
    pare_data_free(data);
    free(x);
    free(m);
}

static void weights_are_those_of_a_slow_solver(void **state) {
    (void)state;
    rng r = rng_from(501);
    const char *const kernels[] = {"rbf", "linear", "delta"};
    const char *const norms[] = {"1.05", "1.33", "2", "4"};
    for (int k = 0; k < 3; k++)
        for (int p = 0; p < 4; p++)
            for (int64_t classes = 0; classes <= 3; classes += classes ? 1 : 2)
                one_case(&r, kernels[k], norms[p], classes, p % 2 ? "0.3" : "5");
}

/* Centred orthonormal columns (n x d) of random numbers. */
static double *orthonormal(rng *r, int n, int d) {
    double *x = random_normal(r, n, d);
    for (int k = 0; k < d; k++) {
        double *own = x + k * n, mean = 0, norm = 0;
        for (int i = 0; i < n; i++) mean += own[i] / n;
        for (int i = 0; i < n; i++) own[i] -= mean;
        for (int l = 0; l < k; l++) {
            double dot = 0;
            for (int i = 0; i < n; i++) dot += own[i] * x[l * n + i];
            for (int i = 0; i < n; i++) own[i] -= dot * x[l * n + i];
        }
        for (int i = 0; i < n; i++) norm += own[i] * own[i];
        for (int i = 0; i < n; i++) own[i] /= sqrt(norm);
    }
    return x;
}

static pare_model *fit_linear(const pare_data *data, double p, double lambda1, double lambda2) {
    char texts[3][40];
    snprintf(texts[0], sizeof texts[0], "%.17g", p);
    snprintf(texts[1], sizeof texts[1], "%.17g", lambda1);
    snprintf(texts[2], sizeof texts[2], "%.17g", lambda2);
    return fit_or_fail(data, "lp-mkl",
                       PAIRS("kernel", "linear", "scale", "none", "p", texts[0], "lambda1",
                             texts[1], "lambda2", texts[2], "eps", "1e-300", "tol", "1e-12"));
}

static double weight_of(const pare_model *m, int64_t j) {
    for (int64_t i = 0; i < m->n_selected; i++)
        if (m->index[i] == j) return m->score[i];
    return 0;
}

/* Theorem 3: kernels of rank one, orthogonal. Each weight solves an equation of its own,
 * (u'y)^2 / (eta + c)^2 = 2 lambda2 p eta^(p-1); as p falls it falls once below 1/e, and rises once
 * above exp(-1/p). */
static void orthogonal_weights_are_monotone(void **state) {
    (void)state;
    enum { SAMPLES = 20, FEATURES = 6, STEPS = 60 };
    rng r = rng_from(502);
    int fell = 0, rose = 0;
    for (int look = 0; look < 4; look++) {
        double *x = orthonormal(&r, SAMPLES, FEATURES), y[SAMPLES], before[FEATURES] = {0};
        double lambda1 = 2, lambda2 = 0.5, c = 1 / (2 * lambda1), p_before = 0;
        for (int i = 0; i < SAMPLES; i++) {
            y[i] = 0;
            for (int k = 0; k < FEATURES; k++) y[i] += 0.25 * (1 + k + look) * x[k * SAMPLES + i];
        }
        pare_data *data = data_valued(SAMPLES, FEATURES, x, y);
        for (int s = 0; s < STEPS; s++) {
            double p = 2 - 0.95 * s / (STEPS - 1);
            pare_model *m = fit_linear(data, p, lambda1, lambda2);
            for (int k = 0; k < FEATURES; k++) {
                double own = 0.25 * (1 + k + look), low = -300, high = 5, eta = weight_of(m, k);
                for (int half = 0; half < 200; half++) {
                    double mid = 0.5 * (low + high), at = exp(mid);
                    bool over =
                        2 * lambda2 * p * exp((p - 1) * mid) * (at + c) * (at + c) > own * own;
                    *(over ? &high : &low) = mid;
                }
                check_close(eta, exp(low), 1e-6);
                if (s > 0 && before[k] < exp(-1)) {
                    assert_true(eta <= before[k] * (1 + 1e-7));
                    fell++;
                }
                if (s > 0 && before[k] > exp(-1 / p_before)) {
                    assert_true(eta >= before[k] * (1 - 1e-7));
                    rose++;
                }
                before[k] = eta;
            }
            p_before = p;
            pare_model_free(m);
        }
        pare_data_free(data);
        free(x);
    }
    assert_true(fell > 100 && rose > 100);
}

/* Theorem 4's problem: two unit columns and lambda2 such that u1'a = 0 exactly at p'. */
typedef struct vanishing {
    double u[2][N], y[N], lambda1, lambda2, p;
} vanishing;

static vanishing vanishing_make(rng *r, double p) {
    vanishing v = {.lambda1 = 0.01, .p = p};
    double *e = orthonormal(r, N, 3), c = 1 / (2 * v.lambda1), cosine = 0.6;
    double y1 = 0.5, y2; /* y2 u1'u2 > y1 > 0 */
    for (int i = 0; i < N; i++) {
        v.u[0][i] = e[i];
        v.u[1][i] = cosine * e[i] + sqrt(1 - cosine * cosine) * e[N + i];
        v.y[i] = y1 * e[i] + 1.4 * e[N + i] + 0.3 * e[2 * N + i];
    }
    y2 = cosine * y1 + sqrt(1 - cosine * cosine) * 1.4;
    assert_true(y2 * cosine > y1);
    double rho = y1 / (cosine * y2), eta2 = c * rho / (1 - rho);
    v.lambda2 = y2 * y2 / (2 * (eta2 + c) * (eta2 + c) * p * pow(eta2, p - 1));
    free(e);
    return v;
}

static pare_data *vanishing_data(const vanishing *v) {
    double x[2 * N];
    memcpy(x, v->u, sizeof x);
    return data_valued(N, 2, x, v->y);
}

/* u1'a of the model's dual: the sign of the first feature's part. */
static double first_form(const pare_model *m, const vanishing *v) {
    double sum = 0;
    const double *a = m->has_selection ? m->selection_dual : m->dual;
    for (int i = 0; i < N; i++) sum += v->u[0][i] * a[i];
    return sum;
}

static void a_weight_vanishes_at_one_p_alone(void **state) {
    (void)state;
    rng r = rng_from(503);
    static const double at[] = {1.2, 1.5, 1.9, 2.5};
    for (size_t e = 0; e < sizeof at / sizeof *at; e++) {
        vanishing v = vanishing_make(&r, at[e]);
        pare_data *data = vanishing_data(&v);
        double form[3], eta[3];
        for (int side = 0; side < 3; side++) {
            pare_model *m = fit_linear(data, v.p + 0.05 * (side - 1), v.lambda1, v.lambda2);
            form[side] = first_form(m, &v);
            eta[side] = weight_of(m, 0);
            pare_model_free(m);
        }
        assert_true(fabs(form[1]) <= 1e-4 * fmin(fabs(form[0]), fabs(form[2])));
        assert_true(eta[1] <= 0.1 * fmin(eta[0], eta[2]) && eta[0] > 0);
        assert_true(form[0] * form[2] < 0);
        pare_data_free(data);
    }
}

/* eta_1 at p by the slow solver. */
static double slow_weight(const vanishing *v, double p) {
    dense_mkl *m = calloc(1, sizeof *m);
    assert_non_null(m);
    *m = (dense_mkl){.n = N, .d = 2, .c = 1, .p = p, .lambda1 = v->lambda1, .lambda2 = v->lambda2};
    for (int i = 0; i < N; i++) {
        m->weight[i] = 1;
        m->y[0][i] = v->y[i];
        for (int k = 0; k < 2; k++)
            for (int l = 0; l < N; l++) m->K[k][i * N + l] = v->u[k][i] * v->u[k][l];
    }
    solve(m, 200000);
    double eta = exp(m->x[0]);
    free(m);
    return eta;
}

/* The path with a threshold of 1e-8 finds both p at which the weight passes it. */
static void junctures_bracket_a_weight_that_returns(void **state) {
    (void)state;
    rng r = rng_from(504);
    vanishing v = vanishing_make(&r, 1.9);
    pare_data *data = vanishing_data(&v);
    char texts[2][40];
    snprintf(texts[0], sizeof texts[0], "%.17g", v.lambda1);
    snprintf(texts[1], sizeof texts[1], "%.17g", v.lambda2);
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = 0;
    char *text = path_json_or_fail(data, "lp-mkl",
                                   PAIRS("kernel", "linear", "scale", "none", "lambda1", texts[0],
                                         "lambda2", texts[1], "eps", "1e-8", "p", "1.6"),
                                   &o);
    json_t *file = json_loads(text, 0, NULL);
    assert_non_null(file);
    json_t *list = json_object_get(json_array_get(json_object_get(file, "runs"), 0), "junctures");
    int seen = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *one = json_array_get(list, i);
        double p[2], gap[2];
        for (size_t e = 0; e < 2; e++) {
            p[e] = json_number_value(json_array_get(json_object_get(one, "p"), e));
            gap[e] = json_number_value(json_array_get(json_object_get(one, "gap"), e));
            assert_true(fabs(gap[e]) <= 1e-8);
        }
        assert_true(p[1] > p[0] && p[1] - p[0] <= 0.001 * (1 + 1e-9));
        if (json_integer_value(json_object_get(one, "index")) != 0) continue;
        bool below = slow_weight(&v, p[0]) > 1e-8, above = slow_weight(&v, p[1]) > 1e-8;
        assert_true(below != above);
        assert_true(seen == 0 ? p[0] >= v.p && above : p[1] <= v.p && below); /* by falling p */
        seen++;
    }
    assert_int_equal(seen, 2);
    json_decref(file);
    pare_text_free(text, NULL);
    pare_data_free(data);
}

static pare_status run_small_path(void *user, const pare_ctx *ctx) {
    pare_settings *set = settings_make(
        "lp-mkl", PAIRS("kernel", "linear", "eps", "0.05", "p", "1.7", "p_step", "0.3"));
    const pare_settings *one = set;
    pare_path *path = NULL;
    pare_path_options o;
    pare_error err;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = 0;
    o.substitutes = 0;
    pare_status status = pare_path_run(&path, user, &one, 1, &o, ctx, &err);
    pare_path_free(path);
    pare_settings_free(set);
    return status;
}

static void no_memory_is_an_error_between_junctures(void **state) {
    (void)state;
    rng r = rng_from(505);
    double *x = random_normal(&r, N, D), y[N];
    for (int i = 0; i < N; i++) y[i] = x[i] + 0.3 * x[N + i];
    pare_data *data = data_valued(N, D, x, y);
    check_oom_thinly(run_small_path, data, 200);
    pare_data_free(data);
    free(x);
}

TEST_FILE(test_lp_mkl) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_a_slow_solver),
        cmocka_unit_test(orthogonal_weights_are_monotone),
        cmocka_unit_test(a_weight_vanishes_at_one_p_alone),
        cmocka_unit_test(junctures_bracket_a_weight_that_returns),
        cmocka_unit_test(no_memory_is_an_error_between_junctures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
