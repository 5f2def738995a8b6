#include "model/model_batch.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "model/json.h"

static pare_status alloc_batch(struct model_batch *b, arena *mem, int64_t k) {
    b->name = ARENA_NEW(mem, const char *, b->count);
    b->shift = ARENA_NEW(mem, double, b->count *k);
    b->scale = ARENA_NEW(mem, double, b->count *k);
    return b->name && b->shift && b->scale && ARENA_NEWS(mem, double, k, &b->mean, &b->deviation)
               ? PARE_OK
               : PARE_E_MEMORY;
}

pare_status model_batch_keep(pare_model *m, const batch_adjustment *from, const pare_data *data,
                             pare_error *err) {
    int64_t k = m->n_selected;
    if (!from) return PARE_OK;
    struct model_batch *b = m->batch = ARENA_ZERO(&m->mem, struct model_batch, 1);
    PASS_MEM(b);
    b->method = data->batch_by;
    b->count = from->batches.count;
    if (data->batch_column.count)
        PASS_MEM(b->column = arena_text(&m->mem, strings_at(&data->batch_column, 0)));
    PASS_MEM(alloc_batch(b, &m->mem, k) == PARE_OK);
    for (int64_t q = 0; q < b->count; q++) {
        PASS_MEM(b->name[q] = arena_text(&m->mem, from->batches.name[q]));
        for (int64_t i = 0; i < k; i++) {
            b->shift[q * k + i] = from->shift[q * from->d + m->index[i]];
            b->scale[q * k + i] = from->scale[q * from->d + m->index[i]];
        }
    }
    for (int64_t i = 0; i < k; i++) {
        b->mean[i] = from->mean[m->index[i]];
        b->deviation[i] = from->deviation[m->index[i]];
    }
    return PARE_OK;
}

/* --- the file --- */

static json_t *blocks_json(const double *v, int64_t count, int64_t k) {
    json_t *array = json_array();
    for (int64_t q = 0; q < count; q++) json_array_append_new(array, numbers_json(v + q * k, k, 1));
    return array;
}

