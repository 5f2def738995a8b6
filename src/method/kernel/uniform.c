/* NAME       uniform
 * PAPER      lp-kta section 6: the baseline with eta_j = 1/r for all r features.
 * PROBLEM    SVM (classes) or kernel ridge regression on sum_j K_j / d over the features that are
 *            not constant, K_j centred and of trace 1 (method/kernel/kernel_predictor.h).
 * SYMBOLS    a: d alignments, which rank the features; trace: d.
 * ALGORITHM  1. alignments and traces (solve/kernel/kernel_align.h).  2. (refit) the predictor.
 * COST       two passes over X, the second with n^2 / 2 kernel values for a continuous feature
 *            (solve/kernel/kernel_sum.h); n^2 memory.
 * GUARANTEE  duality gap of the predictor from raw data (certify/certify_uniform.c).
 * STOPPING   relative gap <= tol.
 * DEVIATIONS -k keeps the best aligned features; their weights stay 1/d. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "method/kernel/kernel_predictor.h"

pare_status uniform_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    uniform_settings *s = &fit_settings(r, job)->uniform;
    int64_t d = job->x->d;
    double eta = 1 / (double)job->x->x->d;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;

    TRY(weighted_kernels_check(job, "uniform", err));
    align_target t;
    TRY(align_target_make(&t, &scratch, job->y->cls, job->y->n_classes, job->y->value, job->weight,
                          job->x->n, err));
    double *a = ARENA_NEW(&r->mem, double, d), *trace = ARENA_NEW(&scratch, double, d),
           *gamma = ARENA_NEW(&scratch, double, d), *weight = ARENA_NEW(&scratch, double, d);
    TRY_MEM(a && trace);
    TRY_MEM(gamma && weight);
    kernel_kind kind = kernel_named(s->kernel);
    TRY(kernel_align(a, trace, gamma, job->x, &t, kind, s->gamma, ctx, err)); /* 1 */
    if (job->refit) {                                                         /* 2 */
        for (int64_t j = 0; j < d; j++) weight[j] = trace[j] > 0 ? eta / trace[j] : 0;
        weighted_kernels w = {kind, gamma, weight, s->tol, s->C_ratio};
        TRY(weighted_kernels_fit(r, job, &w, &s->C, ctx, err));
        goto done;
    }
    r->score = a;
    TRY(fit_rank(r, d, err));
    TRY_MEM(r->support = r->cols = ARENA_NEW(&r->mem, int64_t, d));
    TRY_MEM(r->z = ARENA_NEW(&r->mem, double, d));
    for (int64_t i = 0; i < d; i++) {
        int64_t j = r->ranking[i];
        if (!(trace[j] > 0)) continue;
        r->cols[r->n_cols] = job->x->cols ? job->x->cols[j] : j;
        r->z[r->n_cols++] = eta;
    }
    r->n_support = r->n_cols;
    r->n_outputs = target_scores(job->y);
    r->outcome = PARE_OPTIMAL;

done:
    arena_free(&scratch);
    return status;
}

/* The cost of adding the kernels of all features. */
effort_estimate uniform_effort(const effort_job *job) {
    bool linear = choice_is(job->set->uniform.kernel, "linear");
    return (effort_estimate){linear ? 1e-8 * job->stored : 3.5e-5 * job->d,
                             linear ? NULL : "`kernel linear` takes seconds"};
}
