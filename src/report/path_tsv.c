/* The path as a table: a row per method and size, after # lines that describe the run. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/number.h"
#include "report/path_fields.h"
#include "report/path_text.h"

static void add_number(text_buffer *t, double x) {
    char digits[32];
    if (isnan(x)) {
        text_add(t, "\t");
        return;
    }
    number_format(x, digits);
    text_print(t, "\t%s", digits);
}

static void add_short(text_buffer *t, double x) {
    if (isnan(x))
        text_add(t, "none");
    else
        text_print(t, "%.4g", x);
}

static void add_estimate(text_buffer *t, estimate e) {
    add_short(t, e.mean);
    text_add(t, "\tSE ");
    add_short(t, e.se);
}

static void add_headline(text_buffer *t, const pare_path *p, int64_t m) {
    char sentence[HEADLINE_SIZE];
    for (int64_t i = 0; i < HEADLINE_SENTENCES; i++)
        if (headline_sentence(sentence, p, m, i))
            text_print(t, "# headline\t%s\t%s.\n", p->run[m].method->name, sentence);
}

/* "\t95% CI LOW to HIGH (KIND)", or nothing. */
static void add_interval(text_buffer *t, const interval *i) {
    if (isnan(i->low)) return;
    text_print(t, "\t%.0f%% CI ", 100 * i->level);
    add_short(t, i->low);
    text_add(t, " to ");
    add_short(t, i->high);
    text_print(t, " (%s)", i->kind);
}

static void add_nested(text_buffer *t, const pare_path *p, const path_run *run) {
    const path_sizes_chosen *outer = &run->outer;
    if (outer->count == 0) return;
    text_print(t, "# nested\t%s\t", run->method->name);
    add_estimate(t, run->nested[p->setup.metric]);
    add_interval(t, &run->nested_interval);
    text_print(t, "\t%s %.6g to %.6g, median %.6g\n", p->setup.budget ? "budgets" : "features",
               outer->low, outer->high, outer->median);
}

static void add_permutation(text_buffer *t, const pare_path *p, const path_run *run) {
    const path_null *null = &run->null;
    if (isnan(null->p)) return;
    text_print(t, "# permutations\t%s\t%lld\tscore ", run->method->name, (long long)null->count);
    add_short(t, run->point[run->chosen].metric[p->setup.metric].mean);
    text_add(t, "\tpermutation mean ");
    add_short(t, null->mean);
    text_add(t, ", 5% ");
    add_short(t, null->low);
    text_add(t, ", 95% ");
    add_short(t, null->high);
    text_add(t, "\tp ");
    add_short(t, null->p);
    text_add(t, "\tleast possible p ");
    add_short(t, null->least);
    if (!isnan(null->p_methods)) {
        text_add(t, "\tp of the best method ");
        add_short(t, null->p_methods);
    }
    text_add(t, "\n");
}

static void add_chosen(text_buffer *t, const pare_path *p, const path_run *run) {
    text_print(t, "# chosen\t%s", run->method->name);
    if (run->chosen < 0) {
        text_add(t, "\tnone\n");
        return;
    }
    const path_point *point = &run->point[run->chosen];
    text_print(t, "\t%lld feature%s (%s)\tmean ", (long long)p->setup.sizes[run->chosen],
               p->setup.sizes[run->chosen] == 1 ? "" : "s",
               p->setup.n_sizes > 1 ? choice_name(p->setup.rule) : "given");
    add_estimate(t, point->metric[p->setup.metric]);
    add_interval(t, &point->interval);
    text_add(t, "\tstability ");
    add_short(t, point->stable.index);
    if (run->n_frequency > 0)
        text_print(t, "\tstable core %lld\n", (long long)run->n_core);
    else
        text_add(t, "\tstable core none\n");
}

static void add_pair(text_buffer *t, const path_pair *pair) {
    text_print(t, "# difference\t%s - %s\t", pair->first, pair->second);
    add_estimate(t, (estimate){pair->test.difference, pair->test.se});
    text_add(t, "\tcorrected t-test p ");
    add_short(t, pair->test.p_t);
    text_add(t, "\tWilcoxon p ");
    add_short(t, pair->test.p_w);
    text_add(t, "\n");
}

/* Where features enter or leave along the path's parameter, on all samples. */
static void add_junctures(text_buffer *t, const pare_path *p, const path_run *run) {
    for (int64_t i = 0; i < run->n_junctures; i++) {
        const path_juncture *j = &run->juncture[i];
        text_print(t, "# juncture\t%s\t%s ", j->name, pare_path_parameter(p));
        for (int e = 0; e < 2; e++) {
            char digits[32];
            number_format(j->value[e], digits);
            text_print(t, "%s%s", e ? " to " : "", digits);
        }
        text_print(t, "\tgaps %.2g %.2g\n", j->gap[0], j->gap[1]);
    }
}

/* The score of each cohort that was left out. */
static void add_cohorts(text_buffer *t, const pare_path *p, const path_run *run) {
    for (int64_t j = 0; run->cohort && j < p->n_cohorts; j++) {
        const path_cohort *c = &run->cohort[j];
        text_print(t, "# cohort\t%s\t", run->name);
        text_add_cell(t, c->name);
        text_print(t, "\t%lld sample%s\t", (long long)c->n, c->n == 1 ? "" : "s");
        add_short(t, c->value);
        add_interval(t, &c->interval);
        if (!isnan(c->n_features)) text_print(t, "\tfeatures %.6g", c->n_features);
        text_add(t, "\n");
    }
}

