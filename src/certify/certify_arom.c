/* The certificate of the last selecting problem of l2-arom and poly-arom: an SVM with hard margins or a ridge on
 * the surviving features times z. */
#include <math.h>
#include <string.h>

#include "certify/certify.h"

static pare_status certify_selecting(pare_report *out, const cert_job *job, double ridge,
                                     double zero_slack, const char *multiclass, const pare_ctx *ctx,
                                     pare_error *err) {
    all_settings set = *job->set;
    cert_job selecting = *job;
    selecting.set = &set;
    set.svm.C = INFINITY;
    set.svm.ridge = ridge;
    strcpy(set.svm.multiclass, multiclass);
    if (zero_slack > 0) { /* the second half of the dual's columns are ridges */
        selecting.n_outputs = job->n_outputs / 2;
        selecting.ridges = job->dual + selecting.n_outputs * job->data->x.n;
    }
    return certify_svm(out, &selecting, ctx, err);
}

pare_status certify_l2_arom(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const l2_arom_settings *s = &job->set->l2_arom;
    return certify_selecting(out, job, s->ridge, s->zero_slack, s->multiclass, ctx, err);
}

pare_status certify_poly_arom(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    const poly_arom_settings *s = &job->set->poly_arom;
    return certify_selecting(out, job, s->ridge, s->zero_slack, s->multiclass, ctx, err);
}
