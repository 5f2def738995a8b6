#include "method/svm/gram_svm.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/svm/svm_dual.h"
#include "solve/svm/ww_dual.h"

static const double AUTO_RIDGE = 1e-6; /* of the mean diagonal of the Gram */
static const double FAR_OUT = 0.1;     /* variance over squared mean below which K is centred */

pare_status gram_svm_init(gram_svm *g, arena *mem, const fit_job *job, const char *multiclass,
                          pare_error *err) {
    int64_t n = job->x->n, classes = job->y->n_classes;
    bool pairs = classes > 2 && choice_is(multiclass, "ovo");
    int64_t c = classes == 2 ? 1 : pairs ? class_pairs(classes) : classes;
    *g = (gram_svm){.y = job->y,
                    .weight = job->weight,
                    .n = n,
                    .c = c,
                    .together = c > 1 && choice_is(multiclass, "ww"),
                    .pairs = pairs,
                    .intercept = job->set->common.intercept,
                    .C = INFINITY,
                    .tol_rel = 1e-6,
                    .inseparable = -1};
    g->dual = ARENA_ZERO(mem, double, n *c);
    g->U = ARENA_ZERO(mem, double, n *c);
    g->b = ARENA_ZERO(mem, double, c);
    g->sign = ARENA_NEW(mem, double, n);
    g->cost = ARENA_NEW(mem, double, n *c);
    g->soft = ARENA_NEW(mem, double, n *c);
    g->f = ARENA_NEW(mem, double, n *c);
    g->centred = ARENA_NEW(mem, double, n *n);
    if (pairs) {
        g->part = ARENA_NEW(mem, double, n *n);
        g->alpha = ARENA_NEW(mem, double, n);
        g->member = ARENA_NEW(mem, int32_t, n);
        if (!g->part || !g->alpha || !g->member) return error_memory(err);
    }
    bool fine = g->centred && g->dual && g->U && g->b && g->sign && g->cost && g->soft && g->f;
    return fine ? PARE_OK : error_memory(err);
}

/* C and ridge of sample i in output o, by its weight. */
static void sample_cost(const gram_svm *g, int64_t o, int64_t i, double *C, double *ridge) {
    double own = g->weight ? g->weight[i] : 1;
    double r = g->ridges ? g->ridges[o * g->n + i] : g->ridge;
    double cost = g->ridges ? INFINITY : g->costs ? g->costs[o * g->n + i] : g->C;
    *C = r > 0 ? INFINITY : cost * own;
    *ridge = r / own;
}

void gram_svm_costs(const gram_svm *g, int64_t o, double *sign, double *C, double *ridge) {
    int32_t positive = (int32_t)(g->c == 1 ? 1 : o);
    for (int64_t i = 0; i < g->n; i++) {
        sign[i] = g->y->cls[i] == positive ? 1 : -1;
        sample_cost(g, o, i, &C[i], &ridge[i]);
    }
}

/* The objective at w = 0 with the best intercept; infinite unless all slack is linear. */
static double flat_objective(const gram_svm *g, int64_t n, double *b) {
    double positive = 0, negative = 0;
    *b = 0;
    for (int64_t i = 0; i < n; i++) {
        if (g->soft[i] > 0) return INFINITY;
        *(g->sign[i] > 0 ? &positive : &negative) += g->cost[i];
    }
    if (g->intercept) *b = positive > negative ? 1 : -1;
    return g->intercept ? 2 * fmin(positive, negative) : positive + negative;
}

/* The problem of pair o on the samples of its two classes only; returns their number. */
static int64_t take_pair(gram_svm *g, const double *K, int64_t o) {
    int64_t n = g->n, m = 0;
    int32_t pair[2];
    class_pair(o, g->y->n_classes, pair);
    for (int64_t i = 0; i < n; i++) {
        int32_t own = g->y->cls[i];
        if (own != pair[0] && own != pair[1]) continue;
        g->sign[m] = own == pair[1] ? 1 : -1;
        g->alpha[m] = g->dual[o * n + i];
        sample_cost(g, o, i, &g->cost[m], &g->soft[m]);
        g->member[m++] = (int32_t)i;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) g->part[i * m + j] = K[g->member[i] * n + g->member[j]];
    return m;
}

/* Scatters the duals of the pair's samples to those of all samples. */
static void give_pair(gram_svm *g, int64_t m, int64_t o) {
    double *dual = g->dual + o * g->n, *U = g->U + o * g->n;
    for (int64_t i = 0; i < g->n; i++) dual[i] = 0;
    for (int64_t i = m; i < g->n; i++) U[i] = 0;
    for (int64_t i = m - 1; i >= 0; i--) { /* in place: each of the m numbers moves up, if at all */
        double own = U[i];
        U[i] = 0;
        U[g->member[i]] = own;
        dual[g->member[i]] = g->alpha[i];
    }
}

