/* The certificate of `svm --slack zero`: objective 1/2 |w|^2 + C sum ln(eps + xi), and the gap of
 * the SVM whose cost for sample i is the slope there, C / (eps + xi_i): it bounds the gain of any
 * other point on the losses' tangents, and is 0 exactly at a stationary point. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

static const double EPS = 1e-3; /* of the problem, see docs/methods/svm.md */

/* f (n x c) of the given coefficients; returns |w|^2. */
static double decide_linear(const cert_job *job, cert_reader *reader, cert_column *col, double *f) {
    int64_t n = job->data->x.n;
    double norm2 = 0;
    for (int64_t j = 0; j < job->n_coef; j++) {
        cert_column_read(reader, job->index[j], col);
        for (int64_t o = 0; o < job->n_outputs; o++) {
            double coef = job->coef[o * job->n_coef + j];
            if (coef != 0) norm2 += (coef / col->scale) * (coef / col->scale);
            for (int64_t i = 0; i < n; i++) f[o * n + i] += coef * col->x[i];
        }
    }
    return norm2;
}

pare_status certify_zero_slack(pare_report *out, const cert_job *job, const cert_svm_problem *m,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->data->x.n, c = job->n_outputs;
    bool together = c > 1 && m->together;
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    cert_column col = {0};
    double *f = ARENA_NEW(&reader.mem, double, n *c), *costs = ARENA_NEW(&reader.mem, double, n *c);
    TRY_MEM(f && costs);
    TRY_MEM(col.x = ARENA_NEW(&reader.mem, double, n));
    double *norm2 = ARENA_ZERO(&reader.mem, double, c), objective = 0, C = m->C;
    TRY_MEM(norm2);
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < n; i++) f[o * n + i] = job->intercept[o];
    if (job->kernel)
        TRY(cert_kernel_point(job, &reader, f, norm2, err));
    else
        norm2[0] = decide_linear(job, &reader, &col, f);
    for (int64_t o = 0; o < c; o++) objective += 0.5 * norm2[o];
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < n; i++) {
            int32_t y = job->y->cls[i];
            double margin = y == (c == 1 ? 1 : o) ? f[o * n + i] : -f[o * n + i];
            if (together) margin = f[y * n + i] - f[o * n + i];
            double slack = fmax(0, 1 - margin), own = job->weight ? job->weight[i] : 1;
            costs[o * n + i] = C / (EPS + slack);
            if (!together || y != o) objective += own * C * log(EPS + slack);
        }
    cert_svm_problem tangent = *m;
    tangent.costs = costs;
    TRY(certify_svm_problem(out, job, &tangent, ctx, err));
    out->objective = objective;
    out->certificate.kind = PARE_CERT_MINIMUM_PRINCIPLE;

done:
    return cert_close(&reader, status, err);
}
