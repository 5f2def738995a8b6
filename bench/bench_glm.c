/* Seconds of a path of penalised generalised linear models, for glm.py. Prints `key value` lines.
 *     bench_glm FILE N D C LOSS STORED TOL COUNT LEAST OUT
 * FILE: STORED 0: N x D doubles, column by column; else D + 1 int64 column starts, STORED int32 rows and
 * STORED doubles. Then N x C doubles: the target, the outputs of a sample together. LOSS: squared,
 * logistic, rows or cox (C 1: minus the time of each event, the time of a censored sample). OUT: a line `lambda objective gap features` for each point. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/context.h"
#include "base/process.h"
#include "method/glm/cox_score.h"
#include "solve/glm/glm.h"
#include "solve/glm/risk_sets.h"

static void *need(int64_t count, size_t size) {
    void *p = malloc((size_t)count * size);
    if (!p) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    return p;
}

static void check(pare_status status) {
    if (status == PARE_OK) return;
    fprintf(stderr, "failed: %s\n", pare_status_name(status));
    exit(1);
}

static void *take(FILE *file, int64_t count, size_t size) {
    void *p = need(count, size);
    if (fread(p, size, (size_t)count, file) == (size_t)count) return p;
    fprintf(stderr, "the file is too short\n");
    exit(1);
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* VmHWM: getrusage would count what the caller had before this program began. */
static double peak_bytes(void) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
    if (file) fclose(file);
    return 1024 * kilobytes;
}

typedef struct watcher {
    FILE *out;
    double passes, worst;
} watcher;

static pare_status see(void *user, const glm_point *p, bool *stop, pare_error *err) {
    watcher *w = user;
    (void)stop;
    (void)err;
    fprintf(w->out, "%.17g %.17g %.17g %lld\n", p->lambda, p->objective, p->gap,
            (long long)p->n_features);
    w->passes = p->passes;
    w->worst = fmax(w->worst, p->gap / p->objective);
    return PARE_OK;
}

/* The risk sets of times whose sign says whether they are events. */
static risk_sets *times(arena *mem, int64_t n, const double *y, double *time, int32_t *event) {
    risk_sets *r = need(1, sizeof *r);
    for (int64_t i = 0; i < n; i++) {
        time[i] = fabs(y[i]);
        event[i] = y[i] < 0;
    }
    check(risk_sets_open(r, mem, n, time, event, NULL, 1, NULL, false, NULL));
    return r;
}

/* Seconds of the score tests of all features, and of one pass of statistics. */
static void time_tests(const view *x, const risk_sets *r, double *time, int32_t *event) {
    target y = {.time = time, .event = event, .n_strata = 1};
    fit_job job = {.x = x, .y = &y};
    double *F = calloc((size_t)r->n, sizeof *F), *score = need(x->d, sizeof *score);
    col_stats *stats = need(x->d, sizeof *stats);
    if (!F) exit(1);
    double start = clock_now();
    check(mat_stats(x, NULL, stats, NULL, NULL));
    printf("stats %.6g\n", clock_now() - start);
    start = clock_now();
    check(cox_score_all(score, NULL, &job, "breslow", &(cox_beside){.F = F}, NULL, NULL));
    printf("score %.6g\n", clock_now() - start);
}

int main(int argc, char **argv) {
    if (argc != 11) {
        fprintf(stderr, "bench_glm FILE N D C LOSS STORED TOL COUNT LEAST OUT\n");
        return 2;
    }
    int64_t n = atoll(argv[2]), d = atoll(argv[3]), c = atoll(argv[4]), stored = atoll(argv[6]);
    int64_t count = atoll(argv[8]);
    FILE *file = fopen(argv[1], "rb");
    watcher w = {.out = fopen(argv[10], "w")};
    if (!file || !w.out) return 1;
    csc_arrays entries = {0};
    matrix x;
    if (stored > 0) {
        entries.col_ptr = take(file, d + 1, sizeof(int64_t));
        entries.row = take(file, stored, sizeof(int32_t));
        entries.value = take(file, stored, sizeof(double));
        x = mat_csc(n, d, &entries);
    } else {
        x = mat_dense(n, d, take(file, n * d, sizeof(double)));
    }
    double *y = take(file, n * c, sizeof(double)), *share = need(n, sizeof *share);
    double *lambda = need(count, sizeof *lambda), before = peak_bytes();
    fclose(file);
    openblas_set_num_threads(1);
    for (int64_t i = 0; i < n; i++) share[i] = 1 / (double)n;
    view v = view_all(&x);
    penalty pen;
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    bool squared = strcmp(argv[5], "squared") == 0, rows = strcmp(argv[5], "rows") == 0;
    bool cox = strcmp(argv[5], "cox") == 0;
    double *time = need(n, sizeof *time);
    int32_t *event = need(n, sizeof *event);
    check(penalty_open(&pen, &mem, d, c, 1, rows, NULL, 0, NULL, NULL));
    glm_problem p = {.x = &v,
                     .loss = {.kind = squared  ? &loss_squared
                                      : cox    ? &loss_cox
                                      : c == 1 ? &loss_logistic
                                               : &loss_softmax,
                              .n = n,
                              .c = c,
                              .y = y,
                              .share = share,
                              .risk = cox ? times(&mem, n, y, time, event) : NULL},
                     .penalty = &pen,
                     .intercept = !cox,
                     .tol_rel = atof(argv[7])};
    glm_solver *s;
    blas_hold(); /* as every call of the library does */
    double wall = clock_now(), cpu = processor_seconds();
    check(glm_open(&s, &p, NULL, NULL));
    for (int64_t i = 0; i < count; i++)
        lambda[i] = glm_lambda_max(s) * pow(atof(argv[9]), (double)i / (double)(count - 1));
    check(glm_run(s, lambda, count, see, &w, NULL));
    printf("seconds %.6g\n", clock_now() - wall);
    printf("processor %.6g\n", processor_seconds() - cpu);
    blas_let_go();
    printf("passes %.6g\n", w.passes);
    printf("gap %.6g\n", w.worst);
    printf("peak_over_before %.6g\n", peak_bytes() / before);
    if (cox) time_tests(&v, p.loss.risk, time, event);
    fclose(w.out);
    return 0;
}
