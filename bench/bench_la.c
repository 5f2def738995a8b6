/* Seconds of the operations of la/matrix.h, best of several, with the one BLAS peer that must run in
 * the same process. Prints `key value` lines for la.py.
 *     bench_la dense N D THREADS                                   random data
 *     bench_la sparse FOLDER N THREADS                             indptr, indices, data as raw files */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/rng.h"
#include "la/matrix.h"

/* At least so many calls, and more of a short one: a shared machine disturbs those most. */
enum { REPEATS = 5, MAX_REPEATS = 100 };
static const double enough_s = 1;

typedef struct work {
    view v, raw;
    view folds[5];
    double *K, *K_many[5], *U, *W, *out, *F;
    int64_t c;
    col_stats *stats;
    const pare_ctx *ctx;
    int threads;
} work;

static void *need(int64_t count, size_t size) {
    void *p = calloc((size_t)count, size);
    if (!p) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    return p;
}

static void check(pare_status status) {
    if (status != PARE_OK) {
        fprintf(stderr, "failed: %s\n", pare_status_name(status));
        exit(1);
    }
}

static void time_of(const char *key, void (*run)(work *), work *w) {
    double best = 1e300, spent = 0;
    for (int k = 0; k < REPEATS || (k < MAX_REPEATS && spent < enough_s); k++) {
        double start = clock_now();
        run(w);
        double took = clock_now() - start;
        best = took < best ? took : best;
        spent += took;
    }
    printf("%s %.6g\n", key, best);
    fflush(stdout);
}

static void run_syrk(work *w) {
    openblas_set_num_threads(w->threads);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)w->v.n, (int)w->v.d, 1, w->v.x->self,
                (int)w->v.n, 0, w->K, (int)w->v.n);
    openblas_set_num_threads(1);
}

static void run_gram(work *w) { check(mat_gram(&w->v, NULL, NULL, w->K, w->ctx, NULL)); }
static void run_gram_raw(work *w) { check(mat_gram(&w->raw, NULL, NULL, w->K, w->ctx, NULL)); }
static void run_many(work *w) { check(mat_gram_many(5, w->folds, NULL, w->K_many, w->ctx, NULL)); }
static void run_folds(work *w) {
    for (int k = 0; k < 5; k++)
        check(mat_gram(&w->folds[k], NULL, NULL, w->K_many[k], w->ctx, NULL));
}
static void run_tmul(work *w) { check(mat_tmul(&w->v, w->U, w->c, w->out, w->ctx, NULL)); }
static void run_tmul_raw(work *w) { check(mat_tmul(&w->raw, w->U, w->c, w->out, w->ctx, NULL)); }
static void run_tmul2(work *w) { check(mat_tmul2(&w->v, w->U, w->c, w->out, w->ctx, NULL)); }
static void run_mul(work *w) {
    check(mat_mul(&w->v, NULL, w->v.d, w->W, w->c, w->F, w->ctx, NULL));
}
static void run_stats(work *w) { check(mat_stats(&w->raw, NULL, w->stats, w->ctx, NULL)); }

static void run_all(const matrix *x, int threads) {
    enum { MANY = 20 };
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    openblas_set_num_threads(1);
    int64_t n = x->n, d = x->d;
    work w = {.v = view_all(x), .raw = view_all(x), .ctx = &ctx, .threads = threads, .c = 1};
    rng r;
    rng_seed(&r, 1, 1);
    w.K = need(n * n, sizeof(double));
    w.U = need(n * MANY, sizeof(double));
    w.F = need(n * MANY, sizeof(double));
    w.W = need(d * MANY, sizeof(double));
    w.out = need(d * MANY, sizeof(double));
    w.stats = need(d, sizeof(col_stats));
    double *shift = need(d, sizeof(double)), *scale = need(d, sizeof(double));
    for (int64_t i = 0; i < n * MANY; i++) w.U[i] = rng_normal(&r);
    for (int64_t i = 0; i < d * MANY; i++) w.W[i] = rng_normal(&r);
    for (int64_t j = 0; j < d; j++) shift[j] = 0.1, scale[j] = 1.1;
    w.v.shift = shift;
    w.v.scale = scale;
    for (int k = 0; k < 5; k++) {
        int32_t *rows = need(n, sizeof(int32_t));
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (i % 5 != k) rows[count++] = (int32_t)i;
        w.folds[k] = w.v;
        w.folds[k].rows = rows;
        w.folds[k].n = count;
        w.K_many[k] = need(n * n, sizeof(double));
    }
    if (!mat_is_sparse(x)) time_of("syrk", run_syrk, &w);
    time_of("gram", run_gram, &w);
    time_of("gram_raw", run_gram_raw, &w);
    if (!mat_is_sparse(x)) time_of("syrk_again", run_syrk, &w);
    time_of("gram_many", run_many, &w);
    time_of("gram_folds", run_folds, &w);
    time_of("tmul_1", run_tmul, &w);
    time_of("tmul_raw_1", run_tmul_raw, &w);
    time_of("mul_1", run_mul, &w);
    time_of("stats", run_stats, &w);
    w.c = MANY;
    time_of("tmul_20", run_tmul, &w);
    time_of("tmul_raw_20", run_tmul_raw, &w);
    time_of("tmul2_20", run_tmul2, &w);
    time_of("mul_20", run_mul, &w);
}

static void *load(const char *folder, const char *name, size_t size, int64_t *count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) exit(1);
    *count = ftell(f) / (int64_t)size;
    rewind(f);
    void *p = need(*count, size);
    if (fread(p, size, (size_t)*count, f) != (size_t)*count) exit(1);
    fclose(f);
    return p;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "dense") == 0) {
        int64_t n = atoll(argv[2]), d = atoll(argv[3]);
        double *x = need(n * d, sizeof *x);
        rng r;
        rng_seed(&r, 1, 0);
        for (int64_t i = 0; i < n * d; i++) x[i] = rng_uniform(&r) + rng_uniform(&r);
        matrix m = mat_dense(n, d, x);
        run_all(&m, atoi(argv[4]));
    } else if (argc == 5 && strcmp(argv[1], "sparse") == 0) {
        int64_t columns, entries, values;
        int64_t *col_ptr = load(argv[2], "indptr", sizeof *col_ptr, &columns);
        int32_t *row = load(argv[2], "indices", sizeof *row, &entries);
        double *value = load(argv[2], "data", sizeof *value, &values);
        csc_arrays of = {col_ptr, row, value};
        matrix m = mat_csc(atoll(argv[3]), columns - 1, &of);
        run_all(&m, atoi(argv[4]));
    } else {
        fprintf(stderr, "bench_la dense N D THREADS | bench_la sparse FOLDER N THREADS\n");
        return 2;
    }
    return 0;
}
