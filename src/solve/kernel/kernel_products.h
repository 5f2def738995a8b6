/* Inner products of single features' kernels, M_jl = <K_j, K_l>, of a set of features that grows.
 * K_j: centred, of trace 1, with sample weights (solve/kernel/kernel_factor.h), kept as its thin
 * factor Phi_j, n x r_j, so that M_jl = |Phi_j' Phi_l|^2. COST per pair 2 n r_j r_l flops of matrix
 * products; memory n r per feature. */
#ifndef PARE_SOLVE_KERNEL_KERNEL_PRODUCTS_H
#define PARE_SOLVE_KERNEL_KERNEL_PRODUCTS_H

#include "base/memory.h"
#include "la/matrix.h"
#include "solve/kernel/kernel_align.h"

typedef struct kernel_products {
    const view *x;
    kernel_kind kind;
    int64_t count, capacity; /* features, and capacity in features */
    double *M;               /* count x count of leading dimension capacity */
    double *phi;             /* n x start[count]: factors one behind the other */
    int64_t *start;          /* capacity + 1: where each begins */
    int64_t phi_capacity;    /* columns */
    const pare_allocator *mem;
} kernel_products;

void kernel_products_begin(kernel_products *p, const view *x, kernel_kind kind,
                           const pare_ctx *ctx);
void kernel_products_free(kernel_products *p);

/* Adds `more` view columns. s: n sample weights, always the same; gamma, trace: of every column. */
PARE_NODISCARD pare_status kernel_products_add(kernel_products *p, const int64_t *cols,
                                               int64_t more, const double *s, const double *gamma,
                                               const double *trace, const pare_ctx *ctx,
                                               pare_error *err);

#endif
