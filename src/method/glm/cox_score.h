/* Shared by cox-score and cox-forward: score tests of all features beside others that are in a Cox model. */
#ifndef PARE_METHOD_GLM_COX_SCORE_H
#define PARE_METHOD_GLM_COX_SCORE_H

#include "method/method.h"

/* The features beside which others are tested. */
typedef struct cox_beside {
    int64_t count;
    const int64_t *cols; /* of the job's view, the forced-in ones first */
    const double *ridge; /* count: added to the diagonal of their mean information */
    const double *F;     /* n: the fitted values with them, without the offset */
} cox_beside;

/* score_j = U_j^2 / (I_jj - I_jS (I_SS + ridge n)^-1 I_Sj) of all columns of the job at those values; 0 of
 * those in S and of those without information of their own. p, unless NULL: chi-square, one degree of
 * freedom. ties: breslow or efron. One pass over the columns. */
PARE_NODISCARD pare_status cox_score_all(double *score, double *p, const fit_job *job,
                                         const char *ties, const cox_beside *s, const pare_ctx *ctx,
                                         pare_error *err);

/* Fitted values (n, without the offset) of the Cox model on `count` columns of the job: the forced-in
 * ones free, the others with lambda/2 |b|^2. */
PARE_NODISCARD pare_status cox_score_fit_beside(double *F, const fit_job *job, const char *ties,
                                                double lambda, const int64_t *cols, int64_t count,
                                                const pare_ctx *ctx, pare_error *err);

/* The forced-in columns of the job, into cols (d); their number. */
int64_t cox_score_kept(int64_t *cols, const fit_job *job);

#endif
