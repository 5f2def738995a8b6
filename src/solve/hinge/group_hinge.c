/* The group hinge problem: the choice of the solver, and the solver by proximal points (the other
 * one is in group_hinge_interior.c).
 *
 * ALGORITHM  1. Centre (z, W, b) = the current point; z are fitted values as separate variables.
 *            2. Solve min h(z) + lambda Omega(W) + |(z, W, b) - centre|^2 / (2 sigma) subject to
 *               z = X W + 1 b' through its dual function of the multiplier A, which is smooth
 *               (group_hinge_inner.c): that is the augmented Lagrangian method on the dual.
 *            3. The multiplier A + (z - centre)/sigma is an exact subgradient of the loss: balance
 *               and scale it into a dual point, take the gap, stop or enlarge sigma and go on.
 * WHY TWO    Nothing but the problem is shared: smooth Newton systems over n c multipliers here,
 *            barrier systems over s c weights there. dlsr-fs by either alone ends at the same
 *            objective (to 1e-6, its tolerance), in s: 60 x 400, 3 classes 0.02 here and 0.28 there,
 *            10 classes 0.04 and 2.4; 1,200 x 60, 60 classes 17 and 0.66.
 * COST       a few hundred Newton steps from cold, tens from a neighbouring problem.
 * GUARANTEE  the gap is exact for the features of the problem. */
#include "solve/hinge/group_hinge.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/hinge/group_hinge_interior.h"
#include "solve/hinge/group_hinge_state.h"

#define SIGMA_FIRST 1.0
#define SIGMA_MAX 1e8
#define SIGMA_RATIO                                                                                \
    3.0            /* sigma of z over that of W and b: inactive entries weigh more in the systems */
#define GROWTH 3.0 /* of sigma when the Newton steps were few */
#define INNER_SHARE 0.3 /* of the gap that errors of the inner problem may make up */
#define MIN_INNER_TOL 1e-14
#define BLOCKS 20   /* of n x c that either solver holds */
enum { ROWS = 64 }; /* rows processed together: columns are then read in runs */
enum {
    MIN_INTERIOR_OUTPUTS = 30,
    OUTER_MAX = 100,
    INNER_MAX = 50,
    FEW_STEPS = 8,
    MANY_STEPS = 25,
    STALLS_MAX = 8
};

double gh_loss(const gh_problem *p, const double *f) {
    double sum = 0;
    for (int64_t from = 0; from < p->n; from += ROWS) {
        int64_t count = p->n - from < ROWS ? p->n - from : ROWS;
        double norm2[ROWS] = {0};
        for (int64_t k = 0; k < p->c; k++)
            for (int64_t i = 0; i < count; i++) {
                int64_t e = k * p->n + from + i;
                double r = fmax(0, p->target[e] - p->sign[e] * f[e]);
                norm2[i] += r * r;
            }
        for (int64_t i = 0; i < count; i++) sum += p->weight[from + i] * sqrt(norm2[i]);
    }
    return sum;
}

double gh_make_feasible(const gh_problem *p, double *A) {
    int64_t n = p->n;
    for (int64_t from = 0; from < n; from += ROWS) {
        int64_t count = n - from < ROWS ? n - from : ROWS;
        double norm2[ROWS] = {0}, shrink[ROWS];
        for (int64_t k = 0; k < p->c; k++)
            for (int64_t i = 0; i < count; i++) {
                int64_t e = k * n + from + i;
                double L = fmax(0, p->sign[e] * A[e]);
                norm2[i] += L * L;
                A[e] = p->sign[e] * L;
            }
        for (int64_t i = 0; i < count; i++)
            shrink[i] = norm2[i] > 0 ? fmin(1, p->weight[from + i] / sqrt(norm2[i])) : 1;
        for (int64_t k = 0; k < p->c; k++)
            for (int64_t i = 0; i < count; i++) A[k * n + from + i] *= shrink[i];
    }
    double value = 0;
    for (int64_t k = 0; k < p->c; k++) {
        double sum[2] = {0, 0}, *a = A + k * n;
        for (int64_t i = 0; i < n; i++) sum[a[i] > 0] += fabs(a[i]);
        double lighter = fmin(sum[0], sum[1]);
        for (int64_t i = 0; i < n; i++) {
            double own = sum[a[i] > 0];
            if (p->intercept && own > 0) a[i] *= lighter / own;
            value += p->target[k * n + i] * fabs(a[i]);
        }
    }
    return value;
}

/* The sum and the largest of the norms over the features' blocks. */
static void block_norms(const double *block, const gh_problem *p, double *sum, double *largest) {
    *sum = *largest = 0;
    for (int64_t g = 0; g < p->n_blocks; g++) {
        double norm2 = 0;
        for (int64_t k = 0; k < p->c; k++)
            for (int64_t j = p->start[g]; j < p->start[g + 1]; j++)
                norm2 += block[k * p->s + j] * block[k * p->s + j];
        *sum += sqrt(norm2);
        *largest = fmax(*largest, sqrt(norm2));
    }
}

