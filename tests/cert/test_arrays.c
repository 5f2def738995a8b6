/* Models as arrays and as text in memory: all features, coefficients and paths over lambda in one call
 * each, in raw units, for every method that has them. */
#include "model/model.h"
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its tolerance, if it has one: NULL ends the list of settings. */
static const char *tol(const char *method) { return has_setting(method, "tol") ? "tol" : NULL; }

/* Two classes and a numeric target, so that every task occurs. */
/* What a method of these tasks takes. */
static pare_data *make(rng *r, const char *tasks, int64_t n, int64_t d) {
    double *x = random_normal(r, n, d), y[64];
    const char *label[64];
    bool times = strcmp(tasks, "survival") == 0, event[64];
    bool numbers = times || strcmp(tasks, "regression") == 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) x[j * n + i] = 30 + (double)(1 + j) * x[j * n + i];
        double noise = (double)(i % 7) - 3;
        y[i] = x[i] - 0.5 * x[n + i];
        label[i] = y[i] > 15.5 ? "yes" : "no"; /* separable: fsv has hard margins by default */
        y[i] += noise;
        event[i] = i % 3 > 0;
    }
    pare_data *data = numbers ? data_valued(n, d, x, y) : data_labelled(n, d, x, label);
    free(x);
    pare_error err;
    if (times) assert_int_equal(pare_data_set_time_event(data, y, event, &err), PARE_OK);
    return data;
}

/* The model at one lambda has the coefficients that the path has there. */
static void check_point(const pare_data *data, const char *method, const pare_lambda_path *path,
                        int64_t p) {
    bool exact = isnan(path->point[p].gap);
    double lambda = path->point[p].lambda, coef[64][3] = {{0}}, largest = 0;
    if (exact) lambda = sqrt(lambda * path->point[p + 1].lambda); /* inside its range */
    char text[32];
    snprintf(text, sizeof text, "%.17g", lambda);
    pare_model *m =
        fit_or_fail(data, method, PAIRS("lambda", text, "scale", "standard", tol(method), "1e-9"));
    const pare_model_info *of = pare_model_get(m);
    const int64_t *index = of->index;
    const double *intercept = of->intercept, *own = of->coef;
    int64_t k = of->n_selected, c = of->n_outputs;
    assert_int_equal(c, path->n_outputs);
    for (int64_t i = 0; i < k; i++)
        for (int64_t o = 0; o < c; o++) {
            coef[index[i]][o] = own[o * k + i];
            largest = fmax(largest, fabs(own[o * k + i]));
        }
    for (int64_t e = path->start[p]; e < path->start[p + 1]; e++)
        for (int64_t o = 0; o < c; o++) coef[path->index[e]][o] -= path->coef[e * c + o];
    for (int64_t j = 0; j < 64; j++)
        for (int64_t o = 0; o < c; o++) check_close(coef[j][o], 0, 1e-3 * largest);
    for (int64_t o = 0; o < c; o++)
        check_close(intercept[o], path->intercept[p * c + o], 1e-3 * fmax(1, 20 * largest));
    pare_model_free(m);
}

static void paths_over_lambda_carry_coefficients(void **state) {
    (void)state;
    rng r = rng_from(31);
    int followed = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info info = method_at(i);
        if (!has_setting(info.name, "sweep")) continue;
        pare_data *data = make(&r, info.tasks, 40, 10);
        pare_model *m = fit_or_fail(
            data, info.name, PAIRS("sweep", "true", "scale", "standard", tol(info.name), "1e-9"));
        pare_lambda_path path = pare_model_get(m)->lambda_path;
        int64_t count = path.count;
        assert_true(count > 3);
        assert_int_equal(path.start[0], 0);
        for (int64_t p = 0; p < count; p++) {
            assert_int_equal(path.start[p + 1] - path.start[p], path.point[p].n_features);
            for (int64_t e = path.start[p]; e < path.start[p + 1]; e++)
                assert_in_range(path.index[e], 0, 9);
        }
        for (int64_t p = count / 4; pare_model_get(m)->coef && p < count - 1; p += 1 + count / 3)
            if (path.start[p + 1] > path.start[p]) check_point(data, info.name, &path, p);
        followed++;
        pare_model_free(m);
        pare_data_free(data);
    }
    assert_true(followed >= 5);
}

