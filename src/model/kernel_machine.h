/* Shared by predictors on training samples through a kernel, in their own units. Formulas:
 *     f_o(x) = intercept_o + sum_s alpha_so k(x_s, x),
 *     rbf      k(u, v) = exp(-sum_j gamma_j (u_j - v_j)^2)
 *     poly     k(u, v) = (sum_j gamma_j (u_j - origin_j) (v_j - origin_j) + coef0)^degree
 *     a sum    k(u, v) = sum_j weight_j k_j, k_j = exp(-gamma_j (u_j - v_j)^2) or [u_j = v_j]
 *     (delta)
 * In the model file: "kernel": {"type", "combine": "product" or "sum", "gamma": [k], "weight": [k],
 * ones for a product, "alpha": [s] or, with several outputs, [[s], ...], "x": [s][k] raw, "degree",
 * "coef0"}. */
#ifndef PARE_MODEL_KERNEL_MACHINE_H
#define PARE_MODEL_KERNEL_MACHINE_H

#include "certify/certify.h"
#include "model/model.h"

typedef struct kernel_machine {
    char type[CHOICE_SIZE]; /* "rbf", "poly" or "delta" */
    double *gamma;          /* k */
    double *weight;         /* k, of a sum; else NULL */
    double degree, coef0;   /* poly */
    const double *origin;   /* k, poly; NULL: zeros */
    view support;           /* the support samples */
    double *x;              /* the same if it owns them, support.n x k; else NULL */
    double *alpha;          /* support.n x n_outputs, signed */
} kernel_machine;

PARE_NODISCARD pare_status kernel_machine_from_result(predictor *p, arena *mem, const fitted *from,
                                                      const pare_ctx *ctx, pare_error *err);
void kernel_machine_to_json(json_t *file, const pare_model *m);
PARE_NODISCARD pare_status kernel_machine_from_json(pare_model *m, const json_t *file,
                                                    const char **expected);
/* The kernel of the model for certificates; NULL: it has none. */
const cert_kernel *kernel_machine_describe(cert_kernel *out, const predictor *p);

#endif
