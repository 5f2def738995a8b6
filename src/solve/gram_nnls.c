#include "solve/gram_nnls.h"

#include <lapacke.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct nnls {
    const double *M, *a;
    int64_t ld, count, positive;
    double *v;
    int64_t *set;    /* positive: which */
    bool *in, *shut; /* count: in the set; never again: depends on those in it */
    double *L, *z;   /* factor and solution on the set */
} nnls;

static double slope_of(const nnls *p, int64_t j) {
    double g = p->a[j];
    for (int64_t k = 0; k < p->positive; k++) g -= p->M[p->set[k] * p->ld + j] * p->v[p->set[k]];
    return g;
}

/* z = the unconstrained minimiser on the set; false: M is singular on it. */
static bool solve_set(nnls *p) {
    int64_t m = p->positive;
    for (int64_t k = 0; k < m; k++) {
        p->z[k] = p->a[p->set[k]];
        for (int64_t l = 0; l <= k; l++) p->L[l * m + k] = p->M[p->set[k] * p->ld + p->set[l]];
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, p->L, (lapack_int)m) != 0)
        return false;
    double least = INFINITY, most = 0;
    for (int64_t k = 0; k < m; k++) {
        least = fmin(least, p->L[k * m + k]);
        most = fmax(most, p->L[k * m + k]);
    }
    if (!(least > 1e-7 * most)) return false; /* a pivot of 1e-14 is rounding */
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, p->L, (lapack_int)m, p->z,
                        (lapack_int)m);
    return true;
}

static void take_out(nnls *p, int64_t k) {
    p->in[p->set[k]] = false;
    p->v[p->set[k]] = 0;
    p->set[k] = p->set[--p->positive];
}

/* To the minimiser on the set, leaving out what would become negative on the way. */
static bool settle(nnls *p) {
    while (p->positive > 0) {
        if (!solve_set(p)) return false;
        double share = 1;
        for (int64_t k = 0; k < p->positive; k++) {
            double v = p->v[p->set[k]];
            if (p->z[k] <= 0) share = fmin(share, v / (v - p->z[k]));
        }
        bool whole = share == 1;
        for (int64_t k = p->positive - 1; k >= 0; k--) {
            double *v = &p->v[p->set[k]], z = p->z[k];
            *v = whole ? z : *v + share * (z - *v);
            if (!whole && z <= 0 && *v <= 1e-15 * fabs(z)) {
                p->z[k] = p->z[p->positive - 1];
                take_out(p, k);
            }
        }
        if (whole) break;
    }
    return true;
}

pare_status gram_nnls(double *v, const double *M, int64_t ld, const double *a, int64_t count,
                      double tol, const pare_ctx *ctx, pare_error *err) {
    nnls p = {.M = M, .a = a, .ld = ld, .count = count, .v = v};
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY_MEM(p.set = ARENA_NEW(&mem, int64_t, count));
    TRY_MEM(p.in = ARENA_ZERO(&mem, bool, count));
    TRY_MEM(p.shut = ARENA_ZERO(&mem, bool, count));
    TRY_MEM(p.L = ARENA_NEW(&mem, double, count *count));
    TRY_MEM(p.z = ARENA_NEW(&mem, double, count));
    for (int64_t j = 0; j < count; j++)
        if (v[j] > 0) {
            p.in[j] = true;
            p.set[p.positive++] = j;
        }
    for (int64_t step = 0; step < 10 * count + 100; step++) {
        if (!settle(&p)) { /* the newest depends on the others */
            int64_t newest = p.positive - 1;
            p.shut[p.set[newest]] = true;
            take_out(&p, newest);
            continue;
        }
        int64_t best = -1;
        double most = tol;
        for (int64_t j = 0; j < count; j++) {
            if (p.in[j] || p.shut[j]) continue;
            double g = slope_of(&p, j);
            if (g > most) {
                most = g;
                best = j;
            }
        }
        if (best < 0) break;
        p.in[best] = true;
        p.set[p.positive++] = best;
    }

done:
    arena_free(&mem);
    return status;
}
