/* Any bytes as files that lie beside each other in a folder: PLINK's .bed with .bim and .fam, or the
 * matrix of 10x with its features and barcodes, through the public door. The first byte picks which,
 * the second the options; the three files are parted by "%%". What is read must pass a walk over its
 * values or be refused with a sentence. */
#define _GNU_SOURCE
#include <pare/pare.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24, PATH = 64 };

static char folder[PATH];

static void require(bool held) {
    if (!held) abort();
}

static void take_away(void) { rmdir(folder); }

static void make_folder(void) {
    if (*folder) return;
    snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    require(mkdtemp(folder) != NULL && atexit(take_away) == 0);
}

static void path_of(char path[2 * PATH], const char *name) {
    snprintf(path, 2 * PATH, "%s/%s", folder, name);
}

/* A file of what is before the next "%%". */
static void put_part(const char *name, const uint8_t **at, const uint8_t *end) {
    char path[2 * PATH];
    const uint8_t *first = *at, *cut = memmem(first, (size_t)(end - first), "%%\n", 3);
    size_t length = (size_t)((cut ? cut : end) - first);
    *at = cut ? cut + 3 : end;
    path_of(path, name);
    FILE *to = fopen(path, "wb");
    require(to && fwrite(first, 1, length, to) == length && fclose(to) == 0);
}

static void describe(const pare_data *data) {
    pare_error err;
    char *text;
    if (pare_data_describe_whole(&text, data, false, NULL, &err) == PARE_OK)
        pare_text_free(text, NULL);
    else
        require(strlen(err.message) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const names[2][3] = {{"d.bed", "d.bim", "d.fam"},
                                            {"matrix.mtx", "features.tsv", "barcodes.tsv"}};
    if (size < 2) return 0;
    make_folder();
    bool tenx = bytes[0] & 1;
    const uint8_t *at = bytes + 2, *end = bytes + size;
    char path[2 * PATH];
    for (int k = 0; k < 3; k++) put_part(names[tenx][k], &at, end);
    path_of(path, tenx ? "" : names[0][0]);
    pare_read_options o;
    pare_ctx ctx;
    pare_error err = {0};
    pare_data *data;
    pare_read_options_init(&o);
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    o.allow_missing = bytes[1] & 1;
    o.drop_unlabelled = bytes[1] & 2;
    o.no_target = bytes[1] & 4;
    o.duplicate_names = bytes[1] & 8 ? "number" : NULL;
    pare_status status = pare_data_read(&data, path, &o, &ctx, &err);
    require((status == PARE_OK) == (data != NULL));
    require(status == PARE_OK || (strlen(err.message) > 0 && !strchr(err.message, '\n')));
    if (data) describe(data);
    pare_data_free(data);
    for (int k = 0; k < 3; k++) {
        path_of(path, names[tenx][k]);
        unlink(path);
    }
    return 0;
}
