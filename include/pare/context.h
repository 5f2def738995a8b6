/* The context: everything that a call takes from its environment. The arguments hold all that a
 * result depends on; this is all the process-wide state that the library touches:
 *
 * BLAS threads. The library makes its own threads and wants BLAS to run on one inside each of them.
 * OpenBLAS keeps its number of threads for the whole process: while at least one call is
 * running the library holds that number at 1, and the last call to end restores the previous value.
 * Do not change it while a call is running. With another BLAS nothing is set: let it run on one
 * thread. Neither way changes a result.
 *
 * Fork. Threads do not survive fork(). A child of a process that has used the library with several
 * threads runs on one, whatever its contexts say; a child forked before that is not affected.
 * Objects made before the fork may be used and freed on both sides. */
#ifndef PARE_CONTEXT_H
#define PARE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <pare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocator hooks. Set all three functions, or none (then malloc, realloc and free).
 * Objects remember the allocator that made them, so it must outlive them. Called from one thread
 * at a time within one call of the library; from several at once only if several calls share it. */
typedef struct pare_allocator {
    void *(*alloc)(void *user, size_t bytes);               /* aligned as malloc's; NULL: out of
                                                               memory */
    void *(*resize)(void *user, void *block, size_t bytes); /* as realloc, block may be NULL */
    void (*release)(void *user, void *block);               /* as free, block may be NULL */
    void *user;                                             /* passed to the three */
} pare_allocator;

/* Where the passes over the features run. */
typedef enum pare_device {
    PARE_DEVICE_CPU = 0, /* the processor */
    PARE_DEVICE_CUDA = 1 /* the first GPU of NVIDIA's */
} pare_device;

typedef enum pare_log_level {
    PARE_LOG_NOW = 0, /* to be shown before the work it announces: how long it will take */
    PARE_LOG_WARNING = 1,
    PARE_LOG_INFO = 2,
    PARE_LOG_DEBUG = 3
} pare_log_level;

/* Owned by the caller, filled by pare_ctx_init and then changed freely; read during a call, never
 * written or stored by the library. One context may serve many threads at once if its callbacks
 * can. Wherever a function takes one, NULL means: all defaults. */
typedef struct pare_ctx {
    size_t struct_size; /* set by pare_ctx_init: the fields that this caller knows */
    pare_allocator allocator;
    int32_t threads;      /* 1 or more; 0 (default): as many as OpenMP would use. Never changes a
                             result */
    int32_t timing;       /* 1: a fit records its seconds in the model and its file */
    uint64_t seed;        /* of every random draw; default 1 */
    double time_limit_s;  /* wall seconds for one call; 0: none. A solve that is stopped returns its
                             best point */
    int64_t memory_bytes; /* an error for work known to need more than this; 0: no limit */
    /* A message without newline, valid during the call. NULL: none. */
    void (*log)(void *user, pare_log_level level, const char *message);
    /* Called at intervals from the calling thread with the stage and its progress in [0, 1], or
       negative if unknown. Return non-zero to stop the call. NULL: none. It must not call the
       library with the objects of this call, nor leave by longjmp. */
    int (*progress)(void *user, const char *stage, double fraction);
    void *user; /* passed to log and progress */
    /* Other processes that do the same work, each with some of the features; NULL: none. With ranks
       a time limit or a progress callback that stops the call must not be used: the ranks would
       diverge. */
    const struct pare_ranks *ranks;
    /* A pare_device: where fits and paths run their passes over the features. With PARE_DEVICE_CUDA
       NVIDIA's driver is opened (libcuda.so.1), of which nothing is needed to build; sums have other
       last digits than on the processor, and the same on every run on one kind of GPU and driver,
       for any number of threads. Sparse data, genotypes, files left on disk and distributed features
       stay on the processor, which is logged. */
    int32_t device;
} pare_ctx;

/* Fills ctx with the defaults: malloc, all threads, seed 1, no limits, silent. In C
 * pare_ctx_init(&ctx) passes the size; another language calls the function with the size of its own
 * pare_ctx, which may be that of an older version of this header: later fields have their
 * defaults. */
PARE_API void pare_ctx_init_sized(pare_ctx *ctx, size_t struct_size);
#define pare_ctx_init(ctx) pare_ctx_init_sized((ctx), sizeof *(ctx))

#ifdef __cplusplus
}
#endif
#endif
