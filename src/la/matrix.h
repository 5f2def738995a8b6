/* The n x d feature matrix X, and the few operations on it that every method needs.
 *
 * A `matrix` is storage of some kind, known only to its mat_ops (dense.c, csc.c, ...; a further
 * kind is a further file). A `view` is a matrix seen through rows, columns, imputation and scaling,
 * and owns nothing: folds, bootstraps and standardisation are views, never copies. Every method
 * takes a view.
 *
 * Conventions. Blocks are column-major without padding. `n` and `d` below are those of the view.
 * All operations give the same bits for every number of threads: work is cut by sizes only and
 * summed in a fixed order. They allocate scratch from ctx before any parallel region. None of them
 * builds a d x d matrix, a dense copy of sparse data or a second X. */
#ifndef PARE_LA_MATRIX_H
#define PARE_LA_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

#include "base/memory.h"

typedef struct matrix {
    const struct mat_ops *ops; /* the kind */
    int64_t n, d;              /* n < 2^31 */
    bool missing;              /* some entry is NaN, the mark of a missing value */
    void *self;                /* what the kind stores */
} matrix;

/* n*d doubles, column j at value + j*n, borrowed: nothing to free. Reads the values once to set
 * `missing`, as the other constructors do unless they state otherwise. */
matrix mat_dense(int64_t n, int64_t d, const double *value);
/* The same, owned: mat_free gives `value` back to the allocator. */
matrix mat_dense_own(int64_t n, int64_t d, double *value);

/* Floats in columns, owned whatever comes back. */
PARE_NODISCARD pare_status mat_float32_own(matrix *out, int64_t n, int64_t d, float *value,
                                           const pare_allocator *mem, pare_error *err);

/* Items in columns that stay as small as they are, owned whatever comes back: integers of 1, 2 and
 * 4 bytes, signed and not, halves and floats. */
typedef enum mat_item {
    MAT_I1,
    MAT_U1,
    MAT_I2,
    MAT_U2,
    MAT_I4,
    MAT_U4,
    MAT_F2,
    MAT_F4,
    MAT_F8, /* doubles, and */
    MAT_G2  /* genotypes of two bits each: on disk only */
} mat_item;
size_t mat_item_size(mat_item item); /* not of MAT_G2 */
PARE_NODISCARD pare_status mat_items_own(matrix *out, int64_t n, int64_t d, mat_item item,
                                         void *value, const pare_allocator *mem, pare_error *err);
/* A matrix of the kind of that name (mat_kind) or of one that holds its numbers, to be filled
 * column by column with ops->save. */
PARE_NODISCARD pare_status mat_make_kind(matrix *out, const char *kind, int64_t n, int64_t d,
                                         const pare_allocator *mem, pare_error *err);
/* The number that a half (IEEE 754 binary16) is. */
double half_value(uint16_t bits);

/* Columns of items in a plain file that stay there and are read as they are wanted: column j begins
 * at byte at + j * mat_item_pitch(item, n). */
typedef struct mat_file {
    int file; /* open for reading; the matrix's own on success */
    mat_item item;
    int64_t at;
    bool missing; /* some item is a missing value, */
    bool look;    /* or one pass over the file finds out */
    const char *name;
    int64_t from, to; /* columns of that pass; to = 0: all */
    double over;      /* items are divided by it; 0: they are the numbers themselves */
} mat_file;
int64_t mat_item_pitch(mat_item item, int64_t n); /* bytes of a column */
PARE_NODISCARD pare_status mat_on_disk(matrix *out, int64_t n, int64_t d, const mat_file *of,
                                       const pare_allocator *mem, pare_error *err);

/* Compressed sparse columns. */
typedef struct csc_arrays {
    const int64_t *col_ptr; /* d + 1 */
    const int32_t *row;     /* rows of the entries, ascending and unique within a column */
    const double *value;
} csc_arrays;

