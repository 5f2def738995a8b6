/* Table 1: the linear problem with six relevant features of 100, two of which are chosen.
 *     table1 POINTS TRIALS C SCALED LABELS SEED
 * C: the final SVM's cost of errors. SCALED: the inputs have mean 0 and deviation 1 on the `train`ing
 * points, or on `all`, the test points included. LABELS: `drawn` each with probability 1/2, or
 * `balanced`: as many of one class as of the other.
 * Prints a header and a line per trial: for each method the error on 500 test points and whether the
 * two features are relevant and not redundant (one of the first three, one of the second three). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { D = 100, TEST = 500, CHOSEN = 2 };

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

typedef struct selector {
    const char *name, *method;
    const char *const *pairs;
    int64_t k; /* told to the method; 0: its ranking serves */
} selector;

static const selector selectors[] = {
    {"svm", "svm", PAIRS("C", "inf"), 0},
    {"corr", "corr", NULL, CHOSEN},
    {"svm-rfe", "svm-rfe", PAIRS("C", "inf", "step", "1"), CHOSEN},
    {"r2w2", "r2w2", NULL, CHOSEN},
    {"fsv", "fsv", NULL, CHOSEN},
    {"l2-arom", "l2-arom", NULL, CHOSEN},
    {"l1-arom", "l1-arom", NULL, CHOSEN},
    {"naive-l2", "svm", PAIRS("C", "inf"), 0},
    {"naive-l1", "l1-svm", PAIRS("lambda", "0"), 0},
};
enum { N_SELECTORS = sizeof selectors / sizeof selectors[0] };

static void draw(sample *s, bool balanced, source *random) {
    for (int64_t i = 0; i < s->n; i++) {
        int y = uniform(random) < 0.5 ? -1 : 1;
        if (balanced) y = i % 2 ? -1 : 1;
        bool first = uniform(random) < 0.7;
        s->cls[i] = y > 0;
        for (int64_t j = 0; j < D; j++) {
            double e = normal(random);
            bool relevant = j < 6 && (j < 3) == first;
            s->x[j * s->n + i] = relevant ? y * ((double)(j % 3 + 1) + e) : j < 6 ? e : 20 * e;
        }
    }
}

static void scale_together(sample *a, sample *b) {
    for (int64_t j = 0; j < D; j++) {
        double *x[2] = {a->x + j * a->n, b->x + j * b->n}, mean = 0, var = 0;
        int64_t count[2] = {a->n, b->n};
        for (int t = 0; t < 2; t++)
            for (int64_t i = 0; i < count[t]; i++) mean += x[t][i] / (double)(a->n + b->n);
        for (int t = 0; t < 2; t++)
            for (int64_t i = 0; i < count[t]; i++)
                var += (x[t][i] - mean) * (x[t][i] - mean) / (double)(a->n + b->n);
        for (int t = 0; t < 2; t++)
            for (int64_t i = 0; i < count[t]; i++) x[t][i] = (x[t][i] - mean) / sqrt(var);
    }
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    int64_t points = atoll(argv[1]), trials = atoll(argv[2]);
    source random = {strtoull(argv[6], NULL, 10) * 1000003 + (uint64_t)points};
    bool balanced = strcmp(argv[5], "balanced") == 0;
    bool all = strcmp(argv[4], "all") == 0;
    fit_scale(all ? "none" : "standard");
    sample train = sample_new(points, D), test = sample_new(TEST, D);
    for (int m = 0; m < N_SELECTORS; m++)
        printf("%s%s\t%s pair", m ? "\t" : "", selectors[m].name, selectors[m].name);
    printf("\n");
    for (int64_t t = 0; t < trials; t++) {
        do draw(&train, balanced, &random);
        while (!sample_has_two_classes(&train));
        draw(&test, balanced, &random);
        if (all) scale_together(&train, &test);
        for (int m = 0; m < N_SELECTORS; m++) {
            const selector *s = &selectors[m];
            pare_model *model = fit(&train, s->method, s->pairs, s->k);
            const int64_t *best = pare_model_get(model)->ranking;
            bool pair = (best[0] < 3 && best[1] >= 3 && best[1] < 6) ||
                        (best[1] < 3 && best[0] >= 3 && best[0] < 6);
            double error = m == 0 ? error_of(model, &test)
                                  : svm_error(&train, &test, best, CHOSEN, argv[3], "ovr");
            printf("%s%.6g\t%d", m ? "\t" : "", error, m > 0 && pair);
            pare_model_free(model);
        }
        printf("\n");
        fflush(stdout);
    }
    sample_free(&test);
    sample_free(&train);
    return 0;
}
