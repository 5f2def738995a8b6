#include "support/text_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/support.h"

void write_bytes(const char *path, const void *bytes, size_t size, bool gzip) {
    gzFile file = gzopen(path, gzip ? "wb" : "wbT");
    assert_non_null(file);
    if (size) assert_int_equal(gzwrite(file, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
}

void write_text(const char *path, const char *text) {
    write_bytes(path, text, strlen(text), false);
}

static void check_same_strings(const strings *a, const strings *b) {
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++) assert_string_equal(strings_at(a, i), strings_at(b, i));
}

static void check_same_columns(const matrix *a, const matrix *b) {
    view all = view_all(a), other = view_all(b);
    walk w, v;
    column c, e;
    int64_t j, k;
    assert_int_equal(walk_open(&w, &all, NULL, all.d, NULL, NULL), PARE_OK);
    assert_int_equal(walk_open(&v, &other, NULL, all.d, NULL, NULL), PARE_OK);
    while (walk_next(&w, &j, &c) && walk_next(&v, &k, &e)) {
        assert_int_equal(c.count, e.count);
        if (c.index) assert_memory_equal(c.index, e.index, (size_t)c.count * sizeof *c.index);
        assert_memory_equal(c.value, e.value, (size_t)c.count * sizeof *c.value);
    }
    assert_int_equal(walk_close(&w, NULL), PARE_OK);
    assert_int_equal(walk_close(&v, NULL), PARE_OK);
}

void check_rows(const pare_data *data, int64_t n, int64_t d, const double *rows) {
    assert_int_equal(data->x.n, n);
    assert_int_equal(data->x.d, d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double value = value_at(data, i, j), expected = rows[i * d + j];
            assert_true(value == expected || (isnan(value) && isnan(expected)));
        }
}

void check_same_data(const pare_data *a, const pare_data *b) {
    assert_int_equal(a->x.n, b->x.n);
    assert_int_equal(a->x.d, b->x.d);
    assert_int_equal(a->x.missing, b->x.missing);
    assert_string_equal(mat_kind(&a->x), mat_kind(&b->x));
    check_same_columns(&a->x, &b->x);
    check_same_strings(&a->names, &b->names);
    check_same_strings(&a->target.text, &b->target.text);
    check_same_strings(&a->ids, &b->ids);
    check_same_strings(&a->groups, &b->groups);
    assert_int_equal(!a->weight, !b->weight);
    if (a->weight) assert_memory_equal(a->weight, b->weight, (size_t)a->x.n * sizeof *a->weight);
}

pare_data *read_bytes(const char *path, const void *bytes, size_t size,
                      const pare_read_options *o) {
    pare_data *data[2];
    for (int i = 0; i < 2; i++) {
        pare_error err;
        write_bytes(path, bytes, size, i == 1);
        pare_status status = pare_data_read(&data[i], path, o, NULL, &err);
        remove(path);
        if (status != PARE_OK) print_error("%s\n", err.message);
        assert_int_equal(status, PARE_OK);
    }
    check_same_data(data[0], data[1]);
    pare_data_free(data[1]);
    return data[0];
}

pare_data *read_text(const char *path, const char *text, const pare_read_options *o) {
    return read_bytes(path, text, strlen(text), o);
}

void check_refused_at(const char *path, const void *bytes, size_t size, const pare_read_options *o,
                      const char *message, int64_t row, int64_t col, const char *file, int line) {
    for (int i = 0; i < 2; i++) {
        pare_error err = {0};
        pare_data *data;
        write_bytes(path, bytes, size, i == 1);
        pare_status status = pare_data_read(&data, path, o, NULL, &err);
        remove(path);
        if (status == PARE_OK || strcmp(err.message, message) || err.row != row ||
            err.column != col || data) {
            print_error("expected %s at %d, %d\ngot      %s at %d, %d, byte %d\n", message,
                        (int)row, (int)col, status ? err.message : "success", (int)err.row,
                        (int)err.column, (int)err.byte);
            _fail(file, line);
        }
    }
}

double value_at(const pare_data *data, int64_t i, int64_t j) {
    double *x = dense_of(&data->x), value = x[j * data->x.n + i];
    free(x);
    return value;
}

pare_read_options read_options(void) {
    pare_read_options o;
    pare_read_options_init(&o);
    return o;
}

void check_list(const strings *list, const char *joined) {
    char text[512] = "";
    for (int64_t i = 0; i < list->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "|" : "",
                 strings_at(list, i));
    assert_string_equal(text, joined);
}

void check_data(pare_data *data, const char *names, const char *target, const char *ids,
                const double *rows) {
    check_list(&data->names, names);
    check_list(&data->target.text, target);
    check_list(&data->ids, ids);
    for (int64_t i = 0; i < data->x.n; i++)
        for (int64_t j = 0; j < data->x.d; j++) {
            double value = value_at(data, i, j), expected = rows[i * data->x.d + j];
            assert_true(value == expected || (isnan(value) && isnan(expected)));
        }
    pare_data_free(data);
}
