/* NAME       lda
 * PAPER      R. A. Fisher. The use of multiple measurements in taxonomic problems. Annals of Eugenics
 *            7:179-188, 1936; ridge: J. H. Friedman. Regularized discriminant analysis. JASA
 *            84:165-175, 1989; a comparator in dlsr section IV, Table III.
 * PROBLEM    output k: x'S m_k - m_k'S m_k / 2 + ln p_k with S = (C + gamma I)^-1, C the covariance
 *            within classes (over the total weight), m_k and p_k mean and share of class k. Two
 *            classes: the second less the first.
 * SYMBOLS    P: n x c, m_k = X'P_k; T = I - (class averages); K: n x n Gram; W = S M: d x c.
 * ALGORITHM  d >= n: W = X'(P - T'V) / gamma, V = (T K T' + N gamma / s)^-1 T K P (Woodbury).
 *            d < n: Cholesky of C + gamma I.  predict 1nn: the outputs are rotated and
 *            scaled so that distances between them are those of the discriminant
 *            space, where C + gamma I is 1.
 * COST       3 passes over X (means, Gram, weights); memory n^2 + d c, or d^2 + n d if d < n.
 * GUARANTEE  none to certify: a formula. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/discriminant/discriminant.h"

#define RANK_TOL 1e-10 /* of the largest eigenvalue between classes */

/* W becomes W (W'M)^{-1/2}: outputs in which C + gamma I has become the identity. */
static pare_status whiten(discriminant *s, arena *mem, pare_error *err) {
    int64_t d = s->d, c = s->c;
    double *between = ARENA_NEW(mem, double, c *c), *value = ARENA_NEW(mem, double, c),
           *W = ARENA_ZERO(mem, double, d *c), *work = ARENA_NEW(mem, double, 4 * c);
    if (!between || !value || !W || !work) return error_memory(err);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)c, (int)c, (int)d, 1, s->W, (int)d,
                s->M, (int)d, 0, between, (int)c);
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)c, between, (lapack_int)c, value,
                           work, (lapack_int)(4 * c)) != 0)
        return error_set(err, PARE_E_INTERNAL, "the eigenvalues between classes did not converge");
    for (int64_t e = 0; e < c; e++) {
        if (!(value[e] > RANK_TOL * value[c - 1])) continue;
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)d, (int)c, 1 / sqrt(value[e]), s->W, (int)d,
                    between + e * c, 1, 0, W + e * d, 1);
    }
    memcpy(s->W, W, sizeof(double) * (size_t)(d * c));
    return PARE_OK;
}

pare_status lda_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t classes = job->y->n_classes;
    bool neighbour = strcmp(job->set->lda.predict, "1nn") == 0;
    if (!job->set->common.intercept)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`intercept`: false is not allowed for lda, whose constants are part of it");
    discriminant s;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *b = ARENA_ZERO(&mem, double, classes);
    TRY_MEM(b);
    if (neighbour) r->decides = BY_MAPPED_NEIGHBOUR;
    TRY(discriminant_solve(&s, &mem, job, job->x, job->set->lda.gamma, neighbour, ctx, err));
    if (neighbour && classes > 2) TRY(whiten(&s, &mem, err));
    for (int64_t k = 0; k < classes && !neighbour; k++) b[k] = discriminant_prior(&s, k);
    TRY(discriminant_result(r, &s, b, err));

done:
    arena_free(&mem);
    return status;
}
