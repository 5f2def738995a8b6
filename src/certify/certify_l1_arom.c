/* The certificate of the last selection problem of l1-arom, a linear program with cost 1/z_j on the
 * active features, without all others: at z = sum_k |w_k| of the point itself (kind
 * minimum_principle: the most that a feasible point gains on the linearisation of sum ln z), or, if
 * the iteration was stopped, at the z of the previous iterate (kind duality_gap). The objective is
 * the program's: the number of features plus the slack, at a stationary point. Groups of features:
 * one z for each, of its largest |w_k| in every output, at the mean of its costs. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/group_sums.h"

/* With zero slack the second half of the dual's columns are the slacks' costs, below 0: hard. */
static void set_losses(double *loss, const cert_job *job, int64_t c) {
    const l1_arom_settings *set = job->own;
    int64_t n = job->data->x.n;
    for (int64_t i = 0; i < n * c; i++) {
        double own = job->weight ? job->weight[i % n] : 1;
        if (set->zero_slack > 0)
            loss[i] = job->dual[n * c + i] < 0 ? INFINITY : job->dual[n * c + i];
        else
            loss[i] = own > 0 ? set->C * own : 0;
    }
}

pare_status certify_l1_arom(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const l1_arom_settings *set = job->own;
    int64_t n = job->data->x.n, d = job->data->x.d;
    int64_t c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    bool together = c > 1 && strcmp(set->multiclass, "ww") == 0;
    pare_status status = PARE_OK;
    arena mem = arena_of(ctx);
    if (!job->coef || job->n_outputs != (set->zero_slack > 0 ? 2 * c : c)) {
        status = error_set(err, PARE_E_DATA, "the model's selection has no point to certify");
        goto done;
    }
    cert_job active = *job;
    active.z = NULL;
    if (!job->z) {
        active.cols = job->index;
        active.n_cols = job->n_coef;
    }
    double *loss, *cost, *W, *price, *size, primal, dual;
    cert_groups groups;
    TRY_MEM(loss = ARENA_NEW(&mem, double, n *c));
    TRY_MEM(cost = ARENA_NEW(&mem, double, active.n_cols));
    TRY_MEM(W = ARENA_NEW(&mem, double, job->n_coef *c));
    set_losses(loss, job, c);
    TRY(cert_groups_open(&groups, &mem, job, err));
    TRY_MEM(price = ARENA_NEW(&mem, double, d));
    for (int64_t j = 0; j < d; j++) price[j] = job->cost ? job->cost[j] : 1;
    TRY(cert_groups_mean(&groups, &mem, d, price, err));
    for (int64_t i = 0; i < active.n_cols; i++)
        cost[i] = price[active.cols ? active.cols[i] : i] / (job->z ? job->z[i] : 1);
    if (!job->z) { /* needs the point in scaled units, from a first pass */
        TRY(certify_l1(&primal, &dual, W, &active, c, together, cost, loss, ctx, err));
        TRY_MEM(size = ARENA_ZERO(&mem, double, job->n_coef));
        for (int64_t o = 0; o < c; o++) {
            double *own = W + o * job->n_coef;
            for (int64_t i = 0; i < job->n_coef; i++) own[i] = fabs(own[i]);
            cert_groups_largest(&groups, job->index, job->n_coef, own);
            for (int64_t i = 0; i < job->n_coef; i++) size[i] += own[i];
        }
        for (int64_t i = 0; i < job->n_coef; i++) cost[i] = price[job->index[i]] / size[i];
    }
    TRY(certify_l1(&primal, &dual, W, &active, c, together, cost, loss, ctx, err));
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);
    if (!job->z) out->certificate.kind = PARE_CERT_MINIMUM_PRINCIPLE;

done:
    arena_free(&mem);
    return status;
}
