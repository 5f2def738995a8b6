/* NAME       sbmlr
 * PAPER      G. C. Cawley, N. L. C. Talbot, M. Girolami. Sparse multinomial logistic regression via
 *            Bayesian L1 regularisation. NIPS 19:209-216, 2007.
 * PROBLEM    a stationary point, over B and b, of   sum_i weight_i loss(y_i, x_i'B + b) + L ln S,
 *            S = sum |B_jo|, L how many of the B_jo are not 0: the l1 parameter integrated out
 *            under the prior 1/lambda (eq. 14). loss as in logistic.c: two classes have one output,
 *            several one per class. It falls to minus infinity as all coefficients go to 0, so that
 *            only local minima mean anything, and there may be none: then all are eliminated.
 * SYMBOLS    lambda: price of |B|_1 against the total loss, L / S at a stationary point (eq. 13).
 * ALGORITHM  a stationary point with price lambda is the l1 solution for that lambda. So:
 *            1. the l1 path downward (solve/glm/glm.h), with e(lambda) = ln(L / S) - ln lambda.
 *            2. minima of the objective along it are where e falls through 0 as lambda grows: each
 *               is enclosed by false position, by halving where L differs between its ends.
 *            3. mostly e jumps over 0 there as a coefficient is eliminated, since with it the price
 *               is (L + 1) / S: from the point without it Newton's steps on the active coefficients
 *               descend; a coefficient that reaches 0 is eliminated; an eliminated one whose slope
 *               exceeds (L + 1) / S enters if that lowers the objective; until neither happens.
 *            4. of all these points the one of least objective; none: only the intercepts.
 * COST       one path of 100 lambdas (some 20 passes over X), some 10 lambdas per point, one pass.
 * GUARANTEE  from raw data (certify_sbmlr.c): slopes of active coefficients are L / S, and no
 *            eliminated one of slope above (L + 1) / S lowers the objective by entering.
 * STOPPING   slopes of active coefficients within `tol` of the price.
 * DEVIATIONS The paper descends coordinate by coordinate from 0 and updates lambda as it goes,
 *            which ends at an arbitrary one of these points; intercepts are not penalised here. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/glm/sbmlr_point.h"

enum {
    SCAN = 100,
    LONGER = 25,
    MAX_SCAN = 300,
    HALVINGS = 60,
    TURNS = 1000,
    MAX_FREE_ENTRIES = 3,  /* a coefficient eliminated so often enters only if that lowers the
                              objective */
    MAX_ELIMINATIONS = 10, /* after so many the point is given up as cycling */
    ACTIVE = UINT8_MAX
};
static const double LITTLE = 1e-3;    /* of the mean coefficient: the start value of one that
                                         enters */
static const double MIN_SHARE = 1e-3; /* end of the scan, as a share of lambda_max */
static const double MIN_EXTENDED_SHARE = 1e-6; /* end of its extension while e is below 0 */
static const double CLOSE = 1e-6;              /* relative gap of the l1 solutions */
static const double EVEN = 1e-5;               /* largest |e| from which Newton's steps begin */
static const double THIN = 1e-5;               /* ln lambda: width of an interval in which e
                                                  jumps */

typedef struct probe {
    double at, excess; /* ln lambda, e */
    int64_t n_active;
} probe;

typedef struct search {
    glm_task task;
    double total; /* sum of weights */
    const pare_ctx *ctx;
    probe scan[MAX_SCAN];
    int64_t count;
    sbmlr_point now, best;
    bool found, stopped;            /* a best point exists; interrupted */
    double *G;                      /* d x c: X'U */
    double *F;                      /* n x c */
    uint8_t *eliminations, *closed; /* d x c: see sbmlr_descend; ACTIVE: it is active */
} search;

static double excess(const search *s, const sbmlr_point *p) {
    if (p->n_active == 0) return INFINITY;
    return log((double)p->n_active / p->sum / s->total) - log(p->at.lambda);
}

static double objective(const search *s, const sbmlr_point *p) {
    double prior = p->n_active > 0 ? (double)p->n_active * log(p->sum) : 0;
    return s->total * p->at.loss + prior;
}

static pare_status see(void *user, const glm_point *point, bool *stop, pare_error *err) {
    search *s = user;
    s->stopped = point->outcome == PARE_CANCELLED || point->outcome == PARE_TIME_LIMIT;
    *stop = s->stopped;
    pare_status status = sbmlr_keep(&s->now, &s->task, point, err);
    if (status == PARE_OK && s->count < MAX_SCAN)
        s->scan[s->count++] = (probe){log(point->lambda), excess(s, &s->now), s->now.n_active};
    return status;
}

