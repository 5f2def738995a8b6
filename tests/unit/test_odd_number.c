/* Texts that are meant as numbers: what is said about one among numbers, about a column of them, and
 * where text is coded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/format/odd_number.h"
#include "support/support.h"
#include "support/text_files.h"

static const struct {
    const char *text;
    odd_number kind;
} kinds[] = {
    {"1,234.5", ODD_GROUPED},
    {"1'234", ODD_GROUPED},
    {"1 234,5", ODD_GROUPED},
    {"1\xc2\xa0"
     "234",
     ODD_GROUPED},
    {"1,234,567", ODD_GROUPED},
    {"-1,234", ODD_AMBIGUOUS},
    {"0,822", ODD_COMMA}, /* no group begins with 0 */
    {"1,5E-3", ODD_COMMA},
    {"\xe2\x88\x92"
     "5.5",
     ODD_MINUS},
    {"\xe2\x80\x93 5", ODD_MINUS},
    {"\xe2\x88\x92", ODD_NONE},
    {"5%", ODD_PERCENT},
    {"-2,5 %", ODD_PERCENT},
    {"0x1F", ODD_HEX},
    {"true", ODD_BOOLEAN},
    {"FALSE", ODD_BOOLEAN},
    {"2020-01-31", ODD_DATE},
    {"31.1.20", ODD_DATE},
    {"1/31/2020 10:30 AM", ODD_DATE},
    {"2020-01-31T10:30:00Z", ODD_DATE},
    {"31-JAN-2020", ODD_DATE},
    {"31JAN2020:10:30:00", ODD_DATE},
    {"10:30", ODD_DATE},
    {"<0.1", ODD_LIMIT},
    {">= 1000", ODD_LIMIT},
    {"\xe2\x89\xa4"
     "5",
     ODD_LIMIT},
    {"5 mg", ODD_UNIT},
    {"3.2*", ODD_UNIT},
    {"~5", ODD_UNIT},
    {"\xe2\x82\xac 5", ODD_UNIT},
    {"1.2\xc2\xb1"
     "0.1",
     ODD_UNIT},
    {"120/80", ODD_UNIT},
    {"3A", ODD_UNIT},
    {"n.d.", ODD_NONE},
    {"T1", ODD_NONE},
    {"<LOD", ODD_NONE},
    {"%", ODD_NONE},
    {"0x", ODD_UNIT},
    {"TRUEST", ODD_NONE},
    {"JAN2020", ODD_NONE},
    {"~", ODD_NONE},
    {"+", ODD_NONE},
};

static void test_kinds(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int64_t length = (int64_t)strlen(kinds[k].text);
        printf("%s\n", kinds[k].text);
        assert_int_equal(odd_number_of(kinds[k].text, length), kinds[k].kind);
        for (int64_t cut = 0; cut < length; cut++) { /* nothing behind the end is read */
            char *part = malloc((size_t)cut + (cut == 0));
            assert_non_null(part);
            memcpy(part, kinds[k].text, (size_t)cut);
            (void)odd_number_of(part, cut);
            free(part);
        }
    }
}

#define AMONG "t.csv, line 3, column 2 (b): expected a number, found \"%s\"%s"

static void test_among_numbers(void **state) {
    (void)state;
    static const char *const files[][2] = {
        {"5%", ": write percentages as numbers, without the sign"},
        {"0x1F", ": write numbers in decimal digits"},
        {"FALSE", ": write true and false as 1 and 0"},
        {"<0.1", ": write a number in place of the limit, such as the limit itself, or `na` "
                 "\"<0.1\" takes it for missing"},
        {"5 mg", ": write the number alone, or `na` \"5 mg\" takes it for missing"},
        {"31.1.2020", ": store a number instead of a date or time, such as days, or `na` "
                      "\"31.1.2020\" takes it for missing"},
        {"1 234.5", ": write numbers without thousands separators"},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char text[128], message[256];
        pare_read_options o = read_options();
        snprintf(text, sizeof text, "a,b,y\n1,2,p\n3,%s,q\n4,5,p\n", files[k][0]);
        snprintf(message, sizeof message, AMONG, files[k][0], files[k][1]);
        check_refused("t.csv", text, &o, message, 3, 2);
    }
}

static void test_columns(void **state) {
    (void)state;
    static const char *const files[][2] = {
        {"5%", ": write percentages as numbers, without the sign"},
        {"TRUE", ": write true and false as 1 and 0, or `categorical` codes the column"},
        {"<5", ": write a number in place of the limit, such as the limit itself, or "
               "`categorical` codes the column"},
        {"31.1.2020", ": store a number instead of a date or time, such as days, or `drop` leaves "
                      "the column out"},
        {"3A", "; `target` names what is to be predicted, `categorical` codes columns of text, "
               "`drop` leaves them out"},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char text[128], message[256];
        const char *cell = files[k][0];
        pare_read_options o = read_options();
        snprintf(text, sizeof text, "a,b,y\n1,2,p\n3,%s,q\n4,%s,p\n5,%s,q\n", cell, cell, cell);
        snprintf(message, sizeof message, AMONG, cell, files[k][1]);
        check_refused("t.csv", text, &o, message, 3, 2);
    }
}

/* Texts that are certainly numbers are no levels; others are. */
static void test_coded(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.categorical = true;
    check_refused("t.csv", "a,b,y\n1,5%,p\n2,6%,q\n3,7%,p\n", &o,
                  "t.csv: column \"b\" has another text for every sample, such as \"5%\": write "
                  "percentages as numbers, without the sign",
                  0, 0);
    check_refused("t.csv", "a,b,y\n1,5,p\n2,6%,q\n3,7,p\n", &o,
                  "t.csv: column \"b\" has other numbers for all samples, but also \"6%\": write "
                  "percentages as numbers, without the sign, or `drop` leaves the column out",
                  0, 0);
}

TEST_FILE(test_odd_number) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_among_numbers),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_coded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
