#include "data/feature/terms.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "data/feature/groups.h"

int64_t terms_count_kept(const pare_data *data) {
    int64_t count = 0;
    for (int64_t j = 0; data->kept && j < data->x.d; j++) count += data->kept[j];
    return count;
}

pare_status terms_of(feature_terms *out, arena *mem, const pare_data *data, pare_error *err) {
    *out = (feature_terms){.cost = data->cost, .kept = data->kept, .sign = data->sign};
    out->n_kept = terms_count_kept(data);
    return groups_number(&out->group, &out->n_groups, mem, data, err);
}

pare_status terms_most(int64_t *most, const feature_terms *t, int64_t d, double budget,
                       const pare_allocator *mem, pare_error *err) {
    ranked *list = mem_alloc(mem, d, sizeof *list);
    int64_t count = 0;
    double sum = 0;
    if (!list) return error_memory(err);
    for (int64_t j = 0; j < d; j++)
        if (!terms_keep(t, j)) list[count++] = (ranked){terms_cost(t, j), j};
    sort_least_first(list, count);
    *most = 0;
    while (*most < count && (sum += list[*most].key) <= budget * (1 + BUDGET_SLACK)) ++*most;
    mem_free(mem, list);
    return PARE_OK;
}

pare_status terms_check_costs(const double *cost, const pare_data *data, const char *where,
                              pare_error *err) {
    char made_up[32];
    for (int64_t j = 0; cost && j < data->x.d; j++)
        if (!(cost[j] > 0 && cost[j] < INFINITY))
            return error_at(err, PARE_E_DATA, 0, j + 1, -1,
                            "%s: the cost of feature \"%.200s\" is %g, it must be a finite number "
                            "above 0",
                            where, pare_data_name(data, j, made_up), cost[j]);
    return PARE_OK;
}

pare_status terms_check_signs(const signed char *sign, const pare_data *data, const char *where,
                              pare_error *err) {
    char made_up[32];
    for (int64_t j = 0; sign && j < data->x.d; j++)
        if (sign[j] < -1 || sign[j] > 1)
            return error_at(err, PARE_E_DATA, 0, j + 1, -1,
                            "%s: the sign of feature \"%.200s\" is %d, it must be 1, -1 or 0",
                            where, pare_data_name(data, j, made_up), sign[j]);
    return PARE_OK;
}

/* Rejects kept columns that are constant. */
static pare_status check_varies(const pare_data *data, const int64_t *cols, int64_t count,
                                const pare_ctx *ctx, pare_error *err) {
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t q;
    char made_up[32];
    pare_status status = walk_open(&w, &all, cols, count, ctx, err);
    while (status == PARE_OK && walk_next(&w, &q, &c)) {
        double lo = INFINITY, hi = -INFINITY;
        if (c.count < all.n) lo = hi = c.rest;
        for (int64_t e = 0; e < c.count; e++) {
            if (isnan(c.value[e])) continue; /* a missing value */
            lo = fmin(lo, c.value[e]);
            hi = fmax(hi, c.value[e]);
        }
        if (!(lo < hi))
            status = error_set(err, PARE_E_DATA,
                               "`keep`: feature \"%.200s\" is constant: it cannot be kept",
                               pare_data_name(data, cols[q], made_up));
    }
    return walk_end(&w, status, err);
}

/* Rejects groups of which only some features are kept: groups are selected as a whole. */
static pare_status check_whole(const pare_data *data, const pare_ctx *ctx, pare_error *err) {
    feature_terms t;
    arena mem;
    char made_up[32];
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(terms_of(&t, &mem, data, err));
    int64_t *first = ARENA_NEW(&mem, int64_t, t.n_groups);
    TRY_MEM(first);
    for (int64_t g = 0; g < t.n_groups; g++) first[g] = -1;
    for (int64_t j = 0; t.group && j < data->x.d; j++) {
        int64_t *of = &first[t.group[j]];
        if (*of < 0) *of = j;
        if (data->kept[*of] == data->kept[j]) continue;
        int64_t kept = data->kept[j] ? j : *of;
        status = error_set(err, PARE_E_DATA,
                           "`keep`: feature \"%.200s\" is kept, others of its group \"%.200s\" are "
                           "not: keep the whole group, or none of it",
                           pare_data_name(data, kept, made_up), strings_at(&data->groups, kept));
        goto done;
    }
done:
    arena_free(&mem);
    return status;
}

pare_status terms_check(const pare_data *data, bool all, const pare_ctx *ctx, pare_error *err) {
    int64_t count = terms_count_kept(data), d = data->x.d;
    if (count == 0) return PARE_OK;
    if (count >= data->x.n)
        return error_set(err, PARE_E_DATA,
                         "`keep`: %" PRId64 " features cannot be kept with %" PRId64
                         " samples: they must be fewer",
                         count, data->x.n);
    if (count == d && !all)
        return error_set(err, PARE_E_DATA,
                         "`keep`: all %" PRId64 " features are kept: none is left to choose from",
                         d);
    int64_t *cols = mem_alloc(&data->mem, count, sizeof *cols);
    if (!cols) return error_memory(err);
    for (int64_t j = 0, at = 0; j < d; j++)
        if (data->kept[j]) cols[at++] = j;
    pare_status status = check_varies(data, cols, count, ctx, err);
    if (status == PARE_OK) status = check_whole(data, ctx, err);
    mem_free(&data->mem, cols);
    return status;
}

void terms_share(data_builder *b, const pare_data *of) {
    pare_data *data = b->data;
    data->cost = of->cost;
    data->kept = of->kept;
    data->sign = of->sign;
    data->numbered = of->numbered;
    data->shares_terms = true;
}

bool terms_copy(data_builder *b, const pare_data *of) {
    pare_data *data = b->data;
    int64_t d = of->x.d;
    data->numbered = of->numbered;
    if (of->cost) {
        data->cost = mem_alloc(&data->mem, d, sizeof *data->cost);
        if (!data->cost) return false;
        memcpy(data->cost, of->cost, sizeof *data->cost * (size_t)d);
    }
    if (of->kept) {
        data->kept = mem_alloc(&data->mem, d, sizeof *data->kept);
        if (!data->kept) return false;
        memcpy(data->kept, of->kept, sizeof *data->kept * (size_t)d);
    }
    if (of->sign) {
        data->sign = mem_alloc(&data->mem, d, sizeof *data->sign);
        if (!data->sign) return false;
        memcpy(data->sign, of->sign, sizeof *data->sign * (size_t)d);
    }
    return true;
}
