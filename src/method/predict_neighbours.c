#include "method/predict_neighbours.h"

#include <float.h>
#include <math.h>

void neighbours_add(double *distance, const pare_model *m, int64_t n, int64_t i, int64_t j,
                    double x) {
    for (int64_t t = 0; t < m->n_neighbours; t++) {
        double away = m->scale[j] * (x - m->neighbour_z[t * m->neighbour_width + j]);
        distance[t * n + i] += away * away;
    }
}

static void mapped_distances(double *distance, const double *outputs, const pare_model *m,
                             int64_t n) {
    for (int64_t t = 0; t < m->n_neighbours; t++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t o = 0; o < m->n_outputs; o++) {
                double away = outputs[o * n + i] - m->neighbour_z[t * m->neighbour_width + o];
                sum += away * away;
            }
            distance[t * n + i] = sum;
        }
}

/* A class without samples is as far as can be. */
static double to_class(const double *distance, const pare_model *m, int64_t n, int64_t i,
                       int64_t k) {
    double least = INFINITY;
    for (int64_t t = 0; t < m->n_neighbours; t++)
        if (m->neighbour_class[t] == k) least = fmin(least, distance[t * n + i]);
    return fmin(sqrt(least), sqrt(DBL_MAX));
}

void neighbours_score(double *scores, double *distance, const pare_model *m, int64_t n) {
    if (m->coef) mapped_distances(distance, scores, m, n);
    for (int64_t i = 0; i < n; i++) {
        if (m->n_outputs == 1)
            scores[i] = to_class(distance, m, n, i, 0) - to_class(distance, m, n, i, 1);
        else
            for (int64_t k = 0; k < m->n_outputs; k++)
                scores[k * n + i] = -to_class(distance, m, n, i, k);
    }
}
