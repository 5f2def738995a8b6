/* Imputation and scaling against the same done by hand on a copy. */
#include "support/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/feature/scaling.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Whole weights: the median of every value repeated so often. Else the least value that half of the
 * weight does not lie above. */
static double median_by_hand(const double *x, const double *w, int64_t n) {
    double list[256], total = 0, best = INFINITY;
    size_t count = 0;
    bool whole = true;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            whole &= w[i] == floor(w[i]);
            total += w[i];
            for (int64_t k = 0; whole && k < (int64_t)w[i]; k++) list[count++] = x[i];
        }
    qsort(list, count, sizeof(double), ascending);
    if (whole) return 0.5 * (list[(count - 1) / 2] + list[count / 2]);
    for (int64_t i = 0; i < n; i++) {
        double up_to = 0;
        for (int64_t k = 0; k < n; k++) up_to += x[k] <= x[i] ? w[k] : 0;
        if (up_to >= total / 2) best = fmin(best, x[i]);
    }
    return best;
}

/* The column imputed and scaled by the definitions, one number after the other. */
static void by_hand(double *x, const double *w, int64_t n, const char *kind, bool median) {
    double sum = 0, total = 0, mean = 0, var = 0, square = 0, min = INFINITY, max = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) {
            sum += w[i] * x[i];
            total += w[i];
        }
    double fill = median ? median_by_hand(x, w, n) : sum / total;
    total = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i])) x[i] = fill;
        total += w[i];
        mean += w[i] * x[i];
        square += w[i] * x[i] * x[i];
        if (w[i] > 0) {
            min = fmin(min, x[i]);
            max = fmax(max, x[i]);
        }
    }
    mean /= total;
    for (int64_t i = 0; i < n; i++) var += w[i] * (x[i] - mean) * (x[i] - mean) / total;
    for (int64_t i = 0; i < n; i++) {
        if (min == max)
            x[i] = 0;
        else if (strcmp(kind, "standard") == 0)
            x[i] = (x[i] - mean) / sqrt(var);
        else if (strcmp(kind, "unit") == 0)
            x[i] = x[i] / sqrt(square / total);
        else if (strcmp(kind, "minmax") == 0)
            x[i] = (x[i] - min) / (max - min);
    }
}

static void views_scale_as_defined(void **state) {
    (void)state;
    rng r = rng_from(51);
    const char *const kinds[] = {"standard", "unit", "minmax", "none"};
    for (int trial = 0; trial < 64; trial++) {
        bool median = trial & 1, sparse = trial & 2, weights = trial & 4, whole = trial & 8;
        const char *kind = kinds[(trial >> 4) & 3];
        problem_shape shape = {.n = 25,
                               .d = 8,
                               .classes = 2,
                               .density = sparse ? 0.5 : 1,
                               .missing = 0.15,
                               .constant = true,
                               .weights = weights};
        pare_data *data = problem_make(&r, &shape);
        for (int64_t i = 0; whole && weights && i < 25; i++) data->weight[i] = (double)(i % 4);
        double *x = dense_of(&data->x), w[25], seen[25];
        for (int64_t i = 0; i < 25; i++) w[i] = weights ? data->weight[i] : 1;
        arena mem;
        arena_init(&mem, ctx_allocator(NULL));
        scaling sc;
        pare_error err;
        view v = view_all(&data->x);
        assert_int_equal(
            scaling_fit(&sc, &mem, &v, data->weight, kind, median ? "median" : "mean", NULL, &err),
            PARE_OK);
        assert_int_equal(sc.n_constant, 1);
        v.shift = sc.shift;
        v.scale = sc.scale;
        v.fill = sc.fill;
        for (int64_t j = 0; j < 8; j++) {
            double expected[25];
            memcpy(expected, x + j * 25, sizeof expected);
            by_hand(expected, w, 25, kind, median);
            assert_int_equal(mat_columns(&v, &j, 1, seen, NULL, &err), PARE_OK);
            for (int64_t i = 0; i < 25; i++) check_close(seen[i], expected[i], 1e-12);
        }
        arena_free(&mem);
        free(x);
        pare_data_free(data);
    }
}

/* Raw intensities around 1e8 with a spread of 1 keep their digits. */
static void large_means_do_not_cancel(void **state) {
    (void)state;
    double x[20];
    for (int i = 0; i < 20; i++) x[i] = 1e8 + (i % 2);
    matrix m = mat_dense(20, 1, x);
    view v = view_all(&m);
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    scaling sc;
    pare_error err;
    assert_int_equal(scaling_fit(&sc, &mem, &v, NULL, "standard", "refuse", NULL, &err), PARE_OK);
    check_close(sc.scale[0], 2, 1e-12);
    check_close(sc.shift[0], 1e8 + 0.5, 1e-15);
    arena_free(&mem);
}

TEST_FILE(test_scaling) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(views_scale_as_defined),
                                       cmocka_unit_test(large_means_do_not_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
