/* NAME       svm
 * PAPER      C. Cortes, V. Vapnik. Support-vector networks. Machine Learning 20:273-297, 1995, as in
 *            zero-norm section 2 (Problems 3 and 4); ww: J. Weston, C. Watkins. Support vector
 *            machines for multi-class pattern recognition. ESANN 1999.
 * PROBLEM    minimise over w, b   1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i f_i)     (slack hinge)
 *            with f_i = w'x_i + b, sample weights s_i; C = inf: hard margins. A ridge r > 0
 *            replaces the second term by (1/2r) sum_i s_i max(0, 1 - y_i f_i)^2; slack squared is
 *            ridge 1/C. Slack zero: C sum_i s_i ln(0.001 + slack_i), method/svm/zero_slack.c.
 *            Several classes: one such problem per class against the rest, objectives added;
 *            one per pair of classes on their samples alone, objectives added, whose outputs vote
 *            (ovo; model/predictor.h); or all together (ww; solve/ww_dual):
 *            1/2 sum_k |w_k|^2 + C sum_i s_i sum_{m != y_i} max(0, 1 - f_i,y_i + f_i,m).
 *            Kernels: the same with f_i = sum_j alpha_j y_j k(x_j, x_i) + b.
 * SYMBOLS    K: n x n Gram of the scaled data; alpha: n duals, >= 0, per output; U = alpha.y.
 * ALGORITHM  1. K = X X'.  2. the dual (Problem 4) per output by solve/svm_dual.  3. w = X'U.
 * COST       2 passes over X (Gram, weights); memory n^2 + d c.
 * GUARANTEE  duality gap from raw data and the stored alpha (certify/certify_svm.c).
 * STOPPING   relative gap <= tol.
 * DEVIATIONS Problem 3 lacks its 1/2. Hard margins on inseparable data are certified infeasible and
 *            rejected, or get the ridge 1e-6 tr(K)/n where the caller allows (the paper's C = inf
 *            is not literal; tests/cert/test_svm.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/svm/gram_svm.h"
#include "method/kernel/kernel.h"

/* From a nearly correct start, convergence could end early: it is solved as far as from a cold
 * start. */
static const double SHARPER = 1e-4;

static pare_status refuse(const gram_svm *g, pare_error *err) {
    int64_t positive = g->c == 1 ? 1 : g->inseparable;
    if (g->together)
        return error_set(err, PARE_E_INFEASIBLE,
                         "no hyperplanes separate all classes at once, so hard margins (C = inf) "
                         "have no solution: allow errors with `C` (a number) or `ridge`");
    if (g->pairs) {
        int32_t pair[2];
        class_pair(g->inseparable, g->y->n_classes, pair);
        return error_set(err, PARE_E_INFEASIBLE,
                         "no hyperplane separates class \"%.64s\" from class \"%.64s\", so hard "
                         "margins (C = inf) have no solution: allow errors with `C` (a number) or "
                         "`ridge`",
                         g->y->classes[pair[0]], g->y->classes[pair[1]]);
    }
    return error_set(err, PARE_E_INFEASIBLE,
                     "no hyperplane separates class \"%.64s\" from %s, so hard margins (C = "
                     "inf) have no solution: "
                     "allow errors with `C` (a number) or `ridge`",
                     g->y->classes[positive], g->c == 1 ? "the other" : "the rest");
}

/* Stores the solution itself: its dual does not determine the slacks of the zero-slack
 * objective. */
static pare_status keep_point(fit_result *r, const double *W, int64_t d, int64_t c,
                              pare_error *err) {
    r->point = ARENA_NEW(&r->mem, int64_t, d);
    r->point_W = ARENA_NEW(&r->mem, double, d *c);
    r->point_b = r->b;
    if (!r->point || !r->point_W) return error_memory(err);
    r->n_point = d;
    for (int64_t j = 0; j < d; j++) r->point[j] = j;
    memcpy(r->point_W, W, sizeof(double) * (size_t)(d * c));
    return PARE_OK;
}

/* With a kernel features rank by the decrease of |w|^2 without each (zero-norm section 4.3). */
static pare_status rank_by_kernel(fit_result *r, const fit_job *job, const fit_kernel *k,
                                  const gram_svm *g, const double *sums, const pare_ctx *ctx,
                                  pare_error *err) {
    int64_t d = job->x->d, *own = mem_alloc(&r->mem.mem, d, sizeof *own);
    pare_status status = PARE_OK;
    TRY_MEM(own);
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    for (int64_t j = 0; j < d; j++) own[j] = j;
    TRY(kernel_contributions(k, job->x, own, d, sums, g->U, g->c, r->score, ctx, err));
    TRY(fit_rank(r, d, err));
    TRY(kernel_predictor(r, k, job->x, g->U, g->c, ctx, err));
done:
    mem_free(&r->mem.mem, own);
    return status;
}

