#include "solve/kernel/kernel_columns.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "solve/kernel/gauss_form.h"
#include "solve/kernel/gauss_row.h"
#include "solve/kernel/value_groups.h"

/* One thread's scratch. */
typedef struct columns_work {
    walk walk;
    value_groups groups;
    gauss_points points; /* n + 1 of them, with c masses */
    double *local;       /* as points.moments */
    double *at;          /* (n + 1) c: the sums at the points */
    double *row;         /* n + 1 */
    double *x;           /* n */
} columns_work;

static bool work_make(columns_work *w, arena *mem, int64_t n, int64_t c) {
    w->local = ARENA_NEW(mem, double, (n + 1) * c * GAUSS_NODES);
    w->at = ARENA_NEW(mem, double, (n + 1) * c);
    w->row = ARENA_NEW(mem, double, n + 1);
    w->x = ARENA_NEW(mem, double, n);
    return w->local && w->at && w->row && w->x && value_groups_make(&w->groups, mem, n, 0) &&
           gauss_points_make(&w->points, mem, n + 1, c);
}

pare_status kernel_columns_open(kernel_columns *k, const view *x, kernel_kind kind,
                                const double *gamma, const double *trace, const double *s,
                                int64_t c, const pare_ctx *ctx, pare_error *err) {
    *k = (kernel_columns){.x = x,
                          .kind = kind,
                          .gamma = gamma,
                          .trace = trace,
                          .s = s,
                          .c = c,
                          .threads = ctx_threads(ctx)};
    arena_init(&k->mem, ctx_allocator(ctx));
    k->tables = ARENA_NEW(&k->mem, gauss_tables, 1);
    k->work = ARENA_ZERO(&k->mem, columns_work, k->threads);
    if (!k->tables || !k->work) return error_memory(err);
    gauss_tables_make(k->tables);
    for (; k->opened < k->threads; k->opened++) {
        columns_work *w = &k->work[k->opened];
        if (!work_make(w, &k->mem, x->n, c)) return error_memory(err);
        PASS(walk_open(&w->walk, x, NULL, x->d, ctx, err));
    }
    return PARE_OK;
}

pare_status kernel_columns_close(kernel_columns *k, pare_status status, pare_error *err) {
    while (k->opened > 0) status = walk_end(&k->work[--k->opened].walk, status, err);
    arena_free(&k->mem);
    return status;
}

/* (x - mean) times its products with U. */
static void linear_column(const kernel_columns *k, columns_work *w, const column *col,
                          const double *U, double *T) {
    int64_t n = k->x->n;
    double mean = 0, total = 0;
    column_spread(col, n, w->x);
    for (int64_t i = 0; i < n; i++) total += k->s[i];
    for (int64_t i = 0; i < n; i++) mean += k->s[i] / total * w->x[i];
    for (int64_t i = 0; i < n; i++) w->x[i] -= mean;
    for (int64_t o = 0; o < k->c; o++) {
        double dot = la_dot(w->x, U + o * n, n);
        for (int64_t i = 0; i < n; i++) T[o * n + i] = dot * w->x[i];
    }
}

/* The column as points with masses: its distinct values if they are few, else its listed samples
 * and the unlisted ones as one. True: few. */
static bool set_points(const kernel_columns *k, columns_work *w, const column *col,
                       const double *U) {
    int64_t n = k->x->n, c = k->c;
    gauss_points *p = &w->points;
    value_groups *g = &w->groups;
    bool few = value_groups_find(g, col, NULL, NULL, n, 0, k->kind == KERNEL_DELTA);
    int64_t rest = few ? g->rest : col->index && col->count < n ? col->count : -1;
    p->n = few ? g->count : col->count + (rest >= 0);
    memcpy(p->x, few ? g->value : col->value,
           sizeof(double) * (size_t)(few ? g->count : col->count));
    if (rest >= 0) p->x[rest] = col->rest;
    memset(p->mass, 0, sizeof *p->mass * (size_t)(p->n * c));
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index ? col->index[e] : e, at = few ? g->code[e] : e;
        for (int64_t o = 0; o < c; o++) p->mass[at * c + o] += U[o * n + i];
    }
    for (int64_t o = 0; rest >= 0 && o < c; o++) { /* columns of U sum to 0 */
        double listed = 0;
        for (int64_t a = 0; a < p->n; a++)
            if (a != rest) listed += p->mass[a * c + o];
        p->mass[rest * c + o] = -listed;
    }
    return few;
}

