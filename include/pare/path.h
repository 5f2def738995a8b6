/* The honest path: how good a method is at each number of features, with everything that looks at
 * the labels (imputation, scaling, selection, tuning, refit) done inside each training part. */
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

/* What to run. Fill with pare_path_options_init, then change what differs. Every pointer is borrowed
 * for the call only; NULL means "not given". */
typedef struct pare_path_options {
    size_t struct_size;     /* set by pare_path_options_init */
    int64_t folds;          /* stratified folds, default 10 */
    int64_t repeats;        /* of the folds, default 1 */
    int64_t splits;         /* above 0: so many hold-out splits instead of folds */
    double train;           /* a split's training part: a share below 1 (default 0.8) or a count */
    bool grouped;           /* samples of equal id are never parted; where the data were read with
                              fold_groups, those are not parted in any case */
    const char *fold_file;  /* given folds: one name per line and sample, instead of all these */
    const int32_t *fold_of; /* the same as an array: n numbers from 0 to n - 1 */
    const char *sizes;      /* "1,5,20", or "auto" (default): 1, 2, 5, 10, ... up to d */
    const char *metric;     /* what means, choices and tests are of; NULL: the task's first */
    const char *choice;     /* of the size: "best", "1se" (default) or "tolerance" */
    double tolerance;       /* for the last: share of the best mean that may be lost, 0.02 */
    int64_t inner;          /* folds inside each training part, for the nested estimate and for
                              tuning, default 3; 0: no nested estimate */
    bool tune;              /* choose each method's main settings inside each training part */
    const char *grid;       /* what tune tries, of the only method, instead of its own grid:
                              "name value ..., name value ...", every combination */
    bool weights;           /* keep the weights of the features at each point: pare_path_weights */
    int64_t null_runs;      /* runs with permuted labels, default 0 */
    int64_t substitutes;    /* candidates tried for each chosen feature, default 5 */
    const char *checkpoint; /* finished folds are kept here and not run again */
    bool predictions;       /* keep the scores of all test samples: pare_path_predictions */
    int64_t n_parts;        /* above 0: given parts, instead of folds and splits */
    const int8_t
        *part_of; /* n_parts x n numbers: 0 the sample is left out of the part, 1 it trains,
                              2 it tests; of part p from p * n on */
    int64_t shard, n_shards; /* above 0: do the shard-th of n_shards parts of the work only, from 1;
                                it goes to the checkpoint, and there is no path */
    const char *command;     /* one line that the checkpoint keeps for who merges, or NULL */
    const char *const *merge; /* n_merge checkpoints of all shards: their work is not done again */
    int64_t n_merge;
    const char *error_control; /* "pfer=V": the features of which at most V are falsely selected, on
                                  average, by stability selection over pairs of halves;
                                  "fdr=Q": those of which a share of at most Q is, by permuted labels,
                                  for methods that score each feature by itself. NULL: neither */
    const char *error_bound;   /* of the first: "plain", "unimodal" (default) or "r-concave" */
    int64_t error_pairs;       /* its pairs of halves, default 50 */
    int64_t error_permutations; /* of the second, default 0: 100 where null scores are pooled, else
                                   1000 */
    const char
        *budgets; /* "5,10,20": the path goes along what the costs of the features may sum to,
                            instead of sizes */
} pare_path_options;

/* As pare_ctx_init, with the defaults named above; the rest is NULL, false or 0. */
PARE_API void pare_path_options_init_sized(pare_path_options *options, size_t struct_size);
#define pare_path_options_init(options) pare_path_options_init_sized((options), sizeof *(options))

/* Runs the methods that the n_methods settings were made for on the same folds. options, ctx and err
 * may be NULL. When the progress callback or the time limit stops it, the path holds what was
 * finished; it is an error only if that is nothing. Same seed, same path, for any number of
 * threads, and for shards that are merged. With n_shards *out is NULL. */
PARE_API PARE_NODISCARD pare_status pare_path_run(pare_path **out, const pare_data *data,
                                                  const pare_settings *const *settings,
                                                  int64_t n_methods,
                                                  const pare_path_options *options,
                                                  const pare_ctx *ctx, pare_error *err);
