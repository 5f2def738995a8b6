/* A path as JSON: rows by the descriptions of their fields, and what is no single value. */
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/sample/batches.h"
#include "registry.h"
#include "report/json_text.h"
#include "report/path_fields.h"
#include "report/path_text.h"
#include "select/fitting.h"

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *estimate_json(estimate e) {
    return json_pack("{s:o, s:o}", "mean", number(e.mean), "se", number(e.se));
}

json_t *settings_json(const path_row *row) {
    const pare_path *p = row->path;
    const path_run *run = &p->run[row->run];
    const path_point *point = row->at;
    json_t *object = json_object();
    all_settings at = run->method->grid[point->tuned], *set = &at;
    if (p->setup.along) run->method->m->along->axis->set(set, run->method->m, point->value);
    const method *own = method_resolve(run->method->m, p->y.task, point->n_features);
    settings_group group = own->group, final = run->method->classifier->group;
    if (strcmp(own->name, run->method->name) != 0)
        json_object_set_new(object, "method", json_string(own->name));
    for (int64_t i = 0; i < settings_count(group); i++) {
        setting_value v = settings_value(set, group, i);
        if (strcmp(v.name, "k") != 0 && strcmp(v.name, "budget") != 0)
            json_object_set_new(object, v.name, setting_json(&v));
    }
    const char *tuned = run->method->tuned;
    for (int64_t i = 0; tuned && run->method->n_final > 1 && i < settings_count(final); i++) {
        setting_value v = settings_value(set, final, i); /* a setting without a common
                                                            counterpart */
        char name[64];
        snprintf(name, sizeof name, "classifier_%s", v.name);
        if (strstr(tuned, name) && !json_object_get(object, name))
            json_object_set_new(object, name, setting_json(&v));
    }
    return object;
}

json_t *headline_json(const path_row *row) {
    json_t *array = json_array();
    char sentence[HEADLINE_SIZE];
    for (int64_t i = 0; i < HEADLINE_SENTENCES; i++)
        if (headline_sentence(sentence, row->path, row->run, i))
            json_array_append_new(array, json_sprintf("%s.", sentence));
    return array;
}

json_t *metrics_json(const path_row *row) {
    const pare_path *p = row->path;
    const path_setup *setup = &p->setup;
    int64_t m = row->run, s = row->row;
    json_t *object = json_object();
    for (int64_t q = 0; q < setup->n_metrics; q++) {
        if (!p->run[m].has[q]) continue;
        json_t *folds = json_array(), *one = estimate_json(p->run[m].point[s].metric[q]);
        for (int64_t j = 0; j < p->plan.count; j++) {
            const fold_result *r = &p->round.result[j * setup->n_methods + m];
            json_array_append_new(folds, number(r->score[s * setup->n_metrics + q]));
        }
        json_object_set_new(one, "folds", folds);
        json_object_set_new(object, p->y.task->metric[q].name, one);
    }
    return object;
}

/* The scores at the sizes that the training folds chose. */
json_t *nested_metrics_json(const path_row *row) {
    const pare_path *p = row->path;
    const path_setup *setup = &p->setup;
    const path_run *run = row->at;
    json_t *metrics = json_object();
    for (int64_t q = 0; q < setup->n_metrics; q++) {
        if (!run->has[q]) continue;
        json_t *folds = json_array(), *one = estimate_json(run->nested[q]);
        for (int64_t j = 0; j < p->plan.count; j++)
            json_array_append_new(
                folds,
                number(fold_nested(setup, &p->round.result[j * setup->n_methods + row->run])[q]));
        json_object_set_new(one, "folds", folds);
        json_object_set_new(metrics, p->y.task->metric[q].name, one);
    }
    return metrics;
}

json_t *nested_sizes_json(const path_row *row) {
    const path_setup *setup = &row->path->setup;
    json_t *sizes = json_array();
    for (int64_t j = 0; j < row->path->plan.count; j++) {
        const fold_result *r = &row->path->round.result[j * setup->n_methods + row->run];
        int64_t at = fold_nested_size(setup, r);
        json_array_append_new(sizes, at < 0 ? json_null() : json_integer(setup->sizes[at]));
    }
    return sizes;
}

json_t *core_json(const path_row *row) {
    const path_run *run = row->at;
    json_t *core = json_array();
    for (int64_t i = 0; i < run->n_core; i++)
        json_array_append_new(core, json_integer(run->frequency[i].index));
    return core;
}

static json_t *numbers_json(const double *value, int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, number(value[i]));
    return array;
}

json_t *shares_json(const path_row *row) {
    return numbers_json(((const path_frequency *)row->at)->share, row->path->setup.n_sizes);
}

json_t *coef_json(const path_row *row) {
    return numbers_json(((const path_feature *)row->at)->coef, row->path->run[row->run].n_outputs);
}

