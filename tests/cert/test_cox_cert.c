/* `cox` on many random problems, judged from raw data by the certificate, which needs no dual; the
 * baseline hazard against its definition over every pair of samples. */
#include "support/certified.h"
#include "support/survival.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/fit.h"
#include "model/baseline_hazard.h"
#include "model/model.h"
#include "problem/problem.h"

enum { N_MANY = 8 };
static const char *const *const many[N_MANY] = {
    PAIRS("lambda_ratio", "0.3"),
    PAIRS("lambda_ratio", "0.05", "scale", "unit", "ties", "efron"),
    PAIRS("lambda", "0.02", "alpha", "0.5", "scale", "minmax"),
    PAIRS("lambda_ratio", "0.2", "scale", "none", "ties", "efron"),
    PAIRS("lambda", "1e6"),
    PAIRS("lambda_ratio", "0.1", "alpha", "0"),
    PAIRS("k", "2", "ties", "efron"),
    PAIRS("k", "2", "refit", "none"),
};

static void judge(const survival_problem *p, const pare_model *m, const char *title) {
    pare_report report = report_of(m), selection, again;
    pare_verdict verdict;
    pare_error err;
    check_certified(&report, 2e-6, title);
    if (selection_of(&selection, m)) check_certified(&selection, 2e-6, title);
    assert_int_equal(m->n_dual, 0);
    if (pare_check(&again, NULL, m, p->data, NULL, &err) != PARE_OK)
        fail_msg("%s: %s", title, err.message);
    check_certified(&again, 2e-6, title);
    if (pare_verify(&verdict, m, p->data, NULL, &err) != PARE_OK || !verdict.holds)
        fail_msg("%s: %s %s", title, err.message, verdict.sentence);
}

static void fits_are_certified(void **state) {
    (void)state;
    static const struct { int64_t n, d, times; } size[] = {{40, 12, 9}, {18, 30, 500}, {25, 5, 1}};
    for (int what = 0; what < SURVIVAL_KINDS; what++)
        for (int s = 0; s < 3; s++) {
            rng r;
            char title[80];
            rng_seed(&r, (uint64_t)what, (uint64_t)s);
            survival_problem p = survival_make(&r, size[s].n, size[s].d, size[s].times, what);
            int v = (what + s) % N_MANY;
            snprintf(title, sizeof title, "cox, kind %d, size %d, settings %d", what, s, v);
            pare_model *m = fit_or_fail(p.data, "cox", many[v]);
            judge(&p, m, title);
            pare_model_free(m);
            survival_free(&p);
        }
}

/* All features forced in: the ordinary Cox model. */
static void nothing_needs_to_be_penalised(void **state) {
    (void)state;
    rng r = rng_from(71);
    for (int t = 0; t < 8; t++) {
        survival_problem p = survival_make(&r, 60, 3, 10, t);
        const bool all[] = {true, true, true};
        pare_error err;
        assert_int_equal(pare_data_set_kept(p.data, all, &err), PARE_OK);
        pare_model *m = fit_or_fail(p.data, "cox", PAIRS("ties", t % 2 ? "efron" : "breslow"));
        judge(&p, m, "all are kept");
        assert_int_equal(m->n_selected, 3);
        pare_model_free(m);
        survival_free(&p);
    }
}

/* The certificate without the check of the baseline, which a changed coefficient also breaks. */
static pare_certificate certificate_of(const pare_model *m, const pare_data *data) {
    problem p = {0};
    pare_data known;
    pare_report found;
    pare_error err;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    pare_status status = problem_of_model(&p, &known, &mem, m, data, NULL, &err);
    if (status == PARE_OK)
        status = model_certify(&found, NULL, m, p.method->data, &p.y, NULL, &err);
    if (status != PARE_OK) fail_msg("%s", err.message);
    problem_close(&p);
    arena_free(&mem);
    return found.certificate;
}

