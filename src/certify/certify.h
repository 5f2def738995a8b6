/* Certificates: objective, feasibility and gap of a model, recomputed from the raw data with single
 * columns and plain loops. No code is shared with solve/ and method/, and scaling is computed again
 * from the raw columns, so that an error there cannot certify itself. */
#ifndef PARE_CERTIFY_CERTIFY_H
#define PARE_CERTIFY_CERTIFY_H

#include <math.h>

#include <pare/model.h>

#include "base/memory.h"
#include "base/settings.h"
#include "data/sample/batches.h"
#include "task/task.h"

/* A point in a kernel's space, in raw units: f_o(x) = sum_s alpha_so k(x_s, x), with
 *     rbf    k(u, v) = exp(-sum_j gamma_j (u_j - v_j)^2)
 *     poly   k(u, v) = (sum_j gamma_j (u_j - shift_j) (v_j - shift_j) + coef0)^degree
 *     a sum  k(u, v) = sum_j weight_j exp(-gamma_j (u_j - v_j)^2)
 *            or, delta,  sum_j weight_j [u_j = v_j] */
typedef struct cert_kernel {
    const char *type;     /* "rbf", "poly" or "delta" */
    const double *gamma;  /* per selected feature */
    const double *weight; /* the same, of a sum; else NULL */
    double degree, coef0; /* poly */
    int64_t n_support;
    const double *alpha; /* n_support x n_outputs */
    const double *x;     /* n_support x selected features, imputed */
} cert_kernel;

typedef struct cert_job {
    const pare_data *data; /* raw */
    const target *y;
    const double *weight; /* n, or NULL */
    const double *offset; /* n, part of the decision values, or NULL */
    /* The problem's scaling, and the certifying method's own settings in effect: its struct in
       base/settings.h. */
    const char *scale, *missing, *row_scale;
    bool with_intercept;
    const void *own;

    /* The problem's features: columns of the data; n_cols == d and cols == NULL: all. z: factors
       after scaling, NULL: ones. */
    int64_t n_cols;
    const int64_t *cols;
    const double *z;

    /* Feature terms of the problem, of every base column. cost: of its penalty; divides: divisors
       of columns after scaling; kept: forced in, not penalised; partial: which of them the others
       are projected on. Each NULL: none. */
    const double *cost, *divides;
    const bool *kept, *partial;
    const signed char *sign; /* 1 or -1: the only one of its coefficient; 0: either */
    bool grouped;            /* its penalty is of the data's feature groups, if they have some */

    /* The point to certify: coefficients in raw units over the columns `index` (a subset of cols).
       coef == NULL: the point that the dual itself gives. */
    int64_t n_coef;
    const int64_t *index;
    int64_t n_outputs;
    const double *coef;        /* n_coef x n_outputs */
    const double *intercept;   /* n_outputs */
    int64_t n_dual;            /* columns of dual; a file may hold any number */
    const double *dual;        /* n x n_outputs */
    const cert_kernel *kernel; /* the point if the kernel is not linear, or NULL */
    /* Two-stage methods, for the predictor: the weights that the selection gave its columns. */
    bool predictor;
    int64_t n_given;
    const int64_t *given_cols;
    const double *given;
} cert_job;

/* A raw column as the problem sees it: value x -> ((missing ? fill : x) - shift) * scale. Under
 * robust scaling x is asinh((raw - median) / spread) first, where spread is not 0. */
typedef struct cert_column {
    double fill, shift, scale; /* scale 0: constant */
    double mean;               /* of the filled values */
    double median, spread;
    double *x; /* n raw values, missing ones filled, transformed; given by the caller */
} cert_column;

/* The batches of the samples, and how the column that was read last was adjusted for them. */
typedef struct cert_batch {
    int64_t count;
    const char **name;
    const int32_t *of;              /* n */
    double *size;                   /* count: the weight of their samples */
    double *gamma, *delta;          /* count x d, of ComBat; else NULL */
    double grand, deviation;        /* of the column: its mean, and deviation within batches */
    double *shift, *scale;          /* count */
    double *mean, *squares, *first; /* count: scratch */
    bool *varied;
} cert_batch;