/* 1 */
static pare_status scan(search *s, pare_error *err) {
    double lambda[SCAN], ratio = pow(MIN_SHARE, 1.0 / (SCAN - 1)), at = s->task.lambda_max;
    for (int64_t i = 0; i < SCAN; i++, at *= ratio) lambda[i] = at;
    pare_status status = glm_run(s->task.solver, lambda, SCAN, see, s, err);
    while (status == PARE_OK && !s->stopped && s->scan[s->count - 1].excess < 0 &&
           at > MIN_EXTENDED_SHARE * s->task.lambda_max && s->count + LONGER <= MAX_SCAN) {
        for (int64_t i = 0; i < LONGER; i++, at *= ratio) lambda[i] = at;
        status = glm_run(s->task.solver, lambda, LONGER, see, s, err);
    }
    return status;
}

static pare_status measure_point(search *s, double at, probe *out, pare_error *err) {
    double lambda = exp(at);
    s->count = MAX_SCAN; /* the scan is complete */
    pare_status status = glm_run(s->task.solver, &lambda, 1, see, s, err);
    *out = (probe){at, excess(s, &s->now), s->now.n_active};
    return status;
}

/* 2: moves s->now to a point next to where e falls through 0 between the two: at it, or above the
 * jump. */
static pare_status enclose(search *s, probe low, probe high, pare_error *err) {
    double weight_low = 1, weight_high = 1; /* the Illinois rule */
    int side = 0;
    for (int halving = 0; halving < HALVINGS && !s->stopped; halving++) {
        double e_low = weight_low * low.excess, e_high = weight_high * high.excess;
        double at = (low.at + high.at) / 2;
        probe middle;
        if (low.n_active == high.n_active)
            at = low.at + (high.at - low.at) * e_low / (e_low - e_high);
        PASS(measure_point(s, at, &middle, err));
        if (fabs(middle.excess) <= EVEN) return PARE_OK;
        if (middle.excess > 0) {
            low = middle;
            weight_low = 1;
            weight_high = side == 1 ? weight_high / 2 : 1;
            side = 1;
        } else {
            high = middle;
            weight_high = 1;
            weight_low = side == -1 ? weight_low / 2 : 1;
            side = -1;
        }
        if (high.at - low.at < THIN) break;
    }
    if (!s->stopped) PASS(measure_point(s, high.at, &high, err));
    return PARE_OK;
}

/* The eliminated coefficient of the largest slope beyond the price it would have if it entered, and
 * below `less`. */
static bool lacking(const search *s, double less, int64_t *j, int64_t *o, double *slope) {
    int64_t d = s->task.d, c = s->task.c;
    double most = (double)(s->now.n_active + 1) / s->now.sum * (1 + s->task.how->tol);
    *j = -1;
    for (int64_t l = 0; l < c; l++)
        for (int64_t i = 0; i < d; i++) {
            double g = s->total * s->G[l * d + i];
            if (s->closed[i * c + l] == ACTIVE || !(fabs(g) > most) || !(fabs(g) < less)) continue;
            most = fabs(g);
            *j = i;
            *o = l;
            *slope = g;
        }
    return *j >= 0;
}

/* 3: enters the first of those that lowers the objective, or has not been eliminated often;
 * *joined: there was one. *endless: it has been eliminated too often. */
static pare_status let_in(search *s, bool *joined, bool *endless, pare_error *err) {
    int64_t j = -1, o = 0, c = s->task.c;
    double slope = 0, less = INFINITY, value = 0;
    PASS(glm_price_all(&s->task.problem, s->now.U, s->G, s->ctx, err));
    memcpy(s->closed, s->eliminations, (size_t)(s->task.d * c));
    for (int64_t e = 0; e < s->now.at.n_features * c; e++)
        if (s->now.B[e] != 0) s->closed[s->now.feature[e / c] * c + e % c] = ACTIVE;
    PASS(sbmlr_fitted(s->F, &s->now, &s->task, s->ctx, err));
    while (value == 0 && lacking(s, less, &j, &o, &slope)) {
        double sign = slope > 0 ? 1 : -1;
        if (s->closed[j * c + o] < MAX_FREE_ENTRIES)
            value = sign * LITTLE * s->now.sum / (double)s->now.n_active;
        else
            PASS(sbmlr_entry(&value, &s->now, &s->task, s->total, s->F, j, o, sign, s->ctx, err));
        less = fabs(slope);
    }
    *joined = value != 0;
    *endless = *joined && s->closed[j * c + o] >= MAX_ELIMINATIONS;
    if (*joined) PASS(sbmlr_enter(&s->now, &s->task, j, o, value, err));
    return PARE_OK;
}

