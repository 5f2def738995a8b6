/* Compressed sparse columns: declarations for csc.c and csc_gram.c. */
#ifndef PARE_LA_KIND_CSC_H
#define PARE_LA_KIND_CSC_H

#include "la/storage.h"

static inline const csc_arrays *csc_of(const matrix *x) { return x->self; }

/* What mat_free releases of a matrix that owns memory; `self` points to it. */
typedef struct csc_owned {
    csc_arrays of; /* first: csc_of */
    void *own[3];
    mat_release release;
} csc_owned;

/* On failure ownership stays with the caller. */
pare_status csc_keep(matrix *out, int64_t n, int64_t d, const csc_owned *what,
                     const pare_allocator *mem, pare_error *err);

/* Where the base rows occur in a view: row r at positions pos[start[r]] .. pos[start[r+1] - 1],
 * ascending. start NULL: every row at its own place. */
typedef struct row_map {
    const int32_t *start, *pos;
    bool ordered; /* the view's rows ascend, so ascending rows give ascending positions */
} row_map;

/* start holds x->n + 1 and pos v->n elements. v->rows is given. */
row_map csc_map_fill(const view *v, int32_t *start, int32_t *pos);

/* The number of entries that csc_expand will write. */
int64_t csc_expanded(const matrix *x, int64_t base, const row_map *map);

/* Writes the positions and values of a base column, missing replaced by fill (NAN keeps it) and all
 * times factor, in the order of its base rows; returns their number. */
int64_t csc_expand(const matrix *x, int64_t base, const row_map *map, double fill, double factor,
                   int32_t *index, double *value);

pare_status csc_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                     pare_error *err);
pare_status csc_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                          const pare_ctx *ctx, pare_error *err);

#endif
