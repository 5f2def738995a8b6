/* Does a model hold elsewhere? Its predictions judged on other cohorts: metrics with intervals,
 * calibration, net benefit, and how far the cohort's features are from those of the training. */
#ifndef PARE_VALIDATE_H
#define PARE_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/data.h>
#include <pare/export.h>
#include <pare/model.h>
#include <pare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pare_validation pare_validation;

/* What to do. Fill with pare_validate_options_init, then change fields. Every pointer is borrowed for
 * the call only. */
typedef struct pare_validate_options {
    size_t struct_size; /* set by pare_validate_options_init */
    bool by_group;      /* the fold groups of the only data set are its cohorts */
    const char *absent; /* selected features that a data set lacks: "refuse" (default), "mean": that
                           of the training samples, or "alternative": the first of the model's
                           alternatives that is there, by its regression line */
    double prevalence;  /* of the positive class where the model is to be used; NaN (default): that
                           of the cohort */
    double cut;         /* a probability for a further confusion matrix; NaN (default): none */
    double at;          /* survival: the time of the decision curve and the calibration plot; NaN
                           (default): none */
    const char *recalibrate;   /* "none" (default), "intercept" or "slope": see
                                pare_validation_recalibrated */
    const pare_model *against; /* a model of the same outcome to compare with, or NULL */
} pare_validate_options;

PARE_API void pare_validate_options_init_sized(pare_validate_options *options, size_t struct_size);
#define pare_validate_options_init(options)                                                        \
    pare_validate_options_init_sized((options), sizeof *(options))

/* Judges the model by `count` data sets with a target, a cohort each, with their names. options, ctx
 * and err may be NULL. The context's seed is that of the resampling. */
PARE_API PARE_NODISCARD pare_status pare_validate(pare_validation **out, const pare_model *model,
                                                  const pare_data *const *data,
                                                  const char *const *names, int64_t count,
                                                  const pare_validate_options *options,
                                                  const pare_ctx *ctx, pare_error *err);
PARE_API void pare_validation_free(pare_validation *validation);

/* A number and its 95% confidence interval; NaN: not defined. */
typedef struct pare_estimate {
    double value, low, high;
} pare_estimate;

/* Samples of similar predictions: their mean, what was observed, and its interval. */
typedef struct pare_calibration_bin {
    double predicted, observed, low, high;
    int64_t n;
} pare_calibration_bin;

typedef struct pare_calibration {
    pare_estimate intercept; /* with the slope held at 1 */
    pare_estimate slope;
    pare_estimate observed_expected;
    int64_t n_bins;
    const pare_calibration_bin *bin;
} pare_calibration;

typedef struct pare_decision {
    double threshold, net_benefit, treat_all, treat_none;
} pare_decision;

/* A selected feature of a cohort against the training samples. */
typedef struct pare_shift {
    const char *name;
    double difference; /* of the means, in deviations of the training samples */
    double outside;    /* proportion of the values outside the range of the training samples */
} pare_shift;

/* A selected feature that the cohort's data lack, and what stands in for it. */
typedef struct pare_absent {
    const char *name;
    const char *by; /* the alternative; NULL: the mean of the training samples */
} pare_absent;

typedef struct pare_confusion {
    double cut;           /* probability from which on the last class is predicted; NaN: the model's
                             own decision */
    const int64_t *count; /* n_classes x n_classes, a row for each true class */
} pare_confusion;

typedef struct pare_cohort {
    const char *name;
    int64_t n, n_events;         /* events: samples of the last of two classes, or of survival */
    const pare_estimate *metric; /* n_metrics */
    int64_t n_calibrations;      /* 0: there are no probabilities; else 1, or one per class */
    const pare_calibration *calibration;
    int64_t n_thresholds;          /* 0: no decision curve */
    const pare_decision *decision; /* n_thresholds for each calibration */
    int64_t n_shifts;
    const pare_shift *shift;
    int64_t n_absent;
    const pare_absent *absent;
    int64_t n_confusions;
    const pare_confusion *confusion;
    const pare_estimate *difference; /* n_metrics: model minus `against`; or NULL */
} pare_cohort;

/* Of several cohorts: the mean over cohorts, and where a further cohort's value is expected. */
typedef struct pare_pooled {
    pare_estimate mean;
    double prediction_low, prediction_high;
    double tau2; /* variance between cohorts, on the scale of the pooling */
} pare_pooled;

/* All there is to know of a validation. Everything is its own, and does not change; later versions
 * add fields at the end. */
typedef struct pare_validation_info {
    const char *task;
    int64_t n_metrics;
    const char *const *metric; /* names */
    int64_t n_classes;
    const char *const *classes;
    int64_t n_cohorts;
    const pare_cohort *cohort;
    const pare_pooled *pooled; /* n_metrics; NULL: one cohort */
    double prevalence, at;     /* as they were given */
    int64_t n_notes;           /* for the user: what is not defined and why, what differs */
    const char *const *notes;
} pare_validation_info;
PARE_API const pare_validation_info *pare_validation_get(const pare_validation *validation);

/* With the option `recalibrate`: a copy of the model whose probabilities, or survival curves, follow
 * what was observed on these samples. Outputs and predictions stay. Free with pare_model_free. */
PARE_API PARE_NODISCARD pare_status pare_validation_recalibrated(pare_model **out,
                                                                 const pare_validation *validation,
                                                                 const pare_model *model,
                                                                 const pare_ctx *ctx,
                                                                 pare_error *err);

/* The validation as one JSON object, and as a table (TSV) `cohort metric value low high`. Free with
 * pare_text_free. model: the one that was validated, whose path's estimate is shown alongside. */
PARE_API PARE_NODISCARD pare_status pare_validation_json(char **out,
                                                         const pare_validation *validation,
                                                         const pare_model *model,
                                                         const pare_ctx *ctx, pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_validation_tsv(char **out,
                                                        const pare_validation *validation,
                                                        const pare_model *model,
                                                        const pare_ctx *ctx, pare_error *err);

/* The same as one self-contained HTML page. command: shown on it, may be NULL. */
PARE_API PARE_NODISCARD pare_status pare_validation_html(char **out,
                                                         const pare_validation *validation,
                                                         const pare_model *model,
                                                         const char *command, const pare_ctx *ctx,
                                                         pare_error *err);

#ifdef __cplusplus
}
#endif
#endif
