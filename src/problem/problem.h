/* What happens before anything is fitted: the only prologue of a fit, a path and a check. Whatever can
 * be rejected in the data, the target and the settings of methods is rejected here, in one order.
 *
 * Samples, the task, the positive class, class weights and folds belong to the whole problem: methods
 * that ask for different ones are an error. Missing values, scaling, expansion and the terms of
 * features belong to each method; methods whose expansions are the same share them. */
#ifndef PARE_PROBLEM_PROBLEM_H
#define PARE_PROBLEM_PROBLEM_H

#include "data/sample/positive_weight.h"
#include "problem/expand.h"

typedef struct problem_method {
    const method *named; /* as it was asked for: perhaps the default pipeline */
    const method *m; /* what is fitted: of a path over sizes the pipeline itself, where the method
                            depends on the size */
    const method *classifier; /* the final one, if it is followed by one */
    all_settings set;         /* with what the pipeline decides where they were automatic */
    const expansion *wide;
    const pare_data *data; /* what it is fitted to: the problem's data, expanded for it */
} problem_method;

typedef struct problem {
    const pare_data *given;
    weighted_samples samples; /* those of positive weight */
    const pare_data *data;    /* the same */
    target y;
    int64_t n_methods;
    problem_method *method;
    int64_t n_wide;
    expansion *wide; /* each once */
} problem;

/* Opens the problem of `count` methods on the data, which must outlive it. sizes: numbers of features
 * are asked for by the caller, and those of the settings do not count. y and the methods live in
 * the arena. Close it also after a failure; it must be zero before. */
PARE_NODISCARD pare_status problem_open(problem *out, arena *mem, const pare_data *given,
                                        const pare_settings *const *settings, int64_t count,
                                        bool sizes, const pare_ctx *ctx, pare_error *err);

/* Opens the problem that a model solves, on the data that it was fitted to: with the features' terms
 * that the model has. *known is what problem.data points to then. */
PARE_NODISCARD pare_status problem_of_model(problem *out, pare_data *known, arena *mem,
                                            const pare_model *model, const pare_data *given,
                                            const pare_ctx *ctx, pare_error *err);
void problem_close(problem *p);

/* known: the data with the feature terms that the model was fitted with. Data that have terms of
 * their own must have the same. Memory from the arena; `known` is not to be freed. */
PARE_NODISCARD pare_status model_terms(pare_data *known, const pare_model *model,
                                       const pare_data *data, arena *mem, pare_error *err);

/* The truth of new data in the model's terms: its classes, or numbers. */
PARE_NODISCARD pare_status problem_against(target *y, arena *mem, const pare_model *model,
                                           const pare_data *data, pare_error *err);

#endif
