#include "method/svm/rfe_weakest.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "la/product/dot.h"

static const double ROUNDING = 1e-14;     /* of R |U|, added to the bound of the change of
                                             weights */
static const double NORM_ROUNDING = 1e-9; /* of a norm that the caller knows */
/* Share of the active features above which all are weighed. At most 2/3, for the scratch. */
static const double WORTH = 0.6;

/* Share of the active features above which the bounds of a copy are no longer worth it. */
static const double DOUBTFUL = 0.2;

enum { MIN_WINDOW = 256 };

static double factor_of(const rfe_weakest *w, int64_t p) { return w->factor ? w->factor[p] : 1; }

/* |x_p|^2 of every column into w->old. */
static pare_status set_norms(rfe_weakest *w, double norm2, const pare_ctx *ctx, pare_error *err) {
    const view *x = &w->x;
    for (int64_t i = 0; i < x->n; i++) w->U0[i] = 1;
    if (!(norm2 > 0)) return mat_tmul2(x, w->U0, 1, w->old, ctx, err);
    norm2 *= 1 + NORM_ROUNDING;
    for (int64_t p = 0; p < x->d; p++)
        w->old[p] = x->scale && x->scale[x->cols ? x->cols[p] : p] == 0 ? 0 : norm2;
    return PARE_OK;
}

pare_status rfe_weakest_init(rfe_weakest *w, arena *mem, const view *x, int64_t c,
                             const double *factor, double *old, double norm2, const pare_ctx *ctx,
                             pare_error *err) {
    int64_t n = x->n, d = x->d, wanted = (int64_t)(4 * sqrt((double)d));
    *w = (rfe_weakest){.x = *x, .c = c, .n_active = d, .listed = d, .factor = factor, .old = old};
    w->capacity = wanted < MIN_WINDOW ? MIN_WINDOW : wanted;
    if (w->capacity > d) w->capacity = d;
    PASS_MEM(w->is_active = ARENA_NEW(mem, bool, d));
    PASS_MEM(w->active = ARENA_NEW(mem, int64_t, d));
    if (x->cols) PASS_MEM(w->cols = ARENA_NEW(mem, int64_t, d));
    PASS_MEM(w->W = c == 1 ? old : ARENA_NEW(mem, double, d *c));
    PASS_MEM(w->scratch = ARENA_NEW(mem, ranked, d));
    PASS_MEM(w->left = ARENA_NEW(mem, bool, w->capacity));
    PASS_MEM(w->own = ARENA_NEW(mem, int64_t, w->capacity));
    PASS_MEM(w->window = ARENA_NEW(mem, double, n * w->capacity));
    PASS_MEM(w->best = ARENA_NEW(mem, weighed, w->capacity));
    PASS_MEM(ARENA_NEWS(mem, double, n *c, &w->U0, &w->U1, &w->rest));
    PASS(set_norms(w, norm2, ctx, err));
    for (int64_t p = 0; p < d; p++) {
        double norm = sqrt(w->old[p]) * factor_of(w, p);
        w->is_active[p] = true;
        w->active[p] = p;
        if (norm > w->R) w->R = norm;
    }
    return PARE_OK;
}

int64_t rfe_weakest_constant(rfe_weakest *w, int64_t most, int64_t *out) {
    int64_t count = 0;
    for (int64_t p = w->x.d - 1; p >= 0 && count < most; p--) {
        if (w->old[p] != 0) continue;
        w->is_active[p] = false;
        out[count++] = p;
    }
    w->n_active -= count;
    return count;
}

void rfe_weakest_leave(rfe_weakest *w, const ranked *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) w->is_active[list[i].index] = false;
    w->n_active -= count;
}

/* The active columns of the copy move to the front. */
static void shift_copy(rfe_weakest *w) {
    int64_t count = 0, c = w->c;
    for (int64_t i = 0; i < w->listed; i++) {
        if (!w->is_active[w->active[i]]) continue;
        byte_copy_move(&w->copy, i, count);
        for (int64_t o = 0; o < c; o++) w->ref[count * c + o] = w->ref[i * c + o];
        count++;
    }
}

const int64_t *rfe_weakest_active(rfe_weakest *w) {
    if (w->listed == w->n_active) return w->active;
    if (w->copy.value) shift_copy(w);
    int64_t count = 0;
    for (int64_t i = 0; i < w->listed; i++) { /* without a branch, which would be unpredictable */
        w->active[count] = w->active[i];
        w->old[count] = w->old[i];
        count += w->is_active[w->active[i]];
    }
    w->listed = count;
    return w->active;
}

view rfe_weakest_view(rfe_weakest *w, const int64_t *own, int64_t count) {
    view v = w->x;
    for (int64_t i = 0; w->cols && i < count; i++) w->cols[i] = w->x.cols[own[i]];
    v.cols = w->cols ? w->cols : own;
    v.d = count;
    return v;
}

