#include "select/partial.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const double DEPENDENT = 1e-18; /* of a column's square, below which it is linearly
                                          dependent */

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Orthonormalises the m columns of Q by Gram and Schmidt, twice; returns how many are left. */
static int64_t orthonormal(double *Q, int64_t n, int64_t m) {
    int64_t kept = 0;
    for (int64_t q = 0; q < m; q++) {
        double *v = Q + kept * n, before = dot(Q + q * n, Q + q * n, n);
        memmove(v, Q + q * n, sizeof *v * (size_t)n);
        for (int turn = 0; turn < 2; turn++)
            for (int64_t p = 0; p < kept; p++) {
                double along = dot(Q + p * n, v, n);
                for (int64_t i = 0; i < n; i++) v[i] -= along * Q[p * n + i];
            }
        double norm = sqrt(dot(v, v, n));
        if (!(norm * norm > DEPENDENT * before)) continue;
        for (int64_t i = 0; i < n; i++) v[i] /= norm;
        kept++;
    }
    return kept;
}

/* Marks the columns that the basis explains up to rounding: their residuals would be noise. One
 * pass. */
static pare_status find_nothing(residual_view *by, bool intercept, arena *mem, const pare_ctx *ctx,
                                pare_error *err) {
    const view *v = &by->of;
    int64_t n = v->n, j;
    bool *nothing = ARENA_ZERO(mem, bool, v->x->d);
    double *x = ARENA_NEW(mem, double, n);
    if (!nothing || !x) return error_memory(err);
    walk w;
    column c;
    pare_status status = walk_open(&w, v, NULL, v->d, ctx, err);
    while (status == PARE_OK && walk_next(&w, &j, &c)) {
        double before = 0;
        column_spread(&c, n, x);
        for (int64_t q = 0; q < by->m; q++) {
            if (q == 0 && !intercept) before = dot(x, x, n);
            double along = dot(by->B + q * n, x, n);
            for (int64_t i = 0; i < n; i++) x[i] -= along * by->A[q * n + i];
            if (q == 0 && intercept) before = dot(x, x, n); /* the first is the intercept */
        }
        nothing[j] = !(dot(x, x, n) > DEPENDENT * before);
    }
    by->nothing = nothing;
    return walk_end(&w, status, err);
}

/* A = Q / root, B = Q root, for the basis Q of root times the kept columns of v. */
static pare_status basis(residual_view *out, const view *v, const feature_terms *t,
                         const double *weight, bool intercept, arena *mem, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = v->n, m = t->n_kept + intercept, at = 0;
    int64_t *cols = ARENA_NEW(mem, int64_t, t->n_kept);
    double *A = ARENA_NEW(mem, double, n *m), *B = ARENA_NEW(mem, double, n *m);
    if (!cols || !A || !B) return error_memory(err);
    for (int64_t j = 0; j < v->x->d; j++)
        if (t->kept[j]) cols[at++] = j;
    PASS(mat_columns(v, cols, t->n_kept, A + intercept * n, ctx, err));
    for (int64_t i = 0; intercept && i < n; i++) A[i] = 1;
    for (int64_t e = 0; e < n * m; e++) A[e] *= weight ? sqrt(weight[e % n]) : 1;
    m = orthonormal(A, n, m);
    for (int64_t e = 0; e < n * m; e++) {
        double root = weight ? sqrt(weight[e % n]) : 1;
        B[e] = A[e] * root;
        A[e] /= root;
    }
    *out = (residual_view){.of = *v, .A = A, .B = B, .m = m};
    return find_nothing(out, intercept, mem, ctx, err);
}

/* The class indicators less their projection on the basis of the raw columns, orthonormal, times
 * the roots of the weights. */
static pare_status leave_classes(fit_left *out, const residual_view *by, const target *y,
                                 const double *weight, arena *mem, pare_error *err) {
    int64_t n = by->of.n, c = y->cls ? y->n_classes : 0;
    double *Q = ARENA_ZERO(mem, double, n *(by->m + c));
    if (!Q) return error_memory(err);
    for (int64_t e = 0; e < n * by->m; e++) Q[e] = by->A[e] * (weight ? sqrt(weight[e % n]) : 1);
    for (int64_t i = 0; c > 0 && i < n; i++)
        Q[(by->m + y->cls[i]) * n + i] = weight ? sqrt(weight[i]) : 1;
    int64_t rank = orthonormal(Q, n, by->m + c) - by->m; /* the first are orthonormal already */
    double *basis = Q + by->m * n;
    for (int64_t e = 0; e < n * rank; e++) basis[e] *= weight ? sqrt(weight[e % n]) : 1;
    *out = (fit_left){by->m - 1, rank, basis};
    return PARE_OK;
}

static pare_status leave_values(target *y, const residual_view *by, arena *mem, pare_error *err) {
    int64_t n = by->of.n;
    double *left = ARENA_NEW(mem, double, n);
    if (!left) return error_memory(err);
    memcpy(left, y->value, sizeof *left * (size_t)n);
    for (int64_t q = 0; q < by->m; q++) {
        double along = dot(by->B + q * n, left, n);
        for (int64_t i = 0; i < n; i++) left[i] -= along * by->A[q * n + i];
    }
    y->value = left;
    return PARE_OK;
}

pare_status partial_see(partial *p, fit_job *job, bool intercept, arena *mem, const pare_ctx *ctx,
                        pare_error *err) {
    const feature_terms *t = &job->terms;
    PASS(basis(&p->by[0], job->x, t, job->weight, intercept, mem, ctx, err));
    PASS(basis(&p->by[1], job->raw, t, job->weight, true, mem, ctx, err));
    for (int k = 0; k < 2; k++) p->x[k] = mat_residual(&p->by[k]);
    p->seen = view_all(&p->x[0]);
    p->raw = view_all(&p->x[1]);
    p->y = *job->y;
    if (p->y.value) PASS(leave_values(&p->y, &p->by[0], mem, err));
    PASS(leave_classes(&p->left, &p->by[1], &p->y, job->weight, mem, err));
    job->x = &p->seen;
    job->raw = &p->raw;
    job->y = &p->y;
    job->left = &p->left;
    job->mean = NULL;
    job->gram = NULL;
    job->of_gram = GRAM_AS_IS;
    job->standard = false;
    return PARE_OK;
}
