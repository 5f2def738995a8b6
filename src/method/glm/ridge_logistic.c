/* NAME       the final classifier logistic
 * PROBLEM    mean log loss + |w|^2 / (2 C n), n the sum of the weights: the method logistic with
 *            alpha 0 and lambda = 1 / (C n), C being classifier_C.
 * GUARANTEE  that of logistic: certify_ridge_logistic. */
#include <math.h>

#include "base/error.h"
#include "method/method.h"

pare_status ridge_logistic_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                               pare_error *err) {
    double total = 0, C = job->set->common.classifier_C;
    if (isinf(C))
        return error_set(err, PARE_E_ARGUMENT,
                         "classifier_C: inf is not allowed with classifier logistic: separable "
                         "classes would have infinite weights");
    for (int64_t i = 0; i < job->x->n; i++) total += job->weight ? job->weight[i] : 1;
    all_settings set = *job->set;
    fit_job own = *job;
    set.logistic.alpha = 0;
    set.logistic.adaptive = false;
    set.logistic.lambda = 1 / (C * total);
    own.set = &set;
    own.selected = NULL;
    return logistic_fit(r, &own, ctx, err);
}
