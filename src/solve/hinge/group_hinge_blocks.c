/* The Newton systems of the group hinge by output: the n x n diagonal blocks of M,
 *     E_kk + Y Y' with Y = [X diag(alpha + beta u_k^2)^1/2, 1],
 * exactly, without the coupling of outputs; one mean block for all where c blocks need
 * too much memory.
 * Where there are fewer active features than samples, by I + Y'E_kk^-1 Y instead (Woodbury).
 * COST  c (m^3 / 3 + n m (m or n) / 2) with m = min(n, n_active + 1),
 *       memory c (m^2 + n (n_active + 1)). */
#include <cblas.h>
#include <math.h>

#include "base/error.h"
#include "la/factor.h"
#include "solve/hinge/group_hinge_state.h"

#define MAX_BYTES 1e9 /* bytes of factors above which one shared factor must do */

pare_status gh_blocks_open(gh_blocks *b, arena *mem, const gh_problem *p, pare_error *err) {
    int64_t width = p->s + 1, side = p->n < width ? p->n : width;
    double bytes = 8 * (double)p->c * (double)(side * side + p->n * width);
    b->count = bytes <= MAX_BYTES ? p->c : 1;
    PASS_MEM(b->factor = ARENA_NEW(mem, double, b->count *side *side));
    PASS_MEM(b->share = ARENA_NEW(mem, double, p->s * p->c));
    PASS_MEM(b->Y = ARENA_NEW(mem, double, b->count * p->n * width));
    PASS_MEM(b->inverse = ARENA_NEW(mem, double, b->count * p->n));
    PASS_MEM(b->small = ARENA_NEW(mem, double, p->c *width));
    return PARE_OK;
}

/* Y of output k, E_kk and the factor of the smaller side. */
static bool factor_one(gh_work *w, int64_t k) {
    const gh_problem *p = w->problem;
    gh_system *s = &w->system;
    gh_blocks *b = &s->blocks;
    int64_t n = p->n, c = p->c, n_active = s->n_active, width = n_active + p->intercept,
            side = b->side;
    double *F = b->factor + k * side * side, *Y = b->Y + k * n * width, *E = b->inverse + k * n;
    for (int64_t i = 0; i < n; i++) {
        E[i] = 0;
        for (int64_t o = 0; o < c; o++) {
            if (b->count > 1 && o != k) continue;
            int64_t e = o * n + i;
            E[i] += s->diagonal[e] + s->row_scale[i] * s->v[e] * s->v[e];
        }
        if (b->count == 1) E[i] /= (double)c;
    }
    for (int64_t j = 0; j < width; j++) {
        double root = j < n_active ? sqrt(b->share[k * n_active + j]) : 1;
        for (int64_t i = 0; i < n; i++) {
            double value = j < n_active ? root * s->x[j * n + i] : 1;
            Y[j * n + i] = side == n ? value : value / sqrt(E[i]);
        }
    }
    if (side == n) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)width, 1, Y, (int)n, 0, F,
                    (int)n);
        for (int64_t i = 0; i < n; i++) F[i * n + i] += E[i];
    } else if (side > 0) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)side, (int)n, 1, Y, (int)n, 0, F,
                    (int)side);
        for (int64_t j = 0; j < side; j++) F[j * side + j] += 1;
    }
    for (int64_t i = 0; i < n; i++) E[i] = 1 / sqrt(E[i]);
    return chol_factor('L', side, F, side);
}

bool gh_blocks_factor(gh_work *w) {
    gh_system *s = &w->system;
    gh_blocks *b = &s->blocks;
    int64_t n = w->problem->n, c = w->problem->c, width = s->n_active + w->problem->intercept,
            failures = 0;
    b->side = n < width ? n : width;
    gh_own_shares(s, c, b->share);
    for (int64_t j = 0; j < s->n_active && b->count == 1; j++) { /* their mean */
        for (int64_t k = 1; k < c; k++) b->share[j] += b->share[k * s->n_active + j];
        b->share[j] /= (double)c;
    }
    double work = (double)b->count * (double)n * (double)width * (double)b->side;
#pragma omp parallel for num_threads(gh_threads(w, work)) schedule(static) reduction(+ : failures)
    for (int64_t k = 0; k < b->count; k++) failures += !factor_one(w, k);
    return failures == 0;
}

/* y = (F F')^-1 y, one column after the other: for so few columns F is not copied. */
static void solve_factor(const double *F, int64_t side, double *y, int64_t columns) {
    for (int64_t o = 0; o < columns; o++)
        for (int step = 0; step < 2; step++)
            cblas_dtrsv(CblasColMajor, CblasLower, step == 0 ? CblasNoTrans : CblasTrans,
                        CblasNonUnit, (int)side, F, (int)side, y + o * side, 1);
}

/* y = (E + Y Y')^-1 y for the outputs of factor k. */
static void solve_one(const gh_work *w, int64_t k, double *y) {
    const gh_blocks *b = &w->system.blocks;
    int64_t n = w->problem->n, side = b->side, each = b->count > 1 ? 1 : w->problem->c;
    const double *F = b->factor + k * side * side, *Y = b->Y + k * n * side;
    const double *E = b->inverse + k * n;
    double *small = b->small + k * side;
    if (side == n) {
        solve_factor(F, n, y, each);
        return;
    }
    for (int64_t e = 0; e < n * each; e++) y[e] *= E[e % n];
    for (int64_t o = 0; o < each && side > 0; o++)
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)side, 1, Y, (int)n, y + o * n, 1, 0,
                    small + o * side, 1);
    solve_factor(F, side, small, side > 0 ? each : 0);
    for (int64_t o = 0; o < each && side > 0; o++)
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)side, -1, Y, (int)n, small + o * side,
                    1, 1, y + o * n, 1);
    for (int64_t e = 0; e < n * each; e++) y[e] *= E[e % n];
}

void gh_blocks_solve(const gh_work *w, const double *r, double *y) {
    const gh_blocks *b = &w->system.blocks;
    int64_t n = w->problem->n, c = w->problem->c;
    for (int64_t e = 0; e < n * c; e++) y[e] = r[e];
    double work = (double)c * (double)n * (double)b->side;
#pragma omp parallel for num_threads(gh_threads(w, work)) schedule(static)
    for (int64_t k = 0; k < b->count; k++) solve_one(w, k, y + k * n);
}
