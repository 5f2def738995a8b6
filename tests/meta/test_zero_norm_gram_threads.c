/* Threads, storage and the way through a file must not change a zero-norm model. */
#include "support/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct run {
    const char *method;
    const char *const *pairs;
} run;

static const run runs[] = {
    {"l2-arom", PAIRS("missing", "mean")},
    {"l2-arom", PAIRS("missing", "mean", "multiclass", "ww", "k", "5")},
    {"poly-arom", PAIRS("missing", "mean", "degree", "2", "k", "5")},
    {"svm-rfe", PAIRS("missing", "mean", "k", "5")},
    {"svm-rfe", PAIRS("missing", "mean", "k", "5", "step", "0.3", "kernel", "rbf")},
    {"r2w2", PAIRS("missing", "mean", "k", "5", "tol", "0.01")},
    {"r2w2", PAIRS("missing", "mean", "k", "5", "kernel", "rbf", "tol", "0.01")},
    {"svm", PAIRS("missing", "mean", "kernel", "poly", "slack", "zero")},
};
enum { N_RUNS = sizeof runs / sizeof runs[0] };

static char *text_with(const pare_data *data, const run *what, int threads, double *scores) {
    pare_settings *set = settings_make(what->method, what->pairs);
    pare_model *m, *back;
    pare_error err;
    pare_ctx ctx;
    char *text;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    if (pare_fit(&m, data, set, &ctx, &err) != PARE_OK) fail_msg("%s", err.message);
    assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
    assert_int_equal(pare_predict(scores, m, data, &ctx, &err), PARE_OK);
    double again[200];
    assert_int_equal(pare_model_save(m, "zero_norm_threads.json", NULL, &err), PARE_OK);
    assert_int_equal(pare_model_load(&back, "zero_norm_threads.json", NULL, &err), PARE_OK);
    assert_int_equal(pare_predict(again, back, data, &ctx, &err), PARE_OK);
    size_t size = sizeof(double) * (size_t)(pare_data_n(data) * pare_model_n_outputs(m));
    assert_memory_equal(scores, again, size);
    pare_model_free(back);
    pare_model_free(m);
    pare_settings_free(set);
    return text;
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 111, 0);
    const problem_shape shapes[] = {
        {.n = 24, .d = 40, .classes = 3, .signal = 1, .density = 1, .missing = 0.02},
        {.n = 30, .d = 50, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    };
    for (int s = 0; s < 2; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        for (int k = 0; k < N_RUNS; k++) {
            double scores[200];
            char *one = text_with(data, &runs[k], 1, scores),
                 *four = text_with(data, &runs[k], 4, scores);
            assert_string_equal(one, four);
            pare_text_free(one, NULL);
            pare_text_free(four, NULL);
        }
        pare_data_free(data);
    }
    remove("zero_norm_threads.json");
}

/* The same numbers stored densely and sparsely give the same features. */
static void storage_does_not_matter(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 112, 0);
    problem_shape shape = {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 0.4};
    pare_data *sparse = problem_make(&r, &shape), *dense;
    double *x = dense_of(&sparse->x);
    const char *labels[30];
    pare_error err;
    for (int64_t i = 0; i < 30; i++) labels[i] = pare_data_target(sparse, i);
    assert_int_equal(pare_data_dense(&dense, 30, 60, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    free(x);
    const run both[] = {
        {"l2-arom", PAIRS("scale", "unit", "k", "6")},
        {"svm-rfe", PAIRS("scale", "unit", "k", "6")},
        {"r2w2", PAIRS("scale", "unit", "k", "3")},
        {"svm", PAIRS("scale", "unit", "kernel", "rbf", "k", "6")},
    };
    for (size_t k = 0; k < sizeof both / sizeof both[0]; k++) {
        pare_model *a = fit_or_fail(sparse, both[k].method, both[k].pairs);
        pare_model *b = fit_or_fail(dense, both[k].method, both[k].pairs);
        assert_int_equal(pare_model_n_selected(a), pare_model_n_selected(b));
        for (int64_t i = 0; i < pare_model_n_selected(a); i++)
            assert_int_equal(pare_model_index(a, i), pare_model_index(b, i));
        check_close(report_of(a).objective, report_of(b).objective, 1e-6);
        pare_model_free(a);
        pare_model_free(b);
    }
    pare_data_free(dense);
    pare_data_free(sparse);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(storage_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
