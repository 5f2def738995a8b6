/* laplacian, spectrum, relieff and mrmr against their definitions: whole matrices, all distances, all
 * pairs; dense and sparse, weighted. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "model/model.h"

enum { N = 26, D = 6, CLASSES = 3, K = 4 };

typedef struct sample_set {
    double x[N * D], y[N], w[N];
    int cls[N];
    pare_data *data;
} sample_set;

static sample_set make(uint64_t seed, bool sparse, bool values) {
    sample_set s;
    char text[N][32];
    const char *labels[N];
    int64_t col_ptr[D + 1] = {0}, count = 0;
    int32_t row[N * D];
    double entry[N * D];
    pare_error err;
    rng r = rng_from(seed);
    for (int e = 0; e < N * D; e++) {
        s.cls[e % N] = e % N % CLASSES;
        double v = rng_normal(&r) + (e / N < 3 ? s.cls[e % N] : 0);
        s.x[e] = sparse && rng_uniform(&r) < 0.5 ? 0 : v;
        if (s.x[e] != 0) row[count] = e % N, entry[count++] = s.x[e];
        col_ptr[e / N + 1] = count;
    }
    for (int i = 0; i < N; i++) {
        s.y[i] = s.x[i] + rng_normal(&r) / 2;
        s.w[i] = 0.5 + rng_uniform(&r);
        snprintf(text[i], sizeof text[i], values ? "%.17g" : "c%.0f", values ? s.y[i] : s.cls[i]);
        labels[i] = text[i];
    }
    pare_status status =
        sparse
            ? pare_data_sparse(&s.data, N, D, col_ptr, row, entry, NULL, labels, NULL, NULL, &err)
            : pare_data_dense(&s.data, N, D, s.x, NULL, labels, NULL, NULL, &err);
    assert_int_equal(status, PARE_OK);
    assert_non_null(s.data->weight = mem_alloc(&s.data->mem, N, sizeof(double)));
    memcpy(s.data->weight, s.w, sizeof s.w);
    return s;
}

/* Is b one of the K nearest of a, among those that count (NULL: all)? */
static bool is_near(const double *dist, int a, int b, const int *cls, int k) {
    int before = 0;
    if (a == b) return false;
    for (int c = 0; c < N; c++) {
        if (c == a || c == b || (cls && cls[c] != cls[b])) continue;
        double own = dist[a * N + b], other = dist[a * N + c];
        before += other < own || (other == own && c < b);
    }
    return before < k;
}

static void edges(const sample_set *s, double *S) {
    double z[N * D], dist[N * N], t = 0, count = 0;
    for (int j = 0; j < D; j++) { /* standard, weighted */
        double total = 0, mean = 0, var = 0;
        for (int i = 0; i < N; i++) total += s->w[i], mean += s->w[i] * s->x[j * N + i];
        mean /= total;
        for (int i = 0; i < N; i++) var += s->w[i] * pow(s->x[j * N + i] - mean, 2) / total;
        for (int i = 0; i < N; i++) z[j * N + i] = (s->x[j * N + i] - mean) / sqrt(var);
    }
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            dist[a * N + b] = 0;
            for (int j = 0; j < D; j++) dist[a * N + b] += pow(z[j * N + a] - z[j * N + b], 2);
        }
    for (int e = 0; e < N * N; e++) {
        S[e] = is_near(dist, e / N, e % N, NULL, K) || is_near(dist, e % N, e / N, NULL, K);
        t += S[e] * dist[e];
        count += S[e];
    }
    for (int e = 0; e < N * N; e++) S[e] *= exp(-dist[e] / (t / count)) * s->w[e / N] * s->w[e % N];
}

/* phi 0: the Laplacian score; 3: of all eigenvectors, where it follows from the others. */
static double slow_graph(const double *S, const double *f, int phi) {
    double degree[N], total = 0, sum = 0, mean = 0, about = 0, norm = 0;
    for (int a = 0; a < N; a++) {
        degree[a] = 0;
        for (int b = 0; b < N; b++) {
            degree[a] += S[a * N + b];
            sum += 0.5 * S[a * N + b] * (f[a] - f[b]) * (f[a] - f[b]);
        }
        total += degree[a];
        mean += degree[a] * f[a];
    }
    mean /= total;
    for (int a = 0; a < N; a++) {
        about += degree[a] * (f[a] - mean) * (f[a] - mean);
        norm += degree[a] * f[a] * f[a];
    }
    if (phi == 3) return 2 * about / norm - sum / norm;
    return -sum / (phi == 1 ? norm : about);
}

