#include "method/kernel/svm_mkl.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/kernel/kernel_sum.h"
#include "solve/kernel/mkl_newton.h"

static const double MIN_WEIGHT = 1e-14;        /* of the largest weight: smaller ones are left out
                                                  of K */
static const double STAGE_TOL = 5e-2;          /* relative gap at intermediate p */
static const double FIRST_SVM = 1e-3;          /* relative gap of the first SVMs */
static const double MAX_UP = 3, MAX_DOWN = 60; /* of ln d in a step */
static const double FLOOR = 400;               /* ln d below the largest */
static const double AT_BOUND = 1e-9;           /* of C: a dual this close to its bound is at it */
enum { MAX_SVMS = 300, MAX_HALVINGS = 4 };

/* --- norms in logarithms: s^q underflows where p is near 1 --- */

/* ln |s|_q over the active features, -inf: all are 0. */
static double log_norm(const svm_mkl *m, const double *s, double q) {
    double most = 0, sum = 0;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, s[m->active[i]]);
    if (most == 0) return -INFINITY;
    for (int64_t i = 0; i < m->n_active; i++) sum += exp(q * log(s[m->active[i]] / most));
    return log(most) + log(sum) / q;
}

/* x of the weights that are optimal for s: d_k = s_k^(q-1) |s|_q^(2-q) / (2 lambda). */
static void best_for_duals(svm_mkl *m, const double *s) {
    double q = m->p / (m->p - 1), norm = log_norm(m, s, q);
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        m->x[j] = (q - 1) * log(s[j]) + (2 - q) * norm - log(2 * m->lambda);
    }
}

/* x of the weights that are optimal for the current SVMs, |f_k|^2 = d_k^2 s_k. */
static void best_for_machines(svm_mkl *m) {
    double p = m->p, most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        m->dx[j] = (2 * m->x_before[j] + log(m->s[j])) / (p + 1);
        most = fmax(most, m->dx[j]);
    }
    for (int64_t i = 0; i < m->n_active; i++) sum += exp(p * (m->dx[m->active[i]] - most));
    double M = most + log(fmax(sum, 1)) / p, shift = -(log(2 * m->lambda) + (2 - p) * M) / 3;
    for (int64_t i = 0; i < m->n_active; i++) m->x[m->active[i]] = m->dx[m->active[i]] + shift;
}

/* Bounds weights from below, so that each can grow again. */
static void keep_near(svm_mkl *m) {
    double most = -INFINITY;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, m->x[m->active[i]]);
    for (int64_t i = 0; i < m->n_active; i++) {
        double *x = &m->x[m->active[i]];
        if (!(*x >= most - FLOOR)) *x = most - FLOOR;
    }
}

/* --- SVMs --- */

static double *duals_as_target(svm_mkl *m) {
    for (int64_t i = 0; i < m->t.n; i++)
        for (int64_t o = 0; o < m->t.q; o++) m->t.v[i * m->t.q + o] = m->svm.U[o * m->t.n + i];
    return m->t.v;
}

/* s of all features for the duals in the target. */
static pare_status forms(svm_mkl *m, double *s, const pare_ctx *ctx, pare_error *err) {
    return kernel_align(s, m->a, m->gamma, m->job->x, &m->t, m->kind, m->gamma_given, ctx, err);
}

static pare_status set_kernel(svm_mkl *m, const pare_ctx *ctx, pare_error *err) {
    double most = -INFINITY;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, m->x[m->active[i]]);
    m->least = MIN_WEIGHT * exp(most);
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        double d = exp(m->x[j]);
        m->weight[j] = d > m->least ? d / m->trace[j] : 0;
    }
    kernel_sum sum = {m->kind, m->gamma, 1, m->weight};
    pare_status status = kernel_sum_gram(&m->K, m->job->x, &sum, ctx, err);
    return status == PARE_OK ? kernel_sum_centre(m->K, m->t.s, m->t.n, ctx, err) : status;
}

