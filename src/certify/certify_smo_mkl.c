/* The certificate of `smo-mkl`, from raw columns and plain loops.
 *
 * PRIMAL  of the model's function f = sum_k f_k + b, the weights minimised out:
 *             min_d 1/2 sum_k |f_k|^2 / d_k + lambda/2 |d|_p^2 = 3/4 (2 lambda)^(1/3) |f|^(4/3),
 *             |f| = (sum_k |f_k|^r)^(1/r), r = 2 p / (p + 1),
 *         plus C times the hinge losses. |f_k| is in the space of feature k's kernel of trace 1.
 *         Several outputs: |f_k|^2 summed over them.
 * DUAL    of the duals, clipped and balanced: sum alpha - |s|_q^2 / (8 lambda), s_k over all
 * features
 *         of the problem.
 * Their difference bounds how far the model is from the optimum of the whole problem, features that
 * it does not use included. A selection is certified by the function that its weights and duals
 * give, with the best intercept. */
#include <math.h>

#include "base/error.h"
#include "base/order.h"
#include "certify/mkl_parts.h"

static double label(const mkl_parts *g, int64_t o, int64_t i) {
    return g->job->y->cls[i] == (g->c == 1 ? 1 : o) ? 1 : -1;
}

static void make_feasible(mkl_parts *g, int64_t o, double C) {
    double *u = g->u + o * g->n, sum[2] = {0, 0};
    const double *dual = g->job->dual + o * g->n;
    for (int64_t i = 0; i < g->n; i++) {
        u[i] = fmin(fmax(dual[i], 0), C * parts_weight(g, i));
        sum[label(g, o, i) > 0] += u[i];
    }
    double lighter = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < g->n; i++) {
        double own = sum[label(g, o, i) > 0];
        u[i] *= label(g, o, i) * (own > 0 ? lighter / own : 1);
    }
}

static double hinge(const mkl_parts *g, int64_t o, double b) {
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++)
        sum += parts_weight(g, i) * fmax(0, 1 - label(g, o, i) * (g->f[o * g->n + i] + b));
    return sum;
}

/* The least hinge loss over b: convex, with its corners where a margin is 1. */
static double best_hinge(const mkl_parts *g, int64_t o, double *corner) {
    int64_t low = 0, high = 0;
    for (int64_t i = 0; i < g->n; i++) corner[i] = label(g, o, i) - g->f[o * g->n + i];
    sort_up(corner, g->n);
    for (int64_t i = 1; i < g->n; i++) /* equal ones would look like a minimum */
        if (corner[i] > corner[high]) corner[++high] = corner[i];
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (hinge(g, o, corner[mid]) <= hinge(g, o, corner[mid + 1]))
            high = mid;
        else
            low = mid + 1;
    }
    return hinge(g, o, corner[low]);
}

/* (sum_k v_k^power)^(1/power), without overflow. */
static double power_norm(const double *v, int64_t d, double power) {
    double most = 0, sum = 0;
    for (int64_t j = 0; j < d; j++) most = fmax(most, v[j]);
    if (most == 0 || isinf(most)) return most;
    for (int64_t j = 0; j < d; j++) sum += v[j] > 0 ? pow(v[j] / most, power) : 0;
    return most * pow(sum, 1 / power);
}

static void judge(pare_report *out, const mkl_parts *g, const smo_mkl_settings *set,
                  double *corner) {
    const cert_job *job = g->job;
    int64_t d = job->data->x.d;
    double p = set->p, lambda = set->lambda, dual = 0;
    double size2 = power_norm(g->norm2, d, p / (p + 1)); /* |f|^2 */
    double primal = 0.75 * cbrt(2 * lambda) * pow(size2, 2.0 / 3);
    for (int64_t o = 0; o < g->c; o++)
        primal +=
            set->C * (g->selecting ? best_hinge(g, o, corner) : hinge(g, o, job->intercept[o]));
    for (int64_t e = 0; e < g->n * g->c; e++) dual += fabs(g->u[e]);
    double norm = power_norm(g->s, d, p / (p - 1));
    dual -= norm * norm / (8 * lambda);
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);
}

pare_status certify_smo_mkl(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const smo_mkl_settings *set = job->own;
    mkl_parts g;
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(parts_make(&g, job, set->kernel, set->gamma, &reader, err));
    double *corner = ARENA_NEW(&reader.mem, double, g.n);
    TRY_MEM(corner);
    for (int64_t o = 0; o < g.c; o++) make_feasible(&g, o, set->C);
    TRY(parts_read(&g, &reader, err));
    judge(out, &g, set, corner);

done:
    return cert_close(&reader, status, err);
}