static pare_status solve_output(gram_svm *g, const double *K, int64_t o, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t n = g->n;
    if (g->pairs)
        n = take_pair(g, K, o);
    else
        gram_svm_costs(g, o, g->sign, g->cost, g->soft);
    svm_problem p = {.n = n,
                     .K = g->pairs ? g->part : K,
                     .y = g->sign,
                     .C = g->cost,
                     .ridge = g->soft,
                     .intercept = g->intercept,
                     .tol_rel = g->tol_rel,
                     .warm = g->warm};
    double *U = g->U + o * g->n;
    svm_solution out = {.alpha = g->pairs ? g->alpha : g->dual + o * n, .f = g->f + o * g->n};
    PASS(svm_dual_solve(&out, &p, ctx, err));
    if (out.inseparable) g->inseparable = o;
    for (int64_t i = 0; i < n; i++) U[i] = out.scale * out.alpha[i] * g->sign[i];
    double b, primal = flat_objective(g, n, &b);
    if (isfinite(primal) && primal - out.dual <= g->flat_tol * primal) {
        for (int64_t i = 0; i < n; i++) U[i] = 0;
        out.b = b;
        out.primal = primal;
        out.outcome = PARE_OPTIMAL;
    }
    if (g->pairs) give_pair(g, n, o);
    g->b[o] = out.b;
    g->objective += out.primal;
    g->dual_value += out.dual;
    g->iterations += out.iterations;
    if (out.outcome > g->outcome) g->outcome = out.outcome;
    return PARE_OK;
}

static pare_status solve_together(gram_svm *g, const double *K, const pare_ctx *ctx,
                                  pare_error *err) {
    for (int64_t m = 0; m < g->c; m++)
        for (int64_t i = 0; i < g->n; i++)
            sample_cost(g, m, i, &g->cost[m * g->n + i], &g->soft[m * g->n + i]);
    ww_problem p = {.n = g->n,
                    .c = g->c,
                    .K = K,
                    .cls = g->y->cls,
                    .C = g->cost,
                    .ridge = g->soft,
                    .intercept = g->intercept,
                    .tol_rel = g->tol_rel};
    ww_solution out = {.alpha = g->dual, .B = g->U, .b = g->b};
    PASS(ww_dual_solve(&out, &p, ctx, err));
    if (out.inseparable) g->inseparable = 0;
    g->objective = out.primal;
    g->dual_value = out.dual;
    g->iterations = out.iterations;
    g->outcome = out.outcome;
    return PARE_OK;
}

/* With an intercept samples may be shifted by a common vector: the duals sum to 0. If the mean is
 * large against the variance, the computation uses K less its row and column means; returns true if
 * that is in g->centred. */
static bool centre(gram_svm *g, const double *K) {
    int64_t n = g->n;
    double *mean = g->f, all = 0, trace = 0; /* f is free until a solve */
    if (!g->intercept) return false;
    for (int64_t i = 0; i < n; i++) {
        mean[i] = 0;
        for (int64_t j = 0; j < n; j++) mean[i] += K[i * n + j] / (double)n;
        all += mean[i] / (double)n;
        trace += K[i * n + i] / (double)n;
    }
    if (!(trace - all < FAR_OUT * all)) return false;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            g->centred[i * n + j] = K[i * n + j] - mean[i] - mean[j] + all;
    return true;
}

/* Converts the intercepts of the centred K to those of K: K U differs by its mean. */
static void move_back(gram_svm *g, const double *K) {
    for (int64_t o = 0; o < g->c; o++)
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t j = 0; j < g->n; j++)
                g->b[o] -= K[i * g->n + j] * g->U[o * g->n + j] / (double)g->n;
}

pare_status gram_svm_solve(gram_svm *g, const double *K, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    bool centred = centre(g, K);
    const double *used = centred ? g->centred : K;
    g->objective = g->dual_value = 0;
    g->iterations = 0;
    g->outcome = PARE_OPTIMAL;
    g->inseparable = -1;
    if (g->together) status = solve_together(g, used, ctx, err);
    for (int64_t o = 0; !g->together && o < g->c && status == PARE_OK && g->inseparable < 0; o++)
        status = solve_output(g, used, o, ctx, err);
    if (status == PARE_OK && centred) move_back(g, K);
    return status;
}

double gram_auto_ridge(const gram_svm *g, const double *K) {
    double trace = 0, total = 0;
    for (int64_t i = 0; i < g->n; i++) {
        double own = g->weight ? g->weight[i] : 1;
        trace += own * K[i * g->n + i];
        total += own;
    }
    return AUTO_RIDGE * (trace > 0 ? trace : 1) / total;
}

pare_status gram_svm_solve_anyhow(gram_svm *g, fit_result *r, const double *K, const pare_ctx *ctx,
                                  pare_error *err) {
    pare_status status = gram_svm_solve(g, K, ctx, err);
    if (status != PARE_OK || g->inseparable < 0) return status;
    g->ridge = gram_auto_ridge(g, K);
    status = fit_note(r, err, "hard margins are impossible on these data: ridge %.6g was added",
                      g->ridge);
    bool warm = g->warm;
    g->warm = false; /* the dual is certified now */
    if (status == PARE_OK) status = gram_svm_solve(g, K, ctx, err);
    g->warm = warm;
    return status;
}
