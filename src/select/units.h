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

/* The number of groups, or features where there are none, that are not forced in: the largest
 * size. */
int64_t units_count(const pare_data *data, const all_settings *set);
/* The smallest cost of one of them: the sum over a group, whatever is counted. */
double units_cheapest(const pare_data *data);
/* The most features that one of them has. */
int64_t units_largest(const pare_data *data, const all_settings *set);

#endif
