/* A data set: n samples, d features, their names, a target, weights. X is read from a file, copied
 * or borrowed, dense or sparse, double or float. Any number of threads may use one data set at
 * once, as long as none changes it. */
#ifndef PARE_DATA_H
#define PARE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/export.h>
#include <pare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pare_data pare_data;

/* How to read a data file. Fill with pare_read_options_init, then change what differs. Every
 * string is borrowed for the call only; NULL means "not given". */
typedef struct pare_read_options {
    size_t struct_size;    /* set by pare_read_options_init */
    const char *format;    /* the name of a pare_format; NULL: by the file's extension, 10x for a
                           folder */
    const char *target;    /* the target column; NULL: the first present of class target label y,
                              else the last column */
    bool no_target;        /* no target: every column that is not an id, weight or dropped is a
                              feature (for prediction) */
    const char *id;        /* the column of sample ids; NULL: a first column without a name, or
                              called id sample sample_id name barcode or patient whose values are
                              all different and text or integers; none: no column */
    const char *drop;      /* comma-separated columns to leave out */
    const char *labels;    /* a file: one label or value per line, a .npy, a vector in a file of R's
                              (FILE:OBJECT), or, if `target` names its column, a table that is joined
                              by sample ids (`id`) */
    const char *weights;   /* a column; or a file as for labels, a table as TABLE:COLUMN */
    const char *groups;    /* a file: feature name, tab or comma, group name per line */
    bool features_in_rows; /* tables: the table is transposed */
    bool allow_missing;    /* missing values become NaN; false: the first one is an error */
    int64_t index_base;    /* svmlight: 1 (default) or 0 */
    int64_t n_features;    /* svmlight: minimum number of columns; 0: as many as appear */
    /* Read only these columns (the others are not checked); NULL: all. For formats with names a
       missing column is an error. With n_only 0 and `only` not NULL: none. */
    const char *const *only;
    int64_t n_only;
    bool no_header;          /* tables: the first line is a sample; columns are named x1, x2, ... */
    const char *names;       /* for data without names: a file of one a line, a vector of R's
                                (FILE:OBJECT), or a column of its matrix or data frame
                                (FILE:OBJECT[,J], J from 1) */
    bool header;             /* tables: the first line is names, even if they look like numbers */
    bool categorical;        /* tables: text columns among the features are coded, a feature
                          COLUMN=VALUE of 0 and 1 for each value, all of them one feature group */
    bool only_present;       /* a missing column of `only` is no error */
    const char *fold_groups; /* as weights: pare_path_run keeps the samples of one value in one
                                fold */
    const char *fold_file;   /* as weights: the name of each sample's fold, for pare_path_run */
    const char *offset;      /* as weights: a number added to each sample's decision value */
    const char *storage; /* auto (also NULL): as in the format, but dense numbers of which at most a
                            twentieth are not 0 are stored sparse; dense; sparse */
    /* Features by name: a file with one entry per line, or entries separated by commas; "re:"
       starts a POSIX extended regular expression. */
    const char *keep;          /* forced-in features: always selected, the others chosen given
                                  them */
    const char *exclude;       /* left out, as if the data did not have them */
    const char *only_features; /* all others are left out, except those of `keep` */
    const char *cost;          /* a file: feature name, tab or comma, number above 0 per line; 1 for
                                  features without a line */
    /* Tables as other programs write them. */
    const char *na;       /* comma-separated: further codes of missing features and targets,
                                    compared as text, numbers by value */
    int64_t skip;         /* tables: lines, or rows of a sheet, before the header */
    const char *encoding; /* of csv, tsv, arff, and of texts beside the data: utf-8 latin1 cp1252
                                    utf-16; NULL: by the byte order mark, utf-8 without one */
    const char *duplicate_names; /* refuse (also NULL); number: a name that is there already becomes
                                    NAME#2, NAME#3, ... */
    bool merge_case;             /* labels that differ in letter case only are one, as first seen */
    bool drop_unlabelled;        /* samples without a target are dropped; false: an error */
    const char *sheet;           /* the sheet of a workbook: its name, or its number from 1 */
    const char *object;          /* the object of a file that holds several */
    /* The target of survival, in place of the others; as weights. Missing ones are an error, or with
       drop_unlabelled their samples are dropped. */
    const char *time;   /* times >= 0 */
    const char *event;  /* 1 or true: the time is that of an event, other values: it is censored;
                           with =VALUE behind the column or file that value is the event */
    const char *strata; /* names of strata, see pare_data_set_strata */
    /* Batches of samples, which fits adjust for: see pare_data_set_batches. */
    const char *batch;        /* as weights: the name of each sample's batch */
    const char *batch_method; /* center (also NULL) or combat */
    const char *batch_unseen; /* refuse (also NULL), pooled or adapt */
    bool describe; /* tables: for pare_data_describe_columns alone. A column of text or dates holds
                           the numbers of its values, whatever they are, and none is an error */
    /* As cost, with + or -: the coefficient of the feature has that sign or is 0; or + or - for all
       features. */
    const char *sign;
} pare_read_options;

