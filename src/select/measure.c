#include "select/measure.h"

#include "base/context.h"
#include "base/error.h"

predictions measure_of(const target *y, const double *weight, const cv_part *part, const double *F,
                       int64_t outputs) {
    return (predictions){.y = y,
                         .rows = part->test,
                         .n = part->n_test,
                         .F = F,
                         .outputs = outputs,
                         .weight = weight,
                         .train = part->train,
                         .n_train = part->n_train};
}

pare_status measure_all(double *out, const predictions *p, const probability *how,
                        const pare_ctx *ctx, pare_error *err) {
    double *P = NULL;
    const target *y = p->y;
    predictions all = *p;
    bool probable = y->task->classes && how && how->kind != PROBABILITY_NONE;
    if (probable && !(P = mem_alloc(ctx_allocator(ctx), p->n * y->n_classes, sizeof *P)))
        return error_memory(err);
    if (probable) probability_of(P, how, p->F, p->n, p->outputs);
    all.P = P;
    pare_status status = y->task->measure(out, &all, ctx, err);
    mem_free(ctx_allocator(ctx), P);
    return status;
}
