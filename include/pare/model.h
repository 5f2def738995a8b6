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

/* The report of the predictor's solve. */
PARE_API void pare_model_report(pare_report *out, const pare_model *model);
/* The report of the selection problem if the predictor is a refit; returns false if it is not. */
PARE_API bool pare_model_selection(pare_report *out, const pare_model *model);
PARE_API const char *pare_model_method(const pare_model *model);
PARE_API const char *pare_model_task(const pare_model *model); /* "binary", "multiclass", ... */
PARE_API int64_t pare_model_n_samples(const pare_model *model);
PARE_API int64_t pare_model_n_features(const pare_model *model);
PARE_API bool pare_model_imputes(const pare_model *model);       /* can predict samples with missing
                                                                    values */
PARE_API int64_t pare_model_iterations(const pare_model *model); /* of all solves of the fit */

PARE_API int64_t pare_model_n_selected(const pare_model *model);
PARE_API int64_t pare_model_n_outputs(const pare_model *model);
/* The number of scores of a sample: one, or one per class if there are several. They are the
 * outputs, unless those are of pairs of classes: see pare_predict. */
PARE_API int64_t pare_model_n_scores(const pare_model *model);
/* Whether outputs are of pairs of classes (one against one); the pair of output o, which is
 * positive for the second of them, as for two classes. */
PARE_API bool pare_model_pair(const pare_model *model, int64_t o, int64_t *first, int64_t *second);
/* The i-th best selected feature: its 0-based column in the training data, its name (owned by the
 * model) and its score. */
PARE_API int64_t pare_model_index(const pare_model *model, int64_t i);
PARE_API const char *pare_model_name(const pare_model *model, int64_t i);
PARE_API double pare_model_score(const pare_model *model, int64_t i);
/* The number of forced-in features, which are the first selected ones: pare_data_set_kept. */
PARE_API int64_t pare_model_n_kept(const pare_model *model);
/* All of them at once: their number, columns and scores, best first. index and score may be NULL.
 * Owned by the model. */
PARE_API int64_t pare_model_selected(const pare_model *model, const int64_t **index,
                                     const double **score);
/* A setting in effect, as text: see pare_settings_get. */
PARE_API PARE_NODISCARD pare_status pare_model_setting(const pare_model *model, const char *name,
                                                       char *buffer, int64_t size, pare_error *err);
/* Wall seconds of the fit, if the context requested timing; negative otherwise. */
PARE_API double pare_model_seconds(const pare_model *model);
/* Whether the model has coefficients, not a kernel. */
PARE_API bool pare_model_is_linear(const pare_model *model);
/* In the units of the raw input (NaN unless linear): prediction of output o = intercept + sum_i
 * coef * x. */
PARE_API double pare_model_coef(const pare_model *model, int64_t o, int64_t i);
PARE_API double pare_model_intercept(const pare_model *model, int64_t o);
/* All of them at once: n_selected x n_outputs column-major, that of output o and the i-th best
 * feature at o * n_selected + i, or NULL unless linear; and if intercept is not NULL the n_outputs
 * intercepts. Owned by the model. */
PARE_API const double *pare_model_coefs(const pare_model *model, const double **intercept);
PARE_API int64_t pare_model_n_classes(const pare_model *model); /* 0 unless a classifier */
PARE_API const char *pare_model_class(const pare_model *model, int64_t c);
/* The columns that prediction needs: the selected features, or the factors of selected
 * monomials. */
PARE_API int64_t pare_model_n_needed(const pare_model *model);
PARE_API int64_t pare_model_needed_index(const pare_model *model, int64_t i);
PARE_API const char *pare_model_needed_name(const pare_model *model, int64_t i);
/* The number of ranked columns: n_features, or the number of monomials (poly-arom). */
PARE_API int64_t pare_model_n_ranked(const pare_model *model);
/* The name of the i-th in the ranking if it is not the data's own (a monomial), else NULL. */
PARE_API const char *pare_model_ranking_name(const pare_model *model, int64_t i);
/* All n_ranked columns, best first: the method's full ranking, and if score is not NULL their
 * scores in that order. NULL for a model read from a file. Owned by the model. */
PARE_API const int64_t *pare_model_ranking(const pare_model *model, const double **score);
/* The p-values of all n_ranked columns in the order of the ranking, and their q-values (Benjamini
 * and Hochberg); returns false, and NULL, if the method has none or the model was read from a file.
 * Owned by the model. */
PARE_API bool pare_model_ranking_p(const pare_model *model, const double **p, const double **q);
/* The weights of features in the selection (kta, uniform, kta-centered): returns their number, and
 * in *index and *weight their columns and weights, best first; 0 for other methods. Owned by the
 * model. */
PARE_API int64_t pare_model_weights(const pare_model *model, const int64_t **index,
                                    const double **weight);
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
/* Fills *out and returns its count. */
PARE_API int64_t pare_model_lambda_path(pare_lambda_path *out, const pare_model *model);
/* Notes for the user: automatic choices, or special properties of these data. */
PARE_API int64_t pare_model_n_notes(const pare_model *model);
PARE_API const char *pare_model_note(const pare_model *model, int64_t i);

/* Scores of every sample of data, n x n_scores column-major, into scores: the outputs; or, if those
 * are of pairs of classes, each class's votes plus s / (3 (1 + |s|)), s the sum of its outputs,
 * positive for it. Columns are matched by name if both sides have names, else by index. */
PARE_API PARE_NODISCARD pare_status pare_predict(double *scores, const pare_model *model,
                                                 const pare_data *data, const pare_ctx *ctx,
                                                 pare_error *err);
/* The class that the scores of one sample (n_scores numbers, stride apart) predict: the last class
 * of two if the score is positive, the largest of several, the first of equals. */
PARE_API int64_t pare_model_decide(const pare_model *model, const double *scores, int64_t stride);

/* Whether it has class probabilities: if it was fitted with the setting `probability`, and without
 * it those of logistic and sbmlr where no k was given. */
PARE_API bool pare_model_has_probability(const pare_model *model);
/* The class probabilities of every sample of data, n x n_classes column-major in the order of the
 * classes; each row sums to 1. With calibrated ones the most probable class may differ from
 * pare_model_decide's. */
PARE_API PARE_NODISCARD pare_status pare_predict_probability(double *probability,
                                                             const pare_model *model,
                                                             const pare_data *data,
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
