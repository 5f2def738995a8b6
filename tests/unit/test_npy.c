/* .npy: every type, byte order and storage order against numbers known beforehand; every refusal.
 */
#define _POSIX_C_SOURCE 200809L
#include "support/read_stream.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/dataset.h"
#include "data/format/stream.h"

/* A file in memory. */
typedef struct bytes {
    char at[8192];
    size_t size;
} bytes;

static void put(bytes *b, const void *from, size_t size) {
    assert_true(b->size + size <= sizeof b->at);
    memcpy(b->at + b->size, from, size);
    b->size += size;
}

static void put_header(bytes *b, int version, const char *dictionary) {
    size_t length = strlen(dictionary);
    char start[12] = {'\x93',
                      'N',
                      'U',
                      'M',
                      'P',
                      'Y',
                      (char)version,
                      0,
                      (char)(length & 255),
                      (char)(length >> 8),
                      0,
                      0};
    b->size = 0;
    put(b, start, version == 1 ? 10 : 12);
    put(b, dictionary, length);
}

static pare_status read_bytes(pare_data **data, const bytes *b, size_t piece, bool allow_missing,
                              pare_error *err) {
    pare_read_options o = {.allow_missing = allow_missing};
    stream s;
    assert_int_equal(stream_open_memory(&s, "a.npy", b->at, b->size, piece, NULL, err), PARE_OK);
    pare_status status = read_stream(data, read_npy, &s, "a.npy", &o, NULL, err);
    stream_close(&s);
    return status;
}

/* One item of the given type in the given byte order, written byte by byte. */
static void put_item(bytes *b, const char *type, bool big, double v) {
    char out[8];
    int size = type[1] - '0';
    uint64_t bits = 0;
    if (strcmp(type, "f8") == 0)
        memcpy(&bits, &v, 8);
    else if (strcmp(type, "f4") == 0) {
        float f = (float)v;
        uint32_t u;
        memcpy(&u, &f, 4);
        bits = u;
    } else
        bits = (uint64_t)(int64_t)v;
    for (int k = 0; k < size; k++) out[big ? size - 1 - k : k] = (char)(bits >> (8 * k) & 255);
    put(b, out, (size_t)size);
}

static double item(const char *type, int64_t i, int64_t j) {
    switch (type[0]) {
    case 'f': return (double)(i * 100 - j) / 8;
    case 'i': return (double)((i * 7 + j) % 100 - 50);
    case 'u': return (double)((i * 7 + j) % 256);
    default: return (double)((i + j) % 2);
    }
}

static void every_type_and_order(void **state) {
    (void)state;
    static const char *const types[] = {"f4", "f8", "i1", "i2", "i4", "i8",
                                        "u1", "u2", "u4", "u8", "b1"};
    static const char *const kept[] = {"float32", "dense",  "int8",   "int16", "int32", "dense",
                                       "uint8",   "uint16", "uint32", "dense", "uint8"};
    const int64_t shapes[][2] = {{1, 5}, {5, 1}, {3, 4}, {9, 6}, {37, 3}};
    static bytes b;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int variant = 0; variant < 12; variant++)
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                bool big = variant & 1, fortran = variant & 2;
                int version = 1 + variant / 4;
                int64_t n = shapes[k][0], d = shapes[k][1];
                char header[200];
                snprintf(header, sizeof header,
                         "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%d, %d), }  \n",
                         types[t][1] == '1' ? '|'
                         : big              ? '>'
                                            : '<',
                         types[t], fortran ? "True" : "False", (int)n, (int)d);
                put_header(&b, version, header);
                for (int64_t e = 0; e < n * d; e++)
                    put_item(&b, types[t], big,
                             item(types[t], fortran ? e % n : e / d, fortran ? e / n : e % d));
                for (size_t piece = 1; piece < 5000; piece = piece * 3 + 4) {
                    pare_data *data;
                    pare_error err;
                    assert_int_equal(read_bytes(&data, &b, piece, false, &err), PARE_OK);
                    assert_int_equal(pare_data_n(data), n);
                    assert_int_equal(pare_data_d(data), d);
                    assert_string_equal(mat_kind(&data->x), kept[t]);
                    double *x = dense_of(&data->x);
                    for (int64_t j = 0; j < d; j++)
                        for (int64_t i = 0; i < n; i++)
                            assert_true(x[j * n + i] == item(types[t], i, j));
                    free(x);
                    pare_data_free(data);
                }
            }
}

