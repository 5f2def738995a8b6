/* What the storage kinds behind matrix.h share: from view columns to base columns, and their
 * scaling. */
#ifndef PARE_LA_STORAGE_H
#define PARE_LA_STORAGE_H

#include <math.h>

#include "base/context.h"
#include "la/matrix.h"

/* The base column behind a view column. */
static inline int64_t view_base(const view *v, int64_t j) { return v->cols ? v->cols[j] : j; }

/* Missing -> fill, then (x - shift) * scale. Without fill, missing stays NaN. */
typedef struct transform {
    double fill, shift, scale;
} transform;

static inline transform view_transform(const view *v, int64_t base) {
    return (transform){v->fill ? v->fill[base] : NAN, v->shift ? v->shift[base] : 0,
                       v->scale ? v->scale[base] : 1};
}

static inline double transform_value(transform t, double x) {
    return ((x == x ? x : t.fill) - t.shift) * t.scale;
}

/* How the entries of a matrix are made of those of the one that stores them, in this order: entry
 * (i, j) is that of row rows[i] (NULL: i), times col[j], times row[i] (NULL: 1), and then
 * asinh((x - median[j]) / spread[j]) where there is a spread above 0. */
typedef struct entry_chain {
    const matrix *base;
    const int32_t *rows;
    const double *row, *col, *median, *spread;
} entry_chain;
/* false: they are made in another way. */
bool mat_chain(const matrix *x, entry_chain *out);

/* The operations of x: those of the device of the call that ctx belongs to, where it has x and so
 * many multiplications are worth a launch, else the kind's own. */
const mat_ops *mat_ops_for(const matrix *x, double work, const pare_ctx *ctx);

/* Opens a walk along the columns of w->v by its kind. */
pare_status walk_begin(walk *w, pare_error *err);

/* Sets x->missing by a walk along its columns, or some of them. */
pare_status mat_look_within(matrix *x, int64_t from, int64_t to, const pare_allocator *mem,
                            pare_error *err);
pare_status mat_look_for_missing(matrix *x, const pare_allocator *mem, pare_error *err);

/* Doubles or floats in columns, to be filled: mat_ops.make of these kinds. */
pare_status mat_dense_make(matrix *out, int64_t n, int64_t d, const pare_allocator *mem,
                           pare_error *err);

pare_status mat_float32_make(matrix *out, int64_t n, int64_t d, const pare_allocator *mem,
                             pare_error *err);

/* mat_ops.compact of a kind whose walks list the entries of sparse columns. */
pare_status mat_compact_sparse(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err);

/* Whether some value is NaN. */
bool any_missing(const double *value, int64_t count);

/* Returns true if the view shows values as they are stored: it neither scales nor imputes. */
static inline bool view_is_raw(const view *v) {
    return !v->shift && !v->scale && (!v->x->missing || !v->fill);
}

static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* Threads for so many elementary operations: for little work, waking threads costs more than it
 * saves. */
static inline int work_threads(const pare_ctx *ctx, double operations) {
    return operations < 1 << 15 ? 1 : ctx_threads(ctx);
}

#endif
