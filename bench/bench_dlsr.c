/* dlsr-fs from inside: one lambda, and a path of lambdas with warm starts.
 *     bench_dlsr FOLDER N D CLASSES THREADS RATIO TOL COUNT
 * FOLDER holds x (N x D doubles, column-major) and y (N int32). Solves at RATIO lambda_max alone, then
 * COUNT lambdas from lambda_max down to it. Prints `key value` lines; memory in MB. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "method/discriminant/dlsr_fs_path.h"

/* The high-water mark of this program; getrusage would start from the parent's. */
static double peak_mb(void) {
    char line[256];
    double kb = 0;
    FILE *from = fopen("/proc/self/status", "r");
    while (from && fgets(line, sizeof line, from))
        if (sscanf(line, "VmHWM: %lf", &kb) == 1) break;
    if (from) fclose(from);
    return kb / 1024;
}

static void *read_all(const char *folder, const char *name, size_t size, size_t count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *from = fopen(path, "rb");
    void *out = malloc(size * count);
    if (!from || !out || fread(out, size, count, from) != count) {
        fprintf(stderr, "bench_dlsr: cannot read %s\n", path);
        exit(1);
    }
    fclose(from);
    return out;
}

static void must(pare_status status, const pare_error *err) {
    if (status == PARE_OK) return;
    fprintf(stderr, "bench_dlsr: %s\n", err->message);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 9) return 2;
    openblas_set_num_threads(1); /* as the command line does */
    int64_t n = atoll(argv[2]), d = atoll(argv[3]), c = atoll(argv[4]);
    double ratio = atof(argv[6]), tol = atof(argv[7]);
    int count = atoi(argv[8]);
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = atoi(argv[5]);
    double *x = read_all(argv[1], "x", sizeof *x, (size_t)(n * d));
    int32_t *y = read_all(argv[1], "y", sizeof *y, (size_t)n);
    matrix X = mat_dense(n, d, x);
    view v = view_all(&X);
    target labels = {.task = &task_multiclass, .n_classes = c, .cls = y};
    all_settings set;
    settings_defaults(&set);
    fit_job job = {.x = &v, .y = &labels, .set = &set};
    arena mem;
    arena_init(&mem, ctx_allocator(&ctx));
    indicator of;
    fs_path path;
    pare_error err;
    double before = peak_mb(), start = clock_now();

    must(indicator_make(&of, &mem, &job, &err), &err);
    must(fs_path_open(&path, &v, &of, &(feature_blocks){0}, &ctx, &err), &err);
    must(fs_path_solve(&path, ratio * path.lambda_max, tol, &ctx, &err), &err);
    printf("seconds %.9g\nobjective %.17g\ngap %.3g\nlive %lld\nlambda %.17g\n",
           clock_now() - start, path.primal, (path.primal - path.dual) / path.primal,
           (long long)path.n_active, path.lambda);
    printf("x_mb %.6g\npeak_over_x_mb %.6g\n", 8e-6 * (double)(n * d), peak_mb() - before);
    fs_path_close(&path);
    if (count > 0) {
        double worst = 0;
        int64_t steps = 0;
        start = clock_now();
        must(fs_path_open(&path, &v, &of, &(feature_blocks){0}, &ctx, &err), &err);
        for (int i = 1; i <= count; i++) {
            double lambda = path.lambda_max * pow(ratio, (double)i / count);
            must(fs_path_solve(&path, lambda, tol, &ctx, &err), &err);
            worst = fmax(worst, (path.primal - path.dual) / path.primal);
            steps = path.at.steps;
        }
        printf("path_seconds %.9g\npath_objective %.17g\npath_worst_gap %.3g\npath_steps %lld\n",
               clock_now() - start, path.primal, worst, (long long)steps);
        fs_path_close(&path);
    }
    arena_free(&mem);
    free(y);
    free(x);
    return 0;
}
