/* How ranks communicate through MPI. A communicator for each lane, so that concurrent folds do not
 * mix their messages, and a thread that answers the requests of other ranks while this one
 * computes. Blocks of any size go in pieces that MPI's int can count. */
#define _DEFAULT_SOURCE
#include "talk.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE = 1 << 30, SERVICES = 64, HEAD = 3, MAX_QUESTION = 1 << 12, TAGS = 30000 };

typedef struct service {
    pare_answer answer;
    void *of;
} service;

/* State of this process, which has one MPI. */
static struct {
    int index, count, lanes;
    MPI_Comm *lane, questions, answers;
    pthread_t server;
    atomic_int ending, tag;
    atomic_llong moved;
    pthread_mutex_t lock; /* of the services */
    service service[SERVICES];
    int64_t services;
} talk = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* MPI's own waiting keeps a processor busy that other threads and ranks may need: after a while it
 * is polled only at intervals. */
static void wait_for(int count, MPI_Request *request) {
    enum { SOON = 2000, NAP_NS = 20000 };
    int there = 0;
    for (int idle = 0;; idle++) {
        MPI_Testall(count, request, &there, MPI_STATUSES_IGNORE);
        if (there) return;
        if (idle > SOON) nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
}

/* ---- on one lane ---- */

/* Starts sending to one rank, or receiving from it (out NULL), in pieces; requests: their array.
 * Returns their number. */
static int start_pieces(MPI_Comm comm, int rank, const char *out, char *in, int64_t bytes,
                        MPI_Request *request) {
    int count = 0;
    for (int64_t from = 0; from < bytes; from += PIECE) {
        int size = (int)(bytes - from < PIECE ? bytes - from : PIECE);
        if (out)
            MPI_Isend(out + from, size, MPI_BYTE, rank, 0, comm, &request[count++]);
        else
            MPI_Irecv(in + from, size, MPI_BYTE, rank, 0, comm, &request[count++]);
    }
    return count;
}

static int64_t pieces_of(int64_t bytes) { return (bytes + PIECE - 1) / PIECE; }

/* to and from may be one block, of which each rank's own part is sent to all. */
static int pass(int32_t lane, const char *to, const int64_t *to_start, char *from,
                const int64_t *from_start, bool to_all) {
    int64_t capacity = 0;
    int count = 0, me = talk.index;
    for (int r = 0; r < talk.count; r++) {
        int out = to_all ? me : r;
        capacity += pieces_of(to_start[out + 1] - to_start[out]);
        capacity += pieces_of(from_start[r + 1] - from_start[r]);
    }
    MPI_Request *request = malloc(sizeof *request * (size_t)(capacity + 1));
    if (!request) return 1;
    for (int k = 0; k < talk.count; k++) {
        int r = (me + k) % talk.count, out = to_all ? me : r;
        int64_t in_bytes = from_start[r + 1] - from_start[r];
        int64_t out_bytes = to_start[out + 1] - to_start[out];
        if (r == me) {
            if (!to_all && in_bytes > 0)
                memcpy(from + from_start[r], to + to_start[r], (size_t)in_bytes);
            continue;
        }
        count +=
            start_pieces(talk.lane[lane], r, NULL, from + from_start[r], in_bytes, request + count);
        count +=
            start_pieces(talk.lane[lane], r, to + to_start[out], NULL, out_bytes, request + count);
        atomic_fetch_add(&talk.moved, out_bytes);
    }
    wait_for(count, request);
    free(request);
    return 0;
}

static int gather(void *user, int32_t lane, void *block, const int64_t *start) {
    (void)user;
    return pass(lane, block, start, block, start, true);
}

static int exchange(void *user, int32_t lane, const void *to, const int64_t *to_start, void *from,
                    const int64_t *from_start) {
    (void)user;
    return pass(lane, to, to_start, from, from_start, false);
}

/* ---- questions ---- */

static int64_t serve(void *user, pare_answer answer, void *of) {
    (void)user;
    int64_t number = -1;
    pthread_mutex_lock(&talk.lock);
    if (talk.services < SERVICES) {
        number = talk.services++;
        talk.service[number] = (service){answer, of};
    }
    pthread_mutex_unlock(&talk.lock);
    return number;
}

static void retire(void *user, int64_t number) {
    (void)user;
    pthread_mutex_lock(&talk.lock);
    talk.service[number] = (service){0};
    while (talk.services > 0 && !talk.service[talk.services - 1].answer) talk.services--;
    pthread_mutex_unlock(&talk.lock);
}

/* Request: service, tag of the answer, its bytes, and the payload. Answer: 0 or 1, and the
 * bytes. */
static int ask(void *user, int32_t rank, int64_t number, const void *question,
               int64_t question_bytes, void *answer, int64_t answer_bytes) {
    (void)user;
    int64_t head[HEAD] = {number, atomic_fetch_add(&talk.tag, 1) % TAGS, answer_bytes};
    char message[MAX_QUESTION];
    int64_t size = (int64_t)sizeof head + question_bytes;
    int failed = 1;
    if (size > MAX_QUESTION || answer_bytes > PIECE) return 1;
    memcpy(message, head, sizeof head);
    memcpy(message + sizeof head, question, (size_t)question_bytes);
    MPI_Send(message, (int)size, MPI_BYTE, rank, 0, talk.questions);
    MPI_Request request;
    MPI_Irecv(&failed, 1, MPI_INT, rank, (int)head[1], talk.answers, &request);
    wait_for(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* it has arrived */
    if (failed) return failed;
    MPI_Irecv(answer, (int)answer_bytes, MPI_BYTE, rank, (int)head[1], talk.answers, &request);
    wait_for(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* it has arrived */
    atomic_fetch_add(&talk.moved, answer_bytes);
    return 0;
}

static void answer_one(const MPI_Status *from) {
    char message[MAX_QUESTION];
    int64_t head[HEAD];
    int size;
    MPI_Get_count(from, MPI_BYTE, &size);
    MPI_Recv(message, size, MPI_BYTE, from->MPI_SOURCE, 0, talk.questions, MPI_STATUS_IGNORE);
    memcpy(head, message, sizeof head);
    pthread_mutex_lock(&talk.lock);
    service of = head[0] >= 0 && head[0] < SERVICES ? talk.service[head[0]] : (service){0};
    pthread_mutex_unlock(&talk.lock);
    void *answer = of.answer ? malloc((size_t)head[2] + 1) : NULL;
    int failed = !answer || of.answer(of.of, message + sizeof head, size - (int64_t)sizeof head,
                                      answer, head[2]);
    MPI_Send(&failed, 1, MPI_INT, from->MPI_SOURCE, (int)head[1], talk.answers);
    if (!failed)
        MPI_Send(answer, (int)head[2], MPI_BYTE, from->MPI_SOURCE, (int)head[1], talk.answers);
    free(answer);
}

/* Polls often while requests arrive, and seldom enough to cost nothing when none do. */
static void *answer_all(void *unused) {
    enum { SOON = 200, NAP_NS = 50000 };
    int idle = 0;
    while (!atomic_load(&talk.ending)) {
        MPI_Status from;
        int there;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, talk.questions, &there, &from);
        if (there) {
            answer_one(&from);
            idle = 0;
        } else if (idle++ < SOON) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        }
    }
    return unused;
}

/* ---- from beginning to end ---- */

bool talk_begin(pare_ranks *out, int lanes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &talk.index);
    MPI_Comm_size(MPI_COMM_WORLD, &talk.count);
    talk.lanes = lanes;
    talk.lane = malloc(sizeof *talk.lane * (size_t)lanes);
    if (!talk.lane) return false;
    for (int k = 0; k < lanes; k++) MPI_Comm_dup(MPI_COMM_WORLD, &talk.lane[k]);
    MPI_Comm_dup(MPI_COMM_WORLD, &talk.questions);
    MPI_Comm_dup(MPI_COMM_WORLD, &talk.answers);
    if (pthread_create(&talk.server, NULL, answer_all, NULL) != 0) return false;
    pare_ranks_init(out);
    out->index = talk.index;
    out->count = talk.count;
    out->lanes = lanes;
    out->gather = gather;
    out->exchange = exchange;
    out->ask = ask;
    out->serve = serve;
    out->retire = retire;
    return true;
}

double talk_moved(void) { return (double)atomic_load(&talk.moved); }

void talk_end(void) {
    if (!talk.lane) return;
    atomic_store(&talk.ending, 1);
    pthread_join(talk.server, NULL);
    for (int k = 0; k < talk.lanes; k++) MPI_Comm_free(&talk.lane[k]);
    MPI_Comm_free(&talk.questions);
    MPI_Comm_free(&talk.answers);
    free(talk.lane);
    talk.lane = NULL;
}
