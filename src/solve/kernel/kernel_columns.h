/* Single features' kernels applied to a few vectors:
 *
 *   T_j = H K_j U / tr(HK_jH),   n x c for each feature j,   H = I - 1 s'/S
 *
 * for U (n x c) whose columns sum to 0. k_j: rbf, linear or delta. COST per feature u^2 kernel
 * values where it has few distinct values, O(20 n) per vector by Chebyshev moments otherwise
 * (solve/kernel/gauss_form.h). One pass over the requested columns. */
#ifndef PARE_SOLVE_KERNEL_KERNEL_COLUMNS_H
#define PARE_SOLVE_KERNEL_KERNEL_COLUMNS_H

#include "la/matrix.h"
#include "solve/kernel/kernel_align.h"

typedef struct kernel_columns {
    const view *x;
    kernel_kind kind;
    const double *gamma, *trace; /* of every view column; trace > 0 for the requested ones */
    const double *s;             /* n sample weights */
    int64_t c;
    arena mem;
    int threads, opened;
    struct columns_work *work; /* one per thread */
    struct gauss_tables *tables;
} kernel_columns;

/* Borrows all it is given. Close it also after a failure. */
PARE_NODISCARD pare_status kernel_columns_open(kernel_columns *k, const view *x, kernel_kind kind,
                                               const double *gamma, const double *trace,
                                               const double *s, int64_t c, const pare_ctx *ctx,
                                               pare_error *err);
/* T of the view columns own[0 .. count), n c numbers each, contiguous. */
void kernel_columns_take(kernel_columns *k, const int64_t *own, int64_t count, const double *U,
                         double *T);
/* `status`, or if that is PARE_OK the status of reading: a column that cannot be read counts as
 * 0. */
PARE_NODISCARD pare_status kernel_columns_close(kernel_columns *k, pare_status status,
                                                pare_error *err);

#endif
