/* NAME       fisher
 * PAPER      R. O. Duda, P. E. Hart, D. G. Stork. Pattern classification, 2001, section 3.8.
 * PROBLEM    score_j = sum_k n_k (m_k - m)^2 / sum_k n_k v_k, population variances v_k.
 * ALGORITHM  the moments of each class.
 * COST       1 pass over X (in a path shared with the statistics); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula. */
#include <float.h>

#include "base/error.h"
#include "method/filter/filter.h"

static filter_score of_squares(filter_squares s) {
    if (!(s.between > 0)) return (filter_score){0, 1};
    double ratio = s.between / s.within;
    return (filter_score){ratio < DBL_MAX ? ratio : DBL_MAX, 1};
}

static filter_score score(const filter *f, const class_moments *m) {
    return of_squares(squares_of(f, m));
}

/* With forced-in features: of the residuals of the column and of the classes. */
static filter_score score_left(const filter *f, const column *x, double *spare) {
    (void)spare;
    return of_squares(squares_left(f, x));
}

const filter_kind fisher_by_moments = {.moments = score};

pare_status fisher_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    static const filter_kind left = {.column = score_left};
    return filter_fit(r, job, job->left ? &left : &fisher_by_moments, ctx, err);
}
