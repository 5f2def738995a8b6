/* Whether one method is better than another on the same splits of a cross-validation. */
#ifndef PARE_SELECT_COMPARE_H
#define PARE_SELECT_COMPARE_H

#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

typedef struct paired_test {
    double difference, se; /* mean of a - b, and its standard error as in summary.h */
    double t, p_t;         /* corrected resampled t-test (Nadeau and Bengio 2003), two-sided */
    double w, p_w;         /* Wilcoxon signed rank: the smaller rank sum, exact two-sided p (the
                              normal limit above 500 splits); assumes independent splits */
} paired_test;

/* Scores a[j], b[j] of `count` splits; splits where either is NaN are left out. No difference at
 * all: p = 1. Everything is NaN where fewer than two splits are left. */
PARE_NODISCARD pare_status compare_paired(paired_test *out, const double *a, const double *b,
                                          int64_t count, double ratio, const pare_ctx *ctx,
                                          pare_error *err);

/* rank[m]: mean over the splits of the rank of method m, 1 the best, ties shared. score: methods x
 * splits, [m * count + j]; higher: larger is better. Splits with a NaN are left out; *parts are
 * left. */
void compare_ranks(double *rank, int64_t *parts, const double *score, int64_t methods,
                   int64_t count, int higher);

/* Mean ranks that differ by more are different at the 5% level (Nemenyi); NaN for fewer than 2 or
 * more than 20 methods, or no splits. */
double compare_critical(int64_t methods, int64_t parts);

#endif
