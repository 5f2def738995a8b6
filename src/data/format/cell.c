#include "data/format/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "data/format/odd_number.h"

const char *cell_sheet_place(int64_t row, int64_t column, char out[CELL_SHEET_PLACE]) {
    char letters[16] = "", *p = letters + sizeof letters - 1;
    for (; column > 0 && p > letters; column = (column - 1) / 26)
        *--p = (char)('A' + (column - 1) % 26);
    snprintf(out, CELL_SHEET_PLACE, "%s%s%" PRId64, *p ? "cell " : "row ", p, row);
    return out;
}

pare_status place_error(pare_error *err, const place *at, const char *format, ...) {
    char where[512], what[512], shown[CELL_SHOWN], own[CELL_SHEET_PLACE];
    int used = snprintf(where, sizeof where, "%.300s", at->file);
    if (at->sheet && at->line) {
        used += snprintf(where + used, sizeof where - (size_t)used, ", %s",
                         cell_sheet_place(at->line, at->column, own));
    } else if (!at->sheet) {
        if (at->line)
            used +=
                snprintf(where + used, sizeof where - (size_t)used, ", line %" PRId64, at->line);
        if (at->column)
            used += snprintf(where + used, sizeof where - (size_t)used, ", column %" PRId64,
                             at->column);
    }
    if (at->name) {
        snprintf(where + used, sizeof where - (size_t)used, " (%s)",
                 cell_shown_bare(at->name, shown));
    }
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return error_at(err, PARE_E_FORMAT, at->line, at->column, at->byte, "%s: %s", where, what);
}

const char *cell_shown(const char *text, int64_t length, char out[CELL_SHOWN]) {
    int64_t at = 0, i = 0;
    out[at++] = '"';
    for (; i < length && at < CELL_SHOWN - 10; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != 0x7f)
            out[at++] = (char)c;
        else if (c == '\n' || c == '\r' || c == '\t')
            at += snprintf(out + at, 3, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else
            at += snprintf(out + at, 5, "\\x%02x", c);
    }
    if (i < length) { /* do not cut a multi-byte character */
        for (;
             i > 0 && ((unsigned char)text[i] & 0xc0) == 0x80 && (unsigned char)out[at - 1] >= 0x80;
             i--)
            at--;
        at += snprintf(out + at, 4, "...");
    }
    out[at++] = '"';
    out[at] = '\0';
    return out;
}

const char *cell_shown_bare(const char *text, char out[CELL_SHOWN]) {
    cell_shown(text, (int64_t)strlen(text), out);
    out[strlen(out) - 1] = '\0';
    return out + 1;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Returns true for the bytes of a no-break space, U+00A0 or U+202F, and of a byte order mark. */
static bool is_wide_blank(const char *p, int64_t length) {
    static const char *const blank[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xef\xbb\xbf"};
    for (int k = 0; k < 3; k++)
        if ((int64_t)strlen(blank[k]) == length && memcmp(p, blank[k], (size_t)length) == 0)
            return true;
    return false;
}

/* The bytes of the blank at the start, or at the end; 0: there is none. */
static int64_t blank_at(const char *text, int64_t length, bool start) {
    if (length == 0) return 0;
    if (is_blank(text[start ? 0 : length - 1])) return 1;
    if ((unsigned char)text[start ? 0 : length - 1] < 0x80) return 0;
    for (int64_t size = 2; size <= 3 && size <= length; size++)
        if (is_wide_blank(start ? text : text + length - size, size)) return size;
    return 0;
}

void cell_trim(char **text, int64_t *length) {
    int64_t size;
    while ((size = blank_at(*text, *length, true)) > 0) {
        *text += size;
        *length -= size;
    }
    while ((size = blank_at(*text, *length, false)) > 0) *length -= size;
}

/* ASCII only: tolower would follow the locale. `word` is in lower case. */
static bool is_word(const char *text, int64_t length, const char *word) {
    if ((int64_t)strlen(word) != length) return false;
    for (int64_t i = 0; i < length; i++)
        if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]) != word[i]) return false;
    return true;
}

static bool is_one_of(const char *text, int64_t length, const char *const *words) {
    while (*words && !is_word(text, length, *words)) words++;
    return *words != NULL;
}

bool cell_is_missing(const char *text, int64_t length) {
    static const char *const words[] = {"na", "nan", "?", "n/a", "#n/a", NULL};
    return length == 0 || is_one_of(text, length, words);
}

