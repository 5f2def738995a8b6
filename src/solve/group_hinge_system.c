/* The linear systems of the group hinge's Newton steps: M x = G / sigma with
 *     M = E + (X diag(alpha) X' + 1 1') (x) I_c + sum_j beta_j (X_j (x) u_j)(X_j (x) u_j)',
 * j over the active features; E_i = diag + row_scale_i v_i v_i' is the derivative of the loss's prox
 * on sample i. But for the rank-one terms, one per active feature and one per sample with a residual,
 * M falls apart into one n x n matrix per output. So: c Cholesky factors of size n, and the rank-one
 * terms through their capacitance matrix (Woodbury). That inverts M exactly but for rounding, and
 * conjugate gradients on M itself clean up what rounding left: one to three iterations.
 * COST  c n^3 / 3 + n c p^2 for p = active features + samples with residuals; memory c n^2 + n c p. One
 * output has no rank-one terms of its own: p = 0.
 * Where that is too much (LARGE), one n x n factor with mean diagonal preconditions, p = 0. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/group_hinge_state.h"

#define LARGE 2e9   /* bytes of factors above which one shared factor must do */
#define CG_TOL 1e-8 /* of the right-hand side */
#define WORTH_THREADS 2e7
#define RIDGE_STEP 100 /* the ridge grows by this when a factorization fails */
enum { CG_MAX_EXACT = 12, CG_MAX_SHARED = 300, GRAM_TILE = 96 };

/* Threads for work of that many operations: waking them costs more than little work does. */
static int threads_for(const gh_work *w, double operations) {
    return operations < WORTH_THREADS ? 1 : ctx_threads(w->ctx);
}

pare_status gh_system_open(gh_system *s, arena *mem, const gh_problem *p, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t n = p->n, c = p->c, most = c > 1 ? p->s + n : 0;
    double bytes = 8 * ((double)n * (double)n * (double)c + (double)(n * c) * (double)most +
                        (double)most * (double)most);
    s->blocks = bytes <= LARGE ? c : 1;
    s->max_columns = bytes <= LARGE ? most : 0;
    TRY_MEM(s->x = ARENA_NEW(mem, double, n * p->s));
    TRY_MEM(s->scaled = ARENA_NEW(mem, double, n * p->s));
    TRY_MEM(s->alpha = ARENA_NEW(mem, double, p->s));
    TRY_MEM(s->beta = ARENA_NEW(mem, double, p->s));
    TRY_MEM(s->u = ARENA_NEW(mem, double, p->s *c));
    TRY_MEM(s->t = ARENA_NEW(mem, double, p->s *c));
    TRY_MEM(s->diagonal = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->row_scale = ARENA_NEW(mem, double, n));
    TRY_MEM(s->v = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->factor = ARENA_NEW(mem, double, s->blocks *n *n));
    TRY_MEM(s->Z = ARENA_NEW(mem, double, n *c * s->max_columns));
    TRY_MEM(s->capacitance = ARENA_NEW(mem, double, s->max_columns * s->max_columns));
    TRY_MEM(s->small = ARENA_NEW(mem, double, s->max_columns));
    TRY_MEM(s->r = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->p = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->Mp = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->y = ARENA_NEW(mem, double, n *c));
done:
    return status;
}

/* The active features with the derivatives of their prox, and those of the loss's prox. */
static void gather(gh_work *w, double ridge) {
    const gh_problem *p = w->problem;
    gh_system *s = &w->system;
    const gh_eval *e = &w->now;
    int64_t n = p->n, c = p->c;
    s->live = 0;
    for (int64_t j = 0; j < p->s; j++) s->live += e->U_keep[j] > 0;
    for (int64_t j = 0, a = 0; j < p->s; j++) {
        if (!(e->U_keep[j] > 0)) continue;
        memcpy(s->x + a * n, p->x + j * n, sizeof(double) * (size_t)n);
        s->alpha[a] = c == 1 ? 1 : e->U_keep[j]; /* u is made a unit vector; one output: a number */
        s->beta[a] = 1 - s->alpha[a];
        for (int64_t k = 0; k < c; k++) s->u[k * s->live + a] = e->U[k * p->s + j] / e->U_norm[j];
        a++;
    }
    for (int64_t i = 0; i < n; i++) {
        bool partial = e->keep[i] > 0 && e->keep[i] < 1;
        bool splits = partial && c > 1; /* one output: v v' = 1 goes into the diagonal */
        s->row_scale[i] = splits ? 1 - e->keep[i] : 0; /* v is made a unit vector */
        for (int64_t k = 0; k < c; k++) {
            double q = e->q[k * n + i];
            s->v[k * n + i] = splits && q > 0 ? p->sign[k * n + i] * q / e->norm[i] : 0;
            s->diagonal[k * n + i] = ridge + (q > 0 && !(partial && c == 1) ? e->keep[i] : 1);
        }
    }
}

