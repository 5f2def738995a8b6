/* Reads svmlight: one sample a line, "label index:value index:value ... # comment".
 *
 * Straight into compressed columns: a plain file is read twice, to count the entries of each column
 * and to fill them; other sources are read once, and their entries kept until the end. Indices
 * ascend strictly within a line; labels are kept as text. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/cell.h"
#include "data/builder.h"
#include "data/format/sparse_rows.h"
#include "data/format/stream.h"

typedef struct reader {
    data_builder *b;
    const pare_read_options *o;
    stream *s;
    sparse_rows rows;
    bool counting; /* first of two passes: values and labels are skipped */
    int64_t line;
} reader;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool ends_token(char c) { return is_blank(c) || c == '\n' || c == '#'; }

static place here(const reader *r) {
    return (place){.file = r->s->name,
                   .line = r->line,
                   .byte = r->s->base + (int64_t)r->s->at,
                   .model = r->o->only != NULL};
}

/* Skips blanks; *next is the byte that follows, '\n' also at the end of input. */
static pare_status skip_blanks(reader *r, char *next, pare_error *err) {
    stream *s = r->s;
    for (;;) {
        while (is_blank(s->buffer[s->at])) s->at++;
        if (s->at < s->end || s->eof) break;
        pare_status status = stream_fill(s, err);
        if (status != PARE_OK) return status;
    }
    *next = s->at < s->end ? s->buffer[s->at] : '\n';
    return PARE_OK;
}

/* The token at the stream's position, whole in the buffer. */
static pare_status whole_token(reader *r, char **text, int64_t *length, pare_error *err) {
    stream *s = r->s;
    for (;;) {
        const char *end = s->buffer + s->end, *p = s->buffer + s->at;
        while (p < end && !ends_token(*p)) p++;
        if (p < end || s->eof) {
            *text = s->buffer + s->at;
            *length = p - *text;
            place at = here(r);
            if (memchr(*text, '\0', (size_t)*length))
                return place_error(err, &at, "a NUL byte, this is not a text file");
            return PARE_OK;
        }
        pare_status status = stream_fill(s, err);
        if (status != PARE_OK) return status;
    }
}

static pare_status skip_comment(reader *r, pare_error *err) {
    stream *s = r->s;
    for (;;) {
        char *newline = memchr(s->buffer + s->at, '\n', s->end - s->at);
        s->at = newline ? (size_t)(newline - s->buffer) : s->end;
        if (newline || s->eof) return PARE_OK;
        pare_status status = stream_fill(s, err);
        if (status != PARE_OK) return status;
    }
}

static pare_status take_label(reader *r, pare_error *err) {
    char *text, shown[CELL_SHOWN];
    int64_t length;
    pare_status status = whole_token(r, &text, &length, err);
    if (status != PARE_OK) return status;
    place at = here(r);
    if (memchr(text, ':', (size_t)length))
        return place_error(err, &at, "expected a label first, found %s",
                           cell_shown(text, length, shown));
    if (cell_is_missing(text, length))
        return place_error(err, &at, "the target is missing (%s)", cell_shown(text, length, shown));
    if (!r->counting && !strings_add(&r->b->data->target.text, &r->b->data->mem, text, length))
        return error_memory(err);
    r->s->at += (size_t)length;
    return PARE_OK;
}

/* Reads any entry, or sets the error. */
static pare_status take_entry(reader *r, int64_t *index, double *value, pare_error *err) {
    char *text, shown[CELL_SHOWN];
    int64_t length;
    pare_status status = whole_token(r, &text, &length, err);
    if (status != PARE_OK) return status;
    place at = here(r);
    char *colon = memchr(text, ':', (size_t)length);
    if (length >= 4 && memcmp(text, "qid:", 4) == 0)
        return place_error(err, &at, "query ids (qid:) are not supported");
    if (!colon)
        return place_error(err, &at, "expected index:value, found %s",
                           cell_shown(text, length, shown));
    int64_t n_digits = colon - text;
    bool digits = n_digits > 0;
    *index = 0;
    for (const char *p = text; p < colon; p++) {
        digits = digits && *p >= '0' && *p <= '9';
        if (digits && *index <= INT32_MAX) *index = 10 * *index + (*p - '0');
    }
    if (!digits)
        return place_error(err, &at, "expected an index, found %s",
                           cell_shown(text, n_digits, shown));
    if (*index - r->o->index_base >= INT32_MAX)
        return place_error(err, &at, "index %.40s is too large, at most %d features are allowed",
                           cell_shown(text, n_digits, shown), INT32_MAX);
    int64_t value_length = length - n_digits - 1;
    at.byte += n_digits + 1;
    at.column = *index - r->o->index_base + 1;
    char after = text[length];
    text[length] = '\0'; /* the byte may have been the newline */
    status = r->counting
                 ? PARE_OK
                 : cell_number(value, colon + 1, value_length, r->o->allow_missing, &at, err);
    text[length] = after;
    if (status == PARE_OK) r->s->at += (size_t)length;
    return status;
}

