/* The selection from a ranking, in every method: groups as a whole, as many as k counts, in the
 * order of their scores; and with max_correlation no two features that correlate above the limit,
 * by brute force. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "data/dataset.h"
#include "registry.h"

enum { N = 24, D = 9, GROUPS = 4 };
static const int64_t group_of[D] = {0, 1, 1, 2, 2, 2, 3, 1, 3};

static pare_data *make(const sheet *t, bool grouped) {
    pare_data *data = sheet_data(t, false);
    for (int64_t j = 0; grouped && j < t->d; j++) {
        char name[8];
        snprintf(name, sizeof name, "g%d", (int)group_of[j]);
        assert_true(strings_add(&data->groups, &data->mem, name, (int64_t)strlen(name)));
    }
    return data;
}

static pare_model *fit(const conform_case *c, const pare_data *data, const char *const *pairs) {
    pare_settings *set = conform_settings(c, false, NULL);
    pare_model *m = NULL;
    pare_error err;
    for (; *pairs; pairs += 2)
        if (pare_settings_set(set, pairs[0], pairs[1], &err) != PARE_OK)
            conform_fail(c, "%s", err.message);
    pare_status status = pare_fit(&m, data, set, NULL, &err);
    pare_settings_free(set);
    if (status != PARE_OK && status != PARE_E_ARGUMENT && status != PARE_E_INFEASIBLE)
        conform_fail(c, "%s", err.message);
    return m;
}

static void check(const conform_case *c, const pare_model *m, const pare_data *data) {
    pare_verdict verdict;
    pare_error err;
    if (pare_verify(&verdict, m, data, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    if (!verdict.holds) conform_fail(c, "%s", verdict.sentence);
}

/* The number of selected features of each group; fails if a group is selected in part. */
static int64_t whole_groups(const conform_case *c, const pare_model *m) {
    int64_t have[GROUPS] = {0}, size[GROUPS] = {0}, count = 0;
    for (int64_t j = 0; j < D; j++) size[group_of[j]]++;
    for (int64_t i = 0; i < pare_model_get(m)->n_selected; i++)
        have[group_of[pare_model_get(m)->index[i]]]++;
    for (int64_t g = 0; g < GROUPS; g++) {
        if (have[g] != 0 && have[g] != size[g]) conform_fail(c, "group %d is cut", (int)g);
        count += have[g] > 0;
    }
    for (int64_t i = 1; i < pare_model_get(m)->n_selected; i++)
        if (pare_model_get(m)->score[i] > pare_model_get(m)->score[i - 1])
            conform_fail(c, "scores rise");
    return count;
}

/* The groups' scores from those of a fit without groups. */
static void expect_scores(const conform_case *c, const pare_model *plain, const pare_model *m) {
    const method *how = method_named(c->method);
    double square[GROUPS] = {0}, sum[GROUPS] = {0}, size[GROUPS] = {0}, want;
    if (pare_model_get(plain)->n_ranked != D || how->groups == GROUPS_BEST || how->groups_own)
        return;
    const double *score = pare_model_get(plain)->ranking_score;
    const int64_t *ranking = pare_model_get(plain)->ranking;
    for (int64_t i = 0; i < D; i++) {
        int64_t g = group_of[ranking[i]];
        if (how->groups == GROUPS_NORM && score[i] <= 0) return; /* by prices */
        square[g] = hypot(square[g], score[i]);
        sum[g] += score[i];
        size[g]++;
    }
    for (int64_t i = 0; i < pare_model_get(m)->n_selected; i++) {
        int64_t g = group_of[pare_model_get(m)->index[i]];
        want = how->groups == GROUPS_MEAN ? sum[g] / size[g] : square[g];
        if (!(fabs(pare_model_get(m)->score[i] - want) <= 1e-3 * fabs(want)) &&
            how->nested == false && !how->needs_k && strstr(c->method, "arom") == NULL)
            conform_fail(c, "the score of a group is %g, not %g", pare_model_get(m)->score[i],
                         want);
    }
}

