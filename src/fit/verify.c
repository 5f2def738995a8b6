/* Does a model file belong to these data? Fields that no certificate covers (classes, names,
 * scaling) or that it relies on (the sizes of its inputs) are compared with the data first. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "problem/expand.h"
#include "fit/fit.h"
#include "model/baseline_hazard.h"
#include "model/kernel_machine.h"
#include "model/model_batch.h"
#include "select/fitting.h"

static pare_status differs(pare_error *err, const char *what) {
    return error_set(err, PARE_E_DATA, "the model's %s are not those of the data", what);
}

static bool within(const int64_t *cols, int64_t count, int64_t d) {
    for (int64_t i = 0; cols && i < count; i++)
        if (cols[i] < 0 || cols[i] >= d) return false;
    return true;
}

/* Whether a fit of that method has an output per pair of classes. */
static bool votes(const method *m, const all_settings *set, const target *y) {
    setting_value several;
    return y->n_classes > 2 && settings_named(&several, set, m->group, "multiclass") &&
           choice_is(several.text, "ovo");
}

/* The number of its outputs. */
static int64_t outputs_of(const method *m, const all_settings *set, const target *y) {
    if (!y->task->has_target) return 0;
    return votes(m, set, y) ? class_pairs(y->n_classes) : target_scores(y);
}

static pare_status verify_sizes(const pare_model *m, const pare_data *data, const pare_data *used,
                                const target *y, pare_error *err) {
    all_settings set;
    const method *own = method_of_group(m->group), *final = model_final(&set, m);
    int64_t d = used->x.d, outputs = outputs_of(final, &set, y), s = m->n_selection_dual,
            first = outputs_of(own, &m->selecting, y);
    cert_kernel kernel;
    if (!(own->tasks & m->task->kind) || y->task != m->task) return differs(err, "task");
    if (m->n_features != data->x.d) return differs(err, "number of features");
    if (m->p.n_outputs != outputs || (m->p.pairs > 0) != votes(final, &set, y))
        return differs(err, "outputs");
    if (m->task->by_order && m->p.intercept[0] != 0)
        return error_set(err, PARE_E_DATA, "the model's intercept is not 0, as that of %s",
                         m->task->timed ? "risks" : "a ranking");
    if (!within(m->index, m->n_selected, d) || !within(m->selection_cols, m->n_selection_cols, d) ||
        !within(m->selection_index, m->n_selection_coef, d))
        return differs(err, "columns");
    if (m->calibration.kind != PROBABILITY_NONE && m->calibration.kind != model_probability(m))
        return differs(err, "calibration");
    bool needs_dual = final->certify && !final->no_dual;
    int64_t duals = needs_dual ? outputs : 0; /* one per output, and those of its starting point */
    if (m->n_dual != duals && m->n_dual != 2 * duals) return differs(err, "duals");
    if (s != 0 && s != first && s != first + 1 && s != 2 * first)
        return differs(err, "selecting duals");
    if (own->two_stage && !(m->selection_cols && m->selection_z))
        return differs(err, "selecting columns");
    if (kernel_machine_describe(&kernel, &m->p) &&
        (kernel.weight != NULL) !=
            (own->two_stage || own->sums_kernels)) /* a sum of kernels, or one */
        return error_set(err, PARE_E_DATA, "the model's kernel is not one that %s fits", own->name);
    return PARE_OK;
}

static const double AGREEMENT = 1e-9;
static const double REPORTED = 1e-6; /* relative, of a number that predictions report */

