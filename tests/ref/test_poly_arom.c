/* poly-arom against the paper's update on literal ordered products: d + d^2 + ... columns, each
 * with a factor of its own. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/feature/monomials.h"
#include "solve/svm/svm_dual.h"

enum { N = 22, D = 5, MOST = D + D * D + D * D * D, MAX_STEPS = 1000 };

typedef struct ordered {
    double x[N * D], phi[N * MOST], y[N], z[MOST];
    double weight[MOST];  /* of a monomial: the sum over its orders */
    int64_t merged[MOST]; /* the monomial that a product is an order of */
    int64_t count;
} ordered;

static pare_data *draw(ordered *t, rng *r) {
    const char *label[N];
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) t->x[j * N + i] = 0.3 * (double)(j % 3) + rng_normal(r);
        t->y[i] = i % 3 ? 1 : -1;
        label[i] = i % 3 ? "1" : "0";
    }
    return data_labelled(N, D, t->x, label);
}

/* The number of the monomial with these factors, in any order. */
static int64_t number_of(const int64_t *of, int p, int64_t degree) {
    int64_t sorted[3], other[MONOMIAL_DEGREE_MAX];
    for (int k = 0; k < p; k++) {
        int at = k;
        for (; at > 0 && sorted[at - 1] > of[k]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = of[k];
    }
    for (int64_t m = 0; m < monomials_count(D, degree); m++)
        if (monomial_factors(D, m, other) == p && memcmp(other, sorted, (size_t)p * 8) == 0)
            return m;
    fail_msg("no such monomial");
    return -1;
}

/* Every product of up to `degree` features in every order. */
static void spell_out(ordered *t, int64_t degree) {
    t->count = 0;
    for (int p = 1; p <= degree; p++) {
        int64_t products = 1;
        for (int k = 0; k < p; k++) products *= D;
        for (int64_t code = 0; code < products; code++) {
            int64_t of[3], left = code;
            for (int k = 0; k < p; k++, left /= D) of[k] = left % D;
            for (int64_t i = 0; i < N; i++) {
                double value = 1;
                for (int k = 0; k < p; k++) value *= t->x[of[k] * N + i];
                t->phi[t->count * N + i] = value;
            }
            t->merged[t->count++] = number_of(of, p, degree);
        }
    }
}

/* z <- z |w| for every product, w the weights of the hard SVM on the products times z. */
static void step(ordered *t) {
    double K[N * N] = {0}, C[N], alpha[N], f[N];
    for (int64_t j = 0; j < t->count; j++) {
        const double *x = t->phi + j * N;
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < N; k++) K[i * N + k] += t->z[j] * t->z[j] * x[i] * x[k];
    }
    for (int64_t i = 0; i < N; i++) C[i] = INFINITY;
    svm_problem p = {.n = N, .K = K, .y = t->y, .C = C, .intercept = true, .tol_rel = 1e-13};
    svm_solution s = {.alpha = alpha, .f = f};
    pare_error err;
    assert_int_equal(svm_dual_solve(&s, &p, NULL, &err), PARE_OK);
    assert_false(s.inseparable);
    for (int64_t j = 0; j < t->count; j++) {
        double w = 0;
        for (int64_t i = 0; i < N; i++)
            w += t->z[j] * s.scale * alpha[i] * t->y[i] * t->phi[j * N + i];
        t->z[j] = fabs(t->z[j] * w);
    }
}

/* Until no merged weight moves by more than the method's own share of the largest: from a saddle
 * point rounding would lead on. */
static void run(ordered *t) {
    double norm[MOST], before[MOST] = {0};
    for (int64_t j = 0; j < t->count; j++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < N; i++) {
            sum += t->phi[j * N + i];
            square += t->phi[j * N + i] * t->phi[j * N + i];
        }
        norm[t->merged[j]] = sqrt(square - sum * sum / N);
        t->z[j] = 1;
        before[t->merged[j]] += 1;
    }
    for (int s = 0; s < MAX_STEPS; s++) {
        double moved = 0, largest = 0;
        step(t);
        memset(t->weight, 0, sizeof t->weight);
        for (int64_t j = 0; j < t->count; j++) t->weight[t->merged[j]] += t->z[j];
        for (int64_t m = 0; m <= t->merged[t->count - 1]; m++) {
            moved = fmax(moved, norm[m] * fabs(t->weight[m] - before[m]));
            largest = fmax(largest, norm[m] * t->weight[m]);
            before[m] = t->weight[m];
        }
        if (moved <= 1e-5 * largest) return;
    }
    fail_msg("it does not settle");
}

static void merged_monomials_are_the_ordered_products(void **state) {
    (void)state;
    rng r = rng_from(311);
    ordered *t = malloc(sizeof *t);
    for (int trial = 0; trial < 16; trial++) {
        int64_t degree = 2 + trial % 2;
        pare_data *data = draw(t, &r);
        pare_model *m =
            fit_or_fail(data, "poly-arom",
                        PAIRS("degree", degree == 2 ? "2" : "3", "scale", "none", "tol", "1e-8"));
        spell_out(t, degree);
        run(t);
        double largest = 0;
        int64_t support = 0, count = monomials_count(D, degree);
        for (int64_t j = 0; j < count; j++) largest = fmax(largest, t->weight[j]);
        for (int64_t j = 0; j < count; j++) support += t->weight[j] > 1e-6 * largest;
        assert_int_equal(pare_model_n_selected(m), support);
        for (int64_t i = 0; i < support; i++)
            check_close(pare_model_score(m, i), t->weight[pare_model_index(m, i)], 1e-3);
        pare_model_free(m);
        pare_data_free(data);
    }
    free(t);
}

TEST_FILE(test_poly_arom) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_monomials_are_the_ordered_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
