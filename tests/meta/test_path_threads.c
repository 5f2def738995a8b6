/* What must not change a path: threads, an interruption with a checkpoint, the storage of the data.
 * And what must: other labels. */
#include "support/fits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "select/path.h"

typedef struct stopper {
    int64_t calls, allowed;
} stopper;

static int stop_after(void *user, const char *stage, double fraction) {
    stopper *s = user;
    (void)stage;
    assert_true(fraction <= 1 + 1e-9);
    return s->allowed >= 0 && s->calls++ >= s->allowed;
}

/* The path of svm and corr as JSON; NULL when it was stopped before anything was done. */
static char *path_json(const pare_data *data, const pare_path_options *o, int threads,
                       int64_t allowed, bool *complete) {
    pare_settings *settings[] = {settings_make("svm", PAIRS("missing", "median")),
                                 settings_make("corr", PAIRS("missing", "median"))};
    stopper stop = {0, allowed};
    pare_ctx ctx;
    pare_error err;
    pare_path *p;
    char *text = NULL, *table;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    ctx.progress = stop_after;
    ctx.user = &stop;
    pare_status status =
        pare_path_run(&p, data, (const pare_settings *const *)settings, 2, o, &ctx, &err);
    if (status == PARE_OK) {
        *complete = pare_path_complete(p);
        assert_int_equal(pare_path_json(&text, p, NULL, &err), PARE_OK);
        assert_int_equal(pare_path_tsv(&table, p, NULL, &err), PARE_OK);
        pare_text_free(table, NULL);
        assert_int_equal(pare_path_html(&table, p, "pare path", NULL, &err), PARE_OK);
        pare_text_free(table, NULL);
    } else {
        assert_int_equal(status, PARE_E_CANCELLED);
        assert_null(p);
    }
    pare_path_free(p);
    pare_settings_free(settings[0]);
    pare_settings_free(settings[1]);
    return text;
}

static const problem_shape shapes[] = {
    {.n = 24, .d = 40, .classes = 3, .signal = 1, .density = 1, .missing = 0.02},
    {.n = 24, .d = 60, .classes = 2, .signal = 1, .density = 0.3, .weights = true},
};

static void small_path(pare_path_options *o) {
    pare_path_options_init(o);
    o->folds = 3;
    o->null_runs = 1;
    o->inner = 2;
    o->sizes = "1,8";
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    rng r = rng_from(91);
    for (int s = 0; s < 2; s++) {
        pare_data *data = problem_make(&r, &shapes[s]);
        pare_path_options o;
        small_path(&o);
        o.tune = s == 1;
        o.error_control = s == 0 ? "pfer=3" : NULL;
        o.error_pairs = 4;
        bool complete;
        char *one = path_json(data, &o, 1, -1, &complete);
        assert_true(one && complete);
        for (int threads = 2; threads <= 8; threads *= 4) {
            char *many = path_json(data, &o, threads, -1, &complete);
            assert_string_equal(one, many);
            pare_text_free(many, NULL);
        }
        pare_text_free(one, NULL);
        pare_data_free(data);
    }
}

static void a_stopped_path_goes_on_from_its_checkpoint(void **state) {
    (void)state;
    rng r = rng_from(92);
    pare_data *data = problem_make(&r, &shapes[0]);
    pare_path_options o;
    small_path(&o);
    bool complete;
    char *whole = path_json(data, &o, 2, -1, &complete);
    remove("path.checkpoint");
    o.checkpoint = "path.checkpoint";
    int64_t stops = 0;
    for (int64_t allowed = 0; allowed < 60; allowed += 12) { /* one thread: polls can be counted */
        char *text = path_json(data, &o, 1, allowed, &complete);
        stops += !text || !complete;
        pare_text_free(text, NULL);
    }
    assert_true(stops > 1);
    FILE *file = fopen("path.checkpoint", "ab"); /* a line that a kill cut short */
    fputs("0 1 0 3ff0", file);
    fclose(file);
    char *text = path_json(data, &o, 1, -1, &complete);
    assert_true(complete);
    assert_string_equal(text, whole);
    pare_text_free(text, NULL);
    text = path_json(data, &o, 1, -1, &complete); /* nothing is left to do */
    assert_string_equal(text, whole);
    pare_text_free(text, NULL);

    pare_settings *svm = settings_make("svm", PAIRS("missing", "median", "C", "3"));
    pare_path *p;
    pare_error err;
    assert_int_equal(pare_path_run(&p, data, (const pare_settings *const *)&svm, 1, &o, NULL, &err),
                     PARE_E_DATA);
    assert_non_null(strstr(err.message, "another run"));
    pare_settings_free(svm);
    remove("path.checkpoint");
    pare_text_free(whole, NULL);
    pare_data_free(data);
}

typedef struct listener {
    int64_t before; /* the first fold */
    bool begun;
} listener;

