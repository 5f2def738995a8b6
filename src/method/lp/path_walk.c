#include "method/lp/path_walk.h"

#include <math.h>

static const double THINNEST = 1e-6; /* a narrower range of mu is skipped */

static double middle(double high, double low) {
    if (isinf(high)) return low > 0 ? 2 * low : 1;
    return low > 0 ? sqrt(low) * sqrt(high) : high / 2;
}

bool path_walk_see(path_walk *w, double mu_high, double mu_low, int64_t count, double floor) {
    bool reachable = mu_high > floor && mu_high > mu_low * (1 + THINNEST);
    if (count > w->most) w->most = count;
    if (!reachable || w->found) return !w->found;
    bool closer = w->count < w->k ? count > w->count : count >= w->k && count < w->count;
    if (w->mu == 0 || closer) {
        w->mu = fmax(middle(mu_high, mu_low), floor);
        w->count = count;
    }
    w->found = count == w->k;
    return !w->found;
}
