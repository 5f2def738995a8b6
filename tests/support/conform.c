#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"

static const double SMALL_TOL = 1e-7;
/* A tolerance above that is none of a duality gap, but of what a descent gains in many steps. */
static const double LARGEST_GAP_TOL = 1e-3, SMALL_SHARE = 0.02;

/* --- sheets --- */

static sheet sheet_new(int64_t n, int64_t d) {
    sheet t = {.n = n, .d = d};
    t.x = calloc((size_t)(n * d + 1), sizeof *t.x);
    t.label = calloc((size_t)n + 1, sizeof *t.label);
    assert_true(t.x && t.label);
    return t;
}

sheet sheet_random(rng *r, const char *task, sheet_shape shape) {
    int64_t n = shape.n, d = shape.d, classes = strcmp(task, "multiclass") == 0 ? 3 : 2;
    sheet t = sheet_new(n, d);
    t.timed = task_named(task)->timed;
    for (int64_t e = 0; e < n * d; e++) {
        double x = rng_normal(r);
        t.x[e] = rng_uniform(r) < shape.density ? x : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t c = i % classes;
        double value = rng_normal(r) / 4;
        for (int64_t j = 0; j < d && j < 3; j++) {
            value += t.x[j * n + i] * (double)(j + 1);
            if (t.x[j * n + i] != 0) t.x[j * n + i] += shape.signal * (double)((c + j) % classes);
        }
        if (strcmp(task, "regression") == 0)
            snprintf(t.label[i], SHEET_LABEL, "%.17g", value);
        else if (t.timed) /* some times are equal; a third is censored */
            snprintf(t.label[i], SHEET_LABEL, "%.0f%s", 1 + floor(20 * exp(-value / 2)),
                     i > 0 && rng_uniform(r) < 1.0 / 3 ? "+" : "");
        else
            snprintf(t.label[i], SHEET_LABEL, "c%d", (int)c);
    }
    return t;
}

/* A setting that needs groups. */
static bool is_grouped(const conform_case *c) { return c->value && strcmp(c->value, "group") == 0; }

sheet sheet_for(rng *r, const conform_case *c, sheet_shape shape) {
    sheet t = sheet_random(r, c->task, shape);
    t.grouped = is_grouped(c);
    if (method_named(c->method)->counts)
        for (int64_t e = 0; e < t.n * t.d; e++) t.x[e] = fabs(t.x[e]);
    return t;
}

sheet sheet_pick(const sheet *from, const int64_t *rows, int64_t n, const int64_t *cols,
                 int64_t d) {
    sheet t = sheet_new(rows ? n : from->n, cols ? d : from->d);
    t.grouped = from->grouped;
    t.timed = from->timed;
    if (from->weight) assert_non_null(t.weight = calloc((size_t)t.n + 1, sizeof *t.weight));
    for (int64_t i = 0; i < t.n; i++) {
        int64_t at = rows ? rows[i] : i;
        memcpy(t.label[i], from->label[at], SHEET_LABEL);
        if (t.weight) t.weight[i] = from->weight[at];
        for (int64_t j = 0; j < t.d; j++)
            t.x[j * t.n + i] = from->x[(cols ? cols[j] : j) * from->n + at];
    }
    return t;
}

void sheet_free(sheet *t) {
    free(t->x);
    free(t->label);
    free(t->weight);
}

/* The non-zeros, by column. */
static pare_status sparse_data(pare_data **out, const sheet *t, const char *const *labels,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t *col_ptr = calloc((size_t)t->d + 1, sizeof *col_ptr), entries = 0;
    int32_t *row = malloc(sizeof *row * (size_t)(t->n * t->d + 1));
    double *value = malloc(sizeof *value * (size_t)(t->n * t->d + 1));
    assert_true(col_ptr && row && value);
    for (int64_t j = 0; j < t->d; j++) {
        for (int64_t i = 0; i < t->n; i++) {
            if (t->x[j * t->n + i] == 0) continue;
            row[entries] = (int32_t)i;
            value[entries++] = t->x[j * t->n + i];
        }
        col_ptr[j + 1] = entries;
    }
    pare_status status =
        pare_data_sparse(out, t->n, t->d, col_ptr, row, value, NULL, labels, NULL, ctx, err);
    free(value);
    free(row);
    free(col_ptr);
    return status;
}

