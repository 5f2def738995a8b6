/* Parts of a finished data set, replaced or dropped by the caller whose data set it is: the one
 * exception to what dataset.h says, and only while no other thread uses the data. Everything else
 * in the library reads a finished data set as it is. */
#include "data/replace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/builder.h"
#include "data/checksum.h"
#include "data/feature/choose.h"
#include "data/feature/drop_columns.h"
#include "data/feature/terms.h"
#include "data/sample/batches.h"

static const char *const in_memory = "the data set";

/* A finished data set under the functions of a builder. Never abandoned: the caller keeps it. */
static data_builder reopen(pare_data *data) { return (data_builder){.data = data}; }

/* Stores a finished list, or frees it on failure, which leaves the data unchanged. */
static pare_status put(strings *place, bool *shared, strings *list, pare_status status,
                       pare_data *data) {
    if (status == PARE_OK) {
        strings old = *place;
        *place = *list;
        *list = old;
        if (shared && *shared) *list = (strings){0};
        if (shared) *shared = false;
        data_changed(data);
    }
    strings_free(list, &data->mem);
    return status;
}

/* `from` NULL: an empty list. */
static pare_status make_list(strings *list, const pare_data *data, const char *const *from,
                             int64_t count, const char *one, const char *all, pare_error *err) {
    if (!from) return PARE_OK;
    pare_status status = data_copy_texts(list, &data->mem, from, count, one, err);
    return status == PARE_OK ? data_check_list(list, count, all, "", NULL, in_memory, err) : status;
}

/* The same of a target. */
static pare_status put_target(pare_data *data, target_column *target, pare_status status) {
    if (status == PARE_OK) {
        target_column old = data->target;
        data->target = *target;
        data->target.strata = old.strata;
        *target = old;
        target->strata = (strings){0};
        data_changed(data);
    }
    target_column_free(target, &data->mem);
    return status;
}

pare_status pare_data_set_labels(pare_data *data, const char *const *labels, pare_error *err) {
    target_column target = {0};
    return put_target(
        data, &target,
        make_list(&target.text, data, labels, data->x.n, "label", "target values", err));
}

pare_status pare_data_set_values(pare_data *data, const double *values, pare_error *err) {
    target_column target = {0};
    pare_status status =
        values ? data_copy_values(&target, &data->mem, values, data->x.n, err) : PARE_OK;
    return put_target(data, &target, status);
}

pare_status pare_data_set_time_event(pare_data *data, const double *time, const bool *event,
                                     pare_error *err) {
    target_column target = {0};
    pare_status status = PARE_OK;
    if (!time != !event)
        return error_set(err, PARE_E_ARGUMENT, "%s is a null pointer", time ? "event" : "time");
    if (time) TRY(data_check_times(time, data->x.n, in_memory, err));
    if (time) TRY_MEM(target_column_of_times(&target, time, event, data->x.n, &data->mem));
done:
    return put_target(data, &target, status);
}

pare_status pare_data_set_strata(pare_data *data, const char *const *strata, pare_error *err) {
    strings list = {0};
    pare_status status = make_list(&list, data, strata, data->x.n, "stratum", "strata", err);
    return put(&data->target.strata, NULL, &list, status, data);
}

static pare_status check_codes(const int32_t *code, int64_t n, int64_t n_classes, pare_error *err) {
    for (int64_t i = 0; i < n; i++)
        if (code[i] < 0 || code[i] >= n_classes)
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "the code of sample %" PRId64 " is %" PRId32
                            ", allowed are 0 to %" PRId64,
                            i + 1, code[i], n_classes - 1);
    return PARE_OK;
}

pare_status pare_data_set_codes(pare_data *data, const int32_t *codes, const char *const *classes,
                                int64_t n_classes, pare_error *err) {
    target_column target = {0};
    strings levels = {0};
    pare_status status = PARE_OK;
    if (!codes || !classes)
        return error_set(err, PARE_E_ARGUMENT, "%s is a null pointer", codes ? "classes" : "codes");
    TRY(check_codes(codes, data->x.n, n_classes, err));
    TRY(make_list(&levels, data, classes, n_classes, "class name", "target values", err));
    TRY_MEM(target_column_of_codes(&target, codes, data->x.n, &levels, &data->mem));
done:
    strings_free(&levels, &data->mem);
    return put_target(data, &target, status);
}

