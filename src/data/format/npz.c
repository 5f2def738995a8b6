/* NumPy's .npz: an archive of .npy files. X is the array of that name, the only one of two
 * dimensions, or a sparse matrix of scipy's; the target is y, if there is one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/csv.h"
#include "data/format/npy.h"
#include "data/format/npy_header.h"
#include "data/format/npz_sparse.h"
#include "data/format/zip.h"

enum { LABEL = 512 }; /* bytes of FILE: MEMBER in messages */

static pare_status open_member(stream *out, char label[LABEL], zip *z, int64_t i,
                               const pare_ctx *ctx, pare_error *err) {
    snprintf(label, LABEL, "%.300s: %.200s", z->s->name, z->member[i].name);
    return zip_member_open(out, z, i, label, ctx, err);
}

enum { IS_SPARSE = -2 };

/* The dimensions of a member; 0: it is no array of numbers. */
static pare_status dimensions(int *out, zip *z, int64_t i, const pare_ctx *ctx, pare_error *err) {
    stream s;
    npy_header h;
    char label[LABEL];
    pare_status status = open_member(&s, label, z, i, ctx, err);
    if (status != PARE_OK) return status;
    status = npy_peek_header(&h, &s, err);
    *out = status == PARE_OK && h.kind ? h.dims : 0;
    zip_member_close(&s);
    return status == PARE_E_FORMAT ? PARE_OK : status;
}

/* *out: the member, or IS_SPARSE. */
static pare_status find_features(int64_t *out, zip *z, const pare_ctx *ctx, pare_error *err) {
    int dims;
    *out = zip_find(z, "X.npy");
    bool scipy = zip_find(z, "indptr.npy") >= 0 || /* or in a format that has none */
                 (zip_find(z, "format.npy") >= 0 && zip_find(z, "shape.npy") >= 0);
    if (*out < 0 && scipy) *out = IS_SPARSE;
    if (*out != -1) return PARE_OK;
    for (int64_t i = 0; i < z->count; i++) {
        pare_status status = dimensions(&dims, z, i, ctx, err);
        if (status != PARE_OK) return status;
        if (dims != 2) continue;
        if (*out >= 0)
            return error_set(err, PARE_E_DATA,
                             "%s: %.64s and %.64s both have two dimensions; call the features X",
                             z->s->name, z->member[*out].name, z->member[i].name);
        *out = i;
    }
    if (*out >= 0) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "%s: none of its %" PRId64 " arrays is called X or has two dimensions",
                     z->s->name, z->count);
}

static pare_status read_target(data_builder *b, zip *z, int64_t i, const pare_ctx *ctx,
                               pare_error *err) {
    const pare_data *data = b->data;
    stream s;
    char label[LABEL];
    strings list = {0};
    pare_status status = open_member(&s, label, z, i, ctx, err);
    if (status != PARE_OK) return status;
    status = npy_list(&list, &data->mem, &s, err);
    for (int64_t k = 0; status == PARE_OK && k < list.count; k++) {
        place at = {.file = label, .line = k + 1, .byte = -1};
        const char *text = strings_at(&list, k);
        status = csv_add_target(b, text, (int64_t)strlen(text), &at, err);
    }
    strings_free(&list, &data->mem);
    zip_member_close(&s);
    return status;
}

static pare_status read_member(data_builder *b, zip *z, int64_t i, const pare_read_options *o,
                               const pare_ctx *ctx, pare_error *err) {
    stream member;
    char label[LABEL];
    pare_status status = open_member(&member, label, z, i, ctx, err);
    if (status != PARE_OK) return status;
    status = read_npy(b, &member, o, ctx, err);
    zip_member_close(&member);
    return status;
}

pare_status read_npz(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    zip z;
    int64_t x, y;
    pare_status status = PARE_OK;
    TRY(zip_open(&z, s, ctx, err));
    TRY(find_features(&x, &z, ctx, err));
    if (x == IS_SPARSE) {
        TRY(npz_read_sparse(b, &z, ctx, err));
        if (!o->allow_missing) TRY(data_refuse_missing(b, s->name, err));
    } else {
        TRY(read_member(b, &z, x, o, ctx, err));
    }
    y = zip_find(&z, "y.npy");
    if (y >= 0 && !o->labels && !o->no_target) TRY(read_target(b, &z, y, ctx, err));
done:
    zip_close(&z);
    return status;
}
