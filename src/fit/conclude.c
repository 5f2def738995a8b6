/* The outcome of a solve, written here alone: from what the solver reached, what the method can
 * claim at most (its row in methods.def), and the certificate from the raw data. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "fit/fit.h"
#include "select/fitting.h"

static bool is_stopped(pare_outcome outcome) {
    return outcome == PARE_CANCELLED || outcome == PARE_TIME_LIMIT;
}

/* The most that a finished solve may claim. The machine of a two-stage method is convex, however
 * its kernels were weighed. */
static pare_outcome most_of(const method *m, bool selects) {
    return m->two_stage && !selects ? PARE_OPTIMAL : m->done;
}

static double tolerance_of(const method *m, const all_settings *set) {
    static const double FALLBACK_TOL = 1e-5; /* of methods that solve to rounding */
    setting_value v;
    bool own = !m->exact && settings_named(&v, set, m->group, "tol");
    return own ? v.real : FALLBACK_TOL;
}

/* No bound is above the objective but by rounding: a gap farther below 0 shows a wrong bound. */
static bool is_within(const pare_certificate *c, double tol) {
    static const double ROUNDING = 1e-9;
    return c->value == 0 || (c->relative <= tol && c->relative >= -fmax(tol, ROUNDING));
}

/* A solver's claim to have converged counts only within the tolerance, and where the certificate
 * shows the whole problem solved, a solver's failure to converge does not count. */
static pare_outcome conclude(const pare_report *r, const method *m, bool selects,
                             const all_settings *set) {
    pare_cert_kind kind = r->certificate.kind;
    pare_outcome most = most_of(m, selects), reached = r->outcome;
    if (is_stopped(reached)) return reached;
    if (kind != PARE_CERT_NONE) {
        static const double STILL = 1e-6; /* what a last step of rounding size may gain */
        double tol = tolerance_of(m, set);
        if (kind == PARE_CERT_GLOBAL_GAP) /* whatever the method can claim without a search */
            return is_within(&r->certificate, fmax(tol, STILL)) ? PARE_OPTIMAL : PARE_MAX_ITER;
        bool whole = m->has_certificate && kind == PARE_CERT_DUALITY_GAP;
        if (whole && is_within(&r->certificate, tol)) reached = PARE_OPTIMAL;
        if (reached == PARE_STATIONARY) tol = fmax(tol, STILL);
        if (!is_within(&r->certificate, tol)) reached = PARE_MAX_ITER;
    }
    if (!pare_outcome_finished(reached)) return reached;
    if (most == PARE_COMPUTED || most == PARE_GREEDY) return most;
    if (reached == PARE_COMPUTED || reached == PARE_GREEDY) return reached;
    if (kind == PARE_CERT_NONE) return PARE_GREEDY; /* of a descent that nothing certifies */
    /* a slope at one point shows nothing of others, whatever the setting that made it so */
    if (kind == PARE_CERT_MINIMUM_PRINCIPLE) return PARE_STATIONARY;
    return reached == PARE_OPTIMAL ? most : reached;
}

/* Where a solve is that the model reports: its method and its settings. */
typedef struct solve {
    const method *m;
    all_settings set;
} solve;

static void solve_of(solve *out, const pare_model *model, bool selects) {
    const method *own = method_of_group(model->group);
    if (selects)
        *out = (solve){own, model->selecting};
    else
        out->m = model_final(&out->set, model);
    if (!model->task->has_target) out->m = own; /* there is no predictor */
}

static pare_outcome concluded(const pare_model *model, const pare_report *r, bool selects) {
    solve s;
    solve_of(&s, model, selects);
    return conclude(r, s.m, selects, &s.set);
}

static pare_status settle(pare_model *model, pare_report *r, bool selects, pare_error *err) {
    bool finished = pare_outcome_finished(r->outcome);
    r->outcome = concluded(model, r, selects);
    if (!finished || pare_outcome_finished(r->outcome)) return PARE_OK;
    static const char note[] = "rounding keeps the certificate above the tolerance; scaled "
                               "features (`scale standard`) or a smaller C leave more digits";
    bool kept = strings_add(&model->notes, &model->mem.mem, note, sizeof note - 1);
    return kept ? PARE_OK : error_memory(err);
}

pare_status model_conclude(pare_model *model, pare_error *err) {
    pare_status status = settle(model, &model->predictor, false, err);
    if (status != PARE_OK || !model->has_selection) return status;
    return settle(model, &model->selection, true, err);
}

bool model_outcomes_hold(const pare_model *m) {
    return concluded(m, &m->predictor, false) == m->predictor.outcome &&
           (!m->has_selection || concluded(m, &m->selection, true) == m->selection.outcome);
}

void model_conclude_stop(pare_model *m, const pare_ctx *ctx) {
    pare_outcome how = ctx_outcome(ctx_stopped(ctx));
    bool reported =
        is_stopped(m->predictor.outcome) || (m->has_selection && is_stopped(m->selection.outcome));
    if (is_stopped(how) && !reported) m->predictor.outcome = how;
}
