/* From decision values to class probabilities: directly if decision values are log odds of a
 * penalised likelihood, otherwise by what was fitted to values of held-out samples. */
#ifndef PARE_MODEL_PROBABILITY_H
#define PARE_MODEL_PROBABILITY_H

#include <stdbool.h>

#include <jansson.h>

#include <pare/status.h>

#include "base/memory.h"

typedef enum probability_kind {
    PROBABILITY_NONE = 0,
    PROBABILITY_OWN,        /* exp f_k / sum exp f; of two classes 1 / (1 + exp(-f)) for the last */
    PROBABILITY_SIGMOID,    /* 1 / (1 + exp(a_o f_o + b_o)) for output o, several of them divided by
                               their sum */
    PROBABILITY_TEMPERATURE /* softmax of ln prior + (f - ln prior) / temperature; two classes have
                               f = (0, score) */
} probability_kind;

typedef struct probability {
    probability_kind kind;
    double *a, *b;      /* sigmoid: one per output */
    double temperature; /* above 0 */
    double *prior;      /* temperature: the proportion of each class, above 0 */
    int64_t folds;      /* of the calibration: number of folds, and their seed */
    uint64_t seed;
    bool grouped; /* its folds kept groups of samples whole */
    /* Of two classes: log odds z become a + b z after all that, where `again`. */
    bool again;
    double again_a, again_b;
} probability;

/* Whether it was fitted to held-out samples. */
bool probability_is_calibrated(const probability *how);

/* P (n x classes, column-major) from F (n x outputs); two classes have one output. */
void probability_of(double *P, const probability *how, const double *F, int64_t n, int64_t outputs);

/* Z (n x classes): the log odds of each class against all others, exactly also where probabilities
 * round to 0 or 1. */
void probability_log_odds(double *Z, const probability *how, const double *F, int64_t n,
                          int64_t outputs);

/* softmax, sigmoid or temperature; NULL: none. */
const char *probability_name(probability_kind kind);
/* "calibration" of the model file; NULL: none. */
json_t *probability_to_json(const probability *how, int64_t outputs);
/* Returns PARE_E_FORMAT if it is not *expected. */
PARE_NODISCARD pare_status probability_from_json(probability *how, arena *mem, const json_t *from,
                                                 int64_t outputs, const char **expected);

#endif
