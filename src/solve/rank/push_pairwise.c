/* The infinite push by Algorithm 1 of the paper, on all m n pairs: the reference that the reduced
 * solvers are tested and timed against. Penalties l1, l2 and l1l2; equal costs.
 *
 * SYMBOLS    X: one row x_i - x_j per pair, never stored: products go through the m + n scores.
 *            a, gamma: one number per pair, those of one negative together (its group G_j).
 * ALGORITHM  line 6   w = argmin 1/2 |X w - s|^2 + (lambda/mu) Omega(w): coordinate descent on X'X
 *            line 10  a- = max(a+ - s, 0)
 *            line 12  Douglas-Rachford for a+, with the projection onto the l1-infinity ball
 *            line 19  gamma += X w + a - 1
 * DEVIATIONS line 6 lacks 1/mu and line 14 the ball's radius gamma/(m mu); G_i means G_j; Omega
 *            does not contain lambda. mu follows the balance of the residuals, a rule the paper
 *            leaves open. Stops at the duality gap: -mu gamma, summed over negatives and over
 *            positives, is (alpha, beta). */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/rank/push.h"
#include "solve/rank/push_prox.h"

enum {
    MAX_ITERATIONS = 20000,
    ADAPT_UNTIL = 300,
    CHECK_EVERY = 10,
    BCD_ROUNDS = 20,
    DR_STEPS = 200,
    SWEEPS = 100
};
static const double INNER_TOL = 1e-8;         /* relative change that ends an inner loop */
static const double DR_GAMMA = 1, DR_ETA = 1; /* Proposition 3 */
static const double IMBALANCE = 10, MU_FACTOR = 2;

typedef struct pairwise {
    const push_problem *p;
    int64_t m, n, d, N;
    double *x;                                    /* (m + n) x d */
    double *G, *w, *b;                            /* d x d, d, d */
    double *a, *gamma, *s, *plus, *minus, *v, *u; /* m n */
    double *ball;                                 /* 2 m n */
    double *f, *sums, *dual, *signed_dual, *g, *old;
    double mu;
} pairwise;

static pare_status prepare(pairwise *q, arena *mem, const pare_ctx *ctx, pare_error *err) {
    const push_problem *p = q->p;
    int64_t m = q->m, n = q->n, d = q->d, N = q->N, pairs = m * n;
    double **big[] = {&q->a, &q->gamma, &q->s, &q->plus, &q->minus, &q->v, &q->u, &q->old};
    double **rows[] = {&q->f, &q->sums, &q->dual, &q->signed_dual};
    PASS(ctx_check_memory(ctx, 80 * (double)m * (double)n, "the pairs of a positive and a negative",
                          err));
    for (size_t k = 0; k < sizeof big / sizeof big[0]; k++)
        PASS_MEM(*big[k] = ARENA_ZERO(mem, double, pairs));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        PASS_MEM(*rows[k] = ARENA_ZERO(mem, double, N));
    PASS_MEM(q->ball = ARENA_NEW(mem, double, 2 * pairs));
    PASS_MEM(q->x = ARENA_NEW(mem, double, N *d));
    PASS_MEM(q->G = ARENA_ZERO(mem, double, d *d));
    PASS_MEM(ARENA_ZEROS(mem, double, d, &q->w, &q->b, &q->g));
    PASS(mat_columns(p->x, NULL, d, q->x, ctx, err));
    /* X'X = n sum_i x_i x_i' + m sum_j x_j x_j' - s+ s-' - s- s+' */
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)d, (int)m, (double)n, q->x, (int)N, 0,
                q->G, (int)d);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)d, (int)n, (double)m, q->x + m, (int)N,
                1, q->G, (int)d);
    for (int64_t j = 0; j < d; j++) {
        q->b[j] = q->g[j] = 0;
        for (int64_t i = 0; i < N; i++) *(i < m ? &q->b[j] : &q->g[j]) += q->x[j * N + i];
    }
    cblas_dsyr2(CblasColMajor, CblasLower, (int)d, -1, q->b, 1, q->g, 1, q->G, (int)d);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < j; k++) q->G[j * d + k] = q->G[k * d + j];
    return PARE_OK;
}

