#include "select/jobs.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "la/pass/scheduler.h"

/* State that the threads share. The caller's allocator may be called by one thread at a time. */
typedef struct job_pool {
    const job_list *list;
    const pare_ctx *outer;
    pare_allocator mem; /* the caller's */
    omp_lock_t lock;    /* of the allocator, and of the failure */
    atomic_int stopped; /* an interruption, or a failure */
    atomic_llong finished, next;
    const pare_ranks *ranks; /* or NULL */
    int threads;
} job_pool;

typedef struct worker {
    job_pool *all;
    bool calls; /* this is the calling thread: only it may report progress */
} worker;

static void *locked_alloc(void *user, size_t bytes) {
    job_pool *c = user;
    omp_set_lock(&c->lock);
    void *block = mem_alloc(&c->mem, (int64_t)bytes, 1);
    omp_unset_lock(&c->lock);
    return block;
}

static void *locked_resize(void *user, void *block, size_t bytes) {
    job_pool *c = user;
    omp_set_lock(&c->lock);
    bool fine = mem_resize(&c->mem, &block, (int64_t)bytes, 1);
    omp_unset_lock(&c->lock);
    return fine ? block : NULL;
}

static void locked_release(void *user, void *block) {
    job_pool *c = user;
    omp_set_lock(&c->lock);
    mem_free(&c->mem, block);
    omp_unset_lock(&c->lock);
}

/* The job after `last` (-1: none yet) of thread t. All ranks must run each job on the same lane, in
 * the same order. */
static int64_t next_job(job_pool *c, int t, int64_t last) {
    if (!c->ranks) return atomic_fetch_add(&c->next, 1);
    return last < 0 ? t : last + c->threads;
}

/* Progress callback of a job's context: the calling thread asks the caller, the others read its
 * answer. */
static int poll_stop(void *user, const char *stage, double fraction) {
    (void)stage;
    (void)fraction;
    worker *w = user;
    job_pool *c = w->all;
    if (!w->calls) return atomic_load(&c->stopped) != 0;
    double share = (double)atomic_load(&c->finished) / (double)c->list->count;
    interruption why = ctx_poll(c->outer, c->list->stage, c->list->before + share * c->list->share);
    if (why != INTERRUPT_NONE) atomic_store(&c->stopped, (int)why);
    return atomic_load(&c->stopped) != 0;
}

static const double FIT_BYTES = 36, OUTPUT_BYTES = 8; /* bytes per feature of a fit under way */

int64_t jobs_at_once(const matrix *x, int64_t outputs, const pare_ctx *ctx) {
    double each = (FIT_BYTES + OUTPUT_BYTES * (double)outputs) * (double)x->d;
    double memory = mat_bytes(x) / 8;
    if (ctx && ctx->memory_bytes > 0 && (double)ctx->memory_bytes / 4 < memory)
        memory = (double)ctx->memory_bytes / 4;
    int64_t threads = ctx_threads(ctx), most = 4 * threads;
    return (int64_t)fmax((double)threads, fmin((double)most, memory / each));
}

pare_status jobs_run(const job_list *list, interruption *stopped, const pare_ctx *ctx,
                     pare_error *err) {
    job_pool c = {.list = list, .outer = ctx, .mem = *ctx_allocator(ctx)};
    int threads = ctx_threads(ctx);
    int64_t failed = list->count;
    pare_status status = PARE_OK;
    *stopped = INTERRUPT_NONE;
    omp_init_lock(&c.lock);
    c.ranks = ctx_ranks(ctx);
    if (c.ranks && threads >= c.ranks->lanes) threads = c.ranks->lanes > 1 ? c.ranks->lanes - 1 : 1;
    if (threads > list->count) threads = (int)(list->count > 0 ? list->count : 1);
    pass_scheduler *scheduler = NULL;
    if (list->x && !c.ranks) TRY(scheduler_open(&scheduler, list->x, threads, ctx, err));
    if (scheduler && list->n_concurrent > threads)
        threads = (int)(list->n_concurrent < list->count ? list->n_concurrent : list->count);
    c.threads = threads;
    double start = clock_now();
    ctx_jobs(ctx, -1);

#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num();
        pare_ranks lane = c.ranks ? *c.ranks : (pare_ranks){0};
        worker w = {.all = &c, .calls = t == 0};
        call own;
        call_part(&own, ctx);
        if (c.mem.alloc) /* malloc has its own lock */
            own.ctx.allocator = (pare_allocator){locked_alloc, locked_resize, locked_release, &c};
        own.ctx.threads = 1;
        own.scheduler = scheduler;
        own.answers = ctx_answers(ctx) && w.calls;
        if (c.ranks) {
            if (lane.lanes > 1) lane.lane = t + 1;
            own.ctx.ranks = &lane;
        }
        own.caller.progress = poll_stop;
        own.caller.log = NULL;
        own.caller.user = &w;
        for (int64_t j = -1; (j = next_job(&c, t, j)) < list->count;) {
            if (poll_stop(&w, NULL, 0)) continue;
            pare_error why;
            scheduler_enter(scheduler, own.answers);
            pare_status result = list->run(list->user, j, &own.ctx, &why);
            scheduler_leave(scheduler);
            if (result == PARE_E_CANCELLED) {
                int none = INTERRUPT_NONE;
                atomic_compare_exchange_strong(&c.stopped, &none, (int)INTERRUPT_TIME);
            } else if (result != PARE_OK) {
                omp_set_lock(&c.lock);
                if (j < failed) {
                    failed = j;
                    status = result;
                    if (err) *err = why;
                }
                omp_unset_lock(&c.lock);
                /* threads of other ranks may be in later jobs: all are run */
                if (!c.ranks) atomic_store(&c.stopped, (int)INTERRUPT_CANCEL);
            }
            atomic_fetch_add(&c.finished, 1);
        }
        call_part_end(&own);
    }
    ctx_jobs(ctx, clock_now() - start);
    scheduler_close(scheduler, ctx_allocator(ctx));
    *stopped = (interruption)atomic_load(&c.stopped);
    if (status == PARE_OK) ctx_stop(ctx, *stopped);
done:
    omp_destroy_lock(&c.lock);
    return status;
}