/* One n x n factor per block; false if some is not positive definite. */
static bool factor_blocks(gh_work *w) {
    const gh_problem *p = w->problem;
    gh_system *s = &w->system;
    int64_t n = p->n, c = p->c, failures = 0;
    for (int64_t a = 0; a < s->live; a++) {
        double root = sqrt(s->alpha[a]);
        for (int64_t i = 0; i < n; i++) s->scaled[a * n + i] = root * s->x[a * n + i];
    }
    double *first = s->factor;
    for (int64_t i = 0; i < n * n; i++) first[i] = p->intercept ? 1 : 0;
    if (s->live > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)s->live, 1, s->scaled,
                    (int)n, 1, first, (int)n);
    for (int64_t k = 1; k < s->blocks; k++)
        memcpy(first + k * n * n, first, sizeof(double) * (size_t)(n * n));
    double cubes = (double)s->blocks * (double)n * (double)n * (double)n;
#pragma omp parallel for num_threads(threads_for(w, cubes / 3)) schedule(static) reduction(+ : failures)
    for (int64_t k = 0; k < s->blocks; k++) {
        double *F = s->factor + k * n * n;
        for (int64_t i = 0; i < n; i++) {
            double diagonal = s->diagonal[k * n + i];
            if (s->blocks < c) {
                for (int64_t o = 1; o < c; o++) diagonal += s->diagonal[o * n + i];
                diagonal /= (double)c;
            }
            F[i * n + i] += diagonal;
        }
        failures +=
            LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, F, (lapack_int)n) != 0;
    }
    return failures == 0;
}

static void fill_columns(const gh_work *w, int64_t k, double *Z) {
    const gh_system *s = &w->system;
    int64_t n = w->problem->n, c = w->problem->c, column = s->live;
    for (int64_t a = 0; a < s->live; a++) {
        double factor = sqrt(s->beta[a]) * s->u[k * s->live + a];
        for (int64_t i = 0; i < n; i++) Z[a * n * c + i] = factor * s->x[a * n + i];
    }
    for (int64_t i = 0; i < n; i++) {
        if (s->row_scale[i] == 0) continue;
        double *z = Z + column++ * n * c;
        for (int64_t l = 0; l < n; l++) z[l] = 0;
        z[i] = sqrt(s->row_scale[i]) * s->v[k * n + i];
    }
}

/* The capacitance matrix I + Z'Z, lower part, by tiles of a fixed size. */
static void capacitance(gh_work *w) {
    gh_system *s = &w->system;
    int64_t nc = w->problem->n * w->problem->c, m = s->columns,
            tiles = (m + GRAM_TILE - 1) / GRAM_TILE;
    double products = (double)nc * (double)m * (double)m;
#pragma omp parallel for num_threads(threads_for(w, products)) schedule(dynamic)
    for (int64_t t = 0; t < tiles * tiles; t++) {
        int64_t i = t / tiles * GRAM_TILE, j = t % tiles * GRAM_TILE;
        if (i < j) continue;
        int64_t rows = m - i < GRAM_TILE ? m - i : GRAM_TILE;
        int64_t cols = m - j < GRAM_TILE ? m - j : GRAM_TILE;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)rows, (int)cols, (int)nc, 1,
                    s->Z + i * nc, (int)nc, s->Z + j * nc, (int)nc, 0, s->capacitance + j * m + i,
                    (int)m);
    }
    for (int64_t i = 0; i < m; i++) s->capacitance[i * m + i] += 1;
}

static bool factor_system(gh_work *w) {
    gh_system *s = &w->system;
    int64_t n = w->problem->n, c = w->problem->c;
    if (!factor_blocks(w)) return false;
    s->columns = 0;
    if (s->max_columns == 0) return true;
    s->columns = c > 1 ? s->live : 0;
    for (int64_t i = 0; i < n; i++) s->columns += s->row_scale[i] != 0;
    if (s->columns == 0) return true;
    double solves = (double)(c * n) * (double)n * (double)s->columns;
#pragma omp parallel for num_threads(threads_for(w, solves)) schedule(static)
    for (int64_t k = 0; k < c; k++) {
        fill_columns(w, k, s->Z + k * n);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                    (int)s->columns, 1, s->factor + k * n * n, (int)n, s->Z + k * n, (int)(n * c));
    }
    capacitance(w);
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)s->columns, s->capacitance,
                               (lapack_int)s->columns) == 0;
}

