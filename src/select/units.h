/* Features that are taken or left together: the groups of the data, or each feature by itself. In a
 * settled ranking those of a group stand together. */
#ifndef PARE_SELECT_UNITS_H
#define PARE_SELECT_UNITS_H

#include "select/fitting.h"

/* Orders `to` (usable features from..end, best first) by groups: first those with a live feature, then by
 * the groups' scores (method.groups), ties by the lowest index; within a group as they were. Every
 * feature's score becomes that of its group. live: of every feature, or NULL. */
PARE_NODISCARD pare_status units_order(const fitting *f, fit_result *r, int64_t *to, int64_t from,
                                       int64_t end, const bool *live, pare_error *err);

/* Groups, or features where there are none, that are not kept: what can be counted at most. */
int64_t units_count(const pare_data *data, const all_settings *set);
/* The least that one of them costs: the sum over a group, whatever is counted. */
double units_cheapest(const pare_data *data);
/* Features that one of them has at most. */
int64_t units_largest(const pare_data *data, const all_settings *set);

#endif