/* Features of two groups, by turns. */
static pare_status set_groups(pare_data *data, int64_t d, pare_error *err) {
    const char **group = malloc(sizeof *group * (size_t)(d + 1));
    assert_non_null(group);
    for (int64_t j = 0; j < d; j++) group[j] = j % 2 ? "odd" : "even";
    pare_status status = pare_data_set_groups(data, group, err);
    free(group);
    return status;
}

/* The texts as times; a + says that one is censored. */
pare_status sheet_set_times(pare_data *data, const sheet *t, pare_error *err) {
    double *time = malloc(sizeof *time * (size_t)(t->n + 1));
    bool *event = malloc(sizeof *event * (size_t)(t->n + 1));
    assert_true(time && event);
    for (int64_t i = 0; i < t->n; i++) {
        time[i] = atof(t->label[i]);
        event[i] = strchr(t->label[i], '+') == NULL;
    }
    pare_status status = pare_data_set_time_event(data, time, event, err);
    free(event);
    free(time);
    return status;
}

pare_status sheet_data_in(pare_data **out, const sheet *t, bool sparse, const pare_ctx *ctx,
                          pare_error *err) {
    const char **labels = malloc(sizeof *labels * (size_t)(t->n + 1));
    assert_non_null(labels);
    for (int64_t i = 0; i < t->n; i++) labels[i] = t->label[i];
    const char *const *texts = t->timed ? NULL : labels;
    pare_status status = sparse
                             ? sparse_data(out, t, texts, ctx, err)
                             : pare_data_dense(out, t->n, t->d, t->x, NULL, texts, NULL, ctx, err);
    free(labels);
    if (status == PARE_OK && t->timed) status = sheet_set_times(*out, t, err);
    if (status == PARE_OK && t->grouped) status = set_groups(*out, t->d, err);
    if (status == PARE_OK && t->weight) status = pare_data_set_weights(*out, t->weight, err);
    if (status == PARE_OK) return status;
    pare_data_free(*out);
    *out = NULL;
    return status;
}

pare_data *sheet_data(const sheet *t, bool sparse) {
    pare_data *data = NULL;
    pare_error err;
    if (sheet_data_in(&data, t, sparse, NULL, &err) != PARE_OK) fail_msg("%s", err.message);
    return data;
}

/* --- the walk --- */

/* Where a case that fails goes on with the next one, so that a run names all that fail. */
static jmp_buf next_case;
static int failed;

typedef struct walker {
    void (*run)(const conform_case *, void *);
    void *user;
    const method *m;
    conform_case c;
} walker;

static void run_case(walker *w, const char *name, const char *value, bool chooses) {
    conform_case *c = &w->c;
    c->name = name;
    c->value = value;
    c->chooses = chooses;
    snprintf(c->title, sizeof c->title, "%s, %s%s%s%s%s", c->method, c->task, name ? ", " : "",
             name ? name : "", name ? " " : "", name ? value : "");
    if (setjmp(next_case) == 0) w->run(c, w->user);
}

/* Every choice but the default, and every flag the other way. */
static void run_setting(walker *w, const pare_setting_info *info) {
    bool flag = strcmp(info->type, "flag") == 0;
    char words[160], *rest = NULL;
    if (info->common || (!flag && strcmp(info->type, "choice") != 0)) return;
    const char *colon = strchr(info->allowed, ':'); /* one of: WORD WORD ... */
    assert_true(flag || colon);
    snprintf(words, sizeof words, "%s", flag ? "true false" : colon + 1);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, info->fallback) != 0) run_case(w, info->name, word, !w->m->ranks_none);
}