/* Shift, scale and the fill of missing values, by their definitions. */
static const char *column_differs(const pare_model *m, int64_t i, const cert_column *col,
                                  int64_t n) {
    double off_shift = fabs(col->shift - m->shift[i]), off_scale = fabs(col->scale - m->scale[i]);
    double median = m->spread ? m->median[i] : 0, spread = m->spread ? m->spread[i] : 0;
    /* A median is known to its last digit only, which matters if it is far from 0. */
    double unsure = spread > 0 ? 8 * DBL_EPSILON * fabs(median) / spread : 0;
    /* The same holds for deviations from a distant mean. */
    double far = 8 * DBL_EPSILON * fabs(col->shift) * col->scale;
    if (!(off_shift * col->scale <=
          AGREEMENT * fmax(1, fabs(col->shift) * col->scale) + unsure * col->scale) ||
        !(off_scale <= (AGREEMENT + unsure + far) * col->scale))
        return "shift and scale";
    if (!(fabs(col->median - median) <= AGREEMENT * fmax(fabs(median), spread)) ||
        !(fabs(col->spread - spread) <= (AGREEMENT + unsure) * spread))
        return "median and spread";
    double most = fabs(col->fill);
    for (int64_t r = 0; m->impute && r < n; r++) most = fmax(most, fabs(col->x[r]));
    bool filled = !m->impute || fabs(col->fill - m->impute[i]) <= AGREEMENT * most;
    return filled ? NULL : "imputed values";
}

static bool names_agree(const struct model_batch *b, const cert_batch *of) {
    bool same = of && of->count == b->count;
    for (int64_t q = 0; same && q < b->count; q++) same = strcmp(of->name[q], b->name[q]) == 0;
    return same;
}

/* Shift and scale of the i-th selected feature in every batch, its mean and deviation, against those of the
 * column that was read last. */
static bool batch_differs(const pare_model *m, int64_t i, const cert_batch *of) {
    const struct model_batch *b = m->batch;
    double deviation = of->deviation > 0 ? of->deviation : 1;
    double unsure = AGREEMENT * fmax(deviation, fabs(of->grand));
    bool same =
        fabs(b->mean[i] - of->grand) <= unsure && fabs(b->deviation[i] - of->deviation) <= unsure;
    for (int64_t q = 0; q < b->count; q++) {
        int64_t at = q * m->n_selected + i;
        same = same && fabs(b->scale[at] - of->scale[q]) <= 10 * AGREEMENT * of->scale[q] &&
               fabs(b->shift[at] - of->shift[q]) <= 10 * unsure;
    }
    return !same;
}

static pare_status verify_columns(const pare_model *m, const pare_data *used, const target *y,
                                  const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    cert_job job = {.data = used, .y = y};
    pare_status status = model_weights(&job.weight, &mem, m, used, y, err);
    job.scale = m->set.common.scale;
    job.missing = m->set.common.missing;
    job.row_scale = m->set.common.row_scale;
    job.with_intercept = m->set.common.intercept;
    cert_reader reader;
    cert_column col = {0};
    const char *wrong = NULL;
    if (status == PARE_OK) status = cert_open(&reader, &job, ctx, err);
    if (status != PARE_OK) {
        arena_free(&mem);
        return status;
    }
    reader.fills = m->impute != NULL;
    if (m->batch && !names_agree(m->batch, reader.batch)) wrong = "batches";
    for (int64_t j = 0; m->idf && reader.idf && j < used->x.d; j++)
        if (!(fabs(m->idf[j] - reader.idf[j]) <= AGREEMENT * reader.idf[j])) wrong = "idf";
    TRY_MEM(col.x = ARENA_NEW(&reader.mem, double, used->x.n));
    for (int64_t i = 0; i < m->n_selected && !wrong; i++) {
        cert_column_read(&reader, m->index[i], &col);
        wrong = column_differs(m, i, &col, used->x.n);
        if (!wrong && m->batch && batch_differs(m, i, reader.batch)) wrong = "batches";
    }
    if (wrong) status = differs(err, wrong);

done:
    status = cert_close(&reader, status, err);
    arena_free(&mem);
    return status;
}

/* The hazard of every sample at its time, and no times but those of events: seen[start[k] + e] is
 * whether time e of stratum k is one. */
