#include "support/certified.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"

const problem_shape certified_problems[N_PROBLEMS] = {
    {.n = 30, .d = 200, .classes = 2, .signal = 1, .density = 1},
    {.n = 60, .d = 5, .classes = 2, .signal = 0.5, .density = 1},
    {.n = 40, .d = 30, .classes = 2, .density = 1, .constant = true, .weights = true},
    {.n = 50, .d = 80, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 40, .d = 60, .classes = 4, .signal = 1, .density = 1, .missing = 0.1},
    {.n = 45,
     .d = 90,
     .classes = 3,
     .signal = 1,
     .density = 0.3,
     .constant = true,
     .weights = true},
    {.n = 40,
     .d = 30,
     .classes = 2,
     .density = 1,
     .missing = 0.1,
     .constant = true,
     .weights = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
    {.n = 20, .d = 1, .classes = 2, .density = 1},
    {.n = 40, .d = 4, .classes = 3, .signal = 0.5, .density = 1},
};

const problem_shape kernel_problems[N_KERNEL_PROBLEMS] = {
    {.n = 30, .d = 60, .classes = 2, .signal = 1, .density = 1},
    {.n = 90, .d = 8, .classes = 2, .signal = 0.5, .density = 1, .weights = true},
    {.n = 40, .d = 20, .classes = 2, .density = 1, .constant = true, .missing = 0.1},
    {.n = 80, .d = 50, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
    {.n = 45, .d = 30, .classes = 3, .signal = 1, .density = 0.3, .constant = true},
    {.n = 2, .d = 1, .classes = 2, .signal = 5, .density = 1},
    {.n = 3, .d = 2, .classes = 3, .signal = 2, .density = 1},
    {.n = 50, .d = 70, .classes = 2, .signal = 1, .density = 0.2, .weights = true},
};

/* --- fits --- */

/* What rounding may leave of a gap below 0, or of objectives that are themselves rounding. */
static const double ROUNDING = 1e-15;

static void check_report(const pare_report *r, double most, bool descends, const char *title) {
    const pare_certificate *c = &r->certificate;
    bool stationary = descends || c->kind != PARE_CERT_DUALITY_GAP;
    bool optimal = r->outcome == PARE_OPTIMAL || r->outcome == PARE_GREEDY; /* its last problem */
    bool solved =
        optimal || r->outcome == PARE_COMPUTED || (stationary && r->outcome == PARE_STATIONARY);
    bool small = c->relative <= most || c->value <= ROUNDING;
    if (!solved || !small || !(c->value >= -1e-9 * fabs(r->objective) - ROUNDING))
        fail_msg("%s: outcome %s, objective %g, %s %g, relative %g", title,
                 pare_outcome_name(r->outcome), r->objective, pare_cert_name(c->kind), c->value,
                 c->relative);
}

void check_certified(const pare_report *r, double most, const char *title) {
    check_report(r, most, false, title);
}

void check_ranking(const pare_model *m, const char *title) {
    const double *score = pare_model_get(m)->ranking_score;
    const int64_t *ranking = pare_model_get(m)->ranking;
    int64_t d = pare_model_get(m)->n_ranked, chosen = 0;
    bool *seen = calloc((size_t)d, sizeof *seen);
    assert_non_null(seen);
    for (int64_t i = 0; i < d; i++) {
        if (seen[ranking[i]]) fail_msg("%s: column %d is ranked twice", title, (int)ranking[i]);
        seen[ranking[i]] = true;
        if (i > 0 && !(score[i] <= score[i - 1])) fail_msg("%s: score %d rises", title, (int)i);
        if (chosen < pare_model_get(m)->n_selected &&
            pare_model_get(m)->index[chosen] == ranking[i])
            chosen++;
    }
    if (chosen != pare_model_get(m)->n_selected)
        fail_msg("%s: the selected columns are not in the order of the ranking", title);
    free(seen);
}

/* Whether the way's method takes the classes, and has the features that it asks for. */
static bool is_possible(const certified_way *w, const problem_shape *s) {
    pare_method_info info;
    const char *tasks = NULL;
    for (int64_t i = 0; !tasks && pare_methods_info(&info, i); i++)
        if (strcmp(info.name, w->method) == 0) tasks = info.tasks;
    assert_non_null(tasks);
    for (const char *const *p = w->pairs; *p; p += 2)
        if (strcmp(p[0], "k") == 0 && atoi(p[1]) > s->d) return false;
    if (s->classes > 2) return strstr(tasks, "multiclass");
    return strstr(tasks, "binary") || strstr(tasks, "ranking");
}

/* The two reports, of the fit or of a check afterwards. */
static void check_reports(const certified_run *run, const pare_report reports[2], bool selects,
                          const certified_way *w, const char *title) {
    const pare_report *selection = &reports[CERT_SELECTION];
    check_report(&reports[CERT_PREDICTOR], w->predictor, run->descends, title);
    if (w->selection > 0)
        check_report(selection, w->selection, run->descends, title);
    else if (selects && selection->certificate.kind != PARE_CERT_NONE)
        check_report(selection, w->predictor, run->descends, title);
}

static void check_model(const certified_run *run, const pare_model *m, const pare_data *data,
                        const certified_way *w, const char *title) {
    pare_report reports[2] = {report_of(m)};
    pare_error err;
    bool selects = selection_of(&reports[CERT_SELECTION], m);
    if (w->selection > 0 && !selects) fail_msg("%s: no selecting problem", title);
    check_reports(run, reports, selects, w, title);
    if (pare_check(&reports[0], &reports[1], m, data, NULL, &err) != PARE_OK)
        fail_msg("%s: %s", title, err.message);
    check_reports(run, reports, selects, w, title);
    check_ranking(m, title);
    if (run->also) run->also(m);
}

static void check_way(const certified_run *run, rng *r, const problem_shape *s,
                      const certified_way *w) {
    char title[160];
    int length = snprintf(title, sizeof title, "%s on n %d, d %d, classes %d:", w->method,
                          (int)s->n, (int)s->d, (int)s->classes);
    for (const char *const *p = w->pairs; *p && length < (int)sizeof title; p++)
        length += snprintf(title + length, sizeof title - (size_t)length, " %s", *p);
    pare_data *data = problem_make(r, s);
    pare_model *m = fit_filled(data, w->method, w->pairs);
    check_model(run, m, data, w, title);
    bool columns = pare_model_get(m)->n_ranked == pare_model_get(m)->n_features; /* not monomials */
    for (int64_t i = 0; s->constant && columns && i < pare_model_get(m)->n_selected; i++)
        if (pare_model_get(m)->index[i] == 1) fail_msg("%s: the constant is selected", title);
    pare_model_free(m);
    pare_data_free(data);
}

void check_all_certified(certified_run run, const certified_way *ways, int count) {
    rng r;
    if (!run.shapes) run.n_shapes = N_PROBLEMS;
    if (!run.shapes) run.shapes = certified_problems;
    rng_seed(&r, run.seed, 0);
    for (int w = 0; w < count; w++) {
        int tried = 0;
        for (int s = 0; s < run.n_shapes; s++) {
            if (!is_possible(&ways[w], &run.shapes[s])) continue;
            check_way(&run, &r, &run.shapes[s], &ways[w]);
            tried++;
        }
        assert_true(tried > 0);
    }
}

void check_settings_certified(certified_run run, const char *method,
                              const char *const *const *settings, int count, double most) {
    certified_way ways[32];
    assert_in_range(count, 1, 32);
    for (int w = 0; w < count; w++) ways[w] = (certified_way){method, settings[w], most, 0};
    check_all_certified(run, ways, count);
}

/* --- changed models --- */

pare_report certify_now(const pare_model *m, const pare_data *data, cert_part part) {
    pare_report reports[2];
    pare_error err;
    if (pare_check(&reports[0], &reports[1], m, data, NULL, &err) != PARE_OK)
        fail_msg("%s", err.message);
    return reports[part];
}

static double relative_now(const cert_probe *p) {
    return certify_now(p->m, p->data, p->part).certificate.relative;
}

void check_broken_at(const cert_probe *p, const char *file, int line) {
    double relative = relative_now(p);
    if (relative > p->broken) return;
    print_error("the changed model has the relative certificate %g\n", relative);
    _fail(file, line);
}

static void check_proved(const cert_probe *p, const char *file, int line) {
    double relative = relative_now(p);
    if (relative <= p->certified) return;
    print_error("the model has the relative certificate %g\n", relative);
    _fail(file, line);
}

void check_breaks_at(const cert_probe *p, double *number, double changed, const char *file,
                     int line) {
    double own = *number;
    check_proved(p, file, line);
    *number = changed;
    check_broken_at(p, file, line);
    *number = own;
}

void check_scaling_breaks_at(const cert_probe *p, double *v, int64_t n, double factor,
                             const char *file, int line) {
    double *own = malloc(sizeof *own * (size_t)n);
    assert_non_null(own);
    check_proved(p, file, line);
    memcpy(own, v, sizeof *own * (size_t)n);
    for (int64_t i = 0; i < n; i++) v[i] *= factor;
    check_broken_at(p, file, line);
    memcpy(v, own, sizeof *own * (size_t)n);
    free(own);
}
