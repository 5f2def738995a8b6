/* What must not change a regression: threads, the order of samples and features, storage, a weight
 * of two in place of a sample twice; and what a limit of time leaves. */
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct {
    const char *method;
    const char *const *pairs;
} variants[] = {
    {"llna", PAIRS("k", "4")},        {"llna", PAIRS("lambda", "0.5", "sweep", "true")},
    {"plna", PAIRS("restarts", "3")}, {"lstsq", PAIRS("k", "5")},
    {"best-subset", PAIRS("k", "1")},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static char *model_with(const pare_data *data, int v, int threads) {
    return fit_text(data, variants[v].method, variants[v].pairs, threads);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 91, 0);
    regression p = regression_make(&r, 25, 60, REG_NORMAL, true);
    for (int v = 0; v < N_VARIANTS; v++) {
        char *one = model_with(p.data, v, 1), *four = model_with(p.data, v, 4);
        assert_string_equal(one, four);
        pare_text_free(one, NULL);
        pare_text_free(four, NULL);
    }
    regression_free(&p);
}

/* The data of p with row i being rows[i] and column j cols[j], stored dense or sparse. */
static pare_data *rearranged(const regression *p, const int64_t *rows, int64_t n,
                             const int64_t *cols, bool sparse) {
    double *x = malloc(sizeof *x * (size_t)(n * p->d));
    int64_t *col_ptr = malloc(sizeof *col_ptr * (size_t)(p->d + 1));
    int32_t *row = malloc(sizeof *row * (size_t)(n * p->d));
    const char **labels = malloc(sizeof *labels * (size_t)n);
    assert_true(x && labels && col_ptr && row);
    for (int64_t i = 0; i < n; i++) labels[i] = strings_at(&p->data->target, rows[i]);
    for (int64_t j = 0; j <= p->d; j++) col_ptr[j] = j * n;
    for (int64_t e = 0; e < n * p->d; e++) {
        row[e] = (int32_t)(e % n);
        x[e] = p->x[cols[e / n] * p->n + rows[e % n]];
    }
    pare_data *out;
    pare_error err;
    pare_status status =
        sparse ? pare_data_sparse(&out, n, p->d, col_ptr, row, x, NULL, labels, NULL, NULL, &err)
               : pare_data_dense(&out, n, p->d, x, NULL, labels, NULL, NULL, &err);
    assert_int_equal(status, PARE_OK);
    free(labels);
    free(row);
    free(col_ptr);
    free(x);
    return out;
}

static void order_and_storage_do_not_matter(void **state) {
    (void)state;
    enum { N = 20, D = 12 };
    rng r;
    rng_seed(&r, 92, 0);
    regression p = regression_make(&r, N, D, REG_NORMAL, false);
    int64_t rows[N], cols[D];
    for (int64_t i = 0; i < N; i++) rows[i] = i;
    for (int64_t j = 0; j < D; j++) cols[j] = j;
    rng_shuffle(&r, rows, N);
    rng_shuffle(&r, cols, D);
    for (int v = 0; v < N_VARIANTS; v++)
        for (int sparse = 0; sparse < 2; sparse++) {
            if (strcmp(variants[v].method, "plna") == 0) continue; /* its draws go by column */
            pare_data *other = rearranged(&p, rows, N, cols, sparse);
            pare_model *a = fit_or_fail(p.data, variants[v].method, variants[v].pairs),
                       *b = fit_or_fail(other, variants[v].method, variants[v].pairs);
            check_close(report_of(a).objective, report_of(b).objective, 1e-8);
            assert_int_equal(pare_model_n_selected(a), pare_model_n_selected(b));
            for (int64_t i = 0; i < pare_model_n_selected(a); i++) {
                assert_int_equal(pare_model_index(a, i), cols[pare_model_index(b, i)]);
                check_close(pare_model_coef(a, 0, i), pare_model_coef(b, 0, i), 1e-7);
            }
            pare_model_free(a);
            pare_model_free(b);
            pare_data_free(other);
        }
    regression_free(&p);
}

static void a_weight_of_two_is_a_sample_twice(void **state) {
    (void)state;
    enum { N = 15, D = 8 };
    rng r;
    rng_seed(&r, 93, 0);
    regression p = regression_make(&r, N, D, REG_NORMAL, true);
    int64_t rows[2 * N], cols[D], n = 0;
    for (int64_t j = 0; j < D; j++) cols[j] = j;
    for (int64_t i = 0; i < N; i++) {
        p.data->weight[i] = (double)(i % 3);
        for (int64_t t = 0; t < i % 3; t++) rows[n++] = i;
    }
    pare_data *twice = rearranged(&p, rows, n, cols, false);
    const char *const methods[] = {"llna", "plna", "lstsq", "best-subset"};
    for (int t = 0; t < 4; t++) {
        pare_model *a = fit_or_fail(p.data, methods[t], PAIRS("k", "3")),
                   *b = fit_or_fail(twice, methods[t], PAIRS("k", "3"));
        check_close(report_of(a).objective, report_of(b).objective, 1e-7);
        pare_model_free(a);
        pare_model_free(b);
    }
    pare_data_free(twice);
    regression_free(&p);
}

/* Out of time, best-subset says what it has and a bound; the certificate stays true. */
static void time_runs_out(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 94, 0);
    regression p = regression_make(&r, 60, 40, REG_NORMAL, false);
    pare_settings *set = settings_make("best-subset", PAIRS("k", "12"));
    pare_model *m;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    assert_int_equal(pare_fit(&m, p.data, set, &ctx, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "`time_limit`"));
    ctx.time_limit_s = 0.2;
    assert_int_equal(pare_fit(&m, p.data, set, &ctx, &err), PARE_OK);
    assert_int_equal(report_of(m).outcome, PARE_TIME_LIMIT);
    assert_int_equal(pare_model_n_selected(m), 12);
    assert_true(pare_model_n_notes(m) > 0);
    double w[40], b = regression_point(&p, m, w);
    check_close(report_of(m).objective, regression_error(&p, w, b), 1e-9);
    pare_model_free(m);
    pare_settings_free(set);
    regression_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_a_byte),
                                       cmocka_unit_test(order_and_storage_do_not_matter),
                                       cmocka_unit_test(a_weight_of_two_is_a_sample_twice),
                                       cmocka_unit_test(time_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