static int listen(void *user, const char *stage, double fraction) {
    listener *l = user;
    l->begun |= strcmp(stage, "folds") == 0 && fraction >= 0;
    l->before += !l->begun;
    return 0;
}

/* What comes before the first fold grows with the number of parts: it can be stopped, too. */
static void many_parts_are_prepared_one_by_one(void **state) {
    (void)state;
    rng r = rng_from(94);
    pare_data *data = problem_make(&r, &shapes[1]);
    pare_settings *svm = settings_make("svm", PAIRS("missing", "median"));
    pare_path_options o;
    small_path(&o);
    o.folds = 4;
    o.repeats = 10;
    o.inner = o.null_runs = 0;
    listener l = {0};
    pare_ctx ctx;
    pare_path *p;
    pare_error err;
    pare_ctx_init(&ctx);
    ctx.threads = 1; /* of several the calling one may get no fold, and hear of none */
    ctx.progress = listen;
    ctx.user = &l;
    assert_int_equal(pare_path_run(&p, data, (const pare_settings *const *)&svm, 1, &o, &ctx, &err),
                     PARE_OK);
    assert_true(l.begun && l.before >= 40);
    pare_path_free(p);
    pare_settings_free(svm);
    pare_data_free(data);
}

static void permutations_keep_what_they_must(void **state) {
    (void)state;
    enum { N = 60 };
    int32_t cls[N], by_group[N], mixed[N], group[N];
    for (int32_t i = 0; i < N; i++) {
        group[i] = i / 4;
        cls[i] = i % 3;
        by_group[i] = group[i] % 2;
        mixed[i] = i % 2;
    }
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    target out, y = {.task = &task_multiclass, .n_classes = 3, .cls = cls};
    pare_error err;
    int64_t moved = 0, changed = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(target_permute(&out, &mem, &y, N, NULL, seed, &err), PARE_OK);
        int64_t counts[3] = {0};
        for (int i = 0; i < N; i++) counts[out.cls[i]]++;
        for (int i = 0; i < N; i++) moved += out.cls[i] != cls[i];
        for (int c = 0; c < 3; c++) assert_int_equal(counts[c], N / 3);

        target grouped = {.task = &task_binary, .n_classes = 2, .cls = by_group};
        assert_int_equal(target_permute(&out, &mem, &grouped, N, group, seed, &err), PARE_OK);
        for (int i = 1; i < N; i++)
            if (group[i] == group[i - 1]) assert_int_equal(out.cls[i], out.cls[i - 1]);
        for (int i = 0; i < N; i++) changed += out.cls[i] != by_group[i];

        target within = {.task = &task_binary, .n_classes = 2, .cls = mixed};
        assert_int_equal(target_permute(&out, &mem, &within, N, group, seed, &err), PARE_OK);
        for (int g = 0; g < N / 4; g++)
            assert_int_equal(
                out.cls[4 * g] + out.cls[4 * g + 1] + out.cls[4 * g + 2] + out.cls[4 * g + 3], 2);
    }
    assert_in_range(moved, 20 * N / 2, 20 * N * 5 / 6);
    assert_true(changed > 0);
    arena_free(&mem);
}

/* One call never enters the allocator of the data from two threads at once. */
static void an_allocator_is_met_by_one_thread_at_a_time(void **state) {
    (void)state;
    enum { N = 24, D = 6 };
    const char *group[D] = {"a", "b", "a", "c", "b", "d"};
    double x[N * D], values[N];
    rng r;
    rng_seed(&r, 12, 0);
    for (int e = 0; e < N * D; e++) x[e] = rng_normal(&r);
    for (int i = 0; i < N; i++) values[i] = i % 2;
    failing f = {.allow = INT64_MAX, .lingers = true};
    pare_ctx ctx;
    pare_data *data;
    pare_path *p;
    pare_error err;
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 8;
    o.inner = 2;
    pare_ctx_init(&ctx);
    ctx.threads = 4;
    ctx.allocator = failing_allocator(&f);
    assert_int_equal(pare_data_dense(&data, N, D, x, NULL, NULL, values, &ctx, &err), PARE_OK);
    assert_int_equal(pare_data_set_groups(data, group, &err), PARE_OK);
    ctx.allocator = (pare_allocator){0};
    pare_settings *set = settings_make("1nn", NULL); /* every part counts the groups */
    assert_int_equal(pare_path_run(&p, data, (const pare_settings *const *)&set, 1, &o, &ctx, &err),
                     PARE_OK);
    pare_path_free(p);
    pare_settings_free(set);
    pare_data_free(data);
    assert_true(f.calls > 0 && f.live == 0 && f.overlaps == 0);
}

TEST_FILE(test_path_threads) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(a_stopped_path_goes_on_from_its_checkpoint),
        cmocka_unit_test(many_parts_are_prepared_one_by_one),
        cmocka_unit_test(permutations_keep_what_they_must),
        cmocka_unit_test(an_allocator_is_met_by_one_thread_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