/* What a thread reads columns with. */
typedef struct cert_walk {
    walk raw;
    struct ranked *sorted; /* n */
} cert_walk;

typedef struct cert_reader {
    const cert_job *job;
    walk raw;
    struct ranked *sorted; /* n */
    int n_helpers;
    cert_walk *helper;    /* of the threads of a walk through the columns */
    bool fills;           /* compute `fill` also for columns without missing values */
    int64_t n_basis;      /* partial: an orthonormal basis of the forced-in columns, n x
                              n_basis, */
    double *basis, *root; /* in the inner product of the weights, whose roots are here */
    double *row, *idf;    /* factors of rows (n) and columns (d); NULL: none */
    cert_batch *batch;    /* or NULL */
    arena mem;
} cert_reader;

PARE_NODISCARD pare_status cert_open(cert_reader *r, const cert_job *job, const pare_ctx *ctx,
                                     pare_error *err);
void cert_column_read(cert_reader *r, int64_t j, cert_column *out);
/* Only x and fill, before batches are adjusted. */
void cert_column_fill(cert_reader *r, int64_t j, cert_column *out);
/* For data with batches: sets up the reader (certify/cert_batch.c; cert_open calls it), and adjusts the
 * filled column. */
PARE_NODISCARD pare_status cert_batch_open(cert_reader *r, pare_error *err);
void cert_batch_take(cert_reader *r, int64_t j, double *x);
/* For a job with `partial`: sets up the reader so that every column is read as its residual
 * (certify/cert_residuals.c; cert_open calls it), and subtracts the projection from a column. */
PARE_NODISCARD pare_status cert_partial_open(cert_reader *r, pare_error *err);
void cert_partial_take(const cert_reader *r, int64_t j, cert_column *col);
/* The target of such a job: y, with residuals of values. From the arena. */
PARE_NODISCARD pare_status cert_partial_target(target *y, arena *mem, const cert_job *job,
                                               const pare_ctx *ctx, pare_error *err);
/* For each feature its position among the job's coefficients, or -1; NULL: out of memory. */
int64_t *cert_positions(cert_reader *r);

/* A walk through the problem's columns, which threads read some at a time:
 *     PASS(cert_begin(&at, &reader, job, n_dual, ctx, err));
 *     while (cert_next(&at)) use(&at.col, at.j, at.position); */
typedef struct cert_columns {
    cert_reader *reader;
    cert_column col;
    int64_t i, j;     /* its place among the problem's columns, its feature */
    int64_t position; /* its place among the job's coefficients, or -1 */
    int64_t *position_of;
    int64_t ready, block; /* columns before this place are read; columns read at a time */
    cert_column *ahead;   /* block */
} cert_columns;

/* Opens the reader, after a look at the number of columns of the dual (0: any), and the walk. */
PARE_NODISCARD pare_status cert_begin(cert_columns *at, cert_reader *r, const cert_job *job,
                                      int64_t n_dual, const pare_ctx *ctx, pare_error *err);
/* The walk alone, from the first column, on an open reader. */
PARE_NODISCARD pare_status cert_columns_open(cert_columns *at, cert_reader *r, pare_error *err);
bool cert_next(cert_columns *at);
/* Returns status or, if that is fine, the error of the reading: a column that could not be read was
 * 0. */
PARE_NODISCARD pare_status cert_close(cert_reader *r, pare_status status, pare_error *err);

/* A support vector machine: 1/2 |w|^2 + C sum slack, or sum slack^2 / (2 ridge) with a ridge. */
typedef struct cert_svm_problem {
    double C, ridge;
    const double *ridges, *costs; /* n x n_outputs: of each sample instead of these, or NULL */
    bool zero_slack;              /* C sum ln(eps + slack) */
    bool together;                /* several classes at once (Weston and Watkins) */
    bool pairs;                   /* an output per pair of classes (one against one) */
    const char *kernel;           /* linear, rbf or poly */
    double gamma;                 /* NaN: automatic, by the problem's columns */
    double coef0;
    int64_t degree;
} cert_svm_problem;

