/* The log-rank test of two or three groups of samples, as sums that can be added up over splits and
 * strata. */
#ifndef PARE_TASK_LOG_RANK_H
#define PARE_TASK_LOG_RANK_H

#include "base/memory.h"
#include "task/kaplan_meier.h"

/* Of groups 0 and 1; two groups use the first of each alone. */
typedef struct log_rank {
    double excess[2];   /* events less those expected if the groups were alike */
    double variance[3]; /* of group 0, the covariance, of group 1 */
} log_rank;

/* Adds the samples, each compared with those of its stratum (NULL: all). group: 0, 1 or 2 of each. */
PARE_NODISCARD pare_status log_rank_add(log_rank *sum, const survival_times *of,
                                        const int32_t *group, const int32_t *stratum,
                                        const pare_ctx *ctx, pare_error *err);
void log_rank_join(log_rank *sum, const log_rank *more);
/* The statistic, chi-square by groups - 1 degrees of freedom for groups that were not chosen by the data; 0
 * where the sums tell no groups apart. */
double log_rank_statistic(const log_rank *sum, int groups);

#endif
