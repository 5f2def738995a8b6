/* Feature groups as numbers instead of names. */
#ifndef PARE_DATA_FEATURE_GROUPS_H
#define PARE_DATA_FEATURE_GROUPS_H

#include "base/memory.h"
#include "data/dataset.h"

/* *group: d numbers from 0, in the order in which the names appear, from the arena; NULL if the
 * data have no groups. */
PARE_NODISCARD pare_status groups_number(const int64_t **group, int64_t *n_groups, arena *mem,
                                         const pare_data *data, pare_error *err);

#endif
