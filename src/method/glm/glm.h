/* Shared by lasso and logistic: the problem from a job, the lambda, the path, the result. */
#ifndef PARE_METHOD_GLM_GLM_H
#define PARE_METHOD_GLM_GLM_H

#include "method/method.h"
#include "solve/glm/loss.h"

/* How the target of a job becomes that of a loss. */
typedef struct glm_family {
    /* Fills in kind, c, y and offset of a loss whose n and shares are known. */
    pare_status (*open)(glm_loss *l, arena *mem, const fit_job *job, pare_error *err);
    /* Returns true if the target leaves nothing to explain, up to rounding. May be NULL. */
    bool (*flat)(const glm_loss *l, bool intercept);
    double curvature; /* the largest of one output: a share times this */
} glm_family;

extern const glm_family glm_values, glm_classes;

typedef struct glm_choice {
    const glm_family *family;
    bool rows;
    bool adaptive;       /* costs from a ridge: glm_adaptive.c */
    double gamma, ridge; /* their power; the ridge's weight, NaN: automatic, replaced by the value
                            in effect */
    double alpha, lambda_ratio, lambda_least, tol;
    bool sweep;
    int64_t lambda_count;
} glm_choice;

/* lambda: NaN is automatic; replaced by the value in effect. */
PARE_NODISCARD pare_status glm_fit(fit_result *r, const fit_job *job, glm_choice *how,
                                   double *lambda, const pare_ctx *ctx, pare_error *err);

/* A path along lambda (method_along.run) for one of its settings: values are shares of
 * lambda_max. */
PARE_NODISCARD pare_status glm_along(along_points *points, const fit_job *job,
                                     const glm_choice *how, const view *test, const pare_ctx *ctx,
                                     pare_error *err);

extern const method_along lasso_along, logistic_along;

#endif
