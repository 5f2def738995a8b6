#include "method/lp/plna_global.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/l1/l1_simplex.h"

enum { MAX_CELLS = 2000, MAX_FEATURES = 40, MAX_BOXES = 5000000, POLL = 64 };
enum { ROUNDS = 12, DOUBLINGS = 40, TANGENTS = 8 };
static const double CLOSE = 1e-7;  /* of F */
static const double EXACT = 1e-10; /* of sum_i s_i |b_i|: a smaller gap of a program is rounding */
static const double ROUNDED = 1e-13; /* of sum_i |u_i a_ij|: a price that may be above its cost */
static const double EDGE = 0.05;     /* of a box's width: where it is not cut */
static const double POINT = 1e-9;    /* of u: a box so narrow has its tangent for a chord */
static const double SETTLED = 0.02;  /* a round that narrows no range by more is the last */
static const double NEAR = 0.3, FAR = 4.6; /* over alpha: where an infinite box is cut at least, and
                                              at most at first */

typedef struct tree {
    plna_work *w;
    int64_t d, count, capacity; /* boxes still open */
    double *box;                /* each: its bound, then l_j, u_j */
    double *l, *u, *cost;       /* d: of the box at hand */
    double *size;               /* d: |x_j| of its relaxation */
    double *x, *y;              /* n x d, n: the columns, and a target less one of them */
    double *dual;               /* n: of the last program, feasible */
    l1_simplex *simplex;
    plna_point point;
    double scale;  /* sum_i s_i |b_i| */
    double closed; /* the least bound of the boxes that ended */
} tree;

pare_status plna_global_suits(const plna_work *w, pare_error *err) {
    if (w->blocks.of)
        return error_set(err, PARE_E_ARGUMENT,
                         "`global` does not support groups of features: leave it out");
    if (w->n * w->d <= MAX_CELLS && w->d <= MAX_FEATURES && l1_simplex_suits(w->n, w->d))
        return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`global`: the search is for at most %d features and %d cells, "
                     "but the data have %lld samples of %lld features: leave it out, or keep "
                     "fewer features",
                     MAX_FEATURES, MAX_CELLS, (long long)w->n, (long long)w->d);
}

static double phi(const tree *t, double x) { return -expm1(-t->w->alpha * x); }

static double slope(const tree *t, int64_t j) {
    double l = t->l[j], u = t->u[j];
    if (isinf(u)) return 0;
    return u - l > POINT * u ? (phi(t, u) - phi(t, l)) / (u - l)
                             : t->w->alpha * exp(-t->w->alpha * l);
}

static double chord(const tree *t, int64_t j, double x) {
    return phi(t, t->l[j]) + slope(t, j) * (x - t->l[j]);
}

static pare_status push(tree *t, double bound, pare_error *err) {
    int64_t length = 1 + 2 * t->d;
    if (t->count == t->capacity) {
        int64_t more = 2 * t->capacity + 64;
        if (!mem_resize(t->w->mem, &t->box, more * length, sizeof(double)))
            return error_memory(err);
        t->capacity = more;
    }
    double *to = t->box + t->count++ * length;
    to[0] = bound;
    memcpy(to + 1, t->l, sizeof(double) * (size_t)t->d);
    memcpy(to + 1 + t->d, t->u, sizeof(double) * (size_t)t->d);
    return PARE_OK;
}

static double pop(tree *t) {
    const double *from = t->box + --t->count * (1 + 2 * t->d);
    memcpy(t->l, from + 1, sizeof(double) * (size_t)t->d);
    memcpy(t->u, from + 1 + t->d, sizeof(double) * (size_t)t->d);
    return from[0];
}

static double cutoff(const plna_point *best) { return best->value * (1 - CLOSE); }

/* The costs of the chords; returns what the relaxation has beside them. */
static double chords(tree *t) {
    plna_work *w = t->w;
    double base = 0;
    for (int64_t j = 0; j < t->d; j++) {
        t->cost[j] = w->range[j] > 0 ? w->lambda * slope(t, j) : INFINITY;
        base += w->lambda * chord(t, j, 0);
    }
    return base;
}