static double slow_relief(const sample_set *s, int j, bool values) {
    double unit[N * D], dist[N * N] = {0}, prior[CLASSES] = {0}, total = 0, score = 0;
    double dC = 0, dA = 0, dCdA = 0, low = INFINITY, high = -INFINITY;
    for (int c = 0; c < D; c++) {
        double min = INFINITY, max = -INFINITY;
        for (int i = 0; i < N; i++)
            min = fmin(min, s->x[c * N + i]), max = fmax(max, s->x[c * N + i]);
        for (int i = 0; i < N; i++) unit[c * N + i] = (s->x[c * N + i] - min) / (max - min);
        for (int e = 0; e < N * N; e++) dist[e] += fabs(unit[c * N + e / N] - unit[c * N + e % N]);
    }
    for (int i = 0; i < N; i++) total += s->w[i], prior[s->cls[i]] += s->w[i];
    for (int i = 0; i < N; i++) low = fmin(low, s->y[i]), high = fmax(high, s->y[i]);
    for (int a = 0; a < N; a++)
        for (int C = 0; C < (values ? 1 : CLASSES); C++) {
            double mean = 0, with_y = 0, weight = 0, only_y = 0;
            for (int b = 0; b < N; b++) {
                if (!values && s->cls[b] != C) continue;
                if (!is_near(dist, a, b, values ? NULL : s->cls, K)) continue;
                double off = fabs(unit[j * N + a] - unit[j * N + b]);
                double of_y = fabs(s->y[a] - s->y[b]) / (high - low);
                mean += s->w[b] * off;
                only_y += s->w[b] * of_y;
                with_y += s->w[b] * off * of_y;
                weight += s->w[b];
            }
            double share = s->cls[a] == C ? -1 : prior[C] / (total - prior[s->cls[a]]);
            score += s->w[a] / total * share * mean / weight;
            dC += s->w[a] * only_y / weight;
            dA += s->w[a] * mean / weight;
            dCdA += s->w[a] * with_y / weight;
        }
    return values ? dCdA / dC - (dA - dCdA) / (total - dC) : score;
}

/* method, its settings, and which slow score. */
static void compare(const sample_set *s, const char *method, const char *const *pairs, int phi,
                    bool values) {
    double S[N * N];
    pare_model *m = fit_or_fail(s->data, method, pairs);
    const double *score = pare_model_get(m)->ranking_score;
    const int64_t *ranking = pare_model_get(m)->ranking;
    if (phi >= 0) edges(s, S);
    for (int at = 0; at < D; at++) {
        int j = (int)ranking[at];
        double wanted = phi >= 0 ? slow_graph(S, s->x + j * N, phi) : slow_relief(s, j, values);
        if (!(fabs(score[at] - wanted) < 1e-9))
            fail_msg("%s, feature %d: %.12g, not %.12g", method, j, score[at], wanted);
        assert_true(at == 0 || score[at] <= score[at - 1]);
    }
    pare_model_free(m);
}

static void scores_are_the_definitions(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        bool sparse = seed % 2;
        sample_set s = make(seed, sparse, false), v = make(seed, sparse, true);
#define GRAPH "neighbours", "4", "scale", "standard", "task", "classify"
        compare(&s, "laplacian", PAIRS(GRAPH), 0, false);
        compare(&s, "spectrum", PAIRS(GRAPH, "phi", "1"), 1, false);
        compare(&s, "spectrum", PAIRS(GRAPH, "phi", "2"), 2, false);
        compare(&s, "spectrum", PAIRS(GRAPH, "phi", "3", "clusters", "26"), 3, false);
        compare(&s, "relieff", PAIRS("neighbours", "4", "task", "classify"), -1, false);
        compare(&v, "relieff", PAIRS("neighbours", "4", "task", "regress"), -1, true);
        pare_data_free(s.data);
        pare_data_free(v.data);
    }
}

/* A class of one sample has no hits; neighbours beyond a class are those there are. */
static void few_samples_are_an_outcome(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 7, 1, 3, 2, 5, 4};
    const char *const labels[] = {"a", "b", "b", "b", "c"};
    const char *const methods[] = {"relieff", "laplacian", "spectrum"};
    for (int t = 0; t < 3; t++) {
        pare_data *data = data_labelled(5, 2, x, labels);
        pare_model *m = fit_or_fail(data, methods[t], NULL);
        assert_true(isfinite(pare_model_get(m)->score[0]) && isfinite(pare_model_get(m)->score[1]));
        pare_model_free(m);
        pare_data_free(data);
    }
}

