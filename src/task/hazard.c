#include "task/hazard.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

/* One stratum: its samples by time, earliest first. */
typedef struct stratum_samples {
    const target *y;
    const double *weight, *f;
    double center;
    const ranked *list;
    int64_t count;
} stratum_samples;

static double weight_of(const stratum_samples *s, int64_t i) {
    return s->weight ? s->weight[i] : 1;
}

/* The samples stratum by stratum, each by time: of stratum k out[start[k] .. start[k + 1]). */
static pare_status by_stratum(const ranked **out, int64_t **start, arena *mem, const target *y,
                              int64_t n, int64_t n_strata, pare_error *err) {
    ranked *all = ARENA_NEW(mem, ranked, n), *list = ARENA_NEW(mem, ranked, n);
    *start = ARENA_ZERO(mem, int64_t, n_strata + 2);
    if (!all || !list || !*start) return error_memory(err);
    int64_t *next = *start + 1; /* where the next of each stratum goes; its end at last */
    for (int64_t i = 0; i < n; i++) {
        all[i] = (ranked){y->time[i], i};
        next[1 + (y->stratum ? y->stratum[i] : 0)]++;
    }
    for (int64_t k = 1; k <= n_strata; k++) next[k] += next[k - 1];
    sort_least_first(all, n);
    for (int64_t e = 0; e < n; e++)
        list[next[y->stratum ? y->stratum[all[e].index] : 0]++] = all[e];
    *out = list;
    return PARE_OK;
}

/* Jumps of the hazard from the latest time to the earliest, then their sums. at_risk is relative to
 * exp(top), top the largest risk so far, so that it is never 0. */
static void fill(baseline_curve *c, const stratum_samples *s) {
    double at_risk = 0, top = -INFINITY;
    int64_t place = c->count;
    for (int64_t end = s->count, from; end > 0; end = from) {
        double events = 0, time = s->list[end - 1].key;
        for (from = end; from > 0 && s->list[from - 1].key == time; from--) {
            int64_t i = s->list[from - 1].index;
            double risk = s->f[i] - s->center;
            if (risk > top) {
                at_risk *= exp(top - risk);
                top = risk;
            }
            at_risk += weight_of(s, i) * exp(risk - top);
            if (s->y->event[i]) events += weight_of(s, i);
        }
        if (!(events > 0)) continue;
        c->time[--place] = time;
        c->hazard[place] = events / at_risk * exp(-top);
    }
    for (int64_t e = 1; e < c->count; e++) c->hazard[e] += c->hazard[e - 1];
}

static int64_t count_times(const stratum_samples *s) {
    int64_t count = 0;
    for (int64_t e = 0, last = -1; e < s->count; e++) {
        if (!s->y->event[s->list[e].index]) continue;
        if (last < 0 || s->list[e].key != s->list[last].key) count++;
        last = e;
    }
    return count;
}

pare_status baseline_make(baseline *out, arena *mem, const target *y, int64_t n,
                          const double *weight, const double *f, pare_error *err) {
    double total = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    for (int64_t i = 0; i < n; i++) sum += (weight ? weight[i] : 1) / total * f[i];
    *out = (baseline){.center = sum, .n_strata = y->stratum ? y->n_strata : 1};
    stratum_samples s = {.y = y, .weight = weight, .f = f, .center = sum};
    const ranked *list;
    int64_t *start;
    arena scratch;
    pare_status status = PARE_OK;
    arena_init(&scratch, &mem->mem);
    TRY(by_stratum(&list, &start, &scratch, y, n, out->n_strata, err));
    TRY_MEM(out->stratum = ARENA_ZERO(mem, baseline_curve, out->n_strata));
    for (int64_t k = 0; k < out->n_strata; k++) {
        baseline_curve *c = &out->stratum[k];
        s.list = list + start[k];
        s.count = start[k + 1] - start[k];
        c->count = count_times(&s);
        TRY_MEM(ARENA_NEWS(mem, double, c->count, &c->time, &c->hazard));
        if (y->strata) TRY_MEM(c->name = arena_text(mem, y->strata[k]));
        fill(c, &s);
    }
done:
    arena_free(&scratch);
    return status;
}

const baseline_curve *baseline_find(const baseline *b, const char *name) {
    for (int64_t k = 0; k < b->n_strata; k++) {
        const char *own = b->stratum[k].name;
        if (!own == !name && (!own || strcmp(own, name) == 0)) return &b->stratum[k];
    }
    return NULL;
}

int64_t baseline_place(const baseline_curve *c, double t) {
    int64_t low = 0, high = c->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (c->time[middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double baseline_hazard(const baseline_curve *c, double t) {
    int64_t times = baseline_place(c, t);
    return times > 0 ? c->hazard[times - 1] : 0;
}

static double survival_at(double hazard, double risk) {
    return hazard > 0 ? exp(-hazard * exp(risk)) : 1;
}

double baseline_survival(const baseline_curve *c, double risk, double t) {
    return survival_at(baseline_hazard(c, t), risk);
}

double baseline_median(const baseline_curve *c, double risk) {
    for (int64_t e = 0; e < c->count; e++)
        if (survival_at(c->hazard[e], risk) <= 0.5) return c->time[e];
    return NAN;
}