static void run_task(walker *w) {
    run_case(w, NULL, NULL, !w->m->ranks_none);
    if (!w->m->needs_k && !w->m->ranks_none) run_case(w, NULL, NULL, false);
    if (getenv("TESTS_SHORT")) return; /* where another build walks the choices */
    pare_settings *set = settings_make(w->c.method, NULL);
    for (int64_t i = 0; i < pare_settings_count(set); i++) {
        pare_setting_info info;
        assert_true(pare_settings_info(&info, set, i));
        run_setting(w, &info);
    }
    pare_settings_free(set);
    bool ends = w->m->selects_only || w->m->shrunken;
    if (ends && strcmp(w->c.task, "multiclass") == 0)
        run_case(w, "classifier_multiclass", "ovo", true);
}

void conform_walk(void (*run)(const conform_case *, void *user), void *user) {
    const char *only = getenv("CONFORM_METHOD"); /* while one is being written */
    failed = 0;
    assert_true(pare_methods_count() > 0);
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info info;
        assert_true(pare_methods_info(&info, i));
        if (only && strcmp(only, info.name) != 0) continue;
        walker w = {.run = run, .user = user, .m = method_named(info.name)};
        char tasks[64], *rest = NULL;
        snprintf(tasks, sizeof tasks, "%s", info.tasks);
        w.c.method = info.name;
        for (char *task = strtok_r(tasks, ", ", &rest); task; task = strtok_r(NULL, ", ", &rest)) {
            if (strcmp(task, "none") == 0) continue; /* no predictor: tests/cli/test_filters.sh */
            w.c.task = task;
            run_task(&w);
        }
    }
    if (failed) fail_msg("%d cases failed", failed);
}

void conform_fail(const conform_case *c, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error("%s%s: %s\n", c->title, c->chooses ? ", k" : "", text);
    failed++;
    longjmp(next_case, 1);
}

/* --- fits --- */

static void set_or_fail(const conform_case *c, pare_settings *set, const char *name,
                        const char *value) {
    pare_error err;
    if (pare_settings_set(set, name, value, &err) != PARE_OK) conform_fail(c, "%s", err.message);
}

static double small_tolerance(const pare_settings *set) {
    pare_setting_info info;
    for (int64_t i = 0; pare_settings_info(&info, set, i); i++)
        if (strcmp(info.name, "tol") == 0 && strtod(info.fallback, NULL) > LARGEST_GAP_TOL)
            return SMALL_SHARE * strtod(info.fallback, NULL);
    return SMALL_TOL;
}

pare_settings *conform_settings(const conform_case *c, bool exact, const pare_ctx *ctx) {
    pare_settings *set = NULL;
    pare_error err;
    char text[32];
    if (pare_settings_new(&set, c->method, ctx, &err) != PARE_OK) return NULL;
    set_or_fail(c, set, "task", task_named(c->task)->word);
    snprintf(text, sizeof text, "%d", is_grouped(c) ? 2 : CONFORM_K); /* k counts groups */
    if (c->chooses) set_or_fail(c, set, "k", text);
    if (c->name) set_or_fail(c, set, c->name, c->value);
    if (c->scale) set_or_fail(c, set, "scale", c->scale);
    if (exact && has_setting(c->method, "tol")) {
        snprintf(text, sizeof text, "%g", small_tolerance(set));
        set_or_fail(c, set, "tol", text);
    }
    if (exact && has_setting(c->method, "restarts"))
        set_or_fail(c, set, "restarts", "0"); /* draws */
    return set;
}

static pare_model *fit_or_refuse(const conform_case *c, const pare_data *data, bool exact,
                                 const pare_ctx *ctx, bool may_refuse) {
    pare_settings *set = conform_settings(c, exact, NULL);
    pare_model *m = NULL;
    pare_error err;
    assert_non_null(set);
    pare_status status = pare_fit(&m, data, set, ctx, &err);
    pare_settings_free(set);
    bool refused = status == PARE_E_ARGUMENT || status == PARE_E_INFEASIBLE;
    if (status != PARE_OK && !(may_refuse && refused)) conform_fail(c, "%s", err.message);
    return m;
}

static pare_ctx with_threads(int threads) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    return ctx;
}

pare_model *conform_fit(const conform_case *c, const pare_data *data, bool exact, int threads) {
    pare_ctx ctx = with_threads(threads);
    return fit_or_refuse(c, data, exact, &ctx, false);
}

