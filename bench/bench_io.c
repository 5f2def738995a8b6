/* bench_io COMMAND FILE ...: how long and in how much memory the readers and writers work.
 *     make csv|svm FILE N D [DENSITY]   writes random data
 *     read FILE [FORMAT]                reads it once ("-": standard input)
 * Prints `key value` lines: seconds of processor time, matrix_mb (what the data set keeps of X), peak_mb (the largest
 * resident size, less that before reading). */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "data/dataset.h"

/* The largest resident size of this program; ru_maxrss would count the one that started it too. */
static double peak_mb(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double kb = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kb = atof(line + 6);
    if (file) fclose(file);
    return kb / 1024;
}

/* Of this thread: what else runs on the machine does not count. */
static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(const pare_error *err) {
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

static int make(const char *kind, const char *path, int64_t n, int64_t d, double density) {
    FILE *file = fopen(path, "w");
    rng r;
    rng_seed(&r, 1, 0);
    if (!file) return 1;
    bool csv = strcmp(kind, "csv") == 0;
    for (int64_t j = 0; csv && j < d; j++) fprintf(file, "x%lld,", (long long)j + 1);
    if (csv) fprintf(file, "y\n");
    for (int64_t i = 0; i < n; i++) {
        if (!csv) fprintf(file, "%d", (int)(i % 2));
        for (int64_t j = 0; j < d; j++) {
            if (csv)
                fprintf(file, "%.*g,", density < 1 ? 17 : 6, rng_normal(&r));
            else if (rng_uniform(&r) < density)
                fprintf(file, " %lld:%.6g", (long long)j + 1, rng_normal(&r));
        }
        if (csv) fprintf(file, "%d", (int)(i % 2));
        fprintf(file, "\n");
    }
    return fclose(file) != 0;
}

static int read_file(const char *path, const char *format) {
    pare_read_options o;
    pare_read_options_init(&o);
    o.format = format;
    pare_data *data;
    pare_error err;
    double before = peak_mb(), start = cpu_now();
    if (pare_data_read(&data, path, &o, NULL, &err) != PARE_OK) return fail(&err);
    double seconds = cpu_now() - start;
    double stored = mat_stored(&data->x);
    double bytes = mat_is_sparse(&data->x) ? 12 * stored + 8 * (double)data->x.d : 8 * stored;
    printf("seconds %.6f\nmatrix_mb %.3f\npeak_mb %.3f\n", seconds, bytes / (1 << 20),
           peak_mb() - before);
    pare_data_free(data);
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 6 && strcmp(argv[1], "make") == 0)
        return make(argv[2], argv[3], atoll(argv[4]), atoll(argv[5]), argc > 6 ? atof(argv[6]) : 1);
    if (argc >= 3 && strcmp(argv[1], "read") == 0)
        return read_file(argv[2], argc > 3 ? argv[3] : NULL);
    fprintf(stderr, "usage: bench_io make csv|svm FILE N D [DENSITY] | read FILE [FORMAT]\n");
    return 2;
}
