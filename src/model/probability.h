/* From decision values to class probabilities: directly if decision values are log odds, otherwise
 * by sigmoids that were fitted to values of held-out samples. */
#ifndef PARE_MODEL_PROBABILITY_H
#define PARE_MODEL_PROBABILITY_H

#include <jansson.h>

#include <pare/status.h>

#include "base/memory.h"

typedef struct probability {
    /* own: exp f_k / sum exp f, of two classes 1 / (1 + exp(-f)) for the last. sigmoid: 1 / (1 +
       exp(a_o f_o + b_o)) for output o, several of them divided by their sum. */
    enum { PROBABILITY_NONE = 0, PROBABILITY_OWN, PROBABILITY_SIGMOID } kind;
    double *a, *b; /* one per output, or NULL */
    int64_t folds; /* of the sigmoids: number of folds, and their seed */
    uint64_t seed;
} probability;

/* P (n x classes, column-major) from F (n x outputs); two classes have one output. */
void probability_of(double *P, const probability *how, const double *F, int64_t n, int64_t outputs);

/* "calibration" of the model file; NULL: none. */
json_t *probability_to_json(const probability *how, int64_t outputs);
/* Returns PARE_E_FORMAT if it is not *expected. */
PARE_NODISCARD pare_status probability_from_json(probability *how, arena *mem, const json_t *from,
                                                 int64_t outputs, const char **expected);

#endif
