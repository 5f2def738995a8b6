/* NAME       lp-mkl
 * PAPER      lp-kta, Appendix A, eq. (7); C. Cortes, M. Mohri, A. Rostamizadeh. L2 regularization
 *            for learning kernels. UAI 2009.
 * PROBLEM    minimise over eta >= 0, f_ko, outputs o
 *                1/2 sum_k sum_o |f_ko|^2 / eta_k + lambda1 sum_o sum_i s_i (y_io - f_o(x_i))^2
 *                    + lambda2 sum_k eta_k^p,   f_o = sum_k f_ko,   p > 1
 *            K_k: the kernel of feature k, centred and of trace 1; y centred: values, -1 and 1, or
 *            one output per class against the rest, with weights in common.
 * SYMBOLS    a: the dual, n x outputs; s_k = sum_o a_o'K_k a_o; eta (d).
 * ALGORITHM  1. traces, gammas; lambda1 and lambda2 where automatic.
 *            2. solve/kernel/square_mkl.h: Newton's steps in ln eta.
 *            3. features with eta_k > eps are the support. Where kernels below eps have a part in
 *               the objective, the caller solves again on the support alone.
 * COST       10 to 30 steps, each a pass with n^2 / 2 kernel values for a feature that has a weight
 *            (squares of the samples off the base value for others), O(20 n) a feature for s.
 *            Memory 4 n^2, for several classes 2 (n c)^2.
 * GUARANTEE  duality gap of the whole problem over all features, from raw data
 *            (certify/certify_lp_mkl.c). Score: the weight; without one, s_k over the largest,
 *            less 1.
 * STOPPING   relative gap <= tol.
 * DEVIATIONS an intercept: y and the kernels are centred; lambda1 and lambda2 default by the data;
 *            any kernels and several classes beside the paper's analysis (tests/ref/test_lp_mkl.c
 *            has its Theorems 3 and 4). */

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/kernel/kernel_predictor.h"
#include "solve/kernel/kernel_apply.h"
#include "solve/kernel/square_mkl.h"

static const double STEP_TOL = 1e-9; /* of a juncture's solves: it is a matter of one weight */

typedef struct lp_mkl {
    const fit_job *job;
    lp_mkl_settings *set; /* in effect */
    square_mkl solver;
    double *b; /* c: means of y */
    arena mem;
} lp_mkl;

/* --- the problem --- */

static double target_value(const target *y, int64_t c, int64_t o, int64_t i) {
    if (!y->cls) return y->value[i];
    return y->cls[i] == (c == 1 ? 1 : o) ? 1 : -1;
}

static pare_status set_target(lp_mkl *m, pare_error *err) {
    const fit_job *job = m->job;
    int64_t n = job->x->n, c = target_scores(job->y);
    double total, *weight = fit_weights(&m->mem, job->weight, n, &total);
    double *y = ARENA_NEW(&m->mem, double, n *c);
    m->b = ARENA_ZERO(&m->mem, double, c);
    if (!weight || !y || !m->b) return error_memory(err);
    for (int64_t o = 0; o < c; o++) {
        for (int64_t i = 0; i < n; i++) {
            y[o * n + i] = target_value(job->y, c, o, i);
            m->b[o] += weight[i] * y[o * n + i] / total;
        }
        for (int64_t i = 0; i < n; i++) y[o * n + i] -= m->b[o];
    }
    m->solver.weight = weight;
    m->solver.y = y;
    m->solver.c = c;
    return PARE_OK;
}

/* Kernel ridge regression with C = 2 lambda1 on a kernel of trace 1. */
static pare_status settle_lambdas(lp_mkl *m, const pare_ctx *ctx, pare_error *err) {
    lp_mkl_settings *s = m->set;
    double total = 0, most = 1;
    for (int64_t i = 0; i < m->job->x->n; i++) total += m->solver.weight[i];
    if (isnan(s->lambda1)) s->lambda1 = 0.5 * s->lambda1_ratio * total;
    m->solver.lambda1 = s->lambda1;
    if (isnan(s->lambda2)) {
        PASS(square_mkl_lambda2(&most, &m->solver, ctx, err));
        s->lambda2 = s->lambda2_ratio * (most > 0 ? most : 1);
    }
    m->solver.lambda2 = s->lambda2;
    return PARE_OK;
}

