#include "solve/kernel/square_mkl.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"
#include "la/product/dot.h"
#include "solve/kernel/kernel_sum.h"
#include "solve/kernel/mkl_newton.h"

static const double MIN_WEIGHT = 1e-14;        /* of the largest: smaller ones are left out of K */
static const double STAGE_TOL = 5e-2;          /* relative gap at intermediate p */
static const double MAX_UP = 3, MAX_DOWN = 60; /* of ln eta in a step */
static const double FLOOR = 700;               /* ln eta below the largest */
static const double SAME = 1e-13;              /* of the objective: rounding */
static const double SETTLED = 1e-3;            /* of ln eta */
enum { MAX_STEPS = 300, MAX_HALVINGS = 4, MAX_STUCK = 30, MAX_MORE = 20 };

/* Bounds weights from below, so that each can grow again. */
static void keep_near(square_mkl *m) {
    double most = -INFINITY;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, m->x[m->active[i]]);
    for (int64_t i = 0; i < m->n_active; i++) {
        double *x = &m->x[m->active[i]];
        if (!(*x >= most - FLOOR)) *x = most - FLOOR;
    }
}

/* --- the objective --- */

static pare_status set_kernel(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    kernel_sum sum = {m->kind, m->gamma, 1, m->weight_of};
    pare_status status = kernel_sum_gram(&m->K, m->data, &sum, ctx, err);
    return status == PARE_OK ? kernel_sum_centre(m->K, m->weight, m->n, ctx, err) : status;
}

static void set_weights(square_mkl *m) {
    double most = -INFINITY;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, m->x[m->active[i]]);
    m->smallest = MIN_WEIGHT * exp(most);
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        double eta = exp(m->x[j]);
        m->weight_of[j] = eta > m->smallest || eta > m->least ? eta / m->trace[j] : 0;
    }
}

/* a and s on K. */
static pare_status solve_duals(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    int64_t n = m->n;
    memcpy(m->factor, m->K, sizeof *m->K * (size_t)(n * n));
    for (int64_t i = 0; i < n; i++)
        m->factor[i * n + i] += m->ridge[i] = 1 / (2 * m->lambda1 * m->weight[i]);
    memcpy(m->a, m->y, sizeof *m->a * (size_t)(n * m->c));
    if (!chol_factor_solve('L', n, m->factor, n, m->a, m->c))
        return error_set(err, PARE_E_ARGUMENT,
                         "lambda1: kernel ridge regression with lambda1 %g is beyond double "
                         "precision; use a smaller one",
                         m->lambda1);
    for (int64_t o = 0; o < m->c; o++) { /* sums are 0 but for rounding */
        double sum = 0, total = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += m->a[o * n + i];
            total += m->weight[i];
        }
        for (int64_t i = 0; i < n; i++) m->a[o * n + i] -= sum * m->weight[i] / total;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t o = 0; o < m->c; o++) m->t.v[i * m->c + o] = m->a[o * n + i];
    return kernel_align(m->s, m->scratch, m->dx, m->data, &m->t, m->kind, m->given_gamma, ctx, err);
}

static void set_values(square_mkl *m) {
    double p = m->p, fit = la_dot(m->y, m->a, m->n * m->c), squares = 0, power = 0, best = 0;
    for (int64_t e = 0; e < m->n * m->c; e++) squares += m->a[e] * m->a[e] * m->ridge[e % m->n];
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        if (m->weight_of[j] > 0) power += exp(p * m->x[j]);
        if (m->s[j] > 0) best += exp(p / (p - 1) * log(m->s[j] / (2 * m->lambda2 * p)));
    }
    m->primal = 0.5 * fit + m->lambda2 * power;
    m->dual = fit - 0.5 * squares - m->lambda2 * (p - 1) * best;
}

double square_mkl_gap(const square_mkl *m) {
    double size = fmax(fabs(m->primal), fabs(m->dual)), off = m->primal - m->dual;
    return off <= 0 ? 0 : off / size;
}

static pare_status evaluate(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    set_weights(m);
    pare_status status = set_kernel(m, ctx, err);
    if (status == PARE_OK) status = solve_duals(m, ctx, err);
    if (status != PARE_OK) return status;
    m->steps++;
    set_values(m);
    ctx_log(ctx, PARE_LOG_DEBUG, "lp-mkl: p %g, objective %.9g, relative gap %.2g", m->p, m->primal,
            square_mkl_gap(m));
    return PARE_OK;
}

/* --- steps --- */

/* An active feature with s = 0 has no logarithm. */
static void lift_forms(square_mkl *m) {
    double most = 0;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, m->s[m->active[i]]);
    for (int64_t i = 0; i < m->n_active; i++) {
        double *s = &m->s[m->active[i]];
        *s = fmax(*s, 1e-300 + 1e-30 * most);
    }
}

