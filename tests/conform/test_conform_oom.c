/* Allocation failure, of every method: whichever allocation of a fit, a check, a prediction, a path, a
 * saved and a loaded model fails, of the context's or of the data's own allocator, there is an error and
 * nothing is left behind; or the result is what it is without a failure, to the byte. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry.h"

enum { N = 12, D = 4, SCORES = 64, WHOLE = 20, PART = 4, FEW = 1 };
static const char *const file = "conform_oom.json";

/* What a problem has beside plain numbers. */
typedef enum extras {
    PLAIN,
    TERMS, /* costs, groups, a feature that is kept, a budget: what the method can do of it */
    GAPS,  /* sparse storage, missing values, weights, calibrated probabilities */
    EXTRAS
} extras;

typedef struct trial {
    const conform_case *c;
    extras e;
    sheet s;
    /* without a failure */
    pare_model *model;
    pare_report predictor, selection;
    double score[SCORES];
    char *text, *path;
    char differs[96]; /* where a result is another one */
} trial;

/* --- the problem, in the allocator that may fail --- */

static pare_status set_terms(pare_data *data, const method *m, pare_error *err) {
    static const char *const group[D] = {"a", "b", "a", "c"};
    static const double cost[D] = {1, 2, 1.5, 1};
    static const bool kept[D] = {false, true, false, false};
    pare_status status = pare_data_set_costs(data, cost, err);
    if (status == PARE_OK && !m->cannot_group) status = pare_data_set_groups(data, group, err);
    if (status == PARE_OK && !m->cannot_keep) status = pare_data_set_kept(data, kept, err);
    return status;
}

static pare_status make_data(pare_data **out, const trial *t, const pare_ctx *ctx,
                             pare_error *err) {
    pare_status status = sheet_data_in(out, &t->s, t->e == GAPS, ctx, err);
    if (status == PARE_OK && t->e == TERMS)
        status = set_terms(*out, method_named(t->c->method), err);
    if (status == PARE_OK) return status;
    pare_data_free(*out);
    *out = NULL;
    return status;
}

static bool ranks(const trial *t) { return !method_named(t->c->method)->ranks_none; }

static pare_status make_settings(pare_settings **out, const trial *t, bool path,
                                 const pare_ctx *ctx, pare_error *err) {
    bool classes = strcmp(t->c->task, "binary") == 0 || strcmp(t->c->task, "multiclass") == 0;
    pare_status status = PARE_OK;
    *out = conform_settings(t->c, false, ctx);
    if (!*out) return PARE_E_MEMORY;
    if (t->e == TERMS && ranks(t)) {
        status = pare_settings_set(*out, "k", "auto", err);
        if (status == PARE_OK && !path) status = pare_settings_set(*out, "budget", "3.5", err);
    }
    if (t->e == GAPS) status = pare_settings_set(*out, "missing", "indicator", err);
    if (t->e == GAPS && classes && !path && status == PARE_OK)
        status = pare_settings_set(*out, "probability", "true", err);
    return status;
}

/* --- the calls --- */

static pare_status fit_model(pare_model **m, const trial *t, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = NULL;
    pare_settings *set;
    *m = NULL;
    pare_status status = make_settings(&set, t, false, ctx, err);
    if (status == PARE_OK) status = make_data(&data, t, ctx, err);
    if (status == PARE_OK) status = pare_fit(m, data, set, ctx, err);
    if (status != PARE_OK) assert_null(*m);
    pare_data_free(data);
    pare_settings_free(set);
    return status;
}

static pare_status run_path(char **json, const trial *t, const pare_ctx *ctx, pare_error *err) {
    pare_data *data = NULL;
    pare_settings *set;
    pare_path *p = NULL;
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = 0;
    o.error_pairs = 2;
    if (ranks(t) && t->e == TERMS) o.budgets = "3.5,9";
    if (ranks(t) && t->e == PLAIN) o.error_control = "pfer=3", o.error_bound = "plain";
    *json = NULL;
    pare_status status = make_settings(&set, t, true, ctx, err);
    if (status == PARE_OK) status = make_data(&data, t, ctx, err);
    if (status == PARE_OK)
        status = pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, ctx, err);
    if (status == PARE_OK) status = pare_path_json(json, p, ctx, err);
    pare_path_free(p);
    pare_data_free(data);
    pare_settings_free(set);
    return status;
}

/* Notes where a result parts from what it is without a failure. */
static pare_status same_text(trial *t, const char *got, const char *wanted) {
    size_t i = 0, before = 20;
    while (got[i] && got[i] == wanted[i]) i++;
    if (got[i] == wanted[i]) return PARE_OK;
    i = i > before ? i - before : 0;
    snprintf(t->differs, sizeof t->differs, ", %.40s is %.40s", wanted + i, got + i);
    return PARE_E_DATA;
}

/* One thread: the order of allocations is then always the same. */
static pare_ctx on_one_thread(const pare_ctx *given) {
    pare_ctx ctx = *given;
    ctx.threads = 1;
    return ctx;
}

static pare_status fit(void *user, const pare_ctx *given) {
    trial *t = user;
    pare_ctx ctx = on_one_thread(given);
    pare_model *m;
    char *text = NULL;
    pare_error err;
    pare_status status = fit_model(&m, t, &ctx, &err);
    if (status == PARE_OK) status = pare_model_text(&text, m, &ctx, &err);
    if (status == PARE_OK) status = same_text(t, text, t->text);
    pare_text_free(text, &ctx);
    pare_model_free(m);
    return status;
}

static pare_status path(void *user, const pare_ctx *given) {
    trial *t = user;
    pare_ctx ctx = on_one_thread(given);
    char *json;
    pare_error err;
    pare_status status = run_path(&json, t, &ctx, &err);
    if (status == PARE_OK) status = same_text(t, json, t->path);
    pare_text_free(json, &ctx);
    return status;
}

