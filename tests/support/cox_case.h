/* Random Cox problems on plain arrays, and the partial likelihood by its definition, over every pair
 * of samples: shares nothing with the library. */
#ifndef PARE_TESTS_COX_CASE_H
#define PARE_TESTS_COX_CASE_H

#include "solve/glm/risk_sets.h"
#include "support/support.h"

enum { COX_EFRON = 1, COX_STRATA = 2, COX_WEIGHTS = 4, COX_OFFSET = 8, COX_KINDS = 16 };
enum { COX_MAX_N = 64 };

typedef struct cox_case {
    int64_t n, n_strata;
    double time[COX_MAX_N], weight[COX_MAX_N], offset[COX_MAX_N], share[COX_MAX_N];
    int32_t event[COX_MAX_N], stratum[COX_MAX_N];
    int what;
} cox_case;

/* times: of how many different whole numbers; effect: n, lengthens times where it is low, or NULL. */
void cox_case_draw(cox_case *k, rng *r, int64_t n, int64_t times, int what, const double *effect);

/* -(1/n) log partial likelihood at f (offsets added), and its gradient (n) and matrix of second
 * derivatives (n x n), unless NULL. */
double cox_case_loss(const cox_case *k, const double *f, double *gradient, double *H);
/* The dual value of probabilities q = s p + (1 - s) e at f, by explicit sums. */
double cox_case_dual(const cox_case *k, const double *f, double s);

#endif
