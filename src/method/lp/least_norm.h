/* Shared by the methods with a 1-norm error: sample weights, the default lambda, the conversion of
 * a linear program's solution to a fit_result. */
#ifndef PARE_METHOD_LP_LEAST_NORM_H
#define PARE_METHOD_LP_LEAST_NORM_H

#include "method/blocks.h"
#include "solve/lp/l1_program.h"

/* Smaller shares of the largest sample weight cannot be certified in doubles: penalties are raised
 * to it. */
#define LEAST_NORM_FLOOR 1e-8

double least_norm_heaviest(const double *weight, int64_t n); /* the largest, 1 if all are 0 */

/* The largest |a_ij| of each of the d columns. One pass, column by column. */
PARE_NODISCARD pare_status least_norm_ranges(double *range, const fit_job *job, const pare_ctx *ctx,
                                             pare_error *err);

/* lambda for a ratio mu of penalty to error, and back. */
double least_norm_lambda(double mu);
double least_norm_mu(double lambda);

/* The smallest lambda / (1 - lambda) at which |w|_1 leaves no coefficient; 0: there never is
 * one. */
PARE_NODISCARD pare_status least_norm_mu_max(double *mu, const fit_job *job, const double *weight,
                                             const pare_ctx *ctx, pare_error *err);

/* The same where the largest |w_j| of each group counts, or weights have signs; where several samples have no residual in
 * the fit without features, an upper bound. One pass. */
PARE_NODISCARD pare_status least_norm_mu_max_groups(double *mu, const fit_job *job,
                                                    const feature_blocks *blocks,
                                                    const double *weight, const pare_ctx *ctx,
                                                    pare_error *err);
/* Finds the mu for job->k groups (or features, where those are counted), by bisection from *mu down
 * to `floor`; adds a note if no lambda selects that many. */
PARE_NODISCARD pare_status least_norm_search_groups(fit_result *r, double *mu, const fit_job *job,
                                                    const feature_blocks *blocks,
                                                    const double *weight, double floor,
                                                    const pare_ctx *ctx, pare_error *err);

/* The lambda in effect for the given one, with a note if it had to be raised. 0 stays 0. */
PARE_NODISCARD pare_status least_norm_raise(fit_result *r, double *lambda, double heaviest,
                                            pare_error *err);

/* Removes the weights that are zero up to rounding: those that change no fitted value by more than
 * a tiny share of the range of y. Updates *count. */
PARE_NODISCARD pare_status least_norm_clean(lp_weight *weight, int64_t *count, const fit_job *job,
                                            const pare_ctx *ctx, pare_error *err);

/* Fills support, weights, intercept and dual (n, may be NULL: zeros) of the result. */
PARE_NODISCARD pare_status least_norm_keep(fit_result *r, const fit_job *job,
                                           const lp_weight *weight, int64_t count, double b,
                                           const double *dual, pare_error *err);

/* The optimum with losses `loss` (n) and penalty lambda |w|_1 along the path: slower than the
 * linear program, but exact where lambda is 0 or too small for it. */
PARE_NODISCARD pare_status least_norm_by_path(fit_result *r, const fit_job *job, const double *loss,
                                              double lambda, const pare_ctx *ctx, pare_error *err);

#endif
