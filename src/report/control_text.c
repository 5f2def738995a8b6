/* Error control in the results of a path: as JSON, and as lines of the table. */
#include <jansson.h>
#include <math.h>

#include "report/path_fields.h"
#include "report/path_text.h"

static json_t *list_json(const control_result *r, int64_t count, const char *key) {
    json_t *array = json_array();
    for (int64_t i = 0; i < count; i++) {
        const control_feature *f = &r->feature[i];
        json_array_append_new(array, json_pack("{s:I, s:s, s:f}", "index", (json_int_t)f->index,
                                               "name", f->name, key, f->value));
    }
    return array;
}

static double threshold_of(const control_request *c) {
    return c->kind == CONTROL_STABILITY ? (double)c->rule.times / (2 * (double)c->pairs) : c->level;
}

static json_t *stability_json(const control_request *c, const control_result *r) {
    return json_pack("{s:s, s:f, s:f, s:I, s:s, s:s, s:f, s:I, s:o, s:o}", "kind", "stability",
                     "level", c->level, "threshold", threshold_of(c), "q", (json_int_t)c->rule.q,
                     "bound", bound_name(c->bound), "assumes", bound_assumes(c->bound), "expected",
                     c->rule.expected, "pairs", (json_int_t)c->pairs, "selected",
                     list_json(r, r->n_selected, "share"), "listed",
                     list_json(r, r->n_listed, "share"));
}

static const char *permutation_assumes(bool pooled) {
    return pooled
               ? "the scores of features that have nothing to do with the target are those under "
                 "permuted labels and distributed alike for all features, and features depend on "
                 "each other weakly"
               : "the score of a feature that has nothing to do with the target is one of those "
                 "that it has under permuted labels, and features depend on each other weakly";
}

static json_t *permutation_json(const control_request *c, const control_result *r) {
    return json_pack("{s:s, s:f, s:f, s:n, s:n, s:s, s:I, s:b, s:f, s:o, s:o}", "kind",
                     "permutation", "level", c->level, "threshold", threshold_of(c), "q", "bound",
                     "assumes", permutation_assumes(r->pooled), "permutations",
                     (json_int_t)r->permutations, "pooled", (int)r->pooled, "true_nulls", r->nulls,
                     "selected", list_json(r, r->n_selected, "q"), "listed",
                     list_json(r, r->n_listed, "q"));
}

json_t *control_json(const path_row *row) {
    const pare_path *p = row->path;
    const control_result *r = &p->run[row->run].control;
    if (!r->done) return json_null();
    return p->control.kind == CONTROL_STABILITY ? stability_json(&p->control, r)
                                                : permutation_json(&p->control, r);
}

static void add_stability(text_buffer *t, const control_request *c) {
    text_print(t, "\teach among the best %lld in %.4g%% of %lld half-samples or more",
               (long long)c->rule.q, 100 * threshold_of(c), 2 * (long long)c->pairs);
    text_print(t,
               "\ta procedure like this selects on average at most %.4g feature%s hardly better "
               "than chance (%s bound)\n",
               c->level, c->level == 1 ? " that is" : "s that are", bound_name(c->bound));
}

static void add_permutation(text_buffer *t, const control_request *c, const control_result *r) {
    text_print(t, "\tq-value at most %.4g by %lld permutations of the labels", c->level,
               (long long)r->permutations);
    text_print(t,
               "\tin a procedure like this on average a share of at most %.4g of the selected "
               "features has nothing to do with the target\n",
               c->level);
}

void control_add_lines(text_buffer *t, const pare_path *p, int64_t m) {
    const control_request *c = &p->control;
    const control_result *r = &p->run[m].control;
    const char *name = p->run[m].method->name;
    if (!r->done) return;
    text_print(t, "# control\t%s\t%lld feature%s", name, (long long)r->n_selected,
               r->n_selected == 1 ? "" : "s");
    if (c->kind == CONTROL_STABILITY)
        add_stability(t, c);
    else
        add_permutation(t, c, r);
    for (int64_t i = 0; i < r->n_selected; i++) {
        text_print(t, "# controlled\t%s\t", name);
        text_add_cell(t, r->feature[i].name);
        text_print(t, "\t%lld\t%.4g\n", (long long)r->feature[i].index, r->feature[i].value);
    }
}
