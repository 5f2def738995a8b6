/* NAME       r2w2
 * PAPER      J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio, V. Vapnik. Feature selection
 *            for SVMs. NIPS 2000; zero-norm section 4.4, eq. (7).
 * PROBLEM    minimise T = R^2 W^2 over scales sigma of the features, |sigma|^2 = d: R the radius of
 *            the smallest ball around the samples, W^2 = |w|^2 of the hard-margin SVM (several
 *            classes: the sum, one against the rest), both in the kernel on x * sigma. A ridge is
 *            added to the diagonal of the kernel in both where the data need it.
 * SYMBOLS    beta: duals of the ball; u: alpha.y per output; P: dk/d(inner sum) of the kernel.
 * ALGORITHM  1. sigma = 1; K, SVM, ball.
 *            2. slope_j = (dT/dsigma_j) / (2 sigma_j) = sum_i c_i x_ij^2 - x_j'M x_j, with
 *               M = (W^2 beta beta' + R^2 sum_o u_o u_o') . P, c = W^2 beta . diag P (poly,
 *               linear), c = 2 gamma M 1, M <- 2 gamma M (rbf, P = K).
 *            3. sigma_j <- sigma_j (1 - eta slope_j / max |slope|), |sigma|^2 = d; eta halves until
 *               T decreases, and doubles after.
 *            4. Until T falls by less than tol.
 * COST       per step one gram per value of eta tried (mostly one) and 2 tmul passes; kernels
 *            instead of tmul d n^2 flops. Memory n^2 + O(d).
 * GUARANTEE  at the last sigma both duals' gaps bound T (certify/certify_r2w2.c); T never rises.
 * DEVIATIONS the paper names only gradient descent: a multiplicative step keeps
 *            signs. Scores are sigma. */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "method/svm/gram_svm.h"
#include "method/kernel/kernel.h"
#include "solve/svm/ball_dual.h"

enum { MAX_STEPS = 200, MAX_HALVINGS = 12, TILE = 256 };
static const double FIRST_STEP = 0.5, LARGEST_STEP = 0.9;
static const double BALL_TOL = 1e-8, SVM_TOL = 1e-9;

typedef struct point {
    double *sigma;    /* d */
    double *dual, *U; /* n x c */
    double *beta;     /* n */
    double R2, W2;
} point;

typedef struct r2w2 {
    view x; /* centred, unless the kernel depends on a shift */
    gram_svm svm;
    const fit_job *as_is; /* while sigma = 1: its Gram may be available */
    fit_kernel kernel;    /* type linear: poly of degree 1 */
    bool linear, centred;
    double *K, *sums, *z2; /* n x n, n x n, d */
    double *M, *c;         /* n x n, n */
    double *slope;         /* d */
    double *block;         /* 2 n x TILE, or d x (c + 1) for linear */
    int64_t *own;          /* TILE */
} r2w2;

static pare_status point_init(point *p, arena *mem, int64_t n, int64_t d, int64_t c,
                              pare_error *err) {
    p->sigma = ARENA_NEW(mem, double, d);
    p->dual = ARENA_ZERO(mem, double, n *c);
    p->U = ARENA_ZERO(mem, double, n *c);
    p->beta = ARENA_ZERO(mem, double, n);
    return p->sigma && p->dual && p->U && p->beta ? PARE_OK : error_memory(err);
}

/* T at p->sigma; *fine false: hard margins are impossible there. r not NULL: a ridge may be set. */
static pare_status evaluate(r2w2 *s, point *p, const point *from, fit_result *r, bool *fine,
                            const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->x.n, size = n * s->svm.c;
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < s->x.d; j++) s->z2[j] = p->sigma[j] * p->sigma[j];
    double *gram = s->linear ? s->K : s->sums;
    if (s->as_is)
        TRY(fit_gram(s->as_is, s->centred, gram, ctx, err));
    else
        TRY(mat_gram(&s->x, NULL, s->z2, gram, ctx, err));
    s->as_is = NULL;
    if (!s->linear) {
        kernel_sums(&s->kernel, s->sums, n);
        kernel_gram(&s->kernel, s->sums, n, s->K);
    }
    if (from) memcpy(s->svm.dual, from->dual, sizeof(double) * (size_t)size);
    s->svm.warm = from != NULL;
    if (r)
        TRY(gram_svm_solve_anyhow(&s->svm, r, s->K, ctx, err));
    else
        TRY(gram_svm_solve(&s->svm, s->K, ctx, err));
    *fine = s->svm.inseparable < 0;
    if (!*fine) goto done;
    memcpy(p->dual, s->svm.dual, sizeof(double) * (size_t)size);
    memcpy(p->U, s->svm.U, sizeof(double) * (size_t)size);
    p->W2 = 2 * s->svm.dual_value;
    ball_solution out = {.beta = p->beta};
    if (from) memcpy(p->beta, from->beta, sizeof(double) * (size_t)n);
    TRY(ball_dual_solve(&out, s->K, n, s->svm.ridge, s->svm.weight, BALL_TOL, from != NULL, ctx,
                        err));
    p->R2 = out.low;
