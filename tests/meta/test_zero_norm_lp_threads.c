/* What must not change the methods on linear programs: threads, storage, labels' order, the way back
 * through a file. */
#include "support/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct way {
    const char *method;
    int64_t classes;
    const char *const *pairs;
} way;

static const way ways[] = {
    {"l1-svm", 3, PAIRS("lambda", "0.05", "k", "4")},
    {"l1-svm", 2, PAIRS("lambda", "0.02")},
    {"fsv", 2, PAIRS("lambda", "0.02")},
    {"l1-arom", 2, PAIRS("k", "3")},
    {"l1-arom", 3, PAIRS("multiclass", "ww", "zero_slack", "2")},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static char *model_with(const pare_data *data, const way *w, int threads) {
    return fit_text(data, w->method, w->pairs, threads);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 71, 0);
    for (int t = 0; t < N_WAYS; t++) {
        problem_shape shape = {
            .n = 24, .d = 500, .classes = ways[t].classes, .signal = 1, .density = t % 2 ? 0.2 : 1};
        pare_data *data = problem_make(&r, &shape);
        char *one = model_with(data, &ways[t], 1);
        for (int threads = 2; threads <= 8; threads *= 2) {
            char *many = model_with(data, &ways[t], threads);
            assert_string_equal(one, many);
            pare_text_free(many, NULL);
        }
        pare_text_free(one, NULL);
        pare_data_free(data);
    }
}

static void dense_is_sparse(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 72, 0);
    for (int t = 0; t < N_WAYS; t++) {
        problem_shape shape = {
            .n = 24, .d = 60, .classes = ways[t].classes, .signal = 1, .density = 0.4};
        pare_data *sparse = problem_make(&r, &shape), *dense;
        double *x = dense_of(&sparse->x);
        const char *labels[24];
        pare_error err;
        for (int64_t i = 0; i < 24; i++) labels[i] = strings_at(&sparse->target, i);
        assert_int_equal(pare_data_dense(&dense, 24, 60, x, NULL, labels, NULL, NULL, &err),
                         PARE_OK);
        pare_report a, b;
        const char *pairs[16] = {"scale", "standard"};
        for (int k = 0; ways[t].pairs[k]; k++) pairs[k + 2] = ways[t].pairs[k];
        pare_model *one = fit_or_fail(sparse, ways[t].method, pairs),
                   *two = fit_or_fail(dense, ways[t].method, pairs);
        check_close(report_of(one).objective, report_of(two).objective, 1e-6);
        if (pare_model_selection(&a, one) && pare_model_selection(&b, two))
            check_close(a.objective, b.objective, 1e-6);
        for (int64_t i = 0; i < pare_model_n_selected(one); i++)
            assert_int_equal(pare_model_index(one, i), pare_model_index(two, i));
        pare_model_free(two);
        pare_model_free(one);
        pare_data_free(dense);
        pare_data_free(sparse);
        free(x);
    }
}

static void a_file_keeps_everything(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 73, 0);
    for (int t = 0; t < N_WAYS; t++) {
        problem_shape shape = {
            .n = 24, .d = 60, .classes = ways[t].classes, .signal = 1, .density = 1};
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, ways[t].method, ways[t].pairs), *again;
        pare_report before, after, final;
        pare_error err;
        char *text, *reread;
        assert_int_equal(pare_model_save(m, "kept_lp.json", NULL, &err), PARE_OK);
        assert_int_equal(pare_model_load(&again, "kept_lp.json", NULL, &err), PARE_OK);
        assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
        assert_int_equal(pare_model_text(&reread, again, NULL, &err), PARE_OK);
        assert_string_equal(text, reread);
        assert_int_equal(pare_check(&final, &after, again, data, NULL, &err), PARE_OK);
        if (pare_model_selection(&before, m)) check_close(before.objective, after.objective, 1e-14);
        pare_text_free(text, NULL);
        pare_text_free(reread, NULL);
        pare_model_free(again);
        pare_model_free(m);
        pare_data_free(data);
    }
    remove("kept_lp.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_a_byte),
                                       cmocka_unit_test(dense_is_sparse),
                                       cmocka_unit_test(a_file_keeps_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
