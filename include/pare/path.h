/* The nested cross-validated selection curve: how good a method is at each number of features, with
 * every step that uses the labels (imputation, scaling, selection, tuning, refit) inside each
 * training fold. */
#ifndef PARE_PATH_H
#define PARE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/data.h>
#include <pare/export.h>
#include <pare/model.h>
#include <pare/settings.h>
#include <pare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pare_path pare_path;

/* What to run. Fill with pare_path_options_init, then change fields. Every pointer is borrowed for
 * the call only; NULL means "not given". */
typedef struct pare_path_options {
    size_t struct_size;     /* set by pare_path_options_init */
    int64_t folds;          /* stratified folds; 0 (default): 10, or with a note as many as the
                               smallest class or the groups allow, at least 3 */
    int64_t repeats;        /* of the folds, default 1 */
    int64_t splits;         /* above 0: number of hold-out splits, instead of folds */
    double train;           /* size of a split's training set: a proportion below 1 (default 0.8) or
                               a count */
    bool grouped;           /* keep samples of equal id in one fold; data that were read with
                               fold_groups keep those in one fold in any case */
    const char *fold_file;  /* given folds: one name per line and sample, instead of all these */
    const int32_t *fold_of; /* the same as an array: n numbers from 0 to n - 1 */
    const char *sizes;      /* "1,5,20", or "auto" (default): 1, 2, 5, 10, ... up to d */
    const char *metric;     /* metric of means, choices and tests; NULL: the task's first */
    const char *choice;     /* of the size: "best", "1se" (default) or "tolerance" */
    double tolerance;       /* for the last: relative loss of the best mean that is accepted,
                               0.02 */
    int64_t inner;          /* folds inside each training fold, for the nested CV estimate and for
                               tuning, default 3; 0: no nested estimate */
    bool tune;              /* choose each method's main settings inside each training fold */
    const char *grid;       /* the grid of tune for the only method, instead of its default grid:
                               "name value ..., name value ...", every combination */
    bool weights;           /* keep the weights of the features at each point: pare_path_weights */
    int64_t null_runs;      /* permutations of the permutation test, default 0 */
    int64_t substitutes;    /* correlated alternatives tried for each chosen feature, default 5 */
    const char *checkpoint; /* finished folds are stored here and not run again */
    bool predictions;       /* keep the scores of all test samples: pare_path_predictions */
    int64_t n_parts;        /* above 0: given splits, instead of folds and hold-out splits */
    const int8_t
        *part_of; /* n_parts x n numbers: 0 the sample is not in the split, 1 it trains, 2 it tests;
                     of split p from p * n on */
    int64_t shard, n_shards;  /* above 0: do only the shard-th of n_shards shards of the work, from
                                 1; the result is the checkpoint, and *out is NULL */
    const char *command;      /* one line stored in the checkpoint for the merge, or NULL */
    const char *const *merge; /* n_merge checkpoints of all shards, whose results are used */
    int64_t n_merge;
    const char *error_control;  /* "pfer=V": features of which on average at most V have low
                                   selection probability (at most q/d), by stability selection over
                                   pairs of half-samples; "fdr=Q": features with a false discovery
                                   rate of at most Q, by permutation of the labels, for methods that
                                   score each feature by itself. NULL: neither */
    const char *error_bound;    /* of the first: "plain", "unimodal" (default) or "r-concave" */
    int64_t error_pairs;        /* its pairs of half-samples, default 50 */
    int64_t error_permutations; /* of the second, default 0: 100 if null scores are pooled, else
                                   1000 */
    const char
        *budgets; /* "5,10,20": budgets, the most that the costs of the features may sum to, instead
                     of sizes */
    bool model;   /* keep the model of the best method: pare_path_model */
    const char *best; /* the method that the model is of; NULL: the only one, or that with the best
                         nested CV estimate */
    bool leave_out;   /* the data's folds are cohorts, each left out in turn and reported by itself;
                         inner folds leave out one of the others where there are three or more */
    double at;        /* survival: the time at which predicted probabilities are compared with what
                         was observed; 0 (default): the median time of the events */
} pare_path_options;

/* As pare_ctx_init, with the defaults named above; the rest is NULL, false or 0. */
PARE_API void pare_path_options_init_sized(pare_path_options *options, size_t struct_size);
#define pare_path_options_init(options) pare_path_options_init_sized((options), sizeof *(options))

