/* bench_kta FILE N D sparse|dense: alignments of N x D numbers (raw doubles by columns, then N labels
 * 0 or 1) on as many threads as there are. Prints the best of five times and the first alignments. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "solve/kernel/kernel_align.h"

static void to_sparse(const double *x, int64_t n, int64_t d, int64_t *start, int32_t *row,
                      double *value) {
    for (int64_t j = 0; j < d; j++) {
        start[j + 1] = start[j];
        for (int64_t i = 0; i < n; i++) {
            if (x[j * n + i] == 0) continue;
            row[start[j + 1]] = (int32_t)i;
            value[start[j + 1]++] = x[j * n + i];
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    int64_t n = strtoll(argv[2], NULL, 10), d = strtoll(argv[3], NULL, 10);
    size_t cells = (size_t)(n * d);
    double *x = malloc(sizeof *x * cells), *y = malloc(sizeof *y * (size_t)n);
    double *value = malloc(sizeof *value * cells), *out = malloc(sizeof *out * 3 * (size_t)d);
    int32_t *row = malloc(sizeof *row * cells), *cls = malloc(sizeof *cls * (size_t)n);
    int64_t *start = calloc((size_t)d + 1, sizeof *start);
    FILE *file = fopen(argv[1], "rb");
    if (!x || !y || !value || !out || !row || !cls || !start || !file) return 1;
    if (fread(x, sizeof *x, cells, file) != cells) return 1;
    if (fread(y, sizeof *y, (size_t)n, file) != (size_t)n) return 1;
    fclose(file);
    for (int64_t i = 0; i < n; i++) cls[i] = y[i] > 0;
    bool sparse = strcmp(argv[4], "sparse") == 0;
    if (sparse) to_sparse(x, n, d, start, row, value);
    csc_arrays of = {start, row, value};
    matrix m = sparse ? mat_csc(n, d, &of) : mat_dense(n, d, x);
    view v = view_all(&m);
    arena mem;
    align_target t;
    pare_error err;
    double best = INFINITY;
    arena_init(&mem, ctx_allocator(NULL));
    for (int repeat = 0; repeat < 5; repeat++) {
        double begin = clock_now();
        if (align_target_make(&t, &mem, cls, 2, NULL, NULL, n, &err) != PARE_OK ||
            kernel_align(out, out + d, out + 2 * d, &v, &t, KERNEL_RBF, NAN, NULL, &err) != PARE_OK)
            return 1;
        best = fmin(best, clock_now() - begin);
    }
    printf("seconds %.9g\n", best);
    for (int64_t j = 0; j < d && j < 4; j++) printf("a%" PRId64 " %.17g\n", j, out[j]);
    arena_free(&mem);
    free(start);
    free(cls);
    free(row);
    free(out);
    free(value);
    free(y);
    free(x);
    return 0;
}
