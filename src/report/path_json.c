#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pare/version.h>

#include "base/context.h"
#include "base/error.h"
#include "registry.h"
#include "report/json_text.h"
#include "report/path_text.h"
#include "select/fitting.h"

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *estimate_json(estimate e) {
    return json_pack("{s:o, s:o}", "mean", number(e.mean), "se", number(e.se));
}

static json_t *settings_json(const pare_path *p, const path_run *run, int64_t s,
                             const all_settings *set) {
    json_t *object = json_object();
    const method *own = method_resolve(run->method->m, p->y.task, p->setup.sizes[s]);
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

static json_t *interval_json(const interval *i) {
    if (isnan(i->low)) return json_null();
    return json_pack("{s:f, s:o, s:o, s:s}", "level", INTERVAL_LEVEL, "low", number(i->low), "high",
                     number(i->high), "kind", interval_kind(i));
}

static json_t *null_json(const path_null *n) {
    if (isnan(n->p)) return json_null();
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "p", number(n->p), "least", number(n->least), "mean",
                  number(n->mean), "low", number(n->low), "high", number(n->high));
    if (!isnan(n->p_methods)) json_object_set_new(object, "p_methods", number(n->p_methods));
    return object;
}

static json_t *headline_json(const pare_path *p, int64_t m) {
    json_t *array = json_array();
    char sentence[HEADLINE_SIZE];
    for (int64_t i = 0; i < HEADLINE_SENTENCES; i++)
        if (headline_sentence(sentence, p, m, i))
            json_array_append_new(array, json_sprintf("%s.", sentence));
    return array;
}

static json_t *stability_json(const stability *s) {
    return json_pack("{s:o, s:o, s:o}", "index", number(s->index), "low", number(s->low), "high",
                     number(s->high));
}

static json_t *metrics_json(const pare_path *p, int64_t m, int64_t s) {
    const path_setup *setup = &p->setup;
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

/* Metrics pooled over all test samples, if they are valid: scores of different splits are not
 * comparable, predicted values are. */
static json_t *pooled_json(const path_point *point) {
    return isnan(point->pooled_r2) ? json_object() : json_pack("{s:f}", "r2", point->pooled_r2);
}

static json_t *points_json(const pare_path *p, int64_t m) {
    const path_run *run = &p->run[m];
    json_t *array = json_array();
    for (int64_t s = 0; s < p->setup.n_sizes; s++) {
        const path_point *point = &run->point[s];
        all_settings at = run->method->grid[point->tuned];
        if (p->setup.along)
            run->method->m->along->axis->set(&at, run->method->m, p->setup.along[s]);
        estimate e = point->metric[p->setup.metric];
        json_array_append_new(
            array,
            json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n_features",
                      (json_int_t)p->setup.sizes[s], "used_mean", number(point->used_mean), "mean",
                      number(e.mean), "se", number(e.se), "interval",
                      interval_json(&point->interval), "metrics", metrics_json(p, m, s), "pooled",
                      pooled_json(point), "null", null_json(&point->null), "stability",
                      stability_json(&point->stable), "settings", settings_json(p, run, s, &at)));
        if (p->setup.budget)
            json_object_set_new(json_array_get(array, (size_t)s), "budget",
                                number(p->setup.budget[s]));
    }
    return array;
}

/* The scores at the sizes that the training folds chose. */
static json_t *nested_json(const pare_path *p, int64_t m) {
    const path_setup *setup = &p->setup;
    const path_run *run = &p->run[m];
    if (isnan(run->nested[setup->metric].mean)) return json_null();
    json_t *object = estimate_json(run->nested[setup->metric]), *metrics = json_object();
    json_t *sizes = json_array();
    for (int64_t q = 0; q < setup->n_metrics; q++) {
        if (!run->has[q]) continue;
        json_t *folds = json_array(), *one = estimate_json(run->nested[q]);
        for (int64_t j = 0; j < p->plan.count; j++)
            json_array_append_new(
                folds, number(fold_nested(setup, &p->round.result[j * setup->n_methods + m])[q]));
        json_object_set_new(one, "folds", folds);
        json_object_set_new(metrics, p->y.task->metric[q].name, one);
    }
    for (int64_t j = 0; j < p->plan.count; j++) {
        int64_t at = fold_nested_size(setup, &p->round.result[j * setup->n_methods + m]);
        json_array_append_new(sizes, at < 0 ? json_null() : json_integer(setup->sizes[at]));
    }
    json_object_set_new(object, "interval", interval_json(&run->nested_interval));
    json_object_set_new(object, "metrics", metrics);
    json_object_set_new(object, "n_features", sizes);
    return object;
}

