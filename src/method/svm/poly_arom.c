/* NAME       poly-arom
 * PAPER      zero-norm section 3.4 and 5: the zero-norm in the space of a polynomial kernel.
 * PROBLEM    minimise |w|_0 over w in the monomials of degree 1 to `degree` of the features,
 *            subject to y_i (w'phi(x_i) + b) >= 1; slack and several classes as in l2-arom.
 * ALGORITHM  monomials (data/feature/monomials.c) are the columns here; l2-AROM
 *            (method/svm/arom.c) on them. The paper's phi lists products in all orders, so that a
 *            monomial with m orders is m equal columns there, each with its own z <- z |w|. Merged
 *            to one of weight w = the sum of theirs it costs m, in sum_j m_j ln |w_j|, and starts
 *            at z = m: then w is m z g of a copy after every step (tests/ref/test_poly_arom.c).
 *            Where they would exceed the memory limit the first steps need no columns
 *            (method/svm/monomial_steps.h), and the columns are the monomials with a part in what
 *            follows.
 * COST       memory n C(d + degree, degree) numbers, or as much as the limit allows; then as l2-arom.
 * GUARANTEE  as l2-arom, on the columns.
 * DEVIATIONS the paper's span method is in an appendix that was not available; monomials are scaled
 *            like any other column (--scale none: the paper's phi); the final classifier is trained
 *            again on the chosen monomials, which explicit ones allow. */
#include "data/feature/monomials.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/svm/arom.h"
#include "method/svm/monomial_steps.h"

/* Why the first steps cannot do without columns; NULL: they can. */
static const char *needs_columns(const expand_job *job) {
    const all_settings *set = job->set;
    if (!job->whole) return "a path or a subsample needs all of them: use a smaller `degree`";
    if (!choice_is(set->common.scale, "none"))
        return "`scale none`, with the features scaled beforehand, makes the first steps without "
               "them";
    if (job->y->n_classes != 2) return "only two classes do without them: use a smaller `degree`";
    if (job->data->x.missing)
        return "only data without missing values do without them: `missing drop` leaves their "
               "samples out";
    if (job->data->cost || job->data->kept)
        return "only features without `cost` and `keep` do without them: use a smaller `degree`";
    if (!set->common.intercept) return "only `intercept true` does without them";
    if (set->poly_arom.zero_slack > 0) return "only `zero_slack 0` does without them";
    if (set->common.probability) return "only `probability false` does without them";
    return NULL;
}

static pare_status make_part(pare_data **out, const expand_job *job, const char *what,
                             const pare_ctx *ctx, pare_error *err) {
    monomial_list *list = NULL;
    const char *why = job->used ? NULL : needs_columns(job);
    if (why) return error_set(err, PARE_E_MEMORY, "%s, over the memory limit; %s", what, why);
    if (!job->used) {
        pare_status status = monomial_steps(&list, job->data, job->y, job->set, ctx, err);
        return status == PARE_OK ? monomials_pick(out, job->data, list, ctx, err) : status;
    }
    int64_t all = monomials_count(job->data->x.d, job->set->poly_arom.degree);
    for (int64_t i = 0; i < job->n_used; i++)
        if (job->used[i] < 0 || job->used[i] >= all)
            return error_set(err, PARE_E_DATA, "the model's monomials are not of these data");
    list = monomial_list_new(job->data->x.d, job->n_used, false, ctx_allocator(ctx));
    if (!list) return error_memory(err);
    memcpy(list->number, job->used, sizeof *list->number * (size_t)job->n_used);
    return monomials_pick(out, job->data, list, ctx, err);
}

pare_status poly_arom_expand(pare_data **out, const expand_job *job, const pare_ctx *ctx,
                             pare_error *err) {
    const all_settings *set = job->set;
    char what[160];
    if (strcmp(set->common.classifier, "1nn") == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "classifier 1nn: poly-arom's predictor has weights of monomials; use svm, "
                         "lda, dlsr or logistic");
    if (!choice_is(set->common.row_scale, "none"))
        return error_set(err, PARE_E_ARGUMENT,
                         "`row_scale` %s does not go with poly-arom, whose features are products",
                         set->common.row_scale);
    int64_t degree = set->poly_arom.degree;
    if (monomials_count(job->data->x.d, degree) > 0 &&
        monomials_exceed(what, job->data, degree, ctx))
        return make_part(out, job, what, ctx, err);
    return monomials_make(out, job->data, degree, ctx, err);
}

pare_status poly_arom_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    poly_arom_settings *s = &fit_settings(r, job)->poly_arom;
    const monomial_list *list = job->monomials;
    int64_t count = job->x->d, d = 1, of[MONOMIAL_DEGREE_MAX];
    while (!list && monomials_count(d, s->degree) < count) d++;
    if (list) d = list->d;
    double *orders = mem_alloc(ctx_allocator(ctx), count, sizeof *orders);
    if (!orders) return error_memory(err);
    for (int64_t j = 0; j < count; j++) {
        int p = monomial_factors(d, list ? list->number[j] : j, of);
        orders[j] = monomial_multiplicity(of, p);
    }
    bool goes_on = list && list->z;
    arom_options o = {.name = "poly-arom",
                      .multiclass = s->multiclass,
                      .first_ridge = goes_on ? list->ridge : 0,
                      .ridge = s->ridge,
                      .zero_slack = s->zero_slack,
                      .tol = s->tol,
                      .z0 = goes_on ? list->z : orders,
                      .cost = orders};
    pare_status status = PARE_OK;
    if (goes_on)
        TRY(fit_note(r, err,
                     "%lld monomials have a part after the first steps, which were made without "
                     "columns; the others are not ranked",
                     (long long)list->count));
    if (o.ridge == 0 && o.first_ridge > 0)
        TRY(fit_note(r, err, "hard margins are impossible on these data: ridge %.6g was added",
                     o.first_ridge));
    TRY(arom_run(r, job, &o, ctx, err));
    s->ridge = o.ridge;
done:
    mem_free(ctx_allocator(ctx), orders);
    return status;
}
