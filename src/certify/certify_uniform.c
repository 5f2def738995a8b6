/* The certificate of `uniform`: the weights are given, 1/d each, and only the predictor solves a
 * problem. Its gap is computed with these weights, whatever the model file says. */
#include <math.h>

#include "certify/certify_kernels.h"

pare_status certify_uniform(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const uniform_settings *s = job->own;
    if (job->predictor) return cert_weighted_kernels(out, job, s->kernel, s->gamma, s->C, ctx, err);
    for (int64_t i = 0; i < job->n_cols && job->z; i++)
        if (job->z[i] != 1 / (double)job->data->x.d) {
            out->certificate = (pare_certificate){PARE_CERT_KKT, INFINITY, INFINITY};
            return PARE_OK;
        }
    out->certificate = (pare_certificate){PARE_CERT_NONE, NAN, NAN};
    return PARE_OK;
}
