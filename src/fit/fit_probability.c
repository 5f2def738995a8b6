/* Probabilities of a model's classes: the predictor's own, or calibrated on held-out samples. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "fit/fit.h"
#include "select/calibrate.h"

static bool is_stopped(const pare_model *m) {
    bool own = m->predictor.outcome == PARE_CANCELLED || m->predictor.outcome == PARE_TIME_LIMIT;
    bool before = m->has_selection && (m->selection.outcome == PARE_CANCELLED ||
                                       m->selection.outcome == PARE_TIME_LIMIT);
    return own || before;
}

__attribute__((format(printf, 3, 4))) static pare_status
add_note(pare_model *model, pare_error *err, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bool kept = strings_add(&model->notes, &model->mem.mem, text, (int64_t)strlen(text));
    return kept ? PARE_OK : error_memory(err);
}

/* A note on the calibration where it did not work as intended. */
static pare_status note_calibration(pare_model *model, bool flat, pare_error *err) {
    const probability *how = &model->calibration;
    pare_status status = PARE_OK;
    if (how->folds < CALIBRATION_FOLDS)
        status = add_note(model, err,
                          "probabilities are calibrated on %lld folds: the smallest class has no "
                          "more %s",
                          (long long)how->folds, how->grouped ? "groups" : "samples");
    if (status == PARE_OK && flat)
        status = add_note(model, err,
                          "on held-out samples the scores do not tell the classes apart: the "
                          "probabilities are the proportions of the classes");
    int64_t width = how->kind == PROBABILITY_SIGMOID ? predictor_width(&model->p) : 0;
    for (int64_t o = 0; o < width && status == PARE_OK; o++)
        if (how->a[o] >= 0)
            status = add_note(model, err,
                              "on held-out samples, higher scores do not go with class \"%.64s\": "
                              "its probability says little",
                              model->classes[width == 1 ? 1 : o]);
    return status;
}

/* Probabilities of the classes: the predictor's own, or calibrated if requested. */
pare_status model_calibrate(pare_model *model, const fitting *f, const pare_ctx *ctx,
                            pare_error *err) {
    interruption stopped = INTERRUPT_NONE;
    bool flat = false;
    if (!f->y.task->classes) return PARE_OK;
    probability_kind kind = model_probability(model);
    if (kind == PROBABILITY_OWN) model->calibration.kind = kind;
    if (!f->set->common.probability || kind == PROBABILITY_OWN) return PARE_OK;
    pare_status status = PARE_OK;
    if (!is_stopped(model))
        status = calibrate(&model->calibration, &flat, &model->mem, kind, f->data, &f->y, f->m,
                           f->classifier, f->set, ctx->seed, &stopped, ctx, err);
    if (status != PARE_OK) return status;
    if (model->calibration.kind == PROBABILITY_NONE)
        return add_note(model, err, "stopped before probabilities were calibrated: it has none");
    return note_calibration(model, flat, err);
}
