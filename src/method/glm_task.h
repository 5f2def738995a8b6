/* The problem of solve/glm that a job is, with the memory for it. */
#ifndef PARE_METHOD_GLM_TASK_H
#define PARE_METHOD_GLM_TASK_H

#include "method/glm.h"
#include "solve/glm/glm.h"

typedef struct glm_task {
    arena mem;
    const fit_job *job;
    const glm_choice *how;
    int64_t n, d, c;
    penalty pen;
    glm_problem problem;
    glm_solver *solver;
    double total;      /* sum of the weights */
    double lambda_max; /* 0: the empty model is optimal for every lambda */
} glm_task;

/* tol: relative gap. Free with glm_task_close, also after a failure. */
PARE_NODISCARD pare_status glm_task_open(glm_task *t, const fit_job *job, const glm_choice *how,
                                         double tol, const pare_ctx *ctx, pare_error *err);
void glm_task_close(glm_task *t);

/* The result of the point that was chosen: coefficients, dual, scores and ranking, where features
 * that are 0 stand by price. One pass. */
PARE_NODISCARD pare_status glm_task_give(fit_result *r, const glm_task *t, const glm_point *at,
                                         const pare_ctx *ctx, pare_error *err);

/* A ridge on wide data (alpha 0): whether it is solved over the samples, and its result at lambda. */
bool glm_ridge_fits(const glm_task *t);
PARE_NODISCARD pare_status glm_ridge(fit_result *r, const glm_task *t, double lambda,
                                     const pare_ctx *ctx, pare_error *err);

#endif
