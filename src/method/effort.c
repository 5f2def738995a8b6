#include "method/effort.h"

double effort_visits(double *rounds, int64_t d, int64_t least, double step,
                     int64_t (*next)(double step, int64_t n_active, int64_t least)) {
    double visits = 0;
    *rounds = 0;
    for (int64_t n_active = d, gone = 1; n_active > least && gone > 0; n_active -= gone) {
        visits += (double)n_active;
        *rounds += 1;
        gone = next(step, n_active, least);
    }
    return visits;
}
