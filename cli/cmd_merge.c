#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* The path of the shards' command line, with their work done and the outputs of this command. */
static int merge_as(options *o, int argc, char **argv) {
    const command *path = &commands[0];
    while (path->run != run_path) path++;
    options whole;
    int code = options_parse(&whole, path, argc, argv);
    if (code == EXIT_FINE) {
        whole.path.merge = o->argument;
        whole.path.n_merge = o->n_arguments;
        whole.output = o->output;
        whole.report = o->report;
        whole.predictions = o->predictions;
        whole.model_out = o->model_out;
        whole.path.best = o->path.best;
        whole.json = o->json;
        whole.as = o->as;
        whole.quiet = o->quiet;
        whole.verbose = o->verbose;
        whole.ctx.threads = o->ctx.threads;
        whole.ctx.memory_bytes = o->ctx.memory_bytes;
        whole.ctx.ranks = o->ctx.ranks;
        output_hooks(&whole);
        code = outputs_end(&whole, run_path(&whole));
    }
    options_free(&whole);
    return code;
}

int run_merge(options *o) {
    pare_error err;
    char *text;
    const char *const to[] = {o->output, o->report, o->predictions, o->model_out};
    int code = refuse_outputs(o, to, 4);
    if (code != EXIT_FINE) return code;
    if (pare_checkpoint_command(&text, o->argument[0], &o->ctx, &err) != PARE_OK)
        return say_error(&err);
    char **argv = malloc((strlen(text) + 1) * sizeof *argv);
    int argc = argv ? words_split(text, argv) : 0;
    if (!argv) {
        fputs("pare: not enough memory\n", stderr);
        code = EXIT_RUN;
    } else if (argc < 3 || strcmp(argv[0], "pare") != 0 || strcmp(argv[1], "path") != 0) {
        fprintf(stderr, "pare: %s does not say how it was made: it is no checkpoint of a shard\n",
                o->argument[0]);
        code = EXIT_RUN;
    } else {
        code = merge_as(o, argc - 2, argv + 2);
    }
    free(argv);
    pare_text_free(text, &o->ctx);
    return code;
}
