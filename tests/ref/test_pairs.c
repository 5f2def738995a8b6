/* One against one: every pair of classes is the two-class machine on their samples, and the outputs
 * vote. Both are done again here, from subsets of the data and by plain loops. */
#include "support/certified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "registry.h"

enum { N = 40, CLASSES = 5 };

static int32_t class_of(const pare_data *data, int64_t i) {
    return (int32_t)atoi(strings_at(&data->target.text, i) + 1);
}

/* The samples of classes a and b. */
static pare_data *two_of(const pare_data *data, int32_t a, int32_t b) {
    int32_t rows[N];
    int64_t n = 0;
    pare_data *out;
    pare_error err;
    for (int32_t i = 0; i < N; i++)
        if (class_of(data, i) == a || class_of(data, i) == b) rows[n++] = i;
    assert_int_equal(pare_data_subset(&out, data, rows, n, NULL, &err), PARE_OK);
    return out;
}

/* Output o against the machine of its two classes. */
static double compare_pair(const pare_model *m, int64_t o, const pare_model *two) {
    int64_t k = m->n_selected;
    check_close(m->p.intercept[o], two->p.intercept[0], 1e-3);
    for (int64_t i = 0; i < k; i++) {
        double coef = 0; /* of a constant column there: none */
        for (int64_t j = 0; j < two->n_selected; j++)
            if (two->index[j] == m->index[i]) coef = two->p.coef[j];
        check_close(m->p.coef[o * k + i], coef, 1e-3);
    }
    return two->predictor.objective;
}

