#include "support/survival.h"

#include <math.h>
#include <stdlib.h>

static void ready(pare_status status, const pare_error *err) {
    if (status != PARE_OK) fail_msg("%s", err->message);
}

static void draw(survival_problem *p, rng *r, int64_t times, int what) {
    for (int64_t i = 0; i < p->n; i++) {
        double effect = p->x[i] + (p->d > 1 ? p->x[p->n + i] : 0);
        double length = -log(1 - rng_uniform(r)) / exp(effect) / 2;
        p->time[i] = 1 + floor((double)times * fmin(length, 0.999));
        p->event[i] = i == 0 || rng_uniform(r) < 0.6;
        p->stratum[i] = (int32_t)(rng_next(r) % (uint64_t)p->n_strata);
        p->weight[i] = what & SURVIVAL_WEIGHTS ? 0.2 + 2 * rng_uniform(r) : 1;
        p->offset[i] = what & SURVIVAL_OFFSET ? rng_normal(r) / 2 : 0;
    }
}

static void set_features(const survival_problem *p, rng *r, int what) {
    static const char *const names[] = {"g0", "g1", "g2", "g3", "g4"};
    pare_error err;
    bool *kept = calloc((size_t)p->d, sizeof *kept);
    double *cost = malloc(sizeof *cost * (size_t)p->d);
    const char **group = malloc(sizeof *group * (size_t)p->d);
    assert_true(kept && cost && group);
    for (int64_t j = 0; j < p->d; j++) {
        kept[j] = j == 0 || j == 2;
        cost[j] = 0.5 + rng_uniform(r);
        group[j] = names[kept[j] && what & SURVIVAL_KEPT ? 4 : j % 4];
    }
    if (what & SURVIVAL_KEPT) ready(pare_data_set_kept(p->data, kept, &err), &err);
    if (what & SURVIVAL_COSTS) ready(pare_data_set_costs(p->data, cost, &err), &err);
    if (what & SURVIVAL_GROUPS) ready(pare_data_set_groups(p->data, group, &err), &err);
    free(group);
    free(cost);
    free(kept);
}

survival_problem survival_make(rng *r, int64_t n, int64_t d, int64_t times, int what) {
    static const char *const names[] = {"a", "b", "c"};
    survival_problem p = {.n = n, .d = d, .n_strata = what & SURVIVAL_STRATA ? 3 : 1};
    pare_error err;
    const char **strata = malloc(sizeof *strata * (size_t)n);
    p.x = random_normal(r, n, d);
    p.time = malloc(sizeof *p.time * (size_t)n);
    p.weight = malloc(sizeof *p.weight * (size_t)n);
    p.offset = malloc(sizeof *p.offset * (size_t)n);
    p.event = malloc(sizeof *p.event * (size_t)n);
    p.stratum = malloc(sizeof *p.stratum * (size_t)n);
    assert_true(strata && p.time && p.weight && p.offset && p.event && p.stratum);
    draw(&p, r, times, what);
    for (int64_t i = 0; i < n; i++) strata[i] = names[p.stratum[i]];
    ready(pare_data_dense(&p.data, n, d, p.x, NULL, NULL, NULL, NULL, &err), &err);
    ready(pare_data_set_time_event(p.data, p.time, p.event, &err), &err);
    if (what & SURVIVAL_STRATA) ready(pare_data_set_strata(p.data, strata, &err), &err);
    if (what & SURVIVAL_WEIGHTS) ready(pare_data_set_weights(p.data, p.weight, &err), &err);
    if (what & SURVIVAL_OFFSET) ready(pare_data_set_offset(p.data, p.offset, &err), &err);
    set_features(&p, r, what);
    free(strata);
    return p;
}

void survival_free(survival_problem *p) {
    pare_data_free(p->data);
    free(p->stratum);
    free(p->event);
    free(p->offset);
    free(p->weight);
    free(p->time);
    free(p->x);
}
