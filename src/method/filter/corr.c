/* NAME       corr
 * PAPER      T. R. Golub et al. Molecular classification of cancer: class discovery and class
 *            prediction by gene expression monitoring. Science 286:531-537, 1999 (signal to noise,
 *            not Pearson's r); here squared differences over sums of variances, zero-norm 4.2.
 * PROBLEM    score_j = (mu+ - mu-)^2 / (s+^2 + s-^2), population variances, weighted; several
 *            classes: the mean over pairs of classes. Zero variance in both classes of a pair and
 *            different means: the feature comes first (its score is the largest double).
 * ALGORITHM  the moments of each class. The score does not depend on the scale of a feature: values
 *            are used unscaled, after any transform.
 * COST       1 pass over X (in a path shared with the statistics); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS the paper has two classes only; the mean over pairs is ours
 *            (tests/ref/test_corr.c). */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "method/filter/filter.h"

static double pair_score(const class_moments *a, const class_moments *b) {
    double ratio = (a->mean - b->mean) / sqrt(a->squares / a->weight + b->squares / b->weight);
    if (isnan(ratio)) return 0; /* all are equal, or so small that the variance underflows */
    return ratio * ratio < DBL_MAX ? ratio * ratio : DBL_MAX;
}

static filter_score mean_score(const filter *f, const class_moments *m) {
    double sum = 0, pairs = 0;
    for (int64_t a = 0; a < f->c; a++)
        for (int64_t b = a + 1; b < f->c; b++) {
            if (!(m[a].weight > 0 && m[b].weight > 0)) continue;
            double score = pair_score(&m[a], &m[b]);
            if (score == DBL_MAX) return (filter_score){DBL_MAX, 1};
            sum += score;
            pairs++;
        }
    return (filter_score){pairs > 0 ? sum / pairs : 0, 1};
}

const filter_kind corr_by_moments = {.moments = mean_score};

pare_status corr_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    filter f;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(filter_open(&f, &mem, job, 0, err));
    f.x = *job->x; /* transformed, but not scaled */
    f.x.shift = f.x.scale = NULL;
    TRY(filter_run(r, &f, &corr_by_moments, ctx, err));
done:
    arena_free(&mem);
    return status;
}
