#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Options that cannot change a result are left out of the command that the report shows. */
static int words_left_out(const char *word) {
    static const char *const with_value[] = {"--threads", "--checkpoint"};
    static const char *const alone[] = {"--quiet", "--verbose"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(with_value[i]);
        if (strcmp(word, alone[i]) == 0) return 1;
        if (strcmp(word, with_value[i]) == 0) return 2;
        if (strncmp(word, with_value[i], length) == 0 && word[length] == '=') return 1;
    }
    return 0;
}

/* A word as a shell would need it. */
static void print_word(FILE *to, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=+:@%";
    fputc(' ', to);
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", to);
        else
            fputc(*word, to);
    }
    fputc('\'', to);
}

static int write_report(options *o, const pare_path *p) {
    page words;
    pare_error err;
    char *text;
    if (!page_open(&words)) return EXIT_RUN;
    fputs("pare path", words.to);
    print_word(words.to, o->argument[0]); /* first, wherever it stood: the page is about it */
    for (int i = 0; i < o->argc;) {
        int skip = o->argv[i] == o->argument[0] ? 1 : words_left_out(o->argv[i]);
        if (skip == 0) print_word(words.to, o->argv[i++]);
        i += skip;
    }
    if (fclose(words.to) != 0) {
        fputs("pare: not enough memory\n", stderr);
        free(words.text);
        return EXIT_RUN;
    }
    pare_status status = pare_path_html(&text, p, words.text, &o->ctx, &err);
    free(words.text);
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

static int write_all(options *o, const pare_path *p, const pare_data *data) {
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
    if (code != EXIT_FINE) return code;
    status =
        o->json ? pare_path_json(&text, p, &o->ctx, &err) : pare_path_tsv(&text, p, &o->ctx, &err);
    return output_made(o, status, text, NULL, &err);
}

int run_path(options *o) {
    pare_data *data = NULL;
    pare_path *p = NULL;
    pare_error err;
    const char *const to[] = {o->output, o->weights_out, o->report, o->predictions};
    int code = refuse_outputs(o, to, 4);
    if (code != EXIT_FINE) return code;
    o->path.weights = o->weights_out != NULL;
    o->path.predictions = o->predictions != NULL;
    code = read_data(&data, o, 0);
    if (code != EXIT_FINE) goto done;
    pare_status status = pare_path_run(&p, data, (const pare_settings *const *)o->settings,
                                       o->n_methods, &o->path, &o->ctx, &err);
    progress_end(o);
    if (status != PARE_OK) {
        code = say_error(&err);
        goto done;
    }
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
    if (!complete) say(o, "stopped early: what was finished is written");
    code = write_all(o, p, data);
    if (code == EXIT_FINE && !complete && interrupted()) code = exit_interrupted();

done:
    pare_path_free(p);
    pare_data_free(data);
    return code;
}
