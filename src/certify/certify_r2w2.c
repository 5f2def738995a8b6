/* The certificate of r2w2 at its last scales: R^2 W^2 lies between (ball's dual)(2 SVM's dual) and
 * (largest squared distance from the ball's centre)(2 SVM's primal). The dual's last column are the
 * weights of the ball. Cost: two passes over the columns, with a kernel n^2 per column. */
#include <math.h>

#include "base/error.h"
#include "certify/certify.h"

/* Squared distances from the centre sum_i beta_i x_i up to a constant: diag_i = K_ii and
 * image_i = (K beta)_i, from the problem's columns. */
static pare_status ball_sums(const cert_job *job, const cert_svm_problem *m, cert_reader *reader,
                             const double *beta, double *diag, double *image, pare_error *err) {
    int64_t n = job->data->x.n;
    if (!choice_is(m->kernel, "linear")) {
        double *K = ARENA_NEW(&reader->mem, double, n *n);
        if (!K) return error_memory(err);
        PASS(cert_kernel_gram(K, job, m, reader, err));
        for (int64_t i = 0; i < n; i++) {
            diag[i] = K[i * n + i];
            for (int64_t j = 0; j < n; j++) image[i] += K[i * n + j] * beta[j];
        }
        return PARE_OK;
    }
    cert_column col = {.x = ARENA_NEW(&reader->mem, double, n)};
    if (!col.x) return error_memory(err);
    for (int64_t p = 0; p < job->n_cols; p++) {
        cert_column_read(reader, job->cols ? job->cols[p] : p, &col);
        if (job->z) col.scale *= job->z[p];
        double centre = 0;
        for (int64_t i = 0; i < n; i++) {
            col.x[i] = (col.x[i] - col.shift) * col.scale;
            centre += beta[i] * col.x[i];
        }
        for (int64_t i = 0; i < n; i++) {
            diag[i] += col.x[i] * col.x[i];
            image[i] += col.x[i] * centre;
        }
    }
    return PARE_OK;
}

pare_status certify_r2w2(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    const r2w2_settings *s = job->own;
    int64_t n = job->data->x.n;
    cert_job selecting = *job;
    selecting.n_outputs = job->n_outputs - 1;
    cert_svm_problem m = {.C = INFINITY,
                          .ridge = s->ridge,
                          .kernel = s->kernel,
                          .gamma = s->gamma,
                          .degree = s->degree,
                          .coef0 = s->coef0};
    pare_status status = certify_svm_problem(out, &selecting, &m, ctx, err);
    if (status != PARE_OK) return status;
    double primal = 2 * out->objective, dual = 2 * (out->objective - out->certificate.value);

    cert_reader reader;
    status = cert_open(&reader, &selecting, ctx, err);
    if (status != PARE_OK) return status;
    double *beta = ARENA_NEW(&reader.mem, double, n), *diag = ARENA_ZERO(&reader.mem, double, n),
           *image = ARENA_ZERO(&reader.mem, double, n);
    TRY_MEM(beta && diag && image);
    double sum = 0, quadratic = 0, low = 0, high = 0;
    for (int64_t i = 0; i < n; i++)
        sum += beta[i] = fmax(job->dual[selecting.n_outputs * n + i], 0);
    for (int64_t i = 0; i < n; i++) beta[i] /= sum;
    TRY(ball_sums(&selecting, &m, &reader, beta, diag, image, err));
    for (int64_t i = 0; i < n; i++) {
        diag[i] += s->ridge;
        image[i] += s->ridge * beta[i] / (job->weight ? job->weight[i] : 1); /* over its copies */
        quadratic += beta[i] * image[i];
        low += beta[i] * diag[i];
    }
    low -= quadratic;
    for (int64_t i = 0; i < n; i++) high = fmax(high, diag[i] - 2 * image[i] + quadratic);
    out->objective = high * primal;
    out->certificate = cert_gap(high * primal, low * dual);

done:
    return cert_close(&reader, status, err);
}