static bool curves_agree(const baseline *b, const target *y, int64_t n, const double *hazard,
                         const int64_t *start, bool *seen) {
    for (int64_t i = 0; i < n; i++) {
        int64_t k = y->stratum ? y->stratum[i] : 0;
        const baseline_curve *c = &b->stratum[k];
        int64_t times = baseline_place(c, y->time[i]);
        double own = times > 0 ? c->hazard[times - 1] : 0;
        if (!(fabs(own - hazard[i]) <= REPORTED * hazard[i])) return false;
        if (!y->event[i]) continue;
        if (times == 0 || c->time[times - 1] != y->time[i]) return false;
        seen[start[k] + times - 1] = true;
    }
    for (int64_t e = 0; e < start[b->n_strata]; e++)
        if (!seen[e]) return false;
    return true;
}

static bool strata_agree(const baseline *b, const target *y) {
    if (b->n_strata != (y->stratum ? y->n_strata : 1)) return false;
    for (int64_t k = 0; k < b->n_strata; k++) {
        const char *name = b->stratum[k].name, *own = y->strata ? y->strata[k] : NULL;
        if (!name != !own || (own && strcmp(name, own) != 0)) return false;
    }
    return true;
}

/* The baseline hazard against its definition on these data. */
static pare_status verify_baseline(const pare_model *m, const pare_data *used, const target *y,
                                   const pare_ctx *ctx, pare_error *err) {
    const baseline *b = m->baseline;
    if (!m->task->timed) return PARE_OK;
    if (!b || !strata_agree(b, y)) return differs(err, "strata");
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double center, *hazard = ARENA_NEW(&mem, double, used->x.n);
    int64_t *start = ARENA_ZERO(&mem, int64_t, b->n_strata + 1);
    cert_job job = {.data = used,
                    .y = y,
                    .offset = used->offset,
                    .scale = m->set.common.scale,
                    .missing = m->set.common.missing,
                    .row_scale = m->set.common.row_scale,
                    .n_coef = m->n_selected,
                    .index = m->index,
                    .coef = m->p.coef,
                    .intercept = m->p.intercept};
    TRY_MEM(hazard && start);
    for (int64_t k = 0; k < b->n_strata; k++) start[k + 1] = start[k] + b->stratum[k].count;
    bool *seen = ARENA_ZERO(&mem, bool, start[b->n_strata]);
    TRY_MEM(seen);
    TRY(model_weights(&job.weight, &mem, m, used, y, err));
    TRY(cert_baseline(&center, hazard, &job, ctx, err));
    double off = fabs(center - b->center);
    if (!(off <= REPORTED * fmax(1, fabs(center))) ||
        !curves_agree(b, y, used->x.n, hazard, start, seen))
        status = differs(err, "center and cumulative hazard");
done:
    arena_free(&mem);
    return status;
}

pare_status model_verify(const pare_model *m, const expansion *wide, const target *y,
                         const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = wide->given, *used = wide->data;
    PASS(verify_sizes(m, data, used, y, err));
    if (m->n_classes != y->n_classes) return differs(err, "classes");
    for (int64_t c = 0; c < y->n_classes; c++)
        if (strcmp(m->classes[c], y->classes[c]) != 0) return differs(err, "classes");
    for (int64_t i = 0; i < m->n_selected; i++) {
        char made_up[32];
        if (strcmp(m->name[i], pare_data_name(used, m->index[i], made_up)) != 0)
            return differs(err, "feature names");
    }
    for (int64_t j = 0; m->row_name && j < m->n_features; j++) {
        char made_up[32];
        if (strcmp(m->row_name[j], pare_data_name(data, j, made_up)) != 0)
            return differs(err, "feature names");
    }
    if (!expansion_match(m, wide)) return differs(err, "terms");
    PASS(verify_columns(m, used, y, ctx, err));
    PASS(model_verify_summary(m, wide, ctx, err));
    return verify_baseline(m, used, y, ctx, err);
}
