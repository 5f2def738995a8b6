/* Seconds of filters on random data of two classes, beside a pass of mat_stats, a sort of every column
 * and a Gram pass of the same data in the same run. Prints `key value` lines for filters.py; the data go
 * to FILE as raw doubles by columns, then the classes as doubles.
 *     bench_filters FILE N D THREADS REPEATS METHOD... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/order.h"
#include "base/rng.h"
#include "method/method.h"
#include "registry.h"

typedef struct work {
    fit_job job;
    const method *m;
    col_stats *stats;
    double *K;
    const pare_ctx *ctx;
    int threads;
} work;

static void *need(int64_t count, size_t size) {
    void *p = calloc((size_t)count, size);
    if (!p) exit(1);
    return p;
}

static void check(pare_status status, const pare_error *err) {
    if (status == PARE_OK) return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static void run_stats(work *w) {
    pare_error err;
    check(mat_stats(w->job.raw, NULL, w->stats, w->ctx, &err), &err);
}

static void run_gram(work *w) {
    pare_error err;
    check(mat_gram(w->job.raw, NULL, NULL, w->K, w->ctx, &err), &err);
}

/* Every column's values with their places, by libc's sort as the yardstick that all know. */
static int by_key(const void *a, const void *b) {
    return order_up(((const keyed *)a)->key, ((const keyed *)b)->key);
}

static void run_sort(work *w) {
    const double *x = w->job.raw->x->self;
    int64_t n = w->job.raw->n, d = w->job.raw->d;
#pragma omp parallel num_threads(w->threads)
    {
        keyed *v = need(n, sizeof *v);
#pragma omp for
        for (int64_t j = 0; j < d; j++) {
            for (int64_t i = 0; i < n; i++) v[i] = (keyed){x[j * n + i], (int32_t)i};
            qsort(v, (size_t)n, sizeof *v, by_key);
        }
        free(v);
    }
}

static void run_method(work *w) {
    fit_result r;
    pare_error err;
    fit_result_init(&r, w->ctx);
    fit_settings(&r, &w->job);
    check(w->m->fit(&r, &w->job, w->ctx, &err), &err);
    fit_result_free(&r);
}

static void time_of(const char *key, void (*run)(work *), work *w, int repeats) {
    double best = INFINITY;
    for (int k = 0; k < repeats; k++) {
        double start = clock_now();
        run(w);
        best = fmin(best, clock_now() - start);
    }
    printf("%s %.6g\n", key, best);
    fflush(stdout);
}

int main(int count, char **argument) {
    if (count < 7) return 2;
    int64_t n = atoll(argument[2]), d = atoll(argument[3]);
    int repeats = atoi(argument[5]);
    pare_ctx ctx;
    pare_error err;
    pare_ctx_init(&ctx);
    ctx.threads = atoi(argument[4]);
    openblas_set_num_threads(1);
    rng r;
    rng_seed(&r, 1, 0);
    double *x = need(n * d, sizeof *x), *y = need(n, sizeof *y);
    int32_t *cls = need(n, sizeof *cls);
    const char *classes[] = {"0", "1"};
    for (int64_t i = 0; i < n; i++) y[i] = cls[i] = (int32_t)(i % 2);
    for (int64_t e = 0; e < n * d; e++)
        x[e] = fabs(rng_normal(&r) + (e / n % 100 == 0 ? (double)cls[e % n] : 0));
    FILE *file = fopen(argument[1], "wb");
    if (!file || fwrite(x, sizeof *x, (size_t)(n * d), file) != (size_t)(n * d) ||
        fwrite(y, sizeof *y, (size_t)n, file) != (size_t)n || fclose(file) != 0)
        return 1;
    matrix m = mat_dense(n, d, x);
    view v = view_all(&m);
    target t = {.task = &task_binary, .n_classes = 2, .classes = classes, .cls = cls};
    pare_settings *set;
    check(pare_settings_new(&set, "anova", &ctx, &err), &err);
    work w = {.job = {.x = &v, .raw = &v, .y = &t, .set = &set->v, .k = 100},
              .stats = need(d, sizeof(col_stats)),
              .K = need(n * n, sizeof(double)),
              .ctx = &ctx,
              .threads = ctx.threads};
    time_of("stats", run_stats, &w, repeats);
    time_of("sort", run_sort, &w, 1);
    time_of("gram", run_gram, &w, repeats);
    for (int k = 6; k < count; k++) {
        w.m = method_named(argument[k]);
        if (!w.m) return 2;
        time_of(argument[k], run_method, &w, repeats);
    }
    return 0;
}
