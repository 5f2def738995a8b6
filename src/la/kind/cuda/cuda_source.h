/* Columns of a view as the device reads them: those of one call, some at a time. */
#ifndef PARE_LA_CUDA_SOURCE_H
#define PARE_LA_CUDA_SOURCE_H

#include "la/kind/cuda/cuda_device.h"

/* What a view has for each column; the first three are the matrix's own. */
typedef enum cuda_array {
    CUDA_COL,
    CUDA_MEDIAN,
    CUDA_SPREAD,
    CUDA_FILL,
    CUDA_SHIFT,
    CUDA_SCALE,
    CUDA_ARRAYS
} cuda_array;

enum { CUDA_RAW = CUDA_FILL, CUDA_UNSCALED = CUDA_SCALE, CUDA_SCALED = CUDA_ARRAYS };

typedef struct cuda_source {
    cuda_device *d;
    const view *v;
    const int64_t *S; /* view columns of the call; NULL: all, in order */
    int64_t count;
    entry_chain by;
    const double *array[CUDA_ARRAYS]; /* by base column, or NULL */
    /* in the lane: */
    cuda_span base, of_array[CUDA_ARRAYS], rows, factor, raw, stored;
    int64_t from, now; /* the columns there */
} cuda_source;

/* arrays: so many of them are used, CUDA_RAW, CUDA_UNSCALED or CUDA_SCALED. */
void cuda_source_open(cuda_source *s, cuda_device *d, const view *v, const int64_t *S,
                      int64_t count, int arrays);

/* The columns that go at a time, for an operation that needs so many more bytes for each: a multiple
 * of `unit`. */
int64_t cuda_source_chunk(const cuda_source *s, size_t bytes, int64_t unit);

/* Adds to the plan the inputs for `chunk` columns, and scratch if X goes in blocks. */
void cuda_source_plan(cuda_source *s, cuda_plan *p, int64_t chunk);
/* Writes columns from .. from + count - 1 of the call to the lane's inputs; */
PARE_NODISCARD pare_status cuda_source_write(cuda_source *s, cuda_lane *lane, int64_t from,
                                             int64_t count, int threads, pare_error *err);
/* and after the upload stores them, if X goes in blocks. */
PARE_NODISCARD pare_status cuda_source_store(const cuda_source *s, cuda_lane *lane,
                                             pare_error *err);

cuda_columns cuda_source_columns(const cuda_source *s, const cuda_lane *lane);
cuda_rows cuda_source_rows(const cuda_source *s, const cuda_lane *lane);
/* NULL: the view has none. */
const double *cuda_source_array(const cuda_source *s, const cuda_lane *lane, cuda_array which);

/* The stored row of a row of the view, and its factor (1 without any). */
int32_t cuda_source_row(const cuda_source *s, int64_t i);
double cuda_source_factor(const cuda_source *s, int64_t i);

/* Copies X to the device, or sees to it that it goes in blocks. */
PARE_NODISCARD pare_status cuda_place(cuda_device *d, int threads, pare_error *err);

#endif