void plna_dual_repair(double *u, const double *given, const double *x, const double *loss,
                      const double *cost, int64_t n, int64_t d, bool intercept) {
    double plus = 0, minus = 0, worst = 1;
    for (int64_t i = 0; i < n; i++) {
        u[i] = fmin(loss[i], fmax(-loss[i], given[i]));
        if (u[i] > 0) plus += u[i];
        if (u[i] < 0) minus -= u[i];
    }
    double shrink = intercept && plus != minus ? fmin(plus, minus) / fmax(plus, minus) : 1;
    for (int64_t i = 0; i < n; i++)
        if ((plus > minus) == (u[i] > 0)) u[i] *= shrink;
    for (int64_t j = 0; j < d; j++) {
        double price = 0, size = 0;
        for (int64_t i = 0; i < n; i++) {
            price += u[i] * x[j * n + i];
            size += fabs(u[i] * x[j * n + i]);
        }
        if (size > 0) worst = fmax(worst, fabs(price) / (cost[j] + ROUNDED * size));
    }
    for (int64_t i = 0; i < n; i++) u[i] /= worst;
}

/* The bound of a program from its dual; false: it does not agree with the primal. */
static bool bound_of(tree *t, const l1_vertex *v, const double *y, double *bound) {
    plna_work *w = t->w;
    double dual = 0;
    plna_dual_repair(t->dual, v->u, t->x, w->loss, t->cost, w->n, t->d,
                     w->job->set->common.intercept);
    for (int64_t i = 0; i < w->n; i++) dual += t->dual[i] * y[i];
    *bound = fmin(v->objective, dual);
    return fabs(v->objective - dual) <= EXACT * t->scale;
}

/* 1: the relaxation's dual bound and |x_j|; false: the program could not be solved. */
static bool relax(tree *t, l1_vertex *v, double *bound) {
    plna_work *w = t->w;
    double base = chords(t);
    bool fine = false;
    for (int try = 0; try < 2 && !fine; try++) { /* the second from zero */
        if (try > 0) l1_simplex_start(t->simplex, NULL, 0, 0);
        fine = l1_simplex_solve(t->simplex, v, t->cost, w->loss) &&
               bound_of(t, v, w->job->y->value, bound);
        w->programs++;
    }
    if (!fine) return false;
    *bound += base;
    memset(t->size, 0, sizeof(double) * (size_t)t->d);
    for (int64_t k = 0; k < v->n_weight; k++)
        t->size[v->weight[k].feature] = fabs(v->weight[k].value);
    return true;
}

/* With cost_j - |a_j'u| left over, |x_j| cannot be larger than what that leaves of the cutoff.
 * *empty: nothing is left of the box. Returns true if it became narrower. */
static bool narrow(tree *t, double bound, const plna_point *best, bool *empty) {
    bool narrower = *empty = false;
    for (int64_t j = 0; j < t->d; j++) {
        double price = 0;
        for (int64_t i = 0; i < t->w->n; i++) price += t->dual[i] * t->x[j * t->w->n + i];
        double left = t->cost[j] - fabs(price);
        if (!(left > EXACT * t->w->lambda) || isinf(left)) continue;
        double most = (cutoff(best) - bound) / left;
        *empty |= most < t->l[j] * (1 - POINT);
        narrower |= most < t->u[j] * (1 - EDGE);
        if (most < t->u[j]) t->u[j] = fmax(most, t->l[j]);
    }
    return narrower;
}

/* The relaxation with x_j = at, without its base: a lower bound, and the slope over x_j. */
static pare_status fix(tree *t, int64_t j, double at, double *value, double *along, bool *fine,
                       const pare_ctx *ctx, pare_error *err) {
    plna_work *w = t->w;
    const double *a = t->x + j * w->n;
    double cost = t->cost[j];
    l1_simplex *q;
    l1_vertex v;
    for (int64_t i = 0; i < w->n; i++) t->y[i] = w->job->y->value[i] - at * a[i];
    pare_status status =
        l1_simplex_new(&q, w->job->x, t->y, w->job->set->common.intercept, ctx, err);
    if (status != PARE_OK) return status;
    t->cost[j] = INFINITY;
    *fine = l1_simplex_solve(q, &v, t->cost, w->loss) && bound_of(t, &v, t->y, value);
    t->cost[j] = cost;
    w->programs++;
    if (*fine) {
        *value += cost * fabs(at);
        *along = at < 0 ? -cost : cost;
        for (int64_t i = 0; i < w->n; i++) *along -= t->dual[i] * a[i];
    }
    l1_simplex_free(q);
    return PARE_OK;
}

