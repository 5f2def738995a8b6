#include <string.h>

#include "cli.h"
#include "show.h"

/* Columns of text are described, not rejected, where that can be done; else the error is the one that
 * stood against it. */
static int read_coded(pare_data **out, options *o) {
    pare_read_options coded = o->read;
    pare_error why, other;
    coded.categorical = true;
    if (pare_data_read(out, o->argument[0], &coded, &o->ctx, &why) == PARE_OK) return EXIT_FINE;
    remarks_drop(o);
    if (interrupted()) return read_data(out, o, 0);
    if (pare_data_read(out, o->argument[0], &o->read, &o->ctx, &other) == PARE_OK) return EXIT_FINE;
    *out = NULL;
    return say_error(&why);
}

int run_info(options *o) {
    pare_data *data = NULL;
    pare_error err;
    char *text = NULL;
    o->read.allow_missing = o->read.drop_unlabelled = true; /* both are part of the description */
    bool coded = o->columns && !o->read.features_in_rows && strcmp(o->argument[0], "-") != 0;
    int code = coded ? read_coded(&data, o) : read_data(&data, o, 0);
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
