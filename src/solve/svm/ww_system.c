#include "solve/svm/ww_system.h"

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "la/factor.h"

enum { CORRECTIONS = 10 };
static const double THETA = 0.01;
static const double SOLVED = 1e-14; /* of the right-hand side may be left */
static const double WORTH_MORE =
    0.5; /* a correction that leaves more of the residual is the last */
static const double MIN_DELTA = 1e-14; /* for a K of size 1: below, rounding of K dominates */

double ww_system_bytes(int64_t n, int64_t c, int64_t N) {
    double rows = (double)n, classes = (double)c;
    return 8 * (rows * rows * (classes + 2) + 4 * rows * classes + 3 * (double)N);
}

bool ww_system_prepare(ww_system *w, arena *mem) {
    int64_t n = w->n, c = w->c;
    w->D = ARENA_NEW(mem, double, w->N);
    w->A = ARENA_NEW(mem, double, n *n *c);
    w->R = ARENA_NEW(mem, double, n *c);
    w->h = ARENA_NEW(mem, double, n *c);
    w->mass = ARENA_NEW(mem, double, c);
    w->inverse = ARENA_NEW(mem, double, n *n);
    w->S = ARENA_NEW(mem, double, n *n);
    w->B = ARENA_NEW(mem, double, n *c);
    w->KB = ARENA_NEW(mem, double, n *c);
    w->nu = ARENA_NEW(mem, double, n);
    w->left = ARENA_NEW(mem, double, w->N + w->e);
    w->more = ARENA_NEW(mem, double, w->N + w->e);
    return w->D && w->A && w->R && w->h && w->mass && w->inverse && w->S && w->B && w->KB &&
           w->nu && w->left && w->more;
}

/* R: D^-1/2, and delta^-1/2 for the own class. */
static void set_roots(ww_system *w) {
    int64_t n = w->n;
    memset(w->R, 0, sizeof(double) * (size_t)(n * w->c));
    memset(w->nu, 0, sizeof(double) * (size_t)n); /* borrowed: sum_m 1 / D_im */
    for (int64_t a = 0; a < w->N; a++) {
        w->R[w->m[a] * n + w->i[a]] = 1 / sqrt(w->D[a]);
        w->nu[w->i[a]] += 1 / w->D[a];
    }
    for (int64_t i = 0; i < n; i++)
        w->R[w->cls[i] * n + i] = sqrt(fmin(w->nu[i] / THETA, 1 / MIN_DELTA));
}

/* x = T_k x = R (I + R K R)^-1 R x. */
static void times_T(const ww_system *w, int64_t k, double *x) {
    int64_t n = w->n;
    const double *R = w->R + k * n;
    for (int64_t i = 0; i < n; i++) x[i] *= R[i];
    const double *A =
        w->A + k * n * n; /* one right-hand side: not worth the copies of chol_solve */
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, A, (int)n, x, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, A, (int)n, x, 1);
    for (int64_t i = 0; i < n; i++) x[i] *= R[i];
}

/* The factor of class k, and its part of S. */
static bool factor_class(ww_system *w, int64_t k) {
    int64_t n = w->n;
    double *A = w->A + k * n * n, *R = w->R + k * n, *h = w->h + k * n, mass = 0;
    for (int64_t j = 0; j < n; j++) {
        const double *K = w->K + j * n;
        double scale = R[j] / w->unit;
        for (int64_t i = j; i < n; i++) A[j * n + i] = R[i] * K[i] * scale;
        A[j * n + j] += 1;
    }
    if (!chol_factor('L', n, A, n)) return false;
    for (int64_t i = 0; i < n; i++) h[i] = 1;
    times_T(w, k, h);
    for (int64_t i = 0; i < n; i++) mass += h[i];
    w->mass[k] = mass;
    memcpy(w->inverse, A, sizeof(double) * (size_t)(n * n));
    LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, w->inverse, (lapack_int)n);
    double bordered = k < w->e && mass > 0 ? 1 / mass : 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            w->S[j * n + i] += R[i] * w->inverse[j * n + i] * R[j] - h[i] * h[j] * bordered;
    return true;
}

bool ww_system_factor(ww_system *w, const double *D) {
    int64_t n = w->n;
    memcpy(w->D, D, sizeof(double) * (size_t)w->N);
    memset(w->S, 0, sizeof(double) * (size_t)(n * n));
    set_roots(w);
    for (int64_t k = 0; k < w->c; k++)
        if (!factor_class(w, k)) return false;
    for (int64_t i = 0; i < n; i++) {
        double *own = &w->S[i * n + i];
        *own = *own > 0 ? *own * (1 + 1e-14) : 1; /* 1: the sample has no variable */
    }
    return chol_factor('L', n, w->S, n);
}

