#include "task/log_rank.h"

#include <math.h>

#include "base/error.h"
#include "base/order.h"

enum { GROUPS = 3 };

/* Weights at one time: at risk, and with an event, of each group and together. */
typedef struct moment {
    double at_risk[GROUPS], events[GROUPS], all_at_risk, all_events;
} moment;

static void add_sample(moment *m, const survival_times *of, const int32_t *group, int64_t i) {
    double weight = of->weight ? of->weight[i] : 1;
    m->at_risk[group[i]] += weight;
    m->all_at_risk += weight;
    if (!of->event[i]) return;
    m->events[group[i]] += weight;
    m->all_events += weight;
}

/* The hypergeometric mean and covariance of the events at one time. */
static void add_moment(log_rank *sum, const moment *m) {
    double r = m->all_at_risk, d = m->all_events;
    double spread = r > 1 && r > d ? d * (r - d) / (r - 1) : 0;
    double share[2] = {m->at_risk[0] / r, m->at_risk[1] / r};
    for (int g = 0; g < 2; g++) sum->excess[g] += m->events[g] - d * share[g];
    sum->variance[0] += spread * share[0] * (1 - share[0]);
    sum->variance[1] -= spread * share[0] * share[1];
    sum->variance[2] += spread * share[1] * (1 - share[1]);
}

/* The samples of one stratum, list[0 .. n) by time: from the latest on, which are at risk at all
 * times before. */
static void add_stratum(log_rank *sum, const survival_times *of, const int32_t *group,
                        const ranked *list, int64_t n) {
    moment m = {.all_at_risk = 0};
    for (int64_t end = n, from; end > 0; end = from) {
        for (int g = 0; g < GROUPS; g++) m.events[g] = 0;
        m.all_events = 0;
        for (from = end; from > 0 && list[from - 1].key == list[end - 1].key; from--)
            add_sample(&m, of, group, list[from - 1].index);
        if (m.all_events > 0) add_moment(sum, &m);
    }
}

pare_status log_rank_add(log_rank *sum, const survival_times *of, const int32_t *group,
                         const int32_t *stratum, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    ranked *all = ARENA_NEW(&mem, ranked, of->n), *own = ARENA_NEW(&mem, ranked, of->n);
    int32_t last = 0;
    TRY_MEM(all && own);
    for (int64_t i = 0; i < of->n; i++) {
        all[i] = (ranked){of->time[i], i};
        if (stratum && stratum[i] > last) last = stratum[i];
    }
    sort_least_first(all, of->n);
    for (int32_t h = 0; h <= last; h++) {
        int64_t count = 0;
        for (int64_t e = 0; e < of->n; e++)
            if (!stratum || stratum[all[e].index] == h) own[count++] = all[e];
        add_stratum(sum, of, group, own, count);
    }
done:
    arena_free(&mem);
    return status;
}

void log_rank_join(log_rank *sum, const log_rank *more) {
    for (int g = 0; g < 2; g++) sum->excess[g] += more->excess[g];
    for (int g = 0; g < 3; g++) sum->variance[g] += more->variance[g];
}

double log_rank_statistic(const log_rank *sum, int groups) {
    static const double TINY = 1e-12;
    const double *u = sum->excess, *v = sum->variance;
    double first = v[0] > 0 ? u[0] * u[0] / v[0] : 0;
    double second = v[2] > 0 ? u[1] * u[1] / v[2] : 0;
    double determinant = v[0] * v[2] - v[1] * v[1];
    if (groups == 2) return first;
    if (!(determinant > TINY * v[0] * v[2])) return fmax(first, second); /* two groups only */
    return (v[2] * u[0] * u[0] - 2 * v[1] * u[0] * u[1] + v[0] * u[1] * u[1]) / determinant;
}
