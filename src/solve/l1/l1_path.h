/* The whole cost path of a least-absolute-error fit or of margins with an l1 penalty, vertex by
 * vertex.
 *
 * PROBLEM   minimise over w, b   sum_i s_i |w'x_i + b - y_i| + mu sum_j |w_j|,   every mu > 0
 *           s_i >= 0; b only with an intercept, else 0. Margins, y_i in -1, +1:
 *           s_i max(0, 1 - y_i (w'x_i + b)) instead, a residual that costs nothing on one side.
 * The optimum is a vertex that stays as it is while mu moves between two breakpoints. The path
 * begins at mu = infinity, where w = 0, and goes down; each call of l1_path_next gives the current
 * vertex with the range of mu it is optimal on, and goes to the next.
 *
 * COST      per pivot O(m^2), m being the number of samples fitted exactly, at most n and d + 1; a
 *           product with the m columns in use, and one with those columns that may enter soon; now
 *           and then an O(m^3) inverse, and a pass over X. Thousands of samples have some ten
 *           pivots each on the way down. Memory O(d) + 2 m^2 and n times those columns
 *           (l1_path_bytes).
 * GUARANTEE each vertex, its dual and the prices are made from the data every hundred pivots and
 *           where rounding shows, so that it does not add up: vertices are exact to some 1e-13. A
 *           basis that is singular to rounding ends the path early: `lost`. */
#ifndef PARE_SOLVE_L1_L1_PATH_H
#define PARE_SOLVE_L1_L1_PATH_H

#include "solve/lp/lp.h"

typedef struct l1_path l1_path;

/* Pointers are into the path and valid until its next call. */
typedef struct l1_segment {
    double mu_high,
        mu_low;         /* optimal for mu in [mu_low, mu_high]; inf and mu_end at the two ends */
    double error, norm; /* the sum over the samples, sum_j |w_j| */
    const lp_weight *weight; /* the nonzero w_j, ascending */
    int64_t n_weight;
    double b;
    bool last; /* no vertex follows */
    const double
        *dual; /* n: u at mu_low, margins: signed, u_i y_i >= 0; NULL unless last and not lost */
    bool lost; /* the last, because the next basis is singular to rounding */
    pare_outcome outcome; /* optimal, or the last because of time_limit, cancelled, max_iter */
} l1_segment;

/* The memory a path over x takes at most. */
double l1_path_bytes(const view *x);

/* x is borrowed until l1_path_free; y and s (n each) are copied. The path ends at mu_end (0: its
 * own end). On failure *out is NULL. */
PARE_NODISCARD pare_status l1_path_open(l1_path **out, const view *x, const double *y,
                                        const double *s, bool intercept, double mu_end,
                                        const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status l1_path_open_margins(l1_path **out, const view *x, const double *y,
                                                const double *s, bool intercept, double mu_end,
                                                const pare_ctx *ctx, pare_error *err);
void l1_path_free(l1_path *p);

/* Not after a segment with `last`. */
PARE_NODISCARD pare_status l1_path_next(l1_path *p, l1_segment *out, const pare_ctx *ctx,
                                        pare_error *err);

#endif
