#include "data/format/csv_form.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"

enum {
    N_DELIMITERS = 5,
    SPACE = 4,   /* the last one, and only where there is no other: texts have spaces */
    LONG_RUN = 8 /* ascending numbers: not a sample */
};

static const struct {
    char byte;
    const char *name;
} delimiters[N_DELIMITERS] = {
    {',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}, {' ', "spaces"}};

typedef struct line_counts {
    int64_t of[N_DELIMITERS];     /* outside quotes */
    int64_t filled[N_DELIMITERS]; /* fields that are not empty, where that byte separates them */
    bool open[N_DELIMITERS];      /* the last field is empty */
    bool there;
} line_counts;

/* Looks at `at` bytes behind s->at; *c: that byte. Returns false at the end. A stream that can be
 * rewound drops what was looked at. */
static bool look(stream *s, size_t *at, char *c, pare_status *status, pare_error *err) {
    while (s->at + *at == s->end && !s->eof) {
        if (s->can_rewind) { /* the line can be read again */
            s->at = s->end;
            *at = 0;
        }
        *status = stream_fill(s, err);
        if (*status != PARE_OK) return false;
    }
    if (s->at + *at == s->end) return false;
    *c = s->buffer[s->at + *at];
    return true;
}

/* Counts in one line, from *at bytes behind s->at on, and puts *at behind its end. */
static pare_status count_line(line_counts *out, stream *s, size_t *at, pare_error *err) {
    bool quoted = false, empty[N_DELIMITERS];
    pare_status status = PARE_OK;
    char c;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < N_DELIMITERS; k++) empty[k] = true;
    for (; look(s, at, &c, &status, err); ++*at) {
        if (c == '\n' && !quoted) {
            ++*at;
            break;
        }
        out->there = true;
        quoted ^= c == '"';
        for (int k = 0; k < N_DELIMITERS; k++) {
            bool cut = !quoted && c == delimiters[k].byte;
            out->of[k] += cut;
            bool blank = !c || strchr("\" \t\r", c);
            out->filled[k] += empty[k] && !cut && !blank;
            empty[k] = cut || (empty[k] && blank);
        }
    }
    memcpy(out->open, empty, sizeof empty);
    return status;
}

/* Returns true if byte k cuts both lines into equally many fields, or the header into one less. */
static bool agrees(const line_counts line[2], int k) {
    int64_t a = line[0].of[k], b = line[1].there ? line[1].of[k] : a;
    return b > 0 && (a == b || a + 1 == b);
}

static int choose(const line_counts line[2]) {
    /* 1,5;2,5: a comma within each field at most */
    if (agrees(line, 1) && line[1].of[0] <= line[1].of[1] + 1) return 1;
    bool others = false;
    for (int k = 0; k < SPACE; k++) {
        if (agrees(line, k)) return k;
        others = others || line[0].of[k] || line[1].of[k];
    }
    if (!others && line[1].there && agrees(line, SPACE)) return SPACE;
    int best = 0;
    for (int k = 1; k < SPACE && line[0].of[0] == 0; k++)
        if (line[0].of[k] > line[0].of[best]) best = k;
    return best;
}

/* The number of lines above the header, if these look like a title: most fields of the first line
 * are empty or absent, and the fullest line of `count` comes first in lines of equally many fields. */
static int64_t title_lines(const line_counts *line, int64_t count) {
    int64_t top = 0;
    int best = 0;
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < SPACE; k++)
            if (line[i].of[k] > 0 &&
                (line[i].filled[k] > line[top].filled[best] || line[top].of[best] == 0)) {
                top = i;
                best = k;
            }
    int64_t width = line[top].of[best] + 1, full = line[top].filled[best];
    while (top > 0 && line[top - 1].filled[best] >= full - 1 && /* or an id */
           (width > 2 || line[top - 1].of[best] + 1 == width))
        top--;
    int64_t next = top + 1 < count ? line[top + 1].of[best] + 1 : 0;
    bool table = next == width || next == line[top].of[best] + 2;
    return table && width > 1 && 2 * line[0].filled[best] <= full ? top : 0;
}

enum { MAX_LINES = 32 };

/* Counts in the lines behind the first two, from *at on; *count: how many lines there are in all. */
static pare_status count_more(line_counts line[MAX_LINES], int64_t *count, stream *s, size_t *at,
                              pare_error *err) {
    for (*count = 2; *count < MAX_LINES && !(s->eof && s->at + *at == s->end); ++*count)
        PASS(count_line(&line[*count], s, at, err));
    return PARE_OK;
}

/* Returns true if all rows end in an empty field and have one field more than the header: a separator
 * ends each, and no row begins with an id. */