/* Which of two is removed first: the smaller weight, of equals the last. */
static bool before(const ranked *a, const ranked *b) {
    int lighter = order_up(a->key, b->key);
    return (lighter ? lighter : order_index(b->index, a->index)) < 0;
}

/* weight (size) = the norms of the rows of W = X'U (size x c), times the factors. weight may be W. */
static void take_norms(const rfe_weakest *w, const double *W, const int64_t *own, int64_t size,
                       double *weight) {
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        for (int64_t o = 0; o < w->c; o++) sum += W[o * size + i] * W[o * size + i];
        weight[i] = (w->c == 1 ? fabs(W[i]) : sqrt(sum)) * factor_of(w, own[i]);
    }
}

/* The weights of `size` features, ascending. */
static pare_status weigh(rfe_weakest *w, const double *U, const int64_t *own, int64_t size,
                         double *weight, const pare_ctx *ctx, pare_error *err) {
    view v = rfe_weakest_view(w, own, size);
    double *W = w->c == 1 ? weight : w->W;
    PASS(mat_tmul(&v, U, w->c, W, ctx, err));
    take_norms(w, W, own, size, weight);
    return PARE_OK;
}

/* The `count` weakest of those, in descending order of their index, into `list`, which has capacity
 * for `count`, and for `size` numbers before. */
static void find_weakest(rfe_weakest *w, const double *weight, const int64_t *own, int64_t size,
                         int64_t count, ranked *list) {
    int64_t equal, found = 0;
    double last = select_up(weight, size, count, &equal, (double *)list);
    w->list = list;
    w->beyond = INFINITY;
    for (int64_t i = size - 1; i >= 0; i--) { /* of equals the last are removed first */
        int side = order_up(weight[i], last);
        if (side < 0 || (side == 0 && equal-- > 0))
            list[found++] = (ranked){weight[i], own[i]};
        else if (weight[i] < w->beyond)
            w->beyond = weight[i];
    }
}

/* Writes the `count` weakest of all to the list. Fills an open copy. */
static pare_status weigh_all(rfe_weakest *w, const double *U, int64_t count, const pare_ctx *ctx,
                             pare_error *err) {
    const int64_t *active = rfe_weakest_active(w);
    int64_t size = w->n_active, c = w->c;
    view v = rfe_weakest_view(w, active, size);
    double *W = c == 1 ? w->old : w->W;
    if (w->copy.value && !w->filled_copy)
        PASS(byte_copy_fill(&w->copy, &v, U, c, W, ctx, err));
    else
        PASS(mat_tmul(&v, U, c, W, ctx, err));
    w->filled_copy = w->copy.value;
    for (int64_t e = 0; w->copy.value && e < size * c; e++) w->ref[e % size * c + e / size] = W[e];
    take_norms(w, W, active, size, w->old);
    memcpy(w->U1, U, sizeof(double) * (size_t)(w->x.n * c));
    w->known = true;
    find_weakest(w, w->old, active, size, count, w->scratch);
    return PARE_OK;
}

/* Writes U = a U1 + rest; returns a. *rounding: of a weight at a U1 + rest. */
static double divide(const rfe_weakest *w, const double *U, double *rest, double *rounding) {
    int64_t size = w->x.n * w->c;
    double along = 0, length = 0, own = 0;
    for (int64_t i = 0; i < size; i++) {
        along += U[i] * w->U1[i];
        length += w->U1[i] * w->U1[i];
        own += U[i] * U[i];
    }
    double a = along / length;
    for (int64_t i = 0; i < size; i++) rest[i] = U[i] - a * w->U1[i];
    *rounding = w->R * ROUNDING * (sqrt(own) + fabs(a) * sqrt(length));
    return a;
}

/* A bound at U1 on the weights that may be among the `count` weakest at U; infinite: not known. */
static double weakest_limit(rfe_weakest *w, const double *U, int64_t count) {
    double rounding, distance = 0;
    int64_t equal;
    if (!w->known) return INFINITY;
    double a = fabs(divide(w, U, w->rest, &rounding));
    for (int64_t i = 0; i < w->x.n * w->c; i++) distance += w->rest[i] * w->rest[i];
    double reach = w->R * sqrt(distance) + rounding;
    if (!(a > 0 && reach < INFINITY)) return INFINITY;
    rfe_weakest_active(w);
    return select_up(w->old, w->n_active, count, &equal, (double *)w->scratch) + 2 * reach / a;
}