PARE_NODISCARD pare_status certify_svm_problem(pare_report *out, const cert_job *job,
                                               const cert_svm_problem *m, const pare_ctx *ctx,
                                               pare_error *err);
/* The variants that certify_svm_problem delegates to: several classes at once, and zero slack. */
PARE_NODISCARD pare_status certify_ww(pare_report *out, const cert_job *job,
                                      const cert_svm_problem *m, const pare_ctx *ctx,
                                      pare_error *err);
PARE_NODISCARD pare_status certify_zero_slack(pare_report *out, const cert_job *job,
                                              const cert_svm_problem *m, const pare_ctx *ctx,
                                              pare_error *err);

/* The SVM's kernel over the problem's columns, n x n. */
PARE_NODISCARD pare_status cert_kernel_gram(double *K, const cert_job *job,
                                            const cert_svm_problem *m, cert_reader *reader,
                                            pare_error *err);
/* Adds the decision values of job->kernel without intercept to f (n x n_outputs), sets |w|^2. */
PARE_NODISCARD pare_status cert_kernel_point(const cert_job *job, cert_reader *reader, double *f,
                                             double *norm2, pare_error *err);

/* The baseline hazard of the job's point, from the raw data by its definition: the center, and for each
 * sample the cumulative hazard of its stratum at its time. center and hazard (n) are the caller's. */
PARE_NODISCARD pare_status cert_baseline(double *center, double *hazard, const cert_job *job,
                                         const pare_ctx *ctx, pare_error *err);

/* Whether a coefficient of feature j is one that its sign forbids, and what of X_j'u a coefficient of 0
 * could follow. */
static inline bool cert_forbids(const cert_job *job, int64_t j, double coef) {
    return job->sign && job->sign[j] * coef < 0;
}
static inline double cert_pull(const cert_job *job, int64_t j, double price) {
    int sign = job->sign ? job->sign[j] : 0;
    return sign == 0 ? fabs(price) : fmax(sign * price, 0);
}

/* gap / max(|primal|, |dual|), 0/0 = 0. */
pare_certificate cert_gap(double primal, double dual);

/* Certifies one method's problem: fills objective and certificate, leaves the outcome. */
typedef pare_status cert_method(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                pare_error *err);
cert_method certify_svm;
cert_method certify_l2_arom;
cert_method certify_l1_arom;
cert_method certify_poly_arom;
cert_method certify_svm_rfe;
cert_method certify_r2w2;
cert_method certify_l1_svm;
cert_method certify_l1_svm_path;
cert_method certify_fsv;
cert_method certify_llna;
cert_method certify_plna;
cert_method certify_lstsq;
cert_method certify_best_subset;
cert_method certify_ridge_logistic;                          /* the final classifier logistic */
cert_method certify_relaxed_lasso, certify_relaxed_logistic; /* see `refit` */
cert_method certify_shrunken_lda;                            /* the final classifier lda */
cert_method certify_dlsr;
cert_method certify_dlsr_fs;
cert_method certify_lsr;
cert_method certify_push;
cert_method certify_rank;
cert_method certify_kta;
cert_method certify_uniform;
cert_method certify_bahsic;
cert_method certify_kta_centered;
cert_method certify_smo_mkl;
cert_method certify_lp_mkl;
cert_method certify_l1_mkl_path;
cert_method certify_lasso;
cert_method certify_logistic;
cert_method certify_sbmlr;
cert_method certify_cox;
cert_method certify_relaxed_cox; /* on the chosen features: see `refit` */

/* The l1 margin programs: primal and dual objective, summed over c outputs, one program for each or
 * all in one (together). cost: one per problem column, loss: n x c. W, unless NULL, becomes the
 * coefficients in scaled units, n_coef x c. */
PARE_NODISCARD pare_status certify_l1(double *primal, double *dual, double *W, const cert_job *job,
                                      int64_t c, bool together, const double *cost,
                                      const double *loss, const pare_ctx *ctx, pare_error *err);

#endif
