/* The Weston-Watkins dual by a primal-dual interior-point method (Mehrotra's predictor and
 * corrector).
 *
 * PROBLEM    ww_dual.h. The N variables alpha_im, m != y_i, with C_im > 0 are packed;
 *            with a = (i, m), b = (j, l):
 *            Q_ab = K_ij ([y_i = y_j] - [y_i = l] - [m = y_j] + [m = l]) + [a = b] r_im.
 *            minimise 1/2 alpha'Q alpha - 1'alpha, 0 <= alpha <= u, E alpha = 0 (rows 1..c-1 of
 *            sum_i B_ik; the last follows).
 * SYMBOLS    s, v: multipliers of alpha >= 0 and alpha <= u; mu: of E alpha = 0, which are the b_k.
 * ALGORITHM  Newton steps on   Q alpha - 1 + E'mu - s + v = 0,  E alpha = 0,  alpha s = tau,
 *            (u - alpha) v = tau, with Q + s/alpha + v/(u - alpha) as the M of ww_system.h. K is
 *            divided by a unit first, so that all is of size 1. Where rounding ends the progress
 *            the point of least gap stands.
 * GUARANTEE  The gap is that of the returned alpha and (w, b), evaluated at every iteration. */
#include "solve/svm/ww_dual.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/interior/mehrotra.h"
#include "solve/interior/steps.h"
#include "solve/svm/ww_system.h"

static const double PROOF_TOL = 1e-6;    /* of inseparability, see ww_dual.h */
static const double BALANCE_TOL = 1e-11; /* of sum alpha */
static const double MIN_BARRIER = 1e-13; /* relative to the diagonal of Q */

typedef struct ww_state {
    const ww_problem *p;
    int64_t N, e;   /* variables, equality rows */
    int32_t *i, *m; /* of each variable */
    double unit;    /* mean K_ii + r_im; at least 1/C where all costs are finite */
    double *alpha, *s, *v, *u, *ridge;
    double *mu;   /* c, the last is 0 */
    double *grad; /* Q alpha */
    ww_system M;
    double *rhs, *dalpha, *ds, *dv; /* N */
    double *dmu, *rp;               /* e */
    double *B, *KB;                 /* n x c */
    double *best;                   /* N + c: alpha and mu of the least gap so far */
    double best_gap;
    bool hard;
    ww_solution *out;
    double scale; /* of hard margins */
} ww_state;

static bool is_variable(const ww_problem *p, int64_t i, int64_t m) {
    return m != p->cls[i] && p->C[m * p->n + i] > 0;
}

static int64_t count_variables(const ww_problem *p) {
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t m = 0; m < p->c; m++) count += is_variable(p, i, m);
    return count;
}

static double unit_of(const ww_problem *p, int64_t N) {
    double unit = 0, largest_cost = 0;
    for (int64_t i = 0; i < p->n; i++) {
        unit += p->K[i * p->n + i] / (double)p->n;
        for (int64_t m = 0; m < p->c; m++) {
            if (!is_variable(p, i, m)) continue;
            double ridge = p->ridge[m * p->n + i];
            unit += ridge / (double)N;
            largest_cost = fmax(largest_cost, ridge > 0 ? INFINITY : p->C[m * p->n + i]);
        }
    }
    if (largest_cost > 0) unit = fmax(unit, 1 / largest_cost);
    return unit > 0 ? unit : 1;
}