/* Writes the `count` weakest to the list, weighing only those that may be among them. */
static pare_status weigh_some(rfe_weakest *w, const double *U, int64_t count, const pare_ctx *ctx,
                              pare_error *err) {
    double limit = weakest_limit(w, U, count);
    if (!(limit < INFINITY)) return weigh_all(w, U, count, ctx, err);
    int64_t *own = (int64_t *)w->scratch, size = 0;
    for (int64_t i = 0; i < w->n_active; i++) {
        own[size] = w->active[i];
        size += w->old[i] <= limit;
    }
    /* Features and weights share the scratch with the list, which follows them. */
    if ((double)size > WORTH * (double)w->n_active || size + count > w->x.d)
        return weigh_all(w, U, count, ctx, err);
    double *weight = (double *)w->scratch + size;
    pare_status status = weigh(w, U, own, size, weight, ctx, err);
    if (status == PARE_OK) find_weakest(w, weight, own, size, count, w->scratch + size);
    return status;
}

/* ---- with a copy ---- */

static pare_status open_copy(rfe_weakest *w, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    const int64_t *active = rfe_weakest_active(w);
    view v = rfe_weakest_view(w, active, w->n_active);
    PASS(byte_copy_open(&w->copy, &v, w->c, ctx, err));
    if (!w->copy.value) return PARE_OK;
    w->filled_copy = false;
    PASS_MEM(w->ref = mem_alloc(mem, w->n_active * w->c, sizeof *w->ref));
    return PARE_OK;
}

static void drop_copy(rfe_weakest *w, const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    byte_copy_free(&w->copy, ctx);
    mem_free(mem, w->ref);
    w->ref = NULL;
}

/* Lower bounds of the weights of all active features at U, into w->old; the upper ones are twice
 * `off` above. */
typedef struct bounds {
    const rfe_weakest *w;
    double errors, rounding;
} bounds;

static double off(const bounds *b, int64_t i) {
    const rfe_weakest *w = b->w;
    return w->copy.step[i] * b->errors * factor_of(w, w->active[i]) + b->rounding;
}

static double upper(const bounds *b, int64_t i) { return b->w->old[i] + 2 * off(b, i); }

static bounds set_bounds(rfe_weakest *w, const double *U, const pare_ctx *ctx) {
    int64_t size = w->n_active, n = w->x.n, c = w->c;
    bounds b = {.w = w};
    double errors = 0, a = divide(w, U, w->rest, &b.rounding), *part = (double *)w->scratch;
    for (int64_t o = 0; o < c; o++) {
        double error = byte_copy_error(&w->copy, w->rest + o * n);
        errors += error * error;
        byte_copy_tmul(&w->copy, w->rest + o * n, part, ctx);
        for (int64_t i = 0; i < size; i++) {
            double near = a * w->ref[i * c + o] + part[i];
            w->old[i] = c == 1 ? fabs(near) : (o > 0 ? w->old[i] : 0) + near * near;
        }
    }
    b.errors = sqrt(errors);
    for (int64_t i = 0; i < size; i++) {
        double near = c == 1 ? w->old[i] : sqrt(w->old[i]);
        w->old[i] = near * factor_of(w, w->active[i]) - off(&b, i);
    }
    return b;
}

/* Removes those whose bounds leave no doubt, unless their order matters, and writes the others among
 * the `count` weakest to the list. */
static pare_status weigh_doubtful(rfe_weakest *w, const double *U, int64_t count, bool in_order,
                                  int64_t *sure, const pare_ctx *ctx, pare_error *err) {
    int64_t equal, size = 0, *own = (int64_t *)w->scratch;
    rfe_weakest_active(w);
    byte_copy_cut(&w->copy, w->n_active, ctx);
    bounds b = set_bounds(w, U, ctx);
    double *high = (double *)w->scratch, *spare = high + w->n_active;
    for (int64_t i = 0; i < w->n_active; i++) high[i] = upper(&b, i);
    double most = select_up(high, w->n_active, count, &equal, spare);
    double least = select_up(w->old, w->n_active, count, &equal, spare);
    *sure = 0;
    for (int64_t i = 0; i < w->n_active; i++) {
        bool doubtful = !(w->old[i] > most), gone = !in_order && upper(&b, i) < least;
        own[size] = w->active[i];
        size += doubtful && !gone;
        *sure += gone;
    }
    if ((double)size > DOUBTFUL * (double)w->n_active || size + count > w->x.d) {
        *sure = 0;
        return weigh_all(w, U, count, ctx, err);
    }
    for (int64_t i = 0; i < w->n_active && !in_order; i++)
        if (upper(&b, i) < least) w->is_active[w->active[i]] = false;
    double *weight = (double *)w->scratch + size;
    pare_status status = weigh(w, U, own, size, weight, ctx, err);
    if (status == PARE_OK) find_weakest(w, weight, own, size, count - *sure, w->scratch + size);
    return status;
}

