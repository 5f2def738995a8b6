#include "support/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/dataset.h"

pare_data *problem_make(rng *r, const problem_shape *s) {
    int64_t n = s->n, d = s->d, entries = 0;
    double *x = random_normal(r, n, d);
    char(*text)[16] = malloc(sizeof *text * (size_t)n);
    const char **labels = malloc(sizeof *labels * (size_t)n);
    int64_t *col_ptr = calloc((size_t)d + 1, sizeof *col_ptr);
    int32_t *row = malloc(sizeof *row * (size_t)(n * d));
    assert_true(text && labels && col_ptr && row);
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
    pare_data *data = NULL;
    pare_error err;
    pare_status status;
    if (s->density < 1) {
        for (int64_t j = 0; j < d; j++) {
            for (int64_t i = 0; i < n; i++) {
                if (x[j * n + i] == 0) continue;
                row[entries] = (int32_t)i;
                x[entries++] = x[j * n + i]; /* entries never run ahead of the place read */
            }
            col_ptr[j + 1] = entries;
        }
        status = pare_data_sparse(&data, n, d, col_ptr, row, x, NULL, labels, NULL, NULL, &err);
    } else {
        status = pare_data_dense(&data, n, d, x, NULL, labels, NULL, NULL, &err);
    }
    if (status != PARE_OK) fail_msg("%s", err.message);
    if (s->weights) {
        data->weight = mem_alloc(&data->mem, n, sizeof(double));
        assert_non_null(data->weight);
        for (int64_t i = 0; i < n; i++)
            data->weight[i] = i >= s->classes && i % 5 == 0 ? 0 : 0.25 + rng_uniform(r);
    }
    free(row);
    free(col_ptr);
    free(labels);
    free(text);
    free(x);
    return data;
}

pare_settings *settings_make(const char *method, const char *const *pairs) {
    pare_settings *s;
    pare_error err;
    if (pare_settings_new(&s, method, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    for (; pairs && *pairs; pairs += 2)
        if (pare_settings_set(s, pairs[0], pairs[1], &err) != PARE_OK) fail_msg("%s", err.message);
    return s;
}

pare_model *fit_or_fail(const pare_data *data, const char *method, const char *const *pairs) {
    pare_settings *s = settings_make(method, pairs);
    pare_model *m = NULL;
    pare_error err;
    if (pare_fit(&m, data, s, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    pare_settings_free(s);
    return m;
}

char *fit_text(const pare_data *data, const char *method, const char *const *pairs, int threads) {
    pare_settings *set = settings_make(method, pairs);
    pare_model *m = NULL;
    pare_error err;
    pare_ctx ctx;
    char *text;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    if (pare_fit(&m, data, set, &ctx, &err) != PARE_OK) fail_msg("%s", err.message);
    assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
    pare_model_free(m);
    pare_settings_free(set);
    return text;
}

pare_report report_of(const pare_model *model) {
    pare_report out;
    pare_model_report(&out, model);
    return out;
}

pare_method_info method_at(int64_t i) {
    pare_method_info out;
    assert_true(pare_methods_info(&out, i));
    return out;
}
