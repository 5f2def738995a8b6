/* Ranks: processes, usually on several machines, that do one piece of work together, each with a part
 * of the features. The library does not know how they talk to each other: a program that has a way
 * (the command line's is MPI) hands it these functions in pare_ctx.ranks. All ranks make the same
 * calls in the same order with the same arguments; each gets the same result, and its bytes are those
 * of one process alone. X is divided when it is read (pare_data_read); see docs/clusters.md. */
#ifndef PARE_RANKS_H
#define PARE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <pare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Answers a question of another rank, from whatever thread, while this one works. 0: answered. */
typedef int (*pare_answer)(void *of, const void *question, int64_t question_bytes, void *answer,
                           int64_t answer_bytes);

/* Owned by the caller, filled by pare_ranks_init and then by the caller; the functions return 0 when
 * all went well. Calls on different lanes come from different threads at once and do not wait for
 * each other; those on one lane come one after the other. */
typedef struct pare_ranks {
    size_t struct_size;
    int32_t index, count; /* this rank, from 0, and how many there are */
    int32_t lane;         /* 0; the library's own copies have others */
    int32_t lanes;        /* lanes there are: one, and one for each thread that is to run folds */
    void *user;           /* handed to the functions */
    /* block[start[r]] .. block[start[r + 1] - 1] is rank r's part, in bytes: each comes with its own
     * part filled in and leaves with all of them. Nobody leaves before all have come. */
    int (*gather)(void *user, int32_t lane, void *block, const int64_t *start);
    /* to[to_start[r]] .. goes to rank r, from[from_start[r]] .. comes from it. */
    int (*exchange)(void *user, int32_t lane, const void *to, const int64_t *to_start, void *from,
                    const int64_t *from_start);
    /* Asks the service of that number on one rank; any thread may, at any time. */
    int (*ask)(void *user, int32_t rank, int64_t service, const void *question,
               int64_t question_bytes, void *answer, int64_t answer_bytes);
    /* Opens a service, which has the same number on all ranks, or returns -1; and closes it. */
    int64_t (*serve)(void *user, pare_answer answer, void *of);
    void (*retire)(void *user, int64_t service);
} pare_ranks;

/* One rank alone, which talks to nobody. */
PARE_API void pare_ranks_init_sized(pare_ranks *ranks, size_t struct_size);
#define pare_ranks_init(ranks) pare_ranks_init_sized((ranks), sizeof *(ranks))

#ifdef __cplusplus
}
#endif
#endif
