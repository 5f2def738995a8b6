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

static void solve_factor(const double *F, int64_t side, double *y) {
    if (side == 0) return;
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)side, F, (int)side, y, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)side, F, (int)side, y, 1);
}

/* F = L L' of X' diag(d) X + diag(rest), or of I + Y Y' for Y = diag(d)^1/2 X diag(rest)^-1/2. */
static void factor_rows(double *F, int64_t side, const double *rows, int64_t kept, int64_t m,
                        int64_t width, const double *rest) {
    for (double ridge = RIDGE; side > 0 && ridge < 1; ridge *= RIDGE_STEP) {
        if (kept < m)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)side, (int)width, 1, rows,
                        (int)m, 0, F, (int)side);
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

static void factor_one(const gh_interior *w, int64_t k, double *rows) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, c = w->c, kept = s->first[k + 1] - s->first[k], side = s->side[k];
    double *rest = s->rest + k * m, *F = s->factor + s->at[k], *root = s->root + s->first[k];
    double *lift = s->lift + s->first[k];
    fill_rest(w, k);
    for (int64_t a = 0; a < kept; a++) {
        int64_t i = s->active[s->first[k] + a];
        root[a] = lift[a] = sqrt(weight(s, c, i, k));
        for (int64_t j = 0; j < m; j++) rows[a * m + j] = root[a] * s->x[i * m + j];
        for (int64_t j = 0; kept < m && j < w->s; j++) rows[a * m + j] /= sqrt(rest[j]);
    }
    factor_rows(F, side, rows, kept, m, w->s, rest);
    if (kept >= m || m == w->s) return;
    solve_factor(F, side, lift);
    rest[m - 1] += la_dot(root, lift, kept);
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

/* With few samples: (D + Y'Y)^-1 = D^-1 - D^-1 Y' (I + Y D^-1 Y')^-1 Y D^-1 for the features; the
 * intercept has no D of its own and is eliminated: lift = (I + Y D^-1 Y')^-1 root, and its pivot takes
 * its place in rest. */
static void solve_few(const gh_interior *w, int64_t k, double *y, double *small) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, kept = s->side[k];
    const double *rest = s->rest + k * m, *root = s->root + s->first[k];
    const int32_t *active = s->active + s->first[k];
    for (int64_t j = 0; j < w->s; j++) y[j] /= rest[j];
    for (int64_t a = 0; a < kept; a++) small[a] = root[a] * la_dot(s->x + active[a] * m, y, w->s);
    solve_factor(s->factor + s->at[k], kept, small);
    if (m > w->s) {
        const double *lift = s->lift + s->first[k];
        y[w->s] = (y[w->s] - la_dot(root, small, kept)) / rest[w->s];
        for (int64_t a = 0; a < kept; a++) small[a] += y[w->s] * lift[a];
    }
    for (int64_t a = 0; a < kept; a++) {
        double by = root[a] * small[a];
        for (int64_t j = 0; j < w->s; j++) y[j] -= by * s->x[active[a] * m + j] / rest[j];
    }
}

void gh_outputs_solve(const gh_interior *w, const double *r, double *y) {
    const gh_normal *s = &w->system;
    int64_t m = s->m;
#pragma omp parallel for num_threads(ctx_threads(w->ctx)) schedule(static)
    for (int64_t k = 0; k < w->c; k++) {
        memcpy(y + k * m, r + k * m, sizeof *y * (size_t)m);
        if (s->first[k + 1] - s->first[k] < m)
            solve_few(w, k, y + k * m, s->buffer + omp_get_thread_num() * s->buffer_size);
        else
            solve_factor(s->factor + s->at[k], m, y + k * m);
    }
}
