/* The scores of a path equal those of fits to its training folds, for every classifier that
 * selects. */
#include "support/conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "registry.h"
#include "select/fitting.h"

enum { N = 24, D = 8, FOLDS = 3, K = 3, SIZES = 3, AT_K = 1 };
static const char *const sizes[SIZES] = {"2", "3", "6"};
static int64_t part_of(int32_t *rows, const int32_t *fold, int32_t f, bool test) {
    int64_t count = 0;
    for (int32_t i = 0; i < N; i++)
        if ((fold[i] == f) == test) rows[count++] = i;
    return count;
}

/* The accuracy on the test samples of a fit of k features to the others. */
static double accuracy(const pare_data *data, const int32_t *fold, int32_t f, const char *name,
                       const char *k, const char *const *pairs) {
    int32_t rows[N];
    int64_t n = part_of(rows, fold, f, false), outputs, right = 0;
    pare_data *train, *test;
    pare_error err;
    assert_int_equal(pare_data_subset(&train, data, rows, n, NULL, &err), PARE_OK);
    n = part_of(rows, fold, f, true);
    assert_int_equal(pare_data_subset(&test, data, rows, n, NULL, &err), PARE_OK);
    pare_settings *set = settings_make(name, pairs);
    assert_int_equal(pare_settings_set(set, "k", k, &err), PARE_OK);
    pare_model *m;
    if (pare_fit(&m, train, set, NULL, &err) != PARE_OK) fail_msg("%s: %s", name, err.message);
    outputs = pare_model_get(m)->n_scores;
    double *F = malloc(sizeof *F * (size_t)(n * outputs));
    assert_int_equal(pare_predict(F, m, test, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < n; i++) {
        int64_t cls = pare_model_decide(m, F + i, n);
        right += strcmp(m->classes[cls], strings_at(&data->target.text, rows[i])) == 0;
    }
    free(F);
    pare_model_free(m);
    pare_settings_free(set);
    pare_data_free(train);
    pare_data_free(test);
    return (double)right / (double)n;
}

static void compare(const char *name, const char *task, const char *const *pairs) {
    rng r = rng_from(61);
    const conform_case of = {.method = name, .task = task};
    sheet t = sheet_for(&r, &of, (sheet_shape){N, D, 1, 0.7});
    pare_data *data = sheet_data(&t, false);
    int32_t fold[N];
    for (int32_t i = 0; i < N; i++) fold[i] = i / 3 % FOLDS;
    pare_settings *set = settings_make(name, pairs);
    pare_path_options o;
    pare_path *p;
    pare_error err;
    pare_path_options_init(&o);
    o.fold_of = fold;
    o.sizes = "2,3,6";
    o.inner = 0;
    if (pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, NULL, &err) != PARE_OK)
        fail_msg("%s: %s", name, err.message);
    double score[SIZES * FOLDS];
    assert_true(pare_path_scores(score, p, 0, 0));
    bool each = solves_for_k(method_named(name), &set->v); /* not by one ranking for all sizes */
    for (int s = 0; s < SIZES; s++)
        for (int32_t f = 0; f < FOLDS && (each || s == AT_K); f++) {
            double reported = score[s * FOLDS + f];
            double own = accuracy(data, fold, f, name, sizes[s], pairs);
            if (fabs(reported - own) > 1e-12)
                fail_msg("%s, %s, %s features, part %d: %g in the path, %g of the fit", name, task,
                         sizes[s], f, reported, own);
        }
    pare_path_free(p);
    pare_settings_free(set);
    pare_data_free(data);
    sheet_free(&t);
}

static bool has_exact_k(const method *m) {
    all_settings set;
    setting_value v;
    settings_defaults(&set);
    return settings_named(&v, &set, m->group, "exact_k");
}

static void walk_methods(const char *const *pairs, bool shrunken) {
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        bool asked = shrunken ? m->shrunken : m->shrunken || m->selects_only;
        if (!asked || m->expand) continue;
        if (pairs && strcmp(pairs[0], "exact_k") == 0 && !has_exact_k(m)) continue;
        if (m->tasks & TASK_BINARY) compare(m->name, "binary", pairs);
        if (m->tasks & TASK_MULTICLASS) compare(m->name, "multiclass", pairs);
    }
}

static void scores_are_those_of_fits(void **state) {
    (void)state;
    walk_methods(NULL, false);
    walk_methods(PAIRS("classifier", "lda"), false);
    walk_methods(PAIRS("refit", "none"), true);
    walk_methods(PAIRS("exact_k", "true"), true);
    walk_methods(PAIRS("exact_k", "true", "refit", "none"), true);
}

/* With k a shrunken method is followed by the final classifier, as a pure selector is; without k,
 * or with setting `refit`, it uses its own predictor. */
static void a_shrunken_method_is_refitted(void **state) {
    (void)state;
    rng r = rng_from(62);
    sheet t = sheet_random(&r, "binary", (sheet_shape){N, D, 1, 1});
    pare_data *data = sheet_data(&t, false);
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        if (!m->shrunken) continue;
        pare_model *own = fit_or_fail(data, m->name, NULL),
                   *kept = fit_or_fail(data, m->name, PAIRS("k", "3", "refit", "none")),
                   *again = fit_or_fail(data, m->name, PAIRS("k", "3"));
        assert_false(own->has_selection);
        sheet few = sheet_pick(&t, NULL, N, again->index, K);
        pare_data *chosen = sheet_data(&few, false);
        pare_model *svm = fit_or_fail(chosen, "svm", NULL);
        check_close(again->predictor.objective, svm->predictor.objective, 1e-5);
        assert_true(again->has_selection);
        assert_true(fabs(kept->predictor.objective / svm->predictor.objective - 1) > 1e-3);
        pare_report found;
        pare_error err;
        assert_int_equal(pare_check(&found, NULL, again, data, NULL, &err), PARE_OK);
        check_close(found.objective, again->predictor.objective, 1e-12);
        pare_model_free(svm);
        pare_data_free(chosen);
        sheet_free(&few);
        pare_model_free(again);
        pare_model_free(kept);
        pare_model_free(own);
    }
    pare_data_free(data);
    sheet_free(&t);
}

TEST_FILE(test_conform_path) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_fits),
        cmocka_unit_test(a_shrunken_method_is_refitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
