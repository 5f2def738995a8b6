/* NAME       dlsr, lsr
 * PAPER      dlsr eq. (7) and Algorithm 1; lsr: A. E. Hoerl, R. W. Kennard. Ridge regression: biased
 *            estimation for nonorthogonal problems. Technometrics 12:55-67, 1970, as dlsr eq. (8).
 * PROBLEM    minimise over W, t   sum_ik s_i r_ik^2 + lambda |W|_F^2,  f = X W + 1 t', with s_i the
 *            sample's weight. dlsr, the dragging matrix M at its optimum: r_ik = min(f_ik - 1, 0)
 *            for the own class, max(f_ik, 0) for the others. lsr: r_ik = f_ik - 1 or f_ik.
 * SYMBOLS    W: d x c; t -> b; Y -> target (n x c, 1 or 0), B -> sign (n x c); K: n x n Gram of the
 *            centred data; U: n x c, W = X'U / lambda.
 * ALGORITHM  1. K = X X' if d >= n, else the features themselves.  2. c problems on it by
 *            solve/one_sided.  3. W = X'U / lambda.  algorithm alternating: Algorithm 1 on K.
 * COST       3 passes over X (means, Gram, weights); memory n^2 per thread + d c,
 *            with d for n if less.
 * GUARANTEE  duality gap from raw data and U (certify/certify_dlsr.c).
 * STOPPING   relative gap <= tol.
 * DEVIATIONS Two classes have one output, f_2 - f_1 (method/discriminant/indicator.h). Algorithm 1
 *            stops on the fall of the objective, not on the change of W, which depends on the
 *            features' units. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/discriminant/dlsr_alternating.h"
#include "method/discriminant/indicator.h"
#include "solve/hinge/one_sided.h"

typedef struct least_squares {
    const fit_job *job;
    indicator of;
    view x;
    double *mean; /* d, or NULL: not centred */
    double *K;    /* n x n, or NULL */
    double *data; /* n x d if K is NULL */
    double norm2; /* mean squared norm of the samples, by their weights */
} least_squares;

/* Step 1. */
static pare_status prepare(least_squares *s, arena *mem, bool need_gram, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t n = s->of.n, d = s->job->x->d;
    double total, *weight = fit_weights(mem, s->job->weight, n, &total);
    PASS_MEM(weight);
    s->x = *s->job->x;
    if (s->of.intercept)
        PASS(indicator_centre(&s->x, &s->mean, mem, s->job->x, s->job->weight, ctx, err));
    if (d >= n || need_gram) {
        PASS(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples",
                              err));
        PASS_MEM(s->K = ARENA_NEW(mem, double, n *n));
        PASS(mat_gram(&s->x, NULL, NULL, s->K, ctx, err));
        for (int64_t i = 0; i < n; i++) s->norm2 += weight[i] * s->K[i * n + i];
    } else {
        PASS(ctx_check_memory(ctx, 8 * (double)n * (double)d, "the features of the samples", err));
        PASS_MEM(s->data = ARENA_NEW(mem, double, n *d));
        PASS(mat_columns(&s->x, NULL, d, s->data, ctx, err));
        for (int64_t e = 0; e < n * d; e++) s->norm2 += weight[e % n] * (s->data[e] * s->data[e]);
    }
    s->norm2 /= total;
    return PARE_OK;
}

static double automatic_lambda(const least_squares *s, double ratio) {
    return ratio * (s->norm2 > 0 ? s->norm2 : 1);
}

/* Weights in the features' units, intercepts for uncentred features, duals as certify wants
 * them. */
static pare_status finish(fit_result *r, least_squares *s, const double *U, double *W,
                          double lambda, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->of.n, c = s->of.c, d = s->job->x->d;
    if (s->K) {
        PASS(mat_tmul(&s->x, U, c, W, ctx, err));
        for (int64_t e = 0; e < d * c; e++) W[e] /= lambda;
    }
    for (int64_t o = 0; o < c; o++)
        for (int64_t j = 0; s->mean && j < d; j++) r->b[o] -= s->mean[j] * W[o * d + j];
    for (int64_t e = 0; e < n * c; e++) r->dual[e] = 2 * U[e];
    if (c == 1) { /* f_2 - f_1 = 2 f_2 - 1 */
        for (int64_t j = 0; j < d; j++) W[j] *= 2;
        r->b[0] = 2 * r->b[0] - 1;
    }
    return fit_support(r, W, d, c, err);
}

typedef struct plan {
    bool one_sided, alternating;
    double *lambda, ratio, tol; /* lambda: in the settings, NaN: automatic */
} plan;

static pare_status fit(fit_result *r, const fit_job *job, const plan *how, const pare_ctx *ctx,
                       pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    least_squares s = {.job = job};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(indicator_make(&s.of, &mem, job, err));
    int64_t c = s.of.c;
    double *U = ARENA_ZERO(&mem, double, n *c), *W = ARENA_ZERO(&mem, double, d *c);
    TRY_MEM(U && W);
    TRY_MEM(r->dual = ARENA_NEW(&r->mem, double, n *c));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, c));
    r->n_dual = c;
    TRY(prepare(&s, &mem, how->alternating, ctx, err));
    if (isnan(*how->lambda)) *how->lambda = automatic_lambda(&s, how->ratio);
    if (how->alternating) {
        TRY(dlsr_alternating(U, r->b, &r->iterations, &r->outcome, &s.of, s.K, *how->lambda,
                             how->tol, ctx, err));
    } else {
        os_problem p = {.n = n,
                        .c = c,
                        .d = d,
                        .K = s.K,
                        .x = s.data,
                        .sign = s.of.sign,
                        .target = s.of.target,
                        .weight = s.of.weight,
                        .intercept = s.of.intercept,
                        .one_sided = how->one_sided,
                        .lambda = *how->lambda,
                        .tol_rel = how->tol};
        os_solution out = {.U = U, .W = W, .b = r->b};
        TRY(os_solve(&out, &p, ctx, err)); /* 2 */
        r->outcome = out.outcome;
        r->iterations = out.steps;
    }
    TRY(finish(r, &s, U, W, *how->lambda, ctx, err)); /* 3 */

done:
    arena_free(&mem);
    return status;
}

pare_status dlsr_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    dlsr_settings *s = &fit_settings(r, job)->dlsr;
    if (strcmp(s->predict, "1nn") == 0) r->decides = BY_MAPPED_NEIGHBOUR;
    plan how = {.one_sided = true,
                .alternating = strcmp(s->algorithm, "alternating") == 0,
                .lambda = &s->lambda,
                .ratio = s->lambda_ratio,
                .tol = s->tol};
    return fit(r, job, &how, ctx, err);
}

pare_status lsr_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    lsr_settings *s = &fit_settings(r, job)->lsr;
    if (strcmp(s->predict, "1nn") == 0) r->decides = BY_MAPPED_NEIGHBOUR;
    plan how = {.lambda = &s->lambda, .ratio = s->lambda_ratio, .tol = s->tol};
    return fit(r, job, &how, ctx, err);
}
