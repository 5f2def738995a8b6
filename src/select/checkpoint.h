/* Finished splits in a file, a line each, written as soon as one is done. A run that was killed
 * resumes from there and ends with the same bytes; so do shards of the work that are merged. */
#ifndef PARE_SELECT_CHECKPOINT_H
#define PARE_SELECT_CHECKPOINT_H

#include <omp.h>

#include "select/path.h"

typedef struct checkpoint {
    const pare_allocator *mem;
    const char *path;
    const cv_plan *plan;         /* of the true labels */
    void *file;                  /* FILE *, appended to; NULL: merged */
    omp_lock_t lock;             /* of the file */
    int64_t n_records, capacity; /* read back, and the capacity of the arrays */
    int64_t *round, *part, *method;
    double **score;
    int64_t **number;
} checkpoint;

/* Opens or makes the file; what it holds must belong to `key`, 64 hexadecimal digits over all that
 * decides the results, and to the setup's shard. command: a line to keep. Records are kept in the
 * arena. Close it also after a failure. */
PARE_NODISCARD pare_status checkpoint_open(checkpoint *c, const char *path, const char key[65],
                                           const char *command, const path_setup *setup,
                                           const cv_plan *plan, arena *mem, const pare_ctx *ctx,
                                           pare_error *err);
/* Reads the records of all shards of one path, each once; missing records are an error. */
PARE_NODISCARD pare_status checkpoint_merge(checkpoint *c, const char *const *path, int64_t count,
                                            const char key[65], const path_setup *setup,
                                            const cv_plan *plan, arena *mem, const pare_ctx *ctx,
                                            pare_error *err);
/* Marks the results of the round that the file holds as done. */
void checkpoint_restore(const checkpoint *c, path_round *r);
/* Appends one record. Safe to call from many threads. */
PARE_NODISCARD pare_status checkpoint_add(checkpoint *c, const path_round *r, int64_t part,
                                          int64_t m, pare_error *err);
void checkpoint_close(checkpoint *c);

#endif
