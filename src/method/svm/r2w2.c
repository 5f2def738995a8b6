/* NAME       r2w2
 * PAPER      J. Weston, S. Mukherjee, O. Chapelle, M. Pontil, T. Poggio, V. Vapnik. Feature selection
 *            for SVMs. NIPS 2000; zero-norm section 4.4, eq. (7).
 * PROBLEM    minimise T = R^2 W^2 over scales sigma of the features, |sigma|^2 = d: R the radius of
 *            the smallest ball around the samples, W^2 = |w|^2 of the hard-margin SVM (several
 *            classes: the sum, one against the rest), both in the kernel on x * sigma. A ridge is
 *            added to the diagonal of the kernel in both where the data need it.
 * SYMBOLS    beta: duals of the ball; u: alpha.y per output; P: dk/d(inner sum) of the kernel;
 *            s = sigma^2; rise_j = W^2 dR^2/ds_j >= 0; fall_j = - R^2 dW^2/ds_j.
 * ALGORITHM  1. sigma = 1; K, SVM, ball.
 *            2. rise_j = sum_i c_i x_ij^2 - x_j'M x_j with M = W^2 (beta beta') . P, and
 *               - fall_j the same with M = R^2 (sum_o u_o u_o') . P; c = W^2 beta . diag P and 0
 *               (linear, poly), c = M 1 (rbf); dT/ds_j = rise_j - fall_j.
 *            3. At a stationary point rise_j - fall_j is the same number l for every j that is not
 *               0, that of the constraint sum_j s_j = d: s_j <- s_j ((fall_j + l) / rise_j)^eta,
 *               l = sum_j s_j (rise_j - fall_j) / d (below 0: it stands beside rise_j), then
 *               |sigma|^2 = d; eta halves until T decreases, and doubles after.
 *            4. Until the second half of the steps lowered T by at most tol of it, or no step does.
 * COST       per step one gram per value of eta tried (mostly two) and 2 tmul passes; kernels
 *            instead of tmul 2 d n^2 flops. Memory n^2 + O(d).
 * GUARANTEE  at the last sigma both duals' gaps bound T (certify/certify_r2w2.c); T never rises.
 * STOPPING   such steps end like 1/t: what the second half of t steps gained is what all further
 *            ones will gain. What one step gains says little: a tolerance of 1e-3 on it stopped 34%
 *            too early (tests/ref/test_r2w2.c).
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

enum { MAX_STEPS = 1000, MIN_STEPS = 8, MAX_HALVINGS = 12, TILE = 256 };
static const double FIRST_STEP = 0.5, LARGEST_STEP = 4;
static const double MAX_RATIO = 1e3; /* of a scale's square in a step of eta = 1 */
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
    double *rise, *fall;   /* d */
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

/* Step 2: both matrices have low rank. */
static pare_status slopes_linear(r2w2 *s, const point *p, const pare_ctx *ctx, pare_error *err) {
    int64_t d = s->x.d, n = s->x.n, c = s->svm.c;
    pare_status status = PARE_OK;
    TRY(mat_tmul2(&s->x, p->beta, 1, s->rise, ctx, err));
    memcpy(s->M, p->beta, sizeof(double) * (size_t)n); /* beta and U side by side: c + 1 <= n */
    memcpy(s->M + n, p->U, sizeof(double) * (size_t)(n * c));
    TRY(mat_tmul(&s->x, s->M, c + 1, s->block, ctx, err));
    for (int64_t j = 0; j < d; j++) {
        double centre = s->block[j], sum = 0;
        for (int64_t o = 1; o <= c; o++) sum += s->block[o * d + j] * s->block[o * d + j];
        s->rise[j] = p->W2 * (s->rise[j] - centre * centre);
        s->fall[j] = p->R2 * sum;
    }
done:
    return status;
}

/* out_j = sum_i c_i x_ij^2 - x_j'M x_j for all j. */
static pare_status quadratic_forms(r2w2 *s, double *out, const pare_ctx *ctx, pare_error *err) {
    int64_t d = s->x.d, n = s->x.n;
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
            out[first + i] = sum;
        }
    }
    return PARE_OK;
}

