/* The certificate of `lp-mkl`, from raw columns and plain loops.
 *
 * PRIMAL  of the model's function f = sum_k f_k + b, the weights minimised out:
 *             min_eta 1/2 sum_k |f_k|^2 / eta_k + lambda2 sum_k eta_k^p
 *                 = (p+1) lambda2 sum_k (|f_k|^2 / (2 lambda2 p))^(p/(p+1)),
 *         plus lambda1 sum_i s_i (y_i - f(x_i))^2. |f_k| is in the space of feature k's kernel of
 *         trace 1. Several outputs: |f_k|^2 and errors summed over them.
 * DUAL    of the model's a, balanced: y'a - sum_i a_i^2 / (4 lambda1 s_i)
 *             - (p-1) lambda2 sum_k (s_k / (2 lambda2 p))^(p/(p-1)),   s_k = sum_o a_o'K_k a_o,
 *         over all features of the problem.
 * Their difference bounds how far the model is from the optimum of the whole problem, features that
 * it does not use included. A selection is certified by the function that its weights and a give,
 * with the best intercept. */
#include <math.h>

#include "base/error.h"
#include "certify/mkl_parts.h"

static double wanted(const mkl_parts *g, int64_t o, int64_t i) {
    const target *y = g->job->y;
    if (!y->cls) return y->value[i];
    return y->cls[i] == (g->c == 1 ? 1 : o) ? 1 : -1;
}

/* Columns of sum 0. */
static void balance(mkl_parts *g, int64_t o) {
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++) sum += g->u[o * g->n + i] = g->job->dual[o * g->n + i];
    for (int64_t i = 0; i < g->n; i++) g->u[o * g->n + i] -= sum * parts_weight(g, i) / g->total;
}

static double best_intercept(const mkl_parts *g, int64_t o) {
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++)
        sum += parts_weight(g, i) * (wanted(g, o, i) - g->f[o * g->n + i]);
    return sum / g->total;
}

static void judge(pare_report *out, const mkl_parts *g, const lp_mkl_settings *set) {
    const cert_job *job = g->job;
    double p = set->p, unit = 2 * set->lambda2 * p, primal = 0, dual = 0;
    for (int64_t j = 0; j < job->data->x.d; j++) {
        if (g->norm2[j] > 0)
            primal += set->lambda2 * (p + 1) * pow(g->norm2[j] / unit, p / (p + 1));
        if (g->s[j] > 0) dual -= set->lambda2 * (p - 1) * exp(p / (p - 1) * log(g->s[j] / unit));
    }
    for (int64_t o = 0; o < g->c; o++) {
        double b = g->selecting ? best_intercept(g, o) : job->intercept[o];
        for (int64_t i = 0; i < g->n; i++) {
            double s = parts_weight(g, i), y = wanted(g, o, i), a = g->u[o * g->n + i];
            double error = y - g->f[o * g->n + i] - b;
            primal += set->lambda1 * s * error * error;
            dual += y * a - a * a / (4 * set->lambda1 * s);
        }
    }
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);
}

pare_status certify_lp_mkl(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    const lp_mkl_settings *set = job->own;
    mkl_parts g;
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(parts_make(&g, job, set->kernel, set->gamma, &reader, err));
    for (int64_t o = 0; o < g.c; o++) balance(&g, o);
    TRY(parts_read(&g, &reader, err));
    judge(out, &g, set);

done:
    return cert_close(&reader, status, err);
}
