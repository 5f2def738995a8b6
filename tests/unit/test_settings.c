/* Settings: defaults, bounds, words, and the table itself. */
#include "support/fits.h"

#include <math.h>
#include <string.h>

#include "base/settings.h"
#include "method/pipeline.h"
#include "registry.h"
#include "task/task.h"

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
        pare_method_info about = method_at(m);
        assert_non_null(about.tasks);
        pare_settings *s = settings_make(about.name, NULL);
        for (int64_t i = 0; i < pare_settings_count(s); i++) {
            pare_setting_info info, other;
            assert_true(pare_settings_info(&info, s, i));
            pare_error err;
            char text[TEXT_SIZE];
            if (pare_settings_set(s, info.name, info.fallback, &err) != PARE_OK)
                fail_msg("%s: %s", about.name, err.message);
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

/* The default pipeline takes every setting of what it stands for, each name once. */
static void a_pipeline_takes_those_of_its_parts(void **state) {
    (void)state;
    const char *const named[] = {"lda-forward", "svm-rfe", "lasso", "inf-push", "cox"};
    pare_settings *all, *part;
    pare_setting_info one, other;
    pare_error err;
    char value[64];
    assert_int_equal(pare_settings_new(&all, "auto", NULL, NULL), PARE_OK);
    for (size_t m = 0; m < sizeof named / sizeof *named; m++) {
        assert_true(settings_is_part(GROUP_automatic, method_named(named[m])->group));
        assert_int_equal(pare_settings_new(&part, named[m], NULL, NULL), PARE_OK);
        for (int64_t i = 0; pare_settings_info(&one, part, i); i++) {
            int times = 0;
            for (int64_t j = 0; pare_settings_info(&other, all, j); j++)
                times += strcmp(one.name, other.name) == 0;
            assert_int_equal(times, 1);
        }
        pare_settings_free(part);
    }
    const int64_t sizes[] = {5, 500};
    const task_type *const tasks[] = {&task_binary, &task_multiclass, &task_regression,
                                      &task_ranking, &task_survival};
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++)
        for (int k = 0; k < 2; k++)
            assert_true(settings_is_part(GROUP_automatic,
                                         method_named(pipeline_method(tasks[t], sizes[k]))->group));
    assert_int_equal(pare_settings_set(all, "tol", "0.01", &err), PARE_OK);
    assert_int_equal(pare_settings_get(all, "tol", value, sizeof value, &err), PARE_OK);
    assert_string_equal(value, "0.01");
    assert_true(all->v.svm_rfe.tol == 0.01 && all->v.lasso.tol == 0.01 && all->v.cox.tol == 0.01);
    assert_int_equal(pare_settings_set(all, "C", "-1", &err), PARE_E_ARGUMENT);
    assert_string_equal(err.message, "`C`: \"-1\" is not allowed; expected a number > 0 or inf");
    assert_int_equal(pare_settings_set(all, "degre", "2", &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "did you mean degree"));
    pare_settings_free(all);
}

TEST_FILE(test_settings) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_checked), cmocka_unit_test(listed_defaults_are_in_effect),
        cmocka_unit_test(the_table_is_sound), cmocka_unit_test(final_classifiers_are_listed),
        cmocka_unit_test(a_pipeline_takes_those_of_its_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
