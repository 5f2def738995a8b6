/* Following the solution of a two-class SVM while its Gram matrix loses one feature after the
 * other, K <- K - x x'. While the free samples stay the same the new solution is exact and costs
 * O(n^2): with M the matrix of the free samples' conditions bordered for the intercept and q = M^-1
 * x,
 *     (beta_F, b) moves by q w / (1 - x_F'q),  w = x'beta,   M^-1 <- M^-1 + q q' / (1 - x_F'q).
 * Where a sample meets its bound or wants to leave it, M^-1 loses or gains its row, O(n^2)
 * again. */
#ifndef PARE_SOLVE_SVM_SVM_TRACK_H
#define PARE_SOLVE_SVM_SVM_TRACK_H

#include "base/memory.h"
#include "solve/svm/svm_dual.h"

typedef struct svm_track {
    svm_problem p;   /* arrays are the caller's and stay where they are */
    int64_t m;       /* free samples */
    int64_t *at;     /* n: the free ones first */
    double *inverse; /* of M, lower triangle, n + 1 a column; the intercept's row is the first */
    double *beta;    /* n: alpha.y */
    double b;
    double *f;     /* n: K beta, which goes along with beta and K, */
    int64_t moves; /* so often since it was made */
    double *e;     /* n: y - f - ridge beta - b */
    double *q, *u; /* n + 1 */
    int *pivot;    /* n + 1 */
    double *work;  /* (n + 1)^2 */
} svm_track;

/* Memory for problems of n samples, from the arena; false when there is none. */
bool svm_track_init(svm_track *t, arena *mem, int64_t n);

/* From a solution of p. False: its free samples do not determine it well, solve as before. On
 * success alpha (n) and *b are refined. */
bool svm_track_start(svm_track *t, const svm_problem *p, double *alpha, double *b);

/* K has just lost x x'. True: alpha (n), *b are the new solution; false: solve again and
 * restart. */
bool svm_track_downdate(svm_track *t, const double *x, double *alpha, double *b);

#endif