static pare_status open_problem(lp_mkl *m, const fit_job *job, lp_mkl_settings *set,
                                const pare_ctx *ctx, pare_error *err) {
    *m = (lp_mkl){.job = job, .set = set};
    arena_init(&m->mem, ctx_allocator(ctx));
    m->solver = (square_mkl){.data = job->x,
                             .kind = kernel_named(set->kernel),
                             .given_gamma = set->gamma,
                             .tol = set->tol,
                             .least = job->refit ? INFINITY : set->eps};
    pare_status status = weighted_kernels_check(job, "lp-mkl", err);
    if (status == PARE_OK) status = set_target(m, err);
    if (status == PARE_OK) status = square_mkl_open(&m->solver, ctx, err); /* 1 */
    if (status == PARE_OK) status = settle_lambdas(m, ctx, err);
    m->solver.p = set->p;
    return status;
}

static pare_status close_problem(lp_mkl *m, pare_status status, pare_error *err) {
    if (m->solver.mem.mem.alloc || m->solver.n) status = square_mkl_close(&m->solver, status, err);
    arena_free(&m->mem);
    return status;
}

/* --- results --- */

/* Weights as scores; features without one rank behind the others by their s. The problem's own
 * weights are cols and z; those above eps are the support. */
static pare_status give_selection(fit_result *r, const lp_mkl *m, pare_error *err) {
    const fit_job *job = m->job;
    const square_mkl *v = &m->solver;
    int64_t d = job->x->d;
    double most = 0, least = job->refit ? 0 : m->set->eps;
    r->score = ARENA_NEW(&r->mem, double, d);
    r->support = ARENA_NEW(&r->mem, int64_t, d);
    r->cols = ARENA_NEW(&r->mem, int64_t, d);
    r->z = ARENA_NEW(&r->mem, double, d);
    if (!r->score || !r->support || !r->cols || !r->z) return error_memory(err);
    for (int64_t j = 0; j < d; j++) most = fmax(most, v->s[j]);
    for (int64_t j = 0; j < d; j++) {
        double eliminated = v->trace[j] > 0 && most > 0 ? v->s[j] / most - 1 : -1;
        r->score[j] = v->weight_of[j] > 0 ? v->weight_of[j] * v->trace[j] : fmin(eliminated, 0);
    }
    PASS(fit_rank(r, d, err));
    for (int64_t i = 0; i < d && v->weight_of[r->ranking[i]] > 0; i++) {
        int64_t j = r->ranking[i];
        if (r->score[j] > least) r->support[r->n_support++] = j;
        r->cols[r->n_cols] = job->x->cols ? job->x->cols[j] : j;
        r->z[r->n_cols++] = r->score[j];
    }
    r->wider = r->n_support < r->n_cols;
    if (r->n_support > 0 || job->refit) return PARE_OK;
    if (r->n_cols == 0)
        return fit_note(r, err,
                        "no feature's kernel tells anything of the target: none is "
                        "selected");
    return fit_note(r, err,
                    "no weight is above `eps` %g, the largest is %.3g: none is selected; a smaller "
                    "`eps` or `lambda2` selects more",
                    m->set->eps, r->z[0]);
}

static pare_status give_predictor(fit_result *r, const lp_mkl *m, const pare_ctx *ctx,
                                  pare_error *err) {
    const square_mkl *v = &m->solver;
    weighted_kernels w = {v->kind, v->gamma, v->weight_of, m->set->tol, 1};
    kernel_solution s = {v->a, m->b, v->a, v->c};
    r->objective = v->primal;
    r->outcome = v->outcome;
    r->iterations = v->steps;
    return weighted_kernels_give(r, m->job, &w, &s, v->K, ctx, err);
}

static pare_status give(fit_result *r, const lp_mkl *m, const pare_ctx *ctx, pare_error *err) {
    pare_status status = give_selection(r, m, err);
    return status == PARE_OK ? give_predictor(r, m, ctx, err) : status;
}

pare_status lp_mkl_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    lp_mkl m;
    pare_status status = PARE_OK;
    TRY(open_problem(&m, job, &fit_settings(r, job)->lp_mkl, ctx, err));
    TRY(square_mkl_solve(&m.solver, ctx, err)); /* 2 */
    TRY(give(r, &m, ctx, err));                 /* 3 */
done:
    return close_problem(&m, status, err);
}

/* --- along p --- */

