/* Two problems with a known answer, generated here: shows what pare does without a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* A small generator of its own (splitmix64): the draws belong to the demonstration. */
typedef struct draws {
    uint64_t state;
} draws;

static double uniform(draws *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double normal(draws *r) {
    double u = 1 - uniform(r), v = uniform(r);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

typedef struct problem {
    const char *title, *truth;
    int64_t n, n_test, d, n_true; /* the first n_true features matter */
    void (*draw)(draws *r, double *x, int64_t rows, int64_t d, int64_t i, int y);
    const char *method, *k;
} problem;

/* Zero-norm paper, section 5: with probability 0.7 the first three features carry the label and
 * the next three are noise, else the other way round; features 7 to 100 are N(0, 20). */
static void draw_toy(draws *r, double *x, int64_t rows, int64_t d, int64_t i, int y) {
    bool first = uniform(r) < 0.7;
    for (int64_t j = 0; j < 3; j++) {
        double told = y * ((double)(j + 1) + normal(r)), noise = normal(r);
        x[j * rows + i] = first ? told : noise;
        x[(j + 3) * rows + i] = first ? noise : told;
    }
    for (int64_t j = 6; j < d; j++) x[j * rows + i] = sqrt(20.0) * normal(r);
}

/* A wide set: eight features shifted by the label among twenty thousand of noise. */
static void draw_wide(draws *r, double *x, int64_t rows, int64_t d, int64_t i, int y) {
    for (int64_t j = 0; j < d; j++) x[j * rows + i] = normal(r) + (j < 8 ? 0.9 * y : 0);
}

static const problem problems[] = {
    {"Six of a hundred: the toy problem of the zero-norm paper",
     "features x1 .. x6 carry the label, in two redundant triples", 60, 500, 100, 6, draw_toy,
     "l2-arom", "3"},
    {"A wide set: 100 samples, 20,000 features", "features x1 .. x8 carry the label", 100, 500,
     20000, 8, draw_wide, "corr", "8"},
};

static pare_status draw_data(pare_data **out, draws *r, const problem *p, int64_t n,
                             const pare_ctx *ctx, pare_error *err) {
    double *x = malloc(sizeof *x * (size_t)(n * p->d));
    const char **labels = malloc(sizeof *labels * (size_t)n);
    pare_status status = PARE_E_MEMORY;
    snprintf(err->message, sizeof err->message, "not enough memory");
    err->code = status;
    if (x && labels) {
        for (int64_t i = 0; i < n; i++) {
            int y = uniform(r) < 0.5 ? -1 : 1;
            labels[i] = y > 0 ? "+1" : "-1";
            p->draw(r, x, n, p->d, i, y);
        }
        status = pare_data_dense(out, n, p->d, x, NULL, labels, NULL, ctx, err);
    }
    free(labels);
    free(x);
    return status;
}

/* Proportion of test samples that the model predicts wrong; the labels are those of test. */
static pare_status test_error(double *out, const pare_model *m, const pare_data *test,
                              const pare_ctx *ctx, pare_error *err) {
    int64_t n = pare_data_n(test), wrong = 0;
    char digits[32];
    double *score = malloc(sizeof *score * (size_t)n);
    if (!score) return PARE_E_MEMORY;
    pare_status status = pare_predict(score, m, test, ctx, err);
    for (int64_t i = 0; i < n && status == PARE_OK; i++) {
        const char *predicted = pare_model_get(m)->classes[pare_model_decide(m, score + i, n)];
        wrong += strcmp(predicted, pare_data_target(test, i, digits)) != 0;
    }
    *out = (double)wrong / (double)n;
    free(score);
    return status;
}

static void print_found(FILE *to, const problem *p, const pare_model *m, double error) {
    const pare_model_info *of = pare_model_get(m);
    int64_t k = of->n_selected, hits = 0;
    pare_report r = of->predictor;
    fprintf(to, "  found with %s:", p->method);
    for (int64_t i = 0; i < k; i++) {
        bool hit = of->index[i] < p->n_true;
        hits += hit;
        fprintf(to, " %s%s", of->name[i], hit ? "" : "?");
    }
    fprintf(to, "\n  %lld of %lld are true; %.1f%% of %lld new samples misclassified\n",
            (long long)hits, (long long)k, 100 * error, (long long)p->n_test);
    fprintf(to,
            "  final classifier on these: objective %.6g, certified to a relative gap of %.1g\n\n",
            r.objective, r.certificate.relative);
}

static int show(options *o, const problem *p, uint64_t seed, const char *path, FILE *to) {
    draws r = {seed};
    pare_data *train = NULL, *test = NULL;
    pare_settings *settings = NULL;
    pare_model *m = NULL;
    pare_error err;
    double error = 0;
    fprintf(to, "%s\n  %lld samples, %lld features; truth: %s\n", p->title, (long long)p->n,
            (long long)p->d, p->truth);
    bool fine = draw_data(&train, &r, p, p->n, &o->ctx, &err) == PARE_OK &&
                draw_data(&test, &r, p, p->n_test, &o->ctx, &err) == PARE_OK &&
                pare_settings_new(&settings, p->method, &o->ctx, &err) == PARE_OK &&
                pare_settings_set(settings, "k", p->k, &err) == PARE_OK &&
                pare_fit(&m, train, settings, &o->ctx, &err) == PARE_OK &&
                test_error(&error, m, test, &o->ctx, &err) == PARE_OK;
    progress_end(o);
    if (fine && path) fine = pare_data_write(train, path, NULL, NULL, &o->ctx, &err) == PARE_OK;
    if (fine) print_found(to, p, m, error);
    int code = fine ? EXIT_FINE : say_error(&err);
    pare_model_free(m);
    pare_settings_free(settings);
    pare_data_free(test);
    pare_data_free(train);
    return code;
}

int run_demo(options *o) {
    page p;
    if (!page_open(&p)) return EXIT_RUN;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        int code = show(o, &problems[i], o->ctx.seed + i, i == 0 ? o->output : NULL, p.to);
        if (code == EXIT_FINE) continue;
        page_drop(&p);
        return code;
    }
    return page_write(&p, NULL, o);
}
