/* The certificate of `bahsic`: HSIC on the features of the last round, and without each of them, by
 * n x n kernels of the raw data and plain loops. The value is the largest difference from the
 * numbers by which the fit ordered them, relative to HSIC. With many features and the rbf kernel
 * every m-th is checked, so that the check does not take longer than the fit. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "certify/certify_kernels.h"

static const double MAX_PAIRS = 3e8; /* kernel values of an rbf check */

typedef struct hsic_judge {
    const cert_job *job;
    cert_reader reader;
    cert_target t;
    cert_column col;
    double *squared_distance; /* n x n: sum of squared differences */
    double gamma;
} hsic_judge;

static void read_column(hsic_judge *h, int64_t i) {
    cert_column *c = &h->col;
    cert_column_read(&h->reader, h->job->cols ? h->job->cols[i] : i, c);
    for (int64_t s = 0; s < h->t.n; s++) c->x[s] = (c->x[s] - c->shift) * c->scale;
}

static double target_value(const hsic_judge *h, int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t c = 0; c < h->t.q; c++) sum += h->t.v[a * h->t.q + c] * h->t.v[b * h->t.q + c];
    return h->t.factor * sum;
}

/* Distances of all features, and an automatic gamma. */
static void measure(hsic_judge *h) {
    int64_t n = h->t.n, k = h->job->n_cols;
    const double *weight = h->job->weight;
    double count = 0, mean = 0, var = 0;
    for (int64_t a = 0; a < n; a++) count += (double)k * (weight ? weight[a] : 1);
    memset(h->squared_distance, 0, sizeof(double) * (size_t)(n * n));
    for (int64_t i = 0; i < k; i++) {
        read_column(h, i);
        for (int64_t a = 0; a < n; a++) {
            mean += (weight ? weight[a] : 1) * h->col.x[a] / count;
            for (int64_t b = 0; b < n; b++) {
                double off = h->col.x[a] - h->col.x[b];
                h->squared_distance[a * n + b] += off * off;
            }
        }
    }
    for (int64_t i = 0; i < k; i++) {
        read_column(h, i);
        for (int64_t a = 0; a < n; a++) {
            double off = h->col.x[a] - mean;
            var += (weight ? weight[a] : 1) * off * off / count;
        }
    }
    h->gamma = ((const bahsic_settings *)h->job->own)->gamma;
    if (isnan(h->gamma)) h->gamma = var > 0 ? 1 / (2 * (double)k * var) : 0.5;
}

/* HSIC of the rbf kernel without column i, or with all (i < 0). */
static double rbf_value(hsic_judge *h, int64_t i) {
    int64_t n = h->t.n;
    double sum = 0;
    if (i >= 0) read_column(h, i);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < a; b++) {
            double off = i >= 0 ? h->col.x[a] - h->col.x[b] : 0;
            double rest = fmax(h->squared_distance[a * n + b] - off * off, 0);
            sum += 2 * target_value(h, a, b) * expm1(-h->gamma * rest);
        }
    return sum; /* the target's kernel sums to 0: subtracting 1 changes nothing */
}

static double linear_part(hsic_judge *h, int64_t i) {
    double sum = 0, mean = 0;
    read_column(h, i);
    for (int64_t s = 0; s < h->t.n; s++) mean += h->col.x[s] / (double)h->t.n;
    for (int64_t c = 0; c < h->t.q; c++) {
        double along = 0;
        for (int64_t s = 0; s < h->t.n; s++) along += h->t.v[s * h->t.q + c] * (h->col.x[s] - mean);
        sum += along * along;
    }
    return h->t.factor * sum;
}

pare_status certify_bahsic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t n = job->data->x.n, k = job->n_cols;
    bool linear = choice_is(((const bahsic_settings *)job->own)->kernel, "linear");
    hsic_judge h = {.job = job};
    pare_status status = cert_open(&h.reader, job, ctx, err);
    if (status != PARE_OK) return status;
    arena *mem = &h.reader.mem;
    double *part = ARENA_ZERO(mem, double, k), all = 0, worst = 0;
    TRY_MEM(part);
    TRY_MEM(cert_target_make(&h.t, mem, job));
    TRY_MEM(h.col.x = ARENA_NEW(mem, double, n));
    if (!linear) {
        TRY(ctx_check_memory(ctx, 8 * (double)n * (double)n, "the distances between samples", err));
        TRY_MEM(h.squared_distance = ARENA_NEW(mem, double, n *n));
        measure(&h);
        all = rbf_value(&h, -1);
    }
    for (int64_t i = 0; linear && i < k; i++) all += part[i] = linear_part(&h, i);
    double pairs = (double)n * (double)n / 2 * (double)k;
    int64_t stride = linear ? 1 : 1 + (int64_t)(pairs / MAX_PAIRS);
    for (int64_t i = 0; job->z && i < k; i += stride) {
        double without = linear ? all - part[i] : rbf_value(&h, i), off = fabs(without - job->z[i]);
        if (!(off <= worst)) worst = off;
    }
    if (k > 0 && !job->z) worst = INFINITY; /* a file without the numbers to certify */
    out->objective = all;
    out->certificate = (pare_certificate){PARE_CERT_KKT, worst, worst == 0 ? 0 : worst / fabs(all)};

done:
    return cert_close(&h.reader, status, err);
}
