#include "select/substitutes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "select/fitting.h"
#include "select/jobs.h"
#include "select/score.h"

static const double LEAST_CORRELATION = 0.5; /* below, an equal score says nothing of the feature */
enum { COLUMNS_AT_ONCE = 8 };

typedef struct exchange {
    int64_t feature; /* position among the chosen */
    int64_t instead;
    double correlation;
} exchange;

typedef struct trial {
    const path_setup *setup;
    const path_round *round;
    const path_run *run;
    int64_t n_parts, n_features, n_exchanges;
    exchange *exchange;
    double
        *loss; /* n_exchanges x n_parts: how much worse an exchange is, NaN where there was none */
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

/* Candidates by correlation over all samples, 8 chosen features a pass. */
static pare_status find_candidates(trial *t, arena *mem, int64_t most, const char *missing,
                                   const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = t->setup->data;
    int64_t n = data->x.n, d = data->x.d, k = t->n_features;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    view all = view_all(&data->x);
    scaling sc;
    TRY(scaling_fit(&sc, &scratch, &all, NULL, "standard", missing, ctx, err));
    all.shift = sc.shift;
    all.scale = sc.scale;
    all.fill = sc.fill;
    double *U = ARENA_NEW(&scratch, double, n *COLUMNS_AT_ONCE);
    double *R = ARENA_NEW(&scratch, double, d *COLUMNS_AT_ONCE);
    bool *taken = ARENA_ZERO(&scratch, bool, d);
    int64_t *index = ARENA_NEW(&scratch, int64_t, k);
    exchange *list = ARENA_NEW(&scratch, exchange, most);
    TRY_MEM(t->exchange = ARENA_NEW(mem, exchange, k * most));
    TRY_MEM(U && R && taken && index && list);
    for (int64_t i = 0; i < t->run->n_feature; i++) taken[t->run->feature[i].index] = true;
    for (int64_t i = 0; i < k; i++) index[i] = t->run->feature[i].index;
    for (int64_t from = 0; from < k; from += COLUMNS_AT_ONCE) {
        int64_t c = k - from < COLUMNS_AT_ONCE ? k - from : COLUMNS_AT_ONCE;
        TRY(mat_columns(&all, index + from, c, U, ctx, err));
        TRY(mat_tmul(&all, U, c, R, ctx, err));
        for (int64_t o = 0; o < c; o++) {
            int64_t count = 0;
            bool kept = from + o < t->setup->n_kept; /* nothing stands in for those */
            for (int64_t j = 0; j < d && !kept; j++) {
                double r = R[o * d + j] / (double)n;
                if (taken[j] || !(fabs(r) >= LEAST_CORRELATION)) continue;
                keep_best(list, &count, most, (exchange){from + o, j, fmax(-1, fmin(1, r))});
            }
            for (int64_t i = 0; i < count; i++) t->exchange[t->n_exchanges++] = list[i];
        }
    }
done:
    arena_free(&scratch);
    return status;
}

/* The metric of a refit on the chosen features of one part. */
static pare_status score_of(double *out, const trial *t, fitting *f, const cv_part *part,
                            const int64_t *chosen, int64_t count, double *F, const pare_ctx *ctx,
                            pare_error *err) {
    double value[MEASURE_MAX];
    probability how = {.kind = PROBABILITY_NONE};
    if (fitting_has_odds(f->m, f->classifier, f->set)) how.kind = PROBABILITY_OWN;
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    TRY(fitting_refit(f, &r, NULL, f->set, chosen, count, NULL, NULL, ctx, err));
    if (r.outcome == PARE_CANCELLED || r.outcome == PARE_TIME_LIMIT) {
        status = error_set(err, PARE_E_CANCELLED, "stopped among the substitutes");
        goto done;
    }
    TRY(score_rows(f, &r, chosen, count, part->test, part->n_test, F, ctx, err));
    TRY(measure_all(value, t->round->y, part->test, part->n_test, F, target_scores(t->round->y),
                    &how, ctx, err));
    *out = value[t->setup->metric];
done:
    fit_result_free(&r);
    return status;
}

/* The selection with one feature exchanged; its size, or 0 if it does not hold the feature. A
 * candidate that is there already takes the place of both. */
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
    int64_t outputs = round->y->n_classes > 2 ? round->y->n_classes : 1;
    double own, other;
    fitting f = {0};
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    for (int64_t e = 0; e < t->n_exchanges; e++) t->loss[e * t->n_parts + j] = NAN;
    if (!result->done || !picks || count == 0) goto done;
    int64_t *chosen = ARENA_NEW(&scratch, int64_t, count);
    double *F = ARENA_NEW(&scratch, double, part->n_test *outputs);
    TRY_MEM(chosen);
    TRY_MEM(F);
    int64_t tuned = fold_tuned(t->setup, result, t->run->chosen);
    TRY(fitting_begin(&f, t->setup->data, round->y, part->train, part->n_train, m->m, m->classifier,
                      &m->grid[tuned], ctx, err));
    TRY(score_of(&own, t, &f, part, picks, count, F, ctx, err));
    for (int64_t e = 0; e < t->n_exchanges; e++) {
        const exchange *x = &t->exchange[e];
        int64_t kept =
            exchange_in(chosen, picks, count, t->run->feature[x->feature].index, x->instead);
        if (kept == 0) continue;
        TRY(score_of(&other, t, &f, part, chosen, kept, F, ctx, err));
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

pare_status substitutes_find(path_run *run, arena *mem, const path_round *round, int64_t most,
                             interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    trial t = {.setup = round->setup, .round = round, .run = run};
    int64_t parts = round->plan->count;
    t.n_parts = parts < SUBSTITUTE_PARTS ? parts : SUBSTITUTE_PARTS;
    t.n_features = run->n_feature < SUBSTITUTE_FEATURES ? run->n_feature : SUBSTITUTE_FEATURES;
    *stopped = INTERRUPT_NONE;
    if (most <= 0 || t.n_features == 0) return PARE_OK;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(find_candidates(&t, &scratch, most, run->method->grid[0].common.missing, ctx, err));
    if (t.n_exchanges == 0) goto done;
    TRY_MEM(t.loss = ARENA_NEW(&scratch, double, t.n_exchanges *t.n_parts));
    job_list list = {
        .count = t.n_parts, .run = try_part, .user = &t, .stage = "substitutes", .before = 1};
    TRY(jobs_run(&list, stopped, ctx, err));
    if (*stopped == INTERRUPT_NONE) TRY(keep_good(run, mem, &t, err));
done:
    arena_free(&scratch);
    return status;
}
