/* PLINK's genotypes: NAME.bed in variant-major order, with NAME.bim and NAME.fam in the same
 * folder. The packed bits stay in the file and are read on demand (la/kind/disk.c); a value is the
 * number of copies of allele 1. Features are named by the variants' ids, or
 * CHROMOSOME:POSITION:ALLELE1:ALLELE2 where the id is a dot; samples by the individual's id. The
 * phenotype is the target: 1 control and 2 case, 0 and -9 missing, or, where there are other
 * values, a number that is missing where it is -9.
 *
 * Cost: one pass over the bytes, to find out whether some genotype is missing. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/builder.h"
#include "data/format/lines.h"

enum { HEADER = 3, FIELDS = 6, CHUNK = 1 << 16 };

/* ---- .bim and .fam ---- */

/* The first FIELDS fields of a line, between blanks; false: there are fewer. */
static bool split(char *text, char *field[FIELDS]) {
    for (int k = 0; k < FIELDS; k++) {
        text += strspn(text, " \t");
        if (!*text) return false;
        field[k] = text;
        text += strcspn(text, " \t");
        if (*text) *text++ = '\0';
    }
    return true;
}

typedef pare_status (*take_fields)(data_builder *b, char *field[FIELDS], pare_error *err);

static pare_status read_table(data_builder *b, const char *path, const char *shape,
                              take_fields take, const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    lines l;
    bool more;
    char *field[FIELDS];
    pare_status status = PARE_OK;
    TRY(stream_open(&s, path, ctx, err));
    TRY(lines_begin(&l, &s, err));
    for (;;) {
        TRY(lines_next_filled(&l, &more, err));
        if (!more) break;
        if (!split(l.text, field)) {
            status = place_error(err, &l.at, "six fields are expected: %s", shape);
            goto done;
        }
        TRY(take(b, field, err));
    }
done:
    if (s.mem) stream_close(&s);
    return status;
}

/* chromosome, id, centimorgans, position, alleles 1 and 2 */
static pare_status take_variant(data_builder *b, char *field[FIELDS], pare_error *err) {
    pare_data *data = b->data;
    char made_up[1024];
    const char *name = field[1];
    if (strcmp(name, ".") == 0) {
        snprintf(made_up, sizeof made_up, "%.64s:%.64s:%.400s:%.400s", field[0], field[3], field[4],
                 field[5]);
        name = made_up;
    }
    return strings_add(&data->names, &data->mem, name, (int64_t)strlen(name)) ? PARE_OK
                                                                              : error_memory(err);
}

/* family, individual, father, mother, sex, phenotype */
static pare_status take_sample(data_builder *b, char *field[FIELDS], pare_error *err) {
    pare_data *data = b->data;
    bool added = strings_add(&data->ids, &data->mem, field[1], (int64_t)strlen(field[1])) &&
                 strings_add(&data->target.text, &data->mem, field[5], (int64_t)strlen(field[5]));
    return added ? PARE_OK : error_memory(err);
}

/* Returns true if the phenotype is the number a or b. Text that is no number is a label. */
static bool one_of(const char *text, double a, double b) {
    double value;
    return number_parse_all(text, &value) && (value == a || value == b);
}

/* Replaces missing phenotypes by empty texts. */
static pare_status settle_target(data_builder *b, pare_error *err) {
    pare_data *data = b->data;
    strings as_read = data->target.text;
    bool cases = true;
    data->target.text = (strings){0};
    for (int64_t i = 0; i < as_read.count; i++)
        cases = cases &&
                (one_of(strings_at(&as_read, i), -9, 0) || one_of(strings_at(&as_read, i), 1, 2));
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < as_read.count; i++) {
        const char *text = strings_at(&as_read, i);
        bool missing =
            one_of(text, -9, cases ? 0 : -9) || cell_is_missing(text, (int64_t)strlen(text));
        TRY_MEM(
            strings_add(&data->target.text, &data->mem, text, missing ? 0 : (int64_t)strlen(text)));
    }
done:
    strings_free(&as_read, &data->mem);
    return status;
}

/* ---- .bed ---- */

/* Low bit set and high bit not: missing. */
static bool any_missing_code(const unsigned char *at, int64_t pitch, int last_codes) {
    unsigned found = 0;
    for (int64_t b = 0; b < pitch - 1; b++) found |= at[b] & ~(at[b] >> 1) & 0x55u;
    unsigned end = at[pitch - 1] & ~(at[pitch - 1] >> 1) & 0x55u;
    return found || (end & ((1u << 2 * last_codes) - 1));
}

