/* The plan of a cross-validation: its splits, which JSON calls parts: the samples that train and
 * those that test in each. */
#ifndef PARE_SELECT_PLAN_H
#define PARE_SELECT_PLAN_H

#include "task/task.h"

typedef struct cv_part {
    const int32_t *train, *test; /* rows of the data, ascending */
    int64_t n_train, n_test;
} cv_part;

typedef struct cv_plan {
    int64_t count;
    cv_part *part;
    double ratio; /* mean of n_test / n_train over the splits */
} cv_plan;

typedef struct cv_request {
    int64_t folds, repeats;
    int64_t splits, n_train; /* splits above 0: instead of folds */
    const int32_t *group;    /* of each sample of the data, or NULL */
    const int32_t *given;    /* fold of each sample of the data, or NULL; if given, it overrides the
                                fields above, and folds without samples are skipped */
    int64_t n_given;
    const int8_t
        *role; /* n_parts x n of the data, or NULL; if given, it overrides the fields above: a
                  PART_... of each sample */
    int64_t n_parts;
} cv_request;
enum { PART_OUT, PART_TRAIN, PART_TEST };

/* Splits of the samples `rows` (NULL: all n, which given roles need), stratified by the classes of
 * y; y, group and given are over all samples of the data. The plan lives in the arena. Returns an
 * error for folds that cannot be made, and for a split whose training samples lack a class. */
PARE_NODISCARD pare_status plan_make(cv_plan *out, arena *mem, const cv_request *request,
                                     const target *y, const int32_t *rows, int64_t n, uint64_t seed,
                                     const pare_ctx *ctx, pare_error *err);

/* A seed for one purpose, derived from another seed. */
uint64_t plan_seed(uint64_t seed, uint64_t purpose);

/* fold[i] for n samples from a file with one name per line; *count of different names, which are
 * numbered in the order of their first line. */
PARE_NODISCARD pare_status plan_read(int32_t *fold, int64_t n, int64_t *count, const char *path,
                                     const pare_ctx *ctx, pare_error *err);

/* Numbers the strings in the order in which they first occur: the samples' groups. */
PARE_NODISCARD pare_status plan_number(int32_t *number, int64_t *count, const strings *names,
                                       const pare_ctx *ctx, pare_error *err);

#endif
