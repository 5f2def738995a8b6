/* What must not change an SVM's optimum, or change it in a known way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/svm_case.h"

/* Fresh problems of all kinds that do not end in a proof of inseparability. */
static svm_case next_case(rng *r, int trial) {
    return svm_case_new(r, 5 + rng_below(r, 40), 2 + rng_below(r, trial % 2 ? 8 : 90),
                        (svm_kind)(trial % SVM_KINDS), 1, trial % 3 == 0 ? 0.15 : 0,
                        trial % 5 == 0);
}

static svm_case copy_of(const svm_case *c) {
    svm_case out = svm_case_alloc(c->n, c->d);
    size_t n = (size_t)c->n;
    memcpy(out.x, c->x, sizeof(double) * n * (size_t)c->d);
    memcpy(out.K, c->K, sizeof(double) * n * n);
    memcpy(out.y, c->y, sizeof(double) * n);
    memcpy(out.C, c->C, sizeof(double) * n);
    memcpy(out.ridge, c->ridge, sizeof(double) * n);
    return out;
}

/* The n samples of c that order names, in that order. */
static svm_case rebuilt(const svm_case *c, const int64_t *order, int64_t n) {
    svm_case out = svm_case_alloc(n, c->d);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = order[i];
        memcpy(out.x + i * c->d, c->x + from * c->d, sizeof(double) * (size_t)c->d);
        out.y[i] = c->y[from];
        out.C[i] = c->C[from];
        out.ridge[i] = c->ridge[from];
    }
    svm_case_gram(&out);
    return out;
}

static svm_solution solved(svm_case *c, bool intercept) {
    svm_problem p = svm_case_problem(c, intercept, 1e-9);
    svm_solution s = svm_case_solve(c, &p);
    svm_case_check(c, &p, &s, 3);
    return s;
}

/* The two agree in objective and, since w is unique, in decision values up to b; f of `other` is
 * read through order, times sign. */
static void check_same(const svm_solution *a, const svm_solution *b, const int64_t *order,
                       int64_t n, double sign) {
    assert_int_equal(a->inseparable, b->inseparable);
    if (a->inseparable) return;
    check_close(b->dual / (a->dual + (a->dual == 0)), a->dual == 0 ? b->dual : 1, 1e-8);
    double shift = sign * b->f[0] - a->f[order ? order[0] : 0];
    for (int64_t i = 0; i < n; i++)
        check_close(sign * b->f[i] - shift, a->f[order ? order[i] : i], 2e-3);
}

/* A problem, one that follows from it, and how their solutions must go together. */
typedef struct change {
    svm_case from, to;
    int64_t order[64]; /* sample i of `to` is order[i] of `from` */
    int64_t n;         /* so many of them are compared */
    double sign;       /* of the decision values of `to` */
    double times;      /* its objective */
    int64_t gone;      /* the sample of `from` whose alpha is 0, or -1 */
} change;

/* Whether the solutions of many problems go together when `make` sets `to`, and changes `from` or what
 * is to be compared. */
static void check_changes(uint64_t seed, void (*make)(change *c, rng *r, int trial)) {
    rng r = rng_from(seed);
    for (int trial = 0; trial < 120; trial++) {
        change c = {.from = next_case(&r, trial), .sign = 1, .times = 1, .gone = -1};
        bool intercept = trial % 4 != 1;
        c.n = c.from.n;
        for (int64_t i = 0; i < 64; i++) c.order[i] = i;
        make(&c, &r, trial);
        svm_solution a = solved(&c.from, intercept), b = solved(&c.to, intercept);
        b.dual *= c.times;
        assert_true(c.gone < 0 || a.inseparable || a.alpha[c.gone] == 0);
        check_same(&a, &b, c.order, c.n, c.sign);
        svm_case_free(&c.from);
        svm_case_free(&c.to);
    }
}

static void permute(change *c, rng *r, int trial) {
    (void)trial;
    rng_shuffle(r, c->order, c->n);
    c->to = rebuilt(&c->from, c->order, c->n);
}

static void permuting_samples(void **unused) {
    (void)unused;
    check_changes(1, permute);
}

static void flip(change *c, rng *r, int trial) {
    (void)r;
    (void)trial;
    c->to = copy_of(&c->from);
    for (int64_t i = 0; i < c->n; i++) c->to.y[i] = -c->from.y[i];
    c->sign = -1;
}

static void flipping_labels(void **unused) {
    (void)unused;
    check_changes(2, flip);
}

