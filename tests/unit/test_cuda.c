/* The operations on a GPU, on a driver that runs the kernels on the processor (tests/fake_cuda):
 * against plain loops, to the bit against the processor where sums run down a column, in blocks, from
 * many threads, and every failure. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "la/device.h"
#include "la/kind/cuda/cuda_device.h"
#include "support/views.h"

enum { N = 37, D = 300 };

static void fake(const char *words) { assert_int_equal(setenv("PARE_FAKE_CUDA", words, 1), 0); }

/* A call on the device. */
static void begin(call *c, const matrix *x) {
    pare_ctx ctx;
    pare_error err;
    pare_ctx_init(&ctx);
    ctx.device = PARE_DEVICE_CUDA;
    assert_int_equal(call_begin(c, &ctx, NULL), PARE_OK);
    if (device_begin(c, x, &err) != PARE_OK) fail_msg("%s", err.message);
    assert_non_null(c->device);
}

static void end(call *c) {
    device_end(c);
    call_end(c);
}

/* ---- against loops ---- */

static void check_sizes(rng *r, int64_t n, int64_t d, double missing, int what, bool blocks) {
    sample s = sample_dense(r, n, d, missing);
    call c;
    begin(&c, &s.x);
    assert_true(blocks == !c.device->x);
    check_operations(r, &s, what, &c.ctx);
    assert_true(d == 0 || c.device->launches > 1);
    end(&c);
    sample_free(&s);
}

static void test_operations(void **state) {
    (void)state;
    rng r = rng_from(1);
    fake("");
    for (int what = 0; what < VIEW_KINDS; what++) {
        check_sizes(&r, 17, 40, 0, what, false);
        check_sizes(&r, 17, 40, 0.2, what, false);
        check_sizes(&r, 1, 9, 0.5, what, false);
        check_sizes(&r, 30, 1, 0.1, what, false);
    }
    check_sizes(&r, 9, 0, 0, 0, false);
    check_sizes(&r, 6, 10000, 0.01, VIEW_ROWS | VIEW_SHIFT | VIEW_SCALE, false);
    check_sizes(&r, 150, 600, 0, VIEW_COLS, false);
}

/* X does not fit: it goes in blocks, whose size changes nothing. */
static void test_blocks(void **state) {
    (void)state;
    rng r = rng_from(2);
    fake("memory=2000000");
    for (int what = 0; what < VIEW_KINDS; what += 7) check_sizes(&r, 9, 20000, 0.1, what, true);
}

/* ---- to the bit ---- */

typedef struct results {
    double product[D * 4], squares[D * 2], F[N * 3], K[N * N];
    double median[D], spread[D];
    col_stats stats[D], fit[D];
} results;

static void compute(results *out, const view *v, const view *raw, const double *U, const double *W,
                    const pare_ctx *ctx) {
    memset(out, 0, sizeof *out);
    asinh_fit fit = {out->median, out->spread, out->fit, {0}};
    assert_int_equal(mat_tmul(v, U, 4, out->product, ctx, NULL), PARE_OK);
    assert_int_equal(mat_tmul2(v, U, 2, out->squares, ctx, NULL), PARE_OK);
    assert_int_equal(mat_mul(v, NULL, v->d, W, 3, out->F, ctx, NULL), PARE_OK);
    assert_int_equal(mat_gram(v, NULL, NULL, out->K, ctx, NULL), PARE_OK);
    assert_int_equal(mat_stats(raw, NULL, out->stats, ctx, NULL), PARE_OK);
    memcpy(out->fit, out->stats, sizeof out->fit);
    assert_int_equal(mat_asinh_fit_many(1, raw, 1.35, &fit, ctx, NULL), PARE_OK);
}

static void close_to(const double *a, const double *b, int64_t count) {
    double size = 0;
    for (int64_t e = 0; e < count; e++) size += fabs(b[e]) / (double)count;
    for (int64_t e = 0; e < count; e++) assert_true(fabs(a[e] - b[e]) <= 1e-12 * size);
}

