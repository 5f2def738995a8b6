#include "cli.h"
#include "show.h"

int run_samplesize(options *o) {
    pare_data *data = NULL;
    pare_error err;
    pare_sample_size *found = NULL;
    char *text = NULL;
    int code = refuse_outputs(o, &o->output, 1);
    if (code != EXIT_FINE) return code;
    if (o->shard) return say_usage("--shard: the work of pare samplesize is not shared out");
    if (o->n_methods > 1)
        return say_usage("pare samplesize is of one method: name it, or choose it by pare path");
    code = read_data(&data, o, 0);
    if (code != EXIT_FINE) return code;
    pare_status status = pare_sample_size_run(&found, data, o->settings[0], &o->path,
                                              &o->sample_size, &o->ctx, &err);
    progress_end(o);
    if (status == PARE_OK) status = pare_sample_size_text(&text, found, o->json, &o->ctx, &err);
    pare_sample_size_free(found);
    if (status == PARE_OK && !o->output && shows_people(o)) {
        code = show_table(o, text);
        pare_text_free(text, &o->ctx);
    } else
        code = output_made(o, status, text, o->output, &err);
    pare_data_free(data);
    return code;
}
