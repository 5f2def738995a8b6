/* Setting up a path: all errors of the request are found here, before any work starts. */
#ifndef PARE_PATH_PATH_SETUP_H
#define PARE_PATH_PATH_SETUP_H

#include "problem/problem.h"
#include "select/path.h"

/* What does not depend on the data. */
PARE_NODISCARD pare_status path_check_options(const pare_path_options *o, int64_t n_methods,
                                              pare_error *err);

/* Sets the methods, metric, sizes and plan of p from the problem, whose arena is p's, and what the user
 * asked for. */
PARE_NODISCARD pare_status path_set_up(pare_path *p, const problem *of, const pare_path_options *o,
                                       const pare_ctx *ctx, pare_error *err);

/* The grid of one method from the given settings; without tuning only those. */
PARE_NODISCARD pare_status path_grid(pare_path *p, path_method *m, const all_settings *given,
                                     const pare_path_options *o, pare_error *err);

/* The error control of the options, with everything that can be computed before any work starts. */
PARE_NODISCARD pare_status path_set_control(pare_path *p, const pare_path_options *o,
                                            const pare_ctx *ctx, pare_error *err);
/* The number of runs that error control takes, in runs of each method; then the runs themselves. */
double path_control_cost(const pare_path *p);
PARE_NODISCARD pare_status path_run_control(pare_path *p, double before, interruption *stopped,
                                            const pare_ctx *ctx, pare_error *err);
/* Takes the cohorts that are left out in turn, of which setup.request has the numbers of the samples.
 * Rejected: one cohort only, one of a single sample, one without which a class has no samples. */
PARE_NODISCARD pare_status path_set_cohorts(pare_path *p, const strings *of, pare_error *err);
/* Whether the inner folds are to leave out one of the other cohorts: then setup.inner is set. */
bool path_inner_cohorts(pare_path *p, const pare_path_options *o);
/* Keeps what is done about batches; rejects splits whose training samples have one sample of a batch, or none where unseen batches are
 * refused or too small to be estimated. */
PARE_NODISCARD pare_status path_check_batches(pare_path *p, const pare_ctx *ctx, pare_error *err);
/* The points of the path, once its methods are known; and whether they are values of the only
 * method's own parameter. */
PARE_NODISCARD pare_status path_sizes(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                                      pare_error *err);
bool path_goes_along(const pare_path *p, const pare_path_options *o);

/* 64 hexadecimal digits over everything that determines the results of the folds. */
void path_key(char key[65], const pare_path *p);

/* Keeps the weights at each point of a path along the method's own parameter, on all samples with
 * the settings that most splits chose. */
PARE_NODISCARD pare_status path_keep_weights(pare_path *p, const pare_ctx *ctx, pare_error *err);

/* Whether the path's method wants junctures; finds them on all samples, with the settings of the
 * chosen point. */
bool path_has_junctures(const pare_path *p);
PARE_NODISCARD pare_status path_keep_junctures(pare_path *p, const pare_ctx *ctx, pare_error *err);

/* The numbers of times to an event, and the time of their calibration; undefined for other tasks. */
PARE_NODISCARD pare_status path_set_times(pare_path *p, const pare_path_options *o,
                                          const pare_ctx *ctx, pare_error *err);
/* Notes on folds that their metric leaves out. */
PARE_NODISCARD pare_status path_note_times(pare_path *p, const pare_ctx *ctx, pare_error *err);
/* What the final fit of a run says of hazards, once its features are known. */
PARE_NODISCARD pare_status path_describe_hazards(pare_path *p, path_run *run,
                                                 const pare_model *model, const pare_ctx *ctx,
                                                 pare_error *err);

/* Fits each method to all samples at its chosen number of features, and finds the correlated
 * alternatives of those features. */
PARE_NODISCARD pare_status path_fit_all(pare_path *p, int64_t substitutes, interruption *stopped,
                                        const pare_ctx *ctx, pare_error *err);

/* Scores the run's predictor on the forced-in covariates alone, where there are some. */
PARE_NODISCARD pare_status path_against_covariates(pare_path *p, const pare_ctx *ctx,
                                                   pare_error *err);

/* Adds a note for the user. */
__attribute__((format(printf, 3, 4))) pare_status path_note(pare_path *p, pare_error *err,
                                                            const char *format, ...);

/* Keeps the values of the chosen features, if they are listed, and their weights per standard
 * deviation. transformed: the weights are per deviation already, of values that are not raw. */
PARE_NODISCARD pare_status path_keep_values(pare_path *p, path_run *run, bool transformed,
                                            const pare_ctx *ctx, pare_error *err);

#endif
