/* Methods whose problem has the feature groups in it, over the registry: certified by their groups, found
 * out where the groups are others, and nothing but the method itself where every feature is a group. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"
#include "registry.h"

static const problem_shape shapes[] = {
    {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 1},
    {.n = 40,
     .d = 24,
     .classes = 2,
     .signal = 0.5,
     .density = 1,
     .constant = true,
     .weights = true},
    {.n = 36, .d = 40, .classes = 3, .signal = 1, .density = 1},
    {.n = 40, .d = 30, .classes = 4, .signal = 1, .density = 0.4, .weights = true},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

/* Groups of `size` features that are not adjacent. */
static void group(pare_data *data, int64_t size) {
    int64_t count = (data->x.d + size - 1) / size;
    for (int64_t j = 0; j < data->x.d; j++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", (int)(size == 1 ? j : j % count));
        assert_true(strings_add(&data->groups, &data->mem, name, (int64_t)strlen(name)));
    }
}

static void ungroup(pare_data *data) {
    strings_free(&data->groups, &data->mem);
    data->groups = (strings){0};
}

/* Those with the groups in their penalty, and a certificate of it. */
static bool has_groups(const method *m) {
    return m->groups_own && m->certify && m->groups == GROUPS_NORM && m->cost != COST_SCORES;
}

static bool suits(const method *m, int64_t classes) {
    return classes > 2 ? m->tasks & TASK_MULTICLASS
                       : m->tasks & (TASK_BINARY | TASK_REGRESSION | TASK_SURVIVAL);
}

/* The first features and noise, for a regression; as logarithms of times, for survival. */
static void set_values(pare_data *data, const method *m, rng *r) {
    double value[64];
    bool event[64];
    view all = view_all(&data->x);
    int64_t first[] = {0, 2};
    double x[2 * 64];
    pare_error err;
    if (!(m->tasks & (TASK_REGRESSION | TASK_SURVIVAL))) return;
    assert_true(data->x.n <= 64);
    assert_int_equal(mat_columns(&all, first, 2, x, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < data->x.n; i++)
        value[i] = 2 * x[i] - x[data->x.n + i] + 0.5 * rng_normal(r);
    if (m->tasks & TASK_REGRESSION) {
        assert_int_equal(pare_data_set_values(data, value, &err), PARE_OK);
        return;
    }
    for (int64_t i = 0; i < data->x.n; i++) {
        value[i] = exp(value[i] / 2);
        event[i] = i % 4 > 0;
    }
    assert_int_equal(pare_data_set_time_event(data, value, event, &err), PARE_OK);
}

static pare_model *fit(const method *m, const pare_data *data, const char *const *pairs) {
    pare_settings *set = settings_make(m->name, pairs);
    pare_model *model = NULL;
    pare_error err;
    const char *task = m->tasks & TASK_REGRESSION ? "regress"
                       : m->tasks & TASK_SURVIVAL ? "survival"
                                                  : "classify";
    if (pare_settings_set(set, "task", task, &err) != PARE_OK ||
        pare_fit(&model, data, set, NULL, &err) != PARE_OK)
        fail_msg("%s: %s", m->name, err.message);
    pare_settings_free(set);
    return model;
}

/* The problem with the groups: the selection problem, or the only one. */
static pare_report report(const pare_model *m) {
    return m->has_selection ? m->selection : m->predictor;
}

static void check_all(const method *m, const problem_shape *shape, const char *const *pairs) {
    rng r;
    rng_seed(&r, 77, (uint64_t)shape->d);
    pare_data *data = problem_make(&r, shape);
    set_values(data, m, &r);
    group(data, 4);
    pare_model *model = fit(m, data, pairs);
    pare_report own = report(model), last, selection;
    if (!(own.certificate.relative <= 1.01e-5) || own.outcome == PARE_MAX_ITER)
        fail_msg("%s: outcome %s, objective %g, relative %g", m->name,
                 pare_outcome_name(own.outcome), own.objective, own.certificate.relative);
    for (int64_t i = 0; i < model->n_selected; i++) /* whole groups */
        for (int64_t j = 0; j < data->x.d; j++) {
            bool same = model->group_of[j] == model->group_of[model->index[i]], there = false;
            for (int64_t q = 0; q < model->n_selected; q++) there |= model->index[q] == j;
            bool constant = shape->constant && j == 1;
            if (same && !there && !constant) fail_msg("%s: a group is cut", m->name);
        }
    pare_error err;
    pare_verdict verdict;
    ungroup(data); /* the model has them */
    assert_int_equal(pare_verify(&verdict, model, data, NULL, &err), PARE_OK);
    if (!verdict.holds) fail_msg("%s: %s", m->name, verdict.sentence);
    int64_t *mine = (int64_t *)model->group_of;
    for (int64_t j = 0; j < data->x.d; j++) mine[j] = j;
    model->n_groups = data->x.d;
    if (pare_check(&last, &selection, model, data, NULL, &err) == PARE_OK &&
        model->n_selected > 0 && own.objective > 0) {
        pare_report other = model->has_selection ? selection : last;
        if (fabs(other.objective - own.objective) <= 1e-6 * fabs(own.objective) &&
            other.certificate.relative <= 1e-6)
            fail_msg("%s: groups of one prove the same", m->name);
    }
    pare_model_free(model);
    pare_data_free(data);
}

static void certificates_know_the_groups(void **state) {
    (void)state;
    int seen = 0;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        for (int s = 0; has_groups(m) && s < N_SHAPES; s++) {
            if (!suits(m, shapes[s].classes)) continue;
            check_all(m, &shapes[s], PAIRS("scale", "standard"));
            check_all(m, &shapes[s], PAIRS("scale", "minmax"));
            check_all(m, &shapes[s], PAIRS("k", "2"));
            seen++;
        }
    }
    assert_true(seen >= 16);
}

/* Every feature is a group by itself: the same model. */
static void groups_of_one_change_nothing(void **state) {
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        if (!has_groups(m)) continue;
        rng r = rng_from(78);
        pare_data *data = problem_make(&r, &shapes[0]);
        set_values(data, m, &r);
        pare_model *plain = fit(m, data, PAIRS("scale", "standard"));
        group(data, 1);
        pare_model *single = fit(m, data, PAIRS("scale", "standard"));
        double a = report(plain).objective, b = report(single).objective;
        bool same = plain->n_selected == single->n_selected;
        if (!(fabs(a - b) <= 1e-6 * fabs(a)) || (m->has_certificate && !same))
            fail_msg("%s: %.10g and %.10g, %d and %d features", m->name, a, b,
                     (int)plain->n_selected, (int)single->n_selected);
        pare_model_free(single);
        pare_model_free(plain);
        pare_data_free(data);
    }
}

TEST_FILE(test_group_problems) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(certificates_know_the_groups),
                                       cmocka_unit_test(groups_of_one_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
