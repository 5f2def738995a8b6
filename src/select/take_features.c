/* Which features a fit takes of its ranking: whole units, as many as are requested or fit the
 * budget, and, where correlations are limited, none that correlates too much with one before it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "select/max_correlation.h"
#include "select/feature_order.h"

enum { DEFAULT_K = 50 }; /* of a ranking without a support of its own */

/* The units in the order of the ranking, forced-in features first, and the capacity that each
 * needs. */
typedef struct list {
    correlation_units of;
    int64_t *end;
    double *need;
    double capacity;
} list;

static bool has_support(const fit_result *r) {
    return r->n_outputs > 0 || r->n_support > 0 || r->support;
}

/* The number of features of the ranking to read: if every feature is a unit that needs one place,
 * no more than there are places. */
static int64_t list_length(const fitting *f, const fit_result *r, amount of) {
    bool all = f->terms.group || of.budget > 0 || f->set->common.max_correlation < 1;
    int64_t places = of.k >= 0 ? of.k : has_support(r) ? r->n_support : DEFAULT_K;
    return all || f->x.d - f->terms.n_kept < places ? f->x.d : f->terms.n_kept + places;
}

static pare_status list_units(list *l, fitting *f, const fit_result *r, int64_t d,
                              pare_error *err) {
    int64_t kept = f->terms.n_kept;
    const int64_t *group = f->terms.group;
    l->end = ARENA_NEW(&f->mem, int64_t, d);
    l->need = ARENA_NEW(&f->mem, double, d);
    if (!l->end || !l->need) return error_memory(err);
    l->of = (correlation_units){.feature = r->ranking, .end = l->end, .always = kept};
    for (int64_t i = 0; i < d; i++) {
        int64_t j = r->ranking[i];
        if (i >= kept && ranking_constant(f, j)) break;
        bool joins = i > kept && group && group[j] == group[r->ranking[i - 1]];
        if (!joins) l->of.count++;
        l->end[l->of.count - 1] = i + 1;
    }
    return PARE_OK;
}

/* The number of units in the method's own support. */
static int64_t own_units(const list *l, int64_t features) {
    int64_t u = l->of.always;
    while (u < l->of.count && l->end[u] - l->of.always <= features) u++;
    return u - l->of.always;
}

/* Computes the total capacity and each unit's need. */
static void measure(list *l, const fitting *f, const fit_result *r, amount of) {
    int64_t kept = f->terms.n_kept, own = r->n_support - (f->m->keeps ? kept : 0);
    bool limited = of.budget > 0, size = of.k >= 0 && choice_is(f->set->common.count, "features");
    l->capacity = limited ? of.budget * (1 + BUDGET_SLACK) : of.k >= 0 ? (double)of.k : DEFAULT_K;
    if (!limited && r->limit > 0) l->capacity = fmin(l->capacity, (double)r->limit);
    if (!limited && of.k < 0 && has_support(r)) {
        l->of.count = l->of.always + own_units(l, own);
        l->capacity = (double)l->of.count;
    }
    for (int64_t u = 0; u < l->of.count; u++) {
        int64_t begin = u ? l->end[u - 1] : 0;
        double cost = 0;
        for (int64_t i = begin; i < l->end[u]; i++) cost += terms_cost(&f->terms, l->of.feature[i]);
        l->need[u] = limited ? cost : size ? (double)(l->end[u] - begin) : 1;
    }
}

/* Takes all units that fit, in order. */
static void take_fitting(bool *taken, const list *l) {
    double left = l->capacity;
    for (int64_t u = 0; u < l->of.count; u++) {
        taken[u] = u < l->of.always || l->need[u] <= left;
        if (taken[u] && u >= l->of.always) left -= l->need[u];
    }
}

pare_status fitting_pick(int64_t **chosen, int64_t *count, fitting *f, const fit_result *r,
                         amount of, const pare_ctx *ctx, pare_error *err) {
    list l = {0};
    double limit = f->set->common.max_correlation;
    *count = f->n_passed = f->n_picked = 0;
    int64_t most = list_length(f, r, of);
    PASS(list_units(&l, f, r, most, err));
    measure(&l, f, r, of);
    bool *taken = ARENA_NEW(&f->mem, bool, l.of.count);
    PASS_MEM(taken);
    PASS_MEM(*chosen = ARENA_NEW(&f->mem, int64_t, most));
    if (limit < 1) {
        view x = f->x;
        if (f->sc.mean) x.shift = f->sc.mean;
        PASS_MEM(f->passed = ARENA_NEW(&f->mem, passed_over, l.of.count));
        PASS(max_correlation_choose(taken, f->passed, &f->n_passed, &l.of, l.need, l.capacity,
                                    limit, &x, f->weight, &f->mem, ctx, err));
    } else {
        take_fitting(taken, &l);
    }
    for (int64_t u = 0; u < l.of.count; u++) {
        if (!taken[u]) continue;
        for (int64_t i = u ? l.end[u - 1] : 0; i < l.end[u]; i++)
            (*chosen)[(*count)++] = r->ranking[i];
        f->n_picked += u >= l.of.always;
    }
    return PARE_OK;
}
