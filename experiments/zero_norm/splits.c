/* Tables 2, 3 and 4: errors of several methods and numbers of features over splits of one data set.
 *     splits FILE N D SPLITS TRAIN C SEED K,K,... METHOD...
 * FILE: X (N x D, column-major, NaN where missing) then the class numbers (N), raw doubles. TRAIN: size
 * of the training part of each random split; 0: SPLITS-fold cross-validation. C: the final SVM's. A
 * METHOD may carry settings: l2-arom:multiclass=ww. Prints `split method k error seconds`, the CPU
 * seconds of the whole fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { SETTINGS_MAX = 16 };

static void shuffle(int64_t *v, int64_t n, source *random) {
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)(uniform(random) * (double)(i + 1)), kept = v[i];
        v[i] = v[j];
        v[j] = kept;
    }
}

static sample read_file(const char *path, int64_t n, int64_t d) {
    sample s = sample_new(n, d);
    double *cls = malloc(sizeof *cls * (size_t)n);
    FILE *file = fopen(path, "rb");
    if (!file || !cls || fread(s.x, sizeof(double), (size_t)(n * d), file) != (size_t)(n * d) ||
        fread(cls, sizeof(double), (size_t)n, file) != (size_t)n) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    for (int64_t i = 0; i < n; i++) s.cls[i] = (int)cls[i];
    fclose(file);
    free(cls);
    return s;
}

/* "method:name=value:..." into pairs; the method's name is returned, text is cut up. */
static const char *parse(char *text, const char *C, const char **pairs) {
    int count = 0;
    const char *method = strtok(text, ":");
    pairs[count++] = "classifier_C";
    pairs[count++] = C;
    for (char *name; (name = strtok(NULL, ":=")) && count + 2 < SETTINGS_MAX;) {
        pairs[count++] = name;
        pairs[count++] = strtok(NULL, ":=");
    }
    pairs[count] = NULL;
    return method;
}

static void run(const sample *train, const sample *test, int64_t split, const char *spec,
                const char *C, const char *counts) {
    const char *pairs[SETTINGS_MAX + 1];
    char text[256];
    snprintf(text, sizeof text, "%s", spec);
    const char *method = parse(text, C, pairs);
    for (const char *at = counts; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int64_t k = atoll(at);
        double start = cpu_seconds();
        pare_model *m = fit(train, method, pairs, k);
        double seconds = cpu_seconds() - start;
        printf("%lld\t%s\t%lld\t%.9g\t%.4g\n", (long long)split, spec, (long long)k,
               error_of(m, test), seconds);
        fflush(stdout);
        pare_model_free(m);
    }
}

int main(int argc, char **argv) {
    if (argc < 10) return 2;
    int64_t n = atoll(argv[2]), splits = atoll(argv[4]), size = atoll(argv[5]);
    sample all = read_file(argv[1], n, atoll(argv[3]));
    source random = {strtoull(argv[7], NULL, 10)};
    int64_t *order = malloc(sizeof *order * (size_t)(2 * n));
    if (!order) return 1;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    shuffle(order, n, &random);
    printf("split\tmethod\tk\terror\tseconds\n");
    for (int64_t split = 0; split < splits; split++) {
        int64_t *rows = order + n, from = n * split / splits, to = n * (split + 1) / splits;
        int64_t n_test = size ? n - size : to - from;
        if (size) {
            shuffle(order, n, &random);
            memcpy(rows, order, sizeof *rows * (size_t)n);
        } else { /* the fold's part last */
            memcpy(rows, order, sizeof *rows * (size_t)from);
            memcpy(rows + from, order + to, sizeof *rows * (size_t)(n - to));
            memcpy(rows + n - n_test, order + from, sizeof *rows * (size_t)n_test);
        }
        sample train = sample_rows(&all, rows, n - n_test);
        sample test = sample_rows(&all, rows + n - n_test, n_test);
        for (int m = 9; m < argc; m++) run(&train, &test, split, argv[m], argv[6], argv[8]);
        sample_free(&test);
        sample_free(&train);
    }
    free(order);
    sample_free(&all);
    return 0;
}
