/* Independent jobs on several threads. Each runs as if alone, on one thread of its own, so what it
 * gives cannot depend on how many there are. */
#ifndef PARE_SELECT_JOBS_H
#define PARE_SELECT_JOBS_H

#include "base/context.h"
#include "la/matrix.h"

/* Job number `job`; writes its result where only it writes. ctx: one thread, the caller's allocator
 * behind a lock. PARE_E_CANCELLED: it was stopped and left no result. */
typedef pare_status (*job_run)(void *user, int64_t job, const pare_ctx *ctx, pare_error *err);

typedef struct job_list {
    int64_t count;
    job_run run;
    void *user;
    const char *stage;    /* for the progress callback */
    double before, share; /* of the whole: done before these jobs, and what these are */
    const matrix *x;      /* that they meet at (la/pass/scheduler.h), or NULL */
    int64_t beside;       /* jobs that there is memory for, if they do */
} job_list;

/* Runs them all, or until the context says stop (*stopped says why; the jobs under way end early).
 * The first failing job by number gives the error. */
PARE_NODISCARD pare_status jobs_run(const job_list *list, interruption *stopped,
                                    const pare_ctx *ctx, pare_error *err);

#endif
