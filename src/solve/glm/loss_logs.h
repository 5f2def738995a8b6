/* Private to glm/: sums of logarithms and of entropies, for losses of probabilities. */
#ifndef PARE_SOLVE_GLM_LOSS_LOGS_H
#define PARE_SOLVE_GLM_LOSS_LOGS_H

#include <math.h>

#define LOSS_SEPARATED "the classes are separated, and no loss is left"

/* sum_i share_i ln(factor_i) with few logarithms: equal shares are multiplied first. */
typedef struct logs {
    double share, product, sum;
} logs;

static const double MAX_PRODUCT = 1e280;

static inline void logs_add(logs *g, double share, double factor) {
    if (share != g->share || g->product > MAX_PRODUCT) {
        g->sum += g->share * log(g->product);
        g->share = share;
        g->product = 1;
    }
    g->product *= factor;
}

static inline double logs_end(const logs *g) { return g->sum + g->share * log(g->product); }

/* -q ln q for q = 1 - e and for q = e, both exact where e is small. */
static inline double entropy_of_rest(double e) { return e < 1 ? -(1 - e) * log1p(-e) : 0; }
static inline double entropy_of(double e) { return e > 0 ? -e * log(e) : 0; }

#endif
