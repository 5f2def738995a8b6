/* The pairwise hinge on a few columns by a primal-dual interior point method (Mehrotra's predictor
 * and corrector) over all pairs.
 *
 * PROBLEM   minimise over w, xi, s   sum_ij c_ij xi_ij + l2/2 |w|^2 + l1 sum_k s_k,
 *           c_ij = c_i c_j,  r_ij = xi_ij - h_ij >= 0,  h_ij = 1 - f_i + f_j,  f = X w,  xi >= 0,
 *           |w_k| <= s_k in unit k
 * PAIRS     gamma r = tau,  (c - gamma) xi = tau,  (s, w).(l1, -y) = tau  on the central path,
 *           where y + l2 w = X'(a, -b),  a_i = sum_j gamma_ij,  b_j = sum_i gamma_ij. For every w
 *           and tau the other variables have a closed form: any w is a start.
 * NEWTON    dgamma_ij = rho_ij - theta_ij (df_i - df_j),  theta = 1 / (r/gamma + xi/(c - gamma)):
 *           the system of rank_system.h with the Laplacian of theta as D.
 * COST      about 20 steps; each O(m n) and what rank_system takes, and O(m n) for each column. */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/interior/mehrotra.h"
#include "solve/interior/steps.h"
#include "solve/rank/rank_master.h"
#include "solve/rank/rank_system.h"

enum { MAX_STALLED = 40 };

typedef struct pair_loss {
    int64_t m, n;
    double *theta; /* m x n, the pairs of a positive contiguous */
    double *mass;  /* m + n: its sums */
} pair_loss;

typedef struct interior {
    rank_master *m;
    const push_problem *p;
    cones units;
    rank_system sys;
    pair_loss loss;
    int64_t N, d, n_pairs;
    double *gamma, *rest, *r, *xi;           /* pairs; rest: c - gamma */
    double *dgamma, *dr, *dxi;               /* pairs */
    double *w, *y, *g, *a, *dw, *z, *best_w; /* d */
    double *f, *df, *slope, *u, *best_slope; /* N */
    double *scratch;                         /* units */
    double primal, dual;
    progress so_far;
} interior;

static void curve(void *loss, const double *v, double *out) {
    const pair_loss *q = loss;
    int m = (int)q->m, n = (int)q->n;
    for (int64_t i = 0; i < m + n; i++) out[i] = q->mass[i] * v[i];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, -1, q->theta, n, v + m, 1, 1, out, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, m, n, -1, q->theta, n, v, 1, 1, out + m, 1);
}

static pare_status allocate(interior *q, arena *mem, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = q->p;
    q->N = p->m + p->n;
    q->d = p->x->d;
    q->n_pairs = p->m * p->n;
    q->loss = (pair_loss){.m = p->m, .n = p->n};
    double **wide[] = {&q->y, &q->g, &q->a, &q->dw, &q->z, &q->best_w};
    double **tall[] = {&q->f, &q->df, &q->slope, &q->u, &q->best_slope, &q->loss.mass};
    double **many[] = {&q->gamma,  &q->rest, &q->r,   &q->xi,
                       &q->dgamma, &q->dr,   &q->dxi, &q->loss.theta};
    _Static_assert(sizeof many / sizeof many[0] == RANK_PAIR_NUMBERS, "what the header says");
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        PASS_MEM(*wide[k] = ARENA_ZERO(mem, double, q->d));
    for (size_t k = 0; k < sizeof tall / sizeof tall[0]; k++)
        PASS_MEM(*tall[k] = ARENA_ZERO(mem, double, q->N));
    for (size_t k = 0; k < sizeof many / sizeof many[0]; k++)
        PASS_MEM(*many[k] = ARENA_ZERO(mem, double, q->n_pairs));
    PASS_MEM(q->scratch = ARENA_ZERO(mem, double, q->m->n_units));
    q->units = (cones){.s1 = q->w, .z1 = q->y, .ds1 = q->dw};
    if (q->m->l1 > 0) PASS(cones_open(&q->units, mem, q->m->n_units, q->m->unit_start, err));
    for (int64_t k = 0; k < q->units.count; k++) q->units.z0[k] = q->m->l1;
    bool groups = p->penalty == PUSH_GROUP;
    return rank_system_init(&q->sys, mem, p->x, curve, &q->loss, groups ? &q->units : NULL,
                            q->m->l1 == 0, ctx, err);
}

