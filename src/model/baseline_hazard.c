#include "model/baseline_hazard.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "model/json.h"
#include "model/model.h"

/* One stratum: its samples by time, earliest first. */
typedef struct stratum_samples {
    const target *y;
    const double *weight, *f;
    double center, top; /* top: the largest risk */
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

static double largest_risk(const stratum_samples *s) {
    double top = -INFINITY;
    for (int64_t e = 0; e < s->count; e++) top = fmax(top, s->f[s->list[e].index] - s->center);
    return top;
}

/* Jumps of the hazard from the latest time to the earliest, then their sums. */
static void fill(baseline_curve *c, const stratum_samples *s) {
    double at_risk = 0;
    int64_t place = c->count;
    for (int64_t end = s->count, from; end > 0; end = from) {
        double events = 0, time = s->list[end - 1].key;
        for (from = end; from > 0 && s->list[from - 1].key == time; from--) {
            int64_t i = s->list[from - 1].index;
            at_risk += weight_of(s, i) * exp(s->f[i] - s->center - s->top);
            if (s->y->event[i]) events += weight_of(s, i);
        }
        if (!(events > 0)) continue;
        c->time[--place] = time;
        c->hazard[place] = events / at_risk * exp(-s->top);
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
        s.top = largest_risk(&s);
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

/* --- model file --- */

static void curve_to_json(json_t *object, const baseline_curve *c) {
    json_object_set_new(object, "time", numbers_json(c->time, c->count, 1));
    json_object_set_new(object, "cumulative_hazard", numbers_json(c->hazard, c->count, 1));
}

json_t *baseline_to_json(const baseline *b) {
    json_t *object = json_pack("{s:o}", "center", number_json(b->center));
    if (!b->stratum[0].name) {
        curve_to_json(object, &b->stratum[0]);
        return object;
    }
    json_t *array = json_array();
    for (int64_t k = 0; k < b->n_strata; k++) {
        json_t *one = json_pack("{s:s}", "name", b->stratum[k].name);
        curve_to_json(one, &b->stratum[k]);
        json_array_append_new(array, one);
    }
    json_object_set_new(object, "strata", array);
    return object;
}

/* Times that rise and hazards that do not fall. */
static pare_status read_curve(baseline_curve *c, arena *mem, const json_t *object,
                              const char **expected) {
    const json_t *time = json_object_get(object, "time"),
                 *hazard = json_object_get(object, "cumulative_hazard");
    *expected = "with as many numbers in time, which rise, as in cumulative_hazard";
    if (!json_is_array(time) || !json_is_array(hazard)) return PARE_E_FORMAT;
    c->count = (int64_t)json_array_size(time);
    if (!ARENA_NEWS(mem, double, c->count, &c->time, &c->hazard)) return PARE_E_MEMORY;
    if (!numbers_read(time, c->count, c->time, 1) || !numbers_read(hazard, c->count, c->hazard, 1))
        return PARE_E_FORMAT;
    for (int64_t e = 0; e < c->count; e++) {
        bool rises = e == 0 ? c->time[0] >= 0 : c->time[e] > c->time[e - 1];
        bool grows = c->hazard[e] >= (e == 0 ? 0 : c->hazard[e - 1]);
        if (!rises || !grows) return PARE_E_FORMAT;
    }
    return PARE_OK;
}

static pare_status read_strata(baseline *b, arena *mem, const json_t *list, const char **expected) {
    b->n_strata = (int64_t)json_array_size(list);
    if (!(b->stratum = ARENA_ZERO(mem, baseline_curve, b->n_strata))) return PARE_E_MEMORY;
    for (int64_t k = 0; k < b->n_strata; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        const char *name = json_string_value(json_object_get(one, "name"));
        *expected = "with strata of different names";
        if (!name) return PARE_E_FORMAT;
        for (int64_t other = 0; other < k; other++)
            if (strcmp(b->stratum[other].name, name) == 0) return PARE_E_FORMAT;
        if (!(b->stratum[k].name = arena_text(mem, name))) return PARE_E_MEMORY;
        PASS(read_curve(&b->stratum[k], mem, one, expected));
    }
    return b->n_strata > 0 ? PARE_OK : PARE_E_FORMAT;
}

pare_status baseline_from_json(pare_model *m, const json_t *value, const char **expected) {
    const json_t *center = json_object_get(value, "center"),
                 *strata = json_object_get(value, "strata");
    baseline *b = ARENA_ZERO(&m->mem, baseline, 1);
    if (!b) return PARE_E_MEMORY;
    *expected = "an object with center, time and cumulative_hazard, or with center and strata";
    if (!json_is_number(center)) return PARE_E_FORMAT;
    b->center = json_number_value(center);
    m->baseline = b;
    if (json_is_array(strata)) return read_strata(b, &m->mem, strata, expected);
    b->n_strata = 1;
    if (!(b->stratum = ARENA_ZERO(&m->mem, baseline_curve, 1))) return PARE_E_MEMORY;
    return read_curve(&b->stratum[0], &m->mem, value, expected);
}
