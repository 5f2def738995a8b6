#define _POSIX_C_SOURCE 200809L
#include "la/pass/scheduler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/pass/simd_columns.h"

enum { MOST = TMUL_MAX_REQUESTS };
static const double LARGE_BYTES =
    32e6; /* of X: less is in a cache by the time it is asked for again */
static const double WORTH = 1.0 / 16;     /* of the columns of X: for fewer one does not wait */
static const long PATIENCE_NS = 50000000; /* of the thread that answers the caller */

/* A product that is asked for; lives with who asks. */
typedef struct wish {
    const tmul_request *ask;
    bool granted;
    pare_status status;
    pare_error error;
    struct wish *next;
} wish;

struct meeting {
    const matrix *x;
    pthread_mutex_t lock; /* of all below, but `chunk` */
    pthread_cond_t news;
    int seats, taken, waiting; /* waiting: who could go on, had they a seat */
    wish *first;               /* wishes nobody has begun with */
    /* the pass under way */
    wish *served; /* NULL: none */
    const tmul_request *ask[MOST];
    tmul_pass pass;
    int helpers;
    atomic_llong chunk, columns;
};

pare_status scheduler_open(meeting **out, const matrix *x, int seats, const pare_allocator *mem,
                           pare_error *err) {
    *out = NULL;
    bool own_way = x->ops->tmul || x->missing || x->n > SIMD_BLOCK_ROWS;
    if (own_way || mat_bytes(x) < LARGE_BYTES || seats < 2) return PARE_OK;
    meeting *m = mem_zero(mem, 1, sizeof *m);
    if (!m) return error_memory(err);
    m->x = x;
    m->seats = seats;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->news, NULL);
    *out = m;
    return PARE_OK;
}

void scheduler_close(meeting *m, const pare_allocator *mem) {
    if (!m) return;
    pthread_cond_destroy(&m->news);
    pthread_mutex_destroy(&m->lock);
    mem_free(mem, m);
}

/* ---- seats; the lock is held ---- */

/* For one that is counted among the waiting. */
static void take_slot(meeting *m, bool answers) {
    while (m->taken >= m->seats && !answers) pthread_cond_wait(&m->news, &m->lock);
    m->taken++;
    if (--m->waiting == 0 && m->taken < m->seats) pthread_cond_broadcast(&m->news);
}

static void yield_slot(meeting *m) {
    m->taken--;
    pthread_cond_broadcast(&m->news);
}

void scheduler_enter(meeting *m, bool answers) {
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    m->waiting++;
    take_slot(m, answers);
    pthread_mutex_unlock(&m->lock);
}

void scheduler_leave(meeting *m) {
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    yield_slot(m);
    pthread_mutex_unlock(&m->lock);
}

/* ---- passes; the lock is held ---- */

/* A pass for all wishes so far, or for one of them alone. */
static void begin(meeting *m, wish *alone) {
    int64_t count = 0;
    wish **end = &m->first;
    if (alone) {
        while (*end != alone) end = &(*end)->next;
        *end = alone->next;
        alone->next = NULL;
        m->served = alone;
        m->ask[count++] = alone->ask;
    } else {
        for (; *end && count < MOST; end = &(*end)->next) m->ask[count++] = (*end)->ask;
        m->served = m->first;
        m->first = *end;
        *end = NULL;
    }
    m->pass = tmul_plan(m->ask, count);
    atomic_store(&m->chunk, 0);
    atomic_store(&m->columns, 0);
    pthread_cond_broadcast(&m->news);
}

static void grant(meeting *m, const pare_ctx *ctx) {
    double whole = mat_bytes(m->x) / (double)m->x->d;
    ctx_count(ctx, whole * (double)atomic_load(&m->columns), 0);
    for (wish *w = m->served, *next; w; w = next) {
        next = w->next; /* w is gone as soon as it is granted and the lock is free */
        w->status = failure_end(&m->pass.failed, &w->error);
        w->granted = true;
        m->waiting++; /* for a seat */
    }
    m->served = NULL;
    pthread_cond_broadcast(&m->news);
}

/* Takes part in the pass until nothing of it is left to begin with. */
static void help(meeting *m, double *scratch, const pare_ctx *ctx) {
    m->helpers++;
    m->taken++;
    pthread_mutex_unlock(&m->lock);
    for (int64_t k; (k = atomic_fetch_add(&m->chunk, 1)) < m->pass.chunks;)
        atomic_fetch_add(&m->columns, tmul_chunk(&m->pass, k, scratch));
    pthread_mutex_lock(&m->lock);
    m->helpers--;
    yield_slot(m);
    if (m->helpers == 0) grant(m, ctx);
}

static bool unfinished(meeting *m) { return m->served && atomic_load(&m->chunk) < m->pass.chunks; }

/* Waits for news; false: for too long. */
static bool wait_news(meeting *m, bool answers) {
    struct timespec until;
    if (!answers) return pthread_cond_wait(&m->news, &m->lock) == 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(&m->news, &m->lock, &until) == 0;
}

/* ---- one who asks ---- */

bool scheduler_takes(const tmul_request *a, const pare_ctx *ctx) {
    const meeting *m = ctx_scheduler(ctx);
    return m && a->v->x == m->x && a->v->n <= m->x->n &&
           (double)a->v->d >= WORTH * (double)m->x->d && tmul_shares(a);
}

pare_status scheduler_tmul(const tmul_request *a, const pare_ctx *ctx, pare_error *err) {
    meeting *m = ctx_scheduler(ctx);
    bool answers = ctx_answers(ctx), patient = true;
    wish own = {.ask = a}, **end = &m->first;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    double *scratch = ARENA_NEW(&mem, double, tmul_scratch_shared(m->x));
    if (!scratch) return error_memory(err);
    pthread_mutex_lock(&m->lock);
    while (*end) end = &(*end)->next;
    *end = &own;
    yield_slot(m);
    while (!own.granted) {
        bool room = m->taken < m->seats || !patient;
        if (unfinished(m) && room)
            help(m, scratch, ctx);
        else if (!m->served && room && (m->waiting == 0 || !patient))
            begin(m, patient ? NULL : &own); /* out of patience: no time for others */
        else
            patient = wait_news(m, answers) && patient;
    }
    take_slot(m, answers);
    pthread_mutex_unlock(&m->lock);
    arena_free(&mem);
    if (own.status != PARE_OK && err) *err = own.error;
    return own.status;
}
