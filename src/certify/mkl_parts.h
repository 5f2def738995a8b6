/* Shared by certificates of multiple kernel learning: from raw columns and plain loops, for every
 * feature of the problem its kernel's form of a dual point, and of a model or selection the
 * function f with the norm of each feature's part in it. */
#ifndef PARE_CERTIFY_MKL_PARTS_H
#define PARE_CERTIFY_MKL_PARTS_H

#include "certify/feature_kernel.h"

typedef struct mkl_parts {
    const cert_job *job;
    const char *kernel; /* rbf, linear or delta */
    double gamma;       /* on the scaled features; NaN: one over twice the variance */
    int64_t n, c;
    bool selecting;    /* f is that of weights (job->z) and the dual point; else the model's */
    double total;      /* of the sample weights */
    double *u;         /* n x c, set by the caller before parts_read: columns sum to 0 */
    double *f;         /* n x c: without intercept */
    double *s;         /* d: sum_o u_o'K_k u_o, K_k centred and of trace 1; 0: not of the problem */
    double *norm2;     /* d: sum_o |f_ko|^2 in the space of K_k; infinite: not in it */
    double *z;         /* d: weights of a selection */
    int64_t *position; /* d: among the model's features, or -1 */
} mkl_parts;

static inline double parts_weight(const mkl_parts *g, int64_t i) {
    return g->job->weight ? g->job->weight[i] : 1;
}

/* Memory is the reader's. */
PARE_NODISCARD pare_status parts_make(mkl_parts *g, const cert_job *job, const char *kernel,
                                      double gamma, cert_reader *reader, pare_error *err);
/* Sets f, s and norm2. One pass over the columns. */
PARE_NODISCARD pare_status parts_read(mkl_parts *g, cert_reader *reader, pare_error *err);

#endif
