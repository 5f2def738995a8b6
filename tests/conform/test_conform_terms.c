/* Feature terms, of every method: left-out columns, forced-in features, costs and budgets. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "registry.h"

enum { N = 14, D = 7, KEPT = 4 };
static const sheet_shape clear = {N, D, 1, 2};

/* The model's own report holds on data without the terms, and after writing and reading it. */
static void verify(const conform_case *c, const pare_model *m, const sheet *t) {
    pare_data *plain = sheet_data(t, false);
    pare_verdict v;
    pare_error err;
    pare_model *again;
    assert_int_equal(pare_data_set_groups(plain, NULL, &err), PARE_OK);
    char *text = conform_text(c, m);
    if (pare_model_parse(&again, text, strlen(text), NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    if (pare_verify(&v, again, plain, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    if (!v.holds) conform_fail(c, "%s", v.sentence);
    pare_text_free(text, NULL);
    pare_model_free(again);
    pare_data_free(plain);
}

/* The default problem, or a setting that changes the problem. */
static bool asks(const conform_case *c) {
    static const char *const problem[] = {"penalty", "loss", "algorithm"};
    bool found = !c->name;
    for (int i = 0; i < 3 && c->name && c->chooses; i++) found |= strcmp(c->name, problem[i]) == 0;
    return found;
}

static bool ranks(const conform_case *c) { return !method_named(c->method)->ranks_none; }

/* --- left-out columns --- */

/* Groups would change: those of a sheet go by the number of the column. */
static pare_data *ungrouped(const sheet *t, bool sparse) {
    pare_data *data = sheet_data(t, sparse);
    pare_error err;
    assert_int_equal(pare_data_set_groups(data, NULL, &err), PARE_OK);
    return data;
}

static void leave_out(const conform_case *c, void *user) {
    (void)user;
    if (c->name || !c->chooses) return;
    rng r = rng_from(41);
    sheet t = sheet_for(&r, c, clear);
    const int64_t stay[] = {0, 2, 3, 5, 6};
    sheet fewer = sheet_pick(&t, NULL, 0, stay, 5);
    for (int sparse = 0; sparse < 2; sparse++) {
        pare_data *a = ungrouped(&t, sparse), *b = ungrouped(&fewer, sparse);
        pare_error err;
        assert_int_equal(pare_data_choose(a, "re:[1-7]", "x2,x5", NULL, &err), PARE_OK);
        assert_int_equal(pare_data_d(a), 5);
        pare_model *ma = conform_fit(c, a, true, 1), *mb = conform_fit(c, b, true, 1);
        conform_same(c, ma, a, mb, b, NULL);
        char made_up[32];
        for (int64_t i = 0; i < pare_model_get(ma)->n_selected; i++) {
            int64_t j = pare_model_get(ma)->index[i];
            if (method_named(c->method)->expand) continue;
            assert_string_equal(pare_model_get(ma)->name[i], pare_data_name(a, j, made_up));
        }
        pare_model_free(mb);
        pare_model_free(ma);
        pare_data_free(b);
        pare_data_free(a);
    }
    sheet_free(&fewer);
    sheet_free(&t);
}

/* A model of some columns of data without names finds them in new data by their numbers. */
static void predict_by_number(const conform_case *c, void *user) {
    (void)user;
    if (c->name || !c->chooses) return;
    rng r = rng_from(42);
    sheet t = sheet_for(&r, c, clear);
    pare_data *a = sheet_data(&t, false), *whole = sheet_data(&t, false);
    pare_error err;
    assert_int_equal(pare_data_choose(a, NULL, "x1,x3", NULL, &err), PARE_OK);
    pare_model *m = conform_fit(c, a, false, 1);
    double *on_a = conform_predict(c, m, a), *on_whole = conform_predict(c, m, whole);
    for (int64_t e = 0; e < N * pare_model_get(m)->n_outputs; e++)
        if (!(fabs(on_a[e] - on_whole[e]) <= 1e-12 * fmax(1, fabs(on_a[e]))))
            conform_fail(c, "sample %lld: %g on all columns, %g on those left", (long long)e,
                         on_whole[e], on_a[e]);
    free(on_whole);
    free(on_a);
    pare_model_free(m);
    pare_data_free(whole);
    pare_data_free(a);
    sheet_free(&t);
}

/* --- forced-in features --- */

static void keep_column(pare_data *data, int64_t j) {
    bool kept[D] = {false};
    pare_error err;
    kept[j] = true;
    assert_int_equal(pare_data_set_kept(data, kept, &err), PARE_OK);
    if (data->groups.count == 0) return;
    const char *group[D]; /* a group is forced in as a whole */
    for (int64_t q = 0; q < D; q++) group[q] = q == j ? "kept" : q % 2 ? "odd" : "even";
    assert_int_equal(pare_data_set_groups(data, group, &err), PARE_OK);
}

static pare_model *fit_kept(const conform_case *c, const sheet *t) {
    pare_data *data = sheet_data(t, false);
    keep_column(data, KEPT);
    pare_model *m = conform_fit_if(c, data, true, 1);
    pare_data_free(data);
    return m;
}

static void keep_one(const conform_case *c, void *user) {
    (void)user;
    if (!asks(c)) return;
    rng r = rng_from(43);
    sheet t = sheet_for(&r, c, clear);
    pare_model *m = fit_kept(c, &t);
    if (!m) {
        if (!method_named(c->method)->cannot_keep && !c->name) conform_fail(c, "refused");
    } else {
        if (method_named(c->method)->cannot_keep) conform_fail(c, "not refused");
        if (pare_model_get(m)->n_kept != 1 || pare_model_get(m)->index[0] != KEPT)
            conform_fail(c, "the kept feature is not the first");
        bool grouped = c->value && strcmp(c->value, "group") == 0; /* k counts groups */
        if (c->chooses && ranks(c) && !grouped && pare_model_get(m)->n_selected != CONFORM_K + 1)
            conform_fail(c, "%lld features beside the kept one",
                         (long long)pare_model_get(m)->n_selected - 1);
        verify(c, m, &t);
    }
    pare_model_free(m);
    sheet_free(&t);
}

/* Two descents on one problem may stop at different points where it is flat, if the objectives
 * agree. */
static bool are_as_low(const pare_model *a, const pare_model *b) {
    pare_report one, other;
    if (!selection_of(&one, a) || !selection_of(&other, b)) return false;
    bool descends = method_named(pare_model_get(a)->method)->done == PARE_STATIONARY;
    return descends && one.outcome != PARE_OPTIMAL && other.outcome != PARE_OPTIMAL &&
           fabs(one.objective - other.objective) <= 2e-3 * fabs(one.objective);
}

/* The part of a feature that the forced-in feature explains does not matter. */
static void take_away(const conform_case *given, void *user) {
    (void)user;
    conform_case c = *given;
    const method *m = method_named(c.method);
    bool graph = strcmp(c.method, "laplacian") == 0 || strcmp(c.method, "spectrum") == 0;
    if (m->cannot_keep || m->expand || c.name || graph) return;
    c.scale = "none";
    rng r = rng_from(44);
    sheet t = sheet_for(&r, &c, clear);
    pare_model *a = fit_kept(&c, &t);
    for (int64_t i = 0; i < N; i++) {
        t.x[0 * N + i] += 0.7 * t.x[KEPT * N + i] + 0.2;
        t.x[2 * N + i] -= 0.4 * t.x[KEPT * N + i];
    }
    pare_model *b = fit_kept(&c, &t);
    if (a && b && ranks(&c)) {
        const pare_model_info *of_a = pare_model_get(a), *of_b = pare_model_get(b);
        const int64_t *first = of_a->ranking, *second = of_b->ranking;
        const double *at = of_a->ranking_score, *bt = of_b->ranking_score;
        for (int64_t i = 1; i < D; i++) {
            if (first[i] != second[i]) conform_fail(&c, "another ranking");
            bool same = fabs(at[i] - bt[i]) <= 2e-3 * fmax(fabs(at[i]), 1e-3);
            if (!same && !are_as_low(a, b)) conform_fail(&c, "score %g becomes %g", at[i], bt[i]);
        }
    }
    pare_model_free(b);
    pare_model_free(a);
    sheet_free(&t);
}

/* --- costs and budgets --- */

static const double costs[D] = {2, 0.5, 1, 3, 0.25, 1, 4};

static void set_costs(pare_data *data, double times) {
    double own[D];
    pare_error err;
    for (int64_t j = 0; j < D; j++) own[j] = times > 0 ? times * costs[j] : 1;
    assert_int_equal(pare_data_set_costs(data, own, &err), PARE_OK);
}

static void cost_1_is_none(const conform_case *c, void *user) {
    (void)user;
    if (c->name || !c->chooses) return;
    rng r = rng_from(45);
    sheet t = sheet_for(&r, c, clear);
    pare_data *a = sheet_data(&t, false), *b = sheet_data(&t, false);
    set_costs(a, 0);
    pare_model *ma = conform_fit(c, a, true, 1), *mb = conform_fit(c, b, true, 1);
    conform_same(c, ma, a, mb, b, NULL);
    pare_model_free(mb);
    pare_model_free(ma);
    pare_data_free(b);
    pare_data_free(a);
    sheet_free(&t);
}

static void costs_are_certified(const conform_case *c, void *user) {
    (void)user;
    if (!asks(c)) return;
    rng r = rng_from(46);
    sheet t = sheet_for(&r, c, clear);
    pare_data *data = sheet_data(&t, false);
    set_costs(data, 1);
    pare_model *m = conform_fit(c, data, false, 1);
    verify(c, m, &t);
    pare_model_free(m);
    pare_data_free(data);
    sheet_free(&t);
}

/* For scores that are divided by costs: the same as dividing the scores without costs. */
static void scores_per_cost(const conform_case *c, void *user) {
    (void)user;
    const method *m = method_named(c->method);
    if (c->name || !c->chooses || m->cost != COST_SCORES || m->expand || !ranks(c)) return;
    rng r = rng_from(47);
    sheet t = sheet_for(&r, c, clear);
    pare_data *a = sheet_data(&t, false), *b = sheet_data(&t, false);
    set_costs(a, 1);
    pare_model *ma = conform_fit(c, a, false, 1), *mb = conform_fit(c, b, false, 1);
    const pare_model_info *of_a = pare_model_get(ma), *of_b = pare_model_get(mb);
    const int64_t *first = of_a->ranking, *second = of_b->ranking;
    const double *with = of_a->ranking_score, *without = of_b->ranking_score;
    for (int64_t i = 0; i < D; i++)
        for (int64_t q = 0; q < D; q++) {
            double s = without[q], cost = costs[second[q]];
            if (first[i] != second[q] || with[i] == (s < 0 ? s * cost : s / cost)) continue;
            conform_fail(c, "score %g at cost %g is %g", s, cost, with[i]);
        }
    for (int64_t i = 1; i < D; i++)
        if (with[i] > with[i - 1]) conform_fail(c, "not in the order of the scores");
    pare_model_free(mb);
    pare_model_free(ma);
    pare_data_free(b);
    pare_data_free(a);
    sheet_free(&t);
}

static void fill_budget(const conform_case *c, void *user) {
    double budget = *(double *)user, left = budget;
    if (c->name || !c->chooses || !ranks(c) || method_named(c->method)->expand) return;
    conform_case own = *c;
    own.chooses = false;
    rng r = rng_from(48);
    sheet t = sheet_for(&r, c, clear);
    pare_data *data = sheet_data(&t, false);
    pare_settings *set = conform_settings(&own, true, NULL);
    pare_error err;
    pare_model *m;
    char text[32];
    bool kept = !method_named(c->method)->cannot_keep;
    set_costs(data, 1);
    if (kept) keep_column(data, KEPT);
    snprintf(text, sizeof text, "%g", budget);
    assert_int_equal(pare_settings_set(set, "budget", text, &err), PARE_OK);
    if (pare_fit(&m, data, set, NULL, &err) != PARE_OK) {
        conform_fail(c, "%s", err.message);
    } else {
        const int64_t *ranking = pare_model_get(m)->ranking;
        int64_t at = 0;
        for (int64_t i = 0; i < D; i++) {
            bool fits = (kept && i == 0) || costs[ranking[i]] <= left;
            if (!fits) continue;
            if (i > 0 || !kept) left -= costs[ranking[i]];
            if (at == pare_model_get(m)->n_selected || pare_model_get(m)->index[at++] != ranking[i])
                conform_fail(c, "what still fits is not selected");
        }
        if (at != pare_model_get(m)->n_selected) conform_fail(c, "more is selected than fits");
        pare_model_free(m);
    }
    pare_settings_free(set);
    pare_data_free(data);
    sheet_free(&t);
}

static void a_column_left_out_is_not_there(void **state) {
    (void)state;
    conform_walk(leave_out, NULL);
    conform_walk(predict_by_number, NULL);
}

static void a_kept_feature_is_first_and_certified(void **state) {
    (void)state;
    conform_walk(keep_one, NULL);
}

static void what_kept_features_explain_does_not_matter(void **state) {
    (void)state;
    conform_walk(take_away, NULL);
}

static void costs_of_1_are_none(void **state) {
    (void)state;
    conform_walk(cost_1_is_none, NULL);
}

static void costs_are_in_the_certificates(void **state) {
    (void)state;
    conform_walk(costs_are_certified, NULL);
    conform_walk(scores_per_cost, NULL);
}

static void a_budget_is_filled_in_order(void **state) {
    (void)state;
    double budget = 3.5;
    conform_walk(fill_budget, &budget);
}

TEST_FILE(test_conform_terms) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_left_out_is_not_there),
        cmocka_unit_test(a_kept_feature_is_first_and_certified),
        cmocka_unit_test(what_kept_features_explain_does_not_matter),
        cmocka_unit_test(costs_of_1_are_none),
        cmocka_unit_test(costs_are_in_the_certificates),
        cmocka_unit_test(a_budget_is_filled_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
