/* p-values against mpmath's at 60 digits, far into the tails, and false discovery rates. */
#include "base/p_values.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "support/support.h"

static const double TOL = 1e-12; /* of the value itself, however small */

static void check_tail(double found, double wanted) {
    if (!(fabs(found - wanted) <= TOL * wanted)) fail_msg("%.17g, not %.17g", found, wanted);
}

static void students(void **state) {
    (void)state;
    static const struct {
        double t, df, p;
    } of[] = {
        {0.3, 1, 0.81445284184451532},
        {1.5, 3.7, 0.21359816920201353},
        {2.5, 11.25, 0.029079732181872255},
        {12, 40, 7.8241713042559726e-15},
        {40, 61.5, 9.799163811852481e-46},
        {5, 1000.5, 6.7667044821320361e-7},
        {0.001, 7, 0.99923001724499884},
        {3, 20000.0, 0.0027031210381204916},
        {10000000000.0, 30, 2.0729069305124134e-279},
        {300, 2, 1.1110925929355215e-5},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        check_tail(student_two_sided(of[i].t, of[i].df), of[i].p);
        check_tail(student_two_sided(-of[i].t, of[i].df), of[i].p);
        check_tail(fisher_p_value(of[i].t * of[i].t, 1, of[i].df), of[i].p); /* t^2 is F */
    }
    assert_true(student_two_sided(0, 5) == 1);
    assert_true(student_two_sided(INFINITY, 5) == 0);
    assert_true(isnan(student_two_sided(NAN, 5)));
}

static void fishers(void **state) {
    (void)state;
    static const struct {
        double f, above, below, p;
    } of[] = {
        {0.5, 1, 5, 0.51108408043028067},
        {1.2, 3, 20, 0.33528114471038262},
        {30, 2, 57.5, 1.1936084092733494e-9},
        {800, 3, 196, 1.1805711301478574e-109},
        {0.0001, 4, 9, 0.99999997556026279},
        {2, 19, 10000.0, 0.0060042725084374589},
        {1000000.0, 1, 98, 2.9732561890194199e-198},
        {1, 1, 1, 0.5},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        check_tail(fisher_p_value(of[i].f, of[i].above, of[i].below), of[i].p);
    assert_true(fisher_p_value(0, 2, 5) == 1);
    assert_true(fisher_p_value(DBL_MAX, 20, 5) == 0);
}

static void squares(void **state) {
    (void)state;
    static const struct {
        double x, df, p;
    } of[] = {
        {0.1, 1, 0.75182963404584928},       {3, 2, 0.22313016014842983},
        {11.5, 3, 0.0093077971060963675},    {1200, 1, 6.0995688148084337e-263},
        {45, 40, 0.27054434933985472},       {0.5, 9, 0.99996956625883892},
        {1400, 99, 1.1867324453109372e-228}, {1e-08, 1, 0.99992021154405269},
        {300, 299.5, 0.48099443127324616},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        check_tail(chi2_p_value(of[i].x, of[i].df), of[i].p);
    assert_true(chi2_p_value(0, 3) == 1);
    assert_true(chi2_p_value(DBL_MAX, 3) == 0);
}

/* By definition: the least of p_i d / (how many are p_i at most) over all p_i that are not smaller. */
static void discoveries(void **state) {
    (void)state;
    enum { D = 40 };
    double p[D], q[D];
    rng r = rng_from(3);
    for (int j = 0; j < D; j++) p[j] = j % 7 == 3 ? 0.25 : pow(rng_uniform(&r), j % 3 ? 6 : 1);
    assert_true(false_discovery(q, p, D, ctx_allocator(NULL)));
    for (int j = 0; j < D; j++) {
        double least = 1;
        for (int i = 0; i < D; i++) {
            int rank = 0;
            for (int l = 0; l < D; l++) rank += p[l] <= p[i];
            if (p[i] >= p[j]) least = fmin(least, p[i] * D / rank);
        }
        check_close(q[j], least, 1e-14);
    }
}

TEST_FILE(test_p_values) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(students), cmocka_unit_test(fishers),
                                       cmocka_unit_test(squares), cmocka_unit_test(discoveries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
