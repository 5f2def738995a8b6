/* What the alignment and dependence rivals of kta are made of, against the definitions: sums over
 * pairs, thin factors of kernels, non-negative least squares. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "solve/kernel/gram_nnls.h"
#include "solve/kernel/kernel_factor.h"
#include "solve/kernel/kernel_products.h"
#include "solve/kernel/pair_form.h"

enum { N = 90, D = 20 }; /* more samples than values that count as few */

static double kernel(kernel_kind kind, double gamma, double a, double b) {
    if (kind == KERNEL_LINEAR) return a * b;
    return kind == KERNEL_DELTA ? a == b : exp(gamma * (a - b) * (a - b));
}

/* Symmetric; centred: rows sum to 0. */
static void random_symmetric(rng *r, double *M, bool centred) {
    for (int64_t a = 0; a < N; a++)
        for (int64_t b = 0; b <= a; b++) M[a * N + b] = M[b * N + a] = rng_normal(r);
    for (int64_t a = 0; centred && a < N; a++)
        for (int64_t b = 0; b < N; b++) {
            M[a * N + a] -= M[a * N + b];
            if (b == a) M[a * N + a] += M[a * N + b];
        }
    for (int64_t a = 0; centred && a < N; a++) { /* the diagonal takes up what the row sums to */
        double sum = 0;
        for (int64_t b = 0; b < N; b++) sum += M[a * N + b];
        M[a * N + a] -= sum;
    }
}

static void forms_are_the_definition(void **state) {
    (void)state;
    rng r = rng_from(101);
    double *M = malloc(sizeof *M * N * N);
    assert_non_null(M);
    for (int look = 0; look < 9; look++) {
        matrix sparse = random_sparse(&r, N, D, look % 3 == 0 ? 0.2 : 1);
        double *x = dense_of(&sparse), gamma[D], form[D];
        for (int64_t e = 0; look % 3 == 2 && e < N * D; e++) x[e] = (double)rng_below(&r, 4);
        matrix dense = mat_dense(N, D, x);
        view v = view_all(look % 3 == 0 ? &sparse : &dense);
        kernel_kind kind = (kernel_kind)(look / 3);
        for (int64_t j = 0; j < D; j++) {
            gamma[j] = pow(10, 4 * rng_uniform(&r) - 3) * (j % 2 ? 1 : -1);
            if (gamma[j] > 0.3) gamma[j] = 0.3; /* growing exponents stay in range */
        }
        random_symmetric(&r, M, kind == KERNEL_LINEAR);
        pare_error err;
        assert_int_equal(pair_forms(form, &v, NULL, D, kind, gamma, M, NULL, &err), PARE_OK);
        for (int64_t j = 0; j < D; j++) {
            double sum = 0, size = 0;
            for (int64_t a = 0; a < N; a++)
                for (int64_t b = 0; b < N; b++) {
                    double k = kernel(kind, gamma[j], x[j * N + a], x[j * N + b]);
                    double term = M[a * N + b] * (k - (kind != KERNEL_LINEAR));
                    sum += term;
                    size += fabs(term) + fabs(M[a * N + b]);
                }
            if (!(fabs(form[j] - sum) <= 1e-12 * size))
                fail_msg("look %d feature %d: %.15g, not %.15g", look, (int)j, form[j], sum);
        }
        free(x);
        mat_free(&sparse, NULL);
    }
    free(M);
}

/* A feature taken out of a joint kernel that it makes tiny: exp(gamma off^2) is up to 1e40, but never
 * beside anything larger than its inverse. */