done:
    return status;
}

/* x_j'M x_j and sum c_i x_ij^2 for all j, M of rank c + 1. */
static pare_status slopes_linear(r2w2 *s, const point *p, const pare_ctx *ctx, pare_error *err) {
    int64_t d = s->x.d, n = s->x.n, c = s->svm.c;
    pare_status status = PARE_OK;
    TRY(mat_tmul2(&s->x, p->beta, 1, s->slope, ctx, err));
    for (int64_t j = 0; j < d; j++) s->slope[j] *= p->W2;
    memcpy(s->M, p->beta, sizeof(double) * (size_t)n); /* beta and U side by side: c + 1 <= n */
    memcpy(s->M + n, p->U, sizeof(double) * (size_t)(n * c));
    TRY(mat_tmul(&s->x, s->M, c + 1, s->block, ctx, err));
    for (int64_t o = 0; o <= c; o++)
        for (int64_t j = 0; j < d; j++) {
            double w = s->block[o * d + j];
            s->slope[j] -= (o == 0 ? p->W2 : p->R2) * w * w;
        }
done:
    return status;
}

static pare_status slopes_kernel(r2w2 *s, const point *p, const pare_ctx *ctx, pare_error *err) {
    int64_t d = s->x.d, n = s->x.n, c = s->svm.c;
    const fit_kernel *k = &s->kernel;
    bool rbf = choice_is(k->type, "rbf");
    for (int64_t i = 0; i < n; i++) {
        s->c[i] = 0;
        for (int64_t j = 0; j < n; j++) {
            double m = p->W2 * p->beta[i] * p->beta[j], sum = s->sums[i * n + j];
            for (int64_t o = 0; o < c; o++) m += p->R2 * p->U[o * n + i] * p->U[o * n + j];
            double P = rbf ? 2 * k->gamma * s->K[i * n + j]
                           : k->degree * k->gamma * pow(sum + k->coef0, k->degree - 1);
            s->M[i * n + j] = m * P;
            if (rbf)
                s->c[i] += m * P;
            else if (i == j)
                s->c[i] = p->W2 * p->beta[i] * P;
        }
    }
    double *X = s->block, *MX = s->block + n * TILE;
    for (int64_t first = 0; first < d; first += TILE) {
        int64_t count = d - first < TILE ? d - first : TILE;
        for (int64_t i = 0; i < count; i++) s->own[i] = first + i;
        pare_status status = mat_columns(&s->x, s->own, count, X, ctx, err);
        if (status != PARE_OK) return status;
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)count, 1, s->M, (int)n, X,
                    (int)n, 0, MX, (int)n);
        for (int64_t i = 0; i < count; i++) {
            double sum = 0;
            for (int64_t t = 0; t < n; t++) {
                double x = X[i * n + t];
                sum += x * (s->c[t] * x - MX[i * n + t]);
            }
            s->slope[first + i] = sum;
        }
    }
    return PARE_OK;
}

/* The next sigma from p by a step of eta, in units of the largest |slope| of a feature that is not
 * constant. */
static void propose(point *next, const point *p, const double *slope, int64_t d, double eta) {
    double most = 0, sum = 0;
    for (int64_t j = 0; j < d; j++)
        if (p->sigma[j] > 0) most = fmax(most, fabs(slope[j]));
    for (int64_t j = 0; j < d; j++) {
        next->sigma[j] = p->sigma[j] * (most > 0 ? 1 - eta * slope[j] / most : 1);
        sum += next->sigma[j] * next->sigma[j];
    }
    double scale = sum > 0 ? sqrt((double)d / sum) : 1;
    for (int64_t j = 0; j < d; j++) next->sigma[j] *= scale;
}

/* Step 3: finds *next better than *now; returns false if no step is. */
static pare_status descend(r2w2 *s, const point *now, point *next, double *eta, bool *better,
                           const pare_ctx *ctx, pare_error *err) {
    *better = false;
    for (int k = 0; k < MAX_HALVINGS; k++, *eta /= 2) {
        bool fine;
        propose(next, now, s->slope, s->x.d, *eta);
        pare_status status = evaluate(s, next, now, NULL, &fine, ctx, err);
        if (status != PARE_OK) return status;
        *better = fine && next->R2 * next->W2 < now->R2 * now->W2;
        if (*better) break;
    }
    return PARE_OK;
}