pare_status svm_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    svm_settings *s = &fit_settings(r, job)->svm;
    s->gamma = job->set->svm.gamma; /* an automatic one depends on the job's own columns */
    if (choice_is(s->slack, "squared") && s->ridge == 0) s->ridge = 1 / s->C;
    if (choice_is(s->slack, "zero") && (s->ridge > 0 || isinf(s->C)))
        return error_set(err, PARE_E_ARGUMENT,
                         "`slack`: zero needs a finite C and no ridge (C is %g, ridge %g)", s->C,
                         s->ridge);
    if (choice_is(s->slack, "zero") && choice_is(s->multiclass, "ovo"))
        return error_set(err, PARE_E_ARGUMENT,
                         "`slack`: zero goes with multiclass ovr or ww, multiclass is ovo");
    if (s->ridge > 0) strcpy(s->slack, "squared");
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;

    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    gram_svm g;
    TRY(gram_svm_init(&g, &scratch, job, s->multiclass, err));
    g.C = s->C;
    g.ridge = s->ridge;
    g.tol_rel = s->tol;
    g.flat_tol = job->refit ? s->tol : 0;
    int64_t c = g.c;
    if (job->start && !choice_is(s->slack, "zero")) {
        memcpy(g.dual, job->start, sizeof(double) * (size_t)(n * c));
        g.warm = true;
        g.tol_rel = fmax(SHARPER * s->tol, 1e-12);
    }
    bool linear = choice_is(s->kernel, "linear");
    bool centred = !choice_is(s->kernel, "poly");
    view x = fit_centred(job);
    fit_kernel k;
    double *K = ARENA_NEW(&scratch, double, n *n), *sums = NULL, *W = NULL;
    TRY_MEM(K);
    if (linear)
        TRY_MEM(W = ARENA_NEW(&scratch, double, d *c));
    else
        TRY_MEM(sums = ARENA_NEW(&scratch, double, n *n));
    if (!linear)
        TRY(kernel_make(&k, s->kernel, s->gamma, s->degree, s->coef0, job->x, job->weight, ctx,
                        err));
    TRY_MEM(r->dual = ARENA_NEW(&r->mem, double, n *c));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, c));
    TRY(fit_gram(job, centred, linear ? K : sums, ctx, err)); /* 1 */
    if (!linear) {
        kernel_sums(&k, sums, n);
        kernel_gram(&k, sums, n, K);
    }
    if (choice_is(s->slack, "zero")) /* 2 */
        TRY(gram_svm_zero_slack(&g, &scratch, K, ctx, err));
    else if (job->auto_ridge)
        TRY(gram_svm_solve_anyhow(&g, r, K, ctx, err));
    else
        TRY(gram_svm_solve(&g, K, ctx, err));
    if (g.inseparable >= 0) {
        status = refuse(&g, err);
        goto done;
    }
    s->ridge = g.ridge;
    r->objective = g.objective;
    bool close = g.objective - g.dual_value <= s->tol * fabs(g.objective);
    r->outcome = g.outcome == PARE_MAX_ITER && close ? PARE_OPTIMAL : g.outcome;
    r->iterations = g.iterations;
    r->n_dual = c;
    if (g.pairs) r->decides = BY_PAIRS;
    memcpy(r->dual, g.dual, sizeof(double) * (size_t)(n * c));
    memcpy(r->b, g.b, sizeof(double) * (size_t)c);
    if (linear) { /* 3 */
        TRY(mat_tmul(&x, g.U, c, W, ctx, err));
        for (int64_t o = 0; o < c; o++)
            for (int64_t j = 0; j < d; j++) r->b[o] -= W[o * d + j] * fit_moved(job, j);
        TRY(fit_support(r, W, d, c, err));
        if (choice_is(s->slack, "zero")) TRY(keep_point(r, W, d, c, err));
    } else {
        TRY(rank_by_kernel(r, job, &k, &g, sums, ctx, err));
        s->gamma = k.gamma;
    }

done:
    arena_free(&scratch);
    return status;
}
