/* The certificate of svm-rfe's last problem: the SVM on the remaining features. */
#include "certify/certify.h"

pare_status certify_svm_rfe(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const svm_rfe_settings *s = job->own;
    cert_svm_problem m = {.C = s->C,
                          .ridge = s->ridge,
                          .kernel = s->kernel,
                          .gamma = s->gamma, /* automatic: from the remaining columns */
                          .degree = s->degree,
                          .coef0 = s->coef0};
    return certify_svm_problem(out, job, &m, ctx, err);
}
