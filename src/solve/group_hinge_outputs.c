/* The interior point systems output by output: the diagonal block of output k is
 *     X' diag(d) X + diag(q),   d_i = E_ik - v_ik^2,  q_j = scale_j - u_jk^2.
 * Near the solution few samples bring nearly all of it: those that are dropped leave their diagonal.
 * The factor is of size m, or, if fewer samples are left than that, of their number (Woodbury).
 * COST  at most c n m^2 to make and 4 c m min(m, n) to use; memory c min(m, n)^2, at most 500 MB: above
 * that, more samples are dropped. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "la/dot.h"
#include "solve/group_hinge_interior.h"

#define DROP 0.1      /* of a feature's own part, for all dropped samples together */
#define DROP_STEP 10  /* more, where there is no room */
#define OPEN 1e-4     /* the intercept's share of its diagonal that Woodbury needs */
#define RIDGE 1e-12   /* of the diagonal */
#define RIDGE_STEP 1e3
enum { BATCH = 64 };

static double weight(const gh_normal *s, int64_t c, int64_t i, int64_t k) {
    double v = s->v[i * c + k];
    return fmax(0, s->E[i * c + k] - v * v);
}

/* The samples that each output keeps, those with d above `least`, and where its factor goes; false: no
 * room. */
static bool choose(gh_interior *w, double least) {
    gh_normal *s = &w->system;
    int64_t n = w->n, c = w->c, m = s->m, count = 0, used = 0;
    for (int64_t k = 0; k < c; k++) s->side[k] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < c; k++) s->side[k] += weight(s, c, i, k) > least;
    for (int64_t k = 0; k < c; k++) {
        s->first[k] = s->at[k] = count;
        count += s->side[k];
        if (s->side[k] > m) s->side[k] = m;
        used += s->side[k] * s->side[k];
    }
    s->first[c] = count;
    if (used > s->room) return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < c; k++)
            if (weight(s, c, i, k) > least) s->active[s->at[k]++] = (int32_t)i;
    used = 0;
    for (int64_t k = 0; k < c; k++) {
        s->at[k] = used;
        used += s->side[k] * s->side[k];
    }
    return true;
}

/* The d below which a sample is nothing beside what every feature brings itself. */
static double negligible(const gh_interior *w) {
    const gh_normal *s = &w->system;
    double weakest = INFINITY, longest = 0;
    for (int64_t j = 0; j < w->s; j++) weakest = fmin(weakest, s->scale[j]);
    for (int64_t i = 0; i < w->n; i++)
        longest = fmax(longest, la_dot(s->x + i * s->m, s->x + i * s->m, w->s));
    return w->s == 0 || longest == 0 ? 0 : DROP * weakest / (longest * (double)w->n);
}

/* What the dropped samples leave, and the features' own part. */
static void fill_rest(const gh_interior *w, int64_t k) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, c = w->c, next = s->first[k];
    double *rest = s->rest + k * m;
    for (int64_t j = 0; j < m; j++) {
        double u = s->u[k * m + j];
        rest[j] = j < w->s ? fmax(s->scale[j] - u * u, RIDGE * s->scale[j]) : 0;
    }
    for (int64_t i = 0; i < w->n; i++) {
        if (next < s->first[k + 1] && s->active[next] == i) {
            next++;
            continue;
        }
        double d = weight(s, c, i, k);
        const double *x = s->x + i * m;
        for (int64_t j = 0; j < m; j++) rest[j] += d * x[j] * x[j];
    }
}

static void factor_one(const gh_interior *w, int64_t k, double *rows) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, c = w->c, kept = s->first[k + 1] - s->first[k], side = s->side[k];
    double *rest = s->rest + k * m, *F = s->factor + s->at[k], whole = 0;
    fill_rest(w, k);
    for (int64_t a = 0; a < kept; a++) {
        int64_t i = s->active[s->first[k] + a];
        double d = weight(s, c, i, k), root = sqrt(d);
        whole += d;
        for (int64_t j = 0; j < m; j++) rows[a * m + j] = root * s->x[i * m + j];
    }
    if (m > w->s) rest[m - 1] = fmax(rest[m - 1], kept < m ? OPEN * whole : 0);
    if (kept < m) {
        for (int64_t j = 0; j < m; j++) {
            double root = sqrt(rest[j]);
            for (int64_t a = 0; a < kept; a++) rows[a * m + j] /= root;
        }
    }
    for (double ridge = RIDGE; ridge < 1; ridge *= RIDGE_STEP) {
        if (side == 0) return;
        if (kept < m)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)side, (int)m, 1, rows, (int)m,
                        0, F, (int)side);
        else
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)kept, 1, rows, (int)m,
                        0, F, (int)m);
        for (int64_t j = 0; j < side; j++) {
            F[j * side + j] += kept < m ? 1 : rest[j];
            F[j * side + j] *= 1 + ridge;
        }
        if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)side, F, (lapack_int)side) == 0)
            return;
    }
}

bool gh_outputs_factor(gh_interior *w) {
    gh_normal *s = &w->system;
    double least = negligible(w);
    while (!choose(w, least)) least *= DROP_STEP;
    for (int64_t from = 0; from < w->c; from += BATCH) {
        int64_t to = from + BATCH < w->c ? from + BATCH : w->c;
#pragma omp parallel for num_threads(ctx_threads(w->ctx)) schedule(dynamic)
        for (int64_t k = from; k < to; k++)
            factor_one(w, k, s->buffer + omp_get_thread_num() * s->buffer_size);
        if (ctx_poll(w->ctx, "solving", -1) != INTERRUPT_NONE) return false;
    }
    return true;
}

static void solve_one(const gh_interior *w, int64_t k, const double *r, double *y, double *small) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, c = w->c, side = s->side[k], kept = s->first[k + 1] - s->first[k];
    const double *F = s->factor + s->at[k], *rest = s->rest + k * m;
    memcpy(y, r, sizeof *y * (size_t)m);
    if (kept >= m) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, F, (int)m, y, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)m, F, (int)m, y, 1);
        return;
    }
    for (int64_t j = 0; j < m; j++) y[j] /= rest[j];
    for (int64_t a = 0; a < kept; a++) {
        int64_t i = s->active[s->first[k] + a];
        small[a] = sqrt(weight(s, c, i, k)) * la_dot(s->x + i * m, y, m);
    }
    if (side > 0) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)side, F, (int)side,
                    small, 1);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)side, F, (int)side,
                    small, 1);
    }
    for (int64_t a = 0; a < kept; a++) {
        int64_t i = s->active[s->first[k] + a];
        double by = sqrt(weight(s, c, i, k)) * small[a];
        for (int64_t j = 0; j < m; j++) y[j] -= by * s->x[i * m + j] / rest[j];
    }
}

void gh_outputs_solve(const gh_interior *w, const double *r, double *y) {
    const gh_normal *s = &w->system;
    int64_t m = s->m;
#pragma omp parallel for num_threads(ctx_threads(w->ctx)) schedule(static)
    for (int64_t k = 0; k < w->c; k++)
        solve_one(w, k, r + k * m, y + k * m, s->buffer + omp_get_thread_num() * s->buffer_size);
}
