/* MATLAB's .mat through matio: versions 5, 7 (compressed) and, where matio has HDF5, 7.3.
 *
 * X: n x d, dense or sparse, of any real numeric class or logical. Y (or the variable that the
 * target option names): n numbers, a cell of n texts, or a char matrix of n rows; absent: no
 * target. names or feature_names: d texts, optional.
 *
 * matio wants a file that it can seek in, so standard input and .mat.gz go through a temporary one,
 * which is unlinked as soon as it is open. matio also accepts a truncated file, and leaves the
 * missing numbers unset: hence mat_elements.h and the mark in read_dense. matio logs nothing unless
 * a program installs a log. HDF5 prints on stderr: that is switched off during the call.
 *
 * Memory: a dense X is read and converted where it stays; matio holds a sparse one a second time.
 * */
#define _XOPEN_SOURCE 700 /* P_tmpdir */
#include "data/builder.h"
#include "data/format/mat_elements.h"
#include "data/format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<hdf5.h>) /* found through matio's flags where matio has it */
#include <hdf5.h>
#define HAS_HDF5
#endif

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

/* --- a file for matio --- */

static pare_status spool(stream *s, int file, pare_error *err) {
    for (;;) {
        while (s->at < s->end) {
            ssize_t done = write(file, s->buffer + s->at, s->end - s->at);
            if (done < 0)
                return error_set(err, PARE_E_IO,
                                 "%s: its temporary copy in %s cannot be written: "
                                 "error %d",
                                 s->name, P_tmpdir, errno);
            s->at += (size_t)done;
        }
        if (s->eof) return PARE_OK;
        PASS(stream_fill(s, err));
    }
}

static pare_status open_mat(mat_t **mat, stream *s, pare_error *err) {
    char temporary[] = P_tmpdir "/pare_XXXXXX";
    bool spooled = !s->path || !s->can_rewind;
    pare_status status = PARE_OK;
    *mat = NULL;
    int file = spooled ? mkstemp(temporary) : open(s->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set(err, PARE_E_IO, "%s: cannot be %s: error %d", s->name,
                         spooled ? "copied to a temporary file in " P_tmpdir : "opened", errno);
    if (spooled) status = spool(s, file, err);
    if (status == PARE_OK) status = mat_check_elements(file, s->name, err);
    if (status == PARE_OK && !(*mat = Mat_Open(spooled ? temporary : s->path, MAT_ACC_RDONLY)))
        status = error_set(err, PARE_E_FORMAT,
                           "%s is a damaged .mat file, or of a version that is "
                           "not supported",
                           s->name);
    if (spooled) unlink(temporary);
    close(file);
    return status;
}

/* --- numbers --- */

#define CONVERT(type)                                                                              \
    for (int64_t i = 0; i < count; i++) {                                                          \
        type v;                                                                                    \
        memcpy(&v, in + (size_t)i * sizeof v, sizeof v);                                           \
        out[i] = (double)v;                                                                        \
    }                                                                                              \
    return true

/* in may be the end of out: item i is read before anything is written over it. false: not a type of
 * real numbers. */
static bool convert(double *out, const char *in, int64_t count, enum matio_types type) {
    switch (type) {
    case MAT_T_DOUBLE: CONVERT(double);
    case MAT_T_SINGLE: CONVERT(float);
    case MAT_T_INT8: CONVERT(int8_t);
    case MAT_T_UINT8: CONVERT(uint8_t);
    case MAT_T_INT16: CONVERT(int16_t);
    case MAT_T_UINT16: CONVERT(uint16_t);
    case MAT_T_INT32: CONVERT(int32_t);
    case MAT_T_UINT32: CONVERT(uint32_t);
    case MAT_T_INT64: CONVERT(int64_t);
    case MAT_T_UINT64: CONVERT(uint64_t);
    default: return false;
    }
}

/* In memory a dense variable has the type of its class, whatever smaller type the file uses. */
static enum matio_types class_items(enum matio_classes class_type) {
    switch (class_type) {
    case MAT_C_DOUBLE: return MAT_T_DOUBLE;
    case MAT_C_SINGLE: return MAT_T_SINGLE;
    case MAT_C_INT8: return MAT_T_INT8;
    case MAT_C_UINT8: return MAT_T_UINT8;
    case MAT_C_INT16: return MAT_T_INT16;
    case MAT_C_UINT16: return MAT_T_UINT16;
    case MAT_C_INT32: return MAT_T_INT32;
    case MAT_C_UINT32: return MAT_T_UINT32;
    case MAT_C_INT64: return MAT_T_INT64;
    case MAT_C_UINT64: return MAT_T_UINT64;
    default: return MAT_T_UNKNOWN;
    }
}

static const char *class_name(enum matio_classes class_type) {
    switch (class_type) {
    case MAT_C_CELL: return "a cell";
    case MAT_C_STRUCT: return "a struct";
    case MAT_C_CHAR: return "text";
    case MAT_C_SPARSE: return "a sparse matrix";
    case MAT_C_EMPTY: return "empty";
    default: return class_items(class_type) == MAT_T_UNKNOWN ? "an object" : "numeric";
    }
}

static pare_status damaged(const stream *s, const char *variable, pare_error *err) {
    return error_set(err, PARE_E_FORMAT, "%s: the variable %s is damaged or cut short", s->name,
                     variable);
}

/* --- X --- */

static bool any_untouched(const double *value, int64_t count) {
    uint64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        found |= bits == UINT64_MAX;
    }
    return found != 0;
}

