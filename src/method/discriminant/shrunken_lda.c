/* NAME       the final classifier lda (not the method of that name, which has a ridge of its own)
 * PAPER      Y. Guo, T. Hastie, R. Tibshirani. Regularized linear discriminant analysis and its
 *            application in microarrays. Biostatistics 8:86-100, 2007: the form that shrinks the
 *            correlation, without their threshold on the means and with the fixed g below.
 * PROBLEM    f_k = x'C_g^-1 m_k - m_k'C_g^-1 m_k / 2 + ln(n_k / n), C_g = (1 - g) C + g I,
 *            g = min(MAX_SHRINKAGE, SAMPLES / n), C the correlation within classes; features
 *            divided by their pooled deviation within classes, x and m_k from the overall mean. n:
 *            the sum of the weights. Two classes: the second less the first.
 * ALGORITHM  C_g is C' + gamma I times (1 - g) n / (n - c), C' = R'R / n, gamma = g / that factor:
 *            method/discriminant/discriminant.c on features in units of their deviations.
 * COST       a k x k factor, or n x n if there are more features than samples; passes over the
 *            chosen features only.
 * GUARANTEE  certify_shrunken_lda: the residual of C_g w = m, and the intercepts. */
#include <math.h>

#include "base/error.h"
#include "method/discriminant/discriminant.h"
#include "method/discriminant/within.h"

static const double MAX_SHRINKAGE = 0.9, SAMPLES = 40;

/* The view in units of the deviations. */
static pare_status standardise(view *out, arena *mem, const view *x, const double *dev,
                               pare_error *err) {
    double *scale = ARENA_ZERO(mem, double, x->x->d);
    if (!scale) return error_memory(err);
    for (int64_t j = 0; j < x->d; j++) {
        int64_t base = x->cols ? x->cols[j] : j;
        if (dev[j] > 0) scale[base] = (x->scale ? x->scale[base] : 1) / dev[j];
    }
    *out = *x;
    out->scale = scale;
    return PARE_OK;
}

pare_status shrunken_lda_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                             pare_error *err) {
    int64_t d = job->x->d, c = job->y->n_classes;
    if (!job->set->common.intercept)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`intercept`: false is not allowed for classifier lda, whose constants are "
            "part of it");
    within in;
    discriminant s;
    view x;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *b = ARENA_NEW(&mem, double, c);
    TRY_MEM(b);
    TRY(within_make(&in, &mem, job, ctx, err));
    TRY(standardise(&x, &mem, job->x, in.dev, err));
    double g = fmin(MAX_SHRINKAGE, SAMPLES / in.total);
    double factor = (1 - g) * in.total / (in.total - (double)c);
    TRY(discriminant_solve(&s, &mem, job, &x, g / factor, true, ctx, err));
    for (int64_t e = 0; e < d * c; e++) s.W[e] /= factor;
    for (int64_t k = 0; k < c; k++) b[k] = discriminant_prior(&s, k);
    for (int64_t j = 0; j < d; j++) { /* to the units of the job */
        s.mean[j] *= in.dev[j];
        for (int64_t k = 0; k < c; k++) s.W[k * d + j] /= in.dev[j] > 0 ? in.dev[j] : 1;
    }
    TRY(discriminant_result(r, &s, b, err));

done:
    arena_free(&mem);
    return status;
}
