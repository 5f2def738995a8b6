/* The final classifier logistic: the slope of mean log loss + |w|^2 / (2 C n) vanishes at its weights. */
#include "support/certified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static void the_slope_vanishes(void **state) {
    (void)state;
    rng r = rng_from(81);
    for (int t = 0; t < 4; t++) {
        problem_shape shape = {.n = 30, .d = 8, .classes = 2 + t % 2, .signal = 1, .density = 1};
        shape.weights = t > 1;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(
            data, "corr",
            PAIRS("k", "4", "scale", "none", "classifier", "logistic", "classifier_C", "2"));
        int64_t n = 30, c = m->p.n_outputs, k = m->n_selected;
        double F[30 * 3], *x = dense_of(&data->x), total = 0;
        pare_error err;
        assert_true(m->predictor.certificate.relative <= 1e-6);
        assert_int_equal(pare_predict(F, m, data, NULL, &err), PARE_OK);
        for (int64_t i = 0; i < n; i++) total += data->weight ? data->weight[i] : 1;
        for (int64_t o = 0; o < c; o++) {
            double slope[5] = {0};
            for (int64_t i = 0; i < n; i++) {
                int64_t cls = atoi(strings_at(&data->target.text, i) + 1);
                double p = 1 / (1 + exp(-F[i])), sum = 0, off;
                for (int64_t e = 0; e < c; e++) sum += exp(F[e * n + i]);
                off = c == 1 ? p - (double)cls : exp(F[o * n + i]) / sum - (cls == o ? 1 : 0);
                off *= (data->weight ? data->weight[i] : 1) / total;
                slope[4] += off;
                for (int64_t j = 0; j < k; j++) slope[j] += off * x[m->index[j] * n + i];
            }
            for (int64_t j = 0; j < k; j++) slope[j] += m->p.coef[o * k + j] / (2 * total);
            for (int j = 0; j < 5; j++) assert_true(fabs(slope[j]) < 1e-3);
        }
        cert_probe p = {m, data, CERT_PREDICTOR, 1e-6, 1e-5};
        check_breaks(&p, &m->p.coef[0], 1.2 * m->p.coef[0]);
        free(x);
        pare_model_free(m);
        pare_data_free(data);
    }
}

TEST_FILE(test_ridge_logistic) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_slope_vanishes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
