#include "select/curve.h"

#include "base/context.h"
#include "base/error.h"
#include "select/measure.h"

/* A fit that was stopped says nothing about the method; one that did not converge is counted. */
static pare_status judge(curve *out, pare_outcome outcome, pare_error *err) {
    if (outcome == PARE_CANCELLED || outcome == PARE_TIME_LIMIT)
        return error_set(err, PARE_E_CANCELLED, "stopped inside a fold");
    out->unconverged += outcome == PARE_MAX_ITER;
    return PARE_OK;
}

/* The predictor on the first `count` chosen features: a refit, or the method's own if that is all
 * it uses. */
static pare_status fill_size(curve *out, const curve_job *job, int64_t s, fitting *f,
                             const fit_result *whole, const int64_t *chosen, int64_t count,
                             double *F, const pare_ctx *ctx, pare_error *err) {
    int64_t metrics = measure_count(job->y->task);
    fit_result small;
    fit_result_init(&small, ctx);
    pare_status status = PARE_OK;
    bool refits = f->m->selects_only || f->m->two_stage || count < whole->n_support;
    const fit_result *r = refits ? &small : whole;
    all_settings before = f->set; /* an automatic ridge at one size is not for the next */
    if (refits) {
        TRY(fitting_refit(f, &small, chosen, count, ctx, err));
        TRY(judge(out, small.outcome, err));
    }
    TRY(fitting_score(f, r, refits ? chosen : NULL, count, job->part->test, job->part->n_test, F,
                      ctx, err));
    TRY(measure_all(out->score + s * metrics, job->y, job->part->test, job->part->n_test, F,
                    r->n_outputs, ctx, err));
    out->used[s] = refits ? count : whole->n_support; /* in both cases the first of the ranking */
    for (int64_t i = 0; out->picks && i < out->used[s]; i++) {
        if (out->used[s] > out->pick_start[s + 1] - out->pick_start[s]) break;
        out->picks[out->pick_start[s] + i] = refits ? chosen[i] : whole->support[i];
    }

done:
    f->set = before;
    fit_result_free(&small);
    return status;
}

/* All points of the method's own path at once. */
static pare_status fill_along(curve *out, const curve_job *job, fitting *f, const pare_ctx *ctx,
                              pare_error *err) {
    const cv_part *part = job->part;
    int64_t metrics = measure_count(job->y->task);
    int64_t outputs = job->y->n_classes > 2 ? job->y->n_classes : 1;
    int64_t stride = part->n_test * outputs;
    fit_job train = {.x = &f->x, .y = &f->y, .weight = f->weight, .set = &f->set};
    view test = f->x;
    test.rows = part->test;
    test.n = part->n_test;
    along_points points = {
        .count = job->n_sizes, .value = job->along, .used = out->used, .want = job->want};
    pare_status status = PARE_OK;
    TRY_MEM(points.F = ARENA_NEW(&f->mem, double, job->n_sizes *stride));
    TRY_MEM(points.ranking = ARENA_NEW(&f->mem, int64_t, f->x.d));
    TRY_MEM(points.used = ARENA_NEW(&f->mem, int64_t, job->n_sizes));
    TRY(f->m->along->run(&points, &train, &test, ctx, err));
    out->unconverged += points.unconverged;
    for (int64_t s = 0; s < job->n_sizes; s++) {
        if (job->want && !job->want[s]) continue;
        out->used[s] = points.used[s];
        TRY(measure_all(out->score + s * metrics, job->y, part->test, part->n_test,
                        points.F + s * stride, outputs, ctx, err));
        bool fits = out->picks && out->used[s] <= out->pick_start[s + 1] - out->pick_start[s];
        for (int64_t i = 0; fits && i < out->used[s]; i++)
            out->picks[out->pick_start[s] + i] = points.ranking[i];
    }

done:
    return status;
}

pare_status curve_run(curve *out, const curve_job *job, const pare_ctx *ctx, pare_error *err) {
    const cv_part *part = job->part;
    int64_t outputs = job->y->n_classes > 2 ? job->y->n_classes : 1;
    int64_t largest = job->sizes[job->n_sizes - 1];
    fitting f = {0};
    fit_result whole;
    fit_result_init(&whole, ctx);
    double *F = mem_alloc(ctx_allocator(ctx), part->n_test * outputs, sizeof *F);
    pare_status status = PARE_OK;

    TRY_MEM(F);
    TRY(fitting_begin(&f, job->data, job->y, part->train, part->n_train, job->m, job->classifier,
                      job->set, ctx, err));
    if (job->along) {
        status = fill_along(out, job, &f, ctx, err);
        goto done;
    }
    TRY(fitting_run(&f, &whole, ctx, err));
    TRY(judge(out, whole.outcome, err));
    const int64_t *chosen = fitting_pick(&f, &whole, &largest);
    TRY_MEM(chosen);
    for (int64_t s = 0; s < job->n_sizes; s++) {
        if (job->want && !job->want[s]) continue;
        int64_t count = job->sizes[s] < largest ? job->sizes[s] : largest;
        TRY(fill_size(out, job, s, &f, &whole, chosen, count, F, ctx, err));
    }

done:
    mem_free(ctx_allocator(ctx), F);
    fit_result_free(&whole);
    if (f.data) fitting_end(&f);
    return status;
}
