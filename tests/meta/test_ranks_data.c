/* What the registry's walk over ranks does not meet: missing values, scaling of rows and robust scaling,
 * kept features, weights, paths whose folds run at once on several threads of every rank, error control. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pare/pare.h>

#include "support/ranks.h"
#include "support/support.h"

enum { N = 34, D = 45, MOST = 3, PAIRS = 3 };

typedef struct variation {
    const char *method, *set[PAIRS][2];
    bool gaps, weighted, path;
    const char *keep, *control;
} variation;

static const variation variations[] = {
    {.method = "l2-arom", .set = {{"missing", "mean"}}, .gaps = true},
    {.method = "corr", .set = {{"missing", "median"}, {"scale", "robust"}}, .gaps = true},
    {.method = "svm", .set = {{"missing", "indicator"}}, .gaps = true, .weighted = true},
    {.method = "l1-svm", .set = {{"scale", "minmax"}}, .weighted = true},
    {.method = "svm-rfe", .set = {{"row_scale", "l2"}}},
    {.method = "svm-rfe", .set = {{"row_scale", "tfidf"}, {"scale", "robust"}}},
    {.method = "svm-rfe", .keep = "f3,f40"},
    {.method = "logistic", .keep = "f3", .weighted = true},
    {.method = "l2-arom", .set = {{"probability", "true"}}, .keep = "f30"},
    {.method = "l2-arom", .path = true, .gaps = true, .set = {{"missing", "mean"}}},
    {.method = "svm-rfe", .path = true, .weighted = true},
    {.method = "t-test", .path = true, .control = "fdr=0.2"},
    {.method = "lasso", .path = true, .set = {{"task", "regress"}}},
    {.method = "corr", .path = true, .control = "pfer=2"},
};
enum { VARIATIONS = sizeof variations / sizeof *variations };

typedef struct trial {
    const variation *v;
    char *csv;
    char *text[MOST];
    char failed[MOST][300];
} trial;

static char *csv_of(const variation *v) {
    rng r;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    rng_seed(&r, 11, 0);
    for (int j = 0; j < D; j++) fprintf(to, "f%d,", j);
    fputs("w,class\n", to);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            double x = fabs(rng_normal(&r)) + (j % 20 == 3 && i % 2);
            if (v->gaps && rng_below(&r, 30) == 0)
                fputs(",", to);
            else
                fprintf(to, "%.6g,", x);
        }
        fprintf(to, "%d,%d\n", 1 + i % 3, i % 2);
    }
    fclose(to);
    return text;
}

static pare_status run_path(char **text, const variation *v, const pare_data *data,
                            const pare_settings *s, const pare_ctx *ctx, pare_error *err) {
    pare_path_options o;
    pare_path *p = NULL;
    pare_path_options_init(&o);
    o.folds = 4;
    o.inner = 2;
    o.sizes = "1,4";
    o.null_runs = 2;
    o.substitutes = 2;
    o.error_control = v->control;
    o.error_pairs = 4;
    o.error_permutations = 20;
    const pare_settings *all[] = {s};
    pare_status status = pare_path_run(&p, data, all, 1, &o, ctx, err);
    if (status == PARE_OK) status = pare_path_json(text, p, NULL, err);
    pare_path_free(p);
    return status;
}

static pare_status run(char **text, const trial *t, const pare_ctx *ctx, pare_error *err) {
    const variation *v = t->v;
    pare_read_options o;
    pare_data *data = NULL;
    pare_model *m = NULL;
    pare_settings *s = NULL;
    pare_read_options_init(&o);
    o.format = "csv";
    o.storage = "dense";
    o.target = "class";
    o.allow_missing = v->gaps;
    if (v->weighted)
        o.weights = "w";
    else
        o.drop = "w";
    o.keep = v->keep;
    pare_status status = pare_settings_new(&s, v->method, NULL, err);
    if (status == PARE_OK && !v->path) status = pare_settings_set(s, "k", "4", err);
    for (int i = 0; status == PARE_OK && i < PAIRS && v->set[i][0]; i++)
        status = pare_settings_set(s, v->set[i][0], v->set[i][1], err);
    if (status == PARE_OK)
        status = pare_data_read_memory(&data, t->csv, strlen(t->csv), &o, ctx, err);
    if (status == PARE_OK && v->path) status = run_path(text, v, data, s, ctx, err);
    if (status == PARE_OK && !v->path) status = pare_fit(&m, data, s, ctx, err);
    if (status == PARE_OK && !v->path) status = pare_model_text(text, m, NULL, err);
    pare_settings_free(s);
    pare_model_free(m);
    pare_data_free(data);
    return status;
}

static void on_rank(const pare_ranks *ranks, void *user) {
    trial *t = user;
    pare_ctx ctx = ranks_context(ranks);
    pare_error err;
    if (run(&t->text[ranks->index], t, &ctx, &err) != PARE_OK)
        snprintf(t->failed[ranks->index], sizeof t->failed[0], "%.290s", err.message);
}

static void ranks_have_the_bytes_of_one_process(void **state) {
    (void)state;
    for (int k = 0; k < VARIATIONS; k++) {
        trial t = {.v = &variations[k], .csv = csv_of(&variations[k])};
        int count = 2 + k % 2;
        char *one = NULL;
        pare_error err;
        if (run(&one, &t, NULL, &err) != PARE_OK) fail_msg("%s: %s", t.v->method, err.message);
        ranks_run(count, 3, on_rank, &t);
        for (int i = 0; i < count; i++) {
            if (!t.text[i]) fail_msg("%s, rank %d: %s", t.v->method, i, t.failed[i]);
            if (strcmp(t.text[i], one) != 0)
                fail_msg("%s (%d): rank %d of %d differs", t.v->method, k, i, count);
            pare_text_free(t.text[i], NULL);
        }
        pare_text_free(one, NULL);
        free(t.csv);
    }
}

TEST_FILE(test_ranks_data) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_have_the_bytes_of_one_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
