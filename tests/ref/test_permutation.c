/* q-values from permuted labels against those that Welch's test has from Student's distribution, which
 * normal features follow closely; and that pooling is left to scores that are alike. */
#include "select/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/p_values.h"
#include "registry.h"
#include "select/path.h"
#include "support/conform.h"

enum { N = 80, D = 150 };

static pare_path *run_path(const pare_data *data, const char *name, int64_t permutations) {
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = o.substitutes = 0;
    o.sizes = "1";
    o.error_control = "fdr=0.9999"; /* all that are not hopeless are listed */
    o.error_permutations = permutations;
    return path_or_fail(data, name, NULL, &o);
}

/* Two-sided p of Welch's test for column j; the second label is that of the last sample. */
static double welch(const sheet *t, int64_t j, const bool *second) {
    double n[2] = {0}, mean[2] = {0}, s[2] = {0};
    for (int64_t i = 0; i < N; i++) {
        n[second[i]]++;
        mean[second[i]] += t->x[j * N + i];
    }
    for (int c = 0; c < 2; c++) mean[c] /= n[c];
    for (int64_t i = 0; i < N; i++) s[second[i]] += pow(t->x[j * N + i] - mean[second[i]], 2);
    double a = s[0] / (n[0] - 1) / n[0], b = s[1] / (n[1] - 1) / n[1];
    double df = (a + b) * (a + b) / (a * a / (n[0] - 1) + b * b / (n[1] - 1));
    return student_two_sided((mean[0] - mean[1]) / sqrt(a + b), df);
}

static void pooled_ones_are_those_of_the_test(void **state) {
    (void)state;
    rng r;
    double p[D], q[D], over = 0;
    bool second[N];
    rng_seed(&r, 8, 0);
    sheet t = sheet_random(&r, "binary", (sheet_shape){N, D, 1, 0});
    for (int64_t i = 0; i < N; i++) {
        second[i] = strcmp(t.label[i], t.label[N - 1]) == 0;
        for (int64_t j = 0; j < D; j++)
            t.x[j * N + i] = rng_normal(&r) + (j < 12 && second[i] ? 0.7 : 0);
    }
    pare_data *data = sheet_data(&t, false);
    pare_path *path = run_path(data, "t-test", 300);
    const control_result *c = &path->run[0].control;
    for (int64_t j = 0; j < D; j++) {
        p[j] = welch(&t, j, second);
        over += p[j] > 0.5;
    }
    assert_true(false_discovery(q, p, D, ctx_allocator(NULL)));
    double share = fmin(1, (1 + over) / (0.5 * D));
    assert_true(c->pooled && fabs(c->nulls - share) < 0.05);
    int64_t compared = 0;
    for (int64_t i = 0; i < c->n_listed; i++) {
        double wanted = share * q[c->feature[i].index];
        if (wanted < 0.01) continue; /* the far tail has few null scores */
        assert_true(fabs(c->feature[i].value - wanted) < 0.12 * wanted + 0.01);
        compared++;
    }
    assert_true(compared > 10);
    pare_path_free(path);
    pare_data_free(data);
    sheet_free(&t);
}

/* Columns in other units, a power of ten apart: a score that depends on them is not pooled, and q-values
 * are the same. */
static void units_do_not_matter(void **state) {
    (void)state;
    static const char *const methods[] = {"corr", "chi2"};
    for (int m = 0; m < 2; m++) {
        rng r = rng_from(9);
        sheet t = sheet_random(&r, "binary", (sheet_shape){N, D, 1, 1});
        for (int64_t i = 0; i < (int64_t)N * D; i++) t.x[i] = fabs(t.x[i]);
        pare_data *data = sheet_data(&t, false);
        pare_path *one = run_path(data, methods[m], 40);
        pare_data_free(data);
        for (int64_t i = 0; i < (int64_t)N * D; i++) t.x[i] *= pow(10, (double)(i / N % 5) - 2);
        data = sheet_data(&t, false);
        pare_path *other = run_path(data, methods[m], 40);
        const control_result *a = &one->run[0].control, *b = &other->run[0].control;
        assert_int_equal(a->pooled, m == 0);
        assert_int_equal(a->n_selected, b->n_selected);
        for (int64_t i = 0; i < a->n_listed; i++)
            assert_true(fabs(a->feature[i].value - b->feature[i].value) < 1e-6);
        pare_path_free(one);
        pare_path_free(other);
        pare_data_free(data);
        sheet_free(&t);
    }
}

/* Costs of 1 and groups of one feature change no score, but then each permutation is a fit of its own: the values are those
 * of permutations that share a pass over X. */
static void together_or_one_by_one(void **state) {
    (void)state;
    enum { WAYS = 3 };
    for (int64_t m = 0; m < pare_methods_count(); m++) {
        const method *own = method_named(method_at(m).name);
        if (!own->by_moments) continue;
        control_result first = {0};
        pare_path *path[WAYS];
        for (int way = 0; way < WAYS; way++) {
            rng r;
            double cost[D];
            char name[D][8];
            const char *group[D];
            pare_error err;
            rng_seed(&r, 12, 0);
            sheet t = sheet_random(&r, "multiclass", (sheet_shape){N, D, 1, 3});
            for (int64_t i = 0; i < N; i++) t.x[2 * N + i] = 7;
            for (int64_t j = 0; j < D; j++) {
                cost[j] = 1;
                snprintf(name[j], sizeof name[j], "g%d", (int)j);
                group[j] = name[j];
            }
            pare_data *data = sheet_data(&t, false);
            if (way == 1) assert_int_equal(pare_data_set_costs(data, cost, &err), PARE_OK);
            if (way == 2) assert_int_equal(pare_data_set_groups(data, group, &err), PARE_OK);
            path[way] = run_path(data, own->name, 37);
            const control_result *c = &path[way]->run[0].control;
            if (way == 0) first = *c;
            assert_int_equal(c->n_listed, first.n_listed);
            assert_true(c->n_listed > 2 && c->nulls == first.nulls);
            for (int64_t i = 0; i < c->n_listed; i++) {
                assert_int_equal(c->feature[i].index, first.feature[i].index);
                assert_true(c->feature[i].value == first.feature[i].value);
            }
            pare_data_free(data);
            sheet_free(&t);
        }
        for (int way = 0; way < WAYS; way++) pare_path_free(path[way]);
    }
}

TEST_FILE(test_permutation) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(together_or_one_by_one),
                                       cmocka_unit_test(pooled_ones_are_those_of_the_test),
                                       cmocka_unit_test(units_do_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
