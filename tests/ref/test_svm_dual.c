/* The SVM dual against raw data: every solution is judged from X by plain loops (support/svm_case),
 * and on small problems compared with slow solvers that share nothing with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "support/elimination.h"
#include "support/svm_case.h"

/* The optimal dual value by trying every set of samples at 0, at C and between; -inf if no face has
 * a stationary feasible point. Some optimal point has a nonsingular face, so the best is exact. */
static double enumerate(const svm_case *c, bool intercept) {
    int n = (int)c->n, faces = 1;
    double best = -INFINITY;
    for (int i = 0; i < n; i++) faces *= 3;
    for (int code = 0; code < faces; code++) {
        int state[8], at[8], m = 0, rest = code;
        double alpha[8], a[81], rhs[9];
        bool possible = true;
        for (int i = 0; i < n; i++, rest /= 3) {
            state[i] = rest % 3;
            alpha[i] = state[i] == 1 ? c->C[i] : 0;
            if (state[i] == 1 && c->C[i] == INFINITY) possible = false;
            if (state[i] == 2) at[m++] = i;
        }
        if (!possible) continue;
        int size = m + (intercept && m > 0 ? 1 : 0);
        for (int k = 0; k < m; k++) {
            int i = at[k];
            rhs[k] = 1;
            for (int j = 0; j < n; j++)
                rhs[k] -= state[j] == 1 ? c->y[i] * c->y[j] * c->K[i * n + j] * alpha[j] : 0;
            for (int l = 0; l < m; l++)
                a[k * size + l] =
                    c->y[i] * c->y[at[l]] * c->K[i * n + at[l]] + (k == l ? c->ridge[i] : 0);
            if (size > m) a[k * size + m] = a[m * size + k] = c->y[i];
        }
        if (size > m) {
            a[m * size + m] = rhs[m] = 0;
            for (int j = 0; j < n; j++) rhs[m] -= state[j] == 1 ? c->y[j] * alpha[j] : 0;
        }
        if (m > 0 && !eliminate(a, rhs, size)) continue;
        double balance = 0, dual = 0;
        for (int k = 0; k < m; k++) alpha[at[k]] = rhs[k];
        for (int i = 0; i < n; i++) {
            if (!(alpha[i] >= -1e-9 && alpha[i] <= c->C[i] + 1e-9)) possible = false;
            balance += alpha[i] * c->y[i];
            dual += alpha[i] - c->ridge[i] * alpha[i] * alpha[i] / 2;
            for (int j = 0; j < n; j++)
                dual -= alpha[i] * alpha[j] * c->y[i] * c->y[j] * c->K[i * n + j] / 2;
        }
        if (intercept && !(fabs(balance) <= 1e-9)) possible = false;
        if (possible) best = fmax(best, dual);
    }
    return best;
}

static void small_problems_equal_enumeration(void **unused) {
    (void)unused;
    rng r = rng_from(1);
    int proofs = 0, compared = 0;
    for (int trial = 0; trial < 400; trial++) {
        int64_t n = 1 + rng_below(&r, 6), d = 1 + rng_below(&r, 7);
        svm_case c = svm_case_new(&r, n, d, (svm_kind)(trial % SVM_KINDS), 1,
                                  trial % 5 == 0 ? 0.3 : 0, trial % 7 == 0);
        for (int intercept = 0; intercept < 2; intercept++) {
            svm_problem p = svm_case_problem(&c, intercept, 1e-9);
            svm_solution s = svm_case_solve(&c, &p);
            svm_case_check(&c, &p, &s, 2);
            if (s.inseparable) {
                proofs++;
                continue;
            }
            double exact = enumerate(&c, intercept);
            assert_true(isfinite(exact));
            if (!(fabs(exact - s.dual) <= 1e-7 * fmax(1e-3, fabs(exact))))
                fail_msg("trial %d: %.12g by enumeration, %.12g here", trial, exact, s.dual);
            compared++;
        }
        svm_case_free(&c);
    }
    assert_true(proofs > 20 && compared > 400);
}

