/* NAME       smo-mkl
 * PAPER      S. V. N. Vishwanathan, Z. Sun, N. Theera-Ampornpunt, M. Varma. Multiple kernel
 *            learning and the SMO algorithm. NIPS 2010; a comparator in lp-kta, with a
 *            kernel for each feature.
 * PROBLEM    minimise over d >= 0, f_ko in the space of K_k, b, outputs o
 *                1/2 sum_k sum_o |f_ko|^2 / d_k + lambda/2 |d|_p^2
 *                    + C sum_o sum_i s_i max(0, 1 - y_io (sum_k f_ko(x_i) + b_o)),   p > 1
 *            K_k: the kernel of feature k, centred and of trace 1. Two classes: one output;
 *            several: one against the rest, with weights in common. Dual:
 *                maximise sum alpha - |s|_q^2 / (8 lambda),
 *                s_k = sum_o u_o'K_k u_o, u_io = y_io alpha_io,
 *                0 <= alpha_io <= C s_i, sum_i u_io = 0, 1/p + 1/q = 1.
 * SYMBOLS    x = ln d (d); s (d); U: the signed duals, n x outputs; K = sum_k d_k K_k, n x n.
 * ALGORITHM  1. traces, gammas, and s of the duals that are at their bounds: C where automatic.
 *            2. method/kernel/svm_mkl.h: SVMs on K, Newton steps in ln d, p from 2
 *               down to its value.
 *            3. kernels without a part in the objective are removed; the rest are the support.
 * COST       each SVM: one pass with n^2 / 2 kernel values a feature that has a weight (squares
 *            of the samples off the base value for others), O(20 n) a feature for s; Newton's step
 *            two more of the cheap kind. Memory 5 n^2; nothing is n x d.
 * GUARANTEE  duality gap of the whole problem over all features, from raw data
 *            (certify/certify_smo_mkl.c). Score: the weight d_k; without one, s_k over the
 *            largest, less 1.
 * STOPPING   relative gap <= tol.
 * DEVIATIONS not SMO but Newton's method on the optimality conditions, which has the same solution
 *            (tests/ref/test_mkl.c); kernels are centred and of trace 1, as in lp-kta; C defaults
 *            by the data, lambda to 1 as in lp-kta's protocol: the two are one parameter. */

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/kernel/kernel_predictor.h"
#include "method/kernel/svm_mkl.h"
#include "solve/kernel/kernel_apply.h"

/* Weights as scores; features without one rank behind the others by their s. Sets cols and z as
 * well: the problem's own weights. */
static pare_status give_selection(fit_result *r, const svm_mkl *m, pare_error *err) {
    const fit_job *job = m->job;
    int64_t d = job->x->d;
    double most = 0;
    r->score = ARENA_NEW(&r->mem, double, d);
    r->support = ARENA_NEW(&r->mem, int64_t, d);
    r->cols = ARENA_NEW(&r->mem, int64_t, d);
    r->z = ARENA_NEW(&r->mem, double, d);
    if (!r->score || !r->support || !r->cols || !r->z) return error_memory(err);
    for (int64_t j = 0; j < d; j++) most = fmax(most, m->s[j]);
    for (int64_t j = 0; j < d; j++) {
        double eliminated = m->trace[j] > 0 && most > 0 ? m->s[j] / most - 1 : -1;
        r->score[j] = m->weight[j] > 0 ? m->weight[j] * m->trace[j] : fmin(eliminated, 0);
    }
    PASS(fit_rank(r, d, err));
    for (int64_t i = 0; i < d && m->weight[r->ranking[i]] > 0; i++) {
        int64_t j = r->ranking[i];
        r->support[r->n_support++] = j;
        r->cols[r->n_cols] = job->x->cols ? job->x->cols[j] : j;
        r->z[r->n_cols++] = r->score[j];
    }
    if (r->n_support > 0) return PARE_OK;
    return fit_note(r, err, "no feature's kernel tells the classes apart: none is selected");
}

static pare_status give_predictor(fit_result *r, const svm_mkl *m, const pare_ctx *ctx,
                                  pare_error *err) {
    weighted_kernels w = {m->kind, m->gamma, m->weight, m->tol, 1};
    kernel_solution s = {m->svm.U, m->svm.b, m->svm.dual, m->svm.c};
    r->objective = m->primal;
    r->outcome = m->outcome;
    r->iterations = m->iterations;
    return weighted_kernels_give(r, m->job, &w, &s, m->K, ctx, err);
}