static bool same_report(const pare_report *a, const pare_report *b) {
    return memcmp(&a->objective, &b->objective, sizeof a->objective) == 0 &&
           a->outcome == b->outcome && a->certificate.kind == b->certificate.kind &&
           memcmp(&a->certificate.relative, &b->certificate.relative, sizeof(double)) == 0;
}

static pare_status check(void *user, const pare_ctx *given) {
    trial *t = user;
    pare_ctx ctx = on_one_thread(given);
    pare_report predictor = {0}, selection = {0}; /* there may be none */
    pare_data *data;
    pare_error err;
    pare_status status = make_data(&data, t, &ctx, &err);
    if (status == PARE_OK) status = pare_check(&predictor, &selection, t->model, data, &ctx, &err);
    pare_data_free(data);
    if (status != PARE_OK) return status;
    bool same = same_report(&predictor, &t->predictor) && same_report(&selection, &t->selection);
    return same ? PARE_OK : PARE_E_DATA;
}

static pare_status predict(void *user, const pare_ctx *given) {
    trial *t = user;
    pare_ctx ctx = on_one_thread(given);
    double score[SCORES];
    pare_data *data;
    pare_error err;
    size_t size = sizeof *score * (size_t)(N * pare_model_get(t->model)->n_scores);
    pare_status status = make_data(&data, t, &ctx, &err);
    if (status == PARE_OK) status = pare_predict(score, t->model, data, &ctx, &err);
    pare_data_free(data);
    if (status != PARE_OK) return status;
    return memcmp(score, t->score, size) == 0 ? PARE_OK : PARE_E_DATA;
}

static pare_status save(void *user, const pare_ctx *ctx) {
    const trial *t = user;
    pare_error err;
    return pare_model_save(t->model, file, ctx, &err);
}

static pare_status load(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_model *m = NULL;
    char *text = NULL;
    pare_error err;
    pare_status status = pare_model_load(&m, file, ctx, &err);
    if (status == PARE_OK) status = pare_model_text(&text, m, NULL, &err);
    if (status == PARE_OK) status = same_text(t, text, t->text);
    pare_text_free(text, NULL);
    pare_model_free(m);
    return status;
}

/* --- all of them --- */

static void holds(trial *t, const char *what, oom_call call, int64_t dense) {
    static const char *const with[EXTRAS] = {"", " with terms", " with gaps"};
    char why[OOM_WHY];
    uint64_t seed = (uint64_t)t->e;
    for (const char *s = t->c->title; *s; s++) seed = 31 * seed + (unsigned char)*s;
    t->differs[0] = 0;
    if (oom_holds(call, t, dense, seed, why)) return;
    conform_fail(t->c, "%s%s: %s%s", what, with[t->e], why, t->differs);
}

/* What is asked of the problem without a failure; false: the case is refused on it. */
static bool know(trial *t) {
    pare_ctx ctx;
    pare_data *data;
    pare_error err;
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    pare_status status = fit_model(&t->model, t, &ctx, &err);
    if (status == PARE_E_ARGUMENT || status == PARE_E_INFEASIBLE) return false;
    if (status != PARE_OK) conform_fail(t->c, "%s", err.message);
    t->text = conform_text(t->c, t->model);
    assert_int_equal(make_data(&data, t, NULL, &err), PARE_OK);
    assert_true(N * pare_model_get(t->model)->n_scores <= SCORES);
    assert_int_equal(pare_predict(t->score, t->model, data, &ctx, &err), PARE_OK);
    status = pare_check(&t->predictor, &t->selection, t->model, data, &ctx, &err);
    if (status != PARE_OK) conform_fail(t->c, "%s", err.message);
    pare_data_free(data);
    bool again = !t->c->chooses && ranks(t); /* sizes are asked for, not k */
    if (t->c->name || again || run_path(&t->path, t, &ctx, &err) == PARE_OK) return true;
    if (t->e == PLAIN) conform_fail(t->c, "%s", err.message);
    return true;
}

static void add_gaps(sheet *s) {
    assert_non_null(s->weight = malloc(sizeof *s->weight * (size_t)s->n));
    for (int64_t i = 0; i < s->n; i++) s->weight[i] = i % 5 ? 1 : 2;
    s->x[3] = s->x[7] = s->x[2 * s->n + 4] = NAN;
}

static void run_with(const conform_case *c, extras e) {
    rng r;
    rng_seed(&r, 51, 0);
    trial t = {.c = c, .e = e, .s = sheet_for(&r, c, (sheet_shape){N, D, e == GAPS ? 0.7 : 1, 1})};
    bool all = !c->name && e == PLAIN; /* else a part of the work is another one */
    if (e == GAPS) add_gaps(&t.s);
    if (know(&t)) {
        holds(&t, "fit", fit, all ? WHOLE : PART);
        holds(&t, "check", check, all ? WHOLE : PART);
        holds(&t, "predict", predict, WHOLE);
        if (!c->name && c->chooses) {
            holds(&t, "save", save, all ? WHOLE : PART);
            holds(&t, "load", load, WHOLE);
        }
        if (t.path) holds(&t, "path", path, FEW);
    }
    pare_text_free(t.path, NULL);
    pare_text_free(t.text, NULL);
    pare_model_free(t.model);
    sheet_free(&t.s);
}

static void run(const conform_case *c, void *user) {
    (void)user;
    for (extras e = PLAIN; e < EXTRAS; e++)
        if (e == PLAIN || !c->name) run_with(c, e);
}

static void every_failure_is_an_error(void **state) {
    (void)state;
    conform_walk(run, NULL);
    remove(file);
}

TEST_FILE(test_conform_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