/* The dual by accelerated projected gradient on a soft or ridge problem without intercept or with
 * it; the projection by bisection. Slow, and exact enough on well-conditioned problems. */
static double projected_gradient(const svm_case *c, bool intercept, int iterations) {
    int64_t n = c->n;
    double *a = calloc((size_t)(4 * n), sizeof(double)), *z = a + n, *g = a + 2 * n,
           *old = a + 3 * n;
    double bound = 0, momentum = 1, dual = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = c->ridge[i];
        for (int64_t j = 0; j < n; j++) sum += fabs(c->K[i * n + j]);
        bound = fmax(bound, sum);
    }
    for (int k = 0; k < iterations; k++) {
        for (int64_t i = 0; i < n; i++) {
            g[i] = 1 - c->ridge[i] * z[i];
            for (int64_t j = 0; j < n; j++) g[i] -= c->y[i] * c->y[j] * c->K[i * n + j] * z[j];
            g[i] = z[i] + g[i] / bound;
            old[i] = a[i];
        }
        double low = -1e3, high = 1e3;
        for (int step = 0; step < (intercept ? 100 : 1); step++) {
            double shift = intercept ? (low + high) / 2 : 0, sum = 0;
            for (int64_t i = 0; i < n; i++) {
                a[i] = fmin(fmax(g[i] - shift * c->y[i], 0), c->C[i]);
                sum += a[i] * c->y[i];
            }
            if (sum > 0)
                low = shift;
            else
                high = shift;
        }
        double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2, turn = 0;
        for (int64_t i = 0; i < n; i++) turn += (z[i] - a[i]) * (a[i] - old[i]);
        if (turn > 0) next = momentum = 1;
        for (int64_t i = 0; i < n; i++) z[i] = a[i] + (momentum - 1) / next * (a[i] - old[i]);
        momentum = next;
    }
    for (int64_t i = 0; i < n; i++) {
        dual += a[i] - c->ridge[i] * a[i] * a[i] / 2;
        for (int64_t j = 0; j < n; j++)
            dual -= a[i] * a[j] * c->y[i] * c->y[j] * c->K[i * n + j] / 2;
    }
    free(a);
    return dual;
}

static void moderate_problems_equal_projected_gradient(void **unused) {
    (void)unused;
    rng r = rng_from(2);
    for (int trial = 0; trial < 12; trial++) {
        svm_case c = svm_case_new(&r, 30, trial % 2 ? 10 : 60, trial % 3 ? SVM_SOFT : SVM_RIDGE, 1,
                                  0.1, trial % 4 == 0);
        for (int intercept = 0; intercept < 2; intercept++) {
            svm_problem p = svm_case_problem(&c, intercept, 1e-10);
            svm_solution s = svm_case_solve(&c, &p);
            svm_case_check(&c, &p, &s, 2);
            check_close(projected_gradient(&c, intercept, 4000) / s.dual, 1, 1e-6);
        }
        svm_case_free(&c);
    }
}

static void many_problems_are_optimal(void **unused) {
    (void)unused;
    rng r = rng_from(3);
    const double scales[] = {1, 1e-6, 1e6};
    for (int trial = 0; trial < 1200; trial++) {
        int64_t n = 1 + rng_below(&r, 60), d = 1 + rng_below(&r, trial % 2 ? 10 : 200);
        svm_case c = svm_case_new(&r, n, d, (svm_kind)(trial % SVM_KINDS), scales[trial % 3],
                                  trial % 5 == 0 ? 0.2 : 0, trial % 7 == 0);
        svm_problem p = svm_case_problem(&c, trial % 11 != 0, trial % 2 ? 1e-6 : 1e-9);
        svm_solution s = svm_case_solve(&c, &p);
        svm_case_check(&c, &p, &s, p.tol_rel < 1e-8 ? 3 : 1.01);
        svm_case_free(&c);
    }
}

