/* Kernels of single features: their alignment with a target (kernel_align.h), weighted sums
 * (kernel_sum.h), sums applied to other samples (kernel_apply.h), forms over pairs (pair_form.h),
 * inner products (kernel_products.h) and the weights that follow from them (gram_nnls.h, kta_weights.h,
 * kta_basis.h); kernels applied one by one (kernel_columns.h) and multiple kernel learning with them
 * (mkl_newton.h, l1_mkl.h). */
#ifndef PARE_SOLVE_KERNEL_H
#define PARE_SOLVE_KERNEL_H

#include "solve/kernel/gauss_row.h"
#include "solve/kernel/gram_nnls.h"
#include "solve/kernel/kernel_align.h"
#include "solve/kernel/kernel_apply.h"
#include "solve/kernel/kernel_columns.h"
#include "solve/kernel/kernel_products.h"
#include "solve/kernel/kernel_sum.h"
#include "solve/kernel/kta_basis.h"
#include "solve/kernel/kta_weights.h"
#include "solve/kernel/l1_mkl.h"
#include "solve/kernel/mkl_newton.h"
#include "solve/kernel/pair_form.h"

#endif
