/* A fitted model: the selected features and a small predictor on them. */
#ifndef PARE_MODEL_H
#define PARE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/data.h>
#include <pare/export.h>
#include <pare/files.h>
#include <pare/settings.h>
#include <pare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pare_model pare_model;

/* The outcome of a solve. Not converging is an outcome with its certificate, not an error. */
typedef enum pare_outcome {
    PARE_OPTIMAL = 0, /* to its tolerance, certified */
    PARE_STATIONARY,  /* first-order stationary point of a non-convex problem, certified */
    PARE_COMPUTED,    /* by a formula: nothing was optimised */
    PARE_GREEDY,      /* a search that ran to its end, without a guarantee */
    PARE_MAX_ITER,
    PARE_TIME_LIMIT,
    PARE_CANCELLED
} pare_outcome;

/* The meaning of a certificate's value. */
typedef enum pare_cert_kind {
    PARE_CERT_NONE = 0,
    PARE_CERT_DUALITY_GAP,       /* primal - dual objective at feasible points */
    PARE_CERT_KKT,               /* largest violation of the optimality conditions */
    PARE_CERT_MINIMUM_PRINCIPLE, /* gain of the best vertex on the linearisation */
    PARE_CERT_GLOBAL_GAP         /* objective less a bound that a search over all points found */
} pare_cert_kind;

typedef struct pare_certificate {
    pare_cert_kind kind;
    double value;    /* NaN if the method has none */
    double relative; /* value / max(|primal|, |dual|), 0/0 = 0 */
} pare_certificate;

/* The report of one solve: in scaled units, recomputed from the raw data. */
typedef struct pare_report {
    double objective; /* NaN if the method has none */
    pare_outcome outcome;
    pare_certificate certificate;
} pare_report;

/* "optimal", "duality_gap", ...: as in the model file. Never NULL. */
PARE_API const char *pare_outcome_name(pare_outcome outcome);
/* The same for people: "greedy search, without a guarantee", ... Never NULL. */
PARE_API const char *pare_outcome_text(pare_outcome outcome);
/* Whether the solve ran to its end: optimal, stationary, computed or greedy. */
PARE_API bool pare_outcome_finished(pare_outcome outcome);
PARE_API const char *pare_cert_name(pare_cert_kind kind);

/* Fits the method of `settings`. On success *out owns everything it needs; on failure *out is NULL
 * and err holds the reason. ctx and err may be NULL. Safe to call from many threads on the same
 * data. */
PARE_API PARE_NODISCARD pare_status pare_fit(pare_model **out, const pare_data *data,
                                             const pare_settings *settings, const pare_ctx *ctx,
                                             pare_error *err);
PARE_API void pare_model_free(pare_model *model);

/* Of a model that a path made (pare_path_model): what the path estimated, as the object "path" of the
 * model file, or as words: "accuracy 0.87 (Wilson 95% CI 0.72 to 0.93)", "" without inner folds. *out
 * is NULL for other models. Free with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_model_path_text(char **out, const pare_model *model,
                                                         bool json, const pare_ctx *ctx,
                                                         pare_error *err);

/* A point of the path over lambda, for a fit with the setting `sweep`. */
typedef struct pare_lambda_point {
    double lambda, objective;
    double loss, penalty; /* the objective's two terms, without their weights */
    double gap;           /* relative duality gap; NaN on an exact path, where each point is optimal
                             from its lambda down to that of the next */
    int64_t n_features;
    double deviance; /* twice the loss of all samples (lasso, logistic); NaN for other methods */
    int64_t df;      /* nonzero coefficients of all outputs; 0 if deviance is NaN */
} pare_lambda_point;
/* The whole path, lambda descending, with its coefficients in rows: only features with a nonzero
 * coefficient are listed. Everything is owned by the model. */
