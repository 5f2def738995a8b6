/* SHA-256 against the standard's examples, and the checksum of data: blind to storage and threads,
 * awake to every single change. */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "data/checksum.h"

/* Hashes the text `repeat` times over in pieces of `piece` bytes, plainly or not. */
static void expect(const char *text, int repeat, const char *hex) {
    size_t length = strlen(text), size = length * (size_t)repeat;
    char *all = malloc(size + 1), found[65];
    unsigned char digest[32];
    assert_non_null(all);
    for (int i = 0; i < repeat; i++) memcpy(all + (size_t)i * length, text, length);
    for (size_t piece = 1; piece <= 1000; piece = piece * 3 + 1)
        for (int plain = 0; plain < 2; plain++) {
            sha256 s;
            sha256_init(&s);
            if (plain) s.instructions = false;
            for (size_t at = 0; at < size; at += piece)
                sha256_update(&s, all + at, size - at < piece ? size - at : piece);
            sha256_final(&s, digest);
            sha256_hex(digest, found);
            assert_string_equal(found, hex);
        }
    free(all);
}

static void standard_examples(void **state) {
    (void)state;
    expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopq"
           "rlmn"
           "opqrsmnopqrstnopqrstu",
           1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    expect("aaaaaaaaaa", 100000,
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every length around the padding's corners gives the same digest both ways. */
static void plain_agrees(void **state) {
    (void)state;
    unsigned char bytes[300], one[32], other[32];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 37);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        sha256 a, b;
        sha256_init(&a);
        sha256_init(&b);
        b.instructions = false;
        sha256_update(&a, bytes, size);
        sha256_update(&b, bytes, size);
        sha256_final(&a, one);
        sha256_final(&b, other);
        assert_memory_equal(one, other, 32);
    }
}

static void sum(const pare_data *data, int threads, char hex[65]) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    assert_int_equal(data_checksum(data, &ctx, hex, NULL), PARE_OK);
    assert_int_equal(strlen(hex), 64);
}

static void storage_and_threads_do_not_count(void **state) {
    (void)state;
    rng r = rng_from(8);
    for (int round = 0; round < 20; round++) {
        int64_t n = 1 + rng_below(&r, 700), d = 1 + rng_below(&r, 100);
        matrix x = random_sparse(&r, n, d, round % 4 == 0 ? 1 : rng_uniform(&r));
        double *value = (double *)(uintptr_t)arrays_of(&x)->value;
        if (arrays_of(&x)->col_ptr[d] > 2) {
            value[0] = NAN;
            value[1] = 0; /* stored zeros are zeros */
            value[2] = -0.0;
        }
        double *full = dense_of(&x);
        pare_data *dense, *sparse;
        char one[65], other[65];
        assert_int_equal(pare_data_dense(&dense, n, d, full, NULL, NULL, NULL, NULL, NULL),
                         PARE_OK);
        assert_int_equal(pare_data_sparse(&sparse, n, d, arrays_of(&x)->col_ptr, arrays_of(&x)->row,
                                          arrays_of(&x)->value, NULL, NULL, NULL, NULL, NULL),
                         PARE_OK);
        sum(dense, 1, one);
        sum(dense, 4, other);
        assert_string_equal(one, other);
        sum(sparse, 3, other);
        assert_string_equal(one, other);
        pare_data_free(dense);
        pare_data_free(sparse);
        mat_free(&x, NULL);
        free(full);
    }
}

enum { N = 4, D = 3 };

static void sum_of(const double *x, int64_t n, int64_t d, const char *const *labels,
                   const double *weight, char hex[65]) {
    pare_data *data;
    assert_int_equal(pare_data_dense(&data, n, d, x, NULL, labels, NULL, NULL, NULL), PARE_OK);
    if (weight) {
        data->weight = mem_alloc(&data->mem, n, sizeof *weight);
        assert_non_null(data->weight);
        memcpy(data->weight, weight, (size_t)n * sizeof *weight);
    }
    sum(data, 2, hex);
    pare_data_free(data);
}

static void every_change_counts(void **state) {
    (void)state;
    const double x[N * D] = {1, 0, 2, 3, 0, 0, 4, 5, 6, 7, 0, NAN}, weight[N] = {1, 2, 3, 4};
    const char *labels[N] = {"a", "b", "ab", ""}, *shifted[N] = {"a", "ba", "b", ""};
    const double flipped[N] = {1, 2, 4, 3};
    char seen[64][65];
    int count = 0;
    sum_of(x, N, D, labels, NULL, seen[count++]);
    sum_of(x, N, D, shifted, NULL, seen[count++]);
    sum_of(x, N, D, NULL, NULL, seen[count++]);
    sum_of(x, D, N, NULL, NULL, seen[count++]);
    sum_of(x, N, D, labels, weight, seen[count++]);
    sum_of(x, N, D, labels, flipped, seen[count++]);
    for (int e = 0; e < N * D; e++) {
        double changed[N * D];
        memcpy(changed, x, sizeof x);
        changed[e] = isnan(x[e]) ? 0 : x[e] + 1;
        sum_of(changed, N, D, labels, NULL, seen[count++]);
        changed[e] = x[e];
        if (e == 0) continue;
        double before = changed[e - 1];
        changed[e - 1] = changed[e];
        changed[e] = before;
        if (x[e] != x[e - 1]) sum_of(changed, N, D, labels, NULL, seen[count++]);
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(seen[i], seen[j]);
}

TEST_FILE(test_sha256) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_examples),
        cmocka_unit_test(plain_agrees),
        cmocka_unit_test(storage_and_threads_do_not_count),
        cmocka_unit_test(every_change_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
