#include "select/substitutes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "select/fitting.h"
#include "select/jobs.h"
#include "select/round_calibrate.h"
#include "select/score.h"

static const double MIN_CORRELATION = 0.5; /* of an alternative; equal scores of others are no
                                              evidence */
enum { FEATURES_PER_PASS = 4 }; /* features per pass, each summed by itself: see la/pass/tmul.h */

typedef struct exchange {
    int64_t feature; /* position among the chosen */
    int64_t instead;
    double correlation;
} exchange;

typedef struct trial {
    const path_setup *setup;
    const path_round *round;
    path_run *run;
    const char *missing; /* its treatment of missing values */
    const pare_data *data;
    bool *taken;   /* d: is chosen */
    bool searched; /* its candidates have been searched */
    int64_t n_parts, n_features, n_exchanges;
    exchange *exchange;
    double *loss; /* n_exchanges x n_parts: how much worse the score is after an exchange, NaN where
                     there was none */
} trial;

/* Keeps the `most` largest of list by |correlation|, in order; ties: the lower index is first. */
static void keep_best(exchange *list, int64_t *count, int64_t most, exchange e) {
    int64_t at = *count;
    while (at > 0 && fabs(list[at - 1].correlation) < fabs(e.correlation)) at--;
    if (at == most) return;
    if (*count < most) ++*count;
    memmove(list + at + 1, list + at, sizeof *list * (size_t)(*count - 1 - at));
    list[at] = e;
}

/* A chosen feature and the search for its candidates. */
typedef struct search {
    trial *of;
    int64_t feature; /* position among the chosen */
    int64_t at;      /* among all features that are correlated */
    int64_t count;   /* found so far: in of->exchange, from feature * most on */
} search;

/* r: n times the correlations of all d features with that one. */
static void look_among(search *s, const double *r, int64_t n, int64_t d, int64_t most) {
    double least = MIN_CORRELATION * (double)n;
    exchange *best = s->of->exchange + s->feature * most;
    for (int64_t j = 0; j < d; j++) {
        if (!(fabs(r[j]) >= least) || s->of->taken[j]) continue;
        double own = fmax(-1, fmin(1, r[j] / (double)n));
        keep_best(best, &s->count, most, (exchange){s->feature, j, own});
    }
}

/* Collects the searches of all trials that treat missing values like the first; index: the
 * features, each once. */
static void list_searches(search *list, int64_t *searches, int64_t *index, int64_t *features,
                          trial *t, int64_t trials) {
    *searches = *features = 0;
    for (int64_t q = 0; q < trials; q++) {
        if (strcmp(t[q].missing, t[0].missing) != 0 || t[q].data != t[0].data) continue;
        t[q].searched = true;
        for (int64_t i = t[q].run->method->n_kept; i < t[q].n_features;
             i++) { /* after the forced-in
                                                                            ones */
            int64_t at = 0, own = t[q].run->feature[i].index;
            while (at < *features && index[at] != own) at++;
            if (at == *features) index[(*features)++] = own;
            list[(*searches)++] = (search){&t[q], i, at, 0};
        }
    }
}

/* Candidates by correlation over all samples, always the same number of features per pass: the
 * results do not depend on the runs. */
static pare_status correlate(search *list, int64_t searches, const int64_t *index, int64_t features,
                             int64_t most, interruption *stopped, const pare_ctx *ctx,
                             pare_error *err) {
    const trial *t = list->of;
    const matrix *x = &t->data->x;
    int64_t n = x->n, d = x->d, together[FEATURES_PER_PASS];
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    view all = view_all(x);
    scaling sc;
    TRY(scaling_fit(&sc, &scratch, &all, NULL, "standard", t->missing, ctx, err));
    all.shift = sc.shift;
    all.scale = sc.scale;
    all.fill = sc.fill;
    double *U = ARENA_NEW(&scratch, double, n *FEATURES_PER_PASS);
    double *R = ARENA_NEW(&scratch, double, d *FEATURES_PER_PASS);
    TRY_MEM(U && R);
    for (int64_t from = 0; from < features && *stopped == INTERRUPT_NONE;
         from += FEATURES_PER_PASS) {
        for (int64_t o = 0; o < FEATURES_PER_PASS; o++)
            together[o] = index[from + o < features ? from + o : features - 1];
        TRY(mat_columns(&all, together, FEATURES_PER_PASS, U, ctx, err));
        TRY(mat_tmul(&all, U, FEATURES_PER_PASS, R, ctx, err));
        for (int64_t s = 0; s < searches; s++)
            if (list[s].at >= from && list[s].at < from + FEATURES_PER_PASS)
                look_among(&list[s], R + (list[s].at - from) * d, n, d, most);
        *stopped = ctx_poll(ctx, "substitutes", -1);
    }
done:
    arena_free(&scratch);
    return status;
}