typedef struct pare_lambda_path {
    int64_t count; /* points; 0: no path, or the model was read from a file */
    const pare_lambda_point *point;
    int64_t n_outputs;
    const double *intercept; /* count x n_outputs: output o of point p at p * n_outputs + o */
    const int64_t *start;    /* count + 1: rows start[p] .. start[p + 1] - 1 belong to point p */
    const int64_t *index;    /* per row: the feature's column in the training data */
    const double *coef;      /* per row n_outputs numbers, in the units of the raw input */
} pare_lambda_path;

/* All there is to know of a model. Everything is the model's own, and does not change; later versions
 * add fields at the end. */
typedef struct pare_model_info {
    const char *method, *task; /* task: "binary", "multiclass", ... */
    int64_t n_samples, n_features;
    /* The selected features, best first, the n_kept forced-in ones (pare_data_set_kept) before the
     * others: 0-based column in the training data, name, score. */
    int64_t n_selected, n_kept;
    const int64_t *index;
    const char *const *name;
    const double *score;
    int64_t n_classes; /* 0 unless a classifier */
    const char *const *classes;
    /* Outputs, in the units of the raw input: output o predicts
     * intercept[o] + sum_i coef[o * n_selected + i] x_i.
     * coef is NULL unless linear (a kernel has none). */
    int64_t n_outputs;
    const double *coef, *intercept;
    const int64_t *pairs; /* NULL unless outputs are of pairs of classes (one against one): output o
                             is positive for class pairs[2 o + 1] against pairs[2 o] */
    int64_t n_scores;     /* of a sample: one, or one per class if there are several. They are the
                             outputs, unless those are of pairs: see pare_predict */
    pare_report predictor; /* of the predictor's solve */
    bool has_selection;    /* the predictor is a refit, and selection the report of the problem that
                              selected */
    pare_report selection;
    int64_t iterations; /* of all solves of the fit */
    double seconds;     /* wall time of the fit if the context requested timing, else negative */
    bool imputes;       /* can predict samples with missing values */
    bool
        has_probability; /* has class probabilities: if it was fitted with the setting `probability`,
                             and without it those of logistic and sbmlr where no k was given */
    /* The columns that prediction needs: the selected features, or the factors of selected
     * monomials. */
    int64_t n_needed;
    const int64_t *needed_index;
    const char *const *needed_name;
    /* The method's full ranking, best first, of n_features columns or of the monomials, with scores,
     * p-values and q-values (Benjamini and Hochberg), NULL where the method has none. ranking is
     * NULL for a model read from a file, ranking_name unless names are not the data's (monomials). */
    int64_t n_ranked;
    const int64_t *ranking;
    const char *const *ranking_name;
    const double *ranking_score, *ranking_p, *ranking_q;
    /* The weights of features in the selection (kta, uniform, kta-centered), best first; 0 for other
     * methods. */
    int64_t n_weights;
    const int64_t *weight_index;
    const double *weight;
    pare_lambda_path lambda_path;
    int64_t n_notes; /* for the user: automatic choices, or special properties of these data */
    const char *const *notes;
    /* The columns that can stand in for selected features (the setting `alternatives`). */
    int64_t n_alternatives;
    const int64_t *alternative_index;
    const char *const *alternative_name;
} pare_model_info;
PARE_API const pare_model_info *pare_model_get(const pare_model *model);
/* A setting in effect, as text: see pare_settings_get. */
PARE_API PARE_NODISCARD pare_status pare_model_setting(const pare_model *model, const char *name,
                                                       char *buffer, int64_t size, pare_error *err);

/* Scores of every sample of data, n x n_scores column-major, into scores: the outputs; or, if those
 * are of pairs of classes, each class's votes plus s / (3 (1 + |s|)), s the sum of its outputs,
 * positive for it. Columns are matched by name if both sides have names, else by index. */
PARE_API PARE_NODISCARD pare_status pare_predict(double *scores, const pare_model *model,
                                                 const pare_data *data, const pare_ctx *ctx,
                                                 pare_error *err);
/* The class that the scores of one sample (n_scores numbers, stride apart) predict: the last class
 * of two if the score is positive, the largest of several, the first of equals. */
