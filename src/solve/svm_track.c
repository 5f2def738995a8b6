#include "solve/svm_track.h"

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

static const double OPTIMAL = 1e-9;  /* of margin 1: how far conditions may be violated */
static const double SINGULAR = 1e-8; /* a smaller 1 - x'q would lose the inverse's digits */

bool svm_track_init(svm_track *t, arena *mem, int64_t n) {
    memset(t, 0, sizeof *t);
    t->at = ARENA_NEW(mem, int64_t, n);
    t->inverse = ARENA_NEW(mem, double, (n + 1) * (n + 1));
    t->work = ARENA_NEW(mem, double, (n + 1) * (n + 1));
    t->beta = ARENA_NEW(mem, double, n);
    t->e = ARENA_NEW(mem, double, n);
    t->q = ARENA_NEW(mem, double, n + 1);
    t->u = ARENA_NEW(mem, double, n + 1);
    t->pivot = ARENA_NEW(mem, int, n + 1);
    return t->at && t->inverse && t->work && t->beta && t->e && t->q && t->u && t->pivot;
}

static int64_t order(const svm_track *t) { return t->m + (t->p.intercept ? 1 : 0); }

/* e, and how far the free samples are from their conditions. */
static double residual(svm_track *t) {
    int64_t n = t->p.n;
    double worst = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        t->e[i] = t->p.y[i] - t->b - t->p.ridge[i] * t->beta[i];
        sum += t->beta[i];
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)n, -1, t->p.K, (int)n, t->beta, 1, 1,
                t->e, 1);
    for (int64_t k = 0; k < t->m; k++) {
        t->u[k] = t->e[t->at[k]];
        worst = fmax(worst, fabs(t->u[k]));
    }
    if (t->p.intercept) t->u[t->m] = -sum;
    return worst;
}

/* (beta_F, b) += by times v. */
static void move(svm_track *t, const double *v, double by) {
    for (int64_t k = 0; k < t->m; k++) t->beta[t->at[k]] += by * v[k];
    if (t->p.intercept) t->b += by * v[t->m];
}

/* Refines the free samples and tells whether all conditions of optimality hold. */
static bool settle(svm_track *t, double *alpha, double *b) {
    int64_t n = t->p.n, size = order(t);
    double worst = residual(t);
    for (int round = 0; round < 2 && !(worst <= 1e-3 * OPTIMAL); round++) {
        cblas_dsymv(CblasColMajor, CblasLower, (int)size, 1, t->inverse, (int)size, t->u, 1, 0,
                    t->q, 1);
        move(t, t->q, 1);
        worst = residual(t);
    }
    if (!(worst <= OPTIMAL)) return false;
    for (int64_t k = 0; k < t->m; k++) {
        int64_t i = t->at[k];
        double a = t->beta[i] * t->p.y[i];
        if (!(a > 0 && a < t->p.C[i])) return false;
    }
    for (int64_t k = t->m; k < n; k++) {
        int64_t i = t->at[k];
        double want = t->e[i] * t->p.y[i]; /* to grow */
        bool low = t->beta[i] == 0, high = fabs(t->beta[i]) == t->p.C[i];
        if ((!high && want > OPTIMAL) || (!low && want < -OPTIMAL)) return false;
    }
    for (int64_t i = 0; i < n; i++) alpha[i] = fabs(t->beta[i]);
    *b = t->b;
    return true;
}

bool svm_track_start(svm_track *t, const svm_problem *p, double *alpha, double *b) {
    int64_t n = p->n, last = n;
    t->p = *p;
    t->m = 0;
    t->b = *b;
    for (int64_t i = 0; i < n; i++) {
        t->beta[i] = alpha[i] * p->y[i];
        if (alpha[i] > 0 && alpha[i] < p->C[i])
            t->at[t->m++] = i;
        else
            t->at[--last] = i;
    }
    if (t->m == 0) return false;
    int64_t size = order(t);
    for (int64_t k = 0; k < t->m; k++) {
        for (int64_t l = 0; l < t->m; l++) t->inverse[k * size + l] = p->K[t->at[k] * n + t->at[l]];
        t->inverse[k * size + k] += p->ridge[t->at[k]];
        if (p->intercept) t->inverse[k * size + t->m] = t->inverse[t->m * size + k] = 1;
    }
    if (p->intercept) t->inverse[size * size - 1] = 0;
    lapack_int order_ = (lapack_int)size, work = (lapack_int)(size * size);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, order_, order_, t->inverse, order_, t->pivot) != 0 ||
        LAPACKE_dgetri_work(LAPACK_COL_MAJOR, order_, t->inverse, order_, t->pivot, t->work, work))
        return false;
    return settle(t, alpha, b);
}

bool svm_track_downdate(svm_track *t, const double *x, double *alpha, double *b) {
    int64_t n = t->p.n, size = order(t);
    for (int64_t k = 0; k < t->m; k++) t->u[k] = x[t->at[k]];
    if (t->p.intercept) t->u[t->m] = 0;
    cblas_dsymv(CblasColMajor, CblasLower, (int)size, 1, t->inverse, (int)size, t->u, 1, 0, t->q,
                1);
    double left = 1 - cblas_ddot((int)size, t->u, 1, t->q, 1);
    if (!(fabs(left) > SINGULAR)) return false;
    move(t, t->q, cblas_ddot((int)n, x, 1, t->beta, 1) / left);
    cblas_dsyr(CblasColMajor, CblasLower, (int)size, 1 / left, t->q, 1, t->inverse, (int)size);
    return settle(t, alpha, b);
}
