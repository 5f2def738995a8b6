/* The certificate of the last selecting problem of l2-arom: an SVM with hard margins or a ridge on
 * the surviving features times z. */
#include <math.h>
#include <string.h>

#include "certify/certify.h"

pare_status certify_l2_arom(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    const l2_arom_settings *s = &job->set->l2_arom;
    all_settings set = *job->set;
    cert_job selecting = *job;
    selecting.set = &set;
    set.svm.C = INFINITY;
    set.svm.ridge = s->ridge;
    strcpy(set.svm.multiclass, s->multiclass);
    if (s->zero_slack > 0) { /* the second half of the dual's columns are ridges */
        selecting.n_outputs = job->n_outputs / 2;
        selecting.ridges = job->dual + selecting.n_outputs * job->data->x.n;
    }
    return certify_svm(out, &selecting, ctx, err);
}
