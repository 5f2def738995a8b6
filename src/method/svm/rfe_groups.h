/* Elimination of groups instead of features: the group that contributes least, in the sum over its
 * features, leaves as a whole. Without groups everything is as it was. */
#ifndef PARE_METHOD_SVM_RFE_GROUPS_H
#define PARE_METHOD_SVM_RFE_GROUPS_H

#include "base/order.h"
#include "method/method.h"

typedef struct rfe_groups {
    const int64_t *of; /* of every view column; NULL: there are none */
    int64_t count;
    double *sum;             /* count */
    struct rfe_member *list; /* d */
} rfe_groups;

PARE_NODISCARD pare_status rfe_groups_init(rfe_groups *g, arena *mem, const fit_job *job,
                                           pare_error *err);
/* How many groups, or features, these are. */
int64_t rfe_groups_among(const rfe_groups *g, const int64_t *features, int64_t count);
/* order: features with what they contribute, the least first, becomes groups in that order, of equals
 * the last first, each with its features as they were. */
void rfe_groups_order(const rfe_groups *g, ranked *order, int64_t count);
/* How many features of such an order are its first `groups` groups. */
int64_t rfe_groups_first(const rfe_groups *g, const ranked *order, int64_t count, int64_t groups);

#endif
