/* NAME       kta
 * PAPER      alignment: N. Cristianini, J. Shawe-Taylor, A. Elisseeff, J. Kandola. On kernel-target
 *            alignment. NIPS 2001; lp-kta: generalised lp-KTA, eq. (1), Algorithm 1; the classifier
 *            of section 3.
 * PROBLEM    selection: minimise over eta >= 0
 *                sum_j lambda1 B(eta_j) + lambda2 eta_j^p - a_j eta_j
 *            B = (eta - eta0)^2 (euclid) or eta ln(eta/eta0) - eta + eta0 (kl); a_j: alignment of
 *            feature j's centred, trace-normalised kernel with the target
 *            (solve/kernel/kernel_align.h). Selected: eta_j > eps. Predictor: SVM (classes) or
 *            kernel ridge (regression) on sum_j eta_j K_j over the selected features
 *            (method/kernel/kernel_predictor.h).
 * SYMBOLS    a: d alignments; trace: d, tr(HK_jH) before normalisation; eta: d weights.
 * ALGORITHM  1. alignments, one feature at a time.
 *            2. lambda1, lambda2, eta0 where automatic.
 *            3. weights: directly, one monotone Newton method in ln eta each, or (algorithm pc) the
 *               paper's predictor-corrector along p. Constant features: weight 0.
 *            4. (refit) the predictor on the chosen features with these weights.
 * COST       selection: one pass over X, O(20 n) at most per feature; predictor: one more pass over
 *            the selected features and n^2 memory.
 * GUARANTEE  selection: stationarity, eq. (5), of every selected weight and the selecting condition
 *            of every other feature; predictor: duality gap. Both from raw data
 *            (certify/certify_kta.c). Score = alignment: weights increase with it.
 * STOPPING   weights to rounding; predictor: relative gap <= tol.
 * DEVIATIONS weights at or under eps are 0 in the predictor (the paper thresholds too); this is at
 *            most Lemma 1's bound from the optimum. pc predicts ln eta, not eta. C defaults to
 *            n / tr(K), so that the scale of the weights does not matter.
 *            (tests/ref/test_kta_weights.c, tests/cert/test_kta.c) */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/kernel/kernel_predictor.h"
#include "method/kernel/kta.h"

/* 2 */
pare_status kta_resolve(kta_problem *k, const kta_settings *s, const double *a, int64_t d,
                        pare_error *err) {
    double largest = 0;
    for (int64_t j = 0; j < d; j++) largest = fmax(largest, a[j]);
    if (largest == 0) largest = 1; /* nothing will be selected for any lambdas */
    bool kl = choice_is(s->divergence, "kl");
    double lambda1 = isnan(s->lambda1) ? s->lambda1_ratio * largest : s->lambda1;
    double lambda2 = isnan(s->lambda2) ? s->lambda2_ratio * largest : s->lambda2;
    double eta0 = isnan(s->eta0) ? (kl ? s->eps : 0) : s->eta0;
    if (lambda1 == 0 && lambda2 == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "lambda1 and lambda2 are both 0: the weights have no bound, one of them "
                         "must be above 0");
    if (lambda1 == 0 && s->p == 1)
        return error_set(err, PARE_E_ARGUMENT,
                         "lambda1: 0 is not possible at p = 1, where the weights then have no "
                         "bound: choose lambda1 > 0 or p > 1");
    if (kl && eta0 == 0)
        return error_set(err, PARE_E_ARGUMENT, "eta0: the divergence kl needs eta0 > 0");
    if (choice_is(s->algorithm, "pc") && s->p_start < s->p)
        return error_set(err, PARE_E_ARGUMENT,
                         "`p_start`: %g is below p = %g, and the path goes down to p", s->p_start,
                         s->p);
    *k = (kta_problem){lambda1, lambda2, s->p, s->eps, kl, eta0};
    return PARE_OK;
}

/* 3. Weights by either algorithm; a note on the path of the algorithm pc. */
static pare_status weigh(double *eta, const kta_features *f, fit_result *r, const kta_problem *k,
                         const kta_settings *s, int64_t d, bool tell, pare_error *err) {
    double threshold = kta_threshold(k);
    pare_status status = PARE_OK;
    bool follows = choice_is(s->algorithm, "pc");
    kta_trace trace = {0};
    if (follows) kta_follow(eta, NULL, &trace, k, f->a, d, s->p_start, s->p_step, (int)s->order);
    for (int64_t j = 0; j < d; j++) {
        bool selected = f->trace[j] > 0 && f->a[j] > threshold;
        double log_eta = follows && isfinite(eta[j]) ? eta[j]
                         : selected                  ? kta_log_weight(k, f->a[j])
                                                     : -INFINITY;
        eta[j] = selected ? exp(log_eta) : 0;
        if (isinf(eta[j]))
            return error_set(err, PARE_E_ARGUMENT,
                             "lambda1: %g is so small that a weight is beyond the largest number "
                             "(its logarithm is %g)",
                             k->lambda1, log_eta);
    }
    r->iterations = trace.newton_steps;
    if (follows && tell)
        status = fit_note(r, err,
                          "path followed from p = %g to %g: %lld of %lld features left, %lld "
                          "corrections, dropping changes the objective by at most %.3g",
                          s->p_start, k->p, (long long)trace.active, (long long)d,
                          (long long)trace.newton_steps, trace.bound);
    return status;
}

