#define _POSIX_C_SOURCE 200809L
#include "support/ranks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 16, SIMD_COLUMNS = 8, SERVICES = 8 };

typedef struct place { /* of all ranks on one lane */
    pthread_barrier_t barrier;
    const char *block[RANKS];
    const int64_t *start[RANKS];
} place;

typedef struct team {
    int count;
    place lane[SIMD_COLUMNS];
    struct {
        pare_answer answer;
        void *of;
    } service[RANKS][SERVICES];
    rank_work work;
    void *user;
} team;

typedef struct member {
    team *of;
    int index;
    pthread_t thread;
    int lanes;
} member;

static int swap(member *m, int32_t lane, const void *to, const int64_t *to_start, char *from,
                const int64_t *from_start, int all) {
    place *p = &m->of->lane[lane];
    p->block[m->index] = to;
    p->start[m->index] = to_start;
    pthread_barrier_wait(&p->barrier);
    for (int r = 0; r < m->of->count; r++) {
        int64_t at = p->start[r][all ? r : m->index], bytes = from_start[r + 1] - from_start[r];
        if (bytes > 0 && from + from_start[r] != p->block[r] + at)
            memcpy(from + from_start[r], p->block[r] + at, (size_t)bytes);
    }
    pthread_barrier_wait(&p->barrier);
    return 0;
}

static int gather(void *user, int32_t lane, void *block, const int64_t *start) {
    return swap(user, lane, block, start, block, start, 1);
}

static int exchange(void *user, int32_t lane, const void *to, const int64_t *to_start, void *from,
                    const int64_t *from_start) {
    return swap(user, lane, to, to_start, from, from_start, 0);
}

static int ask(void *user, int32_t rank, int64_t service, const void *question,
               int64_t question_bytes, void *answer, int64_t answer_bytes) {
    const team *t = ((member *)user)->of;
    return t->service[rank][service].answer(t->service[rank][service].of, question, question_bytes,
                                            answer, answer_bytes);
}

static int64_t serve(void *user, pare_answer answer, void *of) {
    member *m = user;
    int64_t k = 0;
    while (k < SERVICES && m->of->service[m->index][k].answer) k++;
    if (k == SERVICES) return -1;
    m->of->service[m->index][k].answer = answer;
    m->of->service[m->index][k].of = of;
    return k;
}

static void retire(void *user, int64_t service) {
    member *m = user;
    m->of->service[m->index][service].answer = NULL;
}

static void *begin(void *user) {
    member *m = user;
    pare_ranks ranks;
    pare_ranks_init(&ranks);
    ranks.index = m->index;
    ranks.count = m->of->count;
    ranks.lanes = m->lanes;
    ranks.user = m;
    ranks.gather = gather;
    ranks.exchange = exchange;
    ranks.ask = ask;
    ranks.serve = serve;
    ranks.retire = retire;
    m->of->work(&ranks, m->of->user);
    return NULL;
}

void ranks_run(int count, int lanes, rank_work work, void *user) {
    team *t = calloc(1, sizeof *t);
    member m[RANKS];
    if (!t || count > RANKS || lanes > SIMD_COLUMNS) abort();
    t->count = count;
    t->work = work;
    t->user = user;
    for (int k = 0; k < SIMD_COLUMNS; k++)
        pthread_barrier_init(&t->lane[k].barrier, NULL, (unsigned)count);
    for (int r = 0; r < count; r++) {
        m[r] = (member){.of = t, .index = r, .lanes = lanes};
        if (pthread_create(&m[r].thread, NULL, begin, &m[r]) != 0) abort();
    }
    for (int r = 0; r < count; r++) pthread_join(m[r].thread, NULL);
    for (int k = 0; k < SIMD_COLUMNS; k++) pthread_barrier_destroy(&t->lane[k].barrier);
    free(t);
}

pare_ctx ranks_context(const pare_ranks *ranks) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = 2;
    ctx.ranks = ranks;
    return ctx;
}
