/* Private to validate/: the samples of a cohort with what the model predicts of them, and the parts of
 * a validation that are computed from them. */
#ifndef PARE_VALIDATE_VALIDATION_H
#define PARE_VALIDATE_VALIDATION_H

#include <pare/validate.h>

#include "model/model.h"

struct pare_validation {
    arena mem;
    pare_validation_info info;
    strings notes;
    const pare_ctx *ctx;
    int64_t n_metrics;
    int64_t metric[MAX_METRICS]; /* those that are judged, of the task's */
    model_recalibration recalibration;
};

/* A data set as the model sees it. */
typedef struct validated_data {
    const char *name;
    const pare_data *given;
    pare_data known; /* the same, with what stands in for absent features */
    strings names;   /* of its columns, where something does */
    int64_t n_absent;
    pare_absent *absent;
    target y;
    double *F;        /* n x outputs: scores */
    double *hazard;   /* n: survival, H(t_i); NULL: the samples' strata are not known */
    double *event_by; /* n: survival, 1 - S(at); NULL: no time was given */
} validated_data;

/* Some of its samples. */
typedef struct cohort_samples {
    const pare_model *model;
    const validated_data *of;
    const int32_t *rows;
    int64_t n, outputs;
    target y;       /* of these samples alone */
    double *F;      /* n x outputs, or NULL */
    double *weight; /* n, or NULL: ones; of survival alone */
    double *Z;      /* n x classes: log odds; or n: risks; recalibrated. NULL: there are none */
    double *P;      /* n x classes: probabilities of the classes; or n: of an event by `at` */
    double *hazard; /* n, or NULL */
    double at;      /* the time of those, or NaN */
} cohort_samples;

__attribute__((format(printf, 3, 4))) PARE_NODISCARD pare_status validation_note(pare_validation *v,
                                                                                 pare_error *err,
                                                                                 const char *format,
                                                                                 ...);

/* absent.c: *of->known is the data with every column that the model needs. */
PARE_NODISCARD pare_status absent_fill(pare_validation *v, validated_data *of, const pare_model *m,
                                       const char *how, const pare_ctx *ctx, pare_error *err);

/* calibration.c: fills in cohort->calibration, if there are probabilities, risks or numbers. */
PARE_NODISCARD pare_status calibration_fill(pare_validation *v, pare_cohort *cohort,
                                            const cohort_samples *s, pare_error *err);
/* logistic_slope.c: y ~ a + z (slope 1) and y ~ a + b z by logistic regression; value NaN where it has no
 * maximum: one class, or separation. */
typedef struct logistic_job {
    int64_t n;
    const double *z;
    const int32_t *cls;
    int64_t positive;
} logistic_job;
pare_estimate logistic_intercept(const logistic_job *of);
pare_estimate logistic_slope(const logistic_job *of, double *intercept);

/* cox_slope.c: b of risk b z by the partial likelihood (Breslow's), within strata; NaN where it has no
 * maximum. */
PARE_NODISCARD pare_status cox_slope(pare_estimate *out, const target *y, int64_t n,
                                     const double *z, const double *weight, const pare_ctx *ctx,
                                     pare_error *err);

/* decision.c */
PARE_NODISCARD pare_status decision_fill(pare_validation *v, pare_cohort *cohort,
                                         const cohort_samples *s, pare_error *err);
PARE_NODISCARD pare_status confusion_fill(pare_validation *v, pare_cohort *cohort,
                                          const cohort_samples *s, double cut, pare_error *err);

/* resample.c: metrics, differences, and the draws of metrics for the pooling (draws x n_metrics). */
enum { VALIDATION_DRAWS = 1000 };
PARE_NODISCARD pare_status metrics_fill(pare_validation *v, pare_cohort *cohort, double *draws,
                                        const cohort_samples *s, const cohort_samples *against,
                                        uint64_t seed, const pare_ctx *ctx, pare_error *err);

/* pooled.c; draws: of each cohort. */
PARE_NODISCARD pare_status pooled_fill(pare_validation *v, const task_type *task,
                                       const double *const *draws, pare_error *err);

/* shift.c */
PARE_NODISCARD pare_status shift_fill(pare_validation *v, pare_cohort *cohort,
                                      const cohort_samples *s, const pare_ctx *ctx,
                                      pare_error *err);

/* recalibrate.c */
PARE_NODISCARD pare_status recalibrate(pare_validation *v, const cohort_samples *s,
                                       const char *kind, const pare_ctx *ctx, pare_error *err);

#endif
