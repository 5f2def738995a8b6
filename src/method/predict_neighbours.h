/* Decisions by the nearest training sample, as scores: minus the distance to the nearest sample of
 * each class, so that the largest wins; two classes: distance to the first minus to the last. */
#ifndef PARE_METHOD_PREDICT_NEIGHBOURS_H
#define PARE_METHOD_PREDICT_NEIGHBOURS_H

#include "data/model.h"

/* Models on the features themselves: adds feature j, raw value x of sample i, to the squared
 * distances (n x n_neighbours). */
void neighbours_add(double *distance, const pare_model *m, int64_t n, int64_t i, int64_t j,
                    double x);
/* The outputs in `scores` (n x n_outputs) become those scores; `distance` holds the squared distances
 * of models on the features, and is scratch for models on the outputs. */
void neighbours_score(double *scores, double *distance, const pare_model *m, int64_t n);

#endif
