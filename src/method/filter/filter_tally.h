/* A column's samples by value, for filters that use ranks, cuts and bins. */
#ifndef PARE_METHOD_FILTER_FILTER_TALLY_H
#define PARE_METHOD_FILTER_FILTER_TALLY_H

#include "base/order.h"
#include "method/filter/filter.h"

typedef struct tally_buffer {
    keyed *sorted; /* 2 n */
    double *value, *weight;
    int32_t *cls, *bin; /* n + c each */
    int64_t *left;      /* c, and their weights */
    double *left_weight;
} tally_buffer;

PARE_NODISCARD pare_status tally_open(tally_buffer *buffer, arena *mem, const filter *f,
                                      pare_error *err);
/* Valid until the next column. */
tally tally_column(tally_buffer *buffer, const filter *f, const column *x);

/* Returns the index one behind the last entry with the value of entry `first`. */
static inline int64_t tally_block(const tally *t, int64_t first) {
    int64_t end = first + 1;
    while (end < t->count && t->value[end] == t->value[first]) end++;
    return end;
}

#endif
