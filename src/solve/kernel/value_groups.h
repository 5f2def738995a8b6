/* The distinct values of a feature and what mass each carries: counts, genotypes and categories
 * have few, and everything a kernel needs is then known by value, not by sample. */
#ifndef PARE_SOLVE_KERNEL_VALUE_GROUPS_H
#define PARE_SOLVE_KERNEL_VALUE_GROUPS_H

#include "base/memory.h"
#include "la/matrix.h"

enum { MAX_GROUPS = 64, GROUPS_SLOTS = 256 /* of the hash table, a power of 2 */ };

typedef struct value_groups {
    int64_t n, q;
    int64_t count;    /* distinct values */
    int64_t weighted; /* of these, with a sample of positive weight */
    double *value;    /* count */
    double *mass;     /* count x q, [g * q + c]; NULL if q is 0 */
    int32_t *code;    /* of each listed entry: its group */
    int32_t rest;     /* group of the samples that are not listed, or -1 */
    int64_t *order;   /* n scratch */
    int32_t slot[GROUPS_SLOTS];
} value_groups;

/* For columns of up to n samples with q masses each; false: out of memory. */
bool value_groups_make(value_groups *g, arena *mem, int64_t n, int64_t q);

/* Groups the column. Masses per sample are v (n x (q-1)), each column of sum 0, and s (n) of sum
 * `total`; ignored if q is 0. false: more than MAX_GROUPS values, and not `all`. */
bool value_groups_find(value_groups *g, const column *col, const double *v, const double *s,
                       int64_t n, double total, bool all);

#endif
