/* Columns of items that stay in a file: each tile is read on demand. So X may be larger than
 * memory, opening it costs nothing, and the file cache of the system holds the only copy, shared by
 * all processes that read it. Products are of doubles, in the tile, and have the same bits as those
 * of the same numbers stored as doubles; but X'u and statistics of genotypes are computed from
 * their packed bits (genotypes.c).
 *
 * The file is read and not mapped: resident memory is bounded by the tiles, and a file that is
 * truncated meanwhile ends in an error message and not in a signal. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "la/kind/packed.h"

enum { BUFFER = 1 << 15, NAME = 512 };

typedef struct disk {
    int file;
    mat_item item;
    int64_t at, pitch; /* bytes to column 0, and from one column to the next */
    double over;       /* items are divided by it; 0: not at all */
    char name[NAME];
} disk;

int64_t mat_item_pitch(mat_item item, int64_t n) {
    return item == MAT_G2 ? (n + 3) / 4 : n * (int64_t)mat_item_size(item);
}

static pare_status read_at(const disk *f, void *to, int64_t count, int64_t at, pare_error *err) {
    int64_t got = file_read_at(f->file, to, count, at);
    if (got == count) return PARE_OK;
    return got < 0
               ? error_set(err, PARE_E_IO, "%s cannot be read: %s", f->name, strerror(errno))
               : error_set(err, PARE_E_IO, "%s has become shorter while it was in use", f->name);
}

/* ---- items to doubles ---- */

/* Part of one column: items first .. first + count - 1 are at `from`. */
typedef struct stretch {
    const unsigned char *from;
    int64_t first, count;
} stretch;

#define CONVERT(type, number)                                                                      \
    do {                                                                                           \
        type v;                                                                                    \
        for (int64_t i = 0; !rows && i < s->count; i++) {                                          \
            memcpy(&v, s->from + i * (int64_t)sizeof v, sizeof v);                                 \
            out[s->first + i] = number(v);                                                         \
        }                                                                                          \
        for (int64_t i = 0; rows && i < n; i++) {                                                  \
            if (rows[i] < s->first || rows[i] >= s->first + s->count) continue;                    \
            memcpy(&v, s->from + (rows[i] - s->first) * (int64_t)sizeof v, sizeof v);              \
            out[i] = number(v);                                                                    \
        }                                                                                          \
    } while (0)

/* Two bits a sample, the first lowest: 2, missing, 1, 0 copies of allele 1, as in PLINK files. */
#define COPIES(code) ((code) == 0 ? 2.0 : (code) == 1 ? NAN : (code) == 2 ? 1.0 : 0.0)
#define FOUR(b)                                                                                    \
    { COPIES((b)&3), COPIES((b) >> 2 & 3), COPIES((b) >> 4 & 3), COPIES((b) >> 6 & 3) }
#define FOUR_4(b) FOUR(b), FOUR(b + 1), FOUR(b + 2), FOUR(b + 3)
#define FOUR_16(b) FOUR_4(b), FOUR_4(b + 4), FOUR_4(b + 8), FOUR_4(b + 12)
#define FOUR_64(b) FOUR_16(b), FOUR_16(b + 16), FOUR_16(b + 32), FOUR_16(b + 48)
static const double copies[256][4] = {FOUR_64(0), FOUR_64(64), FOUR_64(128), FOUR_64(192)};

static void convert_genotypes(const stretch *s, const int32_t *rows, int64_t n, double *out) {
    if (!rows) {
        int64_t whole = s->count / 4;
        double *to = out + s->first;
        for (int64_t b = 0; b < whole; b++) memcpy(to + 4 * b, copies[s->from[b]], 4 * sizeof *to);
        for (int64_t i = 4 * whole; i < s->count; i++) to[i] = copies[s->from[whole]][i & 3];
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t r = rows[i] - s->first;
        if (r >= 0 && r < s->count) out[i] = copies[s->from[r >> 2]][r & 3];
    }
}

static void convert_items(mat_item item, const stretch *s, const int32_t *rows, int64_t n,
                          double *out) {
    switch (item) {
    case MAT_I1: CONVERT(int8_t, (double)); break;
    case MAT_U1: CONVERT(uint8_t, (double)); break;
    case MAT_I2: CONVERT(int16_t, (double)); break;
    case MAT_U2: CONVERT(uint16_t, (double)); break;
    case MAT_I4: CONVERT(int32_t, (double)); break;
    case MAT_U4: CONVERT(uint32_t, (double)); break;
    case MAT_F2: CONVERT(uint16_t, half_value); break;
    case MAT_F4: CONVERT(float, (double)); break;
    case MAT_F8: CONVERT(double, ); break;
    case MAT_G2: convert_genotypes(s, rows, n, out); break;
    }
}