static pare_status read_dense(data_builder *b, mat_t *mat, matvar_t *x, const stream *s,
                              const pare_ctx *ctx, pare_error *err) {
    int64_t n = (int64_t)x->dims[0], d = (int64_t)x->dims[1];
    if (d > INT_MAX)
        return error_set(err, PARE_E_DATA,
                         "%s has %" PRId64 " features, at most %d are allowed in a "
                         ".mat file",
                         s->name, d, INT_MAX);
    PASS(data_alloc_dense(b, n, d, s->name, ctx, err));
    enum matio_types items = class_items(x->class_type);
    size_t count = (size_t)(n * d);
    char *end = (char *)(b->fill.value + count), *in = end - count * Mat_SizeOf(items);
    int start[2] = {0, 0}, stride[2] = {1, 1}, edge[2] = {(int)n, (int)d};
    memset(b->fill.value, 0xff, count * sizeof *b->fill.value);
    if (Mat_VarReadData(mat, x, in, start, stride, edge) != 0 ||
        !convert(b->fill.value, in, n * d, items) || any_untouched(b->fill.value, n * d))
        return damaged(s, "X", err);
    return PARE_OK;
}

static pare_status read_sparse(data_builder *b, mat_t *mat, matvar_t *x, const stream *s,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t n = (int64_t)x->dims[0], d = (int64_t)x->dims[1];
    if (Mat_VarReadDataAll(mat, x) != 0 || !x->data) return damaged(s, "X", err);
    const mat_sparse_t *from = x->data;
    if (from->njc != (uint64_t)d + 1 || !from->jc) return damaged(s, "X", err);
    int64_t entries = from->jc[d];
    if (from->nir < entries || from->ndata < entries || (entries && (!from->ir || !from->data)))
        return damaged(s, "X", err);
    PASS(data_alloc_sparse(b, n, d, entries, s->name, ctx, err));
    for (int64_t j = 0; j <= d; j++) b->fill.col_ptr[j] = from->jc[j];
    for (int64_t e = 0; e < entries; e++) {
        if (from->ir[e] > INT32_MAX) return damaged(s, "X", err);
        b->fill.row[e] = (int32_t)from->ir[e];
    }
    return convert(b->fill.value, from->data ? from->data : "", entries, x->data_type)
               ? PARE_OK
               : damaged(s, "X", err);
}

static pare_status error_no_variable(mat_t *mat, const stream *s, const char *name,
                                     pare_error *err) {
    char list[512] = "";
    size_t count = 0, at = 0;
    char *const *names = Mat_GetDir(mat, &count);
    for (size_t i = 0; names && i < count && at < sizeof list - 1; i++)
        if (names[i])
            at +=
                (size_t)snprintf(list + at, sizeof list - at, "%s%.60s", at ? ", " : "", names[i]);
    return error_set(err, PARE_E_FORMAT, "%s has no variable %s, it has: %s", s->name, name,
                     at ? list : "none");
}

static pare_status read_x(data_builder *b, mat_t *mat, const stream *s, const pare_ctx *ctx,
                          pare_error *err) {
    pare_status status = PARE_OK;
    matvar_t *x = Mat_VarReadInfo(mat, "X");
    if (!x) return error_no_variable(mat, s, "X", err);
    if (x->rank != 2 || !x->dims || x->dims[0] > INT64_MAX || x->dims[1] > INT64_MAX)
        status = error_set(err, PARE_E_FORMAT, "%s: X has %d dimensions, samples by features are 2",
                           s->name, x->rank);
    else if (x->isComplex)
        status = error_set(err, PARE_E_FORMAT, "%s: X is complex, it must be real", s->name);
    else if (x->dims[0] == 0 || x->dims[1] == 0)
        status = error_set(err, PARE_E_DATA, "%s: X is empty", s->name);
    else if (x->class_type == MAT_C_SPARSE)
        status = read_sparse(b, mat, x, s, ctx, err);
    else if (class_items(x->class_type) != MAT_T_UNKNOWN)
        status = read_dense(b, mat, x, s, ctx, err);
    else
        status = error_set(err, PARE_E_FORMAT, "%s: X is %s, it must be a matrix of numbers",
                           s->name, class_name(x->class_type));
    Mat_VarFree(x);
    return status;
}

