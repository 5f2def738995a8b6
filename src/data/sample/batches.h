/* Batches of samples: what is to be done about them, and which samples are of which. */
#ifndef PARE_DATA_SAMPLE_BATCHES_H
#define PARE_DATA_SAMPLE_BATCHES_H

#include "base/memory.h"
#include "data/dataset.h"

enum { MIN_ADAPT = 8 }; /* samples of a new batch from which it can be estimated */

/* "center" or "combat"; NULL is center. "refuse", "pooled" or "adapt"; NULL is refuse. Return errors for
 * other words. */
PARE_NODISCARD pare_status batch_method_parse(batch_method *out, const char *word, pare_error *err);
PARE_NODISCARD pare_status batch_unseen_parse(batch_unseen *out, const char *word, pare_error *err);
const char *batch_method_name(batch_method method);
const char *batch_unseen_name(batch_unseen how);

/* The batches of the data: names in the order of their first sample, and the number of each sample. */
typedef struct batch_list {
    int64_t count;
    const char **name; /* owned by the data */
    int32_t *of;       /* n */
    int64_t *size;     /* count: samples */
} batch_list;
PARE_NODISCARD pare_status batches_of(batch_list *out, arena *mem, const pare_data *data,
                                      pare_error *err);

/* How many there are; n where memory is short. */
int64_t batches_count(const pare_data *data);

/* Appends the batches of the samples `rows` (NULL: the first n), with their column and what is to be done
 * about them. Returns false when out of memory. */
bool batches_take(pare_data *out, const pare_data *from, const int32_t *rows, int64_t n);

/* Cramer's V of two numberings of n samples, and the p-value of their independence; count_a and count_b
 * numbers each. V is NaN where one of them is the same for all. */
PARE_NODISCARD pare_status batches_cramer(double *v, double *p, const int32_t *a, int64_t count_a,
                                          const int32_t *b, int64_t count_b, int64_t n,
                                          const pare_ctx *ctx, pare_error *err);

/* The batch of a model's or a fold's that is not there: the sentence that names the option. */
PARE_NODISCARD pare_status batch_refuse_unseen(const char *name, pare_error *err);
/* The same of a batch that has one. */
PARE_NODISCARD pare_status batch_refuse_single(const char *name, pare_error *err);
/* Rejects a batch of too few samples to be estimated. */
PARE_NODISCARD pare_status batch_check_adapt(const char *name, int64_t count, pare_error *err);

#endif
