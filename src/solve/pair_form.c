#include "solve/pair_form.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/value_groups.h"

static const double MOST_POWER = 1; /* beyond, series of negative exponents cancel */
static const double FAR = -1000;    /* exp of it is no part of 1 */
enum {
    MOST_TERMS = 24, /* of the series of exp; more: expm1 */
    MOST_PHI = 30,   /* products; more: pair by pair */
    CHUNK = 8        /* features that share a matrix product, whoever computes it */
};

/* One thread's scratch, and the feature that is in it: its samples off the base value. */
typedef struct pair_work {
    column_reader reader;
    kernel_kind kind;
    double gamma; /* of the feature */
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
} pair_work;

static bool work_make(pair_work *w, arena *mem, int64_t n) {
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
static void list_samples(pair_work *w, const column *col) {
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

/* Terms of exp(x) - 1 = x (1 + x/2 (1 + x/3 (...))) that rounding sees for |x| up to `most`. */
static int series_terms(double most) {
    double term = 1;
    int k = 1;
    for (; k <= MOST_TERMS && term > 1e-17; k++) term *= most / (k + 1);
    return k;
}

/* power = the exponents of value against the first `count` of the row. */
static void set_powers(pair_work *w, int64_t count, double value) {
    for (int64_t o = 0; o < count; o++) {
        double apart = w->value[o] - value;
        w->power[o] = w->kind == KERNEL_DELTA ? (apart == 0 ? 0 : FAR) : w->gamma * apart * apart;
    }
}

/* minus = exp(power) - 1 of `count` numbers. */
static void raise_row(pair_work *w, int64_t count, int terms) {
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

static double form_by_pairs(pair_work *w, const double *M) {
    int64_t n = w->n;
    double low = w->based ? w->base : INFINITY, high = w->based ? w->base : -INFINITY, form = 0;
    for (int64_t e = 0; e < w->count; e++) {
        low = fmin(low, w->value[e]);
        high = fmax(high, w->value[e]);
        w->inside[e] = 0;
    }
    double most = fabs(w->gamma) * (high - low) * (high - low);
    int terms = w->kind == KERNEL_DELTA || most > MOST_POWER ? MOST_TERMS + 1 : series_terms(most);
    for (int64_t e = 0; e < w->count; e++) {
        const double *row = M + w->index[e] * n;
        double sum = 0, within = 0;
        set_powers(w, e, w->value[e]);
        raise_row(w, e, terms);
        for (int64_t o = 0; o < e; o++) {
            double m = row[w->index[o]];
            sum += m * w->minus[o];
            w->inside[o] += m;
            within += m;
        }
        w->inside[e] += within;
        form += 2 * sum;
    }
    if (!w->based) return form;
    set_powers(w, w->count, w->base);
    raise_row(w, w->count, terms);
    for (int64_t e = 0; e < w->count; e++) {
        const double *row = M + w->index[e] * n;
        double outside = -row[w->index[e]] - w->inside[e];
        for (int64_t i = 0; i < n; i++) outside += row[i];
        form += 2 * outside * w->minus[e];
    }
    return form;
}

/* x'Mx where the rows of M sum to 0: values count from the base. */
static double linear_form(const pair_work *w, const double *M) {
    double form = 0;
    for (int64_t e = 0; e < w->count; e++) {
        const double *row = M + w->index[e] * w->n;
        double own = w->value[e] - w->base, sum = 0;
        for (int64_t o = 0; o < e; o++) sum += row[w->index[o]] * (w->value[o] - w->base);
        form += own * (2 * sum + row[w->index[e]] * own);
    }
    return form;
}

/* Adds the products of a feature to the chunk; false: they are too many. */
static bool add_products(pair_work *w, int64_t feature) {
    int64_t n = w->n;
    double low = INFINITY, high = -INFINITY, term = 1;
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, w->value[i]);
        high = fmax(high, w->value[i]);
    }
    double gamma = w->gamma, middle = 0.5 * (low + high);
    double t = 0.5 * fabs(gamma) * (high - low) * (high - low);
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

static void multiply_products(pair_work *w, const double *M, double total, double *form) {
    int64_t n = w->n, last = -1;
    if (w->n_phi == 0) return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)w->n_phi, (int)n, 1, M,
                (int)n, w->phi, (int)n, 0, w->applied, (int)n);
    for (int64_t k = 0; k < w->n_phi; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += w->phi[k * n + i] * w->applied[k * n + i];
        form[w->of[k]] = (w->of[k] == last ? form[w->of[k]] : -total) + w->coef[k] * sum;
        last = w->of[k];
    }
}

static void form_of(pair_work *w, int64_t i, int64_t j, const double *M, double *form) {
    column col;
    mat_column(&w->reader, j, &col);
    list_samples(w, &col);
    if (w->kind == KERNEL_LINEAR) {
        if (!w->based) w->base = w->value[0];
        form[i] = linear_form(w, M);
        return;
    }
    bool few = w->count < w->n || w->kind == KERNEL_DELTA;
    if (few || !add_products(w, i)) form[i] = form_by_pairs(w, M);
}

pare_status pair_forms(double *form, const view *x, const int64_t *own, int64_t count,
                       kernel_kind kind, const double *gamma, const double *M, const pare_ctx *ctx,
                       pare_error *err) {
    int threads = ctx_threads(ctx), opened = 0;
    int64_t chunks = (count + CHUNK - 1) / CHUNK;
    double total = 0;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    pair_work *work = ARENA_ZERO(&mem, pair_work, threads);
    TRY_MEM(work);
    for (int64_t i = 0; i < x->n * x->n; i++) total += M[i];
    for (; opened < threads; opened++) {
        work[opened].kind = kind;
        TRY_MEM(work_make(&work[opened], &mem, x->n));
        TRY(column_open(&work[opened].reader, x, ctx, err));
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) /* a chunk's numbers do not depend on its thread */
        for (int64_t c = chunks * t / threads; c < chunks * (t + 1) / threads; c++) {
            pair_work *w = &work[t];
            w->n_phi = 0;
            for (int64_t i = c * CHUNK; i < (c + 1) * CHUNK && i < count; i++) {
                w->gamma = gamma[i];
                form_of(w, i, own ? own[i] : i, M, form);
            }
            multiply_products(w, M, total, form);
        }

done:
    while (opened > 0) column_close(&work[--opened].reader);
    arena_free(&mem);
    return status;
}
