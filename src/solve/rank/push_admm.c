/* The infinite push by the reduced alternating direction method of multipliers: m + n split scores
 * instead of the paper's m n.
 *
 * SPLIT      loss(a) + lambda Omega(z)  with  a = X w - 1 t,  z = w. The loss only sees differences
 *            of scores, so the common shift t is free and the features need no centring.
 * ALGORITHM  1. (w, t) by least squares: |X w - 1 t - (a - y)|^2 + theta^2 |w - (z - s)|^2, one
 *               factor for all iterations (push_system);
 *            2. a = prox of the loss, z = prox of the penalty, over-relaxed;
 *            3. y += X w - 1 t - a,  s += w - z.  The multipliers mu y of the scores are a feasible
 *               (alpha, -beta) by construction of the prox: the gap needs one more pass.
 *            4. mu follows the balance of the two residuals.
 * COST       four products with X an iteration, and one factor of size min(N, d). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/rank/push.h"
#include "solve/rank/push_prox.h"
#include "solve/rank/push_system.h"

enum { MAX_ITERATIONS = 100000, CHECK_EVERY = 10, BALANCE_EVERY = 50 };
static const double RELAXATION = 1.7;
static const double IMBALANCE = 3; /* of the residuals: mu is then moved */

typedef struct admm {
    const push_problem *p;
    push_system sys;
    view negatives;              /* collapsed: the samples among the rows */
    int64_t N, m, n, d;          /* rows of the split; m = 1 if collapsed */
    const double *cost;          /* m */
    double *a, *y, *h, *c, *old; /* N */
    double *w, *z, *s, *old_z;   /* d */
    double *rhs, *g, *scale, *ones, *mean, *scratch;
    double *dual, *u, *f; /* over the problem's samples */
    double mu, theta2;
} admm;

/* Where the split keeps the positives and the negatives: collapsed, the mean is the last row. */
static double *positives(const admm *q, double *v) { return q->p->collapsed ? v + q->n : v; }
static double *negatives(const admm *q, double *v) { return q->p->collapsed ? v : v + q->m; }

static pare_status prepare(admm *q, arena *mem, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = q->p;
    static const double one = 1;
    pare_status status = PARE_OK;
    push_rows rows = {.x = p->x, .d = p->x->d};
    q->d = p->x->d;
    q->n = p->n;
    q->m = p->collapsed ? 1 : p->m;
    q->N = q->m + q->n;
    q->cost = p->collapsed ? &one : p->cost;
    double **tall[] = {&q->a, &q->y, &q->h, &q->c, &q->old, &q->ones};
    double **wide[] = {&q->w, &q->z, &q->s, &q->old_z, &q->rhs, &q->g, &q->scale, &q->mean};
    double **samples[] = {&q->dual, &q->u, &q->f};
    for (size_t k = 0; k < sizeof tall / sizeof tall[0]; k++)
        TRY_MEM(*tall[k] = ARENA_ZERO(mem, double, q->N));
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        TRY_MEM(*wide[k] = ARENA_ZERO(mem, double, q->d));
    for (size_t k = 0; k < sizeof samples / sizeof samples[0]; k++)
        TRY_MEM(*samples[k] = ARENA_ZERO(mem, double, p->m + p->n));
    TRY_MEM(q->scratch = ARENA_NEW(mem, double, p->n_groups));
    if (p->collapsed) {
        memcpy(q->u, p->cost, sizeof(double) * (size_t)p->m);
        TRY(mat_tmul(p->x, q->u, 1, q->mean, ctx, err));
        int32_t *row = ARENA_NEW(mem, int32_t, p->n);
        TRY_MEM(row);
        for (int64_t j = 0; j < p->n; j++)
            row[j] = p->x->rows ? p->x->rows[p->m + j] : (int32_t)(p->m + j);
        q->negatives = *p->x;
        q->negatives.rows = row;
        q->negatives.n = p->n;
        rows = (push_rows){.x = &q->negatives, .d = q->d, .extra = q->mean, .n_extra = 1};
    }
    TRY(push_system_init(&q->sys, mem, &rows, NULL, true, ctx, err));
    for (int64_t i = 0; i < p->m + p->n; i++) q->u[i] = 1;
    TRY(mat_tmul2(p->x, q->u, 1, q->g, ctx, err));
    double square = 0;
    for (int64_t j = 0; j < q->d; j++) square += q->g[j];
    square *= (double)q->N / (double)(p->m + p->n);
    q->theta2 = square > 0 ? square / (double)(q->N < q->d ? q->N : q->d) : 1;
    for (int64_t i = 0; i < q->N; i++) q->ones[i] = 1;
    for (int64_t j = 0; j < q->d; j++) q->scale[j] = 1 / q->theta2;
    bool definite;
    TRY(push_system_factor(&q->sys, q->ones, q->scale, &definite, ctx, err));
    if (!definite)
        status = error_set(err, PARE_E_DATA, "the features are too large to be multiplied");
done:
    return status;
}

