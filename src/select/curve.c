#include "select/curve.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "select/measure.h"
#include "select/score.h"
#include "select/units.h"

/* A stopped fit is an error; one that did not converge is counted. */
static pare_status take_outcome(curve *out, pare_outcome outcome, pare_error *err) {
    if (outcome == PARE_CANCELLED || outcome == PARE_TIME_LIMIT)
        return error_set(err, PARE_E_CANCELLED, "stopped inside a fold");
    out->unconverged += outcome == PARE_MAX_ITER;
    return PARE_OK;
}

/* The Gram of the first `count` chosen features. It grows from size to size: each feature is added
 * once. */
typedef struct growing_gram {
    int64_t count;
    double *K, *more;    /* n x n; NULL: the predictor does not start from a Gram */
    const double *whole; /* the Gram of all features, if it is available */
    bool centred;
} growing_gram;

static pare_status grow(const double **out, growing_gram *g, const fitting *f,
                        const int64_t *chosen, int64_t count, const pare_ctx *ctx,
                        pare_error *err) {
    *out = NULL;
    if (!g->K) return PARE_OK;
    if (g->whole && count >= f->x.d - f->sc.n_constant) { /* constant features add nothing */
        *out = g->whole;
        return PARE_OK;
    }
    view added = f->x;
    if (g->centred) added.shift = f->mean;
    added.cols = chosen + g->count;
    added.d = count - g->count;
    if (added.d > 0) {
        PASS(mat_gram(&added, NULL, NULL, g->more, ctx, err));
        for (int64_t i = 0; i < added.n * added.n; i++) g->K[i] += g->more[i];
        g->count = count;
    }
    *out = g->K;
    return PARE_OK;
}

/* The dual of the size before, from which the next fit starts. */
typedef struct warm_start {
    double *dual; /* NULL: none yet */
    int64_t n_dual;
} warm_start;

static pare_status keep_dual(warm_start *last, const fit_result *r, fitting *f, pare_error *err) {
    int64_t count = f->x.n * r->n_dual;
    if (!r->dual || r->n_dual == 0) return PARE_OK;
    if (last->n_dual != r->n_dual && !(last->dual = ARENA_NEW(&f->mem, double, count)))
        return error_memory(err);
    last->n_dual = r->n_dual;
    memcpy(last->dual, r->dual, sizeof(double) * (size_t)count);
    return PARE_OK;
}

/* The state that all sizes of one run of the method share. */
typedef struct sizes_job {
    const curve_job *job;
    fitting *f;
    const fit_result *whole;
    const int64_t *chosen; /* features of the largest size */
    growing_gram gram;
    warm_start *last;    /* n_sets */
    double *F, *F_train; /* scores of the test and the training samples */
} sizes_job;

pare_status curve_measure(curve *out, const curve_job *job, int64_t g, int64_t s, const double *F,
                          const double *F_train, int64_t outputs, const pare_ctx *ctx,
                          pare_error *err) {
    const cv_part *part = job->part;
    int64_t metrics = job->y->task->n_metrics, n = part->n_test, size = n * outputs;
    probability how = {.kind = PROBABILITY_NONE};
    if (fitting_probability(job->m, job->classifier, &job->set[g]) == PROBABILITY_OWN)
        how.kind = PROBABILITY_OWN;
    if (out->F) memcpy(out->F + s * size, F, sizeof *F * (size_t)size);
    if (out->P && how.kind != PROBABILITY_NONE)
        probability_of(out->P + s * n * job->y->n_classes, &how, F, n, outputs);
    predictions of = measure_of(job->y, job->data->weight, part, F, outputs);
    of.F_train = F_train;
    of.at = job->at;
    if (out->summary)
        PASS(job->y->task->summarise(out->summary + s * job->y->task->summary_size(job->y),
                                     out->loss ? out->loss + s * n : NULL, &of, ctx, err));
    return measure_all(out->score + s * metrics, &of, &how, ctx, err);
}

/* The predictor on the first `count` chosen features: a refit, or the method's own if it uses just
 * these. */
