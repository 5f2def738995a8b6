/* The penalty's part in the certificates of ranking: Omega of the point to certify, its scores, and the
 * best value of a dual point of the loss under (lambda Omega)*.
 *   Omega    |w|_1 (l1), 1/2 |w|^2 (l2), sum over groups |w_g|_2 (group) or
 *            alpha |w|_1 + (1 - alpha)/2 |w|^2 (l1l2), with w_j = coef_j / scale_j
 *   dual     value(t) = t total - t^2 square - (lambda Omega)*(t g),  g = X'u scaled: concave in t,
 *            and for the norms 0 <= t <= lambda / |g|_*.
 * Shifts cancel: the entries of u sum to zero, and only differences of scores matter. */
#ifndef PARE_CERTIFY_RANKING_PENALTY_H
#define PARE_CERTIFY_RANKING_PENALTY_H

#include "certify/certify.h"

typedef struct cert_penalty {
    double lambda, share; /* share: of the 1-norm, 1 for groups */
    double *u;            /* n: the loss's dual point, given by the caller */
    double *f;            /* n: scores of the point to certify */
    int64_t n_cols;
    double *g;            /* n_cols */
    double one, two;      /* sums of |w| and w^2 */
    const int64_t *group; /* per feature of the data; NULL: none */
    int64_t n_groups;
    double *norm2, *dual_norm2; /* per group: squares of w and of g */
} cert_penalty;

/* word, alpha, lambda: the method's settings. u is zero to begin with. */
PARE_NODISCARD pare_status cert_penalty_open(cert_penalty *p, cert_reader *r, const char *word,
                                             double alpha, double lambda, pare_error *err);
/* One pass over the columns, for u, which must be set before. */
PARE_NODISCARD pare_status cert_penalty_pass(cert_penalty *p, cert_reader *r, pare_error *err);
double cert_penalty_value(const cert_penalty *p); /* lambda Omega(w) */
double cert_penalty_dual(const cert_penalty *p, double total, double square);

#endif
