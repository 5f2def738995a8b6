/* The verdict on a saved model: do its training data give what the file reports?
 *
 * Objectives and certificates are recomputed by certify/, so they reveal a changed coefficient.
 * What no certificate covers is compared with its definition where the model holds it (the score of
 * a linear predictor's feature is its weight on the scaled data), and else with a repeated fit: the
 * same data and settings give the same numbers. */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "fit/fit.h"
#include "model/model_batch.h"
#include "problem/problem.h"
#include "model/marked.h"
#include "model/predictor_neighbours.h"
#include "select/fitting.h"

static const double AGREEMENT = 1e-6; /* relative, of a number to its recomputation */
static const double REPEATED = 1e-3;  /* relative, of a number to that of a repeated fit, on any
                                         machine */
static const double SEARCHED = 1e-8; /* relative, of a bound to that of a repeated search: less than
                                         what either leaves below its objective */
static const double ROUNDING = 1e-13; /* relative rounding error of a difference of objectives */

enum { MAX_PINNED_OUTPUTS = 30 };

/* Equal up to a relative and an absolute tolerance, or both not finite. */
static bool near(double reported, double found, double share, double floor) {
    if (!isfinite(reported) || !isfinite(found)) return !isfinite(reported) && !isfinite(found);
    return fabs(reported - found) <= share * fmax(fabs(reported), fabs(found)) + floor;
}

static bool same(double reported, double found, double floor) {
    return near(reported, found, AGREEMENT, floor);
}

/* Names the field of the report that is wrong; NULL: none. */
static const char *differs(const pare_report *reported, const pare_report *found) {
    const pare_certificate *a = &reported->certificate, *b = &found->certificate;
    if (!same(reported->objective, found->objective, 0)) return "objective";
    double floor = ROUNDING * (isfinite(reported->objective) ? fabs(reported->objective) : 0);
    bool certificate = a->kind == b->kind && same(a->value, b->value, floor) &&
                       same(a->relative, b->relative, ROUNDING);
    return certificate ? NULL : "certificate";
}

/* Whether the certificate rests on a bound that is taken from the file. */
static bool is_searched(const pare_report *r) {
    return r->certificate.kind == PARE_CERT_GLOBAL_GAP;
}

/* No bound, or that of a repeated search. */
static bool bounds_same(const pare_report *reported, const pare_report *found) {
    if (!is_searched(reported)) return true;
    return is_searched(found) && near(reported->objective - reported->certificate.value,
                                      found->objective - found->certificate.value, SEARCHED, 0);
}

static bool is_stopped(pare_outcome outcome) {
    return outcome == PARE_CANCELLED || outcome == PARE_TIME_LIMIT;
}

/* --- the repeated fit --- */

static double largest(const json_t *x) {
    double most = json_is_number(x) ? fabs(json_number_value(x)) : 0;
    if (most == DBL_MAX) most = 0; /* a score that is unbounded has no scale */
    const char *key;
    json_t *part;
    for (size_t i = 0; i < json_array_size(x); i++)
        most = fmax(most, largest(json_array_get(x, i)));
    json_object_foreach((json_t *)x, key, part) most = fmax(most, largest(part));
    return most;
}

static bool json_same(const json_t *a, const json_t *b, double floor) {
    if (json_is_number(a) && json_is_number(b))
        return near(json_number_value(a), json_number_value(b), REPEATED, floor);
    bool fine = json_typeof(a) == json_typeof(b) && json_array_size(a) == json_array_size(b) &&
                json_object_size(a) == json_object_size(b);
    for (size_t i = 0; fine && i < json_array_size(a); i++)
        fine = json_same(json_array_get(a, i), json_array_get(b, i), floor);
    const char *key;
    json_t *part;
    json_object_foreach((json_t *)a, key, part) {
        const json_t *other = json_object_get(b, key);
        bool tail = strcmp(key, "p") == 0 || strcmp(key, "q") == 0; /* compared relative to
                                                                       itself */
        fine = fine && other && json_same(part, other, tail ? 0 : floor);
    }
    return fine && (!json_is_string(a) || strcmp(json_string_value(a), json_string_value(b)) == 0);
}

