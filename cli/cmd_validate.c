#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "show.h"

/* What a run reads, and has to free. */
typedef struct reading {
    pare_model *model[2]; /* the second: --against, or NULL */
    int count;
    pare_data **data;
    const char **name;
    char *made_up; /* names of cohorts whose files have one name */
} reading;

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

enum { MAX_NAME = 300 };

/* A cohort for each file, named by it; of files of one name the second is NAME#2. */
static bool name_cohorts(reading *r, const options *o) {
    r->made_up = calloc((size_t)r->count, MAX_NAME);
    r->name = calloc((size_t)r->count, sizeof *r->name);
    if (!r->made_up || !r->name) return false;
    for (int i = 0; i < r->count; i++) {
        const char *own = base_name(o->argument[i + 1]);
        int same = 1;
        for (int j = 0; j < i; j++) same += strcmp(base_name(o->argument[j + 1]), own) == 0;
        char *made_up = r->made_up + (size_t)i * MAX_NAME;
        snprintf(made_up, MAX_NAME, same > 1 ? "%.280s#%d" : "%.280s", own, same);
        r->name[i] = made_up;
    }
    return true;
}

static int read_models(reading *r, options *o) {
    pare_error err;
    if (pare_model_load(&r->model[0], o->argument[0], &o->ctx, &err) != PARE_OK)
        return say_error(&err);
    if (o->against && pare_model_load(&r->model[1], o->against, &o->ctx, &err) != PARE_OK)
        return say_error(&err);
    o->validate.against = r->model[1];
    return EXIT_FINE;
}

static int read_cohorts(reading *r, options *o) {
    int code = EXIT_FINE;
    r->count = o->n_arguments - 1;
    r->data = calloc((size_t)r->count, sizeof *r->data);
    if (!r->data || !name_cohorts(r, o)) {
        fputs("pare: not enough memory\n", stderr);
        return EXIT_RUN;
    }
    o->read.only_present = true; /* the validation reports what is absent */
    for (int i = 0; i < r->count && code == EXIT_FINE; i++) {
        const char **names = NULL;
        code = read_needed(&r->data[i], o, i + 1, (const pare_model *const *)r->model,
                           r->model[1] ? 2 : 1, &names);
        free(names);
    }
    return code;
}

static void reading_free(reading *r) {
    for (int i = 0; r->data && i < r->count; i++) pare_data_free(r->data[i]);
    free(r->data);
    free(r->name);
    free(r->made_up);
    pare_model_free(r->model[1]);
    pare_model_free(r->model[0]);
}

static int write_recalibrated(options *o, const pare_validation *v, const pare_model *m) {
    pare_model *made;
    pare_error err;
    if (!o->recalibrated) return EXIT_FINE;
    if (pare_validation_recalibrated(&made, v, m, &o->ctx, &err) != PARE_OK) return say_error(&err);
    int code = write_model(o, made, o->recalibrated);
    pare_model_free(made);
    return code;
}

static int write_report(options *o, const pare_validation *v, const pare_model *m) {
    pare_error err;
    char *text, *words = words_kept(o);
    if (!words) return EXIT_RUN;
    pare_status made = pare_validation_html(&text, v, m, words, &o->ctx, &err);
    free(words);
    return output_made(o, made, text, o->report, &err);
}

static int write_all(options *o, const pare_validation *v, const pare_model *m) {
    pare_error err;
    char *text;
    pare_status made;
    int code = write_recalibrated(o, v, m);
    if (code == EXIT_FINE && o->output) {
        made = pare_validation_json(&text, v, m, &o->ctx, &err);
        code = output_made(o, made, text, o->output, &err);
    }
    if (code == EXIT_FINE && o->report) code = write_report(o, v, m);
    if (code != EXIT_FINE || (o->output && strcmp(o->output, "-") == 0)) return code;
    if (shows_people(o)) return show_validation(o, v, m);
    made = o->json ? pare_validation_json(&text, v, m, &o->ctx, &err)
                   : pare_validation_tsv(&text, v, m, &o->ctx, &err);
    return output_made(o, made, text, NULL, &err);
}

static int check_words(const options *o) {
    const char *const to[] = {o->output, o->recalibrated, o->report};
    bool recalibrates = strcmp(o->validate.recalibrate, "intercept") == 0 ||
                        strcmp(o->validate.recalibrate, "slope") == 0;
    if (recalibrates && !o->recalibrated)
        return say_usage("--recalibrate makes a new model: name its file with --model-out");
    if (!recalibrates && o->recalibrated)
        return say_usage("--model-out is for --recalibrate intercept or slope");
    return refuse_outputs(o, to, 3);
}

int run_validate(options *o) {
    reading r = {0};
    pare_validation *v = NULL;
    pare_error err;
    int code = check_words(o);
    if (code != EXIT_FINE) return code;
    code = read_models(&r, o);
    if (code == EXIT_FINE) code = read_cohorts(&r, o);
    o->validate.by_group = o->read.fold_groups != NULL;
    if (code == EXIT_FINE && pare_validate(&v, r.model[0], (const pare_data *const *)r.data, r.name,
                                           r.count, &o->validate, &o->ctx, &err) != PARE_OK)
        code = say_error(&err);
    progress_end(o);
    if (code == EXIT_FINE) code = write_all(o, v, r.model[0]);
    pare_validation_free(v);
    reading_free(&r);
    return code;
}
