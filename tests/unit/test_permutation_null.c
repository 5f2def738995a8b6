/* p-values of the permutation test from means written by hand: of each method, of the best of
 * several, and the least that so many permutations can give. */
#include "select/outcome.h"

#include <math.h>
#include <string.h>

#include "support/support.h"

enum { METHODS = 3, SIZES = 1, ROUNDS = 4 };

typedef struct made {
    pare_path p;
    path_run run[METHODS];
    path_point point[METHODS][SIZES];
} made;

/* The means at the only size, which each method chose. */
static void make(made *of, const double *mean, int64_t methods, bool higher) {
    memset(of, 0, sizeof *of);
    of->p.setup.n_methods = methods;
    of->p.setup.n_sizes = SIZES;
    of->p.setup.higher = higher;
    of->p.n_null_done = ROUNDS;
    of->p.run = of->run;
    for (int64_t m = 0; m < methods; m++) {
        of->run[m].point = of->point[m];
        of->run[m].mean = mean[m];
        of->point[m][0].metric[0].mean = mean[m];
    }
}

static void judge(made *of, const double *permuted) {
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    assert_int_equal(outcome_null(&of->p, permuted, permuted, &ctx, &err), PARE_OK);
}

/* The best method, 0.9, is reached by the best of permutation 2 (by another method) alone. */
static void of_the_best_method(void **state) {
    (void)state;
    static const double mean[] = {0.7, 0.9, 0.6},
                        permuted[ROUNDS * METHODS] = {0.5, 0.4, 0.6,  0.95, 0.5, 0.3,
                                                      0.4, 0.6, 0.65, 0.7,  NAN, 0.2};
    made of;
    make(&of, mean, METHODS, true);
    judge(&of, permuted);
    assert_true(of.run[0].null.p == 3.0 / 5); /* 0.95 and 0.7 */
    assert_true(of.run[1].null.p == 1.0 / 4); /* none of the three that are known */
    assert_true(of.run[1].null.least == 1.0 / 4 && of.run[1].null.count == 3);
    assert_true(of.run[2].null.p == 3.0 / 5); /* 0.6 and 0.65 */
    for (int m = 0; m < METHODS; m++) {
        assert_true(of.run[m].null.p_methods == 2.0 / 5);
        assert_true(isnan(of.run[m].point[0].null.p_methods));
    }
    assert_true(of.run[0].null.least == 1.0 / 5);
}

/* The same scores of three folds in two orders. */
static void equal_means_tie(void **state) {
    (void)state;
    double a = (0.1 + 0.2 + 0.3) / 3, b = (0.3 + 0.2 + 0.1) / 3, both[ROUNDS * METHODS];
    made of;
    assert_true(a > b);
    for (int i = 0; i < ROUNDS * METHODS; i++) both[i] = b;
    for (int higher = 0; higher < 2; higher++) {
        double own = higher ? a : b, mean[] = {own, own, own};
        for (int i = 0; i < ROUNDS * METHODS; i++) both[i] = higher ? b : a;
        make(&of, mean, METHODS, higher);
        judge(&of, both);
        assert_true(of.run[0].null.p == 1 && of.run[0].null.p_methods == 1);
    }
}

/* A loss: the lower the better. */
static void in_the_direction_of_the_metric(void **state) {
    (void)state;
    static const double mean[] = {3, 2}, permuted[ROUNDS * 2] = {4, 5, 2.5, 6, 9, 1.5, 7, 8};
    made of;
    make(&of, mean, 2, false);
    judge(&of, permuted);
    assert_true(of.run[0].null.p == 2.0 / 5);
    assert_true(of.run[1].null.p == 2.0 / 5);
    assert_true(of.run[0].null.p_methods == 2.0 / 5 && of.run[1].null.p_methods == 2.0 / 5);
}

static void one_method_needs_no_correction(void **state) {
    (void)state;
    static const double mean[] = {0.8}, permuted[ROUNDS] = {0.5, 0.6, 0.4, 0.5};
    made of;
    make(&of, mean, 1, true);
    judge(&of, permuted);
    assert_true(of.run[0].null.p == 0.2 && of.run[0].null.least == 0.2);
    assert_true(isnan(of.run[0].null.p_methods));
}

TEST_FILE(test_permutation_null) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_best_method), cmocka_unit_test(in_the_direction_of_the_metric),
        cmocka_unit_test(one_method_needs_no_correction), cmocka_unit_test(equal_means_tie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