/* --- text --- */

/* Code point c as UTF-8; returns the number of bytes, at most 4. */
static size_t put_utf8(char *out, uint32_t c) {
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t k = size - 1; k > 0; k--, c >>= 6) out[k] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[size] | c);
    return size;
}

/* Decodes the code point at p, of any bytes; returns the number of bytes it takes. */
static size_t take_utf8(uint32_t *c, const unsigned char *p, size_t left) {
    size_t size = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc0 ? 2 : 1;
    if (size > left) size = 1;
    *c = size == 1 ? *p : *p & (0x7fu >> size);
    for (size_t k = 1; k < size; k++) *c = *c << 6 | (p[k] & 0x3f);
    return size;
}

static int64_t item_count(const matvar_t *v) {
    size_t count;
    if (v->rank != 2 || !v->dims || v->dims[0] > INT64_MAX || v->dims[1] > INT64_MAX ||
        !size_mul((int64_t)v->dims[0], (int64_t)v->dims[1], &count))
        return -1;
    return (int64_t)count;
}

/* A char matrix. Its items are bytes, as many as there are; UTF-8, where one character of the
 * matrix may be several bytes; or 16-bit units. */
static bool is_text(const matvar_t *v) {
    if (!v || v->class_type != MAT_C_CHAR) return false;
    size_t unit = Mat_SizeOf(v->data_type);
    int64_t count = item_count(v);
    return count == 0 ||
           (count > 0 && (unit == 1 || unit == 2) && v->data && v->nbytes / unit >= (size_t)count);
}

static void decode(uint32_t *out, int64_t count, const matvar_t *v) {
    const unsigned char *p = v->data;
    if (!p) return; /* an empty one has no bytes */
    const unsigned char *end = p + v->nbytes;
    bool wide = Mat_SizeOf(v->data_type) == 2, utf8 = !wide && v->nbytes > (size_t)count;
    for (int64_t k = 0; k < count; k++) {
        uint16_t w = 0;
        if (wide) memcpy(&w, p + 2 * k, sizeof w);
        out[k] = wide ? w : utf8 ? ' ' : p[k];
        if (utf8 && p < end) p += take_utf8(&out[k], p, (size_t)(end - p));
    }
}

/* Appends every row of a char matrix, as UTF-8 and without its trailing blanks. */
static bool add_char_rows(strings *list, const pare_allocator *mem, const matvar_t *v) {
    int64_t count = item_count(v);
    size_t rows = v->dims[0], width = v->dims[1];
    bool as_bytes = v->nbytes == (size_t)count, fine = true;
    uint32_t *point = mem_alloc(mem, count, sizeof *point);
    char *text = mem_alloc(mem, (int64_t)width, 4);
    if (point && text) decode(point, count, v);
    fine = point && text;
    for (size_t i = 0; i < rows && fine; i++) {
        size_t length = 0;
        for (size_t k = 0; k < width; k++) {
            uint32_t c = point[i + k * rows], next = k + 1 < width ? point[i + (k + 1) * rows] : 0;
            if (c >> 10 == 0x36 && next >> 10 == 0x37) { /* two halves of one character in UTF-16 */
                c = 0x10000 + ((c & 0x3ff) << 10 | (next & 0x3ff));
                k++;
            }
            if (as_bytes)
                text[length++] = (char)c;
            else
                length += put_utf8(text + length, c);
        }
        while (length && text[length - 1] == ' ') length--;
        fine = strings_add(list, mem, text, (int64_t)length);
    }
    mem_free(mem, text);
    mem_free(mem, point);
    return fine;
}

static bool is_vector(const matvar_t *v, int64_t count) {
    return item_count(v) == count && (v->dims[0] == 1 || v->dims[1] == 1);
}

/* Returns true if v is a list of `count` texts: a cell of them, or a char matrix with so many
 * rows. */
static bool is_text_list(const matvar_t *v, int64_t count) {
    if (v->class_type != MAT_C_CELL) return is_text(v) && v->dims[0] == (uint64_t)count;
    if (!is_vector(v, count) || !v->data) return false;
    for (int64_t i = 0; i < count; i++) {
        const matvar_t *cell = ((matvar_t **)v->data)[i];
        if (!is_text(cell) || cell->dims[0] > 1) return false;
    }
    return true;
}

