/* The routines that the page has of its own, web/lapack/, against the system's BLAS and LAPACK. */
#define ddot_ own_ddot
#define dgemv_ own_dgemv
#define dgemm_ own_dgemm
#define dsyrk_ own_dsyrk
#define ssyrk_ own_ssyrk
#include "../../web/lapack/blas.c"
#undef ddot_
#undef dgemv_
#undef dgemm_
#undef dsyrk_
#undef ssyrk_

#define dnrm2_ shim_dnrm2
#define dlassq_ shim_dlassq
#define dlartg_ shim_dlartg
#define dlamch_ shim_dlamch
#define dlamc3_ shim_dlamc3
#define disnan_ shim_disnan
#define droundup_lwork__ shim_droundup
#define idmaxl_ shim_idmaxl
#define xerbla_ shim_xerbla
#include "../../web/lapack/shims.c"
#undef dnrm2_
#undef dlassq_
#undef dlartg_
#undef dlamch_

#include <cblas.h>
#include <stdlib.h>

#include "support/support.h"

double dnrm2_(const int32_t *n, const double *x, const int32_t *incx);
void dlassq_(const int32_t *n, const double *x, const int32_t *incx, double *scale, double *sumsq);
void dlartg_(const double *f, const double *g, double *c, double *s, double *r);
double dlamch_(const char *what, size_t length);

static void same(double a, double b, const char *what) {
    bool fine =
        isnan(a) ? isnan(b) : a == b || fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
    if (!fine) print_error("%s: %.17g where LAPACK has %.17g\n", what, a, b);
    assert_true(fine);
}

/* Of sizes from the smallest to the largest numbers, some zero. */
static double draw(rng *r) {
    static const double size[] = {0, 1, 1e-320, 1e-200, 1e-150, 1e150, 1e200, 1e300};
    return rng_normal(r) * size[rng_next(r) % 8];
}

static void test_norms(void **state) {
    (void)state;
    rng r;
    double x[64];
    rng_seed(&r, 3, 0);
    for (int t = 0; t < 4000; t++) {
        int32_t n = (int32_t)(rng_next(&r) % 17), step = 1 + (int32_t)(rng_next(&r) % 3);
        double kind = draw(&r);
        for (int i = 0; i < 64; i++) x[i] = t % 2 ? draw(&r) : kind * rng_normal(&r);
        same(shim_dnrm2(&n, x, &step), dnrm2_(&n, x, &step), "dnrm2");
        double scale = t % 3 ? 2.5 : 0, sum = t % 3 ? 1.5 : 1, other = scale, rest = sum;
        shim_dlassq(&n, x, &step, &scale, &sum);
        dlassq_(&n, x, &step, &other, &rest);
        same(scale * sqrt(sum), other * sqrt(rest), "dlassq");
    }
    int32_t three = 3, one = 1, back = -1;
    const double odd[] = {3, NAN, 4}, plain[] = {2, 3, 6};
    assert_true(isnan(shim_dnrm2(&three, odd, &one)));
    assert_true(shim_dnrm2(&three, plain, &back) == 7);
}

static void test_rotations(void **state) {
    (void)state;
    rng r = rng_from(4);
    for (int t = 0; t < 4000; t++) {
        double f = draw(&r), g = draw(&r), got[3], wanted[3];
        shim_dlartg(&f, &g, &got[0], &got[1], &got[2]);
        dlartg_(&f, &g, &wanted[0], &wanted[1], &wanted[2]);
        double sign =
            got[2] * wanted[2] < 0 ? -1 : 1; /* LAPACK before 3.10 has another sign at times */
        for (int i = 0; i < 3; i++) same(got[i], sign * wanted[i], "dlartg");
    }
}

static void test_constants(void **state) {
    (void)state;
    for (const char *what = "ESBPNRMULO"; *what; what++)
        same(shim_dlamch(what, 1), dlamch_(what, 1), "dlamch");
    double a = 1, b = 1e-17, none = NAN;
    assert_true(shim_dlamc3(&a, &b) == 1);
    assert_true(shim_disnan(&none) && !shim_disnan(&a));
}

static void test_place_of_the_largest(void **state) {
    (void)state;
    const double x[] = {NAN, 1, 3, 3, 2}, none[] = {NAN, NAN};
    int32_t n = 5, two = 2, zero = 0;
    assert_int_equal(shim_idmaxl(&n, x), 3);
    assert_int_equal(shim_idmaxl(&two, none), 1);
    assert_int_equal(shim_idmaxl(&zero, x), 0);
}

enum { ROOM = 400 * 400 };

static void compare(const double *got, const double *wanted, int32_t count, double size,
                    const char *what) {
    for (int32_t i = 0; i < count; i++) {
        if (fabs(got[i] - wanted[i]) <= 1e-14 * size) continue;
        print_error("%s: %.17g where BLAS has %.17g\n", what, got[i], wanted[i]);
        fail();
    }
}