static void choose_groups(const conform_case *c, void *user) {
    rng r;
    (void)user;
    rng_seed(&r, 51, 0);
    if (c->name || method_named(c->method)->ranks_none || method_named(c->method)->expand) return;
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, 1, 2.5});
    pare_data *data = make(&t, true), *without = make(&t, false);
    for (int by_features = 0; by_features < 2; by_features++) {
        const char *count = by_features ? "features" : "groups", *k = by_features ? "5" : "2";
        pare_model *m =
            fit(c, data, c->chooses ? PAIRS("k", k, "count", count) : PAIRS("count", count));
        if (!m && !method_named(c->method)->cannot_group) conform_fail(c, "groups are refused");
        if (!m) continue;
        int64_t groups = whole_groups(c, m);
        if (c->chooses && !by_features && groups != 2)
            conform_fail(c, "%d groups instead of 2", (int)groups);
        if (c->chooses && by_features && pare_model_get(m)->n_selected > 5)
            conform_fail(c, "%d features instead of 5", (int)pare_model_get(m)->n_selected);
        pare_model *plain = by_features ? NULL : fit(c, without, PAIRS("count", count));
        if (plain && c->chooses) expect_scores(c, plain, m);
        if (!by_features) check(c, m, without); /* the model knows its groups */
        pare_model_free(plain);
        pare_model_free(m);
    }
    pare_data_free(without);
    pare_data_free(data);
    sheet_free(&t);
}

static void groups_are_selected_as_a_whole(void **state) {
    (void)state;
    conform_walk(choose_groups, NULL);
}

/* Every feature is a group by itself: the same features, with the same scores. */
static void choose_single(const conform_case *c, void *user) {
    rng r;
    (void)user;
    rng_seed(&r, 52, 0);
    const method *how = method_named(c->method);
    if (c->name || c->chooses || how->ranks_none || how->expand || how->cannot_group) return;
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, 1, 2.5});
    pare_data *plain = make(&t, false), *data = make(&t, false);
    for (int64_t j = 0; j < D; j++) {
        char name[8];
        snprintf(name, sizeof name, "g%d", (int)j);
        assert_true(strings_add(&data->groups, &data->mem, name, (int64_t)strlen(name)));
    }
    pare_model *a = fit(c, plain, PAIRS("count", "groups")),
               *b = fit(c, data, PAIRS("count", "groups")); /* no k: a range of lambdas gives the
                                                               same k */
    if (!a != !b) conform_fail(c, "groups of one are refused, or allow more");
    if (a && pare_model_get(a)->n_selected != pare_model_get(b)->n_selected)
        conform_fail(c, "groups of one: %d features, not %d", (int)pare_model_get(b)->n_selected,
                     (int)pare_model_get(a)->n_selected);
    for (int64_t i = 0; a && b && i < 3 && i < pare_model_get(a)->n_selected; i++) {
        double x = pare_model_get(a)->score[i], y = pare_model_get(b)->score[i];
        if (pare_model_get(a)->index[i] != pare_model_get(b)->index[i] ||
            !(fabs(x - y) <= 1e-4 * fabs(x)))
            conform_fail(c, "with groups of one feature %d of score %g is %d of %g",
                         (int)pare_model_get(a)->index[i], x, (int)pare_model_get(b)->index[i], y);
    }
    pare_model_free(b);
    pare_model_free(a);
    pare_data_free(data);
    pare_data_free(plain);
    sheet_free(&t);
}

static void groups_of_one_change_nothing(void **state) {
    (void)state;
    conform_walk(choose_single, NULL);
}

/* --- correlations --- */