/* Takes entries index:value with at most nine digits of index and a plain number, whole in the
 * buffer and in order, as far as they go; *before is the last index. Blanks in front are
 * skipped. */
static void take_plain_entries(reader *r, int64_t *before) {
    stream *s = r->s;
    const char *p = s->buffer + s->at, *end = s->buffer + s->end;
    double value = 0;
    for (;;) {
        while (is_blank(*p)) p++;
        s->at = (size_t)(p - s->buffer);
        const char *start = p;
        int32_t index = 0;
        while (*p >= '0' && *p <= '9' && p - start < 9) index = 10 * index + (*p++ - '0');
        if (p == start || *p++ != ':' || index <= *before) return;
        if (r->counting) {
            while (*p > '#') p++; /* no byte of a number is below */
        } else {
            sparse_rows_ahead(&r->rows, index - r->o->index_base);
            p = number_parse(p, end, &value);
            if (!p || !isfinite(value)) return;
        }
        if (!ends_token(*p) || !sparse_rows_quick(&r->rows, index - r->o->index_base, value))
            return;
        *before = index;
    }
}

static pare_status read_line(reader *r, pare_error *err) {
    int64_t base = r->o->index_base, before = base - 1, index = 0;
    double value = 0;
    char next;
    pare_status status = PARE_OK;
    TRY(take_label(r, err));
    for (;;) {
        take_plain_entries(r, &before);
        TRY(skip_blanks(r, &next, err));
        if (next == '\n' || next == '#') break;
        place at = here(r);
        TRY(take_entry(r, &index, &value, err));
        if (index < base)
            return place_error(err, &at, "index %" PRId64 " is below the index base %" PRId64,
                               index, base);
        at.column = index - base + 1;
        if (index <= before)
            return place_error(
                err, &at, "index %" PRId64 " follows %" PRId64 ", indices must ascend and differ",
                index, before);
        before = index;
        TRY(sparse_rows_put(&r->rows, index - base, value, err));
    }
    TRY(sparse_rows_end_row(&r->rows, err));
done:
    return status;
}

static pare_status read_pass(reader *r, pare_error *err) {
    stream *s = r->s;
    char next;
    pare_status status = PARE_OK;
    TRY(stream_skip_mark(s, err));
    for (r->line = 1;; r->line++) {
        TRY(skip_blanks(r, &next, err));
        if (s->at == s->end) break;
        if (next != '\n' && next != '#') TRY(read_line(r, err));
        TRY(skip_comment(r, err));
        s->at += s->at < s->end; /* the newline */
    }
done:
    return status;
}

pare_status read_svmlight(data_builder *b, stream *s, const pare_read_options *o,
                          const pare_ctx *ctx, pare_error *err) {
    reader r = {.b = b, .o = o, .s = s, .counting = s->can_rewind};
    pare_status status = PARE_OK;
    TRY(sparse_rows_begin(&r.rows, b, o->n_features, !s->can_rewind, s->name, ctx, err));
    TRY(read_pass(&r, err));
    if (r.counting) {
        TRY(sparse_rows_fill(&r.rows, err));
        TRY(stream_rewind(s, err));
        r.counting = false;
        TRY(read_pass(&r, err));
    }
    TRY(sparse_rows_finish(&r.rows, err));
done:
    sparse_rows_free(&r.rows);
    return status;
}
