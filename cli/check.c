#include <math.h>

#include "cli.h"

static const double AGREEMENT = 1e-6; /* how far a recomputed objective may be from the model's */

static void print_text(FILE *to, const char *title, const pare_report *r) {
    char number[32];
    fprintf(to, "%sobjective\t%s\n", title,
            isfinite(r->objective) ? number_text(r->objective, number) : "none");
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

/* Does what the model says of itself hold? */
static bool agrees(const pare_report *said, const pare_report *found) {
    bool no_objective =
        isnan(said->objective) && !isfinite(found->objective); /* none was claimed */
    bool no_proof = !isfinite(said->certificate.relative);
    double size = fmax(fabs(said->objective), fabs(found->objective));
    bool objective = no_objective || fabs(said->objective - found->objective) <= AGREEMENT * size;
    bool certificate =
        no_proof || found->certificate.relative <= said->certificate.relative + AGREEMENT;
    return objective && certificate;
}

int run_check(options *o) {
    pare_model *m = NULL;
    pare_data *data = NULL;
    pare_error err;
    page p;
    if (pare_model_load(&m, o->argument[0], &o->ctx, &err) != PARE_OK) return say_error(&err);
    char missing[32];
    bool reads_missing =
        pare_model_setting(m, "missing", missing, sizeof missing, &err) == PARE_OK &&
        missing[0] != 'r';
    o->read.allow_missing |= reads_missing;
    o->drop_missing |= reads_missing && missing[0] == 'd';
    int code = read_data(&data, o, 1);
    if (code != EXIT_FINE) goto done;

    pare_report said, found, said_selection, selection;
    pare_model_report(&said, m);
    bool two = pare_model_selection(&said_selection, m);
    pare_status status = pare_check(&found, two ? &selection : NULL, m, data, &o->ctx, &err);
    progress_end(o);
    if (status != PARE_OK) {
        code = say_error(&err);
        goto done;
    }
    bool fine = agrees(&said, &found) && (!two || agrees(&said_selection, &selection));
    if (!page_open(&p)) {
        code = EXIT_RUN;
        goto done;
    }
    if (o->json) {
        fprintf(p.to,
                "{\"kind\": \"check\", \"agrees\": %s, \"predictor\": ", fine ? "true" : "false");
        print_json(p.to, &found);
        fputs(", \"selection\": ", p.to);
        if (two)
            print_json(p.to, &selection);
        else
            fputs("null", p.to);
        fputs("}\n", p.to);
    } else {
        print_text(p.to, "", &found);
        if (two) print_text(p.to, "selection ", &selection);
        fprintf(p.to, "verdict\t%s\n",
                fine ? "the model's own numbers hold" : "the model's own numbers do not hold");
    }
    code = page_write(&p, NULL, o);
    if (code == EXIT_FINE && !fine) {
        fputs("pare: the model's objective or certificate is not what the data give\n", stderr);
        code = EXIT_RUN;
    }

done:
    pare_data_free(data);
    pare_model_free(m);
    return code;
}
