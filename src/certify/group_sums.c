#include "certify/group_sums.h"

#include <math.h>

#include "base/error.h"
#include "data/feature/groups.h"

pare_status cert_groups_open(cert_groups *g, arena *mem, const cert_job *job, pare_error *err) {
    *g = (cert_groups){0};
    if (!job->grouped) return PARE_OK;
    PASS(groups_number(&g->of, &g->count, mem, job->data, err));
    g->one = ARENA_ZERO(mem, double, g->count);
    return g->one ? PARE_OK : error_memory(err);
}

static double *own_of(const cert_groups *g, const int64_t *cols, int64_t i) {
    return &g->one[g->of[cols ? cols[i] : i]];
}

void cert_groups_largest(const cert_groups *g, const int64_t *cols, int64_t n, double *value) {
    if (!g->of) return;
    for (int64_t i = 0; i < n; i++) *own_of(g, cols, i) = 0;
    for (int64_t i = 0; i < n; i++) {
        double *one = own_of(g, cols, i);
        *one = fmax(*one, value[i]);
    }
    for (int64_t i = 0; i < n; i++) value[i] = *own_of(g, cols, i);
}

double cert_groups_sum(const cert_groups *g, const int64_t *cols, int64_t n, const double *value) {
    double sum = 0;
    for (int64_t i = 0; g->of && i < n; i++) *own_of(g, cols, i) = 1; /* not counted yet */
    for (int64_t i = 0; i < n; i++) {
        if (!g->of || *own_of(g, cols, i) > 0) sum += value[i];
        if (g->of) *own_of(g, cols, i) = 0;
    }
    return sum;
}

pare_status cert_groups_mean(const cert_groups *g, arena *mem, int64_t d, double *cost,
                             pare_error *err) {
    if (!g->of) return PARE_OK;
    int64_t *size = ARENA_ZERO(mem, int64_t, g->count);
    if (!size) return error_memory(err);
    for (int64_t k = 0; k < g->count; k++) g->one[k] = 0;
    for (int64_t j = 0; j < d; j++) {
        g->one[g->of[j]] += cost[j];
        size[g->of[j]]++;
    }
    for (int64_t j = 0; j < d; j++) cost[j] = g->one[g->of[j]] / (double)size[g->of[j]];
    return PARE_OK;
}
