/* The SVM of least training error, p = 2 and q = 0 in zero-norm section 3.2.
 *
 * PROBLEM    minimise 1/2 |w|^2 + C sum_i ln(eps + xi_i), xi_i = max(0, 1 - y_i f_i), eps = 1e-3.
 * ALGORITHM  1. Each step gives sample i the ridge s_i^2/C, s_i = 1 at first, then the slack it
 *               had: a quadratic above C ln xi that touches it at s_i (l2-AROM on the slacks).
 *            2. Then each step gives it the cost C / (eps + xi_i), the tangent of C ln(eps + xi) at
 *               its slack, until the slacks converge: slacks that the first part only made small
 *               become 0, and the point is stationary for the problem as written.
 *            Both are majorise-minimise steps, the second on the problem itself.
 * GUARANTEE  the tangent problem at the solution is solved by it: its gap bounds the decrease of
 *            the linearised losses at any point (certify/certify_zero_slack.c). */
#include <math.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "method/svm/gram_svm.h"

static const double EPS = 1e-3;         /* also in certify/certify_zero_slack.c */
static const double SLACK_FLOOR = 1e-4; /* in part 1 */
static const double MAX_SLACK = 1e100;  /* of a margin that is rounding */
static const double STANDS_STILL = 1e-6;
enum { QUADRATIC_STEPS = 60, TANGENT_STEPS = 1000, MAX_UNSOLVED = 3 };

/* The slacks of the solution, n x c, into `slack`; returns the largest change. */
static double update_slack(gram_svm *g, const double *K, double *slack, double floor) {
    int64_t n = g->n, c = g->c;
    double *f = g->f, change = 0;
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < n; i++) f[o * n + i] = g->b[o];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)n, 1, K, (int)n,
                g->U, (int)n, 1, f, (int)n);
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < n; i++) {
            int32_t y = g->y->cls[i];
            double margin = f[o * n + i] * (y == (c == 1 ? 1 : o) ? 1 : -1);
            if (g->together) margin = f[y * n + i] - f[o * n + i];
            double next = g->together && y == o ? 1 : fmin(fmax(1 - margin, floor), MAX_SLACK);
            change = fmax(change, fabs(next - slack[o * n + i]));
            slack[o * n + i] = next;
        }
    return change;
}

pare_status gram_svm_zero_slack(gram_svm *g, arena *mem, const double *K, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t size = g->n * g->c, iterations = 0;
    double *slack = ARENA_NEW(mem, double, size), *cost = ARENA_NEW(mem, double, size);
    if (!slack || !cost) return error_memory(err);
    for (int64_t i = 0; i < size; i++) slack[i] = 1;
    pare_outcome outcome = PARE_MAX_ITER;
    for (int part = 1; part <= 2; part++) {
        int steps = part == 1 ? QUADRATIC_STEPS : TANGENT_STEPS, unsolved = 0;
        outcome = PARE_MAX_ITER;
        for (int step = 0; step < steps && outcome == PARE_MAX_ITER; step++) {
            if (unsolved == MAX_UNSOLVED) break; /* the Gram matrix has lost its digits */
            for (int64_t i = 0; i < size; i++)
                cost[i] = part == 1 ? slack[i] * slack[i] / g->C : g->C / (EPS + slack[i]);
            g->ridges = part == 1 ? cost : NULL;
            g->costs = part == 2 ? cost : NULL;
            g->warm = step > 0;
            PASS(gram_svm_solve(g, K, ctx, err));
            iterations += g->iterations;
            unsolved = g->outcome == PARE_MAX_ITER ? unsolved + 1 : 0;
            double change = update_slack(g, K, slack, part == 1 ? SLACK_FLOOR : 0);
            if (g->outcome == PARE_TIME_LIMIT || g->outcome == PARE_CANCELLED)
                outcome = g->outcome;
            else if (change <= STANDS_STILL)
                outcome = PARE_STATIONARY;
        }
        if (part == 1) update_slack(g, K, slack, 0);
    }
    g->outcome = outcome;
    g->iterations = iterations;
    return PARE_OK;
}
