/* The group hinge problem by an interior point method, for many outputs.
 *
 * PROBLEM    minimise weight't + lambda 1'tau over W, b, R, t, tau  subject to
 *            Y = R - (target - sign.f) >= 0,  |R_i| <= t_i,  |W^j| <= tau_j,  f = X W + 1 b'.
 *            Its multipliers: L >= 0 of the first, (weight_i, -L_i) and (lambda, -P_j) of the
 *            cones; they are a dual point where P = X'(sign.L) and 1'(sign.L) = 0.
 * ALGORITHM  Mehrotra's predictor and corrector with Nesterov-Todd scaling
 *            (interior/cones.h). With R, t, tau and all multipliers eliminated, a step is one
 *            linear system over W and b (group_hinge_normal.c). Once the gap is small enough,
 *            rows whose norm is small compared with their distance to lambda become 0, and
 *            the gap is recomputed from W, b and L.
 * COST       15 to 40 iterations, each with two linear systems of a few conjugate gradient steps
 *            and some passes over n c numbers; a start near the solution saves few. Memory 17 n c,
 *            and the factors of the systems.
 * GUARANTEE  the gap is exact for the features of the problem. */
#include "solve/hinge/group_hinge_interior.h"

#include <cblas.h>
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "la/product/dot.h"
#include "solve/interior/mehrotra.h"
#include "solve/interior/steps.h"

#define MAX_STEP_RATIO 5.0 /* ratio between the lengths of the primal and the dual step */
#define PREDICTOR 1e-2     /* accuracy of the linear systems */
#define CORRECTOR 1e-3
#define MIN_AIM 0.5 /* of the requested gap: residuals need not be smaller than for this */
#define MIN_PARALLEL_WORK 1e7 /* operations of a product with the data */
#define ZERO_SHARE 0.1        /* of the requested gap: total penalty of rows that are set to 0 */
enum { CENTRING = 10, UNSOLVED_MAX = 4 };

static pare_status open_cones(cones *k, int64_t count, int64_t dim, arena *mem, pare_error *err) {
    int64_t *start = ARENA_NEW(mem, int64_t, count + 1);
    if (!start) return error_memory(err);
    for (int64_t i = 0; i <= count; i++) start[i] = i * dim;
    return cones_open(k, mem, count, start, err);
}

/* The head that belongs to a primal tail of that norm at the centre; returns the factor between the
 * dual tail and it. */
static double central(double z0, double norm, double centre, double *head) {
    double root = hypot(centre, z0 * norm);
    *head = (centre + root) / z0;
    return z0 * z0 / (centre + root);
}

/* Around f everything else is chosen to have products equal to centre: L (R - q) = centre, where
 * q = target - sign.f and L = factor R. */
static void start_sample(gh_interior *w, int64_t i, const double *f, double centre) {
    const gh_problem *p = w->problem;
    int64_t c = w->c, n = p->n, from = w->sample[i];
    double *R = w->samples.s1 + i * c, *L = w->samples.z1 + i * c, *q = w->dy + i * c;
    double weight = w->samples.z0[i] = p->weight[from], *head = &w->samples.s0[i];
    for (int64_t k = 0; k < c; k++) {
        w->sign[i * c + k] = p->sign[k * n + from];
        q[k] = p->target[k * n + from] - p->sign[k * n + from] * f[k * n + from];
        R[k] = fmax(q[k], 0);
    }
    double norm = fmax(sqrt(la_dot(R, R, c)), sqrt((double)c) * centre);
    for (int round = 0; round < CENTRING; round++) {
        double product = centre / central(weight, norm, centre, head); /* R (R - q) */
        for (int64_t k = 0; k < c; k++) {
            double root = sqrt(q[k] * q[k] + 4 * product), large = (fabs(q[k]) + root) / 2;
            R[k] = q[k] > 0 ? large : product / large;
            w->y[i * c + k] = q[k] > 0 ? product / large : large;
        }
        norm = sqrt(la_dot(R, R, c));
    }
    double factor = central(weight, norm, centre, head);
    for (int64_t k = 0; k < c; k++) L[k] = factor * R[k];
}

/* A nonzero row is central at lambda. A zero row keeps its price, under a bound of its own that
 * decreases to lambda: to decrease the price itself would take many steps. */
