/* Seconds of the infinite push with l1 at a given lambda, for push.py. Prints `key value` lines.
 *     bench_push FILE M N D LAMBDA ALGORITHM TOL REPEATS     FILE: (M + N) x D doubles, column by column,
 *     positives first. LAMBDA 0: prints lambda_max alone. ALGORITHM: auto or pairwise. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "solve/rank/push.h"

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

int main(int argc, char **argv) {
    if (argc != 9) {
        fprintf(stderr, "bench_push FILE M N D LAMBDA ALGORITHM TOL REPEATS\n");
        return 2;
    }
    int64_t m = atoll(argv[2]), n = atoll(argv[3]), d = atoll(argv[4]);
    double *x = need((m + n) * d, sizeof *x), *cost = need(m, sizeof *cost), best = 1e300;
    FILE *file = fopen(argv[1], "rb");
    if (!file || fread(x, sizeof *x, (size_t)((m + n) * d), file) != (size_t)((m + n) * d)) {
        fprintf(stderr, "cannot read %s\n", argv[1]);
        return 1;
    }
    fclose(file);
    openblas_set_num_threads(1);
    for (int64_t i = 0; i < m; i++) cost[i] = 1 / (double)m;
    matrix X = mat_dense(m + n, d, x);
    view v = view_all(&X);
    push_problem p = {.x = &v,
                      .m = m,
                      .n = n,
                      .cost = cost,
                      .penalty = PUSH_L1,
                      .lambda = atof(argv[5]),
                      .tol_rel = atof(argv[7])};
    push_solution s = {.w = need(d, sizeof(double)), .dual = need(m + n, sizeof(double))};
    if (p.lambda == 0) {
        push_limit limit = {.dual = s.dual};
        check(push_lambda_max(&limit, &p, NULL, NULL));
        printf("lambda_max %.17g\n", limit.lambda_max);
        return 0;
    }
    for (int k = 0; k < atoi(argv[8]); k++) {
        double start = clock_now();
        if (strcmp(argv[6], "pairwise") == 0)
            check(push_pairwise(&s, &p, NULL, NULL));
        else
            check(push_interior(&s, &p, m + n > 6000, NULL, NULL));
        double took = clock_now() - start;
        best = took < best ? took : best;
    }
    printf("seconds %.6g\nobjective %.17g\ngap %.6g\niterations %lld\n", best, s.objective,
           push_gap(&s), (long long)s.iterations);
    return 0;
}