pare_status pare_data_set_ids(pare_data *data, const char *const *ids, pare_error *err) {
    strings list = {0};
    pare_status status = make_list(&list, data, ids, data->x.n, "sample id", "sample ids", err);
    return put(&data->ids, NULL, &list, status, data);
}

pare_status pare_data_set_fold_groups(pare_data *data, const char *const *groups, pare_error *err) {
    strings list = {0};
    pare_status status =
        make_list(&list, data, groups, data->x.n, "fold group", "fold groups", err);
    return put(&data->fold_group, NULL, &list, status, data);
}

pare_status pare_data_set_folds(pare_data *data, const char *const *folds, pare_error *err) {
    strings list = {0};
    pare_status status = make_list(&list, data, folds, data->x.n, "fold", "folds", err);
    return put(&data->fold, NULL, &list, status, data);
}

pare_status pare_data_set_batches(pare_data *data, const char *const *batches, const char *method,
                                  const char *unseen, pare_error *err) {
    strings list = {0};
    batch_method by;
    batch_unseen other;
    PASS(batch_method_parse(&by, method, err));
    PASS(batch_unseen_parse(&other, unseen, err));
    pare_status status = make_list(&list, data, batches, data->x.n, "batch", "batches", err);
    status = put(&data->batch, NULL, &list, status, data);
    if (status != PARE_OK) return status;
    strings_free(&data->batch_column, &data->mem);
    data->batch_by = by;
    data->unseen = other;
    return PARE_OK;
}

pare_status pare_data_set_names(pare_data *data, const char *const *names, pare_error *err) {
    strings list = {0};
    pare_status status =
        make_list(&list, data, names, data->x.d, "feature name", "feature names", err);
    if (status == PARE_OK) status = data_check_names(&list, &data->mem, false, in_memory, err);
    status = put(&data->names, &data->shares_names, &list, status, data);
    if (status == PARE_OK) data->numbered = false; /* the names are the caller's now */
    return status;
}

pare_status pare_data_set_groups(pare_data *data, const char *const *groups, pare_error *err) {
    strings list = {0};
    pare_status status =
        make_list(&list, data, groups, data->x.d, "feature group", "feature groups", err);
    return put(&data->groups, &data->shares_groups, &list, status, data);
}

/* Replaces the lists that differ. */
static void put_terms(pare_data *data, double *cost, bool *kept, signed char *sign) {
    if (!data->shares_terms && data->cost != cost) mem_free(&data->mem, data->cost);
    if (!data->shares_terms && data->kept != kept) mem_free(&data->mem, data->kept);
    if (!data->shares_terms && data->sign != sign) mem_free(&data->mem, data->sign);
    data->cost = cost;
    data->kept = kept;
    data->sign = sign;
}

/* Copies the lists shared with another data set, so that one of them can be replaced. */
static pare_status own_terms(pare_data *data, pare_error *err) {
    data_builder b = reopen(data);
    pare_data old = *data;
    if (!data->shares_terms) return PARE_OK;
    data->cost = NULL;
    data->kept = NULL;
    data->sign = NULL;
    data->shares_terms = false;
    if (terms_copy(&b, &old)) return PARE_OK;
    put_terms(data, NULL, NULL, NULL);
    terms_share(&b, &old);
    return error_memory(err);
}

pare_status pare_data_set_costs(pare_data *data, const double *costs, pare_error *err) {
    double *own = NULL;
    pare_status status = terms_check_costs(costs, data, in_memory, err);
    if (status == PARE_OK) status = own_terms(data, err);
    if (status != PARE_OK) return status;
    if (costs) {
        own = mem_alloc(&data->mem, data->x.d, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, costs, sizeof *own * (size_t)data->x.d);
    }
    put_terms(data, own, data->kept, data->sign);
    return PARE_OK;
}

pare_status pare_data_set_kept(pare_data *data, const bool *kept, pare_error *err) {
    bool *own = NULL, any = false;
    PASS(own_terms(data, err));
    for (int64_t j = 0; kept && j < data->x.d; j++) any = any || kept[j];
    if (any) {
        own = mem_alloc(&data->mem, data->x.d, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, kept, sizeof *own * (size_t)data->x.d);
    }
    put_terms(data, data->cost, own, data->sign);
    return PARE_OK;
}

