#include "select/measure.h"

#include "base/context.h"
#include "base/error.h"

pare_status measure_all(double *out, const target *y, const int32_t *rows, int64_t n,
                        const double *F, int64_t outputs, const probability *how,
                        const pare_ctx *ctx, pare_error *err) {
    double *P = NULL;
    bool probable = y->task->classes && how && how->kind != PROBABILITY_NONE;
    if (probable && !(P = mem_alloc(ctx_allocator(ctx), n * y->n_classes, sizeof *P)))
        return error_memory(err);
    if (probable) probability_of(P, how, F, n, outputs);
    pare_status status = y->task->measure(out, y, rows, n, F, outputs, P, ctx, err);
    mem_free(ctx_allocator(ctx), P);
    return status;
}