static void each_pair_is_its_machine(void **state) {
    (void)state;
    rng r = rng_from(71);
    const char *const ways[][2] = {{"C", "1"}, {"C", "0.05"}, {"ridge", "2"}};
    for (int t = 0; t < 9; t++) {
        int c = 3 + t % 3;
        pare_data *data = problem_make(&r, &(problem_shape){.n = N,
                                                            .d = 6,
                                                            .classes = c,
                                                            .signal = 1,
                                                            .density = t % 2 ? 0.7 : 1,
                                                            .weights = t % 3 == 1});
        const char *const *way = ways[t / 3];
        pare_model *m = fit_or_fail(
            data, "svm",
            PAIRS("scale", "none", "multiclass", "ovo", "tol", "1e-10", way[0], way[1]));
        double objective = 0;
        int64_t o = 0;
        assert_int_equal(pare_model_get(m)->n_outputs, c * (c - 1) / 2);
        assert_int_equal(pare_model_get(m)->n_scores, c);
        for (int32_t a = 0; a < c; a++)
            for (int32_t b = a + 1; b < c; b++, o++) {
                const int64_t *pair = pare_model_get(m)->pairs + 2 * o;
                assert_true(pair[0] == a && pair[1] == b);
                pare_data *own = two_of(data, a, b);
                pare_model *two =
                    fit_or_fail(own, "svm", PAIRS("scale", "none", "tol", "1e-10", way[0], way[1]));
                objective += compare_pair(m, o, two);
                pare_model_free(two);
                pare_data_free(own);
            }
        check_close(m->predictor.objective, objective, 1e-7);
        assert_true(m->predictor.certificate.relative < 1e-8);
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* Votes of the outputs at x, ties by the sums, then by order. */
static int64_t voted(const pare_model *m, const double *x, int64_t n, int64_t i, double *score) {
    int64_t c = m->n_classes, k = m->n_selected, o = 0, best = 0;
    double vote[CLASSES] = {0}, sum[CLASSES] = {0};
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = a + 1; b < c; b++, o++) {
            double f = m->p.intercept[o];
            for (int64_t j = 0; j < k; j++) f += m->p.coef[o * k + j] * x[m->index[j] * n + i];
            vote[f > 0 ? b : a]++;
            sum[a] -= f;
            sum[b] += f;
        }
    for (int64_t q = 0; q < c; q++) {
        score[q] = vote[q] + sum[q] / (3 * (1 + fabs(sum[q])));
        if (vote[q] > vote[best] || (vote[q] == vote[best] && sum[q] > sum[best])) best = q;
    }
    return best;
}

static void check_votes(const pare_model *m, const pare_data *data) {
    int64_t n = data->x.n, c = m->n_classes;
    double *x = dense_of(&data->x), F[N * CLASSES], score[CLASSES];
    pare_error err;
    assert_int_equal(pare_predict(F, m, data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(pare_model_decide(m, F + i, n), voted(m, x, n, i, score));
        for (int64_t q = 0; q < c; q++) check_close(F[q * n + i], score[q], 1e-9);
    }
    free(x);
}

/* What the certificate says after the first coefficient and the last intercept were changed. */
static void check_certificate(pare_model *m, const pare_data *data) {
    pare_report found;
    pare_error err;
    check_close(certify_now(m, data, CERT_PREDICTOR).objective, m->predictor.objective, 1e-9);
    double *change[] = {&m->p.coef[0], &m->p.coef[m->p.n_outputs * m->p.k - 1]};
    for (int i = 0; i < 2; i++) {
        if (*change[i] == 0) continue;
        double own = *change[i];
        *change[i] = 1.01 * own;
        assert_true(certify_now(m, data, CERT_PREDICTOR).objective != m->predictor.objective);
        *change[i] = own;
    }
    m->p.pairs = 0; /* as if every output were for one class */
    assert_int_equal(pare_check(&found, NULL, m, data, NULL, &err), PARE_E_DATA);
    m->p.pairs = m->n_classes;
}

/* Every method of several classes that ends in the final classifier. */
static void every_selection_ends_in_pairs(void **state) {
    (void)state;
    rng r = rng_from(72);
    int tried = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *of = method_named(method_at(i).name);
        if (!(of->tasks & TASK_MULTICLASS) || !(of->selects_only || of->shrunken)) continue;
        pare_data *data = problem_make(&r, &(problem_shape){.n = N,
                                                            .d = 8,
                                                            .classes = 3 + tried % 3,
                                                            .signal = 1,
                                                            .density = 1,
                                                            .counts = of->counts});
        pare_model *m =
                       fit_or_fail(data, of->name, PAIRS("k", "4", "classifier_multiclass", "ovo")),
                   *back;
        char *text;
        pare_error err;
        tried++;
        assert_int_equal(m->p.n_outputs, class_pairs(m->n_classes));
        assert_int_equal(m->predictor.certificate.kind, PARE_CERT_DUALITY_GAP);
        assert_true(m->predictor.certificate.relative < 1e-5);
        assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
        if (pare_model_parse(&back, text, strlen(text), NULL, &err) != PARE_OK)
            fail_msg("%s: %s", of->name, err.message);
        if (m->p.kind == &predictor_linear) check_votes(back, data);
        if (m->p.kind == &predictor_linear) check_certificate(back, data);
        pare_text_free(text, NULL);
        pare_model_free(back);
        pare_model_free(m);
        pare_data_free(data);
    }
    assert_true(tried >= 10);
}

/* Scores that pairs cannot tell apart are decided by order; votes come before sums. */
static void ties_go_by_sums_then_by_order(void **state) {
    (void)state;
    double intercept[3] = {0}, F[3];
    const double none = 0;
    matrix x = mat_dense(1, 0, &none);
    view v = view_all(&x);
    predictor p = {.kind = &predictor_linear, .n_outputs = 3, .pairs = 3, .intercept = intercept};
    double coef = 0;
    pare_error err;
    p.coef = &coef;
    const struct {
        double f[3]; /* 0 against 1, 0 against 2, 1 against 2 */
        int64_t wins;
    } cases[] = {
        {{0, 0, 0}, 0},        {{1, -1, 1}, 0},  {{2, -1, 3}, 2}, {{-1, 2, -1}, 2},
        {{1, -1e9, -1e-9}, 1}, {{-1, 1, -1}, 0}, {{5, -1, 2}, 1}, {{-0.1, -0.1, 9}, 0},
    };
    for (size_t t = 0; t < sizeof cases / sizeof cases[0]; t++) {
        memcpy(intercept, cases[t].f, sizeof intercept);
        assert_int_equal(predictor_apply(F, &p, &v, NULL, &err), PARE_OK);
        if (scores_decide(F, predictor_width(&p), 1) != cases[t].wins)
            fail_msg("case %d: %g %g %g", (int)t, F[0], F[1], F[2]);
    }
}

static void two_classes_have_one_machine(void **state) {
    (void)state;
    rng r = rng_from(73);
    pare_data *data =
        problem_make(&r, &(problem_shape){.n = N, .d = 6, .classes = 2, .signal = 1, .density = 1});
    pare_model *plain = fit_or_fail(data, "corr", PAIRS("k", "3")),
               *pairs = fit_or_fail(data, "corr", PAIRS("k", "3", "classifier_multiclass", "ovo"));
    assert_int_equal(pairs->p.n_outputs, 1);
    assert_int_equal(pare_model_get(pairs)->n_scores, 1);
    assert_memory_equal(plain->p.coef, pairs->p.coef, sizeof(double) * 3);
    assert_true(plain->p.intercept[0] == pairs->p.intercept[0]);
    pare_model_free(pairs);
    pare_model_free(plain);
    pare_data_free(data);
}

TEST_FILE(test_pairs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_is_its_machine),
        cmocka_unit_test(every_selection_ends_in_pairs),
        cmocka_unit_test(ties_go_by_sums_then_by_order),
        cmocka_unit_test(two_classes_have_one_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
