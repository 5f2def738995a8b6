/* The certificate of svm-rfe's last problem: the SVM on the features that survived. */
#include <string.h>

#include "certify/certify.h"

pare_status certify_svm_rfe(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    all_settings set = *job->set;
    cert_job selecting = *job;
    selecting.set = &set;
    set.svm.C = set.svm_rfe.C;
    set.svm.ridge = set.svm_rfe.ridge;
    strcpy(set.svm.kernel, set.svm_rfe.kernel);
    set.svm.gamma = set.svm_rfe.gamma; /* automatic: by the surviving columns */
    set.svm.degree = set.svm_rfe.degree;
    set.svm.coef0 = set.svm_rfe.coef0;
    return certify_svm(out, &selecting, ctx, err);
}
