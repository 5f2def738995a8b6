/* Independent jobs on several threads. Each runs with one thread and sees no other job, so its
 * result cannot depend on the number of threads. */
#ifndef PARE_SELECT_JOBS_H
#define PARE_SELECT_JOBS_H

#include "base/context.h"
#include "la/matrix.h"

/* Runs job number `job`, which writes its result where no other job writes. ctx: one thread, the
 * caller's allocator behind a lock. Returns PARE_E_CANCELLED if it was stopped and left no
 * result. */
typedef pare_status (*job_run)(void *user, int64_t job, const pare_ctx *ctx, pare_error *err);

typedef struct job_list {
    int64_t count;
    job_run run;
    void *user;
    const char *stage;    /* for the progress callback */
    double before, share; /* of the whole: done before these jobs, and the share of these */
    const matrix *x;      /* whose passes they share (la/pass/scheduler.h), or NULL */
    int64_t n_concurrent; /* jobs that fit into memory at once, if they share passes */
} job_list;

/* n_concurrent for fits of that many outputs to samples of x: more than threads, so that they share
 * passes over X, but in an eighth of its bytes. */
int64_t jobs_at_once(const matrix *x, int64_t outputs, const pare_ctx *ctx);

/* Runs all jobs, or until the context says stop (*stopped says why; jobs under way end early). The
 * error is that of the failing job with the lowest number. */
PARE_NODISCARD pare_status jobs_run(const job_list *list, interruption *stopped,
                                    const pare_ctx *ctx, pare_error *err);

#endif
