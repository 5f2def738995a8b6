/* The samples in the results of a path, as JSON: predictions for them, and their values. */
#include <jansson.h>
#include <math.h>

#include "model/predictor.h"
#include "report/path_fields.h"
#include "report/path_text.h"

enum { MAX_LISTED_PREDICTIONS = 20000 }; /* the most predictions that are listed */

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *row_number(const pare_path *p, int64_t row) {
    return json_integer((p->given_row ? p->given_row[row] : row) + 1);
}

static json_t *truth_json(const pare_path *p, int64_t row) {
    if (p->y.time) return json_pack("[o, b]", number(p->y.time[row]), p->y.event[row] != 0);
    return p->y.cls ? json_integer(p->y.cls[row]) : number(p->y.value[row]);
}

/* `count` numbers, `stride` apart; null unless they exist. */
static json_t *number_list(const double *v, int64_t count, int64_t stride) {
    if (!v || isnan(*v)) return json_null();
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) json_array_append_new(array, number(v[i * stride]));
    return array;
}

typedef struct columns {
    json_t *part, *row, *truth, *predicted, *score, *probability;
} columns;

static void add_part(columns *c, const pare_path *p, const fold_result *r, int64_t j, int64_t s) {
    const cv_part *part = &p->plan.part[j];
    int64_t n = part->n_test, outputs = p->setup.outputs;
    for (int64_t i = 0; i < n; i++) {
        const double *F = r->F + s * n * outputs + i;
        const double *P = r->P ? r->P + s * n * p->y.n_classes + i : NULL;
        if (isnan(*F)) return; /* a size that the method cannot have */
        json_array_append_new(c->part, json_integer(j + 1));
        json_array_append_new(c->row, row_number(p, part->test[i]));
        json_array_append_new(c->truth, truth_json(p, part->test[i]));
        json_array_append_new(c->predicted, p->y.task->classes
                                                ? json_integer(scores_decide(F, outputs, n))
                                                : number(*F));
        json_array_append_new(c->score, number_list(F, outputs, n));
        json_array_append_new(c->probability, number_list(P, p->y.n_classes, n));
    }
}

/* The predictions for every test sample of every split: at the size that the split's own training
 * samples chose, or without inner folds at the chosen one. null: not kept, or too many. */
json_t *predictions_json(const path_row *of) {
    const pare_path *p = of->path;
    int64_t m = of->run;
    const path_setup *s = &p->setup;
    const path_run *run = &p->run[m];
    int64_t count = 0;
    for (int64_t j = 0; j < p->plan.count; j++) count += p->plan.part[j].n_test;
    if (!s->keeps_scores || run->chosen < 0 || count > MAX_LISTED_PREDICTIONS) return json_null();
    columns c = {json_array(), json_array(), json_array(),
                 json_array(), json_array(), json_array()};
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *r = &p->round.result[j * s->n_methods + m];
        int64_t at = s->inner.folds > 0 ? fold_nested_size(s, r) : run->chosen;
        if (r->done && at >= 0) add_part(&c, p, r, j, at);
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "sizes",
                     s->inner.folds > 0 ? "nested" : "chosen", "part", c.part, "row", c.row,
                     "truth", c.truth, "prediction", c.predicted, "score", c.score, "probability",
                     c.probability);
}

json_t *values_json(const pare_path *p) {
    json_t *truth = json_array(), *rows = json_array(), *runs = json_array();
    bool shown = p->n <= MAX_VALUES_SAMPLES;
    for (int64_t i = 0; shown && i < p->n; i++) {
        json_array_append_new(truth, truth_json(p, i));
        json_array_append_new(rows, row_number(p, i));
    }
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        json_t *features = json_array();
        for (int64_t i = 0; i < p->run[m].n_feature && p->run[m].feature[i].value; i++) {
            json_t *value = json_array();
            for (int64_t e = 0; e < p->n; e++)
                json_array_append_new(value, number(p->run[m].feature[i].value[e]));
            json_array_append_new(features, value);
        }
        json_array_append_new(runs, features);
    }
    return json_pack("{s:o, s:o, s:o}", "truth", truth, "row", rows, "runs", runs);
}
