/* The context: everything a call takes from its surroundings. The library keeps no global state. */
#ifndef PARE_CONTEXT_H
#define PARE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <pare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocator hooks. All three functions are set, or all are NULL (then malloc, realloc and free).
 * Objects remember the allocator that made them, so it must outlive them. Called from one thread
 * at a time within one call of the library. */
typedef struct pare_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void *(*resize)(void *user, void *block, size_t bytes);
    void (*release)(void *user, void *block);
    void *user;
} pare_allocator;

typedef enum pare_log_level {
    PARE_LOG_WARNING = 1,
    PARE_LOG_INFO = 2,
    PARE_LOG_DEBUG = 3
} pare_log_level;

/* Owned by the caller, filled by pare_ctx_init and then changed at will; never written by the
 * library. One context may serve many threads at once if its callbacks can. */
typedef struct pare_ctx {
    pare_allocator allocator;
    int threads;   /* 1 or more; 0: as many as OpenMP would use. Never changes a result */
    uint64_t seed; /* of every random draw; default 1 */
    double
        time_limit_s; /* wall seconds for one call; 0: none. A solve then returns its best so far */
    int64_t memory_bytes; /* refuse work known to need more than this; 0: no limit */
    int timing;           /* 1: a fit records its seconds in the model, and the model in its file */
    /* One finished sentence without newline. NULL: silent. */
    void (*log)(void *user, pare_log_level level, const char *message);
    /* Called now and then from the calling thread with what is being done and how much of it, in
     * [0, 1] or negative if unknown. Non-zero: stop soon with what is there. NULL: none. */
    int (*progress)(void *user, const char *stage, double fraction);
    void *user;        /* handed to log and progress */
    double deadline_s; /* set by the library on its own copies; leave 0 */
} pare_ctx;

/* Fills ctx with the defaults: malloc, all threads, seed 1, no limits, silent. */
PARE_API void pare_ctx_init(pare_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
