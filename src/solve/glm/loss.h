/* The losses, a file each (loss_NAME.c): what the solver asks of one.
 *
 *   L(F) = sum_i share_i loss(y_i, f_i + offset_i), F: n x c
 *   U = -gradient of L. The dual of L(F) + (penalty of B) is -L*(-U) - conjugate of X'U, over U
 *   with columns that sum to 0 where there is an intercept; t U is feasible for L with every t
 *   in [0, 1].
 *   H, the curvature of L: for several outputs share_i (diag p - p p') within each sample, for one
 *   output a diagonal, or what `curve` says.
 *
 * n x c blocks have the c outputs of a sample contiguous: f[i * c + o]. P holds what a loss keeps
 * of F for its curvature: probabilities, or what else the loss needs. */
#ifndef PARE_SOLVE_GLM_LOSS_H
#define PARE_SOLVE_GLM_LOSS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct glm_loss glm_loss;

typedef struct loss_kind {
    const char *met; /* why a path ends where no loss is left */
    bool quadratic;  /* the curvature is the same everywhere */
    bool level;      /* equal shifts of all fitted values change nothing: there is no intercept, and
                        columns are centred as with one */
    /* The loss at F, U and P there. class_part, unless NULL: for two classes, the parts of the loss
     * with y = 0 and with y = 1. */
    double (*point)(const glm_loss *l, const double *F, double *U, double *P, double class_part[2]);
    /* -L*(-t U), where U belongs to F. */
    double (*dual)(const glm_loss *l, const double *F, const double *U, double t);
    /* The t >= 0 of the best such value; NULL: 1. */
    double (*best_scale)(const glm_loss *l, const double *U);
    /* h: n x c, the diagonal of H. */
    void (*diagonal)(const glm_loss *l, const double *P, double *h);
    /* T = H T, n x c. NULL: H is its diagonal. */
    void (*curve)(const glm_loss *l, const double *P, double *T);
    /* One output: D from U, made to sum to 0 if sums is true and it does not. Returns a lower bound
     * of the dual value of D that takes no logarithms, or -infinity. */
    double (*balance)(const glm_loss *l, bool sums, const double *F, const double *U,
                      const double class_part[2], double *D);
} loss_kind;

struct glm_loss {
    const loss_kind *kind;
    int64_t n, c;
    const double *y;        /* n x c; of classes indicators: of the second, or of each */
    const double *share;    /* n, >= 0, of sum 1 */
    const double *offset;   /* n x c, or NULL */
    struct risk_sets *risk; /* of loss_cox, with its scratch: one evaluation at a time; or NULL */
};

/* 1/2 (y - f)^2, one output. */
extern const loss_kind loss_squared;
/* ln(1 + e^f) - y f, one output, y 0 or 1. */
extern const loss_kind loss_logistic;
/* ln sum_k e^{f_k} - f_y, an output for each class. */
extern const loss_kind loss_softmax;
/* -(1/n) log partial likelihood of `risk` (risk_sets.h), one output; y is not read. */
extern const loss_kind loss_cox;

static inline double loss_argument(const glm_loss *l, const double *F, int64_t e) {
    return l->offset ? F[e] + l->offset[e] : F[e];
}

/* No fitted values have a loss below this. */
double loss_least(const glm_loss *l);

/* The part of -L*(-t U) that comes from the offset. */
static inline double loss_dual_offset(const glm_loss *l, const double *U, double t) {
    double sum = 0;
    for (int64_t e = 0; l->offset && e < l->n * l->c; e++) sum -= t * U[e] * l->offset[e];
    return sum;
}
/* h_i d for sample i of several outputs, times scale, added to out. */
void loss_curve_sample(const glm_loss *l, const double *P, int64_t i, const double *d, double scale,
                       double *out);

#endif
