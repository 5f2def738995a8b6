#include "select/units.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "data/feature/groups.h"

typedef struct group_sum {
    double square, sum, most; /* of the members' scores; square: of those above 0 */
    int64_t count, first;     /* first: the lowest index */
    int64_t place;            /* of the best member in the order of the method */
    bool active;
} group_sum;

typedef struct group_total {
    int64_t size;
    double cost; /* of those that are not kept */
} group_total;

static double score_of(const group_sum *g, group_use use) {
    switch (use) {
    case GROUPS_MEAN: return g->sum / (double)g->count;
    case GROUPS_BEST: return -(double)g->place; /* scores may be no order */
    case GROUPS_NORM: break;
    }
    return g->square > 0 ? g->square : g->most; /* all eliminated: the largest score */
}

static void add_member(group_sum *g, double score, int64_t j, int64_t place, bool active) {
    if (g->count == 0) *g = (group_sum){.most = -INFINITY, .first = j, .place = place};
    g->square = hypot(g->square, fmax(score, 0));
    g->sum += score;
    g->most = fmax(g->most, score);
    g->first = j < g->first ? j : g->first;
    g->active |= active;
    g->count++;
}

pare_status units_order(const fitting *f, fit_result *r, int64_t *to, int64_t from, int64_t end,
                        const bool *active, pare_error *err) {
    const int64_t *group = f->terms.group;
    int64_t n_groups = f->terms.n_groups, n_active = 0, at = from;
    arena mem;
    arena_init(&mem, &r->mem.mem);
    pare_status status = PARE_OK;
    group_sum *sum = ARENA_ZERO(&mem, group_sum, n_groups);
    ranked *order = ARENA_NEW(&mem, ranked, n_groups);
    int64_t *start = ARENA_ZERO(&mem, int64_t, n_groups), *old = ARENA_NEW(&mem, int64_t, end);
    TRY_MEM(sum && order && start && old);
    for (int64_t i = from; i < end; i++) {
        int64_t j = old[i] = to[i];
        add_member(&sum[group[j]], r->score[j], j, i, active && active[j]);
    }
    for (int eliminated = 0; eliminated < 2; eliminated++) {
        int64_t first = n_active, count = n_active;
        for (int64_t g = 0; g < n_groups; g++)
            if (sum[g].count > 0 && sum[g].active != eliminated)
                order[count++] = (ranked){score_of(&sum[g], f->m->groups), sum[g].first};
        sort_best_first(order + first, count - first);
        n_active = count;
    }
    for (int64_t i = 0; i < n_active; i++) {
        int64_t g = group[order[i].index];
        start[g] = at;
        at += sum[g].count;
    }
    for (int64_t i = from; i < end; i++) to[start[group[old[i]]]++] = old[i];
    double least = INFINITY; /* an active group may score less than an eliminated one: scores must
                                not rise */
    for (int64_t i = 0, p = from; i < n_active; i++) {
        int64_t g = group[order[i].index];
        least = fmin(least, f->m->groups == GROUPS_BEST ? sum[g].most : order[i].key);
        for (int64_t q = 0; q < sum[g].count; q++) r->score[to[p++]] = least;
    }
done:
    arena_free(&mem);
    return status;
}

static bool by_groups(const pare_data *data, const all_settings *set) {
    return data->groups.count > 0 && choice_is(set->common.count, "groups");
}

/* What the features of each group add up to; one that is kept adds to the size alone. */
static void total_groups(unit_totals *out, group_total *all, const feature_terms *t, int64_t d) {
    for (int64_t j = 0; j < d; j++) {
        group_total *g = &all[t->group[j]];
        if (++g->size > out->largest) out->largest = g->size;
        if (terms_keep(t, j)) continue;
        out->count += g->cost == 0;
        g->cost += terms_cost(t, j);
    }
    for (int64_t g = 0; g < t->n_groups; g++)
        if (all[g].cost > 0) out->cheapest = fmin(out->cheapest, all[g].cost);
}

pare_status units_total(unit_totals *out, const pare_data *data, const all_settings *set,
                        const pare_ctx *ctx, pare_error *err) {
    int64_t d = data->x.d;
    feature_terms t;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    *out = (unit_totals){.cheapest = INFINITY};
    TRY(terms_of(&t, &mem, data, err));
    if (t.group) {
        group_total *all = ARENA_ZERO(&mem, group_total, t.n_groups);
        TRY_MEM(all);
        total_groups(out, all, &t, d);
    }
    for (int64_t j = 0; !t.group && j < d; j++)
        if (!terms_keep(&t, j)) out->cheapest = fmin(out->cheapest, terms_cost(&t, j));
    if (by_groups(data, set)) goto done;
    out->count = d - t.n_kept;
    out->largest = 1;
done:
    arena_free(&mem);
    return status;
}
