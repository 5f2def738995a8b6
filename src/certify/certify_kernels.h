/* Shared by certificates of methods on weighted single-feature kernels. */
#ifndef PARE_CERTIFY_CERTIFY_KERNELS_H
#define PARE_CERTIFY_CERTIFY_KERNELS_H

#include "certify/feature_kernel.h"

/* The centred target: a = factor sum_q v_q'K v_q / trace; see solve/kernel/kernel_align.h. */
typedef struct cert_target {
    int64_t n, q;
    double *v; /* n x q, [i * q + c] */
    double total, factor;
} cert_target;

bool cert_target_make(cert_target *t, arena *mem, const cert_job *job); /* false: out of memory */

/* Alignment and trace of each of the d raw columns; 0 for constant ones. kernel: rbf, linear or
 * delta; gamma on the scaled features, NaN: one over twice the variance. */
PARE_NODISCARD pare_status cert_alignments(double *a, double *trace, const cert_job *job,
                                           const char *kernel, double gamma, const pare_ctx *ctx,
                                           pare_error *err);

/* Objective and duality gap of the predictor on sum_j given_j K_j, K_j centred and of trace 1, over
 * the columns of the job: SVM for classes, kernel ridge for regression. */
PARE_NODISCARD pare_status cert_weighted_kernels(pare_report *out, const cert_job *job,
                                                 const char *kernel, double gamma, double C,
                                                 const pare_ctx *ctx, pare_error *err);

#endif
