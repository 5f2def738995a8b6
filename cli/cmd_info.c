#include "cli.h"

int run_info(options *o) {
    pare_data *data = NULL;
    pare_error err;
    char *text = NULL;
    o->read.allow_missing = true; /* missing values are part of the description */
    int code = read_data(&data, o, 0);
    progress_end(o);
    if (code != EXIT_FINE) return code;
    pare_status status = o->whole ? pare_data_describe_whole(&text, data, o->json, &o->ctx, &err)
                                  : pare_data_describe(&text, data, o->json, &o->ctx, &err);
    code = output_made(o, status, text, NULL, &err);
    pare_data_free(data);
    return code;
}
