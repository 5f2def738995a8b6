/* Bounds from a copy in one byte a number, against products of the numbers themselves. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "la/pass/byte_copy.h"

enum { N = 37, ROWS = 29, D = 133, OUTPUTS = 3 };

typedef struct trial {
    double x[N * D], shift[D], scale[D], U[ROWS * OUTPUTS], W[D * OUTPUTS], exact[D * OUTPUTS];
    int32_t rows[ROWS];
    double near[D], of_column[D];
    matrix m;
    view v;
    call c;
} trial;

static trial *trial_make(double whole) {
    trial *t = calloc(1, sizeof *t);
    pare_error err;
    rng r = rng_from(3);
    for (int64_t j = 0; j < D; j++) {
        double size = j % 11 == 0 ? 0 : pow(10, (double)(j % 9) - 4);
        for (int64_t i = 0; i < N; i++) t->x[j * N + i] = size * rng_normal(&r);
        t->shift[j] = 0.3 * size;
        t->scale[j] = j % 13 == 0 ? 0 : 1 + (double)(j % 5);
    }
    for (int64_t i = 0; i < N; i++) t->x[5 * N + i] = 4e-324 * (double)i; /* no step divides them */
    t->scale[5] = 1;
    t->shift[5] = 0;
    for (int64_t i = 0; i < ROWS; i++) t->rows[i] = (int32_t)(i * 36 / 28);
    for (int64_t e = 0; e < ROWS * OUTPUTS; e++)
        t->U[e] = rng_normal(&r) * pow(10, 3 * (double)(e / ROWS));
    t->m = mat_dense(N, D, t->x);
    t->v = view_all(&t->m);
    t->v.rows = t->rows;
    t->v.n = ROWS;
    t->v.shift = t->shift;
    t->v.scale = t->scale;
    assert_int_equal(call_begin(&t->c, NULL, &err), PARE_OK);
    call_reads(&t->c, whole, 1);
    return t;
}

static void trial_free(trial *t) {
    call_end(&t->c);
    free(t);
}

static void products_lie_in_their_bounds(void **state) {
    (void)state;
    trial *t = trial_make(1e9);
    pare_error err;
    byte_copy copy;
    for (int threads = 1; threads <= 4; threads += 3) {
        t->c.ctx.threads = threads;
        assert_int_equal(byte_copy_open(&copy, &t->v, OUTPUTS, &t->c.ctx, &err), PARE_OK);
        assert_non_null(copy.value);
        assert_int_equal(byte_copy_fill(&copy, &t->v, t->U, OUTPUTS, t->W, &t->c.ctx, &err),
                         PARE_OK);
        assert_int_equal(mat_tmul(&t->v, t->U, OUTPUTS, t->exact, NULL, &err), PARE_OK);
        assert_memory_equal(t->W, t->exact, sizeof t->W);
        for (int64_t o = 0; o < OUTPUTS; o++) {
            double error = byte_copy_error(&copy, t->U + o * ROWS);
            double bound = 0, size = 0;
            byte_copy_tmul(&copy, t->U + o * ROWS, t->near, &t->c.ctx);
            for (int64_t j = 0; j < D; j++) {
                double off = fabs(t->near[j] - t->exact[o * D + j]);
                assert_true(off <= copy.step[j] * error);
                bound += copy.step[j] * error;
                size += fabs(t->exact[o * D + j]);
            }
            assert_true(bound < 0.1 * size);
        }
        byte_copy_free(&copy, &t->c.ctx);
    }
    trial_free(t);
}

static void columns_move_and_leave(void **state) {
    (void)state;
    trial *t = trial_make(1e9);
    pare_error err;
    byte_copy copy;
    assert_int_equal(byte_copy_open(&copy, &t->v, 1, &t->c.ctx, &err), PARE_OK);
    assert_int_equal(byte_copy_fill(&copy, &t->v, t->U, 1, t->W, &t->c.ctx, &err), PARE_OK);
    byte_copy_tmul(&copy, t->U, t->of_column, &t->c.ctx);
    double held = t->c.reads->reserved;
    for (int64_t j = 0; j < D / 3; j++) byte_copy_move(&copy, 3 * j, j);
    byte_copy_cut(&copy, D / 3, &t->c.ctx);
    assert_true(t->c.reads->reserved < 0.4 * held);
    byte_copy_tmul(&copy, t->U, t->near, &t->c.ctx);
    for (int64_t j = 0; j < D / 3; j++) assert_true(t->near[j] == t->of_column[3 * j]);
    byte_copy_free(&copy, &t->c.ctx);
    assert_true(t->c.reads->reserved == 0);
    trial_free(t);
}

/* Whether there is a copy. */
static bool opens(trial *t, const view *v, int64_t c) {
    pare_error err;
    byte_copy copy;
    assert_int_equal(byte_copy_open(&copy, v, c, &t->c.ctx, &err), PARE_OK);
    bool open = copy.value;
    byte_copy_free(&copy, &t->c.ctx);
    return open;
}

static void a_copy_needs_memory_and_plain_columns(void **state) {
    (void)state;
    trial *t = trial_make(1e9);
    assert_true(opens(t, &t->v, 1));
    assert_false(opens(t, &t->v, 5));
    t->c.ctx.memory_bytes = 6 * 1000; /* a sixth is less than the copy */
    assert_false(opens(t, &t->v, 1));
    assert_true(t->c.reads->reserved == 0);
    trial_free(t);
    t = trial_make(1e6); /* stays in a cache */
    assert_false(opens(t, &t->v, 1));
    trial_free(t);
}

TEST_FILE(test_byte_copy) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_lie_in_their_bounds),
                                       cmocka_unit_test(columns_move_and_leave),
                                       cmocka_unit_test(a_copy_needs_memory_and_plain_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
