#include "solve/interior/mehrotra.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"

static void follow(const interior_method *m, const void *self, double share, double *primal,
                   double *dual) {
    *primal = *dual = 1 / share;
    m->reach(self, primal, dual);
    *primal = fmin(1, share * *primal);
    *dual = fmin(1, share * *dual);
}

static pare_status step(void *self, double gap, double pairs, const interior_method *m, bool *moved,
                        const pare_ctx *ctx, pare_error *err) {
    double primal, dual, mu = gap / pairs;
    *moved = false;
    bool fine;
    PASS(m->factor(self, &fine, ctx, err));
    if (!fine) return PARE_OK;
    PASS(m->direction(self, 0, false, &fine, ctx, err));
    if (!fine) return PARE_OK;
    follow(m, self, m->share, &primal, &dual);
    double left = fmin(1, fmax(0, m->products(self, primal, dual) / gap));
    PASS(m->direction(self, fmax(m->least_centre, left * left * left) * mu, true, &fine, ctx, err));
    if (!fine) return PARE_OK;
    follow(m, self, m->far > 0 && left > m->far ? m->cautious : m->share, &primal, &dual);
    if (m->worse > 0 && !(m->products(self, primal, dual) <= m->worse * gap)) {
        PASS(m->direction(self, m->centring * mu, false, &fine, ctx, err));
        follow(m, self, m->cautious, &primal, &dual);
    }
    *moved = fine && fmin(primal, dual) > m->least_step;
    if (*moved) m->move(self, primal, dual);
    return PARE_OK;
}

pare_status interior_run(void *self, double pairs, const interior_method *m, int64_t *steps,
                         pare_outcome *outcome, const pare_ctx *ctx, pare_error *err) {
    bool moved = true;
    *outcome = PARE_MAX_ITER;
    for (int k = 0; k < m->max_steps && moved; k++) {
        interior_verdict verdict;
        double gap = m->products(self, 0, 0);
        PASS(m->judge(self, gap, &verdict, ctx, err));
        if (verdict == INTERIOR_SOLVED) *outcome = PARE_OPTIMAL;
        if (verdict != INTERIOR_GO_ON || ctx_stops(ctx, m->name, -1, outcome)) break;
        PASS(step(self, gap, pairs, m, &moved, ctx, err));
        *steps += moved;
    }
    return PARE_OK;
}