/* Borrowed, the struct as well as its arrays: nothing to free. */
matrix mat_csc(int64_t n, int64_t d, const csc_arrays *of);
/* On success the arrays are the matrix's own: mat_free gives them back to the allocator. */
PARE_NODISCARD pare_status mat_csc_own(matrix *out, int64_t n, int64_t d, csc_arrays of,
                                       const pare_allocator *mem, pare_error *err);
/* Rejects arrays that are no CSC matrix; `where` begins the message. row NULL: checks the pointers
 * only. */
PARE_NODISCARD pare_status mat_csc_check(int64_t n, int64_t d, const csc_arrays *of,
                                         const char *where, pare_error *err);

/* What the caller of a borrowing constructor wants called when the matrix is freed; call NULL:
 * nothing. Not called where the constructor fails. */
typedef struct mat_release {
    void (*call)(void *user);
    void *user;
} mat_release;

/* The caller's doubles or floats where they are: entry (i, j) is
 * value[i*row_stride + j*col_stride], strides in elements, of any sign. */
PARE_NODISCARD pare_status mat_strided(matrix *out, int64_t n, int64_t d, const double *value,
                                       int64_t row_stride, int64_t col_stride, mat_release release,
                                       const pare_allocator *mem, pare_error *err);
PARE_NODISCARD pare_status mat_strided_float(matrix *out, int64_t n, int64_t d, const float *value,
                                             int64_t row_stride, int64_t col_stride,
                                             mat_release release, const pare_allocator *mem,
                                             pare_error *err);

/* The caller's CSC arrays, with pointers and rows of 32 or 64 bits each: values and 32-bit rows
 * stay where they are, the rest is converted. Rejects what is no CSC matrix, `where` beginning the
 * message. */
typedef struct csc_foreign {
    const void *col_ptr; /* d + 1, int32_t or int64_t */
    const void *row;     /* one per entry, int32_t or int64_t */
    const double *value;
    bool ptr_is_64, row_is_64;
} csc_foreign;
PARE_NODISCARD pare_status mat_csc_borrow(matrix *out, int64_t n, int64_t d,
                                          const csc_foreign *from, mat_release release,
                                          const char *where, const pare_allocator *mem,
                                          pare_error *err);

/* Rows of another matrix, in any order, repeats allowed, without a copy: `of` (but for the struct
 * itself) must outlive it, or becomes its own on success. The list is copied. */
PARE_NODISCARD pare_status mat_rows(matrix *out, const matrix *of, bool own, const int32_t *rows,
                                    int64_t n, const pare_allocator *mem, pare_error *err);

/* Another matrix through asinh((x - median) / spread) of each column; spread 0: as it is. Borrowed,
 * the struct as well as what it names: nothing to free. A missing value stays one. */
typedef struct asinh_view {
    const matrix *of;
    const double *median, *spread; /* d */
} asinh_view;
matrix mat_asinh(const asinh_view *by);
/* The same of values of one column. */
void asinh_values(double *x, int64_t count, double median, double spread);
double asinh_value(double x, double median, double spread);

/* Another matrix with row i times row[i] and column j times col[j] (NULL: 1). Borrowed, the struct
 * as well as what it names: nothing to free. It must have no missing values. */
typedef struct row_scaling {
    const matrix *of;
    const double *row, *col; /* n, d */
} row_scaling;
matrix mat_row_scaled(const row_scaling *by);

/* Another matrix with missing values replaced by fill (NULL: they stay) and then, of each row in
 * batch b, column j as (x - shift[b * d + j]) * scale[b * d + j]; b below 0, or shift NULL: as it is.
 * Borrowed, the struct as well as what it names: nothing to free. */
typedef struct batched_view {
    const matrix *of;
    const int32_t *batch; /* n */
    const double *shift, *scale, *fill;
} batched_view;
matrix mat_batched(const batched_view *by);

/* The columns of left, and then those of right, which has as many rows: left (but for the struct
 * itself) must outlive it, right becomes its own whatever comes back. Sparse if left is. */
PARE_NODISCARD pare_status mat_hstack(matrix *out, const matrix *left, matrix *right,
                                      const pare_allocator *mem, pare_error *err);

