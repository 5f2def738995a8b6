#include "solve/kernel/kta_basis.h"

#include <math.h>

#include "base/error.h"
#include "la/product/dot.h"

enum { SAMPLE = 400, TOP = 100 }; /* alignments looked at, and how many of the largest of these */

/* Position of sample i among n in descending order: the largest, then evenly. */
static int64_t sampled(int64_t i, int64_t m, int64_t n) {
    if (m == n || i < TOP) return i;
    return TOP + (n - 1 - TOP) * (i - TOP) / (m - 1 - TOP);
}

/* Columns of unit length, and the lengths they had. */
static void fill_columns(double *S, double *length, const kta_problem *at, int64_t count,
                         const double *a, int64_t n, int64_t m) {
    for (int64_t s = 0; s < count; s++) {
        double *column = S + s * m;
        for (int64_t i = 0; i < m; i++)
            column[i] = exp(kta_log_weight(&at[s], a[sampled(i, m, n)]));
        length[s] = sqrt(la_dot(column, column, m));
        for (int64_t i = 0; i < m && length[s] > 0; i++) column[i] /= length[s];
    }
}

static int64_t longest(const double *left, int64_t count) {
    int64_t best = 0;
    for (int64_t s = 1; s < count; s++)
        if (left[s] > left[best]) best = s;
    return best;
}

/* Gram-Schmidt, each time with the column of which most is left: R (count x count by columns of the
 * path) holds what each column has along every direction. */
static void factor(kta_basis *b, double *S, double *R, double *left, int64_t m, int64_t count,
                   double tol) {
    for (int64_t s = 0; s < count; s++) left[s] = sqrt(la_dot(S + s * m, S + s * m, m));
    for (b->rank = 0; b->rank < count; b->rank++) {
        int64_t pivot = longest(left, count);
        b->error = left[pivot];
        if (!(left[pivot] > tol)) return;
        double *q = S + pivot * m, norm = sqrt(la_dot(q, q, m));
        b->point[b->rank] = pivot;
        for (int64_t i = 0; i < m; i++) q[i] /= norm;
        for (int64_t s = 0; s < count; s++) {
            double *column = S + s * m, *along = &R[s * count + b->rank];
            *along = s == pivot ? norm : 0;
            if (s == pivot || left[s] == 0) continue;
            *along = la_dot(q, column, m);
            for (int64_t i = 0; i < m; i++) column[i] -= *along * q[i];
            left[s] = sqrt(la_dot(column, column, m));
        }
        left[pivot] = 0; /* its column is a direction now and is not changed again */
    }
    b->error = 0;
}

/* Back substitution: column s of R in those of the basis points. */
static void solve_coefficients(kta_basis *b, const double *R, const double *length, int64_t count) {
    for (int64_t s = 0; s < count; s++) {
        double *c = b->coef + s * b->rank;
        for (int64_t r = b->rank - 1; r >= 0; r--) {
            double rest = R[s * count + r];
            for (int64_t q = r + 1; q < b->rank; q++) rest -= c[q] * R[b->point[q] * count + r];
            c[r] = rest / R[b->point[r] * count + r];
        }
        for (int64_t r = 0; r < b->rank; r++) c[r] *= length[s] / length[b->point[r]];
    }
}

pare_status kta_basis_make(kta_basis *b, arena *mem, const kta_problem *at, int64_t count,
                           const double *a, int64_t n, double tol, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t m = n < SAMPLE ? n : SAMPLE;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double *S = ARENA_NEW(&scratch, double, m *count),
           *R = ARENA_ZERO(&scratch, double, count *count);
    double *length = ARENA_NEW(&scratch, double, count), *left = ARENA_NEW(&scratch, double, count);
    *b = (kta_basis){0};
    TRY_MEM(S && R);
    TRY_MEM(length && left);
    TRY_MEM(b->point = ARENA_NEW(mem, int64_t, count));
    fill_columns(S, length, at, count, a, n, m);
    factor(b, S, R, left, m, count, tol);
    TRY_MEM(b->coef = ARENA_NEW(mem, double, count * b->rank));
    solve_coefficients(b, R, length, count);

done:
    arena_free(&scratch);
    return status;
}