/* How far x_j can go in the direction `way` (-1 or 1) with the relaxation at most `most`: the
 * relaxation is convex in x_j, so tangents from outside bound that from outside. */
static pare_status reach(tree *t, int64_t j, double way, double most, double *out,
                         const pare_ctx *ctx, pare_error *err) {
    double at = 0, step = 1 / t->w->alpha, value, along;
    bool fine, outside = false;
    *out = INFINITY;
    for (int i = 0; i < DOUBLINGS + TANGENTS; i++) {
        if (!outside) at += step;
        PASS(fix(t, j, way * at, &value, &along, &fine, ctx, err));
        if (!fine) return PARE_OK;
        step *= 2;
        along *= way;
        if (value <= most || !(along > 0)) {
            if (outside || i >= DOUBLINGS) return PARE_OK;
            continue;
        }
        if (!outside) i = DOUBLINGS;
        outside = true;
        double next = at - (value - most) / along;
        bool still = at - next <= 1e-3 * fabs(at);
        *out = at = next;
        if (still) return PARE_OK;
    }
    return PARE_OK;
}

/* 0: what the best F leaves of each feature's range, again with the chords that this gives. */
static pare_status find_ranges(tree *t, const plna_point *best, const pare_ctx *ctx,
                               pare_error *err) {
    for (int round = 0; round < ROUNDS; round++) {
        double narrowed = 0;
        for (int64_t j = 0; j < t->d; j++) {
            if (t->w->range[j] == 0) continue;
            double up, down, most = cutoff(best) - chords(t), l = t->l[j], u = t->u[j];
            PASS(reach(t, j, 1, most, &up, ctx, err));
            PASS(reach(t, j, -1, most, &down, ctx, err));
            t->l[j] = fmax(l, fmax(-up, -down)); /* of one sign */
            t->u[j] = fmax(fmin(u, fmax(up, down)), t->l[j]);
            if (t->u[j] < u) narrowed = fmax(narrowed, isinf(u) ? 1 : (u - t->u[j]) / u);
        }
        if (!(narrowed > SETTLED)) break;
    }
    return PARE_OK;
}

/* 2: the best point becomes the relaxation's, improved, if that is lower. */
static pare_status take(tree *t, const l1_vertex *v, plna_point *best, const pare_ctx *ctx,
                        pare_error *err) {
    plna_work *w = t->w;
    plna_point *p = &t->point;
    double error = 0, value = 0;
    for (int64_t i = 0; i < w->n; i++) error += w->loss[i] * fabs(v->f[i] - w->job->y->value[i]);
    for (int64_t j = 0; j < t->d; j++) value += w->lambda * phi(t, t->size[j]);
    if (!(error + value < best->value)) return PARE_OK;
    plna_point from = {.count = v->n_weight,
                       .weight = (lp_weight *)v->weight,
                       .b = v->b,
                       .error = error,
                       .value = error + value,
                       .dual = best->dual,
                       .outcome = PARE_OPTIMAL};
    PASS(plna_point_copy(p, &from, w, err));
    PASS(plna_settle(w, &p, 1, ctx, err));
    if (p->value < best->value) PASS(plna_point_copy(best, p, w, err));
    return PARE_OK;
}

/* 3: the feature to branch on and where, or -1. */
static int64_t choose(const tree *t, double *at) {
    int64_t chosen = -1;
    double most = 0;
    for (int64_t j = 0; j < t->d; j++) {
        double x = t->size[j], below = x > t->l[j] && x < t->u[j] ? phi(t, x) - chord(t, j, x) : 0;
        if (!(below > most)) continue;
        most = below;
        chosen = j;
    }
    if (chosen < 0) return chosen;
    double l = t->l[chosen], u = t->u[chosen], x = t->size[chosen], alpha = t->w->alpha;
    if (isinf(u))
        *at = fmin(fmax(x, fmax(NEAR / alpha, 1.1 * l)), fmax(FAR / alpha, 2 * l));
    else
        *at = fmin(fmax(x, l + EDGE * (u - l)), u - EDGE * (u - l));
    return *at > l && *at < u ? chosen : -1;
}

