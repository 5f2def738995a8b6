#include "model/json.h"

#include <math.h>

json_t *number_json(double x) { return isfinite(x) ? json_real(x) : json_null(); }

json_t *numbers_json(const double *v, int64_t count, int64_t stride) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, number_json(v[i * stride]));
    return array;
}

bool numbers_read(const json_t *array, int64_t count, double *out, int64_t stride) {
    if (!json_is_array(array) || (int64_t)json_array_size(array) != count) return false;
    for (int64_t i = 0; i < count; i++) {
        const json_t *x = json_array_get(array, (size_t)i);
        if (!json_is_number(x)) return false;
        out[i * stride] = json_number_value(x);
    }
    return true;
}