/* Both objectives. */
static void set_values(svm_mkl *m) {
    double q = m->p / (m->p - 1), sum = 0;
    mkl_point at = {.p = m->p, .n_active = m->n_active, .active = m->active, .x = m->x};
    for (int64_t e = 0; e < m->t.n * m->t.q; e++) sum += m->svm.dual[e];
    m->primal = m->svm.objective + 0.5 * m->lambda * exp(2 * mkl_log_norm(&at));
    m->dual = sum - exp(2 * log_norm(m, m->s, q)) / (8 * m->lambda);
}

static double gap(const svm_mkl *m) {
    double size = fmax(fabs(m->primal), fabs(m->dual)), off = m->primal - m->dual;
    return off <= 0 ? 0 : off / size;
}

/* Solves the SVMs on K at x, and computes s and the objectives. */
static pare_status evaluate(svm_mkl *m, double svm_tol, const pare_ctx *ctx, pare_error *err) {
    PASS(set_kernel(m, ctx, err));
    m->svm.C = m->C;
    m->svm.tol_rel = svm_tol;
    m->svm.warm = m->started;
    PASS(gram_svm_solve(&m->svm, m->K, ctx, err));
    m->started = true;
    m->iterations++;
    duals_as_target(m);
    pare_status status = forms(m, m->s, ctx, err);
    set_values(m);
    ctx_log(ctx, PARE_LOG_DEBUG, "smo-mkl: p %g, objective %.9g, relative gap %.2g", m->p,
            m->primal, gap(m));
    return status;
}

/* --- steps --- */

static void mark_free(svm_mkl *m) {
    int64_t n = m->t.n;
    for (int64_t e = 0; e < n * m->t.q; e++) {
        double C = m->C * m->t.s[e % n], alpha = m->svm.dual[e];
        m->free[e] = alpha > AT_BOUND * C && alpha < (1 - AT_BOUND) * C;
    }
}

/* An active feature with s = 0 has no logarithm. */
static void lift_forms(svm_mkl *m) {
    double most = 0;
    for (int64_t i = 0; i < m->n_active; i++) most = fmax(most, m->s[m->active[i]]);
    for (int64_t i = 0; i < m->n_active; i++) {
        double *s = &m->s[m->active[i]];
        *s = fmax(*s, 1e-300 + 1e-30 * most);
    }
}

static void move(svm_mkl *m, double share) {
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        double by = share * fmin(fmax(m->dx[j], -MAX_DOWN), MAX_UP);
        m->x[j] = m->x_before[j] + by;
    }
    keep_near(m);
}

/* From x_before to a better x. Changes m->s and the SVMs with it. */
static pare_status step(svm_mkl *m, double svm_tol, double *s_before, const pare_ctx *ctx,
                        pare_error *err) {
    pare_status status;
    bool found;
    double before = m->primal, slack = 2 * svm_tol * fabs(before);
    int64_t d = m->job->x->d;
    lift_forms(m);
    mark_free(m);
    memcpy(m->x_before, m->x, sizeof *m->x * (size_t)d);
    memcpy(s_before, m->s, sizeof *m->s * (size_t)d);
    mkl_point at = {.p = m->p,
                    .lambda = m->lambda,
                    .n_active = m->n_active,
                    .active = m->active,
                    .x = m->x,
                    .s = m->s,
                    .K = m->K,
                    .U = m->svm.U,
                    .free = m->free,
                    .least = m->least};
    PASS(mkl_newton(m->dx, &found, &at, &m->columns, ctx, err));
    double share = 1;
    for (int try = 0; found && try < MAX_HALVINGS; try++, share *= 0.25) {
        move(m, share);
        status = evaluate(m, svm_tol, ctx, err);
        if (status != PARE_OK || m->primal <= before + slack) return status;
    }
    memcpy(m->s, s_before, sizeof *m->s * (size_t)d);
    best_for_machines(m);
    keep_near(m);
    return evaluate(m, svm_tol, ctx, err);
}

