#include "data/format/hdf5_lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/builder.h"
#include "data/format/cell.h"

enum { BLOCK_ITEMS = 4096, PATH = 1024 };

pare_status h5_damaged(const h5_place *p, const char *path, pare_error *err) {
    char shown[CELL_SHOWN];
    return error_set(err, PARE_E_FORMAT, "%s: %s is not as it should be, or cannot be read",
                     p->name, cell_shown_bare(path, shown));
}

/* HDF5 requires a check of every part of the path. */
bool h5_has(const h5_place *p, const char *path) {
    char part[PATH];
    size_t length = strlen(path);
    if (length >= sizeof part) return false;
    for (size_t k = 1; k <= length; k++) {
        if (path[k] != '/' && path[k] != '\0') continue;
        memcpy(part, path, k);
        part[k] = '\0';
        if (H5Lexists(p->file, part, H5P_DEFAULT) <= 0) return false;
    }
    return H5Oexists_by_name(p->file, path, H5P_DEFAULT) > 0;
}

bool h5_is_group(const h5_place *p, const char *path) {
    H5O_info_t info;
    return h5_has(p, path) && H5Oget_info_by_name(p->file, path, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5O_TYPE_GROUP;
}

bool h5_attribute(const h5_place *p, const char *path, const char *attribute, char *out,
                  size_t capacity) {
    bool found = false;
    if (H5Aexists_by_name(p->file, path, attribute, H5P_DEFAULT) <= 0) return false;
    hid_t a = H5Aopen_by_name(p->file, path, attribute, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = a >= 0 ? H5Aget_type(a) : -1, space = a >= 0 ? H5Aget_space(a) : -1;
    bool one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (one && type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
        char *text = NULL;
        hid_t own = H5Tcopy(H5T_C_S1);
        H5Tset_size(own, H5T_VARIABLE);
        H5Tset_cset(own, H5Tget_cset(type));
        found = H5Aread(a, own, (void *)&text) >= 0 && text && strlen(text) < capacity;
        if (found) memcpy(out, text, strlen(text) + 1);
        if (text) H5free_memory(text);
        H5Tclose(own);
    } else if (one && type >= 0 && H5Tget_class(type) == H5T_STRING &&
               H5Tget_size(type) < capacity) {
        found = H5Aread(a, type, out) >= 0;
        out[H5Tget_size(type)] = '\0';
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (a >= 0) H5Aclose(a);
    return found;
}

/* ---- a one-dimensional dataset ---- */

typedef struct list {
    hid_t set, type, space;
    hsize_t count;
} list;

static void list_close(list *l) {
    if (l->space >= 0) H5Sclose(l->space);
    if (l->type >= 0) H5Tclose(l->type);
    if (l->set >= 0) H5Dclose(l->set);
}

static bool list_open(list *l, const h5_place *p, const char *path) {
    *l = (list){-1, -1, -1, 0};
    if (!h5_has(p, path) || h5_is_group(p, path)) return false;
    l->set = H5Dopen2(p->file, path, H5P_DEFAULT);
    l->type = l->set >= 0 ? H5Dget_type(l->set) : -1;
    l->space = l->set >= 0 ? H5Dget_space(l->set) : -1;
    if (l->type >= 0 && l->space >= 0 && H5Sget_simple_extent_ndims(l->space) == 1 &&
        H5Sget_simple_extent_dims(l->space, &l->count, NULL) == 1 && l->count <= INT64_MAX)
        return true;
    list_close(l);
    return false;
}

static bool list_read(const list *l, void *out, hid_t type, hsize_t first, hsize_t count) {
    if (count == 0) return true;
    hid_t memory = H5Screate_simple(1, &count, NULL);
    bool fine = memory >= 0 &&
                H5Sselect_hyperslab(l->space, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
                H5Dread(l->set, type, memory, l->space, H5P_DEFAULT, out) >= 0;
    if (memory >= 0) H5Sclose(memory);
    return fine;
}

int64_t h5_length(const h5_place *p, const char *path) {
    list l;
    if (!list_open(&l, p, path)) return -1;
    list_close(&l);
    return (int64_t)l.count;
}

pare_status h5_numbers(void *out, hid_t type, const h5_place *p, const char *path, int64_t first,
                       int64_t count, pare_error *err) {
    list l;
    if (!list_open(&l, p, path)) return h5_damaged(p, path, err);
    H5T_class_t kind = H5Tget_class(l.type);
    bool fine = (kind == H5T_INTEGER || kind == H5T_FLOAT) && first + count <= (int64_t)l.count &&
                list_read(&l, out, type, (hsize_t)first, (hsize_t)count);
    list_close(&l);
    return fine ? PARE_OK : h5_damaged(p, path, err);
}

/* ---- as text ---- */

static bool add_variable(strings *out, const h5_place *p, const list *l, hsize_t first,
                         hsize_t count) {
    char *text[BLOCK_ITEMS] = {0};
    hid_t own = H5Tcopy(H5T_C_S1);
    H5Tset_size(own, H5T_VARIABLE);
    H5Tset_cset(own, H5Tget_cset(l->type));
    bool fine = list_read(l, text, own, first, count);
    for (hsize_t i = 0; i < count && fine; i++)
        fine = strings_add(out, p->mem, text[i] ? text[i] : "",
                           text[i] ? (int64_t)strlen(text[i]) : 0);
    for (hsize_t i = 0; i < count; i++)
        if (text[i]) H5free_memory(text[i]);
    H5Tclose(own);
    return fine;
}

static bool add_fixed(strings *out, const h5_place *p, const list *l, hsize_t first,
                      hsize_t count) {
    size_t size = H5Tget_size(l->type);
    char *text = mem_zero(p->mem, (int64_t)(count * size) + 1, 1);
    bool fine = text && list_read(l, text, l->type, first, count);
    for (hsize_t i = 0; i < count && fine; i++) {
        const char *at = text + i * size, *end = memchr(at, '\0', size);
        int64_t length = end ? end - at : (int64_t)size;
        while (H5Tget_strpad(l->type) == H5T_STR_SPACEPAD && length > 0 && at[length - 1] == ' ')
            length--;
        fine = strings_add(out, p->mem, at, length);
    }
    mem_free(p->mem, text);
    return fine;
}

static bool add_numbers(strings *out, const h5_place *p, const list *l, hsize_t first,
                        hsize_t count) {
    double value[BLOCK_ITEMS];
    bool fine = list_read(l, value, H5T_NATIVE_DOUBLE, first, count);
    for (hsize_t i = 0; i < count && fine; i++) {
        char text[32];
        int length = isnan(value[i]) ? 0 : number_format(value[i], text);
        fine = strings_add(out, p->mem, text, length);
    }
    return fine;
}

/* Booleans are an enumeration of FALSE and TRUE. */
static bool add_truths(strings *out, const h5_place *p, const list *l, hsize_t first,
                       hsize_t count) {
    int8_t value[BLOCK_ITEMS];
    bool fine = H5Tget_size(l->type) == 1 && list_read(l, value, l->type, first, count);
    for (hsize_t i = 0; i < count && fine; i++) {
        const char *text = value[i] ? "True" : "False";
        fine = strings_add(out, p->mem, text, (int64_t)strlen(text));
    }
    return fine;
}

/* The texts so far, the least that those left take, and a block of their items: a short file may
 * promise any number of them, and repeat a long one. */
static pare_status check_memory(const strings *so_far, int64_t left, size_t item, const h5_place *p,
                                pare_error *err) {
    double block = (double)(left < BLOCK_ITEMS ? left : BLOCK_ITEMS) * (double)item;
    double starts = (double)sizeof *so_far->start * ((double)so_far->count + (double)left);
    return data_check_memory((double)so_far->text_size + starts + (double)left + block, p->name,
                             p->ctx, err);
}

static pare_status plain_texts(strings *out, const h5_place *p, const char *path, pare_error *err) {
    list l;
    bool fine = true;
    pare_status status = PARE_OK;
    if (!list_open(&l, p, path)) return h5_damaged(p, path, err);
    H5T_class_t kind = H5Tget_class(l.type);
    for (hsize_t first = 0; first < l.count && fine; first += BLOCK_ITEMS) {
        TRY(check_memory(out, (int64_t)(l.count - first), H5Tget_size(l.type), p, err));
        hsize_t count = l.count - first < BLOCK_ITEMS ? l.count - first : BLOCK_ITEMS;
        if (kind == H5T_STRING && H5Tis_variable_str(l.type) > 0)
            fine = add_variable(out, p, &l, first, count);
        else if (kind == H5T_STRING)
            fine = add_fixed(out, p, &l, first, count);
        else if (kind == H5T_INTEGER || kind == H5T_FLOAT)
            fine = add_numbers(out, p, &l, first, count);
        else
            fine = kind == H5T_ENUM && add_truths(out, p, &l, first, count);
    }
    if (!fine) status = h5_damaged(p, path, err);
done:
    list_close(&l);
    return status;
}

static pare_status coded_texts(strings *out, const h5_place *p, const char *codes,
                               const char *categories, pare_error *err) {
    strings names = {0};
    int32_t code[BLOCK_ITEMS];
    int64_t n = h5_length(p, codes);
    pare_status status = PARE_OK;
    if (n < 0) return h5_damaged(p, codes, err);
    TRY(plain_texts(&names, p, categories, err));
    for (int64_t first = 0; first < n; first += BLOCK_ITEMS) {
        int64_t count = n - first < BLOCK_ITEMS ? n - first : BLOCK_ITEMS;
        TRY(h5_numbers(code, H5T_NATIVE_INT32, p, codes, first, count, err));
        for (int64_t i = 0; i < count; i++) {
            if (code[i] < -1 || code[i] >= names.count) {
                status = h5_damaged(p, codes, err);
                goto done;
            }
            TRY(check_memory(out, n - first - i, sizeof *code, p, err));
            const char *text = code[i] < 0 ? "" : strings_at(&names, code[i]);
            TRY_MEM(strings_add(out, p->mem, text, (int64_t)strlen(text)));
        }
    }
done:
    strings_free(&names, p->mem);
    return status;
}

pare_status h5_texts(strings *out, const h5_place *p, const char *path, pare_error *err) {
    char codes[PATH], categories[PATH];
    const char *last = strrchr(path, '/');
    if (!last || strlen(path) + sizeof "/__categories" > sizeof codes)
        return h5_damaged(p, path, err);
    if (h5_is_group(p, path)) {
        snprintf(codes, sizeof codes, "%s/codes", path);
        snprintf(categories, sizeof categories, "%s/categories", path);
        return coded_texts(out, p, codes, categories, err);
    }
    snprintf(categories, sizeof categories, "%.*s/__categories%s", (int)(last - path), path, last);
    if (h5_has(p, categories)) return coded_texts(out, p, path, categories, err);
    return plain_texts(out, p, path, err);
}
