/* The nearest training sample decides. As decision values: minus the distance to the nearest sample
 * of each class, so that the largest wins; two classes: distance to the first minus to the last.
 * Distances are in the outputs of a linear map, or in the scaled features themselves if coef is
 * NULL. In the model file: "neighbours": {"y": [label per sample], "z": [[outputs or raw
 * features]]}. */
#ifndef PARE_MODEL_PREDICTOR_NEIGHBOURS_H
#define PARE_MODEL_PREDICTOR_NEIGHBOURS_H

#include "model/predictor.h"

typedef struct neighbours {
    int64_t count, width; /* width: k or n_outputs */
    int32_t *cls;         /* count */
    const double *scale;  /* k: factors of raw differences; NULL: ones */
    view support;         /* the samples, on the features or on the outputs */
    double *z;            /* the same if it owns them, count x width; else NULL */
} neighbours;

#endif
