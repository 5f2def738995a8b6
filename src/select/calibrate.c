#include "select/calibrate.h"

#include <math.h>

#include "base/error.h"
#include "select/jobs.h"
#include "select/plan.h"
#include "select/platt.h"
#include "select/score.h"
#include "select/temperature.h"

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

void class_proportions(double *prior, const target *y, const double *weight, int64_t n) {
    double total = 0;
    for (int64_t c = 0; c < y->n_classes; c++) prior[c] = 0;
    for (int64_t i = 0; i < n; i++) {
        prior[y->cls[i]] += weight ? weight[i] : 1;
        total += weight ? weight[i] : 1;
    }
    for (int64_t c = 0; c < y->n_classes; c++) prior[c] /= total;
}

static pare_status fit_sigmoids(probability *out, const double *F, int64_t n, int64_t outputs,
                                const target *y, const double *weight, const pare_ctx *ctx,
                                pare_error *err) {
    bool *positive = mem_alloc(ctx_allocator(ctx), n, sizeof *positive);
    if (!positive) return error_memory(err);
    for (int64_t o = 0; o < outputs; o++) {
        for (int64_t i = 0; i < n; i++) positive[i] = y->cls[i] == (outputs == 1 ? 1 : o);
        platt_fit(&out->a[o], &out->b[o], n, F + o * n, positive, weight);
    }
    mem_free(ctx_allocator(ctx), positive);
    return PARE_OK;
}

pare_status calibrate_scores(probability *out, bool *flat, const double *F, int64_t n,
                             int64_t outputs, const target *y, const double *weight,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t classes = y->n_classes;
    *flat = false;
    if (out->kind == PROBABILITY_SIGMOID)
        return fit_sigmoids(out, F, n, outputs, y, weight, ctx, err);
    double *log_prior = mem_alloc(ctx_allocator(ctx), classes, sizeof *log_prior);
    if (!log_prior) return error_memory(err);
    for (int64_t c = 0; c < classes; c++) log_prior[c] = log(out->prior[c]);
    out->temperature = temperature_fit(flat, F, n, classes, y->cls, log_prior, weight);
    mem_free(ctx_allocator(ctx), log_prior);
    return PARE_OK;
}

static pare_status check_classes(const target *y, int64_t n, pare_error *err) {
    for (int32_t c = 0; c < y->n_classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += y->cls[i] == c;
        if (count < 2)
            return error_set(err, PARE_E_DATA,
                             "probabilities cannot be calibrated: class \"%.64s\" has one sample, "
                             "and scores of samples that were not trained on need two",
                             y->classes[c]);
    }
    return PARE_OK;
}

/* Groups of samples that stay together: the data's fold groups, or the folds given with them. */
static pare_status groups_of(const int32_t **out, arena *mem, const pare_data *data,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t groups;
    const strings *names = data->fold_group.count ? &data->fold_group : &data->fold;
    *out = NULL;
    if (names->count == 0) return PARE_OK;
    int32_t *number = ARENA_NEW(mem, int32_t, data->x.n);
    if (!number) return error_memory(err);
    *out = number;
    return plan_number(number, &groups, names, ctx, err);
}

/* As many folds as the samples allow, at most CALIBRATION_FOLDS. */
static pare_status make_plan(cv_plan *plan, arena *mem, const pare_data *data, const target *y,
                             const int32_t *group, uint64_t seed, const pare_ctx *ctx,
                             pare_error *err) {
    pare_status status = check_classes(y, data->x.n, err);
    if (status != PARE_OK) return status;
    for (int64_t folds = CALIBRATION_FOLDS; folds >= 2; folds--) {
        cv_request request = {.folds = folds, .repeats = 1, .group = group};
        status = plan_make(plan, mem, &request, y, NULL, data->x.n,
                           plan_seed(seed, PURPOSE_CALIBRATE), ctx, err);
        if (status != PARE_E_DATA && status != PARE_E_ARGUMENT) break;
    }
    return status;
}

/* What `kind` is fitted with. */
static pare_status open_probability(probability *out, arena *mem, probability_kind kind,
                                    const target *y, const double *weight, int64_t n,
                                    int64_t outputs, pare_error *err) {
    out->kind = kind;
    out->a = ARENA_NEW(mem, double, outputs);
    out->b = ARENA_NEW(mem, double, outputs);
    out->prior = ARENA_NEW(mem, double, y->n_classes);
    if (!out->a || !out->b || !out->prior) return error_memory(err);
    class_proportions(out->prior, y, weight, n);
    return PARE_OK;
}

pare_status calibrate(probability *out, bool *flat, arena *mem, probability_kind kind,
                      const pare_data *data, const target *y, const method *m,
                      const method *classifier, const all_settings *set, uint64_t seed,
                      interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n, outputs = target_scores(y);
    calibration c = {data, y, m, classifier, set, outputs, {0}, NULL};
    const int32_t *group;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    *out = (probability){.kind = PROBABILITY_NONE, .seed = seed};
    *stopped = INTERRUPT_NONE;
    *flat = false;
    TRY(groups_of(&group, &scratch, data, ctx, err));
    TRY(make_plan(&c.plan, &scratch, data, y, group, seed, ctx, err));
    TRY_MEM(c.F = ARENA_NEW(&scratch, double, n *outputs));
    out->folds = c.plan.count;
    out->grouped = group != NULL;
    job_list list = {.count = c.plan.count,
                     .run = run_part,
                     .user = &c,
                     .stage = "calibrating probabilities",
                     .x = &data->x,
                     .n_concurrent = jobs_at_once(&data->x, outputs, ctx),
                     .share = 1};
    TRY(jobs_run(&list, stopped, ctx, err));
    if (*stopped != INTERRUPT_NONE) goto done;
    TRY(open_probability(out, mem, kind, y, data->weight, n, outputs, err));
    TRY(calibrate_scores(out, flat, c.F, n, outputs, y, data->weight, ctx, err));
done:
    arena_free(&scratch);
    return status;
}