PARE_API void pare_path_free(pare_path *path);
/* The `command` that a checkpoint was made with, "" if none. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_checkpoint_command(char **out, const char *file,
                                                            const pare_ctx *ctx, pare_error *err);

/* The out-of-fold predictions as a table: a line for every test sample of every part at every size.
 * data: those that the path was run on. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_path_predictions(char **out, const pare_path *path,
                                                          const pare_data *data,
                                                          const pare_ctx *ctx, pare_error *err);

/* Whether every fold and every run with permuted labels was finished. */
PARE_API bool pare_path_complete(const pare_path *path);
/* Fits that ended without reaching their tolerance, over all folds and methods. */
PARE_API int64_t pare_path_unconverged(const pare_path *path);

/* --- the path as numbers ---
 *
 * A run is one method; a part is one pair of training and test samples (a fold of a repeat, or a
 * split); a point is one size, or one value of the parameter that the path is along. Functions with
 * an index return false, and those that count 0, where there is no such thing. NaN: not defined, or
 * not finished. Strings and nothing else are owned by the path. */
PARE_API int64_t pare_path_n_runs(const pare_path *path);
PARE_API int64_t pare_path_n_parts(const pare_path *path);
PARE_API int64_t pare_path_n_points(const pare_path *path);  /* of every run */
PARE_API int64_t pare_path_n_metrics(const pare_path *path); /* of the task */
/* The i-th metric's name, "accuracy", ..., or NULL; and which of them means and choices are of. */
PARE_API const char *pare_path_metric_name(const pare_path *path, int64_t i);
PARE_API int64_t pare_path_metric(const pare_path *path);

typedef struct pare_path_run_info {
    const char *method;
    int64_t parts_done;            /* of pare_path_n_parts */
    int64_t chosen;                /* the point that the rule chose, or -1 */
    int64_t n_features;            /* its size, or 0 */
    double nested_mean, nested_se; /* the metric where each training part chooses for itself */
    double null_p, null_mean;      /* with permuted labels, the choice included */
    int64_t unconverged;           /* fits that ended without reaching their tolerance */
} pare_path_run_info;
PARE_API bool pare_path_info(pare_path_run_info *out, const pare_path *path, int64_t run);

typedef struct pare_path_point {
    int64_t n_features; /* asked for; along a parameter: selected on all samples */
    double value;       /* of the parameter, NaN if the path is along sizes */
    double used_mean;   /* features that the predictors used, mean over the parts */
    double mean, se;    /* of the metric; se allows for training parts that overlap */
    double null_p, null_mean;
    double stability, stability_low, stability_high; /* index of Nogueira et al., 95% */
} pare_path_point;
PARE_API bool pare_path_at(pare_path_point *out, const pare_path *path, int64_t run, int64_t point);

/* Scores on the test samples of every part: n_points x n_parts numbers into score, that of a point
 * and a part at point * n_parts + part. */
PARE_API bool pare_path_scores(double *score, const pare_path *path, int64_t run, int64_t metric);
/* The same at the size that each training part chose for itself: n_parts numbers, and if n_features
 * is not NULL those sizes (0: none). */
PARE_API bool pare_path_nested(double *score, int64_t *n_features, const pare_path *path,
                               int64_t run, int64_t metric);

/* How often features were selected: how many are listed, the most often at the chosen size first; and
 * where the arrays are not NULL their columns and the share of the parts that selected them at that
 * point. */
PARE_API int64_t pare_path_frequency(int64_t *index, double *share, const pare_path *path,
                                     int64_t run, int64_t point);
/* The fit on all samples at the chosen size: how many of its features are listed, best first, and
 * where the arrays are not NULL their columns and scores. */
PARE_API int64_t pare_path_features(int64_t *index, double *score, const pare_path *path,
                                    int64_t run);

/* A path along the only method's own parameter (kta: p), with the option `weights`: its points, and of
 * each the parameter's value, the features selected on all samples and their weights. The number of
 * points is 0 without. Owned by the path. */
typedef struct pare_path_point_weights {
    double value;
    int64_t count;
    const int64_t *index;
    const double *weight;
} pare_path_point_weights;
PARE_API int64_t pare_path_n_weights(const pare_path *path);
/* false: there is no such point. */
PARE_API bool pare_path_weights(pare_path_point_weights *out, const pare_path *path, int64_t point);
PARE_API const char *pare_path_parameter(const pare_path *path); /* its name, or NULL */

/* The path as one JSON object, as a table (TSV behind # lines) and as one self-contained HTML page.
 * command: shown on the page as it was run, may be NULL. Free each with pare_text_free. */
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