/* Blocks of all sizes, beyond those that the packing cuts at; steps between columns; every form. */
static void test_matrix_products(void **state) {
    (void)state;
    rng r = rng_from(5);
    double *a = random_normal(&r, ROOM, 1), *b = random_normal(&r, ROOM, 1);
    double *c = random_normal(&r, ROOM, 1), *d = malloc(ROOM * sizeof *d);
    static const double factor[] = {0, 1, -0.5};
    assert_non_null(d);
    for (int t = 0; t < 120; t++) {
        int32_t most = t < 8 ? 300 : 20;
        int32_t m = (int32_t)rng_below(&r, most), n = (int32_t)rng_below(&r, most);
        int32_t k = (int32_t)rng_below(&r, most), step = most + 3;
        double alpha = factor[rng_below(&r, 3)], beta = factor[rng_below(&r, 3)];
        const char ta = t & 1 ? 'T' : 'N', tb = t & 2 ? 't' : 'n', part = t & 4 ? 'U' : 'L';
        memcpy(d, c, ROOM * sizeof *d);
        own_dgemm(&ta, &tb, &m, &n, &k, &alpha, a, &step, b, &step, &beta, c, &step, 1, 1);
        cblas_dgemm(CblasColMajor, t & 1 ? CblasTrans : CblasNoTrans,
                    t & 2 ? CblasTrans : CblasNoTrans, m, n, k, alpha, a, step, b, step, beta, d,
                    step);
        compare(c, d, ROOM, 1e3, "dgemm");
        memcpy(d, c, ROOM * sizeof *d);
        own_dsyrk(&part, &ta, &n, &k, &alpha, a, &step, &beta, c, &step, 1, 1);
        cblas_dsyrk(CblasColMajor, t & 4 ? CblasUpper : CblasLower,
                    t & 1 ? CblasTrans : CblasNoTrans, n, k, alpha, a, step, beta, d, step);
        compare(c, d, ROOM, 1e3, "dsyrk");
        memcpy(c, d, ROOM * sizeof *d);
    }
    free(a);
    free(b);
    free(c);
    free(d);
}

static void to_single(float *out, const double *x, int64_t count) {
    for (int64_t e = 0; e < count; e++) out[e] = (float)x[e];
}

/* In single precision, to its rounding; the other triangle stays as it was. */
static void test_single_products(void **state) {
    (void)state;
    rng r;
    rng_seed(&r, 7, 0);
    double *x = random_normal(&r, ROOM, 1);
    float *a = malloc(ROOM * sizeof *a), *c = malloc(ROOM * sizeof *c),
          *d = malloc(ROOM * sizeof *d);
    static const float factor[] = {0, 1, -0.5F};
    assert_true(a && c && d);
    to_single(a, x, ROOM);
    for (int t = 0; t < 60; t++) {
        int32_t most = t < 8 ? 300 : 20, step = most + 3;
        int32_t n = (int32_t)rng_below(&r, most), k = (int32_t)rng_below(&r, most);
        float alpha = factor[rng_below(&r, 3)], beta = factor[rng_below(&r, 3)];
        const char trans = t & 1 ? 'T' : 'N', part = t & 4 ? 'U' : 'L';
        for (int64_t e = 0; e < ROOM; e++) c[e] = d[e] = (float)rng_normal(&r);
        own_ssyrk(&part, &trans, &n, &k, &alpha, a, &step, &beta, c, &step, 1, 1);
        cblas_ssyrk(CblasColMajor, t & 4 ? CblasUpper : CblasLower,
                    t & 1 ? CblasTrans : CblasNoTrans, n, k, alpha, a, step, beta, d, step);
        for (int64_t e = 0; e < ROOM; e++)
            if (!(fabsf(c[e] - d[e]) <= 1e-3F)) fail_msg("ssyrk: %g where BLAS has %g", c[e], d[e]);
    }
    free(x);
    free(a);
    free(c);
    free(d);
}

static void test_vector_products(void **state) {
    (void)state;
    rng r = rng_from(6);
    double *a = random_normal(&r, 40, 40), *x = random_normal(&r, 40, 4);
    double *y = random_normal(&r, 40, 4), *z = random_normal(&r, 40, 4);
    for (int t = 0; t < 400; t++) {
        int32_t m = (int32_t)rng_below(&r, 37), n = (int32_t)rng_below(&r, 37), step = 40;
        int32_t dx = (int32_t)rng_below(&r, 4) - 2, dy = (int32_t)rng_below(&r, 4) - 2;
        double alpha = rng_normal(&r), beta = t % 3 ? 0.5 : 0;
        const char trans = t & 1 ? 'T' : 'N';
        if (dx == 0) dx = 1;
        if (dy == 0) dy = 1;
        double got = own_ddot(&n, x, &dx, y, &dy), wanted = cblas_ddot(n, x, dx, y, dy);
        compare(&got, &wanted, 1, 100, "ddot");
        memcpy(z, y, 160 * sizeof *z);
        own_dgemv(&trans, &m, &n, &alpha, a, &step, x, &dx, &beta, y, &dy, 1);
        cblas_dgemv(CblasColMajor, t & 1 ? CblasTrans : CblasNoTrans, m, n, alpha, a, step, x, dx,
                    beta, z, dy);
        compare(y, z, 160, 1000, "dgemv");
        for (int i = 0; i < 160; i++) y[i] = rng_normal(&r);
    }
    free(a);
    free(x);
    free(y);
    free(z);
}

TEST_FILE(test_web_shims) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norms),           cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_constants),       cmocka_unit_test(test_place_of_the_largest),
        cmocka_unit_test(test_matrix_products), cmocka_unit_test(test_vector_products),
        cmocka_unit_test(test_single_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
