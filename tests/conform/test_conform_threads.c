/* Threads, of every method: 1, 2 and 4 give the same model to the byte, from dense and sparse data, and
 * whatever their number they call the caller's allocator one at a time. The data are just large enough
 * for the work to be shared. */
#include "support/conform.h"

#include <stdlib.h>
#include <string.h>

#include "registry.h"

static void compare(const conform_case *c, void *user) {
    bool sparse = ++*(int *)user % 2 == 0; /* the methods' settings take turns */
    rng r = rng_from(31);
    sheet t = sheet_for(&r, c, (sheet_shape){36, 30, sparse ? 0.6 : 1, 2});
    pare_data *data = sheet_data(&t, sparse);
    char *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        pare_model *m = conform_fit(c, data, false, threads);
        char *text = conform_text(c, m);
        pare_model_free(m);
        if (first && strcmp(first, text) != 0) conform_fail(c, "%d threads differ", threads);
        if (first)
            pare_text_free(text, NULL);
        else
            first = text;
    }
    pare_text_free(first, NULL);
    pare_data_free(data);
    sheet_free(&t);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    int count = 0;
    conform_walk(compare, &count);
}

/* --- the allocator --- */

/* Data, settings, a fit, its text, check and predictions. */
static pare_status fit_in(const conform_case *c, const pare_data *data, const pare_settings *set,
                          const pare_ctx *ctx, pare_error *err) {
    pare_model *m = NULL;
    pare_report predictor, selection;
    char *text = NULL;
    double *score = NULL;
    pare_status status = pare_fit(&m, data, set, ctx, err);
    if (status == PARE_OK) status = pare_check(&predictor, &selection, m, data, ctx, err);
    if (status == PARE_OK) {
        score = malloc(sizeof *score * (size_t)(pare_data_n(data) * pare_model_get(m)->n_scores));
        status = pare_predict(score, m, data, ctx, err);
    }
    if (status == PARE_OK) status = pare_model_text(&text, m, ctx, err);
    if (c->name && status == PARE_E_INFEASIBLE) status = PARE_OK; /* refused on these data */
    free(score);
    pare_text_free(text, ctx);
    pare_model_free(m);
    return status;
}

static pare_status path_in(const char *sizes, const pare_data *data, const pare_settings *set,
                           const pare_ctx *ctx, pare_error *err) {
    pare_path *p = NULL;
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 3;
    o.inner = 2;
    o.sizes = sizes;
    pare_status status = pare_path_run(&p, data, &set, 1, &o, ctx, err);
    pare_path_free(p);
    return status;
}

static void watch(const conform_case *c, void *user) {
    bool sparse = ++*(int *)user % 2 == 0, ranks = !method_named(c->method)->ranks_none;
    failing f = {.allow = INT64_MAX};
    rng r = rng_from(32);
    sheet t = sheet_for(&r, c, (sheet_shape){36, 30, sparse ? 0.6 : 1, 2});
    pare_data *data = NULL;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.allocator = failing_allocator(&f);
    ctx.threads = 4;
    pare_settings *set = conform_settings(c, false, &ctx);
    pare_status status = sheet_data_in(&data, &t, sparse, &ctx, &err);
    if (status == PARE_OK) status = fit_in(c, data, set, &ctx, &err);
    if (status == PARE_OK && !c->name && c->chooses == ranks)
        status = path_in(ranks ? "2,3" : "auto", data, set, &ctx, &err);
    pare_data_free(data);
    pare_settings_free(set);
    sheet_free(&t);
    if (status != PARE_OK) conform_fail(c, "%s", err.message);
    if (f.live || f.overlaps)
        conform_fail(c, "%d blocks left, %d calls while another thread was inside", (int)f.live,
                     (int)f.overlaps);
}

static void an_allocator_serves_one_thread_at_a_time(void **state) {
    (void)state;
    int count = 0;
    conform_walk(watch, &count);
}

TEST_FILE(test_conform_threads) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_a_byte),
                                       cmocka_unit_test(an_allocator_serves_one_thread_at_a_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
