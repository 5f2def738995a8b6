/* Any bytes as a .mat file of version 5 or 7. What it claims must fit its size before matio sees it;
 * 7.3 is HDF5's own. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/builder.h"
#include "data/format/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24 };

static void require(bool held) {
    if (!held) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size >= 128 && (bytes[124] == 2 || bytes[125] == 2)) return 0;
    pare_error err = {0};
    pare_ctx ctx;
    stream s;
    pare_read_options o;
    pare_read_options_init(&o);
    o.allow_missing = true;
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    require(stream_open_memory(&s, "fuzz", bytes, size, 4096, &ctx, &err) == PARE_OK);
    data_builder b;
    pare_data *data = NULL;
    require(data_begin(&b, &ctx, &err) == PARE_OK);
    pare_status status = read_mat(&b, &s, &o, &ctx, &err);
    if (status == PARE_OK) status = data_finish(&data, &b, s.name, &err);
    data_abandon(&b);
    require(status == PARE_OK || strlen(err.message) > 0);
    stream_close(&s);
    pare_data_free(data);
    return 0;
}
