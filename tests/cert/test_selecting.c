/* The selecting problem is judged with its own values: where a refit resolves an automatic value for
 * itself, the certificate of the selection, the model file and `check` keep the selection's. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"

static const problem_shape shapes[] = {
    {.n = 30, .d = 12, .classes = 2, .signal = 1, .density = 1, .weights = true},
    {.n = 30, .d = 9, .classes = 3, .signal = 1, .density = 1},
    {.n = 30, .d = 15, .classes = 2, .signal = 1, .density = 0.5},
};

/* Fits at k, checks both reports, and again after writing and reading the model. */
static void check_fit(const pare_data *data, const char *name, const char *kernel) {
    const char *const pairs[] = {"k",    "3", "task", "classify", kernel ? "kernel" : NULL,
                                 kernel, NULL};
    pare_model *model = fit_or_fail(data, name, pairs), *loaded;
    pare_report fitted = {0}, found, again;
    pare_error err;
    bool selects = selection_of(&fitted, model);
    if (!selects) goto done;
    bool judged = fitted.certificate.kind == PARE_CERT_DUALITY_GAP;
    if (judged && !(fitted.certificate.relative <= 1e-4))
        fail_msg("%s, kernel %s: the selection's gap is %g", name, kernel ? kernel : "none",
                 fitted.certificate.relative);
    if (judged) assert_int_not_equal(fitted.outcome, PARE_MAX_ITER);
    assert_int_equal(pare_model_save(model, "model.json", NULL, &err), PARE_OK);
    assert_int_equal(pare_model_load(&loaded, "model.json", NULL, &err), PARE_OK);
    assert_int_equal(pare_check(&found, &again, loaded, data, NULL, &err), PARE_OK);
    assert_int_equal(again.certificate.kind, fitted.certificate.kind);
    if (judged) check_close(again.objective, fitted.objective, 1e-9);
    if (judged) assert_true(fabs(again.certificate.relative) <= 1e-4);
    pare_model_free(loaded);
done:
    pare_model_free(model);
}

/* Every kernel that the method's setting allows; without that setting once. */
static void check_method(const pare_data *data, const char *name) {
    pare_settings *s = settings_make(name, NULL);
    pare_setting_info info;
    char words[sizeof info.allowed] = "";
    for (int64_t i = 0; pare_settings_info(&info, s, i); i++)
        if (strcmp(info.name, "kernel") == 0) memcpy(words, info.allowed, sizeof words);
    pare_settings_free(s);
    if (!words[0]) check_fit(data, name, NULL);
    strtok(words, ":"); /* "one of: ..." */
    for (const char *kernel; words[0] && (kernel = strtok(NULL, " "));)
        check_fit(data, name, kernel);
}

static void selections_are_certified_with_their_own_values(void **state) {
    (void)state;
    rng r = rng_from(5);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        problem_shape of_counts = shapes[s];
        of_counts.counts = true;
        rng again = r;
        pare_data *data = problem_make(&r, &shapes[s]), *counts = problem_make(&again, &of_counts);
        for (int64_t i = 0; i < pare_methods_count(); i++) {
            pare_method_info m = method_at(i);
            bool fits = strstr(m.tasks, shapes[s].classes == 2 ? "binary" : "multiclass");
            if (fits && strcmp(m.name, "1nn") != 0) /* it ranks none */
                check_method(method_named(m.name)->counts ? counts : data, m.name);
        }
        pare_data_free(counts);
        pare_data_free(data);
    }
}

TEST_FILE(test_selecting) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_are_certified_with_their_own_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
