/* The path of one method on one part: one selection on the training samples, then the metrics on the
 * test samples at every size. One run of the method whatever the number of sizes, unless it needs to
 * be told k. */
#ifndef PARE_SELECT_CURVE_H
#define PARE_SELECT_CURVE_H

#include "model/probability.h"
#include "select/fitting.h"
#include "select/plan.h"

typedef struct curve_job {
    const pare_data *data;
    const target *y; /* of all samples */
    const method *m, *classifier;
    const all_settings *set; /* n_sets of them, which differ in the final classifier's alone: one
                                selection serves them all; or, along, in any of the method's own */
    int64_t n_sets;
    const cv_part *part;
    const fitting *base; /* of the part, n_bases of them: the one of the same identity is shared, */
    int64_t n_bases;     /* without it the part gets its own */
    int64_t n_sizes;
    const int64_t *sizes; /* ascending */
    const double *budget; /* n_sizes: what their costs may sum to instead, or NULL */
    const bool *want;     /* n_sets x n_sizes: which to fill in, [g * n_sizes + s]; NULL: all */
    const double
        *along; /* n_sizes values of the method's own parameter instead of sizes, or NULL */
    /* Where probabilities are asked for that the predictor does not give by itself: whether to calibrate
     * them inside the training part, by which folds, and which samples never part (or NULL). */
    bool calibrates;
    uint64_t seed;
    const int32_t *group;
    const probability *likely; /* n_sets x n_sizes that were so found, or NULL */
} curve_job;

typedef struct curve {
    double *score;  /* n_sizes x metrics of the task: [s * metrics + q] */
    double *F;      /* n_sizes x test samples x outputs: the scores themselves, or NULL */
    double *P;      /* n_sizes x test samples x classes: their probabilities, or NULL */
    int64_t *used;  /* n_sizes: features in the predictor */
    int64_t *picks; /* NULL, or the features used at size s, from picks + pick_start[s] on, where
                       they fit before pick_start[s + 1] */
    const int64_t *pick_start; /* n_sizes + 1 */
    int64_t unconverged;       /* fits that did not reach their tolerance are added to it */
} curve;

/* out: one for each set. Sizes that the method cannot have are left as they are.
 * PARE_E_CANCELLED when the context stopped a fit: the curves are then not to be used. */
PARE_NODISCARD pare_status curve_run(curve *out, const curve_job *job, const pare_ctx *ctx,
                                     pare_error *err);
/* The training part, from the base that sees the data as this method does; no Gram that it would not
 * have by itself, so that its curve does not depend on who else is there. Free f with fitting_end. */
PARE_NODISCARD pare_status curve_begin(fitting *f, const curve_job *job, const pare_ctx *ctx,
                                       pare_error *err);
/* What curve_run makes of job->calibrates: the sigmoids of every set and size that is wanted, from
 * curves on folds of the training part. Memory from the arena. */
PARE_NODISCARD pare_status curve_calibrate(probability **out, arena *mem, const curve_job *job,
                                           const pare_ctx *ctx, pare_error *err);
/* Metrics, scores and probabilities of point s of set g from the scores F (test samples x outputs). */
PARE_NODISCARD pare_status curve_measure(curve *out, const curve_job *job, int64_t g, int64_t s,
                                         const double *F, int64_t outputs, const pare_ctx *ctx,
                                         pare_error *err);
/* The same along job->along, of what curve_run has begun. */
PARE_NODISCARD pare_status curve_along(curve *out, const curve_job *job, fitting *f,
                                       const pare_ctx *ctx, pare_error *err);

#endif