/* Every half is the number that its bits say: sign, exponent less 15, ten bits of fraction. */
static void halves(void **state) {
    (void)state;
    static bytes b;
    static const struct {
        uint16_t bits;
        double value;
    } known[] = {{0x3c00, 1},       {0xc000, -2},         {0x7bff, 65504}, {0x0001, 0x1p-24},
                 {0x0400, 0x1p-14}, {0x3555, 0x1.554p-2}, {0x8000, 0},     {0x03ff, 0x1.ff8p-15}};
    for (int big = 0; big < 2; big++) {
        pare_data *data;
        pare_error err;
        put_header(&b, 1,
                   big ? "{'descr': '>f2', 'fortran_order': False, 'shape': (1, 8), }"
                       : "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 8), }");
        for (int k = 0; k < 8; k++) {
            char item[2] = {(char)(known[k].bits & 255), (char)(known[k].bits >> 8)};
            char turned[2] = {item[1], item[0]};
            put(&b, big ? turned : item, 2);
        }
        assert_int_equal(read_bytes(&data, &b, 100, false, &err), PARE_OK);
        assert_string_equal(mat_kind(&data->x), "float16");
        double *x = dense_of(&data->x);
        for (int k = 0; k < 8; k++) assert_true(x[k] == known[k].value);
        free(x);
        pare_data_free(data);
    }
    put_header(&b, 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1), }");
    put(&b, "\0\x7e", 2);
    pare_data *data;
    assert_int_equal(read_bytes(&data, &b, 100, true, NULL), PARE_OK);
    assert_true(data->x.missing);
    pare_data_free(data);
}

static void extremes_survive(void **state) {
    (void)state;
    static bytes b;
    const int64_t low = INT64_MIN;
    const uint64_t high = UINT64_MAX;
    pare_data *data;
    put_header(&b, 1, "{\"shape\": (1L, 1L), 'fortran_order':False,'descr':'=i8'}");
    put(&b, &low, 8);
    assert_int_equal(read_bytes(&data, &b, 100, false, NULL), PARE_OK);
    assert_true(values_of(&data->x)[0] == -0x1p63);
    pare_data_free(data);
    put_header(&b, 2, "{'descr': '=u8', 'fortran_order': False, 'shape': (1, 1)}");
    put(&b, &high, 8);
    assert_int_equal(read_bytes(&data, &b, 100, false, NULL), PARE_OK);
    assert_true(values_of(&data->x)[0] == 0x1p64);
    pare_data_free(data);
}

static void refuse(const bytes *b, pare_status code, int64_t byte, const char *message) {
    for (size_t piece = 1; piece < 5000; piece = piece * 5 + 3) {
        pare_data *data;
        pare_error err;
        assert_int_equal(read_bytes(&data, b, piece, false, &err), code);
        assert_string_equal(err.message, message);
        assert_int_equal(err.byte, byte);
        pare_data_free(data);
    }
}

static void refuse_header(const char *dictionary, const char *message) {
    static bytes b;
    put_header(&b, 1, dictionary);
    put(&b, "0123456789abcdef", 16);
    refuse(&b, PARE_E_FORMAT, 10, message);
}

static void refuses(void **state) {
    (void)state;
    static bytes b;
    const char *good = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1), }";
    const char *not_dictionary = "a.npy has a .npy header that is not a dictionary of descr (one "
                                 "plain type), fortran_order and shape";
    const char *three = "a.npy holds an array with 3 dimensions, samples by features are 2";
    int64_t start = 10 + (int64_t)strlen(good);

    b.size = 0;
    refuse(&b, PARE_E_FORMAT, 0, "a.npy ends within the .npy header");
    put(&b, "\x93NUMPY\1\0", 8);
    refuse(&b, PARE_E_FORMAT, 8, "a.npy ends within the .npy header");
    b.size = 0;
    put(&b, "a,b,c\n1,2,3\n", 12);
    refuse(&b, PARE_E_FORMAT, 0,
           "a.npy is not a .npy file: it does not start with the bytes \\x93NUMPY");
    put_header(&b, 4, good);
    refuse(&b, PARE_E_FORMAT, 6, "a.npy is of .npy version 4, 1 to 3 are known");
    put_header(&b, 2, good);
    b.at[10] = 1;
    refuse(&b, PARE_E_FORMAT, 8,
           "a.npy has a .npy header of 65594 bytes, at most 65536 are allowed");
    put_header(&b, 1, good);
    b.at[8]++;
    refuse(&b, PARE_E_FORMAT, start, "a.npy ends within the .npy header");

    refuse_header("", not_dictionary);
    refuse_header("{", not_dictionary);
    refuse_header("{}", not_dictionary);
    refuse_header("{'descr': '<f8', 'fortran_order': True}", not_dictionary);
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1), } x", not_dictionary);
    refuse_header("{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 1), }", not_dictionary);
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, -1), }", not_dictionary);
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 99999999999999999999), }",
                  not_dictionary);
    refuse_header("{'descr': [('a', '<f8')], 'fortran_order': True, 'shape': (2, 1), }",
                  not_dictionary);
    refuse_header("{'descr': '<f8', 'colour': True, 'shape': (2, 1), }", not_dictionary);
    refuse_header("{'descr': '|O', 'fortran_order': True, 'shape': (2, 1), }",
                  "a.npy holds Python objects; write numbers, X.astype(float)");
    refuse_header(
        "{'descr': '<c8', 'fortran_order': True, 'shape': (2, 1), }",
        "a.npy holds items of type \"<c8\", allowed are f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
    refuse_header(
        "{'descr': '', 'fortran_order': True, 'shape': (2, 1), }",
        "a.npy holds items of type \"\", allowed are f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1");
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }",
                  "a.npy holds an array with 1 dimension, samples by features are 2");
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (), }",
                  "a.npy holds an array with 0 dimensions, samples by features are 2");
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1, 1), }", three);
    refuse_header("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1, 1,), }", three);

    put_header(&b, 1, good);
    put(&b, "0123456789abcde", 15);
    refuse(&b, PARE_E_FORMAT, start + 15, "a.npy ends within its numbers");
    put(&b, "f+", 2);
    refuse(&b, PARE_E_FORMAT, start + 16, "a.npy goes on after its 2 x 1 numbers");
    put_header(&b, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 1), }");
    refuse(&b, PARE_E_DATA, -1, "a.npy has no samples");
    put_header(&b, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 0), }");
    refuse(&b, PARE_E_DATA, -1, "a.npy has no features");
}

