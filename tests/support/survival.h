/* Random data sets of times to an event, for tests of whole fits. */
#ifndef PARE_TESTS_SURVIVAL_H
#define PARE_TESTS_SURVIVAL_H

#include "support/problem.h"

/* What a data set has besides times and features; bits. */
enum {
    SURVIVAL_STRATA = 1,
    SURVIVAL_WEIGHTS = 2,
    SURVIVAL_OFFSET = 4,
    SURVIVAL_KEPT = 8, /* features 0 and 2 are forced in */
    SURVIVAL_COSTS = 16,
    SURVIVAL_GROUPS = 32,
    SURVIVAL_KINDS = 64
};

typedef struct survival_problem {
    int64_t n, d, n_strata;
    double *x; /* n x d */
    double *time, *weight, *offset;
    bool *event;
    int32_t *stratum;
    pare_data *data;
} survival_problem;

/* times: of how many whole numbers; the first two features shorten them. Fails the test on an error. */
survival_problem survival_make(rng *r, int64_t n, int64_t d, int64_t times, int what);
void survival_free(survival_problem *p);

#endif
