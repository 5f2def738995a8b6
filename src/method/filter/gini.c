/* NAME       gini
 * PAPER      L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone. Classification and regression
 *            trees, 1984.
 * PROBLEM    score_j = the largest fall of the Gini impurity 1 - sum_k p_k^2 by one cut of the
 *            feature, the two sides weighted by their samples.
 * ALGORITHM  each column sorted; class weights left of each cut, with their sums of squares kept
 *            up. The fall is (sum L_k^2 / L + sum R_k^2 / R - sum W_k^2 / n) / n.
 * COST       1 pass over X and a sort of each column (of its stored entries); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula. */
#include <math.h>

#include "method/filter/filter.h"
#include "method/filter/filter_tally.h"

static filter_score score(const filter *f, const tally *t) {
    double *left = t->spare, sum = 0, own = 0, rest = 0, best = 0;
    for (int64_t k = 0; k < f->c; k++) {
        left[k] = 0;
        rest += f->class_weight[k] * f->class_weight[k];
    }
    double all = rest / f->total;
    for (int64_t e = 0, end; e < t->count; e = end) {
        end = tally_block(t, e);
        if (end == t->count) break;
        for (int64_t i = e; i < end; i++) {
            double w = t->weight[i], l = left[t->cls[i]], r = f->class_weight[t->cls[i]] - l;
            left[t->cls[i]] = l + w;
            sum += w;
            own += w * (2 * l + w);
            rest -= w * (2 * r - w);
        }
        double right = f->total - sum;
        if (right > 0) best = fmax(best, own / sum + fmax(0, rest) / right - all);
    }
    return (filter_score){best / f->total, 1};
}

pare_status gini_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    static const filter_kind kind = {.tally = score};
    return filter_fit(r, job, &kind, ctx, err);
}