static json_t *chosen_json(const pare_path *p, int64_t m) {
    const path_run *run = &p->run[m];
    if (run->chosen < 0) return json_null();
    estimate at = run->point[run->chosen].metric[p->setup.metric];
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "rule", choice_name(p->setup.rule),
                  "point", (json_int_t)run->chosen, "n_features",
                  (json_int_t)p->setup.sizes[run->chosen], "mean", number(at.mean), "se",
                  number(at.se), "nested", nested_json(p, m), "null", null_json(&run->null));
    if (p->setup.budget)
        json_object_set_new(object, "budget", number(p->setup.budget[run->chosen]));
    return object;
}

static json_t *run_stability_json(const pare_path *p, const path_run *run) {
    const stability none = {NAN, NAN, NAN};
    json_t *object = stability_json(run->chosen >= 0 ? &run->point[run->chosen].stable : &none);
    json_t *list = json_array(), *core = json_array();
    for (int64_t i = 0; i < run->n_frequency; i++) {
        const path_frequency *f = &run->frequency[i];
        json_t *shares = json_array();
        for (int64_t s = 0; s < p->setup.n_sizes; s++)
            json_array_append_new(shares, number(f->share[s]));
        json_array_append_new(list, json_pack("{s:I, s:s, s:o, s:o}", "index", (json_int_t)f->index,
                                              "name", f->name, "share",
                                              number(f->share[run->chosen]), "shares", shares));
        if (i < run->n_core) json_array_append_new(core, json_integer(f->index));
    }
    json_object_set_new(object, "core", core);
    json_object_set_new(object, "selected_ever", json_integer(run->n_ever));
    json_object_set_new(object, "frequency", list);
    return object;
}

static json_t *features_json(const path_run *run) {
    json_t *array = json_array();
    for (int64_t i = 0; i < run->n_feature; i++) {
        const path_feature *f = &run->feature[i];
        json_t *weights = json_array(), *standard = json_array(), *substitutes = json_array();
        for (int64_t o = 0; o < run->n_outputs; o++) {
            json_array_append_new(weights, number(f->coef[o]));
            json_array_append_new(standard, number(f->weight[o]));
        }
        for (int64_t q = 0; q < f->n_substitutes; q++)
            json_array_append_new(substitutes, json_pack("{s:I, s:s, s:o, s:o}", "index",
                                                         (json_int_t)f->substitute[q].index, "name",
                                                         f->substitute[q].name, "correlation",
                                                         number(f->substitute[q].correlation),
                                                         "loss", number(f->substitute[q].loss)));
        json_array_append_new(
            array, json_pack("{s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "index", (json_int_t)f->index,
                             "name", f->name, "score", number(f->score), "coef", weights, "weight",
                             standard, "share", number(f->share), "substitutes", substitutes));
        if (i < run->method->n_kept)
            json_object_set_new(json_array_get(array, (size_t)i), "kept", json_true());
    }
    return array;
}

/* The labels of the two classes of each output, if outputs are of pairs. */
static json_t *pairs_json(const pare_path *p, const path_run *run) {
    json_t *array = json_array();
    for (int64_t o = 0; o < class_pairs(run->pairs); o++) {
        int32_t pair[2];
        class_pair(o, run->pairs, pair);
        json_array_append_new(array,
                              json_pack("[s, s]", p->y.classes[pair[0]], p->y.classes[pair[1]]));
    }
    return array;
}

static json_t *junctures_json(const pare_path *p, const path_run *run) {
    json_t *array = json_array();
    for (int64_t i = 0; i < run->n_junctures; i++) {
        const path_juncture *j = &run->juncture[i];
        json_array_append_new(array, json_pack("{s:I, s:s, s:[f, f], s:[o, o]}", "index",
                                               (json_int_t)j->index, "name", j->name,
                                               pare_path_parameter(p), j->value[0], j->value[1],
                                               "gap", number(j->gap[0]), number(j->gap[1])));
    }
    return array;
}

/* How the predictors come to probabilities; null: there are none. */
static json_t *calibration_json(const path_run *run) {
    const path_method *m = run->method;
    if (!m->probable) return json_null();
    int64_t tuned = run->point[run->chosen < 0 ? 0 : run->chosen].tuned;
    return json_string(probability_name(fitting_probability(m->m, m->classifier, &m->grid[tuned])));
}

