/* Lists of strings, their index, and what is text. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/strings.h"

static bool is_text(const char *s) {
    strings list = {0};
    const pare_allocator *mem = ctx_allocator(NULL);
    assert_true(strings_add(&list, mem, "plain", 5));
    assert_true(strings_add(&list, mem, s, (int64_t)strlen(s)));
    int64_t odd = strings_find_not_utf8(&list);
    strings_free(&list, mem);
    assert_true(odd == -1 || odd == 1);
    return odd == -1;
}

static void text_is_utf8(void **state) {
    (void)state;
    const char *const good[] = {"",
                                "a",
                                "caf\xc3\xa9",
                                "\xe2\x82\xac",
                                "\xf0\x9f\x8e\x89",
                                "\xed\x9f\xbf",
                                "\xf4\x8f\xbf\xbf"};
    const char *const bad[] = {"caf\xe9",
                               "\x80",
                               "\xc3",
                               "\xc0\xaf",
                               "\xe2\x82",
                               "\xe0\x80\xaf",
                               "\xed\xa0\x80",
                               "\xf0\x80\x80\x80",
                               "\xf4\x90\x80\x80",
                               "\xf5\x80\x80\x80",
                               "a\xffz"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_true(is_text(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(is_text(bad[i]));
}

static void a_list_has_items_with_commas(void **state) {
    (void)state;
    static const char *const items[] = {"a b", "<0,5", "", "c\\d", "\"e\"", ",", "f"};
    strings list = {0};
    const pare_allocator *mem = ctx_allocator(NULL);
    assert_true(strings_add_list(&list, mem, NULL));
    assert_int_equal(list.count, 0);
    assert_true(strings_add_list(&list, mem, " a b ,<0\\,5,,c\\d,\"e\",\\,, f "));
    assert_int_equal(list.count, 7);
    for (int i = 0; i < 7; i++) assert_string_equal(strings_at(&list, i), items[i]);
    assert_true(strings_add(&list, mem, "g", 1));
    assert_string_equal(strings_at(&list, 7), "g");
    strings_free(&list, mem);
}

static void the_index_finds_each_and_tells_doubles(void **state) {
    (void)state;
    strings list = {0};
    strings_index index;
    int64_t duplicate;
    const pare_allocator *mem = ctx_allocator(NULL);
    char name[16];
    for (int i = 0; i < 1000; i++)
        assert_true(strings_add(&list, mem, name, snprintf(name, sizeof name, "g%d", i * 7)));
    assert_true(strings_index_make(&index, &list, mem, &duplicate));
    assert_int_equal(duplicate, -1);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(
            strings_index_find(&index, name, snprintf(name, sizeof name, "g%d", i * 7)), i);
    assert_int_equal(strings_index_find(&index, "g1", 2), -1);
    assert_int_equal(strings_index_find(&index, "g77", 2), 1); /* the length counts, not a NUL */
    strings_index_free(&index, mem);
    assert_true(strings_add(&list, mem, "g14", 3));
    assert_true(strings_index_make(&index, &list, mem, &duplicate));
    assert_int_equal(duplicate, 1000);
    strings_index_free(&index, mem);
    strings_free(&list, mem);
}

TEST_FILE(test_strings) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_utf8),
                                       cmocka_unit_test(a_list_has_items_with_commas),
                                       cmocka_unit_test(the_index_finds_each_and_tells_doubles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
