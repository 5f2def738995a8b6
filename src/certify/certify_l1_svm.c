/* The certificate of `l1-svm`: a duality gap. The costs are lambda for every |w_j| and the sample's
 * share of all weight for its hinge; lambda = 0: one for every |w_j|, and hard margins.
 * `l1-svm-path` ends in the same problem. */
#include <math.h>

#include "base/error.h"
#include "certify/certify.h"

static pare_status certify_at(pare_report *out, const cert_job *job, double lambda,
                              const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->data->x.n, c = job->n_outputs;
    double total = 0, primal, dual;
    pare_status status = PARE_OK;
    arena mem = arena_of(ctx);
    double *cost = ARENA_NEW(&mem, double, job->n_cols), *loss = ARENA_NEW(&mem, double, n *c);
    TRY_MEM(cost && loss);
    for (int64_t j = 0; j < job->n_cols; j++) cost[j] = lambda > 0 ? lambda : 1;
    for (int64_t i = 0; i < n; i++) total += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < n * c; i++) {
        double share = (job->weight ? job->weight[i % n] : 1) / total;
        loss[i] = lambda == 0 && share > 0 ? INFINITY : share;
    }
    TRY(certify_l1(&primal, &dual, NULL, job, c, false, cost, loss, ctx, err));
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);

done:
    arena_free(&mem);
    return status;
}

pare_status certify_l1_svm(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    return certify_at(out, job, ((const l1_svm_settings *)job->own)->lambda, ctx, err);
}

pare_status certify_l1_svm_path(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                pare_error *err) {
    return certify_at(out, job, ((const l1_svm_path_settings *)job->own)->lambda, ctx, err);
}