/* The pairs' points of the central path at q->f: gamma = c p with q p (1 - p) = 2 p - 1,
 * q = h c / tau. */
static void start(interior *q, double tau) {
    const push_problem *p = q->p;
    rank_cones_centre(&q->units, tau);
    for (int64_t i = 0, at = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++, at++) {
            double c = p->cost[i] * p->cost[p->m + j], h = 1 - q->f[i] + q->f[p->m + j];
            double e = h * c / tau, root = sqrt(e * e + 4);
            double up = e > 0 ? 4 / (root + e) : root - e; /* root - e */
            double down = e > 0 ? root + e : 4 / (root - e);
            q->gamma[at] = 2 * c / (2 + up);
            q->rest[at] = 2 * c / (2 + down);
            q->xi[at] = tau / c * (2 + down) / 2;
            q->r[at] = tau / c * (2 + up) / 2;
        }
}

static void sum_pairs(const interior *q, const double *pairs, double *out) {
    int64_t m = q->p->m, n = q->p->n;
    memset(out, 0, sizeof(double) * (size_t)(m + n));
    for (int64_t i = 0, at = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++, at++) {
            out[i] += pairs[at];
            out[m + j] += pairs[at];
        }
}

/* Both sides of the gap on these columns. */
static pare_status judge(void *self, double gap, interior_verdict *verdict, const pare_ctx *ctx,
                         pare_error *err) {
    interior *q = self;
    const push_problem *p = q->p;
    double loss = 0, total = 0;
    sum_pairs(q, q->gamma, q->slope);
    PASS(push_gather(p, q->slope, q->u, q->g, ctx, err));
    for (int64_t i = 0; i < p->m; i++) {
        total += q->slope[i];
        for (int64_t j = 0; j < p->n; j++)
            loss += p->cost[i] * p->cost[p->m + j] * fmax(0, 1 - q->f[i] + q->f[p->m + j]);
    }
    q->primal = loss + p->lambda * push_penalty_value(p, q->w, q->scratch);
    push_best_scaling(p, total, 0, q->g, q->scratch, &q->dual);
    gap = q->primal - q->dual;
    if (gap != 0) gap /= fmax(fabs(q->primal), fabs(q->dual));
    if (progress_note(&q->so_far, gap)) {
        memcpy(q->best_w, q->w, sizeof(double) * (size_t)q->d);
        memcpy(q->best_slope, q->slope, sizeof(double) * (size_t)q->N);
    }
    bool stalls = q->so_far.waited > MAX_STALLED;
    *verdict = gap <= p->tol_rel ? INTERIOR_SOLVED : stalls ? INTERIOR_STUCK : INTERIOR_GO_ON;
    return PARE_OK;
}

static pare_status factor(void *self, bool *fine, const pare_ctx *ctx, pare_error *err) {
    interior *q = self;
    for (int64_t at = 0; at < q->n_pairs; at++)
        q->loss.theta[at] = 1 / (q->r[at] / q->gamma[at] + q->xi[at] / q->rest[at]);
    sum_pairs(q, q->loss.theta, q->loss.mass);
    *fine = rank_cones_weights(&q->sys, &q->units, q->m->l2, q->z);
    return *fine ? rank_system_factor(&q->sys, q->z, fine, ctx, err) : PARE_OK;
}

