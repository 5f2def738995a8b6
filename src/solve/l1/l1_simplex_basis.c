/* The basis inverse B of l1_simplex.h: made from the factors of M, changed by one product of two
 * vectors a pivot. */
#include <cblas.h>
#include <string.h>

#include "solve/l1/l1_simplex_state.h"

bool l1_basis_refresh(l1_simplex *q) {
    int64_t m = q->m;
    lapack_int size = (lapack_int)m, most = (lapack_int)q->most;
    q->fresh = true;
    q->age = 0;
    if (m == 0) return true;
    for (int64_t k = 0; k < m; k++)
        for (int64_t e = 0; e < m; e++) q->M[k * m + e] = q->X[q->S[k] * q->n + q->E[e]];
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, q->M, size, q->pivot) != 0) return false;
    for (int64_t e = 0; e < m; e++)
        for (int64_t k = 0; k < m; k++) q->B[e * q->most + k] = e == k;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', size, size, q->M, size, q->pivot, q->B, most);
    return true;
}

void l1_basis_solve(const l1_simplex *q, bool transposed, double *v, double *scratch) {
    int m = (int)q->m;
    if (m == 0) return;
    if (q->fresh) {
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', m, 1, q->M, m, q->pivot, v,
                            m);
        return;
    }
    memcpy(scratch, v, sizeof *v * (size_t)m);
    cblas_dgemv(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, m, m, 1, q->B, (int)q->most,
                scratch, 1, 0, v, 1);
}

/* B += by left right', m x m. */
static void change_B(l1_simplex *q, double by) {
    if (q->m > 0)
        cblas_dger(CblasColMajor, (int)q->m, (int)q->m, by, q->left, 1, q->right, 1, q->B,
                   (int)q->most);
}

void l1_basis_enter(l1_simplex *q, bool grow, int64_t k, int64_t j, int64_t i) {
    int64_t m = q->m, most = q->most;
    const double *x = q->X + j * q->n;
    if (!grow) { /* column k of M is replaced */
        double pivot = q->left[k];
        for (int64_t e = 0; e < m; e++) q->right[e] = q->B[e * most + k];
        q->left[k] -= 1;
        change_B(q, -1 / pivot);
        return;
    }
    double rest = x[i];
    for (int64_t t = 0; t < m; t++) {
        rest -= q->X[q->S[t] * q->n + i] * q->left[t];
        q->dz[t] = q->X[q->S[t] * q->n + i];
    }
    if (m > 0)
        cblas_dgemv(CblasColMajor, CblasTrans, (int)m, (int)m, 1, q->B, (int)most, q->dz, 1, 0,
                    q->right, 1);
    change_B(q, 1 / rest);
    for (int64_t t = 0; t < m; t++) {
        q->B[m * most + t] = -q->left[t] / rest;
        q->B[t * most + m] = -q->right[t] / rest;
    }
    q->B[m * most + m] = 1 / rest;
}

void l1_basis_swap(l1_simplex *q, int64_t e, int64_t i) {
    int64_t m = q->m;
    for (int64_t t = 0; t < m; t++) q->dz[t] = q->X[q->S[t] * q->n + i];
    cblas_dgemv(CblasColMajor, CblasTrans, (int)m, (int)m, 1, q->B, (int)q->most, q->dz, 1, 0,
                q->right, 1);
    memcpy(q->left, q->B + e * q->most, sizeof(double) * (size_t)m);
    double pivot = q->right[e];
    q->right[e] -= 1;
    change_B(q, -1 / pivot);
}

void l1_basis_leave(l1_simplex *q, int64_t k, int64_t e) {
    int64_t m = q->m, most = q->most;
    for (int64_t t = 0; t < m; t++) q->right[t] = q->B[t * most + k];
    memcpy(q->left, q->B + e * most, sizeof(double) * (size_t)m);
    change_B(q, -1 / q->right[e]);
    memcpy(q->B + e * most, q->B + (m - 1) * most, sizeof(double) * (size_t)m);
    for (int64_t t = 0; t < m; t++) q->B[t * most + k] = q->B[t * most + m - 1];
}
