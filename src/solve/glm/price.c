#include "solve/glm/price.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solve/glm/bound.h"

enum { MAX_NUMBERS = 1 << 21 };           /* numbers of X'U at a time */
static const double MIN_VARIANCE = 1e-13; /* of a column's square: its variance is rounding */

/* |x_j|^2, where the bounds apply. */
static pare_status measure_columns(prices *s, pare_error *err) {
    const glm_problem *p = s->p;
    int64_t d = p->x->d;
    pare_status status = PARE_OK;
    if (p->loss.c > 1 || p->penalty->largest > 1 || p->penalty->n_blocks != d) return PARE_OK;
    double *mean = mem_alloc(ctx_allocator(s->ctx), d, sizeof(double));
    s->norm2 = mem_alloc(ctx_allocator(s->ctx), d, sizeof(double));
    s->weight = mem_alloc(ctx_allocator(s->ctx), p->loss.n, sizeof(double));
    TRY_MEM(mean && s->norm2 && s->weight);
    for (int64_t i = 0; i < p->loss.n; i++)
        s->weight[i] = p->loss.share[i] > 0 ? 1 / p->loss.share[i] : 0;
    TRY(mat_tmul2(p->x, p->loss.share, 1, s->norm2, s->ctx, err));
    bool centred = p->intercept || p->loss.kind->level;
    if (centred) TRY(mat_tmul(p->x, p->loss.share, 1, mean, s->ctx, err));
    for (int64_t j = 0; j < d; j++) {
        double square = s->norm2[j], centre2 = centred ? mean[j] * mean[j] : 0;
        s->norm2[j] = fmax(square - centre2, 0) + MIN_VARIANCE * square;
    }
    s->passes += centred ? 2 : 1;
done:
    mem_free(ctx_allocator(s->ctx), mean);
    return status;
}

pare_status prices_open(prices *s, const glm_problem *p, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t blocks = p->penalty->n_blocks;
    *s = (prices){.p = p, .ctx = ctx};
    s->last = mem_zero(mem, blocks, sizeof(double));
    s->when = mem_zero(mem, blocks, sizeof(int32_t));
    s->above = mem_zero(mem, blocks, sizeof(bool));
    s->list = mem_alloc(mem, blocks, sizeof(int64_t));
    s->cols = mem_alloc(mem, p->x->d, sizeof(int64_t));
    if (!s->last || !s->when || !s->above || !s->list || !s->cols) return error_memory(err);
    return measure_columns(s, err);
}

void prices_close(prices *s) {
    const pare_allocator *mem = ctx_allocator(s->ctx);
    mem_free(mem, s->out);
    mem_free(mem, s->U);
    mem_free(mem, s->cols);
    mem_free(mem, s->list);
    mem_free(mem, s->above);
    mem_free(mem, s->point);
    mem_free(mem, s->norm2);
    mem_free(mem, s->weight);
    mem_free(mem, s->when);
    mem_free(mem, s->last);
}

/* The bounds at the points of a pass, from the points kept so far. */
static bool open_bounds(bounds *b, const prices *s, const price_point *point, int64_t count) {
    const pare_allocator *mem = ctx_allocator(s->ctx);
    double alpha = s->p->penalty->alpha, *limit = mem_alloc(mem, count, sizeof *limit);
    const double **U = mem_alloc(mem, count, sizeof *U);
    *b = (bounds){0};
    arena_init(&b->mem, mem);
    for (int64_t m = 0; limit && U && m < count; m++) {
        limit[m] = point[m].lambda * alpha;
        U[m] = point[m].U;
    }
    bool fine =
        limit && U &&
        bounds_open(b, s->point, s->n_points, U, limit, count, s->weight, s->p->loss.n, mem);
    mem_free(mem, (void *)U);
    mem_free(mem, limit);
    return fine;
}

/* The sign of a block of one feature. */
static int sign_of(const prices *s, int64_t g) {
    const penalty *pen = s->p->penalty;
    return penalty_sign(pen, pen->member[pen->start[g]]);
}

double prices_last(const prices *s, int64_t g) {
    return s->norm2 ? sign_pull(sign_of(s, g), -s->last[g]) : s->last[g];
}

/* The blocks to read, into s->list; their number. b NULL: all. */
static int64_t choose(prices *s, const bounds *b) {
    const penalty *pen = s->p->penalty;
    int64_t chosen = 0;
    for (int64_t g = 0; g < pen->n_blocks; g++) {
        s->above[g] = false;
        if (penalty_size(pen, g) == 0) continue;
        double norm = pen->norm[g];
        bound_of at = {s->when[g], sign_of(s, g), s->norm2 ? s->norm2[g] : 0, norm};
        if (b && bound_holds(b, &at, s->last[g] * norm)) continue;
        s->list[chosen++] = g;
    }
    return chosen;
}

