#include "method/rfe_weakest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "la/dot.h"

static const double ROUNDING = 1e-14; /* of R |U|, added to what weights may have moved */

enum { LEAST_WINDOW = 256 };

static double factor_of(const rfe_weakest *w, int64_t p) { return w->factor ? w->factor[p] : 1; }

pare_status rfe_weakest_init(rfe_weakest *w, arena *mem, const view *x, int64_t c,
                             const double *factor, const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n, d = x->d, wanted = (int64_t)(4 * sqrt((double)d));
    pare_status status = PARE_OK;
    *w = (rfe_weakest){.x = *x, .c = c, .live = d, .factor = factor};
    w->room = wanted < LEAST_WINDOW ? LEAST_WINDOW : wanted;
    if (w->room > d) w->room = d;
    TRY_MEM(w->alive = ARENA_NEW(mem, bool, d));
    TRY_MEM(w->cols = ARENA_NEW(mem, int64_t, d));
    TRY_MEM(w->own = ARENA_NEW(mem, int64_t, d));
    TRY_MEM(w->W = ARENA_NEW(mem, double, d *c));
    TRY_MEM(w->list = ARENA_NEW(mem, weighed, d));
    TRY_MEM(w->left = ARENA_NEW(mem, bool, w->room));
    TRY_MEM(w->window = ARENA_NEW(mem, double, n * w->room));
    TRY_MEM(w->best = ARENA_NEW(mem, weighed, w->room));
    TRY_MEM(w->U0 = ARENA_NEW(mem, double, n *c));
    for (int64_t i = 0; i < n; i++) w->U0[i] = 1;
    TRY(mat_tmul2(x, w->U0, 1, w->W, ctx, err));
    for (int64_t p = 0; p < d; p++) {
        w->alive[p] = true;
        w->R = fmax(w->R, sqrt(w->W[p]) * factor_of(w, p));
    }
done:
    return status;
}

int64_t rfe_weakest_constant(rfe_weakest *w, int64_t most, int64_t *out) {
    int64_t count = 0;
    for (int64_t p = w->x.d - 1; p >= 0 && count < most; p--) {
        if (w->W[p] != 0) continue;
        w->alive[p] = false;
        out[count++] = p;
    }
    w->live -= count;
    return count;
}

const int64_t *rfe_weakest_living(rfe_weakest *w) {
    int64_t count = 0;
    for (int64_t p = 0; p < w->x.d; p++)
        if (w->alive[p]) w->own[count++] = p;
    return w->own;
}

view rfe_weakest_view(rfe_weakest *w, const int64_t *own, int64_t count) {
    view v = w->x;
    for (int64_t i = 0; i < count; i++) w->cols[i] = v.cols ? v.cols[own[i]] : own[i];
    v.cols = w->cols;
    v.d = count;
    return v;
}

/* Which of two leaves first: the lighter, of equals the last. */
static int in_order(const void *pa, const void *pb) {
    const weighed *a = pa, *b = pb;
    int lighter = order_up(a->weight, b->weight);
    return lighter ? lighter : order_index(b->p, a->p);
}

static bool before(const weighed *a, const weighed *b) { return in_order(a, b) < 0; }

/* Brings the `count` first in order to the front of the list, in any order among themselves. */
static void select_first(weighed *list, int64_t size, int64_t count) {
    int64_t low = 0, high = size - 1;
    while (low < high && count > low && count <= high) {
        weighed pivot = list[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(&list[i], &pivot)) i++;
            while (before(&pivot, &list[j])) j--;
            if (i > j) break;
            weighed swapped = list[i];
            list[i++] = list[j];
            list[j--] = swapped;
        }
        if (count <= j + 1)
            high = j;
        else
            low = i;
    }
}

/* Weighs all the living and brings the `count` weakest to the front of the list, in order. */
static pare_status weigh_all(rfe_weakest *w, const double *U, int64_t count, const pare_ctx *ctx,
                             pare_error *err) {
    const int64_t *living = rfe_weakest_living(w);
    view v = rfe_weakest_view(w, living, w->live);
    pare_status status = mat_tmul(&v, U, w->c, w->W, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t i = 0; i < w->live; i++) {
        double sum = 0;
        for (int64_t o = 0; o < w->c; o++) sum += w->W[o * w->live + i] * w->W[o * w->live + i];
        double weight = w->c == 1 ? fabs(w->W[i]) : sqrt(sum);
        int64_t j = living[i];
        w->list[i] = (weighed){weight * factor_of(w, j), j, 0};
    }
    select_first(w->list, w->live, count);
    qsort(w->list, (size_t)count, sizeof *w->list, in_order);
    return PARE_OK;
}

static pare_status fill_window(rfe_weakest *w, const double *U, const pare_ctx *ctx,
                               pare_error *err) {
    w->filled = w->live < w->room ? w->live : w->room;
    pare_status status = weigh_all(w, U, w->filled, ctx, err);
    if (status != PARE_OK) return status;
    w->beyond = INFINITY;
    for (int64_t i = w->filled; i < w->live; i++) w->beyond = fmin(w->beyond, w->list[i].weight);
    for (int64_t i = 0; i < w->filled; i++) {
        w->own[i] = w->list[i].p;
        w->left[i] = false;
    }
    memcpy(w->U0, U, sizeof(double) * (size_t)(w->x.n * w->c));
    return mat_columns(&w->x, w->own, w->filled, w->window, ctx, err);
}

/* How far a weight may have moved since the window was filled. */
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
    const double *x = w->window + at * n, factor = factor_of(w, w->list[at].p);
    if (w->c == 1) return fabs(la_dot(x, U, n)) * factor;
    double sum = 0;
    for (int64_t o = 0; o < w->c; o++) {
        double one = la_dot(x, U + o * n, n);
        sum += one * one;
    }
    return sqrt(sum) * factor;
}

/* The `count` weakest of the window into `best`; false: some beyond it may be weaker. */
static bool search_window(rfe_weakest *w, const double *U, int64_t count) {
    int64_t found = 0;
    double reach = moved(w, U);
    for (int64_t i = 0; i < w->filled; i++) {
        if (w->left[i]) continue;
        if (found == count && w->list[i].weight - reach > w->best[count - 1].weight) break;
        weighed one = {weight_at(w, U, i), w->list[i].p, i};
        if (found == count && !before(&one, &w->best[count - 1])) continue;
        int64_t to = found < count ? found++ : count - 1;
        for (; to > 0 && before(&one, &w->best[to - 1]); to--) w->best[to] = w->best[to - 1];
        w->best[to] = one;
    }
    return found == count && w->best[count - 1].weight < w->beyond - reach;
}

pare_status rfe_weakest_take(rfe_weakest *w, const double *U, int64_t count, int64_t *out,
                             const pare_ctx *ctx, pare_error *err) {
    bool many = 20 * count > w->live || 4 * count > w->room; /* all are weighed anyway */
    const weighed *taken = w->best;
    if (many || !search_window(w, U, count)) {
        pare_status status = many ? weigh_all(w, U, count, ctx, err) : fill_window(w, U, ctx, err);
        if (status != PARE_OK) return status;
        for (int64_t i = 0; i < count; i++) w->list[i].at = i;
        if (many) w->filled = 0;
        taken = w->list;
    }
    for (int64_t i = 0; i < count; i++) {
        out[i] = taken[i].p;
        w->alive[taken[i].p] = false;
        if (!many) w->left[taken[i].at] = true;
    }
    w->live -= count;
    return PARE_OK;
}
