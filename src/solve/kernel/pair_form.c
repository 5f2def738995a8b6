#include "solve/kernel/pair_form.h"

#include <cblas.h>
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/product/dot.h"
#include "solve/kernel/feature_pairs.h"
#include "solve/kernel/gauss_row.h"

static const double LEFT_OUT = 1e-12; /* of a series, relative to its first term */
enum {
    MAX_PHI = 12, /* products; more: pair by pair, which then costs less */
    CHUNK = 32    /* features that share a matrix product, whatever the thread */
};
static const double LOOK_VALUES = 1e7; /* kernel values of a thread between two polls */

/* One thread's scratch. */
typedef struct pair_work {
    walk walk;
    value_groups groups;
    int64_t n;
    feature_pairs f;
    double *pull;          /* n */
    int64_t n_phi;         /* of the chunk so far */
    double *phi, *applied; /* n x (CHUNK MAX_PHI): products and M times them */
    double coef[CHUNK * MAX_PHI];
    int64_t of[CHUNK * MAX_PHI]; /* the feature of each */
} pair_work;

static bool work_make(pair_work *w, arena *mem, int64_t n) {
    w->n = n;
    w->pull = ARENA_NEW(mem, double, n);
    w->phi = ARENA_NEW(mem, double, n *CHUNK *MAX_PHI);
    w->applied = ARENA_NEW(mem, double, n *CHUNK *MAX_PHI);
    return w->phi && w->applied && w->pull && feature_pairs_make(&w->f, mem, n) &&
           value_groups_make(&w->groups, mem, n, 0);
}

static double form_by_pairs(pair_work *w, const double *M, const double *row_sum) {
    const feature_pairs *f = &w->f;
    double form = 0;
    for (int64_t e = 0; e < f->count; e++) {
        const double *row = M + f->index[e] * w->n;
        form += feature_pairs_dot(row, f, e, w->pull) + 2 * row_sum[f->index[e]] * f->to_base[e];
    }
    return form;
}

/* x'Mx where the rows of M sum to 0: values count from the unlisted one. */
static double linear_form(const column *col, const double *M, int64_t n) {
    double form = 0;
    for (int64_t e = 0; e < col->count; e++) {
        const double *row = M + col->index[e] * n;
        double own = col->value[e] - col->rest, sum = 0;
        for (int64_t o = 0; o < e; o++) sum += row[col->index[o]] * (col->value[o] - col->rest);
        form += own * (2 * sum + row[col->index[e]] * own);
    }
    return form;
}

static double *next_product(pair_work *w, double coef, int64_t i) {
    w->coef[w->n_phi] = coef;
    w->of[w->n_phi] = i;
    return w->phi + w->n_phi++ * w->n;
}

/* The same for a dense column, counted from its first value. */
static void add_linear(pair_work *w, int64_t i, const column *col, double *form) {
    double *phi = next_product(w, 1, i);
    for (int64_t a = 0; a < w->n; a++) phi[a] = col->value[a] - col->value[0];
    form[i] = 0;
}

/* Adds the products of a feature without a base to the chunk, and what they leave to its form;
 * false: they are too many. */
static bool add_products(pair_work *w, int64_t i, const double *row_sum, double *form) {
    const double *x = w->f.value, gamma = w->f.gamma;
    int64_t n = w->n;
    double low = INFINITY, high = -INFINITY, term = 1;
    for (int64_t a = 0; a < n; a++) {
        low = x[a] < low ? x[a] : low;
        high = x[a] > high ? x[a] : high;
    }
    double middle = 0.5 * (low + high), t = 0.5 * fabs(gamma) * (high - low) * (high - low);
    int count = 1; /* e is of order t as phi_1 is: what counts is the term over t */
    while (count <= MAX_PHI && term > LEFT_OUT) term *= t / ++count;
    if (count > MAX_PHI) return false;
    double *phi = next_product(w, 1, i), coef = 1;
    gauss_row(phi, x, n, middle, gamma);
    form[i] = 2 * la_dot(row_sum, phi, n);
    for (int k = 1; k < count; k++) {
        double one = k == 1, *last = phi;
        coef *= -2 * gamma / k;
        phi = next_product(w, coef, i);
        for (int64_t a = 0; a < n; a++) phi[a] = (last[a] + one) * (x[a] - middle);
    }
    return true;
}