static void what_a_kernel_holds_is_taken_out(void **state) {
    (void)state;
    rng r = rng_from(105);
    double *M = malloc(sizeof *M * N * N), gamma = 1, form;
    assert_non_null(M);
    for (int look = 0; look < 4; look++) { /* few values or many, stored dense or sparse */
        double x[N] = {0}, kept[N];
        int32_t row[N];
        int64_t start[2] = {0, 0};
        for (int i = 0; i < N; i++) {
            if (look % 2 ? i >= 75 : rng_below(&r, 4) > 0) continue;
            x[i] = look % 2 ? 9.5 * rng_uniform(&r) : (double)(1 + rng_below(&r, 9));
            kept[start[1]] = x[i];
            row[start[1]++] = i;
        }
        csc_arrays of = {start, row, kept};
        matrix m = look < 2 ? mat_dense(N, 1, x) : mat_csc(N, 1, &of);
        view v = view_all(&m);
        random_symmetric(&r, M, false);
        double sum = 0;
        for (int e = 0; e < N * N; e++) {
            double apart = x[e / N] - x[e % N], K = exp(-gamma * apart * apart);
            sum += M[e] * (1 - K);
            M[e] *= K;
        }
        pare_error err;
        assert_int_equal(pair_forms(&form, &v, NULL, 1, KERNEL_RBF, &gamma, M, NULL, &err),
                         PARE_OK);
        check_close(form, sum, 1e-11);
    }
    free(M);
}

static void factors_are_the_kernel(void **state) {
    (void)state;
    rng r = rng_from(102);
    double *phi = malloc(sizeof *phi * N * N), *K = malloc(sizeof *K * N * N), left[2 * N];
    assert_true(phi && K);
    for (int t = 0; t < 12; t++) {
        kernel_kind kind = (kernel_kind)(t % 3);
        double x[N], s[N], mean[N], total = 0, all = 0, trace = 0;
        double gamma = pow(10, 6 * rng_uniform(&r) - 4);
        for (int i = 0; i < N; i++) {
            x[i] = t % 2 ? (double)rng_below(&r, 5) : rng_normal(&r);
            total += s[i] = t % 4 == 3 ? (double)rng_below(&r, 3) : 1;
        }
        for (int a = 0; a < N; a++) {
            mean[a] = 0;
            for (int b = 0; b < N; b++) {
                K[a * N + b] = kernel(kind, -gamma, x[a], x[b]);
                mean[a] += s[b] / total * K[a * N + b];
            }
            all += s[a] / total * mean[a];
        }
        for (int a = 0; a < N; a++) trace += s[a] * (K[a * N + a] - 2 * mean[a] + all);
        int64_t rank = kernel_factor(phi, left, x, s, N, kind, gamma, trace);
        assert_true(rank >= 1 && rank <= N && (kind != KERNEL_LINEAR || rank == 1));
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++) {
                double centred = (K[a * N + b] - mean[a] - mean[b] + all) / trace, product = 0;
                for (int64_t k = 0; k < rank; k++) product += phi[k * N + a] * phi[k * N + b];
                double own = centred * sqrt(s[a] * s[b]);
                assert_true(fabs(product - own) <= 1e-12 + 1e-15 / trace);
            }
    }
    free(K);
    free(phi);
}

