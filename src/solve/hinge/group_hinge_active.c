/* The Newton systems of the group hinge on their active entries: those (i, k) with a positive
 * residual before the prox, T of n c. The other entries have E = sigma_loss / sigma, large
 * compared with their part of X D X' (SIGMA_RATIO in group_hinge.c): their block is replaced by its
 * diagonal, and their coupling with the active ones is dropped. The intercept, whose 1 1' is not
 * small, is added exactly (Woodbury).
 * COST  T^3 / 3 + T^2 (n_active / 2 + c); memory T^2 + T (n_active + c). */
#include <cblas.h>
#include <math.h>

#include "base/error.h"
#include "la/factor.h"
#include "solve/hinge/group_hinge_state.h"
#include "la/product/tiled.h"

enum { MAX_ENTRIES = 8000 }; /* active entries: half a gigabyte */

pare_status gh_active_open(gh_active *a, arena *mem, const gh_problem *p, pare_error *err) {
    int64_t nc = p->n * p->c, most = (int64_t)(2 * (double)p->n * sqrt((double)p->c));
    if (most > MAX_ENTRIES) most = MAX_ENTRIES;
    a->most = most < nc ? most : nc;
    PASS_MEM(ARENA_NEWS(mem, int64_t, nc, &a->entry, &a->place));
    PASS_MEM(a->first = ARENA_NEW(mem, int64_t, p->c + 1));
    PASS_MEM(a->rest = ARENA_NEW(mem, double, nc));
    PASS_MEM(a->K = ARENA_NEW(mem, double, p->n * p->n));
    PASS_MEM(a->N = ARENA_NEW(mem, double, a->most * a->most));
    PASS_MEM(a->R = ARENA_NEW(mem, double, p->c > 1 || p->start ? a->most * p->s : 0));
    PASS_MEM(a->V = ARENA_NEW(mem, double, a->most * p->c));
    PASS_MEM(a->capacitance = ARENA_NEW(mem, double, p->c * p->c));
    PASS_MEM(a->y = ARENA_NEW(mem, double, a->most));
    PASS_MEM(a->sum = ARENA_NEW(mem, double, p->c));
    return PARE_OK;
}

void gh_active_list(gh_work *w) {
    gh_active *a = &w->system.active;
    int64_t n = w->problem->n, c = w->problem->c;
    a->count = 0;
    for (int64_t k = 0; k < c; k++) {
        a->first[k] = a->count;
        for (int64_t e = k * n; e < (k + 1) * n; e++) {
            a->place[e] = w->now.q[e] > 0 ? a->count : -1;
            if (w->now.q[e] > 0) a->entry[a->count++] = e;
        }
    }
    a->first[c] = a->count;
}

/* 1 / diagonal of M for the entries that are not active. */
static void fill_rest(gh_work *w) {
    gh_system *s = &w->system;
    gh_active *a = &s->active;
    int64_t n = w->problem->n, c = w->problem->c, n_active = s->n_active;
    for (int64_t e = 0; e < n * c; e++) a->rest[e] = s->diagonal[e];
    if (n_active > 0) {
        for (int64_t e = 0; e < n * n_active; e++) s->scaled[e] = s->x[e] * s->x[e];
        gh_own_shares(s, c, s->t);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)n_active, 1,
                    s->scaled, (int)n, s->t, (int)n_active, 1, a->rest, (int)n);
    }
    for (int64_t e = 0; e < n * c; e++) a->rest[e] = a->place[e] < 0 ? 1 / a->rest[e] : 0;
}

/* The rank-one term of a active feature, or block, on the active entries. */
static void fill_unit(gh_work *w, int64_t g) {
    gh_system *s = &w->system;
    gh_active *a = &s->active;
    int64_t n = w->problem->n, from = s->first ? s->first[g] : g;
    int64_t to = s->first ? s->first[g + 1] : g + 1;
    double *R = a->R + g * a->count;
    for (int64_t j = from; j < to; j++)
        for (int64_t k = 0; k < w->problem->c; k++) {
            double factor = sqrt(s->beta[j]) * s->u[k * s->n_active + j];
            const double *x = s->x + j * n;
            for (int64_t t = a->first[k]; t < a->first[k + 1]; t++)
                R[t] = (j == from ? 0 : R[t]) + factor * x[a->entry[t] - k * n];
        }
}

