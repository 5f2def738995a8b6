#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "show.h"
#include "tasks.h"

static void print_header(FILE *to, const pare_model *m) {
    const pare_model_info *of = pare_model_get(m);
    bool classes = task_predicts_class(m), two = of->n_classes == 2;
    if (task_orders(m)) {
        fputs("sample\tscore\trank\n", to);
        return;
    }
    fputs("sample\tprediction", to);
    if (classes && two) fputs("\tscore", to);
    for (int64_t o = 0; classes && !two && o < of->n_scores; o++) {
        fputs("\tscore ", to);
        print_cell(to, of->classes[o]);
    }
    fputc('\n', to);
}

/* p(CLASS) for every class, in their order. */
static int print_probability(options *o, const pare_model *m, const pare_data *data) {
    const pare_model_info *of = pare_model_get(m);
    int64_t n = pare_data_n(data), classes = of->n_classes, outputs = of->n_scores;
    char number[32], made_up[32];
    pare_error err;
    page p;
    double *P = malloc(sizeof *P * (size_t)(n * (classes + outputs) + 1));
    if (!P || !page_open(&p)) {
        fputs("pare: not enough memory\n", stderr);
        free(P);
        return EXIT_RUN;
    }
    double *scores = P + n * classes;
    if (pare_predict_probability(P, m, data, &o->ctx, &err) != PARE_OK ||
        pare_predict(scores, m, data, &o->ctx, &err) != PARE_OK) {
        page_drop(&p);
        free(P);
        return say_error(&err);
    }
    fputs("sample\tprediction", p.to);
    for (int64_t c = 0; c < classes; c++) {
        fputs("\tp(", p.to);
        print_cell(p.to, of->classes[c]);
        fputc(')', p.to);
    }
    for (int64_t i = 0; i < n; i++) {
        fputc('\n', p.to);
        print_cell(p.to, pare_data_id(data, i, made_up));
        fputc('\t', p.to);
        print_cell(p.to, of->classes[pare_model_decide(m, scores + i, n)]);
        for (int64_t c = 0; c < classes; c++)
            fprintf(p.to, "\t%s", number_text(P[c * n + i], number));
    }
    fputc('\n', p.to);
    free(P);
    return page_write(&p, o->output, o);
}

/* The times of --times: their texts, cut out of `list`, and numbers. Returns how many, -1: one is none. */
static int64_t parse_times(char *list, const char **text, double *time) {
    int64_t count = 0;
    char *end;
    for (char *p = list; p;) {
        char *comma = strchr(p, ',');
        if (comma) *comma = '\0';
        while (*p == ' ') p++;
        text[count] = p;
        time[count] = strtod(p, &end);
        if (end == p || end[strspn(end, " ")] || !isfinite(time[count]) || time[count] < 0)
            return -1;
        *end = '\0';
        count++;
        p = comma ? comma + 1 : NULL;
    }
    return count;
}

static void print_survival(FILE *to, const pare_data *data, const double *column, int64_t times) {
    int64_t n = pare_data_n(data); /* columns: risk, median, S of each time */
    char number[32], made_up[32];
    for (int64_t i = 0; i < n; i++) {
        print_cell(to, pare_data_id(data, i, made_up));
        fprintf(to, "\t%s", number_text(column[i], number));
        for (int64_t k = 0; k < times; k++)
            fprintf(to, "\t%s", number_text(column[(k + 2) * n + i], number));
        if (times)
            fprintf(to, "\t%s", isnan(column[n + i]) ? "NA" : number_text(column[n + i], number));
        fputc('\n', to);
    }
}

/* Risks, and with --times what they mean at these. */
static int print_risks(options *o, const pare_model *m, const pare_data *data) {
    int64_t n = pare_data_n(data), times = 0;
    size_t length = o->times ? strlen(o->times) : 0;
    char *list = calloc(length + 1, 1);
    const char **text = malloc(sizeof *text * (length + 2));
    double *time = malloc(sizeof *time * (length + 2)), *column = NULL;
    pare_error err;
    page p = {0};
    int code = EXIT_FINE;
    if (list && o->times) memcpy(list, o->times, length);
    if (list && text && time && o->times) times = parse_times(list, text, time);
    if (times < 0) {
        code = say_usage("--times: \"%.64s\" is not allowed; expected times >= 0, separated by "
                         "commas, such as 1,2.5,5",
                         o->times);
        goto done;
    }
    if (list && text && time) column = malloc(sizeof *column * (size_t)(n * (times + 2)));
    if (!column || !page_open(&p)) {
        fputs("pare: not enough memory\n", stderr);
        code = EXIT_RUN;
    } else if (pare_predict(column, m, data, &o->ctx, &err) != PARE_OK ||
               (times && pare_predict_survival(column + 2 * n, column + n, m, data, time, times,
                                               &o->ctx, &err) != PARE_OK)) {
        page_drop(&p);
        code = say_error(&err);
    } else {
        fputs("sample\trisk", p.to);
        for (int64_t k = 0; k < times; k++) fprintf(p.to, "\tS(%s)", text[k]);
        fputs(times ? "\tmedian\n" : "\n", p.to);
        print_survival(p.to, data, column, times);
        code = page_write(&p, o->output, o);
    }
done:
    free(column);
    free(time);
    free(text);
    free(list);
    return code;
}