/* Rows of numbers, each column relative to its largest. */
static bool table_same(const json_t *a, const json_t *b) {
    size_t rows = json_array_size(b), width = json_array_size(json_array_get(b, 0));
    bool fine = json_array_size(a) == rows;
    for (size_t i = 0; fine && i < rows; i++)
        fine = json_array_size(json_array_get(a, i)) == width &&
               json_array_size(json_array_get(b, i)) == width;
    for (size_t j = 0; fine && j < width; j++) {
        double most = 0;
        for (size_t i = 0; i < rows; i++)
            most = fmax(most, largest(json_array_get(json_array_get(b, i), j)));
        for (size_t i = 0; fine && i < rows; i++)
            fine = json_same(json_array_get(json_array_get(a, i), j),
                             json_array_get(json_array_get(b, i), j), AGREEMENT * AGREEMENT * most);
    }
    return fine;
}

/* Objects of the same members: scores relative to the largest of them, all else exactly. */
static bool rows_same(const json_t *a, const json_t *b) {
    double most = 0;
    bool fine = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; i < json_array_size(b); i++)
        most = fmax(most, largest(json_object_get(json_array_get(b, i), "score")));
    for (size_t i = 0; fine && i < json_array_size(b); i++) {
        const json_t *reported = json_array_get(a, i), *found = json_array_get(b, i);
        const char *key;
        json_t *part;
        fine = json_object_size(reported) == json_object_size(found);
        json_object_foreach((json_t *)reported, key, part) {
            const json_t *other = json_object_get(found, key);
            double floor = strcmp(key, "score") == 0 ? AGREEMENT * AGREEMENT * most : 0;
            fine = fine && other && json_same(part, other, floor);
        }
    }
    return fine;
}

/* Each member relative to its own scale: an object's members may have different units. */
static bool members_same(const json_t *a, const json_t *b) {
    bool fine = json_object_size(a) == json_object_size(b);
    const char *key;
    json_t *part;
    json_object_foreach((json_t *)a, key, part) {
        const json_t *other = json_object_get(b, key);
        bool table = json_is_array(json_array_get(other, 0));
        bool by_feature =
            strcmp(key, "gamma") == 0 || strcmp(key, "weight") == 0; /* and its unit */
        double floor = by_feature ? 0 : AGREEMENT * AGREEMENT * largest(other);
        fine = fine && other && (table ? table_same(part, other) : json_same(part, other, floor));
    }
    return fine;
}

/* The most that the i-th coefficient adds to a prediction. */
static double share_of(const json_t *coef, const double *size, size_t i) {
    return json_number_value(json_array_get(coef, i)) * (size ? size[i] : 1);
}

/* Intercepts relative to the largest of them, coefficients by what they add to predictions. */
static bool outputs_same(const json_t *a, const json_t *b, const double *size) {
    double intercept = 0, most = 0;
    size_t count = json_array_size(b);
    bool fine = json_array_size(a) == count;
    for (size_t o = 0; o < count; o++) {
        const json_t *one = json_array_get(b, o), *coef = json_object_get(one, "coef");
        intercept = fmax(intercept, largest(json_object_get(one, "intercept")));
        for (size_t i = 0; i < json_array_size(coef); i++)
            most = fmax(most, fabs(share_of(coef, size, i)));
    }
    for (size_t o = 0; fine && o < count; o++) {
        const json_t *reported = json_array_get(a, o), *found = json_array_get(b, o);
        const json_t *x = json_object_get(reported, "coef"), *y = json_object_get(found, "coef");
        const char *key;
        json_t *part;
        json_object_foreach((json_t *)reported, key, part) {
            const json_t *other = json_object_get(found, key);
            if (strcmp(key, "coef") != 0)
                fine = fine && other && json_same(part, other, AGREEMENT * AGREEMENT * intercept);
        }
        fine = fine && json_array_size(x) == json_array_size(y);
        for (size_t i = 0; fine && i < json_array_size(x); i++)
            fine = near(share_of(x, size, i), share_of(y, size, i), REPEATED,
                        AGREEMENT * AGREEMENT * most);
    }
    return fine;
}

