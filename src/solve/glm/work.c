#include "solve/glm/work.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

enum { MAX_ROUNDS = 200, NEWTON_STEPS = 8, SOON = 4 };
static const double FREE_REST =
    1e-13; /* of the shares: a free coefficient's gradient that is none */

static double *zeros(const glm_work *w, int64_t count) {
    return mem_zero(ctx_allocator(w->ctx), count, sizeof(double));
}

pare_status work_open(glm_work *w, const view *x, const glm_loss *loss, const penalty *pen,
                      bool intercept, const pare_ctx *ctx, pare_error *err) {
    int64_t nc = loss->n * loss->c, c = loss->c;
    *w = (glm_work){.loss = loss, .pen = pen, .intercept = intercept, .ctx = ctx};
    columns_open(&w->cols, x, loss->share, intercept || loss->kind->level, ctx);
    w->b = zeros(w, c);
    w->trial_b = zeros(w, c);
    w->q.b0 = zeros(w, c);
    w->q.H0 = zeros(w, c * c);
    w->F = zeros(w, nc);
    w->U = zeros(w, nc);
    w->P = zeros(w, nc);
    w->trial_F = zeros(w, nc);
    w->trial_U = zeros(w, nc);
    w->trial_P = zeros(w, nc);
    w->D = zeros(w, nc);
    w->q.V = zeros(w, nc);
    w->q.h = zeros(w, loss->n);
    bool curves = c == 1 && loss->kind->curve;
    if (curves) w->curved = zeros(w, CURVED * loss->n);
    bool fine = (w->curved || !curves) && w->b && w->trial_b && w->q.b0 && w->q.H0 && w->F &&
                w->U && w->P && w->trial_F && w->trial_U && w->trial_P && w->D && w->q.V && w->q.h;
    if (!fine) return error_memory(err);
    return work_add(w, NULL, 0, err);
}

void work_close(glm_work *w) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    void *blocks[] = {w->D,
                      w->trial_U,
                      w->trial_P,
                      w->b,
                      w->trial_b,
                      w->q.b0,
                      w->q.H0,
                      w->F,
                      w->U,
                      w->P,
                      w->trial_F,
                      w->q.V,
                      w->q.h,
                      w->block,
                      w->first,
                      w->feature,
                      w->B,
                      w->trial_B,
                      w->q.B0,
                      w->gradient,
                      w->q.hx,
                      w->q.A,
                      w->q.version,
                      w->coord,
                      w->place,
                      w->system,
                      w->direction,
                      w->rows,
                      w->curved,
                      w->active.column,
                      w->active.x,
                      w->active.in,
                      w->active.out,
                      w->shared.factor,
                      w->shared.inverse,
                      w->shared.v,
                      w->shared.bend,
                      w->shared.block,
                      w->shared.along,
                      w->shared.x,
                      w->shared.step,
                      w->shared.more};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) mem_free(mem, blocks[i]);
    columns_close(&w->cols);
}

static bool grow(glm_work *w, int64_t count) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    int64_t c = w->loss->c, more = count + count / 4 + 16;
    if (w->capacity && count <= w->capacity) return true;
    bool fine = mem_resize(mem, &w->block, more, sizeof(int64_t)) &&
                mem_resize(mem, &w->first, more + 1, sizeof(int64_t)) &&
                mem_resize(mem, &w->feature, more, sizeof(int64_t)) &&
                mem_resize(mem, &w->q.version, more, sizeof(int64_t)) &&
                mem_resize(mem, &w->coord, (more + 1) * c, sizeof(int64_t)) &&
                mem_resize(mem, &w->place, (more + 1) * c, sizeof(int64_t)) &&
                mem_resize(mem, &w->B, more * c, sizeof(double)) &&
                mem_resize(mem, &w->trial_B, more * c, sizeof(double)) &&
                mem_resize(mem, &w->q.B0, more * c, sizeof(double)) &&
                mem_resize(mem, &w->gradient, more * c, sizeof(double)) &&
                mem_resize(mem, &w->q.hx, more, sizeof(double)) &&
                mem_resize(mem, &w->q.A, more * c * c, sizeof(double));
    if (!fine) return false;
    if (!w->capacity) w->first[0] = 0;
    w->capacity = more;
    return true;
}