static void multiply_products(pair_work *w, const double *M, double *form) {
    int64_t n = w->n;
    if (w->n_phi == 0) return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)w->n_phi, (int)n, 1, M,
                (int)n, w->phi, (int)n, 0, w->applied, (int)n);
    for (int64_t k = 0; k < w->n_phi; k++)
        form[w->of[k]] += w->coef[k] * la_dot(w->phi + k * n, w->applied + k * n, n);
}

static void form_of(pair_work *w, int64_t i, kernel_kind kind, double gamma, const double *M,
                    const double *row_sum, double *form) {
    column col;
    walk_at(&w->walk, i, &col);
    if (kind == KERNEL_LINEAR) {
        if (col.index)
            form[i] = linear_form(&col, M, w->n);
        else
            add_linear(w, i, &col, form);
        return;
    }
    feature_pairs_set(&w->f, &w->groups, &col, kind, gamma, w->n);
    bool dense = kind == KERNEL_RBF && w->f.count == w->n;
    if (!dense || !add_products(w, i, row_sum, form)) form[i] = form_by_pairs(w, M, row_sum);
}

static double sum_of(const double *x, int64_t n) {
    double s[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) s[k] += x[i + k];
    for (int k = 0; i < n; i++, k++) s[k] += x[i];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* The chunks from `first` to before `end`; a chunk's numbers do not depend on its thread. */
static void run_chunks(double *form, pair_work *work, int threads, int64_t first, int64_t end,
                       int64_t count, kernel_kind kind, const double *gamma, const double *M,
                       const double *row_sum) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) {
        pair_work *w = &work[t];
        int64_t chunks = end - first, to = first + chunks * (t + 1) / threads;
        for (int64_t c = first + chunks * t / threads; c < to; c++) {
            w->n_phi = 0;
            for (int64_t i = c * CHUNK; i < (c + 1) * CHUNK && i < count; i++)
                form_of(w, i, kind, gamma[i], M, row_sum, form);
            multiply_products(w, M, form);
        }
    }
}

pare_status pair_forms(double *form, const view *x, const int64_t *own, int64_t count,
                       kernel_kind kind, const double *gamma, const double *M, const pare_ctx *ctx,
                       pare_error *err) {
    int threads = ctx_threads(ctx), opened = 0;
    int64_t chunks = (count + CHUNK - 1) / CHUNK, n = x->n;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    pair_work *work = ARENA_ZERO(&mem, pair_work, threads);
    double *row_sum = ARENA_NEW(&mem, double, n);
    TRY_MEM(work && row_sum);
    for (; opened < threads; opened++) {
        TRY_MEM(work_make(&work[opened], &mem, n));
        TRY(walk_open(&work[opened].walk, x, own, count, ctx, err));
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        for (int64_t a = n * t / threads; a < n * (t + 1) / threads; a++)
            row_sum[a] = sum_of(M + a * n, n);
    double each = 0.5 * CHUNK * (double)n * (double)n;
    int64_t step = threads * (int64_t)fmax(1, LOOK_VALUES / fmax(each, 1)), c = 0;
    for (; c < chunks && ctx_poll(ctx, "kernels", -1) == INTERRUPT_NONE; c += step) {
        int64_t end = c + step < chunks ? c + step : chunks;
        run_chunks(form, work, threads, c, end, count, kind, gamma, M, row_sum);
    }
    for (int64_t i = c * CHUNK; i < count; i++) form[i] = 0;

done:
    while (opened > 0) status = walk_end(&work[--opened].walk, status, err);
    arena_free(&mem);
    return status;
}