/* Decision values of the test samples by the predictor of r on the job. */
static pare_status score(double *F, const fit_job *job, const view *test, const fit_result *r,
                         const pare_ctx *ctx, pare_error *err) {
    pare_status status;
    int64_t c = r->n_outputs;
    if (!r->kernel) {
        status = mat_mul(test, r->support, r->n_support, r->W, c, F, ctx, err);
    } else {
        kernel_kind kind = kernel_named(r->kernel->type);
        kernel_sum sum = {kind, r->kernel->gammas, 1, r->kernel->weights};
        status = kernel_apply(F, job->x, test, &sum, r->kernel->U, c, ctx, err);
    }
    for (int64_t o = 0; o < c && status == PARE_OK; o++)
        for (int64_t i = 0; i < test->n; i++) F[o * test->n + i] += r->b[o];
    return status;
}

/* The same, where weights below eps have a part: of the problem on the support alone. */
static pare_status score_support(double *F, const lp_mkl *m, const view *test, const fit_result *r,
                                 const pare_ctx *ctx, pare_error *err) {
    if (!r->wider) return score(F, m->job, test, r, ctx, err);
    view small = *m->job->x, other = *test;
    fit_job job = *m->job;
    fit_result own;
    fit_result_init(&own, ctx);
    job.x = &small;
    job.refit = true;
    job.selected = &r->set;
    small.cols = other.cols = r->cols; /* the support comes first */
    small.d = other.d = r->n_support;
    pare_status status = lp_mkl_fit(&own, &job, ctx, err);
    if (status == PARE_OK) status = score(F, &job, &other, &own, ctx, err);
    fit_result_free(&own);
    return status;
}

/* Solves at p and gives the solution. */
static pare_status give_at(lp_mkl *m, double p, fit_result *r, const pare_ctx *ctx,
                           pare_error *err) {
    m->solver.p = p;
    PASS(square_mkl_solve(&m->solver, ctx, err));
    if (m->solver.outcome == PARE_CANCELLED || m->solver.outcome == PARE_TIME_LIMIT)
        return error_set(err, PARE_E_CANCELLED, "stopped inside a path");
    r->set = *m->job->set;
    r->set.lp_mkl = *m->set;
    r->set.lp_mkl.p = p;
    return give(r, m, ctx, err);
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    lp_mkl_settings set = points->set->lp_mkl;
    lp_mkl m;
    pare_status status = PARE_OK;
    fit_result r;
    fit_result_init(&r, ctx);
    TRY(open_problem(&m, job, &set, ctx, err));
    for (int64_t i = points->count - 1; i >= 0; i--) { /* from the largest p down */
        fit_result_free(&r);
        fit_result_init(&r, ctx);
        TRY(give_at(&m, points->value[i], &r, ctx, err));
        points->unconverged += r.outcome == PARE_MAX_ITER;
        points->used[i] = r.n_support;
        along_keep(points, i, r.support, r.z);
        if (points->F && (!points->want || points->want[i]))
            TRY(score_support(points->F + i * test->n * m.solver.c, &m, test, &r, ctx, err));
    }
done:
    fit_result_free(&r);
    return close_problem(&m, status, err);
}

/* --- from p to p, for junctures --- */

typedef struct stepper {
    lp_mkl m;
    lp_mkl_settings set;
} stepper;

static pare_status close_steps(void *solver, pare_status status, const pare_ctx *ctx,
                               pare_error *err) {
    stepper *w = solver;
    status = close_problem(&w->m, status, err);
    mem_free(ctx_allocator(ctx), w);
    return status;
}

static pare_status open_steps(void **solver, const fit_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    stepper *w = mem_zero(ctx_allocator(ctx), 1, sizeof *w);
    *solver = w;
    if (!w) return error_memory(err);
    w->set = job->set->lp_mkl;
    w->set.tol = fmin(w->set.tol, STEP_TOL);
    return open_problem(&w->m, job, &w->set, ctx, err);
}

static pare_status step_to(void *solver, double p, fit_result *r, const pare_ctx *ctx,
                           pare_error *err) {
    return give_at(&((stepper *)solver)->m, p, r, ctx, err);
}

const method_along lp_mkl_along = {&along_powers, run_path, NULL};
const method_walk lp_mkl_steps = {open_steps, step_to, close_steps};

/* The cost of kernel machines on the kernels of all features, one after the other. */
effort_estimate lp_mkl_effort(const effort_job *job) {
    bool linear = choice_is(job->set->lp_mkl.kernel, "linear");
    return (effort_estimate){(linear ? 4e-6 : 1.8e-5) * job->stored,
                             linear ? NULL : "`kernel linear` is several times as fast"};
}
