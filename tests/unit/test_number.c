/* number_parse against the C library's correctly rounding strtod, number_format against itself. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_text(const char *text) {
    double value = 0;
    const char *end = number_parse(text, text + strlen(text), &value);
    double expected = strtod(text, NULL);
    if (!end || *end || bits_of(value) != bits_of(expected)) {
        print_error("%.80s: read as %.17g, expected %.17g\n", text, value, expected);
        fail();
    }
}

static double random_finite(rng *r) {
    double value;
    do value = double_of(rng_next(r));
    while (!isfinite(value));
    return value;
}

static void test_random_doubles(void **state) {
    (void)state;
    rng r = rng_from(1);
    char text[64];
    for (int i = 0; i < 100000; i++) {
        double value = i % 2 ? random_finite(&r) : rng_normal(&r) * pow(10, (double)(i % 40 - 20));
        for (int digits = 14; digits <= 21; digits += 1 + i % 3) {
            snprintf(text, sizeof text, "%.*e", digits, value);
            check_text(text);
        }
        snprintf(text, sizeof text, "%.*f", i % 12, rng_normal(&r) * 1e4);
        check_text(text);
    }
}

static void test_random_digit_strings(void **state) {
    (void)state;
    rng r = rng_from(2);
    for (int i = 0; i < 20000; i++) {
        char text[1200];
        int64_t at = 0, length = 1 + rng_below(&r, i % 100 == 0 ? 1000 : 40);
        int64_t point = rng_below(&r, length + 1);
        for (int64_t k = 0; k < length; k++) {
            if (k == point) text[at++] = '.';
            text[at++] = (char)('0' + rng_below(&r, 10));
        }
        snprintf(text + at, sizeof text - (size_t)at, "e%d", (int)rng_below(&r, 720) - 360);
        check_text(text);
    }
}

/* The exact decimal of the point halfway between a double and the next, and its neighbours in the
 * last digit: one digit of 767 decides. */
static void test_halfway(void **state) {
    (void)state;
    rng r = rng_from(3);
    for (int i = 0; i < 3000; i++) {
        /* |value| <= 2^970, so that long double (64 bits) holds the halfway point exactly */
        int power = (int)rng_below(&r, 2040) - 1074;
        double low = i % 3 ? ldexp((double)(rng_next(&r) >> 11), power - 52)
                           : double_of(1 + (uint64_t)rng_below(&r, 1 << 20));
        double high = nextafter(low, INFINITY);
        long double middle = ((long double)low + (long double)high) / 2;
        char text[1700];
        int length = snprintf(text, sizeof text, "%.1100Le", middle);
        assert_true(length > 1100 && length < 1600);
        check_text(text);
        char *last = strchr(text, 'e') - 1; /* all zeros there */
        *last = '1';
        check_text(text);
        *last = '0';
        snprintf(text, sizeof text, "%.30Le", middle);
        check_text(text);
    }
}

