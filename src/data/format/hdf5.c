/* Single-cell data in HDF5: AnnData's .h5ad and the .h5 that 10x writes.
 *
 * .h5ad: X is dense, in rows of samples, or sparse, by rows or by columns; the names are var's
 * index, the ids obs's; the target, weights and so on are columns of obs. 10x: samples are
 * barcodes, features are named by their ids. Everything is read in blocks; memory is X (floats
 * where these hold every number) and a block. Sparse rows are read twice, once to count. HDF5 as
 * packaged by Debian is not thread-safe: one thread at a time. */
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/format/cell.h"
#include "data/format/csv.h"
#include "data/format/hdf5_lists.h"
#include "data/table/roles.h"
#include "data/table/annotations.h"
#include "data/format/sparse_rows.h"
#include "data/format/stream.h"

enum { BLOCK = 1 << 16, PATH = 1024 };

/* ---- X, dense ---- */

/* Returns true if floats hold every number of the type. */
static bool fits_float(hid_t type) {
    H5T_class_t kind = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    return kind == H5T_FLOAT ? size <= 4 : kind == H5T_INTEGER && size <= 2;
}

static pare_status read_rows(data_builder *b, const h5_place *p, hid_t set, hid_t space,
                             bool floats, pare_error *err) {
    const pare_data *data = b->data;
    int64_t n = data->x.n, d = data->x.d, at_once = BLOCK / d > 0 ? BLOCK / d : 1;
    pare_status status = PARE_OK;
    hid_t type = floats ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    void *rows = mem_alloc(p->mem, at_once * d, floats ? sizeof(float) : sizeof(double));
    if (!rows) return error_memory(err);
    for (int64_t i = 0; i < n && status == PARE_OK; i += at_once) {
        int64_t now = n - i < at_once ? n - i : at_once;
        hsize_t first[2] = {(hsize_t)i, 0}, count[2] = {(hsize_t)now, (hsize_t)d};
        hid_t memory = H5Screate_simple(2, count, NULL);
        if (memory < 0 ||
            H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) < 0 ||
            H5Dread(set, type, memory, space, H5P_DEFAULT, rows) < 0)
            status = h5_damaged(p, "/X", err);
        if (memory >= 0) H5Sclose(memory);
        for (int64_t e = 0; e < now * d && status == PARE_OK; e++) {
            int64_t to = e % d * n + i + e / d;
            if (floats)
                ((float *)b->fill.items)[to] = ((const float *)rows)[e];
            else
                b->fill.value[to] = ((const double *)rows)[e];
        }
    }
    mem_free(p->mem, rows);
    return status;
}

static pare_status read_dense(data_builder *b, const h5_place *p, const pare_ctx *ctx,
                              pare_error *err) {
    hid_t set = H5Dopen2(p->file, "/X", H5P_DEFAULT);
    hid_t type = set >= 0 ? H5Dget_type(set) : -1, space = set >= 0 ? H5Dget_space(set) : -1;
    hsize_t size[2];
    pare_status status = PARE_OK;
    H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool numbers = kind == H5T_FLOAT || kind == H5T_INTEGER;
    if (!numbers || space < 0 || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, size, NULL) != 2) {
        status = error_set(err, PARE_E_FORMAT, "%s: X is no matrix of numbers", p->name);
        goto done;
    }
    int64_t n = (int64_t)size[0], d = (int64_t)size[1];
    bool floats = fits_float(type);
    TRY(floats ? data_alloc_items(b, n, d, MAT_F4, p->name, ctx, err)
               : data_alloc_dense(b, n, d, p->name, ctx, err));
    TRY(read_rows(b, p, set, space, floats, err));
done:
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (set >= 0) H5Dclose(set);
    return status;
}

/* ---- X, sparse ---- */

/* Three datasets of a group. */
typedef struct sparse_parts {
    char data[PATH], indices[PATH], indptr[PATH];
    int64_t *start; /* of each row or column, and the end of the last */
    int64_t count;  /* of these */
    int64_t width;  /* indices are below */
} sparse_parts;

