/* The model behind pare_model: plain data that methods' results are stored in, files hold and
 * certificates are recomputed from. */
#ifndef PARE_MODEL_MODEL_H
#define PARE_MODEL_MODEL_H

#include <pare/model.h>

#include "base/memory.h"
#include "base/settings.h"
#include "task/task.h"
#include "model/predictor.h"
#include "model/probability.h"

/* A feature that was passed over because it correlates too much with a selected one. */
typedef struct model_substitute {
    int64_t of;    /* position among the selected */
    int64_t index; /* column in the training data */
    const char *name;
    double correlation;
} model_substitute;

/* A column that can stand in for a selected one: slope * x + intercept, by least squares on the
 * training samples. */
typedef struct model_alternative {
    int64_t of;    /* position among the selected */
    int64_t index; /* column in the training data */
    const char *name;
    double r, slope, intercept;
} model_alternative;

/* How a model was recalibrated on other samples than those of its fit: log odds z are a + b z, risks
 * of survival likewise. */
typedef struct model_recalibration {
    const char *kind; /* "intercept" (b = 1) or "slope"; NULL: it was not */
    double a, b;
    char sha256[65]; /* of those samples: the columns that the model needs, and the target */
} model_recalibration;

/* What the path that chose the model's number of features estimated, so that whoever scores the model
 * on other samples sees both. */
typedef struct model_path {
    const char *metric, *rule; /* of the choice */
    double mean, se;           /* the nested CV estimate; NaN: the path had no inner folds */
    double level, low, high;   /* its confidence interval; kind NULL: there is none */
    const char *kind;
    int64_t n_outer;
    double *n_features; /* that the outer folds chose; NaN: none */
    double *frequency;  /* n_selected selection frequencies; NaN: too many features to count */
} model_path;

struct pare_model {
    arena mem; /* all arrays and strings below, and the model itself is from mem.mem */
    settings_group group;
    const char *method;
    const task_type *task;
    all_settings set;       /* in effect: automatic values are resolved */
    all_settings requested; /* before automatic values were resolved; they repeat the fit */
    all_settings
        selecting; /* those of the selection problem: the same except where a refit resolved an
                      automatic value differently */
    int64_t n_classes;
    const char **classes;
    int64_t n_samples, n_features;
    char sha256[65];

    int64_t n_selected; /* best first */
    int64_t *index;     /* column in the training data */
    const char **name;
    double *score;
    int64_t n_kept;    /* the first selected features are forced in, the others chosen given them */
    double *cost;      /* of all n_features, or NULL: 1 each; used in the fit and its certificate */
    signed char *sign; /* the same: 1, -1 or 0; or NULL: 0 each */
    int64_t n_groups;  /* of the features, or 0: */
    const int64_t *group_of; /* of all n_features, from 0 in the order of appearance; or NULL */
    int64_t n_left;          /* features left out before the fit: */
    const char **left;       /* their names, or with left_only those of all that remained; or
                                NULL */
    bool left_only;
    bool numbered; /* the names are x1, x2, ... of columns without names, some of which were left
                      out: data without names are matched by that number */
    double *p_value, *q_value; /* n_selected, or NULL: the method has none */
    int64_t n_substitutes;     /* `max_correlation` below 1: the features passed over, or NULL */
    model_substitute *substitute;
    predictor p;                /* in units of the raw input */
    probability calibration;    /* of class probabilities, from p's decision values */
    struct baseline *baseline;  /* of times to an event; else NULL */
    struct hazard_tests *tests; /* of such a model that was fitted here; the file has none */
    double *shift, *scale;      /* n_selected, as the training data were scaled */
    double *median, *spread;    /* robust: see mat_asinh, which transforms the inputs of p; else
                                     NULL */
    double *impute;             /* n_selected, or NULL */
    /* Of the training samples, in the units of the raw input, n_selected each; NULL: a file from
       before they were kept. */
    double *least, *most, *mean, *deviation;
    int64_t n_alternatives; /* best correlated first for each selected feature, in their order */
    model_alternative *alternative;
    model_recalibration recalibration;
    struct marked_inputs *marked; /* see model/marked.h: if some inputs may be indicators, or
                                     NULL */
    struct model_batch *batch;    /* see model/model_batch.h; NULL: fitted without batches */
    bool offset;                  /* fitted with an offset, which a prediction needs as well */
    /* If rows are scaled (set.common.row_scale), of all n_features: names, whether the data gave
       them, and the idf, or NULL. */
    const char **row_name;
    bool row_named;
    double *idf;

    pare_report predictor;
    int64_t n_dual; /* outputs that have a dual: n_samples x n_dual, or 0 */
    double *dual;
    int64_t iterations;
    bool has_selection;
    pare_report selection;
    int64_t n_selection_dual;
    double *selection_dual; /* n_samples x n_selection_dual, or NULL */
    /* The columns of the final selection problem and their factors; NULL: all, ones. */
    int64_t n_selection_cols;
    int64_t *selection_cols;
    double *selection_z;
    /* Its solution if the dual does not determine it: columns, weights and intercepts in the units
       of the raw input; NULL: none. */
    int64_t n_selection_coef, n_selection_outputs;
    int64_t *selection_index;
    double *selection_coef, *selection_intercept;

    int64_t n_ranked;          /* columns that were ranked: n_features, or the monomials of them */
    int64_t *ranking;          /* n_ranked, best first; NULL after loading */
    const char **ranking_name; /* names in that order, if they are not the data's; or NULL */
    double *ranking_score;     /* in the order of ranking */
    double *ranking_p, *ranking_q; /* the same, or NULL */
    pare_lambda_path lambda_path;  /* no points after loading */
    strings notes;                 /* notes for the user: automatic or special choices */
    model_path *path;              /* NULL: the number of features was given */
    double seconds;                /* of the fit; < 0: not recorded */
    pare_model_info info;          /* of all these: see model_seal */
};

/* An empty model that owns an arena; NULL when out of memory. */
pare_model *model_new(const pare_ctx *ctx);

/* Fills m->info, when nothing else will change. weighs: the columns of the selection problem and their
 * factors are weights of features. */
PARE_NODISCARD pare_status model_seal(pare_model *m, bool weighs, pare_error *err);

struct baseline_curve;
/* Makes predictions follow m->recalibration. */
void model_apply_recalibration(pare_model *m);
/* The risk whose survival curve is exp(-H(t) exp(risk)): that of the model, recalibrated. */
double model_recalibrated_risk(const pare_model *m, double risk);
/* The baseline hazard of sample i's stratum; an error where its stratum is not known. */
PARE_NODISCARD pare_status model_curve(const struct baseline_curve **out, const pare_model *m,
                                       const pare_data *data, int64_t i, pare_error *err);

/* Returns an error for data without the offset that the model needs, or with an offset that it does
 * not use. */
PARE_NODISCARD pare_status model_check_offset(const pare_model *m, const pare_data *data,
                                              pare_error *err);

#endif
