/* A GPU, of every method: the model of `device cuda` is that of the processor, but for the last digits,
 * and the same bytes on any number of threads. Without a GPU on a driver that runs the kernels on the
 * processor (tests/fake_cuda); on one (docs/gpu.md) the data are large enough for it. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "support/conform.h"

static pare_model *fit(const conform_case *c, const pare_data *data, int device, int threads) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.device = device;
    ctx.threads = threads;
    return conform_fit_in(c, data, true, &ctx);
}

static void compare(const conform_case *c, void *user) {
    const sheet_shape *shape = user;
    rng r = rng_from(37);
    sheet t = sheet_for(&r, c, *shape);
    pare_data *data = sheet_data(&t, false);
    pare_model *cpu = fit(c, data, PARE_DEVICE_CPU, 2), *gpu = fit(c, data, PARE_DEVICE_CUDA, 1),
               *again = fit(c, data, PARE_DEVICE_CUDA, 4);
    if (!cpu != !gpu || !cpu != !again) {
        conform_fail(c, "one device gives a model, the other none");
    } else if (cpu) {
        char *one = conform_text(c, gpu), *other = conform_text(c, again);
        if (strcmp(one, other) != 0) conform_fail(c, "another number of threads gives other bytes");
        conform_same(c, cpu, data, gpu, data, NULL);
        pare_text_free(one, NULL);
        pare_text_free(other, NULL);
    }
    pare_model_free(cpu);
    pare_model_free(gpu);
    pare_model_free(again);
    pare_data_free(data);
    sheet_free(&t);
}

static void the_device_gives_the_model_of_the_processor(void **state) {
    (void)state;
    const char *columns = getenv("PARE_DEVICE_COLUMNS"); /* of X, on a GPU */
    sheet_shape shape = {36, columns ? atoll(columns) : 30, 1, 2};
    conform_walk(compare, &shape);
}

TEST_FILE(test_conform_device) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_gives_the_model_of_the_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