/* A changed coefficient shows in the gap; with any coefficients the bound stays below. */
static void a_wrong_model_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(72);
    for (int t = 0; t < 16; t++) {
        survival_problem p = survival_make(&r, 40, 8, t % 2 ? 7 : 1000, t);
        pare_model *m = fit_or_fail(
            p.data, "cox", PAIRS("lambda_ratio", "0.1", "ties", t % 4 < 2 ? "efron" : "breslow"));
        assert_true(certificate_of(m, p.data).relative <= 2e-6);
        m->p.coef[m->n_selected - 1] += 0.3;
        assert_true(certificate_of(m, p.data).relative > 1e-5);
        for (int64_t i = 0; i < m->n_selected; i++) m->p.coef[i] = 2 * rng_normal(&r);
        pare_certificate far = certificate_of(m, p.data);
        if (!(far.value >= -1e-12)) fail_msg("%d: %g %g", t, far.value, far.relative);
        pare_model_free(m);
        survival_free(&p);
    }
}

/* H(t) over all pairs. */
static double hazard_at(const survival_problem *p, const double *risk, int64_t stratum, double t) {
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double at_risk = 0;
        if (!p->event[i] || p->stratum[i] != stratum || p->time[i] > t) continue;
        for (int64_t j = 0; j < p->n; j++)
            if (p->stratum[j] == stratum && p->time[j] >= p->time[i])
                at_risk += p->weight[j] * exp(risk[j]);
        sum += p->weight[i] / at_risk;
    }
    return sum;
}

static void check_baseline(const survival_problem *p, const pare_model *m) {
    static const char *const names[] = {"a", "b", "c"};
    double risk[64], mean = 0, total = 0;
    pare_error err;
    assert_int_equal(pare_predict(risk, m, p->data, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < p->n; i++) mean += p->weight[i] * risk[i];
    for (int64_t i = 0; i < p->n; i++) total += p->weight[i];
    check_close(mean / total, 0, 1e-12);
    for (int64_t s = 0; s < p->n_strata; s++) {
        const baseline_curve *c = baseline_find(m->baseline, p->n_strata > 1 ? names[s] : NULL);
        assert_non_null(c);
        for (double t = -0.5; t < 12; t += 0.5) {
            double hazard = hazard_at(p, risk, s, t);
            check_close(baseline_hazard(c, t), hazard, 1e-12 * (1 + hazard));
            check_close(baseline_survival(c, risk[1], t), exp(-hazard * exp(risk[1])), 1e-12);
        }
        double median = baseline_median(c, risk[0]);
        if (isnan(median)) {
            assert_true(baseline_survival(c, risk[0], 1e9) > 0.5);
        } else {
            assert_true(baseline_survival(c, risk[0], median) <= 0.5);
            assert_true(baseline_survival(c, risk[0], median - 0.5) > 0.5);
        }
    }
    assert_null(baseline_find(m->baseline, "nobody"));
}

static void the_baseline_is_its_definition(void **state) {
    (void)state;
    for (int what = 0; what < 8; what++) {
        rng r = rng_from((uint64_t)what);
        survival_problem p = survival_make(&r, 50, 6, 10, what);
        pare_model *m = fit_or_fail(p.data, "cox", PAIRS("k", "3", "scale", "robust"));
        check_baseline(&p, m);
        pare_model_free(m);
        survival_free(&p);
    }
}

/* Every number of the baseline is compared with that of the data. */
static void a_wrong_baseline_is_found_out(void **state) {
    (void)state;
    rng r = rng_from(73);
    survival_problem p = survival_make(&r, 40, 6, 9, SURVIVAL_STRATA | SURVIVAL_KEPT);
    pare_model *m = fit_or_fail(p.data, "cox", NULL);
    baseline_curve *c = &m->baseline->stratum[1];
    double *number[] = {&m->baseline->center, &c->hazard[0], &c->hazard[c->count - 1], &c->time[0],
                        &m->p.coef[0]}; /* the last: of a forced-in feature */
    pare_report found;
    pare_error err;
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        double before = *number[i];
        *number[i] += 1e-4;
        assert_int_equal(pare_check(&found, NULL, m, p.data, NULL, &err), PARE_E_DATA);
        assert_non_null(strstr(err.message, "center and cumulative hazard"));
        *number[i] = before;
    }
    assert_int_equal(pare_check(&found, NULL, m, p.data, NULL, &err), PARE_OK);
    c->count--;
    assert_int_equal(pare_check(&found, NULL, m, p.data, NULL, &err), PARE_E_DATA);
    c->count++;
    m->baseline->stratum[0].name = "z";
    assert_int_equal(pare_check(&found, NULL, m, p.data, NULL, &err), PARE_E_DATA);
    pare_model_free(m);
    survival_free(&p);
}

/* A forced-in feature that orders the events perfectly has no finite coefficient: nothing is
 * certified, and the fit says that it did not end. */
static void perfect_order_is_not_certified(void **state) {
    (void)state;
    enum { N = 40 };
    double x[2 * N], time[N];
    bool event[N], kept[] = {true, false};
    rng r = rng_from(75);
    pare_data *data;
    pare_error err;
    for (int64_t i = 0; i < N; i++) {
        x[i] = (double)-i;
        x[N + i] = rng_normal(&r);
        time[i] = (double)i;
        event[i] = true;
    }
    assert_int_equal(pare_data_dense(&data, N, 2, x, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_time_event(data, time, event, &err), PARE_OK);
    assert_int_equal(pare_data_set_kept(data, kept, &err), PARE_OK);
    pare_model *m = fit_or_fail(data, "cox", NULL);
    pare_report report = report_of(m);
    pare_verdict verdict;
    char *text;
    assert_int_equal(report.outcome, PARE_MAX_ITER);
    assert_true(report.certificate.relative > 1e-3);
    assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK); /* all numbers are finite */
    assert_int_equal(pare_verify(&verdict, m, data, NULL, &err), PARE_OK);
    assert_true(verdict.holds && !verdict.finished);
    pare_text_free(text, NULL);
    pare_model_free(m);
    pare_data_free(data);
}

/* A file whose baseline is none names it. */
static void a_file_without_a_baseline_is_refused(void **state) {
    (void)state;
    rng r = rng_from(74);
    survival_problem p = survival_make(&r, 30, 4, 9, 0);
    pare_model *m = fit_or_fail(p.data, "cox", NULL), *back;
    char *text;
    pare_error err;
    assert_int_equal(pare_model_text(&text, m, NULL, &err), PARE_OK);
    static const struct {
        const char *key, *instead;
    } change[] = {{"\"baseline\"", "\"boseline\""},
                  {"\"center\"", "\"centre\""},
                  {"\"time\":[", "\"time\":[9e9,"},
                  {"\"cumulative_hazard\":[", "\"cumulative_hazard\":[7e7,"}};
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
        char *at = strstr(text, change[i].key), other[8192];
        assert_non_null(at);
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, change[i].instead,
                 at + strlen(change[i].key));
        assert_int_equal(pare_model_parse(&back, other, strlen(other), NULL, &err), PARE_E_FORMAT);
        if (!strstr(err.message, "baseline")) fail_msg("%s", err.message);
    }
    pare_text_free(text, NULL);
    pare_model_free(m);
    survival_free(&p);
}

TEST_FILE(test_cox_cert) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_certified),
        cmocka_unit_test(nothing_needs_to_be_penalised),
        cmocka_unit_test(a_wrong_model_is_found_out),
        cmocka_unit_test(the_baseline_is_its_definition),
        cmocka_unit_test(a_wrong_baseline_is_found_out),
        cmocka_unit_test(perfect_order_is_not_certified),
        cmocka_unit_test(a_file_without_a_baseline_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
