#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/marked.h"

pare_model *model_new(const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    pare_model *m = mem_zero(mem, 1, sizeof *m);
    if (!m) return NULL;
    arena_init(&m->mem, mem);
    m->seconds = -1;
    return m;
}

void pare_model_free(pare_model *m) {
    if (!m) return;
    pare_allocator mem = m->mem.mem;
    strings_free(&m->notes, &mem);
    arena_free(&m->mem);
    mem_free(&mem, m);
}

const char *pare_outcome_name(pare_outcome outcome) {
    switch (outcome) {
    case PARE_OPTIMAL: return "optimal";
    case PARE_STATIONARY: return "stationary";
    case PARE_COMPUTED: return "computed";
    case PARE_GREEDY: return "greedy";
    case PARE_MAX_ITER: return "max_iter";
    case PARE_TIME_LIMIT: return "time_limit";
    case PARE_CANCELLED: return "cancelled";
    }
    return "unknown";
}

const char *pare_outcome_text(pare_outcome outcome) {
    switch (outcome) {
    case PARE_OPTIMAL: return "optimal to the tolerance";
    case PARE_STATIONARY: return "first-order stationary point of a non-convex problem";
    case PARE_COMPUTED: return "computed by a formula";
    case PARE_GREEDY: return "greedy search, without a guarantee";
    case PARE_MAX_ITER: return "ended before the tolerance was reached";
    case PARE_TIME_LIMIT: return "stopped by the time limit";
    case PARE_CANCELLED: return "stopped by the user";
    }
    return "unknown";
}

bool pare_outcome_finished(pare_outcome outcome) { return outcome < PARE_MAX_ITER; }

const char *pare_cert_name(pare_cert_kind kind) {
    switch (kind) {
    case PARE_CERT_NONE: return "none";
    case PARE_CERT_DUALITY_GAP: return "duality_gap";
    case PARE_CERT_KKT: return "kkt";
    case PARE_CERT_MINIMUM_PRINCIPLE: return "minimum_principle";
    case PARE_CERT_GLOBAL_GAP: return "global_gap";
    }
    return "unknown";
}

void pare_model_report(pare_report *out, const pare_model *m) { *out = m->predictor; }

bool pare_model_selection(pare_report *out, const pare_model *m) {
    if (m->has_selection) *out = m->selection;
    return m->has_selection;
}

const char *pare_model_method(const pare_model *m) { return m->method; }
const char *pare_model_task(const pare_model *m) { return m->task->name; }
int64_t pare_model_n_samples(const pare_model *m) { return m->n_samples; }
int64_t pare_model_n_features(const pare_model *m) { return m->n_features; }
int64_t pare_model_iterations(const pare_model *m) { return m->iterations; }
int64_t pare_model_n_selected(const pare_model *m) { return m->n_selected; }
int64_t pare_model_n_outputs(const pare_model *m) { return m->p.n_outputs; }
int64_t pare_model_n_scores(const pare_model *m) { return predictor_width(&m->p); }
int64_t pare_model_index(const pare_model *m, int64_t i) { return m->index[i]; }
const char *pare_model_name(const pare_model *m, int64_t i) { return m->name[i]; }
double pare_model_score(const pare_model *m, int64_t i) { return m->score[i]; }

int64_t pare_model_n_kept(const pare_model *m) { return m->n_kept; }

int64_t pare_model_selected(const pare_model *m, const int64_t **index, const double **score) {
    if (index) *index = m->index;
    if (score) *score = m->score;
    return m->n_selected;
}

const double *pare_model_coefs(const pare_model *m, const double **intercept) {
    if (intercept) *intercept = m->p.intercept;
    return m->p.coef;
}

double pare_model_coef(const pare_model *m, int64_t o, int64_t i) {
    return m->p.coef ? m->p.coef[o * m->n_selected + i] : NAN;
}

bool pare_model_is_linear(const pare_model *m) { return m->p.coef != NULL; }

double pare_model_intercept(const pare_model *m, int64_t o) { return m->p.intercept[o]; }
int64_t pare_model_n_classes(const pare_model *m) { return m->n_classes; }
const char *pare_model_class(const pare_model *m, int64_t c) { return m->classes[c]; }

bool pare_model_pair(const pare_model *m, int64_t o, int64_t *first, int64_t *second) {
    int32_t pair[2];
    if (!m->p.pairs) return false;
    class_pair(o, m->p.pairs, pair);
    *first = pair[0];
    *second = pair[1];
    return true;
}

const int64_t *pare_model_ranking(const pare_model *m, const double **score) {
    if (score) *score = m->ranking_score;
    return m->ranking;
}

int64_t pare_model_lambda_path(pare_lambda_path *out, const pare_model *m) {
    *out = m->lambda_path;
    return m->lambda_path.count;
}

int64_t pare_model_n_ranked(const pare_model *m) { return m->n_ranked; }
bool pare_model_ranking_p(const pare_model *m, const double **p, const double **q) {
    *p = m->ranking_p;
    *q = m->ranking_q;
    return m->ranking_p != NULL;
}

const char *pare_model_ranking_name(const pare_model *m, int64_t i) {
    return m->ranking_name ? m->ranking_name[i] : NULL;
}

int64_t pare_model_n_needed(const pare_model *m) {
    if (m->marked) return m->marked->n_raw;
    return m->row_name ? m->n_features : m->p.n_inputs ? m->p.n_inputs : m->n_selected;
}
int64_t pare_model_needed_index(const pare_model *m, int64_t i) {
    const char *name = m->numbered ? pare_model_needed_name(m, i) : "";
    long long number = name[0] == 'x' ? strtoll(name + 1, NULL, 10) : 0;
    if (number > 0) return number - 1;
    if (m->marked) return m->marked->raw_index[i];
    return m->row_name ? i : m->p.n_inputs ? m->p.input_index[i] : m->index[i];
}
const char *pare_model_needed_name(const pare_model *m, int64_t i) {
    if (m->marked) return m->marked->raw_name[i];
    return m->row_name ? m->row_name[i] : m->p.n_inputs ? m->p.input_name[i] : m->name[i];
}

int64_t pare_model_n_notes(const pare_model *m) { return m->notes.count; }
const char *pare_model_note(const pare_model *m, int64_t i) { return strings_at(&m->notes, i); }
pare_status pare_model_setting(const pare_model *m, const char *name, char *buffer, int64_t size,
                               pare_error *err) {
    pare_settings of_model = {.group = m->group, .v = m->set};
    return pare_settings_get(&of_model, name, buffer, size, err);
}

double pare_model_seconds(const pare_model *m) { return m->seconds; }
bool pare_model_imputes(const pare_model *m) { return m->impute != NULL; }

int64_t pare_model_decide(const pare_model *m, const double *scores, int64_t stride) {
    return scores_decide(scores, predictor_width(&m->p), stride);
}
