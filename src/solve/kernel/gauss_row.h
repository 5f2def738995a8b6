/* The Gauss kernel of one value against many, minus 1:
 *
 *   out_i = exp(gamma (x_i - at)^2) - 1,   gamma of either sign
 *
 * of which every kernel sum over pairs of samples consists. To about 2e-16 of the value however
 * small it is; exponents are clipped to +-700. COST about 1.5 ns a value, five times less than
 * expm1. */
#ifndef PARE_SOLVE_KERNEL_GAUSS_ROW_H
#define PARE_SOLVE_KERNEL_GAUSS_ROW_H

#include "solve/kernel/kernel_align.h"

/* out: count, may be x itself. */
void gauss_row(double *out, const double *x, int64_t count, double at, double gamma);

/* sum_i m_i out_i, and sum_i += w out_i, without writing out. */
double gauss_row_dot(const double *m, const double *x, int64_t count, double at, double gamma);
void gauss_row_add(double *sum, double w, const double *x, int64_t count, double at, double gamma);

/* The same for a kind of kernel, rbf or delta, [x_i = at] - 1. */
void kernel_row(double *out, const double *x, int64_t count, double at, kernel_kind kind,
                double gamma);

/* out_i = exp(factor x_i), likewise. */
void exp_row(double *out, const double *x, int64_t count, double factor);

#endif
