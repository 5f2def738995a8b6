/* NAME       cox-forward
 * PAPER      none for the greedy search; its test: D. R. Cox. Regression models and life-tables. JRSS B
 *            34:187-220, 1972.
 * PROBLEM    features one by one, each the one of the largest
 *            U_j^2 / (I_jj - I_jS (I_SS + 0.3 n)^-1 I_Sj) at the refit on those before it, S: the ridge
 *            0.3 n on the chosen ones, none on the forced-in ones; n the sum of the weights.
 * ALGORITHM  K times: 1. the refit on S (-(1/n) log partial likelihood + 0.3/2 |b|^2, forced-in ones free);
 *            2. the tests of all features beside it (cox_score.c); 3. the best joins S.
 *            Ranking: the chosen in order, the rest by their tests after the last step. Score: the test, at
 *            most that of the one before, since scores do not rise along a ranking.
 * COST       1 pass over X for each feature, and one more.
 * GUARANTEE  none: a greedy search.
 * STOPPING   after k features, at most half the number of events (50 where k was not given), or
 *            where no feature has information of its own left.
 * DEVIATIONS a feature costs: its score is divided by it in each choice. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/glm/cox_score.h"

enum { STEPS = 50 };             /* where no number of features is given */
static const double RIDGE = 0.3; /* of the refit (relaxed.c) */

typedef struct forward {
    const fit_job *job;
    const char *ties;
    int64_t kept, count;  /* of cols */
    int64_t *cols;        /* S: the forced-in ones, then the chosen ones in order */
    double *ridge;        /* of S */
    double *F;            /* n */
    double *score, *gain; /* d: beside S; when they were chosen */
    bool *inside;         /* d: in S */
} forward;

/* Half the events (sums of weights), and what k becomes. */
static pare_status settle_steps(int64_t *steps, fit_result *r, const fit_job *job,
                                pare_error *err) {
    double events = 0;
    int64_t k = job->k > 0 ? job->k : STEPS;
    for (int64_t i = 0; i < job->x->n; i++)
        if (job->y->event[i]) events += job->weight ? job->weight[i] : 1;
    r->limit = events < 4 ? 1 : (int64_t)fmin(events / 2, 1e15);
    *steps = k < r->limit ? k : r->limit;
    if (job->k <= r->limit) return PARE_OK;
    return fit_note(r, err, "k %lld is more than half of the %g events: %lld %s taken",
                    (long long)k, events, (long long)*steps, *steps == 1 ? "is" : "are");
}

static pare_status allocate(forward *f, arena *mem, pare_error *err) {
    int64_t d = f->job->x->d;
    PASS_MEM(f->cols = ARENA_NEW(mem, int64_t, d));
    PASS_MEM(ARENA_NEWS(mem, double, d, &f->score, &f->gain));
    PASS_MEM(f->F = ARENA_NEW(mem, double, f->job->x->n));
    PASS_MEM(f->inside = ARENA_ZERO(mem, bool, d));
    f->kept = f->count = cox_score_kept(f->cols, f->job);
    PASS_MEM(f->ridge = ARENA_ZERO(mem, double, d));
    for (int64_t a = 0; a < f->kept; a++) f->inside[f->cols[a]] = true;
    return PARE_OK;
}

/* Steps 1 and 2. */
static pare_status test(forward *f, const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = f->job;
    PASS(cox_score_fit_beside(f->F, job, f->ties, RIDGE, f->cols, f->count, ctx, err));
    cox_beside beside = {.count = f->count, .cols = f->cols, .ridge = f->ridge, .F = f->F};
    PASS(cox_score_all(f->score, NULL, job, f->ties, &beside, ctx, err));
    for (int64_t j = 0; j < job->x->d; j++) f->score[j] = fit_per_cost(job, j, f->score[j]);
    return PARE_OK;
}

/* The best feature outside of S; -1: none has a score. */
static int64_t best(const forward *f) {
    int64_t at = -1;
    for (int64_t j = 0; j < f->job->x->d; j++)
        if (!f->inside[j] && f->score[j] > (at < 0 ? 0 : f->score[at])) at = j;
    return at;
}

/* Step 3. */
static void join(forward *f, int64_t j) {
    f->inside[j] = true;
    f->gain[j] = f->score[j];
    f->ridge[f->count] = RIDGE;
    f->cols[f->count++] = j;
}

static pare_status rank(fit_result *r, const forward *f, arena *mem, pare_error *err) {
    int64_t d = f->job->x->d, at = 0, left = 0;
    ranked *rest = ARENA_NEW(mem, ranked, d);
    r->ranking = ARENA_NEW(&r->mem, int64_t, d);
    r->score = ARENA_NEW(&r->mem, double, d);
    if (!rest || !r->ranking || !r->score) return error_memory(err);
    for (int64_t j = 0; j < d; j++)
        if (!f->inside[j]) rest[left++] = (ranked){f->score[j], j};
    sort_best_first(rest, left);
    for (int64_t a = 0; a < f->count; a++) r->ranking[at++] = f->cols[a];
    for (int64_t i = 0; i < left; i++) r->ranking[at++] = rest[i].index;
    double least = INFINITY;
    for (int64_t i = 0; i < d; i++) {
        int64_t j = r->ranking[i];
        if (i >= f->kept) least = fmin(least, f->inside[j] ? f->gain[j] : f->score[j]);
        r->score[j] = i < f->kept ? 0 : least;
    }
    return PARE_OK;
}

pare_status cox_forward_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    forward f = {.job = job, .ties = job->set->cox_forward.ties};
    int64_t steps, t = 0;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(settle_steps(&steps, r, job, err));
    TRY(allocate(&f, &mem, err));
    r->outcome = PARE_GREEDY;
    TRY(test(&f, ctx, err));
    for (; t < steps; t++) {
        int64_t next = best(&f);
        if (next < 0) break;
        join(&f, next);
        if (ctx_stops(ctx, "selecting", (double)(t + 1) / (double)steps, &r->outcome)) break;
        TRY(test(&f, ctx, err));
    }
    r->iterations = t;
    TRY(rank(r, &f, &mem, err));
done:
    arena_free(&mem);
    return status;
}
