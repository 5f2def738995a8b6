/* An SVM followed while its Gram matrix loses one feature after the other, against a new solve of
 * each Gram: same duals, also where samples meet and leave their bounds on the way. */
#include "solve/svm/svm_track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

enum { N = 30, D = 120 };

typedef struct sequence {
    double x[N * D], K[N * N], y[N], C[N], ridge[N];
    double alpha[N], cold[N], f[N];
} sequence;

static void draw(sequence *t, rng *r, double C, double ridge) {
    memset(t->K, 0, sizeof t->K);
    for (int64_t i = 0; i < N; i++) {
        t->y[i] = i % 2 ? 1 : -1;
        t->C[i] = i == 3 ? 0 : C; /* one without a say */
        t->ridge[i] = ridge;
    }
    for (int64_t j = 0; j < D; j++) {
        double *x = t->x + j * N;
        for (int64_t i = 0; i < N; i++) x[i] = rng_normal(r) + (j > D - 8) * t->y[i];
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < N; k++) t->K[i * N + k] += x[i] * x[k];
    }
}

static svm_solution solve(sequence *t, const svm_problem *p, double *alpha) {
    svm_solution s = {.alpha = alpha, .f = t->f};
    pare_error err;
    assert_int_equal(svm_dual_solve(&s, p, NULL, &err), PARE_OK);
    assert_int_equal(s.outcome, PARE_OPTIMAL);
    return s;
}

static void solutions_are_followed(void **state) {
    (void)state;
    sequence *t = malloc(sizeof *t);
    rng r = rng_from(17);
    const double costs[][2] = {{0.006, 0}, {0.02, 0}, {1, 0}, {INFINITY, 5}, {0.02, 5}};
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    svm_track track;
    assert_true(svm_track_init(&track, &mem, N));
    int64_t followed = 0, steps = 0, changes = 0;
    for (int trial = 0; trial < 10; trial++) {
        draw(t, &r, costs[trial / 2][0], costs[trial / 2][1]);
        svm_problem p = {.n = N,
                         .K = t->K,
                         .y = t->y,
                         .C = t->C,
                         .ridge = t->ridge,
                         .intercept = trial % 2 == 0,
                         .tol_rel = 1e-12};
        bool tracking = false;
        double b = 0;
        for (int64_t j = 0; j < D - 10; j++, steps++) {
            const double *x = t->x + j * N;
            for (int64_t i = 0; i < N; i++)
                for (int64_t k = 0; k < N; k++) t->K[i * N + k] -= x[i] * x[k];
            int64_t before = track.m;
            if (tracking) tracking = svm_track_downdate(&track, x, t->alpha, &b);
            svm_solution cold = solve(t, &p, t->cold);
            if (tracking) {
                followed++;
                changes += track.m != before;
                for (int64_t i = 0; i < N; i++) check_close(t->alpha[i], t->cold[i], 1e-6);
                if (p.intercept) check_close(b, cold.b, 1e-5);
            } else {
                memcpy(t->alpha, t->cold, sizeof t->cold);
                b = cold.b;
                tracking = svm_track_start(&track, &p, t->alpha, &b);
            }
        }
    }
    assert_true(10 * followed > 9 * steps);
    assert_true(changes > steps / 20);
    arena_free(&mem);
    free(t);
}

TEST_FILE(test_svm_track) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_are_followed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
