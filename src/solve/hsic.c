#include "solve/hsic.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/value_groups.h"

enum {
    MOST_TERMS = 24, /* of the series of exp; more: expm1 */
    MOST_PHI = 30,   /* products; more: pair by pair */
    CHUNK = 8        /* features that share a matrix product, whoever computes it */
};

/* One thread's scratch, and the feature that is in it: its samples off the base value. */
typedef struct hsic_work {
    column_reader reader;
    value_groups groups;
    int64_t n, count;
    bool based; /* the other samples share the value `base` */
    double base;
    int32_t *index;        /* n */
    double *value;         /* n */
    double *inside;        /* n: sum of M over the other listed samples */
    double *power;         /* n: gamma (x_a - x_b)^2 of a row */
    double *minus;         /* n: exp of it minus 1 */
    int64_t n_phi;         /* of the chunk so far */
    double *phi, *applied; /* n x (CHUNK MOST_PHI): products and M times them */
    double coef[CHUNK * MOST_PHI];
    int64_t of[CHUNK * MOST_PHI]; /* the feature of each */
} hsic_work;

static bool work_make(hsic_work *w, arena *mem, int64_t n) {
    w->n = n;
    w->index = ARENA_NEW(mem, int32_t, n);
    w->value = ARENA_NEW(mem, double, n);
    w->inside = ARENA_NEW(mem, double, n);
    w->power = ARENA_NEW(mem, double, n);
    w->minus = ARENA_NEW(mem, double, n);
    w->phi = ARENA_NEW(mem, double, n *CHUNK *MOST_PHI);
    w->applied = ARENA_NEW(mem, double, n *CHUNK *MOST_PHI);
    return w->phi && w->applied && w->index && w->value && w->inside && w->power && w->minus &&
           value_groups_make(&w->groups, mem, n, 0);
}

/* Lists the samples off the unlisted value or, of a dense column, off a value that at least a
 * quarter of them share. */
static void list_samples(hsic_work *w, const column *col) {
    int64_t size[GROUPS_FEW] = {0};
    int32_t common = -1;
    w->based = col->index && col->count < w->n;
    w->base = col->rest;
    if (!col->index && value_groups_find(&w->groups, col, NULL, NULL, w->n, 0, false)) {
        for (int64_t e = 0; e < col->count; e++) size[w->groups.code[e]]++;
        for (int32_t g = 0; g < w->groups.count; g++)
            if (size[g] * 4 >= w->n && (common < 0 || size[g] > size[common])) common = g;
        w->based = common >= 0;
        if (w->based) w->base = w->groups.value[common];
    }
    w->count = 0;
    for (int64_t e = 0; e < col->count; e++) {
        if (w->based && col->value[e] == w->base) continue;
        w->index[w->count] = col->index ? col->index[e] : (int32_t)e;
        w->value[w->count++] = col->value[e];
    }
}

/* Terms of exp(x) - 1 = x (1 + x/2 (1 + x/3 (...))) that rounding sees for x up to `most`. */
static int series_terms(double most) {
    double term = 1;
    int k = 1;
    for (; k <= MOST_TERMS && term > 1e-17; k++) term *= most / (k + 1);
    return k;
}

/* minus = exp(power) - 1 of `count` numbers. */
static void raise_row(hsic_work *w, int64_t count, int terms) {
    double *x = w->power, *y = w->minus;
    if (terms > MOST_TERMS) {
        for (int64_t o = 0; o < count; o++) y[o] = expm1(x[o]);
        return;
    }
    for (int64_t o = 0; o < count; o++) y[o] = 1;
    for (int k = terms; k > 1; k--) {
        double share = 1.0 / k;
        for (int64_t o = 0; o < count; o++) y[o] = 1 + share * x[o] * y[o];
    }
    for (int64_t o = 0; o < count; o++) y[o] *= x[o];
}