/* Steps 1 to 3; the squares of the primal and the dual residual. */
static pare_status iterate(admm *q, double *primal, double *dual, const pare_ctx *ctx,
                           pare_error *err) {
    double t, b = 0;
    for (int64_t i = 0; i < q->N; i++) {
        q->c[i] = q->a[i] - q->y[i];
        b -= q->c[i];
    }
    PASS(push_tmul(&q->sys, q->c, q->rhs, ctx, err));
    for (int64_t j = 0; j < q->d; j++) q->rhs[j] += q->theta2 * (q->z[j] - q->s[j]);
    PASS(push_system_solve(&q->sys, q->rhs, b, q->w, &t, q->h, q->c, ctx, err)); /* 1 */
    memcpy(q->old, q->a, sizeof(double) * (size_t)q->N);
    memcpy(q->old_z, q->z, sizeof(double) * (size_t)q->d);
    *primal = *dual = 0;
    for (int64_t i = 0; i < q->N; i++) { /* 2 */
        q->h[i] = RELAXATION * q->h[i] + (1 - RELAXATION) * q->old[i];
        q->a[i] = q->h[i] + q->y[i];
    }
    push_prox(q->m, positives(q, q->a), q->cost, q->n, negatives(q, q->a), q->mu);
    for (int64_t j = 0; j < q->d; j++) {
        q->w[j] = RELAXATION * q->w[j] + (1 - RELAXATION) * q->old_z[j];
        q->z[j] = q->w[j] + q->s[j];
    }
    push_penalty_prox(q->p, q->p->lambda / (q->mu * q->theta2), q->z, q->scratch);
    for (int64_t i = 0; i < q->N; i++) { /* 3 */
        double off = q->h[i] - q->a[i], moved = q->a[i] - q->old[i];
        q->y[i] += off;
        *primal += off * off;
        *dual += moved * moved;
    }
    for (int64_t j = 0; j < q->d; j++) {
        double off = q->w[j] - q->z[j], moved = q->z[j] - q->old_z[j];
        q->s[j] += off;
        *primal += q->theta2 * off * off;
        *dual += q->theta2 * moved * moved;
    }
    return PARE_OK;
}

/* The sparse side z and the multipliers, as a pair for out. */
static pare_status judge(admm *q, push_solution *out, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = q->p;
    const double *plus = positives(q, q->y), *minus = negatives(q, q->y);
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < p->m; i++) {
        q->dual[i] = p->collapsed ? -q->mu * plus[0] * p->cost[i] : -q->mu * plus[i];
        q->dual[i] = fmin(fmax(q->dual[i], 0), p->cost[i]);
        sum[0] += q->dual[i];
    }
    for (int64_t j = 0; j < p->n; j++) sum[1] += q->dual[p->m + j] = fmax(q->mu * minus[j], 0);
    double lighter = fmin(sum[0], sum[1]); /* equal but for rounding */
    for (int64_t i = 0; i < p->m + p->n; i++)
        if (sum[i >= p->m] > 0) q->dual[i] *= lighter / sum[i >= p->m];
    PASS(push_gather(p, q->dual, q->u, q->g, ctx, err));
    PASS(mat_mul(p->x, NULL, q->d, q->z, 1, q->f, ctx, err));
    push_improve(out, p, q->z, q->f, q->dual, q->g, q->scratch);
    return PARE_OK;
}

static void change_mu(admm *q, double factor) { /* y and s are multipliers over mu */
    q->mu *= factor;
    for (int64_t i = 0; i < q->N; i++) q->y[i] /= factor;
    for (int64_t j = 0; j < q->d; j++) q->s[j] /= factor;
}

pare_status push_admm(push_solution *out, const push_problem *p, const pare_ctx *ctx,
                      pare_error *err) {
    arena mem = arena_of(ctx);
    admm q = {.p = p};
    out->objective = INFINITY;
    out->bound = -INFINITY;
    out->outcome = PARE_MAX_ITER;
    out->iterations = 0;
    pare_status status = PARE_OK;
    TRY(prepare(&q, &mem, ctx, err));
    q.mu = 1.0 / (double)q.N;
    double primal = 0, dual = 0, sums[2] = {0, 0};
    for (out->iterations = 1; out->iterations <= MAX_ITERATIONS; out->iterations++) {
        TRY(iterate(&q, &primal, &dual, ctx, err));
        sums[0] += primal;
        sums[1] += dual;
        if (out->iterations % CHECK_EVERY == 0) {
            TRY(judge(&q, out, ctx, err));
            if (push_gap(out) <= p->tol_rel) {
                out->outcome = PARE_OPTIMAL;
                break;
            }
            if (ctx_stops(ctx, "alternating directions", -1, &out->outcome)) break;
        }
        if (out->iterations % BALANCE_EVERY == 0) { /* 4 */
            double ratio = sqrt(sums[0] / sums[1]);
            if (ratio > IMBALANCE || ratio < 1 / IMBALANCE)
                change_mu(&q, fmin(fmax(ratio, 0.1), 10));
            sums[0] = sums[1] = 0;
        }
    }
done:
    arena_free(&mem);
    return status;
}