static void start_features(gh_interior *w, const gh_point *at, double centre) {
    cones *rows = &w->features;
    int64_t c = w->c, m = w->system.m;
    for (int64_t e = 0; e < w->n * c; e++) w->system.T[e] = w->sign[e] * w->samples.z1[e];
    gh_normal_gather(w, w->rhs);
    for (int64_t j = 0; j < w->s; j++) {
        double *W = rows->s1 + j * c, *P = rows->z1 + j * c;
        for (int64_t k = 0; k < c; k++) {
            W[k] = at->W[k * w->s + j];
            P[k] = w->rhs[k * m + j];
        }
        double norm = sqrt(la_dot(W, W, c)), price = sqrt(la_dot(P, P, c));
        rows->z0[j] = norm > 0 ? w->problem->lambda : fmax(w->problem->lambda, 2 * price);
        double factor = central(rows->z0[j], norm, centre, &rows->s0[j]);
        for (int64_t k = 0; k < c && norm > 0; k++) P[k] = factor * W[k];
    }
}

static void start(gh_interior *w, const gh_point *at, double centre) {
    const gh_problem *p = w->problem;
    int64_t c = w->c, m = w->system.m;
    for (int64_t i = 0; i < w->n; i++) {
        start_sample(w, i, at->f, centre);
        for (int64_t j = 0; j < w->s; j++) w->system.x[i * m + j] = p->x[j * p->n + w->sample[i]];
        if (p->intercept) w->system.x[i * m + w->s] = 1;
    }
    start_features(w, at, centre);
    for (int64_t k = 0; k < c; k++) w->b[k] = at->b[k];
}

static pare_status open_interior(gh_interior *w, pare_error *err) {
    const gh_problem *p = w->problem;
    PASS_MEM(w->sample = ARENA_NEW(&w->mem, int64_t, p->n));
    for (int64_t i = 0; i < p->n; i++)
        if (p->weight[i] > 0) w->sample[w->n++] = i;
    w->system.m = w->s + (p->intercept ? 1 : 0);
    PASS_MEM(ARENA_NEWS(&w->mem, double, w->n * w->c, &w->sign, &w->y));
    PASS_MEM(w->dy = ARENA_ZERO(&w->mem, double, w->n * w->c));
    PASS_MEM(w->b = ARENA_ZERO(&w->mem, double, w->c));
    PASS_MEM(ARENA_NEWS(&w->mem, double, w->system.m * w->c, &w->step, &w->rhs));
    PASS_MEM(w->price = ARENA_NEW(&w->mem, double, w->s * w->c));
    double work = (double)w->n * (double)w->c * (double)w->system.m;
    w->threads = work < MIN_PARALLEL_WORK ? 1 : ctx_threads(w->ctx);
    PASS_MEM(ARENA_NEWS(&w->mem, double, w->n, &w->row_sum, &w->rank_one));
    PASS(open_cones(&w->samples, w->n, w->c, &w->mem, err));
    PASS(open_cones(&w->features, w->s, w->c, &w->mem, err));
    return gh_normal_open(&w->system, w, &w->mem, err);
}

static double products(const void *self, double primal, double dual) {
    const gh_interior *w = self;
    int64_t c = w->c;
    double sum = 0;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i++) {
        const double *y = w->y + i * c, *dy = w->dy + i * c;
        const double *L = w->samples.z1 + i * c, *dL = w->samples.dz1 + i * c;
        w->row_sum[i] = cone_product(&w->samples, i, primal, dual) + la_dot(y, L, c) +
                        primal * la_dot(dy, L, c) + dual * la_dot(y, dL, c) +
                        primal * dual * la_dot(dy, dL, c);
    }
    for (int64_t i = 0; i < w->n; i++) sum += w->row_sum[i];
    for (int64_t j = 0; j < w->s; j++) sum += cone_product(&w->features, j, primal, dual);
    return sum;
}