static void perturbed_alpha_is_condemned(void **unused) {
    (void)unused;
    rng r = rng_from(4);
    for (int trial = 0; trial < 40; trial++) {
        svm_case c = svm_case_new(&r, 20, 40, (svm_kind)(trial % 3), 1, 0, false);
        svm_problem p = svm_case_problem(&c, false, 1e-9);
        svm_solution s = svm_case_solve(&c, &p);
        svm_judgement before = svm_case_judge(&c, &p, &s);
        int64_t at = 0;
        for (int64_t i = 0; i < c.n; i++)
            if (s.alpha[i] > s.alpha[at]) at = i;
        s.alpha[at] *= 0.99;
        svm_judgement after = svm_case_judge(&c, &p, &s);
        assert_true(before.primal - before.dual <= 2e-9 * before.primal);
        assert_true(after.primal - after.dual > 1e-6 * after.primal || after.infeasible > 1e-4);
        svm_case_free(&c);
    }
}

/* Two clouds that touch, then come apart by a small margin: certified inseparable, and solved. */
static void hard_margins_near_the_limit(void **unused) {
    (void)unused;
    rng r = rng_from(5);
    for (int trial = 0; trial < 60; trial++) {
        int64_t n = 10 + rng_below(&r, 40), d = 3;
        double margin = trial % 6 == 0 ? 0 : pow(10, -(double)(trial % 6)) / 2; /* 0.05 .. 5e-6 */
        svm_case c = svm_case_alloc(n, d);
        double turn[2] = {rng_uniform(&r), rng_uniform(&r)};
        for (int64_t i = 0; i < n; i++) {
            c.y[i] = i % 2 ? 1 : -1;
            c.C[i] = INFINITY;
            c.x[i * d] = c.y[i] * (margin + (i < 6 ? 0 : fabs(rng_normal(&r))));
            for (int64_t k = 1; k < d; k++) c.x[i * d + k] = rng_normal(&r);
            if (i < 6) { /* in each class a triangle around the first axis: the margin is exact */
                double angle = 6.283185307179586 / 3 * ((double)(i / 2) + turn[i % 2]);
                double radius = 0.5 + rng_uniform(&r);
                c.x[i * d + 1] = radius * cos(angle);
                c.x[i * d + 2] = radius * sin(angle);
            }
        }
        svm_case_gram(&c);
        svm_problem p = svm_case_problem(&c, true, margin < 1e-4 ? 1e-4 : 1e-6);
        svm_solution s = svm_case_solve(&c, &p);
        assert_int_equal(s.inseparable, margin == 0);
        svm_case_check(&c, &p, &s, 1.5);
        if (margin > 0) check_close(2 * s.primal * margin * margin, 1, margin < 1e-4 ? 1e-3 : 1e-5);
        svm_case_free(&c);
    }
}

static void degenerate_problems(void **unused) {
    (void)unused;
    for (int intercept = 0; intercept < 2; intercept++) {
        /* K = 0, with each kind of loss */
        svm_case c = svm_case_alloc(3, 2);
        const double y[] = {1, -1, 1};
        memcpy(c.y, y, sizeof y);
        svm_problem p = svm_case_problem(&c, intercept, 1e-9);
        svm_solution s = svm_case_solve(&c, &p);
        svm_case_check(&c, &p, &s, 1);
        check_close(s.primal, intercept ? 2 : 3, 1e-9);
        for (int i = 0; i < 3; i++) c.C[i] = INFINITY;
        s = svm_case_solve(&c, &p);
        assert_true(s.inseparable);
        svm_case_check(&c, &p, &s, 1);
        for (int i = 0; i < 3; i++) c.ridge[i] = 0.5;
        s = svm_case_solve(&c, &p);
        svm_case_check(&c, &p, &s, 1);
        /* all C = 0 */
        memset(c.C, 0, 3 * sizeof(double));
        s = svm_case_solve(&c, &p);
        svm_case_check(&c, &p, &s, 1);
        assert_true(s.primal == 0 && s.dual == 0);
        svm_case_free(&c);
        /* one class, soft and hard */
        for (int hard = 0; hard < 2; hard++) {
            svm_case one = svm_case_alloc(4, 3);
            rng r;
            rng_seed(&r, 6, (uint64_t)hard);
            for (int i = 0; i < 4; i++) {
                one.y[i] = -1;
                if (hard) one.C[i] = INFINITY;
                for (int k = 0; k < 3; k++) one.x[i * 3 + k] = 1 + 0.1 * rng_normal(&r);
            }
            svm_case_gram(&one);
            p = svm_case_problem(&one, intercept, 1e-9);
            s = svm_case_solve(&one, &p);
            svm_case_check(&one, &p, &s, 1);
            if (intercept) assert_true(s.b == -1 && s.primal == 0);
            svm_case_free(&one);
        }
    }
}

