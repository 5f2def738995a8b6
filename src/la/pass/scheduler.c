#define _POSIX_C_SOURCE 200809L
#include "la/pass/scheduler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/pass/simd_columns.h"

enum { MAX_BATCH = MAX_TMUL_REQUESTS };
/* Bytes of X: a smaller one is still in a cache when the next fit reads it. */
static const double MIN_SHARED_BYTES = 32e6;
/* Share of the columns of X: a fit that needs fewer does not wait for a batch. */
static const double MIN_SHARED_COLUMNS = 1.0 / 16;
static const long TIMEOUT_NS = 50000000; /* of the calling thread's wait for a batch */

/* A product that a fit waits for; lives on the stack of the requesting thread. */
typedef struct request {
    const tmul_request *product;
    bool served;
    pare_status status;
    pare_error error;
    struct request *next;
} request;

struct pass_scheduler {
    const matrix *x;
    pthread_mutex_t lock; /* of all below, but `chunk` */
    pthread_cond_t changed;
    int slots, taken, waiting; /* waiting: runnable fits without a slot */
    request *queue;            /* requests that no pass has begun with */
    /* the pass under way */
    request *batch; /* NULL: none */
    const tmul_request *product[MAX_BATCH];
    tmul_pass pass;
    int helpers;
    atomic_llong chunk, columns;
};

pare_status scheduler_open(pass_scheduler **out, const matrix *x, int slots, const pare_ctx *ctx,
                           pare_error *err) {
    *out = NULL;
    bool own_way = mat_ops_for(x, (double)x->n * (double)x->d, ctx)->tmul || x->missing ||
                   x->n > SIMD_BLOCK_ROWS;
    if (own_way || mat_bytes(x) < MIN_SHARED_BYTES || slots < 2) return PARE_OK;
    pass_scheduler *s = mem_zero(ctx_allocator(ctx), 1, sizeof *s);
    if (!s) return error_memory(err);
    s->x = x;
    s->slots = slots;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    *out = s;
    return PARE_OK;
}

void scheduler_close(pass_scheduler *s, const pare_allocator *mem) {
    if (!s) return;
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    mem_free(mem, s);
}

/* ---- slots; the lock is held ---- */

/* For a fit that is counted in `waiting`. */
static void take_slot(pass_scheduler *s, bool calling_thread) {
    while (s->taken >= s->slots && !calling_thread) pthread_cond_wait(&s->changed, &s->lock);
    s->taken++;
    if (--s->waiting == 0 && s->taken < s->slots) pthread_cond_broadcast(&s->changed);
}

static void yield_slot(pass_scheduler *s) {
    s->taken--;
    pthread_cond_broadcast(&s->changed);
}

void scheduler_enter(pass_scheduler *s, bool calling_thread) {
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->waiting++;
    take_slot(s, calling_thread);
    pthread_mutex_unlock(&s->lock);
}

void scheduler_leave(pass_scheduler *s) {
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    yield_slot(s);
    pthread_mutex_unlock(&s->lock);
}

/* ---- passes; the lock is held ---- */

/* Starts a pass for all requests in the queue, or for `single` without the others. */
static void begin(pass_scheduler *s, request *single) {
    int64_t count = 0;
    request **end = &s->queue;
    if (single) {
        while (*end != single) end = &(*end)->next;
        *end = single->next;
        single->next = NULL;
        s->batch = single;
        s->product[count++] = single->product;
    } else {
        for (; *end && count < MAX_BATCH; end = &(*end)->next)
            s->product[count++] = (*end)->product;
        s->batch = s->queue;
        s->queue = *end;
        *end = NULL;
    }
    s->pass = tmul_plan(s->product, count);
    atomic_store(&s->chunk, 0);
    atomic_store(&s->columns, 0);
    pthread_cond_broadcast(&s->changed);
}

static void finish(pass_scheduler *s, const pare_ctx *ctx) {
    double column_bytes = mat_bytes(s->x) / (double)s->x->d;
    ctx_count(ctx, column_bytes * (double)atomic_load(&s->columns), 0);
    for (request *r = s->batch, *next; r; r = next) {
        next = r->next; /* once served, r is gone as soon as the lock is free */
        r->status = failure_end(&s->pass.failed, &r->error);
        r->served = true;
        s->waiting++; /* its fit is runnable again */
    }
    s->batch = NULL;
    pthread_cond_broadcast(&s->changed);
}

/* Computes chunks of the pass until all have been begun with. */
static void help(pass_scheduler *s, double *scratch, const pare_ctx *ctx) {
    s->helpers++;
    s->taken++;
    pthread_mutex_unlock(&s->lock);
    for (int64_t k; (k = atomic_fetch_add(&s->chunk, 1)) < s->pass.chunks;)
        atomic_fetch_add(&s->columns, tmul_chunk(&s->pass, k, scratch));
    pthread_mutex_lock(&s->lock);
    s->helpers--;
    yield_slot(s);
    if (s->helpers == 0) finish(s, ctx);
}

static bool unfinished(pass_scheduler *s) {
    return s->batch && atomic_load(&s->chunk) < s->pass.chunks;
}

/* Waits for a change; false: the calling thread's timeout has passed. */
static bool wait_for_change(pass_scheduler *s, bool calling_thread) {
    struct timespec until;
    if (!calling_thread) return pthread_cond_wait(&s->changed, &s->lock) == 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TIMEOUT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(&s->changed, &s->lock, &until) == 0;
}

/* ---- a request ---- */

bool scheduler_takes(const tmul_request *a, const pare_ctx *ctx) {
    const pass_scheduler *s = ctx_scheduler(ctx);
    return s && a->v->x == s->x && a->v->n <= s->x->n &&
           (double)a->v->d >= MIN_SHARED_COLUMNS * (double)s->x->d && tmul_shares(a);
}

pare_status scheduler_tmul(const tmul_request *a, const pare_ctx *ctx, pare_error *err) {
    pass_scheduler *s = ctx_scheduler(ctx);
    bool calling_thread = ctx_answers(ctx), timed_out = false;
    request own = {.product = a}, **end = &s->queue;
    arena mem = arena_of(ctx);
    double *scratch = ARENA_NEW(&mem, double, tmul_scratch_shared(s->x));
    if (!scratch) return error_memory(err);
    pthread_mutex_lock(&s->lock);
    while (*end) end = &(*end)->next;
    *end = &own;
    yield_slot(s);
    while (!own.served) {
        bool may_run = s->taken < s->slots || timed_out;
        if (unfinished(s) && may_run)
            help(s, scratch, ctx);
        else if (!s->batch && may_run && (s->waiting == 0 || timed_out))
            begin(s, timed_out ? &own : NULL); /* the caller is waiting for this one */
        else
            timed_out = !wait_for_change(s, calling_thread) || timed_out;
    }
    take_slot(s, calling_thread);
    pthread_mutex_unlock(&s->lock);
    arena_free(&mem);
    if (own.status != PARE_OK && err) *err = own.error;
    return own.status;
}
