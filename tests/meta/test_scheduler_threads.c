/* Products of fits that run at the same time have the bits of unshared products, whatever the
 * batch, and X is read less often than products are requested. X'u is a sum in the order of the
 * rows, to the bit. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "la/matrix.h"
#include "select/jobs.h"

enum { N = 201, D = 40001, JOBS = 14, ROUNDS = 3 };

typedef struct job_case {
    view v;
    int32_t rows[2 * N];
    int64_t *cols, c;
    bool squared;
    double *shift, *scale, *U, *out;
} job_case;

/* Some rows (in any order, some twice), some columns, scaled; one in five requests nothing. */
static void draw(job_case *k, rng *r, const matrix *x, int64_t number) {
    *k = (job_case){.v = view_all(x), .c = 1 + number % 3, .squared = number % 4 == 1};
    k->v.n = 20 + (int64_t)(rng_uniform(r) * 1.7 * N);
    for (int64_t i = 0; i < k->v.n; i++) k->rows[i] = (int32_t)(rng_uniform(r) * N);
    if (number % 3 > 0) k->v.rows = k->rows;
    if (number % 3 == 0) k->v.n = N;
    k->cols = calloc(D, sizeof *k->cols);
    assert_non_null(k->cols);
    if (number % 2 == 0) {
        k->v.d = 0;
        for (int64_t j = 0; j < D; j++)
            if (rng_uniform(r) < 0.4) k->cols[k->v.d++] = j;
        k->v.cols = k->cols;
    }
    k->v.shift = k->shift = random_normal(r, D, 1);
    k->v.scale = k->scale = random_normal(r, D, 1);
    k->U = random_normal(r, k->v.n, k->c);
    k->out = calloc((size_t)(D * k->c), sizeof *k->out);
    assert_non_null(k->out);
}

static void undraw(job_case *k) {
    free(k->cols);
    free(k->shift);
    free(k->scale);
    free(k->U);
    free(k->out);
}

static pare_status request(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    job_case *k = (job_case *)user + job;
    pare_status status = PARE_OK;
    for (int round = 0; round < ROUNDS && job % 5 != 4 && status == PARE_OK; round++)
        status = (k->squared ? mat_tmul2 : mat_tmul)(&k->v, k->U, k->c, k->out, ctx, err);
    return status;
}

static double asked_bytes(const job_case *k, const matrix *x) {
    double columns = 0;
    for (int64_t j = 0; j < JOBS; j++) columns += j % 5 != 4 ? (double)(ROUNDS * k[j].v.d) : 0;
    return columns * mat_bytes(x) / D;
}

static void check_batches(rng *r, const matrix *of) {
    const matrix x = *of;
    static job_case job[JOBS];
    double *unshared[JOBS];
    for (int64_t k = 0; k < JOBS; k++) {
        draw(&job[k], r, &x, k);
        assert_int_equal(request(job, k, NULL, NULL), PARE_OK);
        size_t bytes = (size_t)(D * job[k].c) * sizeof(double);
        unshared[k] = malloc(bytes);
        assert_non_null(unshared[k]);
        memcpy(unshared[k], job[k].out, bytes);
    }
    for (int concurrent = 2; concurrent <= 7; concurrent += 5) {
        pare_ctx ctx;
        call c;
        interruption stopped;
        pare_ctx_init(&ctx);
        ctx.threads = 2;
        assert_int_equal(call_begin(&c, &ctx, NULL), PARE_OK);
        for (int64_t k = 0; k < JOBS; k++)
            memset(job[k].out, 0, (size_t)(D * job[k].c) * sizeof(double));
        job_list list = {.count = JOBS,
                         .run = request,
                         .user = job,
                         .stage = "",
                         .x = &x,
                         .n_concurrent = concurrent};
        assert_int_equal(jobs_run(&list, &stopped, &c.ctx, NULL), PARE_OK);
        for (int64_t k = 0; k < JOBS; k++)
            assert_memory_equal(job[k].out, unshared[k], (size_t)(D * job[k].c) * sizeof(double));
        if (concurrent > 2) assert_true(c.own.bytes < 0.75 * asked_bytes(job, &x));
        call_end(&c);
    }
    for (int64_t k = 0; k < JOBS; k++) {
        undraw(&job[k]);
        free(unshared[k]);
    }
}

static void test_batches(void **state) {
    (void)state;
    rng r;
    pare_error err;
    rng_seed(&r, 5, 0);
    double *value = random_normal(&r, N, D);
    float *single = malloc(sizeof *single * N * D);
    assert_non_null(single);
    for (int64_t e = 0; e < (int64_t)N * D; e++) single[e] = (float)value[e];
    matrix x = mat_dense(N, D, value), floats;
    assert_int_equal(mat_float32_own(&floats, N, D, single, ctx_allocator(NULL), &err), PARE_OK);
    check_batches(&r, &x);
    check_batches(&r, &floats); /* not in memory as doubles */
    mat_free(&floats, NULL);
    free(value);
}

/* The definition, in the order that it is written in. */
static double in_order(const double *x, const view *v, int64_t j, const double *u, bool squared) {
    int64_t base = v->cols ? v->cols[j] : j;
    double sum = 0, shift = v->shift ? v->shift[base] : 0, scale = v->scale ? v->scale[base] : 1;
    for (int64_t i = 0; i < v->n; i++) {
        double own = x[base * v->x->n + (v->rows ? v->rows[i] : i)] - shift;
        sum += squared ? own * own * u[i] : own * u[i];
    }
    return (squared ? scale * scale : scale) * sum;
}

static void test_order(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 3, 4, 7, 64, 1024, 1025, 2500};
    rng r;
    rng_seed(&r, 6, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int what = 0; what < 4; what++) {
            enum { COLS = 37 };
            int64_t n = sizes[s], cols[COLS];
            double *value = random_normal(&r, n, COLS), *shift = random_normal(&r, COLS, 1);
            double *u = random_normal(&r, n, 1), out[COLS];
            int32_t *rows = calloc((size_t)n, sizeof *rows);
            assert_non_null(rows);
            matrix x = mat_dense(n, COLS, value);
            view v = view_all(&x);
            v.shift = v.scale = shift;
            for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)(rng_uniform(&r) * (double)n);
            for (int64_t j = 0; j < COLS; j++) cols[j] = COLS - 1 - j;
            if (what & 1) v.rows = rows;
            if (what & 2) v.cols = cols;
            for (int squared = 0; squared < 2; squared++) {
                assert_int_equal((squared ? mat_tmul2 : mat_tmul)(&v, u, 1, out, NULL, NULL),
                                 PARE_OK);
                for (int64_t j = 0; j < COLS; j++)
                    assert_true(out[j] == in_order(value, &v, j, u, squared));
            }
            free(value);
            free(shift);
            free(u);
            free(rows);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
