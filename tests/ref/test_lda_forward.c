/* `lda-forward` against its definition: dense matrices, every set's distances by elimination anew. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { MOST = 16, CLASSES = 5 };

typedef struct slow {
    int64_t n, d;
    int c;
    const double *x, *w; /* n x d, n */
    int cls[64];
    double g, C[MOST * MOST], M[CLASSES][MOST]; /* C_g and scaled class means */
} slow;

static double weighted_mean(const slow *s, const double *x, int of, double *total) {
    double sum = 0;
    *total = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (of >= 0 && s->cls[i] != of) continue;
        sum += s->w[i] * x[i];
        *total += s->w[i];
    }
    return sum / *total;
}

static void prepare(slow *s) {
    double *R = malloc(sizeof *R * (size_t)(s->n * s->d)), total, of;
    for (int64_t j = 0; j < s->d; j++) {
        const double *x = s->x + j * s->n;
        double all = weighted_mean(s, x, -1, &total), inside = 0, about = 0;
        for (int k = 0; k < s->c; k++) s->M[k][j] = weighted_mean(s, x, k, &of) - all;
        for (int64_t i = 0; i < s->n; i++) {
            double r = x[i] - all - s->M[s->cls[i]][j];
            R[j * s->n + i] = r;
            inside += s->w[i] * r * r;
            about += s->w[i] * (x[i] - all) * (x[i] - all);
        }
        double dev = sqrt(fmax(inside / (total - s->c), 1e-12 * about / total));
        for (int64_t i = 0; i < s->n; i++) R[j * s->n + i] /= dev > 0 ? dev : 1;
        for (int k = 0; k < s->c; k++) s->M[k][j] /= dev > 0 ? dev : 1;
    }
    for (int64_t a = 0; a < s->d; a++)
        for (int64_t b = 0; b < s->d; b++) {
            double sum = 0;
            for (int64_t i = 0; i < s->n; i++) sum += s->w[i] * R[a * s->n + i] * R[b * s->n + i];
            s->C[a * s->d + b] = a == b ? 1 : (1 - s->g) * sum / (total - s->c);
        }
    free(R);
}

/* D' C_SS^-1 D of two classes, by Gauss. */
static double distance2(const slow *s, const int64_t *set, int64_t count, int a, int b) {
    double A[MOST][MOST + 1], sum = 0;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++) A[i][j] = s->C[set[i] * s->d + set[j]];
        A[i][count] = s->M[a][set[i]] - s->M[b][set[i]];
    }
    for (int64_t p = 0; p < count; p++)
        for (int64_t i = 0; i < count; i++) {
            double by = A[i][p] / A[p][p];
            for (int64_t j = p; j <= count && i != p; j++) A[i][j] -= by * A[p][j];
        }
    for (int64_t i = 0; i < count; i++)
        sum += (s->M[a][set[i]] - s->M[b][set[i]]) * A[i][count] / A[i][i];
    return sum;
}

static double error_of(const slow *s, const int64_t *set, int64_t count) {
    double sum = 0;
    for (int a = 0; a < s->c; a++)
        for (int b = a + 1; b < s->c; b++) {
            double Delta2 = distance2(s, set, count, a, b);
            if (s->c == 2) return -Delta2;
            sum += 0.5 * erfc(sqrt(Delta2) / 2 / sqrt(2.0));
        }
    return sum;
}

/* The features after `count` chosen ones by what each adds; the first of them is the next. */
static void order_rest(const slow *s, int64_t *set, int64_t count) {
    double value[MOST];
    for (int64_t i = count; i < s->d; i++) {
        int64_t here = set[count];
        set[count] = set[i];
        set[i] = here;
        value[i] = error_of(s, set, count + 1);
        set[i] = set[count];
        set[count] = here;
    }
    for (int64_t i = count; i < s->d; i++)
        for (int64_t j = count; j + 1 < s->d; j++) {
            if (!(value[j + 1] < value[j] || (value[j + 1] == value[j] && set[j + 1] < set[j])))
                continue;
            double v = value[j];
            int64_t f = set[j];
            value[j] = value[j + 1], set[j] = set[j + 1];
            value[j + 1] = v, set[j + 1] = f;
        }
}

