/* Any bytes as files on a disk, through the public door: a data file, packed or not, and one beside it
 * (labels, weights, folds, groups or names: lines, an array or a table joined by ids). The first byte
 * picks the format, the second what the other file is, the third the options; the files are parted by
 * the line "%%". What is read must pass a walk over its values or be refused with a sentence. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pare/pare.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24, PATH = 64 };

static void require(bool held) {
    if (!held) abort();
}

/* A file of the bytes; its path is good for as long as the number it returns is open. */
static int put(char *path, const uint8_t *bytes, size_t size) {
    int file = memfd_create("fuzz", 0);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, PATH, "/proc/self/fd/%d", file);
    return file;
}

static void choose(pare_read_options *o, uint8_t side, uint8_t choice, char *other) {
    static char table[PATH + 8];
    snprintf(table, sizeof table, "%s:w", other);
    const char *joined = side & 8 ? table : other;
    switch (side % 7) {
    case 1: o->labels = other; break;
    case 2: o->weights = joined; break;
    case 3: o->groups = other; break;
    case 4: o->names = other; break;
    case 5: o->fold_file = joined; break;
    case 6: o->offset = joined; break;
    default: break;
    }
    if (side & 16) o->id = "id";
    if (side & 32) o->target = "w";
    o->describe = side & 64;
    o->allow_missing = choice & 1;
    o->features_in_rows = choice & 2;
    o->no_header = choice & 4;
    o->header = choice & 8;
    o->categorical = choice & 16;
    o->storage = choice & 32 ? "sparse" : choice & 64 ? "dense" : NULL;
    if (choice & 128) o->drop = "a,b";
}

static void describe(const pare_data *data) {
    char *text;
    pare_error err;
    if (pare_data_describe_columns(&text, data, true, NULL, &err) == PARE_OK)
        pare_text_free(text, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const formats[] = {"csv", "tsv", "svmlight", "arff", "npy", "mtx", "npz"};
    char path[PATH], other[PATH];
    if (size < 3) return 0;
    const uint8_t *first = bytes + 3, *end = bytes + size;
    const uint8_t *cut = memmem(first, (size_t)(end - first), "%%\n", 3);
    const uint8_t *second = cut ? cut + 3 : end;
    int data_file = put(path, first, (size_t)((cut ? cut : end) - first));
    int side_file = put(other, second, (size_t)(end - second));
    pare_read_options o;
    pare_ctx ctx;
    pare_error err = {0};
    pare_data *data;
    pare_read_options_init(&o);
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    o.format = formats[bytes[0] % 7];
    choose(&o, bytes[1], bytes[2], other);
    pare_status status = pare_data_read(&data, path, &o, &ctx, &err);
    require((status == PARE_OK) == (data != NULL));
    require(status == PARE_OK || (strlen(err.message) > 0 && !strchr(err.message, '\n')));
    if (data && o.describe) describe(data);
    pare_data_free(data);
    close(side_file);
    close(data_file);
    return 0;
}