/* Computes the linear systems' coefficients; false: the point is too close to the boundary. */
static bool scale(gh_interior *w) {
    gh_normal *s = &w->system;
    cones *cone = &w->samples, *rows = &w->features;
    int64_t c = w->c, failures = 0;
#pragma omp parallel for num_threads(w->threads) schedule(static) reduction(+ : failures)
    for (int64_t i = 0; i < w->n; i++) {
        failures += !cone_scale(cone, i);
        const double *u = cone->w1 + i * c, *L = cone->z1 + i * c, *y = w->y + i * c;
        double *E = s->E + i * c, *v = s->v + i * c;
        double w0 = cone->w0[i], flat = 1 / (cone->eta[i] * cone->eta[i]);
        double kappa = 2 * flat / (2 * w0 * w0 - 1); /* Q = flat I - kappa u u' */
        for (int64_t k = 0; k < c; k++) {
            double D = L[k] / y[k], share = 1 / (flat + D);
            v[k] = share * u[k];
            E[k] = D * share;
        }
        w->rank_one[i] = kappa / (1 - kappa * la_dot(u, v, c));
        double root = sqrt(w->rank_one[i]);
        for (int64_t k = 0; k < c; k++) {
            v[k] = root * E[k] * u[k] * w->sign[i * c + k];
            E[k] *= flat;
        }
        failures += !isfinite(root);
    }
    for (int64_t j = 0; j < w->s; j++) {
        failures += !cone_scale(rows, j);
        double w0 = rows->w0[j];
        s->scale[j] = 1 / (rows->eta[j] * rows->eta[j]);
        double root = sqrt(2 * s->scale[j] / (2 * w0 * w0 - 1));
        for (int64_t k = 0; k < c; k++) s->u[k * s->m + j] = root * rows->w1[j * c + k];
        failures += !isfinite(root);
    }
    return failures == 0;
}

/* With Q of the sample's cone and D = L / y:  dR = (Q + D)^-1 q,  q = h + g - D sign.df,  and
 * dL = h - D (dR + sign.df). Returns rank_one u'(flat + D)^-1 q; part = (flat + D)^-1 q. */
static double solve_sample(const gh_interior *w, int64_t i, const double *h, const double *df,
                           double *part) {
    int64_t c = w->c;
    const cones *cone = &w->samples;
    const double *L = cone->z1 + i * c, *y = w->y + i * c, *g = cone->g + i * c;
    const double *sign = w->sign + i * c;
    double flat = 1 / (cone->eta[i] * cone->eta[i]);
    for (int64_t k = 0; k < c; k++) {
        double D = L[k] / y[k], q = h[k] + g[k];
        if (df) q -= D * sign[k] * df[k];
        part[k] = q / (flat + D);
    }
    return w->rank_one[i] * la_dot(cone->w1 + i * c, part, c);
}

/* The right-hand side; h of all samples takes dy's place. */
static void aim_at(gh_interior *w, double centre, bool correct) {
    gh_normal *s = &w->system;
    cones *cone = &w->samples, *rows = &w->features;
    int64_t c = w->c;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i++) {
        cone_aim(cone, i, centre, correct);
        const double *L = cone->z1 + i * c, *y = w->y + i * c, *u = cone->w1 + i * c;
        double *h = w->dy + i * c, *t = s->T + i * c, *part = cone->dz1 + i * c;
        for (int64_t k = 0; k < c; k++)
            h[k] = (centre - (correct ? h[k] * part[k] : 0)) / y[k] - L[k];
        double along = solve_sample(w, i, h, NULL, part);
        double flat = 1 / (cone->eta[i] * cone->eta[i]);
        for (int64_t k = 0; k < c; k++) {
            double D = L[k] / y[k];
            t[k] = w->sign[i * c + k] * (L[k] + h[k] - D * (part[k] + along * u[k] / (flat + D)));
        }
    }
    gh_normal_gather(w, w->rhs);
    for (int64_t j = 0; j < w->s; j++) {
        rows->dz0[j] = w->problem->lambda - rows->z0[j];
        cone_aim(rows, j, centre, correct);
        for (int64_t k = 0; k < c; k++)
            w->rhs[k * s->m + j] -= rows->z1[j * c + k] - rows->g[j * c + k];
    }
}