/* Runs the methods of the n_methods settings on the same folds. options, ctx and err may be NULL.
 * When the progress callback or the time limit stops it, the path holds what was finished; it is an
 * error only if that is nothing. The same seed gives the same path, for any number of threads, and
 * for shards that are merged. With n_shards *out is NULL. */
PARE_API PARE_NODISCARD pare_status pare_path_run(pare_path **out, const pare_data *data,
                                                  const pare_settings *const *settings,
                                                  int64_t n_methods,
                                                  const pare_path_options *options,
                                                  const pare_ctx *ctx, pare_error *err);
PARE_API void pare_path_free(pare_path *path);
/* The `command` that a checkpoint was made with, "" if none. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_checkpoint_command(char **out, const char *file,
                                                            const pare_ctx *ctx, pare_error *err);

/* With the option `model`: the model of the best method, fitted to all samples at the chosen number of
 * features, with what the path estimated. The same as that of pare_fit with these settings and that
 * k. Moved to the caller, who frees it with pare_model_free. NULL: moved already, not requested, or the
 * path was stopped before it. */
PARE_API pare_model *pare_path_model(pare_path *path);

/* The out-of-fold predictions as a table: a line for every test sample of every split at every
 * size. data: those that the path was run on. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_path_predictions(char **out, const pare_path *path,
                                                          const pare_data *data,
                                                          const pare_ctx *ctx, pare_error *err);

/* Whether every fold and every permutation was finished. */
PARE_API bool pare_path_complete(const pare_path *path);
/* Fits that did not converge, over all folds and methods. */
PARE_API int64_t pare_path_unconverged(const pare_path *path);

/* --- the path as tables ---
 *
 * A run is one method; a part is one pair of training and test samples (a fold of a repeat, or a
 * hold-out split); a point is one size, or one value of the path's parameter. The outputs are fields
 * of tables: "path" with one row, "runs" with a row for each method, "pairs" with one for each two
 * methods, and of each run "points", "features" (of the fit on all samples at the chosen size, best
 * first), "frequency" (of the selection, the most frequent first), "cohorts" (that were left out),
 * "junctures" and for survival "risk_groups" and "calibration_at". Names of tables and fields are
 * those of the JSON, a field inside an object with a dot: the p-value of the permutation test at a
 * point is "null.p" of "points", the nested CV estimate "chosen.nested.mean" of "runs". */
typedef enum pare_column_type {
    PARE_COLUMN_REAL,
    PARE_COLUMN_INTEGER,
    PARE_COLUMN_FLAG,
    PARE_COLUMN_TEXT,
    PARE_COLUMN_METRICS, /* an object of all metrics, each with its mean: a column each */
    PARE_COLUMN_LIST,    /* the rows of another table */
    PARE_COLUMN_OTHER    /* an object or an array; the JSON alone has it */
} pare_column_type;

/* The documents that show a column. */
typedef enum pare_column_shown {
    PARE_SHOWN_JSON = 1,
    PARE_SHOWN_TSV = 2,
    PARE_SHOWN_PYTHON = 4, /* data frames */
    PARE_SHOWN_R = 8,      /* data frames */
    PARE_SHOWN_PAGE = 16,
    PARE_SHOWN_CSV = 32,      /* tables that the page saves */
    PARE_SHOWN_OPTIONAL = 64, /* left out where it is not defined */
    PARE_SHOWN_WHOLE = 128    /* where it is not defined its object in the JSON is null */
} pare_column_shown;

typedef struct pare_column {
    const char *table, *field;
    const char *name;  /* of the column; several columns may show one field */
    const char *words; /* its heading on the page, or NULL */
    pare_column_type type;
    int32_t shown; /* a set of pare_column_shown */
} pare_column;
/* The i-th column of all tables; returns false if there are no more. */
PARE_API bool pare_path_column(pare_column *out, int64_t i);

/* The number of rows; 0 if there is no such table or run. run: 0 for tables of the path itself. */
PARE_API int64_t pare_path_rows(const pare_path *path, const char *table, int64_t run);
/* The value of a field: a flag is 0 or 1. NaN or NULL: it is not defined, or not finished, or there is
 * no such field, run or row. Texts are owned by the path. */
PARE_API double pare_path_number(const pare_path *path, const char *table, const char *field,
                                 int64_t run, int64_t row);
PARE_API const char *pare_path_text(const pare_path *path, const char *table, const char *field,
                                    int64_t run, int64_t row);

/* The i-th metric of a task ("binary", "multiclass", "ranking" or "regression"), the default first;
 * returns false if there are no more. */
