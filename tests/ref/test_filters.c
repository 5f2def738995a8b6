/* Filters against their definitions, written out slowly on the list of samples in which each is
 * repeated as often as it weighs: dense and sparse data, ties, two and four classes, regression. */
#include "support/fits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/p_values.h"
#include "data/dataset.h"
#include "model/model.h"

enum { N = 30, D = 9, MOST = 3 * N, CLASSES = 4, BINS = 5 };

/* One feature: n values and classes or target values. */
typedef struct list {
    int n, c;
    double x[MOST], y[MOST];
    int cls[MOST];
} list;

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *x, const list *l, int cls, bool others, double *count) {
    double sum = 0;
    *count = 0;
    for (int i = 0; i < l->n; i++) {
        if (cls >= 0 && (l->cls[i] == cls) == others) continue;
        sum += x[i];
        ++*count;
    }
    return sum / *count;
}

static double squares_of_class(const double *x, const list *l, int cls, bool others) {
    double count, mean = mean_of(x, l, cls, others, &count), sum = 0;
    for (int i = 0; i < l->n; i++)
        if (cls < 0 || (l->cls[i] == cls) != others) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

static double slow_t(const list *l, double *p) {
    double best = 0;
    *p = 1;
    for (int k = 0; k < (l->c == 2 ? 1 : l->c); k++) {
        double a, b, off = mean_of(l->x, l, k, false, &a) - mean_of(l->x, l, k, true, &b);
        double u = squares_of_class(l->x, l, k, false) / (a - 1) / a,
               v = squares_of_class(l->x, l, k, true) / (b - 1) / b;
        double t = fabs(off) / sqrt(u + v);
        if (!(t > best)) continue;
        best = t;
        *p = student_two_sided(t, (u + v) * (u + v) / (u * u / (a - 1) + v * v / (b - 1)));
        if (l->c > 2) *p = fmin(1, l->c * *p);
    }
    return best;
}

/* Between and within classes; p of F. */
static double slow_ratio(const list *l, const double *x, double *F, double *p) {
    double all, mean = mean_of(x, l, -1, false, &all), between = 0, within = 0, n = l->n, c = l->c;
    for (int k = 0; k < l->c; k++) {
        double own, m = mean_of(x, l, k, false, &own);
        between += own * (m - mean) * (m - mean);
        within += squares_of_class(x, l, k, false);
    }
    *F = between / (c - 1) / (within / (n - c));
    *p = fisher_p_value(*F, c - 1, n - c);
    return between / within;
}

static double slow_regression(const list *l, double *p) {
    double n, mx = mean_of(l->x, l, -1, false, &n), my = mean_of(l->y, l, -1, false, &n), xy = 0;
    for (int i = 0; i < l->n; i++) xy += (l->x[i] - mx) * (l->y[i] - my);
    double r2 =
        xy * xy / squares_of_class(l->x, l, -1, false) / squares_of_class(l->y, l, -1, false);
    *p = fisher_p_value(r2 / (1 - r2) * (n - 2), 1, n - 2);
    return r2 / (1 - r2) * (n - 2);
}

static double slow_chi2(const list *l, double *p) {
    double sum = 0, all = 0;
    for (int i = 0; i < l->n; i++) all += l->x[i];
    for (int k = 0; k < l->c; k++) {
        double own = 0, count = 0;
        for (int i = 0; i < l->n; i++) {
            own += l->cls[i] == k ? l->x[i] : 0;
            count += l->cls[i] == k;
        }
        double expected = all * count / l->n;
        sum += (own - expected) * (own - expected) / expected;
    }
    *p = chi2_p_value(sum, l->c - 1);
    return sum;
}

/* H as in the paper, with the correction for ties on the outside. */
static double slow_kruskal(const list *l, double *p) {
    double n = l->n, H = 0, ties = 0;
    for (int k = 0; k < l->c; k++) {
        double sum = 0, count = 0;
        for (int i = 0; i < l->n; i++) {
            if (l->cls[i] != k) continue;
            double below = 0, equal = 0;
            for (int q = 0; q < l->n; q++) {
                below += l->x[q] < l->x[i];
                equal += l->x[q] == l->x[i];
            }
            sum += below + (equal + 1) / 2;
            count++;
        }
        H += sum * sum / count;
    }
    for (int i = 0; i < l->n; i++) {
        double equal = 0;
        for (int q = 0; q < l->n; q++) equal += l->x[q] == l->x[i];
        ties += equal * equal - 1;
    }
    H = (12 / (n * (n + 1)) * H - 3 * (n + 1)) / (1 - ties / (n * n * n - n));
    *p = chi2_p_value(H, l->c - 1);
    return H;
}

/* Of the samples with from < x <= to: their number, classes and entropy in nats, or impurity. */
static double spread_of(const list *l, double from, double to, bool gini, double *n, int *classes) {
    double count[CLASSES] = {0}, value = gini;
    *n = 0;
    *classes = 0;
    for (int i = 0; i < l->n; i++)
        if (l->x[i] > from && l->x[i] <= to) {
            count[l->cls[i]]++;
            ++*n;
        }
    for (int k = 0; k < l->c; k++) {
        double share = count[k] / *n;
        if (share > 0) ++*classes;
        if (share > 0) value -= gini ? share * share : share * log(share);
    }
    return value;
}

/* The least mean of both sides over all cuts. */
static double best_cut(const list *l, double from, double to, bool gini, double *at) {
    double least = INFINITY;
    double sorted[MOST];
    memcpy(sorted, l->x, sizeof sorted);
    qsort(sorted, (size_t)l->n, sizeof *sorted, compare_numbers);
    for (int i = 0; i < l->n; i++) {
        double a, b, cut = sorted[i];
        int ka, kb;
        if (!(cut > from && cut < to) || cut == sorted[l->n - 1]) continue;
        double left = spread_of(l, from, cut, gini, &a, &ka),
               right = spread_of(l, cut, to, gini, &b, &kb);
        if (b == 0) continue;
        double both = (a * left + b * right) / (a + b);
        if (both < least - 1e-12) least = both, *at = cut;
    }
    return least;
}

static double slow_gini(const list *l) {
    double n, at = 0;
    int k;
    double all = spread_of(l, -INFINITY, INFINITY, true, &n, &k),
           least = best_cut(l, -INFINITY, INFINITY, true, &at);
    return isinf(least) ? 0 : all - least;
}

/* n H of what is left after the cuts that are worth their description. */
static double slow_cuts(const list *l, double from, double to) {
    double n, a, b, at = 0;
    int k, ka, kb;
    double all = spread_of(l, from, to, false, &n, &k), least = best_cut(l, from, to, false, &at);
    if (isinf(least)) return n * all;
    double left = spread_of(l, from, at, false, &a, &ka),
           right = spread_of(l, at, to, false, &b, &kb);
    double Delta = log2(pow(3, k) - 2) - (k * all - ka * left - kb * right) / log(2);
    if (!((all - least) / log(2) > (log2(n - 1) + Delta) / n)) return n * all;
    return slow_cuts(l, from, at) + slow_cuts(l, at, to);
}

static double slow_gain(const list *l) {
    double n;
    int k;
    return spread_of(l, -INFINITY, INFINITY, false, &n, &k) -
           slow_cuts(l, -INFINITY, INFINITY) / l->n;
}

/* numpy's quantiles as edges; a value on an edge lies below it, but the largest never does. */
static void slow_bins(const double *x, int n, int *out) {
    double sorted[MOST], edge[BINS];
    memcpy(sorted, x, sizeof *sorted * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
    for (int b = 1; b < BINS; b++) {
        int at = (n - 1) * b / BINS;
        double part = (double)((n - 1) * b % BINS) / BINS;
        edge[b] = part > 0 ? sorted[at] + part * (sorted[at + 1] - sorted[at]) : sorted[at];
    }
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int b = 1; b < BINS; b++)
            out[i] += edge[b] < x[i] || (edge[b] == x[i] && x[i] == sorted[n - 1]);
    }
}

