/* The baseline hazard by its definition: center, and the hazard of each sample's stratum at its time. */
#include <math.h>

#include "base/error.h"
#include "base/order.h"
#include "certify/cert_glm.h"

/* Of each stratum; n_strata numbers each. at_risk is relative to exp(top), top the largest risk so
 * far. */
typedef struct sums {
    double *top, *at_risk, *events, *hazard;
    int64_t *seen; /* the time at which the jump was added */
} sums;

typedef struct baseline_cert {
    const cert_job *job;
    int64_t n;
    const double *f;
    double center;
    ranked *list; /* by time */
    double *jump; /* n, in the order of the list */
    sums s;
} baseline_cert;

static int64_t stratum_of(const baseline_cert *b, int64_t i) {
    return b->job->y->stratum ? b->job->y->stratum[i] : 0;
}

static double weight_of(const baseline_cert *b, int64_t i) {
    return b->job->weight ? b->job->weight[i] : 1;
}

static int64_t group_end(const baseline_cert *b, int64_t from) {
    int64_t to = from;
    while (to < b->n && b->list[to].key == b->list[from].key) to++;
    return to;
}

/* The jumps at one time, list[from .. to), to the risk sets of which all later samples belong. */
static void jump(baseline_cert *b, int64_t from, int64_t to) {
    const target *y = b->job->y;
    for (int64_t e = from; e < to; e++) {
        int64_t i = b->list[e].index, s = stratum_of(b, i);
        double risk = b->f[i] - b->center, top = fmax(b->s.top[s], risk);
        if (top > b->s.top[s]) b->s.at_risk[s] *= exp(b->s.top[s] - top);
        b->s.top[s] = top;
        b->s.at_risk[s] += weight_of(b, i) * exp(risk - top);
        if (y->event[i]) b->s.events[s] += weight_of(b, i);
    }
    for (int64_t e = from; e < to; e++) {
        int64_t s = stratum_of(b, b->list[e].index);
        b->jump[e] = b->s.events[s] / b->s.at_risk[s] * exp(-b->s.top[s]);
    }
    for (int64_t e = from; e < to; e++) b->s.events[stratum_of(b, b->list[e].index)] = 0;
}

static void sum_up(baseline_cert *b, double *hazard) {
    for (int64_t from = 0, to; from < b->n; from = to) {
        to = group_end(b, from);
        for (int64_t e = from; e < to; e++) {
            int64_t i = b->list[e].index, s = stratum_of(b, i);
            if (b->s.seen[s] != from) b->s.hazard[s] += b->jump[e];
            b->s.seen[s] = from;
            hazard[i] = b->s.hazard[s];
        }
    }
}

static pare_status allocate(baseline_cert *b, double **f, arena *mem, pare_error *err) {
    int64_t strata = b->job->y->n_strata;
    PASS_MEM(*f = ARENA_NEW(mem, double, b->n));
    PASS_MEM(b->list = ARENA_NEW(mem, ranked, b->n));
    PASS_MEM(b->jump = ARENA_NEW(mem, double, b->n));
    PASS_MEM(
        ARENA_ZEROS(mem, double, strata, &b->s.top, &b->s.at_risk, &b->s.events, &b->s.hazard));
    PASS_MEM(b->s.seen = ARENA_NEW(mem, int64_t, strata));
    for (int64_t s = 0; s < strata; s++) {
        b->s.seen[s] = -1;
        b->s.top[s] = -INFINITY;
    }
    return PARE_OK;
}

pare_status cert_baseline(double *center, double *hazard, const cert_job *job, const pare_ctx *ctx,
                          pare_error *err) {
    baseline_cert b = {.job = job, .n = job->data->x.n};
    cert_reader reader;
    double *f, total = 0;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(allocate(&b, &f, &reader.mem, err));
    TRY(cert_glm_values(f, job, 1, &reader, err));
    b.f = f;
    for (int64_t i = 0; i < b.n; i++) total += weight_of(&b, i);
    for (int64_t i = 0; i < b.n; i++) b.center += weight_of(&b, i) / total * f[i];
    for (int64_t i = 0; i < b.n; i++) b.list[i] = (ranked){job->y->time[i], i};
    sort_least_first(b.list, b.n);
    for (int64_t to = b.n, from; to > 0; to = from) {
        for (from = to; from > 0 && b.list[from - 1].key == b.list[to - 1].key;) from--;
        jump(&b, from, to);
    }
    sum_up(&b, hazard);
    *center = b.center;
done:
    return cert_close(&reader, status, err);
}
