/* NAME       anova
 * PAPER      R. A. Fisher. Statistical methods for research workers, 1925.
 * PROBLEM    score_j = F = (sum_k n_k (m_k - m)^2 / (c - 1)) / (sum_k sum w (x - m_k)^2 / (n - c));
 *            regression: F = r^2 / (1 - r^2) (n - 2) of the correlation r with the target.
 *            With forced-in features both are partial: of the residuals of the columns and of the
 *            class indicators or the target; the forced-in features use up degrees of freedom.
 * ALGORITHM  the moments of each class; or products with the target, in one walk over the columns.
 * COST       1 pass over X (for classes in a path shared with the statistics);
 *            memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula, that of scikit-learn's f_classif and
 *            f_regression. p: P(F >= score).
 * DEVIATIONS none; a constant feature has score 0 and p 1. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/p_values.h"
#include "method/filter/filter.h"

static filter_score of_ratio(const filter *f, double between, double within, double above,
                             double below) {
    if (!(between > 0)) return (filter_score){0, 1};
    double F = between / above / (within / below);
    if (!(F < DBL_MAX)) return (filter_score){DBL_MAX, 0};
    return (filter_score){F, f->bare ? 1 : fisher_p_value(F, above, below)};
}

static filter_score of_classes(const filter *f, const class_moments *m) {
    filter_squares s = squares_of(f, m);
    return of_ratio(f, s.between, s.within, (double)f->c - 1, f->total - (double)f->c);
}

/* Residuals of classes and features after projection on the forced-in features (dense columns,
 * centred). */
static filter_score of_left(const filter *f, const column *x, double *spare) {
    filter_squares s = squares_left(f, x);
    double above = (double)f->left->rank;
    (void)spare;
    if (!(above > 0)) return (filter_score){0, 1};
    return of_ratio(f, s.between, s.within, above,
                    f->total - (double)(f->left->rank + f->left->explained + 1));
}

/* Sums about a value of the column itself, as for the moments. */
static filter_score of_values(const filter *f, const column *x, double *spare) {
    double base = x->index ? x->rest : x->value[0], sum = 0, squares = 0, product = 0;
    (void)spare;
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->index ? x->index[e] : e;
        double off = x->value[e] - base, part = f->weight[i] * off;
        sum += part;
        squares += part * off;
        product += part * f->value[i];
    }
    double about = squares - sum * (sum / f->total);
    if (!(about > 0) || !(f->value_squares > 0)) return (filter_score){0, 1};
    double r = product / sqrt(about) / sqrt(f->value_squares), r2 = fmin(1, r * r);
    return of_ratio(f, r2, 1 - r2, 1, f->total - 2 - (f->left ? (double)f->left->explained : 0));
}

const filter_kind anova_by_moments = {.moments = of_classes, .has_p = true};

pare_status anova_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    static const filter_kind left = {.column = of_left, .has_p = true},
                             values = {.column = of_values, .has_p = true};
    filter f;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(filter_open(&f, &mem, job, 0, err));
    double least = (f.cls ? (double)f.c : 2) + (f.left ? (double)f.left->explained : 0);
    if (!(f.total > least)) {
        status = error_set(err, PARE_E_DATA,
                           "%lld sample%s of a weight of %g together: an F test needs more than "
                           "%g here",
                           (long long)job->x->n, job->x->n == 1 ? "" : "s", f.total, least);
        goto done;
    }
    TRY(filter_run(r, &f, !f.cls ? &values : f.left ? &left : &anova_by_moments, ctx, err));
done:
    arena_free(&mem);
    return status;
}
