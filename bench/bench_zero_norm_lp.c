/* Times the methods on linear programs as a fit sees them: from a view to the ranking.
 *     bench_zero_norm_lp METHOD FILE n d lambda [repeats]
 * METHOD: l1-svm, fsv or l1-arom. FILE: X (n x d, column-major) then y (n, -1 or 1), raw doubles.
 * lambda: that of l1-svm; of fsv, and the C of l1-arom, where it is above 0. Prints `key value` lines;
 * seconds are the least of the repeats, as are those of one tmul pass. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "method/method.h"

static pare_status fit(fit_result *r, const char *name, const fit_job *job, pare_error *err) {
    if (strcmp(name, "l1-svm") == 0) return l1_svm_fit(r, job, NULL, err);
    if (strcmp(name, "fsv") == 0) return fsv_fit(r, job, NULL, err);
    return l1_arom_fit(r, job, NULL, err);
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    int64_t n = atoll(argv[3]), d = atoll(argv[4]);
    double lambda = atof(argv[5]), seconds = INFINITY, pass = INFINITY;
    int repeats = argc > 6 ? atoi(argv[6]) : 5;
    double *x = malloc(sizeof *x * (size_t)(n * d + n)), *y = x + n * d;
    double *u = malloc(sizeof *u * (size_t)n), *g = malloc(sizeof *g * (size_t)d);
    int32_t *cls = malloc(sizeof *cls * (size_t)n);
    FILE *file = fopen(argv[2], "rb");
    if (!x || !u || !g || !cls || !file) return 1;
    if (fread(x, sizeof *x, (size_t)(n * d + n), file) != (size_t)(n * d + n)) return 1;
    fclose(file);
    for (int64_t i = 0; i < n; i++) {
        cls[i] = y[i] > 0;
        u[i] = 1;
    }
    const char *classes[] = {"-1", "1"};
    target t = {.task = &task_binary, .n_classes = 2, .classes = classes, .cls = cls};
    matrix m = mat_dense(n, d, x);
    view v = view_all(&m);
    all_settings set;
    pare_error err;
    fit_result r;
    for (int k = 0; k < repeats; k++) {
        settings_defaults(&set);
        set.l1_svm.lambda = lambda;
        if (lambda > 0) set.fsv.lambda = lambda;
        if (lambda > 0) set.l1_arom.C = lambda;
        fit_job job = {.x = &v, .y = &t, .set = &set};
        fit_result_init(&r, NULL);
        double start = clock_now();
        if (fit(&r, argv[1], &job, &err) != PARE_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        seconds = fmin(seconds, clock_now() - start);
        start = clock_now();
        if (mat_tmul(&v, u, 1, g, NULL, &err) != PARE_OK) return 1;
        pass = fmin(pass, clock_now() - start);
        if (k + 1 < repeats) fit_result_free(&r);
    }
    printf("seconds %.17g\npass_seconds %.17g\nobjective %.17g\nsupport %lld\niterations %lld\n"
           "outcome %d\n",
           seconds, pass, r.objective, (long long)r.n_support, (long long)r.iterations,
           (int)r.outcome);
    fit_result_free(&r);
    free(cls), free(g), free(u), free(x);
    return 0;
}
