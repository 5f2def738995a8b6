/* Algorithm 2 of the dlsr paper: iteratively reweighted least squares on eq. (21).
 *   T = Y + B.M (5);
 *   W = S X'(X S X' + lambda D^-1)^-1 (T - 1 t') with S = diag |W^j|, by eq. (48);
 *   D_ii = 1 / |row i of X W + 1 t' - T| (10);  M = max(B.P, 0) (20).
 * Two errors of the paper are corrected: D uses the rows of T, not of Y; the intercept t is solved
 * for exactly from 1'(X S X' + lambda D^-1)^-1 (T - 1 t') = 0. M is renewed with every W instead of
 * in a loop around. Norms are smoothed, |v| -> sqrt(|v|^2 + floor^2), and the floor falls from 1 in
 * steps. That avoids 1/0; and alternating W and M on the non-smooth (21) itself stops short of the
 * optimum, as a sample without residual keeps none: 3 to 40% above it on random problems.
 * COST  2 passes over X and n^3 / 3 an iteration; memory n^2 + d c.
 *       Convergence is linear at best. */
#include "method/discriminant/dlsr_irls.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"

#define FLOOR_FALL 0.995 /* per iteration */
#define MIN_FLOOR 1e-7
#define STOP_SHARE 1e-2 /* of tol: relative fall of the objective in one iteration */
enum { MAX_IRLS = 10000 };

typedef struct irls {
    const indicator *of;
    const view *x;
    const feature_blocks *blocks;
    double lambda, floor;
    double *K, *T, *U, *F, *R; /* n x n; n x c each */
    double *row, *residual;    /* d, n: norms; those of rows over their blocks */
    double *sum;               /* scratch, one per block */
    double *W, *b;
} irls;

/* Step 9 for the given row and residual norms; U = M^-1 (T - 1 t'). */
static pare_status least_squares(irls *s, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->of->n, c = s->of->c, d = s->x->d;
    PASS(mat_gram(s->x, NULL, s->row, s->K, ctx, err));
    double *ones = s->U + n * c;
    for (int64_t i = 0; i < n; i++) {
        double weight = s->of->weight[i];
        s->K[i * n + i] += weight > 0 ? s->lambda * s->residual[i] / weight : 1e300;
        ones[i] = 1;
    }
    memcpy(s->U, s->T, sizeof(double) * (size_t)(n * c));
    if (!chol_factor_solve('U', n, s->K, n, s->U, c + 1))
        return error_set(err, PARE_E_INTERNAL, "the reweighted system is not positive definite");
    double total = 0;
    for (int64_t i = 0; i < n; i++) total += ones[i];
    for (int64_t k = 0; k < c; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += s->U[k * n + i];
        s->b[k] = s->of->intercept ? sum / total : 0;
        for (int64_t i = 0; i < n; i++) s->U[k * n + i] -= s->b[k] * ones[i];
    }
    pare_status status = mat_tmul(s->x, s->U, c, s->W, ctx, err);
    for (int64_t k = 0; k < c; k++)
        for (int64_t j = 0; j < d; j++) s->W[k * d + j] *= s->row[j];
    return status;
}

/* Steps 10, 11, 19, 20: fitted values, targets, norms; returns the objective of eq. (21). */
static pare_status reweight(irls *s, double *objective, const pare_ctx *ctx, pare_error *err) {
    const indicator *of = s->of;
    int64_t n = of->n, c = of->c, d = s->x->d;
    PASS(mat_mul(s->x, NULL, d, s->W, c, s->F, ctx, err));
    double value = 0, largest = 0;
    for (int64_t j = 0; j < d; j++) {
        s->row[j] = 0;
        for (int64_t k = 0; k < c; k++) s->row[j] += s->W[k * d + j] * s->W[k * d + j];
    }
    blocks_sum(s->blocks, s->row, s->sum);
    for (int64_t j = 0; j < d; j++) {
        bool first = !s->blocks->of || s->blocks->member[s->blocks->start[s->blocks->of[j]]] == j;
        s->row[j] = sqrt(s->row[j]);
        if (first) value += s->lambda * s->row[j];
        largest = fmax(largest, s->row[j]);
    }
    for (int64_t j = 0; j < d; j++) s->row[j] = hypot(s->row[j], s->floor * largest);
    for (int64_t i = 0; i < n; i++) {
        double norm2 = 0;
        for (int64_t k = 0; k < c; k++) {
            int64_t e = k * n + i;
            s->F[e] += s->b[k];
            double r = fmax(0, of->target[e] - of->sign[e] * s->F[e]);
            s->R[e] = r;
            s->T[e] = s->F[e] + of->sign[e] * r; /* Y + B.M at the best M */
            norm2 += r * r;
        }
        value += of->weight[i] * sqrt(norm2);
        s->residual[i] = hypot(sqrt(norm2), s->floor);
    }
    *objective = value;
    return PARE_OK;
}

pare_status dlsr_irls(double *W, double *b, double *L, int64_t *iterations, const indicator *of,
                      const view *x, const feature_blocks *blocks, double lambda, double tol,
                      pare_outcome *outcome, const pare_ctx *ctx, pare_error *err) {
    int64_t n = of->n, c = of->c, d = x->d;
    irls s = {.of = of, .x = x, .blocks = blocks, .lambda = lambda, .floor = 1, .W = W, .b = b};
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    TRY_MEM(s.K = ARENA_NEW(&scratch, double, n *n));
    TRY_MEM(ARENA_NEWS(&scratch, double, n *c, &s.T, &s.F, &s.R));
    TRY_MEM(s.U = ARENA_NEW(&scratch, double, n *(c + 1)));
    TRY_MEM(s.row = ARENA_NEW(&scratch, double, d));
    TRY_MEM(s.sum = ARENA_NEW(&scratch, double, blocks->count));
    TRY_MEM(s.residual = ARENA_NEW(&scratch, double, n));
    memcpy(s.T, of->target, sizeof(double) * (size_t)(n * c));
    for (int64_t j = 0; j < d; j++) s.row[j] = 1;
    for (int64_t i = 0; i < n; i++) s.residual[i] = 1;
    double before = INFINITY, now = 0;
    *outcome = PARE_MAX_ITER;
    for (*iterations = 0; *iterations < MAX_IRLS; ++*iterations) {
        if (ctx_stops(ctx, "reweighting", -1, outcome)) break;
        TRY(least_squares(&s, ctx, err));
        TRY(reweight(&s, &now, ctx, err));
        s.floor = fmax(MIN_FLOOR, FLOOR_FALL * s.floor);
        if (s.floor == MIN_FLOOR && fabs(before - now) <= STOP_SHARE * tol * now) {
            *outcome = PARE_STATIONARY;
            break;
        }
        before = now;
    }
    for (int64_t i = 0; i < n; i++) /* D (T - F) of the last system, the multipliers */
        for (int64_t k = 0; k < c; k++)
            L[k * n + i] =
                fmax(0, lambda * of->sign[k * n + i] * s.U[k * n + i]) / (c == 1 ? sqrt(2) : 1);

done:
    arena_free(&scratch);
    return status;
}
