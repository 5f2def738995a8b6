/* Filters: a score of each feature by itself. One walk over the columns of the raw values serves
 * them all; a filter names the view of a column that it needs and computes the score from it.
 * Sparse columns stay sparse: the entries that are not stored count as one block of samples. Every
 * column is scored by itself, so the scores do not depend on the number of threads.
 *
 * n is the sum of the weights everywhere. A score that would be infinite (all values of each class
 * are equal, and not those of all classes) is the largest double. */
#ifndef PARE_METHOD_FILTER_FILTER_H
#define PARE_METHOD_FILTER_FILTER_H

#include "method/method.h"

/* State that all columns share. */
typedef struct filter {
    view x;    /* raw values, imputed */
    int64_t n; /* samples */
    int64_t c; /* classes, or bins of a regression's target */
    double total;
    const int32_t *cls;         /* n; NULL: a regression that has no bins */
    const double *weight;       /* n */
    const double *class_weight; /* c */
    bool whole;                 /* all weights are integers */
    /* Samples class by class, their weights in that order, and where each class begins (c + 1). */
    const int32_t *order;
    const double *order_weight;
    const int64_t *start;
    const int32_t *rows;    /* n: the matrix's rows in that order */
    const int64_t *present; /* c: samples of a weight above 0 */
    bool weighted;          /* weights were given; else all are 1 */
    const double *value;    /* n: the centred target of a regression, or NULL */
    double value_squares;
    const double *log_table; /* t ln t of whole t up to the total; NULL: there is none */
    int64_t bins;
    bool bare;                 /* p-values are not needed: they may be anything */
    const fit_left *left;      /* of the job */
    struct fit_scores *scored; /* of the job */
} filter;

/* One class in one column; means are distances from one number for all classes. */
typedef struct class_moments {
    double weight, mean;
    double squares; /* about the mean; 0 where all values are equal */
} class_moments;

/* A column's samples by value; equal values are adjacent. The entries of a sparse column that are
 * not stored are one entry for each class. */
typedef struct tally {
    int64_t count;
    const double *value, *weight;
    const int32_t *cls;
    double *spare; /* 4 c + 4 numbers */
    int32_t *bin;  /* count: buffer for bins */
} tally;

typedef struct filter_score {
    double score, p; /* NaN: rejected */
} filter_score;

/* The view of a column that a filter needs: one of the three. */
typedef struct filter_kind {
    filter_score (*moments)(const filter *f, const class_moments *m);
    filter_score (*tally)(const filter *f, const tally *t);
    filter_score (*column)(const filter *f, const column *x, double *spare); /* 4 c + 4 numbers */
    bool has_p;
} filter_kind;

/* Opens for classes; or for regression with the centred target and, where bins > 0, its quantile
 * bins as classes. */
PARE_NODISCARD pare_status filter_open(filter *f, arena *mem, const fit_job *job, int64_t bins,
                                       pare_error *err);
/* A table of t ln t if it is worth its cost. */
PARE_NODISCARD pare_status filter_logs(filter *f, arena *mem, pare_error *err);
/* All of it, for filters of classes that reject no data. */
PARE_NODISCARD pare_status filter_fit(fit_result *r, const fit_job *job, const filter_kind *kind,
                                      const pare_ctx *ctx, pare_error *err);
/* Scores and ranks all columns. */
PARE_NODISCARD pare_status filter_run(fit_result *r, const filter *f, const filter_kind *kind,
                                      const pare_ctx *ctx, pare_error *err);

typedef struct filter_squares {
    double between, within; /* classes */
} filter_squares;
filter_squares squares_of(const filter *f, const class_moments *m);
/* The same of the residuals of a column and of the classes (f->left). */
filter_squares squares_left(const filter *f, const column *x);

/* t ln t, 0 at 0. */
double filter_log(const filter *f, double t);

/* Quantile bins of ascending values: out[e] = the bin of entry e. A cut lies behind the value at
 * each of the quantiles 1/bins, 2/bins, ... (numpy's of the values repeated by integer weights,
 * else where the weights add up to that share); but there is no cut behind the largest value: that
 * is before it. Equal values share a bin. Returns the number of bins used, numbered without
 * gaps. */
int64_t quantile_bins(const double *value, const double *weight, int64_t count, double total,
                      bool whole, int64_t bins, int32_t *out);

#endif
