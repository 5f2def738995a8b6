/* The path of one method on one split: one selection on the training samples, then the metrics on
 * the test samples at every size. The method runs once for all sizes, unless it needs k. */
#ifndef PARE_SELECT_CURVE_H
#define PARE_SELECT_CURVE_H

#include "select/fitting.h"
#include "select/plan.h"

typedef struct curve_job {
    const pare_data *data;
    const target *y; /* of all samples */
    const method *m, *classifier;
    const all_settings *set; /* n_sets settings that differ in the final classifier's only, so that
                                one selection serves all; or, along a parameter, in any of the
                                method's own */
    int64_t n_sets;
    const cv_part *part;
    const fitting *shared; /* shared statistics of the split, n_shared of them: the one of the same
                              identity is used, */
    int64_t n_shared;      /* without one the split computes its own */
    int64_t n_sizes;
    const int64_t *sizes; /* ascending */
    const double *budget; /* n_sizes budgets of total cost instead, or NULL */
    const bool *want;     /* n_sets x n_sizes: which to fill in, [g * n_sizes + s]; NULL: all */
    double at;            /* the time of the task's summaries */
    const double
        *along; /* n_sizes values of the method's own parameter instead of sizes, or NULL */
} curve_job;

typedef struct curve {
    double *score;   /* n_sizes x metrics of the task: [s * metrics + q]; those of probabilities are
                       NaN unless the predictor gives them by itself */
    double *F;       /* n_sizes x test samples x outputs: the scores themselves, or NULL */
    double *P;       /* n_sizes x test samples x classes: such probabilities, or NULL */
    double *summary; /* n_sizes x what the task keeps of a predictor (task/task.h), or NULL */
    double *loss;    /* n_sizes x test samples: with it the parts of a metric, or NULL */
    int64_t *used;   /* n_sizes: features in the predictor */
    int64_t *picks;  /* NULL, or the features used at size s, from picks + pick_start[s] on, where
                       they fit before pick_start[s + 1] */
    const int64_t *pick_start; /* n_sizes + 1 */
    int64_t unconverged;       /* incremented by the number of fits that did not converge */
} curve;

/* out: one for each set. Sizes that the method does not support are left as they are. Returns
 * PARE_E_CANCELLED when the context stopped a fit: the curves are then incomplete. */
PARE_NODISCARD pare_status curve_run(curve *out, const curve_job *job, const pare_ctx *ctx,
                                     pare_error *err);
/* Starts f on the training fold, from the shared statistics of this method's identity, with no Gram
 * that the method would not compute by itself, so that its curve does not depend on the other
 * methods of the path. Free f with fitting_end. */
PARE_NODISCARD pare_status curve_begin(fitting *f, const curve_job *job, const pare_ctx *ctx,
                                       pare_error *err);
/* Computes metrics, scores and probabilities of point s of set g from the scores F (test samples x
 * outputs); F_train: of the training samples, or NULL. */
PARE_NODISCARD pare_status curve_measure(curve *out, const curve_job *job, int64_t g, int64_t s,
                                         const double *F, const double *F_train, int64_t outputs,
                                         const pare_ctx *ctx, pare_error *err);
/* The same along job->along, for a fit that curve_run has begun. */
PARE_NODISCARD pare_status curve_along(curve *out, const curve_job *job, fitting *f,
                                       const pare_ctx *ctx, pare_error *err);

#endif
