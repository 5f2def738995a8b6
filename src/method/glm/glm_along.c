/* lasso and logistic at every lambda of a path in one walk (pare path). */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "method/glm/glm_task.h"

typedef struct along {
    const glm_task *task;
    along_points *points;
    const view *test;
    const pare_ctx *ctx;
    int64_t at;
} along;

static pare_status give(void *user, const glm_point *point, bool *stop, pare_error *err) {
    along *a = user;
    int64_t c = a->task->c, count = point->n_features;
    (void)stop;
    if (point->outcome == PARE_CANCELLED || point->outcome == PARE_TIME_LIMIT)
        return error_set(err, PARE_E_CANCELLED, "stopped inside a path");
    a->points->unconverged += point->outcome != PARE_OPTIMAL;
    double *W = mem_alloc(ctx_allocator(a->ctx), count * c, sizeof *W);
    if (!W) return error_memory(err);
    int64_t *order = mem_alloc(ctx_allocator(a->ctx), count, sizeof *order), at = 0;
    pare_status status = PARE_OK;
    TRY_MEM(order);
    for (int rest = 0; rest < 2; rest++) /* forced-in features first */
        for (int64_t i = 0; i < count; i++) {
            bool kept = penalty_free(&a->task->pen, a->task->pen.block[point->feature[i]]);
            if (kept == (rest == 1)) continue;
            for (int64_t o = 0; o < c; o++) W[o * count + at] = point->B[i * c + o];
            order[at++] = point->feature[i];
        }
    TRY(along_give(a->points, a->at++, a->test, order, count, W, point->b, c, a->ctx, err));
done:
    mem_free(ctx_allocator(a->ctx), order);
    mem_free(ctx_allocator(a->ctx), W);
    return status;
}

pare_status glm_along(along_points *points, const fit_job *job, const glm_family *family,
                      const view *test, const pare_ctx *ctx, pare_error *err) {
    glm_choice how = glm_choose(family, job->set);
    glm_task task;
    pare_status status = PARE_OK;
    TRY(glm_task_open(&task, job, &how, how.tol, ctx, err));
    along a = {.task = &task, .points = points, .test = test, .ctx = ctx};
    double *lambda = ARENA_NEW(&task.mem, double, points->count);
    TRY_MEM(lambda);
    for (int64_t s = 0; s < points->count; s++) /* lambda_max 0: nothing is selected anywhere */
        lambda[s] = points->value[s] * (task.lambda_max > 0 ? task.lambda_max : 1);
    TRY(glm_task_run(&task, lambda, points->count, give, &a, ctx, err));
done:
    glm_task_close(&task);
    return status;
}
