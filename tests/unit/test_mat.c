/* .mat files made by matio's own writer: every class, version, compression and kind of target; what
 * is refused; damaged files. */
#define _POSIX_C_SOURCE 200809L
#include "support/read_stream.h"
#include "support/support.h"

#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "data/dataset.h"
#include "data/format/stream.h"

enum { N = 5, D = 3 };
static char dir[] = "/tmp/pare_mat_XXXXXX";
static char path[64];

static int make_dir(void **state) {
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return rmdir(dir);
}

/* --- writing --- */

typedef struct version {
    enum mat_ft file;
    enum matio_compression compression;
} version;
static const version versions[] = {{MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                                   {MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                                   {MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                                   {MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}};
enum { N_VERSIONS = sizeof versions / sizeof *versions };

static mat_t *create(version v) {
    snprintf(path, sizeof path, "%s/a.mat", dir);
    mat_t *mat = Mat_CreateVer(path, NULL, v.file);
    assert_non_null(mat);
    return mat;
}

/* The bytes of the file, which is removed; returns how many they are. */
static size_t take_file(void *bytes, size_t most) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    unlink(path);
    return size;
}

static void put(mat_t *mat, version v, matvar_t *variable) {
    assert_non_null(variable);
    assert_int_equal(Mat_VarWrite(mat, variable, v.compression), 0);
    Mat_VarFree(variable);
}

static matvar_t *numbers(const char *name, enum matio_classes class_type, enum matio_types type,
                         size_t rows, size_t cols, void *data, int flags) {
    size_t dims[2] = {rows, cols};
    return Mat_VarCreate(name, class_type, type, 2, dims, data, flags);
}

static matvar_t *text(const char *name, const char *s) {
    size_t dims[2] = {1, 0}; /* in characters, not in bytes */
    for (const char *p = s; *p; p++) dims[1] += (*p & 0xc0) != 0x80;
    return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, dims, (void *)(uintptr_t)s, 0);
}

static matvar_t *cell(const char *name, size_t rows, size_t cols, const char *const *s) {
    size_t dims[2] = {rows, cols};
    matvar_t *list = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    assert_non_null(list);
    for (size_t i = 0; i < rows * cols; i++) Mat_VarSetCell(list, (int)i, text(NULL, s[i]));
    return list;
}

/* --- reading --- */

static pare_status read_path(pare_data **data, const char *from, const pare_read_options *o,
                             pare_error *err) {
    stream s;
    *data = NULL;
    pare_status status = stream_open(&s, from, NULL, err);
    if (status != PARE_OK) return status;
    status = read_stream(data, read_mat, &s, "a.mat", o, NULL, err);
    stream_close(&s);
    return status;
}

static pare_data *read_good(const pare_read_options *o) {
    static const pare_read_options none;
    pare_data *data;
    pare_error err = {.message = ""};
    if (read_path(&data, path, o ? o : &none, &err) != PARE_OK) fail_msg("%s", err.message);
    return data;
}

static void refuse_with(const pare_read_options *o, pare_status code, const char *message) {
    pare_data *data;
    pare_error err = {.message = ""};
    char expected[600];
    snprintf(expected, sizeof expected, "%s%s", path, message);
    assert_int_equal(read_path(&data, path, o, &err), code);
    assert_string_equal(err.message, expected);
    pare_data_free(data);
    unlink(path);
}

static void refuse(pare_status code, const char *message) {
    const pare_read_options none = {.allow_missing = false};
    refuse_with(&none, code, message);
}

static double number(int64_t i, int64_t j) { return (double)((i * 5 + j * 3) % 7); }

static void check_x(const pare_data *data) {
    assert_int_equal(pare_data_n(data), N);
    assert_int_equal(pare_data_d(data), D);
    double *full = dense_of(&data->x);
    for (int j = 0; j < D; j++)
        for (int i = 0; i < N; i++) assert_true(full[j * N + i] == number(i, j));
    free(full);
}

static void put_x(mat_t *mat, version v) {
    double x[N * D];
    for (int e = 0; e < N * D; e++) x[e] = number(e % N, e / N);
    put(mat, v, numbers("X", MAT_C_DOUBLE, MAT_T_DOUBLE, N, D, x, 0));
}

/* --- tests --- */

#define PUT_CLASS(type, class_type, mat_type)                                                      \
    do {                                                                                           \
        type x[N * D];                                                                             \
        for (int e = 0; e < N * D; e++) x[e] = (type)number(e % N, e / N);                         \
        put(mat, versions[v], numbers("X", class_type, mat_type, N, D, x, 0));                     \
    } while (0)

static void every_class(void **state) {
    (void)state;
    for (int v = 0; v < N_VERSIONS; v++)
        for (int c = 0; c < 10; c++) {
            mat_t *mat = create(versions[v]);
            switch (c) {
            case 0: PUT_CLASS(double, MAT_C_DOUBLE, MAT_T_DOUBLE); break;
            case 1: PUT_CLASS(float, MAT_C_SINGLE, MAT_T_SINGLE); break;
            case 2: PUT_CLASS(int8_t, MAT_C_INT8, MAT_T_INT8); break;
            case 3: PUT_CLASS(uint8_t, MAT_C_UINT8, MAT_T_UINT8); break;
            case 4: PUT_CLASS(int16_t, MAT_C_INT16, MAT_T_INT16); break;
            case 5: PUT_CLASS(uint16_t, MAT_C_UINT16, MAT_T_UINT16); break;
            case 6: PUT_CLASS(int32_t, MAT_C_INT32, MAT_T_INT32); break;
            case 7: PUT_CLASS(uint32_t, MAT_C_UINT32, MAT_T_UINT32); break;
            case 8: PUT_CLASS(int64_t, MAT_C_INT64, MAT_T_INT64); break;
            default: PUT_CLASS(uint64_t, MAT_C_UINT64, MAT_T_UINT64); break;
            }
            Mat_Close(mat);
            pare_data *data = read_good(NULL);
            assert_false(pare_data_is_sparse(data));
            assert_false(pare_data_has_target(data));
            check_x(data);
            pare_data_free(data);
            unlink(path);
        }
}

static void logical(void **state) {
    (void)state;
    for (int v = 0; v < N_VERSIONS; v++) {
        uint8_t x[4] = {1, 0, 0, 1};
        mat_t *mat = create(versions[v]);
        put(mat, versions[v], numbers("X", MAT_C_UINT8, MAT_T_UINT8, 2, 2, x, MAT_F_LOGICAL));
        put(mat, versions[v], numbers("Y", MAT_C_UINT8, MAT_T_UINT8, 1, 2, x, MAT_F_LOGICAL));
        Mat_Close(mat);
        pare_data *data = read_good(NULL);
        for (int i = 0; i < 4; i++) assert_true(values_of(&data->x)[i] == x[i]);
        assert_string_equal(strings_at(&data->target.text, 0), "1");
        assert_string_equal(strings_at(&data->target.text, 1), "0");
        pare_data_free(data);
        unlink(path);
    }
}

static void put_sparse(mat_t *mat, version v, uint32_t *row, uint32_t *col_ptr, double *value,
                       uint32_t count) {
    mat_sparse_t x = {.nzmax = count,
                      .ir = row,
                      .nir = count,
                      .jc = col_ptr,
                      .njc = D + 1,
                      .ndata = count,
                      .data = value};
    put(mat, v, numbers("X", MAT_C_SPARSE, MAT_T_DOUBLE, N, D, &x, MAT_F_DONT_COPY_DATA));
}

static void sparse_x(void **state) {
    (void)state;
    for (int v = 0; v < N_VERSIONS; v++) {
        uint32_t row[N * D], col_ptr[D + 1] = {0}, count = 0;
        double value[N * D];
        for (uint32_t j = 0; j < D; j++) {
            for (uint32_t i = 0; i < N; i++)
                if (number(i, j) != 0) {
                    row[count] = i;
                    value[count++] = number(i, j);
                }
            col_ptr[j + 1] = count;
        }
        mat_t *mat = create(versions[v]);
        put_sparse(mat, versions[v], row, col_ptr, value, count);
        Mat_Close(mat);
        pare_data *data = read_good(NULL);
        assert_true(pare_data_is_sparse(data));
        assert_int_equal(arrays_of(&data->x)->col_ptr[D], count);
        check_x(data);
        pare_data_free(data);
        unlink(path);
    }
}

static void sparse_rows_are_checked(void **state) {
    (void)state;
    uint32_t row[2] = {1, 7}, col_ptr[D + 1] = {0, 2, 2, 2};
    double value[2] = {1, 2};
    mat_t *mat = create(versions[0]);
    pare_data *data;
    pare_error err;
    const pare_read_options none = {.allow_missing = true};
    put_sparse(mat, versions[0], row, col_ptr, value, 2);
    Mat_Close(mat);
    assert_int_equal(read_path(&data, path, &none, &err), PARE_E_DATA);
    assert_string_equal(err.message, "a.mat: column 1 has an entry in row 7, rows are 0 to 4");
    pare_data_free(data);
    unlink(path);
}

static void targets_and_names(void **state) {
    (void)state;
    const char *labels[N] = {"yes", "no", "d\xc3\xa9j\xc3\xa0", "no", ""},
               *names[D] = {"g 1", "g2", "g3"};
    double values[N] = {0.5, -1, 1e10, 3, 4};
    char rows[N * 2] = {'a', 'b', 'c', 'a', 'b', ' ', 'x', ' ', 'y', ' '};
    static const char *const texts[N] = {"a", "bx", "c", "ay", "b"};
    for (int v = 0; v < N_VERSIONS; v++)
        for (int kind = 0; kind < 4; kind++) {
            mat_t *mat = create(versions[v]);
            if (kind == 0)
                put(mat, versions[v], numbers("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, N, 1, values, 0));
            if (kind == 1)
                put(mat, versions[v], numbers("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, N, values, 0));
            if (kind == 2) put(mat, versions[v], cell("Y", N, 1, labels));
            if (kind == 3)
                put(mat, versions[v], numbers("Y", MAT_C_CHAR, MAT_T_UINT8, N, 2, rows, 0));
            put_x(mat, versions[v]);
            put(mat, versions[v], cell(v % 2 ? "names" : "feature_names", 1, D, names));
            Mat_Close(mat);
            pare_data *data = read_good(NULL);
            check_x(data);
            assert_int_equal(target_column_count(&data->target), N);
            for (int i = 0; i < N; i++) {
                const char *found = strings_at(&data->target.text, i);
                if (kind < 2)
                    assert_true(strtod(found, NULL) == values[i]);
                else
                    assert_string_equal(found, kind == 2 ? labels[i] : texts[i]);
            }
            for (int j = 0; j < D; j++)
                assert_string_equal(pare_data_name(data, j, NULL), names[j]);
            pare_data_free(data);
            const pare_read_options blind = {.no_target = true}, other = {.labels = "file"};
            data = read_good(&blind);
            assert_false(pare_data_has_target(data));
            pare_data_free(data);
            data = read_good(&other);
            assert_false(pare_data_has_target(data));
            pare_data_free(data);
            unlink(path);
        }
}

static void target_by_name(void **state) {
    (void)state;
    double values[N] = {9, 8, 7, 6, 5};
    mat_t *mat = create(versions[1]);
    put_x(mat, versions[1]);
    put(mat, versions[1], numbers("gnd", MAT_C_DOUBLE, MAT_T_DOUBLE, N, 1, values, 0));
    Mat_Close(mat);
    const pare_read_options gnd = {.target = "gnd"}, none = {.target = "age"};
    pare_data *data = read_good(&gnd);
    assert_string_equal(strings_at(&data->target.text, 0), "9");
    pare_data_free(data);
    refuse_with(&none, PARE_E_FORMAT, " has no variable age, it has: X, gnd");
}

static void count_warning(void *user, pare_log_level level, const char *message) {
    (void)message;
    if (level == PARE_LOG_WARNING) ++*(int *)user;
}

static void other_names_are_left_out(void **state) {
    (void)state;
    double values[2] = {1, 2};
    int warnings = 0;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.log = count_warning;
    ctx.user = &warnings;
    mat_t *mat = create(versions[0]);
    put_x(mat, versions[0]);
    put(mat, versions[0], numbers("names", MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 2, values, 0));
    Mat_Close(mat);
    const pare_read_options none = {.allow_missing = false};
    stream s;
    pare_data *data;
    char buffer[32];
    assert_int_equal(stream_open(&s, path, &ctx, NULL), PARE_OK);
    assert_int_equal(read_stream(&data, read_mat, &s, "m", &none, &ctx, NULL), PARE_OK);
    stream_close(&s);
    assert_int_equal(warnings, 1);
    assert_string_equal(pare_data_name(data, 0, buffer), "x1");
    pare_data_free(data);
    unlink(path);
}

static void refuses(void **state) {
    (void)state;
    double x[N * D] = {0}, four[4] = {0};
    mat_complex_split_t complex_x = {x, x};
    size_t dims3[3] = {2, 1, 2};
    const char *labels[2] = {"a", "b"};
    for (int i = 0; i < N_VERSIONS; i++) {
        version v = versions[i];
        mat_t *mat = create(v);
        put(mat, v, numbers("fea", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 2, four, 0));
        put(mat, v, numbers("gnd", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, 1, four, 0));
        Mat_Close(mat);
        refuse(PARE_E_FORMAT, " has no variable X, it has: fea, gnd");

        mat = create(v);
        put(mat, v, numbers("X", MAT_C_DOUBLE, MAT_T_DOUBLE, N, D, &complex_x, MAT_F_COMPLEX));
        Mat_Close(mat);
        refuse(PARE_E_FORMAT, ": X is complex, it must be real");

        mat = create(v);
        put(mat, v, Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims3, four, 0));
        Mat_Close(mat);
        refuse(PARE_E_FORMAT, ": X has 3 dimensions, samples by features are 2");

        mat = create(v);
        put(mat, v, cell("X", 1, 2, labels));
        Mat_Close(mat);
        refuse(PARE_E_FORMAT, ": X is a cell, it must be a matrix of numbers");

        mat = create(v);
        put(mat, v, text("X", "hello"));
        Mat_Close(mat);
        refuse(PARE_E_FORMAT, ": X is text, it must be a matrix of numbers");

        mat = create(v);
        put_x(mat, v);
        put(mat, v, numbers("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 4, 1, four, 0));
        Mat_Close(mat);
        refuse(PARE_E_FORMAT,
               ": the target Y is numeric of 4 x 1, it must be 5 real numbers, a cell "
               "of 5 texts or a char matrix of 5 rows");

        mat = create(v);
        put_x(mat, v);
        x[3] = NAN;
        put(mat, v, numbers("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, N, 1, x, 0));
        Mat_Close(mat);
        refuse(PARE_E_DATA, ": the target Y of sample 4 is nan, it must be finite");

        mat = create(v);
        put(mat, v, numbers("X", MAT_C_DOUBLE, MAT_T_DOUBLE, N, D, x, 0));
        Mat_Close(mat);
        const pare_read_options missing = {.allow_missing = true};
        pare_data *data = read_good(&missing);
        assert_true(data->x.missing);
        pare_data_free(data);
        refuse(PARE_E_DATA, ": feature 1 (\"x1\") of sample 4 is missing; choose "
                            "`missing` mean, median, indicator or drop");
        x[3] = 0;
    }
    snprintf(path, sizeof path, "%s/a.mat", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("a,b,class\n1,2,x\n", file);
    fclose(file);
    refuse(PARE_E_FORMAT, " is not a .mat file: it has less than 128 bytes");
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 100; i++) fputs("a,b,class\n", file);
    fclose(file);
    refuse(
        PARE_E_FORMAT,
        " is not a .mat file of version 5, 7 or 7.3: its bytes 126 and 127 are neither IM nor MI");
}

/* What cannot be seeked in goes through a temporary file. */
static void streams(void **state) {
    (void)state;
    char bytes[1 << 16];
    mat_t *mat = create(versions[1]);
    put_x(mat, versions[1]);
    Mat_Close(mat);
    size_t size = take_file(bytes, sizeof bytes);
    const pare_read_options none = {.allow_missing = false};
    stream s;
    pare_error err;
    pare_data *data;
    assert_int_equal(stream_open_memory(&s, "m", bytes, size, 100, NULL, &err), PARE_OK);
    assert_int_equal(read_stream(&data, read_mat, &s, "m", &none, NULL, &err), PARE_OK);
    check_x(data);
    stream_close(&s);
    pare_data_free(data);
}

/* A cut file is an error wherever it is cut, and never gives other numbers. */
static void cut_files(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        double values[N] = {9, 8, 7, 6, 5};
        mat_t *mat = create(versions[v]);
        put(mat, versions[v], numbers("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, N, 1, values, 0));
        put_x(mat, versions[v]);
        Mat_Close(mat);
        char bytes[1 << 16];
        size_t size = take_file(bytes, sizeof bytes);
        const pare_read_options none = {.allow_missing = true};
        for (size_t keep = 0; keep < size; keep++) {
            /* whole elements alone are a good file, which may lack X */
            stream s;
            pare_error err = {.message = ""};
            pare_data *data;
            assert_int_equal(stream_open_memory(&s, "m", bytes, keep, 4096, NULL, &err), PARE_OK);
            pare_status status = read_stream(&data, read_mat, &s, "m", &none, NULL, &err);
            assert_int_equal(status, PARE_E_FORMAT);
            if (keep == size - 1) {
                char expected[100];
                snprintf(expected, sizeof expected,
                         "m is cut short: it has %zu bytes and needs %zu or more", keep, size);
                assert_string_equal(err.message, expected);
            }
            stream_close(&s);
            pare_data_free(data);
        }
    }
}

/* Dimensions that the bytes do not bear out, before anybody allocates them. Packed or not. */
static void claims_are_checked(void **state) {
    (void)state;
    double x[N * D] = {0};
    for (int v = 0; v < 2; v++) {
        mat_t *mat = create(versions[v]);
        put(mat, versions[v],
            numbers("X", MAT_C_DOUBLE, MAT_T_DOUBLE, N, D, x, MAT_F_DONT_COPY_DATA));
        Mat_Close(mat);
        unsigned char bytes[1024], inner[512] = {0};
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        uLong length = sizeof inner;
        if (v == 1)
            assert_int_equal(uncompress(inner, &length, bytes + 136, (uLong)size - 136), Z_OK);
        unsigned char *at = v == 0 ? bytes + 128 : inner; /* tag, flags and their tag, a tag */
        const int32_t claimed[2] = {1 << 28, 1 << 4};
        memcpy(at + 8 + 16 + 8, claimed, sizeof claimed);
        if (v == 1) {
            uLong packed = sizeof bytes - 136;
            assert_int_equal(compress(bytes + 136, &packed, inner, length), Z_OK);
            uint32_t now = (uint32_t)packed;
            memcpy(bytes + 132, &now, sizeof now);
            size = 136 + packed;
        }
        assert_non_null(f = fopen(path, "wb"));
        assert_int_equal(fwrite(bytes, 1, size, f), size);
        fclose(f);
        pare_data *data;
        pare_error err;
        assert_int_equal(pare_data_read(&data, path, NULL, NULL, &err), PARE_E_FORMAT);
        assert_non_null(strstr(err.message, "not as large as it says"));
        remove(path);
    }
}

TEST_FILE(test_mat) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class),
        cmocka_unit_test(logical),
        cmocka_unit_test(sparse_x),
        cmocka_unit_test(sparse_rows_are_checked),
        cmocka_unit_test(targets_and_names),
        cmocka_unit_test(target_by_name),
        cmocka_unit_test(other_names_are_left_out),
        cmocka_unit_test(refuses),
        cmocka_unit_test(streams),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(claims_are_checked),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
