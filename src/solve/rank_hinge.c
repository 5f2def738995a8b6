/* RankSVM with the hinge by cutting planes.
 *
 * ALGORITHM  1. at w: the active pairs give a linear function below the loss, o_k - g_k'w with
 *               o_k = sum of c_i c_j over them and g_k = X'(a_k, -b_k);
 *            2. minimise the largest of the cuts + lambda Omega(w) by push_qp, only as exactly as the
 *               gap asks for: inexact interior points are central, so that the cuts settle faster;
 *            3. the cuts' multipliers combine their (a_k, b_k) to a feasible dual point whose value
 *               is the bound.
 * COST       two passes over X per cut; memory K (N + d) for K cuts. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/push_qp.h"
#include "solve/rank_svm.h"

enum { MOST_CUTS = 3000, FIRST_ROOM = 64 };
static const double INEXACT = 0.1; /* of the present gap: the inner program's */
static const double FINEST = 1e-9;
static const double CLEAN_SHARE = 0.1; /* of the tolerance may be lost to weights set to zero */

typedef struct cuts {
    const push_problem *p;
    rank_pairs pairs;
    int64_t N, d, count, room;
    double *row;    /* room x d: -g_k; the last one in use is followed by zeros, the cut 0 */
    double *sums;   /* room x N: a_k, b_k */
    double *offset; /* room */
    double *cost;   /* room: zeros */
    double *pi;     /* room */
    double *f, *u, *dual, *w, *g, *scratch;
} cuts;

static pare_status make_room(cuts *s, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    if (s->count + 2 <= s->room) return PARE_OK;
    int64_t room = s->room ? 2 * s->room : FIRST_ROOM;
    pare_status status =
        ctx_room(ctx, 8 * (double)room * (double)(s->d + s->N), "the cutting planes", err);
    if (status != PARE_OK) return status;
    if (!mem_resize(mem, &s->row, room * s->d, sizeof(double)) ||
        !mem_resize(mem, &s->sums, room * s->N, sizeof(double)) ||
        !mem_resize(mem, &s->offset, room, sizeof(double)) ||
        !mem_resize(mem, &s->cost, room, sizeof(double)) ||
        !mem_resize(mem, &s->pi, room, sizeof(double)))
        return error_memory(err);
    for (int64_t k = 0; k < room; k++) s->cost[k] = 0;
    s->room = room;
    return PARE_OK;
}

/* Step 1 at s->w: the loss there, and its cut behind the others. */
static pare_status cut(cuts *s, double *loss, const pare_ctx *ctx, pare_error *err) {
    double squared, offset = 0;
    pare_status status = PARE_OK;
    TRY(make_room(s, ctx, err));
    double *sums = s->sums + s->count * s->N, *row = s->row + s->count * s->d;
    TRY(mat_mul(s->p->x, NULL, s->d, s->w, 1, s->f, ctx, err));
    rank_pairs_sums(&s->pairs, s->f, loss, &squared, sums, NULL);
    for (int64_t i = 0; i < s->p->m; i++) offset += sums[i];
    TRY(push_gather(s->p, sums, s->u, row, ctx, err));
    for (int64_t j = 0; j < s->d; j++) row[j] = -row[j];
    s->offset[s->count++] = offset;
    memset(s->row + s->count * s->d, 0, sizeof(double) * (size_t)s->d);
    s->offset[s->count] = 0;
done:
    return status;
}

/* Step 3: the combination of the cuts by their multipliers. */
static pare_status combine(cuts *s, push_solution *out, const pare_ctx *ctx, pare_error *err) {
    double total = 0, value;
    memset(s->dual, 0, sizeof(double) * (size_t)s->N);
    for (int64_t k = 0; k < s->count; k++) {
        for (int64_t i = 0; i < s->N; i++) s->dual[i] += s->pi[k] * s->sums[k * s->N + i];
    }
    for (int64_t i = 0; i < s->p->m; i++) total += s->dual[i];
    pare_status status = push_gather(s->p, s->dual, s->u, s->g, ctx, err);
    double scale = push_best_scaling(s->p, total, 0, s->g, s->scratch, &value);
    if (value > out->bound) {
        out->bound = value;
        for (int64_t i = 0; i < s->N; i++) out->dual[i] = scale * s->dual[i];
    }
    return status;
}

/* Interior points are nowhere zero: weights small beside the room their features have left become
 * zero, fewer and fewer of them until the objective allows it. */
