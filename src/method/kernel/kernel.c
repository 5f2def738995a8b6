#include "method/kernel/kernel.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/kernel/gauss_row.h"
#include "solve/kernel/pair_form.h"

static bool is_rbf(const fit_kernel *k) { return choice_is(k->type, "rbf"); }

static double value(const fit_kernel *k, double sum) {
    return is_rbf(k) ? exp(-sum) : pow(sum + k->coef0, k->degree);
}

/* 1 / (d var), var over all entries, each with its sample's weight. */
static pare_status default_gamma(double *gamma, const view *x, const double *weight,
                                 const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double total, *w = fit_weights(&mem, weight, x->n, &total),
                  *sums = ARENA_NEW(&mem, double, x->d);
    double mean = 0, square = 0, count = total * (double)x->d;
    TRY_MEM(w && sums);
    TRY(mat_tmul(x, w, 1, sums, ctx, err));
    for (int64_t j = 0; j < x->d; j++) mean += sums[j] / count;
    TRY(mat_tmul2(x, w, 1, sums, ctx, err));
    for (int64_t j = 0; j < x->d; j++) square += sums[j] / count;
    double var = square - mean * mean;
    *gamma = var > 0 ? 1 / ((double)x->d * var) : 1;
done:
    arena_free(&mem);
    return status;
}

pare_status kernel_make(fit_kernel *k, const char *type, double gamma, int64_t degree, double coef0,
                        const view *x, const double *weight, const pare_ctx *ctx, pare_error *err) {
    *k = (fit_kernel){.gamma = gamma, .degree = (double)degree, .coef0 = coef0};
    strcpy(k->type, type);
    return isnan(gamma) ? default_gamma(&k->gamma, x, weight, ctx, err) : PARE_OK;
}

void kernel_sums(const fit_kernel *k, double *sums, int64_t n) {
    if (!is_rbf(k)) {
        for (int64_t i = 0; i < n * n; i++) sums[i] *= k->gamma;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            if (i == j) continue; /* later rows read it */
            double distance = sums[i * n + i] + sums[j * n + j] - 2 * sums[i * n + j];
            sums[i * n + j] = k->gamma * fmax(distance, 0);
        }
    for (int64_t i = 0; i < n; i++) sums[i * n + i] = 0;
}

void kernel_gram(const fit_kernel *k, const double *sums, int64_t n, double *K) {
    if (is_rbf(k)) {
        for (int64_t i = 0; i < n; i++) exp_row(K + i * n, sums + i * n, n, -1);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) K[i * n + j] = K[j * n + i] = value(k, sums[i * n + j]);
}

static double contribution(const fit_kernel *k, const double *x, int64_t n, const double *sums,
                           const double *U, int64_t c, double *part) {
    for (int64_t o = 0; o < c; o++) part[o] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double both = 0;
            for (int64_t o = 0; o < c; o++) both += fabs(U[o * n + i] * U[o * n + j]);
            if (both == 0) continue;
            double own = is_rbf(k) ? (x[i] - x[j]) * (x[i] - x[j]) : x[i] * x[j];
            double sum = sums[i * n + j], rest = sum - k->gamma * own;
            double change =
                (value(k, sum) - value(k, is_rbf(k) ? fmax(rest, 0) : rest)) * (i == j ? 1 : 2);
            for (int64_t o = 0; o < c; o++) part[o] += U[o * n + i] * U[o * n + j] * change;
        }
    double total = 0;
    for (int64_t o = 0; o < c; o++) total += fabs(part[o]);
    return total;
}

/* With an rbf kernel: |sum_ij U_i U_j K_ij (exp(gamma (x_i - x_j)^2) - 1)|, over the samples with a
 * nonzero dual in some output. */
