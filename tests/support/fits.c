#include "support/fits.h"

#include <stdlib.h>
#include <string.h>

pare_settings *settings_make(const char *method, const char *const *pairs) {
    pare_settings *s;
    pare_error err;
    if (pare_settings_new(&s, method, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    for (; pairs && *pairs; pairs += 2)
        if (pare_settings_set(s, pairs[0], pairs[1], &err) != PARE_OK) fail_msg("%s", err.message);
    return s;
}

bool has_setting(const char *method, const char *name) {
    pare_settings *s = settings_make(method, NULL);
    pare_setting_info info;
    bool has = false;
    for (int64_t i = 0; pare_settings_info(&info, s, i); i++) has |= strcmp(info.name, name) == 0;
    pare_settings_free(s);
    return has;
}

/* Frees s. */
static pare_model *fitted(const pare_data *data, pare_settings *s, const char *method) {
    pare_model *m = NULL;
    pare_error err;
    if (pare_fit(&m, data, s, NULL, &err) != PARE_OK) fail_msg("%s: %s", method, err.message);
    pare_settings_free(s);
    return m;
}

pare_model *fit_or_fail(const pare_data *data, const char *method, const char *const *pairs) {
    return fitted(data, settings_make(method, pairs), method);
}

pare_model *fit_filled(const pare_data *data, const char *method, const char *const *pairs) {
    pare_settings *s = settings_make(method, pairs);
    pare_error err;
    assert_int_equal(pare_settings_set(s, "missing", "mean", &err), PARE_OK);
    return fitted(data, s, method);
}

void check_no_fit(const pare_data *data, const char *method, const char *const *pairs,
                  pare_status status, const char *part) {
    pare_settings *s = settings_make(method, pairs);
    pare_model *m;
    pare_error err;
    assert_int_equal(pare_fit(&m, data, s, NULL, &err), status);
    assert_null(m);
    if (!strstr(err.message, part)) fail_msg("\"%s\" does not say \"%s\"", err.message, part);
    pare_settings_free(s);
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

void check_threads(const pare_data *data, const char *method, const char *const *pairs, int most) {
    char *one = fit_text(data, method, pairs, 1);
    for (int threads = 2; threads <= most; threads += threads < 4 ? 1 : threads) {
        char *many = fit_text(data, method, pairs, threads);
        assert_string_equal(one, many);
        pare_text_free(many, NULL);
    }
    pare_text_free(one, NULL);
}

pare_report report_of(const pare_model *model) { return pare_model_get(model)->predictor; }

pare_method_info method_at(int64_t i) {
    pare_method_info out;
    assert_true(pare_methods_info(&out, i));
    return out;
}

bool selection_of(pare_report *out, const pare_model *model) {
    const pare_model_info *of = pare_model_get(model);
    if (of->has_selection) *out = of->selection;
    return of->has_selection;
}

bool has_note(const pare_model *model, const char *part) {
    const pare_model_info *of = pare_model_get(model);
    for (int64_t i = 0; i < of->n_notes; i++)
        if (strstr(of->notes[i], part)) return true;
    return false;
}

void check_margins(const pare_model *model, const pare_data *data) {
    int64_t n = pare_data_n(data);
    double *f = malloc(sizeof *f * (size_t)n);
    int *cls = malloc(sizeof *cls * (size_t)n);
    pare_error err;
    assert_true(f && cls);
    assert_int_equal(pare_model_get(model)->n_outputs, 1);
    assert_int_equal(pare_predict(f, model, data, NULL, &err), PARE_OK);
    problem_samples(data, cls, NULL);
    for (int64_t i = 0; i < n; i++) assert_true((cls[i] == 1 ? f[i] : -f[i]) >= 1 - 1e-6);
    free(cls);
    free(f);
}

pare_status fit_call_run(void *call, const pare_ctx *ctx) {
    const fit_call *c = call;
    pare_settings *s = settings_make(c->method, c->pairs);
    pare_model *m = NULL;
    pare_error err;
    pare_status status = pare_fit(&m, c->data, s, ctx, &err);
    if (status != PARE_OK) assert_null(m);
    pare_model_free(m);
    pare_settings_free(s);
    return status;
}

pare_path *paths_or_fail(const pare_data *data, const char *const *methods,
                         const char *const *pairs, const pare_path_options *options, int threads) {
    enum { MOST = 8 };
    pare_settings *settings[MOST];
    int64_t count = 0;
    pare_path *p;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    for (; methods[count]; count++) {
        assert_true(count < MOST);
        settings[count] = settings_make(methods[count], pairs);
    }
    if (pare_path_run(&p, data, (const pare_settings *const *)settings, count, options, &ctx,
                      &err) != PARE_OK)
        fail_msg("%s: %s", methods[0], err.message);
    for (int64_t m = 0; m < count; m++) pare_settings_free(settings[m]);
    return p;
}

pare_path *path_or_fail(const pare_data *data, const char *method, const char *const *pairs,
                        const pare_path_options *options) {
    return paths_or_fail(data, (const char *const[]){method, NULL}, pairs, options, 0);
}

char *path_json_or_fail(const pare_data *data, const char *method, const char *const *pairs,
                        const pare_path_options *options) {
    pare_path *p = path_or_fail(data, method, pairs, options);
    pare_error err;
    char *text;
    assert_int_equal(pare_path_json(&text, p, NULL, &err), PARE_OK);
    pare_path_free(p);
    return text;
}
