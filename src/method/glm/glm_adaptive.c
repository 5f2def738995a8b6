/* Costs of the features from a ridge (--adaptive): features with small coefficients cost more.
 *
 *   b        the ridge's coefficients: the same loss + ridge/2 |b|^2, no feature left out
 *   cost_j   (max_l |b_l| / |b_j|)^gamma: the strongest costs 1. |b_j| is the norm over the
 *            outputs, and over the features of a group.
 *   ridge    unless given the sum of the features' variances over n, coefficients that explain
 *            as much as the noise, times the largest curvature of the loss (logistic: 1/4).
 *
 * b = X'U / ridge for the dual point U of n x c numbers, which is what the model keeps of it: the
 * certificate makes the costs from it again. With more features than samples the ridge is solved in
 * the columns of Z, Z Z' = X X' (n x n, one pass), else with passes over X (solve/glm/ridge.h). */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/glm/glm_task.h"
#include "solve/glm/ridge.h"

enum { MAX_SAMPLES = 2000 };
static const double WEAKEST = 1e-10; /* of the largest: a smaller coefficient counts as this */

/* The sum over features of their variances (without an intercept: mean squares). */
static pare_status spread(double *out, const glm_task *t, const view *x, arena *mem,
                          const pare_ctx *ctx, pare_error *err) {
    const double *share = t->problem.loss.share;
    double *square = ARENA_NEW(mem, double, t->d), *mean = ARENA_ZERO(mem, double, t->d);
    if (!square || !mean) return error_memory(err);
    pare_status status = mat_tmul2(x, share, 1, square, ctx, err);
    if (status == PARE_OK && t->problem.intercept) status = mat_tmul(x, share, 1, mean, ctx, err);
    *out = 0;
    for (int64_t j = 0; j < t->d && status == PARE_OK; j++)
        *out += fmax(square[j] - mean[j] * mean[j], 0);
    return status;
}

/* Z (n x rank) from X X' by Cholesky's factor with pivots. */
static pare_status factor(double **Z, int64_t *rank, const glm_task *t, bool centred, arena *mem,
                          const pare_ctx *ctx, pare_error *err) {
    int64_t n = t->n;
    lapack_int found = 0;
    pare_status status =
        ctx_check_memory(ctx, 16 * (double)n * (double)n, "the kernel matrix", err);
    if (status != PARE_OK) return status;
    double *K = ARENA_NEW(mem, double, n *n), *work = ARENA_NEW(mem, double, 2 * n);
    lapack_int *place = ARENA_NEW(mem, lapack_int, n);
    *Z = ARENA_ZERO(mem, double, n *n);
    if (!K || !work || !place || !*Z) return error_memory(err);
    PASS(fit_gram(t->job, centred, K, ctx, err));
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, K, (lapack_int)n, place, &found, -1,
                        work);
    *rank = found;
    for (int64_t k = 0; k < found; k++)
        for (int64_t i = k; i < n; i++) (*Z)[k * n + place[i] - 1] = K[k * n + i];
    return PARE_OK;
}

static pare_status solve(double *U, const glm_task *t, const view *x, double ridge, arena *mem,
                         const pare_ctx *ctx, pare_error *err) {
    const glm_loss *loss = &t->problem.loss;
    bool intercept = t->problem.intercept;
    if (t->d <= t->n || t->n > MAX_SAMPLES)
        return glm_ridge_dual(x, loss, intercept, ridge, U, ctx, err);
    double *Z = NULL;
    int64_t rank = 0;
    PASS(factor(&Z, &rank, t, intercept && t->job->mean, mem, ctx, err));
    matrix z = mat_dense(t->n, rank, Z);
    view small = view_all(&z);
    return glm_ridge_dual(&small, loss, intercept, ridge, U, ctx, err);
}

/* Norms of the ridge's coefficients, of each feature over the outputs and of each group. */
static void strengths(double *size, const double *B, const glm_task *t, const int64_t *group,
                      double *sum) {
    int64_t d = t->d;
    for (int64_t j = 0; j < d; j++) {
        size[j] = 0;
        for (int64_t o = 0; o < t->c; o++) size[j] = hypot(size[j], B[o * d + j]);
    }
    if (!group) return;
    for (int64_t j = 0; j < d; j++) sum[group[j]] = hypot(sum[group[j]], size[j]);
    for (int64_t j = 0; j < d; j++) size[j] = sum[group[j]];
}

pare_status glm_adaptive(glm_task *t, const int64_t *group, double *cost, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = t->n, d = t->d, c = t->c;
    double ridge = t->how->ridge, strongest = 0;
    view x = t->problem.intercept ? fit_centred(t->job) : *t->job->x;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *B = ARENA_NEW(&mem, double, d *c), *size = ARENA_NEW(&mem, double, d);
    double *sum = ARENA_ZERO(&mem, double, group ? t->n_groups : 0);
    TRY_MEM(B && size && sum);
    TRY_MEM(t->start = ARENA_ZERO(&t->mem, double, n *c));
    if (isnan(ridge)) {
        TRY(spread(&ridge, t, &x, &mem, ctx, err));
        ridge *= t->how->family->curvature / t->total;
        if (!(ridge > 0)) ridge = 1; /* no feature varies */
    }
    t->ridge = ridge;
    TRY(solve(t->start, t, &x, ridge, &mem, ctx, err));
    TRY(mat_tmul(&x, t->start, c, B, ctx, err));
    strengths(size, B, t, group, sum);
    for (int64_t j = 0; j < d; j++) strongest = fmax(strongest, size[j]);
    for (int64_t j = 0; j < d && strongest > 0; j++)
        cost[j] *= pow(fmax(size[j] / strongest, WEAKEST), -t->how->gamma);
done:
    arena_free(&mem);
    return status;
}
