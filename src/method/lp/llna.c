/* NAME       llna
 * PAPER      parsimonious least norm, problem (4): least least norm approximation.
 * PROBLEM    minimise over x, b0   (1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda |x|_1
 *            0 <= lambda < 1, sample weights w_i (1 by default); b0 = 0 without an intercept.
 *            Groups of features: lambda sum_g max_j |x_j| over each group's.
 *            Features with a sign s_j: s_j x_j >= 0.
 * SYMBOLS    A: n x d features as scaled (default none); b: the target; mu = lambda / (1 - lambda).
 * ALGORITHM  1. lambda: as given; or from the path of solve/l1_path: a tenth of the mu at which the
 *               first coefficient appears, or with k the first range, from large lambda on, that
 *               leaves exactly k. With groups or signs by bisection (least_norm_groups).
 *            2. The linear program at lambda by column generation (solve/l1_program); where lambda
 *               is so small that it does not get through, the path down to lambda.
 * COST       1 pass over X per round of column generation (about 15); the path one per breakpoint;
 *            memory O(d) + the columns generated.
 * GUARANTEE  duality gap over all columns (certify/certify_least_norm.c).
 * STOPPING   relative gap of the program <= tol / 1000; of the certificate <= tol.
 * DEVIATIONS the paper has neither intercept nor weights. lambda 0 is the least error without
 *            penalty (solve/least_error), with signs it is raised; between 0 and 1e-8 lambda is raised to where penalties
 *            exceed rounding (tests/cert/test_least_norm.c). k by the path itself, not by
 *            bisection: it also shows if no lambda leaves k. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/lp/least_norm.h"
#include "method/lp/path_walk.h"
#include "solve/l1/l1_path.h"

static const double DEFAULT_SHARE = 0.1; /* of the mu that leaves no coefficient */
static const double SIGN_FLOOR =
    100; /* times LEAST_NORM_FLOOR: with signs no path replaces the program */
static const double SOLVER_SHARE = 1e-3; /* of tol; the rest is for rounding in the certificate */

static pare_status keep(fit_result *r, const l1_segment *s, pare_error *err) {
    double lambda = isinf(s->mu_high) ? 1 : least_norm_lambda(s->mu_high);
    double objective = (1 - lambda) * s->error + (s->norm > 0 ? lambda * s->norm : 0);
    pare_lambda_point point = {lambda, objective, s->error, s->norm, NAN, s->n_weight, NAN, 0};
    pare_status status = fit_path_point(r, point, 1, &s->b, err);
    for (int64_t k = 0; k < s->n_weight && status == PARE_OK; k++)
        status = fit_path_row(r, s->weight[k].feature, &s->weight[k].value, 0, err);
    return status;
}

/* 1: lambda from the path, and the breakpoints if the sweep is wanted. */
static pare_status follow(fit_result *r, const fit_job *job, const double *weight, double heaviest,
                          const pare_ctx *ctx, pare_error *err) {
    llna_settings *s = &r->set.llna;
    bool automatic = isnan(s->lambda);
    path_walk w = {.k = automatic ? job->k : 0};
    double mu_max = NAN;
    l1_path *path = NULL;
    l1_segment at = {0};
    pare_status status = PARE_OK;
    TRY(l1_path_open(&path, job->x, job->y->value, weight, job->set->common.intercept, 0, ctx,
                     err));
    while (!at.last) {
        TRY(l1_path_next(path, &at, ctx, err));
        if (isnan(mu_max)) mu_max = at.mu_low;
        if (s->sweep) TRY(keep(r, &at, err));
        bool going = w.k > 0 && path_walk_see(&w, at.mu_high, at.mu_low, at.n_weight,
                                              LEAST_NORM_FLOOR * heaviest);
        if (!going && !s->sweep) break;
    }
    if (s->sweep && (at.lost || at.outcome != PARE_OPTIMAL))
        TRY(fit_note(r, err, "the sweep ended at lambda %.6g: %s", least_norm_lambda(at.mu_low),
                     at.lost ? "there the fit is singular to rounding"
                             : pare_outcome_name(at.outcome)));
    if (!automatic) goto done;
    s->lambda = least_norm_lambda(w.k > 0 ? w.mu : mu_max > 0 ? DEFAULT_SHARE * mu_max : 1);
    if (w.k == 0 || w.found) goto done;
    bool whole = !at.lost && at.outcome == PARE_OPTIMAL;
    TRY(fit_note(r, err,
                 "no lambda %s exactly %lld coefficients (the path has at most %lld): lambda %.6g "
                 "was taken, which leaves %lld",
                 whole ? "leaves" : "was found that leaves", (long long)w.k, (long long)w.most,
                 s->lambda, (long long)w.count));
done:
    l1_path_free(path);
    return status;
}

