#include "select/feature_order.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "select/units.h"

/* Divides scores by costs; a score below 0 gets worse with the cost as well. The scores of features
 * that a penalty with costs eliminated include the costs already. */
static pare_status score_costs(const fitting *f, fit_result *r, pare_error *err) {
    int64_t d = f->x.d;
    const double *cost = f->terms.cost;
    bool weighed = f->m->cost != COST_SCORES;
    if (!cost || !r->score || f->m->cost == COST_WEIGHS) return PARE_OK;
    for (int64_t j = 0; j < d; j++) {
        if (weighed && !(r->score[j] > 0)) continue;
        r->score[j] = r->score[j] < 0 ? r->score[j] * cost[j] : r->score[j] / cost[j];
    }
    return fit_rank(r, d, err);
}

bool ranking_constant(const fitting *f, int64_t j) { return f->sc.scale && f->sc.scale[j] == 0; }

/* A constant column is never selected: it ranks behind all others, whatever score a method gives a
 * column of zeros. Forced-in ones lead, with the largest score. */
static void place_first_last(const fitting *f, fit_result *r, int64_t *to) {
    int64_t d = f->x.d, at = 0;
    double least = INFINITY, most = -INFINITY;
    for (int64_t j = 0; j < d; j++) {
        least = fmin(least, r->score[j]);
        if (!terms_keep(&f->terms, j) && !ranking_constant(f, j)) most = fmax(most, r->score[j]);
        if (terms_keep(&f->terms, j)) to[at++] = j;
    }
    most = fmax(most, least); /* all others are constant */
    for (int last = 0; last < 2; last++)
        for (int64_t i = 0; i < d; i++) {
            int64_t j = r->ranking[i];
            if (!terms_keep(&f->terms, j) && ranking_constant(f, j) == last) to[at++] = j;
        }
    for (int64_t j = 0; j < d; j++) {
        if (terms_keep(&f->terms, j) && !f->m->keeps) r->score[j] = most;
        if (!terms_keep(&f->terms, j) && ranking_constant(f, j)) r->score[j] = least;
        if (terms_keep(&f->terms, j) && r->p) r->p[j] = 1; /* not tested */
    }
}

/* Orders the groups. A group with an active feature is active as a whole: the support of a method
 * without weights, the first features of its ranking, then has that many features. */
static pare_status order_groups(const fitting *f, fit_result *r, int64_t *to, pare_error *err) {
    int64_t d = f->x.d, kept = f->terms.n_kept, end = d, count = 0;
    bool *active = ARENA_ZERO(&r->mem, bool, d),
         *group = ARENA_ZERO(&r->mem, bool, f->terms.n_groups);
    if (!active || !group) return error_memory(err);
    while (end > kept && ranking_constant(f, to[end - 1])) end--;
    const int64_t *support = r->support ? r->support : r->ranking;
    for (int64_t s = 0; s < r->n_support; s++) {
        active[support[s]] = true;
        group[f->terms.group[support[s]]] = true;
    }
    for (int64_t i = kept; i < end; i++) count += group[f->terms.group[to[i]]];
    if (!r->support) r->n_support = count;
    return units_order(f, r, to, kept, end, active, err);
}

/* The support in the order of the ranking, with every forced-in feature if the method supports
 * them; with groups, all features of groups with an active one. */
static pare_status order_support(const fitting *f, fit_result *r, pare_error *err) {
    int64_t d = f->x.d, c = r->n_outputs, before = r->n_support, count = 0;
    int64_t *place = ARENA_NEW(&r->mem, int64_t, d), *support = ARENA_NEW(&r->mem, int64_t, d);
    if (!place || !support) return error_memory(err);
    bool *active = ARENA_ZERO(&r->mem, bool, f->terms.n_groups + 1);
    if (!active) return error_memory(err);
    for (int64_t j = 0; j < d; j++) place[j] = -1;
    for (int64_t s = 0; s < before; s++) {
        place[r->support[s]] = s;
        if (f->terms.group) active[f->terms.group[r->support[s]]] = true;
    }
    for (int64_t i = 0; i < d; i++) {
        int64_t j = r->ranking[i];
        bool joins = f->terms.group && active[f->terms.group[j]] && !ranking_constant(f, j);
        if (place[j] >= 0 || joins || (f->m->keeps && terms_keep(&f->terms, j)))
            support[count++] = j;
    }
    if (r->W) {
        double *W = ARENA_ZERO(&r->mem, double, count *c);
        if (!W) return error_memory(err);
        for (int64_t s = 0; s < count * c; s++) {
            int64_t from = place[support[s % count]];
            if (from >= 0) W[s] = r->W[s / count * before + from];
        }
        r->W = W;
    }
    r->support = support;
    r->n_support = count;
    return PARE_OK;
}

/* A forced-in feature's kernel weighs as much as the heaviest of the others. */
static pare_status weigh_kept(const fitting *f, fit_result *r, pare_error *err) {
    int64_t kept = f->terms.n_kept, count = kept + r->n_cols, at = 0;
    int64_t *cols = ARENA_NEW(&r->mem, int64_t, count);
    double *z = ARENA_NEW(&r->mem, double, count), most = 0;
    if (!cols || !z) return error_memory(err);
    for (int64_t i = 0; i < r->n_cols; i++) most = fmax(most, r->z[i]);
    for (; at < kept; at++) { /* forced-in features lead the ranking */
        cols[at] = r->ranking[at];
        z[at] = most > 0 ? most : 1;
    }
    for (int64_t i = 0; i < r->n_cols; i++) {
        cols[at] = r->cols[i];
        z[at++] = r->z[i];
    }
    r->cols = cols;
    r->z = z;
    r->n_cols = count;
    return PARE_OK;
}

pare_status ranking_settle(fitting *f, fit_result *r, pare_error *err) {
    bool terms = f->terms.cost || f->terms.n_kept > 0 || f->terms.group;
    int64_t d = f->x.d;
    if (!r->ranking || (!terms && f->sc.n_constant == 0)) return PARE_OK;
    pare_status status = score_costs(f, r, err);
    if (status != PARE_OK) return status;
    int64_t *to = ARENA_NEW(&r->mem, int64_t, d);
    if (!to) return error_memory(err);
    place_first_last(f, r, to);
    if (f->terms.group) status = order_groups(f, r, to, err);
    if (status != PARE_OK) return status;
    if (!terms) { /* the support is a subset of it */
        memcpy(r->ranking, to, sizeof *to * (size_t)d);
        return PARE_OK;
    }
    r->ranking = to;
    if (r->support) status = order_support(f, r, err);
    bool weighs = status == PARE_OK && f->terms.n_kept > 0 && f->m->two_stage && r->z;
    return weighs ? weigh_kept(f, r, err) : status;
}

amount fitting_amount(const fitting *f) {
    return (amount){f->set->common.k, f->set->common.budget};
}

/* Whether the chosen features begin with the support. */
static bool begins_with(const fit_result *r, const int64_t *chosen, int64_t count) {
    if (count < r->n_support) return false;
    for (int64_t s = 0; s < r->n_support; s++)
        if (r->support[s] != chosen[s]) return false;
    return true;
}

bool fitting_refits(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count) {
    bool joined = f->terms.n_kept > 0 && !f->m->keeps && r->n_outputs > 0;
    bool plain = !f->terms.cost && f->terms.n_kept == 0 && !f->terms.group &&
                 !(f->set->common.max_correlation < 1);
    return ends_in_classifier(f->m, f->set) || f->m->two_stage || joined || r->wider ||
           (plain ? count < r->n_support : !begins_with(r, chosen, count));
}
