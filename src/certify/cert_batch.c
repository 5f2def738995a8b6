/* Batches, adjusted from the definitions: each batch's mean to the overall one, or ComBat (mod = NULL,
 * with sva's stopping rule) with all features, from raw columns. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

static const double SVA_CONV = 1e-4;
enum { MAX_UPDATES = 100000 };

static double weight_of(const cert_job *job, int64_t i) {
    return job->data->weight ? job->data->weight[i] : 1;
}

/* Mean and sum of squares about it of the column in each batch, and whether it varies in every one. */
static bool look(const cert_batch *b, const cert_job *job, const double *x, double *mean,
                 double *squares) {
    int64_t n = job->data->x.n;
    bool varies = true;
    memset(mean, 0, sizeof *mean * (size_t)b->count);
    memset(squares, 0, sizeof *squares * (size_t)b->count);
    for (int64_t q = 0; q < b->count; q++) b->first[q] = NAN;
    memset(b->varied, 0, sizeof *b->varied * (size_t)b->count);
    for (int64_t i = 0; i < n; i++) {
        int32_t q = b->of[i];
        mean[q] += weight_of(job, i) / b->size[q] * x[i];
        if (isnan(b->first[q])) b->first[q] = x[i];
        b->varied[q] |= x[i] != b->first[q];
    }
    for (int64_t i = 0; i < n; i++)
        squares[b->of[i]] += weight_of(job, i) * pow(x[i] - mean[b->of[i]], 2);
    for (int64_t q = 0; q < b->count; q++) varies &= b->varied[q];
    return varies;
}

static void summarise(double *grand, double *deviation, const cert_batch *b, const double *mean,
                      const double *squares) {
    double total = 0, sum = 0;
    *grand = 0;
    for (int64_t q = 0; q < b->count; q++) total += b->size[q];
    for (int64_t q = 0; q < b->count; q++) {
        *grand += b->size[q] / total * mean[q];
        sum += squares[q];
    }
    *deviation = sqrt(sum / total);
}

/* Prior of one batch over the features that vary: mean and variance of `hat`. */
static void prior(double *mean, double *var, const double *hat, const bool *varies, int64_t d) {
    double count = 0;
    *mean = *var = 0;
    for (int64_t j = 0; j < d; j++) count += varies[j];
    for (int64_t j = 0; j < d; j++)
        if (varies[j]) *mean += hat[j] / count;
    for (int64_t j = 0; j < d; j++)
        if (varies[j]) *var += pow(hat[j] - *mean, 2) / (count - 1);
}

/* The iterated posterior of one batch of n samples: gamma and delta of every feature, which hold the
 * estimates before. */
static pare_status posterior(double *gamma, double *delta, double n, const bool *varies, int64_t d,
                             arena *mem, pare_error *err) {
    double g_bar, t2, m, s2, change = 1, *g_hat, *d_hat;
    PASS_MEM(ARENA_NEWS(mem, double, d, &g_hat, &d_hat));
    memcpy(g_hat, gamma, sizeof *gamma * (size_t)d);
    memcpy(d_hat, delta, sizeof *delta * (size_t)d);
    prior(&g_bar, &t2, g_hat, varies, d);
    prior(&m, &s2, d_hat, varies, d);
    double a = 2 + m * m / s2, b = m + m * m * m / s2;
    for (int t = 0; change > SVA_CONV && t < MAX_UPDATES; t++) {
        change = -INFINITY;
        for (int64_t j = 0; j < d; j++) {
            if (!varies[j]) continue;
            double g = (t2 * n * g_hat[j] + delta[j] * g_bar) / (t2 * n + delta[j]);
            double sum = (n - 1) * d_hat[j] + n * pow(g_hat[j] - g, 2);
            double v = s2 > 0 ? (sum / 2 + b) / (n / 2 + a - 1) : m;
            change = fmax(change, fabs(g - gamma[j]) / gamma[j]);
            change = fmax(change, fabs(v - delta[j]) / delta[j]);
            gamma[j] = g;
            delta[j] = v;
        }
    }
    return PARE_OK;
}

/* gamma and delta of all features in all batches. */
static pare_status combat(cert_reader *r, cert_column *col, pare_error *err) {
    cert_batch *b = r->batch;
    int64_t d = r->job->data->x.d, count = b->count;
    bool *varies = ARENA_NEW(&r->mem, bool, d);
    PASS_MEM(varies && (b->gamma = ARENA_ZERO(&r->mem, double, count *d)));
    PASS_MEM(b->delta = ARENA_ZERO(&r->mem, double, count *d));
    for (int64_t j = 0; j < d; j++) {
        double grand, deviation;
        cert_column_fill(r, j, col);
        varies[j] = look(b, r->job, col->x, b->mean, b->squares);
        summarise(&grand, &deviation, b, b->mean, b->squares);
        for (int64_t q = 0; q < count && varies[j]; q++) {
            b->gamma[q * d + j] = (b->mean[q] - grand) / deviation;
            b->delta[q * d + j] = b->squares[q] / (b->size[q] - 1) / (deviation * deviation);
        }
    }
    for (int64_t q = 0; q < count; q++)
        PASS(posterior(b->gamma + q * d, b->delta + q * d, b->size[q], varies, d, &r->mem, err));
    return PARE_OK;
}

pare_status cert_batch_open(cert_reader *r, pare_error *err) {
    const pare_data *data = r->job->data;
    cert_column col = {.x = ARENA_NEW(&r->mem, double, data->x.n)};
    cert_batch *b = ARENA_ZERO(&r->mem, cert_batch, 1);
    batch_list all;
    PASS_MEM(b && col.x);
    PASS(batches_of(&all, &r->mem, data, err));
    b->count = all.count;
    b->of = all.of;
    b->name = all.name;
    PASS_MEM(b->size = ARENA_ZERO(&r->mem, double, b->count));
    PASS_MEM(ARENA_NEWS(&r->mem, double, b->count, &b->mean, &b->squares, &b->first, &b->shift,
                        &b->scale));
    PASS_MEM(b->varied = ARENA_NEW(&r->mem, bool, b->count));
    for (int64_t i = 0; i < data->x.n; i++) b->size[b->of[i]] += weight_of(r->job, i);
    r->batch = b;
    return data->batch_by == BATCH_COMBAT && b->count > 1 ? combat(r, &col, err) : PARE_OK;
}

void cert_batch_take(cert_reader *r, int64_t j, double *x) {
    cert_batch *b = r->batch;
    int64_t d = r->job->data->x.d;
    bool varies = look(b, r->job, x, b->mean, b->squares);
    summarise(&b->grand, &b->deviation, b, b->mean, b->squares);
    if (!varies) b->deviation = 0;
    for (int64_t q = 0; q < b->count; q++) {
        double root = varies && b->delta ? sqrt(b->delta[q * d + j]) : 1;
        b->scale[q] = 1 / root;
        b->shift[q] = !varies || b->count == 1 ? 0
                      : !b->gamma              ? b->mean[q] - b->grand
                                  : b->grand * (1 - root) + b->deviation * b->gamma[q * d + j];
    }
    for (int64_t i = 0; i < r->job->data->x.n; i++)
        x[i] = (x[i] - b->shift[b->of[i]]) * b->scale[b->of[i]];
}
