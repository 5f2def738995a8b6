#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

/* The column in the training data that an input of the prediction comes from. */
static int64_t needed_index(const pare_model *m, const char *name, int64_t i) {
    long long number = m->numbered && name[0] == 'x' ? strtoll(name + 1, NULL, 10) : 0;
    if (number > 0) return number - 1;
    if (m->marked) return m->marked->raw_index[i];
    return m->row_name ? i : m->p.n_inputs ? m->p.input_index[i] : m->index[i];
}

static pare_status describe_needed(pare_model_info *out, pare_model *m, pare_error *err) {
    out->n_needed = m->marked       ? m->marked->n_raw
                    : m->row_name   ? m->n_features
                    : m->p.n_inputs ? m->p.n_inputs
                                    : m->n_selected;
    out->needed_name = m->marked       ? m->marked->raw_name
                       : m->row_name   ? m->row_name
                       : m->p.n_inputs ? m->p.input_name
                                       : m->name;
    int64_t *index = ARENA_NEW(&m->mem, int64_t, out->n_needed);
    PASS_MEM(index);
    for (int64_t i = 0; i < out->n_needed; i++) index[i] = needed_index(m, out->needed_name[i], i);
    out->needed_index = index;
    return PARE_OK;
}

static pare_status describe_pairs(pare_model_info *out, pare_model *m, pare_error *err) {
    if (!m->p.pairs) return PARE_OK;
    int64_t *pairs = ARENA_NEW(&m->mem, int64_t, 2 * m->p.n_outputs);
    PASS_MEM(pairs);
    for (int64_t o = 0; o < m->p.n_outputs; o++) {
        int32_t pair[2];
        class_pair(o, m->p.pairs, pair);
        pairs[2 * o] = pair[0];
        pairs[2 * o + 1] = pair[1];
    }
    out->pairs = pairs;
    return PARE_OK;
}

static pare_status describe_notes(pare_model_info *out, pare_model *m, pare_error *err) {
    const char **notes = ARENA_NEW(&m->mem, const char *, m->notes.count);
    PASS_MEM(notes);
    for (int64_t i = 0; i < m->notes.count; i++) notes[i] = strings_at(&m->notes, i);
    out->n_notes = m->notes.count;
    out->notes = notes;
    return PARE_OK;
}

static pare_status describe_alternatives(pare_model_info *out, pare_model *m, pare_error *err) {
    const char **name = ARENA_NEW(&m->mem, const char *, m->n_alternatives);
    int64_t *index = ARENA_NEW(&m->mem, int64_t, m->n_alternatives);
    PASS_MEM(name && index);
    for (int64_t q = 0; q < m->n_alternatives; q++) {
        name[q] = m->alternative[q].name;
        index[q] = m->alternative[q].index;
    }
    out->n_alternatives = m->n_alternatives;
    out->alternative_index = index;
    out->alternative_name = name;
    return PARE_OK;
}

pare_status model_seal(pare_model *m, bool weighs, pare_error *err) {
    weighs &= m->selection_cols && m->selection_z;
    m->info = (pare_model_info){.method = m->method,
                                .task = m->task->name,
                                .n_samples = m->n_samples,
                                .n_features = m->n_features,
                                .n_selected = m->n_selected,
                                .n_kept = m->n_kept,
                                .index = m->index,
                                .name = m->name,
                                .score = m->score,
                                .n_classes = m->n_classes,
                                .classes = m->classes,
                                .n_outputs = m->p.n_outputs,
                                .coef = m->p.coef,
                                .intercept = m->p.intercept,
                                .n_scores = predictor_width(&m->p),
                                .predictor = m->predictor,
                                .has_selection = m->has_selection,
                                .selection = m->selection,
                                .iterations = m->iterations,
                                .seconds = m->seconds,
                                .imputes = m->impute != NULL,
                                .has_probability = m->calibration.kind != PROBABILITY_NONE,
                                .n_ranked = m->n_ranked,
                                .ranking = m->ranking,
                                .ranking_name = m->ranking_name,
                                .ranking_score = m->ranking_score,
                                .ranking_p = m->ranking_p,
                                .ranking_q = m->ranking_q,
                                .n_weights = weighs ? m->n_selection_cols : 0,
                                .weight_index = weighs ? m->selection_cols : NULL,
                                .weight = weighs ? m->selection_z : NULL,
                                .lambda_path = m->lambda_path};
    PASS(describe_needed(&m->info, m, err));
    PASS(describe_pairs(&m->info, m, err));
    PASS(describe_alternatives(&m->info, m, err));
    return describe_notes(&m->info, m, err);
}

const pare_model_info *pare_model_get(const pare_model *m) { return &m->info; }

pare_status pare_model_setting(const pare_model *m, const char *name, char *buffer, int64_t size,
                               pare_error *err) {
    pare_settings of_model = {.group = m->group, .v = m->set};
    return pare_settings_get(&of_model, name, buffer, size, err);
}

int64_t pare_model_decide(const pare_model *m, const double *scores, int64_t stride) {
    return scores_decide(scores, predictor_width(&m->p), stride);
}
