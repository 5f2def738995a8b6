/* What the programs of this experiment share: random numbers, fits through the public interface, and
 * errors on test points. */
#ifndef ZERO_NORM_COMMON_H
#define ZERO_NORM_COMMON_H

#include <pare/pare.h>

#include <stdbool.h>
#include <stdint.h>

/* Random numbers of their own, so that a draw does not depend on the library. */
typedef struct source {
    uint64_t state;
} source;
double uniform(source *s); /* in (0, 1) */
double normal(source *s);

/* n x d, column-major, labels by class number. */
typedef struct sample {
    int64_t n, d;
    double *x;
    int *cls;
} sample;

sample sample_new(int64_t n, int64_t d);
sample sample_rows(const sample *s, const int64_t *rows, int64_t n);
sample sample_columns(const sample *s, const int64_t *cols, int64_t d);
void sample_free(sample *s);
bool sample_has_two_classes(const sample *s);

/* The --scale of all fits from now on; "standard" before. */
void fit_scale(const char *kind);
/* Fits method with "name", "value" pairs ended by NULL, and k features unless 0. On failure prints why
 * and ends the program. */
pare_model *fit(const sample *train, const char *method, const char *const *pairs, int64_t k);
/* The share of test points that the model gets wrong. */
double error_of(const pare_model *m, const sample *test);
/* The error of an SVM of cost C on the given columns. */
double svm_error(const sample *train, const sample *test, const int64_t *cols, int64_t k,
                 const char *C, const char *multiclass);
double cpu_seconds(void);

#endif
