#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/dataset.h"

pare_data *problem_make(rng *r, const problem_shape *s) {
    int64_t n = s->n, d = s->d;
    double *x = random_normal(r, n, d);
    char(*text)[16] = malloc(sizeof *text * (size_t)n);
    const char **labels = malloc(sizeof *labels * (size_t)n);
    assert_true(text && labels);
    for (int64_t i = 0; i < n; i++) {
        int64_t c = i < s->classes ? i : rng_below(r, s->classes);
        snprintf(text[i], sizeof text[i], "c%02lld", (long long)c);
        labels[i] = text[i];
        for (int64_t j = 0; j < d && j < 3; j++)
            x[j * n + i] += s->signal * (double)((c + j) % s->classes);
    }
    if (s->density < 1)
        for (int64_t e = 0; e < n * d; e++)
            if (rng_uniform(r) >= s->density) x[e] = 0;
    for (int64_t e = 0; e < n * d; e++)
        if (rng_uniform(r) < s->missing) x[e] = NAN;
    if (s->constant)
        for (int64_t i = 0; i < n; i++) {
            if (d > 1) x[n + i] = 3.7;
            if (d > 2) x[2 * n + i] = x[i];
        }
    for (int64_t e = 0; s->counts && e < n * d; e++) x[e] = fabs(x[e]);
    pare_data *data =
        s->density < 1 ? data_labelled_sparse(n, d, x, labels) : data_labelled(n, d, x, labels);
    if (s->weights) {
        data->weight = mem_alloc(&data->mem, n, sizeof(double));
        assert_non_null(data->weight);
        for (int64_t i = 0; i < n; i++)
            data->weight[i] = i >= s->classes && i % 5 == 0 ? 0 : 0.25 + rng_uniform(r);
    }
    free(labels);
    free(text);
    free(x);
    return data;
}

void problem_samples(const pare_data *data, int *cls, double *w) {
    for (int64_t i = 0; i < data->x.n; i++) {
        if (cls) cls[i] = atoi(strings_at(&data->target.text, i) + 1);
        if (w) w[i] = data->weight ? data->weight[i] : 1;
    }
}

static pare_data *data_or_fail(int64_t n, int64_t d, const double *x, const char *const *labels,
                               const double *values) {
    pare_data *data;
    pare_error err;
    if (pare_data_dense(&data, n, d, x, NULL, labels, values, NULL, &err) != PARE_OK)
        fail_msg("%s", err.message);
    return data;
}

pare_data *data_labelled(int64_t n, int64_t d, const double *x, const char *const *labels) {
    return data_or_fail(n, d, x, labels, NULL);
}

pare_data *data_valued(int64_t n, int64_t d, const double *x, const double *values) {
    return data_or_fail(n, d, x, NULL, values);
}

pare_data *data_labelled_sparse(int64_t n, int64_t d, const double *x, const char *const *labels) {
    int64_t *col_ptr = calloc((size_t)d + 1, sizeof *col_ptr), entries = 0;
    int32_t *row = malloc(sizeof *row * (size_t)(n * d + 1));
    double *value = malloc(sizeof *value * (size_t)(n * d + 1));
    pare_data *data;
    pare_error err;
    assert_true(col_ptr && row && value);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < n; i++) {
            if (x[j * n + i] == 0) continue;
            row[entries] = (int32_t)i;
            value[entries++] = x[j * n + i];
        }
        col_ptr[j + 1] = entries;
    }
    if (pare_data_sparse(&data, n, d, col_ptr, row, value, NULL, labels, NULL, NULL, &err) !=
        PARE_OK)
        fail_msg("%s", err.message);
    free(value);
    free(row);
    free(col_ptr);
    return data;
}

pare_data *problem_square(rng *r, int64_t n, int64_t d) {
    double *x = random_normal(r, n, d);
    const char **labels = malloc(sizeof *labels * (size_t)n);
    assert_non_null(labels);
    for (int64_t i = 0; i < n; i++) labels[i] = fabs(x[i]) > 0.7 ? "large" : "small";
    pare_data *data = data_labelled(n, d, x, labels);
    free(labels);
    free(x);
    return data;
}
