/* One method on some of the samples: imputation and scaling by their statistics, the method, the
 * choice of features, the refit on them. pare_fit runs it on all samples, cross-validation on each
 * fold's training part; nothing outside `rows` is ever looked at. */
#ifndef PARE_SELECT_FITTING_H
#define PARE_SELECT_FITTING_H

#include "data/feature/scaling.h"
#include "method/method.h"

/* What the statistics of a training part depend on beside its samples: two fits may share them where
 * all of it is equal, and only there. */
typedef struct base_identity {
    char scale[CHOICE_SIZE]; /* never auto */
    char missing[CHOICE_SIZE];
    char row_scale[CHOICE_SIZE];
    char class_weight[TEXT_SIZE];
    bool intercept;
    bool centred; /* raw columns are about their means: see method.shift_free */
    bool apart;   /* columns are off their means, where an intercept would take up the shift */
    const task_type *task;
} base_identity;

base_identity identity_of(const method *m, const all_settings *set, const pare_data *data,
                          const task_type *task);
bool identity_same(const base_identity *a, const base_identity *b);

typedef struct fitting {
    const pare_data *data;
    base_identity identity;
    const method *m;
    const method *classifier; /* the final classifier of a pure selector */
    const all_settings *set;  /* as they were given */
    target y;                 /* of the rows */
    const double *weight;     /* of the rows, with those of their classes; or NULL */
    const double *offset;     /* the same */
    feature_terms terms;
    scaling sc;
    double *idf;                    /* of every feature, or NULL: see data/feature/row_scale.h */
    view x;                         /* the rows, imputed and scaled */
    view raw;                       /* the rows, imputed */
    view by_cost;                   /* x with every column over its cost, where there are costs */
    const double *mean;             /* see fit_job */
    const double *gram[GRAM_KINDS]; /* where somebody has it, or NULL; the caller keeps it */
    fit_scores *scored;             /* of some filters, where somebody has them, or NULL */
    int64_t n_scored;
    double *given; /* per feature: what a two-stage method's selection gave it, or NULL */
    struct passed_over *passed; /* of the last pick: see select/max_correlation.h */
    int64_t n_passed, n_picked; /* n_picked: groups or features, those that are kept aside */
    arena mem;
} fitting;

/* Computes the scaling. y: the target of all samples. rows: the training samples, NULL: all; they and
 * the settings must stay alive. Free with fitting_end, also after a failure. */
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

/* Another method, or other settings of one, on the samples of `base`, whose target, weights and
 * scaling are taken over: their identities must be the same. base must live as long; fitting_end as
 * well. */
void fitting_share(fitting *f, const fitting *base, const method *m, const method *classifier,
                   const all_settings *set, const pare_ctx *ctx);

/* The columns as a method sees them: where costs weigh its penalty, each over its cost. */
const view *fitting_view(const fitting *f, const method *m);

/* Which features a fit takes: those that are kept, then k of the ranking or what a budget is enough for,
 * or, where neither is said, the method's own support or the best of a ranking; never constant ones
 * that are not kept. */
typedef struct amount {
    int64_t k;     /* beside those that are kept; < 0: not said */
    double budget; /* above 0: instead of k */
} amount;
amount fitting_amount(const fitting *f); /* as the settings say */

/* The method on all features. of: what is wanted of them; k not above 0: not said. */
PARE_NODISCARD pare_status fitting_run(fitting *f, fit_result *out, amount of, const pare_ctx *ctx,
                                       pare_error *err);
/* In the order of the ranking, *count of them, groups as a whole; those that were passed over for their
 * correlation with one of them are in f->passed then. */
PARE_NODISCARD pare_status fitting_pick(int64_t **chosen, int64_t *count, fitting *f,
                                        const fit_result *r, amount of, const pare_ctx *ctx,
                                        pare_error *err);
/* Whether the predictor on the chosen is another fit: of a final classifier, or not on all of the
 * method's own support. */
bool fitting_refits(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count);

/* The final classifier of a pure selector, or the method itself, on the chosen features alone.
 * selected: the settings in effect in the selection, or NULL: those given. final: the final
 * classifier's settings are as given there. gram: of the chosen features, or NULL. start: the dual of
 * another such refit, to start from, or NULL. */
PARE_NODISCARD pare_status fitting_refit(fitting *f, fit_result *out, const all_settings *selected,
                                         const all_settings *final, const int64_t *chosen,
                                         int64_t count, const double *gram, const double *start,
                                         const pare_ctx *ctx, pare_error *err);

/* Which Gram matrices of the training samples a method starts from, numbered as in fitting.gram: its
 * own, and its final classifier's if that is fitted to all features (whole). */
void grams_wanted(bool out[GRAM_KINDS], const method *m, const method *classifier,
                  const all_settings *set, const base_identity *identity, const pare_data *data,
                  bool whole);
/* The one that a method starts from. */
gram_kind gram_of(const method *m, const all_settings *set, const base_identity *identity,
                  const pare_data *data);

/* Whether the final classifier predicts: a pure selector's always; and a shrunken method's where a
 * number of features was asked for, unless its own is wanted (setting `refit`). */
bool ends_in_classifier(const method *m, const all_settings *set);

/* Whether the method's ranking is that of one k and does not serve others. */
bool solves_for_k(const method *m, const all_settings *set);

/* Whether the predictor that such a fit ends in gives log odds of the classes. */
bool fitting_has_odds(const method *m, const method *classifier, const all_settings *set);

/* The settings under which the final classifier runs: those given for it, --classifier-C and
 * --classifier-ridge, and what m hands on of its own in effect (`selected`). */
void classifier_settings(all_settings *out, const method *m, const method *classifier,
                         const all_settings *given, const all_settings *selected);
/* What the fit of a final classifier made of --classifier-ridge goes back into `set`. */
void classifier_in_effect(all_settings *set, const method *classifier, const all_settings *final);

#endif
