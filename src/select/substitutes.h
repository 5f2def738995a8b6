/* Which features could stand in for a chosen one: those that correlate with it and whose exchange
 * for it leaves the cross-validated score within one standard error. */
#ifndef PARE_SELECT_SUBSTITUTES_H
#define PARE_SELECT_SUBSTITUTES_H

#include "select/path.h"

/* Fills in the substitutes of the run's features, at most `most` each, best correlated first. The
 * score is that of the run's method refitted on the run's features, one exchanged, on at most
 * SUBSTITUTE_PARTS parts of the plan. set: the settings that the features were chosen under. COST: a
 * pass over X for every 8 features, one a part for scaling, and a refit per part and candidate. */
enum { SUBSTITUTE_PARTS = 10, SUBSTITUTE_FEATURES = 50 };
PARE_NODISCARD pare_status substitutes_find(path_run *run, arena *mem, const path_setup *setup,
                                            const target *y, const cv_plan *plan,
                                            const all_settings *set, int64_t most,
                                            interruption *stopped, const pare_ctx *ctx,
                                            pare_error *err);

#endif
