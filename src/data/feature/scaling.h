/* Imputation and scaling by training statistics, as the arrays a view folds in. */
#ifndef PARE_DATA_FEATURE_SCALING_H
#define PARE_DATA_FEATURE_SCALING_H

#include "base/memory.h"
#include "data/feature/statistics.h"

/* Arrays over the base columns, as in a view; NULL where nothing is to be done. A constant column
 * gets scale 0, so that no method can use it. */
typedef struct scaling {
    double *shift, *scale, *fill;
    double *mean;            /* of every column, imputed */
    double *impute;          /* what fill is in raw units */
    double *median, *spread; /* robust: see mat_asinh, which the others are then about; else NULL */
    int64_t n_constant;
} scaling;

/* Whether that way with missing values fills them in: mean or median, or indicator, the mean too. */
bool scaling_imputes(const char *missing);

/* kind: standard (minus the mean, over the population deviation), unit (over the root mean square),
 * minmax (to [0, 1]), robust (standard after asinh((x - median) / spread)) or none; statistics are weighted and taken after imputation. missing: see
 * scaling_imputes (fill is then set for every column: new data may lack what these have), anything
 * else does not (then the matrix must hold no missing value). rows: the training
 * samples; its columns must be all. One pass over X. Memory from the arena. */
PARE_NODISCARD pare_status scaling_fit(scaling *out, arena *mem, const view *rows,
                                       const double *weight, const char *kind, const char *missing,
                                       const pare_ctx *ctx, pare_error *err);

/* The same on each of `count` sets of rows of one matrix in one pass over it: out[i] from mem[i] of rows[i]
 * with weight[i] (or NULL). Where scaling_reads, the others see their statistics in the same pass, after the
 * scaling; where not, they see nothing. */
PARE_NODISCARD pare_status scaling_fit_many(int64_t count, scaling *const *out, arena *const *mem,
                                            const view *rows, const double *const *weight,
                                            const char *kind, const char *missing,
                                            const stats_reader *also, int64_t others,
                                            const pare_ctx *ctx, pare_error *err);
/* Whether such a scaling needs no more of a column than statistics that may be asked for some columns at a time. */
bool scaling_reads(const matrix *x, bool weighted, const char *kind, const char *missing);

#endif