/* The struct holds the numbers of the model file. */
static void info_is_the_model(void **state) {
    (void)state;
    rng r = rng_from(32);
    problem_shape shape = {.n = 30, .d = 12, .classes = 3, .signal = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *m = fit_or_fail(data, "svm", PAIRS("k", "4"));
    const pare_model_info *of = pare_model_get(m);
    assert_string_equal(of->method, "svm");
    assert_string_equal(of->task, "multiclass");
    assert_int_equal(of->n_samples, 30);
    assert_int_equal(of->n_features, 12);
    assert_int_equal(of->n_selected, 4);
    assert_int_equal(of->n_outputs, 3);
    assert_int_equal(of->n_scores, 3);
    assert_int_equal(of->n_needed, 4);
    assert_int_equal(of->n_ranked, 12);
    assert_int_equal(of->n_notes, m->notes.count);
    assert_true(of->has_selection && !of->pairs && !of->imputes && !of->has_probability);
    for (int64_t i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%d", (int)of->index[i] + 1);
        assert_string_equal(of->name[i], name);
        assert_string_equal(of->needed_name[i], name);
        assert_int_equal(of->needed_index[i], of->index[i]);
        assert_int_equal(of->ranking[i], of->index[i]);
        assert_true(of->score[i] == m->score[i]);
        for (int64_t o = 0; o < 3; o++) assert_true(of->coef[o * 4 + i] == m->p.coef[o * 4 + i]);
    }
    assert_int_equal(of->lambda_path.count, 0);
    pare_model_free(m);
    m = fit_or_fail(data, "svm", PAIRS("kernel", "rbf"));
    assert_null(pare_model_get(m)->coef);
    pare_model_free(m);
    pare_data_free(data);
}

/* For every method: through text and back, the same text and the same predictions. */
static void models_go_through_memory(void **state) {
    (void)state;
    rng r = rng_from(33);
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info info = method_at(i);
        pare_data *data = make(&r, info.tasks, 24, 6);
        pare_settings *few = settings_make(info.name, PAIRS("k", "2"));
        pare_model *m, *again;
        char *text, *second;
        pare_error err;
        if (pare_fit(&m, data, few, NULL, &err) != PARE_OK) /* it may rank none */
            m = fit_or_fail(data, info.name, NULL);
        pare_settings_free(few);
        assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
        if (pare_model_parse(&again, text, strlen(text), NULL, &err) != PARE_OK)
            fail_msg("%s: %s", info.name, err.message);
        assert_int_equal(pare_model_text(&second, again, NULL, &err), PARE_OK);
        assert_string_equal(text, second);
        char iterations[64];
        snprintf(iterations, sizeof iterations, "\"iterations\": %lld",
                 (long long)pare_model_get(again)->iterations);
        assert_non_null(strstr(text, iterations));
        double one[24 * 3], two[24 * 3];
        assert_int_equal(pare_predict(one, m, data, NULL, &err), PARE_OK);
        assert_int_equal(pare_predict(two, again, data, NULL, &err), PARE_OK);
        assert_memory_equal(one, two, sizeof(double) * 24 * (size_t)pare_model_get(m)->n_outputs);
        pare_model_free(again);
        assert_int_equal(pare_model_parse(&again, text, strlen(text) / 2, NULL, &err),
                         PARE_E_FORMAT);
        assert_null(again);
        pare_model_free(m);
        pare_text_free(text, NULL);
        pare_text_free(second, NULL);
        pare_data_free(data);
    }
    pare_model *none;
    pare_error err;
    assert_int_equal(pare_model_parse(&none, NULL, 0, NULL, &err), PARE_E_ARGUMENT);
    assert_int_equal(pare_model_parse(&none, "", 0, NULL, &err), PARE_E_FORMAT);
}

static pare_status parse_call(void *user, const pare_ctx *ctx) {
    pare_model *m;
    pare_error err;
    const char *text = user;
    pare_status status = pare_model_parse(&m, text, strlen(text), ctx, &err);
    pare_model_free(m);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    rng r = rng_from(34);
    pare_data *data = make(&r, "regression", 16, 4);
    pare_model *m = fit_or_fail(data, "llna", NULL);
    char *text;
    assert_int_equal(pare_model_text(&text, m, NULL, NULL), PARE_OK);
    check_oom(parse_call, text);
    check_oom(fit_call_run, &(fit_call){data, "llna", PAIRS("sweep", "true")});
    pare_text_free(text, NULL);
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_arrays) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_over_lambda_carry_coefficients),
        cmocka_unit_test(info_is_the_model),
        cmocka_unit_test(models_go_through_memory),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
