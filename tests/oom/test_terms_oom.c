/* Features that are kept, cost something or are left out, when memory runs out: an error, no leak. */
#include "support/fits.h"

#include <stdio.h>
#include <string.h>

static const char text[] = "age,a,b,c,class\n"
                           "1,2,3,1,x\n2,1,5,2,y\n3,4,1,4,x\n5,2,2,1,y\n4,6,7,3,x\n6,1,2,2,y\n"
                           "2,3,3,5,x\n7,2,6,1,y\n3,5,1,2,x\n8,3,4,6,y\n";

static void write_costs(void) {
    FILE *f = fopen("costs.tsv", "w");
    assert_non_null(f);
    fputs("feature\tcost\na\t2\nb\t0.5\n", f);
    fclose(f);
    f = fopen("signs.tsv", "w");
    assert_non_null(f);
    fputs("a\t+\nb\t-\nage\t+\n", f);
    fclose(f);
}

static pare_status read_chosen(void *user, const pare_ctx *ctx) {
    pare_read_options o;
    pare_data *data;
    pare_error err;
    (void)user;
    pare_read_options_init(&o);
    o.format = "csv";
    o.keep = "age";
    o.cost = "costs.tsv";
    o.sign = "signs.tsv";
    o.only_features = "re:^[ab]$";
    pare_status status = pare_data_read_memory(&data, text, strlen(text), &o, ctx, &err);
    if (status == PARE_OK) assert_int_equal(pare_data_d(data), 3);
    pare_data_free(data);
    return status;
}

static pare_status choose_again(void *user, const pare_ctx *ctx) {
    pare_data *data;
    pare_error err;
    pare_read_options o;
    (void)user;
    pare_read_options_init(&o);
    o.format = "csv";
    pare_status status = pare_data_read_memory(&data, text, strlen(text), &o, ctx, &err);
    if (status == PARE_OK) status = pare_data_choose(data, NULL, "b", ctx, &err);
    pare_data_free(data);
    return status;
}

static pare_status fit_kept(void *user, const pare_ctx *ctx) {
    const char *method = user;
    bool signs = strcmp(method, "logistic") == 0 || strcmp(method, "l1-svm") == 0;
    pare_data *data;
    pare_model *m = NULL;
    pare_error err;
    pare_read_options o;
    pare_settings *set = settings_make(method, (const char *const[]){"k", "1", NULL});
    pare_read_options_init(&o);
    o.format = "csv";
    o.keep = "age";
    o.cost = "costs.tsv";
    if (signs) o.sign = "signs.tsv";
    assert_int_equal(pare_data_read_memory(&data, text, strlen(text), &o, NULL, &err), PARE_OK);
    pare_status status = pare_fit(&m, data, set, ctx, &err);
    char *file = NULL;
    if (status == PARE_OK) status = pare_model_text(&file, m, ctx, &err);
    pare_text_free(file, ctx);
    pare_model_free(m);
    pare_data_free(data);
    pare_settings_free(set);
    return status;
}

static void reading(void **state) {
    (void)state;
    write_costs();
    check_oom(read_chosen, NULL);
    check_oom(choose_again, NULL);
}

static void fitting(void **state) {
    (void)state;
    char method[][16] = {"corr", "anova", "logistic", "l1-svm", "kta"};
    write_costs();
    for (int i = 0; i < 5; i++) check_oom_thinly(fit_kept, method[i], 60);
}

TEST_FILE(test_terms_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reading), cmocka_unit_test(fitting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
