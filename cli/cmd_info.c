#include "cli.h"
#include "show.h"

int run_info(options *o) {
    pare_data *data = NULL;
    pare_error err;
    char *text = NULL;
    o->read.allow_missing = o->read.drop_unlabelled = true; /* both are part of the description */
    o->read.describe = o->columns;
    int code = read_data(&data, o, 0);
    progress_end(o);
    if (code != EXIT_FINE) return code;
    pare_status (*describe)(char **, const pare_data *, bool, const pare_ctx *, pare_error *) =
        o->columns ? pare_data_describe_columns
        : o->whole ? pare_data_describe_whole
                   : pare_data_describe;
    pare_status status = describe(&text, data, o->json, &o->ctx, &err);
    if (status == PARE_OK && shows_people(o)) {
        code = show_table(o, text);
        pare_text_free(text, &o->ctx);
    } else {
        code = output_made(o, status, text, NULL, &err);
    }
    pare_data_free(data);
    return code;
}
