#include "data/format/odd_number.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const char *digits(const char *p, const char *end) {
    while (p < end && is_digit(*p)) p++;
    return p;
}

static const char *blanks(const char *p, const char *end) {
    while (p < end && *p == ' ') p++;
    return p;
}

/* The bytes of a separator of digits here: also a no-break space, plain or narrow. */
static int64_t separator(const char *p, const char *end) {
    if (p == end) return 0;
    if (*p == ',' || *p == '.' || *p == '\'' || *p == ' ') return 1;
    if (end - p >= 2 && memcmp(p, "\xc2\xa0", 2) == 0) return 2;
    return end - p >= 3 && memcmp(p, "\xe2\x80\xaf", 3) == 0 ? 3 : 0;
}

bool odd_number_is_grouped(const char *text, int64_t length) {
    const char *p = text, *end = text + length;
    int groups = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    p = digits(p, end);
    if (p == first || p - first > 3 || *first == '0') return false; /* 0,822 has decimals */
    for (int64_t width; (width = separator(p, end)) > 0; groups++) {
        const char *next = digits(p + width, end);
        if (next - p - width != 3) break;
        p = next;
    }
    if (p < end && (*p == ',' || *p == '.')) p = digits(p + 1, end);
    return groups > 0 && p == end;
}

void odd_number_take_comma(char *text) {
    char *comma = strchr(text, ',');
    double value;
    if (!comma) return;
    *comma = '.';
    if (!number_parse_all(text, &value)) *comma = ',';
}

static bool has_decimal_comma(const char *text, int64_t length) {
    char copy[64];
    double value;
    if (length >= (int64_t)sizeof copy || !memchr(text, ',', (size_t)length)) return false;
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    odd_number_take_comma(copy);
    return number_parse_all(copy, &value);
}

/* Behind a number with either decimal mark; NULL: there is none. */
static const char *behind_number(const char *p, const char *end) {
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *first = p;
    p = digits(p, end);
    bool any = p > first;
    if (p < end && (*p == ',' || *p == '.')) {
        const char *next = digits(p + 1, end);
        any = any || next > p + 1;
        p = next;
    }
    return any ? p : NULL;
}

static bool is_percentage(const char *text, const char *end) {
    const char *p = behind_number(text, end);
    return p && (p = blanks(p, end)) + 1 == end && *p == '%';
}

static bool is_hex(const char *text, const char *end) {
    if (end - text < 3 || *text != '0' || (text[1] != 'x' && text[1] != 'X')) return false;
    for (const char *p = text + 2; p < end; p++)
        if (!is_digit(*p) && !(*p >= 'a' && *p <= 'f') && !(*p >= 'A' && *p <= 'F')) return false;
    return true;
}

static bool is_same(const char *text, int64_t length, const char *upper) {
    for (int64_t i = 0; i < length; i++)
        if ((is_letter(text[i]) ? text[i] & ~32 : text[i]) != upper[i]) return false;
    return !upper[length];
}

/* Behind the sign of a limit, < > <= >= and their own characters; NULL: there is none. */
static const char *behind_sign(const char *p, const char *end) {
    if (end - p >= 3 && (memcmp(p, "\xe2\x89\xa4", 3) == 0 || memcmp(p, "\xe2\x89\xa5", 3) == 0))
        return p + 3;
    if (p == end || (*p != '<' && *p != '>')) return NULL;
    return p + 1 < end && p[1] == '=' ? p + 2 : p + 1;
}

static bool is_limit(const char *text, const char *end) {
    const char *p = behind_sign(text, end);
    return p && behind_number(blanks(p, end), end);
}

/* The end, or a time of the day behind a date. */
static bool ends_date(const char *p, const char *end) {
    if (p == end) return true;
    if (*p != ' ' && *p != 'T') return false;
    for (p++; p < end; p++)
        if (!is_digit(*p) && !strchr(":.-+Z AMPamp", *p)) return false;
    return true;
}

