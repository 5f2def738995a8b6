/* Threads, of every method: 1, 2 and 4 give the same model to the byte, from dense and sparse data.
 * The data are just large enough for the work to be shared. */
#include "support/conform.h"

#include <string.h>

static void compare(const conform_case *c, void *user) {
    bool sparse = ++*(int *)user % 2 == 0; /* the methods' settings take turns */
    rng r = rng_from(31);
    sheet t = sheet_for(&r, c, (sheet_shape){36, 30, sparse ? 0.6 : 1, 2});
    pare_data *data = sheet_data(&t, sparse);
    char *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        pare_model *m = conform_fit(c, data, false, threads);
        char *text = conform_text(c, m);
        pare_model_free(m);
        if (first && strcmp(first, text) != 0) conform_fail(c, "%d threads differ", threads);
        if (first)
            pare_text_free(text, NULL);
        else
            first = text;
    }
    pare_text_free(first, NULL);
    pare_data_free(data);
    sheet_free(&t);
}

static void threads_do_not_change_a_byte(void **state) {
    (void)state;
    int count = 0;
    conform_walk(compare, &count);
}

TEST_FILE(test_conform_threads) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_a_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