static pare_status rbf_contributions(const fit_kernel *k, const view *x, const int64_t *own,
                                     int64_t count, const double *sums, const double *U, int64_t c,
                                     double *out, const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n, m = 0;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int32_t *at = ARENA_NEW(&mem, int32_t, n), *rows = ARENA_NEW(&mem, int32_t, n);
    double *gamma = ARENA_NEW(&mem, double, count), *form = ARENA_NEW(&mem, double, count);
    TRY_MEM(at && rows);
    TRY_MEM(gamma && form);
    for (int64_t i = 0; i < n; i++) {
        bool used = false;
        for (int64_t o = 0; o < c; o++) used |= U[o * n + i] != 0;
        if (!used) continue;
        rows[m] = x->rows ? x->rows[i] : (int32_t)i;
        at[m++] = (int32_t)i;
    }
    for (int64_t p = 0; p < count; p++) {
        gamma[p] = k->gamma;
        out[p] = 0;
    }
    if (m == 0) goto done;
    view part = *x;
    part.rows = rows;
    part.n = m;
    double *M = ARENA_NEW(&mem, double, m *m);
    TRY_MEM(M);
    for (int64_t o = 0; o < c; o++) {
        for (int64_t a = 0; a < m; a++) {
            double *row = M + a * m, u = U[o * n + at[a]];
            for (int64_t b = 0; b < m; b++) row[b] = sums[at[a] * n + at[b]];
            exp_row(row, row, m, -1);
            for (int64_t b = 0; b < m; b++) row[b] *= u * U[o * n + at[b]];
        }
        TRY(pair_forms(form, &part, own, count, KERNEL_RBF, gamma, M, ctx, err));
        for (int64_t p = 0; p < count; p++) out[p] += fabs(form[p]);
    }
done:
    arena_free(&mem);
    return status;
}

/* Whether exp(-sum) is far from underflow for every sum, so that a feature's factor can be divided
 * out. */
static bool is_moderate(const double *sums, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n * n; i++) most = sums[i] > most ? sums[i] : most;
    return most < 300;
}

pare_status kernel_contributions(const fit_kernel *k, const view *x, const int64_t *own,
                                 int64_t count, const double *sums, const double *U, int64_t c,
                                 double *out, const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx), open = 0;
    int64_t n = x->n;
    if (is_rbf(k) && is_moderate(sums, n))
        return rbf_contributions(k, x, own, count, sums, U, c, out, ctx, err);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    walk *walks = ARENA_NEW(&mem, walk, threads);
    double *scratch = ARENA_NEW(&mem, double, threads *(n + c));
    TRY_MEM(walks && scratch);
    TRY(walks_open(walks, threads, x, own, count, ctx, err));
    open = threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) /* a feature's result does not depend on its thread */
        for (int64_t p = count * t / threads; p < count * (t + 1) / threads; p++) {
            double *dense = scratch + t * (n + c);
            column col;
            if (!walk_at(&walks[t], p, &col)) break;
            column_spread(&col, n, dense);
            out[p] = contribution(k, dense, n, sums, U, c, dense + n);
        }
done:
    status = walks_end(walks, open, status, err);
    arena_free(&mem);
    return status;
}

pare_status kernel_predictor(fit_result *r, const fit_kernel *k, const view *x, const double *U,
                             int64_t c, const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n, d = x->d;
    double *ones = ARENA_NEW(&r->mem, double, n), *norm2 = ARENA_NEW(&r->mem, double, d);
    if (!ones || !norm2) return error_memory(err);
    for (int64_t i = 0; i < n; i++) ones[i] = 1;
    PASS(mat_tmul2(x, ones, 1, norm2, ctx, err));
    r->kernel = ARENA_NEW(&r->mem, fit_kernel, 1);
    if (!r->kernel) return error_memory(err);
    *r->kernel = *k;
    r->kernel->U = ARENA_NEW(&r->mem, double, n *c);
    if (!r->kernel->U) return error_memory(err);
    memcpy(r->kernel->U, U, sizeof(double) * (size_t)(n * c));
    r->n_outputs = c;
    r->n_support = 0;
    for (int64_t j = 0; j < d; j++) r->n_support += norm2[j] > 0;
    r->support = r->ranking;
    return PARE_OK;
}
