/* NAME       lda
 * PAPER      dlsr section IV: the rival of Table III (Duda, Hart and Stork), regularised.
 * PROBLEM    output k: x'S m_k - m_k'S m_k / 2 + ln p_k with S = (C + gamma I)^-1, C the covariance
 *            within classes (over the total weight), m_k and p_k mean and share of class k. Two
 *            classes: the second less the first.
 * SYMBOLS    P: n x c, m_k = X'P_k; T = I - (class averages); K: n x n Gram; W = S M: d x c.
 * ALGORITHM  d >= n: W = X'(P - T'V) / gamma, V = (T K T' + N gamma / s)^-1 T K P (Woodbury).
 *            d < n: Cholesky of C + gamma I.  predict 1nn: the outputs are rotated and scaled so that
 *            distances between them are those of the discriminant space, where C + gamma I is 1.
 * COST       3 passes over X (means, Gram, weights); memory n^2 + d c, or d^2 + n d if d < n.
 * GUARANTEE  none to certify: a formula. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"
#include "method/indicator.h"

#define RANK_TOL 1e-10 /* of the largest eigenvalue between classes */

typedef struct lda {
    const fit_job *job;
    view x; /* centred */
    double *mean;
    int64_t n, d, c; /* c: classes, also where there are two */
    double gamma, total;
    double *weight, *of_class; /* n, c */
    double *sum;               /* c scratch */
    double *P;                 /* n x c */
    double *M, *W;             /* d x c */
} lda;

static pare_status prepare(lda *s, arena *mem, bool centred, const pare_ctx *ctx, pare_error *err) {
    const int32_t *cls = s->job->y->cls;
    pare_status status = PARE_OK;
    TRY_MEM(s->weight = fit_weights(mem, s->job->weight, s->n, &s->total));
    TRY_MEM(s->of_class = ARENA_ZERO(mem, double, s->c));
    TRY_MEM(s->sum = ARENA_NEW(mem, double, s->c));
    TRY_MEM(s->P = ARENA_ZERO(mem, double, s->n * s->c));
    TRY_MEM(s->M = ARENA_NEW(mem, double, s->d * s->c));
    TRY_MEM(s->W = ARENA_NEW(mem, double, s->d * s->c));
    for (int64_t i = 0; i < s->n; i++) s->of_class[cls[i]] += s->weight[i];
    for (int64_t k = 0; k < s->c; k++)
        for (int64_t i = 0; i < s->n; i++) {
            double all = s->weight[i] / s->total;
            double own = cls[i] == k ? s->weight[i] / s->of_class[k] : 0;
            s->P[k * s->n + i] = own - (centred ? all : 0);
        }
    TRY(indicator_centre(&s->x, &s->mean, mem, s->job->x, s->weight, ctx, err));
    TRY(mat_tmul(&s->x, s->P, s->c, s->M, ctx, err));
done:
    return status;
}

/* Each column of v (n rows) less the weighted averages of the classes. */
static void within(const lda *s, double *v, int64_t columns) {
    const int32_t *cls = s->job->y->cls;
    for (int64_t j = 0; j < columns; j++, v += s->n) {
        memset(s->sum, 0, sizeof(double) * (size_t)s->c);
        for (int64_t i = 0; i < s->n; i++) s->sum[cls[i]] += s->weight[i] * v[i];
        for (int64_t i = 0; i < s->n; i++) v[i] -= s->sum[cls[i]] / s->of_class[cls[i]];
    }
}

