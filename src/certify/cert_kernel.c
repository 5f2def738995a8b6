/* Kernel values by their definition from raw columns, for the certificates of kernel SVMs. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

/* An automatic gamma depends on the variance of all scaled entries, before factors z and weighted
 * by samples. */
typedef struct spread {
    double count, sum, square;
} spread;

static pare_status inner_sums(const cert_job *job, bool rbf, cert_reader *reader, double *K,
                              spread *all, pare_error *err) {
    int64_t n = job->data->x.n;
    cert_column col = {.x = ARENA_NEW(&reader->mem, double, n)};
    if (!col.x) return error_memory(err);
    memset(K, 0, sizeof(double) * (size_t)(n * n));
    for (int64_t p = 0; p < job->n_cols; p++) {
        cert_column_read(reader, job->cols ? job->cols[p] : p, &col);
        for (int64_t i = 0; i < n; i++) {
            col.x[i] = (col.x[i] - col.shift) * col.scale;
            double w = job->weight ? job->weight[i] : 1;
            all->count += w;
            all->sum += w * col.x[i];
            all->square += w * (col.x[i] * col.x[i]);
            if (job->z) col.x[i] *= job->z[p];
        }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                double d = col.x[i] - col.x[j];
                K[i * n + j] += rbf ? d * d : col.x[i] * col.x[j];
            }
    }
    return PARE_OK;
}

pare_status cert_kernel_gram(double *K, const cert_job *job, const cert_svm_problem *m,
                             cert_reader *reader, pare_error *err) {
    int64_t n = job->data->x.n;
    bool rbf = choice_is(m->kernel, "rbf");
    spread all = {0, 0, 0};
    PASS(inner_sums(job, rbf, reader, K, &all, err));
    double mean = all.sum / all.count;
    double var = all.square / all.count - mean * mean, gamma = m->gamma;
    if (isnan(gamma)) gamma = var > 0 ? 1 / ((double)job->n_cols * var) : 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = gamma * K[i * n + j];
            K[i * n + j] = K[j * n + i] = rbf ? exp(-sum) : pow(sum + m->coef0, (double)m->degree);
        }
    return PARE_OK;
}

/* sums (n x n_support) += the term of feature p, whose values are x, in the inner sum of k. */
static void add_feature(double *sums, const cert_kernel *k, int64_t p, double shift,
                        const double *x, int64_t n) {
    bool rbf = strcmp(k->type, "rbf") == 0;
    for (int64_t s = 0; s < k->n_support; s++)
        for (int64_t i = 0; i < n; i++) {
            double own = k->x[p * k->n_support + s], d = x[i] - own;
            sums[s * n + i] +=
                rbf ? k->gamma[p] * d * d : k->gamma[p] * (x[i] - shift) * (own - shift);
        }
}

static void finish(double *sums, const cert_kernel *k, int64_t count) {
    bool rbf = strcmp(k->type, "rbf") == 0;
    for (int64_t e = 0; e < count; e++)
        sums[e] = rbf ? exp(-sums[e]) : pow(sums[e] + k->coef0, k->degree);
}

pare_status cert_kernel_point(const cert_job *job, cert_reader *reader, double *f, double *norm2,
                              pare_error *err) {
    const cert_kernel *k = job->kernel;
    int64_t n = job->data->x.n, s = k->n_support;
    cert_column col = {.x = ARENA_NEW(&reader->mem, double, n)};
    double *to_all = ARENA_ZERO(&reader->mem, double, n *s),
           *among = ARENA_ZERO(&reader->mem, double, s *s);
    if (!col.x || !to_all || !among) return error_memory(err);
    for (int64_t p = 0; p < job->n_coef; p++) {
        cert_column_read(reader, job->index[p], &col);
        add_feature(to_all, k, p, col.shift, col.x, n);
        add_feature(among, k, p, col.shift, k->x + p * s, s);
    }
    finish(to_all, k, n * s);
    finish(among, k, s * s);
    for (int64_t o = 0; o < job->n_outputs; o++) {
        const double *alpha = k->alpha + o * s;
        norm2[o] = 0;
        for (int64_t t = 0; t < s; t++) {
            for (int64_t u = 0; u < s; u++) norm2[o] += alpha[t] * alpha[u] * among[t * s + u];
            for (int64_t i = 0; i < n; i++) f[o * n + i] += alpha[t] * to_all[t * n + i];
        }
    }
    return PARE_OK;
}
