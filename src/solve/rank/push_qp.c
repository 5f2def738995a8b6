/* Primal-dual interior point method with Mehrotra's predictor and corrector.
 *
 * SYMBOLS   pi: duals of the rows; slack: xi_i - o_i + x_i'w - t of positive rows, t - o_j - x_j'w
 *           of negative ones; xi and co = c - pi of positive rows; w = u - v with u, v >= 0 and
 *           their multipliers zu = l1 + l2 w - g, zv = l1 - l2 w + g, where g = X+'pi+ - X-'pi-.
 * PAIRS     slack pi = xi co = u zu = v zv = mu on the central path.
 * STEP      h = X dw - 1 dt, and eliminating all but (dw, dt):
 *           positive  dpi = e - D h, D = 1 / (slack/pi + xi/co),  e = D (rs/pi - rx/co)
 *           negative  dpi = e + D h, D = pi/slack,                e = rs/slack
 *           features  (l2 + 1/theta) dw - dg = (ru/zu - rv/zv)/theta,  theta = u/zu + v/zv
 *           with r. the right-hand sides of the four kinds of pairs: push_system solves it.
 * START     feasible on both sides, so that every step is, and the sum of the pairs is the gap. */
#include "solve/rank/push_qp.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/interior/mehrotra.h"
#include "solve/interior/steps.h"
#include "solve/rank/push_system.h"

enum { MAX_STALLED = 6 };         /* iterations without progress that may pass ... */
static const double CLOSE = 1e-2; /* ... once the gap is below this share of the objective */

typedef struct interior {
    const push_qp *p;
    push_system sys;
    cones groups;    /* |w_g| <= s_g with the multipliers (l1, -g_g); count 0: none */
    int64_t n_split; /* features with a pair of parts: d, or 0 for l2 and groups */
    int64_t N, d, n_pairs;
    double *pi, *slack, *xi, *co;              /* N */
    double *dpi, *dslack, *dxi;                /* N; dco = -dpi */
    double *rs, *rx, *omega, *e, *h, *omega_h; /* N */
    double *u, *v, *zu, *zv;                   /* d */
    double *du, *dv, *dzu;                     /* d; dzv = -dzu */
    double *ru, *rv, *z, *dw, *a, *g;          /* d */
    double *w, t, dt;
    double *best_pi, *best_w, best_t,
        best_value; /* at the smallest gap: rounding may end in worse */
    progress so_far;
} interior;

static pare_status allocate(interior *q, arena *mem, const pare_ctx *ctx, pare_error *err) {
    double **rows[] = {&q->pi, &q->slack, &q->xi,    &q->co, &q->dpi, &q->dslack,  &q->dxi,
                       &q->rs, &q->rx,    &q->omega, &q->e,  &q->h,   &q->omega_h, &q->best_pi};
    double **features[] = {&q->u,  &q->v,  &q->zu, &q->zv, &q->du, &q->dv, &q->dzu,
                           &q->ru, &q->rv, &q->z,  &q->dw, &q->a,  &q->g,  &q->best_w};
    const cones *blocks = q->p->n_groups ? &q->groups : NULL;
    q->d = q->p->rows.d;
    q->n_split = q->p->l1 > 0 && !blocks ? q->d : 0;
    for (size_t k = 0; k < sizeof features / sizeof features[0]; k++)
        PASS_MEM(*features[k] = ARENA_ZERO(mem, double, q->d));
    q->groups = (cones){.s1 = q->w, .z1 = q->g, .ds1 = q->dw};
    if (blocks) PASS(cones_open(&q->groups, mem, q->p->n_groups, q->p->group_start, err));
    PASS(push_system_init(&q->sys, mem, &q->p->rows, blocks, q->p->l1 == 0, ctx, err));
    q->N = q->sys.N;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        PASS_MEM(*rows[k] = ARENA_ZERO(mem, double, q->N));
    return PARE_OK;
}

static bool positive(const interior *q, int64_t i) { return q->p->cost[i] > 0; }

/* g = X'(pi on positive rows, -pi on negative ones). */
static pare_status gather(interior *q, const double *pi, const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < q->N; i++) q->e[i] = positive(q, i) ? pi[i] : -pi[i];
    return push_tmul(&q->sys, q->e, q->g, ctx, err);
}

