/* NAME       svm
 * PAPER      zero-norm section 2 (Problems 3 and 4); the final classifier of every pure selector.
 * PROBLEM    minimise over w, b   1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i f_i)     (slack hinge)
 *            with f_i = w'x_i + b, sample weights s_i; C = inf: hard margins. A ridge r > 0 replaces
 *            the second term by (1/2r) sum_i s_i max(0, 1 - y_i f_i)^2; slack squared is ridge 1/C.
 *            Several classes: one such problem per class against the rest, objectives added.
 * SYMBOLS    K: n x n Gram of the scaled data; alpha: n duals, >= 0, per output; U = alpha.y.
 * ALGORITHM  1. K = X X'.  2. the dual (Problem 4) per output by solve/svm_dual.  3. w = X'U.
 * COST       2 passes over X (Gram, weights); memory n^2 + d c.
 * GUARANTEE  duality gap from raw data and the stored alpha (certify/certify_svm.c).
 * STOPPING   relative gap <= tol.
 * DEVIATIONS Problem 3 lacks its 1/2. Hard margins on inseparable data are proved impossible and
 *            refused, or get the ridge 1e-6 tr(K)/n where the caller allows (the paper's C = inf is
 *            not literal; tests/cert/test_svm.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/method.h"
#include "solve/svm_dual.h"

static const double AUTO_RIDGE = 1e-6; /* of the mean diagonal of the Gram */

typedef struct svm_work {
    int64_t n;
    double *K, *y, *C, *ridge, *f;
} svm_work;

/* Fills the per-sample costs from the settings and the weights. */
static void set_costs(svm_work *w, const svm_settings *s, const double *weight) {
    for (int64_t i = 0; i < w->n; i++) {
        double own = weight ? weight[i] : 1;
        if (own == 0) { /* a sample without weight has no say */
            w->C[i] = 0;
            w->ridge[i] = 0;
        } else {
            w->C[i] = s->ridge > 0 ? INFINITY : s->C * own;
            w->ridge[i] = s->ridge / own;
        }
    }
}

/* One two-class problem: class `positive` against the rest, into column `o` of dual and U. */
static pare_status solve_output(fit_result *r, svm_work *w, const fit_job *job, int64_t o,
                                int32_t positive, double *U, const pare_ctx *ctx, pare_error *err) {
    svm_settings *s = &job->set->svm;
    int64_t n = w->n;
    for (int64_t i = 0; i < n; i++) w->y[i] = job->y->cls[i] == positive ? 1 : -1;
    svm_problem p = {.n = n,
                     .K = w->K,
                     .y = w->y,
                     .C = w->C,
                     .ridge = w->ridge,
                     .intercept = job->set->common.intercept,
                     .tol_rel = s->tol};
    svm_solution out = {.alpha = r->dual + o * n, .f = w->f};
    pare_status status = svm_dual_solve(&out, &p, ctx, err);
    if (status != PARE_OK) return status;
    if (out.inseparable && job->auto_ridge) {
        double trace = 0;
        for (int64_t i = 0; i < n; i++) trace += w->K[i * n + i];
        s->ridge = AUTO_RIDGE * (trace > 0 ? trace : 1) / (double)n;
        set_costs(w, s, job->weight);
        return fit_note(r, err, "hard margins are impossible on these data: ridge %.6g was added",
                        s->ridge);
    }
    if (out.inseparable)
        return error_set(err, PARE_E_INFEASIBLE,
                         "no hyperplane separates class \"%.64s\" from %s, so hard margins (C = "
                         "inf) have no solution: "
                         "allow errors with --C (a number) or --ridge",
                         job->y->classes[positive],
                         job->y->n_classes == 2 ? "the other" : "the rest");
    for (int64_t i = 0; i < n; i++) U[o * n + i] = out.scale * out.alpha[i] * w->y[i];
    r->b[o] = out.b;
    r->objective += out.primal;
    r->iterations += out.iterations;
    if (out.outcome > r->outcome) r->outcome = out.outcome;
    return PARE_OK;
}

pare_status svm_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    svm_settings *s = &job->set->svm;
    if (strcmp(s->slack, "squared") == 0 && s->ridge == 0) s->ridge = 1 / s->C;
    if (s->ridge > 0) strcpy(s->slack, "squared");
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;

    TRY(ctx_room(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    svm_work w = {.n = n};
    TRY_MEM(w.K = ARENA_NEW(&scratch, double, n *n));
    TRY_MEM(w.y = ARENA_NEW(&scratch, double, n));
    TRY_MEM(w.C = ARENA_NEW(&scratch, double, n));
    TRY_MEM(w.ridge = ARENA_NEW(&scratch, double, n));
    TRY_MEM(w.f = ARENA_NEW(&scratch, double, n));
    double *U = ARENA_NEW(&scratch, double, n *c), *W = ARENA_NEW(&scratch, double, d *c);
    TRY_MEM(U);
    TRY_MEM(W);
    TRY_MEM(r->dual = ARENA_ZERO(&r->mem, double, n *c));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, c));
    r->n_dual = c;

    TRY(mat_gram(job->x, NULL, NULL, w.K, ctx, err)); /* 1 */
    set_costs(&w, s, job->weight);
    double ridge_before;
    do { /* 2; from the start again when an output needed a ridge, which then holds for all */
        ridge_before = s->ridge;
        r->objective = 0;
        r->iterations = 0;
        r->outcome = PARE_OPTIMAL;
        for (int64_t o = 0; o < c && s->ridge == ridge_before; o++)
            TRY(solve_output(r, &w, job, o, (int32_t)(c == 1 ? 1 : o), U, ctx, err));
    } while (s->ridge != ridge_before);
    TRY(mat_tmul(job->x, U, c, W, ctx, err)); /* 3 */
    TRY(fit_support(r, W, d, c, err));

done:
    arena_free(&scratch);
    return status;
}