/* The largest |x| of each selected feature; NULL: the predictor reads transformed values. */
static pare_status sizes_of(double **out, const pare_model *m, const pare_data *data,
                            const pare_ctx *ctx, pare_error *err) {
    view v = view_all(&data->x);
    v.d = m->n_selected;
    pare_status status = PARE_OK;
    *out = NULL;
    const struct marked_inputs *in = m->marked;
    bool maps = m->p.kind == &predictor_linear || m->p.kind == &predictor_neighbours;
    if (!maps || m->spread || m->batch || v.d == 0) return PARE_OK;
    col_stats *stats = mem_alloc(ctx_allocator(ctx), v.d, sizeof *stats);
    double *size = mem_alloc(ctx_allocator(ctx), v.d, sizeof *size);
    int64_t *cols = mem_alloc(ctx_allocator(ctx), v.d, sizeof *cols);
    TRY_MEM(stats && size && cols);
    for (int64_t i = 0; i < v.d; i++) cols[i] = in ? in->raw_index[in->place[i]] : m->index[i];
    v.cols = cols;
    TRY(mat_stats(&v, NULL, stats, ctx, err));
    for (int64_t i = 0; i < v.d; i++)
        size[i] = in && in->marks[i] ? 1 : fmax(fabs(stats[i].min), fabs(stats[i].max));
    *out = size;
    size = NULL;
done:
    mem_free(ctx_allocator(ctx), cols);
    mem_free(ctx_allocator(ctx), size);
    mem_free(ctx_allocator(ctx), stats);
    return status;
}

/* Names the field in which the two files differ; NULL: they agree in all that predictions and
 * tables need. */
static const char *compare(const json_t *reported, const json_t *found, const double *size) {
    static const char *const keys[] = {"selected", "features",   "outputs",     "kernel", "scaling",
                                       "impute",   "neighbours", "calibration", "batch"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *a = json_object_get(reported, keys[i]), *b = json_object_get(found, keys[i]);
        if (!a && !b) continue;
        if (!a || !b) return keys[i];
        bool outputs = strcmp(keys[i], "outputs") == 0;
        bool rows = json_is_object(json_array_get(b, 0));
        bool fine = outputs             ? outputs_same(a, b, size)
                    : rows              ? rows_same(a, b)
                    : json_is_object(a) ? members_same(a, b)
                                        : json_same(a, b, AGREEMENT * AGREEMENT * largest(b));
        if (!fine) return keys[i];
    }
    return NULL;
}

static pare_status as_json(json_t **out, const pare_model *m, const pare_ctx *ctx,
                           pare_error *err) {
    char *text;
    PASS(pare_model_text(&text, m, ctx, err));
    *out = json_loads(text, 0, NULL);
    pare_text_free(text, ctx);
    return *out ? PARE_OK : error_memory(err);
}

