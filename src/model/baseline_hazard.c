#include "model/baseline_hazard.h"

#include <string.h>

#include "base/error.h"
#include "model/json.h"
#include "model/model.h"

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