/* Feasible duals: half of each cost, the negatives alike, shrunk until the features allow it. */
static pare_status start_dual(interior *q, const pare_ctx *ctx, pare_error *err) {
    const push_qp *p = q->p;
    double positives = 0, negatives = 0, shrink = 1, largest = 0, square = 0;
    for (int64_t i = 0; i < q->N; i++) {
        positives += p->cost[i] / 2;
        negatives += p->cost[i] == 0;
    }
    for (int64_t i = 0; i < q->N; i++)
        q->pi[i] = p->cost[i] > 0 ? p->cost[i] / 2 : positives / negatives;
    pare_status status = gather(q, q->pi, ctx, err);
    for (int64_t j = 0; j < q->d; j++) {
        largest = fmax(largest, fabs(q->g[j]));
        square += q->g[j] * q->g[j];
    }
    for (int64_t k = 0; k < p->n_groups; k++) {
        double norm2 = 0;
        for (int64_t j = p->group_start[k]; j < p->group_start[k + 1]; j++)
            norm2 += q->g[j] * q->g[j];
        largest = fmax(largest, sqrt(norm2));
    }
    if (p->l1 > 0) {
        if (largest > 0.5 * p->l1) shrink = 0.5 * p->l1 / largest;
    } else if (square > 0) { /* w = g / l2 to begin with: keep its part in the dual small */
        shrink = fmin(1, p->l2 / square * 2 * positives);
    }
    for (int64_t i = 0; i < q->N; i++) q->pi[i] *= shrink;
    for (int64_t j = 0; j < q->d; j++) q->g[j] *= shrink;
    return status;
}

/* The sum of all pairs after steps of these lengths; 0, 0: now. */
static double products(const void *self, double primal, double dual) {
    const interior *q = self;
    double sum = 0;
    for (int64_t i = 0; i < q->N; i++) {
        sum += (q->slack[i] + primal * q->dslack[i]) * (q->pi[i] + dual * q->dpi[i]);
        if (positive(q, i)) sum += (q->xi[i] + primal * q->dxi[i]) * (q->co[i] - dual * q->dpi[i]);
    }
    for (int64_t j = 0; j < q->n_split; j++) {
        sum += (q->u[j] + primal * q->du[j]) * (q->zu[j] + dual * q->dzu[j]);
        sum += (q->v[j] + primal * q->dv[j]) * (q->zv[j] - dual * q->dzu[j]);
    }
    for (int64_t k = 0; k < q->groups.count; k++) sum += cone_product(&q->groups, k, primal, dual);
    return sum;
}

static pare_status start(interior *q, const pare_ctx *ctx, pare_error *err) {
    const push_qp *p = q->p;
    PASS(start_dual(q, ctx, err));
    for (int64_t j = 0; j < q->d; j++) {
        q->w[j] = p->l1 > 0 ? 0 : q->g[j] / p->l2;
        if (q->n_split == 0) continue;
        q->zu[j] = p->l1 - q->g[j];
        q->zv[j] = p->l1 + q->g[j];
    }
    PASS(push_mul(&q->sys, q->w, q->h, ctx, err));
    q->t = -INFINITY;
    for (int64_t i = 0; i < q->N; i++)
        if (!positive(q, i)) q->t = fmax(q->t, p->offset[i] + q->h[i]);
    q->t += 1;
    for (int64_t k = 0; k < q->groups.count; k++) q->groups.z0[k] = p->l1;
    int64_t of_features = 2 * q->n_split + q->groups.count;
    q->n_pairs = of_features;
    for (int64_t i = 0; i < q->N; i++) {
        q->n_pairs += positive(q, i) ? 2 : 1;
        if (positive(q, i)) {
            double need = p->offset[i] - q->h[i] + q->t;
            q->xi[i] = fmax(need, 0) + 1;
            q->slack[i] = q->xi[i] - need;
            q->co[i] = p->cost[i] - q->pi[i];
        } else {
            q->slack[i] = q->t - p->offset[i] - q->h[i];
        }
    }
    /* The path wants the pairs of the features as large as those of the rows, about 1/N; weights
     * that small would take long to grow. The power is a compromise, found by trial from 60 to
     * 32,000 rows. */
    double start = pow(products(q, 0, 0) / (double)(q->n_pairs - of_features), 0.75);
    for (int64_t j = 0; j < q->n_split; j++) q->u[j] = q->v[j] = start / p->l1;
    for (int64_t k = 0; k < q->groups.count; k++) q->groups.s0[k] = start / p->l1;
    return PARE_OK;
}

