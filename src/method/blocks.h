/* The feature groups of a job as blocks of its view columns, for problems that penalise groups, and the
 * signs of its features. */
#ifndef PARE_METHOD_BLOCKS_H
#define PARE_METHOD_BLOCKS_H

#include "method/method.h"
#include "solve/lp/lp.h"

typedef struct feature_blocks {
    int64_t count;
    const int64_t *of;       /* d: the block of a view column; NULL: there are no groups */
    const int64_t *start;    /* count + 1 */
    const int64_t *member;   /* d: view columns, block after block, ascending within each */
    bool counted;            /* k counts blocks, not features */
    const signed char *sign; /* d; NULL: there are none */
} feature_blocks;

/* Blocks are numbered by their first column. From the arena; no groups: count 0. */
PARE_NODISCARD pare_status blocks_of(feature_blocks *out, arena *mem, const fit_job *job,
                                     pare_error *err);

/* The same for linear programs; returns NULL if there are none. */
const lp_groups *blocks_lp(lp_groups *out, const feature_blocks *b);

/* Replaces the cost (d) of every column by the mean over its block. */
void blocks_mean(const feature_blocks *b, double *cost);

/* Replaces the price (d), by x'u, of every column by what of it its weight may follow. */
void blocks_pull(const feature_blocks *b, double *price, int64_t d);

/* Replaces the value (d) of every column by the sum over its block, or the largest; sum: scratch,
 * count. */
void blocks_sum(const feature_blocks *b, double *value, double *sum);
void blocks_largest(const feature_blocks *b, double *value);

/* Returns how many blocks have a column with a positive value. */
int64_t blocks_active(const feature_blocks *b, const double *value);

#endif
