/* Error control, of every method that only selects: the proportion of half-samples that select a
 * feature is the selection frequency of a path with these half-samples as its training folds. And
 * of every method: both kinds of error control work, or return an error. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "registry.h"
#include "select/path.h"
#include "support/fits.h"

enum { N = 40, D = 30, PAIRS = 4 };

static const char *const task_names[] = {"binary", "regression", "ranking", "survival"};
static const unsigned task_bits[] = {TASK_BINARY, TASK_REGRESSION, TASK_RANKING, TASK_SURVIVAL};
enum { N_TASKS = sizeof task_bits / sizeof task_bits[0] };

static pare_data *data_for(const method *m, int task, sheet *t) {
    rng r = rng_from(17);
    *t = sheet_random(&r, task_names[task], (sheet_shape){N, D, 1, 1});
    for (int64_t i = 0; m->counts && i < (int64_t)N * D; i++) t->x[i] = fabs(t->x[i]);
    return sheet_data(t, false);
}

/* role: 2 PAIRS x N, the halves train and all others test. */
static void take_roles(int8_t *role, const pare_path *p) {
    memset(role, PART_TEST, 2 * PAIRS * N);
    for (int i = 0; i < 2 * PAIRS; i++)
        for (int64_t e = 0; e < p->control.half[i].n_train; e++)
            role[i * N + p->control.half[i].train[e]] = PART_TRAIN;
}

static double share_in(const pare_path *p, int64_t feature) {
    for (int64_t i = 0; i < p->run[0].n_frequency; i++)
        if (p->run[0].frequency[i].index == feature) return p->run[0].frequency[i].share[0];
    return 0;
}

static void compare(const method *m, int task) {
    sheet t;
    pare_data *data = data_for(m, task, &t);
    char size[32];
    int8_t role[2 * PAIRS * N];
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = o.substitutes = 0;
    o.sizes = "1";
    o.error_control = "pfer=2";
    o.error_bound = "plain";
    o.error_pairs = PAIRS;
    pare_path *p = path_or_fail(data, m->name, NULL, &o);
    const control_result *c = &p->run[0].control;
    assert_true(c->done);
    assert_int_equal(p->control.rule.q, 6); /* sqrt(0.8 * 2 * 30) */
    take_roles(role, p);
    snprintf(size, sizeof size, "%d", (int)p->control.rule.q);
    o.error_control = NULL;
    o.sizes = size;
    o.n_parts = 2 * PAIRS;
    o.part_of = role;
    pare_path *parts = path_or_fail(data, m->name, NULL, &o);
    assert_false(parts->run[0].control.done);
    for (int64_t i = 0; i < c->n_listed; i++) {
        double other = share_in(parts, c->feature[i].index);
        /* error control leaves ties at the end out; the path breaks them by index */
        if (!(c->feature[i].value <= other + 1e-12))
            fail_msg("%s: feature %d has a share of %g, in a path of %g", m->name,
                     (int)c->feature[i].index, c->feature[i].value, other);
        bool often = c->feature[i].value * 2 * PAIRS >= (double)p->control.rule.times - 1e-9;
        assert_int_equal(often, i < c->n_selected);
    }
    double sum = 0;
    for (int64_t i = 0; i < c->n_listed; i++) sum += c->feature[i].value;
    if (!(sum <= 6 + 1e-9 && sum > 1)) fail_msg("%s: the shares add up to %g", m->name, sum);
    pare_path_free(p);
    pare_path_free(parts);
    pare_data_free(data);
    sheet_free(&t);
}

static void shares_are_those_of_a_path(void **state) {
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        if (!m->selects_only || m->expand) continue;
        for (int task = 0; task < N_TASKS; task++)
            if (m->tasks & task_bits[task]) {
                compare(m, task);
                break;
            }
    }
}

/* Every method supports each kind of error control, or returns an error. */
static void every_method_answers(void **state) {
    (void)state;
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        const method *m = method_named(method_at(i).name);
        for (int kind = 0; kind < 2; kind++) {
            int task = 0;
            while (!(m->tasks & task_bits[task])) task++;
            sheet t;
            pare_data *data = data_for(m, task, &t);
            pare_settings *set = settings_make(m->name, NULL);
            pare_path_options o;
            pare_path *p;
            pare_error err = {0};
            pare_path_options_init(&o);
            o.folds = 2;
            o.inner = o.substitutes = 0;
            o.error_control = kind ? "fdr=0.2" : "pfer=0.2"; /* two features per half-sample */
            o.sizes = m->ranks_none ? "auto" : "2";
            o.error_pairs = 3;
            o.error_permutations = 20;
            pare_status status =
                pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, NULL, &err);
            bool fine = kind ? m->univariate : !m->ranks_none;
            if ((status == PARE_OK) != fine) fail_msg("%s: %s", m->name, err.message);
            if (fine) assert_true(p->run[0].control.done);
            if (!fine) assert_non_null(strstr(err.message, m->name));
            pare_path_free(p);
            pare_settings_free(set);
            pare_data_free(data);
            sheet_free(&t);
        }
    }
}

TEST_FILE(test_conform_control) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_are_those_of_a_path),
                                       cmocka_unit_test(every_method_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
