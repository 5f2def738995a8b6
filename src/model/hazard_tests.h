/* What is tested of a model of risks on its own samples: whether each feature's hazard ratio is the same
 * at all times, and how well each coefficient is known.
 *
 * Of the partial likelihood of risks f + sum_j (b_j + a_j g(t)) z_j at b = a = 0, g(t) = 1 less
 * Kaplan-Meier's curve just before t: the slope in a, less what the slope in b explains of it, over its
 * variance. U_a, the sum over events of g times their Schoenfeld residuals, is the whole slope where f
 * is the maximum, and the test is then that of R's cox.zph (survival 3); at a penalised f the second
 * part keeps the penalty out of it.
 *   P. M. Grambsch, T. M. Therneau. Proportional hazards tests and diagnostics based on weighted
 *   residuals. Biometrika 81:515-526, 1994. */
#ifndef PARE_MODEL_HAZARD_TESTS_H
#define PARE_MODEL_HAZARD_TESTS_H

#include "task/target.h"

enum { MAX_TESTED_FEATURES = 100 }; /* more are not tested */

typedef struct hazard_tests {
    double chi2, df, p;   /* all features together; NaN: not tested */
    double *feature_chi2; /* k: of each, one degree of freedom; NaN */
    double *se;           /* k: of its coefficient, by the inverse information; NaN */
} hazard_tests;

/* X: n x k, changed. f: n risks. weight: n, or NULL. Memory from the arena. */
PARE_NODISCARD pare_status hazard_tests_make(hazard_tests *out, arena *mem, double *X, int64_t n,
                                             int64_t k, const target *y, const double *weight,
                                             const double *f, bool efron, pare_error *err);

#endif