/* Fills in the exchanges of the first trial and of all that treat missing values like it. */
static pare_status find_candidates(trial *t, int64_t trials, int64_t most, interruption *stopped,
                                   const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t searches, features;
    search *list = ARENA_NEW(&scratch, search, trials * MAX_SUBSTITUTE_FEATURES);
    int64_t *index = ARENA_NEW(&scratch, int64_t, trials * MAX_SUBSTITUTE_FEATURES);
    TRY_MEM(list && index);
    list_searches(list, &searches, index, &features, t, trials);
    if (searches > 0) TRY(correlate(list, searches, index, features, most, stopped, ctx, err));
    for (int64_t s = 0; s < searches; s++) { /* searches of a trial are adjacent */
        exchange *own = list[s].of->exchange, *found = own + list[s].feature * most;
        memmove(own + list[s].of->n_exchanges, found, sizeof *own * (size_t)list[s].count);
        list[s].of->n_exchanges += list[s].count;
    }
done:
    arena_free(&scratch);
    return status;
}

/* The metric of a refit on the chosen features of one split. */
static pare_status score_of(double *out, const trial *t, fitting *f, const cv_part *part,
                            const probability *how, const int64_t *chosen, int64_t count, double *F,
                            double *F_train, const pare_ctx *ctx, pare_error *err) {
    double value[MAX_METRICS];
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    TRY(fitting_refit(f, &r, NULL, f->set, chosen, count, NULL, NULL, ctx, err));
    if (r.outcome == PARE_CANCELLED || r.outcome == PARE_TIME_LIMIT) {
        status = error_set(err, PARE_E_CANCELLED, "stopped among the substitutes");
        goto done;
    }
    TRY(score_part(f, &r, chosen, count, part, F, F_train, ctx, err));
    predictions of = measure_of(t->round->y, t->data->weight, part, F, target_scores(t->round->y));
    of.F_train = F_train;
    TRY(measure_all(value, &of, how, ctx, err));
    *out = value[t->setup->metric];
done:
    fit_result_free(&r);
    return status;
}

/* The selection with one feature exchanged; returns its size, or 0 if it does not hold the feature.
 * A candidate that is selected already replaces both. */
static int64_t exchange_in(int64_t *chosen, const int64_t *picks, int64_t count, int64_t feature,
                           int64_t instead) {
    bool holds = false;
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        holds |= picks[i] == feature;
        if (picks[i] != instead) chosen[kept++] = picks[i] == feature ? instead : picks[i];
    }
    return holds ? kept : 0;
}

static pare_status try_part(void *user, int64_t j, const pare_ctx *ctx, pare_error *err) {
    trial *t = user;
    const path_round *round = t->round;
    const cv_part *part = &round->plan->part[j];
    const path_method *m = t->run->method;
    const fold_result *result = &round->result[j * t->setup->n_methods + (m - t->setup->method)];
    int64_t count = fold_used(result, t->run->chosen);
    const int64_t *picks = fold_picks(t->setup, result, t->run->chosen);
    int64_t outputs = target_scores(round->y);
    double own, other;
    probability how;
    fitting f = {0};
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    for (int64_t e = 0; e < t->n_exchanges; e++) t->loss[e * t->n_parts + j] = NAN;
    if (!result->done || !picks || count == 0) goto done;
    int64_t *chosen = ARENA_NEW(&scratch, int64_t, count);
    double *F = ARENA_NEW(&scratch, double, part->n_test *outputs);
    double *F_train = ARENA_NEW(&scratch, double, part->n_train);
    TRY_MEM(chosen && F && F_train);
    int64_t tuned = fold_tuned(t->setup, result, t->run->chosen);
    TRY(fitting_begin(&f, t->data, round->y, part->train, part->n_train, m->m, m->classifier,
                      &m->grid[tuned], ctx, err));
    TRY(round_probability(&how, &scratch, round, m, j, result, t->run->chosen, err));
    TRY(score_of(&own, t, &f, part, &how, picks, count, F, F_train, ctx, err));
    for (int64_t e = 0; e < t->n_exchanges; e++) {
        const exchange *x = &t->exchange[e];
        int64_t kept =
            exchange_in(chosen, picks, count, t->run->feature[x->feature].index, x->instead);
        if (kept == 0) continue;
        TRY(score_of(&other, t, &f, part, &how, chosen, kept, F, F_train, ctx, err));
        t->loss[e * t->n_parts + j] = t->setup->higher ? own - other : other - own;
    }
done:
    if (f.data) fitting_end(&f);
    arena_free(&scratch);
    return status;
}