static pare_status prepare(ww_state *w, arena *a, const ww_problem *p, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t n = p->n, c = p->c, N = count_variables(p);
    *w = (ww_state){.p = p, .N = N, .e = p->intercept ? c - 1 : 0, .hard = true};
    w->unit = unit_of(p, N);
    w->best_gap = INFINITY;
    PASS(
        ctx_check_memory(ctx, ww_system_bytes(n, c, N), "the matrices of the multiclass SVM", err));
    PASS_MEM(ARENA_NEWS(a, int32_t, N, &w->i, &w->m));
    double *vectors = ARENA_ZERO(a, double, 10 * N), *small = ARENA_ZERO(a, double, 3 * c);
    PASS_MEM(vectors && small);
    double **parts[] = {&w->alpha, &w->s,   &w->v,      &w->u,  &w->ridge,
                        &w->grad,  &w->rhs, &w->dalpha, &w->ds, &w->dv};
    for (int k = 0; k < 10; k++) *parts[k] = vectors + k * N;
    w->mu = small;
    w->dmu = small + c;
    w->rp = small + 2 * c;
    PASS_MEM(ARENA_NEWS(a, double, n *c, &w->B, &w->KB));
    PASS_MEM(w->best = ARENA_NEW(a, double, N + c));
    w->M =
        (ww_system){.n = n, .c = c, .N = N, .e = w->e, .K = p->K, .unit = w->unit, .cls = p->cls};
    w->M.i = w->i;
    w->M.m = w->m;
    PASS_MEM(ww_system_prepare(&w->M, a));
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int32_t m = 0; m < c; m++) {
            double C = p->C[m * n + i], ridge = p->ridge[m * n + i];
            if (!is_variable(p, i, m)) continue;
            if (ridge > 0 || isfinite(C)) w->hard = false;
            w->i[at] = (int32_t)i;
            w->m[at] = m;
            w->u[at] = ridge > 0 ? INFINITY : C * w->unit;
            w->ridge[at++] = ridge / w->unit;
        }
    }
    return PARE_OK;
}

/* B, K B (in units of `unit`) and grad = Q alpha. */
static void evaluate(ww_state *w) {
    int64_t n = w->p->n, c = w->p->c;
    memset(w->B, 0, sizeof(double) * (size_t)(n * c));
    for (int64_t a = 0; a < w->N; a++) {
        w->B[w->p->cls[w->i[a]] * n + w->i[a]] += w->alpha[a];
        w->B[w->m[a] * n + w->i[a]] -= w->alpha[a];
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)n, 1 / w->unit,
                w->p->K, (int)n, w->B, (int)n, 0, w->KB, (int)n);
    for (int64_t a = 0; a < w->N; a++)
        w->grad[a] = w->KB[w->p->cls[w->i[a]] * n + w->i[a]] - w->KB[w->m[a] * n + w->i[a]] +
                     w->ridge[a] * w->alpha[a];
    for (int64_t k = 0; k < w->e; k++) {
        w->rp[k] = 0;
        for (int64_t i = 0; i < n; i++) w->rp[k] += w->B[k * n + i];
    }
}

static void start(ww_state *w) {
    int64_t c = w->p->c;
    double *count = w->mu; /* borrowed: samples with a say */
    for (int64_t a = 0; a < w->N; a++)
        count[w->p->cls[w->i[a]]] += a == 0 || w->i[a] != w->i[a - 1];
    double most = INFINITY;
    for (int64_t a = 0; a < w->N; a++) {
        w->alpha[a] = 1 / count[w->p->cls[w->i[a]]]; /* sum_i B_ik = 0 */
        most = fmin(most, 0.5 * w->u[a] / w->alpha[a]);
    }
    if (most < 1) cblas_dscal((int)w->N, most, w->alpha, 1);
    memset(w->mu, 0, sizeof(double) * (size_t)c);
    evaluate(w);
    for (int64_t a = 0; a < w->N; a++) {
        double g = w->grad[a] - 1;
        w->s[a] = fmax(g, 0) + 1;
        w->v[a] = isfinite(w->u[a]) ? fmax(-g, 0) + 1 : 0;
    }
}

static pare_status factor(void *self, bool *fine, const pare_ctx *ctx, pare_error *err) {
    (void)ctx, (void)err;
    ww_state *w = self;
    for (int64_t a = 0; a < w->N; a++) {
        double own = w->p->K[w->i[a] * (w->p->n + 1)] / w->unit;
        double barrier = w->s[a] / w->alpha[a] + w->ridge[a];
        if (isfinite(w->u[a])) barrier += w->v[a] / (w->u[a] - w->alpha[a]);
        w->rhs[a] = barrier + MIN_BARRIER * (1 + 2 * own);
    }
    *fine = ww_system_factor(&w->M, w->rhs);
    return PARE_OK;
}

