#include "method/svm/rfe.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

int64_t rfe_step(double step, int64_t n_active, int64_t least) {
    if (isnan(step)) {
        if (n_active > MAX_SINGLE_STEPS && least < MAX_SINGLE_STEPS) least = MAX_SINGLE_STEPS;
        step = n_active > MAX_SINGLE_STEPS ? 0.1 : 1;
    }
    double wanted = step < 1 ? floor(step * (double)n_active) : step;
    if (wanted >= (double)(n_active - least)) return n_active - least;
    return wanted >= 1 ? (int64_t)wanted : 1;
}

pare_status rfe_check_step(double step, pare_error *err) {
    if (!(step >= 1) || step == floor(step)) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`step`: %g features cannot be eliminated at a time: give a whole number, or "
                     "a fraction below 1 of those that remain",
                     step);
}

pare_outcome rfe_poll(const gram_svm *g, double fraction, const pare_ctx *ctx) {
    if (g->outcome == PARE_TIME_LIMIT || g->outcome == PARE_CANCELLED) return g->outcome;
    return ctx_outcome(ctx_poll(ctx, "svm-rfe", fraction));
}

pare_status rfe_start(fit_result *r, int64_t d, pare_error *err) {
    r->ranking = ARENA_NEW(&r->mem, int64_t, d);
    r->score = ARENA_NEW(&r->mem, double, d);
    return r->ranking && r->score ? PARE_OK : error_memory(err);
}

pare_status rfe_finish(fit_result *r, const gram_svm *g, int64_t d, pare_error *err) {
    int64_t size = g->n * g->c, *ranking = r->ranking;
    r->dual = ARENA_NEW(&r->mem, double, size);
    if (!r->dual) return error_memory(err);
    for (int64_t i = 0; i < d; i++) r->score[ranking[i]] = (double)i;
    for (int64_t i = 0, j = d - 1; i < j; i++, j--) {
        int64_t left = ranking[i];
        ranking[i] = ranking[j];
        ranking[j] = left;
    }
    r->n_dual = g->c;
    memcpy(r->dual, g->dual, sizeof(double) * (size_t)size);
    r->objective = g->objective;
    return PARE_OK;
}
