/* NAME       lstsq
 * PAPER      G. H. Golub, C. Reinsch. Singular value decomposition and least squares solutions.
 *            Numerische Mathematik 14:403-420, 1970; truncated as in parsimonious least norm,
 *            Algorithm 4.1, the comparator of its methods.
 * PROBLEM    minimise over x, b0   sum_i w_i (a_i'x + b0 - b_i)^2, and among all such x the
 *            one of least |x|_2, singular values <= tol (absolute, 1e-4), or within
 *            rounding of 0, taken for zero.
 * SYMBOLS    A: n x d features as scaled (default none), rows times sqrt(w_i), and with an
 *            intercept the weighted means taken off its columns and off b; U S V' = A.
 * ALGORITHM  d <= n: the SVD of A. Wide: A = L Q by blocks of columns, each folded into L (n x n)
 *            by an orthogonal reduction, the SVD of L, x = A' (U S^-2 U'b), and twice the same for
 *            what is left of b.
 * COST       wide 6 passes over X, else 1, O(n^2 d) operations;
 *            memory n min(n, d) + 2 n^2 + O(d), no d x d.
 * GUARANTEE  the residual of the normal equations, max_j |A_j'(b - Ax)|, from raw
 *            data (certify/certify_lstsq.c). Without truncation it is rounding;
 *            truncation adds at most tol |b|_2.
 * DEVIATIONS intercept and weights are ours. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/lp/least_norm.h"

static const double ROUNDING = 1e-14; /* relative error of a singular value, per sample */
enum {
    BLOCK = 64,     /* columns folded in at once, at least; else n */
    REFINEMENTS = 2 /* of the wide solution */
};

typedef struct lstsq_work {
    const fit_job *job;
    int64_t n, d;
    double *root;   /* n: sqrt(w) */
    double *target; /* n: b, transformed as A */
    double total, mean;
} lstsq_work;

/* Centres a column by its weighted mean if there is an intercept, and multiplies it by sqrt(w).
 * Returns the mean. */
static double transform(const lstsq_work *w, double *v) {
    double mean = 0;
    for (int64_t i = 0; i < w->n; i++) mean += w->root[i] * w->root[i] * v[i];
    mean = w->job->set->common.intercept && w->total > 0 ? mean / w->total : 0;
    for (int64_t i = 0; i < w->n; i++) v[i] = (v[i] - mean) * w->root[i];
    return mean;
}

/* Singular values and vectors of m (rows x cols, overwritten): m = u diag(s) vt. */
static pare_status decompose(double *m, int64_t rows, int64_t cols, double *s, double *u,
                             double *vt, arena *scratch, pare_error *err) {
    int64_t least = rows < cols ? rows : cols;
    if (least == 0) return PARE_OK;
    lapack_int *whole = ARENA_NEW(scratch, lapack_int, 8 * least + 1);
    double size, *work;
    if (!whole) return error_memory(err);
    lapack_int r = (lapack_int)rows, c = (lapack_int)cols, k = (lapack_int)least;
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', r, c, m, r, s, u, r, vt, k, &size, -1, whole);
    work = ARENA_NEW(scratch, double, (int64_t)size + 1);
    if (!work) return error_memory(err);
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', r, c, m, r, s, u, r, vt, k, work,
                            (lapack_int)size, whole) != 0)
        return error_set(err, PARE_E_DATA,
                         "the singular values did not converge: are some values of the data "
                         "beyond 1e150?");
    return PARE_OK;
}

/* Whether the singular value is above tol and above rounding: centring and duplicates make some of
 * them zero. */
static bool counts(const lstsq_work *w, const double *s, int64_t k) {
    return s[k] > w->job->set->lstsq.tol && s[k] > ROUNDING * (double)w->n * s[0];
}

/* x for at most as many columns as samples. */
static pare_status solve_tall(const lstsq_work *w, double *x, arena *scratch, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t n = w->n, d = w->d;
    double *a, *s, *u, *vt;
    PASS_MEM(ARENA_NEWS(scratch, double, n *d, &a, &u));
    PASS_MEM(vt = ARENA_NEW(scratch, double, d *d));
    PASS_MEM(s = ARENA_NEW(scratch, double, d));
    for (int64_t j = 0; j < d; j++) {
        PASS(mat_columns(w->job->x, &j, 1, a + j * n, ctx, err));
        transform(w, a + j * n);
        x[j] = 0;
    }
    PASS(decompose(a, n, d, s, u, vt, scratch, err));
    for (int64_t k = 0; k < d; k++) {
        if (!counts(w, s, k)) continue;
        double along = 0;
        for (int64_t i = 0; i < n; i++) along += u[k * n + i] * w->target[i];
        for (int64_t j = 0; j < d; j++) x[j] += along / s[k] * vt[j * d + k];
    }
    return PARE_OK;
}

