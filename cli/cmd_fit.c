#include <math.h>
#include <string.h>

#include "cli.h"
#include "show.h"
#include "tasks.h"

static void print_report(FILE *to, const char *prefix, const pare_report *r) {
    char number[32];
    if (!isnan(r->objective))
        fprintf(to, "# %sobjective\t%s\n", prefix, number_text(r->objective, number));
    fprintf(to, "# %soutcome\t%s\t%s\n", prefix, pare_outcome_name(r->outcome),
            pare_outcome_text(r->outcome));
    fprintf(to, "# %scertificate\t%s", prefix, pare_cert_name(r->certificate.kind));
    if (r->certificate.kind != PARE_CERT_NONE)
        fprintf(to, " %.3g, relative %.3g", r->certificate.value, r->certificate.relative);
    fputc('\n', to);
}

/* The table of selected features behind comment lines. */
static void print_model(FILE *to, const pare_model *m) {
    char number[32];
    const pare_model_info *of = pare_model_get(m);
    int64_t outputs = of->n_outputs, weights = of->coef ? outputs : 0;
    fprintf(to, "# pare\t%s\n# method\t%s\n# task\t%s\n# n\t%lld\n# d\t%lld\n", pare_version(),
            of->method, of->task, (long long)of->n_samples, (long long)of->n_features);
    if (of->n_classes) {
        fputs("# classes", to);
        for (int64_t c = 0; c < of->n_classes; c++) {
            fputc('\t', to);
            print_cell(to, of->classes[c]);
        }
        fputc('\n', to);
    }
    if (of->n_classes == 2) {
        fputs("# positive\t", to);
        print_cell(to, of->classes[1]);
        fputc('\n', to);
    }
    print_report(to, "", &of->predictor);
    if (of->has_selection) print_report(to, "selection ", &of->selection);
    for (int64_t o = 0; o < outputs; o++)
        fprintf(to, "%s%s", o == 0 ? "# intercept\t" : "\t", number_text(of->intercept[o], number));
    if (outputs > 0) fputc('\n', to);
    fprintf(to, "# selected\t%lld\n", (long long)of->n_selected);
    if (of->n_kept) fputs("# kept", to);
    for (int64_t i = 0; i < of->n_kept; i++) {
        fputc('\t', to);
        print_cell(to, of->name[i]);
    }
    if (of->n_kept) fputc('\n', to);
    if (of->seconds >= 0) fprintf(to, "# seconds\t%.6g\n", of->seconds);
    for (int64_t i = 0; i < of->n_notes; i++) {
        fputs("# note: ", to);
        print_sentence(to, of->notes[i]);
        fputc('\n', to);
    }
    fputs("rank\tname\tindex\tscore", to);
    for (int64_t o = 0; o < weights; o++) {
        fputs("\tweight", to);
        if (outputs == 1) continue;
        fputc(' ', to);
        print_cell(to, of->classes[of->pairs ? of->pairs[2 * o] : o]);
        if (!of->pairs) continue;
        fputs(" against ", to);
        print_cell(to, of->classes[of->pairs[2 * o + 1]]);
    }
    fputc('\n', to);
    for (int64_t i = 0; i < of->n_selected; i++) {
        fprintf(to, "%lld\t", (long long)i + 1);
        print_cell(to, of->name[i]);
        fprintf(to, "\t%lld\t%s", (long long)of->index[i], number_text(of->score[i], number));
        for (int64_t o = 0; o < weights; o++)
            fprintf(to, "\t%s", number_text(of->coef[o * of->n_selected + i], number));
        fputc('\n', to);
    }
}

static int write_ranking(options *o, const pare_model *m, const pare_data *data) {
    page p;
    char number[32], made_up[32];
    const pare_model_info *of = pare_model_get(m);
    bool tested = of->ranking_p != NULL;
    if (!page_open(&p)) return EXIT_RUN;
    fprintf(p.to, "rank\tname\tindex\tscore%s\n", tested ? "\tp\tq" : "");
    for (int64_t i = 0; i < of->n_ranked; i++) {
        int64_t j = of->ranking[i];
        fprintf(p.to, "%lld\t", (long long)i + 1);
        print_cell(p.to, of->ranking_name ? of->ranking_name[i] : pare_data_name(data, j, made_up));
        fprintf(p.to, "\t%lld\t%s", (long long)j, number_text(of->ranking_score[i], number));
        if (tested) fprintf(p.to, "\t%s", number_text(of->ranking_p[i], number));
        if (tested) fprintf(p.to, "\t%s", number_text(of->ranking_q[i], number));
        fputc('\n', p.to);
    }
    return page_write(&p, o->ranking, o);
}

