/* lambda_max of the l1 margin program: the smallest lambda at which w = 0 minimises
 *     sum_i s_i max(0, 1 - y_i (w'x_i + b)) + lambda |w|_1.
 * Without an intercept, or with both classes of one weight, every dual sits at its upper end,
 * u = s, and lambda_max = max_j |sum_i s_i y_i x_ij|. Otherwise b = the heavier class's sign; the
 * lighter class has u = s and the heavier may distribute its duals, so
 *     lambda_max = min over u of max_j |sum_i u_i y_i x_ij|,  0 <= u <= s,  sum u y = 0,
 * a linear program. Groups of features: the largest |w_j| of each counts, sum_j |..| takes the
 * place of |..|. Features with a sign: (s_j ..)_+ in place of |..|. 0: w = 0 is an answer whatever lambda is.
 * COST one pass, or those of a program. */
#ifndef PARE_SOLVE_LP_L1_LAMBDA_MAX_H
#define PARE_SOLVE_LP_L1_LAMBDA_MAX_H

#include <stdbool.h>

#include "la/matrix.h"
#include "solve/lp/lp.h"

/* y: n, each -1 or +1; s: n, >= 0; groups and sign (d, as in lp.h): or NULL. price: d, sum_i u_i y_i x_ij there up to a
 * factor, or zeros: not known. */
PARE_NODISCARD pare_status l1_lambda_max(double *out, double *price, const view *x,
                                         const lp_groups *groups, const signed char *sign,
                                         const double *y, const double *s, bool intercept,
                                         const pare_ctx *ctx, pare_error *err);

#endif
