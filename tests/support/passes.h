/* A matrix that counts the passes over it: put before the X of a data set, it shows what a path costs
 * and that what should be shared is. */
#ifndef PARE_TESTS_PASSES_H
#define PARE_TESTS_PASSES_H

#include "data/dataset.h"

typedef struct passes {
    int64_t gram;      /* mat_gram */
    int64_t gram_many; /* mat_gram_many, however many views */
    int64_t tmul, mul, stats, compact;
    int64_t walks; /* opened, also by mat_columns: one for each of its threads */
    matrix of;
} passes;

/* From here on operations on data->x are counted in *p, which must outlive the data set. */
void passes_count(passes *p, pare_data *data);

#endif
