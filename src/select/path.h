/* The path as plain data: rounds of cross-validation fill it in and the reports read it. */
#ifndef PARE_SELECT_PATH_H
#define PARE_SELECT_PATH_H

#include <stdatomic.h>
#include <pare/model.h>
#include <pare/path.h>

#include "base/context.h"
#include "method/method.h"
#include "select/compare.h"
#include "select/control.h"
#include "select/interval.h"
#include "select/measure.h"
#include "select/plan.h"
#include "select/stability.h"
#include "select/summary.h"
#include "select/units.h"
#include "task/risk_summary.h"

/* A method of the path and what --tune may choose from. */
typedef struct path_method {
    const char *name; /* as it was asked for, `auto` too */
    const method *m, *classifier;
    const pare_data *data;   /* what it is fitted to: the path's, or expanded for it */
    int64_t d, n_kept;       /* of that: features, and those forced in, which every selection
                                  begins with and no size counts */
    int64_t n_grid;          /* 1 without tuning */
    all_settings *grid;      /* n_grid settings */
    int64_t n_final;         /* so many consecutive settings run together: they differ in the final
                                classifier's only, or are points along the method's own parameter */
    unit_totals units;       /* what it has to choose from */
    bool limits_correlation; /* limits the correlation of its features: see
                                select/max_correlation.h */
    bool probable;           /* there are probabilities, its predictors' own or calibrated */
    const char *tuned;       /* the settings that differ between them, blank-separated, or NULL */
} path_method;

/* The result of one method on one split. Fixed size, so that a checkpoint can store it as it is. */
typedef struct fold_result {
    bool done;
    double *score; /* n_sizes x metrics, NaN where not defined; then `metrics` nested ones: those at
                      the size that the training fold alone would have chosen; then the
                      calibration of each size, see round_calibrate.h; then the task's summary of
                      each size */
    double *F;     /* n_sizes x test samples x outputs where they are kept, else NULL */
    double *P;     /* n_sizes x test samples x classes: their probabilities, where there are any */
    double *loss;  /* n_sizes x test samples: their parts in a metric, where the task has one */
    int64_t *number; /* n_sizes: features used; n_sizes: position in the grid; then the nested
                        size's position (-1: none) and unconverged fits; then the features
                        themselves for each size, in the places that pick_start gives */
} fold_result;

/* What all rounds share. */
typedef struct path_setup {
    const pare_data *data; /* the data of all methods if they have the same, else the path's */
    int64_t n_methods;
    path_method *method;
    int64_t n_sizes;
    int64_t *sizes;
    const double *along;  /* n_sizes values of the only method's own parameter, for a path along
                             that; sizes are then those on all samples. Or NULL */
    const double *budget; /* n_sizes budgets instead of sizes; or NULL */
    int64_t n_kept;       /* forced-in features of data */
    unit_totals units;    /* what sizes and budgets are of, for every method */
    bool keeps_scores;    /* of the true labels: for the predictions */
    int64_t outputs, n_classes; /* of every predictor */
    int64_t n_summary;          /* numbers that the task keeps of each; 0: none */
    double at;                  /* the time that they are of */
    int64_t n_metrics, metric;  /* of the task; the one that chooses the size */
    bool higher;
    choice_rule rule;
    double tolerance;
    cv_request request, inner; /* inner.folds 0: none */
    int64_t n_kinds;           /* of shared statistics: methods with the same identity */
    struct shared_kind *kind;  /* use the same kind */
    int64_t *pick_start;       /* n_sizes + 1: where the features of each size are in a result */
    uint64_t seed;
    int64_t n_parts, n_rounds; /* of the whole path, permutations included */
    int64_t shard, n_shards;   /* which share of the work to do, from 0; n_shards 0: all */
} path_setup;

/* What a position on the path is: a number of features, or a budget for their costs. */
double path_size(const path_setup *p, int64_t s);

/* The shard of n_shards that has this work: adjacent splits go to different shards, and each shard
 * gets a share of every method. */
int64_t shard_of(const path_setup *p, int64_t n_shards, int64_t round, int64_t part, int64_t m);

/* Features whose values a report shows, and of how many samples at most. */
enum { MAX_LISTED_VALUES = 30, MAX_VALUES_SAMPLES = 2000 };

/* Features are listed for stability if a predictor has at most this many. */
enum { MAX_PICKS = 2000 };