static pare_status solve_at(svm_mkl *m, double tol, double *s_before, const pare_ctx *ctx,
                            pare_error *err) {
    double svm_tol = FIRST_SVM, best = INFINITY;
    int64_t stuck = 0;
    pare_status status = evaluate(m, svm_tol, ctx, err);
    while (status == PARE_OK && !(gap(m) <= tol)) {
        if (ctx_stops(ctx, "smo-mkl", -1, &m->outcome)) break;
        if (m->svm.outcome == PARE_CANCELLED || m->svm.outcome == PARE_TIME_LIMIT) {
            m->outcome = m->svm.outcome;
            break;
        }
        stuck = gap(m) < 0.5 * best ? 0 : stuck + 1;
        best = fmin(best, gap(m));
        if (m->iterations >= MAX_SVMS || stuck > 50) {
            m->outcome = PARE_MAX_ITER;
            break;
        }
        svm_tol = fmax(0.1 * tol, fmin(svm_tol, 0.01 * gap(m)));
        status = step(m, svm_tol, s_before, ctx, err);
    }
    return status;
}

/* Removes kernels whose part in the objective is below this; returns true if K contains one of
 * them. */
static bool drop_weak(svm_mkl *m) {
    bool some = false;
    double least = 0.01 * m->tol * m->primal / (double)m->job->x->d;
    for (int64_t i = 0; i < m->n_active; i++) {
        int64_t j = m->active[i];
        if (m->weight[j] == 0 || m->weight[j] * m->trace[j] * m->s[j] > least) continue;
        m->weight[j] = 0;
        some = true;
    }
    return some;
}

/* The SVMs without the kernels that drop_weak removed from K. */
static pare_status finish(svm_mkl *m, const pare_ctx *ctx, pare_error *err) {
    kernel_sum sum = {m->kind, m->gamma, 1, m->weight};
    if (!drop_weak(m)) return PARE_OK;
    pare_status status = kernel_sum_gram(&m->K, m->job->x, &sum, ctx, err);
    if (status == PARE_OK) status = kernel_sum_centre(m->K, m->t.s, m->t.n, ctx, err);
    m->svm.warm = true;
    if (status == PARE_OK) status = gram_svm_solve(&m->svm, m->K, ctx, err);
    if (status != PARE_OK) return status;
    duals_as_target(m);
    return forms(m, m->s, ctx, err);
}

/* All s are 0: the SVM is its intercept. */
static pare_status solve_nothing(svm_mkl *m, const pare_ctx *ctx, pare_error *err) {
    int64_t n = m->t.n;
    memset(m->K, 0, sizeof *m->K * (size_t)(n * n));
    m->svm.C = m->C;
    m->svm.tol_rel = m->tol;
    m->svm.warm = false;
    pare_status status = gram_svm_solve(&m->svm, m->K, ctx, err);
    m->primal = m->svm.objective;
    m->dual = m->svm.dual_value;
    return status;
}

pare_status svm_mkl_solve(svm_mkl *m, const pare_ctx *ctx, pare_error *err) {
    int64_t d = m->job->x->d;
    double goal = m->p, tol = m->tol;
    m->outcome = PARE_OPTIMAL;
    if (isinf(log_norm(m, m->null_s, 2))) return solve_nothing(m, ctx, err);
    double *s_before = mem_alloc(ctx_allocator(ctx), d, sizeof *s_before);
    if (!s_before) return error_memory(err);
    pare_status status = PARE_OK;
    if (!m->started) {
        m->p = fmax(goal, 2);
        for (int64_t i = 0; i < m->n_active; i++) {
            int64_t j = m->active[i];
            m->s[j] = m->null_s[j] * m->C * m->C;
        }
        lift_forms(m);
        best_for_duals(m, m->s);
        keep_near(m);
        while (status == PARE_OK && m->p > goal && m->outcome == PARE_OPTIMAL) {
            status = solve_at(m, STAGE_TOL, s_before, ctx, err);
            m->p = fmax(goal, 1 + 0.5 * (m->p - 1));
        }
        m->p = goal;
    }
    if (status == PARE_OK && m->outcome == PARE_OPTIMAL) {
        status = solve_at(m, 0.5 * tol, s_before, ctx, err);
        if (m->outcome == PARE_MAX_ITER && gap(m) <= tol) m->outcome = PARE_OPTIMAL;
    }
    if (status == PARE_OK) status = finish(m, ctx, err);
    mem_free(ctx_allocator(ctx), s_before);
    return status;
}