typedef struct pare_metric {
    const char *name;
    const char *words; /* its name in a sentence */
    bool higher_is_better;
    double least, most; /* that it can be */
    bool proportion;
} pare_metric;
PARE_API bool pare_metric_info(pare_metric *out, const char *task, int64_t i);

PARE_API int64_t pare_path_n_parts(const pare_path *path);
PARE_API int64_t pare_path_n_metrics(const pare_path *path); /* of the task */
/* The i-th metric's name, "accuracy", ..., or NULL; and the index of the one for means and
 * choices. */
PARE_API const char *pare_path_metric_name(const pare_path *path, int64_t i);
PARE_API int64_t pare_path_metric(const pare_path *path);

/* What to quote of a run: the nested CV estimate with its interval and the baseline, the sizes that
 * the outer folds chose, the final model, the permutation test; a sentence a line. Free with
 * pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_path_headline(char **out, const pare_path *path,
                                                       int64_t run, const pare_ctx *ctx,
                                                       pare_error *err);

/* Scores on the test samples of every split: points x n_parts numbers into score, that of a point
 * and a split at point * n_parts + part. Returns false if there is no such run or metric. */
PARE_API bool pare_path_scores(double *score, const pare_path *path, int64_t run, int64_t metric);
/* The same at the size that each training fold chose: n_parts numbers, and if n_features is not
 * NULL those sizes (0: none). */
PARE_API bool pare_path_nested(double *score, int64_t *n_features, const pare_path *path,
                               int64_t run, int64_t metric);

/* A path along the only method's own parameter (kta: p), with the option `weights`: its points, and
 * for each the parameter's value, the features selected on all samples and their weights. Without,
 * the number of points is 0. Owned by the path. */
typedef struct pare_path_point_weights {
    double value;
    int64_t count;
    const int64_t *index;
    const double *weight;
} pare_path_point_weights;
PARE_API int64_t pare_path_n_weights(const pare_path *path);
/* Returns false if there is no such point. */
PARE_API bool pare_path_weights(pare_path_point_weights *out, const pare_path *path, int64_t point);
PARE_API const char *pare_path_parameter(const pare_path *path); /* its name, or NULL */

/* The path as one JSON object, as a table (TSV behind # lines) and as one self-contained HTML page.
 * command: shown on the page, may be NULL. Free each with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_path_json(char **out, const pare_path *path,
                                                   const pare_ctx *ctx, pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_path_tsv(char **out, const pare_path *path,
                                                  const pare_ctx *ctx, pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_path_html(char **out, const pare_path *path,
                                                   const char *command, const pare_ctx *ctx,
                                                   pare_error *err);

/* --- a learning curve: how many samples? ---
 *
 * The path of one method on subsamples of the data, of several sizes up to all samples; each is
 * stratified by outcome, or of whole fold groups. score(n) = a - b n^-c is fitted to their nested CV
 * estimates, c in (0, 1], b of the sign with which more samples do not harm. */
typedef struct pare_sample_size pare_sample_size;
typedef struct pare_sample_size_options {
    size_t struct_size;  /* set by pare_sample_size_options_init */
    int64_t points;      /* sizes of the subsamples, default 6 */
    int64_t draws;       /* subsamples of each, default 20 */
    double target_score; /* whose n is wanted, default NaN: none */
} pare_sample_size_options;
PARE_API void pare_sample_size_options_init_sized(pare_sample_size_options *options,
                                                  size_t struct_size);
#define pare_sample_size_options_init(options)                                                     \
    pare_sample_size_options_init_sized((options), sizeof *(options))

/* options, how, ctx and err may be NULL. Rejects given folds, cohorts, checkpoints, permutations and error
 * control, and data too small for subsamples. The same seed gives the same curve. */
PARE_API PARE_NODISCARD pare_status pare_sample_size_run(pare_sample_size **out,
                                                         const pare_data *data,
                                                         const pare_settings *settings,
                                                         const pare_path_options *options,
                                                         const pare_sample_size_options *how,
                                                         const pare_ctx *ctx, pare_error *err);
/* A table `n mean low high`, after # lines with the curve, the n of the target score and what is assumed;
 * or one JSON object. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_sample_size_text(char **out, const pare_sample_size *found,
                                                          bool json, const pare_ctx *ctx,
                                                          pare_error *err);
PARE_API void pare_sample_size_free(pare_sample_size *found);

#ifdef __cplusplus
}
#endif
#endif