static bool add_texts(strings *list, const pare_allocator *mem, const matvar_t *v, int64_t count) {
    if (v->class_type != MAT_C_CELL) return add_char_rows(list, mem, v);
    bool fine = true;
    for (int64_t i = 0; i < count && fine; i++) {
        const matvar_t *cell = ((matvar_t **)v->data)[i];
        fine = cell->dims[0] == 0 ? strings_add(list, mem, "", 0) : add_char_rows(list, mem, cell);
    }
    return fine;
}

/* --- Y and names --- */

static pare_status add_numbers(data_builder *b, const matvar_t *y, const stream *s,
                               pare_error *err) {
    pare_data *data = b->data;
    int64_t n = data->x.n;
    pare_status status = PARE_OK;
    double *value = NULL;
    enum matio_types items = class_items(y->class_type);
    if (!y->data || y->nbytes < (size_t)n * Mat_SizeOf(items)) return damaged(s, y->name, err);
    TRY_MEM(value = mem_alloc(&data->mem, n, sizeof *value));
    if (!convert(value, y->data, n, items)) status = damaged(s, y->name, err);
    for (int64_t i = 0; i < n && status == PARE_OK; i++) {
        char text[32];
        int length = number_format(value[i], text);
        if (!isfinite(value[i]))
            status = error_at(err, PARE_E_DATA, i + 1, 0, -1,
                              "%s: the target %s of sample %" PRId64 " is %s, it must be finite",
                              s->name, y->name, i + 1, text);
        else if (!strings_add(&data->target.text, &data->mem, text, length))
            status = error_memory(err);
    }
done:
    mem_free(&data->mem, value);
    return status;
}

static pare_status read_y(data_builder *b, mat_t *mat, const stream *s, const pare_read_options *o,
                          pare_error *err) {
    pare_data *data = b->data;
    if (o->no_target || o->labels) return PARE_OK;
    const char *name = o->target ? o->target : "Y";
    int64_t n = data->x.n;
    pare_status status = PARE_OK;
    matvar_t *y = Mat_VarRead(mat, name);
    if (!y) return o->target ? error_no_variable(mat, s, name, err) : PARE_OK;
    if (is_text_list(y, n))
        status = add_texts(&data->target.text, &data->mem, y, n) ? PARE_OK : error_memory(err);
    else if (class_items(y->class_type) != MAT_T_UNKNOWN && !y->isComplex && is_vector(y, n))
        status = add_numbers(b, y, s, err);
    else
        status = error_set(
            err, PARE_E_FORMAT,
            "%s: the target %s is %s of %zu x %zu, it must be %" PRId64
            " real numbers, a cell of %" PRId64 " texts or a char matrix of %" PRId64 " rows",
            s->name, name, class_name(y->class_type), y->rank == 2 && y->dims ? y->dims[0] : 0,
            y->rank == 2 && y->dims ? y->dims[1] : 0, n, n, n);
    Mat_VarFree(y);
    return status;
}

/* A variable of that name may be something else: then the features have no names. */
static pare_status read_names(data_builder *b, mat_t *mat, const stream *s, const pare_ctx *ctx,
                              pare_error *err) {
    pare_data *data = b->data;
    static const char *const known[] = {"names", "feature_names"};
    bool fine = true;
    for (size_t k = 0; k < 2 && fine && data->names.count == 0; k++) {
        matvar_t *v = Mat_VarRead(mat, known[k]);
        if (!v) continue;
        if (is_text_list(v, data->x.d))
            fine = add_texts(&data->names, &data->mem, v, data->x.d);
        else
            ctx_log(ctx, PARE_LOG_WARNING,
                    "%s: the variable %s is not a list of %" PRId64 " texts and is left out",
                    s->name, known[k], data->x.d);
        Mat_VarFree(v);
    }
    return fine ? PARE_OK : error_memory(err);
}

static pare_status read_variables(data_builder *b, stream *s, const pare_read_options *o,
                                  const pare_ctx *ctx, pare_error *err) {
    mat_t *mat;
    pare_status status = PARE_OK;
    TRY(open_mat(&mat, s, err));
    TRY(read_x(b, mat, s, ctx, err));
    TRY(read_y(b, mat, s, o, err));
    TRY(read_names(b, mat, s, ctx, err));
    if (!o->allow_missing) TRY(data_refuse_missing(b, s->name, err));
done:
    if (mat) Mat_Close(mat);
    return status;
}

pare_status read_mat(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
#ifdef HAS_HDF5
    H5E_auto2_t report;
    void *user;
    if (H5Eget_auto2(H5E_DEFAULT, &report, &user) < 0) return read_variables(b, s, o, ctx, err);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    pare_status status = read_variables(b, s, o, ctx, err);
    H5Eset_auto2(H5E_DEFAULT, report, user);
    return status;
#else
    return read_variables(b, s, o, ctx, err);
#endif
}
