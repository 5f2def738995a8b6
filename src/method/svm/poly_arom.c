/* NAME       poly-arom
 * PAPER      zero-norm section 3.4 and 5: the zero-norm in the space of a polynomial kernel.
 * PROBLEM    minimise |w|_0 over w in the monomials of degree 1 to `degree` of the features,
 *            subject to y_i (w'phi(x_i) + b) >= 1; slack and several classes as in l2-arom.
 * ALGORITHM  explicit monomials (data/feature/monomials.c) are the columns here; l2-AROM
 *            (method/svm/arom.c) on them. The paper's phi lists products in all orders, so that a
 *            monomial with m orders is m equal columns there, each with its own z <- z |w|. Merged
 *            to one of weight w = the sum of theirs it costs m, in sum_j m_j ln |w_j|, and starts
 *            at z = m: then w is m z g of a copy after every step (tests/ref/test_poly_arom.c).
 * COST       memory n C(d + degree, degree) numbers, rejected above --memory; then as l2-arom.
 * GUARANTEE  as l2-arom.
 * DEVIATIONS the paper's span method is in an appendix that was not available; monomials are scaled
 *            like any other column (--scale none: the paper's phi); the final classifier is trained
 *            again on the chosen monomials, which explicit ones allow. */
#include "data/feature/monomials.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/svm/arom.h"

pare_status poly_arom_expand(pare_data **out, const pare_data *data, const all_settings *set,
                             const pare_ctx *ctx, pare_error *err) {
    if (strcmp(set->common.classifier, "1nn") == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "classifier 1nn: poly-arom's predictor has weights of monomials; use svm, "
                         "lda, dlsr or logistic");
    if (!choice_is(set->common.row_scale, "none"))
        return error_set(err, PARE_E_ARGUMENT,
                         "`row_scale` %s does not go with poly-arom, whose features are products",
                         set->common.row_scale);
    return monomials_make(out, data, set->poly_arom.degree, ctx, err);
}

pare_status poly_arom_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    poly_arom_settings *s = &fit_settings(r, job)->poly_arom;
    int64_t count = job->x->d, d = 1, of[MONOMIAL_DEGREE_MAX];
    while (monomials_count(d, s->degree) < count) d++;
    double *orders = mem_alloc(ctx_allocator(ctx), count, sizeof *orders);
    if (!orders) return error_memory(err);
    for (int64_t j = 0; j < count; j++) {
        int p = monomial_factors(d, j, of);
        orders[j] = monomial_multiplicity(of, p);
    }
    arom_options o = {.name = "poly-arom",
                      .multiclass = s->multiclass,
                      .ridge = s->ridge,
                      .zero_slack = s->zero_slack,
                      .tol = s->tol,
                      .z0 = orders,
                      .cost = orders};
    pare_status status = arom_run(r, job, &o, ctx, err);
    s->ridge = o.ridge;
    mem_free(ctx_allocator(ctx), orders);
    return status;
}