/* Exchanges that cost at most one standard error of the curve at the chosen size. */
static pare_status keep_good(path_run *run, arena *mem, const trial *t, pare_error *err) {
    double allowed = run->point[run->chosen].metric[t->setup->metric].se;
    for (int64_t i = 0; i < t->n_features; i++) {
        path_feature *f = &run->feature[i];
        int64_t count = 0;
        for (int64_t e = 0; e < t->n_exchanges; e++) count += t->exchange[e].feature == i;
        if (count == 0) continue;
        f->substitute = ARENA_NEW(mem, path_substitute, count);
        if (!f->substitute) return error_memory(err);
        for (int64_t e = 0; e < t->n_exchanges; e++) {
            const exchange *x = &t->exchange[e];
            if (x->feature != i) continue;
            double loss = summary_of(t->loss + e * t->n_parts, t->n_parts, 1, 0).mean;
            if (!(loss <= allowed)) continue;
            f->substitute[f->n_substitutes++] =
                (path_substitute){x->instead, NULL, x->correlation, loss};
        }
    }
    return PARE_OK;
}

/* Which candidates of a run qualify. */
static pare_status try_exchanges(trial *t, arena *mem, arena *scratch, interruption *stopped,
                                 const pare_ctx *ctx, pare_error *err) {
    if (t->n_exchanges == 0) return PARE_OK;
    t->loss = ARENA_NEW(scratch, double, t->n_exchanges * t->n_parts);
    if (!t->loss) return error_memory(err);
    job_list list = {
        .count = t->n_parts, .run = try_part, .user = t, .stage = "substitutes", .before = 1};
    pare_status status = jobs_run(&list, stopped, ctx, err);
    if (status != PARE_OK || *stopped != INTERRUPT_NONE) return status;
    return keep_good(t->run, mem, t, err);
}

pare_status substitutes_find(path_run *run, int64_t runs, arena *mem, const path_round *round,
                             int64_t most, interruption *stopped, const pare_ctx *ctx,
                             pare_error *err) {
    int64_t parts = round->plan->count;
    *stopped = INTERRUPT_NONE;
    if (most <= 0) return PARE_OK;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    trial *t = ARENA_ZERO(&scratch, trial, runs);
    TRY_MEM(t);
    for (int64_t q = 0; q < runs; q++) {
        int64_t count = run[q].n_feature, d = run[q].method->d;
        if (most > d) most = d;
        t[q] = (trial){
            .setup = round->setup, .round = round, .run = &run[q], .data = run[q].method->data};
        t[q].missing = run[q].method->grid[0].common.missing;
        t[q].n_parts = parts < MAX_SUBSTITUTE_PARTS ? parts : MAX_SUBSTITUTE_PARTS;
        t[q].n_features = count < MAX_SUBSTITUTE_FEATURES ? count : MAX_SUBSTITUTE_FEATURES;
        TRY_MEM(t[q].exchange = ARENA_NEW(&scratch, exchange, t[q].n_features * most));
        TRY_MEM(t[q].taken = ARENA_ZERO(&scratch, bool, d));
        for (int64_t i = 0; i < count; i++) t[q].taken[run[q].feature[i].index] = true;
    }
    for (int64_t q = 0; q < runs && *stopped == INTERRUPT_NONE; q++)
        if (!t[q].searched) TRY(find_candidates(t + q, runs - q, most, stopped, ctx, err));
    for (int64_t q = 0; q < runs && *stopped == INTERRUPT_NONE; q++)
        TRY(try_exchanges(&t[q], mem, &scratch, stopped, ctx, err));
done:
    arena_free(&scratch);
    return status;
}
