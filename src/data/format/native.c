#define _POSIX_C_SOURCE 200809L
#include "data/format/native.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "data/builder.h"
#include "data/format/stream.h"

_Static_assert(sizeof(native_header) <= NATIVE_HEADER, "the header has room");

strings *native_texts(pare_data *data, native_list which) {
    strings *const list[N_NATIVE_LISTS] = {&data->names, &data->groups,     &data->target.text,
                                           &data->ids,   &data->fold_group, &data->fold};
    return list[which];
}

double **native_numbers(pare_data *data, native_list which) {
    return which == NATIVE_WEIGHTS ? &data->weight : &data->offset;
}

int64_t native_matrix_bytes(const native_header *h) {
    size_t bytes;
    if (h->item == NATIVE_SPARSE) {
        if (h->d >= INT64_MAX / 16 || h->entries >= INT64_MAX / 32) return -1;
        return 8 * (h->d + 1) + (4 * h->entries + 7) / 8 * 8 + 8 * h->entries;
    }
    return size_mul(h->d, mat_item_pitch((mat_item)h->item, h->n), &bytes) && bytes < INT64_MAX / 2
               ? (int64_t)bytes
               : -1;
}

/* An open file, and its header and lists. */
typedef struct native {
    int file;
    const char *name;
    native_header h;
    sha256 hash; /* of the header and the lists */
    int64_t at;
} native;

static pare_status damaged(const native *f, const char *what, pare_error *err) {
    return error_set(err, PARE_E_FORMAT, "%s is damaged or was changed: %s", f->name, what);
}

static pare_status take(native *f, void *to, int64_t count, pare_error *err) {
    int64_t got = file_read_at(f->file, to, count, f->at);
    if (got < 0)
        return error_set(err, PARE_E_IO, "%s cannot be read: %s", f->name, strerror(errno));
    if (got < count) return damaged(f, "it ends too early", err);
    f->at += count;
    return PARE_OK;
}

/* Returns true if `over` is 0, or an allowed power of ten for short integers. */
static bool divides(const native_header *h) {
    int64_t power = 10;
    if (h->over == 0) return true;
    for (int digits = 1; digits < NATIVE_DIGITS && power != h->over; digits++) power *= 10;
    return h->version > 1 && h->over == power && h->item <= MAT_U2;
}

static pare_status take_header(native *f, pare_error *err) {
    unsigned char block[NATIVE_HEADER];
    PASS(take(f, block, sizeof block, err));
    sha256_update(&f->hash, block, sizeof block);
    memcpy(&f->h, block, sizeof f->h);
    const native_header *h = &f->h;
    if (memcmp(h->magic, NATIVE_MAGIC, sizeof h->magic) != 0)
        return error_set(err, PARE_E_FORMAT,
                         "%s does not begin as a .pare data file does: `pare convert` writes them",
                         f->name);
    if (h->version < 1 || h->version > NATIVE_VERSION)
        return error_set(err, PARE_E_FORMAT,
                         "%s has version %" PRIu32 " of the format, this pare reads up to %d",
                         f->name, h->version, NATIVE_VERSION);
    if ((h->item > MAT_G2 && h->item != NATIVE_SPARSE) || h->n < 1 || h->n > INT32_MAX ||
        h->d < 0 || h->entries < 0 || native_matrix_bytes(h) < 0 || !divides(h) ||
        (h->name_bytes != 0 && h->version < 3) ||
        ((h->strata_bytes != 0 || h->time_bytes != 0) && h->version < 4) ||
        (h->time_bytes != 0 && h->time_bytes != 9 * h->n))
        return damaged(f, "its header makes no sense", err);
    return PARE_OK;
}

/* Checks that lists, X and digests make up the whole file. */
static pare_status check_size(const native *f, int64_t *matrix_at, pare_error *err) {
    struct stat info;
    int64_t lists = 0;
    if (fstat(f->file, &info) != 0 || !S_ISREG(info.st_mode))
        return error_set(err, PARE_E_IO, "%s is no plain file", f->name);
    int64_t more[] = {f->h.name_bytes, f->h.strata_bytes, f->h.time_bytes};
    for (int k = 0; k < N_NATIVE_LISTS + 3; k++) {
        int64_t bytes = k < N_NATIVE_LISTS ? f->h.list_bytes[k] : more[k - N_NATIVE_LISTS];
        if (bytes < 0 || bytes > (int64_t)info.st_size)
            return damaged(f, "its header makes no sense", err);
        lists += bytes;
    }
    int64_t before = NATIVE_HEADER + lists + NATIVE_DIGEST;
    *matrix_at = (before + NATIVE_PAGE - 1) / NATIVE_PAGE * NATIVE_PAGE;
    int64_t expected = *matrix_at + native_matrix_bytes(&f->h) + NATIVE_DIGEST;
    if ((int64_t)info.st_size == expected) return PARE_OK;
    return error_set(err, PARE_E_FORMAT,
                     "%s has %" PRId64 " bytes, but its header says %" PRId64
                     ": it was cut or changed",
                     f->name, (int64_t)info.st_size, expected);
}

/* bytes: `size` of them, texts with a NUL each. */
static pare_status cut_texts(strings *out, const pare_allocator *mem, const native *f,
                             const char *bytes, int64_t size, pare_error *err) {
    if (bytes[size - 1] != '\0') return damaged(f, "a list has no end", err);
    for (int64_t at = 0; at < size;) {
        int64_t length = (int64_t)strlen(bytes + at);
        if (!strings_add(out, mem, bytes + at, length)) return error_memory(err);
        at += length + 1;
    }
    return PARE_OK;
}

