#include "method/svm/rfe_weakest.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "la/product/dot.h"

static const double ROUNDING = 1e-14;     /* of R |U|, added to the bound of the change of
                                             weights */
static const double NORM_ROUNDING = 1e-9; /* of a norm that the caller knows */
/* Share of the active features above which all are weighed. At most 2/3, for the scratch. */
static const double WORTH = 0.6;

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
    PASS_MEM(ARENA_NEWS(mem, double, n *c, &w->U0, &w->U1));
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

const int64_t *rfe_weakest_active(rfe_weakest *w) {
    if (w->listed == w->n_active) return w->active;
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

/* The weights of `size` features, ascending; weight may be w->old. */
static pare_status weigh(rfe_weakest *w, const double *U, const int64_t *own, int64_t size,
                         double *weight, const pare_ctx *ctx, pare_error *err) {
    view v = rfe_weakest_view(w, own, size);
    double *W = w->c == 1 ? weight : w->W;
    PASS(mat_tmul(&v, U, w->c, W, ctx, err));
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        for (int64_t o = 0; o < w->c; o++) sum += W[o * size + i] * W[o * size + i];
        weight[i] = (w->c == 1 ? fabs(W[i]) : sqrt(sum)) * factor_of(w, own[i]);
    }
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

/* Writes the `count` weakest of all to the list. */
static pare_status weigh_all(rfe_weakest *w, const double *U, int64_t count, const pare_ctx *ctx,
                             pare_error *err) {
    const int64_t *active = rfe_weakest_active(w);
    PASS(weigh(w, U, active, w->n_active, w->old, ctx, err));
    memcpy(w->U1, U, sizeof(double) * (size_t)(w->x.n * w->c));
    w->known = true;
    find_weakest(w, w->old, active, w->n_active, count, w->scratch);
    return PARE_OK;
}

/* A bound at U1 on the weights that may be among the `count` weakest at U; infinite: not known. */
static double weakest_limit(rfe_weakest *w, const double *U, int64_t count) {
    int64_t size = w->x.n * w->c, equal;
    double along = 0, length = 0, distance = 0, own = 0;
    if (!w->known) return INFINITY;
    for (int64_t i = 0; i < size; i++) {
        along += U[i] * w->U1[i];
        length += w->U1[i] * w->U1[i];
        own += U[i] * U[i];
    }
    double a = fabs(along / length);
    for (int64_t i = 0; i < size; i++) {
        double off = U[i] - along / length * w->U1[i];
        distance += off * off;
    }
    double reach = w->R * (sqrt(distance) + ROUNDING * (sqrt(own) + a * sqrt(length)));
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

pare_status rfe_weakest_take(rfe_weakest *w, const double *U, int64_t count, int64_t *out,
                             const pare_ctx *ctx, pare_error *err) {
    bool many = 20 * count > w->n_active || 4 * count > w->capacity; /* the window does not help */
    bool found = !many && search_window(w, U, count);
    pare_status status = PARE_OK;
    if (many) status = weigh_some(w, U, count, ctx, err);
    if (!many && !found) status = fill_window(w, U, ctx, err);
    if (status != PARE_OK) return status;
    if (many) w->filled = 0;
    w->unsorted = many;
    for (int64_t i = 0; i < count; i++) {
        out[i] = found ? w->best[i].one.index : w->list[many ? count - 1 - i : i].index;
        w->is_active[out[i]] = false;
        if (!many) w->left[found ? w->best[i].at : i] = true;
    }
    w->n_active -= count;
    return PARE_OK;
}

void rfe_weakest_sort(rfe_weakest *w, int64_t count, int64_t *out) {
    if (!w->unsorted) return;
    sort_worst_first(w->list, count);
    for (int64_t i = 0; i < count; i++) out[i] = w->list[i].index;
}
