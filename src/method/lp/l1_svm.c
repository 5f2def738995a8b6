/* NAME       l1-svm
 * PAPER      P. S. Bradley, O. L. Mangasarian. Feature selection via concave minimization and support
 *            vector machines. ICML 1998; form: zero-norm Problem 7 (lambda = 0, z = 1), section 3.2
 *            with p = q = 1 (lambda > 0).
 * PROBLEM    minimise over w, b   sum_i s_i max(0, 1 - y_i f_i) + lambda |w|_1,  f_i = w'x_i + b,
 *            with s_i = weight_i / sum of weights: the (weighted) mean hinge. lambda = 0: minimise
 *            |w|_1 subject to y_i f_i >= 1 for every sample of positive weight.
 *            Several classes: one such problem per class against the rest, objectives added.
 *            Groups of features: sum_g max_j |w_j| over each group's instead of |w|_1.
 *            Features with a sign s_j: s_j w_j >= 0, two classes.
 * SYMBOLS    u: n duals per output, 0 <= u_i <= s_i; U = u.y; lambda_max: where w = 0 becomes
 *            optimal, the largest over the outputs.
 * ALGORITHM  1. lambda, unless given, is lambda_ratio lambda_max (solve/l1_lambda_max).
 *            2. the linear program of each output by column generation (solve/l1_program).
 *            3. X'U, from the last pass of each, ranks the features of weight 0 by their
 *               price |X_j'U|_2 / (lambda sqrt(c)) <= 1, in a group by the sum of its
 *               |X_j'U_k| in each output.
 * COST       per output the passes of the program (5 to 15; 2 of very many features), and for an
 *            automatic lambda 1, or about as many again where the classes' weights differ; memory
 *            O(d c) + the master program.
 * GUARANTEE  duality gap over all d columns from raw data and the stored u (certify_l1_svm.c).
 * STOPPING   relative gap 1e-9.
 * DEVIATIONS Problem 7 on inseparable data is certified infeasible and rejected. A lambda under
 *            1e-9 of the largest s_i is raised to that: below, doubles cannot certify it
 *            (tests/cert/test_l1_svm.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/blocks.h"
#include "solve/lp/l1_lambda_max.h"
#include "solve/lp/l1_program.h"

static const double LAMBDA_FLOOR = 1e-9; /* of the largest s_i: see solve/lp/lp.h */

typedef struct l1_work {
    int64_t n, d, c;
    double *y, *s, *loss, *cost; /* n, n, n, d */
    double *U, *W;               /* n x c, d x c */
    double *G; /* d x c: X'U, at first where w = 0 becomes optimal; 0: not known */
    feature_blocks blocks;
} l1_work;

static void label(l1_work *w, const fit_job *job, int64_t o) {
    int32_t positive = (int32_t)(w->c == 1 ? 1 : o);
    for (int64_t i = 0; i < w->n; i++) w->y[i] = job->y->cls[i] == positive ? 1 : -1;
}

/* Step 1. */
static pare_status choose_lambda(fit_result *r, l1_work *w, const fit_job *job, const pare_ctx *ctx,
                                 pare_error *err) {
    l1_svm_settings *set = &r->set.l1_svm;
    bool intercept = job->set->common.intercept;
    lp_groups of_blocks;
    const lp_groups *groups = blocks_lp(&of_blocks, &w->blocks);
    double largest_share = 0;
    for (int64_t i = 0; i < w->n; i++) largest_share = fmax(largest_share, w->s[i]);
    if (isnan(set->lambda)) {
        double most = 0;
        for (int64_t o = 0; o < w->c; o++) {
            double own;
            label(w, job, o);
            PASS(l1_lambda_max(&own, w->G + o * w->d, job->x, groups, w->blocks.sign, w->y, w->s,
                               intercept, ctx, err));
            most = fmax(most, own);
        }
        set->lambda = most > 0 ? set->lambda_ratio * most : 1;
        if (most > 0)
            PASS(fit_note(r, err, "lambda was not given: %.6g, %g of the largest that selects",
                          set->lambda, set->lambda_ratio));
        else
            PASS(
                fit_note(r, err,
                         "the empty model is optimal for every lambda above 0: no feature's weight "
                         "%slowers the mean hinge",
                         w->blocks.sign ? "with its sign " : ""));
    }
    double least = LAMBDA_FLOOR * largest_share;
    if (set->lambda > 0 && set->lambda < least) {
        PASS(fit_note(r, err, "lambda %g is too small to be certified in doubles: %g was used",
                      set->lambda, least));
        set->lambda = least;
    }
    return PARE_OK;
}