/* In two steps and on two threads as in one; with the trace divided out and sample weights. */
static void products_are_the_definition(void **state) {
    (void)state;
    rng r = rng_from(104);
    pare_error err;
    double *K = malloc(sizeof *K * D * N * N);
    assert_non_null(K);
    for (int look = 0; look < 4; look++) {
        matrix sparse = random_sparse(&r, N, D, look == 1 ? 0.2 : 1);
        double *x = dense_of(&sparse), gamma[D], trace[D], s[N], total = 0;
        kernel_kind kind = look == 3 ? KERNEL_LINEAR : KERNEL_RBF;
        for (int64_t e = 0; look == 2 && e < N * D; e++) x[e] = (double)rng_below(&r, 3);
        matrix dense = mat_dense(N, D, x);
        view v = view_all(look == 1 ? &sparse : &dense);
        for (int i = 0; i < N; i++) total += s[i] = look % 2 ? 1 : rng_uniform(&r);
        for (int64_t j = 0; j < D; j++) { /* diag(sqrt s) H k H' diag(sqrt s) */
            double *k = K + j * N * N, mean[N], all = 0;
            gamma[j] = 0.05 + rng_uniform(&r);
            trace[j] = 0;
            for (int a = 0; a < N; a++) {
                mean[a] = 0;
                for (int b = 0; b < N; b++) {
                    k[a * N + b] = kernel(kind, -gamma[j], x[j * N + a], x[j * N + b]);
                    mean[a] += s[b] / total * k[a * N + b];
                }
                all += s[a] / total * mean[a];
            }
            for (int a = 0; a < N; a++)
                for (int b = 0; b < N; b++) {
                    k[a * N + b] = (k[a * N + b] - mean[a] - mean[b] + all) * sqrt(s[a] * s[b]);
                    if (a == b) trace[j] += k[a * N + b];
                }
        }
        int64_t cols[D];
        for (int64_t j = 0; j < D; j++) cols[j] = D - 1 - j;
        kernel_products once, parts;
        pare_ctx two;
        pare_ctx_init(&two);
        two.threads = 2;
        kernel_products_begin(&once, &v, kind, NULL);
        kernel_products_begin(&parts, &v, kind, &two);
        assert_int_equal(kernel_products_add(&once, cols, D, s, gamma, trace, NULL, &err), PARE_OK);
        for (int64_t first = 0; first < D; first += 7)
            assert_int_equal(kernel_products_add(&parts, cols + first,
                                                 first + 7 < D ? 7 : D - first, s, gamma, trace,
                                                 &two, &err),
                             PARE_OK);
        for (int64_t k = 0; k < D; k++)
            for (int64_t l = 0; l < D; l++) {
                double sum = 0;
                for (int64_t e = 0; e < N * N; e++)
                    sum += K[cols[k] * N * N + e] * K[cols[l] * N * N + e];
                sum /= trace[cols[k]] * trace[cols[l]];
                check_close(once.M[k * once.capacity + l], sum, 1e-12);
                check_close(parts.M[k * parts.capacity + l], sum, 1e-12);
            }
        kernel_products_free(&once);
        kernel_products_free(&parts);
        free(x);
        mat_free(&sparse, NULL);
    }
    free(K);
}

/* Slopes say whether v is the minimiser; duplicate columns make M singular. */
static void least_squares_satisfy_their_conditions(void **state) {
    (void)state;
    enum { ROWS = 15, MOST = 25 };
    rng r = rng_from(103);
    for (int t = 0; t < 60; t++) {
        int64_t count = 1 + rng_below(&r, MOST);
        double *A = random_normal(&r, ROWS, count), M[MOST * MOST], a[MOST], v[MOST], y[ROWS];
        for (int i = 0; i < ROWS; i++) y[i] = rng_normal(&r);
        for (int64_t j = 1; t % 3 == 0 && j < count; j += 4)
            for (int i = 0; i < ROWS; i++) A[j * ROWS + i] = A[(j - 1) * ROWS + i];
        for (int64_t j = 0; j < count; j++) {
            a[j] = v[j] = 0;
            for (int i = 0; i < ROWS; i++) a[j] += A[j * ROWS + i] * y[i];
            for (int64_t k = 0; k < count; k++) {
                M[j * MOST + k] = 0;
                for (int i = 0; i < ROWS; i++) M[j * MOST + k] += A[j * ROWS + i] * A[k * ROWS + i];
            }
            if (t % 2 && rng_below(&r, 2)) v[j] = rng_uniform(&r); /* a start of its own */
        }
        if (t % 3 == 0)
            for (int64_t j = 0; j < count; j++) v[j] = 0;
        pare_error err;
        assert_int_equal(gram_nnls(v, M, MOST, a, count, 1e-12, NULL, &err), PARE_OK);
        for (int64_t j = 0; j < count; j++) {
            double slope = a[j];
            for (int64_t k = 0; k < count; k++) slope -= M[j * MOST + k] * v[k];
            assert_true(v[j] >= 0 && slope <= 1e-9);
            if (v[j] > 0) assert_true(fabs(slope) <= 1e-9);
        }
        free(A);
    }
}

TEST_FILE(test_pair_form) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_the_definition),
        cmocka_unit_test(what_a_kernel_holds_is_taken_out),
        cmocka_unit_test(factors_are_the_kernel),
        cmocka_unit_test(products_are_the_definition),
        cmocka_unit_test(least_squares_satisfy_their_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
