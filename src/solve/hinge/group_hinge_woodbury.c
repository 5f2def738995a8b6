/* The Newton systems of the group hinge exactly. But for the rank-one terms, one per active feature
 * and one per sample with a residual, M splits into one n x n matrix per output: c Cholesky factors
 * of size n, and the rank-one terms through their capacitance matrix (Woodbury).
 * COST  c n^3 / 3 + c n^2 p + n c p^2 / 2 for p = active features + samples with residuals; memory
 *       c n^2 + n c p. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/factor.h"
#include "solve/hinge/group_hinge_state.h"

#define MAX_BYTES 5e8 /* bytes above which this is not used */
enum { GRAM_TILE = 96 };

pare_status gh_woodbury_open(gh_woodbury *b, arena *mem, const gh_problem *p, pare_error *err) {
    double n = (double)p->n, c = (double)p->c, most = (double)(p->n + p->s);
    b->most = 8 * (n * n * c + n * c * most + most * most) <= MAX_BYTES ? p->n + p->s : 0;
    if (b->most == 0) return PARE_OK;
    PASS_MEM(b->factor = ARENA_NEW(mem, double, p->c * p->n * p->n));
    PASS_MEM(b->Z = ARENA_NEW(mem, double, p->n * p->c * b->most));
    PASS_MEM(b->capacitance = ARENA_NEW(mem, double, b->most * b->most));
    PASS_MEM(b->small = ARENA_NEW(mem, double, b->most));
    return PARE_OK;
}

/* One n x n factor per output; false if some is not positive definite. */
static bool factor_outputs(gh_work *w) {
    const gh_problem *p = w->problem;
    gh_system *s = &w->system;
    int64_t n = p->n, c = p->c, failures = 0;
    for (int64_t a = 0; a < s->n_active; a++) {
        double root = sqrt(s->alpha[a]);
        for (int64_t i = 0; i < n; i++) s->scaled[a * n + i] = root * s->x[a * n + i];
    }
    double *first = s->woodbury.factor;
    for (int64_t i = 0; i < n * n; i++) first[i] = p->intercept ? 1 : 0;
    if (s->n_active > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)s->n_active, 1, s->scaled,
                    (int)n, 1, first, (int)n);
    for (int64_t k = 1; k < c; k++)
        memcpy(first + k * n * n, first, sizeof(double) * (size_t)(n * n));
    int threads = gh_threads(w, (double)c * (double)n * (double)n * (double)n / 3);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : failures)
    for (int64_t k = 0; k < c; k++) {
        double *F = first + k * n * n;
        for (int64_t i = 0; i < n; i++) F[i * n + i] += s->diagonal[k * n + i];
        failures += !chol_factor('L', n, F, n);
    }
    return failures == 0;
}

static void fill_columns(const gh_work *w, int64_t k, double *Z) {
    const gh_system *s = &w->system;
    int64_t n = w->problem->n, c = w->problem->c, column = s->coupled ? s->units : 0;
    for (int64_t g = 0; g < column; g++) {
        int64_t from = s->first ? s->first[g] : g, to = s->first ? s->first[g + 1] : g + 1;
        double *z = Z + g * n * c;
        for (int64_t a = from; a < to; a++) {
            double factor = sqrt(s->beta[a]) * s->u[k * s->n_active + a];
            for (int64_t i = 0; i < n; i++)
                z[i] = (a == from ? 0 : z[i]) + factor * s->x[a * n + i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        if (s->row_scale[i] == 0) continue;
        double *z = Z + column++ * n * c;
        for (int64_t l = 0; l < n; l++) z[l] = 0;
        z[i] = sqrt(s->row_scale[i]) * s->v[k * n + i];
    }
}

/* The capacitance matrix I + Z'Z, lower part, by tiles of a fixed size. */
static void fill_capacitance(gh_work *w) {
    gh_woodbury *b = &w->system.woodbury;
    int64_t nc = w->problem->n * w->problem->c, m = b->columns,
            tiles = (m + GRAM_TILE - 1) / GRAM_TILE;
    double products = (double)nc * (double)m * (double)m;
#pragma omp parallel for num_threads(gh_threads(w, products)) schedule(dynamic)
    for (int64_t t = 0; t < tiles * tiles; t++) {
        int64_t i = t / tiles * GRAM_TILE, j = t % tiles * GRAM_TILE;
        if (i < j) continue;
        int64_t rows = m - i < GRAM_TILE ? m - i : GRAM_TILE;
        int64_t cols = m - j < GRAM_TILE ? m - j : GRAM_TILE;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)rows, (int)cols, (int)nc, 1,
                    b->Z + i * nc, (int)nc, b->Z + j * nc, (int)nc, 0, b->capacitance + j * m + i,
                    (int)m);
    }
    for (int64_t i = 0; i < m; i++) b->capacitance[i * m + i] += 1;
}

int64_t gh_woodbury_columns(const gh_work *w) {
    const gh_system *s = &w->system;
    int64_t columns = s->coupled ? s->units : 0;
    for (int64_t i = 0; i < w->problem->n; i++) columns += s->row_scale[i] != 0;
    return columns;
}

bool gh_woodbury_factor(gh_work *w) {
    gh_woodbury *b = &w->system.woodbury;
    int64_t n = w->problem->n, c = w->problem->c;
    if (!factor_outputs(w)) return false;
    b->columns = gh_woodbury_columns(w);
    if (b->columns == 0) return true;
    double solves = (double)(c * n) * (double)n * (double)b->columns;
#pragma omp parallel for num_threads(gh_threads(w, solves)) schedule(static)
    for (int64_t k = 0; k < c; k++) {
        fill_columns(w, k, b->Z + k * n);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                    (int)b->columns, 1, b->factor + k * n * n, (int)n, b->Z + k * n, (int)(n * c));
    }
    fill_capacitance(w);
    return chol_factor('L', b->columns, b->capacitance, b->columns);
}

void gh_woodbury_solve(const gh_work *w, const double *r, double *y) {
    const gh_woodbury *b = &w->system.woodbury;
    int64_t n = w->problem->n, c = w->problem->c;
    memcpy(y, r, sizeof *y * (size_t)(n * c));
    for (int64_t k = 0; k < c; k++)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                    b->factor + k * n * n, (int)n, y + k * n, 1);
    if (b->columns > 0) {
        cblas_dgemv(CblasColMajor, CblasTrans, (int)(n * c), (int)b->columns, 1, b->Z, (int)(n * c),
                    y, 1, 0, b->small, 1);
        chol_solve('L', b->columns, b->capacitance, b->columns, b->small, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)(n * c), (int)b->columns, -1, b->Z,
                    (int)(n * c), b->small, 1, 1, y, 1);
    }
    for (int64_t k = 0; k < c; k++)
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n,
                    b->factor + k * n * n, (int)n, y + k * n, 1);
}
