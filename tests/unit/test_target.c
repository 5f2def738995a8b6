/* Class order, label identity and the automatic task. */
#include "support/fits.h"

#include <string.h>

#include "task/task.h"

enum { ALL = TASK_BINARY | TASK_MULTICLASS | TASK_RANKING | TASK_REGRESSION };

typedef struct expectation {
    const char *labels[8]; /* ended by NULL */
    unsigned tasks;
    const char *task, *positive;
    pare_status status;
    task_kind kind;
    const char *classes[6];
    const char *message;
} expectation;

static const expectation table[] = {
    {{"b", "a", "b"}, ALL, "classify", "", PARE_OK, TASK_BINARY, {"a", "b"}, NULL},
    {{"10", "9", "10"}, ALL, "classify", "", PARE_OK, TASK_BINARY, {"9", "10"}, NULL},
    {{"x10", "x9"}, ALL, "classify", "", PARE_OK, TASK_BINARY, {"x10", "x9"}, NULL},
    {{"1.0", "-1", "+1", "1"}, ALL, "classify", "", PARE_OK, TASK_BINARY, {"-1", "1.0"}, NULL},
    {{"+1", "-1", "1.0"}, ALL, "classify", "", PARE_OK, TASK_BINARY, {"-1", "+1"}, NULL},
    {{"1", "2", "3"}, ALL, "classify", "2", PARE_OK, TASK_MULTICLASS, {"1", "3", "2"}, NULL},
    {{"1", "2", "3"}, ALL, "classify", "2.0", PARE_OK, TASK_MULTICLASS, {"1", "3", "2"}, NULL},
    {{"no", "yes"}, ALL, "classify", "no", PARE_OK, TASK_BINARY, {"yes", "no"}, NULL},
    {{"no", "yes"}, ALL, "classify", "maybe", PARE_E_ARGUMENT, 0, {NULL}, "\"maybe\" is not among"},
    {{"a", "a"}, ALL, "classify", "", PARE_E_DATA, 0, {NULL}, "one class \"a\""},
    {{"1", "2", "1"}, ALL, "auto", "", PARE_OK, TASK_BINARY, {"1", "2"}, NULL},
    {{"1.5", "2", "1"}, ALL, "auto", "", PARE_OK, TASK_REGRESSION, {NULL}, NULL},
    {{"1.5", "2", "1"},
     TASK_BINARY | TASK_MULTICLASS,
     "classify",
     "",
     PARE_OK,
     TASK_MULTICLASS,
     {"1", "1.5", "2"},
     NULL},
    {{"1.5", "2", "1"},
     TASK_BINARY | TASK_MULTICLASS,
     "auto",
     "",
     PARE_E_DATA,
     0,
     {NULL},
     "numbers, not classes"},
    {{"a", "b", "a"}, TASK_RANKING, "auto", "", PARE_OK, TASK_RANKING, {"a", "b"}, NULL},
    {{"a", "b", "c"}, TASK_RANKING, "auto", "", PARE_E_DATA, 0, {NULL}, "two labels"},
    {{"a", "b", "c"}, TASK_BINARY, "auto", "", PARE_E_DATA, 0, {NULL}, "needs two classes"},
    {{"1", "2", "x"}, TASK_REGRESSION, "auto", "", PARE_E_DATA, 0, {NULL}, "sample 3"},
    {{"1", "2", "4"}, TASK_BINARY, "regress", "", PARE_E_ARGUMENT, 0, {NULL}, "allowed: classify"},
};

