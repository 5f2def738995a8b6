/* Monomials of the features as a data set of their own: degree 1 first, so that column
 * j < d is feature j, then degree by degree, each in lexicographic order of its
 * features i_1 <= ... <= i_p. */
#ifndef PARE_DATA_FEATURE_MONOMIALS_H
#define PARE_DATA_FEATURE_MONOMIALS_H

#include "data/dataset.h"

enum { MONOMIAL_DEGREE_MAX = 10 };

/* C(d + degree, degree) - 1, or -1 above 2^53. */
int64_t monomials_count(int64_t d, int64_t degree);

/* The features of monomial number `index` of d features, ascending with repeats, into `of`; returns
 * their number, the monomial's degree. */
int monomial_factors(int64_t d, int64_t index, int64_t of[MONOMIAL_DEGREE_MAX]);

/* The number of the monomial with these factors, ascending with repeats. */
int64_t monomial_number(int64_t d, const int64_t *of, int p);

/* The number of orders of its factors: p! / prod of factorials of the powers. */
double monomial_multiplicity(const int64_t *of, int p);

/* Dense raw values, a missing factor making a missing product, names such as x1*x3^2, and the
 * target, ids and weights of `data`. Rejects sizes above the context's memory limit. */
PARE_NODISCARD pare_status monomials_make(pare_data **out, const pare_data *data, int64_t degree,
                                          const pare_ctx *ctx, pare_error *err);

/* Some of the monomials as the columns of a data set. */
typedef struct monomial_list {
    int64_t d; /* of how many features */
    int64_t count;
    int64_t *number; /* ascending */
    /* Where a fit starts that has made steps without columns; z NULL: it starts with them. */
    double *z;    /* factor of each */
    double ridge; /* of those steps, 0: none */
} monomial_list;

/* Allocated by mem; NULL: out of memory. z: to be set, or not wanted. */
monomial_list *monomial_list_new(int64_t d, int64_t count, bool z, const pare_allocator *mem);
void monomial_list_free(monomial_list *list, const pare_allocator *mem);

/* The same as monomials_make for the monomials of the list, which becomes the data set's, also after
 * a failure. The data have neither costs nor kept features. */
PARE_NODISCARD pare_status monomials_pick(pare_data **out, const pare_data *data,
                                          monomial_list *list, const pare_ctx *ctx,
                                          pare_error *err);

/* out (n x d, by columns) = X, not scaled or imputed. */
PARE_NODISCARD pare_status monomials_factors(double *out, const matrix *x, const pare_ctx *ctx,
                                             pare_error *err);
/* to (n) = the product of the p columns `of` of x. */
void monomial_values(double *to, const double *x, int64_t n, const int64_t *of, int p);

/* Whether the explicit monomials would exceed the memory limit, and their size in words. */
bool monomials_exceed(char what[160], const pare_data *data, int64_t degree, const pare_ctx *ctx);

#endif
