/* NAME       mutual-info
 * PAPER      T. M. Cover, J. A. Thomas. Elements of information theory, 1991, chapter 2.
 * PROBLEM    score_j = sum_bk p_bk ln(p_bk / (p_b p_k)) of the quantile bins b of the feature and
 *            the classes k, or the quantile bins of a regression's target.
 * ALGORITHM  each column sorted and binned (quantile_bins), a table of bins and classes.
 * COST       1 pass over X and a sort of each column (of its stored entries); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS bins, not neighbours as in scikit-learn: the same for every seed, and far quicker. */
#include <math.h>

#include "base/error.h"
#include "method/filter/filter.h"
#include "method/filter/filter_tally.h"

static filter_score score(const filter *f, const tally *t) {
    double joint = 0, features = 0, classes = 0, *own = t->spare;
    int64_t bins =
        quantile_bins(t->value, t->weight, t->count, f->total, f->whole, f->bins, t->bin);
    for (int64_t b = 0, e = 0; b < bins; b++) { /* entries of a bin are adjacent */
        double sum = 0;
        for (int64_t k = 0; k < f->c; k++) own[k] = 0;
        for (; e < t->count && t->bin[e] == b; e++) own[t->cls[e]] += t->weight[e];
        for (int64_t k = 0; k < f->c; k++) {
            sum += own[k];
            joint += filter_log(f, own[k]);
        }
        features += filter_log(f, sum);
    }
    for (int64_t k = 0; k < f->c; k++) classes += filter_log(f, f->class_weight[k]);
    double sum = joint - features - classes + filter_log(f, f->total);
    return (filter_score){fmax(0, sum / f->total), 1};
}

pare_status mutual_info_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    static const filter_kind kind = {.tally = score};
    filter f;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(filter_open(&f, &mem, job, job->set->mutual_info.bins, err));
    TRY(filter_logs(&f, &mem, err));
    TRY(filter_run(r, &f, &kind, ctx, err));
done:
    arena_free(&mem);
    return status;
}
