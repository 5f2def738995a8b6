/* Matrix Market .mtx: rows are samples, columns are features.
 *
 *     %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric
 *     % comments
 *     n d entries                (array: n d)
 *     i j value                  (1-based; pattern: i j; array: one value, columns first)
 *
 * A coordinate file becomes CSC, an array dense. Entries in any order; one that appears twice is an
 * error. Memory: the entries and their columns, 20 bytes each, sorted in place. */
#include "base/order.h"
#include "data/format/mtx.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

enum { MAX_LINE = 65536, MIN_CAPACITY = 4096 };

typedef struct mtx {
    stream *s;
    int64_t line;           /* 1-based number of the line in text */
    const char *text, *end; /* the line, without its end; *end is a NUL */
    bool coordinate, pattern, symmetric;
    bool transposed;       /* rows are features; the members below are after transposition */
    int64_t n, d, entries; /* from the size line */
} mtx;

#define FAIL(m, code, ...)                                                                         \
    error_at(err, code, (m)->line, 0, (m)->s->base + ((m)->text - (m)->s->buffer), __VA_ARGS__)

/* --- lines and fields --- */

static bool blank(char c) { return c == ' ' || c == '\t'; }

static const char *skip_blanks(const char *p) {
    while (blank(*p)) p++;
    return p;
}

/* Returns true if the rest of the line is blank; a NUL byte within it is not its end. */
static bool at_end(const mtx *m, const char *p) { return skip_blanks(p) == m->end; }

/* The next line, of any kind; *more is false at the end of the file. */
static pare_status next_line(mtx *m, bool *more, pare_error *err) {
    stream *s = m->s;
    char *stop;
    size_t seen = 0;
    while (!(stop = memchr(s->buffer + s->at + seen, '\n', s->end - s->at - seen)) && !s->eof) {
        seen = s->end - s->at;
        if (seen > MAX_LINE)
            return error_at(err, PARE_E_FORMAT, m->line + 1, 0, s->base + (int64_t)s->at,
                            "%s, line %" PRId64 " is longer than %d bytes", s->name, m->line + 1,
                            MAX_LINE);
        PASS(stream_fill(s, err));
    }
    *more = s->at < s->end;
    m->text = s->buffer + s->at;
    m->line += *more;
    if (!stop) stop = s->buffer + s->end; /* the sentinel */
    s->at = (size_t)(stop - s->buffer) + (*stop == '\n');
    if (stop > m->text && stop[-1] == '\r') stop--;
    if (*more) *stop = '\0';
    m->end = stop;
    return PARE_OK;
}

/* The next line that is neither blank nor a comment. */
static pare_status next_content(mtx *m, bool *more, pare_error *err) {
    do {
        PASS(next_line(m, more, err));
        if (*more) m->text = skip_blanks(m->text);
    } while (*more && (m->text == m->end || *m->text == '%'));
    return PARE_OK;
}

/* An integer of at least 0, then a blank or the end. */
static bool take_count(const char **p, int64_t *out) {
    const char *at = skip_blanks(*p);
    if (*at < '0' || *at > '9') return false;
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *at - '0', out))
            return false;
    *p = at;
    return blank(*at) || *at == '\0';
}

/* A number, or "nan" for a missing value; then a blank or the end. */
static bool take_number(const char **p, const char *end, double *out) {
    const char *at = skip_blanks(*p), *after = number_parse(at, end, out);
    if (!after && strncasecmp(at, "nan", 3) == 0) {
        *out = NAN;
        after = at + 3;
    }
    if (!after) return false;
    *p = after;
    return blank(*after) || *after == '\0';
}

/* --- the two header lines --- */

static bool next_word(const char **p, char word[32]) {
    const char *at = skip_blanks(*p);
    size_t length = strcspn(at, " \t");
    if (length == 0 || length > 31) return false;
    memcpy(word, at, length);
    word[length] = '\0';
    *p = at + length;
    return true;
}

static bool is_word(const char *word, const char *name) { return strcasecmp(word, name) == 0; }

static pare_status read_banner(mtx *m, pare_error *err) {
    char object[32], form[32], field[32], symmetry[32];
    bool more;
    PASS(next_line(m, &more, err));
    const char *p = m->text + 14;
    if (!more || strncasecmp(m->text, "%%MatrixMarket", 14) != 0)
        return FAIL(m, PARE_E_FORMAT,
                    "%s is not a Matrix Market file: its first line does not "
                    "start with %%%%MatrixMarket",
                    m->s->name);
    if (!next_word(&p, object) || !next_word(&p, form) || !next_word(&p, field) ||
        !next_word(&p, symmetry) || !at_end(m, p))
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line 1 must name object, format, field and symmetry, as "
                    "in \"%%%%MatrixMarket matrix coordinate real general\"",
                    m->s->name);
    if (!is_word(object, "matrix"))
        return FAIL(m, PARE_E_FORMAT, "%s, line 1: the object is \"%s\", allowed is matrix",
                    m->s->name, object);
    m->coordinate = is_word(form, "coordinate");
    if (!m->coordinate && !is_word(form, "array"))
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line 1: the format is \"%s\", allowed are coordinate and "
                    "array",
                    m->s->name, form);
    m->pattern = is_word(field, "pattern");
    if (!m->pattern && !is_word(field, "real") && !is_word(field, "integer"))
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line 1: the field is \"%s\", allowed are real, integer "
                    "and pattern",
                    m->s->name, field);
    if (m->pattern && !m->coordinate)
        return FAIL(m, PARE_E_FORMAT, "%s, line 1: an array cannot be a pattern", m->s->name);
    m->symmetric = is_word(symmetry, "symmetric");
    if (!m->symmetric && !is_word(symmetry, "general"))
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line 1: the symmetry is \"%s\", allowed are general and "
                    "symmetric",
                    m->s->name, symmetry);
    return PARE_OK;
}

static pare_status read_sizes(mtx *m, pare_error *err) {
    bool more;
    PASS(next_content(m, &more, err));
    const char *p = m->text;
    if (!more) return FAIL(m, PARE_E_FORMAT, "%s ends before its line of sizes", m->s->name);
    if (!take_count(&p, &m->n) || !take_count(&p, &m->d) ||
        (m->coordinate && !take_count(&p, &m->entries)) || !at_end(m, p))
        return FAIL(m, PARE_E_FORMAT, "%s, line %" PRId64 " must hold %s, but is \"%.100s\"",
                    m->s->name, m->line,
                    m->coordinate ? "rows, columns and entries" : "rows and columns", m->text);
    if (m->symmetric && m->n != m->d)
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line %" PRId64 ": a symmetric matrix cannot be %" PRId64 " x %" PRId64,
                    m->s->name, m->line, m->n, m->d);
    if (m->entries > 0 && m->d > 0 && (m->entries - 1) / m->d >= m->n)
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line %" PRId64 ": %" PRId64 " entries are more than %" PRId64 " x %" PRId64
                    " can hold",
                    m->s->name, m->line, m->entries, m->n, m->d);
    if (m->transposed) {
        int64_t rows = m->n;
        m->n = m->d;
        m->d = rows;
    }
    return PARE_OK;
}

static pare_status expect_end(mtx *m, pare_error *err) {
    bool more;
    pare_status status = next_content(m, &more, err);
    if (status != PARE_OK || !more) return status;
    return FAIL(m, PARE_E_FORMAT,
                "%s, line %" PRId64 " comes after the last of the values that the "
                "line of sizes announces",
                m->s->name, m->line);
}

/* --- arrays --- */

static pare_status read_array(data_builder *b, mtx *m, const pare_ctx *ctx, pare_error *err) {
    int64_t n = m->n, d = m->d;
    PASS(data_alloc_dense(b, n, d, m->s->name, ctx, err));
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = m->symmetric ? j : 0; i < n; i++) {
            bool more;
            double v;
            PASS(next_content(m, &more, err));
            const char *p = m->text;
            if (!more)
                return FAIL(m, PARE_E_FORMAT, "%s ends before row %" PRId64 " of column %" PRId64,
                            m->s->name, i + 1, j + 1);
            if (!take_number(&p, m->end, &v) || !at_end(m, p))
                return FAIL(m, PARE_E_FORMAT,
                            "%s, line %" PRId64 " must hold one number, but is "
                            "\"%.100s\"",
                            m->s->name, m->line, m->text);
            b->fill.value[j * n + i] = v;
            if (m->symmetric) b->fill.value[i * n + j] = v;
        }
    return expect_end(m, err);
}

/* --- coordinates --- */

