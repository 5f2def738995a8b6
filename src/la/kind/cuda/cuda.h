/* The operations on X of a call whose context asks for the device: matrix.c takes them where the
 * device has the matrix. */
#ifndef PARE_LA_CUDA_CUDA_H
#define PARE_LA_CUDA_CUDA_H

#include "base/context.h"
#include "la/matrix.h"

/* The operations of the device of the call that ctx belongs to, if it has x and the work is worth a
 * launch: so many multiplications; else NULL. */
const mat_ops *cuda_ops_for(const matrix *x, double work, const pare_ctx *ctx);

#endif