static pare_status prepare(r2w2 *s, point p[2], arena *mem, const fit_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    const r2w2_settings *set = &job->set->r2w2;
    int64_t n = job->x->n, d = job->x->d;
    pare_status status = PARE_OK;
    s->x = *job->x;
    s->as_is = job;
    s->linear = choice_is(set->kernel, "linear");
    s->centred = !choice_is(set->kernel, "poly");
    if (s->centred) s->x = fit_centred(job);
    TRY(ctx_check_memory(ctx, 24 * (double)n * (double)n, "the kernel matrices of the samples",
                         err));
    TRY(gram_svm_init(&s->svm, mem, job, "ovr", err));
    s->svm.tol_rel = SVM_TOL;
    s->svm.ridge = set->ridge;
    int64_t c = s->svm.c, tile = s->linear ? d * (c + 1) : 2 * n * TILE;
    TRY_MEM(s->K = ARENA_NEW(mem, double, n *n));
    TRY_MEM(s->sums = ARENA_NEW(mem, double, s->linear ? 0 : n *n));
    TRY_MEM(s->z2 = ARENA_NEW(mem, double, d));
    TRY_MEM(s->M = ARENA_NEW(mem, double, n *(n > c ? n : c + 1)));
    TRY_MEM(s->c = ARENA_NEW(mem, double, n));
    TRY_MEM(s->slope = ARENA_NEW(mem, double, d));
    TRY_MEM(s->block = ARENA_NEW(mem, double, tile));
    TRY_MEM(s->own = ARENA_NEW(mem, int64_t, TILE));
    for (int k = 0; k < 2; k++) TRY(point_init(&p[k], mem, n, d, c, err));
    for (int64_t j = 0; j < d; j++) p[0].sigma[j] = 1;
    if (!s->linear)
        TRY(kernel_make(&s->kernel, set->kernel, set->gamma, set->degree, set->coef0, job->x,
                        job->weight, ctx, err));
done:
    return status;
}

static pare_status finish(fit_result *r, const r2w2 *s, const point *p, pare_error *err) {
    int64_t n = s->x.n, d = s->x.d, c = s->svm.c;
    pare_status status = PARE_OK;
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    TRY_MEM(r->z = ARENA_NEW(&r->mem, double, d));
    TRY_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, d));
    TRY_MEM(r->dual = ARENA_NEW(&r->mem, double, n *(c + 1)));
    for (int64_t j = 0; j < d; j++) {
        r->score[j] = r->z[j] = p->sigma[j];
        r->cols[j] = j;
        if (s->slope[j] == 0) r->score[j] = 0; /* a constant column has no effect */
    }
    r->n_cols = d;
    r->n_dual = c + 1;
    memcpy(r->dual, p->dual, sizeof(double) * (size_t)(n * c));
    memcpy(r->dual + n * c, p->beta, sizeof(double) * (size_t)n);
    r->objective = p->R2 * p->W2;
    TRY(fit_rank(r, d, err));
done:
    return status;
}

pare_status r2w2_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    r2w2 s = {0};
    point p[2] = {{0}};
    pare_status status = PARE_OK;
    int now = 0;
    bool fine, better = true;
    double eta = FIRST_STEP;
    TRY(prepare(&s, p, &mem, job, ctx, err));
    TRY(evaluate(&s, &p[now], NULL, r, &fine, ctx, err));
    r->outcome = PARE_MAX_ITER;
    for (; r->iterations < MAX_STEPS; r->iterations++) {
        const point *here = &p[now];
        if (s.linear)
            TRY(slopes_linear(&s, here, ctx, err));
        else
            TRY(slopes_kernel(&s, here, ctx, err));
        if (ctx_stops(ctx, "r2w2", -1, &r->outcome)) break;
        TRY(descend(&s, here, &p[1 - now], &eta, &better, ctx, err));
        double before = here->R2 * here->W2, after = p[1 - now].R2 * p[1 - now].W2;
        ctx_log(ctx, PARE_LOG_DEBUG, "r2w2 step %lld: %.9g", (long long)r->iterations + 1,
                better ? after : before);
        if (better) now = 1 - now;
        if (!better || before - after <= job->set->r2w2.tol * before) {
            r->outcome = PARE_STATIONARY;
            break;
        }
        eta = fmin(2 * eta, LARGEST_STEP);
    }
    TRY(finish(r, &s, &p[now], err));
    fit_settings(r, job)->r2w2.ridge = s.svm.ridge;

done:
    arena_free(&mem);
    return status;
}

/* Steps of a Gram and two products each, about fifty of them. */
effort_estimate r2w2_effort(const effort_job *job) {
    return (effort_estimate){5e-7 * job->stored * job->outputs, "`tol` 0.1 stops it sooner"};
}
