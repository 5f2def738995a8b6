#include "data/format/csv_form.h"

#include <string.h>

#include "base/context.h"
#include "base/number.h"

enum { N_DELIMITERS = 4, LONG_RUN = 8 /* ascending numbers: not a sample */ };

static const struct {
    char byte;
    const char *name;
} delimiters[N_DELIMITERS] = {{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}};

typedef struct line_counts {
    int64_t of[N_DELIMITERS]; /* outside quotes */
    bool there;
} line_counts;

/* Counts in one line, from *at bytes behind s->at on, and puts *at behind its end. */
static pare_status count_line(line_counts *out, stream *s, size_t *at, pare_error *err) {
    bool quoted = false;
    memset(out, 0, sizeof *out);
    for (;; ++*at) {
        while (s->at + *at == s->end && !s->eof) {
            if (s->can_rewind) { /* the line can be read again */
                s->at = s->end;
                *at = 0;
            }
            pare_status status = stream_fill(s, err);
            if (status != PARE_OK) return status;
        }
        if (s->at + *at == s->end) return PARE_OK;
        char c = s->buffer[s->at + *at];
        if (c == '\n' && !quoted) break;
        out->there = true;
        quoted ^= c == '"';
        for (int k = 0; k < N_DELIMITERS && !quoted; k++) out->of[k] += c == delimiters[k].byte;
    }
    ++*at;
    return PARE_OK;
}

/* Returns true if byte k cuts both lines into equally many fields, or the header into one less. */
static bool agrees(const line_counts line[2], int k) {
    int64_t a = line[0].of[k], b = line[1].there ? line[1].of[k] : a;
    return b > 0 && (a == b || a + 1 == b);
}

static int choose(const line_counts line[2]) {
    /* 1,5;2,5: a comma within each field at most */
    if (agrees(line, 1) && line[1].of[0] <= line[1].of[1] + 1) return 1;
    for (int k = 0; k < N_DELIMITERS; k++)
        if (agrees(line, k)) return k;
    int best = 0;
    for (int k = 1; k < N_DELIMITERS && line[0].of[0] == 0; k++)
        if (line[0].of[k] > line[0].of[best]) best = k;
    return best;
}

pare_status csv_form_find(csv_form *out, stream *s, char delimiter, const pare_ctx *ctx,
                          pare_error *err) {
    line_counts line[2];
    size_t at = 0;
    int k = 0;
    pare_status status = stream_skip_mark(s, err);
    if (status == PARE_OK) status = count_line(&line[0], s, &at, err);
    if (status == PARE_OK) status = count_line(&line[1], s, &at, err);
    if (status == PARE_OK && s->can_rewind) status = stream_rewind(s, err);
    if (status != PARE_OK) return status;
    if (!delimiter && (k = choose(line)) != 0)
        ctx_log(ctx, PARE_LOG_INFO, "%s: its fields are separated by %s", s->name,
                delimiters[k].name);
    while (delimiter && delimiters[k].byte != delimiter) k++;
    out->delimiter = delimiters[k].byte;
    out->fields = line[0].of[k] + 1;
    out->short_header = line[1].there && line[0].of[k] + 1 == line[1].of[k];
    return PARE_OK;
}

void csv_sample_see(csv_sample_test *t, const char *name, int64_t length) {
    double value;
    t->names += length > 0;
    if (length == 0 || number_parse(name, name + length, &value) != name + length) return;
    if (t->numbers == 0) {
        t->first = value;
        t->rises = t->falls = t->counts = true;
    } else {
        t->rises = t->rises && value > t->last;
        t->falls = t->falls && value < t->last;
        t->counts = t->counts && value == t->last + 1;
    }
    t->last = value;
    t->numbers++;
}

bool csv_sample_found(const csv_sample_test *t) {
    bool numbered = t->counts && (t->first == 0 || t->first == 1);
    bool ordered = (t->rises || t->falls) && t->numbers >= LONG_RUN;
    return t->numbers > 0 && 2 * t->numbers >= t->names && !numbered && !ordered;
}
