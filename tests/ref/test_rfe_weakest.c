/* The weakest features while U wanders, against all weights anew at every question. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "method/svm/rfe_weakest.h"

enum { N = 12, D = 700, CONSTANT = 20, OUTPUTS = 3 };

typedef struct trial {
    double x[N * D], U[N * OUTPUTS];
    double backward[N * D], old[D];
    bool gone[D];
    int64_t out[D], cols[D];
    call c; /* copies may be had in it */
} trial;

static double weight(const trial *t, int64_t c, int64_t p) {
    double sum = 0;
    for (int64_t o = 0; o < c; o++) {
        double w = 0;
        for (int64_t i = 0; i < N; i++) w += t->x[p * N + i] * t->U[o * N + i];
        sum += w * w;
    }
    return sqrt(sum);
}

/* Whether what left is what should have: none that stays is lighter, of two equal columns the later
 * one leaves first, and if in order the weights ascend. */
static void check_taken(trial *t, int64_t c, int64_t count, bool in_order) {
    double last = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t p = t->out[k];
        assert_true(p >= 0 && p < D && !t->gone[p]);
        double w = weight(t, c, p);
        assert_true(!in_order || w >= last - 1e-12);
        last = fmax(last, w);
        t->gone[p] = true;
        if (in_order && p % 7 == 0 && p + 1 < D) assert_true(t->gone[p + 1]);
    }
    for (int64_t p = 0; p + 1 < D; p += 7) assert_true(!t->gone[p] || t->gone[p + 1]);
    for (int64_t p = 0; p < D; p++)
        if (!t->gone[p]) assert_true(weight(t, c, p) >= last - 1e-12);
}

static void weakest_leave(bool copied, bool in_order) {
    trial *t = calloc(1, sizeof *t);
    pare_error err;
    assert_int_equal(call_begin(&t->c, NULL, &err), PARE_OK);
    if (copied) call_reads(&t->c, 1e9, 1);
    rng r = rng_from(7);
    const double steps[] = {1e-4, 1e-2, 1};
    const int64_t counts[] = {1, 300, 4, 60};
    for (int k = 0; k < 12; k++) {
        int64_t c = k % 2 ? OUTPUTS : 1, left = D, gone;
        for (int64_t i = 0; i < N * D; i++) t->x[i] = i / N < CONSTANT ? 0 : rng_normal(&r);
        for (int64_t p = 0; p + 1 < D; p += 7) /* duplicates */
            for (int64_t i = 0; i < N; i++) t->x[(p + 1) * N + i] = t->x[p * N + i];
        for (int64_t i = 0; i < N * c; i++) t->U[i] = rng_normal(&r);
        for (int64_t p = 0; p < D; p++) t->gone[p] = false;
        for (int64_t p = 0; p < D; p++) {
            t->cols[p] = D - 1 - p;
            for (int64_t i = 0; i < N; i++) t->backward[(D - 1 - p) * N + i] = t->x[p * N + i];
        }
        bool other = k >= 6; /* the same columns through a view that has its own order */
        matrix m = mat_dense(N, D, other ? t->backward : t->x);
        view v = view_all(&m);
        if (other) v.cols = t->cols;
        rfe_weakest w;
        arena mem;
        const pare_ctx *ctx = &t->c.ctx;
        arena_init(&mem, ctx_allocator(NULL));
        assert_int_equal(rfe_weakest_init(&w, &mem, &v, c, NULL, t->old, 0, ctx, &err), PARE_OK);
        gone = rfe_weakest_constant(&w, D, t->out);
        assert_int_equal(gone, CONSTANT);
        check_taken(t, c, gone, true);
        for (left -= gone; left > 0;) {
            int64_t count = counts[k % 4] < left ? counts[k % 4] : left;
            assert_int_equal(rfe_weakest_take(&w, t->U, count, in_order, t->out, ctx, &err),
                             PARE_OK);
            bool many = w.unsorted;
            if (in_order) rfe_weakest_sort(&w, count, t->out);
            for (int64_t i = 1; many && !in_order && i < count; i++)
                assert_true(t->out[i - 1] < t->out[i]);
            check_taken(t, c, count, in_order);
            assert_int_equal(w.copy.value != NULL, copied && many);
            left -= count;
            assert_int_equal(w.n_active, left);
            const int64_t *active = left % 8 ? NULL : rfe_weakest_active(&w);
            for (int64_t p = 0, at = 0; active && p < D; p++)
                if (!t->gone[p]) assert_int_equal(active[at++], p);
            for (int64_t i = 0; i < N * c; i++)
                t->U[i] = (left / 60 % 2 ? 1.25 : 0.8) * t->U[i] + steps[k % 3] * rng_normal(&r);
        }
        rfe_weakest_end(&w, ctx);
        assert_true(t->c.reads->reserved == 0);
        arena_free(&mem);
    }
    call_end(&t->c);
    free(t);
}

static void the_weakest_leave(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) weakest_leave(k / 2, k % 2);
}

TEST_FILE(test_rfe_weakest) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_weakest_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