static pare_status read_entry(mtx *m, int64_t k, int64_t *i, int64_t *j, double *v,
                              pare_error *err) {
    bool more;
    PASS(next_content(m, &more, err));
    const char *p = m->text;
    *v = 1;
    if (!more)
        return FAIL(m, PARE_E_FORMAT, "%s ends after %" PRId64 " of %" PRId64 " entries",
                    m->s->name, k, m->entries);
    if (!take_count(&p, i) || !take_count(&p, j) || (!m->pattern && !take_number(&p, m->end, v)) ||
        !at_end(m, p))
        return FAIL(m, PARE_E_FORMAT, "%s, line %" PRId64 " must hold %s, but is \"%.100s\"",
                    m->s->name, m->line,
                    m->pattern ? "a row and a column"
                               : "a row, a column and a "
                                 "number",
                    m->text);
    if (m->transposed) {
        int64_t row = *i;
        *i = *j;
        *j = row;
    }
    if (*i < 1 || *i > m->n)
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line %" PRId64 ": row %" PRId64 " is not among 1 to %" PRId64, m->s->name,
                    m->line, *i, m->n);
    if (*j < 1 || *j > m->d)
        return FAIL(m, PARE_E_FORMAT,
                    "%s, line %" PRId64 ": column %" PRId64 " is not among 1 to %" PRId64,
                    m->s->name, m->line, *j, m->d);
    --*i;
    --*j;
    return PARE_OK;
}

/* Entries in the order of the file. The arrays grow with the entries read, as the size line may be
 * wrong. */
typedef struct triplets {
    int64_t count, capacity;
    int64_t *col;
} triplets;

static bool add_entry(data_builder *b, triplets *t, int64_t i, int64_t j, double v) {
    const pare_data *data = b->data;
    if (t->count == t->capacity) {
        int64_t capacity = t->capacity ? 2 * t->capacity : MIN_CAPACITY;
        if (!mem_resize(&data->mem, &b->fill.row, capacity, sizeof *b->fill.row) ||
            !mem_resize(&data->mem, &b->fill.value, capacity, sizeof *b->fill.value) ||
            !mem_resize(&data->mem, &t->col, capacity, sizeof *t->col))
            return false;
        t->capacity = capacity;
    }
    b->fill.row[t->count] = (int32_t)i;
    b->fill.value[t->count] = v;
    t->col[t->count++] = j;
    b->fill.col_ptr[j + 1]++;
    return true;
}

/* Moves every entry into its column, in place: the entry at the first free place of column c goes
 * to the first free place of its own column, and what was there comes here, until it is one of c.
 */
static void sort_by_column(data_builder *b, triplets *t, int64_t *free_at) {
    const pare_data *data = b->data;
    for (int64_t c = 0; c < data->x.d; c++)
        while (free_at[c] < b->fill.col_ptr[c + 1]) {
            int64_t here = free_at[c], own = t->col[here], there = free_at[own]++;
            if (own == c) continue;
            int32_t row = b->fill.row[here];
            double value = b->fill.value[here];
            b->fill.row[here] = b->fill.row[there];
            b->fill.value[here] = b->fill.value[there];
            t->col[here] = t->col[there];
            b->fill.row[there] = row;
            b->fill.value[there] = value;
            t->col[there] = own;
        }
}

typedef struct entry {
    int32_t row;
    double value;
} entry;

static int by_row(const void *a, const void *b) {
    return order_index(((const entry *)a)->row, ((const entry *)b)->row);
}

/* Sorts one column by row unless it is sorted. */
static void sort_column(int32_t *row, double *value, int64_t count, entry *scratch) {
    int64_t k = 1;
    while (k < count && row[k - 1] < row[k]) k++;
    if (k >= count) return;
    for (k = 0; k < count; k++) scratch[k] = (entry){row[k], value[k]};
    qsort(scratch, (size_t)count, sizeof *scratch, by_row);
    for (k = 0; k < count; k++) {
        row[k] = scratch[k].row;
        value[k] = scratch[k].value;
    }
}

pare_status mtx_sort_rows(data_builder *b, const char *name, pare_error *err) {
    const pare_data *data = b->data;
    int64_t longest = 0;
    for (int64_t j = 0; j < data->x.d; j++)
        if (b->fill.col_ptr[j + 1] - b->fill.col_ptr[j] > longest)
            longest = b->fill.col_ptr[j + 1] - b->fill.col_ptr[j];
    entry *scratch = mem_alloc(&data->mem, longest, sizeof *scratch);
    if (!scratch) return error_memory(err);
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < data->x.d && status == PARE_OK; j++) {
        int64_t start = b->fill.col_ptr[j], end = b->fill.col_ptr[j + 1];
        sort_column(b->fill.row + start, b->fill.value + start, end - start, scratch);
        for (int64_t e = start + 1; e < end && status == PARE_OK; e++)
            if (b->fill.row[e] == b->fill.row[e - 1])
                status = error_at(err, PARE_E_FORMAT, b->fill.row[e] + 1, j + 1, -1,
                                  "%s: the entry in row %d, column %" PRId64 " appears twice", name,
                                  b->fill.row[e] + 1, j + 1);
    }
    mem_free(&data->mem, scratch);
    return status;
}