/* Names the bound or, where `whole`, the field that the repeated fit does not give. */
static pare_status repeat(const char **wrong, bool whole, const pare_model *m,
                          const pare_data *data, const pare_ctx *ctx, pare_error *err) {
    const pare_settings settings = {.group = m->group, .v = m->requested};
    pare_model *again = NULL;
    json_t *reported = NULL, *found = NULL;
    double *size = NULL;
    call c;
    if (m->calibration.grouped && data->fold_group.count + data->fold.count == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "the probabilities were calibrated on folds that keep groups of samples "
                         "whole: give them with `fold_groups`");
    pare_status status = call_begin(&c, ctx, err);
    if (status != PARE_OK) goto done;
    if (probability_is_calibrated(&m->calibration))
        c.ctx.seed = m->calibration.seed; /* its folds */
    pare_data same = *data;               /* by the model's way with batches */
    if (m->batch) same.batch_by = m->batch->method;
    TRY(fit_quietly(&again, &same, &settings, false, &c.ctx, err));
    if (is_stopped(again->predictor.outcome)) {
        status = error_set(err, PARE_E_CANCELLED, "stopped before the fit was repeated");
        goto done;
    }
    if (!bounds_same(&m->predictor, &again->predictor) ||
        (m->has_selection && !bounds_same(&m->selection, &again->selection)))
        *wrong = "certificate";
    if (*wrong || !whole) goto done;
    TRY(as_json(&reported, m, ctx, err));
    TRY(as_json(&found, again, ctx, err));
    TRY(sizes_of(&size, m, data, &c.ctx, err));
    *wrong = compare(reported, found, size);
done:
    mem_free(ctx_allocator(ctx), size);
    json_decref(found);
    json_decref(reported);
    pare_model_free(again);
    call_end(&c);
    return status;
}

/* --- when a repeated fit is needed --- */

/* The weight of the i-th selected feature on the scaled data, by row norm for several outputs: from
 * the predictor itself, or from the selection problem's solution or factors. NaN: the model does
 * not hold it. */
static double weight_of(const pare_model *m, int64_t i) {
    int64_t k = m->n_selected, c = m->p.n_outputs, at = i;
    const double *coef = m->p.coef;
    double norm = 0;
    if (m->has_selection) {
        k = m->n_selection_coef;
        c = m->n_selection_outputs;
        coef = m->selection_coef;
        for (at = 0; at < k && m->selection_index[at] != m->index[i];) at++;
        for (int64_t j = 0; !coef && m->selection_z && j < m->n_selection_cols; j++)
            if (m->selection_cols && m->selection_cols[j] == m->index[i]) return m->selection_z[j];
    }
    if (!coef || at == k) return NAN;
    for (int64_t o = 0; o < c; o++) norm = hypot(norm, coef[o * k + at] / m->scale[i]);
    return norm;
}

/* Whether active features are ranked by their weights. */
static bool scores_are_weights(const pare_model *m) {
    for (int64_t i = 0; i < m->n_selected; i++) {
        double weight = weight_of(m, i);
        if (!(weight > 0) || !same(m->score[i], weight, 0)) return false;
    }
    return true;
}

/* Whether the certificate would reveal a changed intercept: a hinge loss is flat between its
 * kinks. */
static pare_status pins_intercepts(bool *out, const pare_model *m, const pare_data *data,
                                   const pare_ctx *ctx, pare_error *err) {
    int64_t c = m->p.n_outputs;
    pare_model other = *m;
    pare_report found;
    other.p.intercept = mem_alloc(ctx_allocator(ctx), c, sizeof(double));
    if (!other.p.intercept) return error_memory(err);
    pare_status status = PARE_OK;
    *out = true;
    for (int64_t o = 0; o < c && *out && status == PARE_OK; o++) {
        if (m->p.intercept[o] == 0) continue;
        memcpy(other.p.intercept, m->p.intercept, sizeof(double) * (size_t)c);
        other.p.intercept[o] *= 1 + 10 * REPEATED;
        status = pare_check(&found, NULL, &other, data, ctx, err);
        if (status == PARE_OK) *out = differs(&m->predictor, &found) != NULL;
    }
    mem_free(ctx_allocator(ctx), other.p.intercept);
    return status;
}

