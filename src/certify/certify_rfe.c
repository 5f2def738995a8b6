/* The certificate of svm-rfe's last problem: the SVM on the features that survived. */
#include "certify/certify.h"

pare_status certify_svm_rfe(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const svm_rfe_settings *s = job->own;
    cert_machine m = {.C = s->C,
                      .ridge = s->ridge,
                      .kernel = s->kernel,
                      .gamma = s->gamma, /* automatic: by the surviving columns */
                      .degree = s->degree,
                      .coef0 = s->coef0};
    return certify_machine(out, job, &m, ctx, err);
}