/* L with A A' = L L', by blocks of columns: [L block] = L Q. */
static pare_status fold(const lstsq_work *w, double *L, arena *scratch, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t n = w->n, most = n > BLOCK ? n : BLOCK;
    double *block, *tau, *work, size;
    int64_t *columns;
    lapack_int rows = (lapack_int)n, all = (lapack_int)(n + most);
    PASS_MEM(block = ARENA_ZERO(scratch, double, n *(n + most)));
    PASS_MEM(tau = ARENA_NEW(scratch, double, n));
    PASS_MEM(columns = ARENA_NEW(scratch, int64_t, most));
    LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, rows, all, block, rows, tau, &size, -1);
    PASS_MEM(work = ARENA_NEW(scratch, double, (int64_t)size + 1));
    for (int64_t first = 0; first < w->d; first += most) {
        int64_t count = w->d - first < most ? w->d - first : most;
        for (int64_t k = 0; k < count; k++) columns[k] = first + k;
        PASS(mat_columns(w->job->x, columns, count, block + n * n, ctx, err));
        for (int64_t k = 0; k < count; k++) transform(w, block + (n + k) * n);
        LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, rows, (lapack_int)(n + count), block, rows, tau, work,
                            (lapack_int)size);
        for (int64_t k = 1; k < n; k++) /* above the diagonal LAPACK leaves its reflectors */
            for (int64_t i = 0; i < k; i++) block[k * n + i] = 0;
    }
    memcpy(L, block, sizeof *L * (size_t)(n * n));
    return PARE_OK;
}

/* x += A' U S^-2 U' r over the singular values that count, in one pass. t: n, overwritten. */
static pare_status add_part(const lstsq_work *w, const double *s, const double *u, const double *r,
                            double *t, double *step, double *x, const pare_ctx *ctx,
                            pare_error *err) {
    int64_t n = w->n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) t[i] = 0;
    for (int64_t k = 0; k < n; k++) {
        if (!counts(w, s, k)) continue;
        double along = 0;
        for (int64_t i = 0; i < n; i++) along += u[k * n + i] * r[i];
        for (int64_t i = 0; i < n; i++) t[i] += along / s[k] / s[k] * u[k * n + i];
    }
    for (int64_t i = 0; i < n; i++) { /* A't through the columns before their transformation */
        t[i] *= w->root[i];
        sum += t[i];
    }
    for (int64_t i = 0; i < n && w->job->set->common.intercept; i++)
        t[i] -= w->root[i] * w->root[i] * sum / w->total;
    pare_status status = mat_tmul(w->job->x, t, 1, step, ctx, err);
    for (int64_t j = 0; j < w->d && status == PARE_OK; j++) x[j] += step[j];
    return status;
}

/* x for more columns than samples. S^-2 squares the condition number; refinement corrects that. */
static pare_status solve_wide(const lstsq_work *w, double *x, arena *scratch, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t n = w->n, d = w->d;
    double *L, *s, *u, *vt, *t, *r, *step;
    PASS_MEM(ARENA_NEWS(scratch, double, n *n, &L, &u, &vt));
    PASS_MEM(ARENA_NEWS(scratch, double, n, &s, &t, &r));
    PASS_MEM(step = ARENA_NEW(scratch, double, d));
    PASS(fold(w, L, scratch, ctx, err));
    PASS(decompose(L, n, n, s, u, vt, scratch, err));
    for (int64_t j = 0; j < d; j++) x[j] = 0;
    memcpy(r, w->target, sizeof *r * (size_t)n);
    for (int round = 0;; round++) {
        PASS(add_part(w, s, u, r, t, step, x, ctx, err));
        if (round == REFINEMENTS) break;
        PASS(mat_mul(w->job->x, NULL, d, x, 1, r, ctx, err));
        transform(w, r);
        for (int64_t i = 0; i < n; i++) r[i] = w->target[i] - r[i];
    }
    return PARE_OK;
}

pare_status lstsq_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    lstsq_work w = {.job = job, .n = n, .d = d};
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double *x = ARENA_NEW(&scratch, double, d), *f = ARENA_NEW(&scratch, double, n);
    TRY_MEM(x && f);
    double cells = d <= n ? 2.0 * (double)n * (double)d + 5 * (double)d * (double)d
                          : 9.0 * (double)n * (double)n;
    TRY(ctx_check_memory(ctx, 8 * cells, "the singular value decomposition", err));
    TRY_MEM(w.root = fit_weights(&scratch, job->weight, n, NULL));
    TRY_MEM(w.target = ARENA_NEW(&scratch, double, n));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, 1));
    for (int64_t i = 0; i < n; i++) {
        w.total += w.root[i];
        w.root[i] = sqrt(w.root[i]);
        w.target[i] = job->y->value[i];
    }
    w.mean = transform(&w, w.target);
    TRY(d <= n ? solve_tall(&w, x, &scratch, ctx, err) : solve_wide(&w, x, &scratch, ctx, err));
    TRY(fit_support(r, x, d, 1, err));

    double sum = 0;
    r->b[0] = 0;
    r->objective = 0;
    TRY(mat_mul(job->x, NULL, d, x, 1, f, ctx, err));
    for (int64_t i = 0; i < n; i++) sum += w.root[i] * w.root[i] * f[i];
    if (job->set->common.intercept && w.total > 0) r->b[0] = w.mean - sum / w.total;
    for (int64_t i = 0; i < n; i++) {
        double off = w.root[i] * (f[i] + r->b[0] - job->y->value[i]);
        r->objective += off * off;
    }
    r->outcome = PARE_OPTIMAL;

done:
    arena_free(&scratch);
    return status;
}
