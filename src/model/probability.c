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

/* The log odds of class o against a class of value 0, drawn towards the prior's. */
static double tempered(const probability *how, double f, double prior) {
    return prior + (f - prior) / how->temperature;
}

static double of_output(const probability *how, double f, int64_t o) {
    if (how->kind == PROBABILITY_SIGMOID) return log_sigmoid(how->a[o] * f + how->b[o]);
    return how->kind == PROBABILITY_TEMPERATURE ? tempered(how, f, log(how->prior[o])) : f;
}

/* The exponent of the last of two classes' sigmoid, before any recalibration. */
static double first_exponent(const probability *how, double f) {
    if (how->kind == PROBABILITY_SIGMOID) return how->a[0] * f + how->b[0];
    if (how->kind == PROBABILITY_OWN) return -f;
    return -tempered(how, f, log(how->prior[1]) - log(how->prior[0]));
}

static double exponent_of(const probability *how, double f) {
    double z = first_exponent(how, f);
    return how->again ? how->again_b * z - how->again_a : z;
}

void probability_log_odds(double *Z, const probability *how, const double *F, int64_t n,
                          int64_t outputs) {
    for (int64_t i = 0; i < n; i++) {
        if (outputs == 1) Z[i] = exponent_of(how, F[i]);
        if (outputs == 1) Z[n + i] = -Z[i];
        for (int64_t k = 0; outputs > 1 && k < outputs; k++) {
            double most = -INFINITY, sum = 0; /* of the others */
            for (int64_t o = 0; o < outputs; o++)
                if (o != k) most = fmax(most, of_output(how, F[o * n + i], o));
            for (int64_t o = 0; o < outputs; o++)
                if (o != k) sum += exp(of_output(how, F[o * n + i], o) - most);
            /* cppcheck-suppress invalidFunctionArg ; there are two outputs or more, so sum >= 1 */
            Z[k * n + i] = of_output(how, F[k * n + i], k) - most - log(sum);
        }
    }
}

void probability_of(double *P, const probability *how, const double *F, int64_t n,
                    int64_t outputs) {
    for (int64_t i = 0; i < n; i++) {
        if (outputs == 1) {
            of_two(P + i, exponent_of(how, F[i]), n);
            continue;
        }
        for (int64_t o = 0; o < outputs; o++) P[o * n + i] = of_output(how, F[o * n + i], o);
        normalise(P + i, outputs, n);
    }
}

bool probability_is_calibrated(const probability *how) {
    return how->kind == PROBABILITY_SIGMOID || how->kind == PROBABILITY_TEMPERATURE;
}

static int64_t classes_of(int64_t outputs) { return outputs == 1 ? 2 : outputs; }

static const char *const kinds[] = {NULL, "softmax", "sigmoid", "temperature"};
static const char from_folds[] = "folds"; /* what a temperature is fitted to */

const char *probability_name(probability_kind kind) { return kinds[kind]; }

json_t *probability_to_json(const probability *how, int64_t outputs) {
    if (how->kind == PROBABILITY_NONE) return NULL;
    json_t *object = json_pack("{s:s}", "kind", kinds[how->kind]);
    if (how->kind == PROBABILITY_OWN) return object;
    bool one = outputs == 1;
    if (how->kind == PROBABILITY_TEMPERATURE) {
        json_object_set_new(object, "value", number_json(how->temperature));
        json_object_set_new(object, "prior", numbers_json(how->prior, classes_of(outputs), 1));
        json_object_set_new(object, "from", json_string(from_folds));
    } else {
        json_object_set_new(object, "a",
                            one ? number_json(*how->a) : numbers_json(how->a, outputs, 1));
        json_object_set_new(object, "b",
                            one ? number_json(*how->b) : numbers_json(how->b, outputs, 1));
    }
    json_object_set_new(object, "folds", json_integer(how->folds));
    json_object_set_new(object, "seed", json_integer((json_int_t)how->seed));
    if (how->grouped) json_object_set_new(object, "fold_groups", json_true());
    return object;
}

static bool read_one_or_more(const json_t *from, int64_t outputs, double *out) {
    if (outputs > 1) return numbers_read(from, outputs, out, 1);
    *out = json_number_value(from);
    return json_is_number(from);
}

static pare_status read_sigmoid(probability *how, arena *mem, const json_t *from, int64_t outputs) {
    how->a = ARENA_NEW(mem, double, outputs);
    how->b = ARENA_NEW(mem, double, outputs);
    if (!how->a || !how->b) return PARE_E_MEMORY;
    bool fine = read_one_or_more(json_object_get(from, "a"), outputs, how->a) &&
                read_one_or_more(json_object_get(from, "b"), outputs, how->b);
    return fine ? PARE_OK : PARE_E_FORMAT;
}

static pare_status read_temperature(probability *how, arena *mem, const json_t *from,
                                    int64_t outputs) {
    int64_t classes = classes_of(outputs);
    const json_t *value = json_object_get(from, "value");
    how->temperature = json_number_value(value);
    how->prior = ARENA_NEW(mem, double, classes);
    if (!how->prior) return PARE_E_MEMORY;
    bool fine = json_is_number(value) && how->temperature > 0 &&
                numbers_read(json_object_get(from, "prior"), classes, how->prior, 1);
    for (int64_t c = 0; fine && c < classes; c++) fine = how->prior[c] > 0;
    return fine ? PARE_OK : PARE_E_FORMAT;
}

pare_status probability_from_json(probability *how, arena *mem, const json_t *from, int64_t outputs,
                                  const char **expected) {
    const char *kind = json_string_value(json_object_get(from, "kind"));
    int at = PROBABILITY_TEMPERATURE;
    *how = (probability){.kind = PROBABILITY_NONE};
    *expected = "of kind softmax, sigmoid or temperature";
    while (at > PROBABILITY_NONE && !(kind && strcmp(kind, kinds[at]) == 0)) at--;
    if (at == PROBABILITY_NONE) return PARE_E_FORMAT;
    how->kind = (probability_kind)at;
    if (how->kind == PROBABILITY_OWN) return PARE_OK;
    bool sigmoid = how->kind == PROBABILITY_SIGMOID;
    *expected =
        sigmoid ? "with a and b, a number for each output, and the folds and seed they come from"
                : "with a value and the prior of each class, above 0, and the folds and "
                  "seed they come from";
    const json_t *folds = json_object_get(from, "folds"), *seed = json_object_get(from, "seed");
    how->folds = json_integer_value(folds);
    how->seed = (uint64_t)json_integer_value(seed);
    how->grouped = json_is_true(json_object_get(from, "fold_groups"));
    if (!json_is_integer(folds) || !json_is_integer(seed)) return PARE_E_FORMAT;
    return (sigmoid ? read_sigmoid : read_temperature)(how, mem, from, outputs);
}