static double gain_of(hsic_work *w, double gamma, const double *M) {
    int64_t n = w->n;
    double low = w->based ? w->base : INFINITY, high = w->based ? w->base : -INFINITY, gain = 0;
    for (int64_t e = 0; e < w->count; e++) {
        low = fmin(low, w->value[e]);
        high = fmax(high, w->value[e]);
        w->inside[e] = 0;
    }
    int terms = series_terms(gamma * (high - low) * (high - low));
    for (int64_t e = 0; e < w->count; e++) {
        const double *row = M + w->index[e] * n;
        double sum = 0, own = w->value[e], within = 0;
        for (int64_t o = 0; o < e; o++) {
            double apart = w->value[o] - own;
            w->power[o] = gamma * apart * apart;
        }
        raise_row(w, e, terms);
        for (int64_t o = 0; o < e; o++) {
            double m = row[w->index[o]];
            sum += m * w->minus[o];
            w->inside[o] += m;
            within += m;
        }
        w->inside[e] += within;
        gain += 2 * sum;
    }
    for (int64_t e = 0; w->based && e < w->count; e++) {
        const double *row = M + w->index[e] * n;
        double outside = -row[w->index[e]] - w->inside[e], apart = w->value[e] - w->base;
        for (int64_t i = 0; i < n; i++) outside += row[i];
        gain += 2 * outside * expm1(gamma * apart * apart);
    }
    return gain;
}

/* Adds the products of a feature to the chunk; false: they are too many. */
static bool add_products(hsic_work *w, double gamma, int64_t feature) {
    int64_t n = w->n;
    double low = INFINITY, high = -INFINITY, term = 1;
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, w->value[i]);
        high = fmax(high, w->value[i]);
    }
    double middle = 0.5 * (low + high), t = 0.5 * gamma * (high - low) * (high - low);
    int count = 1;
    while (count <= MOST_PHI && term > 1e-18) term *= t / count++;
    if (count > MOST_PHI) return false;
    double *phi = w->phi + w->n_phi * n, coef = 1;
    for (int64_t i = 0; i < n; i++) {
        double x = w->value[i] - middle;
        phi[i] = exp(gamma * x * x);
    }
    for (int k = 0; k < count; k++, phi += n) {
        for (int64_t i = 0; i < n && k > 0; i++) phi[i] = phi[i - n] * (w->value[i] - middle);
        w->coef[w->n_phi] = coef;
        w->of[w->n_phi++] = feature;
        coef *= -2 * gamma / (k + 1);
    }
    return true;
}

static void multiply_products(hsic_work *w, const double *M, double hsic, double *gain) {
    int64_t n = w->n, last = -1;
    if (w->n_phi == 0) return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)w->n_phi, (int)n, 1, M,
                (int)n, w->phi, (int)n, 0, w->applied, (int)n);
    for (int64_t k = 0; k < w->n_phi; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += w->phi[k * n + i] * w->applied[k * n + i];
        gain[w->of[k]] = (w->of[k] == last ? gain[w->of[k]] : -hsic) + w->coef[k] * sum;
        last = w->of[k];
    }
}

pare_status hsic_gains(double *gain, const view *x, const int64_t *own, int64_t count, double gamma,
                       const double *M, const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx), opened = 0;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    hsic_work *work = ARENA_ZERO(&mem, hsic_work, threads);
    TRY_MEM(work);
    int64_t chunks = (count + CHUNK - 1) / CHUNK;
    double hsic = 0;
    for (int64_t i = 0; i < x->n * x->n; i++) hsic += M[i];
    for (; opened < threads; opened++) {
        TRY_MEM(work_make(&work[opened], &mem, x->n));
        TRY(column_open(&work[opened].reader, x, ctx, err));
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) /* a chunk's numbers do not depend on its thread */
        for (int64_t c = chunks * t / threads; c < chunks * (t + 1) / threads; c++) {
            hsic_work *w = &work[t];
            w->n_phi = 0;
            for (int64_t i = c * CHUNK; i < (c + 1) * CHUNK && i < count; i++) {
                column col;
                mat_column(&w->reader, own[i], &col);
                list_samples(w, &col);
                if (w->count < x->n || !add_products(w, gamma, i)) gain[i] = gain_of(w, gamma, M);
            }
            multiply_products(w, M, hsic, gain);
        }

done:
    while (opened > 0) column_close(&work[--opened].reader);
    arena_free(&mem);
    return status;
}