pare_status work_add(glm_work *w, const int64_t *block, int64_t count, pare_error *err) {
    const penalty *pen = w->pen;
    int64_t from = w->cols.count, c = w->loss->c, at = from;
    for (int64_t g = 0; g < count; g++) at += penalty_size(pen, block[g]);
    if (!grow(w, at > w->n_blocks + count ? at : w->n_blocks + count)) return error_memory(err);
    at = from;
    for (int64_t g = 0; g < count; g++)
        for (int64_t k = pen->start[block[g]]; k < pen->start[block[g] + 1]; k++)
            w->feature[at++] = pen->member[k];
    PASS(columns_add(&w->cols, w->feature + from, at - from, err));
    for (int64_t g = 0; g < count; g++) {
        w->block[w->n_blocks] = block[g];
        w->first[w->n_blocks + 1] = w->first[w->n_blocks] + penalty_size(pen, block[g]);
        w->n_blocks++;
    }
    for (int64_t k = from; k < at; k++) w->q.version[k] = -1;
    for (int64_t e = from * c; e < at * c; e++) w->B[e] = 0;
    return PARE_OK;
}

bool block_active(const glm_work *w, int64_t b) {
    for (int64_t e = w->first[b] * w->loss->c; e < w->first[b + 1] * w->loss->c; e++)
        if (w->B[e] != 0) return true;
    return false;
}

void work_drop_inactive(glm_work *w) {
    int64_t c = w->loss->c, blocks = 0, kept = 0;
    int64_t *keep = w->place; /* scratch that is large enough */
    for (int64_t b = 0; b < w->n_blocks; b++) {
        int64_t from = w->first[b], size = w->first[b + 1] - from;
        if (!block_active(w, b) && !penalty_free(w->pen, w->block[b])) continue;
        for (int64_t k = 0; k < size; k++) {
            keep[kept + k] = from + k;
            w->feature[kept + k] = w->feature[from + k];
            w->q.version[kept + k] = -1;
        }
        memmove(w->B + kept * c, w->B + from * c, sizeof(double) * (size_t)(size * c));
        w->block[blocks] = w->block[b];
        w->first[blocks++] = kept;
        kept += size;
    }
    w->first[blocks] = kept;
    w->n_blocks = blocks;
    columns_keep(&w->cols, keep, kept);
}

void work_fit(glm_work *w) {
    int64_t n = w->loss->n, c = w->loss->c;
    for (int64_t e = 0; e < n * c; e++) w->F[e] = w->b[e % c];
    for (int64_t k = 0; k < w->cols.count; k++)
        for (int64_t o = 0; o < c; o++) {
            if (w->B[k * c + o] == 0) continue;
            held x = columns_at(&w->cols, k);
            held_add(&x, w->B[k * c + o], w->F, c, o);
        }
}

double work_penalty(const glm_work *w, const double *B) {
    double sum = 0;
    bool singles = w->loss->c == 1 && w->cols.count == w->n_blocks;
    for (int64_t b = 0; b < w->n_blocks; b++)
        if (!singles || B[b] != 0)
            sum += penalty_value(w->pen, w->block[b], B + w->first[b] * w->loss->c);
    return sum;
}

void work_evaluate(glm_work *w) {
    w->loss_now = w->loss->kind->point(w->loss, w->F, w->U, w->P, w->class_part);
    w->penalty_now = work_penalty(w, w->B);
    w->primal = w->loss_now + w->lambda * w->penalty_now;
}