/* 3: descends from s->now and enters coefficients that lower the objective; *fine: it ended within
 * the tolerance. */
static pare_status settle(search *s, bool *fine, pare_error *err) {
    *fine = false;
    memset(s->eliminations, 0, (size_t)(s->task.d * s->task.c));
    for (int64_t turn = 0; turn < TURNS && s->now.n_active > 0; turn++) {
        double steep;
        bool joined, endless;
        PASS(sbmlr_descend(&s->now, &s->task, s->total, s->eliminations, &steep, s->ctx, err));
        interruption stop = ctx_poll(s->ctx, "solving", -1);
        s->stopped = stop != 0;
        if (stop) s->now.at.outcome = ctx_outcome(stop);
        if (s->now.n_active == 0 || stop || !(steep <= s->task.how->tol)) break;
        PASS(let_in(s, &joined, &endless, err));
        *fine = !joined;
        if (*fine || endless) break;
    }
    return PARE_OK;
}

/* 3 and 4 */
static pare_status consider(search *s, pare_error *err) {
    bool fine = false;
    pare_status status = settle(s, &fine, err);
    if (status != PARE_OK || !fine) return status;
    if (s->found && !(objective(s, &s->now) < objective(s, &s->best))) return PARE_OK;
    sbmlr_point old = s->best;
    s->best = s->now;
    s->now = old;
    s->found = true;
    return PARE_OK;
}

static pare_status find(search *s, pare_error *err) {
    PASS(scan(s, err));
    for (int64_t i = s->count - 1; i > 0 && !s->stopped; i--) {
        probe low = s->scan[i], high = s->scan[i - 1];
        if (!(low.excess > 0 && high.excess <= 0)) continue;
        PASS(enclose(s, low, high, err));
        if (!s->stopped) PASS(consider(s, err));
    }
    return PARE_OK;
}

/* The model with intercepts only. */
static pare_status fit_none(search *s, pare_error *err) {
    double lambda = s->task.lambda_max > 0 ? 2 * s->task.lambda_max : 1;
    s->count = MAX_SCAN;
    pare_status status = glm_run(s->task.solver, &lambda, 1, see, s, err);
    double steep;
    if (status != PARE_OK || s->stopped) return status;
    return sbmlr_descend(&s->now, &s->task, s->total, s->eliminations, &steep, s->ctx, err);
}

static pare_status open_arrays(search *s, pare_error *err) {
    int64_t count = s->task.d * s->task.c;
    s->G = ARENA_NEW(&s->task.mem, double, count);
    s->F = ARENA_NEW(&s->task.mem, double, s->task.n * s->task.c);
    s->closed = ARENA_NEW(&s->task.mem, uint8_t, count);
    s->eliminations = ARENA_NEW(&s->task.mem, uint8_t, count);
    return s->G && s->F && s->closed && s->eliminations ? PARE_OK : error_memory(err);
}

pare_status sbmlr_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    double tol = fit_settings(r, job)->sbmlr.tol;
    glm_choice how = {.family = &glm_classes, .alpha = 1, .tol = tol};
    fit_job own = *job;
    search s = {.ctx = ctx};
    pare_status status = PARE_OK;
    own.terms = (feature_terms){0}; /* every coefficient by itself */
    TRY(glm_task_open(&s.task, &own, &how, CLOSE, ctx, err));
    s.total = s.task.total;
    TRY(open_arrays(&s, err));
    if (s.task.lambda_max > 0) TRY(find(&s, err));
    if (!s.found && !s.stopped) {
        TRY(fit_none(&s, err));
        TRY(fit_note(
            r, err,
            "all coefficients were eliminated: the price of each, L / sum |b|, exceeds what "
            "it gains at every point; the intercepts are left"));
    }
    sbmlr_point *at = s.found ? &s.best : &s.now;
    pare_outcome outcome = s.stopped ? s.now.at.outcome : PARE_STATIONARY;
    TRY(glm_task_give(r, &s.task, &at->at, ctx, err));
    r->n_dual = 0;
    r->dual = NULL;
    r->objective = objective(&s, at);
    r->outcome = outcome;
done:
    sbmlr_drop(&s.best, ctx);
    sbmlr_drop(&s.now, ctx);
    glm_task_close(&s.task);
    return status;
}