static double slow_information(const int *a, const int *b, int n) {
    double sum = 0;
    for (int u = 0; u < BINS; u++)
        for (int v = 0; v < BINS; v++) {
            double both = 0, one = 0, other = 0;
            for (int i = 0; i < n; i++) {
                both += a[i] == u && b[i] == v;
                one += a[i] == u;
                other += b[i] == v;
            }
            if (both > 0) sum += both / n * log(both * n / (one * other));
        }
    return sum;
}

static double slow_score(const char *method, const list *l, double *p) {
    int a[MOST], b[MOST];
    double F;
    *p = NAN;
    if (strcmp(method, "t-test") == 0) return slow_t(l, p);
    if (strcmp(method, "anova") == 0 && l->c == 0) return slow_regression(l, p);
    if (strcmp(method, "anova") == 0) return slow_ratio(l, l->x, &F, p), F;
    if (strcmp(method, "fisher") == 0) {
        double ratio = slow_ratio(l, l->x, &F, p);
        *p = NAN;
        return ratio;
    }
    if (strcmp(method, "chi2") == 0) return slow_chi2(l, p);
    if (strcmp(method, "kruskal") == 0) return slow_kruskal(l, p);
    if (strcmp(method, "gini") == 0) return slow_gini(l);
    if (strcmp(method, "info-gain") == 0) return slow_gain(l);
    slow_bins(l->x, l->n, a);
    if (l->c == 0) slow_bins(l->y, l->n, b);
    return slow_information(a, l->c ? l->cls : b, l->n);
}

