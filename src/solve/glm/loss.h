/* The losses: value, the dual point of fitted values, and the value of a dual point.
 *
 *   L(F) = sum_i share_i loss(y_i, f_i + offset_i)
 *   squared    1/2 (y - f)^2, one output
 *   logistic   one output: ln(1 + e^f) - y f, y 0 or 1; several: ln sum_k e^{f_k} - f_y, y the
 *              indicator of the class
 *   U = -gradient of L. The dual of L(F) + (penalty of B) is -L*(-U) - conjugate of X'U, over U
 *   with columns that sum to 0 where there is an intercept; t U is feasible for L with every t in
 *   [0, 1].
 *
 * n x c blocks have the c outputs of a sample contiguous: f[i * c + o]. */
#ifndef PARE_SOLVE_GLM_LOSS_H
#define PARE_SOLVE_GLM_LOSS_H

#include <stdint.h>

typedef enum glm_kind { GLM_SQUARED, GLM_LOGISTIC } glm_kind;

typedef struct glm_loss {
    glm_kind kind;
    int64_t n, c;
    const double *y;      /* n x c */
    const double *share;  /* n, >= 0, of sum 1 */
    const double *offset; /* n x c, or NULL */
} glm_loss;

/* The loss at F, U there and, where the loss is logistic, the probabilities P (one output: of y =
 * 1). class_part, unless NULL: for two classes, the parts of the loss with y = 0 and with y = 1. */
double loss_point(const glm_loss *l, const double *F, double *U, double *P, double class_part[2]);
/* -L*(-t U). */
double loss_dual(const glm_loss *l, const double *U, double t);
/* The t >= 0 of the best such value; at most 1 but for the squared loss. */
double loss_best_scale(const glm_loss *l, const double *U);
/* By how much the dual of L is strongly concave, in the norm sum_i U_i^2 / share_i. */
double loss_curvature(const glm_loss *l);

#endif
