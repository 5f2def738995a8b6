/* Times the wide linear programs of solve/lp/l1_program.h.
 *     bench_lp margin|fit FILE n d lambda [repeats]
 * FILE: X (n x d, column-major) then y (n), raw doubles. margin: mean hinge + lambda |w|_1; fit:
 * (1 - lambda) |Xw + b - y|_1 + lambda |w|_1. Prints `key value` lines; seconds are the least of
 * the repeats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "solve/lp/l1_program.h"

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    bool margin = strcmp(argv[1], "margin") == 0;
    int64_t n = atoll(argv[3]), d = atoll(argv[4]);
    double lambda = atof(argv[5]);
    int repeats = argc > 6 ? atoi(argv[6]) : 5;
    double *x = malloc(sizeof(double) * (size_t)(n * d + n)), *y = x + n * d;
    double *cost = malloc(sizeof(double) * (size_t)d), *loss = malloc(sizeof(double) * (size_t)n);
    double *u = malloc(sizeof(double) * (size_t)n), *g = malloc(sizeof(double) * (size_t)d);
    FILE *file = fopen(argv[2], "rb");
    if (!x || !cost || !loss || !u || !g || !file) return 1;
    if (fread(x, sizeof(double), (size_t)(n * d + n), file) != (size_t)(n * d + n)) return 1;
    fclose(file);
    for (int64_t j = 0; j < d; j++) cost[j] = lambda;
    for (int64_t i = 0; i < n; i++) loss[i] = margin ? 1 / (double)n : 1 - lambda;
    matrix m = mat_dense(n, d, x);
    view v = view_all(&m);
    pare_error err;
    double seconds = INFINITY, pass = INFINITY;
    l1_solution s;
    for (int k = 0; k < repeats; k++) {
        l1_spec spec = {margin ? L1_MARGIN : L1_FIT, &v, y, cost, loss, true, 0, NULL, NULL};
        l1_program *p;
        double start = clock_now();
        if (l1_create(&p, &spec, NULL, &err) || l1_solve(p, &s, NULL, &err)) return 1;
        seconds = fmin(seconds, clock_now() - start);
        if (k + 1 < repeats) l1_free(p);
        for (int64_t i = 0; i < n; i++) u[i] = 1;
        start = clock_now();
        if (mat_tmul(&v, u, 1, g, NULL, &err)) return 1;
        pass = fmin(pass, clock_now() - start);
    }
    printf("seconds %.17g\npass_seconds %.17g\nobjective %.17g\nbound %.17g\npasses %lld\n"
           "pivots %lld\ngenerated %lld\nsupport %lld\noutcome %d\n",
           seconds, pass, s.objective, s.bound, (long long)s.passes, (long long)s.pivots,
           (long long)s.generated, (long long)s.n_weight, (int)s.outcome);
    return 0;
}
