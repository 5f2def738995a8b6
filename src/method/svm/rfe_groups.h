/* Elimination of groups instead of features: the group of least contribution, summed over its
 * features, is removed as a whole. Without groups features are units. */
#ifndef PARE_METHOD_SVM_RFE_GROUPS_H
#define PARE_METHOD_SVM_RFE_GROUPS_H

#include "base/order.h"
#include "method/method.h"

typedef struct rfe_groups {
    const int64_t *of; /* of every view column; NULL: there are no groups */
    int64_t count;
    double *sum;             /* count */
    struct rfe_member *list; /* d */
} rfe_groups;

PARE_NODISCARD pare_status rfe_groups_init(rfe_groups *g, arena *mem, const fit_job *job,
                                           pare_error *err);
/* Returns the number of groups, or features, among these. */
int64_t rfe_groups_among(const rfe_groups *g, const int64_t *features, int64_t count);
/* order: features with their contributions, the least first; becomes groups in that order, ties the
 * last first, each with its features in the previous order. */
void rfe_groups_order(const rfe_groups *g, ranked *order, int64_t count);
/* Returns the number of features in the first `groups` groups of such an order. */
int64_t rfe_groups_first(const rfe_groups *g, const ranked *order, int64_t count, int64_t groups);

#endif
