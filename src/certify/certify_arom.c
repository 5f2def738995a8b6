/* The certificate of the last selection problem of l2-arom and poly-arom: an SVM with hard margins
 * or a ridge on the remaining features times z. */
#include <math.h>

#include "certify/certify.h"

static pare_status certify_selecting(pare_report *out, const cert_job *job, double ridge,
                                     double zero_slack, const char *multiclass, const pare_ctx *ctx,
                                     pare_error *err) {
    cert_job selecting = *job;
    cert_svm_problem m = {
        .C = INFINITY, .ridge = ridge, .together = choice_is(multiclass, "ww"), .kernel = "linear"};
    if (zero_slack > 0) { /* the second half of the dual's columns are ridges */
        selecting.n_outputs = job->n_outputs / 2;
        m.ridges = job->dual + selecting.n_outputs * job->data->x.n;
    }
    return certify_svm_problem(out, &selecting, &m, ctx, err);
}

pare_status certify_l2_arom(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const l2_arom_settings *s = job->own;
    return certify_selecting(out, job, s->ridge, s->zero_slack, s->multiclass, ctx, err);
}

pare_status certify_poly_arom(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    const poly_arom_settings *s = job->own;
    return certify_selecting(out, job, s->ridge, s->zero_slack, s->multiclass, ctx, err);
}
