/* The linear systems of the group hinge's Newton steps: M x = G / sigma with
 *     M = E + (X diag(alpha) X' + 1 1') (x) I_c + sum_j beta_j (X_j (x) u_j)(X_j (x) u_j)',
 * j over the active features, or blocks of them: X_j (x) u_j is the sum over its features then.
 *     E_i = diag + row_scale_i v_i v_i'
 * is the derivative of the loss's prox on sample i, times sigma_loss / sigma. Conjugate gradients
 * on M, preconditioned by the cheapest of three factorizations: the active entries together
 * (group_hinge_active.c), each output by itself (group_hinge_blocks.c), or all of M exactly
 * (group_hinge_woodbury.c).
 * COST of one conjugate gradient step  2 n c n_active, and what the factor's two triangles take. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/hinge/group_hinge_state.h"

#define CG_TOL 1e-2    /* of the right-hand side */
#define RIDGE_STEP 100 /* the ridge grows by this when a factorization fails */
#define SLOW 4         /* see cheapest() */
#define MIN_PARALLEL_WORK 2e7
#define FORGET 0.95 /* decay of the step count of blocks, for each step without them */
enum { CG_MAX = 200, CG_POLL = 16, CG_ACTIVE = 8, CG_BLOCKS = 60, CG_WOODBURY = 2 };

pare_status gh_system_open(gh_system *s, arena *mem, const gh_problem *p, pare_error *err) {
    int64_t n = p->n, c = p->c;
    PASS_MEM(ARENA_NEWS(mem, double, n * p->s, &s->x, &s->scaled));
    PASS_MEM(ARENA_NEWS(mem, double, p->s, &s->alpha, &s->beta));
    PASS_MEM(s->u = ARENA_NEW(mem, double, p->s *c));
    if (p->start) PASS_MEM(s->first = ARENA_NEW(mem, int64_t, p->n_blocks + 1));
    s->coupled = c > 1 || p->start;
    PASS_MEM(s->t = ARENA_NEW(mem, double, p->s *c));
    PASS_MEM(ARENA_NEWS(mem, double, n *c, &s->diagonal, &s->v, &s->r, &s->p, &s->Mp, &s->y));
    PASS_MEM(s->row_scale = ARENA_NEW(mem, double, n));
    s->blocks.steps = CG_BLOCKS;
    PASS(gh_active_open(&s->active, mem, p, err));
    PASS(gh_blocks_open(&s->blocks, mem, p, err));
    return gh_woodbury_open(&s->woodbury, mem, p, err);
}

int gh_threads(const gh_work *w, double operations) {
    return operations < MIN_PARALLEL_WORK ? 1 : ctx_threads(w->ctx);
}

void gh_own_shares(const gh_system *s, int64_t c, double *out) {
    for (int64_t k = 0; k < c; k++)
        for (int64_t j = 0; j < s->n_active; j++) {
            double u = s->u[k * s->n_active + j];
            out[k * s->n_active + j] = s->alpha[j] + s->beta[j] * u * u;
        }
}

/* Lists where the active blocks begin. */
static void list_units(gh_system *s, const gh_problem *p, const gh_eval *e) {
    int64_t at = 0;
    s->units = s->n_active;
    if (!p->start) return;
    s->units = 0;
    for (int64_t g = 0; g < p->n_blocks; g++) {
        if (!(e->U_keep[p->start[g]] > 0)) continue;
        s->first[s->units++] = at;
        at += p->start[g + 1] - p->start[g];
    }
    s->first[s->units] = at;
}

/* The active features with the derivatives of their prox, and those of the loss's prox. */
static void gather(gh_work *w, double ridge) {
    double ratio = w->sigma_loss / w->sigma;
    const gh_problem *p = w->problem;
    gh_system *s = &w->system;
    const gh_eval *e = &w->now;
    int64_t n = p->n, c = p->c;
    s->n_active = 0;
    for (int64_t j = 0; j < p->s; j++) s->n_active += e->U_keep[j] > 0;
    list_units(s, p, e);
    for (int64_t j = 0, a = 0; j < p->s; j++) {
        if (!(e->U_keep[j] > 0)) continue;
        memcpy(s->x + a * n, p->x + j * n, sizeof(double) * (size_t)n);
        s->alpha[a] = s->coupled ? e->U_keep[j] : 1; /* u is a unit vector; a number: -1 or 1 */
        s->beta[a] = 1 - s->alpha[a];
        for (int64_t k = 0; k < c; k++)
            s->u[k * s->n_active + a] = e->U[k * p->s + j] / e->U_norm[j];
        a++;
    }
    for (int64_t i = 0; i < n; i++) {
        bool partial = e->keep[i] > 0 && e->keep[i] < 1;
        bool splits = partial && c > 1; /* one output: v v' = 1 goes into the diagonal */
        s->row_scale[i] = splits ? ratio * (1 - e->keep[i]) : 0; /* v is made a unit vector */
        for (int64_t k = 0; k < c; k++) {
            double q = e->q[k * n + i];
            s->v[k * n + i] = splits && q > 0 ? p->sign[k * n + i] * q / e->norm[i] : 0;
            s->diagonal[k * n + i] =
                ridge + ratio * (q > 0 && !(partial && c == 1) ? e->keep[i] : 1);
        }
    }
}

