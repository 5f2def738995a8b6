/* The certificate of `fsv`: the linear program at the point's own |w| (kind minimum_principle:
 * value is the most that a feasible point gains on the linearisation, relative to the objective),
 * or, if the iteration was stopped by k, at the z of the previous iterate (kind duality_gap). All d
 * columns are priced. The objective is that of the problem, with phi = 1 - exp(-alpha v). Groups of
 * features: v is the largest |w_j| of the group, and its cost the mean. */
#include <math.h>

#include "base/error.h"
#include "certify/group_sums.h"

static const double COST_FLOOR = 1e-9; /* smallest slope of phi, of alpha and of the largest slack
                                          cost */

typedef struct fsv_costs {
    double alpha, lambda, floor;
    bool hard;
} fsv_costs;

static double slope(const fsv_costs *f, double v) {
    return f->lambda * f->alpha * fmax(exp(-f->alpha * v), f->floor);
}

static void set_losses(fsv_costs *f, double *loss, const cert_job *job) {
    const fsv_settings *set = job->own;
    int64_t n = job->data->x.n;
    double total[2] = {0, 0}, max_slack_cost = 0;
    *f = (fsv_costs){set->alpha, set->lambda, COST_FLOOR, isnan(set->lambda)};
    if (f->hard) f->lambda = 1;
    for (int64_t i = 0; i < n; i++) total[job->y->cls[i]] += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < n; i++) {
        double share = (job->weight ? job->weight[i] : 1) / total[job->y->cls[i]];
        max_slack_cost = fmax(max_slack_cost, share);
        loss[i] = f->hard ? (share > 0 ? INFINITY : 0) : (1 - f->lambda) * share;
    }
    f->floor = COST_FLOOR * fmax(1, (1 - f->lambda) * max_slack_cost / (f->lambda * f->alpha));
}

pare_status certify_fsv(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t n = job->data->x.n, d = job->data->x.d;
    pare_status status = PARE_OK;
    arena mem = arena_of(ctx);
    if (!job->coef || job->n_outputs != 1) {
        status = error_set(err, PARE_E_DATA, "the model's selection has no point to certify");
        goto done;
    }
    double *loss, *cost, *W, *price, *v, primal, dual;
    fsv_costs f;
    cert_groups groups;
    TRY_MEM(price = ARENA_NEW(&mem, double, d));
    TRY_MEM(v = ARENA_ZERO(&mem, double, d));
    TRY(cert_groups_open(&groups, &mem, job, err));
    for (int64_t j = 0; j < d; j++) price[j] = job->cost ? job->cost[j] : 1;
    TRY(cert_groups_mean(&groups, &mem, d, price, err));
    TRY_MEM(loss = ARENA_NEW(&mem, double, n));
    TRY_MEM(cost = ARENA_NEW(&mem, double, d));
    TRY_MEM(W = ARENA_NEW(&mem, double, job->n_coef));
    set_losses(&f, loss, job);
    cert_job whole = *job; /* the program is on all columns, whatever the costs were computed
                              from */
    whole.cols = NULL;
    whole.n_cols = d;
    whole.z = NULL;
    for (int64_t j = 0; j < d; j++) cost[j] = price[j] * slope(&f, 0);
    for (int64_t i = 0; job->z && i < job->n_cols; i++) v[job->cols[i]] = job->z[i];
    if (!job->z) { /* needs the point in scaled units, from a first pass */
        TRY(certify_l1(&primal, &dual, W, &whole, 1, false, cost, loss, ctx, err));
        for (int64_t i = 0; i < job->n_coef; i++) v[job->index[i]] = fabs(W[i]);
    }
    cert_groups_largest(&groups, NULL, d, v);
    for (int64_t j = 0; j < d; j++) cost[j] = price[j] * slope(&f, v[j]);
    TRY(certify_l1(&primal, &dual, W, &whole, 1, false, cost, loss, ctx, err));
    for (int64_t j = 0; j < d; j++) v[j] = 0;
    for (int64_t i = 0; i < job->n_coef; i++) v[job->index[i]] = fabs(W[i]);
    cert_groups_largest(&groups, NULL, d, v);
    for (int64_t j = 0; j < d; j++) { /* its penalty, and the linearisation of that */
        cost[j] *= v[j];
        price[j] *= f.lambda * -expm1(-f.alpha * v[j]);
    }
    double penalty = cert_groups_sum(&groups, NULL, d, cost);
    double counted = cert_groups_sum(&groups, NULL, d, price);
    out->objective = primal < INFINITY ? counted + (f.hard ? 0 : primal - penalty) : primal;
    out->certificate = cert_gap(primal, dual);
    if (!job->z) {
        double size = fmax(fabs(out->objective), fabs(out->objective - (primal - dual)));
        out->certificate.kind = PARE_CERT_MINIMUM_PRINCIPLE;
        out->certificate.relative = primal == dual ? 0 : (primal - dual) / size;
    }

done:
    arena_free(&mem);
    return status;
}