/* The same over its rows. */
static void row_norms(const double *block, const gh_problem *p, double *sum, double *largest) {
    int64_t rows = p->s, c = p->c;
    if (p->start) {
        block_norms(block, p, sum, largest);
        return;
    }
    *sum = *largest = 0;
    for (int64_t from = 0; from < rows; from += ROWS) {
        int64_t count = rows - from < ROWS ? rows - from : ROWS;
        double norm2[ROWS] = {0};
        for (int64_t k = 0; k < c; k++) {
            const double *row = block + k * rows + from;
            for (int64_t j = 0; j < count; j++) norm2[j] += row[j] * row[j];
        }
        for (int64_t j = 0; j < count; j++) {
            *sum += sqrt(norm2[j]);
            *largest = fmax(*largest, sqrt(norm2[j]));
        }
    }
}

void gh_measure(gh_point *at, const gh_problem *p, double *price) {
    int64_t n = p->n, c = p->c, s = p->s;
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++) at->f[k * n + i] = at->b[k];
    double penalty = 0, largest_price = 0, unused;
    if (s > 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)s, 1, p->x,
                    (int)n, at->W, (int)s, 1, at->f, (int)n);
        row_norms(at->W, p, &penalty, &unused);
    }
    at->primal = gh_loss(p, at->f) + p->lambda * penalty;
    at->dual = gh_make_feasible(p, at->A);
    if (s > 0) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)s, (int)c, (int)n, 1, p->x,
                    (int)n, at->A, (int)n, 0, price, (int)s);
        row_norms(price, p, &unused, &largest_price);
    }
    if (largest_price > p->lambda) at->dual *= p->lambda / largest_price;
}

double gh_relative_gap(const gh_point *at) {
    double size = fmax(fabs(at->primal), fabs(at->dual)), gap = at->primal - at->dual;
    return gap <= 0 ? 0 : gap / size;
}

void gh_copy(gh_point *to, const gh_point *from, const gh_problem *p) {
    if (p->s > 0) memcpy(to->W, from->W, sizeof *to->W * (size_t)(p->s * p->c));
    memcpy(to->b, from->b, sizeof *to->b * (size_t)p->c);
    memcpy(to->f, from->f, sizeof *to->f * (size_t)(p->n * p->c));
    memcpy(to->A, from->A, sizeof *to->A * (size_t)(p->n * p->c));
    to->primal = from->primal;
    to->dual = from->dual;
}

static double *block(arena *mem, int64_t rows, int64_t c, pare_status *status, pare_error *err) {
    double *out = ARENA_ZERO(mem, double, rows *c);
    if (!out) *status = error_memory(err);
    return out;
}

static pare_status open_eval(gh_eval *e, arena *mem, const gh_problem *p, pare_error *err) {
    pare_status status = PARE_OK;
    e->G = block(mem, p->n, p->c, &status, err);
    e->q = block(mem, p->n, p->c, &status, err);
    e->z = block(mem, p->n, p->c, &status, err);
    e->norm = block(mem, p->n, 1, &status, err);
    e->keep = block(mem, p->n, 1, &status, err);
    e->U = block(mem, p->s, p->c, &status, err);
    e->W = block(mem, p->s, p->c, &status, err);
    e->U_norm = block(mem, p->s, 1, &status, err);
    e->U_keep = block(mem, p->s, 1, &status, err);
    e->b = block(mem, 1, p->c, &status, err);
    return status;
}

static pare_status open_work(gh_work *w, const gh_problem *p, pare_error *err) {
    pare_status status = PARE_OK;
    w->z0 = block(&w->mem, p->n, p->c, &status, err);
    w->W0 = block(&w->mem, p->s, p->c, &status, err);
    w->b0 = block(&w->mem, 1, p->c, &status, err);
    w->step = block(&w->mem, p->n, p->c, &status, err);
    w->A_trial = block(&w->mem, p->n, p->c, &status, err);
    w->price = block(&w->mem, p->s, p->c, &status, err);
    if (status == PARE_OK) status = open_eval(&w->now, &w->mem, p, err);
    if (status == PARE_OK) status = open_eval(&w->trial, &w->mem, p, err);
    return status == PARE_OK ? gh_system_open(&w->system, &w->mem, p, err) : status;
}