/* Right-hand sides of the pairs: target - product, less the products of the step before. */
static void aim(interior *q, double target, bool correct) {
    double second = correct ? 1 : 0;
    for (int64_t i = 0; i < q->N; i++) {
        q->rs[i] = target - q->slack[i] * q->pi[i] - second * q->dslack[i] * q->dpi[i];
        if (positive(q, i))
            q->rx[i] = target - q->xi[i] * q->co[i] + second * q->dxi[i] * q->dpi[i];
    }
    for (int64_t j = 0; j < q->n_split; j++) {
        q->ru[j] = target - q->u[j] * q->zu[j] - second * q->du[j] * q->dzu[j];
        q->rv[j] = target - q->v[j] * q->zv[j] + second * q->dv[j] * q->dzu[j];
    }
    for (int64_t k = 0; k < q->groups.count; k++) cone_aim(&q->groups, k, target, correct);
}

static pare_status factor(void *self, bool *fine, const pare_ctx *ctx, pare_error *err) {
    interior *q = self;
    for (int64_t i = 0; i < q->N; i++)
        q->omega[i] = positive(q, i) ? 1 / (q->slack[i] / q->pi[i] + q->xi[i] / q->co[i])
                                     : q->pi[i] / q->slack[i];
    for (int64_t j = 0; q->groups.count == 0 && j < q->d; j++) {
        double theta = q->n_split ? q->u[j] / q->zu[j] + q->v[j] / q->zv[j] : INFINITY;
        q->z[j] = isinf(theta) ? 1 / q->p->l2 : theta / (1 + q->p->l2 * theta);
    }
    for (int64_t k = 0; k < q->groups.count; k++) {
        *fine = cone_scale(&q->groups, k);
        if (!*fine) return PARE_OK;
        for (int64_t j = q->groups.start[k]; j < q->groups.start[k + 1]; j++)
            q->z[j] = q->groups.eta[k] * q->groups.eta[k];
    }
    return push_system_factor(&q->sys, q->omega, q->z, fine, ctx, err);
}

static pare_status direction(void *self, double centre, bool correct, bool *fine,
                             const pare_ctx *ctx, pare_error *err) {
    interior *q = self;
    double b = 0;
    aim(q, centre, correct);
    for (int64_t i = 0; i < q->N; i++) {
        q->e[i] = positive(q, i) ? q->omega[i] * (q->rs[i] / q->pi[i] - q->rx[i] / q->co[i])
                                 : -q->rs[i] / q->slack[i];
        b -= q->e[i];
    }
    PASS(push_tmul(&q->sys, q->e, q->a, ctx, err));
    for (int64_t j = 0; j < q->n_split; j++) {
        double theta = q->u[j] / q->zu[j] + q->v[j] / q->zv[j];
        q->a[j] += (q->ru[j] / q->zu[j] - q->rv[j] / q->zv[j]) / theta;
    }
    for (int64_t j = 0; q->groups.count && j < q->d; j++) q->a[j] += q->groups.g[j];
    PASS(push_system_solve(&q->sys, q->a, b, q->dw, &q->dt, q->h, q->omega_h, ctx, err));
    for (int64_t i = 0; i < q->N; i++) {
        double h = q->h[i];
        if (positive(q, i)) {
            q->dpi[i] = q->e[i] - q->omega_h[i];
            q->dxi[i] = (q->rx[i] + q->xi[i] * q->dpi[i]) / q->co[i];
            q->dslack[i] = q->dxi[i] + h;
        } else {
            q->dpi[i] = -q->e[i] + q->omega_h[i];
            q->dslack[i] = -h;
        }
    }
    for (int64_t j = 0; j < q->n_split; j++) {
        double theta = q->u[j] / q->zu[j] + q->v[j] / q->zv[j];
        double k = ((q->ru[j] / q->zu[j] - q->rv[j] / q->zv[j]) - q->dw[j]) / theta;
        q->dzu[j] = k;
        q->du[j] = (q->ru[j] - q->u[j] * k) / q->zu[j];
        q->dv[j] = (q->rv[j] + q->v[j] * k) / q->zv[j];
    }
    for (int64_t k = 0; k < q->groups.count; k++) cone_follow(&q->groups, k);
    *fine = isfinite(q->dt);
    return PARE_OK;
}

