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
    bool grouped;           /* samples of equal id are never parted */
    const char *fold_file;  /* given folds: one name per line and sample, instead of all these */
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
} pare_path_options;

/* As pare_ctx_init, with the defaults named above; the rest is NULL, false or 0. */
PARE_API void pare_path_options_init_sized(pare_path_options *options, size_t struct_size);
#define pare_path_options_init(options) pare_path_options_init_sized((options), sizeof *(options))

/* Runs the methods that the n_methods settings were made for on the same folds. options, ctx and err
 * may be NULL. When the progress callback or the time limit stops it, the path holds what was
 * finished; it is an error only if that is nothing. Same seed, same path, for any number of
 * threads. */
PARE_API PARE_NODISCARD pare_status pare_path_run(pare_path **out, const pare_data *data,
                                                  const pare_settings *const *settings,
                                                  int64_t n_methods,
                                                  const pare_path_options *options,
                                                  const pare_ctx *ctx, pare_error *err);
PARE_API void pare_path_free(pare_path *path);

/* Whether every fold and every run with permuted labels was finished. */
PARE_API bool pare_path_complete(const pare_path *path);
/* Fits that ended without reaching their tolerance, over all folds and methods. */
PARE_API int64_t pare_path_unconverged(const pare_path *path);

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
