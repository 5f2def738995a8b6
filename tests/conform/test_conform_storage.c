/* Storage does not change a model: floats in a file, the caller's rows, rows of a larger matrix and
 * a reference-counted matrix give the bytes that doubles in columns give. */
#define _POSIX_C_SOURCE 200809L
#include <pare/pare.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "support/conform.h"
#include "support/passes.h"

enum { N = 26, D = 12, WAYS = 4 };

/* The data set with its X stored another way; spare: N*D doubles that outlive it. */
static void store(pare_data *data, int way, double *spare, passes *count) {
    double *x = values_of(&data->x);
    const mat_release none = {NULL, NULL};
    matrix made;
    if (way == 0) {
        FILE *file = tmpfile();
        assert_non_null(file);
        for (int64_t e = 0; e < N * D; e++) {
            float value = (float)x[e];
            assert_int_equal(fwrite(&value, sizeof value, 1, file), 1);
        }
        fflush(file);
        mat_file of = {.file = dup(fileno(file)), .item = MAT_F4, .look = true, .name = "it"};
        assert_int_equal(mat_on_disk(&made, N, D, &of, &data->mem, NULL), PARE_OK);
        fclose(file);
    } else if (way == 1) {
        for (int64_t e = 0; e < N * D; e++) spare[e % N * D + e / N] = x[e];
        assert_int_equal(mat_strided(&made, N, D, spare, D, 1, none, &data->mem, NULL), PARE_OK);
    } else if (way == 2) {
        int32_t back[N];
        for (int32_t i = 0; i < N; i++) back[i] = N - 1 - i;
        for (int64_t e = 0; e < N * D; e++) spare[e - e % N + back[e % N]] = x[e];
        matrix other = mat_dense(N, D, spare);
        assert_int_equal(mat_rows(&made, &other, false, back, N, &data->mem, NULL), PARE_OK);
    } else {
        passes_count(count, data);
        return;
    }
    mat_free(&data->x, &data->mem);
    data->x = made;
}

static char *text_of(const conform_case *c, const pare_data *data) {
    pare_model *m = conform_fit_if(c, data, false, 2);
    char *text = NULL;
    if (m) assert_int_equal(pare_model_text(&text, m, NULL, NULL), PARE_OK);
    pare_model_free(m);
    return text;
}

static void same_bytes(const conform_case *c, void *user) {
    (void)user;
    double spare[N * D];
    passes count;
    rng r = rng_from(5);
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, 1, 1});
    for (int64_t e = 0; e < N * D; e++) t.x[e] = (float)t.x[e];
    pare_data *plain = sheet_data(&t, false);
    char *wanted = text_of(c, plain);
    for (int way = 0; way < WAYS; way++) {
        pare_data *data = sheet_data(&t, false);
        store(data, way, spare, &count);
        char *got = text_of(c, data);
        bool same = wanted && got ? strcmp(wanted, got) == 0 : !wanted && !got;
        if (way == 3 && got) same = same && count.stats + count.walks > 0;
        pare_text_free(got, NULL);
        pare_data_free(data);
        if (!same) conform_fail(c, "storage %d gives another model than doubles in columns", way);
    }
    pare_text_free(wanted, NULL);
    pare_data_free(plain);
    sheet_free(&t);
}

static void storage_does_not_show(void **state) {
    (void)state;
    conform_walk(same_bytes, NULL);
}

TEST_FILE(test_conform_storage) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(storage_does_not_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
