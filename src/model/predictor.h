/* From samples to decision values. Every kind of predictor is one file that fills in a
 * predictor_kind; cross-validation, model files and pare_predict all use it, and nothing else
 * predicts.
 *
 * A predictor sees samples through a view of its k features in order, in its own units: scaled, for
 * one that refers to the training samples of a fold, or raw, for one that a model owns. A sample's
 * decision values do not depend on the other samples, to the bit. */
#ifndef PARE_MODEL_PREDICTOR_H
#define PARE_MODEL_PREDICTOR_H

#include <jansson.h>

#include "base/memory.h"
#include "task/task.h"
#include "la/matrix.h"

struct fit_result;

typedef struct predictor {
    const struct predictor_kind *kind;
    int64_t k, n_outputs;
    int64_t pairs;     /* above 0: one output for every pair of so many classes, which vote */
    double *intercept; /* n_outputs */
    double *coef;      /* k x n_outputs, or NULL if the kind has none */
    void *self;        /* the kind's own, or NULL */
    /* The columns of the data that its features derive from; n_inputs 0: the features
       themselves. */
    int64_t n_inputs;
    int64_t *input_index;
    const char **input_name;
} predictor;

/* A fit's result, as the input of a predictor. */
typedef struct fitted {
    const struct fit_result *r;
    view x;               /* the training samples as the method saw them, k columns of them */
    const int64_t *place; /* position of each of the result's support among those k; NULL: it comes
                             first */
    const target *y;      /* of those samples */
    const double *weight; /* or NULL */
    /* The model that will own it: in raw units, with memory of its own. NULL: in the units of x; r
       and x must outlive it. */
    const struct pare_model *owner;
} fitted;

typedef struct predictor_kind {
    const char *name;
    bool (*made_by)(const struct fit_result *r); /* NULL: never from a result by itself */
    bool (*is_in)(const json_t *file);           /* whether a model file holds such a predictor */
    pare_status (*predict)(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                           pare_error *err);
    /* Sets intercept, coef and self; kind, k and n_outputs are set. */
    pare_status (*from_result)(predictor *p, arena *mem, const fitted *from, const pare_ctx *ctx,
                               pare_error *err);
    /* The keys of the model file besides "outputs"; NULL: none. */
    void (*to_json)(json_t *file, const struct pare_model *m);
    /* Completes m->p; all of m but the predictor and its outputs is set. Returns PARE_E_FORMAT if
       the file does not hold the required *expected. */
    pare_status (*from_json)(struct pare_model *m, const json_t *file, const char **expected);
} predictor_kind;

extern const predictor_kind predictor_linear, predictor_kernel, predictor_kernel_sum,
    predictor_neighbours, predictor_monomials;

/* All memory of p is from mem. */
PARE_NODISCARD pare_status predictor_from_result(predictor *p, arena *mem, const fitted *from,
                                                 const pare_ctx *ctx, pare_error *err);

/* F (x->n x predictor_width): the scores of the samples of x, one per class where there are
 * several, whose largest is the prediction. They are the outputs themselves; or, of pairs, each
 * class's votes and, to break ties, s / (3 (1 + |s|)), s the sum of its outputs, positive for it:
 * below 1/3. */
PARE_NODISCARD pare_status predictor_apply(double *F, const predictor *p, const view *x,
                                           const pare_ctx *ctx, pare_error *err);
int64_t predictor_width(const predictor *p);

/* Adds "outputs" and the kind's own keys to the file, which has "selected" already. */
void predictor_to_json(json_t *file, const struct pare_model *m);
/* Sets m->p; the rest of the model is set. Returns PARE_E_FORMAT if *key is not *expected. */
PARE_NODISCARD pare_status predictor_from_json(struct pare_model *m, const json_t *file,
                                               const char **key, const char **expected);

/* --- for the kinds --- */

/* The training samples `rows` (count of them, positions in from->x) as the predictor stores them: a
 * view of the fold's, or a raw block of its own, also in *block (count x k). */
PARE_NODISCARD pare_status predictor_support(view *out, double **block, arena *mem,
                                             const fitted *from, const int32_t *rows, int64_t count,
                                             const pare_ctx *ctx, pare_error *err);
/* x after asinh((x - median) / spread), arrays over its base columns; returns false when out of
 * memory. */
bool predictor_transformed(view *x, arena *mem, const double *median, const double *spread);
/* The view of a block of its own, n x k; returns false when out of memory. */
bool predictor_block(view *out, arena *mem, int64_t n, int64_t k, const double *block);

#endif
