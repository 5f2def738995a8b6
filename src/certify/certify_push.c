/* The certificate of `inf-push`, from raw columns:
 *   primal   sum_i c_i max(0, 1 - f_i + max_j f_j) + lambda Omega(w)
 *   dual     sum alpha - (lambda Omega)*(g),  g_j = sum_i alpha_i x_ij - sum_k beta_k x_kj scaled
 * at an (alpha, beta) made feasible here: alpha cut to [0, c_i], beta to >= 0 and to negatives of
 * positive weight, the heavier of the two shrunk to the lighter, both scaled down to where g is
 * allowed and the value best (penalty.h). Without coefficients there is no certificate. One pass
 * over the columns. */
#include <math.h>

#include "base/error.h"
#include "certify/ranking_penalty.h"

/* cost: n, the share of the positives' weight; 0 for negatives; -1: without weight. The sum of
 * alpha. */
static double make_feasible(const cert_job *job, double *cost, double *u) {
    int64_t n = job->data->x.n;
    double weight[2] = {0, 0}, sum[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) weight[job->y->cls[i]] += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < n; i++) {
        double own = job->weight ? job->weight[i] : 1, dual = fmax(job->dual[i], 0);
        bool positive = job->y->cls[i] == 1;
        cost[i] = own == 0 ? -1 : positive ? own / weight[1] : 0;
        u[i] = own == 0 ? 0 : positive ? fmin(dual, cost[i]) : dual;
        sum[positive] += u[i];
    }
    double total = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < n; i++) {
        bool positive = job->y->cls[i] == 1;
        u[i] *= (sum[positive] > 0 ? total / sum[positive] : 0) * (positive ? 1 : -1);
    }
    return total;
}

static double loss(int64_t n, const double *cost, const double *f) {
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        if (cost[i] == 0) top = fmax(top, f[i]);
    for (int64_t i = 0; i < n; i++)
        if (cost[i] > 0) sum += cost[i] * fmax(0, 1 - f[i] + top);
    return sum;
}

pare_status certify_push(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    const inf_push_settings *set = job->own;
    int64_t n = job->data->x.n;
    cert_reader reader;
    cert_penalty p;
    if (!job->coef) return PARE_OK;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    double *cost = ARENA_NEW(&reader.mem, double, n);
    TRY_MEM(cost);
    TRY(cert_penalty_open(&p, &reader, set->penalty, set->alpha, set->lambda, err));
    double total = make_feasible(job, cost, p.u);
    TRY(cert_penalty_pass(&p, &reader, err));
    out->objective = loss(n, cost, p.f) + cert_penalty_value(&p);
    out->certificate = cert_gap(out->objective, cert_penalty_dual(&p, total, 0));

done:
    return cert_close(&reader, status, err);
}
