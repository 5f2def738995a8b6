/* Seconds of one gram and one tmul pass over random standardised data, best of three. Prints
 * `key value` lines for zero_norm_gram.py.
 *     bench_zero_norm_gram N D THREADS */
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/rng.h"
#include "la/matrix.h"

enum { REPEATS = 3 };

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int64_t n = atoll(argv[1]), d = atoll(argv[2]);
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = atoi(argv[3]);
    rng r;
    rng_seed(&r, 1, 1);
    double *x = malloc(sizeof *x * (size_t)(n * d)), *K = malloc(sizeof *K * (size_t)(n * n));
    double *shift = malloc(sizeof *shift * (size_t)d), *scale = malloc(sizeof *scale * (size_t)d);
    double *u = malloc(sizeof *u * (size_t)n), *out = malloc(sizeof *out * (size_t)d);
    if (!x || !K || !shift || !scale || !u || !out) return 1;
    for (int64_t i = 0; i < n * d; i++) x[i] = rng_uniform(&r);
    for (int64_t i = 0; i < n; i++) u[i] = rng_uniform(&r);
    for (int64_t j = 0; j < d; j++) shift[j] = 0.5, scale[j] = 3.46;
    matrix m = mat_dense(n, d, x);
    view v = view_all(&m);
    v.shift = shift;
    v.scale = scale;
    double gram = 1e300, tmul = 1e300;
    for (int k = 0; k < REPEATS; k++) {
        double start = clock_now();
        if (mat_gram(&v, NULL, NULL, K, &ctx, NULL) != PARE_OK) return 1;
        double middle = clock_now();
        if (mat_tmul(&v, u, 1, out, &ctx, NULL) != PARE_OK) return 1;
        double end = clock_now();
        gram = middle - start < gram ? middle - start : gram;
        tmul = end - middle < tmul ? end - middle : tmul;
    }
    printf("gram %.6g\ntmul %.6g\n", gram, tmul);
    free(x), free(K), free(shift), free(scale), free(u), free(out);
    return 0;
}
