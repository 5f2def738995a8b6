/* Linear or kernel SVMs on one Gram matrix, for all methods that solve them repeatedly: two classes
 * (one output), one class against the rest (an output per class), one against one (an output per
 * pair, solved on the samples of the two and positive for the last), or all together (Weston and
 * Watkins). Costs come from C, a ridge or ridges per sample; sample weights multiply C and divide
 * ridges. */
#ifndef PARE_METHOD_SVM_GRAM_SVM_H
#define PARE_METHOD_SVM_GRAM_SVM_H

#include "method/method.h"

typedef struct gram_svm {
    /* The problem. */
    const target *y;
    const double *weight; /* n, or NULL */
    int64_t n, c;         /* samples, outputs */
    bool together;        /* Weston and Watkins instead of one against the rest */
    bool pairs;           /* one against one instead of it */
    bool intercept;
    double C, ridge; /* ridge > 0: squared slack over 2 ridge instead of C */
    double *costs;   /* n x c, used instead of C where not NULL and ridges is NULL */
    double *ridges;  /* n x c, used instead of ridge where not NULL: 0 is a hard sample */
    double tol_rel;
    bool warm;       /* dual holds the solution of a similar problem */
    double flat_tol; /* above 0: w = 0 is accepted if its gap is below this share of its objective,
                        since weights that small order samples by rounding */

    /* The solution: decision values are K U + b. For Weston and Watkins dual is alpha_im for
     * sample i against class m, 0 for its own class. */
    double *dual, *U; /* n x c */
    double *b;        /* c */
    double objective, dual_value;
    pare_outcome outcome;
    int64_t iterations;
    int64_t inseparable; /* -1, or an output for which hard margins are impossible */

    double *centred;         /* n x n scratch */
    double *sign;            /* n: labels of one output */
    double *cost, *soft, *f; /* n x c: C and ridge as the solver wants them, decision values */
    double *part, *alpha;    /* n x n, n: a pair's part of K and of the dual */
    int32_t *member;         /* n: the samples of a pair */
} gram_svm;

/* Allocates from the arena; sets C = infinity, no ridge, tol_rel 1e-6, which the caller may
 * change. */
PARE_NODISCARD pare_status gram_svm_init(gram_svm *g, arena *mem, const fit_job *job,
                                         const char *multiclass, pare_error *err);
PARE_NODISCARD pare_status gram_svm_solve(gram_svm *g, const double *K, const pare_ctx *ctx,
                                          pare_error *err);

/* The two-class problem of output o, n numbers each: labels -1 and 1, C and ridge times the sample
 * weights. */
void gram_svm_costs(const gram_svm *g, int64_t o, double *sign, double *C, double *ridge);

/* 1e-6 of the mean of K's diagonal, by the samples' weights. */
double gram_auto_ridge(const gram_svm *g, const double *K);

/* As gram_svm_solve, but if hard margins are impossible the automatic ridge is set, with a note in
 * r. */
PARE_NODISCARD pare_status gram_svm_solve_anyhow(gram_svm *g, fit_result *r, const double *K,
                                                 const pare_ctx *ctx, pare_error *err);

/* Least training error, method/svm/zero_slack.c: 1/2 |w|^2 + C sum ln(eps + slack). C must be
 * finite. */
PARE_NODISCARD pare_status gram_svm_zero_slack(gram_svm *g, arena *mem, const double *K,
                                               const pare_ctx *ctx, pare_error *err);

#endif
