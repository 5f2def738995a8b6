/* A copy of a view's columns in one byte a number, for bounds of X'U that do not read X.
 *
 * Column k is step[k] times whole numbers from -127 to 127, off by half a step at most, so that a
 * product with u is known to within step[k] times byte_copy_error(u). A method that weighs exactly
 * whatever these bounds leave open gets the same result as without the copy. */
#ifndef PARE_LA_PASS_BYTE_COPY_H
#define PARE_LA_PASS_BYTE_COPY_H

#include "la/matrix.h"

typedef struct byte_copy {
    int8_t *value; /* columns x pitch; NULL: there is no copy */
    double *step;  /* columns */
    int64_t n, pitch, columns;
    double reserved; /* bytes, of the context's memory for copies */
} byte_copy;

/* Reserves and allocates a copy of the view's columns, to be filled next. out->value stays NULL where
 * there is to be none: X is small, sparse or distributed, is imputed, has many rows or its own way
 * to compute X'U with c columns of U, or the context has no memory left for copies. */
PARE_NODISCARD pare_status byte_copy_open(byte_copy *out, const view *v, int64_t c,
                                          const pare_ctx *ctx, pare_error *err);

/* Fills the copy, and W = X'U (d x c) with the bits of mat_tmul, in one pass over X. */
PARE_NODISCARD pare_status byte_copy_fill(byte_copy *copy, const view *v, const double *U,
                                          int64_t c, double *W, const pare_ctx *ctx,
                                          pare_error *err);

/* out[k] (columns): about x_k'u, to within step[k] * byte_copy_error(copy, u). */
void byte_copy_tmul(const byte_copy *copy, const double *u, double *out, const pare_ctx *ctx);
double byte_copy_error(const byte_copy *copy, const double *u);

/* Column `from` becomes column `to`, which must not be larger. */
void byte_copy_move(byte_copy *copy, int64_t from, int64_t to);
/* Drops all columns from `columns` on. */
void byte_copy_cut(byte_copy *copy, int64_t columns, const pare_ctx *ctx);

/* A zeroed or freed copy may be freed again. */
void byte_copy_free(byte_copy *copy, const pare_ctx *ctx);

#endif
