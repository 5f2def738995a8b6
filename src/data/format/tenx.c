#define _POSIX_C_SOURCE 200809L
#include "data/format/tenx.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "data/builder.h"
#include "data/format/lines.h"
#include "data/format/mtx.h"

bool tenx_is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* folder/name or folder/name.gz, whichever exists. */
static bool find_file(char *out, size_t capacity, const char *folder, int length,
                      const char *name) {
    struct stat info;
    int wrote = snprintf(out, capacity, "%.*s/%s", length, folder, name);
    if (wrote < 0 || (size_t)wrote + 4 > capacity) return false;
    if (stat(out, &info) == 0) return true;
    memcpy(out + wrote, ".gz", 4);
    return stat(out, &info) == 0;
}

bool tenx_matrix(char *out, size_t capacity, const char *folder) {
    return find_file(out, capacity, folder, (int)strlen(folder), "matrix.mtx");
}

/* The first field of every line; `what` and `count`: of the matrix. */
static pare_status read_first(strings *out, const pare_data *data, const char *path,
                              const char *what, int64_t count, const char *whose,
                              const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    lines l;
    bool more;
    pare_status status = PARE_OK;
    TRY(stream_open(&s, path, ctx, err));
    TRY(lines_begin(&l, &s, err));
    for (;;) {
        TRY(lines_next_filled(&l, &more, err));
        if (!more) break;
        TRY_MEM(strings_add(out, &data->mem, l.text, (int64_t)strcspn(l.text, "\t")));
    }
    if (out->count != count)
        status = error_set(err, PARE_E_DATA, "%s has %" PRId64 " lines, but %s has %" PRId64 " %s",
                           path, out->count, whose, count, what);
done:
    if (s.mem) stream_close(&s);
    return status;
}

pare_status read_10x(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                     pare_error *err) {
    pare_data *data = b->data;
    char path[PATH_MAX];
    const char *slash = s->path ? strrchr(s->path, '/') : NULL;
    int length = slash ? (int)(slash - s->path) : 0;
    if (!slash) return error_set(err, PARE_E_ARGUMENT, "%s: 10x data are a folder", s->name);
    PASS(mtx_read(b, s, o, true, ctx, err));
    if (!find_file(path, sizeof path, s->path, length, "features.tsv") &&
        !find_file(path, sizeof path, s->path, length, "genes.tsv"))
        return error_set(err, PARE_E_IO, "%.*s has no features.tsv or genes.tsv, plain or .gz",
                         length, s->path);
    PASS(read_first(&data->names, data, path, "rows", data->x.d, s->name, ctx, err));
    if (!find_file(path, sizeof path, s->path, length, "barcodes.tsv"))
        return error_set(err, PARE_E_IO, "%.*s has no barcodes.tsv, plain or .gz", length, s->path);
    return read_first(&data->ids, data, path, "columns", data->x.n, s->name, ctx, err);
}
