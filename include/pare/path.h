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

/* The out-of-fold predictions as a table: a line for every test sample of every split at every
 * size. data: those that the path was run on. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_path_predictions(char **out, const pare_path *path,
                                                          const pare_data *data,
                                                          const pare_ctx *ctx, pare_error *err);

/* Whether every fold and every permutation was finished. */
PARE_API bool pare_path_complete(const pare_path *path);
/* Fits that did not converge, over all folds and methods. */
PARE_API int64_t pare_path_unconverged(const pare_path *path);

/* --- the path as numbers ---
 *
 * A run is one method; a part is one pair of training and test samples (a fold of a repeat, or a
 * hold-out split); a point is one size, or one value of the path's parameter. Functions with an
 * index return false, and those that count return 0, if the index is out of range. NaN: not
 * defined, or not finished. Only strings are owned by the path. */
PARE_API int64_t pare_path_n_runs(const pare_path *path);
PARE_API int64_t pare_path_n_parts(const pare_path *path);
PARE_API int64_t pare_path_n_points(const pare_path *path);  /* of every run */
PARE_API int64_t pare_path_n_metrics(const pare_path *path); /* of the task */
/* The i-th metric's name, "accuracy", ..., or NULL; and the index of the one for means and
 * choices. */
PARE_API const char *pare_path_metric_name(const pare_path *path, int64_t i);
PARE_API int64_t pare_path_metric(const pare_path *path);

typedef struct pare_path_run_info {
    const char *method;
    int64_t parts_done;            /* of pare_path_n_parts */
    int64_t chosen;                /* the point that the rule chose, or -1 */
    int64_t n_features;            /* its size, or 0 */
    double nested_mean, nested_se; /* nested CV estimate: each training fold chooses the size */
    double null_p, null_mean;      /* permutation test, the choice of the size included */
    int64_t unconverged;           /* fits that did not converge */
} pare_path_run_info;
PARE_API bool pare_path_info(pare_path_run_info *out, const pare_path *path, int64_t run);

typedef struct pare_path_point {
    int64_t n_features; /* requested; along a parameter: selected on all samples */
    double value;       /* of the parameter, NaN for a path over sizes */
    double used_mean;   /* features that the predictors used, mean over the splits */
    double mean, se;    /* of the metric; se allows for overlapping training folds */
    double null_p, null_mean;
    double stability, stability_low, stability_high; /* index of Nogueira et al., 95% CI */
} pare_path_point;
PARE_API bool pare_path_at(pare_path_point *out, const pare_path *path, int64_t run, int64_t point);

/* The 95% confidence interval of the metric's mean at a point, or for the point -1 of the nested CV
 * estimate. Returns false where there is none. */
typedef struct pare_path_interval {
    double level, low, high;
    const char *kind; /* "bootstrap", or "wilson" if an end is Wilson's */
} pare_path_interval;
PARE_API bool pare_path_interval_at(pare_path_interval *out, const pare_path *path, int64_t run,
                                    int64_t point);

/* The permutation test of the mean at a point, or for the point -1 of the mean at the chosen size
 * with the choice included. Returns false where there is none. */
typedef struct pare_path_null {
    double p, least;        /* least: the least possible p, 1/(N + 1) with N permutations */
    double mean, low, high; /* of the permutations' means; low, high: 5% and 95% */
    double p_methods;       /* of the best of several methods, for the point -1; else NaN */
} pare_path_null;
PARE_API bool pare_path_null_at(pare_path_null *out, const pare_path *path, int64_t run,
                                int64_t point);

/* What to quote of a run: the nested CV estimate with its interval and the baseline, the sizes that
 * the outer folds chose, the final model, the permutation test; a sentence a line. Free with
 * pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_path_headline(char **out, const pare_path *path,
                                                       int64_t run, const pare_ctx *ctx,
                                                       pare_error *err);
/* The run with the best nested CV estimate, or -1. */
PARE_API int64_t pare_path_best(const pare_path *path);

/* Scores on the test samples of every split: n_points x n_parts numbers into score, that of a point
 * and a split at point * n_parts + part. */
PARE_API bool pare_path_scores(double *score, const pare_path *path, int64_t run, int64_t metric);
/* The same at the size that each training fold chose: n_parts numbers, and if n_features is not
 * NULL those sizes (0: none). */
PARE_API bool pare_path_nested(double *score, int64_t *n_features, const pare_path *path,
                               int64_t run, int64_t metric);

/* Selection frequencies: returns the number of listed features, the most frequent at the chosen
 * size first; if the arrays are not NULL, writes their columns and the proportion of splits that
 * selected them at that point. */
PARE_API int64_t pare_path_frequency(int64_t *index, double *share, const pare_path *path,
                                     int64_t run, int64_t point);
/* The fit on all samples at the chosen size: returns the number of its listed features, best first;
 * if the arrays are not NULL, writes their columns and scores. */
PARE_API int64_t pare_path_features(int64_t *index, double *score, const pare_path *path,
                                    int64_t run);

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

#ifdef __cplusplus
}
#endif
#endif