static void missing_is_an_option(void **state) {
    (void)state;
    static bytes b;
    pare_data *data;
    pare_error err;
    put_header(&b, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }");
    for (int i = 0; i < 4; i++) put_item(&b, "f8", false, i == 2 ? NAN : 1);
    refuse(&b, PARE_E_DATA, -1,
           "a.npy: feature 1 (\"x1\") of sample 2 is missing; choose `missing` mean, "
           "median, indicator or drop");
    assert_int_equal(read_bytes(&data, &b, 100, true, &err), PARE_OK);
    assert_true(data->x.missing);
    assert_true(isnan(values_of(&data->x)[1]));
    pare_data_free(data);
}

/* A plain file whose header promises terabytes is refused by its length. */
static void length_is_checked_first(void **state) {
    (void)state;
    static bytes b;
    char path[] = "/tmp/pare_npy_XXXXXX", expected[300];
    put_header(&b, 1,
               "{'descr': '<f8', 'fortran_order': True, 'shape': (2000000000, 4000000000), }");
    put(&b, "01234567", 8);
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, b.at, b.size), (ssize_t)b.size);
    close(file);
    stream s;
    pare_error err;
    pare_read_options o = {.allow_missing = true};
    failing f = {.allow = INT64_MAX};
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.allocator = failing_allocator(&f);
    data_builder builder;
    assert_int_equal(data_begin(&builder, &ctx, &err), PARE_OK);
    assert_int_equal(stream_open(&s, path, &ctx, &err), PARE_OK);
    int64_t calls = f.calls;
    assert_int_equal(read_npy(&builder, &s, &o, &ctx, &err), PARE_E_FORMAT);
    assert_int_equal(f.calls, calls);
    snprintf(
        expected, sizeof expected,
        "%s says it holds 2000000000 x 4000000000 items of 8 bytes, but 8 bytes follow its header",
        path);
    assert_string_equal(err.message, expected);
    assert_int_equal(err.byte, (int64_t)b.size - 8);
    stream_close(&s);
    data_abandon(&builder);
    assert_int_equal(f.live, 0);
    unlink(path);
}

static void written_reads_back(void **state) {
    (void)state;
    char dir[] = "/tmp/pare_npy_XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    rng r = rng_from(3);
    double *x = random_normal(&r, 11, 7);
    x[5] = NAN;
    for (int gz = 0; gz < 2; gz++) {
        snprintf(path, sizeof path, "%s/x.npy%s", dir, gz ? ".gz" : "");
        pare_data *data, *back;
        pare_error err;
        sink out;
        stream in;
        pare_read_options o = {.allow_missing = true};
        assert_int_equal(pare_data_dense(&data, 11, 7, x, NULL, NULL, NULL, NULL, &err), PARE_OK);
        assert_int_equal(sink_open(&out, path, NULL, &err), PARE_OK);
        assert_int_equal(write_npy(data, &out, NULL, &err), PARE_OK);
        assert_int_equal(sink_commit(&out, &err), PARE_OK);
        assert_int_equal(stream_open(&in, path, NULL, &err), PARE_OK);
        assert_int_equal(read_stream(&back, read_npy, &in, path, &o, NULL, &err), PARE_OK);
        stream_close(&in);
        assert_int_equal(back->x.n, 11);
        assert_int_equal(back->x.d, 7);
        double *again = dense_of(&back->x);
        assert_memory_equal(again, x, 77 * sizeof *x);
        free(again);
        pare_data_free(data);
        pare_data_free(back);
        unlink(path);
    }
    free(x);
    rmdir(dir);
}

static void sparse_is_not_written(void **state) {
    (void)state;
    const int64_t col_ptr[] = {0, 0};
    pare_data *data;
    pare_error err;
    sink out = {.name = "b.npy"};
    assert_int_equal(
        pare_data_sparse(&data, 1, 1, col_ptr, NULL, NULL, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(write_npy(data, &out, NULL, &err), PARE_E_ARGUMENT);
    assert_string_equal(
        err.message, "b.npy: .npy holds dense data only and these are sparse, write .mtx or .svm");
    pare_data_free(data);
}

TEST_FILE(test_npy) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_order),
        cmocka_unit_test(extremes_survive),
        cmocka_unit_test(halves),
        cmocka_unit_test(refuses),
        cmocka_unit_test(missing_is_an_option),
        cmocka_unit_test(length_is_checked_first),
        cmocka_unit_test(written_reads_back),
        cmocka_unit_test(sparse_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