/* As pare_ctx_init, with the defaults named above; the rest is NULL, false or 0. */
PARE_API void pare_read_options_init_sized(pare_read_options *options, size_t struct_size);
#define pare_read_options_init(options) pare_read_options_init_sized((options), sizeof *(options))

/* A file format. Files whose names end in one of its extensions have it where no other is named. */
typedef struct pare_format {
    const char *name;
    const char *extensions; /* "svm svmlight libsvm"; "" for a folder */
    bool reads, writes;     /* this build */
    bool holds_target;      /* false: the target goes to a file of its own */
    bool lines;             /* a table in lines of text, with names in the first */
    bool alone;             /* false: a folder, or a file that others lie beside */
    const char *part;       /* which read option names one of its tables: sheet, object; "" */
} pare_format;
/* The i-th one; returns false if there are no more. */
PARE_API bool pare_format_info(pare_format *out, int64_t i);

/* Reads path ("-" is standard input; .gz is transparent). options may be NULL. */
PARE_API PARE_NODISCARD pare_status pare_data_read(pare_data **out, const char *path,
                                                   const pare_read_options *options,
                                                   const pare_ctx *ctx, pare_error *err);

/* The same from `size` bytes, uncompressed, which are not kept; options->format is required. The
 * options `labels`, `weights` and `groups` still name files. */
PARE_API PARE_NODISCARD pare_status pare_data_read_memory(pare_data **out, const void *bytes,
                                                          size_t size,
                                                          const pare_read_options *options,
                                                          const pare_ctx *ctx, pare_error *err);

/* Writes in the format of the path's extension, or `format`. npy and
 * mtx hold only the matrix; the target then goes to `labels`, if given. Writes a temporary file and
 * renames it. "-" is standard output. */
PARE_API PARE_NODISCARD pare_status pare_data_write(const pare_data *data, const char *path,
                                                    const char *format, const char *labels,
                                                    const pare_ctx *ctx, pare_error *err);

/* Copies a dense column-major n x d block. labels: n strings or NULL; values: n real targets or
 * NULL; at most one of the two. names: d strings or NULL (then x1 .. xd). NaN marks a missing
 * value; infinities are an error. */
PARE_API PARE_NODISCARD pare_status pare_data_dense(pare_data **out, int64_t n, int64_t d,
                                                    const double *x, const char *const *names,
                                                    const char *const *labels, const double *values,
                                                    const pare_ctx *ctx, pare_error *err);

/* The same from compressed sparse columns; rows ascend within a column. */
PARE_API PARE_NODISCARD pare_status pare_data_sparse(pare_data **out, int64_t n, int64_t d,
                                                     const int64_t *col_ptr, const int32_t *row,
                                                     const double *x, const char *const *names,
                                                     const char *const *labels,
                                                     const double *values, const pare_ctx *ctx,
                                                     pare_error *err);

/* Borrowed: the numbers are read in place and must not change while the data set exists.
 * release(user) is called exactly once, when they are no longer read: by pare_data_free, or by
 * the constructor itself before it returns a failure. release may be NULL. The data set has no
 * target, names or weights yet: set them below. */
typedef void (*pare_release)(void *user);

/* Entry (i, j) is x[i * row_stride + j * col_stride]; strides count elements and may be negative:
 * (1, n) for columns one after the other, (d, 1) for rows. Contiguous columns are fastest. */