/* Removes the `count` weakest into out, ascending. */
static pare_status take_many(rfe_weakest *w, const double *U, int64_t count, bool in_order,
                             int64_t *out, const pare_ctx *ctx, pare_error *err) {
    int64_t sure = 0, found = 0;
    bool copied = w->copy.value;
    if (!copied) PASS(open_copy(w, ctx, err));
    if (copied)
        PASS(weigh_doubtful(w, U, count, in_order, &sure, ctx, err));
    else
        PASS((w->copy.value ? weigh_all : weigh_some)(w, U, count, ctx, err));
    for (int64_t i = 0; i < count - sure; i++) w->is_active[w->list[i].index] = false;
    for (int64_t i = 0; i < w->n_active; i++)
        if (!w->is_active[w->active[i]]) out[found++] = w->active[i];
    w->filled = 0;
    return PARE_OK;
}

void rfe_weakest_end(rfe_weakest *w, const pare_ctx *ctx) { drop_copy(w, ctx); }

/* ---- one at a time ---- */

static pare_status fill_window(rfe_weakest *w, const double *U, const pare_ctx *ctx,
                               pare_error *err) {
    w->filled = w->n_active < w->capacity ? w->n_active : w->capacity;
    PASS(weigh_all(w, U, w->filled, ctx, err));
    sort_worst_first(w->list, w->filled);
    for (int64_t i = 0; i < w->filled; i++) {
        w->own[i] = w->list[i].index;
        w->left[i] = false;
    }
    memcpy(w->U0, U, sizeof(double) * (size_t)(w->x.n * w->c));
    return mat_columns(&w->x, w->own, w->filled, w->window, ctx, err);
}

/* The bound of a weight's change since the window was filled. */
static double moved(const rfe_weakest *w, const double *U) {
    double way = 0, length = 0;
    for (int64_t i = 0; i < w->x.n * w->c; i++) {
        way += (U[i] - w->U0[i]) * (U[i] - w->U0[i]);
        length += U[i] * U[i];
    }
    return w->R * (sqrt(way) + ROUNDING * sqrt(length));
}

static double weight_at(const rfe_weakest *w, const double *U, int64_t at) {
    int64_t n = w->x.n;
    const double *x = w->window + at * n, factor = factor_of(w, w->list[at].index);
    if (w->c == 1) return fabs(la_dot(x, U, n)) * factor;
    double sum = 0;
    for (int64_t o = 0; o < w->c; o++) {
        double one = la_dot(x, U + o * n, n);
        sum += one * one;
    }
    return sqrt(sum) * factor;
}

/* Finds the `count` weakest of the window; returns false if features outside it may be weaker. */
static bool search_window(rfe_weakest *w, const double *U, int64_t count) {
    int64_t found = 0;
    double reach = moved(w, U);
    for (int64_t i = 0; i < w->filled; i++) {
        if (w->left[i]) continue;
        if (found == count && w->list[i].key - reach > w->best[count - 1].one.key) break;
        weighed one = {{weight_at(w, U, i), w->list[i].index}, i};
        if (found == count && !before(&one.one, &w->best[count - 1].one)) continue;
        int64_t to = found < count ? found++ : count - 1;
        for (; to > 0 && before(&one.one, &w->best[to - 1].one); to--)
            w->best[to] = w->best[to - 1];
        w->best[to] = one;
    }
    return found == count && w->best[count - 1].one.key < w->beyond - reach;
}

/* Removes the `count` weakest into out, weakest first. */
static pare_status take_few(rfe_weakest *w, const double *U, int64_t count, int64_t *out,
                            const pare_ctx *ctx, pare_error *err) {
    bool found = search_window(w, U, count);
    if (w->copy.value) drop_copy(w, ctx);
    if (!found) PASS(fill_window(w, U, ctx, err));
    for (int64_t i = 0; i < count; i++) {
        out[i] = found ? w->best[i].one.index : w->list[i].index;
        w->is_active[out[i]] = false;
        w->left[found ? w->best[i].at : i] = true;
    }
    return PARE_OK;
}

pare_status rfe_weakest_take(rfe_weakest *w, const double *U, int64_t count, bool in_order,
                             int64_t *out, const pare_ctx *ctx, pare_error *err) {
    bool many = 20 * count > w->n_active || 4 * count > w->capacity; /* the window does not help */
    if (many)
        PASS(take_many(w, U, count, in_order, out, ctx, err));
    else
        PASS(take_few(w, U, count, out, ctx, err));
    w->unsorted = many;
    w->n_active -= count;
    return PARE_OK;
}

void rfe_weakest_sort(rfe_weakest *w, int64_t count, int64_t *out) {
    if (!w->unsorted) return;
    sort_worst_first(w->list, count);
    for (int64_t i = 0; i < count; i++) out[i] = w->list[i].index;
}
