/* How callers write the settings that a sentence names, and "did you mean". */
#include "support/support.h"

#include <string.h>

#include <pare/settings.h>

#include "base/error.h"

static void expect_shown(const char *text, const pare_names *names, const char *shown) {
    char out[256];
    assert_int_equal(pare_sentence(out, sizeof out, text, names), strlen(shown));
    assert_string_equal(out, shown);
    for (int64_t size = 0; size < (int64_t)strlen(shown); size++) {
        char cut[256];
        memset(cut, 1, sizeof cut);
        assert_int_equal(pare_sentence(cut, size, text, names), strlen(shown));
        assert_int_equal(cut[size], 1);
        if (size > 0) assert_int_equal(strlen(cut), size - 1);
        if (size > 0) assert_memory_equal(cut, shown, (size_t)size - 1);
    }
}

static void names_are_the_callers(void **state) {
    (void)state;
    static const char *const renamed[] = {"missing drop", "\"leave them out\"", "skip",
                                          "\"Lines above\"", NULL};
    const pare_names options = {.before = "--", .dash = '-'};
    const pare_names arguments = {.before = "(", .after = ")", .equals = "="};
    const pare_names controls = {.after = "", .renamed = renamed};
    const char *text = "give `class_weight`, `missing drop` or `skip 2`; `missing` is `skip`";
    expect_shown(text, &options,
                 "give --class-weight, --missing drop or --skip 2; --missing is --skip");
    expect_shown(text, &arguments,
                 "give (class_weight), (missing=drop) or (skip=2); (missing) is (skip)");
    expect_shown(text, &controls,
                 "give class_weight, \"leave them out\" or \"Lines above\" 2; missing is "
                 "\"Lines above\"");
    const char *unmarked = "`` ` ``a b c` `-x` `a `b";
    expect_shown(unmarked, &options, unmarked);
    expect_shown("", &options, "");
}

static void an_error_names_its_setting(void **state) {
    (void)state;
    pare_error err;
    assert_int_equal(error_set(&err, PARE_E_ARGUMENT, "choose `%s` or `k`", "missing"),
                     PARE_E_ARGUMENT);
    assert_string_equal(err.setting, "missing");
    (void)error_set(&err, PARE_E_DATA, "there is no ` `choice");
    assert_string_equal(err.setting, "");
    pare_settings *s;
    assert_int_equal(pare_settings_new(&s, "svm", NULL, &err), PARE_OK);
    for (int64_t i = 0; i < pare_settings_count(s); i++) {
        pare_setting_info info;
        assert_true(pare_settings_info(&info, s, i));
        if (strcmp(info.type, "text") == 0) continue;
        assert_int_equal(pare_settings_set(s, info.name, "no such value", &err), PARE_E_ARGUMENT);
        assert_string_equal(err.setting, info.name);
    }
    assert_int_equal(pare_settings_set(s, "no_such_setting", "1", &err), PARE_E_ARGUMENT);
    assert_string_equal(err.setting, "");
    pare_settings_free(s);
}

static void the_nearest_name(void **state) {
    (void)state;
    static const char *const names[] = {"class_weight", "classifier", "C", "lambda.min", "gamma"};
    enum { COUNT = sizeof names / sizeof *names };
    assert_int_equal(pare_nearest("Class-Wieght", names, COUNT), 0);
    assert_int_equal(pare_nearest("class", names, COUNT), 0); /* the first of equals */
    assert_int_equal(pare_nearest("lambda_min", names, COUNT), 3);
    assert_int_equal(pare_nearest("gama", names, COUNT), 4);
    assert_int_equal(pare_nearest("c", names, COUNT), 2);
    assert_int_equal(pare_nearest("x", names, COUNT), -1);
    assert_int_equal(pare_nearest("kernel", names, COUNT), -1);
    assert_int_equal(pare_nearest("gamma", names, COUNT), -1); /* it is there */
    assert_int_equal(pare_nearest("gama", names, 0), -1);
}

TEST_FILE(test_sentence) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_callers),
        cmocka_unit_test(an_error_names_its_setting),
        cmocka_unit_test(the_nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
