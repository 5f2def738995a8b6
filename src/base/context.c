#define _POSIX_C_SOURCE 200809L
#include "base/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

void pare_ctx_init(pare_ctx *ctx) {
    memset(ctx, 0, sizeof *ctx);
    ctx->seed = 1;
}

double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

pare_ctx ctx_begin(const pare_ctx *ctx) {
    pare_ctx own;
    if (ctx)
        own = *ctx;
    else
        pare_ctx_init(&own);
    if (own.time_limit_s > 0 && own.deadline_s == 0)
        own.deadline_s = clock_now() + own.time_limit_s;
    return own;
}

int ctx_threads(const pare_ctx *ctx) {
    return ctx && ctx->threads > 0 ? ctx->threads : omp_get_max_threads();
}

interruption ctx_poll(const pare_ctx *ctx, const char *stage, double fraction) {
    if (!ctx) return INTERRUPT_NONE;
    if (ctx->progress && ctx->progress(ctx->user, stage, fraction)) return INTERRUPT_CANCEL;
    if (ctx->deadline_s > 0 && clock_now() > ctx->deadline_s) return INTERRUPT_TIME;
    return INTERRUPT_NONE;
}

pare_outcome ctx_outcome(interruption stop) {
    switch (stop) {
    case INTERRUPT_CANCEL: return PARE_CANCELLED;
    case INTERRUPT_TIME: return PARE_TIME_LIMIT;
    case INTERRUPT_NONE: break;
    }
    return PARE_OPTIMAL;
}

pare_status ctx_room(const pare_ctx *ctx, double bytes, const char *what, pare_error *err) {
    if (!ctx || ctx->memory_bytes <= 0 || bytes <= (double)ctx->memory_bytes) return PARE_OK;
    return error_set(err, PARE_E_MEMORY, "%s would take %.3g GB, over the memory limit of %.3g GB",
                     what, bytes * 1e-9, (double)ctx->memory_bytes * 1e-9);
}

void ctx_log(const pare_ctx *ctx, pare_log_level level, const char *format, ...) {
    if (!ctx || !ctx->log) return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ctx->log(ctx->user, level, message);
}
