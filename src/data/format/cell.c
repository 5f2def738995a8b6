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
        cell_shown(at->name, (int64_t)strlen(at->name), shown);
        shown[strlen(shown) - 1] = '\0'; /* without the quotes */
        snprintf(where + used, sizeof where - (size_t)used, " (%s)", shown + 1);
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

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

void cell_trim(char **text, int64_t *length) {
    while (*length > 0 && is_blank(**text)) {
        ++*text;
        --*length;
    }
    while (*length > 0 && is_blank((*text)[*length - 1])) --*length;
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

/* inf, infinity, with a sign or without. */
static bool is_infinite(const char *text, int64_t length) {
    bool sign = length > 0 && (*text == '-' || *text == '+');
    return is_word(text + sign, length - sign, "inf") ||
           is_word(text + sign, length - sign, "infinity");
}

bool cell_is_text(const char *text, int64_t length) {
    double value;
    return !(number_parse(text, text + length, &value) == text + length && length > 0) &&
           !cell_is_missing(text, length) && !is_infinite(text, length);
}

pare_status cell_number(double *out, const char *text, int64_t length, bool allow_missing,
                        const place *at, pare_error *err) {
    char shown[CELL_SHOWN];
    if (number_parse(text, text + length, out) == text + length && length > 0) {
        if (isfinite(*out)) return PARE_OK;
        return place_error(err, at, "%s is too large for a number",
                           cell_shown(text, length, shown));
    }
    if (cell_is_missing(text, length) || cell_is_missing_number(text, length))
        return cell_missing(out, text, length, allow_missing, at, err);
    return place_error(err, at, "expected a %snumber, found %s",
                       is_infinite(text, length) ? "finite " : "", cell_shown(text, length, shown));
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

pare_status cell_refuse_text(const char *text, int64_t length, bool numbers, const place *at,
                             pare_error *err) {
    char shown[CELL_SHOWN];
    bool code;
    const char *advice = odd_number_advice(odd_number_of(text, length), numbers, at, &code);
    cell_shown(text, length, shown);
    if (advice)
        return place_error(err, at, "expected a number, found %s%s%s%s%s", shown, advice,
                           code ? " `na` " : "", code ? shown : "",
                           code ? " takes it for missing" : "");
    if (numbers)
        return place_error(err, at,
                           "expected a number, as in the rest of the column, found %s: `na` %s "
                           "takes it for missing",
                           shown, shown);
    return place_error(err, at,
                       "expected a number, found %s; `target` names what is to be predicted, "
                       "`categorical` codes columns of text, `drop` leaves them out",
                       shown);
}
