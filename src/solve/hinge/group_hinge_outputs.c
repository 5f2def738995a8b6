/* The preconditioner of the interior point systems: output by output, the diagonal block
 *     X' diag(d) X + diag(q),   d_i = E_ik - v_ik^2,  q_j = scale_j - u_jk^2,
 * approximately. Most outputs have nearly the same d at a sample: the common part and q make one
 * factor B B' for all; the rest of an output is on few samples. With x_i replaced by B^-1 x_i
 * the block is I + X' diag(extra) X, factored by features or by samples, whichever are fewer. The
 * intercept has no q: its diagonal is the sum of d, its other entries those of the extra samples.
 * COST  n s^2 + s^3 / 3 for the common factor, t m min(t, m) an output with t extra samples (mostly
 *       some tens); to use it, 2 c s^2 and 4 m min(t, m) an output. Memory as for the factors, at most
 *       500 MB: above that, fewer samples are extra. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/order.h"
#include "la/product/dot.h"
#include "la/factor.h"
#include "solve/hinge/group_hinge_interior.h"
#include "la/product/tiled.h"

#define NEGLIGIBLE 0.1 /* of a feature's own part, for all samples together */
#define EXTRA 10       /* times the common part */
#define EXTRA_STEP 10  /* more, where memory is short */
#define RIDGE 1e-12    /* of the diagonal */
#define RIDGE_STEP 1e3
enum { BATCH = 64, SEEN = 31, ATTEMPTS = 4 }; /* outputs between two polls, and in a median */

static double weight(const gh_normal *s, int64_t c, int64_t i, int64_t k) {
    double v = s->v[i * c + k];
    return fmax(0, s->E[i * c + k] - v * v);
}

static void find_common(gh_interior *w) {
    gh_normal *s = &w->system;
    int64_t c = w->c, seen = c < SEEN ? c : SEEN;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i++) {
        double some[SEEN] = {0};
        for (int64_t a = 0; a < seen; a++) some[a] = weight(s, c, i, (a * c + i) / seen % c);
        sort_up(some, seen);
        s->common[i] = some[seen / 2];
    }
    s->common_sum = 0;
    for (int64_t i = 0; i < w->n; i++) s->common_sum += s->common[i];
}

/* B B' = diag(q) + X' diag(common) X over the features, and X B^-T. */
static void factor_common(gh_interior *w) {
    gh_normal *s = &w->system;
    int64_t n = w->n, c = w->c, m = s->m, f = w->s;
    int threads = w->threads;
    memcpy(s->y_rows, s->x, sizeof *s->x * (size_t)(n * m));
    if (f == 0) return;
    for (int64_t j = 0; j < f; j++) s->dot[j] = 0;
    for (int64_t k = 0; k < c; k++)
        for (int64_t j = 0; j < f; j++) s->dot[j] += s->u[k * m + j] * s->u[k * m + j];
    for (int64_t i = 0; i < n; i++) {
        double root = sqrt(s->common[i]);
        for (int64_t j = 0; j < f; j++) s->buffer[i * f + j] = root * s->x[i * m + j];
    }
    double ridge = RIDGE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++, ridge *= RIDGE_STEP) {
        tiled_square(f, n, s->buffer, s->shared, threads);
        for (int64_t j = 0; j < f; j++) {
            double own = fmax(s->scale[j] - s->dot[j] / (double)c, RIDGE * s->scale[j]);
            s->shared[j * f + j] = (s->shared[j * f + j] + own) * (1 + ridge);
        }
        if (tiled_factor(f, s->shared, threads)) break;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < n; i += GH_CHUNK)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)f,
                    (int)(n - i < GH_CHUNK ? n - i : GH_CHUNK), 1, s->shared, (int)f,
                    s->y_rows + i * m, (int)m);
}

/* The d below which a sample is negligible compared with the features' own diagonal. */
static double negligible(const gh_interior *w) {
    const gh_normal *s = &w->system;
    double weakest = INFINITY, longest = 0;
    for (int64_t j = 0; j < w->s; j++) weakest = fmin(weakest, s->scale[j]);
    for (int64_t i = 0; i < w->n; i++)
        longest = fmax(longest, la_dot(s->x + i * s->m, s->x + i * s->m, w->s));
    return w->s == 0 || longest == 0 ? 0 : NEGLIGIBLE * weakest / (longest * (double)w->n);
}

/* Chooses the extra samples of each output, and the place of its factor; false: not enough
 * memory. */
static bool choose(gh_interior *w, double least, double extra) {
    gh_normal *s = &w->system;
    int64_t n = w->n, c = w->c, m = s->m, count = 0, used = 0;
    for (int64_t k = 0; k < c; k++) s->side[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        double above = fmax(least, extra * s->common[i]);
        for (int64_t k = 0; k < c; k++) s->side[k] += weight(s, c, i, k) > above;
    }
    for (int64_t k = 0; k < c; k++) {
        s->first[k] = s->at[k] = count;
        count += s->side[k];
        if (s->side[k] > m) s->side[k] = m;
        used += s->side[k] * s->side[k];
    }
    s->first[c] = count;
    if (used > s->capacity) return false;
    for (int64_t i = 0; i < n; i++) {
        double above = fmax(least, extra * s->common[i]);
        for (int64_t k = 0; k < c; k++) {
            double d = weight(s, c, i, k);
            if (!(d > above)) continue;
            s->root[s->at[k]] = sqrt(d - s->common[i]);
            s->active[s->at[k]++] = (int32_t)i;
        }
    }
    used = 0;
    for (int64_t k = 0; k < c; k++) {
        s->at[k] = used;
        used += s->side[k] * s->side[k];
    }
    return true;
}