static pare_status clean(cuts *s, push_solution *out, double l1, const pare_ctx *ctx,
                         pare_error *err) {
    const push_problem *p = s->p;
    double largest = 0, loss, squared, allowed = out->objective * (1 + CLEAN_SHARE * p->tol_rel);
    pare_status status = push_gather(p, out->dual, s->u, s->g, ctx, err);
    for (int64_t j = 0; j < s->d; j++) largest = fmax(largest, fabs(out->w[j]));
    for (double small = 1e-2; status == PARE_OK && small > FINEST; small /= 10) {
        for (int64_t j = 0; j < s->d; j++) {
            double size = fabs(out->w[j]) / largest, room = 1 - fabs(s->g[j]) / l1;
            s->w[j] = size >= small || size >= room ? out->w[j] : 0;
        }
        TRY(mat_mul(p->x, NULL, s->d, s->w, 1, s->f, ctx, err));
        rank_pairs_sums(&s->pairs, s->f, &loss, &squared, s->dual, NULL);
        double objective = loss + p->lambda * push_penalty_value(p, s->w, s->scratch);
        if (objective > allowed) continue;
        out->objective = objective;
        memcpy(out->w, s->w, sizeof(double) * (size_t)s->d);
        break;
    }
done:
    return status;
}

static pare_status prepare(cuts *s, arena *mem, pare_error *err) {
    const push_problem *p = s->p;
    s->N = p->m + p->n;
    s->d = p->x->d;
    pare_status status = PARE_OK;
    TRY_MEM(s->f = ARENA_ZERO(mem, double, s->N));
    TRY_MEM(s->u = ARENA_ZERO(mem, double, s->N));
    TRY_MEM(s->dual = ARENA_ZERO(mem, double, s->N));
    TRY_MEM(s->w = ARENA_ZERO(mem, double, s->d));
    TRY_MEM(s->g = ARENA_ZERO(mem, double, s->d));
    TRY_MEM(s->scratch = ARENA_ZERO(mem, double, p->n_groups));
    TRY(rank_pairs_init(&s->pairs, mem, p->m, p->n, p->cost, err));
done:
    return status;
}

pare_status rank_hinge(push_solution *out, const push_problem *p, const pare_ctx *ctx,
                       pare_error *err) {
    const pare_allocator *allocator = ctx_allocator(ctx);
    arena mem;
    arena_init(&mem, allocator);
    cuts s = {.p = p};
    push_qp qp = {.t_cost = 1,
                  .l1 = p->penalty == PUSH_L1     ? p->lambda
                        : p->penalty == PUSH_L1L2 ? p->lambda * p->mix
                                                  : 0,
                  .l2 = p->penalty == PUSH_L2     ? p->lambda
                        : p->penalty == PUSH_L1L2 ? p->lambda * (1 - p->mix)
                                                  : 0};
    out->objective = INFINITY;
    out->bound = -INFINITY;
    out->outcome = PARE_MAX_ITER;
    pare_status status = PARE_OK;
    TRY(prepare(&s, &mem, err));
    for (out->iterations = 1; out->iterations <= MOST_CUTS; out->iterations++) {
        double loss;
        TRY(cut(&s, &loss, ctx, err));
        double objective = loss + p->lambda * push_penalty_value(p, s.w, s.scratch);
        if (objective < out->objective) {
            out->objective = objective;
            memcpy(out->w, s.w, sizeof(double) * (size_t)s.d);
        }
        double gap = out->bound > -INFINITY ? push_gap(out) : 1;
        if (gap <= (1 - CLEAN_SHARE) * p->tol_rel) {
            out->outcome = PARE_OPTIMAL;
            break;
        }
        interruption stop = ctx_poll(ctx, "cutting planes", -1);
        if (stop != INTERRUPT_NONE) {
            out->outcome = stop == INTERRUPT_TIME ? PARE_TIME_LIMIT : PARE_CANCELLED;
            break;
        }
        qp.rows = (push_rows){.extra = s.row, .n_extra = s.count + 1, .d = s.d};
        qp.cost = s.cost;
        qp.offset = s.offset;
        qp.tol_rel = fmax(INEXACT * gap, FINEST);
        push_qp_solution inner = {.w = s.w, .dual = s.pi};
        TRY(push_qp_solve(&inner, &qp, ctx, err)); /* 2 */
        TRY(combine(&s, out, ctx, err));
    }
    if (qp.l1 > 0 && out->bound > -INFINITY) TRY(clean(&s, out, qp.l1, ctx, err));
    if (out->bound == -INFINITY) { /* stopped before the first program: gamma = 0 is feasible */
        out->bound = 0;
        memset(out->dual, 0, sizeof(double) * (size_t)s.N);
    }
done:
    mem_free(allocator, s.pi);
    mem_free(allocator, s.cost);
    mem_free(allocator, s.offset);
    mem_free(allocator, s.sums);
    mem_free(allocator, s.row);
    arena_free(&mem);
    return status;
}