/* out = M x. */
static void multiply(const gh_work *w, const double *x, double *out) {
    const gh_system *s = &w->system;
    const gh_problem *p = w->problem;
    int64_t n = p->n, c = p->c, n_active = s->n_active;
    for (int64_t i = 0; i < n; i++) {
        double dot = 0;
        for (int64_t k = 0; k < c; k++) dot += s->v[k * n + i] * x[k * n + i];
        for (int64_t k = 0; k < c; k++)
            out[k * n + i] =
                s->diagonal[k * n + i] * x[k * n + i] + s->row_scale[i] * dot * s->v[k * n + i];
    }
    for (int64_t k = 0; k < c && p->intercept; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += x[k * n + i];
        for (int64_t i = 0; i < n; i++) out[k * n + i] += sum;
    }
    if (n_active == 0) return;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n_active, (int)c, (int)n, 1, s->x,
                (int)n, x, (int)n, 0, s->t, (int)n_active);
    for (int64_t g = 0; g < s->units; g++) {
        int64_t from = s->first ? s->first[g] : g, to = s->first ? s->first[g + 1] : g + 1;
        double dot = 0;
        for (int64_t a = from; a < to; a++)
            for (int64_t k = 0; k < c; k++) dot += s->u[k * n_active + a] * s->t[k * n_active + a];
        for (int64_t a = from; a < to; a++)
            for (int64_t k = 0; k < c; k++)
                s->t[k * n_active + a] = s->alpha[a] * s->t[k * n_active + a] +
                                         s->beta[a] * dot * s->u[k * n_active + a];
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)n_active, 1, s->x,
                (int)n, s->t, (int)n_active, 1, out, (int)n);
}

static bool factor(gh_work *w) {
    switch (w->system.by) {
    case GH_ACTIVE: return gh_active_factor(w);
    case GH_BLOCKS: return gh_blocks_factor(w);
    case GH_WOODBURY: break;
    }
    return gh_woodbury_factor(w);
}

/* y = preconditioner r. */
static void solve(const gh_work *w, const double *r, double *y) {
    switch (w->system.by) {
    case GH_ACTIVE: gh_active_solve(w, r, y); return;
    case GH_BLOCKS: gh_blocks_solve(w, r, y); return;
    case GH_WOODBURY: gh_woodbury_solve(w, r, y);
    }
}

/* Conjugate gradients from 0 on M x = G / sigma; returns their number. */
static int conjugate_gradients(gh_work *w, double *x) {
    gh_system *s = &w->system;
    int64_t nc = w->problem->n * w->problem->c;
    for (int64_t e = 0; e < nc; e++) {
        x[e] = 0;
        s->r[e] = w->now.G[e] / w->sigma;
    }
    double stop = CG_TOL * cblas_dnrm2((int)nc, s->r, 1), before = 0;
    int step = 0;
    while (step < CG_MAX) {
        solve(w, s->r, s->y);
        double rho = cblas_ddot((int)nc, s->r, 1, s->y, 1);
        if (!(rho > 0)) break;
        for (int64_t e = 0; e < nc; e++)
            s->p[e] = s->y[e] + (step == 0 ? 0 : rho / before * s->p[e]);
        before = rho;
        multiply(w, s->p, s->Mp);
        double curvature = cblas_ddot((int)nc, s->p, 1, s->Mp, 1);
        if (!(curvature > 0)) break;
        cblas_daxpy((int)nc, rho / curvature, s->p, 1, x, 1);
        cblas_daxpy((int)nc, -rho / curvature, s->Mp, 1, s->r, 1);
        step++;
        if (!(cblas_dnrm2((int)nc, s->r, 1) > stop)) break;
        if (step % CG_POLL == 0 && ctx_poll(w->ctx, "solving", -1) != INTERRUPT_NONE) break;
    }
    return step;
}

/* Which factorization takes the least work, typical numbers of conjugate gradient steps included;
 * triangles wait for memory, so their operations count SLOW times. */
static gh_factor cheapest(const gh_work *w) {
    const gh_system *s = &w->system;
    double n = (double)w->problem->n, c = (double)w->problem->c, T = (double)s->active.count;
    double n_active = (double)s->n_active, side = fmin(n, n_active + 1),
           p = (double)gh_woodbury_columns(w);
    double product = 2 * n * n_active * c;
    double active = T * T * (T / 3 + n_active / 2 + c) + CG_ACTIVE * (SLOW * T * T + product);
    double blocks = (double)s->blocks.count * side * (side * side / 3 + n * n_active / 2) +
                    s->blocks.steps * (SLOW * 2 * side * c * n + product);
    double woodbury = c * n * (n * n / 3 + n * p + p * p / 2) + p * p * p / 3 +
                      CG_WOODBURY * (SLOW * n * c * (n + 2 * p) + product);
    if (s->active.count > s->active.most) active = INFINITY;
    if (s->woodbury.most == 0) woodbury = INFINITY;
    if (active <= fmin(blocks, woodbury)) return GH_ACTIVE;
    return woodbury <= blocks ? GH_WOODBURY : GH_BLOCKS;
}

void gh_newton_direction(gh_work *w, double ridge) {
    gather(w, ridge);
    gh_active_list(w);
    w->system.by = cheapest(w);
    while (!factor(w)) { /* ends, as a dominant diagonal factors */
        ridge *= RIDGE_STEP;
        if (!(ridge < 1e12)) break;
        gather(w, ridge);
    }
    int taken = conjugate_gradients(w, w->step);
    gh_blocks *b = &w->system.blocks;
    b->steps = w->system.by == GH_BLOCKS ? fmax(taken, 0.5 * b->steps)
                                         : fmax(CG_BLOCKS, FORGET * b->steps);
}
