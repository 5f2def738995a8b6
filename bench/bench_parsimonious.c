/* Times llna and plna as methods, without reading and certifying.
 *     bench_parsimonious llna|plna FILE n d lambda restarts repeats
 *     bench_parsimonious starts d restarts
 * prints the random starting points of plna, one a line, for a peer to start from.
 * FILE: X (n x d, column-major) then y (n), raw doubles. No intercept, no scaling. Prints `key
 * value` lines; seconds is the median of the repeats, iterations the pivots (llna) or linear
 * programs (plna) of one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/rng.h"
#include "method/method.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* As plna draws them without a context. */
static int print_starts(int64_t d, int64_t restarts) {
    for (int64_t start = 1; start <= restarts; start++) {
        rng random;
        rng_seed(&random, 1, (uint64_t)start);
        for (int64_t j = 0; j < d; j++)
            printf("%.17g%c", rng_normal(&random), j + 1 < d ? ' ' : '\n');
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "starts") == 0)
        return print_starts(atoll(argv[2]), atoll(argv[3]));
    if (argc < 8) return 2;
    bool plna = strcmp(argv[1], "plna") == 0;
    int64_t n = atoll(argv[3]), d = atoll(argv[4]);
    int repeats = atoi(argv[7]);
    double *x = malloc(sizeof(double) * (size_t)(n * d + n));
    double *seconds = malloc(sizeof(double) * (size_t)repeats);
    FILE *file = fopen(argv[2], "rb");
    if (!x || !seconds || !file) return 1;
    if (fread(x, sizeof(double), (size_t)(n * d + n), file) != (size_t)(n * d + n)) return 1;
    fclose(file);
    matrix m = mat_dense(n, d, x);
    view v = view_all(&m);
    target y = {.task = &task_regression, .value = x + n * d};
    pare_error err;
    double objective = NAN;
    int64_t iterations = 0, support = 0;
    for (int k = 0; k < repeats; k++) {
        all_settings set;
        settings_defaults(&set);
        set.common.intercept = false;
        set.llna.lambda = set.plna.lambda = atof(argv[5]);
        set.plna.restarts = atoll(argv[6]);
        fit_job job = {.x = &v, .y = &y, .set = &set};
        fit_result r;
        double start = clock_now();
        fit_result_init(&r, NULL);
        if ((plna ? plna_fit : llna_fit)(&r, &job, NULL, &err) != PARE_OK) return 1;
        seconds[k] = clock_now() - start;
        objective = r.objective;
        iterations = r.iterations;
        support = r.n_support;
        fit_result_free(&r);
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, ascending);
    printf("seconds %.17g\nobjective %.17g\niterations %lld\nsupport %lld\n", seconds[repeats / 2],
           objective, (long long)iterations, (long long)support);
    free(x);
    free(seconds);
    return 0;
}