static void move(square_mkl *m, double share) {
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        m->x[j] = m->x_before[j] + share * fmin(fmax(m->dx[j], -MAX_DOWN), MAX_UP);
    }
    keep_near(m);
}

/* The weights that are best for the current f, |f_k|^2 = eta_k^2 s_k. */
static void best_for_machine(square_mkl *m) {
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        double squares = 2 * m->x_before[j] + log(m->s_before[j]);
        m->x[j] = (squares - log(2 * m->lambda2 * m->p)) / (m->p + 1);
    }
    keep_near(m);
}

/* From x to a better one. */
static pare_status step(square_mkl *m, double *dx, const pare_ctx *ctx, pare_error *err) {
    double before = m->primal, share = 1;
    int64_t d = m->data->d;
    bool found;
    lift_forms(m);
    memcpy(m->x_before, m->x, sizeof *m->x * (size_t)d);
    memcpy(m->s_before, m->s, sizeof *m->s * (size_t)d);
    mkl_point at = {.p = m->p,
                    .lambda = m->lambda2,
                    .n_active = m->n_active,
                    .active = m->active,
                    .x = m->x,
                    .s = m->s,
                    .K = m->K,
                    .U = m->a,
                    .free = m->free,
                    .least = m->smallest,
                    .ridge = m->ridge,
                    .separable = true};
    pare_status status = mkl_newton(dx, &found, &at, &m->columns, ctx, err);
    for (int try = 0; status == PARE_OK && found && try < MAX_HALVINGS; try++, share *= 0.25) {
        memcpy(m->dx, dx, sizeof *dx * (size_t)d); /* evaluate uses it as scratch */
        move(m, share);
        status = evaluate(m, ctx, err);
        if (status != PARE_OK || m->primal <= before * (1 + SAME)) return status;
    }
    if (status != PARE_OK) return status;
    best_for_machine(m);
    return evaluate(m, ctx, err);
}

/* Whether every weight that may be above `least` agrees with its form: near there a weight has next
 * to no part in the gap. */
static bool is_settled(const square_mkl *m) {
    if (isinf(m->least)) return true;
    for (int64_t i = 0; i < m->n_active; i++) {
        double x = m->x[m->active[i]], s = m->s[m->active[i]];
        double to = s > 0 ? log(s / (2 * m->lambda2 * m->p)) / (m->p - 1) : -INFINITY;
        if (fmax(x, to) > log(m->least) && !(fabs(x - to) <= SETTLED)) return false;
    }
    return true;
}

static pare_status solve_at(square_mkl *m, double tol, double *dx, const pare_ctx *ctx,
                            pare_error *err) {
    double best = INFINITY;
    int64_t stuck = 0, first = m->steps, more = tol < STAGE_TOL ? MAX_MORE : 0;
    pare_status status = evaluate(m, ctx, err);
    while (status == PARE_OK && (!(square_mkl_gap(m) <= tol) || (more > 0 && !is_settled(m)))) {
        bool only_settles = square_mkl_gap(m) <= tol;
        if (only_settles) more--;
        if (ctx_stops(ctx, "lp-mkl", -1, &m->outcome)) break;
        stuck = square_mkl_gap(m) < 0.5 * best ? 0 : stuck + 1;
        best = fmin(best, square_mkl_gap(m));
        if (!only_settles && (m->steps - first >= MAX_STEPS || stuck > MAX_STUCK)) {
            m->outcome = PARE_MAX_ITER;
            break;
        }
        status = step(m, dx, ctx, err);
    }
    return status;
}

/* Removes kernels whose part in the objective is below this; returns true if K contains one of
 * them. */
static bool drop_weak(square_mkl *m) {
    bool some = false;
    double least = 0.01 * m->tol * m->primal / (double)m->data->d;
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        double eta = m->weight_of[j] * m->trace[j];
        if (eta == 0 || eta > m->least || eta * m->s[j] > least) continue;
        m->weight_of[j] = 0;
        some = true;
    }
    return some;
}

static pare_status finish(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    if (!drop_weak(m)) return PARE_OK;
    pare_status status = set_kernel(m, ctx, err);
    if (status == PARE_OK) status = solve_duals(m, ctx, err);
    if (status == PARE_OK) set_values(m);
    return status;
}

static void start_equal(square_mkl *m) {
    for (int64_t i = 0; i < m->n_active; i++) m->x[m->active[i]] = -log((double)m->n_active);
}

