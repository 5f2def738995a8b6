#include "solve/kernel/kernel_align.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/kernel/gauss_form.h"
#include "solve/kernel/gauss_row.h"
#include "solve/kernel/value_groups.h"

kernel_kind kernel_named(const char *name) {
    if (strcmp(name, "linear") == 0) return KERNEL_LINEAR;
    return strcmp(name, "delta") == 0 ? KERNEL_DELTA : KERNEL_RBF;
}

static pare_status class_columns(align_target *t, const int32_t *cls, int64_t c, arena *mem,
                                 pare_error *err) {
    int64_t with_weight = 0;
    double *mass = ARENA_ZERO(mem, double, c);
    t->q = c == 2 ? 1 : c; /* two classes: both columns give the same */
    t->v = ARENA_NEW(mem, double, t->n * t->q);
    if (!mass || !t->v) return error_memory(err);
    for (int64_t i = 0; i < t->n; i++) mass[cls[i]] += t->s[i];
    for (int64_t k = 0; k < c; k++) with_weight += mass[k] > 0;
    if (with_weight < 2)
        return error_set(err, PARE_E_DATA,
                         "all samples of positive weight are of one class: no alignment to it");
    t->factor = c == 2 ? 4 : (double)c / (double)(c - 1);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t k = 0; k < t->q; k++) {
            int64_t own = c == 2 ? 1 : k;
            t->v[i * t->q + k] = t->s[i] * ((cls[i] == own) - mass[own] / t->total);
        }
    return PARE_OK;
}

static pare_status value_column(align_target *t, const double *value, arena *mem, pare_error *err) {
    t->q = 1;
    t->factor = 1;
    t->v = ARENA_NEW(mem, double, t->n);
    if (!t->v) return error_memory(err);
    double mean = 0, var = 0, size = 0;
    for (int64_t i = 0; i < t->n; i++) mean += t->s[i] * value[i] / t->total;
    for (int64_t i = 0; i < t->n; i++) {
        double off = value[i] - mean;
        var += t->s[i] * off * off / t->total;
        if (t->s[i] > 0) size = fmax(size, fabs(value[i]));
    }
    if (!(sqrt(var) > 1e-14 * size))
        return error_set(err, PARE_E_DATA, "%lld sample%s of one target value: no alignment to it",
                         (long long)t->n, t->n == 1 ? "" : "s");
    for (int64_t i = 0; i < t->n; i++) t->v[i] = t->s[i] * (value[i] - mean) / sqrt(var);
    return PARE_OK;
}

pare_status align_target_make(align_target *out, arena *mem, const int32_t *cls, int64_t classes,
                              const double *value, const double *weight, int64_t n,
                              pare_error *err) {
    *out = (align_target){.n = n};
    out->s = ARENA_NEW(mem, double, n);
    if (!out->s) return error_memory(err);
    for (int64_t i = 0; i < n; i++) out->total += out->s[i] = weight ? weight[i] : 1;
    return cls ? class_columns(out, cls, classes, mem, err) : value_column(out, value, mem, err);
}

/* One thread's scratch. Points carry q + 1 masses: the target columns, then the sample weight. */
typedef struct align_work {
    const align_target *t;
    const gauss_tables *tables;
    walk walk;
    value_groups groups;
    gauss_points points;
    double *form; /* q + 1 */
} align_work;

static bool work_make(align_work *w, arena *mem, const align_target *t,
                      const gauss_tables *tables) {
    w->t = t;
    w->tables = tables;
    w->form = ARENA_NEW(mem, double, t->q + 1);
    return w->form && value_groups_make(&w->groups, mem, t->n, t->q + 1) &&
           gauss_points_make(&w->points, mem, t->n + 1, t->q + 1);
}

/* Weighted mean, and sum of weighted squares about it. */
static double moments(const column *col, const align_target *t, double *mean) {
    double listed = 0, sum = 0, squares = 0;
    for (int64_t e = 0; e < col->count; e++) {
        double s = t->s[col->index ? col->index[e] : e];
        listed += s;
        sum += s * col->value[e];
    }
    double unlisted = col->index ? fmax(t->total - listed, 0) : 0;
    *mean = (sum + unlisted * col->rest) / t->total;
    squares = unlisted * (col->rest - *mean) * (col->rest - *mean);
    for (int64_t e = 0; e < col->count; e++) {
        double off = col->value[e] - *mean;
        squares += t->s[col->index ? col->index[e] : e] * off * off;
    }
    return squares;
}

/* a from the forms of the target columns. */
static double alignment(const align_target *t, const double *form, double trace) {
    double sum = 0;
    for (int64_t c = 0; c < t->q; c++) sum += form[c];
    return trace > 0 ? fmax(t->factor * sum / trace, 0) : 0;
}

static double linear_align(const align_work *w, const column *col, double mean, double squares) {
    const align_target *t = w->t;
    for (int64_t c = 0; c < t->q;
         c++) { /* V sums to 0: centring x keeps large values from cancelling */
        double sum = 0, listed = 0;
        for (int64_t e = 0; e < col->count; e++) {
            double v = t->v[(col->index ? col->index[e] : e) * t->q + c];
            listed += v;
            sum += v * (col->value[e] - mean);
        }
        if (col->index) sum -= listed * (col->rest - mean);
        w->form[c] = sum * sum;
    }
    return alignment(t, w->form, squares);
}