/* The same with groups of features, or signs. */
static pare_status follow_groups(fit_result *r, const fit_job *job, const feature_blocks *blocks,
                                 const double *weight, double heaviest, const pare_ctx *ctx,
                                 pare_error *err) {
    llna_settings *s = &r->set.llna;
    double mu;
    if (s->sweep)
        return error_set(err, PARE_E_ARGUMENT,
                         "`sweep`: true is not allowed with %s: the path goes coefficient by "
                         "coefficient%s",
                         blocks->of ? "groups of features" : "`sign`",
                         blocks->of ? "" : ", to both sides");
    pare_status status = least_norm_mu_max_groups(&mu, job, blocks, weight, ctx, err);
    bool empty = status == PARE_OK && blocks->sign && !(mu > 0);
    if (status != PARE_OK || !(mu > 0)) mu = 1;
    if (empty)
        status =
            fit_note(r, err,
                     "the empty model is optimal for every lambda above 0: no feature with its "
                     "sign lowers the error");
    else if (status == PARE_OK && job->k > 0)
        status = least_norm_search_groups(r, &mu, job, blocks, weight, LEAST_NORM_FLOOR * heaviest,
                                          ctx, err);
    else
        mu *= DEFAULT_SHARE;
    s->lambda = least_norm_lambda(mu);
    return status;
}

/* With signs there is no path down to 0. */
static pare_status raise_zero(fit_result *r, double *lambda, double heaviest, pare_error *err) {
    *lambda = least_norm_lambda(LEAST_NORM_FLOOR * heaviest);
    return fit_note(r, err, "lambda 0 was raised to %.6g: with `sign` there is no smaller one",
                    *lambda);
}

pare_status llna_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    llna_settings *s = &fit_settings(r, job)->llna;
    l1_program *program = NULL;
    feature_blocks blocks;
    lp_groups groups;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;

    double *loss = fit_weights(&scratch, job->weight, n, NULL),
           *cost = ARENA_NEW(&scratch, double, d);
    TRY_MEM(loss && cost);
    double heaviest = least_norm_heaviest(loss, n);
    TRY(blocks_of(&blocks, &scratch, job, err));
    if (blocks.sign) heaviest *= SIGN_FLOOR;
    if (isnan(s->lambda) || s->sweep) /* 1 */
        TRY(blocks.of || blocks.sign ? follow_groups(r, job, &blocks, loss, heaviest, ctx, err)
                                     : follow(r, job, loss, heaviest, ctx, err));
    TRY(least_norm_raise(r, &s->lambda, heaviest, err));
    if (s->lambda == 0 && blocks.sign) TRY(raise_zero(r, &s->lambda, heaviest, err));
    if (s->lambda == 0) {
        TRY(least_norm_by_path(r, job, loss, 0, ctx, err));
        goto done;
    }

    for (int64_t i = 0; i < n; i++) loss[i] *= 1 - s->lambda;
    for (int64_t j = 0; j < d; j++) cost[j] = s->lambda;
    l1_spec spec = {L1_FIT,
                    job->x,
                    job->y->value,
                    cost,
                    loss,
                    job->set->common.intercept,
                    SOLVER_SHARE * s->tol,
                    blocks_lp(&groups, &blocks),
                    blocks.sign};
    l1_solution found;
    TRY(l1_create(&program, &spec, ctx, err));
    TRY(l1_solve(program, &found, ctx, err)); /* 2 */
    r->iterations = found.pivots;
    ctx_log(ctx, PARE_LOG_DEBUG, "llna: %lld pivots, %lld passes over X", (long long)found.pivots,
            (long long)found.passes);
    if (found.outcome == PARE_MAX_ITER && !blocks.of && !blocks.sign) {
        TRY(least_norm_by_path(r, job, loss, s->lambda, ctx, err));
        goto done;
    }
    int64_t count = found.n_weight;
    lp_weight *weight = ARENA_NEW(&scratch, lp_weight, count);
    TRY_MEM(weight);
    if (count) memcpy(weight, found.weight, sizeof *weight * (size_t)count);
    TRY(least_norm_clean(weight, &count, job, ctx, err));
    TRY(least_norm_keep(r, job, weight, count, found.b, found.dual, err));
    r->objective = found.objective;
    r->outcome = found.outcome;

done:
    l1_free(program);
    arena_free(&scratch);
    return status;
}
