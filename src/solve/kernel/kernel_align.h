/* Kernel-target alignment of single features: how well the centred, trace-normalised kernel of one
 * feature agrees with the target.
 *
 *   a = factor sum_q V_q' K V_q / tr(HKH),   tr(HKH) = sum_i s_i K_ii - s'Ks / S
 *
 * with sample weights s (a weight of 2 is the sample twice), S their sum, and centred target
 * columns V. Two classes: y'HKHy for y in -1, +1. c classes: c/(c-1) sum_k 1_k'HKH1_k, the same at
 * c = 2. Regression: y'HKHy for y standardised. A constant feature has a = 0 and trace 0.
 *
 * COST per feature with u distinct values: u^2 kernel values where u is small, O(20 n) by Chebyshev
 * moments otherwise; unlisted values of sparse columns are one point. One pass over X.
 * ACCURACY |error in a| <= 1e-10 max(a, 1). */
#ifndef PARE_SOLVE_KERNEL_KERNEL_ALIGN_H
#define PARE_SOLVE_KERNEL_KERNEL_ALIGN_H

#include "base/memory.h"
#include "la/matrix.h"

typedef enum kernel_kind { KERNEL_RBF, KERNEL_LINEAR, KERNEL_DELTA } kernel_kind;
kernel_kind kernel_named(const char *name); /* rbf, linear or delta */

typedef struct align_target {
    int64_t n, q;
    double *v; /* n x q, [i * q + c], each column sums to 0 */
    double *s; /* n sample weights */
    double total, factor;
} align_target;

/* From n class numbers 0 .. classes-1 or, where cls is NULL, n values; weight: n values >= 0, or
 * NULL. Rejects a constant target (one class of positive weight, equal values). */
PARE_NODISCARD pare_status align_target_make(align_target *out, arena *mem, const int32_t *cls,
                                             int64_t classes, const double *value,
                                             const double *weight, int64_t n, pare_error *err);

/* Of each of the d view columns: alignment, trace, and the gamma in effect (rbf; 0 otherwise).
 * gamma: of the rbf kernel, NaN: one over twice the feature's variance. */
PARE_NODISCARD pare_status kernel_align(double *a, double *trace, double *gamma_used, const view *x,
                                        const align_target *t, kernel_kind kind, double gamma,
                                        const pare_ctx *ctx, pare_error *err);

#endif
