#include "solve/rank/push.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

enum { BISECTIONS = 100 };
static const double ZERO_SHARE = 1e-6; /* lambda_max below this share of its bound is zero */
static const double ROUNDING = 1e-12;  /* means closer than this share of the data are the same */
static const double MIN_SHARE_L2 = 1e-3;
static const double NO_GAIN = 1 - 1e-3; /* objectives from here on are those of w = 0 */

double push_gap(const push_solution *s) {
    double gap = s->objective - s->bound, size = fmax(fabs(s->objective), fabs(s->bound));
    return gap == 0 ? 0 : gap / size;
}

static void group_norms(const push_problem *p, const double *v, double *norm) {
    for (int64_t g = 0; g < p->n_groups; g++) norm[g] = 0;
    for (int64_t j = 0; j < p->x->d; j++) norm[p->group[j]] += v[j] * v[j];
    for (int64_t g = 0; g < p->n_groups; g++) norm[g] = sqrt(norm[g]);
}

double push_penalty_value(const push_problem *p, const double *w, double *scratch) {
    double one = 0, two = 0;
    for (int64_t j = 0; j < p->x->d; j++) {
        one += fabs(w[j]);
        two += w[j] * w[j];
    }
    switch (p->penalty) {
    case PUSH_L1: return one;
    case PUSH_L2: return 0.5 * two;
    case PUSH_L1L2: return p->mix * one + 0.5 * (1 - p->mix) * two;
    case PUSH_GROUP: break;
    }
    double sum = 0;
    group_norms(p, w, scratch);
    for (int64_t g = 0; g < p->n_groups; g++) sum += scratch[g];
    return sum;
}

double push_dual_norm(const push_problem *p, const double *g, double *scratch) {
    double largest = 0, square = 0;
    for (int64_t j = 0; j < p->x->d; j++) {
        largest = fmax(largest, fabs(g[j]));
        square += g[j] * g[j];
    }
    switch (p->penalty) {
    case PUSH_L1: return largest;
    case PUSH_L2: return sqrt(square);
    case PUSH_L1L2: return largest / p->mix;
    case PUSH_GROUP: break;
    }
    group_norms(p, g, scratch);
    largest = 0;
    for (int64_t k = 0; k < p->n_groups; k++) largest = fmax(largest, scratch[k]);
    return largest;
}

void push_penalty_prox(const push_problem *p, double step, double *v, double *scratch) {
    if (p->penalty == PUSH_GROUP) {
        group_norms(p, v, scratch);
        for (int64_t j = 0; j < p->x->d; j++) {
            double norm = scratch[p->group[j]];
            v[j] = norm > step ? v[j] * (1 - step / norm) : 0;
        }
        return;
    }
    double one = p->penalty == PUSH_L1 ? step : p->penalty == PUSH_L1L2 ? step * p->mix : 0;
    double two = p->penalty == PUSH_L2 ? step : p->penalty == PUSH_L1L2 ? step * (1 - p->mix) : 0;
    for (int64_t j = 0; j < p->x->d; j++)
        v[j] = copysign(fmax(fabs(v[j]) - one, 0), v[j]) / (1 + two);
}

double push_loss(const push_problem *p, const double *f) {
    double t = -INFINITY, mean = 0, loss = 0;
    for (int64_t j = 0; j < p->n; j++) t = fmax(t, f[p->m + j]);
    for (int64_t i = 0; i < p->m; i++) {
        mean += p->cost[i] * f[i];
        loss += p->cost[i] * fmax(0, 1 - f[i] + t);
    }
    return p->collapsed ? fmax(0, 1 - mean + t) : loss;
}

/* d/ds of the conjugate of lambda Omega at s g, for l1l2. */
static double mixed_slope(const push_problem *p, const double *g, double s) {
    double slope = 0;
    for (int64_t j = 0; j < p->x->d; j++) {
        double size = fabs(g[j]);
        slope += size * fmax(0, s * size - p->lambda * p->mix);
    }
    return slope / (p->lambda * (1 - p->mix));
}

double push_best_scaling(const push_problem *p, double total, double square, const double *g,
                         double *scratch, double *value) {
    double norm = push_dual_norm(p, g, scratch), s = 1, conjugate = 0;
    if (p->penalty == PUSH_L2) {
        double curvature = norm * norm / p->lambda + 2 * square;
        if (curvature > total) s = total / curvature;
        conjugate = s * s * norm * norm / (2 * p->lambda);
    } else if (p->penalty == PUSH_L1L2) {
        double lo = 0, hi = 1;
        for (int k = 0; k < BISECTIONS; k++) {
            bool steep = mixed_slope(p, g, s) + 2 * s * square > total;
            if (k == 0 && !steep) break;
            *(steep ? &hi : &lo) = s;
            s = 0.5 * (lo + hi);
        }
        for (int64_t j = 0; j < p->x->d; j++) {
            double over = fmax(0, s * fabs(g[j]) - p->lambda * p->mix);
            conjugate += over * over / (2 * p->lambda * (1 - p->mix));
        }
    } else {
        if (norm > p->lambda) s = p->lambda / norm;
        if (2 * s * square > total) s = total / (2 * square);
    }
    *value = s * total - s * s * square - conjugate;
    return s;
}