static void rescale(change *c, rng *r, int trial) {
    static const double scales[] = {1e-12, 1e-6, 3, 1e6, 1e12};
    (void)r;
    c->times = scales[trial % 5];
    c->to = copy_of(&c->from);
    for (int64_t i = 0; i < c->n; i++) {
        c->to.C[i] /= c->times;
        c->to.ridge[i] *= c->times;
    }
    for (int64_t i = 0; i < c->n * c->to.d; i++) c->to.x[i] *= sqrt(c->times);
    svm_case_gram(&c->to);
}

/* K times t, C over t, ridge times t: alpha over t, the same f, the objective over t. */
static void scaling_the_gram(void **unused) {
    (void)unused;
    check_changes(3, rescale);
}

static void repeat(change *c, rng *r, int trial) {
    int64_t at = rng_below(r, c->n);
    (void)trial;
    c->order[c->n] = at;
    c->to = rebuilt(&c->from, c->order, c->n + 1);
    c->from.C[at] *= 2;
    c->from.ridge[at] /= 2;
}

/* A sample twice is a sample with twice the C and half the ridge. */
static void duplicating_a_sample(void **unused) {
    (void)unused;
    check_changes(4, repeat);
}

static void leave_out(change *c, rng *r, int trial) {
    (void)r;
    (void)trial;
    c->to = rebuilt(&c->from, c->order, --c->n);
    c->gone = c->n;
    c->from.C[c->gone] = 0;
}

static void no_say_is_absence(void **unused) {
    (void)unused;
    check_changes(5, leave_out);
}

/* A warm start, from anything at all, ends where the cold one does; near the optimum it is short.
 */
static void warm_equals_cold(void **unused) {
    (void)unused;
    rng r = rng_from(6);
    for (int trial = 0; trial < 200; trial++) {
        svm_case c = next_case(&r, trial), other = copy_of(&c);
        bool intercept = trial % 4 != 1;
        svm_solution a = solved(&c, intercept);
        svm_problem p = svm_case_problem(&other, intercept, 1e-9);
        p.warm = true;
        for (int64_t i = 0; i < c.n; i++) {
            const double starts[] = {
                c.alpha[i], c.alpha[i] * (1 + 0.1 * rng_normal(&r)), rng_normal(&r), 1e9, NAN,
                INFINITY};
            other.alpha[i] = starts[trial % 6];
        }
        svm_solution b = svm_case_solve(&other, &p);
        svm_case_check(&other, &p, &b, 3);
        check_same(&a, &b, NULL, c.n, 1);
        if (trial % 6 == 0 && !a.inseparable) assert_true(b.iterations <= 2);
        svm_case_free(&c);
        svm_case_free(&other);
    }
}

/* As the ridge shrinks, the squared slack becomes the hard margin, from below. */
static void small_ridge_is_hard_margin(void **unused) {
    (void)unused;
    rng r = rng_from(7);
    for (int trial = 0; trial < 20; trial++) {
        svm_case c = svm_case_new(&r, 20, 60, SVM_HARD, 1, 0, false);
        double hard = solved(&c, true).dual, before = 0;
        for (double ridge = 1; ridge > 1e-8; ridge /= 100) {
            for (int64_t i = 0; i < c.n; i++) c.ridge[i] = ridge;
            double dual = solved(&c, true).dual;
            assert_true(dual >= before && dual <= hard * (1 + 1e-8));
            before = dual;
        }
        check_close(before / hard, 1, 1e-6);
        svm_case_free(&c);
    }
}

static void same_bytes_again(void **unused) {
    (void)unused;
    rng r = rng_from(8);
    for (int trial = 0; trial < 8; trial++) {
        svm_case c = next_case(&r, trial), other = copy_of(&c);
        solved(&c, true);
        solved(&other, true);
        assert_memory_equal(c.alpha, other.alpha, sizeof(double) * (size_t)c.n);
        assert_memory_equal(c.f, other.f, sizeof(double) * (size_t)c.n);
        svm_case_free(&c);
        svm_case_free(&other);
    }
}

TEST_FILE(test_svm_dual_meta) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permuting_samples),          cmocka_unit_test(flipping_labels),
        cmocka_unit_test(scaling_the_gram),           cmocka_unit_test(duplicating_a_sample),
        cmocka_unit_test(no_say_is_absence),          cmocka_unit_test(warm_equals_cold),
        cmocka_unit_test(small_ridge_is_hard_margin), cmocka_unit_test(same_bytes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