/* The gap's cell is empty on an exact path. */
static int write_lambda_path(options *o, const pare_model *m) {
    page p;
    char number[32];
    pare_lambda_path path = pare_model_get(m)->lambda_path;
    int64_t count = path.count;
    const pare_lambda_point *point = path.point;
    if (!page_open(&p)) return EXIT_RUN;
    bool deviates = count > 0 && !isnan(point[0].deviance);
    fprintf(p.to, "lambda\tobjective\tloss\tpenalty\tgap\tn_features%s\n",
            deviates ? "\tdeviance\tdf" : "");
    for (int64_t i = 0; i < count; i++) {
        const double cell[] = {point[i].lambda, point[i].objective, point[i].loss,
                               point[i].penalty};
        for (int c = 0; c < 4; c++) fprintf(p.to, "%s\t", number_text(cell[c], number));
        fprintf(p.to, "%s\t%lld", isnan(point[i].gap) ? "" : number_text(point[i].gap, number),
                (long long)point[i].n_features);
        if (deviates)
            fprintf(p.to, "\t%s\t%lld", number_text(point[i].deviance, number),
                    (long long)point[i].df);
        fputc('\n', p.to);
    }
    return page_write(&p, o->lambda_path, o);
}

/* The class that output c is for, as in the model file; nothing for regression and ranking. */
static const char *output_class(const pare_model *m, int64_t c) {
    if (!task_predicts_class(m)) return "";
    const pare_model_info *of = pare_model_get(m);
    return of->classes[of->n_classes == 2 ? 1 : c];
}

static void print_coef(FILE *to, double lambda, const char *output, const char *name, int64_t index,
                       double coef) {
    char number[32];
    fprintf(to, "%s\t", number_text(lambda, number));
    print_cell(to, output);
    fputc('\t', to);
    print_cell(to, name);
    fprintf(to, "\t%lld\t%s\n", (long long)index, number_text(coef, number));
}

static int write_lambda_coef(options *o, const pare_model *m, const pare_data *data) {
    page p;
    char made_up[32];
    pare_lambda_path path = pare_model_get(m)->lambda_path;
    int64_t count = path.count, c = path.n_outputs;
    if (!page_open(&p)) return EXIT_RUN;
    fputs("lambda\toutput\tname\tindex\tcoef\n", p.to);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < c; k++) {
            const char *output = output_class(m, k);
            double lambda = path.point[i].lambda;
            print_coef(p.to, lambda, output, "(intercept)", -1, path.intercept[i * c + k]);
            for (int64_t e = path.start[i]; e < path.start[i + 1]; e++)
                if (path.coef[e * c + k] != 0)
                    print_coef(p.to, lambda, output, pare_data_name(data, path.index[e], made_up),
                               path.index[e], path.coef[e * c + k]);
        }
    return page_write(&p, o->lambda_coef, o);
}

static int write_weights(options *o, const pare_model *m, const pare_data *data) {
    page p;
    char number[32], made_up[32], at[64];
    const pare_model_info *of = pare_model_get(m);
    bool along = pare_model_setting(m, "p", at, sizeof at, NULL) == PARE_OK;
    if (!page_open(&p)) return EXIT_RUN;
    fprintf(p.to, "%sname\tindex\tweight\n", along ? "p\t" : "");
    for (int64_t i = 0; i < of->n_weights; i++) {
        if (along) fprintf(p.to, "%s\t", at);
        print_cell(p.to, pare_data_name(data, of->weight_index[i], made_up));
        fprintf(p.to, "\t%lld\t%s\n", (long long)of->weight_index[i],
                number_text(of->weight[i], number));
    }
    return page_write(&p, o->weights_out, o);
}

int write_model(options *o, const pare_model *m, const char *path) {
    char *text;
    pare_error err;
    pare_status status = pare_model_text(&text, m, &o->ctx, &err);
    return output_made(o, status, text, path, &err);
}

