/* Invariance of every method: to the order of samples and of features, and to the storage of the
 * numbers. */
#include "support/conform.h"

static const sheet_shape shape = {18, 7, 0.8, 4};

static void compare(const conform_case *c, const sheet *one, bool sparse_one, const sheet *two,
                    bool sparse_two, const int64_t *cols) {
    /* decision values are compared on samples in one order */
    sheet same = sheet_pick(one, NULL, 0, cols, one->d);
    pare_data *a = sheet_data(one, sparse_one), *b = sheet_data(two, sparse_two);
    pare_data *on_b = sheet_data(&same, sparse_two);
    pare_model *ma = conform_fit(c, a, true, 1), *mb = conform_fit(c, b, true, 1);
    conform_same(c, ma, a, mb, on_b, cols);
    pare_model_free(mb);
    pare_model_free(ma);
    pare_data_free(on_b);
    pare_data_free(b);
    pare_data_free(a);
    sheet_free(&same);
}

static void compare_rows(const conform_case *c, void *user) {
    rng r;
    (void)user;
    rng_seed(&r, 41, 0);
    sheet t = sheet_for(&r, c, shape);
    int64_t rows[32];
    for (int64_t i = 0; i < t.n; i++) rows[i] = i;
    rng_shuffle(&r, rows, t.n);
    sheet other = sheet_pick(&t, rows, t.n, NULL, 0);
    compare(c, &t, false, &other, false, NULL);
    sheet_free(&other);
    sheet_free(&t);
}

static void compare_columns(const conform_case *c, void *user) {
    rng r;
    (void)user;
    rng_seed(&r, 42, 0);
    sheet t = sheet_for(&r, c, shape);
    int64_t cols[8]; /* groups are by column number: odd ones stay odd */
    for (int64_t j = 0; j < t.d; j++) cols[j] = j % 2 ? (j + 2 < t.d ? j + 2 : 1) : j;
    sheet other = sheet_pick(&t, NULL, 0, cols, t.d);
    compare(c, &t, false, &other, false, cols);
    sheet_free(&other);
    sheet_free(&t);
}

static void compare_storage(const conform_case *given, void *user) {
    conform_case c = *given;
    rng r;
    (void)user;
    rng_seed(&r, 43, 0);
    sheet t = sheet_for(&r, &c, shape);
    c.scale = "unit"; /* automatic scaling depends on the storage */
    compare(&c, &t, false, &t, true, NULL);
    sheet_free(&t);
}

static void the_order_of_samples_does_not_matter(void **state) {
    (void)state;
    conform_walk(compare_rows, NULL);
}

static void the_order_of_features_does_not_matter(void **state) {
    (void)state;
    conform_walk(compare_columns, NULL);
}

static void storage_does_not_matter(void **state) {
    (void)state;
    conform_walk(compare_storage, NULL);
}

TEST_FILE(test_conform_order) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_samples_does_not_matter),
        cmocka_unit_test(the_order_of_features_does_not_matter),
        cmocka_unit_test(storage_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
