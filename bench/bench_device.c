/* Seconds of each operation on a GPU (pare_ctx.device) with random data, the best of five, beside those
 * of the processor, one time each; transfers of inputs and results included. Prints `key value` lines.
 *     bench_device N D THREADS [cpu] */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/rng.h"
#include "la/device.h"

enum { REPEATS = 5, RHS = 8, FOLDS = 5 };

typedef struct problem {
    matrix x;
    view fold[FOLDS], bent; /* four fifths of the rows, standardised; through asinh */
    double *U, *out, *K, *w, *F;
    col_stats *stats[FOLDS];
    asinh_fit fit[FOLDS];
} problem;

static pare_status tmul(problem *p, const pare_ctx *ctx) {
    return mat_tmul(&p->fold[0], p->U, 1, p->out, ctx, NULL);
}
static pare_status tmul_many(problem *p, const pare_ctx *ctx) {
    return mat_tmul(&p->fold[0], p->U, RHS, p->out, ctx, NULL);
}
static pare_status tmul_asinh(problem *p, const pare_ctx *ctx) {
    return mat_tmul(&p->bent, p->U, 1, p->out, ctx, NULL);
}
static pare_status mul(problem *p, const pare_ctx *ctx) {
    return mat_mul(&p->fold[0], NULL, p->x.d, p->w, 1, p->F, ctx, NULL);
}
static pare_status gram(problem *p, const pare_ctx *ctx) {
    return mat_gram(&p->fold[0], NULL, NULL, p->K, ctx, NULL);
}
static pare_status gram_asinh(problem *p, const pare_ctx *ctx) {
    return mat_gram(&p->bent, NULL, NULL, p->K, ctx, NULL);
}
static pare_status stats(problem *p, const pare_ctx *ctx) {
    return mat_stats_many(FOLDS, p->fold, NULL, p->stats, ctx, NULL);
}
static pare_status quantiles(problem *p, const pare_ctx *ctx) {
    return mat_asinh_fit_many(FOLDS, p->fold, 1.35, p->fit, ctx, NULL);
}

static const struct {
    const char *name;
    pare_status (*run)(problem *, const pare_ctx *);
} operations[] = {{"tmul", tmul},
                  {"tmul_8", tmul_many},
                  {"tmul_asinh", tmul_asinh},
                  {"mul", mul},
                  {"gram", gram},
                  {"gram_asinh", gram_asinh},
                  {"stats_5_folds", stats},
                  {"quantiles_5_folds", quantiles}};

static void *get(int64_t count, size_t size) {
    void *p = calloc((size_t)count, size);
    if (!p) exit(1);
    return p;
}

static void fill(double *x, int64_t n, int64_t d) {
#pragma omp parallel for
    for (int64_t j = 0; j < d; j++) {
        rng r;
        rng_seed(&r, 1, (uint64_t)j);
        for (int64_t i = 0; i < n; i++) x[j * n + i] = rng_uniform(&r);
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    int64_t n = atoll(argv[1]), d = atoll(argv[2]);
    bool cpu = argc > 4 && strcmp(argv[4], "cpu") == 0;
    double *x = get(n * d, 8), *shift = get(d, 8), *scale = get(d, 8);
    double *median = get(d, 8), *spread = get(d, 8);
    int32_t *rows = get(n * FOLDS, 4);
    problem p = {.U = get(n * RHS, 8), .out = get(d * RHS, 8), .K = get(n * n, 8)};
    p.w = get(d, 8);
    p.F = get(n, 8);
    fill(x, n, d);
    fill(p.U, n, RHS);
    for (int64_t j = 0; j < d; j++) {
        shift[j] = median[j] = 0.5;
        scale[j] = 3.46;
        spread[j] = 0.4;
        p.w[j] = 1.0 / (double)(j + 1);
    }
    p.x = mat_dense(n, d, x);
    asinh_view by = {&p.x, median, spread};
    matrix bent = mat_asinh(&by);
    for (int f = 0; f < FOLDS; f++) {
        int64_t taken = 0;
        for (int32_t i = 0; i < n; i++)
            if (i % FOLDS != f) rows[f * n + taken++] = i;
        p.fold[f] = (view){.x = &p.x, .rows = rows + f * n, .n = taken, .d = d};
        p.stats[f] = get(d, sizeof *p.stats[f]);
        p.fit[f] = (asinh_fit){get(d, 8), get(d, 8), p.stats[f], {0}};
    }
    p.fold[0].shift = p.fold[1].shift = shift;
    p.fold[0].scale = p.fold[1].scale = scale;
    p.bent = p.fold[0];
    p.bent.x = &bent;
    pare_ctx ctx;
    pare_error err;
    call c;
    pare_ctx_init(&ctx);
    ctx.threads = atoi(argv[3]);
    ctx.device = cpu ? PARE_DEVICE_CPU : PARE_DEVICE_CUDA;
    if (call_begin(&c, &ctx, &err) != PARE_OK) return 1;
    double start = clock_now();
    if (device_begin(&c, &p.x, &err) != PARE_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("begin %.6g\n", clock_now() - start);
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        double best = INFINITY;
        for (int r = 0; r < (cpu ? 2 : REPEATS); r++) {
            start = clock_now();
            if (operations[k].run(&p, &c.ctx) != PARE_OK) return 1;
            best = fmin(best, clock_now() - start);
        }
        printf("%s %.6g\n", operations[k].name, best);
        fflush(stdout);
    }
    device_end(&c);
    call_end(&c);
    return 0;
}