/* Copies the dual points next to each other, as mat_tmul requires. */
static bool stack(prices *s, const price_point *point, int64_t count) {
    int64_t n = s->p->loss.n, c = s->p->loss.c;
    if (n * c * count > s->U_capacity) {
        if (!mem_resize(ctx_allocator(s->ctx), &s->U, n * c * count, sizeof(double))) return false;
        s->U_capacity = n * c * count;
    }
    for (int64_t m = 0; m < count; m++)
        for (int64_t o = 0; o < c; o++)
            for (int64_t i = 0; i < n; i++) s->U[(m * c + o) * n + i] = point[m].U[i * c + o];
    return true;
}

/* Block g, whose columns are at `at` of `width` in out. */
static void settle(prices *s, int64_t g, int64_t at, int64_t width, price_point *point,
                   int64_t count, double *own) {
    const penalty *pen = s->p->penalty;
    int64_t c = s->p->loss.c, size = penalty_size(pen, g);
    for (int64_t m = 0; m < count; m++) {
        for (int64_t k = 0; k < size; k++)
            for (int64_t o = 0; o < c; o++) own[k * c + o] = -s->out[(m * c + o) * width + at + k];
        double price = penalty_price(pen, g, own);
        s->last[g] = !s->norm2 ? price : pen->norm[g] > 0 ? -own[0] / pen->norm[g] : 0;
        if (price > point[m].price) point[m].price = price;
        if (price > point[m].lambda * pen->alpha) s->above[g] = true;
        if (pen->alpha < 1 && price > point[m].lambda * pen->alpha)
            point[m].conjugate += penalty_conjugate(pen, g, point[m].lambda, own);
    }
    s->when[g] = (int32_t)s->n_points;
}

/* The same for a block of one number, at point m. */
static void settle_single(prices *s, int64_t g, double own, price_point *point) {
    const penalty *pen = s->p->penalty;
    double gradient = -own, price = penalty_price(pen, g, &gradient);
    if (price > point->price) point->price = price;
    if (!(price > point->lambda * pen->alpha)) return;
    s->above[g] = true;
    if (pen->alpha < 1) point->conjugate += penalty_conjugate(pen, g, point->lambda, &gradient);
}

/* Keeps the last point of the pass, at which the blocks read in it are priced. */
static bool keep_point(prices *s, const double *U) {
    int64_t n = s->p->loss.n;
    if (!s->norm2) return true;
    if (s->n_points == s->capacity) {
        int64_t more = 2 * s->capacity + 16;
        if (!mem_resize(ctx_allocator(s->ctx), &s->point, more * n, sizeof(double))) return false;
        s->capacity = more;
    }
    memcpy(s->point + s->n_points++ * n, U, sizeof(double) * (size_t)n);
    return true;
}

/* X'U of blocks list[from .. to), `width` columns, at points first .. first + count - 1, into
 * s->out. */
static pare_status read_blocks(prices *s, int64_t from, int64_t to, int64_t width, int64_t first,
                               int64_t count, pare_error *err) {
    const penalty *pen = s->p->penalty;
    view part = *s->p->x;
    int64_t at = 0, c = s->p->loss.c;
    for (int64_t b = from; b < to; b++)
        for (int64_t k = pen->start[s->list[b]]; k < pen->start[s->list[b] + 1]; k++)
            s->cols[at++] = s->p->x->cols ? s->p->x->cols[pen->member[k]] : pen->member[k];
    part.cols = s->cols;
    part.d = width;
    s->passes += (double)width / (double)pen->d;
    return mat_tmul(&part, s->U + first * s->p->loss.n * c, count * c, s->out, s->ctx, err);
}

/* The number of columns that fit into s->out at `count` points. */
static int64_t columns_at_once(const prices *s, int64_t count) {
    int64_t most = MAX_NUMBERS / (count * s->p->loss.c);
    if (most < s->p->penalty->largest) most = s->p->penalty->largest;
    return most < s->p->penalty->d ? most : s->p->penalty->d;
}

static bool reserve(prices *s, int64_t count) {
    int64_t need = columns_at_once(s, count) * count * s->p->loss.c;
    if (need <= s->out_capacity) return true;
    if (!mem_resize(ctx_allocator(s->ctx), &s->out, need, sizeof(double))) return false;
    s->out_capacity = need;
    return true;
}