static void ranking_is_the_greedy_order(void **state) {
    (void)state;
    const problem_shape shapes[] = {
        {.n = 25, .d = 12, .classes = 2, .signal = 1, .density = 1},
        {.n = 9, .d = 14, .classes = 2, .signal = 0.5, .density = 1},
        {.n = 30, .d = 12, .classes = 2, .signal = 1, .density = 0.4, .weights = true},
        {.n = 40, .d = 10, .classes = 4, .signal = 1, .density = 1, .weights = true},
        {.n = 30, .d = 13, .classes = 3, .signal = 0, .density = 0.5},
    };
    const char *const g[] = {"0.7", "0.05", "1"};
    rng r = rng_from(31);
    for (int t = 0; t < 15; t++) {
        const problem_shape *shape = &shapes[t % 5];
        pare_data *data = problem_make(&r, shape);
        double *x = dense_of(&data->x), w[64];
        slow s = {.n = shape->n, .d = shape->d, .c = (int)shape->classes, .x = x, .w = w};
        s.g = atof(g[t % 3]);
        problem_samples(data, s.cls, w);
        prepare(&s);
        pare_model *m = fit_or_fail(
            data, "lda-forward",
            PAIRS("k", "5", "shrinkage", g[t % 3], "scale", t % 2 ? "standard" : "none"));
        int64_t set[MOST];
        for (int64_t j = 0; j < s.d; j++) set[j] = j;
        for (int64_t k = 0; k <= 5; k++) order_rest(&s, set, k);
        const double *score = pare_model_get(m)->ranking_score;
        const int64_t *ranking = pare_model_get(m)->ranking;
        for (int64_t j = 0; j < s.d; j++) assert_int_equal(ranking[j], set[j]);
        double pairs = s.c * (s.c - 1) / 2.0; /* scores: the fall of the error, or the gain */
        for (int64_t j = 0; j < s.d; j++) {
            int64_t known = j < 5 ? j : 5, here = set[known];
            double before = error_of(&s, set, known);
            set[known] = set[j];
            check_close(score[j], (before - error_of(&s, set, known + 1)) / (s.c == 2 ? 1 : pairs),
                        1e-8);
            set[known] = here;
        }
        pare_model_free(m);
        free(x);
        pare_data_free(data);
    }
}

/* More features wanted, or a pool that is not all, change nothing of what comes before. */
static void sizes_are_nested_and_the_pool_bounds_them(void **state) {
    (void)state;
    rng r = rng_from(32);
    problem_shape shape = {.n = 30, .d = 40, .classes = 3, .signal = 1, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *few = fit_or_fail(data, "lda-forward", PAIRS("k", "4")),
               *many = fit_or_fail(data, "lda-forward", PAIRS("k", "20")),
               *small = fit_or_fail(data, "lda-forward", PAIRS("k", "20", "pool", "6"));
    bool pooled[40] = {false};
    for (int i = 0; i < 5; i++) /* the fifth is the next */
        assert_int_equal(pare_model_get(few)->ranking[i], pare_model_get(many)->ranking[i]);
    for (int i = 0; i < 6; i++) pooled[pare_model_get(small)->ranking[i]] = true;
    pare_model *one = fit_or_fail(data, "lda-forward", PAIRS("k", "1", "pool", "1"));
    for (int i = 0; i < 6; i++) assert_true(pooled[pare_model_get(one)->ranking[i]]);
    pare_model_free(one);
    pare_model_free(small);
    pare_model_free(many);
    pare_model_free(few);
    pare_data_free(data);
}

/* Constant within classes, all tied, one sample a class. */
static void hard_cases(void **state) {
    (void)state;
    enum { N = 6, D = 4 };
    double x[N * D];
    const char *labels[N], *alone[] = {"a", "b"};
    for (int i = 0; i < N; i++) {
        labels[i] = i % 2 ? "yes" : "no";
        for (int j = 0; j < D; j++) x[j * N + i] = j == 2 ? i % 2 : 1 + i / 2;
    }
    pare_data *data = data_labelled(N, D, x, labels);
    pare_model *m = fit_or_fail(data, "lda-forward", PAIRS("k", "4"));
    const int64_t expected[] = {2, 0, 1, 3};
    for (int i = 0; i < D; i++) assert_int_equal(pare_model_get(m)->ranking[i], expected[i]);
    pare_model_free(m);
    pare_data_free(data);

    data = data_labelled(2, 2, x, alone);
    check_no_fit(data, "lda-forward", NULL, PARE_E_DATA, "2 samples of 2 classes");
    pare_data_free(data);
}

TEST_FILE(test_lda_forward) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranking_is_the_greedy_order),
        cmocka_unit_test(sizes_are_nested_and_the_pool_bounds_them),
        cmocka_unit_test(hard_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
