/* Any bytes into the reader of .mat files, versions 5 and 7: whatever it takes passes data_finish's
 * checks, whatever it refuses is refused with a sentence. Version 7.3 is HDF5's to look after. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24, VERSION_AT = 124, HDF5 = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    pare_error err = {0};
    pare_ctx ctx;
    stream s;
    pare_read_options o;
    if (size > VERSION_AT + 1 && (bytes[VERSION_AT] == HDF5 || bytes[VERSION_AT + 1] == HDF5))
        return 0;
    pare_ctx_init(&ctx);
    pare_read_options_init(&o);
    o.allow_missing = size % 2;
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    pare_data *data = data_new(&ctx);
    if (!data || stream_open_memory(&s, "fuzz", bytes, size, size ? size : 1, &ctx, &err)) abort();
    pare_status status = read_mat(data, &s, &o, &ctx, &err);
    if (status == PARE_OK) status = data_finish(data, s.name, &err);
    if (status != PARE_OK && !(strlen(err.message) > 0 && strlen(err.message) < sizeof err.message))
        abort();
    stream_close(&s);
    pare_data_free(data);
    return 0;
}