PARE_API PARE_NODISCARD pare_status pare_data_borrow_dense(pare_data **out, int64_t n, int64_t d,
                                                           const double *x, int64_t row_stride,
                                                           int64_t col_stride, pare_release release,
                                                           void *user, const pare_ctx *ctx,
                                                           pare_error *err);
/* The same for floats, which stay floats; everything is computed in double. */
PARE_API PARE_NODISCARD pare_status pare_data_borrow_float(pare_data **out, int64_t n, int64_t d,
                                                           const float *x, int64_t row_stride,
                                                           int64_t col_stride, pare_release release,
                                                           void *user, const pare_ctx *ctx,
                                                           pare_error *err);
/* Compressed sparse columns: col_ptr has d + 1 entries of ptr_bits (32 or 64), row one per entry of
 * row_bits, ascending and unique within a column. x and rows of 32 bits are not copied. */
PARE_API PARE_NODISCARD pare_status pare_data_borrow_sparse(pare_data **out, int64_t n, int64_t d,
                                                            const void *col_ptr, int ptr_bits,
                                                            const void *row, int row_bits,
                                                            const double *x, pare_release release,
                                                            void *user, const pare_ctx *ctx,
                                                            pare_error *err);

/* n samples of `of`, in any order, repeats allowed (rows: n numbers from 0), with their targets,
 * ids and weights; X is not copied: `of` must outlive *out and must not change. */
PARE_API PARE_NODISCARD pare_status pare_data_subset(pare_data **out, const pare_data *of,
                                                     const int32_t *rows, int64_t n,
                                                     const pare_ctx *ctx, pare_error *err);

/* The parts of a data set besides X. Each call copies its argument and replaces the previous value,
 * NULL removes it; on failure the data are unchanged. Not while another thread uses the data. */
/* The target, one of four: n labels (UTF-8); n codes, each the position of its label among
 * n_classes labels; n finite values; n finite times >= 0, each to an event or, where that is false,
 * to the end of observation without one (survival). */