/* y = preconditioner r. */
static void precondition(const gh_work *w, const double *r, double *y) {
    const gh_system *s = &w->system;
    int64_t n = w->problem->n, c = w->problem->c;
    memcpy(y, r, sizeof *y * (size_t)(n * c));
    for (int64_t k = 0; k < c; k++)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                    s->factor + (s->blocks < c ? 0 : k) * n * n, (int)n, y + k * n, 1);
    if (s->columns > 0) {
        cblas_dgemv(CblasColMajor, CblasTrans, (int)(n * c), (int)s->columns, 1, s->Z, (int)(n * c),
                    y, 1, 0, s->small, 1);
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)s->columns, 1, s->capacitance,
                            (lapack_int)s->columns, s->small, (lapack_int)s->columns);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)(n * c), (int)s->columns, -1, s->Z,
                    (int)(n * c), s->small, 1, 1, y, 1);
    }
    for (int64_t k = 0; k < c; k++)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n,
                    s->factor + (s->blocks < c ? 0 : k) * n * n, (int)n, y + k * n, 1);
}

/* out = M x. */
static void multiply(const gh_work *w, const double *x, double *out) {
    const gh_system *s = &w->system;
    const gh_problem *p = w->problem;
    int64_t n = p->n, c = p->c, live = s->live;
    for (int64_t i = 0; i < n; i++) {
        double dot = 0;
        for (int64_t k = 0; k < c; k++) dot += s->v[k * n + i] * x[k * n + i];
        for (int64_t k = 0; k < c; k++)
            out[k * n + i] =
                s->diagonal[k * n + i] * x[k * n + i] + s->row_scale[i] * dot * s->v[k * n + i];
    }
    for (int64_t k = 0; k < c && p->intercept; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += x[k * n + i];
        for (int64_t i = 0; i < n; i++) out[k * n + i] += sum;
    }
    if (live == 0) return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)live, (int)c, (int)n, 1, s->x, (int)n,
                x, (int)n, 0, s->t, (int)live);
    for (int64_t a = 0; a < live; a++) {
        double dot = 0;
        for (int64_t k = 0; k < c; k++) dot += s->u[k * live + a] * s->t[k * live + a];
        for (int64_t k = 0; k < c; k++)
            s->t[k * live + a] =
                s->alpha[a] * s->t[k * live + a] + s->beta[a] * dot * s->u[k * live + a];
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)live, 1, s->x,
                (int)n, s->t, (int)live, 1, out, (int)n);
}

/* Conjugate gradients from 0 on M x = G / sigma. */
static void conjugate_gradients(gh_work *w, double *x) {
    gh_system *s = &w->system;
    int64_t nc = w->problem->n * w->problem->c;
    int most = s->blocks == w->problem->c ? CG_MAX_EXACT : CG_MAX_SHARED;
    for (int64_t e = 0; e < nc; e++) {
        x[e] = 0;
        s->r[e] = w->now.G[e] / w->sigma;
    }
    double stop = CG_TOL * cblas_dnrm2((int)nc, s->r, 1), before = 0;
    for (int step = 0; step < most; step++) {
        precondition(w, s->r, s->y);
        double rho = cblas_ddot((int)nc, s->r, 1, s->y, 1);
        if (!(rho > 0)) return;
        for (int64_t e = 0; e < nc; e++)
            s->p[e] = s->y[e] + (step == 0 ? 0 : rho / before * s->p[e]);
        before = rho;
        multiply(w, s->p, s->Mp);
        double curvature = cblas_ddot((int)nc, s->p, 1, s->Mp, 1);
        if (!(curvature > 0)) return;
        cblas_daxpy((int)nc, rho / curvature, s->p, 1, x, 1);
        cblas_daxpy((int)nc, -rho / curvature, s->Mp, 1, s->r, 1);
        if (!(cblas_dnrm2((int)nc, s->r, 1) > stop)) return;
    }
}

void gh_newton_direction(gh_work *w, double ridge) {
    gather(w, ridge);
    while (!factor_system(w)) { /* ends: a diagonal that dominates everything factors */
        ridge *= RIDGE_STEP;
        if (!(ridge < 1e12)) break;
        gather(w, ridge);
    }
    conjugate_gradients(w, w->step);
}