json_t *model_batch_to_json(const pare_model *m) {
    const struct model_batch *b = m->batch;
    int64_t k = m->n_selected;
    if (!b) return NULL;
    json_t *names = json_array();
    for (int64_t q = 0; q < b->count; q++) json_array_append_new(names, json_string(b->name[q]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "method", batch_method_name(b->method),
                     "column", b->column ? json_string(b->column) : json_null(), "names", names,
                     "shift", blocks_json(b->shift, b->count, k), "scale",
                     blocks_json(b->scale, b->count, k), "mean", numbers_json(b->mean, k, 1),
                     "deviation", numbers_json(b->deviation, k, 1));
}

static bool read_blocks(const json_t *list, double *out, int64_t count, int64_t k) {
    if ((int64_t)json_array_size(list) != count) return false;
    for (int64_t q = 0; q < count; q++)
        if (!numbers_read(json_array_get(list, (size_t)q), k, out + q * k, 1)) return false;
    return true;
}

/* Names, each once. */
static pare_status read_names(struct model_batch *b, arena *mem, const json_t *names) {
    for (int64_t q = 0; q < b->count; q++) {
        const char *name = json_string_value(json_array_get(names, (size_t)q));
        if (!name) return PARE_E_FORMAT;
        for (int64_t e = 0; e < q; e++)
            if (strcmp(b->name[e], name) == 0) return PARE_E_FORMAT;
        if (!(b->name[q] = arena_text(mem, name))) return PARE_E_MEMORY;
    }
    return PARE_OK;
}

static bool positive(const double *v, int64_t count, bool zero) {
    for (int64_t i = 0; i < count; i++)
        if (!(v[i] > 0) && !(zero && v[i] == 0)) return false;
    return true;
}

pare_status model_batch_from_json(pare_model *m, const json_t *file, const char **expected) {
    const json_t *from = json_object_get(file, "batch"), *names = json_object_get(from, "names"),
                 *from_column = json_object_get(from, "column");
    const char *method = json_string_value(json_object_get(from, "method"));
    int64_t k = m->n_selected;
    if (!from) return PARE_OK;
    *expected = "an object with method, column, names, shift, scale, mean and deviation";
    struct model_batch *b = ARENA_ZERO(&m->mem, struct model_batch, 1);
    if (!b) return PARE_E_MEMORY;
    b->count = (int64_t)json_array_size(names);
    if (!method || batch_method_parse(&b->method, method, NULL) != PARE_OK || b->count == 0 ||
        !(json_is_string(from_column) || json_is_null(from_column)))
        return PARE_E_FORMAT;
    if (json_is_string(from_column) &&
        !(b->column = arena_text(&m->mem, json_string_value(from_column))))
        return PARE_E_MEMORY;
    *expected = "with arrays of one number per selected feature, shift and scale one for each name";
    if ((int64_t)json_array_size(json_object_get(from, "mean")) != k) return PARE_E_FORMAT;
    if (alloc_batch(b, &m->mem, k) != PARE_OK) return PARE_E_MEMORY;
    if (!read_blocks(json_object_get(from, "shift"), b->shift, b->count, k) ||
        !read_blocks(json_object_get(from, "scale"), b->scale, b->count, k) ||
        !numbers_read(json_object_get(from, "mean"), k, b->mean, 1) ||
        !numbers_read(json_object_get(from, "deviation"), k, b->deviation, 1) ||
        !positive(b->scale, b->count * k, false) || !positive(b->deviation, k, true))
        return PARE_E_FORMAT;
    *expected = "with names that all differ";
    m->batch = b;
    return read_names(b, &m->mem, names);
}

/* --- new data --- */

pare_status model_check_batch(const pare_model *m, const pare_data *data, pare_error *err) {
    bool needs = m->batch != NULL, has = data->batch.count > 0;
    if (needs == has) return PARE_OK;
    if (needs)
        return error_set(err, PARE_E_ARGUMENT,
                         "the model was fitted with batches%s%.64s%s: give those of these samples "
                         "with `batch`",
                         m->batch->column ? " (\"" : "", m->batch->column ? m->batch->column : "",
                         m->batch->column ? "\")" : "");
    return error_set(err, PARE_E_ARGUMENT, "`batch`: the model was fitted without batches");
}

static int32_t place_of(const struct model_batch *b, const char *name) {
    for (int64_t q = 0; q < b->count; q++)
        if (strcmp(b->name[q], name) == 0) return (int32_t)q;
    return -1;
}

/* Over the columns of x: `count` blocks, those of unseen batches after the model's. */
typedef struct blocks {
    double *shift, *scale;
    int32_t *of; /* n */
    int64_t count, d;
} blocks;

static pare_status blocks_open(blocks *out, const pare_model *m, const batch_list *there, int64_t d,
                               const int64_t *cols, arena *mem, pare_error *err) {
    const struct model_batch *b = m->batch;
    int64_t k = m->n_selected, most = b->count + there->count;
    *out = (blocks){.count = b->count, .d = d};
    PASS_MEM(out->shift = ARENA_ZERO(mem, double, most *d));
    PASS_MEM(out->scale = ARENA_ZERO(mem, double, most *d));
    for (int64_t q = 0; q < b->count; q++)
        for (int64_t i = 0; i < k; i++) {
            out->shift[q * d + cols[i]] = b->shift[q * k + i];
            out->scale[q * d + cols[i]] = b->scale[q * k + i];
        }
    return PARE_OK;
}

/* The block of a batch that the model does not know; -1: as it is. */
static pare_status see_unseen(int32_t *place, blocks *out, const pare_model *m,
                              const pare_data *data, const batch_rows *own, const char *name,
                              int64_t size, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t k = m->n_selected;
    double *shift, *scale;
    *place = -1;
    if (data->unseen == UNSEEN_REFUSE) return batch_refuse_unseen(name, err);
    if (data->unseen == UNSEEN_POOLED) return PARE_OK;
    PASS(batch_check_adapt(name, size, err));
    PASS_MEM(ARENA_NEWS(mem, double, k, &shift, &scale));
    PASS(batch_adapt(shift, scale, own, m->batch->mean, m->batch->deviation, ctx, err));
    *place = (int32_t)out->count++;
    for (int64_t i = 0; i < k; i++) {
        out->shift[*place * out->d + own->cols[i]] = shift[i];
        out->scale[*place * out->d + own->cols[i]] = scale[i];
    }
    ctx_log(ctx, PARE_LOG_INFO,
            "batch \"%.64s\" is estimated from its %lld samples here: its predictions depend on "
            "which samples the file has",
            name, (long long)size);
    return PARE_OK;
}

pare_status model_batch_apply(view *x, const pare_model *m, const pare_data *data,
                              const int64_t *cols, const double *fill, arena *mem,
                              const pare_ctx *ctx, pare_error *err) {
    batch_list there;
    blocks of;
    if (!m->batch) return PARE_OK;
    PASS(batches_of(&there, mem, data, err));
    PASS(blocks_open(&of, m, &there, x->x->d, cols, mem, err));
    int32_t *place = ARENA_NEW(mem, int32_t, there.count);
    PASS_MEM(place && (of.of = ARENA_NEW(mem, int32_t, x->x->n)));
    for (int32_t q = 0; q < there.count; q++) {
        place[q] = place_of(m->batch, there.name[q]);
        if (place[q] >= 0) continue;
        batch_rows own = {
            .x = x->x, .fill = fill, .cols = cols, .d = m->n_selected, .of = there.of, .batch = q};
        PASS(
            see_unseen(&place[q], &of, m, data, &own, there.name[q], there.size[q], mem, ctx, err));
    }
    for (int64_t i = 0; i < x->x->n; i++) of.of[i] = place[there.of[i]];
    return batch_show(x, of.of, of.shift, of.scale, fill, mem, err);
}
