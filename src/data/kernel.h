/* A kernel predictor as models keep it, in raw units:
 *     f_o(x) = intercept_o + sum_s alpha_so k(x_s, x),
 *     rbf    k(u, v) = exp(-sum_j gamma_j (u_j - v_j)^2)
 *     rbf, combined as a sum   k(u, v) = sum_j weight_j exp(-gamma_j (u_j - v_j)^2)
 *     delta, always a sum      k(u, v) = sum_j weight_j [u_j = v_j]
 *     poly   k(u, v) = (sum_j gamma_j (u_j - shift_j) (v_j - shift_j) + coef0)^degree
 * with j over the model's selected features and shift the model's. */
#ifndef PARE_DATA_KERNEL_H
#define PARE_DATA_KERNEL_H

#include <pare/model.h>

#include "base/memory.h"
#include "base/settings.h"

typedef struct kernel_model {
    char type[CHOICE_SIZE]; /* "rbf", "poly" or "delta" */
    double *weight;         /* n_selected, for a sum of single features' kernels; else NULL */
    double degree, coef0;   /* poly */
    int64_t n_support;      /* samples that it is spanned by */
    double *gamma;          /* n_selected: the kernel's gamma times the feature's scale squared */
    double *alpha;          /* n_support x n_outputs, signed */
    double *x;              /* n_support x n_selected, column-major, imputed */
} kernel_model;

/* k from its inner sum: a weighted squared distance (rbf) or inner product (poly); a sum of kernels
 * is its own. */
double kernel_value(const kernel_model *k, double sum);

/* Its n_support kernel values with every sample of a block, n x n_support, from the columns of the
 * block one after the other: start with zeros, add each selected feature j, then finish. */
void kernel_add(const kernel_model *k, int64_t j, double shift, const double *x, int64_t n,
                double *sums);
void kernel_finish(const kernel_model *k, double *sums, int64_t count);

#endif