static pare_status direction(void *self, double tau, bool correct, bool *fine, const pare_ctx *ctx,
                             pare_error *err) {
    interior *q = self;
    *fine = true;
    const push_problem *p = q->p;
    for (int64_t at = 0; at < q->n_pairs; at++) {
        double low = tau - q->gamma[at] * q->r[at], high = tau - q->rest[at] * q->xi[at];
        if (correct) {
            low -= q->dgamma[at] * q->dr[at];
            high += q->dgamma[at] * q->dxi[at];
        }
        q->dxi[at] = high / q->rest[at]; /* less what dgamma adds, below */
        q->dgamma[at] = q->loss.theta[at] * (low / q->gamma[at] - q->dxi[at]);
    }
    sum_pairs(q, q->dgamma, q->slope);
    PASS(push_gather(p, q->slope, q->u, q->a, ctx, err));
    for (int64_t k = 0; k < q->units.count; k++) cone_aim(&q->units, k, tau, correct);
    for (int64_t j = 0; j < q->d; j++) {
        q->a[j] += q->g[j] - q->m->l2 * q->w[j];
        if (q->units.count) q->a[j] += q->units.g[j] - q->y[j];
    }
    PASS(rank_system_solve(&q->sys, q->a, q->dw, ctx, err));
    for (int64_t k = 0; k < q->units.count; k++) cone_follow(&q->units, k);
    PASS(mat_mul(p->x, NULL, q->d, q->dw, 1, q->df, ctx, err));
    for (int64_t i = 0, at = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++, at++) {
            double apart = q->df[i] - q->df[p->m + j];
            q->dgamma[at] -= q->loss.theta[at] * apart;
            q->dxi[at] += q->xi[at] / q->rest[at] * q->dgamma[at];
            q->dr[at] = q->dxi[at] + apart;
        }
    return PARE_OK;
}

static void reach(const void *self, double *primal, double *dual) {
    const interior *q = self;
    for (int64_t at = 0; at < q->n_pairs; at++) {
        *primal = step_within(step_within(*primal, q->r[at], q->dr[at]), q->xi[at], q->dxi[at]);
        *dual = step_within(*dual, q->gamma[at], q->dgamma[at]);
        *dual = step_within(*dual, q->rest[at], -q->dgamma[at]);
    }
    for (int64_t k = 0; k < q->units.count; k++) cone_longest(&q->units, k, primal, dual);
    if (q->m->l2 > 0) *primal = *dual = fmin(*primal, *dual); /* w is on both sides */
}

static double products(const void *self, double primal, double dual) {
    const interior *q = self;
    double sum = 0;
    for (int64_t at = 0; at < q->n_pairs; at++) {
        sum += (q->gamma[at] + dual * q->dgamma[at]) * (q->r[at] + primal * q->dr[at]) +
               (q->rest[at] - dual * q->dgamma[at]) * (q->xi[at] + primal * q->dxi[at]);
    }
    for (int64_t k = 0; k < q->units.count; k++) sum += cone_product(&q->units, k, primal, dual);
    return sum;
}

static void move(void *self, double primal, double dual) {
    interior *q = self;
    for (int64_t at = 0; at < q->n_pairs; at++) {
        q->gamma[at] += dual * q->dgamma[at];
        q->rest[at] -= dual * q->dgamma[at];
        q->r[at] += primal * q->dr[at];
        q->xi[at] += primal * q->dxi[at];
    }
    for (int64_t j = 0; q->units.count == 0 && j < q->d; j++) q->w[j] += primal * q->dw[j];
    for (int64_t k = 0; k < q->units.count; k++) cone_move(&q->units, k, primal, dual);
    for (int64_t i = 0; i < q->N; i++) q->f[i] += primal * q->df[i];
}

static const interior_method method = {"interior point method",
                                       judge,
                                       factor,
                                       direction,
                                       products,
                                       reach,
                                       move,
                                       .max_steps = 100,
                                       .share = 0.995,
                                       .least_step = 1e-10,
                                       .cautious = 0.9,
                                       .worse = 0.95,
                                       .centring = 0.3};

pare_status rank_interior_solve(rank_master *m, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    interior q = {.m = m, .p = m->p, .w = m->w, .so_far = progress_start()};
    pare_status status = PARE_OK;
    TRY(allocate(&q, &mem, ctx, err));
    memcpy(q.w, m->start_w, sizeof(double) * (size_t)q.d);
    TRY(mat_mul(m->p->x, NULL, q.d, q.w, 1, q.f, ctx, err));
    start(&q, m->mu);
    double count = (double)(2 * q.n_pairs + q.units.count);
    TRY(interior_run(&q, count, &method, &m->steps, &m->outcome, ctx, err));
    if (q.so_far.best < INFINITY) {
        memcpy(q.w, q.best_w, sizeof(double) * (size_t)q.d);
        memcpy(m->slope, q.best_slope, sizeof(double) * (size_t)q.N);
    }
    m->mu = products(&q, 0, 0) / count;
done:
    arena_free(&mem);
    return status;
}
