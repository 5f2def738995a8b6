/* Feature groups in certificates of problems that penalise each group's largest weight. */
#ifndef PARE_CERTIFY_GROUP_SUMS_H
#define PARE_CERTIFY_GROUP_SUMS_H

#include "certify/certify.h"

typedef struct cert_groups {
    int64_t count;
    const int64_t *of; /* of every base column; NULL: the problem has no groups */
    double *one;       /* count: scratch */
} cert_groups;

/* From the arena. */
PARE_NODISCARD pare_status cert_groups_open(cert_groups *g, arena *mem, const cert_job *job,
                                            pare_error *err);

/* value: of `n` columns (NULL: the first n). Replaces each by the largest of its group. */
void cert_groups_largest(const cert_groups *g, const int64_t *cols, int64_t n, double *value);
/* The sum of `value` over the columns, once per group. */
double cert_groups_sum(const cert_groups *g, const int64_t *cols, int64_t n, const double *value);
/* cost (every base column): replaces each by the mean of its group. */
PARE_NODISCARD pare_status cert_groups_mean(const cert_groups *g, arena *mem, int64_t d,
                                            double *cost, pare_error *err);

#endif
