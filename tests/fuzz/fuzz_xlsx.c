/* Any bytes as the parts of a workbook, which is made of them so that its checksums hold, through the
 * public door. The first byte picks the options; the sheet, the shared strings and the styles are
 * parted by "%%". Without them all bytes are the archive itself. */
#define _GNU_SOURCE
#include <pare/pare.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../support/stored_zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24 };

static void require(bool held) {
    if (!held) abort();
}

/* Cuts off what is before the next "%%". */
static zip_text take_part(const uint8_t **at, const uint8_t *end) {
    const uint8_t *first = *at, *cut = memmem(first, (size_t)(end - first), "%%", 2);
    const uint8_t *last = cut ? cut : end;
    *at = cut ? cut + 2 : end;
    return (zip_text){NULL, first, (size_t)(last - first)};
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 1) return 0;
    uint8_t choice = bytes[0];
    const uint8_t *at = bytes + 1, *end = bytes + size;
    bool whole = memmem(at, size - 1, "%%", 2) == NULL;
    size_t length = size - 1;
    unsigned char *book = NULL;
    if (!whole) {
        zip_text sheet = take_part(&at, end), shared = take_part(&at, end),
                 styles = take_part(&at, end);
        book = stored_workbook(sheet, &shared, &styles, &length);
    }
    pare_read_options o;
    pare_ctx ctx;
    pare_error err = {0};
    pare_data *data;
    pare_read_options_init(&o);
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    o.format = "xlsx";
    o.allow_missing = choice & 1;
    o.features_in_rows = choice & 2;
    o.no_header = choice & 4;
    o.header = choice & 8;
    o.categorical = choice & 16;
    o.skip = choice & 32 ? 1 : 0;
    o.id = choice & 64 ? "id" : NULL;
    o.no_target = choice & 128;
    pare_status status =
        pare_data_read_memory(&data, whole ? bytes + 1 : book, length, &o, &ctx, &err);
    require((status == PARE_OK) == (data != NULL));
    require(status == PARE_OK || (strlen(err.message) > 0 && !strchr(err.message, '\n')));
    pare_data_free(data);
    free(book);
    return 0;
}