PARE_API int64_t pare_model_decide(const pare_model *model, const double *scores, int64_t stride);

/* The class probabilities of every sample of data, n x n_classes column-major in the order of the
 * classes; each row sums to 1. With calibrated ones the most probable class may differ from
 * pare_model_decide's. */
PARE_API PARE_NODISCARD pare_status pare_predict_probability(double *probability,
                                                             const pare_model *model,
                                                             const pare_data *data,
                                                             const pare_ctx *ctx, pare_error *err);

/* Of a model of survival, whose score of a sample is its risk: the probability of no event until each
 * of n_times times >= 0, n x n_times column-major, into survival; and into median, unless it is NULL,
 * the first time at which that is at most 1/2, NaN where there is none. A model that was fitted with
 * strata needs those of the data. */
PARE_API PARE_NODISCARD pare_status pare_predict_survival(double *survival, double *median,
                                                          const pare_model *model,
                                                          const pare_data *data,
                                                          const double *times, int64_t n_times,
                                                          const pare_ctx *ctx, pare_error *err);

/* How well the model predicts data with a target: its task's metrics, the majority-class (or mean)
 * baseline, and for classes the confusion matrix, as a table or as one JSON object. Free with
 * pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_score_text(char **out, const pare_model *model,
                                                    const pare_data *data, bool json,
                                                    const pare_ctx *ctx, pare_error *err);

/* Restricts the data to the features that the model was fitted to, if some had been left out
 * (`exclude`, `only`): pare_check and pare_verify require that. Data that have as many features as
 * the model are not changed. */
PARE_API PARE_NODISCARD pare_status pare_model_leave(const pare_model *model, pare_data *data,
                                                     const pare_ctx *ctx, pare_error *err);

/* Recomputes objective and certificate of the predictor, and of the selection problem if there is
 * one and `selection` is not NULL, from the raw training data; shares no code with the solvers.
 * Other data than the training data are an error. */
PARE_API PARE_NODISCARD pare_status pare_check(pare_report *predictor, pare_report *selection,
                                               const pare_model *model, const pare_data *data,
                                               const pare_ctx *ctx, pare_error *err);

/* The result of checking a model against its training data. */
typedef struct pare_verdict {
    bool holds;    /* every number that the model predicts with or reports agrees with the data */
    bool finished; /* its solves were not stopped; scores of stopped ones are not checked */
    bool has_selection;
    pare_report predictor, selection; /* recomputed; selection only if there is one */
    char sentence[256];               /* the verdict: the certificate, or the field that is wrong */
} pare_verdict;

/* pare_check, and whether the model's own numbers agree. Fields that no certificate covers (the
 * scores of a selection, predictors without a certificate) are recomputed from the data by the
 * method itself, which takes as long as the fit. Other data than the training data are an error. */
PARE_API PARE_NODISCARD pare_status pare_verify(pare_verdict *out, const pare_model *model,
                                                const pare_data *data, const pare_ctx *ctx,
                                                pare_error *err);

/* The model file (JSON). Writes a temporary file and renames it: a failure leaves no file
 * behind. */
PARE_API PARE_NODISCARD pare_status pare_model_save(const pare_model *model, const char *path,
                                                    const pare_ctx *ctx, pare_error *err);
/* The same JSON object as text into *out, to be freed with pare_text_free. */
PARE_API PARE_NODISCARD pare_status pare_model_text(char **out, const pare_model *model,
                                                    const pare_ctx *ctx, pare_error *err);
/* A model from `size` bytes of such a text, which need not end with a NUL and are not kept. */
PARE_API PARE_NODISCARD pare_status pare_model_parse(pare_model **out, const char *text,
                                                     size_t size, const pare_ctx *ctx,
                                                     pare_error *err);
PARE_API PARE_NODISCARD pare_status pare_model_load(pare_model **out, const char *path,
                                                    const pare_ctx *ctx, pare_error *err);

#ifdef __cplusplus
}
#endif
#endif
