#include "model/probability.h"

#include <math.h>
#include <string.h>

#include "model/json.h"

/* ln(1 / (1 + exp(z))), without overflow and without loss of small probabilities. */
static double log_sigmoid(double z) { return z > 0 ? -z - log1p(exp(-z)) : -log1p(exp(z)); }

/* Two classes: z is the exponent of the last one's sigmoid. */
static void of_two(double *P, double z, int64_t n) {
    P[0] = exp(log_sigmoid(-z));
    P[n] = exp(log_sigmoid(z));
}

/* exp of each of `count` logarithms, n apart, over their sum. */
static void normalise(double *P, int64_t count, int64_t n) {
    double most = -INFINITY, sum = 0;
    for (int64_t o = 0; o < count; o++) most = fmax(most, P[o * n]);
    for (int64_t o = 0; o < count; o++) sum += P[o * n] = exp(P[o * n] - most);
    for (int64_t o = 0; o < count; o++) P[o * n] /= sum;
}

void probability_of(double *P, const probability *how, const double *F, int64_t n,
                    int64_t outputs) {
    bool sigmoid = how->kind == PROBABILITY_SIGMOID;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t o = 0; o < outputs; o++) {
            double f = F[o * n + i], z = sigmoid ? how->a[o] * f + how->b[o] : -f;
            if (outputs == 1)
                of_two(P + i, z, n);
            else
                P[o * n + i] = sigmoid ? log_sigmoid(z) : f;
        }
        if (outputs > 1) normalise(P + i, outputs, n);
    }
}

static const char *const kinds[] = {NULL, "softmax", "sigmoid"};

json_t *probability_to_json(const probability *how, int64_t outputs) {
    if (how->kind == PROBABILITY_NONE) return NULL;
    json_t *object = json_pack("{s:s}", "kind", kinds[how->kind]);
    if (how->kind == PROBABILITY_OWN) return object;
    bool one = outputs == 1;
    json_object_set_new(object, "a", one ? number_json(*how->a) : numbers_json(how->a, outputs, 1));
    json_object_set_new(object, "b", one ? number_json(*how->b) : numbers_json(how->b, outputs, 1));
    json_object_set_new(object, "folds", json_integer(how->folds));
    json_object_set_new(object, "seed", json_integer((json_int_t)how->seed));
    return object;
}

static bool read_one_or_more(const json_t *from, int64_t outputs, double *out) {
    if (outputs > 1) return numbers_read(from, outputs, out, 1);
    *out = json_number_value(from);
    return json_is_number(from);
}

pare_status probability_from_json(probability *how, arena *mem, const json_t *from, int64_t outputs,
                                  const char **expected) {
    const char *kind = json_string_value(json_object_get(from, "kind"));
    *how = (probability){.kind = PROBABILITY_NONE};
    *expected = "of kind softmax or sigmoid";
    if (!kind) return PARE_E_FORMAT;
    how->kind = strcmp(kind, kinds[PROBABILITY_OWN]) == 0 ? PROBABILITY_OWN : PROBABILITY_SIGMOID;
    if (how->kind == PROBABILITY_OWN) return PARE_OK;
    if (strcmp(kind, kinds[PROBABILITY_SIGMOID]) != 0) return PARE_E_FORMAT;
    *expected = "with a and b, a number for each output, and the folds and seed they come from";
    how->a = ARENA_NEW(mem, double, outputs);
    how->b = ARENA_NEW(mem, double, outputs);
    if (!how->a || !how->b) return PARE_E_MEMORY;
    const json_t *folds = json_object_get(from, "folds"), *seed = json_object_get(from, "seed");
    how->folds = json_integer_value(folds);
    how->seed = (uint64_t)json_integer_value(seed);
    bool fine = json_is_integer(folds) && json_is_integer(seed) &&
                read_one_or_more(json_object_get(from, "a"), outputs, how->a) &&
                read_one_or_more(json_object_get(from, "b"), outputs, how->b);
    return fine ? PARE_OK : PARE_E_FORMAT;
}
