#include "data/sample/positive_weight.h"

#include "base/context.h"
#include "base/error.h"
#include "data/builder.h"
#include "data/sample/batches.h"
#include "data/feature/terms.h"

/* A data set of the samples `rows` only; X is not copied. */
static pare_status copy_rows(pare_data **out, const pare_data *from, const int32_t *rows, int64_t n,
                             const pare_ctx *ctx, pare_error *err) {
    data_builder b;
    pare_status status = PARE_OK;
    TRY(data_begin(&b, ctx, err));
    pare_data *data = b.data;
    const pare_allocator *mem = &data->mem;
    TRY(mat_rows(&data->x, &from->x, false, rows, n, mem, err));
    TRY_MEM(data->weight = mem_alloc(mem, n, sizeof *data->weight));
    TRY_MEM(
        strings_take(&data->names, &from->names, NULL, from->x.d, mem) &&
        strings_take(&data->groups, &from->groups, NULL, from->x.d, mem) && terms_copy(&b, from) &&
        target_column_take(&data->target, &from->target, rows, n, mem) &&
        strings_take(&data->ids, &from->ids, rows, n, mem) &&
        strings_take(&data->fold_group, &from->fold_group, rows, n, mem) &&
        strings_take(&data->fold, &from->fold, rows, n, mem) && batches_take(data, from, rows, n));
    if (from->offset) TRY_MEM(data->offset = mem_alloc(mem, n, sizeof *data->offset));
    for (int64_t i = 0; i < n; i++) {
        data->weight[i] = from->weight[rows[i]];
        if (data->offset) data->offset[i] = from->offset[rows[i]];
    }
    *out = data_hand_out(&b);
done:
    data_abandon(&b);
    return status;
}

pare_status weighted_samples_begin(weighted_samples *p, const pare_data *given, const pare_ctx *ctx,
                                   pare_error *err) {
    *p = (weighted_samples){.data = given, .n = given->x.n};
    int64_t n = 0;
    arena_init(&p->mem, ctx_allocator(ctx));
    for (int64_t i = 0; i < p->n; i++) n += !given->weight || given->weight[i] > 0;
    if (n == p->n) return PARE_OK;
    p->rows = ARENA_NEW(&p->mem, int32_t, n);
    if (!p->rows) return error_memory(err);
    for (int64_t i = 0, at = 0; i < p->n; i++)
        if (given->weight[i] > 0) p->rows[at++] = (int32_t)i;
    pare_status status = copy_rows(&p->copy, given, p->rows, n, ctx, err);
    if (status == PARE_OK) p->data = p->copy;
    return status;
}

void weighted_samples_end(weighted_samples *p) {
    pare_data_free(p->copy);
    arena_free(&p->mem);
}

double *weighted_samples_take(const weighted_samples *p, arena *mem, double *v, int64_t columns) {
    if (!p->rows || !v) return v;
    int64_t n = p->data->x.n;
    double *out = ARENA_NEW(mem, double, n *columns);
    for (int64_t c = 0; out && c < columns; c++)
        for (int64_t i = 0; i < n; i++) out[c * n + i] = v[c * p->n + p->rows[i]];
    return out;
}

double *weighted_samples_scatter(const weighted_samples *p, arena *mem, double *v,
                                 int64_t columns) {
    if (!p->rows || !v) return v;
    int64_t n = p->data->x.n;
    double *out = ARENA_ZERO(mem, double, p->n *columns);
    for (int64_t c = 0; out && c < columns; c++)
        for (int64_t i = 0; i < n; i++) out[c * p->n + p->rows[i]] = v[c * n + i];
    return out;
}