static void test_named_cases(void **state) {
    (void)state;
    static const char *const cases[] = {"0",
                                        "-0",
                                        "0.0",
                                        "000",
                                        "1",
                                        "-1",
                                        "+1.5",
                                        "1.",
                                        ".5",
                                        "1e5",
                                        "1E+5",
                                        "1e-5",
                                        "00001.5",
                                        "0.000000000000000000000000000000000001",
                                        "4.9406564584124654e-324",
                                        "5e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.47032822920623272e-324",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072012e-308",
                                        "2.2250738585072014e-308",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "1e308",
                                        "1e309",
                                        "-1e400",
                                        "1e-400",
                                        "1e99999999999999999999",
                                        "1e-99999999999999999999",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.0000000000000000000001",
                                        "9007199254740991",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "1.00000000000000011102230246251565404236316680908203125",
                                        "1.00000000000000011102230246251565404236316680908203124",
                                        "1.00000000000000011102230246251565404236316680908203126",
                                        "1e22",
                                        "1e23",
                                        "8.5e22",
                                        "123456789012345678901234567890e-10",
                                        "0e999999999999",
                                        "0.0e-999999999999",
                                        "6.9294956446009195e15",
                                        "7.2057594037927933e16",
                                        "1448997445238699",
                                        "3.5e-10",
                                        "12345678",
                                        "123456789",
                                        "1234567.12345678",
                                        "0.12345678901234567"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_text(cases[i]);
}

static void test_long_zeros(void **state) {
    (void)state;
    int zeros = 100000;
    char *text = malloc((size_t)zeros + 64);
    assert_non_null(text);
    memset(text, '0', (size_t)zeros);
    strcpy(text + zeros, "1.25"); /* leading zeros */
    check_text(text);
    text[0] = '1'; /* 1000...01.25e-100003 */
    strcpy(text + zeros, "1.25e-100003");
    check_text(text);
    text[0] = '0';
    text[1] = '.'; /* 0.000...0125e100000 */
    strcpy(text + zeros, "125e100000");
    check_text(text);
    text[2] = '3'; /* 0.3000...0125 */
    strcpy(text + zeros, "125");
    check_text(text);
    free(text);
}

static void test_where_it_ends(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int length; /* -1: no number */
    } cases[] = {{"", -1},         {"-", -1},     {"+", -1},   {".", -1},   {"-.", -1},
                 {"e5", -1},       {"abc", -1},   {"nan", -1}, {"inf", -1}, {" 1", -1},
                 {"--1", -1},      {"1e", 1},     {"1e+", 1},  {"1ex", 1},  {"1,2", 1},
                 {"1.2.3", 3},     {"0x10", 1},   {"1 ", 1},   {"5-3", 1},  {"1e5.5", 3},
                 {"12345678x", 8}, {"1.5e3e4", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        const char *text = cases[i].text, *end = number_parse(text, text + strlen(text), &value);
        assert_int_equal(end ? end - text : -1, cases[i].length);
    }
}

static void test_parse_all(void **state) {
    (void)state;
    double value;
    assert_true(number_parse_all(" 1.5\t\r\n", &value) && value == 1.5);
    assert_false(number_parse_all("1.5 2", &value));
    assert_false(number_parse_all("", &value));
    assert_false(number_parse_all("  ", &value));
    int64_t whole;
    assert_true(integer_parse_all(" -9223372036854775808 ", &whole) && whole == INT64_MIN);
    assert_true(integer_parse_all("+9223372036854775807", &whole) && whole == INT64_MAX);
    assert_false(integer_parse_all("9223372036854775808", &whole));
    assert_false(integer_parse_all("-9223372036854775809", &whole));
    assert_false(integer_parse_all("1.0", &whole));
    assert_false(integer_parse_all("1e3", &whole));
    assert_false(integer_parse_all("-", &whole));
    assert_false(integer_parse_all("", &whole));
}

static void check_format(double value) {
    char text[32], shorter[64];
    int length = number_format(value, text);
    assert_int_equal(length, strlen(text));
    assert_true(bits_of(strtod(text, NULL)) == bits_of(value));
    check_text(text);
    /* no shorter one: one digit less must not read back (powers of two excepted, see number.h) */
    int digits = 0;
    for (const char *p = text; *p && *p != 'e'; p++)
        if (*p != '-' && *p != '.' && (digits || *p != '0')) digits++;
    int exponent;
    if (digits > 1 && strchr(text, '.') && frexp(value, &exponent) != 0.5) {
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        assert_true(strtod(shorter, NULL) != value);
    }
}

static void test_format(void **state) {
    (void)state;
    rng r = rng_from(4);
    for (int i = 0; i < 50000; i++) {
        check_format(random_finite(&r));
        check_format(rng_normal(&r));
        check_format((double)rng_below(&r, 1000000) / 1000);
        check_format(double_of(rng_next(&r) >> (12 + i % 52))); /* subnormals */
    }
    for (int i = -1074; i < 1024; i++) check_format(ldexp(1, i));
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},          {-0.0, "-0"},        {1, "1"},
                 {-3, "-3"},        {0.1, "0.1"},        {5e-324, "5e-324"},
                 {1e22, "1e+22"},   {-0.5, "-0.5"},      {123456, "123456"},
                 {INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        number_format(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

TEST_FILE(test_number) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_doubles), cmocka_unit_test(test_random_digit_strings),
        cmocka_unit_test(test_halfway),        cmocka_unit_test(test_named_cases),
        cmocka_unit_test(test_long_zeros),     cmocka_unit_test(test_where_it_ends),
        cmocka_unit_test(test_parse_all),      cmocka_unit_test(test_format)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
