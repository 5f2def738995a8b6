/* One method on some of the samples: imputation and scaling by their statistics, the method, the
 * choice of features, the refit on them. pare_fit runs it on all samples, cross-validation on each
 * training fold; no sample outside `rows` is read. */
#ifndef PARE_SELECT_FITTING_H
#define PARE_SELECT_FITTING_H

#include "data/feature/scaling.h"
#include "method/method.h"
#include "model/probability.h"

/* What the statistics of a training fold depend on besides its samples: two fits may share them
 * only if all of it is equal. */
typedef struct statistics_identity {
    const pare_data *data;
    char scale[CHOICE_SIZE]; /* never auto */
    char missing[CHOICE_SIZE];
    char row_scale[CHOICE_SIZE];
    char class_weight[TEXT_SIZE];
    bool intercept;
    bool centred;   /* raw columns are centred: see method.shift_free */
    bool uncentred; /* columns keep their means, and an intercept absorbs the shift */
    const task_type *task;
} statistics_identity;

statistics_identity identity_of(const method *m, const all_settings *set, const pare_data *data,
                                const task_type *task);
bool identity_same(const statistics_identity *a, const statistics_identity *b);

typedef struct fitting {
    const pare_data *data;
    statistics_identity identity;
    const method *m;
    const method *classifier; /* the final classifier of a pure selector */
    const all_settings *set;  /* as they were given */
    target y;                 /* of the rows */
    const double *weight;     /* of the rows, times class weights; or NULL */
    const double *offset;     /* of the rows, or NULL */
    feature_terms terms;
    scaling sc;
    struct batch_adjustment *batch; /* or NULL */
    double *idf;                    /* of every feature, or NULL: see data/feature/row_scale.h */
    view x;                         /* the rows, imputed and scaled */
    view raw;                       /* the rows, imputed */
    view by_cost;                   /* x with every column divided by its cost, where there are
                                       costs */
    const double *mean;             /* see fit_job */
    const double *gram[GRAM_KINDS]; /* where one is available, or NULL; the caller frees it */
    fit_scores *scored;             /* of some filters, where they are available, or NULL */
    int64_t n_scored;
    double *given; /* per feature: from the first stage of a two-stage method, or NULL */
    struct passed_over *passed; /* of the last pick: see select/max_correlation.h */
    int64_t n_passed, n_picked; /* n_picked: groups or features, without the forced-in ones */
    arena mem;
} fitting;

/* Computes the scaling. y: the target of all samples. rows: the training samples, NULL: all; rows
 * and settings must outlive f. Free with fitting_end, also after a failure. */
PARE_NODISCARD pare_status fitting_begin(fitting *f, const pare_data *data, const target *y,
                                         const int32_t *rows, int64_t n_rows, const method *m,
                                         const method *classifier, const all_settings *set,
                                         const pare_ctx *ctx, pare_error *err);
void fitting_end(fitting *f);
/* The same in three steps, of which the second is scaling_fit_many for several sets of samples. */
PARE_NODISCARD pare_status fitting_open(fitting *f, const pare_data *data, const target *y,
                                        const int32_t *rows, int64_t n_rows, const method *m,
                                        const method *classifier, const all_settings *set,
                                        const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status fitting_scaled(fitting *f, pare_error *err);

/* Another method, or other settings of one, on the samples of `shared`, whose target, weights and
 * scaling are used: their identities must be equal. `shared` must outlive f; free f with
 * fitting_end. */
void fitting_share(fitting *f, const fitting *shared, const method *m, const method *classifier,
                   const all_settings *set, const pare_ctx *ctx);

/* The columns as a method sees them: divided by their costs where costs weigh its penalty. */
const view *fitting_view(const fitting *f, const method *m);

/* Which features a fit takes: the forced-in ones, then k of the ranking or as many as a budget
 * allows, or, if neither is given, the method's own support or the best of a ranking; a constant
 * feature only if it is forced in. */
typedef struct amount {
    int64_t k;     /* besides the forced-in ones; < 0: not given */
    double budget; /* above 0: instead of k */
} amount;
amount fitting_amount(const fitting *f); /* as the settings say */

/* Runs the method on all features. of: the features that will be taken of its result; k <= 0: not
 * given. */
PARE_NODISCARD pare_status fitting_run(fitting *f, fit_result *out, amount of, const pare_ctx *ctx,
                                       pare_error *err);
/* Sets *chosen to *count features in the order of the ranking, groups as a whole; f->passed then
 * lists those that were passed over for their correlation with one of them. */
PARE_NODISCARD pare_status fitting_pick(int64_t **chosen, int64_t *count, fitting *f,
                                        const fit_result *r, amount of, const pare_ctx *ctx,
                                        pare_error *err);
/* Whether the predictor on the chosen features is a separate fit: of a final classifier, or of the
 * method on a part of its support. */
bool fitting_refits(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count);

/* Fits the final classifier of a pure selector, or the method itself, to the chosen features only.
 * selected: the settings in effect in the selection, or NULL: those given. final: the final
 * classifier's settings are taken from there. gram: of the chosen features, or NULL. start: the
 * dual of another such refit, to start from, or NULL. */
PARE_NODISCARD pare_status fitting_refit(fitting *f, fit_result *out, const all_settings *selected,
                                         const all_settings *final, const int64_t *chosen,
                                         int64_t count, const double *gram, const double *start,
                                         const pare_ctx *ctx, pare_error *err);

/* Which Gram matrices of the training samples a method starts from, numbered as in fitting.gram:
 * its own, and its final classifier's if that is fitted to all features (whole). */
void grams_needed(bool out[GRAM_KINDS], const method *m, const method *classifier,
                  const all_settings *set, const statistics_identity *identity,
                  const pare_data *data, bool whole);
/* The Gram matrix that a method starts from. */
gram_kind gram_of(const method *m, const all_settings *set, const statistics_identity *identity,
                  const pare_data *data);

/* Whether the final classifier predicts: a pure selector's always; a shrunken method's where a
 * number of features was requested, unless its own predictor is wanted (setting `refit`). */
bool ends_in_classifier(const method *m, const all_settings *set);

/* Whether the method's ranking is for one k and does not serve others. */
bool solves_for_k(const method *m, const all_settings *set);

/* How the predictor of such a fit comes to probabilities of classes: by itself where it is the
 * solution of a penalised likelihood, no number of features having been requested; by a temperature
 * where its scores are other log odds; else by sigmoids. */
probability_kind fitting_probability(const method *m, const method *classifier,
                                     const all_settings *set);

/* The settings under which the final classifier runs: those given for it, --classifier-C and
 * --classifier-ridge, and those of m in effect that it passes on (`selected`). */
void classifier_settings(all_settings *out, const method *m, const method *classifier,
                         const all_settings *given, const all_settings *selected);
/* Writes the ridge that the fit of a final classifier used back into `set`. */
void classifier_in_effect(all_settings *set, const method *classifier, const all_settings *final);

#endif