static void compare(const view *v, const view *raw, const matrix *x, rng *r) {
    double *U = random_normal(r, N, 4), *W = random_normal(r, D, 3);
    results *cpu = malloc(sizeof *cpu), *gpu = malloc(sizeof *gpu);
    call c;
    assert_true(cpu && gpu);
    compute(cpu, v, raw, U, W, NULL);
    begin(&c, x);
    double before = c.device->launches;
    compute(gpu, v, raw, U, W, &c.ctx);
    assert_true(c.device->launches > before + 6); /* none stayed on the processor */
    end(&c);
    assert_memory_equal(cpu->product, gpu->product, sizeof cpu->product);
    assert_memory_equal(cpu->squares, gpu->squares, sizeof cpu->squares);
    assert_memory_equal(cpu->stats, gpu->stats, sizeof cpu->stats);
    assert_memory_equal(cpu->median, gpu->median, sizeof cpu->median);
    assert_memory_equal(cpu->spread, gpu->spread, sizeof cpu->spread);
    assert_memory_equal(cpu->fit, gpu->fit, sizeof cpu->fit);
    close_to(gpu->F, cpu->F, N * 3);
    close_to(gpu->K, cpu->K, (int64_t)N * N);
    free(cpu);
    free(gpu);
    free(U);
    free(W);
}

/* Raw, with row factors, through asinh, and of some rows: each chain of matrices. */
static void test_bits(void **state) {
    (void)state;
    rng r = rng_from(3);
    double *x = random_normal(&r, 2 * N, D), row[N], col[D], median[D], spread[D], shift[D],
           scale[D];
    int32_t rows[N];
    fake("");
    for (int64_t j = 0; j < D; j++) {
        col[j] = 1 + rng_uniform(&r);
        median[j] = rng_normal(&r);
        spread[j] = j % 5 ? 1 + rng_uniform(&r) : 0;
        shift[j] = rng_normal(&r) / 8;
        scale[j] = 1 + rng_uniform(&r);
        for (int64_t i = 0; j % 7 == 0 && i < 2 * N; i++)
            x[j * 2 * N + i] = j % 2 ? 3 : (double)(i % 2);
    }
    for (int32_t i = 0; i < N; i++) {
        row[i] = 1 + rng_uniform(&r);
        rows[i] = (int32_t)rng_below(&r, 2 * N);
    }
    matrix base = mat_dense(2 * N, D, x), some, top;
    assert_int_equal(mat_rows(&some, &base, false, rows, N, ctx_allocator(NULL), NULL), PARE_OK);
    row_scaling by = {&some, row, col};
    matrix scaled = mat_row_scaled(&by);
    asinh_view bent = {&scaled, median, spread};
    top = mat_asinh(&bent);
    const matrix *chains[] = {&some, &scaled, &top};
    for (int k = 0; k < 3; k++) {
        view v = view_all(chains[k]), raw = view_all(k == 0 ? &base : &scaled);
        if (k == 0) {
            raw.rows = rows;
            raw.n = N;
        }
        v.shift = shift;
        v.scale = scale;
        compare(&v, &raw, &base, &r);
    }
    mat_free(&some, ctx_allocator(NULL));
    free(x);
}

/* ---- threads ---- */

static void test_threads(void **state) {
    (void)state;
    enum { CALLS = 24 };
    rng r = rng_from(4);
    sample s = sample_dense(&r, N, D, 0);
    double *U = random_normal(&r, N, CALLS), one[D], K[N * N];
    double *many = malloc(sizeof *many * CALLS * D), *grams = malloc(sizeof K * CALLS);
    view v = view_all(&s.x);
    call c;
    fake("");
    begin(&c, &s.x);
    assert_true(many && grams);
#pragma omp parallel for num_threads(8)
    for (int k = 0; k < CALLS; k++) {
        call own;
        call_part(&own, &c.ctx);
        pare_status status = mat_tmul(&v, U + k * N, 1, many + k * D, &own.ctx, NULL);
        if (status == PARE_OK) status = mat_gram(&v, NULL, NULL, grams + k * N * N, &own.ctx, NULL);
        if (status != PARE_OK) many[(int64_t)k * D] = NAN;
        call_part_end(&own);
    }
    assert_int_equal(mat_gram(&v, NULL, NULL, K, &c.ctx, NULL), PARE_OK);
    for (int k = 0; k < CALLS; k++) {
        assert_int_equal(mat_tmul(&v, U + k * N, 1, one, &c.ctx, NULL), PARE_OK);
        assert_memory_equal(one, many + k * D, sizeof one);
        assert_memory_equal(K, grams + k * N * N, sizeof K);
    }
    end(&c);
    free(many);
    free(grams);
    free(U);
    sample_free(&s);
}

