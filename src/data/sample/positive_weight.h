/* Zero-weight rows dropped: samples of positive weight make a data set of their own, which is
 * fitted and evaluated, so that no method, random draw or fold uses a sample of weight 0. */
#ifndef PARE_DATA_SAMPLE_POSITIVE_WEIGHT_H
#define PARE_DATA_SAMPLE_POSITIVE_WEIGHT_H

#include "base/memory.h"
#include "data/dataset.h"

typedef struct weighted_samples {
    const pare_data *data; /* the samples of positive weight: given itself, or some of its rows */
    int64_t n;             /* of given */
    int32_t *rows;         /* data->x.n: their numbers in given; NULL: all */
    pare_data *copy;       /* of all but X, or NULL */
    arena mem;
} weighted_samples;

/* Free with weighted_samples_end, also after a failure. given must live as long. */
PARE_NODISCARD pare_status weighted_samples_begin(weighted_samples *p, const pare_data *given,
                                                  const pare_ctx *ctx, pare_error *err);
void weighted_samples_end(weighted_samples *p);

/* Columns of numbers per sample: take reduces them to the samples of positive weight, and its
 * inverse puts 0 for the others. Returns v itself where all weights are positive. NULL: out of
 * memory. */
double *weighted_samples_take(const weighted_samples *p, arena *mem, double *v, int64_t columns);
double *weighted_samples_scatter(const weighted_samples *p, arena *mem, double *v, int64_t columns);

#endif