/* sums: over negatives for each positive, then over positives for each negative. */
static void sum_pairs(const pairwise *q, const double *v, double *sums) {
    for (int64_t i = 0; i < q->N; i++) sums[i] = 0;
    for (int64_t j = 0; j < q->n; j++)
        for (int64_t i = 0; i < q->m; i++) {
            sums[i] += v[j * q->m + i];
            sums[q->m + j] += v[j * q->m + i];
        }
}

/* out = X'v over the pairs, given their sums. */
static void gather(const pairwise *q, const double *sums, double *signed_sums, double *out) {
    for (int64_t i = 0; i < q->N; i++) signed_sums[i] = i < q->m ? sums[i] : -sums[i];
    cblas_dgemv(CblasColMajor, CblasTrans, (int)q->N, (int)q->d, 1, q->x, (int)q->N, signed_sums, 1,
                0, out, 1);
}

static void solve_w(pairwise *q) { /* line 6 */
    const push_problem *p = q->p;
    double one = p->penalty == PUSH_L1 ? 1 : p->penalty == PUSH_L1L2 ? p->mix : 0;
    double two = p->penalty == PUSH_L2 ? 1 : p->penalty == PUSH_L1L2 ? 1 - p->mix : 0;
    one *= p->lambda / q->mu;
    two *= p->lambda / q->mu;
    for (int64_t k = 0; k < q->m * q->n; k++) q->s[k] = 1 - q->a[k] - q->gamma[k];
    sum_pairs(q, q->s, q->sums);
    gather(q, q->sums, q->signed_dual, q->b);
    cblas_dsymv(CblasColMajor, CblasLower, (int)q->d, -1, q->G, (int)q->d, q->w, 1, 1, q->b, 1);
    for (int sweep = 0; sweep < SWEEPS; sweep++) { /* b = X'(s - X w) is kept up to date */
        double moved = 0, size = 0;
        for (int64_t j = 0; j < q->d; j++) {
            double diagonal = q->G[j * q->d + j];
            if (!(diagonal > 0)) continue;
            double to = q->b[j] + diagonal * q->w[j];
            to = copysign(fmax(fabs(to) - one, 0), to) / (diagonal + two);
            double step = to - q->w[j];
            if (step != 0) cblas_daxpy((int)q->d, -step, q->G + j * q->d, 1, q->b, 1);
            q->w[j] = to;
            moved = fmax(moved, fabs(step));
            size = fmax(size, fabs(to));
        }
        if (moved <= INNER_TOL * size) break;
    }
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)q->N, (int)q->d, 1, q->x, (int)q->N, q->w, 1, 0,
                q->f, 1);
}

/* Lines 12 to 15: a+ = argmin 1/2 |a+ - b|^2 + max_j sum_i |a+| / (m mu), a+ >= 0;
 * b in minus + s. */
static void solve_plus(pairwise *q) {
    int64_t pairs = q->m * q->n;
    double radius = DR_GAMMA / ((double)q->m * q->mu);
    for (int step = 0; step < DR_STEPS; step++) {
        double moved = 0, size = 0;
        for (int64_t k = 0; k < pairs; k++) {
            double b = q->minus[k] + q->s[k];
            q->u[k] = fmax(q->v[k] + DR_GAMMA * b, 0) / (1 + DR_GAMMA);
            q->plus[k] = 2 * q->u[k] - q->v[k];
        }
        memcpy(q->old, q->plus, sizeof(double) * (size_t)pairs);
        l1inf_project(q->n, q->m, q->old, radius, q->ball);
        for (int64_t k = 0; k < pairs; k++) {
            double change = DR_ETA * (q->plus[k] - q->old[k] - q->u[k]);
            q->v[k] += change;
            moved += change * change;
            size += q->u[k] * q->u[k];
        }
        if (moved <= INNER_TOL * INNER_TOL * size) break;
    }
    memcpy(q->plus, q->u, sizeof(double) * (size_t)pairs);
}