static pare_status fill_size(curve *out, sizes_job *z, int64_t g, int64_t s, int64_t count,
                             const pare_ctx *ctx, pare_error *err) {
    const curve_job *job = z->job;
    const cv_part *part = job->part;
    fitting *f = z->f;
    fit_result small;
    fit_result_init(&small, ctx);
    pare_status status = PARE_OK;
    bool refits = fitting_refits(f, z->whole, z->chosen, count);
    const fit_result *r = refits ? &small : z->whole;
    if (refits) {
        const double *gram;
        TRY(grow(&gram, &z->gram, f, z->chosen, count, ctx, err));
        TRY(fitting_refit(f, &small, &z->whole->set, &job->set[g], z->chosen, count, gram,
                          z->last[g].dual, ctx, err));
        TRY(take_outcome(out, small.outcome, err));
        TRY(keep_dual(&z->last[g], &small, f, err));
    }
    TRY(score_part(f, r, refits ? z->chosen : NULL, count, part, z->F, z->F_train, ctx, err));
    TRY(curve_measure(out, job, g, s, z->F, job->y->task->timed ? z->F_train : NULL,
                      target_scores(job->y), ctx, err));
    out->used[s] = refits ? count : r->n_support; /* in both cases the first of the ranking */
    for (int64_t i = 0; out->picks && i < out->used[s]; i++) {
        if (out->used[s] > out->pick_start[s + 1] - out->pick_start[s]) break;
        out->picks[out->pick_start[s] + i] = refits ? z->chosen[i] : r->support[i];
    }

done:
    fit_result_free(&small);
    return status;
}

/* Returns the first size from `end` on that a separate run for more features could serve better
 * than r. */
static int64_t served_to(const curve_job *job, const fit_result *r, int64_t k, int64_t end) {
    bool all = r->most > 0 && r->most < k;
    while (all && end < job->n_sizes && job->sizes[end] < job->data->x.d) end++;
    return end;
}

/* Runs the method once, for k features if it needs k, and fills in from its ranking the sizes from
 * `first` to before *end, which moves up where the run serves larger sizes too. */
static pare_status fill_sizes(curve *out, const curve_job *job, int64_t first, int64_t *end,
                              int64_t k, fitting *f, double *F, double *F_train,
                              const pare_ctx *ctx, pare_error *err) {
    amount of = {.k = k};
    if (job->budget && job->m->needs_k) of.budget = job->budget[first];
    int64_t largest, n = f->x.n, kept = f->terms.n_kept;
    const method *last = ends_in_classifier(job->m, job->set) ? job->classifier : job->m;
    fit_result whole;
    fit_result_init(&whole, ctx);
    sizes_job z = {.job = job, .f = f, .whole = &whole, .F = F, .F_train = F_train};
    pare_status status = PARE_OK;
    bool other_choice = job->budget || f->terms.group || f->set->common.max_correlation < 1;
    bool as_ranked = !other_choice && !f->terms.cost && kept == 0 && f->sc.n_constant == 0;
    if (as_ranked) whole.first = job->sizes[job->n_sizes - 1];
    TRY_MEM(z.last = ARENA_ZERO(&f->mem, warm_start, job->n_sets));
    TRY(fitting_run(f, &whole, of, ctx, err));
    TRY(take_outcome(out, whole.outcome, err));
    if (!job->budget) *end = served_to(job, &whole, k, *end);
    amount most = {.k = job->sizes[*end - 1]};
    int64_t *chosen;
    TRY(fitting_pick(&chosen, &largest, f, &whole, most, ctx, err));
    z.chosen = chosen;
    if (last->from_gram) {
        all_settings final = *f->set;
        if (last != job->m) classifier_settings(&final, job->m, last, f->set, f->set);
        gram_kind of_last = gram_of(last, &final, &f->identity, f->data);
        z.gram.centred = of_last == GRAM_CENTRED;
        z.gram.whole = f->gram[of_last];
        TRY_MEM(z.gram.K = ARENA_ZERO(&f->mem, double, n *n));
        TRY_MEM(z.gram.more = ARENA_NEW(&f->mem, double, n *n));
    }
    for (int64_t s = first; s < *end; s++) {
        int64_t count = kept + job->sizes[s] < largest ? kept + job->sizes[s] : largest;
        if (other_choice) { /* a different choice, not more of the same */
            amount own = {.k = job->sizes[s], .budget = job->budget ? job->budget[s] : NAN};
            TRY(fitting_pick(&chosen, &count, f, &whole, own, ctx, err));
            z.chosen = chosen;
            if (z.gram.K) memset(z.gram.K, 0, sizeof(double) * (size_t)(n * n));
            z.gram.count = 0;
        }
        for (int64_t g = 0; g < job->n_sets; g++)
            if (!job->want || job->want[g * job->n_sizes + s])
                TRY(fill_size(&out[g], &z, g, s, count, ctx, err));
    }
done:
    fit_result_free(&whole);
    return status;
}

