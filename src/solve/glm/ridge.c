#include "solve/glm/ridge.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"

enum { STEPS = 60, PRODUCTS = 1000, HALVINGS = 40 };
static const double DONE =
    1e-15; /* of the objective: the gain of another step below which it ends */
static const double SLACK = 4e-16; /* of the objective: what rounding may add to it */
static const double ARMIJO = 1e-4; /* of the slope */
static const double LOOSEST =
    0.1; /* of the gradient, in the preconditioner's norm: accuracy of the */
static const double TIGHTEST = 1e-8; /* first and the last systems */

typedef struct ridge {
    const view *x;
    const glm_loss *loss;
    const pare_ctx *ctx;
    bool intercept;
    double lambda;
    int64_t n, d, c, m;      /* m coordinates: d x c output by output, then the intercepts */
    double *at;              /* m: the point */
    double *r, *p, *q;       /* m: of the conjugate gradients */
    double *gradient;        /* m: the negative one */
    double *step;            /* m */
    double *diagonal;        /* m: the preconditioner */
    double *norm2;           /* d: sum_i share_i x_ij^2 */
    double *F, *dF, *trial;  /* n x c, the outputs of a sample together */
    double *U, *P, *h;       /* the same; h: the diagonal of the curvature */
    double *T;               /* n x c, output by output */
    double objective, size2; /* size2: |B|^2 */
    arena mem;
} ridge;

static pare_status open_ridge(ridge *s, pare_error *err) {
    int64_t nc = s->n * s->c;
    double **coordinates[] = {&s->at, &s->r, &s->p, &s->q, &s->step, &s->gradient, &s->diagonal};
    double **samples[] = {&s->F, &s->dF, &s->trial, &s->U, &s->P, &s->h, &s->T};
    for (size_t i = 0; i < sizeof coordinates / sizeof coordinates[0]; i++)
        if (!(*coordinates[i] = ARENA_ZERO(&s->mem, double, s->m))) return error_memory(err);
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (!(*samples[i] = ARENA_ZERO(&s->mem, double, nc))) return error_memory(err);
    if (!(s->norm2 = ARENA_NEW(&s->mem, double, s->d))) return error_memory(err);
    return mat_tmul2(s->x, s->loss->share, 1, s->norm2, s->ctx, err);
}

/* out = X v + 1 v0', outputs together, in one pass. */
static pare_status fitted(ridge *s, const double *v, double *out, pare_error *err) {
    int64_t n = s->n, c = s->c;
    pare_status status = mat_mul(s->x, NULL, s->d, v, c, s->T, s->ctx, err);
    for (int64_t o = 0; o < c && status == PARE_OK; o++) {
        double shift = s->intercept ? v[s->d * c + o] : 0;
        for (int64_t i = 0; i < n; i++) out[i * c + o] = s->T[o * n + i] + shift;
    }
    return status;
}

/* out = (X'V, 1'V) of V with outputs together, in one pass. */
static pare_status gathered(ridge *s, const double *V, double *out, pare_error *err) {
    int64_t n = s->n, c = s->c;
    for (int64_t o = 0; o < c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += s->T[o * n + i] = V[i * c + o];
        if (s->intercept) out[s->d * c + o] = sum;
    }
    return mat_tmul(s->x, s->T, c, out, s->ctx, err);
}

/* T_i becomes h_i T_i for every sample: the curvature of the loss. */
static void curve(const ridge *s, double *T) {
    if (s->loss->kind->curve) {
        s->loss->kind->curve(s->loss, s->P, T);
        return;
    }
    for (int64_t e = 0; e < s->n * s->c; e++) T[e] *= s->h[e];
}

/* q = H p; two passes. */
static pare_status apply(ridge *s, pare_error *err) {
    PASS(fitted(s, s->p, s->trial, err));
    curve(s, s->trial);
    pare_status status = gathered(s, s->trial, s->q, err);
    for (int64_t e = 0; e < s->d * s->c; e++) s->q[e] += s->lambda * s->p[e];
    return status;
}

/* The diagonal of H, as if the curvature were the same for all samples. */
static void precondition(ridge *s) {
    int64_t n = s->n, d = s->d, c = s->c;
    s->loss->kind->diagonal(s->loss, s->P, s->h);
    for (int64_t o = 0; o < c; o++) {
        double h = 0;
        for (int64_t i = 0; i < n; i++) h += s->h[i * c + o];
        for (int64_t j = 0; j < d; j++) s->diagonal[o * d + j] = s->lambda + h * s->norm2[j];
        if (s->intercept) s->diagonal[d * c + o] = h > 0 ? h : 1;
    }
}

