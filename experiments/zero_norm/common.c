#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const label[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

static const char *scale = "standard";

void fit_scale(const char *kind) { scale = kind; }

/* splitmix64 */
static uint64_t next(source *s) {
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double uniform(source *s) { return ((double)(next(s) >> 11) + 0.5) * 0x1p-53; }

double normal(source *s) {
    double radius = sqrt(-2 * log(uniform(s)));
    return radius * cos(6.283185307179586 * uniform(s));
}

static void *block(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) exit(1);
    return p;
}

sample sample_new(int64_t n, int64_t d) {
    return (sample){n, d, block((size_t)(n * d), sizeof(double)), block((size_t)n, sizeof(int))};
}

sample sample_rows(const sample *s, const int64_t *rows, int64_t n) {
    sample out = sample_new(n, s->d);
    for (int64_t i = 0; i < n; i++) {
        out.cls[i] = s->cls[rows[i]];
        for (int64_t j = 0; j < s->d; j++) out.x[j * n + i] = s->x[j * s->n + rows[i]];
    }
    return out;
}

sample sample_columns(const sample *s, const int64_t *cols, int64_t d) {
    sample out = sample_new(s->n, d);
    memcpy(out.cls, s->cls, sizeof(int) * (size_t)s->n);
    for (int64_t j = 0; j < d; j++)
        memcpy(out.x + j * s->n, s->x + cols[j] * s->n, sizeof(double) * (size_t)s->n);
    return out;
}

void sample_free(sample *s) {
    free(s->x);
    free(s->cls);
}

bool sample_has_two_classes(const sample *s) {
    for (int64_t i = 1; i < s->n; i++)
        if (s->cls[i] != s->cls[0]) return true;
    return false;
}

static void check(pare_status status, const pare_error *err, const char *what) {
    if (status == PARE_OK) return;
    fprintf(stderr, "%s: %s\n", what, err->message);
    exit(1);
}

static pare_data *data_of(const sample *s) {
    const char **labels = block((size_t)s->n, sizeof *labels);
    pare_data *data;
    pare_error err;
    for (int64_t i = 0; i < s->n; i++) labels[i] = label[s->cls[i]];
    check(pare_data_dense(&data, s->n, s->d, s->x, NULL, labels, NULL, NULL, &err), &err, "data");
    free(labels);
    return data;
}

pare_model *fit(const sample *train, const char *method, const char *const *pairs, int64_t k) {
    pare_settings *set;
    pare_model *m;
    pare_error err;
    pare_ctx ctx;
    char number[32];
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    check(pare_settings_new(&set, method, &ctx, &err), &err, method);
    for (; pairs && *pairs; pairs += 2)
        check(pare_settings_set(set, pairs[0], pairs[1], &err), &err, method);
    snprintf(number, sizeof number, "%lld", (long long)k);
    if (k) check(pare_settings_set(set, "k", number, &err), &err, method);
    check(pare_settings_set(set, "scale", scale, &err), &err, method);
    check(pare_settings_set(set, "missing", "mean", &err), &err, method);
    pare_data *data = data_of(train);
    check(pare_fit(&m, data, set, &ctx, &err), &err, method);
    pare_data_free(data);
    pare_settings_free(set);
    return m;
}

double error_of(const pare_model *m, const sample *test) {
    int64_t outputs = pare_model_get(m)->n_outputs, wrong = 0;
    double *scores = block((size_t)(test->n * outputs), sizeof *scores);
    pare_data *data = data_of(test);
    pare_error err;
    check(pare_predict(scores, m, data, NULL, &err), &err, "predict");
    for (int64_t i = 0; i < test->n; i++) {
        int64_t c = pare_model_decide(m, scores + i, test->n);
        wrong += strcmp(pare_model_get(m)->classes[c], label[test->cls[i]]) != 0;
    }
    pare_data_free(data);
    free(scores);
    return (double)wrong / (double)test->n;
}

double svm_error(const sample *train, const sample *test, const int64_t *cols, int64_t k,
                 const char *C, const char *multiclass) {
    sample few = sample_columns(train, cols, k), points = sample_columns(test, cols, k);
    const char *const pairs[] = {"C", C, "multiclass", multiclass, NULL};
    pare_model *m = fit(&few, "svm", pairs, 0);
    double error = error_of(m, &points);
    pare_model_free(m);
    sample_free(&points);
    sample_free(&few);
    return error;
}

double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }
