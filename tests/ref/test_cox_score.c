/* cox-score and cox-forward against the partial likelihood by its definition over every pair of samples
 * (support/cox_case.h): slope and information of each feature at (b_kept, 0), and the greedy search. */
#include "support/cox_case.h"
#include "support/fits.h"
#include "support/survival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/p_values.h"

enum { N = 50, D = 7 };

/* The problem as plain arrays; fitted values have its offsets. */
static cox_case case_of(const survival_problem *p, bool efron) {
    cox_case k = {.n = p->n, .n_strata = p->n_strata, .what = efron ? COX_EFRON : 0};
    double total = 0;
    for (int64_t i = 0; i < p->n; i++) total += p->weight[i];
    for (int64_t i = 0; i < p->n; i++) {
        k.time[i] = p->time[i];
        k.event[i] = p->event[i];
        k.stratum[i] = p->stratum[i];
        k.weight[i] = p->weight[i];
        k.share[i] = p->weight[i] / total;
    }
    return k;
}

static double total_weight(const survival_problem *p) {
    double total = 0;
    for (int64_t i = 0; i < p->n; i++) total += p->weight[i];
    return total;
}

/* a'H b of the mean loss. */
static double product(const double *a, const double *H, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) sum += a[i] * H[i * n + j] * b[j];
    return sum;
}

/* Columns standardised by the weights, as the fit sees them. */
static void standardise(const survival_problem *p, double *x) {
    double total = total_weight(p);
    for (int64_t j = 0; j < p->d; j++) {
        double mean = 0, var = 0, *col = x + j * p->n;
        memcpy(col, p->x + j * p->n, sizeof *col * (size_t)p->n);
        for (int64_t i = 0; i < p->n; i++) mean += p->weight[i] / total * col[i];
        for (int64_t i = 0; i < p->n; i++) col[i] -= mean;
        for (int64_t i = 0; i < p->n; i++) var += p->weight[i] / total * col[i] * col[i];
        for (int64_t i = 0; i < p->n; i++) col[i] /= sqrt(var);
    }
}

/* What is left of the information of x beside the m columns of S, with ridge on their diagonal: by
 * Gauss's elimination of the bordered matrix. */
static double left_of(const double *H, const double *x, const double *const *S, const double *ridge,
                      int m, int64_t n) {
    double A[8][8];
    for (int a = 0; a <= m; a++)
        for (int b = 0; b <= m; b++) {
            const double *u = a < m ? S[a] : x, *v = b < m ? S[b] : x;
            A[a][b] = product(u, H, v, n) + (a == b && a < m ? ridge[a] : 0);
        }
    for (int q = 0; q < m; q++)
        for (int a = q + 1; a <= m; a++)
            for (int b = m; b >= q; b--) A[a][b] -= A[a][q] / A[q][q] * A[q][b];
    return A[m][m];
}

/* The test of column x at fitted values f. */
static double test_of(const cox_case *k, const survival_problem *p, const double *f,
                      const double *x, const double *const *S, const double *ridge, int m) {
    double gradient[N], *H = calloc((size_t)N * N, sizeof *H), slope = 0;
    cox_case_loss(k, f, gradient, H);
    for (int64_t i = 0; i < p->n; i++) slope -= x[i] * gradient[i];
    double chi2 = total_weight(p) * slope * slope / left_of(H, x, S, ridge, m, p->n);
    free(H);
    return chi2;
}

/* Fitted values of the Cox model of the forced-in features, up to a shift. */
static void values_of_kept(const survival_problem *p, bool efron, int what, double *f) {
    memcpy(f, p->offset, sizeof *f * (size_t)p->n);
    if (!(what & SURVIVAL_KEPT)) return;
    pare_error err;
    pare_model *m =
        fit_or_fail(p->data, "cox",
                    PAIRS("lambda", "1e6", "tol", "1e-12", "ties", efron ? "efron" : "breslow"));
    assert_int_equal(pare_predict(f, m, p->data, NULL, &err), PARE_OK);
    pare_model_free(m);
}

static void tests_are_their_definition(void **state) {
    (void)state;
    for (int what = 0; what < 16; what++)
        for (int t = 0; t < 4; t++) {
            rng r;
            double x[N * D], f[N];
            rng_seed(&r, (uint64_t)what, (uint64_t)t);
            survival_problem p = survival_make(&r, N, D, t % 2 ? 8 : 100000, what);
            bool efron = t / 2 == 1;
            cox_case k = case_of(&p, efron);
            standardise(&p, x);
            values_of_kept(&p, efron, what, f);
            pare_model *m =
                fit_or_fail(p.data, "cox-score", PAIRS("ties", efron ? "efron" : "breslow"));
            const double *const S[] = {x, x + 2 * N};
            const double none[] = {0, 0};
            int kept = what & SURVIVAL_KEPT ? 2 : 0;
            pare_model_info c = *pare_model_get(m);
            for (int64_t i = 0; i < D; i++) {
                int64_t j = c.ranking[i];
                bool own = kept && (j == 0 || j == 2);
                double chi2 = own ? 0 : test_of(&k, &p, f, x + j * N, S, none, kept);
                check_close(c.ranking_score[i], chi2, 1e-6 * (1 + chi2));
                check_close(c.ranking_p[i], own ? 1 : chi2_p_value(chi2, 1), 1e-6);
            }
            pare_model_free(m);
            survival_free(&p);
        }
}

