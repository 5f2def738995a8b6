/* Metrics of predictions. Scores must be finite. Every function reads n samples; truth is given as
 * class numbers, or as positive[i] for two classes (the last class is the positive one). A metric
 * that the samples do not define (no positive, no negative, no variance) is NaN. */
#ifndef PARE_TASK_METRICS_H
#define PARE_TASK_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

/* The quality of a ranking by score, highest first. */
typedef struct ranking_metrics {
    double auc;               /* proportion of pairs in the right order; equal scores count one
                                 half */
    double average_precision; /* sum of (recall gained) x precision over the distinct scores */
    double top_count;         /* positives above every negative; equal scores count against them */
    double top_rate;          /* top_count over the number of positives */
    double precision_at_k;    /* of the first k; among equal scores the negatives come first */
} ranking_metrics;

/* k <= n; k <= 0: as many as there are positives. O(n log n). */
PARE_NODISCARD pare_status metrics_ranking(ranking_metrics *out, int64_t n, const bool *positive,
                                           const double *score, int64_t k, const pare_ctx *ctx,
                                           pare_error *err);

/* Proportion of samples whose predicted class is the true one. */
double metrics_accuracy(int64_t n, const int32_t *truth, const int32_t *predicted);

/* Mean over the classes that occur in truth of the proportion of their samples predicted right. */
PARE_NODISCARD pare_status metrics_balanced_accuracy(double *out, int64_t n, int64_t n_classes,
                                                     const int32_t *truth, const int32_t *predicted,
                                                     const pare_ctx *ctx, pare_error *err);

/* f1: 2 hits / (2 hits + false alarms + misses) of the last of two classes, or its mean over
 * several (those that occur in truth or prediction). mcc: Matthews' correlation (several classes:
 * Gorodkin's), 0 where all predictions are one class. NaN where truth has only one class. */
PARE_NODISCARD pare_status metrics_agreement(double *f1, double *mcc, int64_t n, int64_t n_classes,
                                             const int32_t *truth, const int32_t *predicted,
                                             const pare_ctx *ctx, pare_error *err);

/* Of probabilities P (n x n_classes, column-major). log_loss: mean of -ln of the true class's,
 * which counts as 2.2e-16 at least. brier: mean square of the last of two classes' against 1 or 0;
 * several: of every class's, summed. */
void metrics_probability(double *log_loss, double *brier, int64_t n, int64_t n_classes,
                         const int32_t *truth, const double *P);

typedef struct regression_metrics {
    double mean_absolute_error;
    double root_mean_squared_error;
    double r2; /* 1 - squared error over that of the mean of truth */
} regression_metrics;

regression_metrics metrics_regression(int64_t n, const double *truth, const double *predicted);

#endif
