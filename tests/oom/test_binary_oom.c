/* Data sets, .npy, .npz, .xlsx, .rds, .mtx, .mat (except allocations of its library), folds and checksums under
 * failing allocations: every failure is a memory error and leaves nothing behind. */
#define _POSIX_C_SOURCE 200809L
#include "support/rdata_bytes.h"
#include "support/read_stream.h"
#include "support/stored_zip.h"
#include "support/support.h"

#ifdef PARE_HAS_MATIO
#include <matio.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "data/checksum.h"
#include "data/dataset.h"
#include "data/sample/folds.h"
#include "data/format/stream.h"

static pare_status make_dense(void *user, const pare_ctx *ctx) {
    (void)user;
    const double x[4] = {1, NAN, 3, 4}, values[2] = {0.5, 2};
    const char *names[2] = {"a", "b"};
    pare_data *data;
    char hex[65];
    pare_status status = pare_data_dense(&data, 2, 2, x, names, NULL, values, ctx, NULL);
    if (status == PARE_OK) status = data_checksum(data, ctx, hex, NULL);
    if (status == PARE_OK) status = pare_data_drop_missing(data, NULL, ctx, NULL);
    pare_data_free(data);
    return status;
}

static pare_status make_sparse(void *user, const pare_ctx *ctx) {
    (void)user;
    const int64_t col_ptr[3] = {0, 1, 2};
    const int32_t row[2] = {1, 0};
    const double x[2] = {1, NAN};
    const char *labels[2] = {"a", "b"};
    pare_data *data;
    pare_status status =
        pare_data_sparse(&data, 2, 2, col_ptr, row, x, NULL, labels, NULL, ctx, NULL);
    if (status == PARE_OK) status = pare_data_drop_missing(data, NULL, ctx, NULL);
    pare_data_free(data);
    return status;
}

typedef struct input {
    data_reader read;
    const char *bytes;
    size_t size;
    bool in_rows;
} input;

static pare_status read_input(void *user, const pare_ctx *ctx) {
    const input *in = user;
    pare_read_options o = {.allow_missing = true,
                           .features_in_rows = in->in_rows,
                           .categorical = in->read == read_rdata && !in->in_rows};
    stream s = {0};
    pare_error err;
    pare_data *data = NULL;
    pare_status status = stream_open_memory(&s, "in", in->bytes, in->size, 7, ctx, &err);
    if (status == PARE_OK) status = read_stream(&data, in->read, &s, "in", &o, ctx, &err);
    if (s.mem) stream_close(&s);
    pare_data_free(data);
    return status;
}

static void arrays(void **state) {
    (void)state;
    check_oom(make_dense, NULL);
    check_oom(make_sparse, NULL);
}

static void npy(void **state) {
    (void)state;
    char bytes[] =
        "\x93NUMPY\1\0\x3b\0{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }123456";
    input in = {read_npy, bytes, sizeof bytes - 1, false};
    check_oom(read_input, &in);
}

/* An archive of .npy files, stored: their headers, bytes and the directory. */
typedef struct archive {
    char bytes[4096], directory[1024];
    size_t size, directory_size, count;
} archive;

static void put(char *to, size_t *at, const void *bytes, size_t size) {
    memcpy(to + *at, bytes, size);
    *at += size;
}

static void put_number(char *to, size_t *at, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) to[(*at)++] = (char)(number >> 8 * i & 0xff);
}

/* The fields that a member's own header and its entry in the directory have in common. */
static void put_fields(char *to, size_t *at, const char *name, uLong crc, size_t size) {
    put_number(to, at, 20, 2);
    put_number(to, at, 0, 8); /* flags, stored, time */
    put_number(to, at, crc, 4);
    put_number(to, at, size, 4);
    put_number(to, at, size, 4);
    put_number(to, at, strlen(name), 2);
    put_number(to, at, 0, 2);
}

