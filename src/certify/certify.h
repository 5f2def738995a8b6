/* Certificates: objective, feasibility and gap of a model recomputed from the raw data with single
 * columns and plain loops. Nothing here is shared with solve/ and method/, and scaling is computed
 * anew from the raw columns, so that a fault there cannot certify itself. */
#ifndef PARE_CERTIFY_CERTIFY_H
#define PARE_CERTIFY_CERTIFY_H

#include <pare/model.h>

#include "base/memory.h"
#include "base/settings.h"
#include "data/target.h"

typedef struct cert_job {
    const pare_data *data; /* raw */
    const target *y;
    const double *weight; /* n, or NULL */
    const all_settings *set;

    /* The problem's features: columns of the data; n_cols == d and cols == NULL: all. z: what each
     * was multiplied by after scaling, NULL: ones. */
    int64_t n_cols;
    const int64_t *cols;
    const double *z;
    /* SVMs whose samples have ridges of their own: n x n_outputs, instead of the settings' C and
     * ridge; NULL: none. */
    const double *ridges;
    const double *costs; /* the same for C */

    /* The point to judge: coefficients in raw units over the columns `index` (a subset of cols).
     * coef == NULL: the point that the dual itself gives. */
    int64_t n_coef;
    const int64_t *index;
    int64_t n_outputs;
    const double *coef;      /* n_coef x n_outputs */
    const double *intercept; /* n_outputs */
    const double *dual;      /* n x n_outputs */
    const struct kernel_model
        *kernel; /* the point where settings.svm.kernel is not linear, or NULL */
    /* Two-stage methods, judging the predictor: what the selection gave its columns. */
    bool predictor;
    int64_t n_given;
    const int64_t *given_cols;
    const double *given;
} cert_job;

/* A raw column as the problem sees it: value x -> ((missing ? fill : x) - shift) * scale. */
typedef struct cert_column {
    double fill, shift, scale; /* scale 0: constant */
    double *x;                 /* n raw values, missing ones filled; given by the caller */
} cert_column;

typedef struct cert_reader {
    const cert_job *job;
    column_reader raw;
    double *sorted; /* n */
    arena mem;
} cert_reader;

PARE_NODISCARD pare_status cert_open(cert_reader *r, const cert_job *job, const pare_ctx *ctx,
                                     pare_error *err);
void cert_column_read(cert_reader *r, int64_t j, cert_column *out);
void cert_close(cert_reader *r);

/* The kernel of settings.svm over the problem's columns, n x n. */
PARE_NODISCARD pare_status cert_kernel_gram(double *K, const cert_job *job, cert_reader *reader,
                                            pare_error *err);
/* Adds the decision values of job->kernel without intercept to f (n x n_outputs), sets |w|^2. */
PARE_NODISCARD pare_status cert_kernel_point(const cert_job *job, cert_reader *reader, double *f,
                                             double *norm2, pare_error *err);

/* gap / max(|primal|, |dual|), 0/0 = 0. */
pare_certificate cert_gap(double primal, double dual);

PARE_NODISCARD pare_status certify_svm(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                       pare_error *err);
/* Weston and Watkins' multiclass SVM, which certify_svm passes on. */
PARE_NODISCARD pare_status certify_ww(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                      pare_error *err);
PARE_NODISCARD pare_status certify_l2_arom(pare_report *out, const cert_job *job,
                                           const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status certify_svm_rfe(pare_report *out, const cert_job *job,
                                           const pare_ctx *ctx, pare_error *err);
/* svm with slack zero, which certify_svm passes on. */
PARE_NODISCARD pare_status certify_zero_slack(pare_report *out, const cert_job *job,
                                              const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status certify_r2w2(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status certify_rank(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status certify_push(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status certify_kta(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                       pare_error *err);

/* The l1 margin programs: primal and dual objective, summed over c outputs. cost: one per problem
 * column, loss: n x c. W, unless NULL, becomes the coefficients in scaled units, n_coef x c. */
PARE_NODISCARD pare_status certify_l1(double *primal, double *dual, double *W, const cert_job *job,
                                      int64_t c, const double *cost, const double *loss,
                                      const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status certify_l1_svm(pare_report *out, const cert_job *job,
                                          const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status certify_fsv(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                       pare_error *err);
PARE_NODISCARD pare_status certify_llna(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status certify_plna(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                        pare_error *err);
PARE_NODISCARD pare_status certify_best_subset(pare_report *out, const cert_job *job,
                                               const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status certify_lstsq(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                         pare_error *err);

#endif
