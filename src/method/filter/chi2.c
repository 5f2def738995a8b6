/* NAME       chi2
 * PAPER      K. Pearson. On the criterion that a given system of deviations from the probable in the
 *            case of a correlated system of variables is such that it can be reasonably supposed to
 *            have arisen from random sampling. Philosophical Magazine 50:157-175, 1900; of sums by
 *            class, as scikit-learn's chi2: values are counts of occurrences.
 * PROBLEM    score_j = sum_k (O_k - E_k)^2 / E_k, O_k = the sum of the feature in class k,
 *            E_k = its sum over all samples times the share of class k.
 * ALGORITHM  the sums of each class in one walk over the columns.
 * COST       1 pass over X; memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula. p: P(chi2 >= score), c - 1
 *            degrees of freedom.
 * DEVIATIONS a feature that is 0 everywhere has score 0 and p 1. Negative values are rejected. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/p_values.h"
#include "method/filter/filter.h"

/* Of the samples first .. end-1 in the order of the classes, in four running sums. */
static double class_sum(const filter *f, const double *value, int64_t first, int64_t end) {
    double s[4] = {0};
    int64_t e = first;
    for (; e + 4 <= end; e += 4)
        for (int k = 0; k < 4; k++) s[k] += f->order_weight[e + k] * value[f->order[e + k]];
    for (int k = 0; e < end; e++, k++) s[k] += f->order_weight[e] * value[f->order[e]];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* Eight at a time: a single running minimum is a chain of dependent steps. */
static double least_of(const double *value, int64_t n) {
    double least[8];
    int64_t i = 0;
    for (int k = 0; k < 8; k++) least[k] = INFINITY;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++) least[k] = value[i + k] < least[k] ? value[i + k] : least[k];
    for (; i < n; i++) least[0] = value[i] < least[0] ? value[i] : least[0];
    for (int k = 1; k < 8; k++) least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

static double class_sums(const filter *f, const column *x, double *sum) {
    if (!x->index) {
        for (int64_t k = 0; k < f->c; k++)
            sum[k] = class_sum(f, x->value, f->start[k], f->start[k + 1]);
        return least_of(x->value, f->n);
    }
    double least = x->rest;
    for (int64_t k = 0; k < f->c; k++) sum[k] = f->class_weight[k] * x->rest;
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->index[e];
        sum[f->cls[i]] += f->weight[i] * (x->value[e] - x->rest);
        least = fmin(least, x->value[e]);
    }
    return least;
}

static filter_score score(const filter *f, const column *x, double *sum) {
    double least = class_sums(f, x, sum), all = 0, chi2 = 0;
    if (least < 0) return (filter_score){NAN, NAN};
    for (int64_t k = 0; k < f->c; k++) all += sum[k];
    if (!(all > 0)) return (filter_score){0, 1};
    for (int64_t k = 0; k < f->c; k++) {
        double expected = f->class_weight[k] / f->total * all, off = sum[k] - expected;
        chi2 += off * (off / expected);
    }
    if (!(chi2 < DBL_MAX)) return (filter_score){DBL_MAX, 0};
    return (filter_score){chi2, chi2_p_value(chi2, (double)f->c - 1)};
}

/* The first feature that was rejected, and its first negative value. */
static pare_status refuse(const fit_result *r, const filter *f, const pare_ctx *ctx,
                          pare_error *err) {
    int64_t j = 0, row = 0;
    double value = 0;
    while (j < f->x.d && !isnan(r->score[j])) j++;
    if (j == f->x.d) return PARE_OK;
    walk w;
    column x;
    PASS(walk_open(&w, &f->x, NULL, f->x.d, ctx, err));
    if (walk_at(&w, j, &x))
        for (int64_t e = 0; e < x.count && value >= 0; e++) {
            value = x.value[e];
            row = x.index ? x.index[e] : e;
        }
    PASS(walk_close(&w, err));
    if (f->x.rows) row = f->x.rows[row];
    return error_at(err, PARE_E_DATA, row + 1, j + 1, -1,
                    "feature %lld is %g in sample %lld: chi2 takes counts or values that are not "
                    "negative",
                    (long long)j + 1, value, (long long)row + 1);
}

pare_status chi2_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    static const filter_kind kind = {.column = score, .has_p = true};
    filter f;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(filter_open(&f, &mem, job, 0, err));
    TRY(filter_run(r, &f, &kind, ctx, err));
    TRY(refuse(r, &f, ctx, err));
done:
    arena_free(&mem);
    return status;
}