/* Sizes of fold_result's arrays, and where their fields are. Only the true labels keep picks. */
int64_t fold_scores(const path_setup *p);
int64_t fold_numbers(const path_setup *p, bool keeps_picks);
double *fold_nested(const path_setup *p, const fold_result *r);
double *fold_calibration(const path_setup *p, const fold_result *r, int64_t s);
double *fold_summary(const path_setup *p, const fold_result *r, int64_t s);
int64_t fold_nested_size(const path_setup *p, const fold_result *r); /* its position, -1: none */
/* Numbers of F, P and loss together; 0: not kept. */
int64_t fold_kept(const path_setup *p, const cv_part *part, int64_t m);
int64_t fold_used(const fold_result *r, int64_t s);
int64_t fold_tuned(const path_setup *p, const fold_result *r, int64_t s);
int64_t fold_unconverged(const path_setup *p, const fold_result *r);
/* The fold_used() features of size s, or NULL if there are too many to list. */
const int64_t *fold_picks(const path_setup *p, const fold_result *r, int64_t s);

/* The inner folds of a split, which all methods share, and their shared statistics. */
typedef struct inner_parts {
    cv_plan plan;
    struct fitting *shared; /* splits x kinds */
} inner_parts;

/* A method on a split while its folds run. */
typedef struct part_under_way {
    double *inner;     /* metrics of the inner folds: grid x inner splits x n_sizes x metrics */
    double *F;         /* decision values of the inner folds' test samples, which are all training
                          samples: grid x n_sizes x (samples x outputs); NULL: nothing to calibrate */
    double *outer;     /* the same of the split itself, n_sizes x (test samples x outputs) */
    atomic_llong left; /* of its folds */
} part_under_way;

/* One cross-validation of all methods: the true labels (number 0) or permuted ones. */
typedef struct path_round {
    const path_setup *setup;
    const target *y;
    const cv_plan *plan;
    bool nested;
    fold_result *result;       /* splits x methods: [j * n_methods + m] */
    struct fitting *shared;    /* splits x kinds, of the splits from `from` on, while they run */
    inner_parts *inner;        /* of the same, where a method needs inner folds */
    part_under_way *under_way; /* of the same splits x methods */
    int64_t from, folds;       /* folds: jobs of a method on a split */
    struct checkpoint *kept;   /* or NULL */
    int64_t number;            /* 0: the true labels */
} path_round;

PARE_NODISCARD pare_status round_alloc(path_round *r, arena *mem, int64_t n_parts, pare_error *err);
/* Runs what is not done yet. before and share: progress before this call and its share of the
 * whole. */
PARE_NODISCARD pare_status round_run(path_round *r, double before, double share,
                                     interruption *stopped, const pare_ctx *ctx, pare_error *err);
/* point[s]: the metric's estimate of method m at each size. */
void round_points(const path_round *r, int64_t m, int64_t metric, estimate *point);

/* --- the report --- */

typedef struct path_null {
    double p, mean, low, high; /* of the permutation null of the mean; low, high: 5% and 95% */
    double least;              /* the least p that so many permutations can give */
    int64_t count;             /* permutations */
    double p_methods; /* of the best method's score among the best of each permutation; NaN: one
                         method, or a point */
} path_null;

/* Members that path_fields.def makes. */
typedef double path_REAL;
typedef int64_t path_INTEGER;
typedef bool path_FLAG;
typedef const char *path_TEXT;
#define PATH_MEMBER(type, member, ...) path_##type member;

typedef struct path_point {
#define POINT_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    estimate metric[MAX_METRICS];
    interval interval; /* of the metric that chooses the size, see bootstrap.h */
    double pooled_r2;  /* over the test samples of all splits together; NaN: the task has no R2 */
    path_null null;
    stability stable;
    int64_t tuned; /* the position in the grid that most splits chose */
} path_point;

/* Numbers of features (or budgets) that the outer folds chose for the nested CV estimate. */
typedef struct path_sizes_chosen {
    double low, median, high;
    int64_t count, as_chosen; /* folds that chose one; that chose the one of the final model */
} path_sizes_chosen;

typedef struct path_substitute {
    int64_t index;
    const char *name;
    double correlation;
    double loss; /* increase of the metric's loss by the exchange; negative: a gain */
} path_substitute;

typedef struct path_feature {
#define FEATURE_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    const double *coef;   /* one per output, or NULL */
    const double *weight; /* the coefficient per standard deviation of the feature */
    const double *value;  /* n, raw, of the first MAX_LISTED_VALUES features; or NULL */
    int64_t n_substitutes;
    path_substitute *substitute;
} path_feature;

typedef struct path_frequency {
#define FREQUENCY_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    double *share; /* one per size; 1 at sizes of d and more */
} path_frequency;

