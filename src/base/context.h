/* The library's use of a context, which may be NULL everywhere. */
#ifndef PARE_BASE_CONTEXT_H
#define PARE_BASE_CONTEXT_H

#include <stdbool.h>

#include <pare/context.h>
#include <pare/model.h>
#include <pare/status.h>

typedef enum interruption { INTERRUPT_NONE = 0, INTERRUPT_CANCEL, INTERRUPT_TIME } interruption;

/* What the processor does, for the profile of a call on large X. */
typedef enum phase {
    PHASE_OTHER = 0,  /* n-sized work: solvers, choices, files */
    PHASE_STATISTICS, /* means, deviations, quantiles */
    PHASE_GRAM,
    PHASE_PRODUCT, /* X'U, X_S W */
    PHASE_COLUMNS, /* features one by one */
    PHASES
} phase;

/* Counts of the passes over X and the products of a call. */
typedef struct read_count {
    double bytes;       /* of X read, cached or not */
    double products;    /* multiplications in Gram matrices */
    double whole, gram; /* bytes of X, and multiplications of its Gram matrix; 0: unknown */
    double reserved;    /* bytes of copies of X in few bits that are held now */
    double start_s;     /* of clock_now */
    /* Seconds, where X is large: of processors outside and inside jobs (select/jobs.h), and of the
     * clock inside jobs. */
    double processor_s[2][PHASES], jobs_s;
} read_count;

/* One call of a public function while it runs. `ctx` is passed on to inner functions: the caller's,
 * with hooks that point back here, so that every function that has the context knows the deadline.
 * Must not be moved. */
typedef struct call {
    pare_ctx ctx;
    pare_ctx caller;      /* whose log, progress and user are called */
    double deadline_s;    /* of clock_now; 0: none */
    interruption stopped; /* the answer of a poll, which all later polls repeat */
    bool holds_blas;
    read_count own, *reads; /* reads: its own, or that of the outer call */
    struct pass_scheduler
        *scheduler; /* that shares passes with this fit (la/pass/scheduler.h), or NULL */
    struct cuda_device *device; /* that has X (la/device.h), or NULL: of the outer call unless */
    bool owns_device;           /* it is to be closed by this one */
    bool answers;   /* it is on the calling thread, which asks the caller whether to stop */
    bool is_part;   /* of a job, on one thread */
    phase phase;    /* now, */
    double phase_s; /* since this time of the processor's clock; 0: no profile */
} call;

/* Takes over the caller's context (NULL: defaults), counts its time limit from now unless it is
 * that of a running call, and holds BLAS at one thread. Every public function that computes begins
 * so; call_end also after a failure. */
PARE_NODISCARD pare_status call_begin(call *c, const pare_ctx *ctx, pare_error *err);
void call_end(call *c);
/* Begins a part of the running call that ctx belongs to, on a thread of its own: set c->ctx.threads
 * and allocator, and c->caller's hooks. */
void call_part(call *c, const pare_ctx *ctx);
void call_part_end(call *c);

/* The scheduler and the device of the call that ctx belongs to, and whether it is on the calling
 * thread. */
struct pass_scheduler *ctx_scheduler(const pare_ctx *ctx);
struct cuda_device *ctx_device(const pare_ctx *ctx);
bool ctx_answers(const pare_ctx *ctx);

/* Adds to the counts of the call that ctx belongs to. From any thread. */
void ctx_count(const pare_ctx *ctx, double bytes, double products);
/* Switches the phase of the call that ctx belongs to, on its own thread; returns the one before. */
phase ctx_phase(const pare_ctx *ctx, phase now);
/* The jobs that run as parts of the call that ctx belongs to have taken so long by the clock; their
 * processor time is not the call's. Called before them with -1, and after. */
void ctx_jobs(const pare_ctx *ctx, double seconds);
/* Sets the bytes of X and the multiplications of its Gram matrix. If X is large, progress then
 * reports how often it was read, and so does the log at the end of an outermost call. */
void call_reads(call *c, double whole, double gram);

/* Reserves memory for a copy of features in few bits, of which all fits of a call may hold a sixth
 * of X together (or of the context's memory limit). Returns false where that is used up, and where X
 * is so small, or a device so near, that no copy pays. From any thread. */
bool ctx_reserve(const pare_ctx *ctx, double bytes);
void ctx_release(const pare_ctx *ctx, double bytes);

/* Rejects a context that pare_ctx_init did not fill. For public functions that only allocate. */
PARE_NODISCARD pare_status ctx_check(const pare_ctx *ctx, pare_error *err);

/* own holds the defaults of an options struct, whose first member is its size_t struct_size; copies
 * as much as the caller's struct (NULL: none) has. `name` is that of the struct's init function. */
PARE_NODISCARD pare_status options_take(void *own, const void *caller, size_t size,
                                        const char *name, pare_error *err);
/* Writes as much of `defaults` (size bytes) as fits into the caller's struct_size bytes. */
void options_give(void *caller, size_t struct_size, const void *defaults, size_t size);

/* How many threads to use: never more than one in a child forked from a process that used
 * several. */
int ctx_threads(const pare_ctx *ctx);

/* The deadline of the call that ctx belongs to, on clock_now's clock; 0: none. */
double ctx_deadline(const pare_ctx *ctx);

/* Reports progress and answers whether to stop. Cheap; call it once per outer iteration, from the
 * calling thread only. fraction < 0: unknown. Within a call, once the answer is to stop, it stays
 * so. */
interruption ctx_poll(const pare_ctx *ctx, const char *stage, double fraction);
/* The interruption that any poll of the call that ctx belongs to has returned, so that no result
 * counts as finished because an inner search did not report its interruption. */
interruption ctx_stopped(const pare_ctx *ctx);
/* Records in the call that ctx belongs to the interruption of a part of it. */
void ctx_stop(const pare_ctx *ctx, interruption why);
/* The outcome of a solve with this interruption; PARE_OPTIMAL: none. */
pare_outcome ctx_outcome(interruption stop);
/* ctx_poll and ctx_outcome, for the loop of a solver: returns true, with the outcome set, if it
 * must stop. */
bool ctx_stops(const pare_ctx *ctx, const char *stage, double fraction, pare_outcome *out);

__attribute__((format(printf, 3, 4))) void ctx_log(const pare_ctx *ctx, pare_log_level level,
                                                   const char *format, ...);

/* Fails if a block of `bytes` exceeds the context's memory limit; `what` names it in the
 * message. */
PARE_NODISCARD pare_status ctx_check_memory(const pare_ctx *ctx, double bytes, const char *what,
                                            pare_error *err);

/* Seconds of a monotonic clock. */
double clock_now(void);

#endif
