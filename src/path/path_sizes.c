/* The points of a path: numbers of features, budgets, or values of a method's own parameter. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/order.h"
#include "path/path_setup.h"
#include "select/shared_statistics.h"

/* A method without a ranking has all features as its only size. */
static pare_status check_ranked(pare_path *p, pare_error *err) {
    const path_setup *s = &p->setup;
    for (int64_t i = 0; i < s->n_methods; i++) {
        const path_method *m = &s->method[i];
        int64_t all = m->units.count;
        if (!m->m->ranks_none || s->sizes[0] == all) continue;
        if (s->sizes[s->n_sizes - 1] < all)
            return error_set(err, PARE_E_ARGUMENT,
                             "`sizes`: %s does not rank features, so %" PRId64
                             ", all of them, must be among its sizes",
                             m->name, all);
        pare_status status =
            path_note(p, err, "%s does not rank features: it has the point of all %" PRId64 " only",
                      m->name, all);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

static bool all_rank_none(const path_setup *s) {
    for (int64_t m = 0; m < s->n_methods; m++)
        if (!s->method[m].m->ranks_none) return false;
    return true;
}

/* Where the features of each size are listed, forced-in ones included. */
static void set_pick_start(path_setup *s) {
    int64_t n_kept = 0;
    for (int64_t m = 0; m < s->n_methods; m++)
        n_kept = s->method[m].n_kept > n_kept ? s->method[m].n_kept : n_kept;
    for (int64_t i = 0; i < s->n_sizes; i++) {
        int64_t capacity =
            n_kept + (s->sizes[i] < MAX_PICKS ? s->sizes[i] * s->units.largest : MAX_PICKS);
        s->pick_start[i + 1] = s->pick_start[i] + (capacity < MAX_PICKS ? capacity : MAX_PICKS);
    }
}

/* 1, 2, 5, 10, ... and d itself; or the list, sorted, each once. */
static pare_status set_sizes(pare_path *p, const char *text, pare_error *err) {
    int64_t capacity = 64, d = p->setup.units.count, count = 0;
    bool automatic = strcmp(text, "auto") == 0, steps = automatic && !all_rank_none(&p->setup);
    for (const char *c = text; *c; c++) capacity += *c == ',';
    int64_t *size = p->setup.sizes = ARENA_NEW(&p->mem, int64_t, capacity);
    p->setup.pick_start = ARENA_ZERO(&p->mem, int64_t, capacity + 1);
    if (!size || !p->setup.pick_start) return error_memory(err);
    for (int64_t ten = 1; steps && ten < d; ten *= 10)
        for (int64_t k = 1; k <= 5; k += 1 + (k == 2) * 2)
            if (ten * k < d) size[count++] = ten * k;
    if (automatic) size[count++] = d;
    while (!automatic) {
        char item[32] = "";
        size_t length = strcspn(text, ",");
        if (length < sizeof item) memcpy(item, text, length);
        if (!integer_parse_all(item, &size[count]) || size[count] < 1 || size[count] > d)
            return error_set(err, PARE_E_ARGUMENT,
                             "`sizes`: \"%.*s\" is not a number of features from 1 to %" PRId64,
                             (int)(length < 64 ? length : 64), text, d);
        count++;
        text += length;
        if (!*text++) break;
    }
    sort_index(size, count);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || size[i] != size[p->setup.n_sizes - 1]) size[p->setup.n_sizes++] = size[i];
    set_pick_start(&p->setup);
    return check_ranked(p, err);
}

/* Whether all settings of the grid have the same shared statistics, so that their paths can run at
 * once. */
static bool same_view(const pare_path *p, const path_method *m) {
    statistics_identity first = identity_of(m->m, &m->grid[0], m->data, p->y.task);
    for (int64_t g = 1; g < m->n_grid; g++) {
        statistics_identity own = identity_of(m->m, &m->grid[g], m->data, p->y.task);
        if (!identity_same(&first, &own)) return false;
    }
    return true;
}

/* The path of the only method along its own parameter, by the fit to all samples: at least one
 * feature at every point. */
static pare_status set_along(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    path_setup *s = &p->setup;
    const path_method *m = &s->method[0];
    const along_axis *along = m->m->along->axis;
    int64_t count = along->values(NULL, &m->grid[0], m->m);
    fitting f = {0};
    pare_status status = PARE_OK;
    double *value = ARENA_NEW(&p->mem, double, count);
    TRY_MEM(value);
    TRY_MEM(s->sizes = ARENA_ZERO(&p->mem, int64_t, count));
    TRY_MEM(s->pick_start = ARENA_ZERO(&p->mem, int64_t, count + 1));
    along->values(value, &m->grid[0], m->m);
    TRY(fitting_begin(&f, s->data, &p->y, NULL, 0, m->m, m->classifier, &m->grid[0], ctx, err));
    fit_job job = {.x = &f.x, .y = &f.y, .weight = f.weight, .set = f.set, .terms = f.terms};
    along_points points = {.set = f.set, .count = count, .value = value, .used = s->sizes};
    TRY(along_run(m->m, &points, 1, &job, NULL, ctx, err));
    int64_t first = 0;
    while (first < count && s->sizes[first] == s->n_kept) first++;
    if (first == count) {
        status = error_set(err, PARE_E_DATA, "no feature is selected anywhere on the path");
        goto done;
    }
    if (first > 0)
        TRY(path_note(p, err, "no feature is selected below %g: the path starts there",
                      value[first]));
    s->along = value + first;
    s->method[0].n_final = same_view(p, &s->method[0]) ? s->method[0].n_grid : 1;
    s->sizes += first;
    s->n_sizes = count - first;
    for (int64_t i = 0; i < s->n_sizes; i++) {
        int64_t capacity = 2 * s->sizes[i] + 10; /* a training fold may select more */
        s->pick_start[i + 1] = s->pick_start[i] + (capacity < MAX_PICKS ? capacity : MAX_PICKS);
        s->sizes[i] -= s->n_kept;
    }

done:
    if (f.data) fitting_end(&f);
    return status;
}

/* Whether the path is of one method, along a parameter of its own instead of sizes. */
bool path_goes_along(const pare_path *p, const pare_path_options *o) {
    const path_method *m = &p->setup.method[0];
    const pare_data *data = p->setup.data;
    bool weighs = (!data->kept || m->m->keeps) && (!data->cost || m->m->cost == COST_WEIGHS);
    bool groups = data->groups.count > 0;
    weighs = weighs && (!groups || m->m->groups_own) && !m->limits_correlation;
    return p->setup.n_methods == 1 && weighs && !o->budgets && m->m->along &&
           strcmp(o->sizes, "auto") == 0 && m->classifier != m->m->relaxed;
}

/* Budgets, ascending, each once; sizes are the most features that they can pay for. */
static pare_status set_budgets(pare_path *p, const char *text, const pare_ctx *ctx,
                               pare_error *err) {
    path_setup *s = &p->setup;
    int64_t capacity = 1, count = 0;
    feature_terms terms = {.cost = s->data->cost, .kept = s->data->kept};
    for (const char *c = text; *c; c++) capacity += *c == ',';
    double *budget = ARENA_NEW(&p->mem, double, capacity);
    s->sizes = ARENA_NEW(&p->mem, int64_t, capacity);
    s->pick_start = ARENA_ZERO(&p->mem, int64_t, capacity + 1);
    if (!budget || !s->sizes || !s->pick_start) return error_memory(err);
    for (;;) {
        char item[40] = "";
        size_t length = strcspn(text, ",");
        if (length < sizeof item) memcpy(item, text, length);
        bool number =
            number_parse_all(item, &budget[count]) && budget[count] > 0 && budget[count] < INFINITY;
        if (number)
            PASS(
                terms_most(&s->sizes[count], &terms, p->d, budget[count], ctx_allocator(ctx), err));
        if (!number || s->sizes[count] < 1 || budget[count] < s->units.cheapest)
            return error_set(err, PARE_E_ARGUMENT, "`budgets`: \"%.*s\" is not %s",
                             (int)(length < 64 ? length : 64), text,
                             !number ? "a number above 0, with commas between several"
                             : s->data->groups.count > 0 ? "enough for the cheapest group"
                                                         : "enough for the cheapest feature");
        count++;
        text += length;
        if (!*text++) break;
    }
    sort_up(budget, count);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || budget[i] != budget[s->n_sizes - 1]) budget[s->n_sizes++] = budget[i];
    for (int64_t i = 0; i < s->n_sizes; i++)
        PASS(terms_most(&s->sizes[i], &terms, p->d, budget[i], ctx_allocator(ctx), err));
    s->budget = budget;
    set_pick_start(s);
    return check_ranked(p, err);
}

pare_status path_sizes(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                       pare_error *err) {
    bool along = path_goes_along(p, o);
    if (o->budgets && strcmp(o->sizes, "auto") != 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`budgets` stand instead of `sizes`: give one of them");
    if (!along && o->weights)
        return error_set(err, PARE_E_ARGUMENT,
                         "weights: only the path of one method along its own parameter has them "
                         "(kta or l1-svm-path alone, without sizes)");
    if (along) return set_along(p, ctx, err);
    return o->budgets ? set_budgets(p, o->budgets, ctx, err) : set_sizes(p, o->sizes, err);
}
