/* From decision values to probabilities of the classes: of predictors whose decision values are log
 * odds already, and of all others by sigmoids that were fitted to values of samples not trained on. */
#ifndef PARE_MODEL_PROBABILITY_H
#define PARE_MODEL_PROBABILITY_H

#include <jansson.h>

#include <pare/status.h>

#include "base/memory.h"

typedef struct probability {
    /* own: exp f_k / sum exp f, of two classes 1 / (1 + exp(-f)) for the last. sigmoid: output o stands
     * for 1 / (1 + exp(a_o f_o + b_o)), several of them divided by their sum. */
    enum { PROBABILITY_NONE = 0, PROBABILITY_OWN, PROBABILITY_SIGMOID } kind;
    double *a, *b; /* one per output, or NULL */
    int64_t folds; /* the sigmoids': how many, dealt by which seed */
    uint64_t seed;
} probability;

/* P (n x classes, column-major) from F (n x outputs); two classes have one output. */
void probability_of(double *P, const probability *how, const double *F, int64_t n, int64_t outputs);

/* "calibration" of the model file; NULL: there is none. */
json_t *probability_to_json(const probability *how, int64_t outputs);
/* PARE_E_FORMAT: it should be *expected. */
PARE_NODISCARD pare_status probability_from_json(probability *how, arena *mem, const json_t *from,
                                                 int64_t outputs, const char **expected);

#endif