/* T'v for every column: the sum of a class goes back onto its members by weight. */
static void within_transposed(const lda *s, double *v, int64_t columns) {
    const int32_t *cls = s->job->y->cls;
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

static pare_status singular(const lda *s, pare_error *err) {
    return error_set(
        err, PARE_E_DATA,
        "gamma %g is too small for these data: the covariance within classes is singular "
        "in double precision",
        s->gamma);
}

static pare_status solve_samples(lda *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n, c = s->c;
    pare_status status = PARE_OK;
    TRY(ctx_room(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    double *K = ARENA_NEW(mem, double, n *n), *V = ARENA_NEW(mem, double, n *c);
    TRY_MEM(K);
    TRY_MEM(V);
    TRY(mat_gram(&s->x, NULL, NULL, K, ctx, err));
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)c, 1, K, (int)n, s->P, (int)n, 0,
                V, (int)n);
    within(s, V, c);
    within(s, K, n); /* T K, then T (T K)' = T K T' */
    transpose(K, n);
    within(s, K, n);
    for (int64_t i = 0; i < n; i++) K[i * n + i] += s->total * s->gamma / s->weight[i];
    if (!chol_factor_solve('L', n, K, n, V, c)) {
        status = singular(s, err);
        goto done;
    }
    within_transposed(s, V, c);
    for (int64_t e = 0; e < n * c; e++) V[e] = (s->P[e] - V[e]) / s->gamma;
    TRY(mat_tmul(&s->x, V, c, s->W, ctx, err));
done:
    return status;
}

static pare_status solve_features(lda *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n, d = s->d;
    pare_status status = PARE_OK;
    TRY(ctx_room(ctx, 8 * (double)n * (double)d, "the features of the samples", err));
    double *Z = ARENA_NEW(mem, double, n *d), *C = ARENA_NEW(mem, double, d *d);
    TRY_MEM(Z);
    TRY_MEM(C);
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

/* W becomes W (W'M)^{-1/2}: outputs in which C + gamma I has become the identity. */
static pare_status whiten(lda *s, arena *mem, pare_error *err) {
    int64_t d = s->d, c = s->c;
    double *between = ARENA_NEW(mem, double, c *c), *value = ARENA_NEW(mem, double, c),
           *W = ARENA_ZERO(mem, double, d *c), *work = ARENA_NEW(mem, double, 4 * c);
    if (!between || !value || !W || !work) return error_memory(err);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)c, (int)c, (int)d, 1, s->W, (int)d,
                s->M, (int)d, 0, between, (int)c);
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)c, between, (lapack_int)c, value,
                           work, (lapack_int)(4 * c)) != 0)
        return error_set(err, PARE_E_INTERNAL, "the eigenvalues between classes did not converge");
    for (int64_t e = 0; e < c; e++) {
        if (!(value[e] > RANK_TOL * value[c - 1])) continue;
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)d, (int)c, 1 / sqrt(value[e]), s->W, (int)d,
                    between + e * c, 1, 0, W + e * d, 1);
    }
    memcpy(s->W, W, sizeof(double) * (size_t)(d * c));
    return PARE_OK;
}

pare_status lda_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t d = job->x->d, classes = job->y->n_classes, c = classes == 2 ? 1 : classes;
    bool neighbour = strcmp(job->set->lda.predict, "1nn") == 0;
    if (!job->set->common.intercept)
        return error_set(err, PARE_E_ARGUMENT,
                         "intercept: false is not allowed for lda, whose constants are part of it");
    lda s = {.job = job, .n = job->x->n, .d = d, .c = classes, .gamma = job->set->lda.gamma};
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    double *b = ARENA_NEW(&mem, double, classes);
    TRY_MEM(b);
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, c));
    if (neighbour) r->decides = BY_MAPPED_NEIGHBOUR;
    TRY(prepare(&s, &mem, neighbour, ctx, err));
    if (d >= s.n)
        TRY(solve_samples(&s, &mem, ctx, err));
    else
        TRY(solve_features(&s, &mem, ctx, err));
    if (neighbour && c > 1) TRY(whiten(&s, &mem, err));
    for (int64_t k = 0; k < classes; k++) {
        double half = 0.5 * cblas_ddot((int)d, s.M + k * d, 1, s.W + k * d, 1);
        b[k] = neighbour ? 0 : log(s.of_class[k] / s.total) - half;
        b[k] -= cblas_ddot((int)d, s.mean, 1, s.W + k * d, 1);
    }
    for (int64_t k = 0; k < c; k++) r->b[k] = c == 1 ? b[1] - b[0] : b[k];
    for (int64_t j = 0; j < d && c == 1; j++) s.W[j] = s.W[d + j] - s.W[j];
    TRY(fit_support(r, s.W, d, c, err));
    r->outcome = PARE_OPTIMAL;

done:
    arena_free(&mem);
    return status;
}