json_t *weight_json(const path_row *row) {
    return numbers_json(((const path_feature *)row->at)->weight,
                        row->path->run[row->run].n_outputs);
}

json_t *substitutes_json(const path_row *row) {
    const path_feature *f = row->at;
    json_t *array = json_array();
    for (int64_t q = 0; q < f->n_substitutes; q++) {
        const path_substitute *other = &f->substitute[q];
        json_array_append_new(array,
                              json_pack("{s:I, s:s, s:o, s:o}", "index", (json_int_t)other->index,
                                        "name", other->name, "correlation",
                                        number(other->correlation), "loss", number(other->loss)));
    }
    return array;
}

/* The labels of the two classes of each output, if outputs are of pairs. */
json_t *pairs_json(const path_row *row) {
    const target *y = &row->path->y;
    const path_run *run = row->at;
    if (!run->pairs) return json_null();
    json_t *array = json_array();
    for (int64_t o = 0; o < class_pairs(run->pairs); o++) {
        int32_t pair[2];
        class_pair(o, run->pairs, pair);
        json_array_append_new(array, json_pack("[s, s]", y->classes[pair[0]], y->classes[pair[1]]));
    }
    return array;
}

json_t *juncture_values_json(const path_row *row) {
    return numbers_json(((const path_juncture *)row->at)->value, 2);
}

json_t *juncture_gaps_json(const path_row *row) {
    return numbers_json(((const path_juncture *)row->at)->gap, 2);
}

json_t *cohort_size_json(const path_row *row) {
    double size = ((const path_cohort *)row->at)->n_features;
    return isnan(size) ? json_null() : json_integer((json_int_t)size);
}

/* A step of the curve each: its time, S from there on, and the weight at risk there; and how many leave
 * without an event, for numbers at risk in between. */
json_t *risk_curve_json(const path_row *row) {
    const survival_curve *c = &((const path_risk_group *)row->at)->curve;
    return json_pack("{s:o, s:o, s:o, s:o}", "time", numbers_json(c->time, c->count), "survival",
                     numbers_json(c->survival, c->count), "leaves",
                     numbers_json(c->leaves, c->n_left), "left", numbers_json(c->left, c->n_left));
}

/* How the predictors come to probabilities; null: there are none. */
json_t *calibration_json(const path_row *row) {
    const path_run *run = row->at;
    const path_method *m = run->method;
    if (!m->probable) return json_null();
    int64_t tuned = run->point[run->chosen < 0 ? 0 : run->chosen].tuned;
    return json_string(probability_name(fitting_probability(m->m, m->classifier, &m->grid[tuned])));
}

/* NULL of JSON: nothing is forced in. */
json_t *covariates_json(const path_row *row) {
    const path_run *run = row->at;
    if (!run->alone) return json_null();
    return json_pack("{s:o, s:{s:o, s:o, s:o}}", "score", number(run->kept_score), "difference",
                     "value", number(run->added), "low", number(run->added_low), "high",
                     number(run->added_high));
}

json_t *ranks_json(const path_row *row) {
    const pare_path *p = row->path;
    json_t *ranks = json_array();
    for (int64_t m = 0; m < p->setup.n_methods; m++)
        json_array_append_new(ranks, json_pack("{s:s, s:o}", "method", p->run[m].name, "mean_rank",
                                               number(p->rank[m])));
    return ranks;
}

json_t *folds_json(const path_row *row) {
    const pare_path *p = row->path;
    const cv_request *q = &p->setup.request;
    const char *kind = q->role         ? "given parts"
                       : p->n_cohorts  ? "cohorts"
                       : p->given      ? "given"
                       : q->splits > 0 ? "splits"
                       : p->grouped    ? "grouped folds"
                                       : "folds";
    int64_t folds = q->role         ? q->n_parts
                    : p->given      ? q->n_given
                    : q->splits > 0 ? q->splits
                                    : q->folds;
    int64_t repeats = q->role || p->given || q->splits > 0 ? 1 : q->repeats;
    double n_train = 0, n_test = 0, parts = (double)p->plan.count;
    for (int64_t j = 0; j < p->plan.count; j++) {
        n_train += (double)p->plan.part[j].n_train / parts;
        n_test += (double)p->plan.part[j].n_test / parts;
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:I}", "kind", kind, "folds",
                     (json_int_t)folds, "repeats", (json_int_t)repeats, "count",
                     (json_int_t)p->plan.count, "n_train", number(n_train), "n_test",
                     number(q->role ? n_test : (double)p->n - n_train), "inner",
                     (json_int_t)p->setup.inner.folds);
}

json_t *classes_json(const path_row *row) {
    const pare_path *p = row->path;
    json_t *array = json_array();
    for (int64_t c = 0; c < p->y.n_classes; c++)
        json_array_append_new(array, json_string(p->y.classes[c]));
    return array;
}