static pare_status direction(void *self, double tau, bool correct, bool *fine, const pare_ctx *ctx,
                             pare_error *err) {
    (void)ctx, (void)err;
    ww_state *w = self;
    int64_t N = w->N;
    for (int64_t a = 0; a < N; a++) {
        double upper_slack = w->u[a] - w->alpha[a], dual = w->grad[a] - 1 - w->s[a] + w->v[a];
        double low = tau - w->alpha[a] * w->s[a], high = tau - upper_slack * w->v[a];
        dual += w->mu[w->p->cls[w->i[a]]] - w->mu[w->m[a]];
        if (correct) {
            low -= w->dalpha[a] * w->ds[a];
            high += w->dalpha[a] * w->dv[a];
        }
        w->rhs[a] = -dual + low / w->alpha[a] - (isfinite(upper_slack) ? high / upper_slack : 0);
        w->ds[a] = low; /* kept for below */
        w->dv[a] = high;
    }
    memcpy(w->dalpha, w->rhs, sizeof(double) * (size_t)N);
    for (int64_t k = 0; k < w->e; k++) w->dmu[k] = -w->rp[k];
    ww_system_solve(&w->M, w->dalpha, w->dmu);
    for (int64_t a = 0; a < N; a++) {
        double upper_slack = w->u[a] - w->alpha[a];
        w->ds[a] = (w->ds[a] - w->s[a] * w->dalpha[a]) / w->alpha[a];
        w->dv[a] = isfinite(upper_slack) ? (w->dv[a] + w->v[a] * w->dalpha[a]) / upper_slack : 0;
    }
    *fine = true;
    return PARE_OK;
}

static void reach(const void *self, double *primal, double *dual) {
    const ww_state *w = self;
    double t = *primal;
    for (int64_t a = 0; a < w->N; a++) {
        t = step_within(step_within(t, w->alpha[a], w->dalpha[a]), w->s[a], w->ds[a]);
        if (!isfinite(w->u[a])) continue;
        t = step_within(t, w->u[a] - w->alpha[a], -w->dalpha[a]);
        t = step_within(t, w->v[a], w->dv[a]);
    }
    *primal = *dual = t; /* Q alpha is on both sides */
}

static double products(const void *self, double primal, double dual) {
    const ww_state *w = self;
    double sum = 0;
    for (int64_t a = 0; a < w->N; a++) {
        double x = w->alpha[a] + primal * w->dalpha[a];
        sum += x * (w->s[a] + dual * w->ds[a]);
        if (isfinite(w->u[a])) sum += (w->u[a] - x) * (w->v[a] + dual * w->dv[a]);
    }
    return sum;
}

static void move(void *self, double primal, double dual) {
    ww_state *w = self;
    for (int64_t a = 0; a < w->N; a++) {
        w->alpha[a] += primal * w->dalpha[a];
        w->s[a] += dual * w->ds[a];
        w->v[a] += dual * w->dv[a];
    }
    for (int64_t k = 0; k < w->e; k++) w->mu[k] += dual * w->dmu[k];
    evaluate(w);
}

/* Objectives of the current point in the units of the problem, and the scale of hard margins. */
static void value(ww_state *w) {
    ww_solution *out = w->out;
    int64_t n = w->p->n;
    double sum = 0, quadratic = 0, ridge = 0, loss = 0, least = INFINITY;
    for (int64_t a = 0; a < w->N; a++) {
        sum += w->alpha[a];
        ridge += w->ridge[a] * w->alpha[a] * w->alpha[a];
        quadratic += w->alpha[a] * (w->grad[a] - w->ridge[a] * w->alpha[a]);
        int64_t i = w->i[a], y = w->p->cls[i], m = w->m[a];
        double margin = w->KB[y * n + i] - w->KB[m * n + i] + w->mu[y] - w->mu[m];
        double slack = fmax(0, 1 - margin);
        least = fmin(least, margin);
        if (w->ridge[a] > 0)
            loss += slack * slack / (2 * w->ridge[a]);
        else if (isfinite(w->u[a]))
            loss += w->u[a] * slack;
    }
    w->scale = w->hard && w->N > 0 ? (least > 0 ? 1 / least : INFINITY) : 1;
    out->dual = (sum - 0.5 * (quadratic + ridge)) / w->unit;
    out->primal =
        w->scale < INFINITY ? (0.5 * w->scale * w->scale * quadratic + loss) / w->unit : INFINITY;
}

/* E alpha = 0 to rounding: else the dual's value bounds nothing. */
static bool is_balanced(const ww_state *w) {
    double sum = 0, worst = 0;
    for (int64_t a = 0; a < w->N; a++) sum += w->alpha[a];
    for (int64_t k = 0; k < w->e; k++) worst = fmax(worst, fabs(w->rp[k]));
    return worst <= BALANCE_TOL * sum;
}

