/* A sample of weight 0 is not there: what is fitted and judged are the others, as a data set of their
 * own, so that no method, draw or fold ever sees it. */
#ifndef PARE_DATA_SAMPLE_POSITIVE_WEIGHT_H
#define PARE_DATA_SAMPLE_POSITIVE_WEIGHT_H

#include "base/memory.h"
#include "data/dataset.h"

typedef struct weighted_samples {
    const pare_data
        *data;       /* the samples of positive weight: given, or its rows without the others */
    int64_t n;       /* of given */
    int32_t *rows;   /* data->x.n: which samples of given they are; NULL: all */
    pare_data *copy; /* of all but X, or NULL */
    arena mem;
} weighted_samples;

/* Free with weighted_samples_end, also after a failure. given must live as long. */
PARE_NODISCARD pare_status weighted_samples_begin(weighted_samples *p, const pare_data *given,
                                                  const pare_ctx *ctx, pare_error *err);
void weighted_samples_end(weighted_samples *p);

/* Columns of numbers per sample, from all samples to those present and back, where absent ones have
 * 0; v itself where all are present. NULL: out of memory. */
double *weighted_samples_take(const weighted_samples *p, arena *mem, double *v, int64_t columns);
double *weighted_samples_scatter(const weighted_samples *p, arena *mem, double *v, int64_t columns);

#endif