pare_status pare_data_set_signs(pare_data *data, const signed char *signs, pare_error *err) {
    signed char *own = NULL;
    bool any = false;
    PASS(terms_check_signs(signs, data, in_memory, err));
    PASS(own_terms(data, err));
    for (int64_t j = 0; signs && j < data->x.d; j++) any = any || signs[j];
    if (any) {
        own = mem_alloc(&data->mem, data->x.d, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, signs, sizeof *own * (size_t)data->x.d);
    }
    put_terms(data, data->cost, data->kept, own);
    return PARE_OK;
}

pare_status pare_data_set_weights(pare_data *data, const double *weights, pare_error *err) {
    double *own = NULL;
    PASS(data_check_weights(weights, data->x.n, in_memory, err));
    if (weights) {
        own = mem_alloc(&data->mem, data->x.n, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, weights, sizeof *own * (size_t)data->x.n);
    }
    mem_free(&data->mem, data->weight);
    data->weight = own;
    data_changed(data);
    return PARE_OK;
}

pare_status pare_data_set_offset(pare_data *data, const double *offset, pare_error *err) {
    double *own = NULL;
    for (int64_t i = 0; offset && i < data->x.n; i++)
        if (!isfinite(offset[i]))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "%s: the offset of sample %" PRId64 " is not finite", in_memory, i + 1);
    if (offset) {
        own = mem_alloc(&data->mem, data->x.n, sizeof *own);
        if (!own) return error_memory(err);
        memcpy(own, offset, sizeof *own * (size_t)data->x.n);
    }
    mem_free(&data->mem, data->offset);
    data->offset = own;
    data_changed(data);
    return PARE_OK;
}

/* --- dropped --- */

pare_status data_reduce(pare_data *data, const bool *stays, const pare_ctx *ctx, pare_error *err) {
    data_builder b = reopen(data);
    return data_drop_columns(&b, stays, "the data", ctx, err);
}

pare_status pare_data_choose(pare_data *data, const char *only, const char *exclude,
                             const pare_ctx *ctx, pare_error *err) {
    call c;
    data_builder b = reopen(data);
    const feature_choice by = {.only = only, .exclude = exclude};
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK && (data->shares_names || data->shares_groups))
        status = error_set(err, PARE_E_ARGUMENT,
                           "a subset has the features of its data: choose among theirs");
    if (status == PARE_OK) status = own_terms(data, err);
    if (status == PARE_OK) status = features_choose(&b, &by, in_memory, &c.ctx, err);
    call_end(&c);
    return status;
}

/* Lists the complete samples; rows holds n. */
static pare_status list_complete(const pare_data *data, int32_t *rows, int64_t *kept,
                                 const pare_ctx *ctx, pare_error *err) {
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t j, n = data->x.n;
    PASS(walk_open(&w, &all, NULL, all.d, ctx, err));
    memset(rows, 0, (size_t)n * sizeof *rows);
    while (walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++)
            if (isnan(c.value[e])) rows[c.index ? c.index[e] : e] = -1;
    *kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (rows[i] >= 0) rows[(*kept)++] = (int32_t)i;
    return walk_close(&w, err);
}

pare_status pare_data_drop_missing(pare_data *data, int64_t *dropped, const pare_ctx *ctx,
                                   pare_error *err) {
    int64_t n = data->x.n, kept = 0;
    double weight = 0;
    data_builder b = reopen(data);
    const pare_allocator *mem = ctx_allocator(ctx);
    if (dropped) *dropped = 0;
    if (!data->x.missing) return PARE_OK;
    int32_t *rows = mem_alloc(mem, n, sizeof *rows);
    pare_status status = PARE_OK;
    TRY_MEM(rows);
    TRY(list_complete(data, rows, &kept, ctx, err));
    if (kept == 0) {
        status = error_set(
            err, PARE_E_DATA,
            "every one of the %" PRId64 " samples has a missing value, so none would be left", n);
        goto done;
    }
    for (int64_t i = 0; data->weight && i < kept; i++) weight += data->weight[rows[i]];
    if (data->weight && !(weight > 0)) {
        status = error_set(err, PARE_E_DATA, "every sample without a missing value has weight 0");
        goto done;
    }
    TRY(data_keep_samples(&b, rows, kept, err));
    if (dropped) *dropped = n - kept;
done:
    mem_free(mem, rows);
    return status;
}
