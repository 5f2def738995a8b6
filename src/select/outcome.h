/* From finished rounds to the numbers of the report. */
#ifndef PARE_SELECT_OUTCOME_H
#define PARE_SELECT_OUTCOME_H

#include "select/path.h"

/* Points, choices, nested estimates and stability of every run, from the round of the true labels.
 * Fills in p->run and p->best. */
PARE_NODISCARD pare_status outcome_runs(pare_path *p, const pare_ctx *ctx, pare_error *err);

/* Means of one round of the permutation test: point[m * n_sizes + s], chosen[m]. */
PARE_NODISCARD pare_status outcome_null_means(const path_round *r, double *point, double *chosen,
                                              const pare_ctx *ctx, pare_error *err);
/* From the means of p->n_null_done such rounds, `rounds` apart in the arrays; of several methods also
 * the p-value of the best. */
PARE_NODISCARD pare_status outcome_null(pare_path *p, const double *point, const double *chosen,
                                        const pare_ctx *ctx, pare_error *err);

/* Tests and ranks of the methods on the same splits. */
PARE_NODISCARD pare_status outcome_compare(pare_path *p, const pare_ctx *ctx, pare_error *err);

#endif
