/* Alignments against the plain n^2 sum of centred kernels, for every way a feature may look. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "task/task.h"
#include "solve/kernel/kernel_align.h"

/* a, from y'HKHy / tr(HKH) by the definition: the full matrix, centred twice, in long double. */
static double plain(const double *x, const target *y, const double *s, int64_t n, kernel_kind kind,
                    double gamma) {
    long double total = 0, mean = 0, var = 0, trace = 0, sum = 0;
    long double *K = malloc(sizeof *K * (size_t)(n * n)), *row = calloc((size_t)n, sizeof *row),
                all = 0;
    assert_true(K && row);
    for (int64_t i = 0; i < n; i++) total += s[i];
    for (int64_t i = 0; i < n; i++) mean += s[i] * x[i] / total;
    for (int64_t i = 0; i < n; i++) var += s[i] * (x[i] - mean) * (x[i] - mean) / total;
    if (isnan(gamma)) gamma = (double)(1 / (2 * var));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double apart = (long double)x[i] - x[j], k;
            if (kind == KERNEL_RBF)
                k = expm1l(-gamma * apart * apart); /* centring does not see the 1 */
            else if (kind == KERNEL_LINEAR)
                k = ((long double)x[i] - mean) * (x[j] - mean);
            else
                k = apart == 0;
            K[i * n + j] = k;
            row[i] += s[j] * k / total;
            all += s[i] * s[j] * k / (total * total);
        }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) K[i * n + j] += all - row[i] - row[j];
        trace += s[i] * K[i * n + i];
    }
    long double y_mean = 0, y_var = 0;
    for (int64_t i = 0; !y->cls && i < n; i++) y_mean += s[i] * y->value[i] / total;
    for (int64_t i = 0; !y->cls && i < n; i++)
        y_var += s[i] * (y->value[i] - y_mean) * (y->value[i] - y_mean) / total;
    int64_t c = y->n_classes;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double ideal;
            if (!y->cls)
                ideal = (y->value[i] - y_mean) * (y->value[j] - y_mean) / y_var;
            else if (c == 2)
                ideal = y->cls[i] == y->cls[j] ? 1 : -1;
            else
                ideal = y->cls[i] == y->cls[j] ? (long double)c / (c - 1) : 0;
            sum += s[i] * s[j] * ideal * K[i * n + j];
        }
    free(row);
    free(K);
    return trace > 0 ? (double)(sum / trace) : 0;
}

/* Column j of n values, of one of many looks. */
static void make_column(rng *r, double *x, int64_t n, int64_t j) {
    for (int64_t i = 0; i < n; i++) {
        double z = rng_normal(r);
        switch (j % 9) {
        case 0: x[i] = z; break;
        case 1: x[i] = 1e4 + z; break;                          /* raw intensities */
        case 2: x[i] = exp(2 * z); break;                       /* heavy tail */
        case 3: x[i] = (double)rng_below(r, 4); break;          /* counts */
        case 4: x[i] = rng_uniform(r) < 0.1 ? 1 : 0; break;     /* sparse binary */
        case 5: x[i] = rng_uniform(r) < 0.6 ? z : 0; break;     /* sparse continuous */
        case 6: x[i] = 0.01 * z + (i % 3 == 0 ? 50 : 0); break; /* two clusters */
        case 7: x[i] = i == 0 ? 1e6 : z; break;                 /* an outlier */
        default: x[i] = 1e-5 * z; break;
        }
    }
}