typedef struct scored {
    double score;
    int64_t sample;
} scored;

static int highest_first(const void *pa, const void *pb) {
    const scored *a = pa, *b = pb;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->sample < b->sample ? -1 : a->sample > b->sample;
}

/* rank[i]: 1 for the highest score; equal scores share the best rank of their run. */
static bool rank_scores(int64_t *rank, const double *scores, int64_t n) {
    scored *v = malloc(sizeof *v * (size_t)n);
    if (!v) return false;
    for (int64_t i = 0; i < n; i++) v[i] = (scored){scores[i], i};
    qsort(v, (size_t)n, sizeof *v, highest_first);
    for (int64_t i = 0; i < n; i++)
        rank[v[i].sample] = i > 0 && v[i].score == v[i - 1].score ? rank[v[i - 1].sample] : i + 1;
    free(v);
    return true;
}

static void print_rows(FILE *to, const pare_model *m, const pare_data *data, const double *scores,
                       const int64_t *rank) {
    bool ranking = task_orders(m), regression = task_predicts_number(m);
    int64_t n = pare_data_n(data);
    char number[32], made_up[32];
    for (int64_t i = 0; i < n; i++) {
        print_cell(to, pare_data_id(data, i, made_up));
        if (ranking) {
            fprintf(to, "\t%s\t%lld\n", number_text(scores[i], number), (long long)rank[i]);
            continue;
        }
        fputc('\t', to);
        if (regression) {
            fprintf(to, "%s\n", number_text(scores[i], number));
            continue;
        }
        print_cell(to, pare_model_get(m)->classes[pare_model_decide(m, scores + i, n)]);
        for (int64_t o = 0; o < pare_model_get(m)->n_scores; o++)
            fprintf(to, "\t%s", number_text(scores[o * n + i], number));
        fputc('\n', to);
    }
}

static int read_selected(pare_data **data, options *o, const pare_model *m, const char ***names) {
    const pare_model_info *of = pare_model_get(m);
    /* The prediction reports missing columns. */
    o->read.only_present = of->n_needed > of->n_selected;
    o->read.no_target = !o->score;
    return read_needed(data, o, 1, &m, 1, names);
}

/* The score, for people where it is printed to them. */
static int score_made(options *o, pare_status status, char *text, const pare_error *err) {
    if (status != PARE_OK || o->output || !shows_people(o))
        return output_made(o, status, text, o->output, err);
    int code = show_table(o, text);
    pare_text_free(text, &o->ctx);
    return code;
}

int run_predict(options *o) {
    pare_model *m = NULL;
    pare_data *data = NULL;
    const char **names = NULL;
    double *scores = NULL;
    int64_t *rank = NULL;
    pare_error err;
    int code = refuse_outputs(o, &o->output, 1);
    if (code != EXIT_FINE) return code;
    if (pare_model_load(&m, o->argument[0], &o->ctx, &err) != PARE_OK) return say_error(&err);
    if (o->json && !o->score) {
        code = say_usage("--json goes with --score; predictions are a table");
        goto done;
    }
    if (o->probability && o->score) {
        code = say_usage("--probability and --score are two outputs; ask for one of them");
        goto done;
    }
    if (o->times && (o->score || !task_predicts_risk(m))) {
        code = say_usage(o->score ? "--times and --score are two outputs; ask for one of them"
                                  : "--times is for models of survival, this one is not");
        goto done;
    }
    code = read_selected(&data, o, m, &names);
    if (code != EXIT_FINE) goto done;
    if (task_predicts_risk(m) && !o->score && !o->probability) {
        code = print_risks(o, m, data);
        goto done;
    }
    if (o->probability) {
        code = print_probability(o, m, data);
        goto done;
    }
    if (o->score) {
        char *text;
        pare_status status = pare_score_text(&text, m, data, o->json, &o->ctx, &err);
        code = score_made(o, status, text, &err);
        goto done;
    }

    size_t n = (size_t)pare_data_n(data);
    scores = malloc(sizeof *scores * n * (size_t)pare_model_get(m)->n_scores);
    rank = calloc(n + 1, sizeof *rank);
    page p;
    if (!scores || !rank) {
        fputs("pare: not enough memory\n", stderr);
        code = EXIT_RUN;
    } else if (pare_predict(scores, m, data, &o->ctx, &err) != PARE_OK) {
        code = say_error(&err);
    } else if (!rank_scores(rank, scores, (int64_t)n) || !page_open(&p)) {
        code = EXIT_RUN;
    } else {
        print_header(p.to, m);
        print_rows(p.to, m, data, scores, rank);
        code = page_write(&p, o->output, o);
    }

done:
    free(rank);
    free(scores);
    free(names);
    pare_data_free(data);
    pare_model_free(m);
    return code;
}