/* A feature enters or leaves between two values of the path's parameter, on all samples. */
typedef struct path_juncture {
#define JUNCTURE_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    double value[2]; /* ascending */
    double gap[2];   /* relative, of the whole problem at each, from raw data */
} path_juncture;

/* A cohort that was left out: predictions of its samples by a training fold of all others. */
typedef struct path_cohort {
#define COHORT_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    interval interval; /* of the value */
} path_cohort;

/* Held-out samples of similar risk; see select/risk_groups.h. */
typedef struct path_risk_group {
#define RISK_GROUP_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    survival_curve curve;
} path_risk_group;

/* Held-out samples of similar predicted survival up to the path's time. */
typedef struct path_survival_group {
#define SURVIVAL_GROUP_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
} path_survival_group;

/* What a final fit of risks is found to be like; NaN: not tested. */
typedef struct path_hazards {
    double chi2, df, p; /* of proportional hazards, all features together */
} path_hazards;

enum { MAX_RISK_GROUPS = 5, MAX_SURVIVAL_GROUPS = 5 };

typedef struct path_run {
#define RUN_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    const path_method *method;
    path_point *point;
    estimate nested[MAX_METRICS];
    interval nested_interval; /* as that of a point */
    path_sizes_chosen outer;
    bool has[MAX_METRICS];     /* whether a metric is defined anywhere; not probable: always */
    path_null null;            /* permutation test of the mean at the chosen size, the choice
                                    included */
    stability stable;          /* that of the chosen size */
    path_frequency *frequency; /* n_frequency features, by selection frequency at the chosen
                                    size */
    int64_t n_frequency;       /* listed; 0: the chosen size has too many */
    int64_t n_core;            /* features selected in 90% of the splits or more lead the list */
    path_feature *feature; /* the fit on all samples at the chosen size: n_feature of the n_selected
                              are listed, none if the path was stopped */
    int64_t n_feature, n_outputs;
    int64_t pairs; /* see predictor */
    /* Of that fit: its scaling in effect, its outcomes; "": the path was stopped before it. */
    char scale[CHOICE_SIZE];
    bool has_selection;
    pare_outcome selection, predictor;
    bool has_junctures; /* they were requested and found */
    int64_t n_junctures;
    path_juncture *juncture; /* by falling values */
    path_cohort *cohort;     /* n_cohorts of the path, in the order of the splits */
    control_result control;  /* done: requested and finished */
    path_hazards hazards;
    /* -1: the task has none; 0: not kept. */
    int64_t n_risk_groups, n_survival_groups;
    path_risk_group risk_group[MAX_RISK_GROUPS];
    path_survival_group survival_group[MAX_SURVIVAL_GROUPS];
    fold_result *alone; /* of each split, the predictor on the forced-in covariates alone; NULL:
                           there are none */
} path_run;

typedef struct path_pair {
#define PAIR_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    paired_test test;
} path_pair;

struct pare_path {
#define PATH_FIELDS
#define FIELD PATH_MEMBER
#include "select/path_fields.def"
    arena mem;
    const pare_data *whole;  /* while it runs: as they were given */
    const pare_data *source; /* while it runs: the samples of positive weight */
    int32_t *given_row;      /* n: the given row of each sample; NULL: all rows are samples */
    int64_t rows;            /* of the data as given: n and the samples of weight 0 */
    path_setup setup;
    target y;
    cv_plan plan;
    path_round round; /* the true labels */
    control_request control;
    double baseline[MAX_METRICS]; /* of the majority-class (or mean) baseline: see baseline.h */
    path_run *run;
    int64_t best;     /* the run with the best nested CV estimate, without inner folds that with the
                       best mean at its chosen size; -1: none */
    int64_t wanted;   /* the run that the model was requested of; -1: the best */
    bool keeps_model; /* that of the best run was requested: */
    pare_model *model; /* or NULL */
    int64_t n_null;
    bool grouped, given, tuned;
    int64_t n_cohorts; /* that are left out in turn, a split each; 0: folds are no cohorts */
    const char **cohort_name;
    int64_t n_batches; /* that features are adjusted for; 0: none */
    batch_method batch_by;
    batch_unseen unseen;
    int64_t n_pairs; /* 0: one method */
    path_pair *pair;
    double *rank;
    char sha256[65];
    /* Weights of the features at each point, on all samples; NULL: not requested. */
    int64_t *weight_start; /* n_sizes + 1 */
    int64_t *weight_index;
    double *weight;
    strings notes;
};

#endif