void push_improve(push_solution *out, const push_problem *p, const double *w, const double *f,
                  const double *dual, const double *g, double *scratch) {
    double objective = push_loss(p, f) + p->lambda * push_penalty_value(p, w, scratch), total = 0,
           value;
    if (objective < out->objective) {
        out->objective = objective;
        if (out->w != w) memcpy(out->w, w, sizeof *w * (size_t)p->x->d);
    }
    for (int64_t i = 0; i < p->m; i++) total += dual[i];
    double s = push_best_scaling(p, total, 0, g, scratch, &value);
    if (value > out->bound) {
        out->bound = value;
        for (int64_t i = 0; i < p->m + p->n; i++) out->dual[i] = s * dual[i];
    }
}

pare_status push_gather(const push_problem *p, const double *dual, double *signed_dual, double *out,
                        const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < p->m + p->n; i++) signed_dual[i] = i < p->m ? dual[i] : -dual[i];
    return mat_tmul(p->x, signed_dual, 1, out, ctx, err);
}

/* |mean - X-'beta|_*, with beta normalised first. */
static pare_status distance(double *out, const push_problem *p, double *dual, double *u, double *g,
                            double *scratch, const pare_ctx *ctx, pare_error *err) {
    double total = 0;
    for (int64_t j = 0; j < p->n; j++) total += dual[p->m + j];
    for (int64_t i = 0; i < p->m; i++) dual[i] = p->cost[i];
    for (int64_t j = 0; j < p->n; j++) dual[p->m + j] /= total;
    pare_status status = push_gather(p, dual, u, g, ctx, err);
    *out = push_dual_norm(p, g, scratch);
    return status;
}

pare_status push_mean_scale(double *out, const push_problem *p, double *u, double *g,
                            double *scratch, const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < p->m + p->n; i++) u[i] = 1 / (double)(p->m + p->n);
    pare_status status = mat_tmul2(p->x, u, 1, g, ctx, err);
    for (int64_t j = 0; j < p->x->d; j++) g[j] = sqrt(g[j]);
    *out = ROUNDING * push_dual_norm(p, g, scratch);
    return status;
}

pare_status push_lambda_max(push_limit *out, const push_problem *p, const pare_ctx *ctx,
                            pare_error *err) {
    /* Of the largest value lambda_max can have. Any lambda below it gives the same beta; larger
     * ones are the easier problems. */
    static const double shares[] = {0.2, 0.02, 1e-3, ZERO_SHARE};
    enum { TRIALS = sizeof shares / sizeof shares[0] };
    int64_t N = p->m + p->n, d = p->x->d;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    push_problem mean = *p; /* the positives by their mean */
    mean.collapsed = true;
    push_solution s = {.w = ARENA_NEW(&mem, double, d), .dual = ARENA_ZERO(&mem, double, N)};
    double *u = ARENA_NEW(&mem, double, N), *g = ARENA_NEW(&mem, double, d), best, rounding;
    double *scratch = ARENA_NEW(&mem, double, p->n_groups);
    TRY_MEM(s.w && s.dual && u && g && scratch);
    for (int64_t j = 0; j < p->n; j++) out->dual[p->m + j] = 1;
    TRY(push_mean_scale(&rounding, &mean, u, g, scratch, ctx, err));
    TRY(distance(&best, &mean, out->dual, u, g, scratch, ctx, err));
    out->bound = best > rounding ? best : 0;
    out->lambda_max = 0;
    out->outcome = PARE_OPTIMAL;
    for (int k = 0; k < TRIALS && out->bound > 0; k++) {
        double value, least = shares[k] * out->bound;
        /* l2: beta is the same for every lambda; a smaller one only resolves smaller distances */
        if (p->penalty == PUSH_L2 && shares[k] < MIN_SHARE_L2) break;
        mean.lambda = p->penalty == PUSH_L2 ? least * least : least;
        TRY(push_interior(&s, &mean, true, ctx, err));
        TRY(distance(&value, &mean, s.dual, u, g, scratch, ctx, err));
        if (value < best) {
            best = value;
            memcpy(out->dual, s.dual, sizeof *s.dual * (size_t)N);
        }
        bool stopped = s.outcome == PARE_TIME_LIMIT || s.outcome == PARE_CANCELLED;
        if (stopped) out->outcome = s.outcome;
        if (s.objective < NO_GAIN ||
            stopped) { /* lambda is well below lambda_max: beta is accurate */
            out->lambda_max = best;
            break;
        }
    }
done:
    arena_free(&mem);
    return status;
}