pare_status kta_align(kta_features *f, kta_problem *k, const fit_job *job, const kta_settings *s,
                      arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t d = job->x->d;
    align_target t;
    PASS(align_target_make(&t, mem, job->y->cls, job->y->n_classes, job->y->value, job->weight,
                           job->x->n, err));
    f->a = ARENA_NEW(mem, double, d);
    f->trace = ARENA_NEW(mem, double, d);
    f->gamma = ARENA_NEW(mem, double, d);
    if (!f->a || !f->trace || !f->gamma) return error_memory(err);
    pare_status status = kernel_align(f->a, f->trace, f->gamma, job->x, &t, kernel_named(s->kernel),
                                      s->gamma, ctx, err); /* 1 */
    return status == PARE_OK ? kta_resolve(k, s, f->a, d, err) : status;
}

/* The selected columns and their weights as the selection's result, in the order of the ranking. */
static pare_status give_selection(fit_result *r, const double *eta, const kta_features *f,
                                  const kta_problem *k, const fit_job *job, pare_error *err) {
    int64_t d = job->x->d;
    r->score = f->a;
    PASS(fit_rank(r, d, err));
    r->support = r->cols = ARENA_NEW(&r->mem, int64_t, d);
    r->z = ARENA_NEW(&r->mem, double, d);
    if (!r->cols || !r->z) return error_memory(err);
    r->objective = 0;
    for (int64_t i = 0; i < d; i++) {
        int64_t j = r->ranking[i];
        if (f->trace[j] > 0) r->objective += kta_value(k, f->a[j], eta[j]);
        if (eta[j] == 0) continue;
        r->cols[r->n_cols] = job->x->cols ? job->x->cols[j] : j;
        r->z[r->n_cols++] = eta[j];
    }
    r->n_support = r->n_cols;
    r->n_outputs = target_scores(job->y);
    r->outcome = PARE_OPTIMAL;
    if (r->n_support == 0)
        return fit_note(r, err, "no feature's alignment is above %.6g: none is selected",
                        kta_threshold(k));
    return PARE_OK;
}

pare_status kta_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    kta_settings *s = &fit_settings(r, job)->kta;
    int64_t d = job->x->d;
    arena scratch = arena_of(ctx);
    kta_features f;
    kta_problem k;
    pare_status status = PARE_OK;

    TRY(weighted_kernels_check(job, "kta", err));
    TRY(kta_align(&f, &k, job, s, &r->mem, ctx, err));
    s->lambda1 = k.lambda1;
    s->lambda2 = k.lambda2;
    s->eta0 = k.eta0;
    double *eta = ARENA_NEW(&scratch, double, d);
    TRY_MEM(eta);
    TRY(weigh(eta, &f, r, &k, s, d, !job->refit, err));
    if (!job->refit) {
        TRY(give_selection(r, eta, &f, &k, job, err));
    } else { /* 4 */
        double *weight = ARENA_NEW(&scratch, double, d);
        TRY_MEM(weight);
        bool keeps = job->terms.n_kept > 0 && job->given; /* the weights are those of residuals */
        for (int64_t j = 0; j < d; j++) {
            double given = keeps ? job->given[job->x->cols ? job->x->cols[j] : j] : 0;
            if (given > 0) eta[j] = given;
            weight[j] = eta[j] > 0 && f.trace[j] > 0 ? eta[j] / f.trace[j] : 0;
        }
        weighted_kernels w = {kernel_named(s->kernel), f.gamma, weight, s->tol, s->C_ratio};
        TRY(weighted_kernels_fit(r, job, &w, &s->C, ctx, err));
    }

done:
    arena_free(&scratch);
    return status;
}

/* The cost of an alignment per feature, by boxes and nodes. */
effort_estimate kta_effort(const effort_job *job) {
    bool linear = choice_is(job->set->kta.kernel, "linear");
    return (effort_estimate){(linear ? 1e-8 : 1.2e-6) * job->stored,
                             linear ? NULL : "`kernel linear` takes seconds"};
}