static pare_status read_coordinates(data_builder *b, mtx *m, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    triplets t = {0, 0, NULL};
    int64_t *free_at = NULL, i = 0, j = 0, d = m->d;
    double v;
    pare_status status = PARE_OK;
    TRY(data_alloc_sparse(b, m->n, d, 0, m->s->name, ctx, err));
    TRY(data_check_memory(20.0 * (double)m->entries, m->s->name, ctx, err));
    memset(b->fill.col_ptr, 0, (size_t)(d + 1) * sizeof *b->fill.col_ptr);
    for (int64_t k = 0; k < m->entries; k++) {
        TRY(read_entry(m, k, &i, &j, &v, err));
        TRY_MEM(add_entry(b, &t, i, j, v));
        if (m->symmetric && i != j) TRY_MEM(add_entry(b, &t, j, i, v));
    }
    TRY(expect_end(m, err));
    for (j = 0; j < d; j++) b->fill.col_ptr[j + 1] += b->fill.col_ptr[j];
    TRY_MEM(free_at = mem_alloc(&data->mem, d, sizeof *free_at));
    memcpy(free_at, b->fill.col_ptr, (size_t)d * sizeof *free_at);
    if (t.col) sort_by_column(b, &t, free_at);
    TRY(mtx_sort_rows(b, m->s->name, err));
done:
    mem_free(&data->mem, free_at);
    mem_free(&data->mem, t.col);
    return status;
}

pare_status read_mtx(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    return mtx_read(b, s, o, false, ctx, err);
}

pare_status mtx_read(data_builder *b, stream *s, const pare_read_options *o, bool transposed,
                     const pare_ctx *ctx, pare_error *err) {
    mtx m = {.s = s, .transposed = transposed};
    PASS(read_banner(&m, err));
    if (transposed && !m.coordinate)
        return FAIL(&m, PARE_E_FORMAT, "%s, line 1: expected coordinates, found an array", s->name);
    PASS(read_sizes(&m, err));
    PASS(m.coordinate ? read_coordinates(b, &m, ctx, err) : read_array(b, &m, ctx, err));
    if (!o->allow_missing) PASS(data_refuse_missing(b, s->name, err));
    return PARE_OK;
}

/* --- writing --- */

static pare_status count_entries(int64_t *out, const view *x, const pare_ctx *ctx,
                                 pare_error *err) {
    walk w;
    column c;
    int64_t j;
    *out = 0;
    PASS(walk_open(&w, x, NULL, x->d, ctx, err));
    while (walk_next(&w, &j, &c)) *out += c.count;
    return walk_close(&w, err);
}

/* A sparse data set as coordinates, a dense one as an array; numbers read back exactly. */
pare_status write_mtx(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    bool sparse = mat_is_sparse(&data->x);
    int64_t n = data->x.n, d = data->x.d, entries, j;
    char line[128], number[32], size[32] = "";
    view all = view_all(&data->x);
    walk w = {0};
    column c;
    pare_status status = PARE_OK;
    if (sparse) {
        TRY(count_entries(&entries, &all, ctx, err));
        snprintf(size, sizeof size, " %" PRId64, entries);
    }
    int length = snprintf(line, sizeof line,
                          "%%%%MatrixMarket matrix %s real general\n%" PRId64 " %" PRId64 "%s\n",
                          sparse ? "coordinate" : "array", n, d, size);
    TRY(sink_write(s, line, (size_t)length, err));
    TRY(walk_open(&w, &all, NULL, d, ctx, err));
    while (walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++) {
            number_format(c.value[e], number);
            length = sparse ? snprintf(line, sizeof line, "%d %" PRId64 " %s\n", c.index[e] + 1,
                                       j + 1, number)
                            : snprintf(line, sizeof line, "%s\n", number);
            TRY(sink_write(s, line, (size_t)length, err));
        }
done:
    return walk_end(&w, status, err);
}
