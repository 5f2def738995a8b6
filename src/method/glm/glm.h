/* Shared by lasso, logistic and cox: the problem from a job, the lambda, the path, the result. */
#ifndef PARE_METHOD_GLM_GLM_H
#define PARE_METHOD_GLM_GLM_H

#include "method/method.h"
#include "solve/glm/loss.h"

/* How the target of a job becomes that of a loss. */
typedef struct glm_family {
    settings_group group; /* has the settings of lasso; `penalty` rows: see glm_choice */
    /* Fills in kind, c, y and offset of a loss whose n and shares are known. */
    pare_status (*open)(glm_loss *l, arena *mem, const fit_job *job, pare_error *err);
    /* Returns true if the target leaves nothing to explain, up to rounding. May be NULL. */
    bool (*flat)(const glm_loss *l, bool intercept);
    double curvature; /* the largest of one output: a share times this */
    bool by_point;    /* the certificate needs no dual */
} glm_family;

extern const glm_family glm_classes; /* logistic's */

typedef struct glm_choice {
    const glm_family *family;
    bool rows;           /* several outputs: a feature's coefficients together */
    bool adaptive;       /* costs from a ridge: glm_adaptive.c */
    double gamma, ridge; /* their power; the ridge's weight, NaN: automatic, replaced by the value
                            in effect */
    double lambda, alpha, lambda_ratio, lambda_least, tol; /* lambda NaN: automatic */
    bool sweep;
    int64_t lambda_count;
} glm_choice;

/* By the settings of the family's group. */
glm_choice glm_choose(const glm_family *family, const all_settings *set);

/* Solves the job; lambda and ridge in effect are in r->set then. */
PARE_NODISCARD pare_status glm_fit(fit_result *r, const fit_job *job, const glm_family *family,
                                   const pare_ctx *ctx, pare_error *err);

/* A path along lambda (method_along.run): values are shares of lambda_max. */
PARE_NODISCARD pare_status glm_along(along_points *points, const fit_job *job,
                                     const glm_family *family, const view *test,
                                     const pare_ctx *ctx, pare_error *err);

#endif
