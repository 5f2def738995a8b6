/* Data sets for tests of whole fits: random ones of a shape, and given numbers. */
#ifndef PARE_TESTS_PROBLEM_H
#define PARE_TESTS_PROBLEM_H

#include "support/support.h"

#include <pare/pare.h>

typedef struct problem_shape {
    int64_t n, d, classes;
    double signal;  /* how far the class moves the first three features; 0: pure noise */
    double density; /* below 1: sparse storage */
    double missing; /* share of missing values */
    bool constant; /* column 1 is constant, column 2 a copy of column 0 (where there are so many) */
    bool weights;
    bool counts; /* no value is negative */
} problem_shape;

/* Every class has at least one sample if n >= classes. Free with pare_data_free. */
pare_data *problem_make(rng *r, const problem_shape *s);
/* Its classes, numbers from 0, and weights, 1 where it has none: n each, either may be NULL. */
void problem_samples(const pare_data *data, int *cls, double *w);

/* Normal features; whether the first is large in size is the class: dependence that no line shows. */
pare_data *problem_square(rng *r, int64_t n, int64_t d);

/* The n x d numbers, column-major, with a label or a number for each sample. Fails the test on an
 * error. */
pare_data *data_labelled(int64_t n, int64_t d, const double *x, const char *const *labels);
pare_data *data_valued(int64_t n, int64_t d, const double *x, const double *values);
/* The same numbers stored sparse: without those that are 0. */
pare_data *data_labelled_sparse(int64_t n, int64_t d, const double *x, const char *const *labels);

#endif