PARE_API PARE_NODISCARD pare_status pare_data_set_labels(pare_data *data, const char *const *labels,
                                                         pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_data_set_codes(pare_data *data, const int32_t *codes,
                                                        const char *const *classes,
                                                        int64_t n_classes, pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_data_set_values(pare_data *data, const double *values,
                                                         pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_data_set_time_event(pare_data *data, const double *time,
                                                             const bool *event, pare_error *err);
/* n names of strata for times and events: samples are compared within a stratum, which has a
 * baseline hazard of its own. Another target leaves them as they are. */
PARE_API PARE_NODISCARD pare_status pare_data_set_strata(pare_data *data, const char *const *strata,
                                                         pare_error *err);
/* n finite sample weights >= 0, not all 0. Weight 0 equals leaving the sample out, 2 duplicating
 * it. */
PARE_API PARE_NODISCARD pare_status pare_data_set_weights(pare_data *data, const double *weights,
                                                          pare_error *err);
/* n finite numbers, each added to the decision value of its sample; for methods that support
 * offsets (lasso, logistic, sbmlr, cox, cox-score, cox-forward), and then for their predictions as well. */
PARE_API PARE_NODISCARD pare_status pare_data_set_offset(pare_data *data, const double *offset,
                                                         pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_data_set_ids(pare_data *data, const char *const *ids,
                                                      pare_error *err); /* n */
/* n names of groups of samples; pare_path_run keeps a group in one fold. */
PARE_API PARE_NODISCARD pare_status pare_data_set_fold_groups(pare_data *data,
                                                              const char *const *groups,
                                                              pare_error *err);
/* n names of folds: pare_path_run takes them as they are, or as cohorts. */
PARE_API PARE_NODISCARD pare_status pare_data_set_folds(pare_data *data, const char *const *folds,
                                                        pare_error *err);
/* n names of batches. Fits and paths take what batches differ in out of the features, by statistics of
 * the training samples without the target. method: "center" (also NULL) takes the mean of each batch to
 * the overall one, "combat" is ComBat. unseen: a batch without training samples, in a path's fold or of
 * data that a model is applied to, is an error ("refuse", also NULL), stays as it is ("pooled") or is
 * given the model's mean and deviation by its own samples, at least 8 ("adapt"). */
PARE_API PARE_NODISCARD pare_status pare_data_set_batches(pare_data *data,
                                                          const char *const *batches,
                                                          const char *method, const char *unseen,
                                                          pare_error *err);
/* d different names; without names features are x1 .. xd and prediction matches by position. */
PARE_API PARE_NODISCARD pare_status pare_data_set_names(pare_data *data, const char *const *names,
                                                        pare_error *err);
/* d names of groups; features of equal name are one group. */
PARE_API PARE_NODISCARD pare_status pare_data_set_groups(pare_data *data, const char *const *groups,
                                                         pare_error *err);
/* d finite costs above 0: penalty factors, or divisors of the scores of a ranking. */
PARE_API PARE_NODISCARD pare_status pare_data_set_costs(pare_data *data, const double *costs,
                                                        pare_error *err);
/* d signs: 1 or -1: a coefficient in raw units has that sign or is 0; 0: either. For the methods whose
 * pare_method_support says so. */
PARE_API PARE_NODISCARD pare_status pare_data_set_signs(pare_data *data, const signed char *signs,
                                                        pare_error *err);
/* d flags: forced-in features, which every fit selects in addition to the k that it chooses given
 * them. */
PARE_API PARE_NODISCARD pare_status pare_data_set_kept(pare_data *data, const bool *kept,
                                                       pare_error *err);
/* Keeps the features of `only` (NULL: all) without those of `exclude` (NULL: none), lists as in
 * pare_read_options; the remaining numbers are copied. Not while a subset of the data exists. */
PARE_API PARE_NODISCARD pare_status pare_data_choose(pare_data *data, const char *only,
                                                     const char *exclude, const pare_ctx *ctx,
                                                     pare_error *err);

/* SHA-256 of the values of X, target and weights, as 64 hexadecimal digits and a NUL: equal numbers
 * give equal sums, whatever file or array they came from. One pass over X, the first time only. */
PARE_API PARE_NODISCARD pare_status pare_data_checksum(char hex[65], const pare_data *data,
                                                       const pare_ctx *ctx, pare_error *err);

PARE_API void pare_data_free(pare_data *data);

/* Removes every sample with a missing feature; *dropped is their number. */
PARE_API PARE_NODISCARD pare_status pare_data_drop_missing(pare_data *data, int64_t *dropped,
                                                           const pare_ctx *ctx, pare_error *err);

PARE_API int64_t pare_data_n(const pare_data *data);
PARE_API int64_t pare_data_d(const pare_data *data);
PARE_API bool pare_data_is_sparse(const pare_data *data);
PARE_API bool pare_data_has_target(const pare_data *data);
/* Feature j's name, in buffer (at least 32 bytes) if it is made up; may be the data's own
 * string. */
PARE_API const char *pare_data_name(const pare_data *data, int64_t j, char buffer[32]);
/* Sample i's target: its label, or a number written into buffer; NULL if there is none. */
PARE_API const char *pare_data_target(const pare_data *data, int64_t i, char buffer[32]);
/* Sample i's id, or its 1-based row written into buffer. */
PARE_API const char *pare_data_id(const pare_data *data, int64_t i, char buffer[32]);

/* A description of the data, as a table or as one JSON object; free with pare_text_free. For
 * numbers that stay in their file it omits all that would require reading all of them (null in
 * JSON): the second function reads them. */
PARE_API PARE_NODISCARD pare_status pare_data_describe(char **out, const pare_data *data, bool json,
                                                       const pare_ctx *ctx, pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_data_describe_whole(char **out, const pare_data *data,
                                                             bool json, const pare_ctx *ctx,
                                                             pare_error *err);
/* Every column: ids, target, annotations, features; what it was taken for, missing and distinct
 * values, the least and the largest number, and suspect numbers, which may mean that a value is
 * missing. A table, or the object of the second function with an array `columns`. Reads all numbers. */
PARE_API PARE_NODISCARD pare_status pare_data_describe_columns(char **out, const pare_data *data,
                                                               bool json, const pare_ctx *ctx,
                                                               pare_error *err);

#ifdef __cplusplus
}
#endif
#endif
