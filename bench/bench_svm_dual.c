/* The SVM dual against libsvm on the same Gram matrix (precomputed kernel), cold, and warm-started
 * along a sequence of Grams that loses the least weighted features step by step.
 *     bench_svm_dual N D C (random|factors) STEPS
 * libsvm's eps is lowered tenfold until its dual is within 1e-6 (relative) of ours; that run
 * counts, with or without shrinking, whichever was faster. Along the sequence libsvm is timed on
 * every tenth Gram. Prints `key value` lines. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cblas.h>

#define svm_problem libsvm_problem /* its struct tag is ours too */
#include <libsvm/svm.h>
#undef svm_problem

#include "base/rng.h"
#include "solve/svm/svm_dual.h"

static void *get(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (!block) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    return block;
}

/* Processor time: both solvers run in one thread, and neighbours on the machine do not count. */
static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void silent(const char *text) { (void)text; }

/* x: n x d, column-major; "factors": 20 latent factors behind all features, 10% wrong labels. */
static void make_data(double *x, double *y, int64_t n, int64_t d, bool factors) {
    rng r;
    rng_seed(&r, 7, 0);
    int64_t latent = 20;
    double *z = get((size_t)(n * latent), sizeof *z);
    for (int64_t i = 0; i < n * latent; i++) z[i] = rng_normal(&r);
    for (int64_t i = 0; i < n; i++) y[i] = 0.3 * rng_normal(&r);
    for (int64_t j = 0; j < d; j++) {
        double load[20];
        for (int64_t k = 0; k < latent; k++) load[k] = factors ? rng_normal(&r) / 4 : 0;
        for (int64_t i = 0; i < n; i++) {
            double v = rng_normal(&r);
            for (int64_t k = 0; k < latent; k++) v += load[k] * z[k * n + i];
            x[j * n + i] = v;
            if (!factors && j < 10) y[i] += v / 3;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        if (factors) y[i] += z[i] + z[n + i];
        bool wrong = factors && rng_uniform(&r) < 0.1;
        y[i] = (y[i] > 0) != wrong ? 1 : -1;
    }
    free(z);
}

static svm_solution ours(const double *K, const double *y, const double *C, int64_t n, bool warm,
                         double *alpha, double *f, double *seconds) {
    svm_problem p = {n, K, y, C, NULL, true, 1e-6, 0, warm};
    svm_solution s = {.alpha = alpha, .f = f};
    double start = cpu_now();
    if (svm_dual_solve(&s, &p, NULL, NULL) != PARE_OK || s.outcome != PARE_OPTIMAL) {
        fprintf(stderr, "not solved\n");
        exit(1);
    }
    *seconds = cpu_now() - start;
    return s;
}

/* libsvm's dual objective and time at the given eps. */
static double theirs_at(struct libsvm_problem *q, const double *K, double C, double eps,
                        int shrinking, double *seconds) {
    int64_t n = q->l;
    struct svm_parameter t = {0};
    t.svm_type = C_SVC;
    t.kernel_type = PRECOMPUTED;
    t.cache_size = 8e-6 * (double)(n * n) + 100;
    t.eps = eps;
    t.C = C;
    t.shrinking = shrinking;
    double start = cpu_now();
    struct svm_model *model = svm_train((void *)q, &t);
    *seconds = cpu_now() - start;
    double dual = 0;
    for (int a = 0; a < model->l; a++) {
        dual += fabs(model->sv_coef[0][a]);
        for (int b = 0; b < model->l; b++)
            dual -= model->sv_coef[0][a] * model->sv_coef[0][b] / 2 *
                    K[(model->sv_indices[a] - 1) * n + model->sv_indices[b] - 1];
    }
    svm_free_and_destroy_model(&model);
    return dual;
}

static void fill_nodes(struct svm_node *nodes, const double *K, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        struct svm_node *row = nodes + i * (n + 2);
        row[0] = (struct svm_node){0, (double)(i + 1)};
        for (int64_t j = 0; j < n; j++) row[j + 1] = (struct svm_node){(int)(j + 1), K[i * n + j]};
        row[n + 1].index = -1;
    }
}