static void copy(double *to, const double *from, int64_t count) {
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

/* One proximal problem; the point moves to its solution. Returns its Newton steps. */
static int64_t proximal_step(gh_work *w, gh_point *at, double *A, double tol) {
    const gh_problem *p = w->problem;
    w->sigma_loss = SIGMA_RATIO * w->sigma;
    int64_t nc = p->n * p->c, steps = gh_inner(w, A, tol, INNER_MAX);
    for (int64_t e = 0; e < nc; e++) at->A[e] = A[e] + (w->now.z[e] - w->z0[e]) / w->sigma_loss;
    copy(w->z0, w->now.z, nc);
    copy(w->W0, w->now.W, p->s * p->c);
    copy(w->b0, w->now.b, p->c);
    copy(at->W, w->now.W, p->s * p->c);
    copy(at->b, w->now.b, p->c);
    gh_measure(at, p, w->price);
    at->steps += steps;
    return steps;
}

pare_status gh_proximal_solve(gh_point *at, const gh_problem *p, double tol_rel,
                              const pare_ctx *ctx, pare_error *err) {
    gh_work w = {.problem = p, .ctx = ctx};
    int64_t nc = p->n * p->c;
    arena_init(&w.mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    double *A = ARENA_NEW(&w.mem, double, nc), *best_A = ARENA_NEW(&w.mem, double, nc);
    double *best_W = ARENA_NEW(&w.mem, double, p->s * p->c),
           *best_b = ARENA_NEW(&w.mem, double, p->c);
    TRY_MEM(A && best_A);
    TRY_MEM(best_W && best_b);
    TRY(open_work(&w, p, err));
    copy(w.z0, at->f, nc);
    copy(w.W0, at->W, p->s * p->c);
    copy(w.b0, at->b, p->c);
    copy(A, at->A, nc);
    w.sigma = at->sigma > 0 ? at->sigma : SIGMA_FIRST;
    gh_measure(at, p, w.price);
    double gap = gh_relative_gap(at), best = INFINITY;
    int stalls = 0;
    at->outcome = PARE_OPTIMAL;
    at->first_steps = 0;
    for (int outer = 0;; outer++) {
        if (gap < best) {
            copy(best_A, at->A, nc);
            copy(best_W, at->W, p->s * p->c);
            copy(best_b, at->b, p->c);
            stalls = gap < 0.9 * best ? 0 : stalls + 1;
            best = gap;
        } else {
            stalls++;
        }
        if (best <= tol_rel) break;
        at->outcome = ctx_outcome(ctx_poll(ctx, "solving", -1));
        if (at->outcome != PARE_OPTIMAL) break;
        if (outer == OUTER_MAX || (stalls > STALLS_MAX && w.sigma >= SIGMA_MAX)) {
            at->outcome = PARE_MAX_ITER;
            break;
        }
        /* an error G in z = X W + 1 b' costs at most sqrt(n) |G| of loss */
        double unit = fmin(at->primal, (double)p->n) / sqrt((double)p->n);
        double tol = fmax(INNER_SHARE * fmin(gap, 1) * unit, MIN_INNER_TOL * sqrt((double)nc));
        int64_t steps = proximal_step(&w, at, A, tol);
        if (outer == 0) at->first_steps = steps;
        gap = gh_relative_gap(at);
        if (steps < FEW_STEPS)
            w.sigma = fmin(SIGMA_MAX, GROWTH * w.sigma);
        else if (steps > MANY_STEPS)
            w.sigma /= 1.5;
    }
    copy(at->A, best_A, nc);
    copy(at->W, best_W, p->s * p->c);
    copy(at->b, best_b, p->c);
    gh_measure(at, p, w.price);
    at->sigma = w.sigma;

done:
    arena_free(&w.mem);
    return status;
}

static bool has_unknowns(const gh_problem *p) { return p->intercept || p->s > 0; }

/* Interior points take some 30 steps over s c unknowns, nearly separable by outputs; proximal
 * points hundreds over n c. Where there are more features than samples, the rows of W couple the
 * outputs of the former, and conjugate gradients take thousands of steps. */
static bool suits_interior(const gh_problem *p) {
    return has_unknowns(p) && p->c >= MIN_INTERIOR_OUTPUTS && p->s <= p->n && !p->start;
}

pare_status gh_solve(gh_point *at, const gh_problem *p, double tol_rel, const pare_ctx *ctx,
                     pare_error *err) {
    double blocks = BLOCKS * (double)p->n * (double)p->c + 3 * (double)p->n * (double)p->s;
    pare_status status =
        ctx_check_memory(ctx, 8 * blocks, "numbers for each sample and class", err);
    if (status != PARE_OK) return status;
    if (suits_interior(p)) {
        status = gh_interior_solve(at, p, tol_rel, ctx, err);
        if (status != PARE_OK || at->outcome != PARE_MAX_ITER) return status;
    }
    status = gh_proximal_solve(at, p, tol_rel, ctx, err);
    bool fine = status != PARE_OK || at->outcome != PARE_MAX_ITER || !has_unknowns(p);
    if (fine || p->start) return status; /* its cones are of single features */
    return gh_interior_rescue(at, p, tol_rel, ctx,
                              err); /* a small lambda needs prices of many digits */
}