static void targets_resolve_as_documented(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        const expectation *e = &table[t];
        int64_t n = 0;
        double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        while (e->labels[n]) n++;
        pare_data *data;
        pare_error err;
        assert_int_equal(pare_data_dense(&data, n, 1, x, NULL, e->labels, NULL, NULL, &err),
                         PARE_OK);
        arena mem;
        arena_init(&mem, ctx_allocator(NULL));
        target y;
        pare_status status = target_resolve(&y, &mem, data, e->tasks, e->task, e->positive, &err);
        if (status != e->status) fail_msg("row %d: %s", (int)t, status ? err.message : "was taken");
        if (e->message && !strstr(err.message, e->message))
            fail_msg("row %d: %s", (int)t, err.message);
        if (status == PARE_OK) {
            assert_int_equal(y.task->kind, e->kind);
            for (int64_t c = 0; c < y.n_classes; c++)
                assert_string_equal(y.classes[c], e->classes[c]);
            assert_null(e->classes[y.n_classes]);
        }
        arena_free(&mem);
        pare_data_free(data);
    }
}

/* Twenty distinct integers are classes, twenty-one are measurements. */
static void many_integers_are_measurements(void **state) {
    (void)state;
    for (int64_t distinct = 20; distinct <= 21; distinct++) {
        double x[63], values[63];
        for (int64_t i = 0; i < 63; i++) {
            x[i] = (double)i;
            values[i] = (double)(i % distinct);
        }
        pare_data *data;
        pare_error err;
        assert_int_equal(pare_data_dense(&data, 63, 1, x, NULL, NULL, values, NULL, &err), PARE_OK);
        arena mem;
        arena_init(&mem, ctx_allocator(NULL));
        target y;
        assert_int_equal(target_resolve(&y, &mem, data, ALL, "auto", "", &err), PARE_OK);
        assert_int_equal(y.task->kind, distinct == 20 ? TASK_MULTICLASS : TASK_REGRESSION);
        for (int64_t i = 0; i < 63; i++)
            assert_true(y.value ? y.value[i] == values[i] : y.cls[i] == (int32_t)values[i]);
        arena_free(&mem);
        pare_data_free(data);
    }
}

/* Codes keep the order of their labels; the model is checked on labels in any order. */
static void codes_keep_their_order(void **state) {
    static const char *const classes[] = {"b", "9", "10"};
    (void)state;
    double x[24];
    int32_t codes[12];
    const char *labels[12];
    for (int i = 0; i < 12; i++) {
        codes[i] = i % 3;
        labels[i] = classes[codes[i]];
        x[i] = codes[i] + 0.1 * i;
        x[12 + i] = (i * 7) % 5;
    }
    pare_data *coded, *labelled;
    pare_error err;
    assert_int_equal(pare_data_dense(&coded, 12, 2, x, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_codes(coded, codes, classes, 3, &err), PARE_OK);
    assert_int_equal(pare_data_dense(&labelled, 12, 2, x, NULL, labels, NULL, NULL, &err), PARE_OK);
    pare_model *m = fit_or_fail(coded, "svm", NULL);
    pare_report found, selection;
    for (int c = 0; c < 3; c++) assert_string_equal(pare_model_get(m)->classes[c], classes[c]);
    assert_int_equal(pare_check(&found, &selection, m, coded, NULL, &err), PARE_OK);
    double objective = found.objective;
    if (pare_check(&found, &selection, m, labelled, NULL, &err) != PARE_OK)
        fail_msg("%s", err.message);
    assert_true(found.objective == objective && found.certificate.relative <= 1e-5);
    pare_model_free(m);
    pare_data_free(coded);
    pare_data_free(labelled);
}

/* A set that no method has yet is listed too. */
static void every_set_of_tasks_has_its_names(void **state) {
    (void)state;
    const task_type *t;
    unsigned all = 0;
    for (int64_t i = 0; (t = task_at(i)); i++) all |= t->kind;
    for (unsigned set = 1; set <= all; set++) {
        char names[128] = "";
        for (int64_t i = 0; (t = task_at(i)); i++)
            if (set & t->kind) strcat(strcat(names, names[0] ? ", " : ""), t->name);
        assert_string_equal(task_list(set), names);
    }
}

TEST_FILE(test_target) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(targets_resolve_as_documented),
                                       cmocka_unit_test(many_integers_are_measurements),
                                       cmocka_unit_test(every_set_of_tasks_has_its_names),
                                       cmocka_unit_test(codes_keep_their_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
