/* The one hot object: the n x d feature matrix, and the few operations every method needs of it.
 *
 * A `matrix` is storage (dense column-major or CSC; further kinds are further files that fill in a
 * mat_ops). A `view` is a matrix seen through rows, columns, imputation and scaling, and owns
 * nothing: folds, bootstraps and standardisation are views, never copies. Every method takes a view.
 *
 * Conventions. Blocks are column-major without padding. `n` and `d` below are those of the view.
 * All operations give the same bits for every number of threads: work is cut by sizes alone and
 * summed in a fixed order. They allocate scratch from ctx before any parallel region. None of them
 * builds a d x d matrix, a dense copy of sparse data or a second X. */
#ifndef PARE_LA_MATRIX_H
#define PARE_LA_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

typedef struct matrix {
    const struct mat_ops *ops; /* dense.c or csc.c */
    int64_t n, d;              /* n < 2^31 */
    bool missing;              /* some entry is NaN, the mark of a missing value */
    const double *value;       /* dense: n*d, column j at value + j*n. csc: one per entry */
    const int64_t *col_ptr;    /* csc: d + 1 */
    const int32_t *row;        /* csc: rows of the entries, ascending and unique within a column */
} matrix;

/* Both borrow the arrays, and read the values once to set `missing`. */
matrix mat_dense(int64_t n, int64_t d, const double *value);
matrix mat_csc(int64_t n, int64_t d, const int64_t *col_ptr, const int32_t *row,
               const double *value);
bool mat_is_sparse(const matrix *x);

typedef struct view {
    const matrix *x;
    const int32_t *rows; /* NULL: all rows; any order, repeats allowed */
    int64_t n;
    const int64_t *cols; /* NULL: all columns; any order */
    int64_t d;
    /* per base column: missing -> fill, then (v - shift) * scale; each NULL: none.
     * x->missing requires fill, except in mat_stats and mat_column, which then pass NaN on. */
    const double *shift, *scale, *fill;
} view;

view view_all(const matrix *x);

/* K = A diag(z) B', n_a x n_b. a and b see the same columns of the same matrix, each with its own
 * rows, shift, scale and fill. b == NULL: symmetric, both triangles filled. z: one weight >= 0 per
 * view column, NULL: ones; columns of weight 0 are not read. One pass over X. */
PARE_NODISCARD pare_status mat_gram(const view *a, const view *b, const double *z, double *K,
                                    const pare_ctx *ctx, pare_error *err);

/* The symmetric Gram of each of `count` views of one matrix in one pass over X (all folds at once).
 * Views share x and cols; z[i] may be NULL, and z itself may be NULL. */
PARE_NODISCARD pare_status mat_gram_many(int64_t count, const view *v, const double *const *z,
                                         double *const *K, const pare_ctx *ctx, pare_error *err);

/* out = X'U, d x c, for U n x c. One pass over X whatever c is. */
PARE_NODISCARD pare_status mat_tmul(const view *v, const double *U, int64_t c, double *out,
                                    const pare_ctx *ctx, pare_error *err);

/* out = (X.X)'U, squares taken entry by entry after scaling. */
PARE_NODISCARD pare_status mat_tmul2(const view *v, const double *U, int64_t c, double *out,
                                     const pare_ctx *ctx, pare_error *err);

/* F = X_S W, n x c, for W s x c. S: s view columns, NULL: all d (then s == d). */
PARE_NODISCARD pare_status mat_mul(const view *v, const int64_t *S, int64_t s, const double *W,
                                   int64_t c, double *F, const pare_ctx *ctx, pare_error *err);

/* out = the columns S of the view, n x s, dense. */
PARE_NODISCARD pare_status mat_columns(const view *v, const int64_t *S, int64_t s, double *out,
                                       const pare_ctx *ctx, pare_error *err);

/* One feature at a time, without a pass over the others. */
typedef struct column {
    double rest;          /* the value of every sample that is not listed */
    int64_t count;        /* listed samples; with index == NULL all n are, in order */
    const int32_t *index; /* positions in the view, 0 .. n-1, ascending; or NULL */
    const double *value;  /* count values, imputed and scaled */
} column;

/* Scratch for mat_column, made once per view and per thread. */
typedef struct column_reader {
    const view *v;
    const pare_allocator *mem;
    double *value;      /* n, where values must be computed */
    int32_t *index;     /* n, csc with rows only */
    int32_t *map_start; /* csc with rows: positions of base row r are map_pos[map_start[r]..] */
    int32_t *map_pos;
    bool map_ordered; /* the view's rows ascend */
} column_reader;

PARE_NODISCARD pare_status column_open(column_reader *r, const view *v, const pare_ctx *ctx,
                                       pare_error *err);
/* j: a view column. The result points into the reader or into X and lives until the next call. */
void mat_column(column_reader *r, int64_t j, column *out);
void column_close(column_reader *r);

/* What the columns hold before imputation and scaling (fill, shift and scale of v are not used).
 * Missing entries are skipped and counted. weight: n values >= 0, NULL: ones. mean and the
 * population variance (1/sum of weights) are weighted; min, max, nonzeros and missing run over
 * the rows of positive weight. Two-pass within the column: raw intensities do not cancel.
 * A column with no present value: mean 0, var 0, min = max = 0. */
typedef struct col_stats {
    double mean, var, min, max;
    int64_t nonzeros, missing;
} col_stats;

PARE_NODISCARD pare_status mat_stats(const view *v, const double *weight, col_stats *out,
                                     const pare_ctx *ctx, pare_error *err);

/* The view's rows and columns as a new small matrix of the same kind, raw values (not imputed, not
 * scaled). *out owns its arrays; free with mat_free and the same context. */
PARE_NODISCARD pare_status mat_compact(matrix *out, const view *v, const pare_ctx *ctx,
                                       pare_error *err);
void mat_free(matrix *x, const pare_ctx *ctx);

/* The seam: what a storage kind provides. The public operations above check and then call these. */
typedef struct mat_ops {
    const char *kind;
    bool sparse;
    pare_status (*gram)(const view *a, const view *b, const double *z, double *K,
                        const pare_ctx *ctx, pare_error *err);
    pare_status (*gram_many)(int64_t count, const view *v, const double *const *z, double *const *K,
                             const pare_ctx *ctx, pare_error *err);
    pare_status (*tmul)(const view *v, const double *U, int64_t c, bool squared, double *out,
                        const pare_ctx *ctx, pare_error *err);
    pare_status (*mul)(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                       double *F, const pare_ctx *ctx, pare_error *err);
    pare_status (*stats)(const view *v, const double *weight, col_stats *out, const pare_ctx *ctx,
                         pare_error *err);
    pare_status (*compact)(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err);
    pare_status (*column_open)(column_reader *r, const pare_ctx *ctx, pare_error *err);
    void (*column)(column_reader *r, int64_t j, column *out);
} mat_ops;

#endif