static pare_status needs_repeat(bool *out, const pare_model *m, const pare_data *data,
                                const pare_ctx *ctx, pare_error *err) {
    *out = probability_is_calibrated(&m->calibration) || !model_final(NULL, m)->certify ||
           m->p.kind == &predictor_neighbours || !scores_are_weights(m);
    *out |= m->p.n_outputs > MAX_PINNED_OUTPUTS; /* a repeated fit is cheaper than checking each
                                                    output */
    if (*out) return PARE_OK;
    bool pinned;
    pare_status status = pins_intercepts(&pinned, m, data, ctx, err);
    *out = !pinned;
    return status;
}

/* --- the verdict --- */

/* Whether an output has an intercept, in scaled units, that its settings exclude. */
static bool has_excluded_intercept(const pare_model *m) {
    all_settings set;
    model_final(&set, m);
    if (set.common.intercept || !m->p.coef || m->task->by_order) return false;
    for (int64_t o = 0; o < m->p.n_outputs; o++) {
        double b = m->p.intercept[o], size = 1 + fabs(b);
        for (int64_t i = 0; i < m->n_selected; i++) {
            double part = m->p.coef[o * m->n_selected + i] * m->shift[i];
            b += part;
            size += fabs(part);
        }
        if (!(fabs(b) <= REPEATED * size)) return true;
    }
    return false;
}

static void word(pare_verdict *v, const char *wrong) {
    const pare_report *r = v->has_selection && !pare_outcome_finished(v->selection.outcome)
                               ? &v->selection
                               : &v->predictor;
    char certificate[96] = "there is no certificate";
    if (r->certificate.kind != PARE_CERT_NONE)
        snprintf(certificate, sizeof certificate, "the %s is %.3g, relative %.3g",
                 pare_cert_name(r->certificate.kind), r->certificate.value,
                 r->certificate.relative);
    if (!v->holds)
        snprintf(v->sentence, sizeof v->sentence,
                 "the model's own numbers do not hold: \"%s\" is not what the data give", wrong);
    else if (v->finished)
        snprintf(v->sentence, sizeof v->sentence, "the model's own numbers hold: %s", certificate);
    else
        snprintf(v->sentence, sizeof v->sentence,
                 "the fit was not finished (%s): its numbers hold, but they are those of a point "
                 "on the way: %s",
                 pare_outcome_name(r->outcome), certificate);
}

static pare_status verify(pare_verdict *out, const pare_model *m, const pare_data *data,
                          const pare_ctx *ctx, pare_error *err) {
    *out = (pare_verdict){.has_selection = m->has_selection};
    pare_report *selection = m->has_selection ? &out->selection : NULL;
    pare_status status = pare_check(&out->predictor, selection, m, data, ctx, err);
    if (status != PARE_OK) return status;
    const char *wrong = differs(&m->predictor, &out->predictor);
    if (!wrong && selection) wrong = differs(&m->selection, selection);
    if (!wrong && !model_outcomes_hold(m)) wrong = "outcome";
    if (!wrong && has_excluded_intercept(m)) wrong = "intercept";
    out->finished = pare_outcome_finished(m->predictor.outcome) &&
                    (!selection || pare_outcome_finished(m->selection.outcome));
    bool stopped = is_stopped(m->predictor.outcome) ||
                   (selection && is_stopped(m->selection.outcome)); /* by the time limit or the
                                                                       user */
    bool again = false;
    if (!wrong && !stopped) status = needs_repeat(&again, m, data, ctx, err);
    bool searched = is_searched(&m->predictor) || (selection && is_searched(&m->selection));
    if (status == PARE_OK && (again || (searched && !wrong && !stopped)))
        status = repeat(&wrong, again, m, data, ctx, err);
    out->holds = !wrong;
    word(out, wrong);
    return status;
}

pare_status pare_verify(pare_verdict *out, const pare_model *m, const pare_data *data,
                        const pare_ctx *ctx, pare_error *err) {
    pare_data known;
    arena mem;
    *out = (pare_verdict){0};
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = model_terms(&known, m, data, &mem, err);
    if (status == PARE_OK) status = verify(out, m, &known, ctx, err);
    arena_free(&mem);
    return status;
}
