#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "show.h"

static int write_report(options *o, const pare_path *p) {
    pare_error err;
    char *text, *words = words_kept(o);
    if (!words) return EXIT_RUN;
    pare_status status = pare_path_html(&text, p, words, &o->ctx, &err);
    free(words);
    return output_made(o, status, text, o->report, &err);
}

static int write_weights(options *o, const pare_path *p, const pare_data *data) {
    page out;
    char number[32], made_up[32];
    if (!page_open(&out)) return EXIT_RUN;
    fprintf(out.to, "%s\tname\tindex\tweight\n", pare_path_parameter(p));
    for (int64_t s = 0; s < pare_path_n_weights(p); s++) {
        pare_path_point_weights at;
        if (!pare_path_weights(&at, p, s)) break;
        for (int64_t i = 0; i < at.count; i++) {
            fprintf(out.to, "%s\t", number_text(at.value, number));
            print_cell(out.to, pare_data_name(data, at.index[i], made_up));
            fprintf(out.to, "\t%lld\t%s\n", (long long)at.index[i],
                    number_text(at.weight[i], number));
        }
    }
    return page_write(&out, o->weights_out, o);
}

static int write_all(options *o, const pare_path *p, const pare_model *m, const pare_data *data) {
    pare_error err;
    char *text;
    int code = EXIT_FINE;
    pare_status status;
    if (o->output) {
        status = pare_path_json(&text, p, &o->ctx, &err);
        code = output_made(o, status, text, o->output, &err);
    }
    if (code == EXIT_FINE && o->predictions) {
        status = pare_path_predictions(&text, p, data, &o->ctx, &err);
        code = output_made(o, status, text, o->predictions, &err);
    }
    if (code == EXIT_FINE && o->weights_out) code = write_weights(o, p, data);
    if (code == EXIT_FINE && o->report) code = write_report(o, p);
    if (code == EXIT_FINE && m) code = write_model(o, m, o->model_out);
    if (code != EXIT_FINE) return code;
    if (shows_people(o)) return show_path(o, p);
    status =
        o->json ? pare_path_json(&text, p, &o->ctx, &err) : pare_path_tsv(&text, p, &o->ctx, &err);
    return output_made(o, status, text, NULL, &err);
}

/* --shard I/N; the command line for the merge goes into the shard's checkpoint. */
static int take_shard(options *o, char **words) {
    char *end;
    long long shard = strtoll(o->shard, &end, 10),
              of = *end == '/' ? strtoll(end + 1, &end, 10) : 0;
    if (*end || shard < 1 || shard > of)
        return say_usage(
            "--shard: \"%.64s\" is not allowed; expected I/N with I from 1 to N, such as "
            "1/4",
            o->shard);
    if (!o->path.checkpoint)
        return say_usage("--shard needs --checkpoint FILE, where the shard keeps what it finishes");
    if (o->output || o->report || o->weights_out || o->json || o->model_out)
        return say_usage(
            "a shard has no result of its own: give -o, --report, --model and --json to "
            "pare merge");
    if (strcmp(o->argument[0], "-") == 0)
        return say_usage("pare merge reads the data again: with --shard they cannot be \"-\"");
    o->path.shard = shard;
    o->path.n_shards = of;
    o->path.command = *words = words_kept(o);
    return *words ? EXIT_FINE : EXIT_RUN;
}

int run_path(options *o) {
    pare_data *data = NULL;
    pare_path *p = NULL;
    pare_model *m = NULL;
    pare_error err;
    char *words = NULL;
    const char *const to[] = {o->output, o->weights_out, o->report, o->predictions, o->model_out};
    int code = refuse_outputs(o, to, o->shard ? 0 : 5);
    if (code == EXIT_FINE && o->shard) code = take_shard(o, &words);
    if (code != EXIT_FINE) return code;
    o->path.weights = o->weights_out != NULL;
    o->path.predictions = o->predictions != NULL;
    o->path.model = o->model_out != NULL;
    code = read_data(&data, o, 0);
    if (code != EXIT_FINE) goto done;
    pare_status status = pare_path_run(&p, data, (const pare_settings *const *)o->settings,
                                       o->n_methods, &o->path, &o->ctx, &err);
    progress_end(o);
    if (status != PARE_OK) {
        code = say_error(&err);
        goto done;
    }
    if (o->shard) {
        say(o, "shard %s is finished: %s", o->shard, o->path.checkpoint);
        goto done;
    }
    m = pare_path_model(p);
    bool complete = pare_path_complete(p);
    if (o->strict && !interrupted() && (!complete || pare_path_unconverged(p) > 0)) {
        if (complete)
            fprintf(stderr, "pare: not converged: %lld fits did not reach their tolerance\n",
                    (long long)pare_path_unconverged(p));
        else
            fputs("pare: the time limit ended the path early\n", stderr);
        code = EXIT_NOT_CONVERGED;
        goto done;
    }
    if (!complete)
        say(o, "stopped early: what was finished is written%s",
            o->model_out && !m ? ", which is no model" : "");
    code = write_all(o, p, m, data);
    if (code == EXIT_FINE && !complete && interrupted()) code = exit_interrupted();
    show_next(o, m ? (const char *const[]){"pare", "predict", o->model_out, "new.csv", NULL}
                   : (const char *const[]){"pare", "path", o->argument[0], "-m", o->method,
                                           "--model", "model.json", NULL});

done:
    free(words);
    pare_model_free(m);
    pare_path_free(p);
    pare_data_free(data);
    return code;
}
