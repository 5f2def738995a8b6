/* Monomials of the features as a data set of their own: degree 1 first, so that column j < d is
 * feature j, then degree by degree, each in lexicographic order of its features i_1 <= ... <=
 * i_p. */
#ifndef PARE_DATA_FEATURE_MONOMIALS_H
#define PARE_DATA_FEATURE_MONOMIALS_H

#include "data/dataset.h"

enum { MONOMIAL_DEGREE_MAX = 10 };

/* C(d + degree, degree) - 1, or -1 above 2^53. */
int64_t monomials_count(int64_t d, int64_t degree);

/* The features of monomial number `index` of d features, ascending with repeats, into `of`; returns
 * their number, the monomial's degree. */
int monomial_factors(int64_t d, int64_t index, int64_t of[MONOMIAL_DEGREE_MAX]);

/* The number of orders of its factors: p! / prod of factorials of the powers. */
double monomial_multiplicity(const int64_t *of, int p);

/* Dense raw values, a missing factor making a missing product, names such as x1*x3^2, and the
 * target, ids and weights of `data`. Rejects sizes above the context's memory limit. */
PARE_NODISCARD pare_status monomials_make(pare_data **out, const pare_data *data, int64_t degree,
                                          const pare_ctx *ctx, pare_error *err);

#endif
