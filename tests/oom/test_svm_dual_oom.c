/* Every allocation of the SVM solver may fail: an error, nothing left behind. */
#include "support/svm_case.h"

typedef struct request {
    svm_case c;
    svm_problem p;
} request;

static pare_status solve(void *user, const pare_ctx *ctx) {
    request *q = user;
    svm_solution s = {.alpha = q->c.alpha, .f = q->c.f};
    return svm_dual_solve(&s, &q->p, ctx, NULL);
}

static void failing_allocations_are_reported(void **unused) {
    (void)unused;
    rng r = rng_from(1);
    for (int kind = 0; kind < SVM_KINDS; kind++) {
        request q = {.c = svm_case_new(&r, 40, 60, (svm_kind)kind, 1, 0.1, false)};
        q.p = svm_case_problem(&q.c, true, 1e-9);
        check_oom(solve, &q);
        svm_case_free(&q.c);
    }
}

TEST_FILE(test_svm_dual_oom) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(failing_allocations_are_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
