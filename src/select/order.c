#include "select/order.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { DEFAULT_K = 50 }; /* of a ranking without a support of its own */

/* A score per cost: of a score below 0 the cost takes away, too. Features that died by their price have
 * it in that already. */
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

static bool is_constant(const fitting *f, int64_t j) { return f->sc.scale && f->sc.scale[j] == 0; }

/* A constant column is never selected: in the ranking it comes behind all others, whatever a method
 * makes of a column of zeros. Kept ones lead, with the largest score. */
static void place_first_last(const fitting *f, fit_result *r, int64_t *to) {
    int64_t d = f->x.d, at = 0;
    double least = INFINITY, most = -INFINITY;
    for (int64_t j = 0; j < d; j++) {
        least = fmin(least, r->score[j]);
        if (!terms_keep(&f->terms, j)) most = fmax(most, r->score[j]);
        if (terms_keep(&f->terms, j)) to[at++] = j;
    }
    for (int last = 0; last < 2; last++)
        for (int64_t i = 0; i < d; i++) {
            int64_t j = r->ranking[i];
            if (!terms_keep(&f->terms, j) && is_constant(f, j) == last) to[at++] = j;
        }
    for (int64_t j = 0; j < d; j++) {
        if (terms_keep(&f->terms, j) && !f->m->keeps) r->score[j] = most;
        if (!terms_keep(&f->terms, j) && is_constant(f, j)) r->score[j] = least;
        if (terms_keep(&f->terms, j) && r->p) r->p[j] = 1; /* not tested */
    }
}

/* The support in the order of the ranking, and every kept feature in it if the method has them. */
static pare_status order_support(const fitting *f, fit_result *r, pare_error *err) {
    int64_t d = f->x.d, c = r->n_outputs, before = r->n_support, count = 0;
    int64_t *place = ARENA_NEW(&r->mem, int64_t, d), *support = ARENA_NEW(&r->mem, int64_t, d);
    if (!place || !support) return error_memory(err);
    for (int64_t j = 0; j < d; j++) place[j] = -1;
    for (int64_t s = 0; s < before; s++) place[r->support[s]] = s;
    for (int64_t i = 0; i < d; i++) {
        int64_t j = r->ranking[i];
        if (place[j] >= 0 || (f->m->keeps && terms_keep(&f->terms, j))) support[count++] = j;
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

/* A kept feature's kernel weighs as the heaviest of the others. */
static pare_status weigh_kept(const fitting *f, fit_result *r, pare_error *err) {
    int64_t kept = f->terms.n_kept, count = kept + r->n_cols, at = 0;
    int64_t *cols = ARENA_NEW(&r->mem, int64_t, count);
    double *z = ARENA_NEW(&r->mem, double, count), most = 0;
    if (!cols || !z) return error_memory(err);
    for (int64_t i = 0; i < r->n_cols; i++) most = fmax(most, r->z[i]);
    for (; at < kept; at++) { /* they lead the ranking */
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
    bool terms = f->terms.cost || f->terms.n_kept > 0;
    int64_t d = f->x.d;
    if (!r->ranking || (!terms && f->sc.n_constant == 0)) return PARE_OK;
    pare_status status = score_costs(f, r, err);
    if (status != PARE_OK) return status;
    int64_t *to = ARENA_NEW(&r->mem, int64_t, d);
    if (!to) return error_memory(err);
    place_first_last(f, r, to);
    if (!terms) { /* the support is a part of it */
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

static bool has_support(const fit_result *r) {
    return r->n_outputs > 0 || r->n_support > 0 || r->support;
}

int64_t *fitting_pick(fitting *f, const fit_result *r, amount of, int64_t *count) {
    int64_t d = f->x.d, kept = f->terms.n_kept, own = r->n_support - (f->m->keeps ? kept : 0);
    int64_t most = of.k >= 0 ? of.k : has_support(r) ? own : DEFAULT_K;
    double left = of.budget * (1 + BUDGET_SLACK);
    bool limited = of.budget > 0;
    if (limited || most > d - kept) most = d - kept;
    int64_t *chosen = ARENA_NEW(&f->mem, int64_t, kept + most);
    *count = 0;
    for (int64_t i = 0; chosen && i < d && *count < kept + most; i++) {
        int64_t j = r->ranking[i];
        double cost = terms_cost(&f->terms, j);
        if (i >= kept && is_constant(f, j)) break;
        if (i >= kept && limited && cost > left) continue;
        if (i >= kept) left -= cost;
        chosen[(*count)++] = j;
    }
    return chosen;
}

/* Whether the support is what the chosen begin with. */
static bool begins_with(const fit_result *r, const int64_t *chosen, int64_t count) {
    if (count < r->n_support) return false;
    for (int64_t s = 0; s < r->n_support; s++)
        if (r->support[s] != chosen[s]) return false;
    return true;
}

bool fitting_refits(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count) {
    bool joined = f->terms.n_kept > 0 && !f->m->keeps && r->n_outputs > 0;
    bool plain = !f->terms.cost && f->terms.n_kept == 0;
    return ends_in_classifier(f->m, f->set) || f->m->two_stage || joined ||
           (plain ? count < r->n_support : !begins_with(r, chosen, count));
}