/* Columns distributed over ranks (pare/ranks.h): this rank holds those of mat_distributed_range in
 * *own, whose column 0 is column `first` of d. *own may have further columns, and belongs to the
 * matrix whatever the status. missing: in any of the d columns. All ranks call this, and mat_free,
 * together. */
struct pare_ranks;
PARE_NODISCARD pare_status mat_distributed(matrix *out, int64_t d, matrix *own, int64_t first,
                                           bool missing, const struct pare_ranks *ranks,
                                           const pare_allocator *mem, pare_error *err);
void mat_distributed_range(int64_t d, int32_t ranks, int32_t rank, int64_t *from, int64_t *to);

/* Returns true if zeros are not stored: a walk then lists the nonzeros of a column. */
bool mat_is_sparse(const matrix *x);
bool mat_in_memory(const matrix *x);
/* Numbers that a pass over X reads, and the bytes they take. */
double mat_stored(const matrix *x);
double mat_bytes(const matrix *x);
/* Returns true if statistics of all columns in one call are cheaper than in several: the kind has
 * its own way to compute them, or they are divided among ranks. */
bool mat_at_once(const matrix *x);
/* Number of multiplications for the Gram matrix of all samples. */
double mat_products(const matrix *x);
const char *mat_kind(const matrix *x);

typedef struct view {
    const matrix *x;
    const int32_t *rows; /* NULL: all rows; any order, repeats allowed */
    int64_t n;
    const int64_t *cols; /* NULL: all columns; any order */
    int64_t d;
    /* per base column: missing -> fill, then (v - shift) * scale; each NULL: none.
     * x->missing requires fill, except in mat_stats and a walk, which then pass NaN on. */
    const double *shift, *scale, *fill;
    /* Its own Gram may be computed in single precision (error 1e-7 of the diagonal, far less in a
     * long sum): for intermediate steps of a solver. Values and weights must be of the order of 1.
     * Copies of the view inherit it. */
    bool single_precision;
} view;

enum { MIN_SINGLE_COLUMNS = 1 << 16 }; /* columns from which on that pays */

view view_all(const matrix *x);

/* Residuals of a view (all its columns, imputed and scaled) after projection on a few columns: a
 * column x becomes x - A (B'x), A and B of->n x m with B'A the identity. Borrowed, the struct as
 * well as what it names: nothing to free. */
typedef struct residual_view {
    view of; /* cols NULL */
    const double *A, *B;
    int64_t m;
    const bool
        *nothing; /* for each base column: its residual is rounding only, and reads as 0; or NULL */
} residual_view;
matrix mat_residual(const residual_view *by);

/* K = A diag(z) B', n_a x n_b. a and b see the same columns of the same matrix, each with its own
 * rows, shift, scale and fill. b == NULL: symmetric, both triangles filled. z: one weight >= 0 per
 * view column, NULL: ones; columns of weight 0 are not read. One pass over X. */
PARE_NODISCARD pare_status mat_gram(const view *a, const view *b, const double *z, double *K,
                                    const pare_ctx *ctx, pare_error *err);

/* The symmetric Gram of each of `count` views of one matrix in one pass over X (all folds at once).
 * Views share x and cols; z[i] may be NULL, and z itself may be NULL. In single
 * precision several passes may be needed. */
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

/* out (n) = the column as a dense vector. */
void column_spread(const column *c, int64_t n, double *out);

/* A walk along columns S of a view (NULL: all d), which may fail on its way (a disk, a rank):
 *
 *     TRY(walk_open(&w, v, S, s, ctx, err));
 *     while (walk_next(&w, &p, &col)) ...      column S[p], p = 0 .. s-1
 *     TRY(walk_close(&w, err));
 *
 * A column points into the walk or into X and is valid until the next call of walk_next. Threads
 * have a walk each, opened before they start. */
