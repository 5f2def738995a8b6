/* NAME       t-test
 * PAPER      B. L. Welch. The generalization of Student's problem when several different population
 *            variances are involved. Biometrika 34:28-35, 1947.
 * PROBLEM    score_j = |t| = |m_1 - m_2| / sqrt(v_1/n_1 + v_2/n_2), v_k = sum w (x - m_k)^2 / (n_k
 *            - 1); several classes: the largest of each class against all others.
 * ALGORITHM  the moments of each class; those of all others together are pooled from them.
 * COST       1 pass over X (in a path shared with the statistics); memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula. p: two-sided, by Welch's degrees of freedom;
 *            of several classes times their number (Bonferroni), at most 1.
 * DEVIATIONS a side that weighs 1 or less has no variance: its comparison is left out, and the data
 *            are rejected if none is left (tests/ref/test_filters.c). */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/p_values.h"
#include "method/filter/filter.h"

static const double SCARCE = 1; /* a class must weigh more to have a variance */

/* All classes but k, pooled. */
static class_moments others(const class_moments *m, int64_t c, int64_t k) {
    class_moments o = {0, 0, 0};
    for (int64_t l = 0; l < c; l++) {
        if (l == k) continue;
        o.weight += m[l].weight;
        o.mean += m[l].weight * m[l].mean;
    }
    o.mean /= o.weight;
    for (int64_t l = 0; l < c; l++)
        if (l != k)
            o.squares += m[l].squares + m[l].weight * (m[l].mean - o.mean) * (m[l].mean - o.mean);
    return o;
}

static filter_score welch(const filter *f, const class_moments *a, const class_moments *b) {
    double u = a->squares / (a->weight - 1) / a->weight,
           v = b->squares / (b->weight - 1) / b->weight;
    double off = fabs(a->mean - b->mean);
    if (off == 0) return (filter_score){0, 1};
    if (u + v == 0) return (filter_score){DBL_MAX, 0};
    double t = off / sqrt(u + v), s = u / (u + v);
    double df = 1 / (s * s / (a->weight - 1) + (1 - s) * (1 - s) / (b->weight - 1));
    if (!(t < DBL_MAX)) return (filter_score){DBL_MAX, 0};
    return (filter_score){t, f->bare ? 1 : student_two_sided(t, df)};
}

static bool judged(double own, double rest) { return own > SCARCE && rest > SCARCE; }

static filter_score score(const filter *f, const class_moments *m) {
    filter_score best = {0, 1};
    if (f->c == 2) return welch(f, &m[0], &m[1]);
    for (int64_t k = 0; k < f->c; k++) {
        if (!judged(f->class_weight[k], f->total - f->class_weight[k])) continue;
        class_moments rest = others(m, f->c, k);
        filter_score s = welch(f, &m[k], &rest);
        if (s.score > best.score) best = s;
    }
    best.p = fmin(1, (double)f->c * best.p);
    return best;
}

const filter_kind t_test_by_moments = {.moments = score, .has_p = true};

pare_status t_test_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    filter f;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(filter_open(&f, &mem, job, 0, err));
    bool any = false;
    for (int64_t k = 0; k < f.c; k++) any |= judged(f.class_weight[k], f.total - f.class_weight[k]);
    if (!any) {
        int64_t few = f.c == 2 && f.class_weight[0] > SCARCE;
        status = error_set(err, PARE_E_DATA,
                           "class \"%.64s\" has a weight of %g in all: a t-test needs more than "
                           "one sample of each",
                           job->y->classes[few], f.class_weight[few]);
        goto done;
    }
    TRY(filter_run(r, &f, &t_test_by_moments, ctx, err));
done:
    arena_free(&mem);
    return status;
}
