#include "support/read_stream.h"

pare_status read_stream(pare_data **out, data_reader read, struct stream *s, const char *where,
                        const pare_read_options *o, const pare_ctx *ctx, pare_error *err) {
    data_builder b;
    *out = NULL;
    pare_status status = data_begin(&b, ctx, err);
    if (status == PARE_OK) status = read(&b, s, o, ctx, err);
    if (status == PARE_OK) status = data_finish(out, &b, where, err);
    data_abandon(&b);
    return status;
}