static json_t *runs_json(const pare_path *p) {
    json_t *array = json_array();
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        const path_run *run = &p->run[m];
        json_t *one = json_pack(
            "{s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "method",
            run->method->name, "headline", headline_json(p, m), "folds_done",
            (json_int_t)run->n_done, "unconverged", (json_int_t)run->unconverged, "tuned",
            run->method->tuned ? json_string(run->method->tuned) : json_null(), "points",
            points_json(p, m), "chosen", chosen_json(p, m), "stability", run_stability_json(p, run),
            "n_selected", (json_int_t)run->n_selected, "features", features_json(run), "control",
            control_json(p, m), "predictions", predictions_json(p, m));
        json_object_set_new(one, "calibration", calibration_json(run));
        if (run->pairs) json_object_set_new(one, "pairs", pairs_json(p, run));
        if (run->has_junctures) json_object_set_new(one, "junctures", junctures_json(p, run));
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *comparison_json(const pare_path *p) {
    if (p->n_pairs == 0) return json_null();
    json_t *pairs = json_array(), *ranks = json_array();
    for (int64_t i = 0; i < p->n_pairs; i++) {
        const paired_test *t = &p->pair[i].test;
        json_array_append_new(pairs, json_pack("{s:s, s:s, s:o, s:o, s:{s:o, s:o}, s:{s:o, s:o}}",
                                               "a", p->run[p->pair[i].a].method->name, "b",
                                               p->run[p->pair[i].b].method->name, "difference",
                                               number(t->difference), "se", number(t->se), "t_test",
                                               "t", number(t->t), "p", number(t->p_t), "wilcoxon",
                                               "w", number(t->w), "p", number(t->p_w)));
    }
    for (int64_t m = 0; m < p->setup.n_methods; m++)
        json_array_append_new(ranks, json_pack("{s:s, s:o}", "method", p->run[m].method->name,
                                               "mean_rank", number(p->rank[m])));
    return json_pack("{s:s, s:I, s:o, s:o, s:o}", "scores",
                     p->compares_nested ? "nested" : "chosen", "folds", (json_int_t)p->rank_parts,
                     "pairs", pairs, "ranks", ranks, "critical_difference", number(p->critical));
}

static json_t *folds_json(const pare_path *p) {
    const cv_request *q = &p->setup.request;
    const char *kind = q->role         ? "given parts"
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

static json_t *classes_json(const pare_path *p) {
    json_t *array = json_array();
    for (int64_t c = 0; c < p->y.n_classes; c++)
        json_array_append_new(array, json_string(p->y.classes[c]));
    return array;
}

static json_t *baseline_json(const pare_path *p) {
    json_t *object = json_object();
    for (int64_t q = 0; q < p->setup.n_metrics; q++)
        json_object_set_new(object, p->y.task->metric[q].name, number(p->baseline[q]));
    return object;
}

static json_t *notes_json(const pare_path *p) {
    json_t *array = json_array();
    for (int64_t i = 0; i < p->notes.count; i++)
        json_array_append_new(array, json_string(strings_at(&p->notes, i)));
    return array;
}

void path_add_json(text_buffer *text, const pare_path *p) {
    struct {
        const char *key;
        json_t *value;
    } parts[] = {
        {"pare", json_string(PARE_VERSION)},
        {"kind", json_string("path")},
        {"task", json_string(p->y.task->name)},
        {"metric", json_string(p->y.task->metric[p->setup.metric].name)},
        {"higher_is_better", json_boolean(p->setup.higher)},
        {"classes", classes_json(p)},
        {"n_samples", json_integer(p->n)},
        {"n_features", json_integer(p->d)},
        {"data", json_pack("{s:s, s:I}", "sha256", p->sha256, "rows", (json_int_t)p->rows)},
        {"seed", json_integer((json_int_t)p->setup.seed)},
        {"folds", folds_json(p)},
        {"chance", baseline_json(p)},
        {"best", p->best < 0 ? json_null() : json_string(p->run[p->best].method->name)},
        {"null_runs", json_integer(p->n_null_done)},
        {"complete", json_boolean(p->complete)},
        {"runs", runs_json(p)},
        {"comparison", comparison_json(p)},
        {"notes", notes_json(p)},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *dumped = parts[i].value ? json_dumps(parts[i].value, JSON_COMPACT | JSON_ENCODE_ANY |
                                                                       JSON_REAL_PRECISION(17))
                                      : NULL;
        text_add(text, i == 0 ? "{\"" : ",\n \"");
        text_add(text, parts[i].key);
        text_add(text, "\": ");
        text_add(text, dumped ? dumped : "null");
        text->failed |= !dumped;
        free(dumped);
        json_decref(parts[i].value);
    }
    text_add(text, "}\n");
}

pare_status pare_path_json(char **out, const pare_path *p, const pare_ctx *ctx, pare_error *err) {
    text_buffer text;
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    text_init(&text, ctx);
    path_add_json(&text, p);
    return text_finish(&text, out, err);
}