static double correlation(const sheet *t, int64_t a, int64_t b) {
    double total = 0, ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (int64_t i = 0; i < t->n; i++) {
        double w = t->weight ? t->weight[i] : 1;
        total += w;
        ma += w * t->x[a * t->n + i];
        mb += w * t->x[b * t->n + i];
    }
    for (int64_t i = 0; i < t->n; i++) {
        double w = t->weight ? t->weight[i] : 1;
        double x = t->x[a * t->n + i] - ma / total, y = t->x[b * t->n + i] - mb / total;
        aa += w * x * x;
        bb += w * y * y;
        ab += w * x * y;
    }
    return ab / sqrt(aa * bb);
}

/* Whether feature j is among the substitutes of some selected one, with its correlation. */
static bool is_listed(const conform_case *c, const pare_model *m, const sheet *t, int64_t j) {
    char *text = conform_text(c, m);
    json_t *file = json_loads(text, 0, NULL), *selected = json_object_get(file, "selected");
    bool found = false;
    for (size_t i = 0; i < json_array_size(selected); i++) {
        json_t *feature = json_array_get(selected, i);
        json_t *list = json_object_get(feature, "substitutes");
        for (size_t q = 0; q < json_array_size(list); q++) {
            json_t *one = json_array_get(list, q);
            int64_t of = json_integer_value(json_object_get(feature, "index"));
            double r = json_number_value(json_object_get(one, "correlation"));
            if (json_integer_value(json_object_get(one, "index")) == j)
                found = fabs(r - correlation(t, of, j)) < 1e-8;
        }
    }
    json_decref(file);
    pare_text_free(text, NULL);
    return found;
}

static void choose_uncorrelated(const conform_case *c, void *user) {
    static const double LIMIT = 0.8;
    rng r;
    (void)user;
    rng_seed(&r, 53, 0);
    if (c->name || !c->chooses || method_named(c->method)->expand) return;
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, 1, 2.5});
    for (int64_t j = 5; j < D; j++) /* the last are almost copies of the first, some with the sign
                                       changed */
        for (int64_t i = 0; i < N; i++) {
            double other = t.x[(j - 5) * N + i] + 0.1 * t.x[j * N + i];
            t.x[j * N + i] = j % 2 && !method_named(c->method)->counts ? 3 - other : other;
        }
    assert_non_null(t.weight = malloc(sizeof(double) * N));
    for (int64_t i = 0; i < N; i++) t.weight[i] = 1 + (double)(i % 4);
    pare_data *data = make(&t, false);
    pare_model *m = fit(c, data, PAIRS("max_correlation", "0.8", "k", "4"));
    if (m) {
        const int64_t *ranking = pare_model_get(m)->ranking;
        int64_t want[D], count = 0;
        for (int64_t i = 0; i < D && count < 4; i++) {
            bool uncorrelated = true;
            for (int64_t q = 0; q < count; q++)
                uncorrelated &= fabs(correlation(&t, want[q], ranking[i])) <= LIMIT;
            if (uncorrelated) want[count++] = ranking[i];
            if (!uncorrelated && !is_listed(c, m, &t, ranking[i]))
                conform_fail(c, "feature %d is not listed", (int)ranking[i]);
        }
        if (pare_model_get(m)->n_selected != count)
            conform_fail(c, "%d features, not %d", (int)pare_model_get(m)->n_selected, (int)count);
        for (int64_t i = 0; i < count; i++)
            if (pare_model_get(m)->index[i] != want[i])
                conform_fail(c, "feature %d is %d, not %d", (int)i,
                             (int)pare_model_get(m)->index[i], (int)want[i]);
        check(c, m, data);
    } else if (!method_named(c->method)->ranks_none) {
        conform_fail(c, "max_correlation is refused");
    }
    pare_model_free(m);
    pare_data_free(data);
    sheet_free(&t);
}

static void no_two_features_say_the_same(void **state) {
    (void)state;
    conform_walk(choose_uncorrelated, NULL);
}

TEST_FILE(test_conform_choice) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_selected_as_a_whole),
        cmocka_unit_test(groups_of_one_change_nothing),
        cmocka_unit_test(no_two_features_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
