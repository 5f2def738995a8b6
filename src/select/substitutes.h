/* Correlated alternatives of a chosen feature: features that correlate with it and whose exchange
 * for it leaves the cross-validated score within one standard error. */
#ifndef PARE_SELECT_SUBSTITUTES_H
#define PARE_SELECT_SUBSTITUTES_H

#include "select/path.h"

/* Fills in the alternatives of the runs' features, at most `most` each, best correlated first. In
 * each split whose selection holds the feature, it is exchanged for the candidate, the predictor is
 * refitted on the training samples and scored on the test samples: the selection itself is not
 * repeated. The first MAX_SUBSTITUTE_PARTS splits are used. COST: a pass over X for scaling and one
 * for every 4 features, for all runs that treat missing values alike; for a run with candidates one
 * per split for scaling, and a refit per split and exchange. */
enum { MAX_SUBSTITUTE_PARTS = 10, MAX_SUBSTITUTE_FEATURES = 50 };
PARE_NODISCARD pare_status substitutes_find(path_run *run, int64_t runs, arena *mem,
                                            const path_round *round, int64_t most,
                                            interruption *stopped, const pare_ctx *ctx,
                                            pare_error *err);

#endif