static void solve_factor(const double *F, int64_t side, double *y) {
    if (side == 0) return;
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)side, F, (int)side, y,
                1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)side, F, (int)side, y, 1);
}

static void factor_one(const gh_interior *w, int64_t k, double *rows) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, f = w->s, t = s->first[k + 1] - s->first[k], side = s->side[k];
    double *F = s->factor + s->at[k], *lift = s->lift + s->first[k];
    const double *root = s->root + s->first[k];
    for (int64_t a = 0; a < t; a++) {
        const double *y = s->y_rows + s->active[s->first[k] + a] * m;
        lift[a] = root[a];
        for (int64_t j = 0; j < m; j++) rows[a * m + j] = root[a] * y[j];
    }
    double ridge = RIDGE;
    for (int attempt = 0; side > 0 && attempt < ATTEMPTS; attempt++, ridge *= RIDGE_STEP) {
        if (t < m) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)t, (int)f, 1, rows, (int)m, 0,
                        F, (int)t);
            for (int64_t a = 0; a < t; a++) F[a * t + a] += 1;
        } else {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)t, 1, rows, (int)m, 0,
                        F, (int)m);
            for (int64_t j = 0; j < m; j++) F[j * m + j] += j < f ? 1 : s->common_sum;
        }
        for (int64_t j = 0; j < side; j++) F[j * side + j] *= 1 + ridge;
        if (chol_factor('L', side, F, side)) break;
    }
    if (t >= m || m == f) return;
    solve_factor(F, side, lift);
    s->pivot[k] = s->common_sum + la_dot(root, lift, t);
}

bool gh_outputs_factor(gh_interior *w) {
    gh_normal *s = &w->system;
    double least = fmax(negligible(w), DBL_MIN), extra = EXTRA; /* above 0, so that it can grow */
    find_common(w);
    factor_common(w);
    for (; !choose(w, least, extra); extra *= EXTRA_STEP) least *= EXTRA_STEP;
    for (int64_t from = 0; from < w->c; from += BATCH) {
        int64_t to = from + BATCH < w->c ? from + BATCH : w->c;
        if (ctx_poll(w->ctx, "solving", -1) != INTERRUPT_NONE) return false;
#pragma omp parallel for num_threads(w->threads) schedule(dynamic)
        for (int64_t k = from; k < to; k++)
            factor_one(w, k, s->buffer + omp_get_thread_num() * s->buffer_size);
    }
    return true;
}

/* With few extra samples: (I + Y'Y)^-1 = I - Y' (I + Y Y')^-1 Y over the features. The intercept is
 * eliminated: lift = (I + Y Y')^-1 root. */
static void solve_few(const gh_interior *w, int64_t k, double *y, double *small) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, f = w->s, t = s->side[k];
    const double *root = s->root + s->first[k], *lift = s->lift + s->first[k];
    const int32_t *active = s->active + s->first[k];
    for (int64_t a = 0; a < t; a++) small[a] = root[a] * la_dot(s->y_rows + active[a] * m, y, f);
    solve_factor(s->factor + s->at[k], t, small);
    if (m > f) {
        y[f] = (y[f] - la_dot(root, small, t)) / s->pivot[k];
        for (int64_t a = 0; a < t; a++) small[a] += y[f] * lift[a];
    }
    for (int64_t a = 0; a < t; a++) {
        double by = root[a] * small[a];
        const double *row = s->y_rows + active[a] * m;
        for (int64_t j = 0; j < f; j++) y[j] -= by * row[j];
    }
}

void gh_outputs_solve(const gh_interior *w, const double *r, double *y) {
    const gh_normal *s = &w->system;
    int64_t m = s->m, f = w->s;
    memcpy(y, r, sizeof *y * (size_t)(m * w->c));
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t from = 0; from < w->c; from += GH_PANEL) {
        int64_t width = w->c - from < GH_PANEL ? w->c - from : GH_PANEL;
        if (f > 0)
            cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)f,
                        (int)width, 1, s->shared, (int)f, y + from * m, (int)m);
        for (int64_t k = from; k < from + width; k++) {
            if (s->first[k + 1] - s->first[k] < m)
                solve_few(w, k, y + k * m, s->buffer + omp_get_thread_num() * s->buffer_size);
            else
                solve_factor(s->factor + s->at[k], m, y + k * m);
        }
        if (f > 0)
            cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)f,
                        (int)width, 1, s->shared, (int)f, y + from * m, (int)m);
    }
}
