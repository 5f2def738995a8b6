/* RankSVM with the squared hinge by accelerated proximal gradient steps.
 *
 * ALGORITHM  1. at y: scores, loss and gradient -2 X'(a, -b), a and b the linear sums over the
 *               active pairs;
 *            2. w = prox(y - gradient / L); L doubles until its quadratic bounds the loss at w and is
 *               lowered again slowly;
 *            3. momentum, restarted when the step goes against it;
 *            4. the gap at w: its scores are a dual point.
 * COST       two passes over X an iteration, and two more when the gap is measured. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/rank_svm.h"

enum { MOST_ITERATIONS = 200000, CHECK_EVERY = 10, PATIENCE = 5000 }; /* without a better gap */
static const double RAISE = 2, LOWER = 0.98;

typedef struct smooth {
    const push_problem *p;
    rank_pairs pairs;
    int64_t N, d;
    double *w, *before, *y, *gradient, *g, *scratch; /* d */
    double *f, *f_before, *f_y, *count, *linear, *u; /* N */
    double L;
} smooth;

static pare_status prepare(smooth *s, arena *mem, pare_error *err) {
    const push_problem *p = s->p;
    s->N = p->m + p->n;
    s->d = p->x->d;
    double **wide[] = {&s->w, &s->before, &s->y, &s->gradient, &s->g};
    double **tall[] = {&s->f, &s->f_before, &s->f_y, &s->count, &s->linear, &s->u};
    pare_status status = PARE_OK;
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        TRY_MEM(*wide[k] = ARENA_ZERO(mem, double, s->d));
    for (size_t k = 0; k < sizeof tall / sizeof tall[0]; k++)
        TRY_MEM(*tall[k] = ARENA_ZERO(mem, double, s->N));
    TRY_MEM(s->scratch = ARENA_NEW(mem, double, p->n_groups));
    TRY(rank_pairs_init(&s->pairs, mem, p->m, p->n, p->cost, err));
done:
    return status;
}

/* Loss at scores f, and if asked g = 2 X'(a, -b), the negative gradient. */
static pare_status evaluate(smooth *s, const double *f, double *hinge, double *loss, double *g,
                            const pare_ctx *ctx, pare_error *err) {
    rank_pairs_sums(&s->pairs, f, hinge, loss, s->count, s->linear);
    if (!g) return PARE_OK;
    for (int64_t i = 0; i < s->N; i++) s->linear[i] *= 2;
    return push_gather(s->p, s->linear, s->u, g, ctx, err);
}

/* Step 2; the change of w along the gradient's side of y, for the restart. */
static pare_status step(smooth *s, double *against, const pare_ctx *ctx, pare_error *err) {
    double hinge, loss, at_y;
    pare_status status = PARE_OK;
    TRY(evaluate(s, s->f_y, &hinge, &at_y, s->gradient, ctx, err));
    for (;;) {
        double bound = at_y, square = 0;
        for (int64_t j = 0; j < s->d; j++) s->w[j] = s->y[j] + s->gradient[j] / s->L;
        push_penalty_prox(s->p, s->p->lambda / s->L, s->w, s->scratch);
        *against = 0;
        for (int64_t j = 0; j < s->d; j++) {
            double off = s->w[j] - s->y[j];
            bound -= s->gradient[j] * off;
            square += off * off;
            *against += -off * (s->w[j] - s->before[j]);
        }
        TRY(mat_mul(s->p->x, NULL, s->d, s->w, 1, s->f, ctx, err));
        TRY(evaluate(s, s->f, &hinge, &loss, NULL, ctx, err));
        if (loss <= bound + s->L / 2 * square + 1e-14 * at_y) break;
        s->L *= RAISE;
    }
done:
    return status;
}

static pare_status judge(smooth *s, push_solution *out, const pare_ctx *ctx, pare_error *err) {
    double hinge, loss, value;
    pare_status status = evaluate(s, s->f, &hinge, &loss, s->g, ctx, err);
    double objective = loss + s->p->lambda * push_penalty_value(s->p, s->w, s->scratch);
    push_best_scaling(s->p, 2 * hinge, loss, s->g, s->scratch, &value);
    if (objective < out->objective) {
        out->objective = objective;
        memcpy(out->w, s->w, sizeof(double) * (size_t)s->d);
    }
    if (value > out->bound) {
        out->bound = value;
        memcpy(out->dual, s->f, sizeof(double) * (size_t)s->N);
    }
    return status;
}

pare_status rank_squared(push_solution *out, const push_problem *p, const pare_ctx *ctx,
                         pare_error *err) {
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    smooth s = {.p = p};
    out->objective = INFINITY;
    out->bound = -INFINITY;
    out->outcome = PARE_MAX_ITER;
    out->iterations = 0;
    pare_status status = PARE_OK;
    TRY(prepare(&s, &mem, err));
    TRY(judge(&s, out, ctx, err)); /* w = 0 */
    double slope = 0, momentum = 1, best = INFINITY;
    int64_t best_at = 0;
    for (int64_t j = 0; j < s.d; j++) slope += s.g[j] * s.g[j];
    s.L = slope > 0 ? 0.1 * slope : 1; /* where a step of the gradient's size would gain all of 1 */
    for (out->iterations = 1; out->iterations <= MOST_ITERATIONS; out->iterations++) {
        double against;
        TRY(step(&s, &against, ctx, err)); /* 1, 2 */
        double next = against > 0 ? 1 : (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
        double ahead = against > 0 ? 0 : (momentum - 1) / next; /* 3 */
        for (int64_t j = 0; j < s.d; j++) {
            s.y[j] = s.w[j] + ahead * (s.w[j] - s.before[j]);
            s.before[j] = s.w[j];
        }
        for (int64_t i = 0; i < s.N; i++) {
            s.f_y[i] = s.f[i] + ahead * (s.f[i] - s.f_before[i]);
            s.f_before[i] = s.f[i];
        }
        momentum = next;
        s.L *= LOWER;
        if (out->iterations % CHECK_EVERY != 0) continue;
        TRY(judge(&s, out, ctx, err)); /* 4 */
        if (push_gap(out) <= p->tol_rel) {
            out->outcome = PARE_OPTIMAL;
            break;
        }
        if (push_gap(out) < best) {
            best = push_gap(out);
            best_at = out->iterations;
        }
        if (out->iterations - best_at > PATIENCE) break; /* rounding has taken over */
        interruption stop = ctx_poll(ctx, "proximal gradient", -1);
        if (stop != INTERRUPT_NONE) {
            out->outcome = stop == INTERRUPT_TIME ? PARE_TIME_LIMIT : PARE_CANCELLED;
            break;
        }
    }
done:
    arena_free(&mem);
    return status;
}