/* *out: the next `size` bytes of the lists, for the caller to free. */
static pare_status take_bytes(native *f, data_builder *b, char **out, int64_t size,
                              const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = &b->data->mem;
    PASS(data_check_memory((double)size, f->name, ctx, err));
    char *bytes = mem_alloc(mem, size, 1);
    if (!bytes) return error_memory(err);
    pare_status status = take(f, bytes, size, err);
    if (status != PARE_OK) {
        mem_free(mem, bytes);
        return status;
    }
    sha256_update(&f->hash, bytes, (size_t)size);
    *out = bytes;
    return PARE_OK;
}

static pare_status take_texts(native *f, data_builder *b, strings *out, int64_t size,
                              const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = &b->data->mem;
    char *bytes;
    if (size == 0) return PARE_OK;
    PASS(take_bytes(f, b, &bytes, size, ctx, err));
    pare_status status = cut_texts(out, mem, f, bytes, size, err);
    mem_free(mem, bytes);
    return status;
}

static pare_status take_list(native *f, data_builder *b, native_list which, const pare_ctx *ctx,
                             pare_error *err) {
    pare_data *data = b->data;
    int64_t size = f->h.list_bytes[which];
    char *bytes;
    if (which < NATIVE_WEIGHTS) return take_texts(f, b, native_texts(data, which), size, ctx, err);
    if (size == 0) return PARE_OK;
    if (size != 8 * f->h.n) return damaged(f, "a list has another length than the samples", err);
    pare_status status = take_bytes(f, b, &bytes, size, ctx, err);
    if (status == PARE_OK) *native_numbers(data, which) = (double *)(void *)bytes;
    return status;
}

static pare_status take_times(native *f, data_builder *b, const pare_ctx *ctx, pare_error *err) {
    target_column *t = &b->data->target;
    int64_t n = f->h.n;
    char *bytes;
    if (f->h.time_bytes == 0) return PARE_OK;
    PASS(take_bytes(f, b, &bytes, 8 * n, ctx, err));
    t->time = (double *)(void *)bytes;
    PASS(take_bytes(f, b, &bytes, n, ctx, err));
    t->event = (bool *)bytes;
    t->n = n;
    for (int64_t i = 0; i < n; i++)
        if (bytes[i] != 0 && bytes[i] != 1) return damaged(f, "an event is neither 0 nor 1", err);
    return data_check_times(t->time, n, f->name, err);
}

static pare_status take_lists(native *f, data_builder *b, const pare_ctx *ctx, pare_error *err) {
    unsigned char digest[NATIVE_DIGEST], own[NATIVE_DIGEST];
    pare_status status = PARE_OK;
    for (int k = 0; k < N_NATIVE_LISTS; k++) TRY(take_list(f, b, (native_list)k, ctx, err));
    TRY(take_texts(f, b, &b->data->target_name, f->h.name_bytes, ctx, err));
    TRY(take_texts(f, b, &b->data->target.strata, f->h.strata_bytes, ctx, err));
    TRY(take_times(f, b, ctx, err));
    TRY(take(f, digest, sizeof digest, err));
    sha256_final(&f->hash, own);
    if (memcmp(digest, own, sizeof own) != 0)
        status = damaged(f, "names, targets or sizes are not those that were written", err);
done:
    return status;
}

static pare_status take_sparse(native *f, data_builder *b, const pare_ctx *ctx, pare_error *err) {
    const native_header *h = &f->h;
    char gap[8];
    PASS(data_alloc_sparse(b, h->n, h->d, h->entries, f->name, ctx, err));
    PASS(take(f, b->fill.col_ptr, 8 * (h->d + 1), err));
    if (b->fill.col_ptr[h->d] != h->entries) return damaged(f, "its columns make no sense", err);
    PASS(take(f, b->fill.row, 4 * h->entries, err));
    PASS(take(f, gap, 4 * (h->entries % 2), err));
    return take(f, b->fill.value, 8 * h->entries, err);
}

pare_status read_native(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                        pare_error *err) {
    pare_data *data = b->data;
    native f = {.file = -1, .name = s->name};
    unsigned char digest[NATIVE_DIGEST];
    int64_t matrix_at;
    pare_status status = PARE_OK;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return error_set(err, PARE_E_ARGUMENT, "%s: .pare files are for little-endian machines",
                         s->name);
    if (!s->path || !s->can_rewind)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: .pare data are read in place, from a file that is not compressed",
                         s->name);
    f.file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (f.file < 0)
        return error_set(err, PARE_E_IO, "%s cannot be opened: %s", s->name, strerror(errno));
    sha256_init(&f.hash);
    TRY(take_header(&f, err));
    TRY(check_size(&f, &matrix_at, err));
    TRY(take_lists(&f, b, ctx, err));
    f.at = matrix_at + native_matrix_bytes(&f.h);
    TRY(take(&f, digest, sizeof digest, err));
    sha256_hex(digest, data->x_written);
    f.at = matrix_at;
    if (o->no_target || o->labels) target_column_drop(&data->target, &data->mem);
    if (f.h.item == NATIVE_SPARSE) {
        TRY(take_sparse(&f, b, ctx, err));
    } else {
        mat_file of = {.file = f.file,
                       .item = (mat_item)f.h.item,
                       .at = matrix_at,
                       .missing = f.h.missing != 0,
                       .name = f.name,
                       .over = (double)f.h.over};
        TRY(mat_on_disk(&data->x, f.h.n, f.h.d, &of, &data->mem, err));
        f.file = -1;
        b->finite = true; /* otherwise its checksum would not match the written one */
    }
    if (!o->allow_missing && f.h.missing) TRY(data_refuse_missing(b, s->name, err));
done:
    if (f.file >= 0) close(f.file);
    return status;
}