/* The whole direction from the step of W and b. */
static void complete(gh_interior *w) {
    const gh_normal *s = &w->system;
    cones *cone = &w->samples, *rows = &w->features;
    int64_t c = w->c, m = s->m;
    gh_normal_expand(w, w->step);
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i++) {
        const double *L = cone->z1 + i * c, *y = w->y + i * c, *u = cone->w1 + i * c;
        const double *df = s->T + i * c, *sign = w->sign + i * c;
        double *h = w->dy + i * c, *dR = cone->ds1 + i * c, *dL = cone->dz1 + i * c;
        double flat = 1 / (cone->eta[i] * cone->eta[i]), along = solve_sample(w, i, h, df, dR);
        for (int64_t k = 0; k < c; k++) {
            double D = L[k] / y[k];
            dR[k] += along * u[k] / (flat + D);
            double dy = dR[k] + sign[k] * df[k];
            dL[k] = h[k] - D * dy;
            h[k] = dy;
        }
        cone_finish(cone, i);
    }
    for (int64_t j = 0; j < w->s; j++) {
        double *dW = rows->ds1 + j * c, dot = 0;
        for (int64_t k = 0; k < c; k++) {
            dW[k] = w->step[k * m + j];
            dot += s->u[k * m + j] * dW[k];
        }
        for (int64_t k = 0; k < c; k++)
            rows->dz1[j * c + k] = s->scale[j] * dW[k] - dot * s->u[k * m + j] - rows->g[j * c + k];
        cone_finish(rows, j);
    }
}

static void reach(const void *self, double *primal, double *dual) {
    const gh_interior *w = self;
    int64_t c = w->c;
    double most_primal = *primal, most_dual = *dual;
#pragma omp parallel for num_threads(w->threads) schedule(static)                                  \
    reduction(min                                                                                  \
              : most_primal, most_dual)
    for (int64_t i = 0; i < w->n; i++) {
        const double *y = w->y + i * c, *dy = w->dy + i * c;
        const double *L = w->samples.z1 + i * c, *dL = w->samples.dz1 + i * c;
        for (int64_t k = 0; k < c; k++) {
            most_primal = step_within(most_primal, y[k], dy[k]);
            most_dual = step_within(most_dual, L[k], dL[k]);
        }
        cone_longest(&w->samples, i, &most_primal, &most_dual);
    }
    for (int64_t j = 0; j < w->s; j++) cone_longest(&w->features, j, &most_primal, &most_dual);
    *primal = fmin(most_primal, MAX_STEP_RATIO * most_dual);
    *dual = fmin(most_dual, MAX_STEP_RATIO * most_primal);
}

static void move(void *self, double primal, double dual) {
    gh_interior *w = self;
    int64_t c = w->c, m = w->system.m;
#pragma omp parallel for num_threads(w->threads) schedule(static)
    for (int64_t i = 0; i < w->n; i++) {
        cone_move(&w->samples, i, primal, dual);
        for (int64_t e = i * c; e < (i + 1) * c; e++) w->y[e] += primal * w->dy[e];
    }
    for (int64_t j = 0; j < w->s; j++) cone_move(&w->features, j, primal, dual);
    for (int64_t k = 0; k < c && m > w->s; k++) w->b[k] += primal * w->step[k * m + w->s];
}

static pare_status factor(void *self, bool *fine, const pare_ctx *ctx, pare_error *err) {
    (void)ctx, (void)err;
    gh_interior *w = self;
    *fine = scale(w) && gh_outputs_factor(w);
    return PARE_OK;
}

static double n_pairs(const gh_interior *w) {
    return (double)w->n * (double)w->c + 2 * (double)(w->n + w->s);
}

/* The predictor's system is solved roughly, the corrector's from there on. */
static pare_status direction(void *self, double centre, bool correct, bool *fine,
                             const pare_ctx *ctx, pare_error *err) {
    (void)ctx, (void)err;
    gh_interior *w = self;
    double aim = correct ? fmax(centre * n_pairs(w), MIN_AIM * w->tol_rel * w->size) : 0;
    aim_at(w, centre, correct);
    *fine = gh_normal_solve(w, w->rhs, correct, correct ? CORRECTOR : PREDICTOR, aim, w->size);
    if (*fine) complete(w);
    *fine &= w->unsolved <= UNSOLVED_MAX;
    return PARE_OK;
}

/* The largest row norm that counts as 0: all such rows together weigh no more than `most`. */
static double zero_below(const gh_interior *w, double most) {
    double *norm = w->system.dot, sum = 0, below = 0;
    for (int64_t j = 0; j < w->s; j++) {
        const double *W = w->features.s1 + j * w->c;
        norm[j] = sqrt(la_dot(W, W, w->c));
    }
    sort_up(norm, w->s);
    for (int64_t j = 0; j < w->s && (sum += w->problem->lambda * norm[j]) <= most; j++)
        below = norm[j];
    return below;
}

/* The point in the caller's form; a row is 0 if it weighs little, and less of the objective `size`
 * than its price falls short of lambda. Kept if its gap is the smallest so far. */
