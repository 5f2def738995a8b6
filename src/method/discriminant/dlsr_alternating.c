/* Algorithm 1 of the dlsr paper on a Gram matrix: by turns the least squares fit to R = Y + B.M
 * (steps 7 and 8, one factorization for all turns) and M = max(B.P, 0) (steps 9 and 10).
 * COST  n^3 / 3 once, 4 n^2 c a turn. Convergence is linear: slow where lambda is small. */
#include "method/discriminant/dlsr_alternating.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"

#define STOP_SHARE 0.1 /* of tol: relative fall of the objective in one turn */
#define WITHOUT_SAY 1e300
enum { MAX_ALTERNATIONS = 20000 };

/* Steps 7 and 8: U and b for the targets R; ones holds the system's solution for ones. */
static void fit_targets(const double *factor, const double *ones, const double *R, double *U,
                        double *b, const indicator *of, double lambda) {
    int64_t n = of->n, c = of->c;
    double total = 0;
    for (int64_t i = 0; i < n; i++) total += ones[i];
    memcpy(U, R, sizeof *U * (size_t)(n * c));
    chol_solve('L', n, factor, n, U, c);
    for (int64_t k = 0; k < c; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += U[k * n + i];
        b[k] = of->intercept ? sum / total : 0;
        for (int64_t i = 0; i < n; i++) U[k * n + i] = lambda * (U[k * n + i] - b[k] * ones[i]);
    }
}

/* Steps 9 and 10 in one: R = Y + B.M from the fitted values F; returns the objective of eq. (7). */
static double drag(double *R, const double *F, const double *U, const double *b,
                   const indicator *of) {
    int64_t n = of->n;
    double value = 0;
    for (int64_t e = 0; e < n * of->c; e++) {
        double r = fmax(0, of->sign[e] * (of->target[e] - F[e]));
        value += of->weight[e % n] * r * r + U[e] * (F[e] - b[e / n]);
        R[e] = F[e] + of->sign[e] * r;
    }
    return value;
}

pare_status dlsr_alternating(double *U, double *b, int64_t *iterations, pare_outcome *outcome,
                             const indicator *of, const double *K, double lambda, double tol,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t n = of->n, c = of->c;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *factor = ARENA_NEW(&mem, double, n *n), *R = ARENA_NEW(&mem, double, n *c),
           *F = ARENA_NEW(&mem, double, n *c), *ones = ARENA_NEW(&mem, double, n);
    TRY_MEM(factor && R);
    TRY_MEM(F && ones);
    memcpy(factor, K, sizeof *K * (size_t)(n * n));
    memcpy(R, of->target, sizeof *R * (size_t)(n * c));
    for (int64_t i = 0; i < n; i++) {
        factor[i * n + i] += of->weight[i] > 0 ? lambda / of->weight[i] : WITHOUT_SAY;
        ones[i] = 1;
    }
    if (!chol_factor_solve('L', n, factor, n, ones, 1)) {
        status = error_set(err, PARE_E_DATA,
                           "lambda %g is too small for these data: the least squares system is "
                           "singular in double precision",
                           lambda);
        goto done;
    }
    double before = INFINITY;
    *outcome = PARE_MAX_ITER;
    for (*iterations = 0; *iterations < MAX_ALTERNATIONS; ++*iterations) {
        if (ctx_stops(ctx, "alternating", -1, outcome)) break;
        fit_targets(factor, ones, R, U, b, of, lambda);
        for (int64_t e = 0; e < n * c; e++) F[e] = b[e / n];
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)c, 1 / lambda, K, (int)n, U,
                    (int)n, 1, F, (int)n);
        double now = drag(R, F, U, b, of);
        if (*iterations > 0 && before - now <= STOP_SHARE * tol * now) {
            *outcome = PARE_STATIONARY;
            break;
        }
        before = now;
    }

done:
    arena_free(&mem);
    return status;
}