/* M = scale (sum_o v_o v_o') . P for `count` vectors v; c = M 1 (rbf), diag . diag P (else). */
static void weigh_pairs(r2w2 *s, const double *v, int64_t count, double scale, const double *diag) {
    int64_t n = s->x.n;
    const fit_kernel *k = &s->kernel;
    bool rbf = choice_is(k->type, "rbf");
    for (int64_t i = 0; i < n; i++) {
        s->c[i] = 0;
        for (int64_t j = 0; j < n; j++) {
            double m = 0, sum = s->sums[i * n + j];
            for (int64_t o = 0; o < count; o++) m += v[o * n + i] * v[o * n + j];
            double P = rbf ? 2 * k->gamma * s->K[i * n + j]
                           : k->degree * k->gamma * pow(sum + k->coef0, k->degree - 1);
            s->M[i * n + j] = scale * m * P;
            if (rbf)
                s->c[i] += scale * m * P;
            else if (i == j && diag)
                s->c[i] = scale * diag[i] * P;
        }
    }
}

static pare_status slopes_kernel(r2w2 *s, const point *p, const pare_ctx *ctx, pare_error *err) {
    weigh_pairs(s, p->beta, 1, p->W2, p->beta);
    pare_status status = quadratic_forms(s, s->rise, ctx, err);
    if (status != PARE_OK) return status;
    weigh_pairs(s, p->U, s->svm.c, p->R2, NULL);
    status = quadratic_forms(s, s->fall, ctx, err);
    for (int64_t j = 0; j < s->x.d; j++) s->fall[j] = -s->fall[j];
    return status;
}

/* Step 3's factor of s_j for eta = 1. */
static double ratio(const r2w2 *s, int64_t j, double l) {
    double less = s->rise[j] + fmax(-l, 0), more = s->fall[j] + fmax(l, 0);
    if (s->rise[j] == 0 && s->fall[j] == 0) return 1; /* a constant column */
    return more < MAX_RATIO * less ? fmax(more / less, 1 / MAX_RATIO) : MAX_RATIO;
}

static void propose(point *next, const point *p, const r2w2 *s, double eta) {
    double sum = 0, l = 0;
    int64_t d = s->x.d;
    for (int64_t j = 0; j < d; j++)
        l += p->sigma[j] * p->sigma[j] * (s->rise[j] - s->fall[j]) / (double)d;
    for (int64_t j = 0; j < d; j++) {
        next->sigma[j] = p->sigma[j] * pow(ratio(s, j, l), eta / 2);
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
        propose(next, now, s, *eta);
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
    TRY_MEM(s->rise = ARENA_NEW(mem, double, d));
    TRY_MEM(s->fall = ARENA_NEW(mem, double, d));
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
        if (s->rise[j] == 0 && s->fall[j] == 0) r->score[j] = 0; /* a constant column */
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
    double eta = FIRST_STEP, *T; /* T after each step */
    TRY_MEM(T = ARENA_NEW(&mem, double, MAX_STEPS + 1));
    TRY(prepare(&s, p, &mem, job, ctx, err));
    TRY(evaluate(&s, &p[now], NULL, r, &fine, ctx, err));
    r->outcome = PARE_MAX_ITER;
    T[0] = p[now].R2 * p[now].W2;
    for (; r->iterations < MAX_STEPS; r->iterations++) {
        const point *here = &p[now], *next = &p[1 - now];
        if (s.linear)
            TRY(slopes_linear(&s, here, ctx, err));
        else
            TRY(slopes_kernel(&s, here, ctx, err));
        if (ctx_stops(ctx, "r2w2", -1, &r->outcome)) break;
        TRY(descend(&s, here, &p[1 - now], &eta, &better, ctx, err));
        int64_t t = r->iterations + 1;
        T[t] = better ? next->R2 * next->W2 : T[t - 1];
        ctx_log(ctx, PARE_LOG_DEBUG, "r2w2 step %lld: %.9g", (long long)t, T[t]);
        if (better) now = 1 - now;
        if (!better || (t >= MIN_STEPS && T[t / 2] - T[t] <= job->set->r2w2.tol * T[t])) {
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

/* Steps of two Grams and two products each, about a hundred of them. */
effort_estimate r2w2_effort(const effort_job *job) {
    return (effort_estimate){1e-6 * job->stored * job->outputs, "`tol 0.1` stops it sooner"};
}
