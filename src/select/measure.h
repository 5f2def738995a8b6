/* The metrics of each task by name: what a path reports of the scores on one test fold. */
#ifndef PARE_SELECT_MEASURE_H
#define PARE_SELECT_MEASURE_H

#include "data/sample/target.h"
#include "model/probability.h"

enum { MAX_MEASURES = 7 }; /* the most metrics of one task */

typedef struct measure_info {
    const char *name;
    bool higher;   /* larger is better */
    bool probable; /* of probabilities: NaN where a predictor has none */
} measure_info;

int64_t measure_count(task_kind task);
measure_info measure_at(task_kind task, int64_t i);     /* 0 <= i < count; 0 is the default */
int64_t measure_find(task_kind task, const char *name); /* or -1 */

/* All metrics of the task from the scores F (n x outputs, column-major) of the samples `rows` of y.
 * Several classes: the AUC is the mean over classes of each against the rest. how: how the scores
 * map to probabilities, or NULL. A metric that the samples do not define is NaN. */
PARE_NODISCARD pare_status measure_all(double *out, const target *y, const int32_t *rows, int64_t n,
                                       const double *F, int64_t outputs, const probability *how,
                                       const pare_ctx *ctx, pare_error *err);

#endif
