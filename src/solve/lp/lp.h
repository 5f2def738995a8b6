/* Linear programs whose wide part is the feature matrix, by column and row generation over CLP.
 *
 * PROBLEM   minimise    sum_k q_k x_k + sum_j c_j |w_j|
 *           subject to  lo_r <= (A x)_r + f_r sum_j X[s_r, j] w_j <= hi_r     for each row r
 *           x: the few core variables (slacks, intercept, a maximum t), each either >= 0 with
 *           q_k >= 0 or free with q_k = 0; w: one weight per feature, c_j > 0 (inf: w_j = 0).
 *           s_r is the sample of the row (or none), f_r a factor such as its class sign.
 *           Several blocks: each feature has a weight in every block, of the same cost, and a row a
 *           factor for each; feature j's weight in block k is number k d + j.
 *           Groups of features: c_g max_j |w_j| over a group's features, in each block.
 *           Features with a sign: s_j w_j >= 0.
 * DUAL      maximise sum_r (pi_r > 0 ? lo_r : hi_r) pi_r  subject to  A'pi <= q (= on free ones),
 *           |X_j'u| <= c_j  with  u_i = sum of f_r pi_r over the rows of sample i. Groups:
 *           sum_j |X_j'u| <= c_g. Signs: (s_j X_j'u)_+ in place of |X_j'u|.
 *
 * pi = 0 is dual feasible, so the program is bounded, and any pi that suits the core columns
 * becomes feasible by one scaling: every pricing pass gives a certified lower bound.
 *
 * The master holds the core columns and the features generated so far, one column for each sign; of
 * a group the corners s of its cube, sum_j s_j X_j with s_j = -1 or 1, of which its weights are the
 * sum and the most violated is s_j = sign of X_j'u, 0 where it must not have it. It keeps its basis between solves: after a
 * change of costs or more rows, solve again.
 * COST      one pass over X (mat_tmul) per round, counted; memory O(d) + master. */
#ifndef PARE_SOLVE_LP_LP_H
#define PARE_SOLVE_LP_LP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

#include "la/matrix.h"

/* Groups of the features: count of them, that of each (d), and each one's features. */
typedef struct lp_groups {
    int64_t count;
    const int64_t *of, *start, *member; /* d; count + 1; d */
} lp_groups;

/* What of a price, X_j'u, a weight of that sign (0: either) may follow. */
static inline double lp_price_with(int sign, double price) {
    return sign == 0 ? fabs(price) : fmax(sign * price, 0);
}

/* Rows, with their entries in the core columns. Copied. */
typedef struct lp_rows {
    int64_t count;
    const double *lo, *hi;     /* count; -INFINITY and INFINITY for none */
    const int32_t *sample;     /* count, -1: no features in this row; NULL: row r is sample r */
    const double *factor;      /* count x blocks, row after row; NULL: ones */
    const int64_t *core_ptr;   /* count + 1: row r's core entries are core_ptr[r] .. */
    const int32_t *core_index; /* core variable */
    const double *core_value;
} lp_rows;

typedef struct lp_spec {
    const view *x;           /* its arrays are borrowed until lp_free */
    const double *cost;      /* d, borrowed until lp_free; the same for all features of a group */
    int64_t blocks;          /* 0: one */
    const lp_groups *groups; /* borrowed like x; NULL: none */
    const signed char
        *sign; /* d, borrowed: 1 or -1: that of the weight or 0; 0: either. NULL: all 0 */
    int64_t n_core;
    const double *core_cost; /* n_core */
    const bool *core_free;   /* n_core */
    lp_rows rows;
    /* Makes pi feasible for the core columns where rounding left it an ulp outside, before it is
     * priced; signs against one-sided rows are already repaired. ray: for core costs of 0, as in a
     * proof of infeasibility. NULL: none. */
    void (*repair)(void *user, double *pi, bool ray);
    void *user;
    /* Stop when objective - bound <= tol_rel objective; 0: 1e-9. Feature costs under 1e-9 of the
     * largest core cost cannot be certified in doubles: raise them to that. */
    double tol_rel;
} lp_spec;

typedef struct lp_master lp_master;

typedef struct lp_weight {
    int64_t feature; /* number of the block times d plus the column */
    double value;
} lp_weight;

void lp_weights_sort(lp_weight *weight, int64_t count); /* by feature, ascending */

/* Pointers are into the master and valid until its next call. */
typedef struct lp_result {
    pare_outcome outcome; /* optimal, time_limit, cancelled, or max_iter: CLP gave up, or costs
                                so far apart that rounding keeps the gap open beyond 1e-6 */
    bool infeasible;      /* no (x, w) satisfies the rows: pi is the proof, see lp_solve */
    double objective;     /* at (core, weight); NaN if infeasible or stopped before feasible */
    double bound;         /* the dual objective at pi; the gap is objective - bound */
    double residual;      /* if infeasible: max_j |X_j'u| (of groups their sum), and 0 otherwise */
    const double *core;   /* n_core */
    const lp_weight *weight; /* the features with w_j != 0, ascending */
    int64_t n_weight;
    const double *pi;       /* one per row; dual feasible, whatever the outcome */
    const double *price;    /* X'u at pi, d x blocks; NULL: not available */
    int64_t generated;      /* columns in the master beyond the core */
    int64_t pivots, passes; /* of this solve: simplex iterations, passes over X */
} lp_result;

/* On failure *out is NULL. ctx's allocator must outlive the master. */
PARE_NODISCARD pare_status lp_create(lp_master **out, const lp_spec *spec, const pare_ctx *ctx,
                                     pare_error *err);
void lp_free(lp_master *m);

/* Replaces the costs of the features (d, borrowed) and of the core (n_core); NULL: as they are. */
void lp_set_costs(lp_master *m, const double *cost, const double *core_cost);

/* Prices (d x blocks) close to those of the next solve, which tries the largest first; 0:
 * unknown. */
void lp_expect(lp_master *m, const double *price);

PARE_NODISCARD pare_status lp_add_rows(lp_master *m, const lp_rows *rows, const pare_ctx *ctx,
                                       pare_error *err);

/* Infeasible means
 *     sum_r (pi_r > 0 ? lo_r : hi_r) pi_r = 1   while   A'pi <= 0 and |X_j'u| <= residual,
 * which is rounding (1e-9 of the data's scale); features of infinite cost do not count. */
PARE_NODISCARD pare_status lp_solve(lp_master *m, lp_result *result, const pare_ctx *ctx,
                                    pare_error *err);

#endif
