/* Writes .pare (data/format/native.h). Dense numbers become the smallest items that hold all of
 * them exactly, so that nothing is lost and reading gives the same bytes everywhere: genotypes,
 * integers, decimals of few digits as integers over a power of ten, floats, doubles. Three passes
 * over X. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "data/checksum.h"
#include "data/format/native.h"
#include "data/format/stream.h"

/* ---- the type of the items ---- */

/* Properties of all numbers so far. */
typedef struct nature {
    bool missing, whole, genotypes, floats;
    int digits; /* decimal digits needed; above NATIVE_DIGITS: not decimals */
    double min, max;
    int64_t entries; /* listed by the columns of sparse data */
} nature;

static double power_of_ten(int digits) {
    static const double power[] = {1, 10, 100, 1000, 10000};
    return power[digits];
}

/* Returns true if x is an integer of at most two bytes over that power, to the bit. */
static bool is_over(double x, double power) {
    double whole = nearbyint(x * power);
    return fabs(whole) <= 65535 && whole / power == x;
}

static void look_at(nature *k, double x) {
    if (isnan(x)) {
        k->missing = true;
        return;
    }
    k->genotypes = k->genotypes && (x == 0 || x == 1 || x == 2);
    k->whole = k->whole && x == floor(x);
    k->floats = k->floats && (double)(float)x == x;
    while (k->digits <= NATIVE_DIGITS && !is_over(x, power_of_ten(k->digits))) k->digits++;
    k->min = fmin(k->min, x);
    k->max = fmax(k->max, x);
}

