/* The first steps of poly-arom without columns, for more monomials than memory holds.
 *
 * ALGORITHM  1. The first Gram is sum_t (x'y)^t, t = 1 .. degree, centred: a monomial with m orders has
 *               z = m and costs m.
 *            2. With duals u of the first SVM the next Gram is the same kernel with weights,
 *               sum_ii' u_i u_i' sum_t ((x_i.x_i')'(x.y))^t: pairs of support vectors against pairs of
 *               samples. It is left out where that would take more than MAX_PRODUCTS.
 *            3. The monomials with a share of at least 1e-10 in the Gram after these, by a search in
 *               the prefix tree (method/svm/monomial_search.h). While a list of them exceeds the
 *               memory limit: further steps, whose Gram the search sums up.
 *            4. While their columns exceed the memory limit: further steps, with columns made a tile at
 *               a time.
 * LIMITS     two classes, hard margins or a ridge, an intercept, unscaled features without missing
 *            values, costs or forced-in features. */
#ifndef PARE_METHOD_SVM_MONOMIAL_STEPS_H
#define PARE_METHOD_SVM_MONOMIAL_STEPS_H

#include "data/feature/monomials.h"
#include "method/method.h"

/* The monomials that are left, and where AROM goes on. y: the classes of data's samples. */
PARE_NODISCARD pare_status monomial_steps(monomial_list **out, const pare_data *data,
                                          const target *y, const all_settings *set,
                                          const pare_ctx *ctx, pare_error *err);

#endif
