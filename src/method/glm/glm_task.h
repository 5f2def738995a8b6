/* The job as a problem of solve/glm, with the memory for it. */
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
    matrix copy; /* the job's features, if they are small: see glm_task.c */
    view seen;
    glm_problem problem;
    glm_solver *solver;
    struct glm_small *small; /* or NULL: see glm_small_open */
    int64_t n_kept;          /* forced-in features: not penalised, not counted by k */
    int64_t n_groups;        /* of --groups, plus one for each forced-in feature */
    double total;            /* sum of the weights */
    double *start; /* n x c, output by output: the dual of the ridge that the costs come from, or
                      NULL */
    double ridge;  /* its weight */
    double lambda_max; /* 0: the empty model is optimal for every lambda */
} glm_task;

/* tol: relative gap. Free with glm_task_close, also after a failure. */
PARE_NODISCARD pare_status glm_task_open(glm_task *t, const fit_job *job, const glm_choice *how,
                                         double tol, const pare_ctx *ctx, pare_error *err);
void glm_task_close(glm_task *t);

/* The result of the chosen point: coefficients, dual, scores and ranking, with features of
 * coefficient 0 ranked by price. One pass. */
PARE_NODISCARD pare_status glm_task_give(fit_result *r, const glm_task *t, const glm_point *at,
                                         const pare_ctx *ctx, pare_error *err);

/* Multiplies the features' costs by those that a ridge gives; sets t->start and t->ridge.
 * t->problem must have its loss. group: d numbers, or NULL. */
PARE_NODISCARD pare_status glm_adaptive(glm_task *t, const int64_t *group, double *cost,
                                        const pare_ctx *ctx, pare_error *err);

/* glm_run of the task. */
PARE_NODISCARD pare_status glm_task_run(const glm_task *t, const double *lambda, int64_t count,
                                        glm_see *see, void *user, const pare_ctx *ctx,
                                        pare_error *err);

/* A ridge on wide data (alpha 0) is solved over the samples: sets t->small, to NULL for other
 * problems. */
PARE_NODISCARD pare_status glm_small_open(glm_task *t, const pare_ctx *ctx, pare_error *err);
void glm_small_close(struct glm_small *s);

#endif