/* step = H^-1 r approximately: until the residual is `enough` of its initial size. */
static pare_status solve(ridge *s, double enough, pare_error *err) {
    int64_t m = s->m;
    double rho = 0;
    memset(s->step, 0, sizeof(double) * (size_t)m);
    for (int64_t e = 0; e < m; e++) {
        s->p[e] = s->r[e] / s->diagonal[e];
        rho += s->r[e] * s->p[e];
    }
    double least = enough * enough * rho;
    for (int product = 0; product < PRODUCTS && rho > least; product++) {
        PASS(apply(s, err));
        double curvature = la_dot(s->p, s->q, m), next = 0;
        if (!(curvature > 0)) break;
        double along = rho / curvature;
        for (int64_t e = 0; e < m; e++) {
            s->step[e] += along * s->p[e];
            s->r[e] -= along * s->q[e];
            next += s->r[e] * s->r[e] / s->diagonal[e];
        }
        for (int64_t e = 0; e < m; e++) s->p[e] = s->r[e] / s->diagonal[e] + next / rho * s->p[e];
        rho = next;
        if (ctx_poll(s->ctx, "solving", -1))
            return error_set(err, PARE_E_CANCELLED,
                             "stopped in the ridge that adaptive costs need");
    }
    return PARE_OK;
}

static void evaluate(ridge *s) {
    double loss = s->loss->kind->point(s->loss, s->F, s->U, s->P, NULL);
    s->size2 = la_dot(s->at, s->at, s->d * s->c);
    s->objective = loss + s->lambda / 2 * s->size2;
}

/* Shortens the step until it lowers the objective; false: no step does. */
static bool search(ridge *s, double slope) {
    int64_t nc = s->n * s->c, dc = s->d * s->c;
    double across = la_dot(s->at, s->step, dc), own = la_dot(s->step, s->step, dc), t = 1;
    for (int halving = 0; halving < HALVINGS; halving++, t /= 2) {
        for (int64_t e = 0; e < nc; e++) s->trial[e] = s->F[e] + t * s->dF[e];
        double size2 = s->size2 + 2 * t * across + t * t * own;
        double now =
            s->loss->kind->point(s->loss, s->trial, s->U, s->P, NULL) + s->lambda / 2 * size2;
        if (!(now <= s->objective + ARMIJO * t * slope + SLACK * fabs(s->objective))) continue;
        for (int64_t e = 0; e < s->m; e++) s->at[e] += t * s->step[e];
        memcpy(s->F, s->trial, sizeof(double) * (size_t)nc);
        return true;
    }
    return false;
}

/* One step of Newton's method; *done: another would gain nothing. first: the gain that the first
 * one promised. */
static pare_status newton(ridge *s, double *first, bool *done, pare_error *err) {
    int64_t dc = s->d * s->c;
    evaluate(s);
    pare_status status = gathered(s, s->U, s->r, err);
    if (status != PARE_OK) return status;
    for (int64_t e = 0; e < dc; e++) s->r[e] -= s->lambda * s->at[e];
    precondition(s);
    double size = 0;
    for (int64_t e = 0; e < s->m; e++) size += s->r[e] * s->r[e] / s->diagonal[e];
    if (*first < 0) *first = size;
    double enough = *first > 0 ? sqrt(size / *first) : 0; /* the rate is that of Newton's method */
    enough = fmax(fmin(enough, LOOSEST), TIGHTEST);
    if (s->loss->kind->quadratic) enough = TIGHTEST;
    *done = size <= DONE * s->objective;
    if (*done) return PARE_OK;
    memcpy(s->gradient, s->r, sizeof(double) * (size_t)s->m);
    TRY(solve(s, enough, err));
    double slope = -la_dot(s->gradient, s->step, s->m);
    TRY(fitted(s, s->step, s->dF, err));
    *done = !search(s, fmin(slope, 0)) || -slope <= DONE * fabs(s->objective);
done:
    return status;
}

pare_status glm_ridge_dual(const view *x, const glm_loss *loss, bool intercept, double lambda,
                           double *U, const pare_ctx *ctx, pare_error *err) {
    ridge s = {.x = x,
               .loss = loss,
               .ctx = ctx,
               .intercept = intercept,
               .lambda = lambda,
               .n = x->n,
               .d = x->d,
               .c = loss->c};
    s.m = (s.d + (intercept ? 1 : 0)) * s.c;
    arena_init(&s.mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    bool done = false;
    double first = -1;
    TRY(open_ridge(&s, err));
    for (int i = 0; i < STEPS && !done; i++) TRY(newton(&s, &first, &done, err));
    evaluate(&s);
    for (int64_t e = 0; e < s.n * s.c; e++) U[e % s.c * s.n + e / s.c] = s.U[e];
done:
    arena_free(&s.mem);
    return status;
}
