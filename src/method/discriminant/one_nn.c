/* NAME       1nn
 * PAPER      T. M. Cover, P. E. Hart. Nearest neighbor pattern classification. IEEE Transactions on
 *            Information Theory 13:21-27, 1967; the baseline of dlsr section IV, Table III.
 * PROBLEM    the class of the training sample that is nearest in the scaled features.
 * ALGORITHM  none: the model keeps the training samples.
 * COST       the model is as large as the data; a prediction reads all of it.
 * GUARANTEE  none to certify.
 * DEVIATIONS Of equally near samples the one whose class comes first in the class order wins. */
#include "base/error.h"
#include "method/method.h"

pare_status one_nn_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t d = job->x->d, c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    (void)ctx;
    if (job->k > 0 && job->k < d)
        return error_set(err, PARE_E_ARGUMENT,
                         "`k`: 1nn does not rank features, so it cannot select %lld of %lld",
                         (long long)job->k, (long long)d);
    PASS_MEM(r->score = ARENA_ZERO(&r->mem, double, d));
    for (int64_t j = 0; j < d; j++) {
        int64_t at = job->x->cols ? job->x->cols[j] : j;
        if (job->x->scale && job->x->scale[at] == 0) continue; /* constant */
        r->score[j] = 1;
        r->n_support++;
    }
    PASS(fit_rank(r, d, err));
    r->support = r->ranking;
    r->n_outputs = c;
    PASS_MEM(r->W = ARENA_ZERO(&r->mem, double, r->n_support *c));
    PASS_MEM(r->b = ARENA_ZERO(&r->mem, double, c));
    r->decides = BY_RAW_NEIGHBOUR;
    r->outcome = PARE_OPTIMAL;
    return PARE_OK;
}
