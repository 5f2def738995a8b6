/* Signs of coefficients, of every method: those whose row says `signs` obey them in every predictor, with
 * certificates of that problem; all others return an error that lists the first. */
#include "support/conform.h"

#include <string.h>

#include "model/model.h"
#include "registry.h"

enum { N = 14, D = 7 };
static const sheet_shape clear = {N, D, 1, 2};

static const signed char mixed[D] = {-1, 1, 0, -1, 1, 0, 1}, positive[D] = {1, 1, 1, 1, 1, 1, 1};

/* Of the problem itself. */
static bool asks(const conform_case *c) {
    static const char *const kept[] = {"refit", "intercept", "scale",
                                       "ties",  "penalty",   "adaptive"};
    bool found = !c->name;
    for (int i = 0; i < 6 && c->name; i++) found |= strcmp(c->name, kept[i]) == 0;
    return found;
}

static pare_verdict verdict_of(const conform_case *c, const pare_model *m, const pare_data *data) {
    pare_verdict v = {0};
    pare_error err;
    pare_model *again = NULL;
    char *text = conform_text(c, m);
    if (pare_model_parse(&again, text, strlen(text), NULL, &err) != PARE_OK ||
        pare_verify(&v, again, data, NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    pare_text_free(text, NULL);
    pare_model_free(again);
    return v;
}

/* A coefficient of the sign that was asked for is what the other sign forbids. */
static void forbid(const conform_case *c, pare_model *m, const pare_data *plain) {
    const pare_model_info *info = pare_model_get(m);
    for (int64_t i = 0; i < info->n_selected; i++) {
        signed char *sign = &m->sign[info->index[i]];
        if (*sign == 0 || info->coef[i] == 0) continue;
        *sign = (signed char)-*sign;
        if (verdict_of(c, m, plain).holds)
            conform_fail(c, "a wrong sign of %s holds", info->name[i]);
        *sign = (signed char)-*sign;
        return;
    }
}

static void obey_these(const conform_case *c, const sheet *t, const signed char *sign, bool keeps) {
    bool kept[D] = {[1] = true, [3] = true};
    pare_data *data = sheet_data(t, false), *plain = sheet_data(t, false);
    pare_error err;
    assert_int_equal(pare_data_set_signs(data, sign, &err), PARE_OK);
    if (keeps) assert_int_equal(pare_data_set_kept(data, kept, &err), PARE_OK);
    pare_model *m = conform_fit_if(c, data, false, 1);
    if (m) {
        const pare_model_info *info = pare_model_get(m);
        for (int64_t i = 0; i < info->n_selected; i++)
            if (sign[info->index[i]] * info->coef[i] < 0)
                conform_fail(c, "%s has %g", info->name[i], info->coef[i]);
        pare_verdict v = verdict_of(c, m, plain);
        if (!v.holds) conform_fail(c, "%s", v.sentence);
        forbid(c, m, plain);
    } else if (!c->name) {
        conform_fail(c, "no model");
    }
    pare_model_free(m);
    pare_data_free(plain);
    pare_data_free(data);
}

static void obey(const conform_case *c, void *user) {
    (void)user;
    bool classes = strcmp(c->task, "multiclass") == 0;
    if (!method_named(c->method)->signs || classes || !asks(c)) return;
    for (int k = 0; k < 4; k++) {
        rng r = rng_from((uint64_t)(81 + k / 2));
        sheet t = sheet_for(&r, c, clear);
        obey_these(c, &t, k % 2 ? mixed : positive, k == 3);
        sheet_free(&t);
    }
}

static void refuse(const conform_case *c, void *user) {
    (void)user;
    const method *m = method_named(c->method);
    bool several = m->signs && strcmp(c->task, "multiclass") == 0;
    if (c->name || !c->chooses || (m->signs && !several)) return;
    rng r = rng_from(83);
    sheet t = sheet_for(&r, c, clear);
    pare_data *data = sheet_data(&t, false);
    pare_settings *set = conform_settings(c, false, NULL);
    pare_model *model;
    pare_error err;
    assert_int_equal(pare_data_set_signs(data, mixed, &err), PARE_OK);
    if (pare_fit(&model, data, set, NULL, &err) != PARE_E_ARGUMENT) conform_fail(c, "no error");
    pare_model_free(model);
    if (!strstr(err.message, "`sign`")) conform_fail(c, "%s", err.message);
    for (int64_t i = 0; i < pare_methods_count() && !several; i++) {
        const char *name = method_at(i).name;
        if (method_named(name)->signs && !strstr(err.message, name))
            conform_fail(c, "%s lacks %s", err.message, name);
    }
    pare_settings_free(set);
    pare_data_free(data);
    sheet_free(&t);
}

/* What the program says of a method is what its row has. */
static void said(const conform_case *c, void *user) {
    pare_method_support s;
    (void)user;
    for (int64_t i = 0; pare_methods_support(&s, i); i++)
        if (strcmp(method_at(i).name, c->method) == 0 && s.sign != method_named(c->method)->signs)
            conform_fail(c, "says %d", s.sign);
}

static void predictors_obey_and_are_certified(void **state) {
    (void)state;
    conform_walk(obey, NULL);
}

static void other_methods_list_those_that_do(void **state) {
    (void)state;
    conform_walk(refuse, NULL);
    conform_walk(said, NULL);
}

TEST_FILE(test_conform_signs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictors_obey_and_are_certified),
        cmocka_unit_test(other_methods_list_those_that_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