static int print_result(options *o, const pare_model *m) {
    if (o->json) return write_model(o, m, NULL);
    if (shows_people(o)) return show_model(o, m);
    page p;
    if (!page_open(&p)) return EXIT_RUN;
    print_model(p.to, m);
    return page_write(&p, NULL, o);
}

static int write_all(options *o, const pare_model *m, const pare_data *data) {
    int code = EXIT_FINE;
    if (o->output) code = write_model(o, m, o->output);
    if (code == EXIT_FINE && o->ranking) code = write_ranking(o, m, data);
    if (code == EXIT_FINE && o->lambda_path) code = write_lambda_path(o, m);
    if (code == EXIT_FINE && o->lambda_coef) code = write_lambda_coef(o, m, data);
    if (code == EXIT_FINE && o->weights_out) code = write_weights(o, m, data);
    return code == EXIT_FINE ? print_result(o, m) : code;
}

/* Whether the method weighs its features; `others` lists those that do. */
static bool weighs(const char *method, char *others, size_t size) {
    bool found = false;
    others[0] = '\0';
    for (int64_t i = 0; i < pare_methods_count(); i++) {
        pare_method_info m;
        size_t used = strlen(others);
        if (!pare_methods_info(&m, i) || !m.weighs) continue;
        found |= strcmp(m.name, method) == 0;
        snprintf(others + used, size - used, "%s%s", used ? ", " : "", m.name);
    }
    return found;
}

int run_fit(options *o) {
    pare_data *data = NULL;
    pare_model *m = NULL;
    pare_error err;
    const char *along = o->lambda_path ? "path" : o->lambda_coef ? "coef" : NULL;
    if (along && pare_settings_set(o->settings[0], "sweep", "true", &err) != PARE_OK)
        return say_usage("--lambda-%s: %s follows no path over lambda; allowed with the methods "
                         "that have the setting sweep, such as llna",
                         along, o->method);
    char others[128];
    if (o->weights_out && !weighs(o->method, others, sizeof others))
        return say_usage("--weights-out: %s does not weigh kernels of features; allowed with %s",
                         o->method, others);
    const char *const to[] = {o->output, o->ranking, o->lambda_path, o->lambda_coef,
                              o->weights_out};
    int code = refuse_outputs(o, to, 5);
    if (code != EXIT_FINE) return code;
    if (pare_settings_get(o->settings[0], "task", others, sizeof others, &err) == PARE_OK)
        o->read.no_target |= task_word_lacks_target(others);
    code = read_data(&data, o, 0);
    if (code != EXIT_FINE) goto done;
    pare_status status = pare_fit(&m, data, o->settings[0], &o->ctx, &err);
    progress_end(o);
    if (status != PARE_OK) {
        code = say_error(&err);
        goto done;
    }
    const pare_model_info *of = pare_model_get(m);
    pare_report selection = {.outcome = PARE_OPTIMAL}, predictor = of->predictor;
    if (of->has_selection) selection = of->selection;
    bool both =
        pare_outcome_finished(predictor.outcome) && pare_outcome_finished(selection.outcome);
    if (!both && o->strict && !interrupted()) {
        fprintf(stderr, "pare: not converged: the outcome is %s, relative certificate %.3g\n",
                pare_outcome_name(pare_outcome_finished(predictor.outcome) ? selection.outcome
                                                                           : predictor.outcome),
                predictor.certificate.relative);
        code = EXIT_NOT_CONVERGED;
        goto done;
    }
    code = write_all(o, m, data);
    bool given = pare_model_setting(m, "probability", others, sizeof others, NULL) == PARE_OK &&
                 strcmp(others, "true") == 0;
    bool whole = both && (!given || of->has_probability);
    if (code == EXIT_FINE && !whole && interrupted()) code = exit_interrupted();
    show_next(o, o->output ? (const char *const[]){"pare", "predict", o->output, "new.csv", NULL}
                           : (const char *const[]){"pare", "path", o->argument[0], "-m", o->method,
                                                   "--report", "report.html", "--model",
                                                   "model.json", NULL});

done:
    pare_model_free(m);
    pare_data_free(data);
    return code;
}