/* Step 2 for output o. */
static pare_status solve_output(fit_result *r, l1_work *w, const fit_job *job, int64_t o,
                                const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    l1_program *program = NULL;
    l1_solution found;
    lp_groups groups;
    double *G = w->G + o * w->d;
    label(w, job, o);
    l1_spec spec = {.loss = L1_MARGIN,
                    .x = job->x,
                    .groups = blocks_lp(&groups, &w->blocks),
                    .y = w->y,
                    .cost = w->cost,
                    .loss_cost = w->loss,
                    .sign = w->blocks.sign,
                    .intercept = job->set->common.intercept};
    TRY(l1_create(&program, &spec, ctx, err));
    l1_expect(program, G);
    TRY(l1_solve(program, &found, ctx, err));
    if (found.infeasible) {
        int64_t positive = w->c == 1 ? 1 : o;
        status = error_set(err, PARE_E_INFEASIBLE,
                           "no hyperplane separates class \"%.64s\" from %s, so hard margins "
                           "(lambda = 0) have no solution%s: allow errors with `lambda` above 0",
                           job->y->classes[positive], w->c == 1 ? "the other" : "the rest",
                           w->blocks.sign ? " under these signs" : "");
        goto done;
    }
    for (int64_t k = 0; k < found.n_weight; k++)
        w->W[o * w->d + found.weight[k].feature] = found.weight[k].value;
    for (int64_t i = 0; i < w->n; i++) {
        r->dual[o * w->n + i] = found.dual[i];
        w->U[o * w->n + i] = found.dual[i] * w->y[i];
    }
    if (found.price)
        memcpy(G, found.price, sizeof *G * (size_t)w->d);
    else
        TRY(mat_tmul(job->x, w->U + o * w->n, 1, G, ctx, err));
    r->b[o] = found.b;
    r->objective += found.objective;
    r->iterations += found.pivots;
    if (found.outcome > r->outcome) r->outcome = found.outcome;
done:
    l1_free(program);
    return status;
}

/* Step 3: the prices, in place of the costs, which are no longer needed. */
static void price_all(l1_work *w, double lambda) {
    double *price = w->cost, most = (lambda > 0 ? lambda : 1) * sqrt((double)w->c);
    for (int64_t o = 0; o < w->c; o++) blocks_pull(&w->blocks, w->G + o * w->d, w->d);
    for (int64_t o = 0; o < w->c; o++) blocks_sum(&w->blocks, w->G + o * w->d, price);
    for (int64_t j = 0; j < w->d; j++) {
        price[j] = 0;
        for (int64_t o = 0; o < w->c; o++) price[j] = hypot(price[j], w->G[o * w->d + j]);
        price[j] /= most;
    }
}

pare_status l1_svm_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    l1_svm_settings *set = &fit_settings(r, job)->l1_svm;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double total = 0;
    l1_work w = {.n = n, .d = d, .c = c};
    TRY(blocks_of(&w.blocks, &scratch, job, err));
    TRY_MEM(ARENA_NEWS(&scratch, double, n, &w.y, &w.s, &w.loss));
    TRY_MEM(w.cost = ARENA_NEW(&scratch, double, d));
    TRY_MEM(w.U = ARENA_NEW(&scratch, double, n *c));
    TRY_MEM(ARENA_ZEROS(&scratch, double, d *c, &w.W, &w.G));
    TRY_MEM(r->dual = ARENA_ZERO(&r->mem, double, n *c));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, c));
    r->n_dual = c;

    for (int64_t i = 0; i < n; i++) total += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < n; i++) w.s[i] = (job->weight ? job->weight[i] : 1) / total;
    TRY(choose_lambda(r, &w, job, ctx, err));
    for (int64_t i = 0; i < n; i++) w.loss[i] = set->lambda == 0 && w.s[i] > 0 ? INFINITY : w.s[i];
    for (int64_t j = 0; j < d; j++) w.cost[j] = set->lambda > 0 ? set->lambda : 1;
    r->objective = 0;
    r->outcome = PARE_OPTIMAL;
    for (int64_t o = 0; o < c; o++) TRY(solve_output(r, &w, job, o, ctx, err));
    price_all(&w, set->lambda);
    TRY(fit_support_priced(r, w.W, w.cost, d, c, err));
    r->n_point = r->n_support; /* a refit on fewer features keeps this as the selection problem */
    r->point = r->support;
    r->point_W = r->W;
    r->point_b = r->b;

done:
    arena_free(&scratch);
    return status;
}