/* Every pair of distinct values. V sums to 0, so that the kernel minus 1 serves as well, and does
 * not cancel where gamma is small. */
static double pairs_align(align_work *w, double gamma, double *trace) {
    const align_target *t = w->t;
    const value_groups *g = &w->groups;
    int64_t stride = t->q + 1;
    double pull = 0, row[MAX_GROUPS];
    for (int64_t c = 0; c < t->q; c++) w->form[c] = 0;
    for (int64_t a = 0; a < g->count; a++) {
        kernel_row(row, g->value, a, g->value[a], KERNEL_RBF, -gamma);
        for (int64_t b = 0; b < a; b++) {
            const double *ma = g->mass + a * stride, *mb = g->mass + b * stride, k = row[b];
            for (int64_t c = 0; c < t->q; c++) w->form[c] += 2 * ma[c] * mb[c] * k;
            pull -= 2 * ma[t->q] * mb[t->q] * k;
        }
    }
    *trace = pull / t->total;
    return alignment(t, w->form, *trace);
}

static double moments_align(align_work *w, const column *col, double gamma, double *trace) {
    const align_target *t = w->t;
    gauss_points *p = &w->points;
    int64_t q = t->q;
    double *rest = p->mass + col->count * (q + 1); /* one point for all unlisted samples */
    for (int64_t c = 0; c < q; c++) rest[c] = 0;
    rest[q] = t->total;
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index ? col->index[e] : e;
        double *mass = p->mass + e * (q + 1);
        p->x[e] = col->value[e];
        for (int64_t c = 0; c < q; c++) rest[c] -= mass[c] = t->v[i * q + c];
        rest[q] -= mass[q] = t->s[i];
    }
    p->n = col->count;
    if (col->index && col->count < t->n) p->x[p->n++] = col->rest;
    bool minus_one;
    gauss_forms(w->form, &minus_one, p, w->tables, gamma);
    *trace = (minus_one ? 0 : t->total) - w->form[q] / t->total;
    return alignment(t, w->form, *trace);
}

static double delta_align(align_work *w, double *trace) {
    const align_target *t = w->t;
    const value_groups *g = &w->groups;
    int64_t stride = t->q + 1;
    double same = 0;
    for (int64_t c = 0; c < t->q; c++) w->form[c] = 0;
    for (int64_t a = 0; a < g->count; a++) {
        const double *m = g->mass + a * stride;
        for (int64_t c = 0; c < t->q; c++) w->form[c] += m[c] * m[c];
        same += m[t->q] * (t->total - m[t->q]);
    }
    *trace = same / t->total;
    return alignment(t, w->form, *trace);
}

static void align_column(align_work *w, int64_t j, kernel_kind kind, double gamma, double *a,
                         double *trace, double *gamma_used) {
    const align_target *t = w->t;
    column col;
    double mean;
    if (!walk_at(&w->walk, j, &col)) return;
    double squares = moments(&col, t, &mean);
    *a = *trace = *gamma_used = 0;
    if (kind == KERNEL_LINEAR) {
        *trace = squares;
        *a = linear_align(w, &col, mean, squares);
        return;
    }
    bool few =
        value_groups_find(&w->groups, &col, t->v, t->s, t->n, t->total, kind == KERNEL_DELTA);
    if (few && w->groups.weighted < 2) return; /* constant */
    if (kind == KERNEL_DELTA) {
        *a = delta_align(w, trace);
        return;
    }
    *gamma_used = isnan(gamma) ? t->total / (2 * squares) : gamma;
    if (!isfinite(*gamma_used)) { /* a variance that underflows */
        *gamma_used = 0;
        return;
    }
    *a = few ? pairs_align(w, *gamma_used, trace) : moments_align(w, &col, *gamma_used, trace);
}

pare_status kernel_align(double *a, double *trace, double *gamma_used, const view *x,
                         const align_target *t, kernel_kind kind, double gamma, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t d = x->d;
    int threads = ctx_threads(ctx), opened = 0;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;

    gauss_tables *tables = ARENA_NEW(&scratch, gauss_tables, 1);
    align_work *work = ARENA_ZERO(&scratch, align_work, threads);
    TRY_MEM(tables && work);
    gauss_tables_make(tables);
    for (; opened < threads; opened++) {
        TRY_MEM(work_make(&work[opened], &scratch, t, tables));
        TRY(walk_open(&work[opened].walk, x, NULL, d, ctx, err));
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++) /* columns do not depend on the thread */
        for (int64_t j = d * part / threads; j < d * (part + 1) / threads; j++)
            align_column(&work[part], j, kind, gamma, &a[j], &trace[j], &gamma_used[j]);

done:
    while (opened > 0) status = walk_end(&work[--opened].walk, status, err);
    arena_free(&scratch);
    return status;
}