static void reach(const void *self, double *primal, double *dual) {
    const interior *q = self;
    for (int64_t i = 0; i < q->N; i++) {
        *primal = step_within(*primal, q->slack[i], q->dslack[i]);
        *dual = step_within(*dual, q->pi[i], q->dpi[i]);
        if (!positive(q, i)) continue;
        *primal = step_within(*primal, q->xi[i], q->dxi[i]);
        *dual = step_within(*dual, q->co[i], -q->dpi[i]);
    }
    for (int64_t j = 0; j < q->n_split; j++) {
        *primal = step_within(step_within(*primal, q->u[j], q->du[j]), q->v[j], q->dv[j]);
        *dual = step_within(step_within(*dual, q->zu[j], q->dzu[j]), q->zv[j], -q->dzu[j]);
    }
    for (int64_t k = 0; k < q->groups.count; k++) cone_longest(&q->groups, k, primal, dual);
    if (q->p->l2 > 0) *primal = *dual = fmin(*primal, *dual); /* w is on both sides */
}

static void move(void *self, double primal, double dual) {
    interior *q = self;
    for (int64_t i = 0; i < q->N; i++) {
        q->slack[i] += primal * q->dslack[i];
        q->pi[i] += dual * q->dpi[i];
        if (!positive(q, i)) continue;
        q->xi[i] += primal * q->dxi[i];
        q->co[i] -= dual * q->dpi[i];
    }
    for (int64_t j = 0; j < q->d; j++) {
        if (q->n_split) {
            q->u[j] += primal * q->du[j];
            q->v[j] += primal * q->dv[j];
            q->zu[j] += dual * q->dzu[j];
            q->zv[j] -= dual * q->dzu[j];
            q->w[j] = q->u[j] - q->v[j];
        } else if (q->groups.count == 0) {
            q->w[j] += primal * q->dw[j];
        }
    }
    for (int64_t k = 0; k < q->groups.count; k++) cone_move(&q->groups, k, primal, dual);
    q->t += primal * q->dt;
}

static double objective(const interior *q) {
    double loss = 0, one = 0, two = 0;
    for (int64_t i = 0; i < q->N; i++)
        if (positive(q, i)) loss += q->p->cost[i] * q->xi[i];
    for (int64_t j = 0; j < q->d; j++) {
        one += q->n_split ? q->u[j] + q->v[j] : 0;
        two += q->w[j] * q->w[j];
    }
    for (int64_t k = 0; k < q->groups.count; k++) one += q->groups.s0[k];
    return loss + q->p->l1 * one + 0.5 * q->p->l2 * two;
}

static void keep_best(interior *q) {
    memcpy(q->best_pi, q->pi, sizeof *q->pi * (size_t)q->N);
    memcpy(q->best_w, q->w, sizeof *q->w * (size_t)q->d);
    q->best_t = q->t;
}

static pare_status judge(void *self, double gap, interior_verdict *verdict, const pare_ctx *ctx,
                         pare_error *err) {
    (void)ctx, (void)err;
    interior *q = self;
    double value = objective(q);
    if (progress_note(&q->so_far, gap)) {
        q->best_value = value;
        keep_best(q);
    }
    if (gap <= q->p->tol_rel * fmax(fabs(value), fabs(value - gap)))
        *verdict = INTERIOR_SOLVED;
    else if (q->so_far.waited > MAX_STALLED && gap < CLOSE * fabs(value))
        *verdict = INTERIOR_STUCK;
    else
        *verdict = INTERIOR_GO_ON;
    return PARE_OK;
}

static const interior_method method = {"interior point method",
                                       judge,
                                       factor,
                                       direction,
                                       products,
                                       reach,
                                       move,
                                       .max_steps = 200,
                                       .share = 0.995,
                                       .least_step = 1e-7,
                                       .far = 0.3,
                                       .cautious = 0.9,
                                       .worse = 0.95,
                                       .centring = 0.5};

pare_status push_qp_solve(push_qp_solution *out, const push_qp *p, const pare_ctx *ctx,
                          pare_error *err) {
    arena mem = arena_of(ctx);
    interior q = {.p = p, .w = out->w, .so_far = progress_start()};
    pare_status status = PARE_OK;
    out->iterations = 0;
    TRY(allocate(&q, &mem, ctx, err));
    TRY(start(&q, ctx, err));
    TRY(interior_run(&q, (double)q.n_pairs, &method, &out->iterations, &out->outcome, ctx, err));
    memcpy(out->dual, q.best_pi, sizeof(double) * (size_t)q.N);
    memcpy(out->w, q.best_w, sizeof(double) * (size_t)q.d);
    out->t = q.best_t;
    out->objective = q.best_value;
    out->bound = q.best_value - q.so_far.best;
done:
    arena_free(&mem);
    return status;
}