typedef struct walk {
    const view *v;
    const int64_t *S;
    int64_t at, stop;
    pare_status status; /* of the first column that could not be read */
    pare_error error;
    arena mem;
    void *self; /* the kind's scratch */
    const pare_ctx *ctx;
    int64_t seen; /* columns so far */
} walk;

PARE_NODISCARD pare_status walk_open(walk *w, const view *v, const int64_t *S, int64_t s,
                                     const pare_ctx *ctx, pare_error *err);
/* false: the end, or a column that cannot be read, which ends the walk. */
bool walk_next(walk *w, int64_t *p, column *out);
/* Column S[p] out of order. false: it cannot be read; *out is then a column of zeros. */
bool walk_at(walk *w, int64_t p, column *out);
/* Closes the walk and returns its status. A zeroed, failed or closed walk may be closed again. */
PARE_NODISCARD pare_status walk_close(walk *w, pare_error *err);
/* Closes the walk and returns `status`, or the status of the walk where that is PARE_OK. */
PARE_NODISCARD pare_status walk_end(walk *w, pare_status status, pare_error *err);
/* Opens a walk for each of `count` threads: all, or none. */
PARE_NODISCARD pare_status walks_open(walk *w, int64_t count, const view *v, const int64_t *S,
                                      int64_t s, const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status walks_end(walk *w, int64_t count, pare_status status, pare_error *err);

/* Divides work on every column where the view's matrix is distributed over ranks: with `unit`
 * columns together, units from .. to - 1 are this rank's, and mat_join gathers the results of all
 * ranks, `size` bytes at out + u * size for unit u. Where it is not distributed, all units are this
 * rank's, and mat_join does nothing. */
typedef struct span {
    int64_t from, to;
} span;
span mat_share(const view *v, int64_t unit, const pare_ctx *ctx);
PARE_NODISCARD pare_status mat_join(const view *v, int64_t unit, void *out, size_t size,
                                    const pare_ctx *ctx, pare_error *err);

/* Replaces counts, which each rank summed over its units, by their sums over all ranks. */
PARE_NODISCARD pare_status mat_total(const view *v, uint64_t *sum, int64_t count,
                                     const pare_ctx *ctx, pare_error *err);

/* What the columns hold before imputation and scaling (fill, shift and scale of v are not used).
 * Missing entries are skipped and counted. weight: n values >= 0, NULL: ones. mean and the
 * population variance (1/sum of weights) are weighted; min, max, nonzeros and missing run over
 * the rows of positive weight. Two-pass within the column: raw intensities do not cancel.
 * A column without values: mean 0, var 0, min = max = 0. */
typedef struct col_stats {
    double mean, var, min, max;
    int64_t nonzeros, missing;
    double beyond; /* rounding error of the mean: mean + beyond is more precise. 0: unknown */
} col_stats;

PARE_NODISCARD pare_status mat_stats(const view *v, const double *weight, col_stats *out,
                                     const pare_ctx *ctx, pare_error *err);

/* The same of n values in memory; weight NULL: ones. */
col_stats values_stats(const double *x, const double *weight, int64_t n);

/* The same of each of `count` views in one pass over X (all folds at once), with weight[i] and into
 * out[i]; weight NULL: ones for all. Views share x and cols. */
PARE_NODISCARD pare_status mat_stats_many(int64_t count, const view *v, const double *const *weight,
                                          col_stats *const *out, const pare_ctx *ctx,
                                          pare_error *err);

/* What mat_asinh needs for robust scaling, of each of `count` views of one matrix in one pass over
 * X: of every view column the median, and as spread the interquartile range over `unit`, or the
 * deviation where that is 0; spread 0: a column of at most two values. s has the statistics of the
 * values, and gets mean and population variance of the transformed ones. Views share x and cols, and
 * are neither scaled nor imputed; mat_asinh_fits: dense, without missing values, of few rows. */
typedef struct asinh_classes {
    const int32_t *cls; /* of each row of the view, 0 .. count - 1 */
    int64_t count;      /* 0: not wanted */
    /* Of the transformed and standardised values: the variance of the class means over that within
     * classes, which is at least CLASS_FLOOR of the whole. Undefined where var is 0. */
    double *separation;
} asinh_classes;
#define CLASS_FLOOR 1e-12

typedef struct asinh_fit {
    double *median, *spread;
    col_stats *s;
    asinh_classes classes;
} asinh_fit;
bool mat_asinh_fits(const view *v);
bool mat_asinh_separates(const view *v, const pare_ctx *ctx); /* and fills in the classes */
PARE_NODISCARD pare_status mat_asinh_fit_many(int64_t count, const view *v, double unit,
                                              const asinh_fit *out, const pare_ctx *ctx,
                                              pare_error *err);

/* The view's rows and columns as a new small matrix, raw values (not imputed, not scaled), of the
 * same kind where the kind can be written. Free with mat_free and the same context. */
PARE_NODISCARD pare_status mat_compact(matrix *out, const view *v, const pare_ctx *ctx,
                                       pare_error *err);
/* mem NULL: the default allocator. A zeroed or borrowed matrix may be freed. */
void mat_free(matrix *x, const pare_allocator *mem);

/* What a storage kind provides. The public operations above check and then call these; where one is
 * NULL, tile.c and product.c compute it through `load`. */
struct entry_chain;
typedef struct mat_ops {
    const char *kind;
    bool sparse;    /* zeros are not stored */
    bool elsewhere; /* not in memory */
    const matrix *(*of)(
        const matrix *x); /* shows another matrix, whose kind is reported; NULL: none */
    /* The matrix whose column j this one transforms into its column j; NULL: none. */
    const matrix *(*over)(const matrix *x);
    /* Adds to *by how it does so (la/storage.h); false: *by cannot say it. NULL: no chain can. */
    bool (*chain)(const matrix *x, struct entry_chain *by);
    double (*stored)(const matrix *x);                  /* NULL: n*d */
    void (*free)(matrix *x, const pare_allocator *mem); /* NULL: all is borrowed */

    /* out (n x count) = raw columns base[0 .. count-1] at `rows` (NULL: all, in order). Called by
     * many threads at once. */
    pare_status (*load)(const matrix *x, const int64_t *base, int64_t count, const int32_t *rows,
                        int64_t n, double *out, pare_error *err);
    /* Column 0 in memory as n doubles, and the stride from one column to the next; NULL (also the
     * operation): columns are not in memory as doubles. */
    const double *(*direct)(const matrix *x, int64_t *stride);
    /* The same of column j, which is asinh((x - median) / spread) of it; spread 0: as it is. */
    const double *(*under)(const matrix *x, int64_t j, double *median, double *spread);
    /* A matrix of the kind to be filled, and column j of it; NULL: mat_compact makes doubles. */
    pare_status (*make)(matrix *out, int64_t n, int64_t d, const pare_allocator *mem,
                        pare_error *err);
    void (*save)(matrix *x, int64_t j, const double *value);

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
    /* replaces stats, where reading a column once serves many views */
    pare_status (*stats_many)(int64_t count, const view *v, const double *const *weight,
                              col_stats *const *out, const pare_ctx *ctx, pare_error *err);
    pare_status (*compact)(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err);
    pare_status (*walk_open)(walk *w, pare_error *err);
    pare_status (*column)(walk *w, int64_t j, column *out, pare_error *err); /* view column j */
    double (*bytes)(const matrix *x); /* size of X; NULL: a double for each number stored */

    /* mat_asinh_fit_many; NULL: columns are loaded and sorted */
    pare_status (*asinh_fit_many)(int64_t count, const view *v, double unit, const asinh_fit *out,
                                  const pare_ctx *ctx, pare_error *err);
    bool separates; /* that fills in asinh_fit.classes */
    /* The operations of mat_asinh and of mat_row_scaled over a matrix of this kind, whose `self` they
     * find behind asinh_view.of and row_scaling.of; NULL: columns are transformed as they are
     * loaded. */
    const struct mat_ops *asinh, *row_scaled;
} mat_ops;

#endif