static pare_status open_parts(sparse_parts *s, const h5_place *p, const char *group, int64_t count,
                              int64_t width, pare_error *err) {
    snprintf(s->data, sizeof s->data, "%s/data", group);
    snprintf(s->indices, sizeof s->indices, "%s/indices", group);
    snprintf(s->indptr, sizeof s->indptr, "%s/indptr", group);
    s->count = count;
    s->width = width;
    s->start = NULL;
    int64_t entries = h5_length(p, s->data);
    if (count < 0 || width < 0 || entries < 0 || h5_length(p, s->indices) != entries ||
        h5_length(p, s->indptr) != count + 1)
        return h5_damaged(p, group, err);
    s->start = mem_alloc(p->mem, count + 1, sizeof *s->start);
    if (!s->start) return error_memory(err);
    pare_status status = h5_numbers(s->start, H5T_NATIVE_INT64, p, s->indptr, 0, count + 1, err);
    if (status != PARE_OK) return status;
    bool ascends = s->start[0] == 0 && s->start[count] == entries;
    for (int64_t i = 0; i < count && ascends; i++) ascends = s->start[i] <= s->start[i + 1];
    return ascends ? PARE_OK : h5_damaged(p, s->indptr, err);
}

/* Puts all entries, row by row; values are not read in the counting pass. */
static pare_status put_rows(sparse_rows *r, const sparse_parts *s, const h5_place *p, bool values,
                            pare_error *err) {
    int64_t *index = mem_alloc(p->mem, BLOCK, sizeof *index), at = 0, end = 0;
    double *value = mem_zero(p->mem, BLOCK, sizeof *value);
    pare_status status = PARE_OK;
    TRY_MEM(index && value);
    for (int64_t i = 0; i < s->count; i++) {
        for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) {
            if (e == end) {
                int64_t left = s->start[s->count] - e;
                at = e;
                end = e + (left < BLOCK ? left : BLOCK);
                TRY(h5_numbers(index, H5T_NATIVE_INT64, p, s->indices, at, end - at, err));
                if (values)
                    TRY(h5_numbers(value, H5T_NATIVE_DOUBLE, p, s->data, at, end - at, err));
            }
            int64_t j = index[e - at];
            if (j < 0 || j >= s->width) {
                status = h5_damaged(p, s->indices, err);
                goto done;
            }
            if (!sparse_rows_quick(r, j, value[e - at]))
                TRY(sparse_rows_put(r, j, value[e - at], err));
        }
        TRY(sparse_rows_end_row(r, err));
    }
done:
    mem_free(p->mem, index);
    mem_free(p->mem, value);
    return status;
}

static pare_status read_by_rows(data_builder *b, const sparse_parts *s, const h5_place *p,
                                const pare_ctx *ctx, pare_error *err) {
    sparse_rows r;
    /* before they are counted: storage that was never written takes no bytes of the file */
    PASS(data_check_memory(12.0 * (double)s->start[s->count], p->name, ctx, err));
    pare_status status = PARE_OK;
    TRY(sparse_rows_begin(&r, b, s->width, false, p->name, ctx, err));
    TRY(put_rows(&r, s, p, false, err));
    TRY(sparse_rows_fill(&r, err));
    TRY(put_rows(&r, s, p, true, err));
    TRY(sparse_rows_finish(&r, err));
done:
    sparse_rows_free(&r);
    return status;
}

static pare_status read_by_columns(data_builder *b, const sparse_parts *s, const h5_place *p,
                                   const pare_ctx *ctx, pare_error *err) {
    int64_t entries = s->start[s->count];
    pare_status status = PARE_OK;
    TRY(data_alloc_sparse(b, s->width, s->count, entries, p->name, ctx, err));
    memcpy(b->fill.col_ptr, s->start, sizeof *s->start * (size_t)(s->count + 1));
    TRY(h5_numbers(b->fill.row, H5T_NATIVE_INT32, p, s->indices, 0, entries, err));
    TRY(h5_numbers(b->fill.value, H5T_NATIVE_DOUBLE, p, s->data, 0, entries, err));
done:
    return status;
}

