/* The linear programs under failing allocations (except CLP's own). */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "solve/lp/l1_program.h"

typedef struct work {
    view v;
    const double *y, *cost, *loss;
    l1_loss kind;
} work;

static pare_status solve_twice(void *user, const pare_ctx *ctx) {
    const work *w = user;
    l1_spec spec = {w->kind, &w->v, w->y, w->cost, w->loss, true, 0, NULL, NULL};
    l1_program *program = NULL;
    l1_solution s;
    pare_error err;
    pare_status status = l1_create(&program, &spec, ctx, &err);
    if (status != PARE_OK) {
        assert_null(program);
        return status;
    }
    status = l1_solve(program, &s, ctx, &err);
    if (status == PARE_OK) {
        l1_set_costs(program, w->cost, w->loss);
        status = l1_solve(program, &s, ctx, &err);
    }
    l1_free(program);
    return status;
}

/* A row added to a solved master. */
static pare_status add_row(void *user, const pare_ctx *ctx) {
    const work *w = user;
    double lo[2] = {1, 2}, hi[2] = {INFINITY, INFINITY};
    int64_t ptr[2] = {0, 0};
    int32_t sample[2] = {0, 1};
    lp_rows row = {.count = 1, .lo = lo, .hi = hi, .sample = sample, .core_ptr = ptr};
    lp_spec spec = {.x = &w->v, .cost = w->cost, .rows = row};
    lp_master *master = NULL;
    lp_result s;
    pare_error err;
    pare_status status = lp_create(&master, &spec, ctx, &err);
    if (status == PARE_OK) status = lp_solve(master, &s, ctx, &err);
    if (status == PARE_OK) {
        row.sample++;
        status = lp_add_rows(master, &row, ctx, &err);
    }
    if (status == PARE_OK) status = lp_solve(master, &s, ctx, &err);
    lp_free(master);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    enum { N = 12, D = 80 };
    rng r = rng_from(31);
    double *x = random_normal(&r, N, D), y[N], cost[D], loss[N];
    matrix m = mat_dense(N, D, x);
    work w = {view_all(&m), y, cost, loss, L1_MARGIN};
    for (int hard = 0; hard < 2; hard++) {
        for (int i = 0; i < N; i++) {
            y[i] = i % 2 ? 1 : -1;
            loss[i] = hard ? INFINITY : 1;
        }
        for (int j = 0; j < D; j++) cost[j] = 0.1;
        w.kind = L1_MARGIN;
        check_oom(solve_twice, &w);
        w.kind = L1_FIT;
        check_oom(solve_twice, &w);
    }
    check_oom(add_row, &w);
    free(x);
}

TEST_FILE(test_lp_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
