/* NAME       kruskal
 * PAPER      W. H. Kruskal, W. A. Wallis. Use of ranks in one-criterion variance analysis. JASA
 *            47:583-621, 1952.
 * PROBLEM    score_j = H = (n - 1) sum_k n_k (r_k - (n + 1)/2)^2 / sum w (rank - (n + 1)/2)^2, r_k
 *            the mean rank of class k, ties sharing their mean rank: the statistic corrected for
 *            ties.
 * ALGORITHM  each column sorted, rank sums of the classes; the ranks' sum of squares is
 *            (n^3 - sum t^3) / 12 over the weights t of equal values.
 * COST       1 pass over X and a sort of each column (of its stored entries); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula, scipy's. p: P(chi2 >= H), c - 1 degrees.
 * DEVIATIONS weights: t samples of weight w are one tie of t w. All equal: score 0, p 1. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/p_values.h"
#include "method/filter/filter.h"
#include "method/filter/filter_tally.h"

static filter_score score(const filter *f, const tally *t) {
    double n = f->total, before = 0, ties = 0, between = 0;
    double *sum = t->spare; /* of distances from the middle rank */
    for (int64_t k = 0; k < f->c; k++) sum[k] = 0;
    for (int64_t e = 0, end; e < t->count; e = end) {
        double tie = 0;
        end = tally_block(t, e);
        for (int64_t i = e; i < end; i++) tie += t->weight[i];
        double off = before + (tie - n) / 2;
        for (int64_t i = e; i < end; i++) sum[t->cls[i]] += t->weight[i] * off;
        before += tie;
        ties += tie * tie * tie;
        if (end == t->count && e == 0) return (filter_score){0, 1};
    }
    for (int64_t k = 0; k < f->c; k++) between += sum[k] * (sum[k] / f->class_weight[k]);
    double H = (n - 1) * between / ((n * n * n - ties) / 12);
    if (!(H > 0)) return (filter_score){0, 1};
    return (filter_score){H, chi2_p_value(H, (double)f->c - 1)};
}

pare_status kruskal_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    static const filter_kind kind = {.tally = score, .has_p = true};
    return filter_fit(r, job, &kind, ctx, err);
}
