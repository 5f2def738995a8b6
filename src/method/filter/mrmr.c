/* NAME       mrmr
 * PAPER      H. Peng, F. Long, C. Ding. Feature selection based on mutual information:
 *            criteria of max-dependency, max-relevance, and min-redundancy. IEEE TPAMI
 *            27:1226-1238, 2005; C. Ding, H. Peng. Minimum redundancy feature selection from
 *            microarray gene expression data. 2003.
 * PROBLEM    one feature after the other: the next is the one of largest V_j - R_j (difference) or
 *            V_j / R_j (quotient), R_j the mean over the chosen s of the redundancy r_js; the first
 *            has the largest V_j. V_j and r_js are the mutual information of the quantile bins (as
 *            in mutual-info), in nats; or the F of anova and |correlation|.
 *            score_j = the criterion when the feature was chosen, or that of the last step.
 * SYMBOLS    V, R: d each, R a running sum; bins: packed, a byte a value (of sparse
 *            columns: a stored entry).
 * ALGORITHM  1. V, and the bins of all columns.
 *            2. The best that is left is chosen; a pass over the packed bins (f-test: over X) adds
 *               its redundancy to R.
 *            3. Go to 2, until k are chosen.
 * COST       information: 1 pass over X and a sort of each column, then one over n d bytes a step;
 *            memory n d bytes (sparse: the entries). f-test: 2 passes, then one a step.
 * GUARANTEE  none to certify: the order is greedy.
 * STOPPING   at k features, or 50; the others follow by the criterion of the last step.
 * DEVIATIONS regression: bins of the target, or F of its correlation. R_j = 0 in a quotient: the
 *            largest double. Constant features are last. */
#include "method/filter/mrmr.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"

enum { DEFAULT_STEPS = 50 };

static double criterion(const mrmr *s, int64_t j, int64_t taken) {
    if (taken == 0) return s->V[j];
    double R = s->R[j] / (double)taken;
    if (!s->quotient) return s->V[j] - R;
    if (!(R > 0)) return s->V[j] > 0 ? DBL_MAX : 0;
    double ratio = s->V[j] / R;
    return ratio < DBL_MAX ? ratio : DBL_MAX;
}

/* Relevance by F: the scores of anova. */
static pare_status anova_relevance(mrmr *s, arena *mem, const fit_job *job, const pare_ctx *ctx,
                                   pare_error *err) {
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = anova_fit(&r, job, ctx, err);
    s->V = ARENA_NEW(mem, double, s->d);
    if (status == PARE_OK && !s->V) status = error_memory(err);
    if (status == PARE_OK) memcpy(s->V, r.score, sizeof(double) * (size_t)s->d);
    fit_result_free(&r);
    return status;
}

static pare_status rank(fit_result *r, mrmr *s, const fit_job *job, const int64_t *order,
                        int64_t taken, arena *mem, pare_error *err) {
    int64_t d = s->d, left = 0, at = 0;
    ranked *rest = ARENA_NEW(mem, ranked, d);
    r->ranking = ARENA_NEW(&r->mem, int64_t, d);
    if (!rest || !r->ranking) return error_memory(err);
    for (int64_t j = 0; j < d; j++) {
        if (s->state[j] == MRMR_CHOSEN) continue;
        r->score[j] = fit_per_cost(job, j, criterion(s, j, taken));
        double key = s->state[j] == MRMR_CONSTANT ? -INFINITY : r->score[j];
        rest[left++] = (ranked){key, j};
    }
    sort_best_first(rest, left);
    for (; at < taken; at++) r->ranking[at] = order[at];
    for (int64_t i = 0; i < left; i++) r->ranking[at++] = rest[i].index;
    return PARE_OK;
}

pare_status mrmr_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    const mrmr_settings *set = &job->set->mrmr;
    mrmr s = {.d = job->raw->d,
              .quotient = choice_is(set->scheme, "quotient"),
              .f_test = choice_is(set->measure, "f-test")};
    int64_t steps = job->k > 0 ? job->k : DEFAULT_STEPS, taken = 0;
    if (steps > s.d) steps = s.d;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t *order;
    r->outcome = PARE_OPTIMAL;
    TRY_MEM(order = ARENA_NEW(&mem, int64_t, steps));
    TRY_MEM(s.R = ARENA_ZERO(&mem, double, s.d));
    TRY_MEM(s.state = ARENA_ZERO(&mem, char, s.d));
    TRY_MEM(r->score = ARENA_ZERO(&r->mem, double, s.d));
    TRY(s.f_test ? mrmr_moments(&s, &mem, job, ctx, err) : mrmr_bins(&s, &mem, job, ctx, err));
    TRY(s.f_test ? anova_relevance(&s, &mem, job, ctx, err) : mrmr_relevance(&s, &mem, ctx, err));
    for (; taken < steps; taken++) {
        int64_t best = -1;
        double most = 0;
        for (int64_t j = 0; j < s.d; j++) {
            if (s.state[j] != MRMR_OPEN) continue;
            double value = criterion(&s, j, taken);
            if (job->terms.cost) value = fit_per_cost(job, j, value);
            if (best < 0 || value > most) most = value, best = j;
        }
        if (best < 0) break;
        s.state[best] = MRMR_CHOSEN;
        r->score[best] = most;
        order[taken] = best;
        r->iterations++;
        TRY(s.f_test ? mrmr_correlate(&s, best, ctx, err) : mrmr_compare(&s, best, ctx, err));
        if (ctx_stops(ctx, "features", (double)taken / (double)steps, &r->outcome)) {
            taken++;
            break;
        }
    }
    TRY(rank(r, &s, job, order, taken, &mem, err));
done:
    arena_free(&mem);
    return status;
}
