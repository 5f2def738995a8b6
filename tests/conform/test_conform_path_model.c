/* The model of a path is that of a fit with the chosen number of features, to the byte, but for what it
 * tells of its path. */
#include "support/conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, D = 6 };

/* Cuts the object "path" out of the file; NULL: it has none. */
static char *cut_path(char *text) {
    static const char key[] = ",\n \"path\": ";
    char *at = strstr(text, key), *end = at ? strchr(at + 2, '\n') : NULL;
    if (!at) return NULL;
    if (end)
        memmove(at, end - 1, strlen(end - 1) + 1);
    else
        strcpy(at, "}\n");
    return at;
}

static char *fit_at(const conform_case *c, const pare_data *data, int64_t k) {
    char number[24];
    pare_model *m;
    pare_error err;
    pare_settings *set = conform_settings(c, false, NULL);
    snprintf(number, sizeof number, "%lld", (long long)k);
    assert_int_equal(pare_settings_set(set, "k", number, &err), PARE_OK);
    if (pare_fit(&m, data, set, NULL, &err) != PARE_OK) fail_msg("%s: %s", c->title, err.message);
    char *text = conform_text(c, m);
    pare_model_free(m);
    pare_settings_free(set);
    return text;
}

static pare_path *path_of(const conform_case *c, const pare_data *data) {
    pare_path_options o;
    pare_path *p = NULL;
    pare_error err;
    pare_settings *set = conform_settings(c, false, NULL);
    bool chooses = pare_settings_set(set, "k", "auto", &err) == PARE_OK;
    pare_path_options_init(&o);
    o.folds = 3;
    o.inner = 2;
    o.sizes = "2,4";
    o.model = true;
    pare_status status =
        pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, NULL, &err);
    pare_settings_free(set);
    if (status != PARE_OK && status != PARE_E_ARGUMENT && chooses)
        conform_fail(c, "%s", err.message);
    return p;
}

static void compare(const conform_case *c, void *user) {
    rng r = rng_from(91);
    int64_t *compared = user;
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, 1, 3});
    pare_data *data = sheet_data(&t, false);
    pare_path *p = c->name ? NULL : path_of(c, data);
    pare_model *m = p ? pare_path_model(p) : NULL;
    double k = p ? pare_path_number(p, "runs", "chosen.n_features", 0, 0) : 0;
    if (p && !m && k == k) conform_fail(c, "there is no model");
    if (m) {
        char *own = conform_text(c, m), *fitted = fit_at(c, data, (int64_t)k);
        pare_model *again;
        pare_error err;
        if (pare_model_parse(&again, own, strlen(own), NULL, &err) != PARE_OK) {
            conform_fail(c, "%s", err.message);
        } else {
            char *repeated = conform_text(c, again);
            if (strcmp(repeated, own) != 0) conform_fail(c, "a loaded model is another");
            pare_text_free(repeated, NULL);
            pare_model_free(again);
        }
        if (!cut_path(own)) conform_fail(c, "the model has no path");
        if (cut_path(fitted)) conform_fail(c, "a fitted model has a path");
        if (strcmp(own, fitted) != 0) conform_fail(c, "the model is not that of pare_fit");
        if (pare_path_model(p)) conform_fail(c, "a path has its model twice");
        ++*compared;
        pare_text_free(fitted, NULL);
        pare_text_free(own, NULL);
    }
    pare_path_free(p);
    pare_model_free(m);
    pare_data_free(data);
    sheet_free(&t);
}

static void a_path_has_the_model_of_its_fit(void **state) {
    (void)state;
    int64_t compared = 0;
    conform_walk(compare, &compared);
    assert_true(compared > (getenv("CONFORM_METHOD") ? 0 : pare_methods_count()));
}

TEST_FILE(test_conform_path_model) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_path_has_the_model_of_its_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
