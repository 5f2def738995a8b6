/* The path under failing allocations: an error, no crash, no leak. */
#include "support/fits.h"

#include <stdio.h>

typedef struct trial {
    const pare_data *data;
    const pare_path *path;
    const char *method;
    bool checkpoint;
    const char *control; /* or NULL */
} trial;

static pare_status run(void *user, const pare_ctx *failing_ctx) {
    trial *t = user;
    pare_ctx own = *failing_ctx, *ctx = &own;
    own.threads = 1; /* the order of allocations is then always the same */
    pare_settings *set;
    pare_path *p = NULL;
    pare_error err;
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = t->checkpoint ? 0 : 2;
    o.null_runs = t->checkpoint;
    o.sizes = "2";
    o.error_control = t->control;
    o.error_pairs = o.error_permutations = 2;
    if (t->checkpoint) {
        remove("oom.checkpoint");
        o.checkpoint = "oom.checkpoint";
    }
    pare_status status = pare_settings_new(&set, t->method, ctx, &err);
    if (status != PARE_OK) return status;
    status = pare_settings_set(set, "missing", "mean", &err);
    if (status == PARE_OK)
        status = pare_path_run(&p, t->data, (const pare_settings *const *)&set, 1, &o, ctx, &err);
    if (status != PARE_OK) assert_null(p);
    pare_path_free(p);
    pare_settings_free(set);
    return status;
}

static pare_status resume(void *user, const pare_ctx *failing_ctx) {
    trial *t = user;
    pare_ctx own = *failing_ctx, *ctx = &own;
    own.threads = 1;
    pare_settings *set = settings_make(t->method, PAIRS("missing", "mean"));
    pare_path *p = NULL;
    pare_error err;
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 2;
    o.inner = 0;
    o.null_runs = 1;
    o.sizes = "2";
    o.checkpoint = "oom.checkpoint";
    pare_status status =
        pare_path_run(&p, t->data, (const pare_settings *const *)&set, 1, &o, ctx, &err);
    pare_path_free(p);
    pare_settings_free(set);
    return status;
}

static pare_status texts(void *user, const pare_ctx *ctx) {
    trial *t = user;
    pare_error err;
    char *text;
    pare_status status = pare_path_json(&text, t->path, ctx, &err);
    pare_text_free(text, ctx);
    if (status != PARE_OK) return status;
    status = pare_path_tsv(&text, t->path, ctx, &err);
    pare_text_free(text, ctx);
    if (status != PARE_OK) return status;
    status = pare_path_html(&text, t->path, "pare path x", ctx, &err);
    pare_text_free(text, ctx);
    return status;
}

static void nothing_leaks(void **state) {
    (void)state;
    rng r = rng_from(95);
    problem_shape shape = {.n = 12,
                           .d = 5,
                           .classes = 2,
                           .signal = 1,
                           .density = 1,
                           .missing = 0.05,
                           .constant = true};
    pare_data *data = problem_make(&r, &shape);
    trial t = {.data = data, .method = "svm"};
    check_oom(run, &t);
    const bool kept[5] = {true};
    const signed char sign[5] = {1, 0, -1, 1, 0};
    pare_error err;
    assert_int_equal(pare_data_set_kept(data, kept, &err), PARE_OK);
    assert_int_equal(pare_data_set_signs(data, sign, &err), PARE_OK);
    t.method = "logistic";
    check_oom_thinly(run, &t, 40);
    assert_int_equal(pare_data_set_kept(data, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_signs(data, NULL, &err), PARE_OK);
    t.method = "corr";
    t.control = "pfer=2";
    check_oom(run, &t);
    t.control = "fdr=0.5";
    check_oom(run, &t);
    t.control = NULL;
    t.checkpoint = true;
    check_oom(run, &t);
    check_oom(resume, &t);
    pare_settings *set = settings_make("corr", PAIRS("missing", "mean"));
    pare_path *p;
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 10;
    assert_int_equal(pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, NULL, &err),
                     PARE_E_DATA); /* ten folds of so few samples */
    o.folds = 3;
    o.error_control = "fdr=0.5";
    assert_int_equal(pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, NULL, &err),
                     PARE_OK);
    t.path = p;
    check_oom(texts, &t);
    pare_path_free(p);
    pare_settings_free(set);
    pare_data_free(data);
    remove("oom.checkpoint");
}

TEST_FILE(test_path_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