bool cell_is_missing_number(const char *text, int64_t length) {
    static const char *const words[] = {"null",    "none",  ".",     "-",      "#nv", "#div/0!",
                                        "#value!", "#ref!", "#num!", "#name?", NULL};
    return length > 0 && is_one_of(text, length, words);
}

double cell_infinity(const char *text, int64_t length) {
    bool sign = length > 0 && (*text == '-' || *text == '+');
    bool word = is_word(text + sign, length - sign, "inf") ||
                is_word(text + sign, length - sign, "infinity");
    if (!word) return 0;
    return *text == '-' ? -INFINITY : INFINITY;
}

const char *cell_item(const char *text, int64_t length, char out[CELL_ITEM]) {
    char shown[CELL_SHOWN], *to = out;
    cell_shown(text, length, shown);
    for (const char *p = shown; *p; *to++ = *p++)
        if (*p == ',') *to++ = '\\';
    *to = '\0';
    return out;
}

bool cell_is_text(const char *text, int64_t length) {
    double value;
    return !(number_parse(text, text + length, &value) == text + length && length > 0) &&
           !cell_is_missing(text, length) && cell_infinity(text, length) == 0;
}

static pare_status take_number(double *out, const char *text, int64_t length, bool allow_missing,
                               bool codes, const place *at, pare_error *err) {
    char shown[CELL_SHOWN], advice[CELL_SHOWN + 40] = "";
    bool number = length > 0 && number_parse(text, text + length, out) == text + length;
    if (number && isfinite(*out)) return PARE_OK;
    if (!number && (cell_is_missing(text, length) || cell_is_missing_number(text, length)))
        return cell_missing(out, text, length, allow_missing, at, err);
    cell_shown(text, length, shown);
    if (codes) snprintf(advice, sizeof advice, ": `na` %s takes it for missing", shown);
    if (number) return place_error(err, at, "%s is too large for a number%s", shown, advice);
    bool infinite = cell_infinity(text, length) != 0;
    return place_error(err, at, "expected a %snumber, found %s%s", infinite ? "finite " : "", shown,
                       infinite ? advice : "");
}

pare_status cell_number(double *out, const char *text, int64_t length, bool allow_missing,
                        const place *at, pare_error *err) {
    return take_number(out, text, length, allow_missing, false, at, err);
}

pare_status cell_feature(double *out, const char *text, int64_t length, bool allow_missing,
                         const place *at, pare_error *err) {
    return take_number(out, text, length, allow_missing, true, at, err);
}

const char *cell_missing_advice(bool model) {
    return model ? "only a model fitted with `missing` mean or median fills it in; `missing drop` "
                   "leaves the sample out"
                 : "choose `missing` mean, median, indicator or drop";
}

pare_status cell_missing(double *out, const char *text, int64_t length, bool allow_missing,
                         const place *at, pare_error *err) {
    char shown[CELL_SHOWN];
    *out = NAN;
    if (allow_missing) return PARE_OK;
    return place_error(err, at, "the value is missing (%s); %s", cell_shown(text, length, shown),
                       cell_missing_advice(at->model));
}

pare_status cell_check_number(double value, bool allow_missing, const place *at, pare_error *err) {
    if (isnan(value)) return cell_missing(&value, "NA", 2, allow_missing, at, err);
    if (isfinite(value)) return PARE_OK;
    return place_error(err, at, "the value is infinite: `na` %s takes it for missing",
                       value < 0 ? "-Inf" : "Inf");
}

pare_status cell_refuse_text(const char *text, int64_t length, bool numbers, const place *at,
                             pare_error *err) {
    char shown[CELL_SHOWN], na[CELL_ITEM];
    bool code;
    const char *advice = odd_number_advice(odd_number_of(text, length), numbers, at, &code);
    cell_shown(text, length, shown);
    cell_item(text, length, na);
    if (advice)
        return place_error(err, at, "expected a number, found %s%s%s%s%s", shown, advice,
                           code ? " `na` " : "", code ? na : "",
                           code ? " takes it for missing" : "");
    if (numbers)
        return place_error(err, at,
                           "expected a number, as in the rest of the column, found %s: `na` %s "
                           "takes it for missing",
                           shown, na);
    return place_error(err, at,
                       "expected a number, found %s; `target` names what is to be predicted, "
                       "`categorical` codes columns of text, `drop` leaves them out",
                       shown);
}