static pare_status read_sparse(data_builder *b, const h5_place *p, const char *group, int64_t n,
                               int64_t d, bool by_rows, const pare_ctx *ctx, pare_error *err) {
    sparse_parts s = {0};
    pare_status status = open_parts(&s, p, group, by_rows ? n : d, by_rows ? d : n, err);
    if (s.start && status == PARE_OK)
        status = (by_rows ? read_by_rows : read_by_columns)(b, &s, p, ctx, err);
    mem_free(p->mem, s.start);
    return status;
}

/* ---- .h5ad ---- */

/* The path of obs's or var's index. */
static void index_path(char out[PATH], const h5_place *p, const char *table) {
    char name[PATH / 2];
    if (!h5_attribute(p, table, "_index", name, sizeof name))
        snprintf(name, sizeof name, "%s", "_index");
    snprintf(out, PATH, "%s/%s", table, name);
}

/* Adds "name, " to the list that a message shows, while it fits. */
static herr_t add_column_name(hid_t group, const char *name, const H5L_info_t *info, void *shown) {
    char *text = shown, room[CELL_SHOWN];
    const char *marked = cell_shown_bare(name, room);
    size_t used = strlen(text);
    (void)group;
    (void)info;
    if (*name != '_' && used + strlen(marked) + 3 < 300)
        snprintf(text + used, 300 - used, " %s", marked);
    return 0;
}

static pare_status no_column(const h5_place *p, const char *called, pare_error *err) {
    char shown[300] = "";
    H5Literate_by_name(p->file, "/obs", H5_INDEX_NAME, H5_ITER_INC, NULL, add_column_name, shown,
                       H5P_DEFAULT);
    return error_set(err, PARE_E_DATA, "%s: obs has no column \"%.60s\"; it has:%s", p->name,
                     called, *shown ? shown : " none");
}

static bool column_path(char out[PATH], const h5_place *p, const char *called) {
    return strchr(called, '/') == NULL && snprintf(out, PATH, "/obs/%s", called) < PATH &&
           h5_has(p, out);
}

static pare_status read_obs_target(data_builder *b, const h5_place *p, const pare_read_options *o,
                                   const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    static const char *const usual[] = {"class", "target", "label", "y"};
    char path[PATH];
    const char *called = o->target;
    for (int k = 0; !called && k < 4; k++)
        if (column_path(path, p, usual[k])) called = usual[k];
    if (!called) return PARE_OK;
    if (!column_path(path, p, called)) return no_column(p, called, err);
    if (!o->target)
        ctx_log(ctx, PARE_LOG_INFO, "%s: the target is the column \"%s\" of obs", p->name, called);
    if (!strings_add(&data->target_name, &data->mem, called, (int64_t)strlen(called)))
        return error_memory(err);
    return h5_texts(&data->target.text, p, path, err);
}

static pare_status read_obs_annotations(data_builder *b, const h5_place *p,
                                        const pare_read_options *o, pare_error *err) {
    char path[PATH];
    strings list = {0};
    pare_status status = PARE_OK;
    for (int k = 0; k < N_ANNOTATIONS; k++) {
        const char *called = annotation_option(o, (annotation_kind)k);
        if (!called || !column_path(path, p, called)) continue;
        TRY(h5_texts(&list, p, path, err));
        for (int64_t i = 0; i < list.count; i++) {
            place at = {.file = p->name, .line = i + 1, .byte = -1, .name = called};
            const char *text = strings_at(&list, i);
            TRY(annotation_put(b, (annotation_kind)k, i, text, (int64_t)strlen(text), &at, err));
        }
        strings_free(&list, p->mem);
    }
done:
    strings_free(&list, p->mem);
    return status;
}