static void keep_best(ww_state *w, double gap) {
    if (!(gap <= w->best_gap)) return;
    w->best_gap = gap;
    memcpy(w->best, w->alpha, sizeof(double) * (size_t)w->N);
    memcpy(w->best + w->N, w->mu, sizeof(double) * (size_t)w->p->c);
}

static void return_to_best(ww_state *w) {
    memcpy(w->alpha, w->best, sizeof(double) * (size_t)w->N);
    memcpy(w->mu, w->best + w->N, sizeof(double) * (size_t)w->p->c);
    evaluate(w);
}

static bool certified_inseparable(const ww_state *w) {
    double sum = 0, quadratic = 0, largest = 0;
    for (int64_t a = 0; a < w->N; a++) {
        sum += w->alpha[a];
        quadratic += w->alpha[a] * w->grad[a];
    }
    for (int64_t i = 0; i < w->p->n; i++)
        largest = fmax(largest, w->p->K[i * w->p->n + i] / w->unit);
    return w->hard && 4 * quadratic <= 0.99 * PROOF_TOL * PROOF_TOL * largest * sum * sum;
}

static void finish(const ww_state *w) {
    ww_solution *out = w->out;
    int64_t n = w->p->n, c = w->p->c;
    double mean = 0, share = 1 / w->unit, scale = w->scale < INFINITY ? w->scale : 1;
    if (out->inseparable) {
        double sum = 0;
        for (int64_t a = 0; a < w->N; a++) sum += w->alpha[a];
        share = 2 / sum;
        scale = 1;
        out->primal = out->dual = INFINITY;
    }
    memset(out->alpha, 0, sizeof(double) * (size_t)(n * c));
    for (int64_t a = 0; a < w->N; a++) out->alpha[w->m[a] * n + w->i[a]] = w->alpha[a] * share;
    for (int64_t i = 0; i < n * c; i++) out->B[i] = w->B[i] * share * scale;
    for (int64_t k = 0; k < c; k++) mean += w->mu[k] / (double)c;
    for (int64_t k = 0; k < c; k++) out->b[k] = (w->mu[k] - mean) * scale;
}

static pare_status judge(void *self, double products_now, interior_verdict *verdict,
                         const pare_ctx *ctx, pare_error *err) {
    (void)products_now, (void)ctx, (void)err;
    ww_state *w = self;
    ww_solution *out = w->out;
    value(w);
    double gap = out->primal - out->dual, size = fmax(fabs(out->primal), fabs(out->dual));
    bool balanced = is_balanced(w);
    bool optimal = balanced && out->primal < INFINITY && gap <= w->p->tol_rel * size;
    out->inseparable = balanced && !optimal && out->primal == INFINITY && certified_inseparable(w);
    *verdict = optimal || out->inseparable ? INTERIOR_SOLVED : INTERIOR_GO_ON;
    bool first = out->iterations == 0;
    if (*verdict == INTERIOR_GO_ON && (balanced || first)) keep_best(w, balanced ? gap : INFINITY);
    return PARE_OK;
}

static const interior_method method = {"multiclass svm",
                                       judge,
                                       factor,
                                       direction,
                                       products,
                                       reach,
                                       move,
                                       .max_steps = 150,
                                       .share = 0.995,
                                       .least_step = 1e-12};

pare_status ww_dual_solve(ww_solution *out, const ww_problem *p, const pare_ctx *ctx,
                          pare_error *err) {
    arena a = arena_of(ctx);
    pare_status status = PARE_OK;
    ww_state w;
    TRY(prepare(&w, &a, p, ctx, err));
    w.out = out;
    out->iterations = 0;
    out->inseparable = false;
    start(&w);
    double pairs = (double)w.N;
    for (int64_t v = 0; v < w.N; v++) pairs += isfinite(w.u[v]);
    TRY(interior_run(&w, pairs, &method, &out->iterations, &out->outcome, ctx, err));
    if (out->outcome != PARE_OPTIMAL) {
        return_to_best(&w);
        value(&w);
    }
    finish(&w);

done:
    arena_free(&a);
    return status;
}
