/* The problem of solve/glm that a job is, with the memory for it. */
#ifndef PARE_METHOD_GLM_GLM_TASK_H
#define PARE_METHOD_GLM_GLM_TASK_H

#include "method/glm/glm.h"
#include "solve/glm/glm.h"

typedef struct glm_task {
    arena mem;
    const fit_job *job;
    const glm_choice *how;
    int64_t n, d, c;
    penalty pen;
    matrix copy; /* the job's features, where they are few: see glm_task.c */
    view seen;
    glm_problem problem;
    glm_solver *solver;
    struct glm_small *small; /* or NULL: see glm_small_open */
    int64_t n_kept;          /* features that are not penalised and that no k counts */
    int64_t n_groups;        /* of --groups, and one for each of those */
    double total;            /* sum of the weights */
    double *start; /* n x c, output by output: the dual of the ridge that costs are from, or NULL */
    double ridge;  /* its weight */
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

/* Multiplies the features' costs by those that a ridge gives; sets t->start and t->ridge. t->problem
 * must have its loss. group: d numbers, or NULL. */
PARE_NODISCARD pare_status glm_adaptive(glm_task *t, const int64_t *group, double *cost,
                                        const pare_ctx *ctx, pare_error *err);

/* glm_run of the task. */
PARE_NODISCARD pare_status glm_task_run(const glm_task *t, const double *lambda, int64_t count,
                                        glm_see *see, void *user, const pare_ctx *ctx,
                                        pare_error *err);

/* A ridge on wide data (alpha 0) is solved over the samples: t->small, or NULL where that is not so. */
PARE_NODISCARD pare_status glm_small_open(glm_task *t, const pare_ctx *ctx, pare_error *err);
void glm_small_close(struct glm_small *s);

#endif
