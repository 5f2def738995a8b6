/* A time limit that strikes after columns were added to a linear program: what it returns is the last
 * solution, wherever the program's memory has moved since. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "solve/lp/l1_program.h"

enum { N = 60, D = 400, HEADER = 16 };

/* Every resize moves the block and spoils the old one; the one numbered `strike` ends the time. */
typedef struct mover {
    int64_t resizes, strike;
    call *running;
} mover;

static void *move_alloc(void *user, size_t bytes) {
    (void)user;
    char *block = malloc(bytes + HEADER);
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + HEADER;
}

static void move_release(void *user, void *block) {
    (void)user;
    if (block) free((char *)block - HEADER);
}

static void *move_resize(void *user, void *block, size_t bytes) {
    mover *m = user;
    if (m->strike > 0 && ++m->resizes == m->strike) m->running->deadline_s = 1e-300;
    char *now = move_alloc(user, bytes);
    if (!now || !block) return now;
    size_t before;
    memcpy(&before, (char *)block - HEADER, sizeof before);
    memcpy(now, block, before < bytes ? before : bytes);
    memset(block, 0xff, before);
    move_release(user, block);
    return now;
}

static void test_weights_outlive_added_columns(void **state) {
    (void)state;
    rng r = rng_from(7);
    double *x = random_normal(&r, N, D), y[N], s[N], cost[D];
    matrix dense = mat_dense(N, D, x);
    view all = view_all(&dense);
    for (int64_t i = 0; i < N; i++) {
        y[i] = x[i] + x[N + i] > 0 ? 1 : -1;
        s[i] = 1.0 / N;
    }
    for (int64_t j = 0; j < D; j++) cost[j] = 0.001;
    int interrupted = 0;
    for (int64_t strike = 1; strike <= 12; strike++) {
        call running;
        assert_int_equal(call_begin(&running, NULL, NULL), PARE_OK);
        mover m = {0, 0, &running};
        running.ctx.allocator = (pare_allocator){move_alloc, move_resize, move_release, &m};
        l1_spec spec = {L1_MARGIN, &all, y, cost, s, true, 0, NULL, NULL};
        l1_program *program;
        l1_solution found;
        pare_error err;
        assert_int_equal(l1_create(&program, &spec, &running.ctx, &err), PARE_OK);
        m.strike = strike;
        assert_int_equal(l1_solve(program, &found, &running.ctx, &err), PARE_OK);
        if (found.outcome == PARE_TIME_LIMIT && !isnan(found.objective)) {
            interrupted++;
            assert_true(found.objective <= 1 + 1e-9); /* that of the empty model */
            assert_true(found.bound <= found.objective);
            for (int64_t k = 0; k < found.n_weight; k++)
                assert_true(found.weight[k].feature >= 0 && found.weight[k].feature < D &&
                            isfinite(found.weight[k].value));
        }
        l1_free(program);
        call_end(&running);
    }
    assert_true(interrupted > 0);
    free(x);
}

TEST_FILE(test_lp_interrupted) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights_outlive_added_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
