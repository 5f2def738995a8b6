/* Where the device comes into a call: opened before its fits, given to matrix.c, closed after. */
#include "la/kind/cuda/cuda.h"

#include "base/error.h"
#include "base/ranks.h"
#include "la/device.h"
#include "la/kind/cuda/cuda_operations.h"
#include "la/kind/cuda/cuda_source.h"

static const mat_ops device_ops = {.kind = "cuda",
                                   .gram = cuda_gram,
                                   .gram_many = cuda_gram_many,
                                   .tmul = cuda_tmul,
                                   .mul = cuda_mul,
                                   .stats_many = cuda_stats_many,
                                   .asinh_fit_many = cuda_asinh_fit_many};

const mat_ops *cuda_ops_for(const matrix *x, double work, const pare_ctx *ctx) {
    const cuda_device *d = ctx_device(ctx);
    entry_chain by;
    if (!d || !(work > 0) || work < d->min_work || !mat_chain(x, &by)) return NULL;
    return by.base->ops == d->base.ops && by.base->self == d->base.self ? &device_ops : NULL;
}

/* Why these data stay on the processor; NULL: they need not. */
static const char *reason(const matrix *x, const pare_ctx *ctx, entry_chain *by) {
    if (ctx_ranks(ctx)) return "features are distributed over processes";
    if (mat_is_sparse(x)) return "the data are stored sparse";
    if (!mat_in_memory(x)) return "the data stay in their file";
    if (!mat_chain(x, by) || by->base->ops->tmul) return "the data are stored in few bits";
    return NULL;
}

pare_status device_begin(call *c, const matrix *x, pare_error *err) {
    entry_chain by;
    if (c->ctx.device == PARE_DEVICE_CPU || c->device) return PARE_OK;
    if (c->ctx.device != PARE_DEVICE_CUDA)
        return error_set(err, PARE_E_ARGUMENT, "`device` is %d; expected cpu (0) or cuda (1)",
                         (int)c->ctx.device);
    const pare_allocator *mem = ctx_allocator(&c->ctx);
    cuda_device *d = mem_zero(mem, 1, sizeof *d);
    PASS_MEM(d);
    pare_status status = cuda_device_open(d, err);
    if (status != PARE_OK) {
        mem_free(mem, d);
        return status;
    }
    c->device = d;
    c->owns_device = true;
    const char *why = reason(x, &c->ctx, &by);
    if (why) {
        ctx_log(&c->ctx, PARE_LOG_WARNING, "warning: `device cuda`: %s; the processor computes",
                why);
        device_end(c);
        return PARE_OK;
    }
    d->base = *by.base;
    return cuda_place(d, ctx_threads(&c->ctx), err);
}

void device_end(call *c) {
    cuda_device *d = c->device;
    if (!d || !c->owns_device) return;
    if (d->launches > 0)
        ctx_log(
            &c->ctx, PARE_LOG_DEBUG,
            "the GPU: %.0f launches, %.3g GB from and to it, threads waited %.3g s for it; X is %s",
            d->launches, d->bytes * 1e-9, d->wait_s, d->x ? "in its memory" : "sent in blocks");
    cuda_device_close(d);
    mem_free(ctx_allocator(&c->ctx), d);
    c->device = NULL;
}
