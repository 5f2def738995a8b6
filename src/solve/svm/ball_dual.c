/* Moves weight from the point that is least far out (among those with weight) to the one that gains
 * most against it: the dual's second-order pair step. g_i = K_ii - 2 (K beta)_i is the gradient
 * and, up to beta'K beta, the squared distance from the centre. */
#include "solve/svm/ball_dual.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

enum { STEPS_PER_POINT = 2000 };

typedef struct ball {
    const double *K;
    int64_t n;
    double ridge;
    const double *weight; /* n, or NULL */
    double *g;            /* n */
} ball;

/* The ridge in the quadratic form: the beta of a point of weight w is divided among w copies. */
static double own_ridge(const ball *s, int64_t i) {
    return s->weight ? s->ridge / s->weight[i] : s->ridge;
}

static double at(const ball *s, int64_t i, int64_t j) {
    return s->K[i * s->n + j] + (i == j ? own_ridge(s, i) : 0);
}

/* The squared norm of each of them. */
static double norm2(const ball *s, int64_t i) { return s->K[i * s->n + i] + s->ridge; }

static void gradient(ball *s, const double *beta) {
    for (int64_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < s->n; j++) sum += s->K[i * s->n + j] * beta[j];
        s->g[i] = norm2(s, i) - 2 * (sum + own_ridge(s, i) * beta[i]);
    }
}

/* low and high of the header. */
static void bounds(const ball *s, ball_solution *out) {
    double quadratic = 0, most = -INFINITY;
    out->low = 0;
    for (int64_t i = 0; i < s->n; i++) {
        quadratic += out->beta[i] * (norm2(s, i) - s->g[i]) / 2;
        out->low += out->beta[i] * (norm2(s, i) + s->g[i]) / 2;
        most = fmax(most, s->g[i]);
    }
    out->high = fmax(most + quadratic, out->low);
}

/* One pair step; false: none gains. */
static bool step(ball *s, double *beta) {
    int64_t from = -1, to = -1;
    double best = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (beta[i] > 0 && (from < 0 || s->g[i] < s->g[from])) from = i;
    for (int64_t i = 0; i < s->n; i++) {
        double rise = s->g[i] - s->g[from];
        double bend = at(s, i, i) + at(s, from, from) - 2 * at(s, i, from);
        if (!(rise > 0) || !(bend > 0)) continue;
        double t = fmin(rise / (2 * bend), beta[from]), gain = t * (rise - t * bend);
        if (gain > best) {
            best = gain;
            to = i;
        }
    }
    if (to < 0) return false;
    double bend = at(s, to, to) + at(s, from, from) - 2 * at(s, to, from);
    double t = (s->g[to] - s->g[from]) / (2 * bend);
    if (t >= beta[from]) t = beta[from];
    beta[from] = t == beta[from] ? 0 : beta[from] - t;
    beta[to] += t;
    for (int64_t i = 0; i < s->n; i++) s->g[i] -= 2 * t * (at(s, i, to) - at(s, i, from));
    return true;
}

pare_status ball_dual_solve(ball_solution *out, const double *K, int64_t n, double ridge,
                            const double *weight, double tol_rel, bool warm, const pare_ctx *ctx,
                            pare_error *err) {
    ball s = {K, n, ridge, weight, mem_alloc(ctx_allocator(ctx), n, sizeof(double))};
    if (!s.g) return error_memory(err);
    for (int64_t i = 0; i < n && !warm; i++) out->beta[i] = 1 / (double)n;
    gradient(&s, out->beta);
    for (int64_t k = 1; k <= STEPS_PER_POINT * n; k++) {
        if (k % 100 == 0) gradient(&s, out->beta);
        bounds(&s, out);
        if (out->high - out->low <= tol_rel * out->high || !step(&s, out->beta)) break;
    }
    gradient(&s, out->beta);
    bounds(&s, out);
    mem_free(ctx_allocator(ctx), s.g);
    return PARE_OK;
}