static pare_status read_anndata(data_builder *b, const h5_place *p, const pare_read_options *o,
                                const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    char obs[PATH], var[PATH], kind[64] = "", marked[CELL_SHOWN];
    pare_status status = PARE_OK;
    if (!h5_has(p, "/X") || !h5_is_group(p, "/obs") || !h5_is_group(p, "/var"))
        return error_set(err, PARE_E_FORMAT,
                         "%s has no X, obs and var as AnnData writes them since version 0.7",
                         p->name);
    index_path(obs, p, "/obs");
    index_path(var, p, "/var");
    TRY(h5_texts(&data->ids, p, obs, err));
    TRY(h5_texts(&data->names, p, var, err));
    if (!h5_is_group(p, "/X")) {
        TRY(read_dense(b, p, ctx, err));
    } else {
        if (!h5_attribute(p, "/X", "encoding-type", kind, sizeof kind))
            h5_attribute(p, "/X", "h5sparse_format", kind, sizeof kind);
        bool by_rows = strncmp(kind, "csr", 3) == 0;
        if (!by_rows && strncmp(kind, "csc", 3) != 0)
            return error_set(err, PARE_E_FORMAT, "%s: X is %s, it must be dense, csr or csc",
                             p->name, cell_shown(kind, (int64_t)strlen(kind), marked));
        TRY(read_sparse(b, p, "/X", data->ids.count, data->names.count, by_rows, ctx, err));
    }
    if (!o->no_target && !o->labels) TRY(read_obs_target(b, p, o, ctx, err));
    TRY(read_obs_annotations(b, p, o, err));
done:
    return status;
}

/* ---- 10x ---- */

/* The first group at the top: the genome's, in files of before version 3. */
static herr_t first_name(hid_t group, const char *name, const H5L_info_t *info, void *out) {
    (void)group;
    (void)info;
    snprintf(out, PATH / 2, "/%s", name);
    return 1;
}

static pare_status read_10x_matrix(data_builder *b, const h5_place *p, const pare_ctx *ctx,
                                   pare_error *err) {
    pare_data *data = b->data;
    char group[PATH / 2] = "/matrix", path[PATH];
    pare_status status = PARE_OK;
    if (!h5_is_group(p, group))
        H5Literate(p->file, H5_INDEX_NAME, H5_ITER_INC, NULL, first_name, group);
    snprintf(path, sizeof path, "%s/barcodes", group);
    if (!h5_has(p, path))
        return error_set(err, PARE_E_FORMAT,
                         "%s is neither what 10x writes (matrix, barcodes, features) nor AnnData",
                         p->name);
    TRY(h5_texts(&data->ids, p, path, err));
    snprintf(path, sizeof path, "%s/features/id", group);
    if (!h5_has(p, path)) snprintf(path, sizeof path, "%s/genes", group);
    TRY(h5_texts(&data->names, p, path, err));
    TRY(read_sparse(b, p, group, data->ids.count, data->names.count, true, ctx, err));
done:
    return status;
}

/* ---- both ---- */

static pare_status read_file(data_builder *b, const stream *s, const pare_read_options *o,
                             const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = b->data;
    h5_place p = {-1, s->name, &data->mem, ctx};
    pare_status status;
    if (!s->path || !s->can_rewind)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: HDF5 is read from a plain file that is not compressed", s->name);
    if (o->drop || (roles_id(o) && !annotations_join(o)))
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: %s names a column of a table, and ids come with HDF5", s->name,
                         o->drop ? "drop" : "id");
    p.file = H5Fopen(s->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (p.file < 0)
        return error_set(err, PARE_E_FORMAT, "%s is no HDF5 file, or is damaged", s->name);
    status = h5_has(&p, "/X") && h5_has(&p, "/obs") ? read_anndata(b, &p, o, ctx, err)
                                                    : read_10x_matrix(b, &p, ctx, err);
    H5Fclose(p.file);
    if (status == PARE_OK && !o->allow_missing) status = data_refuse_missing(b, s->name, err);
    return status;
}

/* HDF5 prints errors unless that is switched off. */
pare_status read_hdf5(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                      pare_error *err) {
    H5E_auto2_t report;
    void *user;
    bool known = H5Eget_auto2(H5E_DEFAULT, &report, &user) >= 0;
    if (known) H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    pare_status status = read_file(b, s, o, ctx, err);
    if (known) H5Eset_auto2(H5E_DEFAULT, report, user);
    return status;
}