double work_try(glm_work *w) {
    w->trial_loss =
        w->loss->kind->point(w->loss, w->trial_F, w->trial_U, w->trial_P, w->trial_class_part);
    w->trial_penalty = work_penalty(w, w->trial_B);
    return w->trial_loss + w->lambda * w->trial_penalty;
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

void work_accept(glm_work *w) {
    swap(&w->B, &w->trial_B);
    swap(&w->b, &w->trial_b);
    swap(&w->F, &w->trial_F);
    swap(&w->U, &w->trial_U);
    swap(&w->P, &w->trial_P);
    w->class_part[0] = w->trial_class_part[0];
    w->class_part[1] = w->trial_class_part[1];
    w->loss_now = w->trial_loss;
    w->penalty_now = w->trial_penalty;
    w->primal = w->loss_now + w->lambda * w->penalty_now;
    w->steps++;
}

double work_dual(const glm_work *w, const double *F, const double *U, double lambda, double price,
                 double conjugate) {
    const glm_loss *l = w->loss;
    double alpha = w->pen->alpha, best = l->kind->best_scale ? l->kind->best_scale(l, U) : 1;
    double limit = price > 0 ? lambda * alpha / price : INFINITY;
    double value = l->kind->dual(l, F, U, fmin(best, limit));
    if (alpha < 1) value = fmax(value, l->kind->dual(l, F, U, 1) - conjugate);
    return value;
}

static void gradients(glm_work *w) {
    int64_t n = w->loss->n, c = w->loss->c, count = w->cols.count;
    if (w->cols.dense && count > 0) {
        dense_dots(n, count, w->cols.dense, c, -1, w->D, w->gradient);
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        held x = columns_at(&w->cols, k);
        double *g = w->gradient + k * c;
        if (c == 1) {
            g[0] = -held_dot(&x, w->D);
            continue;
        }
        memset(g, 0, sizeof(double) * (size_t)c);
        for (int64_t e = 0; e < x.count; e++) {
            const double *u = w->D + x.row[e] * c;
            for (int64_t o = 0; o < c; o++) g[o] -= x.value[e] * u[o];
        }
    }
}

/* Whether the block is free and 0, and its sign allows it to move by the gradient. */
static bool free_pulled(const glm_work *w, int64_t b) {
    int64_t k = w->first[b];
    int sign = penalty_sign(w->pen, w->feature[k]);
    bool rests = sign != 0 && penalty_free(w->pen, w->block[b]) && w->B[k] == 0;
    return rests && sign_pull(sign, w->gradient[k]) > FREE_REST;
}

/* Computes D, the gradient over the working set, and the dual value. A bound of the dual value is
 * used where it decides: it is close enough, or the value itself could not be. */
static pare_status measure(glm_work *w, pare_error *err) {
    int64_t c = w->loss->c, n = w->loss->n;
    double price = 0, conjugate = 0, bound = -INFINITY, along = 0;
    bool open = false; /* a free coefficient of 0 that its sign allows to move */
    bool singles = c == 1 && !w->pen->some_free;
    if (singles) {
        bound = w->loss->kind->balance(w->loss, w->intercept, w->F, w->U, w->class_part, w->D);
    } else {
        PASS(newton_free(w, err));
        memcpy(w->D, w->U, sizeof(double) * (size_t)(n * c));
    }
    gradients(w);
    for (int64_t b = 0; b < w->n_blocks; b++) {
        const double *g = w->gradient + w->first[b] * c;
        if (free_pulled(w, b)) open = true;
        double own = penalty_price(w->pen, w->block[b], g);
        if (own > price) price = own;
        if (w->pen->alpha < 1) conjugate += penalty_conjugate(w->pen, w->block[b], w->lambda, g);
    }
    double t = price > 0 ? fmin(1, w->lambda * w->pen->alpha / price) : 1, far = w->tol * w->primal;
    if (bound > -INFINITY && w->pen->alpha == 1) {
        for (int64_t i = 0; i < n; i++) along += w->D[i] * w->F[i];
        w->dual = t * bound;
        double value_less =
            (1 - t) * (bound - along); /* the value is above the bound by at most this */
        double gap = w->primal - w->dual;
        if (gap <= far || gap - fmax(value_less, 0) > 2 * far) return PARE_OK;
    }
    w->dual = open ? -INFINITY : work_dual(w, w->F, w->D, w->lambda, price, conjugate);
    return PARE_OK;
}

pare_status work_solve(glm_work *w, double tol, pare_outcome *outcome, pare_error *err) {
    double before = INFINITY;
    bool stuck = false, whole = w->pen->rows || w->pen->largest > 1;
    w->tol = tol;
    if (w->fresh) {
        w->primal = w->loss_now + w->lambda * w->penalty_now;
    } else {
        work_fit(w);
        work_evaluate(w);
        w->fresh = true;
    }
    *outcome = PARE_MAX_ITER;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        PASS(newton_active(w, NEWTON_STEPS, err));
        PASS(measure(w, err));
        double gap = w->primal - w->dual;
        if (gap <= tol * fmax(fabs(w->primal), fabs(w->dual))) {
            *outcome = PARE_OPTIMAL;
            break;
        }
        if (stuck && !(gap < before)) break;
        before = gap;
        interruption stop = ctx_poll(w->ctx, "solving", -1);
        if (stop) {
            *outcome = ctx_outcome(stop);
            break;
        }
        bool all = whole && !w->shared.suits; /* where it does, Newton's steps cost less */
        stuck = !model_step(w, all || round >= SOON);
    }
    return PARE_OK;
}