/* --- mrmr --- */

static double correlation(const sample_set *s, const double *a, const double *b) {
    double total = 0, ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < N; i++) total += s->w[i], ma += s->w[i] * a[i], mb += s->w[i] * b[i];
    for (int i = 0; i < N; i++) {
        double p = a[i] - ma / total, q = b[i] - mb / total;
        aa += s->w[i] * p * p, bb += s->w[i] * q * q, ab += s->w[i] * p * q;
    }
    return fabs(ab) / sqrt(aa * bb);
}

/* Of the joint table of values, which are the bins themselves here. */
static double information(const sample_set *s, const double *a, const double *b) {
    double total = 0, sum = 0;
    for (int i = 0; i < N; i++) total += s->w[i];
    for (int u = 0; u < CLASSES; u++)
        for (int v = 0; v < CLASSES; v++) {
            double both = 0, one = 0, other = 0;
            for (int i = 0; i < N; i++) {
                both += a[i] == u && b[i] == v ? s->w[i] : 0;
                one += a[i] == u ? s->w[i] : 0;
                other += b[i] == v ? s->w[i] : 0;
            }
            if (both > 0) sum += both / total * log(both * total / (one * other));
        }
    return sum;
}

static void greedy_is_the_definition(void **state) {
    (void)state;
    for (int way = 0; way < 8; way++) {
        bool quotient = way & 1, f_test = way & 2, sparse = way & 4;
        sample_set s = make(50 + (uint64_t)way, sparse, false);
        pare_data_free(s.data);
        rng r = rng_from(9);
        double cls[N], V[D];
        for (int e = 0; e < N * D; e++) { /* few values, so that bins are values */
            double v =
                (s.cls[e % N] + (double)rng_below(&r, 2 + e / N) > 1) + (double)(rng_below(&r, 2));
            s.x[e] = rng_uniform(&r) < 0.3 ? s.cls[e % N] : v > 2 ? 2 : v;
        }
        const char *labels[N], *const names[] = {"a", "b", "c"};
        for (int i = 0; i < N; i++) labels[i] = names[s.cls[i]], cls[i] = s.cls[i];
        pare_error err;
        assert_int_equal(pare_data_dense(&s.data, N, D, s.x, NULL, labels, NULL, NULL, &err),
                         PARE_OK);
        assert_non_null(s.data->weight = mem_alloc(&s.data->mem, N, sizeof(double)));
        for (int i = 0; i < N; i++) s.data->weight[i] = s.w[i] = 1 + i % 3;
        const char *const fine[] = {"bins", "100", NULL}; /* every value has its own */
        pare_model *of_V =
            fit_or_fail(s.data, f_test ? "anova" : "mutual-info", f_test ? NULL : fine);
        const double *score, *relevance = pare_model_get(of_V)->ranking_score;
        const int64_t *first = pare_model_get(of_V)->ranking;
        for (int at = 0; at < D; at++) V[first[at]] = relevance[at];
        for (int j = 0; !f_test && j < D; j++)
            check_close(V[j], information(&s, s.x + j * N, cls), 1e-12);
        pare_model *m = fit_or_fail(s.data, "mrmr",
                                    PAIRS("k", "4", "bins", "100", "scheme",
                                          quotient ? "quotient" : "difference", "measure",
                                          f_test ? "f-test" : "information"));
        const int64_t *ranking = pare_model_get(m)->ranking;
        score = pare_model_get(m)->ranking_score;
        bool taken[D] = {false};
        for (int step = 0; step < 4; step++) {
            double most = -INFINITY, of_chosen = 0;
            for (int j = 0; j < D; j++) {
                double R = 0;
                for (int t = 0; t < step; t++) {
                    const double *other = s.x + ranking[t] * N, *own = s.x + j * N;
                    R +=
                        (f_test ? correlation(&s, own, other) : information(&s, own, other)) / step;
                }
                double value = step == 0 ? V[j] : quotient ? V[j] / R : V[j] - R;
                if (!taken[j]) most = fmax(most, value);
                if (ranking[step] == j) of_chosen = value;
            }
            check_close(score[step], of_chosen, 1e-9);
            check_close(of_chosen, most, 1e-9);
            taken[ranking[step]] = true;
        }
        pare_model_free(m);
        pare_model_free(of_V);
        pare_data_free(s.data);
    }
}

TEST_FILE(test_neighbourhoods) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_definitions),
        cmocka_unit_test(few_samples_are_an_outcome),
        cmocka_unit_test(greedy_is_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