/* Ties in some features, a binary one, one far from 0; no constant one. */
static void fill(rng *r, double *x, double density, bool counts) {
    for (int e = 0; e < N * D; e++) {
        int j = e / N, i = e % N;
        double v = rng_normal(r) * 2 + (j < 3 ? i % CLASSES : 0);
        if (j == 3 || j == 4) v = round(v / (j - 2));
        if (j == 5) v = v > 1;
        if (j == 6) v = v < 1.5;
        if (j == 7) v += 1e6;
        x[e] = rng_uniform(r) < density ? counts ? fabs(v) : v : 0;
    }
}

static pare_data *make(const double *x, const char *const *labels, const double *weight,
                       bool sparse) {
    int64_t col_ptr[D + 1] = {0}, count = 0;
    int32_t row[N * D];
    double value[N * D];
    pare_data *data;
    pare_error err;
    for (int e = 0; e < N * D; e++) {
        if (x[e] != 0) {
            row[count] = e % N;
            value[count++] = x[e];
        }
        col_ptr[e / N + 1] = count;
    }
    pare_status status =
        sparse ? pare_data_sparse(&data, N, D, col_ptr, row, value, NULL, labels, NULL, NULL, &err)
               : pare_data_dense(&data, N, D, x, NULL, labels, NULL, NULL, &err);
    assert_int_equal(status, PARE_OK);
    assert_non_null(data->weight = mem_alloc(&data->mem, N, sizeof(double)));
    memcpy(data->weight, weight, sizeof(double) * N);
    return data;
}

/* classes 0: regression. */
static void compare(const char *method, int classes, bool sparse, uint64_t seed) {
    static const char *const names[] = {"a", "b", "c", "d"};
    double x[N * D], weight[N], y[N];
    char text[N][32];
    const char *labels[N];
    rng r = rng_from(seed);
    fill(&r, x, sparse ? 0.4 : 1, strcmp(method, "chi2") == 0);
    for (int i = 0; i < N; i++) {
        weight[i] = 1 + i % 3;
        y[i] = x[i] + rng_normal(&r);
        snprintf(text[i], sizeof text[i], "%.17g", y[i]);
        labels[i] = classes ? names[i % classes] : text[i];
    }
    pare_data *data = make(x, labels, weight, sparse);
    pare_model *m =
        fit_or_fail(data, method, PAIRS("task", classes ? "classify" : "regress", "k", "4"));
    const pare_model_info *of = pare_model_get(m);
    const double *score = of->ranking_score, *p = of->ranking_p, *q = of->ranking_q;
    const int64_t *ranking = of->ranking;
    bool tested = p != NULL;
    for (int at = 0; at < D; at++) {
        list l = {.c = classes};
        double p_wanted;
        for (int i = 0; i < N; i++)
            for (int w = 0; w < weight[i]; w++) {
                l.x[l.n] = x[ranking[at] * N + i];
                l.y[l.n] = y[i];
                l.cls[l.n++] = classes ? i % classes : 0;
            }
        double wanted = slow_score(method, &l, &p_wanted);
        if (!(fabs(score[at] - wanted) <= 1e-7 * fmax(wanted, 1e-6)))
            fail_msg("%s, %d classes, feature %d: %.12g, not %.12g", method, classes,
                     (int)ranking[at], score[at], wanted);
        assert_true(at == 0 || score[at] <= score[at - 1]);
        assert_int_equal(tested, !isnan(p_wanted));
        if (tested) check_close(p[at], p_wanted, 1e-7);
        if (tested && at < 4) assert_true(m->p_value[at] == p[at] && m->q_value[at] == q[at]);
    }
    pare_verdict v;
    pare_error err;
    assert_int_equal(pare_verify(&v, m, data, NULL, &err), PARE_OK);
    assert_true(v.holds);
    if (tested) { /* a p-value that was changed shows, however small it is */
        m->p_value[0] = 1.01 * m->p_value[0] + 1e-300; /* it may be 0 */
        assert_int_equal(pare_verify(&v, m, data, NULL, &err), PARE_OK);
        if (v.holds) fail_msg("%s, %d classes: p %g is not seen", method, classes, p[0]);
    }
    pare_model_free(m);
    pare_data_free(data);
}