pare_status square_mkl_lambda2(double *out, square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    *out = 0;
    if (m->none) return PARE_OK;
    m->lambda2 = m->p = 1; /* of no importance here */
    start_equal(m);
    set_weights(m);
    pare_status status = set_kernel(m, ctx, err);
    if (status == PARE_OK) status = solve_duals(m, ctx, err);
    for (int64_t i = 0; i < m->n_active; i++) *out = fmax(*out, 0.5 * m->s[m->active[i]]);
    return status;
}

/* No kernel tells anything of y: f = 0. */
static pare_status solve_nothing(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    memset(m->K, 0, sizeof *m->K * (size_t)(m->n * m->n));
    pare_status status = solve_duals(m, ctx, err);
    if (status == PARE_OK) set_values(m);
    return status;
}

pare_status square_mkl_solve(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    double goal = m->p;
    double *dx = mem_alloc(ctx_allocator(ctx), m->data->d, sizeof *dx);
    if (!dx) return error_memory(err);
    pare_status status = PARE_OK;
    m->outcome = PARE_OPTIMAL;
    if (m->none) {
        mem_free(ctx_allocator(ctx), dx);
        return solve_nothing(m, ctx, err);
    }
    if (!m->started) {
        start_equal(m);
        m->p = fmax(goal, 2);
        while (status == PARE_OK && m->p > goal && m->outcome == PARE_OPTIMAL) {
            status = solve_at(m, STAGE_TOL, dx, ctx, err);
            m->p = fmax(goal, 1 + 0.5 * (m->p - 1));
        }
        m->p = goal;
        m->started = true;
    }
    if (status == PARE_OK && m->outcome == PARE_OPTIMAL) {
        status = solve_at(m, 0.5 * m->tol, dx, ctx, err);
        if (m->outcome == PARE_MAX_ITER && square_mkl_gap(m) <= m->tol) m->outcome = PARE_OPTIMAL;
    }
    if (status == PARE_OK) status = finish(m, ctx, err);
    mem_free(ctx_allocator(ctx), dx);
    return status;
}

/* --- beginning and end --- */

static pare_status allocate(square_mkl *m, pare_error *err) {
    int64_t n = m->n, d = m->data->d, c = m->c;
    PASS_MEM(ARENA_ZEROS(&m->mem, double, d, &m->trace, &m->gamma, &m->x, &m->s, &m->weight_of));
    PASS_MEM(m->active = ARENA_NEW(&m->mem, int64_t, d));
    PASS_MEM(ARENA_NEWS(&m->mem, double, d, &m->dx, &m->x_before, &m->s_before, &m->scratch));
    PASS_MEM(ARENA_NEWS(&m->mem, double, n *n, &m->K, &m->factor));
    PASS_MEM(ARENA_NEWS(&m->mem, double, n, &m->ridge, &m->t.s));
    PASS_MEM(ARENA_NEWS(&m->mem, double, n *c, &m->a, &m->t.v));
    PASS_MEM(m->free = ARENA_NEW(&m->mem, bool, n *c));
    for (int64_t e = 0; e < n * c; e++) m->free[e] = true;
    for (int64_t i = 0; i < n; i++) {
        m->t.total += m->t.s[i] = m->weight[i];
        for (int64_t o = 0; o < c; o++) m->t.v[i * c + o] = m->y[o * n + i];
    }
    return PARE_OK;
}

pare_status square_mkl_open(square_mkl *m, const pare_ctx *ctx, pare_error *err) {
    int64_t n = m->n = m->data->n, size = n * m->c;
    arena_init(&m->mem, ctx_allocator(ctx));
    m->t = (align_target){.n = n, .q = m->c, .factor = 1};
    double doubles = 2 * (double)n * (double)n + 2 * (double)size * (double)size;
    pare_status status =
        ctx_check_memory(ctx, 8 * doubles, "the systems of the samples and outputs", err);
    if (status == PARE_OK) status = allocate(m, err);
    if (status == PARE_OK)
        status = kernel_align(m->s, m->trace, m->gamma, m->data, &m->t, m->kind, m->given_gamma,
                              ctx, err);
    if (status != PARE_OK) return status;
    m->none = true;
    for (int64_t j = 0; j < m->data->d; j++) {
        if (m->trace[j] > 0) m->active[m->n_active++] = j;
        m->none &= !(m->trace[j] > 0 && m->s[j] > 0);
    }
    return kernel_columns_open(&m->columns, m->data, m->kind, m->gamma, m->trace, m->t.s, m->c, ctx,
                               err);
}

pare_status square_mkl_close(square_mkl *m, pare_status status, pare_error *err) {
    if (m->columns.x) status = kernel_columns_close(&m->columns, status, err);
    arena_free(&m->mem);
    return status;
}
