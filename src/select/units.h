/* Features that are selected together: the groups of the data, or each feature by itself. The
 * features of a group are adjacent in a settled ranking. */
#ifndef PARE_SELECT_UNITS_H
#define PARE_SELECT_UNITS_H

#include "select/fitting.h"

/* Orders `to` (usable features from..end, best first) by groups: first those with an active
 * feature, then by the groups' scores (method.groups), ties by the lowest index; within a group as
 * they were. Every feature's score becomes that of its group. active: of every feature, or NULL. */
PARE_NODISCARD pare_status units_order(const fitting *f, fit_result *r, int64_t *to, int64_t from,
                                       int64_t end, const bool *active, pare_error *err);

/* Of groups, or of features where groups are not counted. */
typedef struct unit_totals {
    int64_t count;   /* not forced in: the largest k */
    int64_t largest; /* features that one of them has at most */
    double cheapest; /* the least that one costs: the sum over a group, whatever is counted */
} unit_totals;

PARE_NODISCARD pare_status units_total(unit_totals *out, const pare_data *data,
                                       const all_settings *set, const pare_ctx *ctx,
                                       pare_error *err);

#endif