/* k - 1 is 0 of a value with itself: every pair once, for both. */
static void apply_pairs(const kernel_columns *k, columns_work *w, double gamma) {
    const gauss_points *p = &w->points;
    int64_t c = k->c;
    memset(w->at, 0, sizeof *w->at * (size_t)(p->n * c));
    for (int64_t a = 1; a < p->n; a++) {
        kernel_row(w->row, p->x, a, p->x[a], k->kind, -gamma);
        for (int64_t o = 0; o < c; o++) {
            double own = p->mass[a * c + o], sum = 0;
            for (int64_t b = 0; b < a; b++) {
                sum += w->row[b] * p->mass[b * c + o];
                w->at[b * c + o] += w->row[b] * own;
            }
            w->at[a * c + o] += sum;
        }
    }
}

/* Categories: the kernel is 1 between equal values, else 0. */
static void apply_delta(const kernel_columns *k, columns_work *w) {
    memcpy(w->at, w->points.mass, sizeof *w->at * (size_t)(w->points.n * k->c));
}

static void give_samples(const kernel_columns *k, const columns_work *w, const column *col,
                         bool few, double *T) {
    int64_t n = k->x->n, c = k->c, rest = few ? w->groups.rest : col->count;
    for (int64_t o = 0; o < c; o++) {
        if (col->index && col->count < n)
            for (int64_t i = 0; i < n; i++) T[o * n + i] = w->at[rest * c + o];
        for (int64_t e = 0; e < col->count; e++)
            T[o * n + (col->index ? col->index[e] : e)] =
                w->at[(few ? w->groups.code[e] : e) * c + o];
    }
}

static void finish(const kernel_columns *k, int64_t j, double *T) {
    int64_t n = k->x->n;
    double total = 0;
    for (int64_t i = 0; i < n; i++) total += k->s[i];
    for (int64_t o = 0; o < k->c; o++) {
        double mean = 0, *t = T + o * n;
        for (int64_t i = 0; i < n; i++) mean += k->s[i] / total * t[i];
        for (int64_t i = 0; i < n; i++) t[i] = (t[i] - mean) / k->trace[j];
    }
}

static void take_one(const kernel_columns *k, columns_work *w, int64_t j, const double *U,
                     double *T) {
    column col;
    walk_at(&w->walk, j, &col);
    if (k->kind == KERNEL_LINEAR) {
        linear_column(k, w, &col, U, T);
    } else {
        bool few = set_points(k, w, &col, U);
        if (k->kind == KERNEL_DELTA)
            apply_delta(k, w);
        else if (few)
            apply_pairs(k, w, k->gamma[j]);
        else
            gauss_apply(w->at, w->local, &w->points, k->tables, k->gamma[j]);
        give_samples(k, w, &col, few, T);
    }
    finish(k, j, T);
}

void kernel_columns_take(kernel_columns *k, const int64_t *own, int64_t count, const double *U,
                         double *T) {
    int64_t size = k->x->n * k->c;
#pragma omp parallel for num_threads(k->threads) schedule(static)
    for (int t = 0; t < k->threads; t++) /* a column's numbers do not depend on its thread */
        for (int64_t i = count * t / k->threads; i < count * (t + 1) / k->threads; i++)
            take_one(k, &k->work[t], own[i], U, T + i * size);
}