static void add_array(archive *z, const char *name, const char *descr, const char *shape,
                      const void *items, size_t bytes) {
    char body[512], header[128];
    size_t size = 0, from = z->size;
    int length = snprintf(header, sizeof header,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    put(body, &size, "\x93NUMPY\1\0", 8);
    put_number(body, &size, (uint64_t)length, 2);
    put(body, &size, header, (size_t)length);
    put(body, &size, items, bytes);
    uLong crc = crc32(0, (const Bytef *)body, (uInt)size);
    put(z->bytes, &z->size, "PK\3\4", 4);
    put_fields(z->bytes, &z->size, name, crc, size);
    put(z->bytes, &z->size, name, strlen(name));
    put(z->bytes, &z->size, body, size);
    put(z->directory, &z->directory_size, "PK\1\2\24\0", 6);
    put_fields(z->directory, &z->directory_size, name, crc, size);
    put_number(z->directory, &z->directory_size, 0, 8);
    put_number(z->directory, &z->directory_size, 0, 2);
    put_number(z->directory, &z->directory_size, from, 4);
    put(z->directory, &z->directory_size, name, strlen(name));
    z->count++;
}

static void end_archive(archive *z) {
    size_t from = z->size;
    put(z->bytes, &z->size, z->directory, z->directory_size);
    put(z->bytes, &z->size, "PK\5\6", 4);
    put_number(z->bytes, &z->size, 0, 4);
    put_number(z->bytes, &z->size, z->count, 2);
    put_number(z->bytes, &z->size, z->count, 2);
    put_number(z->bytes, &z->size, z->directory_size, 4);
    put_number(z->bytes, &z->size, from, 4);
    put_number(z->bytes, &z->size, 0, 2);
}

static void sparse_npz(void **state) {
    (void)state;
    const int64_t shape[2] = {2, 2};
    const int32_t start[3] = {0, 2, 3}, index[3] = {1, 0, 1}; /* the first is not sorted */
    const float value[3] = {1, 2, 3};
    static const char *const formats[] = {"csr", "csc"};
    for (int i = 0; i < 2; i++) {
        archive z = {.size = 0};
        add_array(&z, "format.npy", "|S3", "()", formats[i], 3);
        add_array(&z, "shape.npy", "<i8", "(2,)", shape, sizeof shape);
        add_array(&z, "indptr.npy", "<i4", "(3,)", start, sizeof start);
        add_array(&z, "indices.npy", "<i4", "(3,)", index, sizeof index);
        add_array(&z, "data.npy", "<f4", "(3,)", value, sizeof value);
        end_archive(&z);
        input in = {read_npz, z.bytes, z.size, false};
        check_oom(read_input, &in);
    }
}

#ifdef PARE_HAS_EXPAT
static void xlsx(void **state) {
    (void)state;
    static const char sheet[] =
        "<worksheet><sheetData><row><c t='s'><v>0</v></c><c t='s'><v>1</v></c></row>"
        "<row><c><v>1</v></c><c t='inlineStr'><is><t>p</t></is></c></row>"
        "<row><c><v>2</v></c><c s='0'><v>3</v></c></row></sheetData></worksheet>";
    static const char shared[] = "<sst><si><t>a</t></si><si><t>y</t></si></sst>";
    static const char styles[] =
        "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='yyyy'/></numFmts>"
        "<cellXfs><xf numFmtId='0'/><xf numFmtId='164'/></cellXfs></styleSheet>";
    zip_text texts = {NULL, shared, sizeof shared - 1}, formats = {NULL, styles, sizeof styles - 1};
    size_t size;
    unsigned char *bytes =
        stored_workbook((zip_text){NULL, sheet, sizeof sheet - 1}, &texts, &formats, &size);
    input in = {read_xlsx, (const char *)bytes, size, false};
    check_oom(read_input, &in);
    free(bytes);
}
#endif

static void rdata(void **state) {
    (void)state;
    static void (*const make[])(rdata_bytes *) = {r_frame, r_sparse, r_matrix};
    for (int k = 0; k < 6; k++) { /* as they are, and turned */
        rdata_bytes b;
        make[k % 3](&b);
        input in = {read_rdata, (const char *)b.at, b.size, k > 3};
        check_oom(read_input, &in);
    }
}

static void mtx(void **state) {
    (void)state;
    const char *sparse =
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n3 1 1\n2 1 2\n3 3 4\n1 1 2\n";
    const char *dense = "%%MatrixMarket matrix array real general\n1 2\n1\n2\n";
    input a = {read_mtx, sparse, strlen(sparse), false},
          b = {read_mtx, dense, strlen(dense), false};
    check_oom(read_input, &a);
    check_oom(read_input, &b);
}

#ifdef PARE_HAS_MATIO
static matvar_t *text(const char *s) {
    size_t dims[2] = {1, strlen(s)};
    return Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, dims, (void *)(uintptr_t)s, 0);
}

static void mat(void **state) {
    (void)state;
    char path[] = "/tmp/pare_oom_XXXXXX", bytes[1 << 14];
    float x[4] = {1, 2, 3, 4};
    size_t dims[2] = {2, 2}, two[2] = {1, 2};
    int file = mkstemp(path);
    assert_true(file >= 0);
    mat_t *out = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    matvar_t *variable[3] = {Mat_VarCreate("X", MAT_C_SINGLE, MAT_T_SINGLE, 2, dims, x, 0),
                             Mat_VarCreate("Y", MAT_C_SINGLE, MAT_T_SINGLE, 2, two, x, 0),
                             Mat_VarCreate("names", MAT_C_CELL, MAT_T_CELL, 2, two, NULL, 0)};
    assert_non_null(out);
    assert_non_null(variable[2]);
    Mat_VarSetCell(variable[2], 0, text("a"));
    Mat_VarSetCell(variable[2], 1, text("bc"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(Mat_VarWrite(out, variable[i], MAT_COMPRESSION_NONE), 0);
        Mat_VarFree(variable[i]);
    }
    Mat_Close(out);
    ssize_t size = pread(file, bytes, sizeof bytes, 0);
    assert_true(size > 0);
    close(file);
    unlink(path);
    input in = {read_mat, bytes, (size_t)size, false};
    check_oom(read_input, &in);
}
#endif

static pare_status deal(void *user, const pare_ctx *ctx) {
    const int32_t *group = user, cls[6] = {0, 1, 0, 1, 0, 1};
    int32_t fold[6];
    bool train[6];
    pare_status status = folds_make(fold, 6, 2, cls, group, 1, ctx, NULL);
    if (status == PARE_OK) status = folds_split(train, 6, 3, cls, 1, ctx, NULL);
    return status;
}

static void folds(void **state) {
    (void)state;
    int32_t group[6] = {0, 0, 1, 1, 2, 2};
    check_oom(deal, NULL);
    check_oom(deal, group);
}

TEST_FILE(test_binary_oom) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays), cmocka_unit_test(npy),   cmocka_unit_test(sparse_npz),
        cmocka_unit_test(mtx),    cmocka_unit_test(rdata),
#ifdef PARE_HAS_EXPAT
        cmocka_unit_test(xlsx),
#endif
#ifdef PARE_HAS_MATIO
        cmocka_unit_test(mat),
#endif
        cmocka_unit_test(folds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
