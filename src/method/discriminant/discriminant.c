#include "method/discriminant/discriminant.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"
#include "method/discriminant/indicator.h"

static pare_status prepare(discriminant *s, arena *mem, bool centred, const pare_ctx *ctx,
                           pare_error *err) {
    const int32_t *cls = s->cls;
    PASS_MEM(s->of_class = ARENA_ZERO(mem, double, s->c));
    PASS_MEM(s->sum = ARENA_NEW(mem, double, s->c));
    PASS_MEM(s->P = ARENA_ZERO(mem, double, s->n * s->c));
    PASS_MEM(ARENA_NEWS(mem, double, s->d * s->c, &s->M, &s->W));
    for (int64_t i = 0; i < s->n; i++) s->of_class[cls[i]] += s->weight[i];
    for (int64_t k = 0; k < s->c; k++)
        for (int64_t i = 0; i < s->n; i++) {
            double all = s->weight[i] / s->total;
            double own = cls[i] == k ? s->weight[i] / s->of_class[k] : 0;
            s->P[k * s->n + i] = own - (centred ? all : 0);
        }
    PASS(indicator_centre(&s->x, &s->mean, mem, &s->x, s->weight, ctx, err));
    return mat_tmul(&s->x, s->P, s->c, s->M, ctx, err);
}

/* Each column of v (n rows) less the weighted averages of the classes. */
static void within(const discriminant *s, double *v, int64_t columns) {
    const int32_t *cls = s->cls;
    for (int64_t j = 0; j < columns; j++, v += s->n) {
        memset(s->sum, 0, sizeof(double) * (size_t)s->c);
        for (int64_t i = 0; i < s->n; i++) s->sum[cls[i]] += s->weight[i] * v[i];
        for (int64_t i = 0; i < s->n; i++) v[i] -= s->sum[cls[i]] / s->of_class[cls[i]];
    }
}

/* T'v for every column: the sum of a class is distributed over its members by weight. */
static void within_transposed(const discriminant *s, double *v, int64_t columns) {
    const int32_t *cls = s->cls;
    for (int64_t j = 0; j < columns; j++, v += s->n) {
        memset(s->sum, 0, sizeof(double) * (size_t)s->c);
        for (int64_t i = 0; i < s->n; i++) s->sum[cls[i]] += v[i];
        for (int64_t i = 0; i < s->n; i++)
            v[i] -= s->sum[cls[i]] * s->weight[i] / s->of_class[cls[i]];
    }
}

static void transpose(double *K, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double t = K[i * n + j];
            K[i * n + j] = K[j * n + i];
            K[j * n + i] = t;
        }
}

static pare_status singular(const discriminant *s, pare_error *err) {
    return error_set(
        err, PARE_E_DATA,
        "gamma %g is too small for these data: the covariance within classes is singular "
        "in double precision",
        s->gamma);
}

static pare_status solve_samples(discriminant *s, arena *mem, const pare_ctx *ctx,
                                 pare_error *err) {
    int64_t n = s->n, c = s->c;
    PASS(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    double *K = ARENA_NEW(mem, double, n *n), *V = ARENA_NEW(mem, double, n *c);
    PASS_MEM(K && V);
    PASS(mat_gram(&s->x, NULL, NULL, K, ctx, err));
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)c, 1, K, (int)n, s->P, (int)n, 0,
                V, (int)n);
    within(s, V, c);
    within(s, K, n); /* T K, then T (T K)' = T K T' */
    transpose(K, n);
    within(s, K, n);
    for (int64_t i = 0; i < n; i++) K[i * n + i] += s->total * s->gamma / s->weight[i];
    if (!chol_factor_solve('L', n, K, n, V, c)) return singular(s, err);
    within_transposed(s, V, c);
    for (int64_t e = 0; e < n * c; e++) V[e] = (s->P[e] - V[e]) / s->gamma;
    return mat_tmul(&s->x, V, c, s->W, ctx, err);
}

static pare_status solve_features(discriminant *s, arena *mem, const pare_ctx *ctx,
                                  pare_error *err) {
    int64_t n = s->n, d = s->d;
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)d, "the features of the samples", err));
    double *Z = ARENA_NEW(mem, double, n *d), *C = ARENA_NEW(mem, double, d *d);
    TRY_MEM(Z && C);
    TRY(mat_columns(&s->x, NULL, d, Z, ctx, err));
    within(s, Z, d);
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < n; i++) Z[j * n + i] *= sqrt(s->weight[i] / s->total);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)d, (int)n, 1, Z, (int)n, 0, C, (int)d);
    for (int64_t j = 0; j < d; j++) C[j * d + j] += s->gamma;
    memcpy(s->W, s->M, sizeof(double) * (size_t)(d * s->c));
    if (!chol_factor_solve('L', d, C, d, s->W, s->c)) status = singular(s, err);
done:
    return status;
}

pare_status discriminant_solve(discriminant *s, arena *mem, const fit_job *job, const view *x,
                               double gamma, bool centred, const pare_ctx *ctx, pare_error *err) {
    *s = (discriminant){.x = *x, .n = x->n, .d = x->d, .c = job->y->n_classes, .gamma = gamma};
    s->cls = job->y->cls;
    PASS_MEM(s->weight = fit_weights(mem, job->weight, s->n, &s->total));
    PASS(prepare(s, mem, centred, ctx, err));
    if (s->d == 0) return PARE_OK; /* every feature is constant: the priors decide */
    if (s->d >= s->n)
        PASS(solve_samples(s, mem, ctx, err));
    else
        PASS(solve_features(s, mem, ctx, err));
    return PARE_OK;
}

double discriminant_prior(const discriminant *s, int64_t k) {
    return log(s->of_class[k] / s->total) -
           0.5 * cblas_ddot((int)s->d, s->M + k * s->d, 1, s->W + k * s->d, 1);
}

pare_status discriminant_result(fit_result *r, const discriminant *s, const double *b,
                                pare_error *err) {
    int64_t d = s->d, c = s->c == 2 ? 1 : s->c;
    r->b = ARENA_NEW(&r->mem, double, c);
    if (!r->b) return error_memory(err);
    for (int64_t k = 0; k < s->c; k++) {
        double at_mean = cblas_ddot((int)d, s->mean, 1, s->W + k * d, 1);
        if (c > 1)
            r->b[k] = b[k] - at_mean;
        else
            r->b[0] = k == 0 ? at_mean - b[0] : r->b[0] + (b[1] - at_mean);
    }
    for (int64_t j = 0; j < d && c == 1; j++) s->W[j] = s->W[d + j] - s->W[j];
    r->outcome = PARE_OPTIMAL;
    return fit_support(r, s->W, d, c, err);
}