static void set_problem(svm_mkl *m, smo_mkl_settings *s) {
    if (isnan(s->C)) s->C = svm_mkl_C(m, s->p, s->lambda, s->C_ratio);
    m->p = s->p;
    m->lambda = s->lambda;
    m->C = s->C;
    m->tol = s->tol;
}

pare_status smo_mkl_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    smo_mkl_settings *s = &fit_settings(r, job)->smo_mkl;
    svm_mkl m = {0};
    pare_status status = PARE_OK;
    TRY(weighted_kernels_check(job, "smo-mkl", err));
    TRY(svm_mkl_open(&m, job, s->kernel, s->gamma, ctx, err)); /* 1 */
    set_problem(&m, s);
    TRY(svm_mkl_solve(&m, ctx, err)); /* 2 */
    TRY(give_selection(r, &m, err));  /* 3 */
    TRY(give_predictor(r, &m, ctx, err));

done:
    return m.job ? svm_mkl_close(&m, status, err) : status;
}

/* --- along p --- */

/* Decision values of the test samples. The duals sum to 0: the first sample determines the shift of
 * centring. */
static pare_status score_test(double *F, const svm_mkl *m, const view *test, const pare_ctx *ctx,
                              pare_error *err) {
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    int64_t c = m->svm.c;
    TRY(give_selection(&r, m, err));
    TRY(give_predictor(&r, m, ctx, err));
    if (m->kind == KERNEL_LINEAR) {
        TRY(mat_mul(test, r.support, r.n_support, r.W, c, F, ctx, err));
    } else {
        kernel_sum sum = {m->kind, m->gamma, 1, m->weight};
        TRY(kernel_apply(F, m->job->x, test, &sum, m->svm.U, c, ctx, err));
    }
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < test->n; i++) F[o * test->n + i] += r.b[o];
done:
    fit_result_free(&r);
    return status;
}

/* Features with a weight, and those weights, best first. */
static pare_status keep(along_points *points, int64_t at, const svm_mkl *m, const pare_ctx *ctx,
                        pare_error *err) {
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = give_selection(&r, m, err);
    points->used[at] = r.n_support;
    if (status == PARE_OK) along_keep(points, at, r.support, r.z);
    fit_result_free(&r);
    return status;
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    smo_mkl_settings s = points->set->smo_mkl;
    svm_mkl m = {0};
    pare_status status = PARE_OK;
    TRY(weighted_kernels_check(job, "smo-mkl", err));
    TRY(svm_mkl_open(&m, job, s.kernel, s.gamma, ctx, err));
    for (int64_t i = points->count - 1; i >= 0; i--) { /* from the largest p down */
        smo_mkl_settings own = s;
        double before = m.C;
        own.p = points->value[i];
        set_problem(&m, &own);
        for (int64_t e = 0; m.started && e < m.t.n * m.t.q; e++) m.svm.dual[e] *= m.C / before;
        TRY(svm_mkl_solve(&m, ctx, err));
        if (m.outcome == PARE_CANCELLED || m.outcome == PARE_TIME_LIMIT) {
            status = error_set(err, PARE_E_CANCELLED, "stopped inside a path");
            goto done;
        }
        points->unconverged += m.outcome == PARE_MAX_ITER;
        TRY(keep(points, i, &m, ctx, err));
        if (points->F && (!points->want || points->want[i]))
            TRY(score_test(points->F + i * test->n * m.svm.c, &m, test, ctx, err));
    }

done:
    return m.job ? svm_mkl_close(&m, status, err) : status;
}

const method_along smo_mkl_along = {&along_powers, run_path, NULL};

/* The cost of SVMs on the kernels of all features, one after the other. */
effort_estimate smo_mkl_effort(const effort_job *job) {
    bool linear = choice_is(job->set->smo_mkl.kernel, "linear");
    return (effort_estimate){(linear ? 4e-6 : 1.8e-5) * job->stored,
                             linear ? NULL : "`kernel linear` is several times as fast"};
}