static bool rows_end_open(const line_counts *line, int64_t count, int k) {
    for (int64_t i = 1; i < count; i++)
        if (line[i].there && (line[i].of[k] != line[0].of[k] + 1 || !line[i].open[k])) return false;
    return true;
}

/* Rejects a title above the header. */
static pare_status refuse_title(const line_counts *line, int64_t count, int64_t before,
                                const stream *s, pare_error *err) {
    int64_t title = title_lines(line, count);
    place where = {.file = s->name, .line = before + 1, .byte = -1};
    if (title == 0) return PARE_OK;
    return place_error(err, &where,
                       "a title stands above the names of the columns: `skip %lld` reads the table "
                       "from line %lld on",
                       (long long)(before + title), (long long)(before + title + 1));
}

static pare_status skip_line(stream *s, bool *there, pare_error *err) {
    pare_status status = PARE_OK;
    char c = 0;
    *there = false;
    while (c != '\n') {
        size_t at = 0;
        if (!look(s, &at, &c, &status, err)) break;
        s->at++;
        *there = true;
    }
    return status;
}

/* Excel's first line "sep=;" names the delimiter. */
static pare_status take_separator(char *delimiter, stream *s, pare_error *err) {
    char line[8] = "", c = 0;
    size_t at = 0, used = 0;
    pare_status status = PARE_OK;
    bool rewinds = s->can_rewind;
    s->can_rewind = false; /* nothing is dropped */
    while (used < sizeof line - 1 && c != '\n' && look(s, &at, &c, &status, err)) {
        if (c != '"' && c != '\r') line[used++] = c;
        at++;
    }
    s->can_rewind = rewinds;
    bool found = status == PARE_OK && used >= 5 && strncmp(line, "sep=", 4) == 0 &&
                 (line[5] == '\n' || !line[5]);
    *delimiter = '\0';
    for (int k = 0; found && k < N_DELIMITERS; k++)
        if (delimiters[k].byte == line[4]) *delimiter = line[4];
    return status;
}

/* Goes from the start of the stream to line `before` + 1. */
static pare_status skip_lines(stream *s, int64_t before, pare_error *err) {
    bool there = true;
    for (int64_t i = 0; i < before; i++) {
        pare_status status = skip_line(s, &there, err);
        if (status != PARE_OK) return status;
        if (!there)
            return error_set(err, PARE_E_FORMAT, "`skip %lld`: %s has only %lld lines",
                             (long long)before, s->name, (long long)i);
    }
    return PARE_OK;
}

pare_status csv_form_rewind(const csv_form *form, stream *s, pare_error *err) {
    pare_status status = stream_rewind(s, err);
    if (status == PARE_OK) status = stream_skip_mark(s, err);
    return status == PARE_OK ? skip_lines(s, form->before, err) : status;
}

pare_status csv_form_begin(fields *f, const csv_form *form, stream *s, pare_error *err) {
    pare_status status = fields_begin(f, s, form->delimiter, err);
    f->line += form->before;
    return status;
}

pare_status csv_form_find(csv_form *out, stream *s, char delimiter, int64_t skip, bool header,
                          const pare_ctx *ctx, pare_error *err) {
    line_counts line[MAX_LINES];
    int64_t count;
    size_t at = 0;
    int k = 0;
    char told;
    pare_status status = PARE_OK;
    TRY(stream_skip_mark(s, err));
    TRY(take_separator(&told, s, err));
    out->before = skip > 0 ? skip : told != '\0';
    TRY(skip_lines(s, out->before, err));
    TRY(count_line(&line[0], s, &at, err));
    TRY(count_line(&line[1], s, &at, err));
    if (!told && !delimiter && (k = choose(line)) != 0)
        ctx_log(ctx, PARE_LOG_INFO, "%s: its fields are separated by %s", s->name,
                delimiters[k].name);
    if (told) delimiter = told;
    while (delimiter && delimiters[k].byte != delimiter) k++;
    out->short_header = line[1].there && line[0].of[k] + 1 == line[1].of[k];
    out->open_rows = false;
    bool odd = k == SPACE || !agrees(line, k) || 2 * line[0].filled[k] <= line[0].of[k] + 1;
    if (header && (odd || (out->short_header && line[1].open[k]))) {
        TRY(count_more(line, &count, s, &at, err));
        if (odd) TRY(refuse_title(line, count, out->before, s, err));
        out->open_rows = out->short_header && rows_end_open(line, count, k);
    }
    if (s->can_rewind) TRY(csv_form_rewind(out, s, err));
    out->delimiter = delimiters[k].byte;
    out->fields = line[0].of[k] + 1;
done:
    return status;
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
