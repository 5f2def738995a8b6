/* Settings: defaults, bounds, words, and the table itself. */
#include "support/fits.h"

#include <math.h>
#include <string.h>

#include "base/settings.h"

static void refused(pare_settings *s, const char *name, const char *value, const char *expected) {
    pare_error err;
    if (pare_settings_set(s, name, value, &err) != PARE_E_ARGUMENT)
        fail_msg("%s = %s was taken", name, value);
    if (!strstr(err.message, expected)) fail_msg("\"%s\" lacks \"%s\"", err.message, expected);
}

static void values_are_checked(void **state) {
    (void)state;
    pare_settings *s = settings_make("svm", NULL);
    refused(s, "C", "0", "a number > 0 or inf");
    refused(s, "C", "-1", "> 0");
    refused(s, "C", "nan", "> 0");
    refused(s, "C", "1x", "1x");
    refused(s, "C", "", "> 0");
    refused(s, "C", "auto", "> 0");
    refused(s, "C", "1e999", "> 0");
    refused(s, "ridge", "inf", ">= 0");
    refused(s, "ridge", "-0.1", ">= 0");
    refused(s, "tol", "0.5", "<= 0.1");
    refused(s, "k", "0", ">= 1");
    refused(s, "k", "2.5", "a whole number");
    refused(s, "k", "99999999999999999999", "a whole number");
    refused(s, "scale", "Standard", "standard unit minmax robust none");
    refused(s, "scale", "standard unit", "one of");
    refused(s, "scale", "", "one of");
    refused(s, "intercept", "yes", "true or false");
    refused(s, "gamma_ray", "1", "no setting");
    refused(s, "kernl", "rbf", "\"kernl\"; did you mean kernel?");
    refused(s, "Classifier-c", "1", "did you mean classifier_C?");
    pare_settings *written = settings_make("plna", NULL);
    refused(written, "global_bound", "3", "`global_bound` of plna is written by the fit");
    refused(written, "global-bounds", "3", "no setting \"global-bounds\"");
    pare_setting_info info;
    for (int64_t i = 0; pare_settings_info(&info, written, i); i++)
        assert_string_not_equal(info.name, "global_bound");
    pare_settings_free(written);
    pare_error err;
    assert_int_equal(pare_settings_set(s, "C", "inf", &err), PARE_OK);
    assert_true(isinf(s->v.svm.C));
    assert_int_equal(pare_settings_set(s, "classifier-C", "2.5", &err),
                     PARE_OK); /* dash or underscore */
    assert_true(s->v.common.classifier_C == 2.5);
    assert_int_equal(pare_settings_set(s, "k", "7", &err), PARE_OK);
    char text[32];
    assert_int_equal(pare_settings_get(s, "k", text, sizeof text, &err), PARE_OK);
    assert_string_equal(text, "7");
    assert_int_equal(pare_settings_set(s, "k", "auto", &err), PARE_OK);
    assert_int_equal(pare_settings_get(s, "k", text, sizeof text, &err), PARE_OK);
    assert_string_equal(text, "auto");
    assert_int_equal(pare_settings_get(s, "k", text, 3, &err), PARE_E_ARGUMENT);
    pare_settings_free(s);
    assert_int_equal(pare_settings_new(&s, "nonsense", NULL, &err), PARE_E_ARGUMENT);
    assert_null(strstr(err.message, "did you mean"));
    assert_int_equal(pare_settings_new(&s, "svm_rfe", NULL, &err), PARE_E_ARGUMENT);
    assert_string_equal(err.message, "there is no method \"svm_rfe\"; did you mean svm-rfe?");
    assert_int_equal(pare_settings_new(&s, "", NULL, &err), PARE_E_ARGUMENT);
}

/* What is listed as the default is what an untouched setting has, of the default pipeline too. */
static void listed_defaults_are_in_effect(void **state) {
    (void)state;
    for (int64_t m = -1; m < pare_methods_count(); m++) {
        pare_settings *s = settings_make(m < 0 ? "auto" : method_at(m).name, NULL);
        for (int64_t i = 0; i < pare_settings_count(s); i++) {
            pare_setting_info info;
            pare_error err;
            char text[TEXT_SIZE];
            assert_true(pare_settings_info(&info, s, i));
            assert_int_equal(pare_settings_get(s, info.name, text, sizeof text, &err), PARE_OK);
            assert_string_equal(text, info.fallback);
        }
        pare_settings_free(s);
    }
}

/* Each method has settings, each default is itself allowed, each choice fits its field. */
static void the_table_is_sound(void **state) {
    (void)state;
    for (int64_t m = 0; m < pare_methods_count(); m++) {
        pare_method_info method = method_at(m);
        assert_non_null(method.tasks);
        pare_settings *s = settings_make(method.name, NULL);
        for (int64_t i = 0; i < pare_settings_count(s); i++) {
            pare_setting_info info, other;
            assert_true(pare_settings_info(&info, s, i));
            pare_error err;
            char text[TEXT_SIZE];
            if (pare_settings_set(s, info.name, info.fallback, &err) != PARE_OK)
                fail_msg("%s: %s", method.name, err.message);
            assert_int_equal(pare_settings_get(s, info.name, text, sizeof text, &err), PARE_OK);
            assert_string_equal(text, info.fallback);
            assert_true(strlen(info.doc) > 10);
            assert_true(strlen(info.allowed) + 1 < sizeof info.allowed);
            for (int64_t j = 0; j < i; j++)
                if (pare_settings_info(&other, s, j))
                    assert_string_not_equal(info.name, other.name);
            if (strcmp(info.type, "choice") != 0) continue;
            char words[sizeof info.allowed];
            strcpy(words, info.allowed);
            for (char *word = strtok(words + strlen("one of: "), " "); word;
                 word = strtok(NULL, " ")) {
                assert_true(strlen(word) < CHOICE_SIZE);
                assert_int_equal(pare_settings_set(s, info.name, word, &err), PARE_OK);
            }
        }
        pare_setting_info none;
        assert_false(pare_settings_info(&none, s, pare_settings_count(s)));
        assert_false(pare_settings_info(&none, s, -1));
        pare_settings_free(s);
    }
    pare_method_info none;
    assert_false(pare_methods_info(&none, pare_methods_count()));
    assert_false(pare_methods_info(&none, -1));
}

/* Every word of `classifier`, in its order, and no other. */
static void final_classifiers_are_listed(void **state) {
    (void)state;
    pare_settings *s;
    pare_setting_info info;
    pare_classifier c;
    int64_t i = 0, at = 0;
    assert_int_equal(pare_settings_new(&s, "corr", NULL, NULL), PARE_OK);
    while (pare_settings_info(&info, s, at) && strcmp(info.name, "classifier") != 0) at++;
    for (char *word = strtok(info.allowed + strlen("one of: "), " "); word;
         word = strtok(NULL, " "), i++) {
        assert_true(pare_classifier_info(&c, i));
        assert_string_equal(c.name, word);
        assert_true(strlen(c.citation) > 10);
        assert_true(c.log_odds == (strcmp(word, "lda") == 0 || strcmp(word, "logistic") == 0));
    }
    assert_int_equal(i, 5);
    assert_false(pare_classifier_info(&c, i));
    assert_false(pare_classifier_info(&c, -1));
    pare_settings_free(s);
}

TEST_FILE(test_settings) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_checked), cmocka_unit_test(listed_defaults_are_in_effect),
        cmocka_unit_test(the_table_is_sound), cmocka_unit_test(final_classifiers_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