static void scores_are_the_definitions(void **state) {
    (void)state;
    const char *const methods[] = {"t-test",  "anova", "fisher",    "chi2",
                                   "kruskal", "gini",  "info-gain", "mutual-info"};
    for (uint64_t seed = 0; seed < 4; seed++) {
        for (int t = 0; t < 8; t++)
            for (int sparse = 0; sparse < 2; sparse++)
                for (int classes = 2; classes <= 4; classes += 2)
                    compare(methods[t], classes, sparse, 100 + seed);
        compare("anova", 0, seed % 2, 200 + seed);
        compare("mutual-info", 0, seed % 2, 200 + seed);
    }
}

static pare_status fit_values(pare_model **m, const char *method, const double *x, int n, int d,
                              const char *const *labels, pare_error *err) {
    pare_data *data;
    pare_settings *set = settings_make(method, NULL);
    assert_int_equal(pare_data_dense(&data, n, d, x, NULL, labels, NULL, NULL, err), PARE_OK);
    pare_status status = pare_fit(m, data, set, NULL, err);
    pare_settings_free(set);
    pare_data_free(data);
    return status;
}

static void what_has_no_answer_has_a_sentence(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, -1, 0, 2, 5, 3, 1};
    const char *const alone[] = {"a", "b", "b", "b", "b", "b"}, *const two[] = {"a", "a", "b", "b"},
                      *const each[] = {"a", "b", "c", "a", "b", "c"};
    pare_model *m;
    pare_error err;
    assert_int_equal(fit_values(&m, "t-test", x, 6, 2, alone, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "\"a\""));
    assert_int_equal(fit_values(&m, "chi2", x, 6, 2, each, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "-1 in sample 1"));
    assert_int_equal(fit_values(&m, "anova", x, 2, 2, two + 1, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "F test"));
    assert_int_equal(fit_values(&m, "anova", x, 6, 2, alone, &err), PARE_OK);
    pare_model_free(m);
}

/* Classes that a feature tells apart without spread: the largest double and p 0; all equal: 0 and 1. */
static void no_variance_is_an_outcome(void **state) {
    (void)state;
    const char *const methods[] = {"t-test", "anova", "fisher"};
    const double x[] = {0.1, 0.1, 0.3, 0.3, 0.7, 0.7, 0.7, 0.7, 1, 2, 2, 4};
    const char *const labels[] = {"a", "a", "b", "b"};
    for (int t = 0; t < 3; t++) {
        pare_model *m;
        pare_error err;
        assert_int_equal(fit_values(&m, methods[t], x, 4, 3, labels, &err), PARE_OK);
        const pare_model_info *of = pare_model_get(m);
        const double *score = of->ranking_score, *p = of->ranking_p, *q = of->ranking_q;
        const int64_t *ranking = of->ranking;
        assert_int_equal(ranking[0], 0);
        assert_int_equal(ranking[2], 1);
        assert_true(score[0] == DBL_MAX);
        assert_true(score[2] <= score[1]);
        if (p) assert_true(p[0] == 0 && q[0] == 0 && p[2] == 1);
        pare_model_free(m);
    }
}

TEST_FILE(test_filters) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_definitions),
        cmocka_unit_test(what_has_no_answer_has_a_sentence),
        cmocka_unit_test(no_variance_is_an_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
