/* Linear discriminants with a ridge: W = (C + gamma I)^-1 M, C the covariance within classes over
 * the total weight, M the class means less the overall one where `centred`. Through the samples if
 * there are at least as many features, else through the features. */
#ifndef PARE_METHOD_DISCRIMINANT_DISCRIMINANT_H
#define PARE_METHOD_DISCRIMINANT_DISCRIMINANT_H

#include "method/method.h"

typedef struct discriminant {
    view x; /* centred */
    const int32_t *cls;
    double *mean;    /* d: means that were subtracted */
    int64_t n, d, c; /* c: classes, also for two */
    double gamma, total;
    double *weight, *of_class; /* n, c */
    double *sum;               /* c scratch */
    double *P;                 /* n x c: m_k = X'P_k */
    double *M, *W;             /* d x c */
} discriminant;

/* x: the job's view, or the view in other units. Memory from the arena. */
PARE_NODISCARD pare_status discriminant_solve(discriminant *s, arena *mem, const fit_job *job,
                                              const view *x, double gamma, bool centred,
                                              const pare_ctx *ctx, pare_error *err);
/* ln p_k - m_k'W_k / 2. */
double discriminant_prior(const discriminant *s, int64_t k);
/* The outputs x'W_k + b_k, x from the overall mean; two classes: the second less the first, which W
 * becomes. */
PARE_NODISCARD pare_status discriminant_result(fit_result *r, const discriminant *s,
                                               const double *b, pare_error *err);

#endif
