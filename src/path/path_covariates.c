/* What the features add to the forced-in covariates: the run's predictor on those alone, on the same
 * splits, and the paired difference. Where the method has them in its own problem they are not
 * penalised. COST: a pass over the features of each split for its scaling, and a small fit. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "path/path_setup.h"
#include "select/bootstrap.h"
#include "select/curve.h"
#include "select/score.h"

/* The predictor of a method where nothing else is chosen. */
typedef struct alone {
    const method *m, *classifier;
    all_settings set;
    int64_t *cols; /* n_kept */
} alone;

static void choose_predictor(alone *a, const pare_path *p, const path_method *m, int64_t tuned) {
    a->set = m->grid[tuned];
    a->m = method_resolve(m->m, p->y.task, m->n_kept);
    a->set.common.budget = NAN;
    a->set.common.k = m->n_kept;
    if (a->m->keeps && !a->m->selects_only) { /* its own problem, with nothing to choose */
        a->set.common.k = -1;
        strcpy(a->set.common.refit, "none");
    }
    a->classifier = method_final(a->m, &a->set, p->y.task);
    int64_t at = 0;
    for (int64_t j = 0; j < m->d; j++)
        if (m->data->kept[j]) a->cols[at++] = j;
}

/* Fits to the training fold and scores the test fold. */
static pare_status score_split(fold_result *out, const alone *a, const pare_path *p,
                               const path_method *m, const cv_part *part, arena *mem,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t outputs = target_scores(&p->y);
    fitting f = {0};
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    double *F = ARENA_NEW(mem, double, part->n_test *outputs);
    double *F_train = ARENA_NEW(mem, double, p->y.task->timed ? part->n_train : 0);
    TRY_MEM(F && F_train);
    TRY(fitting_begin(&f, m->data, &p->y, part->train, part->n_train, a->m, a->classifier, &a->set,
                      ctx, err));
    if (a->m->two_stage) { /* kernels of equal weight */
        TRY_MEM(f.given = ARENA_NEW(&f.mem, double, m->d));
        for (int64_t j = 0; j < m->d; j++) f.given[j] = 1;
    }
    TRY(fitting_refit(&f, &r, NULL, &a->set, a->cols, m->n_kept, NULL, NULL, ctx, err));
    if (r.outcome == PARE_CANCELLED || r.outcome == PARE_TIME_LIMIT) {
        status = error_set(err, PARE_E_CANCELLED, "stopped before the covariates alone");
        goto done;
    }
    TRY(score_part(&f, &r, a->cols, m->n_kept, part, F, F_train, ctx, err));
    curve_job job = {.data = m->data,
                     .y = &p->y,
                     .m = a->m,
                     .classifier = a->classifier,
                     .set = &a->set,
                     .part = part};
    curve to = {.score = out->score, .F = out->F, .P = out->P};
    TRY(curve_measure(&to, &job, 0, 0, F, p->y.task->timed ? F_train : NULL, outputs, ctx, err));
    out->done = true;
done:
    fit_result_free(&r);
    if (f.data) fitting_end(&f);
    return status;
}

/* A method that cannot be fitted to them alone has no score here, which is no error of the path. */
static bool is_fatal(pare_status status) {
    return status == PARE_E_MEMORY || status == PARE_E_CANCELLED || status == PARE_E_INTERNAL ||
           status == PARE_E_IO;
}

static pare_status alloc_split(fold_result *out, const pare_path *p, const cv_part *part,
                               arena *mem, pare_error *err) {
    int64_t metrics = p->y.task->n_metrics, outputs = target_scores(&p->y);
    PASS_MEM(out->score = ARENA_NEW(mem, double, metrics));
    PASS_MEM(out->F = ARENA_NEW(mem, double, part->n_test *outputs));
    PASS_MEM(out->P = ARENA_NEW(mem, double, part->n_test * p->y.n_classes));
    for (int64_t q = 0; q < metrics; q++) out->score[q] = NAN;
    for (int64_t e = 0; e < part->n_test * p->y.n_classes; e++) out->P[e] = NAN;
    return PARE_OK;
}

static pare_status score_run(pare_path *p, path_run *run, const pare_ctx *ctx, pare_error *err) {
    const path_method *m = run->method;
    pare_error own;
    alone a;
    PASS_MEM(a.cols = ARENA_NEW(&p->mem, int64_t, m->n_kept));
    PASS_MEM(run->alone = ARENA_ZERO(&p->mem, fold_result, p->plan.count));
    for (int64_t j = 0; j < p->plan.count; j++) {
        const cv_part *part = &p->plan.part[j];
        const fold_result *whole = &p->round.result[j * p->setup.n_methods + (run - p->run)];
        int64_t at = fold_nested_size(&p->setup, whole);
        if (ctx_poll(ctx, "covariates alone", -1))
            return error_set(err, PARE_E_CANCELLED, "stopped before the covariates alone");
        choose_predictor(&a, p, m, at < 0 ? 0 : fold_tuned(&p->setup, whole, at));
        PASS(alloc_split(&run->alone[j], p, part, &p->mem, err));
        arena mem = arena_of(ctx);
        pare_status status = score_split(&run->alone[j], &a, p, m, part, &mem, ctx, &own);
        arena_free(&mem);
        if (status == PARE_OK || !is_fatal(status)) continue;
        if (err) *err = own;
        return status;
    }
    return PARE_OK;
}

/* Means over the splits: of the scores, and of the nested ones less these where both are known. */
static void take_means(const pare_path *p, path_run *run) {
    double sum = 0, gain = 0;
    int64_t count = 0, pairs = 0, m = run - p->run;
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *whole = &p->round.result[j * p->setup.n_methods + m];
        double own = run->alone[j].score[p->setup.metric];
        double nested = fold_nested(&p->setup, whole)[p->setup.metric];
        if (isnan(own)) continue;
        sum += own;
        count++;
        if (isnan(nested)) continue;
        gain += nested - own;
        pairs++;
    }
    if (count > 0) run->kept_score = sum / (double)count;
    if (pairs > 0) run->added = gain / (double)pairs;
}

pare_status path_against_covariates(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        path_run *run = &p->run[m];
        if (run->method->n_kept == 0) continue;
        PASS(score_run(p, run, ctx, err));
        take_means(p, run);
    }
    return bootstrap_added(p, ctx, err);
}