static const char *behind_month(const char *p, const char *end) {
    static const char months[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
    char upper[4] = "";
    for (int k = 0; k < 3 && p + k < end && is_letter(p[k]); k++) upper[k] = (char)(p[k] & ~32);
    for (int m = 0; strlen(upper) == 3 && m < 36; m += 3)
        if (memcmp(months + m, upper, 3) == 0) return p + 3;
    return NULL;
}

static bool is_date(const char *text, const char *end) {
    const char *a = digits(text, end), *b, *c;
    if (a == text || a - text > 4 || a == end) return false;
    if (*a == ':') return (b = digits(a + 1, end)) == a + 3 && (b == end || *b == ':');
    if (*a == '-' || *a == '/' || *a == '.') {
        b = digits(a + 1, end);
        if (b > a + 1 && b < end && *b == *a && b - a <= 3)
            return (c = digits(b + 1, end)) > b + 1 && c - b <= 5 && ends_date(c, end);
    }
    bool cut = *a == '-' || *a == ' ';
    b = behind_month(a + cut, end);
    if (!b || a - text > 2) return false;
    if (cut && b < end && *b == *a) b++;
    c = digits(b, end);
    return c - b == 2 || c - b == 4 ? c == end || *c == ':' || ends_date(c, end) : false;
}

/* A number, maybe behind a sign of a currency or of about, and something else. */
static bool has_unit(const char *text, const char *end) {
    static const char *const before[] = {"~", "$", "\xe2\x82\xac", "\xc2\xa3", "\xe2\x89\x88", ""};
    for (int k = 0; k < 6; k++) {
        size_t length = strlen(before[k]);
        if ((size_t)(end - text) >= length && memcmp(text, before[k], length) == 0)
            return behind_number(blanks(text + length, end), end) != NULL;
    }
    return false;
}

/* U+2212, which text processors write for a minus, or a dash, before a number. */
static bool has_wide_minus(const char *text, const char *end) {
    if (end - text < 4) return false;
    if (memcmp(text, "\xe2\x88\x92", 3) != 0 && memcmp(text, "\xe2\x80\x93", 3) != 0) return false;
    return behind_number(blanks(text + 3, end), end) == end;
}

odd_number odd_number_of(const char *text, int64_t length) {
    const char *end = text + length;
    bool comma = has_decimal_comma(text, length);
    if (odd_number_is_grouped(text, length)) return comma ? ODD_AMBIGUOUS : ODD_GROUPED;
    if (comma) return ODD_COMMA;
    if (has_wide_minus(text, end)) return ODD_MINUS;
    if (is_percentage(text, end)) return ODD_PERCENT;
    if (is_hex(text, end)) return ODD_HEX;
    if (is_same(text, length, "TRUE") || is_same(text, length, "FALSE")) return ODD_BOOLEAN;
    if (is_limit(text, end)) return ODD_LIMIT;
    if (is_date(text, end)) return ODD_DATE;
    return has_unit(text, end) ? ODD_UNIT : ODD_NONE;
}

bool odd_number_certain(odd_number kind) { return kind >= ODD_GROUPED && kind <= ODD_HEX; }

static const char *comma_advice(const place *at) {
    if (!at) return ": write numbers with a decimal point";
    if (!at->sheet) return ": write numbers with a decimal point, or separate fields by semicolons";
    return at->column
               ? ": the cell is text; make numbers of its column in the spreadsheet program, "
                 "or write them with a decimal point"
               : ": make numbers of the column in R, with as.numeric(sub(\",\", \".\", x))";
}

const char *odd_number_advice(odd_number kind, bool among, const place *at, bool *code) {
    *code = among && (kind == ODD_LIMIT || kind == ODD_UNIT || kind == ODD_DATE);
    switch (kind) {
    case ODD_GROUPED: return ": write numbers without thousands separators";
    case ODD_AMBIGUOUS:
        return ": write numbers without thousands separators and with a decimal point";
    case ODD_COMMA: return comma_advice(at);
    case ODD_MINUS: return ": write the minus sign as -";
    case ODD_PERCENT: return ": write percentages as numbers, without the sign";
    case ODD_HEX: return ": write numbers in decimal digits";
    case ODD_BOOLEAN:
        return among ? ": write true and false as 1 and 0"
                     : ": write true and false as 1 and 0, or `categorical` codes the column";
    case ODD_DATE:
        return among ? ": store a number instead of a date or time, such as days, or"
                     : ": store a number instead of a date or time, such as days, or `drop` leaves "
                       "the column out";
    case ODD_LIMIT:
        return among ? ": write a number in place of the limit, such as the limit itself, or"
                     : ": write a number in place of the limit, such as the limit itself, or "
                       "`categorical` codes the column";
    case ODD_UNIT: return among ? ": write the number alone, or" : NULL;
    case ODD_NONE:
    default: return NULL;
    }
}