/* Two groups without ties: (O - E)^2 / V of the log-rank test, by its own table at each event. */
static void two_groups_are_the_log_rank_test(void **state) {
    (void)state;
    rng r = rng_from(5);
    survival_problem p = survival_make(&r, N, 2, 1000000000, 0);
    for (int64_t i = 0; i < N; i++) p.x[i] = rng_uniform(&r) < 0.4;
    pare_data *data;
    pare_error err;
    assert_int_equal(pare_data_dense(&data, N, 2, p.x, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_time_event(data, p.time, p.event, &err), PARE_OK);
    double excess = 0, variance = 0;
    for (int64_t i = 0; i < N; i++) {
        double at_risk = 0, ones = 0;
        for (int64_t j = 0; j < N; j++) {
            if (p.time[j] < p.time[i]) continue;
            at_risk++;
            ones += p.x[j];
        }
        if (!p.event[i]) continue;
        excess += p.x[i] - ones / at_risk;
        variance += ones / at_risk * (1 - ones / at_risk);
    }
    pare_model *m = fit_or_fail(data, "cox-score", NULL);
    pare_model_info c = *pare_model_get(m);
    for (int64_t i = 0; i < c.n_selected; i++)
        if (c.index[i] == 0) check_close(c.score[i], excess * excess / variance, 1e-9);
    pare_model_free(m);
    pare_data_free(data);
    survival_free(&p);
}

/* Each step of the search, by refits and tests of its own. */
static void each_step_is_the_best(void **state) {
    (void)state;
    for (int what = 0; what < 16; what++) {
        rng r = rng_from((uint64_t)(100 + what));
        survival_problem p = survival_make(&r, N, D, 12, what);
        double x[N * D], f[N], ridge[D] = {0};
        const double *S[D];
        bool inside[D] = {false};
        int m = 0, kept = what & SURVIVAL_KEPT ? 2 : 0;
        cox_case k = case_of(&p, true);
        standardise(&p, x);
        for (; m < kept; m++) {
            S[m] = x + 2 * m * N;
            inside[2 * m] = true;
        }
        values_of_kept(&p, true, what, f);
        double least = INFINITY;
        for (int step = 0; step < 3; step++) {
            double most = 0;
            int64_t at = -1;
            char text[8];
            for (int64_t j = 0; j < D; j++) {
                double chi2 = inside[j] ? 0 : test_of(&k, &p, f, x + j * N, S, ridge, m);
                if (chi2 > most) at = j;
                most = fmax(most, chi2);
            }
            snprintf(text, sizeof text, "%d", step + 1);
            pare_model *model =
                fit_or_fail(p.data, "cox-forward", PAIRS("k", text, "ties", "efron"));
            pare_model_info c = *pare_model_get(model);
            pare_error err;
            assert_int_equal(c.n_selected, m + 1);
            assert_int_equal(c.index[m], at);
            least = fmin(least, most); /* scores do not rise */
            check_close(c.score[m], least, 1e-5 * (1 + most));
            assert_int_equal(pare_predict(f, model, p.data, NULL, &err), PARE_OK);
            pare_model_free(model);
            ridge[m] = 0.3;
            S[m++] = x + at * N;
            inside[at] = true;
        }
        survival_free(&p);
    }
}

/* More features than half the events are not taken, and a note says so. */
static void half_the_events_are_the_limit(void **state) {
    (void)state;
    rng r = rng_from(6);
    survival_problem p = survival_make(&r, 12, 10, 1000, 0);
    int64_t events = 0;
    for (int64_t i = 0; i < 12; i++) events += p.event[i];
    pare_model *m = fit_or_fail(p.data, "cox-forward", PAIRS("k", "9"));
    assert_true(events / 2 < 9);
    assert_int_equal(pare_model_get(m)->n_selected, events / 2);
    assert_true(has_note(m, "more than half of the"));
    pare_model_free(m);
    m = fit_or_fail(p.data, "cox-forward", NULL);
    assert_int_equal(pare_model_get(m)->n_selected, events / 2);
    pare_model_free(m);
    survival_free(&p);
}

TEST_FILE(test_cox_score) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_are_their_definition),
        cmocka_unit_test(two_groups_are_the_log_rank_test),
        cmocka_unit_test(each_step_is_the_best),
        cmocka_unit_test(half_the_events_are_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