static void solve_a(pairwise *q) { /* lines 7 to 18 */
    int64_t pairs = q->m * q->n;
    for (int64_t j = 0; j < q->n; j++)
        for (int64_t i = 0; i < q->m; i++) {
            int64_t k = j * q->m + i;
            q->s[k] = 1 - q->gamma[k] - (q->f[i] - q->f[q->m + j]);
            q->plus[k] = q->v[k] = 0;
        }
    for (int round = 0; round < BCD_ROUNDS; round++) {
        double moved = 0, size = 0;
        for (int64_t k = 0; k < pairs; k++) {
            double to = fmax(q->plus[k] - q->s[k], 0), step = to - q->minus[k];
            q->minus[k] = to;
            moved += step * step;
            size += to * to;
        }
        if (round > 0 && moved <= INNER_TOL * INNER_TOL * size) break;
        solve_plus(q);
    }
}

/* Lines 18 and 19; mu follows the residuals at first, then it is fixed: the method converges for
 * every fixed mu. */
static void solve_gamma(pairwise *q, bool adapt) {
    int64_t pairs = q->m * q->n;
    double primal = 0, dual = 0;
    for (int64_t j = 0; j < q->n; j++)
        for (int64_t i = 0; i < q->m; i++) {
            int64_t k = j * q->m + i;
            double a = q->plus[k] - q->minus[k], off = q->f[i] - q->f[q->m + j] + a - 1;
            dual += (a - q->a[k]) * (a - q->a[k]);
            primal += off * off;
            q->a[k] = a;
            q->gamma[k] += off;
        }
    double factor = !adapt                                  ? 1
                    : primal > IMBALANCE * IMBALANCE * dual ? MU_FACTOR
                    : dual > IMBALANCE * IMBALANCE * primal ? 1 / MU_FACTOR
                                                            : 1;
    q->mu *= factor;
    for (int64_t k = 0; factor != 1 && k < pairs; k++) q->gamma[k] /= factor;
}

static void judge(pairwise *q, push_solution *out) {
    double sum[2] = {0, 0};
    for (int64_t k = 0; k < q->m * q->n; k++) q->u[k] = fmax(-q->mu * q->gamma[k], 0);
    sum_pairs(q, q->u, q->dual);
    for (int64_t i = 0; i < q->N; i++) {
        if (i < q->m) q->dual[i] = fmin(q->dual[i], q->p->cost[i]);
        sum[i >= q->m] += q->dual[i];
    }
    double lighter = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < q->N; i++)
        if (sum[i >= q->m] > 0) q->dual[i] *= lighter / sum[i >= q->m];
    gather(q, q->dual, q->signed_dual, q->g);
    push_improve(out, q->p, q->w, q->f, q->dual, q->g, NULL);
}

pare_status push_pairwise(push_solution *out, const push_problem *p, const pare_ctx *ctx,
                          pare_error *err) {
    pairwise q = {.p = p, .m = p->m, .n = p->n, .d = p->x->d, .N = p->m + p->n};
    arena mem = arena_of(ctx);
    out->objective = INFINITY;
    out->bound = -INFINITY;
    out->outcome = PARE_MAX_ITER;
    pare_status status = PARE_OK;
    TRY(prepare(&q, &mem, ctx, err));
    q.mu = 1 / sqrt((double)(q.m * q.n)) / (double)q.m;
    for (out->iterations = 1; out->iterations <= MAX_ITERATIONS; out->iterations++) {
        solve_w(&q);
        solve_a(&q);
        solve_gamma(&q, out->iterations < ADAPT_UNTIL && out->iterations % CHECK_EVERY == 0);
        bool stops = ctx_stops(ctx, "pairwise alternating directions", -1, &out->outcome);
        if (out->iterations % CHECK_EVERY != 0 && !stops) continue;
        judge(&q, out);
        if (push_gap(out) <= p->tol_rel) {
            out->outcome = PARE_OPTIMAL;
            break;
        }
        if (stops) break;
    }
done:
    arena_free(&mem);
    return status;
}
