#include "data/format/rdata_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "data/format/calendar.h"

enum { PIECE = 1 << 13 /* bytes of numbers that are read at once */ };

rvector rdata_vector(const rdata *r, const robject *of) {
    bool numbers = of->type == ROBJECT_REAL || of->type == ROBJECT_INTEGER,
         plain = !rdata_attribute(r, of, "dim");
    if (of->type == ROBJECT_TEXT) return plain ? RVECTOR_TEXTS : RVECTOR_NONE;
    if (!plain || (!numbers && of->type != ROBJECT_LOGICAL)) return RVECTOR_NONE;
    if (rdata_is(r, of, "integer64")) return RVECTOR_NONE; /* other bits */
    const robject *levels = rdata_attribute(r, of, "levels");
    if (levels && of->type == ROBJECT_INTEGER)
        return levels->type == ROBJECT_TEXT && !levels->numbers ? RVECTOR_FACTOR : RVECTOR_NONE;
    return rdata_is(r, of, "Date") || rdata_is(r, of, "POSIXct") ? RVECTOR_DATES : RVECTOR_NUMBERS;
}

const char *rdata_what(const rdata *r, const robject *of, char out[RDATA_WHAT]) {
    static const char *const words[] = {[RVECTOR_NUMBERS] = "numbers",
                                        [RVECTOR_TEXTS] = "texts",
                                        [RVECTOR_FACTOR] = "factor",
                                        [RVECTOR_DATES] = "dates"};
    char shown[CELL_SHOWN];
    const robject *classes = rdata_attribute(r, of, "class"), *dim = rdata_attribute(r, of, "dim");
    rvector kind = rdata_vector(r, of);
    const char *first =
        classes && classes->type == ROBJECT_TEXT && !classes->numbers && classes->length
            ? rdata_text(r, classes, 0)
            : NULL;
    bool other = of->type == ROBJECT_OTHER;
    if (of->type == ROBJECT_LIST && rdata_is(r, of, "data.frame"))
        snprintf(out, RDATA_WHAT, "data frame, %" PRId64 " columns", of->length);
    else if (dim && dim->kept && dim->length == 2 && !other)
        snprintf(out, RDATA_WHAT, "matrix of %s%.0f x %.0f",
                 of->type == ROBJECT_TEXT ? "texts, " : "", dim->kept[0], dim->kept[1]);
    else if (kind != RVECTOR_NONE)
        snprintf(out, RDATA_WHAT, "%s, %" PRId64, words[kind], of->length);
    else if (first)
        snprintf(out, RDATA_WHAT, "class %s", cell_shown_bare(first, shown));
    else
        snprintf(out, RDATA_WHAT, "%s",
                 other                      ? of->what
                 : of->type == ROBJECT_LIST ? "a list"
                 : of->type == ROBJECT_NULL ? "NULL"
                                            : "no vector");
    return out;
}

/* Puts the stream at byte `at` of what is not compressed. */
static pare_status seek(rdata *r, int64_t at, pare_error *err) {
    stream *s = r->s;
    pare_status status = PARE_OK;
    int64_t now = s->base + (int64_t)s->at;
    bool direct = s->can_rewind && (at < now || at - now > (int64_t)s->capacity);
    if (direct) return stream_seek(s, at, err);
    if (at < now) {
        status = unpack_rewind(&r->packed, err);
        now = 0;
    }
    return status == PARE_OK ? rdata_skip(r, at - now, err) : status;
}

static double missing_or(int32_t value) { return value == INT32_MIN ? (double)NAN : value; }

/* R's own mark of a missing number is a NaN with other bits. */
static double plain(double value) { return isnan(value) ? NAN : value; }

pare_status rdata_numbers(rdata *r, const robject *of, int64_t first, int64_t count, double *out,
                          pare_error *err) {
    bool real = of->type == ROBJECT_REAL;
    int size = real ? 8 : 4;
    for (int64_t i = 0; (of->sequence || of->kept) && i < count; i++)
        out[i] = of->sequence ? of->start + of->step * (double)(first + i)
                 : !real && of->kept[first + i] == INT32_MIN ? NAN
                                                             : plain(of->kept[first + i]);
    if (of->sequence || of->kept) return PARE_OK;
    PASS(seek(r, of->at + size * first, err));
    while (count > 0) {
        int64_t most = PIECE / size, taken = count < most ? count : most;
        PASS(rdata_need(r, (size_t)(size * taken), err));
        const char *p = r->s->buffer + r->s->at;
        for (int64_t i = 0; i < taken; i++)
            out[i] = real ? plain(rdata_real(p + 8 * i)) : missing_or(rdata_integer(p + 4 * i));
        r->s->at += (size_t)(size * taken);
        out += taken;
        count -= taken;
    }
    return PARE_OK;
}

static pare_status bad_level(const rdata *r, pare_error *err) {
    return error_set(err, PARE_E_FORMAT, "%s: R's file is damaged: a factor has no such level",
                     r->name);
}

/* The text of a number of a vector of that kind. */
static pare_status text_of(const rdata *r, const robject *of, rvector kind, double value,
                           const char **out, char buffer[CALENDAR_TEXT], pare_error *err) {
    const robject *levels = kind == RVECTOR_FACTOR ? rdata_attribute(r, of, "levels") : NULL;
    double day = rdata_is(r, of, "POSIXct") ? value / 86400 : value;
    *out = buffer;
    if (isnan(value)) {
        *out = "NA";
    } else if (levels) {
        if (!(value >= 1 && value <= (double)levels->length)) return bad_level(r, err);
        *out = rdata_text(r, levels, (int64_t)value - 1);
    } else if (of->type == ROBJECT_LOGICAL) {
        *out = value != 0 ? "TRUE" : "FALSE";
    } else if (kind != RVECTOR_DATES || !calendar_format(day, buffer)) {
        number_format(value, buffer);
    }
    return PARE_OK;
}

static pare_status hand_on(rdata *r, rdata_take take, void *user, int64_t i, const char *text,
                           pare_error *err) {
    int64_t length = (int64_t)strlen(text);
    if (length + 1 > r->text_capacity) {
        if (!mem_resize(r->mem, &r->text, 2 * length + 64, 1)) return error_memory(err);
        r->text_capacity = 2 * length + 64;
    }
    memcpy(r->text, text, (size_t)length + 1);
    return take(user, i, r->text, length, err);
}

pare_status rdata_texts(rdata *r, const robject *of, rdata_take take, void *user, pare_error *err) {
    enum { AT_ONCE = 512 };
    double value[AT_ONCE];
    char buffer[CALENDAR_TEXT];
    const char *text;
    if (of->type == ROBJECT_TEXT && !of->numbers) {
        for (int64_t i = 0; i < of->length; i++)
            PASS(hand_on(r, take, user, i, rdata_text(r, of, i), err));
        return PARE_OK;
    }
    if (of->numbers) of = of->numbers;
    rvector kind = rdata_vector(r, of);
    for (int64_t i = 0; i < of->length; i += AT_ONCE) {
        int64_t count = of->length - i < AT_ONCE ? of->length - i : AT_ONCE;
        PASS(rdata_numbers(r, of, i, count, value, err));
        for (int64_t k = 0; k < count; k++) {
            PASS(text_of(r, of, kind, value[k], &text, buffer, err));
            PASS(hand_on(r, take, user, i + k, text, err));
        }
    }
    return PARE_OK;
}
