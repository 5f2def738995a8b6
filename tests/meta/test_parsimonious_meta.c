/* What a limit of time leaves of a regression. */
#include "support/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"

/* Out of time, best-subset says what it has and a bound; the certificate stays true. */
static void time_runs_out(void **state) {
    (void)state;
    rng r = rng_from(94);
    regression p = regression_make(&r, 60, 40, REG_NORMAL, false);
    pare_settings *set = settings_make("best-subset", PAIRS("k", "12"));
    pare_model *m;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    assert_int_equal(pare_fit(&m, p.data, set, &ctx, &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "`time_limit`"));
    ctx.time_limit_s = 0.2;
    assert_int_equal(pare_fit(&m, p.data, set, &ctx, &err), PARE_OK);
    assert_int_equal(report_of(m).outcome, PARE_TIME_LIMIT);
    assert_int_equal(pare_model_get(m)->n_selected, 12);
    assert_true(pare_model_get(m)->n_notes > 0);
    double w[40], b = regression_point(&p, m, w);
    check_close(report_of(m).objective, regression_error(&p, w, b), 1e-9);
    pare_model_free(m);
    pare_settings_free(set);
    regression_free(&p);
}

TEST_FILE(test_parsimonious_meta) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
