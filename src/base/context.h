/* What the library asks of a context, which may be NULL everywhere. */
#ifndef PARE_BASE_CONTEXT_H
#define PARE_BASE_CONTEXT_H

#include <stdbool.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef enum interruption { INTERRUPT_NONE = 0, INTERRUPT_CANCEL, INTERRUPT_TIME } interruption;

/* What a call has read of X and made of it. */
typedef struct read_count {
    double bytes;       /* read, whatever was in a cache */
    double products;    /* of two numbers, in Gram matrices */
    double whole, gram; /* bytes of X, and products of its Gram matrix; 0: not said */
    double start_s;     /* of clock_now */
} read_count;

/* One call of a public function while it runs. `ctx` is what is handed down: the caller's, with hooks
 * that lead back here, so that the deadline is known wherever the context is. Stays where it is. */
typedef struct call {
    pare_ctx ctx;
    pare_ctx caller;      /* whose log, progress and user are called */
    double deadline_s;    /* of clock_now; 0: none */
    interruption stopped; /* what a poll has answered: from then on all do */
    bool holds_blas;
    read_count own, *reads; /* reads: its own, or that of the call that it is a part of */
    struct pass_scheduler
        *scheduler; /* that shares passes with this fit (la/pass/scheduler.h), or NULL */
    bool answers;   /* it is on the calling thread, which asks the caller whether to stop */
} call;

/* Takes over the caller's context (NULL: defaults), counts its time limit from now unless it is that
 * of a running call, and holds BLAS at one thread. Every public function that computes begins so;
 * call_end also after a failure. */
PARE_NODISCARD pare_status call_begin(call *c, const pare_ctx *ctx, pare_error *err);
void call_end(call *c);
/* A part of the running call that ctx belongs to, for a thread of its own: set c->ctx.threads and
 * allocator, and c->caller's hooks. */
void call_part(call *c, const pare_ctx *ctx);

/* Those of the call that ctx belongs to. */
struct pass_scheduler *ctx_scheduler(const pare_ctx *ctx);
bool ctx_answers(const pare_ctx *ctx);

/* Adds to what the call that ctx belongs to has read. From any thread. */
void ctx_count(const pare_ctx *ctx, double bytes, double products);
/* X has so many bytes, and its Gram matrix so many products: progress then tells how often it was read, if
 * it is large, and the end of a call that is no part of another logs it. */
void call_reads(call *c, double whole, double gram);

/* Refuses a context that pare_ctx_init did not fill. For public functions that only allocate. */
PARE_NODISCARD pare_status ctx_check(const pare_ctx *ctx, pare_error *err);

/* own holds the defaults of an options struct, whose first member is its size_t struct_size; takes
 * over as much as the caller's (NULL: none) has. `name` is that of the struct's init function. */
PARE_NODISCARD pare_status options_take(void *own, const void *caller, size_t size,
                                        const char *name, pare_error *err);
/* Writes as much of `defaults` (size bytes) as fits into the caller's struct_size bytes. */
void options_give(void *caller, size_t struct_size, const void *defaults, size_t size);

/* How many threads to use: never more than one in a child forked from a process that used several. */
int ctx_threads(const pare_ctx *ctx);

/* When the call that ctx belongs to must end, on clock_now's clock; 0: it need not. */
double ctx_deadline(const pare_ctx *ctx);

/* Reports progress and answers whether to stop. Cheap; call it once per outer iteration, from the
 * calling thread only. fraction < 0: unknown. Within a call, an answer to stop is given for good. */
interruption ctx_poll(const pare_ctx *ctx, const char *stage, double fraction);
/* What some poll of the call that ctx belongs to has answered, so that no result passes for finished
 * because an inner search kept its end to itself. */
interruption ctx_stopped(const pare_ctx *ctx);
/* Tells the call that ctx belongs to what a part of it was answered. */
void ctx_stop(const pare_ctx *ctx, interruption why);
/* How a solve that was stopped so ends; PARE_OPTIMAL: it was not. */
pare_outcome ctx_outcome(interruption stop);
/* Both at once, for the loop of a solver: true and the outcome set where it is to stop. */
bool ctx_stops(const pare_ctx *ctx, const char *stage, double fraction, pare_outcome *out);

__attribute__((format(printf, 3, 4))) void ctx_log(const pare_ctx *ctx, pare_log_level level,
                                                   const char *format, ...);

/* Refuses a block of `bytes` that the context's memory limit does not allow, by name and size. */
PARE_NODISCARD pare_status ctx_room(const pare_ctx *ctx, double bytes, const char *what,
                                    pare_error *err);

/* Seconds of a monotonic clock. */
double clock_now(void);

#endif