double svm_mkl_C(const svm_mkl *m, double p, double lambda, double ratio) {
    double q = p / (p - 1), norm = log_norm(m, m->null_s, q), trace = 0;
    if (isinf(norm)) return ratio;
    for (int64_t i = 0; i < m->n_active; i++) {
        double s = m->null_s[m->active[i]];
        if (s > 0) trace += exp((q - 1) * log(s) + (2 - q) * norm) / (2 * lambda);
    }
    return cbrt(ratio * m->t.total / trace);
}

/* --- beginning and end --- */

/* Duals for C = 1 with every sample at its bound, except to balance the two sides. */
static void null_duals(svm_mkl *m) {
    int64_t n = m->t.n;
    for (int64_t o = 0; o < m->t.q; o++) {
        double side[2] = {0, 0};
        int32_t positive = (int32_t)(m->t.q == 1 ? 1 : o);
        for (int64_t i = 0; i < n; i++) side[m->job->y->cls[i] == positive] += m->t.s[i];
        double lighter = fmin(side[0], side[1]);
        for (int64_t i = 0; i < n; i++) {
            bool own = m->job->y->cls[i] == positive;
            double share = side[own] > 0 ? lighter / side[own] : 0;
            m->t.v[i * m->t.q + o] = (own ? 1 : -1) * share * m->t.s[i];
        }
    }
}

static pare_status allocate(svm_mkl *m, pare_error *err) {
    const fit_job *job = m->job;
    int64_t n = job->x->n, d = job->x->d, c = m->t.q;
    PASS_MEM(ARENA_ZEROS(&m->mem, double, d, &m->trace, &m->gamma, &m->x, &m->s, &m->null_s,
                         &m->weight, &m->a, &m->dx, &m->x_before));
    PASS_MEM(m->active = ARENA_NEW(&m->mem, int64_t, d));
    PASS_MEM(m->K = ARENA_NEW(&m->mem, double, n *n));
    PASS_MEM(m->free = ARENA_NEW(&m->mem, bool, n *c));
    PASS_MEM(m->t.v = ARENA_NEW(&m->mem, double, n *c));
    PASS_MEM(m->t.s = fit_weights(&m->mem, job->weight, n, &m->t.total));
    return gram_svm_init(&m->svm, &m->mem, job, "ovr", err);
}

pare_status svm_mkl_open(svm_mkl *m, const fit_job *job, const char *kernel, double gamma,
                         const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    *m = (svm_mkl){.job = job, .kind = kernel_named(kernel), .gamma_given = gamma};
    arena_init(&m->mem, ctx_allocator(ctx));
    m->t = (align_target){.n = n, .q = target_scores(job->y), .factor = 1};
    pare_status status = ctx_check_memory(ctx, 24 * (double)n * (double)n,
                                          "the kernel matrices of the samples", err);
    if (status == PARE_OK) status = allocate(m, err);
    if (status != PARE_OK) return status;
    null_duals(m);
    PASS(kernel_align(m->null_s, m->trace, m->gamma, job->x, &m->t, m->kind, gamma, ctx, err));
    for (int64_t j = 0; j < d; j++)
        if (m->trace[j] > 0) m->active[m->n_active++] = j;
    return kernel_columns_open(&m->columns, job->x, m->kind, m->gamma, m->trace, m->t.s, m->t.q,
                               ctx, err);
}

pare_status svm_mkl_close(svm_mkl *m, pare_status status, pare_error *err) {
    if (m->columns.x) status = kernel_columns_close(&m->columns, status, err);
    arena_free(&m->mem);
    return status;
}
