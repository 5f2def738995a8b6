/* Ranks: processes, usually on several machines, that share one computation, each with some of the
 * features. The library does not know how they communicate: a program with a means of communication
 * (the command line uses MPI) passes these functions in pare_ctx.ranks. All ranks make the same
 * calls in the same order with the same arguments; each gets the same result, byte for byte that of
 * a single process. X is divided when it is read (pare_data_read); see docs/clusters.md. */
#ifndef PARE_RANKS_H
#define PARE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <pare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Answers a request of another rank, from any thread, while this rank computes. Returns 0 if
 * answered. */
typedef int (*pare_answer)(void *of, const void *question, int64_t question_bytes, void *answer,
                           int64_t answer_bytes);

/* Owned by the caller, initialised by pare_ranks_init; the functions return 0 on success. Calls on
 * different lanes come from different threads at once and do not wait for each other; those on one
 * lane are sequential. */
typedef struct pare_ranks {
    size_t struct_size;
    int32_t index, count; /* this rank, from 0, and the number of ranks */
    int32_t lane;         /* 0; the library's own copies use others */
    int32_t lanes;        /* number of lanes: one, and one for each thread that runs folds */
    void *user;           /* passed to the functions */
    /* block[start[r]] .. block[start[r + 1] - 1] is rank r's part, in bytes: each rank fills in its
       own part and receives all parts. No rank returns before all have called. */
    int (*gather)(void *user, int32_t lane, void *block, const int64_t *start);
    /* to[to_start[r]] .. goes to rank r, from[from_start[r]] .. comes from it. */
    int (*exchange)(void *user, int32_t lane, const void *to, const int64_t *to_start, void *from,
                    const int64_t *from_start);
    /* Sends a request to the service of that number on one rank; from any thread, at any time. */
    int (*ask)(void *user, int32_t rank, int64_t service, const void *question,
               int64_t question_bytes, void *answer, int64_t answer_bytes);
    /* Opens a service, which has the same number on all ranks, or returns -1; closes it. */
    int64_t (*serve)(void *user, pare_answer answer, void *of);
    void (*retire)(void *user, int64_t service);
} pare_ranks;

/* A single rank without communication. */
PARE_API void pare_ranks_init_sized(pare_ranks *ranks, size_t struct_size);
#define pare_ranks_init(ranks) pare_ranks_init_sized((ranks), sizeof *(ranks))

#ifdef __cplusplus
}
#endif
#endif
