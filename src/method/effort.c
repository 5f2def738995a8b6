#include "method/effort.h"

double effort_visits(double *rounds, int64_t d, int64_t least, double step,
                     int64_t (*next)(double step, int64_t live, int64_t least)) {
    double visits = 0;
    *rounds = 0;
    for (int64_t live = d, gone = 1; live > least && gone > 0; live -= gone) {
        visits += (double)live;
        *rounds += 1;
        gone = next(step, live, least);
    }
    return visits;
}
