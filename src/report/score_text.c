/* How well a model predicts samples of known class or value: the metrics of its task, the
 * majority-class (or mean) baseline, and the confusion matrix. */
#include <math.h>
#include <string.h>

#include <pare/model.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "model/model.h"
#include "problem/problem.h"
#include "report/json_text.h"
#include "report/model_path.h"
#include "select/measure.h"

enum { MAX_REPORTED_METRICS = MAX_METRICS + 4 };

typedef struct scored {
    int64_t n, count;
    const char *name[MAX_REPORTED_METRICS];
    double value[MAX_REPORTED_METRICS]; /* NaN: the samples do not define it */
    int64_t n_classes;                  /* 0: no confusion matrix */
    const char *const *classes;
    int64_t *confusion; /* n_classes x n_classes, rows: truth */
} scored;

static void add_metric(scored *s, const char *name, double value) {
    s->name[s->count] = name;
    s->value[s->count++] = value;
}

/* The metrics of the majority-class (or mean) baseline on these samples. */
static void add_baseline(scored *s, const target *y) {
    double most = 0, mean = 0, spread = 0;
    for (int64_t c = 0; c < s->n_classes; c++) {
        double count = 0;
        for (int64_t k = 0; k < s->n_classes; k++)
            count += (double)s->confusion[c * s->n_classes + k];
        most = fmax(most, count);
    }
    if (s->n_classes) add_metric(s, "chance_accuracy", most / (double)s->n);
    if (metric_find(y->task, "root_mean_squared_error") < 0) return;
    for (int64_t i = 0; i < s->n; i++) mean += y->value[i] / (double)s->n;
    for (int64_t i = 0; i < s->n; i++) spread += (y->value[i] - mean) * (y->value[i] - mean);
    add_metric(s, "chance_root_mean_squared_error", sqrt(spread / (double)s->n));
}

static pare_status fill_in(scored *s, const pare_model *m, const pare_data *data, arena *mem,
                           const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n = data->x.n, outputs = predictor_width(&m->p);
    double metric[MAX_METRICS], *F = ARENA_NEW(mem, double, n *outputs);
    int32_t *rows = ARENA_NEW(mem, int32_t, n);
    target y;
    PASS_MEM(F && rows);
    for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)i;
    PASS(problem_against(&y, mem, m, data, err));
    PASS(pare_predict(F, m, data, ctx, err));
    predictions of = {
        .y = &y, .rows = rows, .n = n, .F = F, .outputs = outputs, .weight = data->weight};
    PASS(measure_all(metric, &of, &m->calibration, ctx, err));
    for (int64_t i = 0; i < m->task->n_metrics; i++)
        if (!m->task->metric[i].relative &&
            (!m->task->metric[i].probable || m->calibration.kind != PROBABILITY_NONE))
            add_metric(s, m->task->metric[i].name, metric[i]);
    if (m->task->classes) {
        s->n_classes = m->n_classes;
        s->classes = m->classes;
        PASS_MEM(s->confusion = ARENA_ZERO(mem, int64_t, m->n_classes * m->n_classes));
        for (int64_t i = 0; i < n; i++)
            s->confusion[y.cls[i] * m->n_classes + pare_model_decide(m, F + i, n)]++;
    }
    add_baseline(s, &y);
    return PARE_OK;
}

static void write_json(text_buffer *t, const scored *s, const pare_model *m) {
    json_t *metrics = json_object(), *classes = json_array(), *confusion = json_array();
    for (int64_t i = 0; i < s->count; i++)
        json_object_set_new(metrics, s->name[i],
                            isnan(s->value[i]) ? json_null() : json_real(s->value[i]));
    for (int64_t c = 0; c < s->n_classes; c++) {
        json_t *row = json_array();
        for (int64_t k = 0; k < s->n_classes; k++)
            json_array_append_new(row, json_integer(s->confusion[c * s->n_classes + k]));
        json_array_append_new(classes, json_string(s->classes[c]));
        json_array_append_new(confusion, row);
    }
    json_t *path = model_path_to_json(m);
    const json_part parts[] = {{"kind", json_string("score")}, {"n", json_integer(s->n)},
                               {"metrics", metrics},           {"classes", classes},
                               {"confusion", confusion},       {path ? "path" : NULL, path}};
    text_add_object(t, parts, sizeof parts / sizeof parts[0]);
}

static void write_table(text_buffer *t, const scored *s, const pare_model *m) {
    char digits[32] = "", estimate[MODEL_PATH_SIZE];
    if (model_path_estimate(estimate, m))
        text_print(t, "# nested CV estimate of the path that chose this model: %s\n", estimate);
    text_add(t, "metric\tvalue\n");
    for (int64_t i = 0; i < s->count; i++) {
        if (!isnan(s->value[i])) number_format(s->value[i], digits);
        text_print(t, "%s\t%s\n", s->name[i], isnan(s->value[i]) ? "" : digits);
    }
    if (!s->n_classes) return;
    text_add(t, "# confusion: a row for each true class, a column for each predicted one\ntruth");
    for (int64_t c = 0; c < s->n_classes; c++) {
        text_add(t, "\t");
        text_add_cell(t, s->classes[c]);
    }
    for (int64_t c = 0; c < s->n_classes; c++) {
        text_add(t, "\n");
        text_add_cell(t, s->classes[c]);
        for (int64_t k = 0; k < s->n_classes; k++)
            text_print(t, "\t%lld", (long long)s->confusion[c * s->n_classes + k]);
    }
    text_add(t, "\n");
}

pare_status pare_score_text(char **out, const pare_model *model, const pare_data *data, bool json,
                            const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    scored s = {0};
    arena mem = arena_of(ctx);
    pare_status status = fill_in(&s, model, data, &mem, ctx, err);
    if (status == PARE_OK) {
        text_buffer text;
        text_init(&text, ctx);
        if (json)
            write_json(&text, &s, model);
        else
            write_table(&text, &s, model);
        status = text_finish(&text, out, err);
    }
    arena_free(&mem);
    return status;
}
