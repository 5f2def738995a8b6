/* Moves weight from the point that is least far out (among those with weight) to the one that gains
 * most against it: the dual's second-order pair step. g_i = K_ii - 2 (K beta)_i is the gradient
 * and, up to beta'K beta, the squared distance from the centre. Pair steps find the points with
 * weight soon and their weights slowly, so that every n steps Newton's step solves for the weights
 * of these points together. */
#include "solve/svm/ball_dual.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/factor.h"

enum { STEPS_PER_POINT = 2000, MIN_PAIR_STEPS = 16 };
static const double JITTER = 1e-13; /* of the largest norm: points may lie in a plane */

typedef struct ball {
    const double *K;
    int64_t n;
    double ridge;
    const double *weight; /* n, or NULL */
    double *g;            /* n */
    double *Q, *p;        /* of the points with weight: n x n, and n x 2 */
    int64_t *own;         /* n: these points */
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
        if (s->g[i] > most) most = s->g[i];
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

/* The direction p to the best weights of the points that have weight: 2 Q p = g - nu, sum p = 0. */
static bool newton_direction(ball *s, int64_t m) {
    double most = 0, ones = 0, rises = 0;
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b <= a; b++) s->Q[b * m + a] = at(s, s->own[a], s->own[b]);
        most = fmax(most, s->Q[a * m + a]);
        s->p[a] = s->g[s->own[a]];
        s->p[m + a] = 1;
    }
    for (int64_t a = 0; a < m; a++) s->Q[a * m + a] += JITTER * most;
    if (!chol_factor_solve('L', m, s->Q, m, s->p, 2)) return false;
    for (int64_t a = 0; a < m; a++) {
        rises += s->p[a];
        ones += s->p[m + a];
    }
    double sum = 0;
    for (int64_t a = 0; a < m; a++) {
        s->p[a] = (s->p[a] - rises / ones * s->p[m + a]) / 2;
        sum += s->p[a];
    }
    for (int64_t a = 0; a < m; a++) s->p[a] -= sum / (double)m; /* large where points depend */
    return true;
}

/* Newton's step on the points that have weight, as far as all weights stay >= 0; the first that
 * becomes 0 leaves. Returns true if one left. */
static bool newton_step(ball *s, double *beta) {
    int64_t m = 0, leaves = -1;
    for (int64_t i = 0; i < s->n; i++)
        if (beta[i] > 0) s->own[m++] = i;
    if (m < 2 || !newton_direction(s, m)) return false;
    double rise = 0, bend = 0, most = INFINITY;
    for (int64_t a = 0; a < m; a++) {
        int64_t i = s->own[a];
        rise += s->g[i] * s->p[a];
        for (int64_t b = 0; b < m; b++) bend += s->p[a] * at(s, i, s->own[b]) * s->p[b];
        if (s->p[a] < 0 && beta[i] < -s->p[a] * most) {
            most = -beta[i] / s->p[a];
            leaves = i;
        }
    }
    double t = bend > 0 ? rise / (2 * bend) : INFINITY;
    if (!(rise > 0) || leaves < 0) return false;
    if (t < most) leaves = -1;
    for (int64_t a = 0; a < m; a++)
        beta[s->own[a]] = fmax(beta[s->own[a]] + fmin(t, most) * s->p[a], 0);
    if (leaves >= 0) beta[leaves] = 0;
    gradient(s, beta);
    return leaves >= 0;
}

static pare_status ball_prepare(ball *s, arena *mem, pare_error *err) {
    s->g = ARENA_NEW(mem, double, s->n);
    s->Q = ARENA_NEW(mem, double, s->n * s->n);
    s->p = ARENA_NEW(mem, double, 2 * s->n);
    s->own = ARENA_NEW(mem, int64_t, s->n);
    return s->g && s->Q && s->p && s->own ? PARE_OK : error_memory(err);
}

pare_status ball_dual_solve(ball_solution *out, const double *K, int64_t n, double ridge,
                            const double *weight, double tol_rel, bool warm, const pare_ctx *ctx,
                            pare_error *err) {
    ball s = {.K = K, .n = n, .ridge = ridge, .weight = weight};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(ball_prepare(&s, &mem, err));
    for (int64_t i = 0; i < n && !warm; i++) out->beta[i] = 1 / (double)n;
    gradient(&s, out->beta);
    int64_t newton_every = n > MIN_PAIR_STEPS ? n : MIN_PAIR_STEPS;
    for (int64_t k = 1; k <= STEPS_PER_POINT * n; k++) {
        if (k % newton_every == 0)
            while (newton_step(&s, out->beta)) {}
        bounds(&s, out);
        if (out->high - out->low <= tol_rel * out->high || !step(&s, out->beta)) break;
    }
    gradient(&s, out->beta);
    bounds(&s, out);

done:
    arena_free(&mem);
    return status;
}
