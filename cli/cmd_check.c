#include <math.h>

#include "cli.h"
#include "show.h"
#include "tasks.h"

static void print_text(FILE *to, const char *title, const pare_report *r) {
    char number[32];
    fprintf(to, "%sobjective\t%s\n", title,
            isfinite(r->objective) ? number_text(r->objective, number) : "none");
    fprintf(to, "%soutcome\t%s\t%s\n", title, pare_outcome_name(r->outcome),
            pare_outcome_text(r->outcome));
    fprintf(to, "%scertificate\t%s", title, pare_cert_name(r->certificate.kind));
    if (r->certificate.kind != PARE_CERT_NONE)
        fprintf(to, "\t%.6g\trelative\t%.6g", r->certificate.value, r->certificate.relative);
    fputc('\n', to);
}

static void print_number(FILE *to, double x) {
    char number[32];
    fputs(isfinite(x) ? number_text(x, number) : "null", to);
}

static void print_json(FILE *to, const pare_report *r) {
    fputs("{\"objective\": ", to);
    print_number(to, r->objective);
    fprintf(to, ", \"outcome\": \"%s\", \"certificate\": {\"kind\": \"%s\", \"value\": ",
            pare_outcome_name(r->outcome), pare_cert_name(r->certificate.kind));
    print_number(to, r->certificate.value);
    fputs(", \"relative\": ", to);
    print_number(to, r->certificate.relative);
    fputs("}}", to);
}

static int print_verdict(options *o, const pare_verdict *v, const char *path) {
    page p;
    if (shows_people(o)) return show_check(o, v, path);
    if (!page_open(&p)) return EXIT_RUN;
    if (o->json) {
        fprintf(p.to, "{\"kind\": \"check\", \"agrees\": %s, \"finished\": %s, \"predictor\": ",
                v->holds ? "true" : "false", v->finished ? "true" : "false");
        print_json(p.to, &v->predictor);
        fputs(", \"selection\": ", p.to);
        if (v->has_selection)
            print_json(p.to, &v->selection);
        else
            fputs("null", p.to);
        if (path) fprintf(p.to, ", \"path\": %s", path);
        fputs("}\n", p.to);
    } else {
        print_text(p.to, "", &v->predictor);
        if (v->has_selection) print_text(p.to, "selection ", &v->selection);
        if (path && path[0]) fprintf(p.to, "nested CV estimate of the path\t%s\n", path);
        fprintf(p.to, "verdict\t%s\n", v->sentence);
    }
    return page_write(&p, NULL, o);
}

int run_check(options *o) {
    pare_model *m = NULL;
    pare_data *data = NULL;
    pare_error err;
    char *path = NULL;
    if (pare_model_load(&m, o->argument[0], &o->ctx, &err) != PARE_OK) return say_error(&err);
    char missing[32];
    bool reads_missing =
        pare_model_setting(m, "missing", missing, sizeof missing, &err) == PARE_OK &&
        missing[0] != 'r';
    o->read.allow_missing |= reads_missing;
    o->read.no_target |= task_lacks_target(m);
    o->drop_missing |= reads_missing && missing[0] == 'd';
    int code = read_data(&data, o, 1);
    if (code != EXIT_FINE) goto done;

    pare_verdict v;
    pare_status status = pare_model_leave(m, data, &o->ctx, &err);
    if (status == PARE_OK) status = pare_model_path_text(&path, m, o->json, &o->ctx, &err);
    if (status == PARE_OK) status = pare_verify(&v, m, data, &o->ctx, &err);
    progress_end(o);
    if (status != PARE_OK) {
        code = say_error(&err);
        goto done;
    }
    code = print_verdict(o, &v, path);
    if (code == EXIT_FINE && !v.holds) {
        fprintf(stderr, "pare: %s\n", v.sentence);
        code = EXIT_RUN;
    }

done:
    pare_text_free(path, &o->ctx);
    pare_data_free(data);
    pare_model_free(m);
    return code;
}
