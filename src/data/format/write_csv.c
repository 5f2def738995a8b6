/* Writes .csv and .tsv: a header, then id, features, weight and target of each sample. Numbers read
 * back to the same bits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "data/dataset.h"
#include "data/format/row_batch.h"
#include "data/format/stream.h"

typedef struct writer {
    const pare_data *data;
    sink *s;
    char delimiter;
    row_batch rows;
    pare_error *err;
} writer;

static pare_status put_char(writer *w, char c) { return sink_write(w->s, &c, 1, w->err); }

/* Writes text, quoted where RFC 4180 or the reader's trimming requires it. */
static pare_status put_text(writer *w, const char *text) {
    size_t length = strlen(text);
    bool quote = length == 0 || strpbrk(text, "\"\r\n") || strchr(text, w->delimiter) ||
                 strchr(" \t", text[0]) || strchr(" \t", text[length - 1]);
    if (!quote) return sink_write(w->s, text, length, w->err);
    PASS(put_char(w, '"'));
    for (; *text; text++) {
        if (*text == '"') PASS(put_char(w, '"'));
        PASS(put_char(w, *text));
    }
    return put_char(w, '"');
}

static pare_status put_number(writer *w, double value) {
    char text[32];
    int length = number_format(value, text);
    if (isnan(value)) return sink_write(w->s, "NA", 2, w->err);
    return sink_write(w->s, text, (size_t)length, w->err);
}

static bool is_feature(const strings_index *index, const char *name) {
    return strings_index_find(index, name, (int64_t)strlen(name)) >= 0;
}

/* The first of the names that no feature has, or the last one with underscores appended. */
enum { FREE_NAME = 64 };
static void find_free_name(char out[FREE_NAME], const strings_index *index,
                           const char *const *names) {
    while (names[1] && is_feature(index, *names)) names++;
    snprintf(out, FREE_NAME, "%s", *names);
    while (is_feature(index, out) && strlen(out) < FREE_NAME - 4) strcat(out, "_");
}

static pare_status put_free_name(writer *w, const strings_index *index, const char *const *names) {
    char name[FREE_NAME];
    find_free_name(name, index, names);
    return put_text(w, name);
}

/* The column of ids keeps its name if it has one and no feature has it. */
static const char *id_name(char free_name[FREE_NAME], const pare_data *data,
                           const strings_index *index) {
    static const char *const usual[] = {"id", NULL};
    const char *own = data->id_name.count ? strings_at(&data->id_name, 0) : "";
    find_free_name(free_name, index, usual);
    return *own && !is_feature(index, own) ? own : free_name;
}

/* Whether another column is called so. */
static bool is_taken(const pare_data *data, const strings_index *index, const char *id,
                     const char *name) {
    return is_feature(index, name) || (data->ids.count && strcmp(name, id) == 0) ||
           (data->weight && strcmp(name, "weight") == 0) ||
           (data->offset && strcmp(name, "offset") == 0);
}

/* The names of the columns behind the features. */
static pare_status write_other_names(writer *w, const strings_index *index, const char *id) {
    static const char *const weight[] = {"weight", NULL}, *const offset[] = {"offset", NULL},
                             *const target[] = {"class", "target", "label", "y", NULL},
                             *const time[] = {"time", NULL}, *const event[] = {"event", NULL},
                             *const stratum[] = {"stratum", NULL};
    const pare_data *data = w->data;
    const target_column *t = &data->target;
    const struct {
        bool there;
        const char *const *name;
    } others[] = {{data->weight, weight},
                  {data->offset, offset},
                  {t->strata.count, stratum},
                  {t->time, time},
                  {t->time, event}};
    const char *own = data->target_name.count ? strings_at(&data->target_name, 0) : "";
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!others[k].there) continue;
        PASS(put_char(w, w->delimiter));
        PASS(put_free_name(w, index, others[k].name));
    }
    if (!pare_data_has_target(data) || t->time) return PARE_OK;
    PASS(put_char(w, w->delimiter));
    if (*own && !is_taken(data, index, id, own)) return put_text(w, own);
    return put_free_name(w, index, target);
}

static pare_status write_header(writer *w) {
    const pare_data *data = w->data;
    pare_error *err = w->err;
    strings_index index = {0};
    int64_t duplicate;
    char buffer[32], free_name[FREE_NAME];
    pare_status status = PARE_OK;
    TRY_MEM(strings_index_make(&index, &data->names, &data->mem, &duplicate));
    const char *id = id_name(free_name, data, &index);
    if (data->ids.count) {
        TRY(put_text(w, id));
        TRY(put_char(w, w->delimiter));
    }
    for (int64_t j = 0; j < data->x.d; j++) {
        if (j) TRY(put_char(w, w->delimiter));
        TRY(put_text(w, pare_data_name(data, j, buffer)));
    }
    TRY(write_other_names(w, &index, id));
    TRY(put_char(w, '\n'));
done:
    strings_index_free(&index, &data->mem);
    return status;
}

/* What stands behind the features of sample i, in the order of write_other_names. */
static pare_status write_others(writer *w, int64_t i) {
    const pare_data *data = w->data;
    const target_column *t = &data->target;
    char digits[32];
    if (data->weight) {
        PASS(put_char(w, w->delimiter));
        PASS(put_number(w, data->weight[i]));
    }
    if (data->offset) {
        PASS(put_char(w, w->delimiter));
        PASS(put_number(w, data->offset[i]));
    }
    if (t->strata.count) {
        PASS(put_char(w, w->delimiter));
        PASS(put_text(w, strings_at(&t->strata, i)));
    }
    if (t->time) {
        PASS(put_char(w, w->delimiter));
        PASS(put_number(w, t->time[i]));
        PASS(put_char(w, w->delimiter));
        return put_number(w, t->event[i]);
    }
    if (!pare_data_has_target(data)) return PARE_OK;
    PASS(put_char(w, w->delimiter));
    return put_text(w, target_column_text(t, i, digits));
}

static pare_status write_row(writer *w, int64_t i) {
    const pare_data *data = w->data;
    const row_batch *b = &w->rows;
    int64_t at, end;
    row_batch_row(b, i, &at, &end);
    if (data->ids.count) {
        PASS(put_text(w, strings_at(&data->ids, i)));
        PASS(put_char(w, w->delimiter));
    }
    for (int64_t j = 0; j < data->x.d; j++) {
        if (j) PASS(put_char(w, w->delimiter));
        PASS(put_number(w, at < end && b->column[at] == j ? b->value[at++] : 0));
    }
    PASS(write_others(w, i));
    return put_char(w, '\n');
}

static pare_status write_delimited(const pare_data *data, sink *s, char delimiter,
                                   const pare_ctx *ctx, pare_error *err) {
    writer w = {.data = data, .s = s, .delimiter = delimiter, .err = err};
    row_batch *b = &w.rows;
    pare_status status = PARE_OK;
    TRY(row_batch_open(b, &data->x, ctx, err));
    TRY(write_header(&w));
    while (b->last < data->x.n) {
        TRY(row_batch_next(b, err));
        for (int64_t i = b->first; i < b->last; i++) TRY(write_row(&w, i));
    }
done:
    row_batch_close(b);
    return status;
}

pare_status write_csv(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    return write_delimited(data, s, ',', ctx, err);
}

pare_status write_tsv(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    return write_delimited(data, s, '\t', ctx, err);
}
