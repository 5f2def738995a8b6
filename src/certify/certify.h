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

    /* The point to judge: coefficients in raw units over the columns `index` (a subset of cols).
     * coef == NULL: the point that the dual itself gives. */
    int64_t n_coef;
    const int64_t *index;
    int64_t n_outputs;
    const double *coef;      /* n_coef x n_outputs */
    const double *intercept; /* n_outputs */
    const double *dual;      /* n x n_outputs */
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

/* gap / max(|primal|, |dual|), 0/0 = 0. */
pare_certificate cert_gap(double primal, double dual);

PARE_NODISCARD pare_status certify_svm(pare_report *out, const cert_job *job, const pare_ctx *ctx,
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