static const double *sort_by;
static int by_weight(const void *a, const void *b) {
    double x = sort_by[*(const int64_t *)a], y = sort_by[*(const int64_t *)b];
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: bench_svm_dual N D C (random|factors) STEPS SHARE\n");
        return 2;
    }
    int64_t n = atoll(argv[1]), d = atoll(argv[2]), steps = atoll(argv[5]);
    double C = atof(argv[3]), share = atof(argv[6]); /* of the features that go per step; 0: one */
    openblas_set_num_threads(1);
    svm_set_print_string_function(silent);
    double *x = get((size_t)(n * d), sizeof *x), *y = get((size_t)n, sizeof *y);
    double *K = get((size_t)(n * n), sizeof *K), *Cs = get((size_t)n, sizeof *Cs);
    double *alpha = get((size_t)n, sizeof *alpha), *cold = get((size_t)n, sizeof *cold);
    double *f = get((size_t)n, sizeof *f), *w = get((size_t)d, sizeof *w),
           *beta = get((size_t)n, 8);
    int64_t *left = get((size_t)d, sizeof *left), n_left = d;
    make_data(x, y, n, d, strcmp(argv[4], "factors") == 0);
    for (int64_t i = 0; i < n; i++) Cs[i] = C;
    for (int64_t j = 0; j < d; j++) left[j] = j;
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, (int)n, (int)d, 1.0 / (double)d, x, (int)n,
                0, K, (int)n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) K[j * n + i] = K[i * n + j];

    struct libsvm_problem q = {(int)n, y, get((size_t)n, sizeof(struct svm_node *))};
    struct svm_node *nodes = get((size_t)(n * (n + 2)), sizeof *nodes);
    for (int64_t i = 0; i < n; i++) q.x[i] = nodes + i * (n + 2);
    fill_nodes(nodes, K, n);

    int64_t repeats = n < 200 ? 200 : n < 1000 ? 10 : 2;
    double best = INFINITY, seconds, peer = INFINITY, peer_dual = 0, eps = 0.1;
    svm_solution s;
    for (int64_t k = 0; k < repeats; k++) {
        s = ours(K, y, Cs, n, false, alpha, f, &seconds);
        best = fmin(best, seconds);
    }
    int64_t sv = 0, bounded = 0;
    for (int64_t i = 0; i < n; i++) {
        sv += alpha[i] > 0;
        bounded += alpha[i] == C;
    }
    while (eps > 1e-9) {
        peer_dual = theirs_at(&q, K, C, eps, 1, &seconds);
        if (fabs(peer_dual - s.dual) <= 1e-6 * s.dual) break;
        eps /= 10;
    }
    int shrinking = 1;
    for (int64_t k = 0; k < 2 * repeats; k++) {
        theirs_at(&q, K, C, eps, (int)(k % 2), &seconds);
        if (seconds < peer) shrinking = (int)(k % 2);
        peer = fmin(peer, seconds);
    }
    printf(
        "cold_ours %.9g\ncold_libsvm %.9g\ndual_ours %.15g\nprimal_ours %.15g\ndual_libsvm %.15g\n"
        "libsvm_eps %g\nlibsvm_shrinking %d\niterations %lld\nsupport %lld\nat_C %lld\n",
        best, peer, s.dual, s.primal, peer_dual, eps, shrinking, (long long)s.iterations,
        (long long)sv, (long long)bounded);

    double warm_total = 0, cold_total = 0, peer_total = 0, peer_count = 0, count = 0, worst = 0;
    for (int64_t step = 0; step < steps && n_left > 10; step++, count++) {
        int64_t drop =
            (int64_t)(share * (double)n_left) > 0 ? (int64_t)(share * (double)n_left) : 1;
        for (int64_t i = 0; i < n; i++) beta[i] = alpha[i] * y[i];
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)d, 1, x, (int)n, beta, 1, 0, w, 1);
        for (int64_t j = 0; j < d; j++) w[j] = fabs(w[j]);
        sort_by = w;
        qsort(left, (size_t)n_left, sizeof *left, by_weight);
        for (int64_t k = 0; k < drop; k++)
            cblas_dsyr(CblasColMajor, CblasUpper, (int)n, -1.0 / (double)d, x + left[k] * n, 1, K,
                       (int)n);
        memmove(left, left + drop, sizeof *left * (size_t)(n_left - drop));
        n_left -= drop;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) K[j * n + i] = K[i * n + j];
        svm_solution a = ours(K, y, Cs, n, true, alpha, f, &seconds);
        warm_total += seconds;
        svm_solution b = ours(K, y, Cs, n, false, cold, f, &seconds);
        cold_total += seconds;
        worst = fmax(worst, fabs(a.dual - b.dual) / b.dual);
        if (step % 10 == 0) {
            fill_nodes(nodes, K, n);
            theirs_at(&q, K, C, eps, shrinking, &seconds);
            peer_total += seconds;
            peer_count++;
        }
    }
    printf("warm_ours %.9g\nwarm_cold %.9g\nwarm_libsvm %.9g\nwarm_difference %g\n",
           warm_total / count, cold_total / count, peer_total / peer_count, worst);
    free(x), free(y), free(K), free(Cs), free(alpha), free(cold), free(f), free(w), free(beta);
    free(left), free(q.x), free(nodes);
    return 0;
}