static void bad_arguments_are_refused(void **unused) {
    (void)unused;
    svm_case c = svm_case_alloc(2, 1);
    c.y[0] = 1;
    c.y[1] = -1;
    c.K[0] = c.K[3] = 1;
    svm_solution s = {.alpha = c.alpha, .f = c.f};
    pare_error err;
    svm_problem good = svm_case_problem(&c, true, 1e-6), p = good;
    p.n = 0;
    assert_int_equal(svm_dual_solve(&s, &p, NULL, &err), PARE_E_ARGUMENT);
    p = good;
    p.tol_rel = NAN;
    assert_int_equal(svm_dual_solve(&s, &p, NULL, &err), PARE_E_ARGUMENT);
    double *places[] = {&c.y[0], &c.C[1], &c.ridge[0], &c.K[0], &c.K[1]};
    for (int k = 0; k < 5; k++) {
        double kept = *places[k];
        *places[k] = NAN;
        assert_int_equal(svm_dual_solve(&s, &good, NULL, &err), PARE_E_ARGUMENT);
        *places[k] = kept;
    }
    assert_int_equal(svm_dual_solve(&s, &good, NULL, &err), PARE_OK);
    svm_case_free(&c);
}

static int stop_at_once(void *user, const char *stage, double fraction) {
    (void)user;
    (void)stage;
    (void)fraction;
    return 1;
}

static void limits_return_an_honest_gap(void **unused) {
    (void)unused;
    rng r = rng_from(7);
    svm_case c = svm_case_new(&r, 60, 20, SVM_SOFT, 1, 0.2, false);
    svm_problem p = svm_case_problem(&c, true, 1e-12);
    svm_solution s = {.alpha = c.alpha, .f = c.f};
    call running;
    assert_int_equal(call_begin(&running, NULL, NULL), PARE_OK);
    running.caller.progress = stop_at_once;
    for (int k = 0; k < 3; k++) {
        p.max_iter = k == 0 ? 5 : 0;
        if (k == 2) {
            running.caller.progress = NULL;
            running.stopped = INTERRUPT_NONE;
            running.deadline_s = 1e-9;
        }
        assert_int_equal(svm_dual_solve(&s, &p, k == 0 ? NULL : &running.ctx, NULL), PARE_OK);
        const pare_outcome expected[] = {PARE_MAX_ITER, PARE_CANCELLED, PARE_TIME_LIMIT};
        assert_int_equal(s.outcome, expected[k]);
        svm_judgement j = svm_case_judge(&c, &p, &s);
        assert_true(s.primal - s.dual > 1e-12 * s.primal);
        check_close(j.primal, s.primal, 1e-9);
        check_close(j.dual, s.dual, 1e-9);
    }
    call_end(&running);
    svm_case_free(&c);
}

TEST_FILE(test_svm_dual) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_equal_enumeration),
        cmocka_unit_test(moderate_problems_equal_projected_gradient),
        cmocka_unit_test(many_problems_are_optimal),
        cmocka_unit_test(perturbed_alpha_is_condemned),
        cmocka_unit_test(hard_margins_near_the_limit),
        cmocka_unit_test(degenerate_problems),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(limits_return_an_honest_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
