#include "select/jobs.h"

#include <omp.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "la/pass/scheduler.h"

/* What the threads share. The caller's allocator is promised one thread at a time. */
typedef struct crew {
    const job_list *list;
    const pare_ctx *outer;
    pare_allocator mem; /* the caller's */
    omp_lock_t lock;    /* of the allocator, and of the failure */
    atomic_int stopped; /* an interruption, or a failure */
    atomic_llong finished, next;
    const pare_ranks *ranks; /* or NULL */
    int threads;
} crew;

typedef struct worker {
    crew *all;
    bool calls; /* this is the calling thread: only it may report progress */
} worker;

static void *locked_alloc(void *user, size_t bytes) {
    crew *c = user;
    omp_set_lock(&c->lock);
    void *block = mem_alloc(&c->mem, (int64_t)bytes, 1);
    omp_unset_lock(&c->lock);
    return block;
}

static void *locked_resize(void *user, void *block, size_t bytes) {
    crew *c = user;
    omp_set_lock(&c->lock);
    bool fine = mem_resize(&c->mem, &block, (int64_t)bytes, 1);
    omp_unset_lock(&c->lock);
    return fine ? block : NULL;
}

static void locked_release(void *user, void *block) {
    crew *c = user;
    omp_set_lock(&c->lock);
    mem_free(&c->mem, block);
    omp_unset_lock(&c->lock);
}

/* The job after `last` (-1: none yet) of thread t. Ranks must have each job on the same lane as the
 * others, in the same order. */
static int64_t next_job(crew *c, int t, int64_t last) {
    if (!c->ranks) return atomic_fetch_add(&c->next, 1);
    return last < 0 ? t : last + c->threads;
}

/* The context of a job asks this: the calling thread asks the caller, the others what it said. */
static int ask(void *user, const char *stage, double fraction) {
    (void)stage;
    (void)fraction;
    worker *w = user;
    crew *c = w->all;
    if (!w->calls) return atomic_load(&c->stopped) != 0;
    double share = (double)atomic_load(&c->finished) / (double)c->list->count;
    interruption why = ctx_poll(c->outer, c->list->stage, c->list->before + share * c->list->share);
    if (why != INTERRUPT_NONE) atomic_store(&c->stopped, (int)why);
    return atomic_load(&c->stopped) != 0;
}

pare_status jobs_run(const job_list *list, interruption *stopped, const pare_ctx *ctx,
                     pare_error *err) {
    crew c = {.list = list, .outer = ctx, .mem = *ctx_allocator(ctx)};
    int threads = ctx_threads(ctx);
    int64_t failed = list->count;
    pare_status status = PARE_OK;
    *stopped = INTERRUPT_NONE;
    omp_init_lock(&c.lock);
    c.ranks = ctx_ranks(ctx);
    if (c.ranks && threads >= c.ranks->lanes) threads = c.ranks->lanes > 1 ? c.ranks->lanes - 1 : 1;
    if (threads > list->count) threads = (int)(list->count > 0 ? list->count : 1);
    pass_scheduler *scheduler = NULL;
    if (list->x && !c.ranks)
        TRY(scheduler_open(&scheduler, list->x, threads, ctx_allocator(ctx), err));
    if (scheduler && list->beside > threads)
        threads = (int)(list->beside < list->count ? list->beside : list->count);
    c.threads = threads;

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
        own.caller.progress = ask;
        own.caller.log = NULL;
        own.caller.user = &w;
        for (int64_t j = -1; (j = next_job(&c, t, j)) < list->count;) {
            if (ask(&w, NULL, 0)) continue;
            pare_error why;
            scheduler_enter(scheduler, own.answers);
            pare_status said = list->run(list->user, j, &own.ctx, &why);
            scheduler_leave(scheduler);
            if (said == PARE_E_CANCELLED) {
                int none = INTERRUPT_NONE;
                atomic_compare_exchange_strong(&c.stopped, &none, (int)INTERRUPT_TIME);
            } else if (said != PARE_OK) {
                omp_set_lock(&c.lock);
                if (j < failed) {
                    failed = j;
                    status = said;
                    if (err) *err = why;
                }
                omp_unset_lock(&c.lock);
                /* other ranks' threads may be in any of the jobs behind it: all are run */
                if (!c.ranks) atomic_store(&c.stopped, (int)INTERRUPT_CANCEL);
            }
            atomic_fetch_add(&c.finished, 1);
        }
    }
    scheduler_close(scheduler, ctx_allocator(ctx));
    *stopped = (interruption)atomic_load(&c.stopped);
    if (status == PARE_OK) ctx_stop(ctx, *stopped);
done:
    omp_destroy_lock(&c.lock);
    return status;
}
