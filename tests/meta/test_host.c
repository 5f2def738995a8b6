/* The host's own threads: what it set for BLAS changes neither a result nor its own number, and a
 * child forked after a threaded fit fits as well. */
#define _POSIX_C_SOURCE 200809L
#include "support/fits.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

static const problem_shape shape = {.n = 40, .d = 120, .classes = 3, .signal = 2, .density = 1};
static const char *const few[] = {"k", "5", NULL};

static pare_data *make(void) {
    rng r = rng_from(11);
    return problem_make(&r, &shape);
}

/* The most BLAS threads that were seen while a call ran. */
static int seen_inside(void *user, const char *stage, double fraction) {
    int *most = user, now = openblas_get_num_threads();
    (void)stage;
    (void)fraction;
    if (now > *most) *most = now;
    return 0;
}

static char *text_with(const pare_data *data, int *most) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = 2;
    ctx.progress = seen_inside;
    ctx.user = most;
    pare_settings *s = settings_make("dlsr-fs", few);
    pare_model *m;
    char *text;
    pare_error err;
    if (pare_fit(&m, data, s, &ctx, &err) != PARE_OK) fail_msg("%s", err.message);
    assert_int_equal(pare_model_text(&text, m, NULL, NULL), PARE_OK);
    pare_model_free(m);
    pare_settings_free(s);
    return text;
}

static void blas_threads_of_the_host_do_not_matter(void **state) {
    (void)state;
    pare_data *data = make();
    int alone = 0, hosted = 0;
    openblas_set_num_threads(1);
    char *one = text_with(data, &alone);
    openblas_set_num_threads(4);
    char *four = text_with(data, &hosted);
    assert_int_equal(openblas_get_num_threads(), 4);
    assert_int_equal(alone, 1);
    assert_int_equal(hosted, 1); /* so that it takes no longer either */
    assert_string_equal(one, four);
    openblas_set_num_threads(1);
    pare_text_free(one, NULL);
    pare_text_free(four, NULL);
    pare_data_free(data);
}

static void *fit_often(void *data) {
    int most = 0;
    for (int i = 0; i < 8; i++) {
        char *text = text_with(data, &most);
        pare_text_free(text, NULL);
    }
    return most == 1 ? data : NULL;
}

static void two_host_threads_give_blas_back(void **state) {
    (void)state;
    pare_data *data = make();
    pthread_t thread[2];
    openblas_set_num_threads(3);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, fit_often, data), 0);
    for (int i = 0; i < 2; i++) {
        void *fine;
        assert_int_equal(pthread_join(thread[i], &fine), 0);
        assert_ptr_equal(fine, data);
    }
    assert_int_equal(openblas_get_num_threads(), 3);
    openblas_set_num_threads(1);
    pare_data_free(data);
}

/* A call that is refused at its door holds nothing. */
static void a_refused_call_gives_blas_back(void **state) {
    (void)state;
    pare_data *data = make();
    pare_settings *s = settings_make("svm", NULL);
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.struct_size = 0;
    pare_model *m;
    pare_error err;
    openblas_set_num_threads(3);
    assert_int_equal(pare_fit(&m, data, s, &ctx, &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "pare_ctx_init was not called"));
    ctx.struct_size = sizeof ctx + 8;
    assert_int_equal(pare_fit(&m, data, s, &ctx, &err), PARE_E_ARGUMENT);
    assert_non_null(strstr(err.message, "newer"));
    assert_int_equal(openblas_get_num_threads(), 3);
    openblas_set_num_threads(1);
    pare_settings_free(s);
    pare_data_free(data);
}

static void a_forked_child_can_fit(void **state) {
    (void)state;
    pare_data *data = make();
    char *before = fit_text(data, "corr", few, 4);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* a child that hangs dies of it */
        char *text = fit_text(data, "corr", few, 4);
        _exit(strcmp(text, before) == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    pare_text_free(before, NULL);
    pare_data_free(data);
}

TEST_FILE(test_host) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_child_can_fit),
        cmocka_unit_test(blas_threads_of_the_host_do_not_matter),
        cmocka_unit_test(two_host_threads_give_blas_back),
        cmocka_unit_test(a_refused_call_gives_blas_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
