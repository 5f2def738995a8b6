/* Random data sets for tests of whole fits, through the public interface. */
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

/* What the solve of the predictor reached; the i-th method. */
pare_report report_of(const pare_model *model);
pare_method_info method_at(int64_t i);

/* Settings from "name", "value" pairs, ended by NULL; fails the test on an error. */
pare_settings *settings_make(const char *method, const char *const *pairs);

/* Fits or fails the test with the message. */
pare_model *fit_or_fail(const pare_data *data, const char *method, const char *const *pairs);

/* The model file of that fit on so many threads; free with pare_text_free. */
char *fit_text(const pare_data *data, const char *method, const char *const *pairs, int threads);

#endif
