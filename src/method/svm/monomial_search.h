/* The monomials that have a part in the next Gram matrix of AROM, out of all up to a degree, by a
 * search in their prefix tree: a node is a product of ascending factors, its children have one more.
 *
 * PART    of a monomial S with m orders after steps with duals u_1, u_2, ...: z starts at m and becomes
 *         z^2 / m |phi_S'u_t|; part = z^2 / m |phi_S - mean|^2, the trace of what it adds to the
 *         next Gram. Its share is its part over the sum of all.
 * BOUND   below a node S, with M_i = max(1, largest |x_ij| of the factors that may follow) and r
 *         factors left:  |phi_T'u| <= sum_i |u_i phi_S(x_i)| M_i^r,
 *         |phi_T|^2 <= sum_i phi_S(x_i)^2 M_i^(2 r),  m <= degree!: a subtree without a part that could
 *         reach the least one is left out.
 * COST    a product of X' with a few columns for each node that has children, for the Gram also one
 *         of X with X'. The sum of all parts is over the nodes that were seen. */
#ifndef PARE_METHOD_SVM_MONOMIAL_SEARCH_H
#define PARE_METHOD_SVM_MONOMIAL_SEARCH_H

#include "base/memory.h"
#include "data/feature/monomials.h"

typedef struct monomial_search {
    int64_t n, d, degree;
    const double *x;      /* n x d, by columns: the factors */
    const double *weight; /* n sample weights, for the mean */
    int64_t steps;        /* at least 1 */
    const double *duals;  /* n x steps */
    double least;         /* share */
    double limit;         /* bytes that the found ones may take */
} monomial_search;

typedef struct found_monomial {
    int64_t number;
    double z, part;
} found_monomial;

/* *found: those of the least share, by number, *count of them, from the context's allocator, to be
 * freed also after a failure; *total: the sum of all parts seen. *full: they would take more than the
 * limit, and none are given. The search goes by the parts up to degree 2 alone, which may let more
 * through until it ends. */
PARE_NODISCARD pare_status monomial_search_run(found_monomial **found, int64_t *count,
                                               double *total, bool *full, const monomial_search *s,
                                               const pare_ctx *ctx, pare_error *err);

/* K (n x n) = sum z^2 / m phi phi' over the monomials whose part is the least share of `total`. */
PARE_NODISCARD pare_status monomial_search_gram(double *K, double total, const monomial_search *s,
                                                const pare_ctx *ctx, pare_error *err);

#endif