static pare_status look(nature *k, const matrix *x, const pare_ctx *ctx, pare_error *err) {
    view all = view_all(x);
    walk w;
    column c;
    int64_t j;
    PASS(walk_open(&w, &all, NULL, all.d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        k->entries += c.count;
        for (int64_t e = 0; e < c.count; e++) look_at(k, c.value[e]);
    }
    return walk_close(&w, err);
}

/* The smallest integer type for min .. max, of at most `bytes` each; MAT_F8: none. */
static mat_item whole_items(double min, double max, size_t bytes) {
    static const struct {
        double min, max;
        mat_item item;
    } range[] = {{-128, 127, MAT_I1},
                 {0, 255, MAT_U1},
                 {-32768, 32767, MAT_I2},
                 {0, 65535, MAT_U2},
                 {-2147483648.0, 2147483647.0, MAT_I4},
                 {0, 4294967295.0, MAT_U4}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (min >= range[i].min && max <= range[i].max && mat_item_size(range[i].item) <= bytes)
            return range[i].item;
    return MAT_F8;
}

/* The item type, and the divisor: 0 or a power of ten. */
static mat_item smallest(const nature *k, int64_t *over) {
    *over = 0;
    if (k->genotypes) return MAT_G2;
    mat_item item = MAT_F8;
    if (!k->missing && k->whole) item = whole_items(k->min, k->max, k->floats ? 2 : 4);
    if (!k->missing && !k->whole && k->digits <= NATIVE_DIGITS) {
        double power = power_of_ten(k->digits);
        item = whole_items(nearbyint(k->min * power), nearbyint(k->max * power), 2);
        *over = item == MAT_F8 ? 0 : (int64_t)power;
    }
    return item != MAT_F8 ? item : k->floats ? MAT_F4 : MAT_F8;
}

/* ---- a column ---- */

#define PACK(type, number)                                                                         \
    for (int64_t i = 0; i < n; i++) {                                                              \
        type v = (type)(number);                                                                   \
        memcpy(out + i * (int64_t)sizeof v, &v, sizeof v);                                         \
    }                                                                                              \
    break
#define PACK_WHOLE(type) PACK(type, nearbyint(x[i] * times))

static void pack_genotypes(unsigned char *out, const double *x, int64_t n) {
    memset(out, 0, (size_t)mat_item_pitch(MAT_G2, n));
    for (int64_t i = 0; i < n; i++) {
        unsigned code = isnan(x[i]) ? 1 : x[i] == 2 ? 0 : x[i] == 1 ? 2 : 3;
        out[i / 4] = (unsigned char)(out[i / 4] | code << 2 * (i % 4));
    }
}

static void pack(unsigned char *out, mat_item item, double times, const double *x, int64_t n) {
    switch (item) {
    case MAT_I1: PACK_WHOLE(int8_t);
    case MAT_U1: PACK_WHOLE(uint8_t);
    case MAT_I2: PACK_WHOLE(int16_t);
    case MAT_U2: PACK_WHOLE(uint16_t);
    case MAT_I4: PACK_WHOLE(int32_t);
    case MAT_U4: PACK_WHOLE(uint32_t);
    case MAT_F4: PACK(float, x[i]);
    case MAT_G2: pack_genotypes(out, x, n); break;
    case MAT_F2: /* contained in MAT_F4 */
    case MAT_F8: memcpy(out, x, (size_t)n * sizeof *x);
    }
}

static pare_status write_dense(const matrix *x, mat_item item, double times, sink *s,
                               const pare_ctx *ctx, pare_error *err) {
    view all = view_all(x);
    walk w = {0};
    column c;
    int64_t j, pitch = mat_item_pitch(item, x->n);
    const pare_allocator *mem = ctx_allocator(ctx);
    unsigned char *out = mem_alloc(mem, pitch, 1);
    pare_status status = PARE_OK;
    TRY_MEM(out);
    TRY(walk_open(&w, &all, NULL, all.d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        pack(out, item, times, c.value, x->n);
        TRY(sink_write(s, out, (size_t)pitch, err));
    }
done:
    mem_free(mem, out);
    return walk_end(&w, status, err);
}

/* The arrays of a sparse matrix, each written by a walk along its columns. */
typedef enum part { POINTERS, ROWS, VALUES } part;

static pare_status write_part(const matrix *x, part which, sink *s, const pare_ctx *ctx,
                              pare_error *err) {
    view all = view_all(x);
    walk w = {0};
    column c;
    int64_t j, end = 0;
    pare_status status = PARE_OK;
    if (which == POINTERS) TRY(sink_write(s, &end, sizeof end, err));
    TRY(walk_open(&w, &all, NULL, all.d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        end += c.count;
        if (which == POINTERS) TRY(sink_write(s, &end, sizeof end, err));
        if (which == ROWS) TRY(sink_write(s, c.index, (size_t)c.count * sizeof *c.index, err));
        if (which == VALUES) TRY(sink_write(s, c.value, (size_t)c.count * sizeof *c.value, err));
    }
done:
    return walk_end(&w, status, err);
}

static pare_status write_sparse(const matrix *x, int64_t entries, sink *s, const pare_ctx *ctx,
                                pare_error *err) {
    const char gap[4] = {0};
    PASS(write_part(x, POINTERS, s, ctx, err));
    PASS(write_part(x, ROWS, s, ctx, err));
    if (entries % 2) PASS(sink_write(s, gap, sizeof gap, err));
    return write_part(x, VALUES, s, ctx, err);
}

/* ---- header and lists ---- */

/* Bytes that are hashed as they are written. */
typedef struct hashed {
    sink *s;
    sha256 hash;
    int64_t bytes;
} hashed;

static pare_status put(hashed *to, const void *bytes, int64_t count, pare_error *err) {
    sha256_update(&to->hash, bytes, (size_t)count);
    to->bytes += count;
    return sink_write(to->s, bytes, (size_t)count, err);
}

static int64_t list_bytes(const strings *list) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < list->count; i++) bytes += (int64_t)strlen(strings_at(list, i)) + 1;
    return bytes;
}

/* The lists of the data, which are not changed. */
static const strings *texts_of(const pare_data *data, const strings *target, int k) {
    return k == NATIVE_TARGET ? target : native_texts((pare_data *)(uintptr_t)data, (native_list)k);
}
static double *numbers_of(const pare_data *data, int k) {
    return *native_numbers((pare_data *)(uintptr_t)data, (native_list)k);
}

static pare_status put_texts(hashed *to, const strings *list, pare_error *err) {
    for (int64_t i = 0; i < list->count; i++) {
        const char *text = strings_at(list, i);
        PASS(put(to, text, (int64_t)strlen(text) + 1, err));
    }
    return PARE_OK;
}

static pare_status write_times(hashed *to, const target_column *t, pare_error *err) {
    PASS(put_texts(to, &t->strata, err));
    if (!t->time) return PARE_OK;
    PASS(put(to, t->time, 8 * t->n, err));
    for (int64_t i = 0; i < t->n; i++) {
        const char event = t->event[i];
        PASS(put(to, &event, 1, err));
    }
    return PARE_OK;
}

static pare_status write_head(const pare_data *data, const strings *target, const native_header *h,
                              sink *s, pare_error *err) {
    hashed to = {.s = s};
    unsigned char block[NATIVE_HEADER] = {0}, digest[NATIVE_DIGEST];
    static const char zeros[NATIVE_PAGE];
    sha256_init(&to.hash);
    memcpy(block, h, sizeof *h);
    PASS(put(&to, block, sizeof block, err));
    for (int k = 0; k < N_NATIVE_LISTS; k++) {
        const strings *list = k < NATIVE_WEIGHTS ? texts_of(data, target, k) : NULL;
        if (list) PASS(put_texts(&to, list, err));
        if (!list && h->list_bytes[k]) PASS(put(&to, numbers_of(data, k), h->list_bytes[k], err));
    }
    if (h->name_bytes) PASS(put(&to, strings_at(&data->target_name, 0), h->name_bytes, err));
    PASS(write_times(&to, &data->target, err));
    sha256_final(&to.hash, digest);
    PASS(sink_write(s, digest, sizeof digest, err));
    int64_t over = (to.bytes + NATIVE_DIGEST) % NATIVE_PAGE;
    if (over) PASS(sink_write(s, zeros, (size_t)(NATIVE_PAGE - over), err));
    return PARE_OK;
}

/* A target called class needs no name, which is what a table calls one without. */
static int64_t name_bytes(const pare_data *data) {
    const char *name = data->target_name.count ? strings_at(&data->target_name, 0) : "class";
    bool target = target_column_count(&data->target) > 0 && !data->target.time;
    return target && strcmp(name, "class") != 0 ? (int64_t)strlen(name) + 1 : 0;
}

pare_status write_native(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    const matrix *x = &data->x;
    nature k = {
        .whole = true, .genotypes = true, .floats = true, .min = INFINITY, .max = -INFINITY};
    native_header h = {.version = 1, .n = x->n, .d = x->d};
    unsigned char digest[NATIVE_DIGEST];
    strings target = {0}; /* as text, however it came */
    pare_status status = PARE_OK;
    memcpy(h.magic, NATIVE_MAGIC, sizeof h.magic);
    TRY(look(&k, x, ctx, err));
    if (!data->target.time) TRY_MEM(target_column_list(&target, &data->target, &data->mem));
    h.item = mat_is_sparse(x) ? NATIVE_SPARSE : smallest(&k, &h.over);
    if (h.over > 0) h.version = 2;
    h.entries = mat_is_sparse(x) ? k.entries : 0;
    h.missing = k.missing;
    for (int i = 0; i < N_NATIVE_LISTS; i++)
        h.list_bytes[i] = i < NATIVE_WEIGHTS    ? list_bytes(texts_of(data, &target, i))
                          : numbers_of(data, i) ? 8 * x->n
                                                : 0;
    h.name_bytes = name_bytes(data);
    if (h.name_bytes) h.version = 3;
    h.strata_bytes = list_bytes(&data->target.strata);
    h.time_bytes = data->target.time ? 9 * x->n : 0;
    if (h.strata_bytes || h.time_bytes) h.version = 4;
    TRY(write_head(data, &target, &h, s, err));
    TRY(mat_is_sparse(x)
            ? write_sparse(x, h.entries, s, ctx, err)
            : write_dense(x, (mat_item)h.item, h.over > 0 ? (double)h.over : 1, s, ctx, err));
    TRY(data_matrix_digest(data, ctx, digest, err));
    TRY(sink_write(s, digest, sizeof digest, err));
done:
    strings_free(&target, &data->mem);
    return status;
}