/* ---- loading ---- */

/* Loads a column that is longer than the buffer. */
static pare_status load_long(const disk *f, const matrix *x, int64_t j, unsigned char *buffer,
                             const int32_t *rows, int64_t n, double *out, pare_error *err) {
    int64_t at_once = f->item == MAT_G2 ? 4 * BUFFER : BUFFER / (int64_t)mat_item_size(f->item);
    for (int64_t first = 0; first < x->n; first += at_once) {
        stretch s = {buffer, first, min64(at_once, x->n - first)};
        PASS(read_at(f, buffer, mat_item_pitch(f->item, s.count),
                     f->at + j * f->pitch + mat_item_pitch(f->item, first), err));
        convert_items(f->item, &s, rows, n, out);
    }
    return PARE_OK;
}

/* Decimals, stored as integers over a power of ten: one division rounds once, as reading the text
 * does. */
static void divide(double *x, int64_t count, double over) {
    for (int64_t i = 0; i < count; i++) x[i] /= over;
}

static pare_status disk_load(const matrix *x, const int64_t *base, int64_t count,
                             const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const disk *f = x->self;
    unsigned char buffer[BUFFER];
    int64_t most = BUFFER / f->pitch;
    for (int64_t k = 0, run; k < count; k += run) {
        for (run = 1; k + run < count && base[k + run] == base[k] + run;) run++;
        if (f->item == MAT_F8 && !rows) {
            PASS(read_at(f, out + k * n, run * f->pitch, f->at + base[k] * f->pitch, err));
            continue;
        }
        run = max64(1, min64(run, most));
        PASS(most ? read_at(f, buffer, run * f->pitch, f->at + base[k] * f->pitch, err)
                  : load_long(f, x, base[k], buffer, rows, n, out + k * n, err));
        for (int64_t c = 0; most && c < run; c++)
            convert_items(f->item, &(stretch){buffer + c * f->pitch, 0, x->n}, rows, n,
                          out + (k + c) * n);
        if (f->over > 0) divide(out + k * n, run * n, f->over);
    }
    return PARE_OK;
}

pare_status packed_read(const matrix *x, int64_t base, int64_t count, unsigned char *out,
                        pare_error *err) {
    const disk *f = x->self;
    return read_at(f, out, count * f->pitch, f->at + base * f->pitch, err);
}

static double disk_bytes(const matrix *x) {
    return (double)x->d * (double)((const disk *)x->self)->pitch;
}

static void disk_free(matrix *x, const pare_allocator *mem) {
    disk *f = x->self;
    close(f->file);
    mem_free(mem, f);
}

/* A compact copy in memory has floats where these hold every item, else doubles. */
static const mat_ops small_ops = {.kind = "disk",
                                  .elsewhere = true,
                                  .bytes = disk_bytes,
                                  .free = disk_free,
                                  .load = disk_load,
                                  .make = mat_float32_make};
static const mat_ops genotype_ops = {.kind = "disk",
                                     .elsewhere = true,
                                     .bytes = disk_bytes,
                                     .free = disk_free,
                                     .load = disk_load,
                                     .make = mat_float32_make,
                                     .tmul = genotype_tmul,
                                     .stats_many = genotype_stats_many};
static const mat_ops wide_ops = {
    .kind = "disk", .elsewhere = true, .bytes = disk_bytes, .free = disk_free, .load = disk_load};

pare_status mat_on_disk(matrix *out, int64_t n, int64_t d, const mat_file *of,
                        const pare_allocator *mem, pare_error *err) {
    disk *f = mem_zero(mem, 1, sizeof *f);
    if (!f) return error_memory(err);
    f->file = of->file;
    f->item = of->item;
    f->at = of->at;
    f->pitch = mat_item_pitch(of->item, n);
    snprintf(f->name, sizeof f->name, "%s", of->name);
    f->over = of->over;
    bool wide = of->item == MAT_I4 || of->item == MAT_U4 || of->item == MAT_F8 || f->over > 0;
    const mat_ops *ops = of->item == MAT_G2 ? &genotype_ops : wide ? &wide_ops : &small_ops;
    *out = (matrix){ops, n, d, of->missing, f};
    if (!of->look) return PARE_OK;
    pare_status status = mat_look_within(out, of->from, of->to ? of->to : d, mem, err);
    if (status != PARE_OK) mem_free(mem, f);
    if (status != PARE_OK) *out = (matrix){0};
    return status;
}