/* All points for the chosen blocks. */
static pare_status read_all(prices *s, int64_t chosen, price_point *point, int64_t count,
                            pare_error *err) {
    const penalty *pen = s->p->penalty;
    int64_t most = columns_at_once(s, count);
    pare_status status = PARE_OK;
    double *own = mem_alloc(ctx_allocator(s->ctx), pen->largest * s->p->loss.c, sizeof(double));
    TRY_MEM(own && reserve(s, count));
    for (int64_t from = 0, to; from < chosen; from = to) {
        int64_t width = 0, at = 0;
        for (to = from; to < chosen && width + penalty_size(pen, s->list[to]) <= most; to++)
            width += penalty_size(pen, s->list[to]);
        TRY(read_blocks(s, from, to, width, 0, count, err));
        for (int64_t b = from; b < to; b++) {
            settle(s, s->list[b], at, width, point, count, own);
            at += penalty_size(pen, s->list[b]);
        }
    }
done:
    mem_free(ctx_allocator(s->ctx), own);
    return status;
}

/* Single features: prices the chosen ones at the last point. Features that the bounds from two
 * points do not exclude move to the front of the list, *left of them, to be read at the other
 * points. */
static pare_status read_last(prices *s, int64_t chosen, const bounds *b, price_point *point,
                             int64_t count, int64_t *left, pare_error *err) {
    const penalty *pen = s->p->penalty;
    int64_t most = columns_at_once(s, 1);
    *left = 0;
    for (int64_t from = 0, to; from < chosen; from = to) {
        to = chosen - from < most ? chosen : from + most;
        PASS(read_blocks(s, from, to, to - from, count - 1, 1, err));
        for (int64_t e = from; e < to; e++) {
            int64_t g = s->list[e];
            double norm = pen->norm[g], own = s->out[e - from], before = s->last[g] * norm;
            settle_single(s, g, own, &point[count - 1]);
            bound_of at = {s->when[g], sign_of(s, g), s->norm2[g], norm};
            if (count > 1 && !bound_holds_between(b, &at, before, own)) s->list[(*left)++] = g;
            s->last[g] = norm > 0 ? own / norm : 0;
            s->when[g] = (int32_t)s->n_points;
        }
    }
    return PARE_OK;
}

/* The points before the last for the first `left` of the list. */
static pare_status read_between(prices *s, int64_t left, price_point *point, int64_t count,
                                pare_error *err) {
    int64_t most = columns_at_once(s, count);
    for (int64_t from = 0, to; from < left; from = to) {
        to = left - from < most ? left : from + most;
        PASS(read_blocks(s, from, to, to - from, 0, count, err));
        for (int64_t e = from; e < to; e++)
            for (int64_t m = 0; m < count; m++)
                settle_single(s, s->list[e], s->out[m * (to - from) + e - from], &point[m]);
    }
    return PARE_OK;
}

pare_status prices_pass(prices *s, price_point *point, int64_t count, bool all, pare_error *err) {
    const penalty *pen = s->p->penalty;
    bool bounded = s->norm2 && s->n_points > 0 && !all && pen->alpha > 0;
    int64_t left = 0;
    bounds b = {0};
    pare_status status = PARE_OK;
    TRY_MEM(stack(s, point, count) && reserve(s, count));
    if (bounded) TRY_MEM(open_bounds(&b, s, point, count));
    int64_t chosen = choose(s, bounded ? &b : NULL);
    for (int64_t m = 0; m < count; m++) {
        point[m].conjugate = 0;
        point[m].price = bounded ? point[m].lambda * pen->alpha : 0;
    }
    if (bounded) {
        TRY(read_last(s, chosen, &b, point, count, &left, err));
        if (count > 1) TRY(read_between(s, left, point, count - 1, err));
    } else {
        TRY(read_all(s, chosen, point, count, err));
    }
    TRY_MEM(keep_point(s, point[count - 1].U));
done:
    if (bounded) bounds_close(&b);
    return status;
}

pare_status glm_price_all(const glm_problem *p, const double *U, double *out, const pare_ctx *ctx,
                          pare_error *err) {
    int64_t n = p->loss.n, c = p->loss.c;
    double *by_output = mem_alloc(ctx_allocator(ctx), n * c, sizeof(double));
    if (!by_output) return error_memory(err);
    for (int64_t e = 0; e < n * c; e++) by_output[e % c * n + e / c] = U[e];
    pare_status status = mat_tmul(p->x, by_output, c, out, ctx, err);
    mem_free(ctx_allocator(ctx), by_output);
    return status;
}