pare_model *conform_fit_if(const conform_case *c, const pare_data *data, bool exact, int threads) {
    pare_ctx ctx = with_threads(threads);
    return fit_or_refuse(c, data, exact, &ctx, true);
}

pare_model *conform_fit_in(const conform_case *c, const pare_data *data, bool exact,
                           const pare_ctx *ctx) {
    return fit_or_refuse(c, data, exact, ctx, true);
}

char *conform_text(const conform_case *c, const pare_model *m) {
    char *text = NULL;
    pare_error err;
    if (pare_model_text(&text, m, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    return text;
}

double *conform_predict(const conform_case *c, const pare_model *m, const pare_data *data) {
    int64_t size = pare_data_n(data) * pare_model_get(m)->n_scores;
    double *f = malloc(sizeof *f * (size_t)(size + 1));
    pare_error err;
    assert_non_null(f);
    if (pare_predict(f, m, data, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    return f;
}

static void same_number(const conform_case *c, const char *what, double a, double b, double size,
                        double tol) {
    if (isnan(a) && isnan(b)) return;
    if (!(fabs(a - b) <= tol * size)) conform_fail(c, "%s %.12g and %.12g", what, a, b);
}

/* Whether the method descends on a problem that is not convex: it ends where it is. */
static bool is_descent(const conform_case *c, const pare_report *r) {
    return r->outcome == PARE_STATIONARY || method_named(c->method)->done == PARE_STATIONARY;
}

/* As close as the certificates say that both are to the optimum. */
static void same_objectives(const conform_case *c, const char *what, pare_report a, pare_report b) {
    double known = fmax(a.certificate.relative, 0) + fmax(b.certificate.relative, 0);
    if (is_descent(c, &a)) known = 1e-3;
    same_number(c, what, a.objective, b.objective, fabs(a.objective), 1e-4 + known);
}

static void same_values(const conform_case *c, const pare_model *a, const pare_data *on_a,
                        const pare_model *b, const pare_data *on_b) {
    double *f = conform_predict(c, a, on_a), *g = conform_predict(c, b, on_b), size = 1;
    int64_t count = pare_data_n(on_a) * pare_model_get(a)->n_scores;
    for (int64_t e = 0; e < count; e++) size = fmax(size, fabs(f[e]));
    for (int64_t e = 0; e < count; e++) same_number(c, "decision values", f[e], g[e], size, 1e-3);
    free(f);
    free(g);
}

/* Of equal scores the lower index comes first, whatever the order of the columns. */
static bool is_tied(const pare_model *m, int64_t i) {
    double own = pare_model_get(m)->score[i];
    return (i > 0 && pare_model_get(m)->score[i - 1] == own) ||
           (i + 1 < pare_model_get(m)->n_selected && pare_model_get(m)->score[i + 1] == own);
}

void conform_same(const conform_case *c, const pare_model *a, const pare_data *on_a,
                  const pare_model *b, const pare_data *on_b, const int64_t *cols) {
    pare_report ra = pare_model_get(a)->predictor, rb = pare_model_get(b)->predictor;
    int64_t k = pare_model_get(a)->n_selected;
    bool made_up =
        pare_model_get(a)->n_ranked != pare_model_get(a)->n_features; /* columns of its own */
    same_objectives(c, "objectives", ra, rb);
    if (selection_of(&ra, a) && selection_of(&rb, b))
        same_objectives(c, "selecting objectives", ra, rb);
    double tol = is_descent(c, &ra) ? 1e-2 : 1e-3; /* of scores */
    if (k != pare_model_get(b)->n_selected)
        conform_fail(c, "%d and %d features", (int)k, (int)pare_model_get(b)->n_selected);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = pare_model_get(b)->index[i];
        double s = pare_model_get(a)->score[i];
        if (cols && is_tied(a, i)) continue;
        if (cols) j = made_up ? pare_model_get(a)->index[i] : cols[j];
        if (pare_model_get(a)->index[i] != j)
            conform_fail(c, "feature %d is %d and %d", (int)i, (int)pare_model_get(a)->index[i],
                         (int)j);
        same_number(c, "scores", s, pare_model_get(b)->score[i], fmax(1, fabs(s)), tol);
    }
    same_values(c, a, on_a, b, on_b);
}
