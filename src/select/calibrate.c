#include "select/calibrate.h"

#include "base/error.h"
#include "task/class_weight.h"
#include "select/jobs.h"
#include "select/plan.h"
#include "select/platt.h"
#include "select/score.h"

enum { PURPOSE_CALIBRATE = 0x63616c69 };

typedef struct calibration {
    const pare_data *data;
    const target *y;
    const method *m, *classifier;
    const all_settings *set;
    int64_t outputs;
    cv_plan plan;
    double *F; /* samples x outputs, each by the fit that did not see it */
} calibration;

/* The scores of the split's test samples by the fit to its training samples, as pare_fit would fit
 * them. */
static pare_status run_part(void *user, int64_t j, const pare_ctx *ctx, pare_error *err) {
    calibration *c = user;
    const cv_part *part = &c->plan.part[j];
    int64_t n = c->data->x.n, k;
    fitting f = {0};
    fit_result first, second;
    fit_result_init(&first, ctx);
    fit_result_init(&second, ctx);
    const fit_result *last = &first;
    const int64_t *chosen = NULL;
    double *F = mem_alloc(ctx_allocator(ctx), part->n_test * c->outputs, sizeof *F);
    pare_status status = PARE_OK;
    TRY_MEM(F);
    TRY(fitting_begin(&f, c->data, c->y, part->train, part->n_train, c->m, c->classifier, c->set,
                      ctx, err));
    TRY(fitting_run(&f, &first, fitting_amount(&f), ctx, err));
    int64_t *picked;
    TRY(fitting_pick(&picked, &k, &f, &first, fitting_amount(&f), ctx, err));
    if (fitting_refits(&f, &first, picked, k)) {
        chosen = picked;
        TRY(fitting_refit(&f, &second, &first.set, c->set, chosen, k, NULL, NULL, ctx, err));
        last = &second;
    }
    if (ctx_stopped(ctx) != INTERRUPT_NONE) {
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a fold");
        goto done;
    }
    TRY(score_rows(&f, last, chosen, k, part->test, part->n_test, F, ctx, err));
    for (int64_t o = 0; o < c->outputs; o++)
        for (int64_t i = 0; i < part->n_test; i++)
            c->F[o * n + part->test[i]] = F[o * part->n_test + i];
done:
    mem_free(ctx_allocator(ctx), F);
    fit_result_free(&second);
    fit_result_free(&first);
    if (f.data) fitting_end(&f);
    return status;
}

pare_status calibrate_outputs(double *a, double *b, const double *F, int64_t n, int64_t outputs,
                              const int32_t *cls, const double *weight, const pare_ctx *ctx,
                              pare_error *err) {
    bool *positive = mem_alloc(ctx_allocator(ctx), n, sizeof *positive);
    if (!positive) return error_memory(err);
    for (int64_t o = 0; o < outputs; o++) {
        for (int64_t i = 0; i < n; i++) positive[i] = cls[i] == (outputs == 1 ? 1 : o);
        platt_fit(&a[o], &b[o], n, F + o * n, positive, weight);
    }
    mem_free(ctx_allocator(ctx), positive);
    return PARE_OK;
}

/* As many folds as the smallest class allows. */
static pare_status count_folds(int64_t *folds, const target *y, int64_t n, pare_error *err) {
    *folds = CALIBRATION_FOLDS;
    for (int32_t c = 0; c < y->n_classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += y->cls[i] == c;
        if (count < 2)
            return error_set(err, PARE_E_DATA,
                             "probabilities cannot be calibrated: class \"%.64s\" has one sample, "
                             "and scores of samples that were not trained on need two",
                             y->classes[c]);
        if (count < *folds) *folds = count;
    }
    return PARE_OK;
}

pare_status calibrate(probability *out, arena *mem, const pare_data *data, const target *y,
                      const method *m, const method *classifier, const all_settings *set,
                      uint64_t seed, interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n, outputs = target_scores(y);
    calibration c = {data, y, m, classifier, set, outputs, {0}, NULL};
    cv_request request = {.repeats = 1};
    const double *weight;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    *out = (probability){.kind = PROBABILITY_NONE, .seed = seed};
    *stopped = INTERRUPT_NONE;
    TRY(count_folds(&request.folds, y, n, err));
    TRY_MEM(c.F = ARENA_NEW(&scratch, double, n *outputs));
    TRY_MEM(out->a = ARENA_NEW(mem, double, outputs));
    TRY_MEM(out->b = ARENA_NEW(mem, double, outputs));
    TRY(plan_make(&c.plan, &scratch, &request, y, NULL, n, plan_seed(seed, PURPOSE_CALIBRATE), ctx,
                  err));
    out->folds = c.plan.count;
    job_list list = {.count = c.plan.count,
                     .run = run_part,
                     .user = &c,
                     .stage = "calibrating probabilities",
                     .share = 1};
    TRY(jobs_run(&list, stopped, ctx, err));
    if (*stopped != INTERRUPT_NONE) goto done;
    TRY(class_weight_apply(&weight, &scratch, y, data->weight, n, set->common.class_weight, err));
    TRY(calibrate_outputs(out->a, out->b, c.F, n, outputs, y->cls, weight, ctx, err));
    out->kind = PROBABILITY_SIGMOID;
done:
    arena_free(&scratch);
    return status;
}