/* ---- failures ---- */

static void refuses(const char *words, pare_status wanted, const char *text) {
    rng r = rng_from(5);
    sample s = sample_dense(&r, N, D, 0);
    pare_ctx ctx;
    pare_error err = {0};
    call c;
    fake(words);
    pare_ctx_init(&ctx);
    ctx.device = PARE_DEVICE_CUDA;
    assert_int_equal(call_begin(&c, &ctx, NULL), PARE_OK);
    assert_int_equal(device_begin(&c, &s.x, &err), wanted);
    if (!strstr(err.message, text)) fail_msg("%s", err.message);
    assert_string_equal(err.setting, "device");
    end(&c);
    sample_free(&s);
}

static void test_refusals(void **state) {
    (void)state;
    refuses("no-device", PARE_E_DEVICE, "no GPU");
    refuses("old-driver", PARE_E_DEVICE, "CUDA 10.2");
    refuses("old-device", PARE_E_DEVICE, "7.5");
    refuses("launch=1", PARE_E_DEVICE, "CUDA_ERROR_LAUNCH_FAILED");
}

/* At every launch until there is none left: an error, and from then on the same one. */
static void test_lost(void **state) {
    (void)state;
    enum { FIRST = 2, LAST = 12 }; /* launch 1 copies X */
    rng r = rng_from(6);
    sample s = sample_dense(&r, N, D, 0);
    double *U = random_normal(&r, N, 1), out[D], K[N * N];
    view v = view_all(&s.x);
    int lost = 0, lost_first = 0;
    for (int at = FIRST; at <= LAST; at++) {
        call c;
        char words[32];
        pare_error err;
        snprintf(words, sizeof words, "launch=%d", at);
        fake(words);
        begin(&c, &s.x);
        for (int64_t j = 0; j < D; j++) out[j] = 7;
        pare_status first = mat_gram(&v, NULL, NULL, K, &c.ctx, &err);
        pare_status second = mat_tmul(&v, U, 1, out, &c.ctx, &err);
        lost_first += first != PARE_OK;
        lost += second != PARE_OK;
        if (first != PARE_OK) assert_int_equal(second, PARE_E_DEVICE);
        for (int64_t j = 0; second != PARE_OK && j < D; j++) assert_true(out[j] == 7);
        end(&c);
    }
    assert_int_equal(lost_first, 3); /* its kernels: tile, gram, add */
    assert_int_equal(lost, 4);
    free(U);
    sample_free(&s);
}

/* Less memory than one unit of columns needs. */
static void test_memory(void **state) {
    (void)state;
    rng r = rng_from(7);
    sample s = sample_dense(&r, 400, 5000, 0);
    double *U = random_normal(&r, 400, 1), *K = malloc(sizeof *K * 400 * 400);
    view v = view_all(&s.x);
    pare_error err;
    call c;
    fake("memory=200000");
    begin(&c, &s.x);
    assert_true(!c.device->x);
    assert_int_equal(mat_gram(&v, NULL, NULL, K, &c.ctx, &err), PARE_E_MEMORY);
    assert_non_null(strstr(err.message, "not enough memory"));
    end(&c);
    free(K);
    free(U);
    sample_free(&s);
}

/* Sparse data stay on the processor, which is logged. */
static void note(void *user, pare_log_level level, const char *message) {
    if (level == PARE_LOG_WARNING && strstr(message, "sparse")) ++*(int *)user;
}

static void test_stays(void **state) {
    (void)state;
    rng r = rng_from(8);
    sample s = sample_sparse(&r, N, D, 0.1, 0);
    int warned = 0;
    pare_ctx ctx;
    call c;
    fake("");
    pare_ctx_init(&ctx);
    ctx.device = PARE_DEVICE_CUDA;
    ctx.log = note;
    ctx.user = &warned;
    assert_int_equal(call_begin(&c, &ctx, NULL), PARE_OK);
    assert_int_equal(device_begin(&c, &s.x, NULL), PARE_OK);
    assert_null(c.device);
    assert_int_equal(warned, 1);
    end(&c);
    sample_free(&s);
}

TEST_FILE(test_cuda) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_bits),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_lost),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