/* The first size that the method supports. */
static pare_status first_size(int64_t *s, const curve_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    unit_totals units;
    *s = 0;
    if (!job->m->ranks_none) return PARE_OK;
    pare_status status = units_total(&units, job->data, job->set, ctx, err);
    while (status == PARE_OK && *s < job->n_sizes && job->sizes[*s] < units.count) ++*s;
    return status;
}

pare_status curve_begin(fitting *f, const curve_job *job, const pare_ctx *ctx, pare_error *err) {
    statistics_identity id = identity_of(job->m, job->set, job->data, job->y->task);
    int64_t b = 0;
    bool wants[GRAM_KINDS],
        whole = job->sizes[job->n_sizes - 1] + terms_count_kept(job->data) == job->data->x.d;
    while (b < job->n_shared && !identity_same(&job->shared[b].identity, &id)) b++;
    if (b == job->n_shared)
        return fitting_begin(f, job->data, job->y, job->part->train, job->part->n_train, job->m,
                             job->classifier, job->set, ctx, err);
    fitting_share(f, &job->shared[b], job->m, job->classifier, job->set, ctx);
    grams_needed(wants, job->m, job->classifier, job->set, &id, job->data, whole);
    for (int c = 0; c < GRAM_KINDS; c++)
        if (!wants[c]) f->gram[c] = NULL;
    return PARE_OK;
}

pare_status curve_run(curve *out, const curve_job *job, const pare_ctx *ctx, pare_error *err) {
    const cv_part *part = job->part;
    int64_t outputs = target_scores(job->y);
    fitting f = {0};
    arena mem = arena_of(ctx);
    double *F = ARENA_NEW(&mem, double, part->n_test *outputs);
    double *F_train = ARENA_NEW(&mem, double, job->y->task->timed ? part->n_train : 0);
    pare_status status = PARE_OK;

    TRY_MEM(F && F_train);
    TRY(curve_begin(&f, job, ctx, err));
    if (job->along) {
        status = curve_along(out, job, &f, ctx, err);
        goto done;
    }
    if (!solves_for_k(job->m, job->set)) {
        int64_t from, to = job->n_sizes;
        TRY(first_size(&from, job, ctx, err));
        for (; from < job->n_sizes; from = to, to = job->n_sizes) {
            int64_t turn = job->m->turns_at;
            while (turn && job->sizes[from] <= turn && job->sizes[to - 1] > turn) to--;
            int64_t k = job->m->nested ? job->sizes[to - 1] : 0;
            TRY(fill_sizes(out, job, from, &to, k, &f, F, F_train, ctx, err));
        }
        goto done;
    }
    for (int64_t s = 0, to; s < job->n_sizes; s = to) { /* the ranking serves no other sizes */
        to = s + 1;
        TRY(fill_sizes(out, job, s, &to, job->sizes[s], &f, F, F_train, ctx, err));
    }

done:
    if (status == PARE_OK && ctx_stopped(ctx) != INTERRUPT_NONE) /* no fit has reported it */
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a fold");
    arena_free(&mem);
    if (f.data) fitting_end(&f);
    return status;
}