static pare_status find_missing(mat_file *f, int64_t n, span own, const pare_allocator *mem,
                                pare_error *err) {
    int64_t pitch = mat_item_pitch(MAT_G2, n), at_once = pitch < CHUNK ? CHUNK / pitch : 1;
    int last_codes = (int)(n - 4 * (pitch - 1));
    pare_status status = PARE_OK;
    unsigned char *buffer = mem_alloc(mem, at_once * pitch, 1);
    if (!buffer) return error_memory(err);
    for (int64_t j = own.from; j < own.to && !f->missing; j += at_once) {
        int64_t now = own.to - j < at_once ? own.to - j : at_once;
        if (file_read_at(f->file, buffer, now * pitch, HEADER + j * pitch) != now * pitch) {
            status =
                error_set(err, PARE_E_IO, "%s cannot be read at variant %" PRId64, f->name, j + 1);
            break;
        }
        for (int64_t k = 0; k < now; k++)
            f->missing = f->missing || any_missing_code(buffer + k * pitch, pitch, last_codes);
    }
    mem_free(mem, buffer);
    return status;
}

static pare_status check_bed(const mat_file *f, int64_t n, int64_t d, pare_error *err) {
    unsigned char magic[HEADER] = {0};
    struct stat info;
    if (file_read_at(f->file, magic, HEADER, 0) != HEADER || magic[0] != 0x6c || magic[1] != 0x1b)
        return error_set(err, PARE_E_FORMAT, "%s does not begin as a PLINK .bed file does",
                         f->name);
    if (magic[2] != 1)
        return error_set(
            err, PARE_E_FORMAT,
            "%s is in sample-major order: rewritten by PLINK 1.9 or later (make-bed) it is "
            "variant-major, which can be read",
            f->name);
    int64_t pitch = mat_item_pitch(MAT_G2, n);
    if (fstat(f->file, &info) != 0 || (d > 0 && pitch > (INT64_MAX - HEADER) / d) ||
        (int64_t)info.st_size != HEADER + d * pitch)
        return error_set(err, PARE_E_FORMAT,
                         "%s has %" PRId64 " bytes, but %" PRId64 " samples (.fam) and %" PRId64
                         " variants (.bim) take %" PRId64,
                         f->name, (int64_t)info.st_size, n, d, HEADER + d * pitch);
    return PARE_OK;
}

/* path with another extension. */
static pare_status sibling_path(char out[PATH_MAX], const char *path, const char *extension,
                                pare_error *err) {
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".bed") == 0) length -= 4;
    if (snprintf(out, PATH_MAX, "%.*s%s", (int)length, path, extension) < PATH_MAX) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "%.60s...: the path is too long", path);
}

pare_status read_bed(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    pare_data *data = b->data;
    char path[PATH_MAX];
    mat_file f = {.file = -1, .item = MAT_G2, .at = HEADER, .name = s->name};
    pare_status status = PARE_OK;
    if (!s->path || !s->can_rewind)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: genotypes are read in place, from a .bed file that is not compressed",
                         s->name);
    TRY(sibling_path(path, s->path, ".bim", err));
    TRY(read_table(b, path, "chromosome, id, centimorgans, position, allele 1, allele 2",
                   take_variant, ctx, err));
    TRY(sibling_path(path, s->path, ".fam", err));
    TRY(read_table(b, path, "family, individual, father, mother, sex, phenotype", take_sample, ctx,
                   err));
    if (o->no_target || o->labels) target_column_free(&data->target, &data->mem);
    TRY(settle_target(b, err));
    int64_t n = data->ids.count, d = data->names.count;
    TRY(data_check_shape(data, n, d, s->name, err));
    f.file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (f.file < 0) return error_set(err, PARE_E_IO, "%s cannot be opened", s->name);
    TRY(check_bed(&f, n, d, err));
    TRY(find_missing(&f, n, data_own_columns(b, d), &data->mem, err));
    TRY(mat_on_disk(&data->x, n, d, &f, &data->mem, err));
    f.file = -1;
    b->finite = true;
    if (!o->allow_missing && data->x.missing) TRY(data_refuse_missing(b, s->name, err));
done:
    if (f.file >= 0) close(f.file);
    return status;
}