/* B of x, n x c. */
static void gather(const ww_system *w, const double *x, double *B) {
    memset(B, 0, sizeof(double) * (size_t)(w->n * w->c));
    for (int64_t a = 0; a < w->N; a++) {
        B[w->cls[w->i[a]] * w->n + w->i[a]] += x[a];
        B[w->m[a] * w->n + w->i[a]] -= x[a];
    }
}

/* `left` less what (x, mu) makes of it. */
static void take_off(ww_system *w, const double *x, const double *mu) {
    int64_t n = w->n;
    gather(w, x, w->B);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)w->c, (int)n, 1 / w->unit,
                w->K, (int)n, w->B, (int)n, 0, w->KB, (int)n);
    for (int64_t k = 0; k < w->e; k++)
        for (int64_t i = 0; i < n; i++) {
            w->left[w->N + k] -= w->B[k * n + i];
            w->KB[k * n + i] += mu[k];
        }
    for (int64_t a = 0; a < w->N; a++) {
        int64_t i = w->i[a];
        w->left[a] -= w->D[a] * x[a] + w->KB[w->cls[i] * n + i] - w->KB[w->m[a] * n + i];
    }
}

/* (x, mu) = (r, q) solved with the factors:
 *     B_k = -T_k (R_k + nu) - mu_k T_k 1,  R_k: r of the variables of class k, 0 for its samples;
 *     1'B_k = q_k gives mu_k, and sum_k B_k = 0 gives
 *     S nu = -sum_k (T_k R_k - (q_k + 1'T_k R_k) h_k). */
static void solve_once(ww_system *w, double *x, double *mu) {
    int64_t n = w->n;
    memset(w->B, 0, sizeof(double) * (size_t)(n * w->c));
    memset(w->nu, 0, sizeof(double) * (size_t)n);
    for (int64_t a = 0; a < w->N; a++) w->B[w->m[a] * n + w->i[a]] = x[a];
    for (int64_t k = 0; k < w->c; k++) {
        double *t = w->B + k * n, *h = w->h + k * n, sum = 0;
        times_T(w, k, t);
        for (int64_t i = 0; i < n && k < w->e; i++) sum += t[i];
        if (k < w->e) mu[k] = w->mass[k] > 0 ? (mu[k] + sum) / w->mass[k] : 0;
        for (int64_t i = 0; i < n; i++) w->nu[i] -= t[i] - (k < w->e ? mu[k] * h[i] : 0);
    }
    chol_solve('L', n, w->S, n, w->nu, 1);
    for (int64_t k = 0; k < w->c; k++) {
        double *t = w->B + k * n, *h = w->h + k * n, *add = w->KB;
        memcpy(add, w->nu, sizeof(double) * (size_t)n);
        times_T(w, k, add);
        double along = cblas_ddot((int)n, h, 1, w->nu, 1);
        if (k < w->e) mu[k] = w->mass[k] > 0 ? -(mu[k] + along / w->mass[k]) : 0;
        for (int64_t i = 0; i < n; i++) t[i] += add[i] + (k < w->e ? mu[k] * h[i] : 0);
    }
    for (int64_t a = 0; a < w->N; a++) x[a] = w->B[w->m[a] * n + w->i[a]];
}

/* Of `left`, where the rows of a large D, whose errors matter less, count as if all had one
 * size. */
static double size_left(const ww_system *w) {
    double sum = 0;
    for (int64_t a = 0; a < w->N; a++) sum += pow(w->left[a] / (1 + w->D[a]), 2);
    for (int64_t k = 0; k < w->e; k++) sum += pow(w->left[w->N + k], 2);
    return sqrt(sum);
}

void ww_system_solve(ww_system *w, double *x, double *mu) {
    int64_t N = w->N, size = N + w->e;
    memcpy(w->left, x, sizeof(double) * (size_t)N);
    memcpy(w->left + N, mu, sizeof(double) * (size_t)w->e);
    memset(x, 0, sizeof(double) * (size_t)N);
    memset(mu, 0, sizeof(double) * (size_t)w->e);
    double first = size_left(w), before = first;
    for (int t = 0; t < CORRECTIONS && before > SOLVED * first; t++) {
        memcpy(w->more, w->left, sizeof(double) * (size_t)size);
        solve_once(w, w->more, w->more + N);
        take_off(w, w->more, w->more + N);
        double now = size_left(w);
        if (t > 0 && !(now < before)) break; /* the last one did no good */
        cblas_daxpy((int)N, 1, w->more, 1, x, 1);
        cblas_daxpy((int)w->e, 1, w->more + N, 1, mu, 1);
        if (!(now < WORTH_MORE * before)) break;
        before = now;
    }
}