/* The same where there is no solution: the feature whose chord is farthest below the middle of its
 * box. */
static int64_t widest(tree *t, double *at) {
    for (int64_t j = 0; j < t->d; j++) {
        double l = t->l[j], u = isinf(t->u[j]) ? fmax(FAR / t->w->alpha, 2 * l) : t->u[j];
        t->size[j] = t->w->range[j] > 0 ? (l + u) / 2 : 0;
    }
    return choose(t, at);
}

static pare_status branch(tree *t, int64_t j, double at, double bound, pare_error *err) {
    double l = t->l[j], u = t->u[j];
    bool upper_first = t->size[j] > at;
    pare_status status = PARE_OK;
    for (int half = 0; half < 2 && status == PARE_OK; half++) {
        bool upper = (half == 0) != upper_first; /* the one pushed last is looked at first */
        t->l[j] = upper ? at : l;
        t->u[j] = upper ? u : at;
        status = push(t, bound, err);
    }
    return status;
}

static pare_status look(tree *t, plna_point *best, const pare_ctx *ctx, pare_error *err) {
    l1_vertex v;
    double at, inherited = pop(t), bound = inherited;
    int64_t j = -1;
    bool empty = false, narrower = false;
    if (inherited < cutoff(best) && relax(t, &v, &bound)) {
        double own = bound; /* what the program's prices go with */
        bound = fmax(bound, inherited);
        PASS(take(t, &v, best, ctx, err));
        if (bound < cutoff(best)) narrower = narrow(t, own, best, &empty);
        if (bound < cutoff(best) && !empty) j = choose(t, &at);
    } else if (inherited < cutoff(best)) {
        bound = inherited;
        j = widest(t, &at);
    }
    if (j >= 0) return branch(t, j, at, bound, err);
    if (narrower && !empty) return push(t, bound, err); /* the solution is outside by now */
    t->closed = fmin(t->closed, empty ? cutoff(best) : bound);
    return PARE_OK;
}

pare_status plna_global(plna_work *w, plna_point *best, double *bound, int64_t *boxes,
                        const pare_ctx *ctx, pare_error *err) {
    tree t = {.w = w, .d = w->d, .closed = INFINITY};
    pare_status status = PARE_OK;
    pare_outcome stopped = PARE_OPTIMAL;
    int64_t *all;
    TRY(plna_point_new(&t.point, w, err));
    TRY_MEM(t.l = ARENA_ZERO(&w->own, double, t.d));
    TRY_MEM(ARENA_NEWS(&w->own, double, t.d, &t.u, &t.cost, &t.size));
    TRY(l1_simplex_new(&t.simplex, w->job->x, w->job->y->value, w->job->set->common.intercept, ctx,
                       err));
    for (int64_t j = 0; j < t.d; j++) t.u[j] = INFINITY;
    for (int64_t i = 0; i < w->n; i++) t.scale += w->loss[i] * fabs(w->job->y->value[i]);
    TRY_MEM(ARENA_NEWS(&w->own, double, w->n, &t.y, &t.dual));
    TRY_MEM(t.x = ARENA_NEW(&w->own, double, w->n *t.d));
    TRY_MEM(all = ARENA_NEW(&w->own, int64_t, t.d));
    for (int64_t j = 0; j < t.d; j++) all[j] = j;
    TRY(mat_columns(w->job->x, all, t.d, t.x, ctx, err));
    TRY(find_ranges(&t, best, ctx, err));
    TRY(push(&t, 0, err));
    *boxes = 0;
    while (t.count > 0 && stopped == PARE_OPTIMAL) {
        TRY(look(&t, best, ctx, err));
        if (++*boxes >= MAX_BOXES) stopped = PARE_MAX_ITER;
        if (*boxes % POLL == 0) (void)ctx_stops(ctx, "searching", -1, &stopped);
    }
    while (t.count > 0) t.closed = fmin(t.closed, pop(&t));
    *bound = fmin(t.closed, cutoff(best));
    best->outcome = stopped != PARE_OPTIMAL                   ? stopped
                    : *bound >= best->value * (1 - 2 * CLOSE) ? PARE_OPTIMAL
                                                              : PARE_MAX_ITER;
done:
    l1_simplex_free(t.simplex);
    plna_point_free(&t.point, w);
    mem_free(w->mem, t.box);
    return status;
}