static void offer(const gh_interior *w, double most, double size) {
    const gh_problem *p = w->problem;
    gh_point *trial = w->trial, *at = w->at;
    const cones *rows = &w->features;
    int64_t n = p->n, c = w->c, s = w->s;
    double below = s > 0 ? zero_below(w, most) : 0;
    for (int64_t j = 0; j < s; j++) {
        const double *W = rows->s1 + j * c, *P = rows->z1 + j * c;
        double norm = sqrt(la_dot(W, W, c)), slack = p->lambda - sqrt(la_dot(P, P, c));
        bool nonzero = norm > below || p->lambda * p->lambda * norm > slack * size;
        for (int64_t k = 0; k < c; k++) trial->W[k * s + j] = nonzero ? W[k] : 0;
    }
    for (int64_t k = 0; k < c; k++) trial->b[k] = w->b[k];
    for (int64_t e = 0; e < n * c; e++) trial->A[e] = 0;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t k = 0; k < c; k++)
            trial->A[k * n + w->sample[i]] = w->sign[i * c + k] * w->samples.z1[i * c + k];
    gh_measure(trial, p, w->price);
    if (gh_relative_gap(trial) < gh_relative_gap(at)) gh_copy(at, trial, p);
}

static pare_status judge(void *self, double gap, interior_verdict *verdict, const pare_ctx *ctx,
                         pare_error *err) {
    (void)err;
    gh_interior *w = self;
    w->size = 0;
    for (int64_t i = 0; i < w->n; i++) w->size += w->samples.z0[i] * w->samples.s0[i];
    for (int64_t j = 0; j < w->s; j++) w->size += w->features.z0[j] * w->features.s0[j];
    ctx_log(ctx, PARE_LOG_DEBUG, "group hinge: products %.3g of %.9g, systems %lld", gap, w->size,
            (long long)w->inner);
    if (gap <= w->tol_rel * w->size) offer(w, ZERO_SHARE * w->tol_rel * w->size, w->size);
    *verdict = gh_relative_gap(w->at) <= w->tol_rel ? INTERIOR_SOLVED : INTERIOR_GO_ON;
    return PARE_OK;
}

static const interior_method method = {"solving",
                                       judge,
                                       factor,
                                       direction,
                                       products,
                                       reach,
                                       move,
                                       .max_steps = 80,
                                       .share = 0.95,
                                       .least_step = 1e-6,
                                       .least_centre = 1e-6};

/* off: upper limit of the initial gap as a share of the objective. */
static pare_status solve_from(gh_point *at, const gh_problem *p, double tol_rel, double off,
                              const pare_ctx *ctx, pare_error *err) {
    gh_point trial = {0};
    gh_interior w = {.problem = p,
                     .ctx = ctx,
                     .c = p->c,
                     .s = p->s,
                     .at = at,
                     .trial = &trial,
                     .tol_rel = tol_rel};
    pare_status status = PARE_OK;
    arena_init(&w.mem, ctx_allocator(ctx));
    TRY(open_interior(&w, err));
    TRY_MEM(trial.W = ARENA_NEW(&w.mem, double, p->s * p->c));
    TRY_MEM(trial.b = ARENA_NEW(&w.mem, double, p->c));
    TRY_MEM(ARENA_NEWS(&w.mem, double, p->n * p->c, &trial.f, &trial.A));
    gh_measure(at, p, w.price);
    at->outcome = PARE_OPTIMAL;
    if (gh_relative_gap(at) <= tol_rel) goto done;
    start(&w, at, fmax(off, gh_relative_gap(at)) * at->primal / n_pairs(&w));
    TRY(interior_run(&w, n_pairs(&w), &method, &at->steps, &at->outcome, ctx, err));
    if (at->outcome == PARE_OPTIMAL) goto done;
    offer(&w, 0, 1);
    ctx_stops(ctx, "solving", -1, &at->outcome);

done:
    arena_free(&w.mem);
    return status;
}

pare_status gh_interior_solve(gh_point *at, const gh_problem *p, double tol_rel,
                              const pare_ctx *ctx, pare_error *err) {
    return solve_from(at, p, tol_rel, 0, ctx, err);
}

pare_status gh_interior_rescue(gh_point *at, const gh_problem *p, double tol_rel,
                               const pare_ctx *ctx, pare_error *err) {
    return solve_from(at, p, tol_rel, 1, ctx, err);
}