static void check_columns(rng *r, int64_t n, int64_t classes, bool weighted, double gamma,
                          kernel_kind kind, bool sparse) {
    enum { D = 9 };
    double *x = malloc(sizeof *x * (size_t)(n * D)), *s = malloc(sizeof *s * (size_t)n);
    double *value = malloc(sizeof *value * (size_t)n);
    int32_t *cls = malloc(sizeof *cls * (size_t)n), *row = malloc(sizeof *row * (size_t)(n * D));
    double *entry = malloc(sizeof *entry * (size_t)(n * D));
    int64_t start[D + 1] = {0};
    assert_true(x && s && value && cls && row && entry);
    for (int64_t i = 0; i < n; i++) {
        cls[i] = (int32_t)(i < classes ? i : rng_below(r, classes > 0 ? classes : 1));
        value[i] = rng_normal(r) + 3;
        s[i] = !weighted ? 1 : i % 7 == 6 ? 0 : 0.2 + rng_uniform(r);
    }
    for (int64_t j = 0; j < D; j++) {
        make_column(r, x + j * n, n, j);
        start[j + 1] = start[j];
        for (int64_t i = 0; i < n; i++) {
            if (x[j * n + i] == 0) continue;
            row[start[j + 1]] = (int32_t)i;
            entry[start[j + 1]++] = x[j * n + i];
        }
    }
    target y = {.n_classes = classes, .cls = classes ? cls : NULL, .value = classes ? NULL : value};
    csc_arrays of = {start, row, entry};
    matrix m = sparse ? mat_csc(n, D, &of) : mat_dense(n, D, x);
    view v = view_all(&m);
    align_target t;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    pare_error err;
    double a[D], trace[D], used[D];
    assert_int_equal(
        align_target_make(&t, &mem, y.cls, y.n_classes, y.value, weighted ? s : NULL, n, &err),
        PARE_OK);
    assert_int_equal(kernel_align(a, trace, used, &v, &t, kind, gamma, NULL, &err), PARE_OK);
    for (int64_t j = 0; j < D; j++) {
        double reference = plain(x + j * n, &y, s, n, kind, gamma);
        if (!(fabs(a[j] - reference) <= 1e-10 * fmax(reference, 1)))
            fail_msg(
                "kernel %d, gamma %g, n %d, classes %d, column %d, sparse %d: %.15g, not %.15g",
                (int)kind, gamma, (int)n, (int)classes, (int)j, sparse, a[j], reference);
    }
    arena_free(&mem);
    free(entry);
    free(row);
    free(cls);
    free(value);
    free(s);
    free(x);
}

static void alignments_are_the_plain_sums(void **state) {
    (void)state;
    rng r = rng_from(71);
    const double gammas[] = {NAN, 0.5, 1e-7, 3e3};
    for (int classes = 0; classes < 5; classes++) {
        if (classes == 1) continue;
        for (int g = 0; g < 4; g++)
            check_columns(&r, 90 + 37 * g, classes, (g + classes) % 2, gammas[g], KERNEL_RBF,
                          g % 2 == classes % 2);
        check_columns(&r, 150, classes, classes % 2, NAN, KERNEL_LINEAR, classes % 2);
        check_columns(&r, 150, classes, classes % 2, NAN, KERNEL_DELTA, classes % 2);
    }
    check_columns(&r, 5, 2, false, NAN, KERNEL_RBF, false);
    check_columns(&r, 400, 2, false, NAN, KERNEL_RBF, true);
}

/* The alignments of one feature with two classes, by every kernel, to be `expected`. */
static void check_feature(const double *x, const int32_t *cls, int64_t n, double expected) {
    double a[1], trace[1], used[1];
    matrix m = mat_dense(n, 1, x);
    view v = view_all(&m);
    align_target t;
    arena mem;
    pare_error err;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(align_target_make(&t, &mem, cls, 2, NULL, NULL, n, &err), PARE_OK);
    for (int kind = 0; kind < 3; kind++) {
        assert_int_equal(kernel_align(a, trace, used, &v, &t, (kernel_kind)kind, NAN, NULL, &err),
                         PARE_OK);
        if (expected == 0) assert_true(a[0] == 0);
        check_close(a[0], expected, 1e-13);
    }
    arena_free(&mem);
}

/* The largest alignment there is: the kernel is the ideal one. */
static void a_feature_equal_to_the_label_is_the_ideal_kernel(void **state) {
    (void)state;
    const double x[6] = {0, 1, 1, 0, 1, 1};
    const int32_t cls[6] = {0, 1, 1, 0, 1, 1};
    check_feature(x, cls, 6, 4.0 * 2 * 4 / 6);
}

static void a_constant_feature_has_no_alignment(void **state) {
    (void)state;
    const double x[4] = {7.3, 7.3, 7.3, 7.3};
    const int32_t cls[4] = {0, 1, 1, 0}, one_class[4] = {1, 1, 1, 1};
    check_feature(x, cls, 4, 0);
    align_target t;
    arena mem;
    pare_error err;
    arena_init(&mem, ctx_allocator(NULL));
    assert_int_equal(align_target_make(&t, &mem, one_class, 2, NULL, NULL, 4, &err), PARE_E_DATA);
    arena_free(&mem);
}

TEST_FILE(test_kernel_align) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alignments_are_the_plain_sums),
        cmocka_unit_test(a_feature_equal_to_the_label_is_the_ideal_kernel),
        cmocka_unit_test(a_constant_feature_has_no_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
