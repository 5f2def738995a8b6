/* Random two-class SVM problems with their raw features, and a judge that knows nothing of the
 * solver: objectives, feasibility and proofs from X by plain loops. */
#ifndef PARE_TESTS_SVM_CASE_H
#define PARE_TESTS_SVM_CASE_H

#include "solve/svm/svm_dual.h"
#include "support/support.h"

typedef struct svm_case {
    int64_t n, d;
    double *x; /* n x d, row-major: x_i is contiguous */
    double *K, *y, *C, *ridge;
    double *alpha, *f; /* n each, for a solution */
} svm_case;

typedef enum svm_kind { SVM_SOFT, SVM_HARD, SVM_RIDGE, SVM_MIXED, SVM_KINDS } svm_kind;

/* Normal features times scale, labels from a random direction with `noise` of them flipped;
 * duplicates: every third sample repeats the one before. */
svm_case svm_case_new(rng *r, int64_t n, int64_t d, svm_kind kind, double scale, double noise,
                      bool duplicates);
svm_case svm_case_alloc(int64_t n, int64_t d); /* zeros; ridge zeros, C 1 */
void svm_case_gram(svm_case *c);               /* K from x */
void svm_case_free(svm_case *c);
svm_problem svm_case_problem(const svm_case *c, bool intercept, double tol);
/* Solves, fails the test on an error. */
svm_solution svm_case_solve(svm_case *c, const svm_problem *p);

/* Objectives recomputed from x: of alpha, and of the primal point (scale, alpha, b). */
typedef struct svm_judgement {
    double primal, dual;
    double infeasible; /* largest violation of the box, of y'alpha = 0 and of the hard margins */
    double wrong_f;    /* largest |f_i - (w'x_i + b)| over 1 + scale sum_j alpha_j |x_j| |x_i| */
} svm_judgement;
svm_judgement svm_case_judge(const svm_case *c, const svm_problem *p, const svm_solution *s);

/* All of it: fails the test unless s is feasible and optimal to the problem's tolerance, or certifies
 * inseparability. slack multiplies the tolerance. */
void svm_case_check_at(const svm_case *c, const svm_problem *p, const svm_solution *s, double slack,
                       const char *file, int line);
#define svm_case_check(c, p, s, slack) svm_case_check_at((c), (p), (s), (slack), __FILE__, __LINE__)

#endif
