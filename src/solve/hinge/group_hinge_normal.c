/* The linear systems of the interior point solver: over dW and the intercepts' steps,
 *     sum_i x_i x_i' (x) (diag E_i - v_i v_i')  +  sum_j e_j e_j' (x) (scale_j I - u_j u_j'),
 * i over the samples, j over the features. Conjugate gradients, preconditioned output by output
 * (group_hinge_outputs.c): what couples the outputs is one rank-one term a sample and a feature.
 * COST of one step  4 n c m, and the preconditioner's triangles. Threads take chunks of samples and
 * panels of outputs, of fixed sizes. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "solve/hinge/group_hinge_interior.h"

#define AIM_SHARE 0.3 /* of the gap aimed at: the loss of dual value that the residual may cause */
#define MAX_BYTES 5e8 /* bytes of all factors together */
enum { CG_MAX = 1000, CG_POLL = 8 };

pare_status gh_normal_open(gh_normal *s, const gh_interior *w, arena *mem, pare_error *err) {
    int64_t n = w->n, c = w->c, m = s->m, least = m < n ? m : n;
    s->capacity =
        (int64_t)fmin((double)c * (double)least * (double)least, MAX_BYTES / sizeof(double));
    s->buffer_size = n * m;
    PASS_MEM(ARENA_NEWS(mem, double, n *m, &s->x, &s->y_rows));
    PASS_MEM(ARENA_NEWS(mem, double, n *c, &s->E, &s->v, &s->T, &s->root, &s->lift));
    PASS_MEM(ARENA_NEWS(mem, double, m, &s->scale, &s->dot));
    PASS_MEM(s->u = ARENA_ZERO(mem, double, m *c));
    PASS_MEM(ARENA_NEWS(mem, double, m *c, &s->r, &s->p, &s->Mp, &s->y));
    PASS_MEM(s->factor = ARENA_NEW(mem, double, s->capacity));
    PASS_MEM(ARENA_NEWS(mem, int64_t, c, &s->at, &s->side));
    PASS_MEM(s->first = ARENA_NEW(mem, int64_t, c + 1));
    PASS_MEM(s->active = ARENA_NEW(mem, int32_t, n * c));
    PASS_MEM(s->pivot = ARENA_NEW(mem, double, c));
    PASS_MEM(s->common = ARENA_NEW(mem, double, n));
    PASS_MEM(s->shared = ARENA_NEW(mem, double, w->s * w->s));
    PASS_MEM(s->buffer = ARENA_NEW(mem, double, s->buffer_size * w->threads));
    return PARE_OK;
}

void gh_normal_gather(const gh_interior *w, double *out) {
    const gh_normal *s = &w->system;
    int64_t n = w->n, c = w->c, m = s->m;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t k = 0; k < c; k += GH_PANEL) {
        int64_t width = c - k < GH_PANEL ? c - k : GH_PANEL;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)width, (int)m, (int)n, 1,
                    s->T + k, (int)c, s->x, (int)m, 0, out + k * m, (int)m);
    }
}

/* Rows of a chunk from i on of T = x V. */
static int64_t expand_chunk(const gh_interior *w, const double *V, int64_t i) {
    const gh_normal *s = &w->system;
    int64_t c = w->c, m = s->m, rows = w->n - i < GH_CHUNK ? w->n - i : GH_CHUNK;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)c, (int)m, 1, s->x + i * m,
                (int)m, V, (int)m, 0, s->T + i * c, (int)c);
    return i + rows;
}

void gh_normal_expand(const gh_interior *w, const double *V) {
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i += GH_CHUNK) expand_chunk(w, V, i);
}

void gh_normal_multiply(const gh_interior *w, const double *V, double *out) {
    const gh_normal *s = &w->system;
    int64_t c = w->c, m = s->m;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i += GH_CHUNK) {
        int64_t end = expand_chunk(w, V, i);
        for (int64_t l = i; l < end; l++) {
            double *t = s->T + l * c;
            const double *v = s->v + l * c, *E = s->E + l * c;
            double dot = la_dot(v, t, c);
            for (int64_t k = 0; k < c; k++) t[k] = E[k] * t[k] - dot * v[k];
        }
    }
    gh_normal_gather(w, out);
    for (int64_t j = 0; j < w->s; j++) s->dot[j] = 0;
    for (int64_t k = 0; k < c; k++)
        for (int64_t j = 0; j < w->s; j++) s->dot[j] += s->u[k * m + j] * V[k * m + j];
    for (int64_t k = 0; k < c; k++)
        for (int64_t j = 0; j < w->s; j++)
            out[k * m + j] += s->scale[j] * V[k * m + j] - s->dot[j] * s->u[k * m + j];
}

/* The residual makes the dual point infeasible: that of the intercepts costs its sum, that of the
 * features the part by which a price exceeds lambda. */
static bool small_enough(const gh_interior *w, double aim, double size) {
    const gh_normal *s = &w->system;
    int64_t m = s->m;
    double sum = 0, largest_excess = 0;
    if (w->problem->intercept)
        for (int64_t k = 0; k < w->c; k++) sum += fabs(s->r[k * m + w->s]);
    for (int64_t j = 0; j < w->s; j++) s->dot[j] = 0;
    for (int64_t k = 0; k < w->c; k++)
        for (int64_t j = 0; j < w->s; j++) s->dot[j] += s->r[k * m + j] * s->r[k * m + j];
    for (int64_t j = 0; j < w->s; j++) largest_excess = fmax(largest_excess, s->dot[j]);
    return sum <= AIM_SHARE * aim &&
           sqrt(largest_excess) * size <= AIM_SHARE * aim * w->problem->lambda;
}

bool gh_normal_solve(gh_interior *w, const double *rhs, bool warm, double share, double aim,
                     double size) {
    gh_normal *s = &w->system;
    int64_t mc = s->m * w->c, step = 0;
    double *x = w->step, before = 0;
    gh_outputs_solve(w, rhs, s->y);
    double stop = share * share * cblas_ddot((int)mc, rhs, 1, s->y, 1);
    memcpy(s->r, rhs, sizeof *s->r * (size_t)mc);
    if (warm) {
        gh_normal_multiply(w, x, s->Mp);
        cblas_daxpy((int)mc, -1, s->Mp, 1, s->r, 1);
        gh_outputs_solve(w, s->r, s->y);
    } else {
        memset(x, 0, sizeof *x * (size_t)mc);
    }
    for (; step < CG_MAX; step++) {
        double rho = cblas_ddot((int)mc, s->r, 1, s->y, 1);
        if (!(rho > 0) || (rho <= stop && (aim == 0 || small_enough(w, aim, size)))) break;
        if (step % CG_POLL == 0 && ctx_poll(w->ctx, "solving", -1) != INTERRUPT_NONE) return false;
        for (int64_t e = 0; e < mc; e++)
            s->p[e] = s->y[e] + (step == 0 ? 0 : rho / before * s->p[e]);
        before = rho;
        gh_normal_multiply(w, s->p, s->Mp);
        double curvature = cblas_ddot((int)mc, s->p, 1, s->Mp, 1);
        if (!(curvature > 0)) break;
        cblas_daxpy((int)mc, rho / curvature, s->p, 1, x, 1);
        cblas_daxpy((int)mc, -rho / curvature, s->Mp, 1, s->r, 1);
        gh_outputs_solve(w, s->r, s->y);
    }
    w->inner += step;
    w->unsolved += step == CG_MAX;
    return true;
}
