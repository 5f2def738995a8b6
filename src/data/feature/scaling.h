/* Imputation and scaling by training statistics, as the arrays of a view. */
#ifndef PARE_DATA_FEATURE_SCALING_H
#define PARE_DATA_FEATURE_SCALING_H

#include "base/memory.h"
#include "data/feature/statistics.h"

/* Arrays over the base columns, as in a view; NULL: not applied. A constant column gets scale 0, so
 * that no method can use it. */
typedef struct scaling {
    double *shift, *scale, *fill;
    double *mean;            /* of every column, imputed */
    double *impute;          /* fill in raw units */
    double *median, *spread; /* robust: of mat_asinh, whose result is scaled; else NULL */
    int64_t n_constant;
    asinh_classes
        classes; /* set by the caller, of the rows: what robust scaling is to fill in, where
                              scaling_separates */
} scaling;

/* Returns true if this treatment of missing values imputes: mean, median, or indicator (which
 * imputes the mean). */
bool scaling_imputes(const char *missing);

/* kind: standard (minus the mean, over the population deviation), unit (over the root mean square),
 * minmax (to [0, 1]), robust (standard after asinh((x - median) / spread)) or none; statistics are
 * weighted and taken after imputation. missing: see scaling_imputes. If it imputes, fill is set for
 * every column, as new data may have missing values anywhere; else the matrix must have no missing
 * value. rows: the training samples, with all columns. One pass over X. Memory from the arena. */
PARE_NODISCARD pare_status scaling_fit(scaling *out, arena *mem, const view *rows,
                                       const double *weight, const char *kind, const char *missing,
                                       const pare_ctx *ctx, pare_error *err);

/* The same on each of `count` sets of rows of one matrix in one pass over it: out[i] from mem[i] of
 * rows[i] with weight[i] (or NULL). Where scaling_reads, the further readers `also` receive their
 * statistics in the same pass, after the scaling; where not, they receive nothing. */
PARE_NODISCARD pare_status scaling_fit_many(int64_t count, scaling *const *out, arena *const *mem,
                                            const view *rows, const double *const *weight,
                                            const char *kind, const char *missing,
                                            const stats_reader *also, int64_t n_also,
                                            const pare_ctx *ctx, pare_error *err);
/* Returns true if such a scaling needs only statistics, and these can be computed for some columns
 * at a time. */
bool scaling_reads(const matrix *x, bool weighted, const char *kind, const char *missing);
/* Returns true if such a scaling fills in scaling.classes. */
bool scaling_separates(const view *rows, bool weighted, const char *kind, const pare_ctx *ctx);

#endif
