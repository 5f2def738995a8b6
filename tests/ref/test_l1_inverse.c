/* The basis inverse against M itself: M B = 1 after every exchange of a long random sequence, over
 * bases that grow, shrink and come near to singular. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

#include "solve/l1/l1_inverse.h"

enum { N = 40, D = 40, MOST = 41 };

typedef struct basis_case {
    double X[N * D]; /* row-major by features */
    int64_t E[MOST], S[MOST], m;
    l1_inverse q;
} basis_case;

static double entry(const basis_case *c, int64_t i, int64_t j) { return c->X[i * D + j]; }

/* |M B - 1| at most. */
static double error_of(const basis_case *c) {
    double worst = 0;
    for (int64_t e = 0; e < c->m; e++)
        for (int64_t f = 0; f < c->m; f++) {
            double sum = e == f ? -1 : 0;
            for (int64_t k = 0; k < c->m; k++)
                sum += entry(c, c->E[e], c->S[k]) * c->q.B[f * c->q.most + k];
            if (!(fabs(sum) <= worst)) worst = fabs(sum);
        }
    return worst;
}

static bool make(basis_case *c) {
    for (int64_t e = 0; e < c->m; e++)
        for (int64_t k = 0; k < c->m; k++) c->q.M[e * c->m + k] = entry(c, c->E[e], c->S[k]);
    return l1_inverse_make(&c->q, c->m);
}

static bool holds(const int64_t *list, int64_t count, int64_t item) {
    for (int64_t k = 0; k < count; k++)
        if (list[k] == item) return true;
    return false;
}

static int64_t outside(rng *r, const int64_t *list, int64_t count, int64_t total) {
    int64_t item;
    do item = rng_below(r, total);
    while (holds(list, count, item));
    return item;
}

/* One pivot of a random kind; false: it would be too small, and nothing was done. least: of the
 * largest entry of the edge. */
static bool pivot(basis_case *c, rng *r, double least) {
    double edge[MOST], level[MOST], given[MOST], rate;
    int64_t m = c->m, e = -1, k = -1, j = -1, i = -1;
    double sign = rng_below(r, 2) ? 1 : -1, largest = 0;
    if (m == D || (m > 0 && rng_below(r, 2))) e = rng_below(r, m);
    if (m > 0 && (rng_below(r, 2) || (m == N - 1 && e < 0))) k = rng_below(r, m);
    if (e < 0) j = outside(r, c->S, m, D);
    if (k < 0 && m == N) return false;
    if (k < 0) i = outside(r, c->E, m, N);
    for (int64_t t = 0; t < m; t++)
        given[t] = e < 0 ? -sign * entry(c, c->E[t], j) : t == e ? -sign : 0;
    l1_inverse_apply(&c->q, false, given, edge);
    if (k >= 0) {
        l1_inverse_row(&c->q, k, level);
        rate = edge[k];
    } else {
        for (int64_t t = 0; t < m; t++) given[t] = -entry(c, i, c->S[t]);
        l1_inverse_apply(&c->q, true, given, level);
        rate = e < 0 ? -sign * entry(c, i, j) : 0;
        for (int64_t t = 0; t < m; t++) rate -= entry(c, i, c->S[t]) * edge[t];
    }
    for (int64_t t = 0; t < m; t++) largest = fmax(largest, fabs(edge[t]));
    if (!(fabs(rate) > least * fmax(largest, 1))) return false;
    l1_inverse_exchange(&c->q, e, k, sign, edge, level, rate);
    if (e >= 0 && k >= 0) {
        c->m--;
        c->E[e] = c->E[c->m];
        c->S[k] = c->S[c->m];
        return true;
    }
    if (k < 0) c->E[e >= 0 ? e : m] = i;
    if (e < 0) c->S[k >= 0 ? k : m] = j;
    if (e < 0 && k < 0) c->m++;
    return true;
}

static void exchanges_keep_the_inverse(void **state) {
    (void)state;
    rng r = rng_from(81);
    for (int t = 0; t < 12; t++) {
        basis_case c = {.m = 0};
        arena mem;
        arena_init(&mem, ctx_allocator(NULL));
        assert_true(l1_inverse_init(&c.q, &mem, MOST));
        for (int64_t v = 0; v < N * D; v++) c.X[v] = rng_normal(&r);
        bool alike = t % 3 == 2; /* pairs of columns that differ by 1e-6 */
        for (int64_t v = 0; alike && v < N * D; v++)
            if (v % D % 2) c.X[v] = c.X[v - 1] + 1e-6 * c.X[v];
        assert_true(make(&c));
        int64_t done = 0, largest = 0;
        double worst = 0;
        for (int step = 0; step < 600; step++) {
            if (!pivot(&c, &r, 1e-3)) continue;
            if (++done % 100 == 0) {
                assert_true(make(&c));
                check_close(error_of(&c), 0, alike ? 1e-8 : 1e-11);
            }
            assert_int_equal(c.q.m, c.m);
            if (!(error_of(&c) <= worst)) worst = error_of(&c);
            if (c.m > largest) largest = c.m;
        }
        assert_true(done > 100 && largest > 3);
        check_close(worst, 0, alike ? 1e-5 : 1e-8);
        arena_free(&mem);
    }
}

static void a_singular_basis_is_told(void **state) {
    (void)state;
    rng r = rng_from(82);
    basis_case c = {.m = 6};
    arena mem;
    arena_init(&mem, ctx_allocator(NULL));
    assert_true(l1_inverse_init(&c.q, &mem, MOST));
    for (int64_t v = 0; v < N * D; v++) c.X[v] = rng_normal(&r);
    for (int64_t k = 0; k < c.m; k++) c.E[k] = c.S[k] = k;
    assert_true(make(&c));
    check_close(error_of(&c), 0, 1e-12);
    for (int64_t i = 0; i < N; i++) c.X[i * D + 3] = c.X[i * D + 1] - 2 * c.X[i * D + 5];
    assert_false(make(&c));
    for (int64_t i = 0; i < N; i++) c.X[i * D + 3] = 0;
    assert_false(make(&c));
    arena_free(&mem);
}

TEST_FILE(test_l1_inverse) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exchanges_keep_the_inverse),
                                       cmocka_unit_test(a_singular_basis_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