/* The active block of M without the intercept, lower part. */
static void fill_block(gh_work *w) {
    gh_system *s = &w->system;
    gh_active *a = &s->active;
    int64_t n = w->problem->n, c = w->problem->c, n_active = s->n_active, T = a->count;
    for (int64_t j = 0; j < n_active; j++)
        for (int64_t i = 0; i < n; i++) s->scaled[j * n + i] = sqrt(s->alpha[j]) * s->x[j * n + i];
    if (n_active > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)n_active, 1, s->scaled,
                    (int)n, 0, a->K, (int)n);
    if (n_active > 0 && s->coupled) {
        for (int64_t g = 0; g < s->units; g++) fill_unit(w, g);
        double work = (double)T * (double)T * (double)s->units;
        tiled_square(T, s->units, a->R, a->N, gh_threads(w, work));
    } else {
        for (int64_t e = 0; e < T * T; e++) a->N[e] = 0;
    }
    for (int64_t k = 0; k < c && n_active > 0; k++) {
        const int64_t *row = a->entry;
        for (int64_t q = a->first[k]; q < a->first[k + 1]; q++) {
            const double *K = a->K + (row[q] - k * n) * n;
            for (int64_t t = q; t < a->first[k + 1]; t++) a->N[q * T + t] += K[row[t] - k * n];
        }
    }
    for (int64_t t = 0; t < T; t++) a->N[t * T + t] += s->diagonal[a->entry[t]];
    for (int64_t i = 0; i < n; i++) {
        if (s->row_scale[i] == 0) continue;
        for (int64_t k = 0; k < c; k++) {
            int64_t q = a->place[k * n + i];
            if (q < 0) continue;
            double factor = s->row_scale[i] * s->v[k * n + i];
            for (int64_t o = k; o < c; o++) {
                int64_t t = a->place[o * n + i];
                if (t >= 0) a->N[q * T + t] += factor * s->v[o * n + i];
            }
        }
    }
}

bool gh_active_factor(gh_work *w) {
    const gh_problem *p = w->problem;
    gh_active *a = &w->system.active;
    int64_t n = p->n, c = p->c, T = a->count;
    fill_rest(w);
    if (T > 0) {
        fill_block(w);
        double work = (double)T * (double)T * (double)T / 3;
        if (!tiled_factor(T, a->N, gh_threads(w, work))) return false;
    }
    if (!p->intercept) return true;
    for (int64_t k = 0; k < c; k++)
        for (int64_t t = 0; t < T; t++)
            a->V[k * T + t] = t >= a->first[k] && t < a->first[k + 1] ? 1 : 0;
    chol_solve('L', T, a->N, T, a->V, c);
    for (int64_t k = 0; k < c; k++) {
        for (int64_t o = 0; o < c; o++) {
            double sum = 0;
            for (int64_t t = a->first[k]; t < a->first[k + 1]; t++) sum += a->V[o * T + t];
            a->capacitance[o * c + k] = sum;
        }
        double rest = 1;
        for (int64_t e = k * n; e < (k + 1) * n; e++) rest += a->rest[e];
        a->capacitance[k * c + k] += rest;
    }
    return chol_factor('L', c, a->capacitance, c);
}

void gh_active_solve(const gh_work *w, const double *r, double *y) {
    const gh_problem *p = w->problem;
    const gh_active *a = &w->system.active;
    int64_t n = p->n, c = p->c, T = a->count;
    for (int64_t t = 0; t < T; t++) a->y[t] = r[a->entry[t]];
    for (int step = 0; step < 2 && T > 0; step++)
        cblas_dtrsv(CblasColMajor, CblasLower, step == 0 ? CblasNoTrans : CblasTrans, CblasNonUnit,
                    (int)T, a->N, (int)T, a->y, 1);
    for (int64_t e = 0; e < n * c; e++) y[e] = r[e] * a->rest[e];
    if (p->intercept) {
        for (int64_t k = 0; k < c; k++) {
            double sum = 0;
            for (int64_t t = a->first[k]; t < a->first[k + 1]; t++) sum += a->y[t];
            for (int64_t e = k * n; e < (k + 1) * n; e++) sum += y[e];
            a->sum[k] = sum;
        }
        chol_solve('L', c, a->capacitance, c, a->sum, 1);
        for (int64_t k = 0; k < c; k++)
            for (int64_t e = k * n; e < (k + 1) * n; e++) y[e] -= a->sum[k] * a->rest[e];
        if (T > 0)
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)T, (int)c, -1, a->V, (int)T, a->sum, 1, 1,
                        a->y, 1);
    }
    for (int64_t t = 0; t < T; t++) y[a->entry[t]] = a->y[t];
}
