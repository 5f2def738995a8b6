/* Any bytes as what R's saveRDS or save writes, not compressed or compressed, through the public door. The
 * first byte picks the options. */
#include <pare/pare.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24 };

static void require(bool held) {
    if (!held) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const only[] = {"g1", "f=u"};
    if (size < 1) return 0;
    uint8_t choice = bytes[0];
    pare_read_options o;
    pare_ctx ctx;
    pare_error err = {0};
    pare_data *data;
    pare_read_options_init(&o);
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    o.format = "rdata";
    o.allow_missing = choice & 1;
    o.features_in_rows = choice & 2;
    o.categorical = !o.features_in_rows && (choice & 4);
    o.object = choice & 8 ? "m" : NULL;
    o.id = choice & 16 ? "id" : NULL;
    o.no_target = choice & 32;
    o.only = choice & 64 ? only : NULL;
    o.n_only = 2;
    o.only_present = choice & 128;
    pare_status status = pare_data_read_memory(&data, bytes + 1, size - 1, &o, &ctx, &err);
    require((status == PARE_OK) == (data != NULL));
    require(status == PARE_OK || (strlen(err.message) > 0 && !strchr(err.message, '\n')));
    pare_data_free(data);
    return 0;
}
