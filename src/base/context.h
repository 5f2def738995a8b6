/* What the library asks of a context, which may be NULL everywhere. */
#ifndef PARE_BASE_CONTEXT_H
#define PARE_BASE_CONTEXT_H

#include <stdbool.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef enum interruption { INTERRUPT_NONE = 0, INTERRUPT_CANCEL, INTERRUPT_TIME } interruption;

/* A copy whose deadline counts from now (ctx may be NULL). Public entry points make one. */
pare_ctx ctx_begin(const pare_ctx *ctx);

int ctx_threads(const pare_ctx *ctx);

/* Reports progress and answers whether to stop. Cheap; call it once per outer iteration, from the
 * calling thread only. fraction < 0: unknown. */
interruption ctx_poll(const pare_ctx *ctx, const char *stage, double fraction);
/* How a solve that was stopped so ends; PARE_OPTIMAL: it was not. */
pare_outcome ctx_outcome(interruption stop);

__attribute__((format(printf, 3, 4))) void ctx_log(const pare_ctx *ctx, pare_log_level level,
                                                   const char *format, ...);

/* Refuses a block of `bytes` that the context's memory limit does not allow, by name and size. */
PARE_NODISCARD pare_status ctx_room(const pare_ctx *ctx, double bytes, const char *what,
                                    pare_error *err);

/* Seconds of a monotonic clock. */
double clock_now(void);

#endif
