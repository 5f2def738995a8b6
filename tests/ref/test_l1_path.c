/* The lambda path against CLP on the full program: inside every segment, and that segments join. */
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>

#include "solve/l1_path.h"
#include "solve/least_error.h"

static double full_program(const regression *p, double mu, bool intercept) {
    double *cost = malloc(sizeof *cost * (size_t)p->d);
    assert_non_null(cost);
    for (int64_t j = 0; j < p->d; j++) cost[j] = mu;
    double value = regression_clp(p, cost, p->weight, intercept, NULL);
    free(cost);
    return value;
}

static void judge_segment(const regression *p, const l1_segment *s, bool intercept) {
    double w[200] = {0}, norm = 0;
    for (int64_t k = 0; k < s->n_weight; k++) {
        assert_true(s->weight[k].value != 0);
        assert_true(k == 0 || s->weight[k].feature > s->weight[k - 1].feature);
        w[s->weight[k].feature] = s->weight[k].value;
        norm += fabs(s->weight[k].value);
    }
    check_close(s->error, regression_error(p, w, s->b), 1e-9);
    check_close(s->norm, norm, 1e-9);
    if (!intercept) check_close(s->b, 0, 0);
    double mu = isinf(s->mu_high) ? 2 * s->mu_low + 1
                : s->mu_low > 0   ? sqrt(s->mu_low * s->mu_high)
                                  : s->mu_high / 2;
    if (mu < 1e-6) return; /* beyond what the reference can tell */
    check_close(s->error + mu * norm, full_program(p, mu, intercept), 1e-7);
}

static void every_segment_is_optimal(void **state) {
    (void)state;
    static const struct {
        int64_t n, d;
    } sizes[] = {{20, 5}, {10, 30}, {9, 9}, {1, 2}, {15, 60}, {4, 1}};
    rng r;
    rng_seed(&r, 71, 0);
    for (int s = 0; s < 6; s++)
        for (int kind = 0; kind < REG_KINDS; kind++) {
            regression p =
                regression_make(&r, sizes[s].n, sizes[s].d, (regression_kind)kind, kind % 2 == 1);
            bool intercept = rng_below(&r, 2);
            double ones[64];
            for (int64_t i = 0; i < p.n; i++) ones[i] = p.weight ? p.weight[i] : 1;
            matrix x = mat_dense(p.n, p.d, p.x);
            view all = view_all(&x);
            l1_path *path;
            l1_segment at = {0};
            pare_error err;
            assert_int_equal(l1_path_open(&path, &all, p.y, ones, intercept, 0, NULL, &err), PARE_OK);
            double low = INFINITY, norm = 0;
            int64_t segments = 0;
            while (!at.last) {
                assert_int_equal(l1_path_next(path, &at, NULL, &err), PARE_OK);
                if (!(at.mu_high == low && at.mu_low < at.mu_high)) fail_msg("size %d kind %d segment %lld: %g %g after %g last %d lost %d", s, kind, (long long)segments,
 at.mu_high, at.mu_low, low, at.last, at.lost);
                assert_true(at.norm >= norm);
                judge_segment(&p, &at, intercept);
                low = at.mu_low;
                norm = at.norm;
                segments++;
            }
            assert_int_equal(at.outcome, PARE_OPTIMAL);
            assert_true(!at.lost && low == 0 && segments >= 1);
            l1_path_free(path);

            least_error least;
            assert_int_equal(least_error_solve(&least, &all, p.y, ones, 0, intercept, NULL, &err),
                             PARE_OK);
            check_close(least.objective, full_program(&p, 0, intercept), 1e-7);
            least_error_free(&least);
            regression_free(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_segment_is_optimal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