json_t *baseline_json(const path_row *row) {
    const pare_path *p = row->path;
    json_t *object = json_object();
    for (int64_t q = 0; q < p->setup.n_metrics; q++)
        json_object_set_new(object, p->y.task->metric[q].name, number(p->baseline[q]));
    return object;
}

json_t *notes_json(const path_row *row) {
    const pare_path *p = row->path;
    json_t *array = json_array();
    for (int64_t i = 0; i < p->notes.count; i++)
        json_array_append_new(array, json_string(strings_at(&p->notes, i)));
    return array;
}

/* null: features are not adjusted for batches. */
json_t *batches_json(const path_row *row) {
    const pare_path *p = row->path;
    if (p->n_batches == 0) return json_null();
    return json_pack("{s:s, s:I, s:s}", "method", batch_method_name(p->batch_by), "batches",
                     (json_int_t)p->n_batches, "unseen", batch_unseen_name(p->unseen));
}

json_t *data_json(const path_row *row) {
    return json_pack("{s:s, s:I}", "sha256", row->path->sha256, "rows",
                     (json_int_t)row->path->rows);
}

json_t *seed_json(const path_row *row) { return json_integer((json_int_t)row->path->setup.seed); }

/* --- rows by their descriptions --- */

static json_t *list_json(const path_table *t, const path_row *within) {
    json_t *array = json_array();
    for (int64_t i = 0, n = t->rows(within->path, within->run); i < n; i++) {
        path_row row = path_row_of(t, within->path, within->run, i);
        if (json_array_append_new(array, path_row_json(t, &row)) == 0) continue;
        json_decref(array);
        return NULL;
    }
    return array;
}

static json_t *field_json(const path_field *f, const path_row *row) {
    switch (f->column.type) {
    case PARE_COLUMN_REAL: return number(path_field_real(f, row));
    case PARE_COLUMN_INTEGER: return json_integer(path_field_integer(f, row));
    case PARE_COLUMN_FLAG: return json_boolean(path_field_real(f, row) != 0);
    case PARE_COLUMN_TEXT: {
        const char *text = path_field_text(f, row);
        return text ? json_string(text) : json_null();
    }
    case PARE_COLUMN_LIST: return list_json(f->list, row);
    case PARE_COLUMN_METRICS:
    case PARE_COLUMN_OTHER: return f->make(row);
    }
    return NULL;
}

/* The object of the fields from `*at` on whose names begin like that one's, of which `prefix`
 * characters name the object; *at: behind them. absent: the object is null. */
static json_t *object_json(const path_table *t, const path_row *row, size_t *at, size_t prefix,
                           bool absent) {
    const char *begin = t->field[*at].column.field;
    json_t *object = json_object();
    bool ok = object != NULL;
    while (*at < t->count) {
        const path_field *f = &t->field[*at];
        if (!(f->column.shown & PARE_SHOWN_JSON)) {
            ++*at;
            continue;
        }
        if (strncmp(f->column.field, begin, prefix) != 0) break;
        const char *name = f->column.field + prefix, *dot = strchr(name, '.');
        bool defined = absent || dot || path_field_defined(f, row);
        absent |= !defined && f->column.shown & PARE_SHOWN_WHOLE;
        bool left_out = absent || (!defined && f->column.shown & PARE_SHOWN_OPTIONAL);
        json_t *value = dot ? object_json(t, row, at, prefix + (size_t)(dot - name) + 1, absent)
                        : left_out ? json_null()
                                   : field_json(f, row);
        if (!dot) ++*at;
        left_out |= !dot && f->column.shown & PARE_SHOWN_OPTIONAL && json_is_null(value);
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
        if (left_out || !ok)
            json_decref(value);
        else
            ok = json_object_set_new(object, key, value) == 0;
    }
    if (ok && !absent) return object;
    json_decref(object);
    return ok ? json_null() : NULL;
}

json_t *path_row_json(const path_table *t, const path_row *row) {
    size_t at = 0;
    return object_json(t, row, &at, 0, false);
}

/* A line per key. */
static void add_json(text_buffer *text, const pare_path *p) {
    const path_table *t = path_table_named("path");
    path_row row = path_row_of(t, p, 0, 0);
    json_t *object = path_row_json(t, &row), *value;
    const char *key, *before = "{\"";
    json_object_foreach(object, key, value) {
        char *dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        text_add(text, before);
        text_add(text, key);
        text_add(text, "\": ");
        text_add(text, dumped ? dumped : "null");
        text->failed |= !dumped;
        free(dumped);
        before = ",\n \"";
    }
    text->failed |= !object;
    json_decref(object);
    text_add(text, "}\n");
}

pare_status pare_path_json(char **out, const pare_path *p, const pare_ctx *ctx, pare_error *err) {
    text_buffer text;
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    text_init(&text, ctx);
    add_json(&text, p);
    return text_finish(&text, out, err);
}
