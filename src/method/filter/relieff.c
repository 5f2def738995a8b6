/* NAME       relieff
 * PAPER      I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. ECML 1994;
 *            regression: M. Robnik-Sikonja, I. Kononenko. An adaptation of Relief for attribute
 *            estimation in regression. ICML 1997 (RReliefF).
 * PROBLEM    score_j = mean over samples i of
 *            sum_{C other} P(C) / (1 - P(y_i)) mean_misses |x_ij - x_mj| - mean_hits |x_ij - x_hj|,
 *            over the k nearest of the same class (hits) and of each other class C (misses), in the
 *            1-norm of the features mapped to [0, 1]. Regression:
 *            N_dCdA / N_dC - (N_dA - N_dCdA) / (m - N_dC), sums over the k nearest of each sample.
 * SYMBOLS    c: what a pair counts; the score is sum_pairs c |x_i - x_h| for every feature.
 * ALGORITHM  1. distances (method/filter/sample_pairs.h).
 *            2. nearest samples, c.
 *            3. a walk over the columns.
 * COST       2 passes over X and n^2 d / 2 differences, then n k classes operations
 *            a feature; memory n^2.
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS all samples are used, none drawn. A class with fewer than k others: as many as there
 *            are; without another of its class a sample has no hits. Weights: means and priors
 *            under them, neighbours are counted unweighted. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/filter/sample_pairs.h"

typedef struct relief {
    const fit_job *job;
    int64_t n, c, k;
    double total;
    const double *weight, *D;
    double *prior; /* c */
    ranked *heap;  /* k */
    pair_list pairs;
} relief;

/* The features mapped to [0, 1]. */
static pare_status to_unit(view *out, arena *mem, const fit_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t d = job->raw->d;
    col_stats *stats = ARENA_NEW(mem, col_stats, d);
    double *shift = ARENA_NEW(mem, double, d), *scale = ARENA_NEW(mem, double, d);
    if (!stats || !shift || !scale) return error_memory(err);
    pare_status status = mat_stats(job->raw, job->weight, stats, ctx, err);
    for (int64_t j = 0; status == PARE_OK && j < d; j++) {
        double range = stats[j].max - stats[j].min;
        shift[j] = stats[j].min;
        scale[j] = range > 0 && 1 / range < INFINITY ? 1 / range : 0;
    }
    *out = *job->raw;
    out->shift = shift;
    out->scale = scale;
    return status;
}

/* Puts the nearest samples of sample i in class C, or in all (C < 0), into the heap. */
static int64_t nearest(const relief *s, int64_t i, int64_t C) {
    int64_t count = 0;
    for (int64_t h = 0; h < s->n; h++)
        if (h != i && (C < 0 || s->job->y->cls[h] == C))
            keep_best(s->heap, &count, s->k, (ranked){-s->D[i * s->n + h], h});
    sort_best_first(s->heap, count);
    return count;
}

/* Adds the pairs of sample i with its `count` nearest, whose coefficients sum to `share`. */
static void add_pairs(relief *s, int64_t count, double share) {
    double sum = 0;
    int64_t at = s->pairs.start[s->n];
    for (int64_t e = 0; e < count; e++) sum += s->weight[s->heap[e].index];
    for (int64_t e = 0; e < count; e++, at++) {
        s->pairs.other[at] = (int32_t)s->heap[e].index;
        s->pairs.coef[at] = share * (s->weight[s->heap[e].index] / sum);
    }
    s->pairs.start[s->n] = at;
}

static void pair_classes(relief *s) {
    const int32_t *cls = s->job->y->cls;
    for (int64_t i = 0; i < s->n; i++) {
        double own = s->weight[i] / s->total;
        s->pairs.start[i] = s->pairs.start[s->n];
        for (int64_t C = 0; C < s->c; C++) {
            int64_t count = nearest(s, i, C);
            double share = C == cls[i] ? -1 : s->prior[C] / (1 - s->prior[cls[i]]);
            add_pairs(s, count, own * share);
        }
    }
}

static void pair_values(relief *s) {
    const double *y = s->job->y->value;
    double low = INFINITY, high = -INFINITY, together = 0, *coef = s->pairs.coef;
    for (int64_t i = 0; i < s->n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    double scale = high > low ? 1 / (high - low) : 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->pairs.start[i] = s->pairs.start[s->n];
        add_pairs(s, nearest(s, i, -1), s->weight[i]);
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t e = s->pairs.start[i]; e < s->pairs.start[i + 1]; e++)
            together += coef[e] * fabs(y[i] - y[s->pairs.other[e]]) * scale;
    double apart = s->total - together;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t e = s->pairs.start[i]; e < s->pairs.start[i + 1]; e++) {
            double off = fabs(y[i] - y[s->pairs.other[e]]) * scale;
            coef[e] *= (together > 0 ? off / together : 0) - (apart > 0 ? (1 - off) / apart : 0);
        }
}

static double score(const void *user, const double *f, double sum) {
    (void)user;
    (void)f;
    return sum;
}

pare_status relieff_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    relief s = {.job = job, .n = job->raw->n, .c = job->y->n_classes};
    s.k = job->set->relieff.neighbours;
    if (s.k > s.n) s.k = s.n;
    int64_t most = s.n * s.k * (s.c > 0 ? s.c : 1);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    view unit;
    double *D;
    TRY(ctx_check_memory(ctx, 8 * (double)s.n * (double)s.n + 12 * (double)most,
                         "the distances of the samples", err));
    TRY_MEM(D = ARENA_NEW(&mem, double, s.n *s.n));
    TRY_MEM(s.weight = fit_weights(&mem, job->weight, s.n, &s.total));
    TRY_MEM(s.prior = ARENA_ZERO(&mem, double, s.c));
    TRY_MEM(s.heap = ARENA_NEW(&mem, ranked, s.k));
    TRY_MEM(s.pairs.start = ARENA_ZERO(&mem, int64_t, s.n + 1));
    TRY_MEM(s.pairs.other = ARENA_NEW(&mem, int32_t, most));
    TRY_MEM(s.pairs.coef = ARENA_NEW(&mem, double, most));
    TRY(to_unit(&unit, &mem, job, ctx, err));
    TRY(manhattan(D, &unit, ctx, err));
    s.D = D;
    s.pairs.n = s.n;
    for (int64_t i = 0; job->y->cls && i < s.n; i++)
        s.prior[job->y->cls[i]] += s.weight[i] / s.total;
    if (job->y->cls)
        pair_classes(&s);
    else
        pair_values(&s);
    TRY(pairs_run(r, &unit, &s.pairs, false, score, NULL, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* The distances between all samples, feature by feature. */
effort_estimate relieff_effort(const effort_job *job) {
    return (effort_estimate){5e-10 * job->n * job->stored, NULL};
}