static bool any_has(const pare_path *p, int64_t q) {
    bool any = false;
    for (int64_t m = 0; m < p->setup.n_methods; m++) any |= p->run[m].has[q];
    return any;
}

static void add_value(text_buffer *t, const path_field *f, const path_row *row) {
    const char *text = path_field_text(f, row);
    switch (f->column.type) {
    case PARE_COLUMN_INTEGER: text_print(t, "\t%lld", (long long)path_field_integer(f, row)); break;
    case PARE_COLUMN_FLAG: text_add(t, path_field_real(f, row) != 0 ? "\t*" : "\t"); break;
    case PARE_COLUMN_TEXT:
        text_add(t, "\t");
        text_add_cell(t, text ? text : "");
        break;
    default: add_number(t, path_field_real(f, row));
    }
}

static void add_column(text_buffer *t, const pare_path *p, const path_field *f) {
    if (f->column.type != PARE_COLUMN_METRICS) text_print(t, "\t%s", f->column.name);
    for (int64_t q = 0; f->column.type == PARE_COLUMN_METRICS && q < p->setup.n_metrics; q++)
        if (any_has(p, q)) text_print(t, "\t%s", p->y.task->metric[q].name);
}

static void add_cell(text_buffer *t, const path_field *f, const path_row *row) {
    const path_point *point = row->at;
    if (f->column.type != PARE_COLUMN_METRICS) add_value(t, f, row);
    for (int64_t q = 0; f->column.type == PARE_COLUMN_METRICS && q < row->path->setup.n_metrics;
         q++)
        if (any_has(row->path, q)) add_number(t, point->metric[q].mean);
}

/* A row for each point of each run. */
static void add_rows(text_buffer *t, const pare_path *p) {
    const path_table *points = path_table_named("points");
    const path_field *f;
    text_add(t, "method");
    for (size_t c = 0; (f = path_field_next(points, p, PARE_SHOWN_TSV, &c));) add_column(t, p, f);
    for (int64_t m = 0; m < p->setup.n_methods; m++)
        for (int64_t s = 0; s < p->setup.n_sizes; s++) {
            path_row row = path_row_of(points, p, m, s);
            text_print(t, "\n%s", p->run[m].name);
            for (size_t c = 0; (f = path_field_next(points, p, PARE_SHOWN_TSV, &c));)
                add_cell(t, f, &row);
        }
    text_add(t, "\n");
}

/* "# NAME\tVALUE" of the path, or "# NAME\tMETHOD\tVALUE" of its runs. */
static void add_lines(text_buffer *t, const pare_path *p, const char *table) {
    const path_table *of = path_table_named(table);
    const path_field *f;
    for (size_t c = 0; (f = path_field_next(of, p, PARE_SHOWN_TSV, &c));)
        for (int64_t m = 0; m < pare_path_rows(p, table, 0); m++) {
            path_row row = path_row_of(of, p, m, m);
            text_print(t, "# %s", f->column.name);
            if (row.at != p) text_print(t, "\t%s", p->run[m].name);
            add_value(t, f, &row);
            text_add(t, "\n");
        }
}

pare_status pare_path_tsv(char **out, const pare_path *p, const pare_ctx *ctx, pare_error *err) {
    text_buffer t;
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    text_init(&t, ctx);
    add_lines(&t, p, "path");
    if (p->y.n_classes == 2) {
        text_add(&t, "# positive\t");
        text_add_cell(&t, p->y.classes[1]);
        text_add(&t, "\n");
    }
    if (p->setup.n_kept > 0)
        text_print(&t, "# kept\t%lld beside those counted\n", (long long)p->setup.n_kept);
    text_print(&t, "# parts\t%lld\n# %s\t", (long long)p->plan.count, p->y.task->baseline);
    add_short(&t, p->baseline[p->setup.metric]);
    text_add(&t, "\n");
    if (!p->complete) text_add(&t, "# incomplete\tstopped early: what was finished is below\n");
    for (int64_t m = 0; m < p->setup.n_methods; m++) add_headline(&t, p, m);
    if (p->setup.n_methods > 1 && p->best >= 0)
        text_print(&t, "# best\t%s\tof %lld methods by this estimate, which favours it a little\n",
                   p->run[p->best].method->name, (long long)p->setup.n_methods);
    for (int64_t m = 0; m < p->setup.n_methods; m++) add_nested(&t, p, &p->run[m]);
    for (int64_t m = 0; m < p->setup.n_methods; m++) add_chosen(&t, p, &p->run[m]);
    for (int64_t m = 0; m < p->setup.n_methods; m++) add_permutation(&t, p, &p->run[m]);
    for (int64_t m = 0; m < p->setup.n_methods; m++) control_add_lines(&t, p, m);
    add_lines(&t, p, "runs");
    for (int64_t m = 0; m < p->setup.n_methods; m++) add_cohorts(&t, p, &p->run[m]);
    for (int64_t m = 0; m < p->setup.n_methods; m++) add_junctures(&t, p, &p->run[m]);
    for (int64_t i = 0; i < p->n_pairs; i++) add_pair(&t, &p->pair[i]);
    for (int64_t i = 0; i < p->notes.count; i++) {
        text_add(&t, "# note: ");
        text_add(&t, strings_at(&p->notes, i));
        text_add(&t, "\n");
    }
    add_rows(&t, p);
    return text_finish(&t, out, err);
}
