#include "solve/glm/price.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { BUDGET = 1 << 21 };             /* numbers of X'U at a time */
static const double SLACK = 1e-9;      /* by which a bound must hold: rounding */
static const double NO_SPREAD = 1e-13; /* of a column's square: its variance is rounding */

/* |x_j|^2, where the bounds apply. */
static pare_status measure_columns(prices *s, pare_error *err) {
    const glm_problem *p = s->p;
    int64_t d = p->x->d;
    pare_status status = PARE_OK;
    if (p->loss.c > 1 || p->penalty->largest > 1 || p->penalty->n_blocks != d) return PARE_OK;
    double *mean = mem_alloc(ctx_allocator(s->ctx), d, sizeof(double));
    s->norm2 = mem_alloc(ctx_allocator(s->ctx), d, sizeof(double));
    TRY_MEM(mean && s->norm2);
    TRY(mat_tmul2(p->x, p->loss.share, 1, s->norm2, s->ctx, err));
    if (p->intercept) TRY(mat_tmul(p->x, p->loss.share, 1, mean, s->ctx, err));
    for (int64_t j = 0; j < d; j++) {
        double square = s->norm2[j], away = p->intercept ? mean[j] * mean[j] : 0;
        s->norm2[j] = fmax(square - away, 0) + NO_SPREAD * square;
    }
    s->passes += p->intercept ? 2 : 1;
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
    mem_free(mem, s->when);
    mem_free(mem, s->last);
}

static double product(const prices *s, const double *a, const double *b) {
    const double *share = s->p->loss.share;
    double sum = 0;
    for (int64_t i = 0; i < s->p->loss.n; i++)
        if (share[i] > 0) sum += a[i] * b[i] / share[i];
    return sum;
}

/* A point to be priced against a kept one U0: its multiple of U0, and how far it is from that. */
typedef struct against {
    double t, away;
} against;

static void compare(const prices *s, int64_t kept, const price_point *point, int64_t count,
                    double *size, against *table) {
    const double *U0 = s->point + kept * s->p->loss.n;
    *size = product(s, U0, U0);
    for (int64_t m = 0; m < count; m++) {
        double t = *size > 0 ? product(s, point[m].U, U0) / *size : 0;
        double rest = product(s, point[m].U, point[m].U) - t * t * *size;
        table[m] = (against){fabs(t), sqrt(fmax(rest, 0))};
    }
}

/* Whether the bound allows column j at all points. */
static bool excused(const prices *s, int64_t j, const price_point *point, int64_t count,
                    double size, const against *table) {
    double alpha = s->p->penalty->alpha, a = s->p->penalty->norm[j], g = s->last[j] * a;
    double along = size > 0 ? g * g / size : 0;
    double rest = sqrt(fmax(s->norm2[j] - along, 0) + SLACK * s->norm2[j]);
    for (int64_t m = 0; m < count; m++) {
        double bound = table[m].t * g + table[m].away * rest;
        if (!(bound <= point[m].lambda * alpha * a * (1 - SLACK))) return false;
    }
    return true;
}

/* The blocks to read, into s->list; their number, or -1 without memory. */
static int64_t choose(prices *s, const price_point *point, int64_t count, bool all) {
    const penalty *pen = s->p->penalty;
    int64_t chosen = 0, kept = s->norm2 && !all ? s->n_points : 0;
    const pare_allocator *mem = ctx_allocator(s->ctx);
    against *table = mem_alloc(mem, kept * count, sizeof *table);
    double *size = mem_alloc(mem, kept, sizeof *size);
    bool fine = table && size;
    for (int64_t i = 0; fine && i < kept; i++)
        compare(s, i, point, count, &size[i], table + i * count);
    for (int64_t g = 0; fine && g < pen->n_blocks; g++) {
        s->above[g] = false;
        if (penalty_size(pen, g) == 0) continue;
        int32_t when = s->when[g];
        if (kept > 0 && excused(s, g, point, count, size[when], table + when * count)) continue;
        s->list[chosen++] = g;
    }
    mem_free(mem, size);
    mem_free(mem, table);
    return fine ? chosen : -1;
}

/* The dual points beside each other as mat_tmul wants them. */
static bool stack(prices *s, const price_point *point, int64_t count) {
    int64_t n = s->p->loss.n, c = s->p->loss.c;
    if (n * c * count > s->U_room) {
        if (!mem_resize(ctx_allocator(s->ctx), &s->U, n * c * count, sizeof(double))) return false;
        s->U_room = n * c * count;
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
            for (int64_t o = 0; o < c; o++) own[k * c + o] = s->out[(m * c + o) * width + at + k];
        double price = penalty_price(pen, g, own);
        s->last[g] = price;
        if (price > point[m].price) point[m].price = price;
        if (price > point[m].lambda * pen->alpha) s->above[g] = true;
        if (pen->alpha < 1 && price > point[m].lambda * pen->alpha)
            point[m].conjugate += penalty_conjugate(pen, g, point[m].lambda, own);
    }
    s->when[g] = (int32_t)s->n_points;
}

/* The same for a block of one number. */
static void settle_single(prices *s, int64_t g, int64_t at, int64_t width, price_point *point,
                          int64_t count) {
    const penalty *pen = s->p->penalty;
    double norm = pen->norm[g], price = 0;
    for (int64_t m = 0; m < count; m++) {
        const double *own = &s->out[m * width + at];
        price = norm > 0 ? fabs(*own) / norm : 0;
        if (price > point[m].price) point[m].price = price;
        if (!(price > point[m].lambda * pen->alpha)) continue;
        s->above[g] = true;
        if (pen->alpha < 1) point[m].conjugate += penalty_conjugate(pen, g, point[m].lambda, own);
    }
    s->last[g] = price;
    s->when[g] = (int32_t)s->n_points;
}

/* The last point of the pass is what the blocks read in it are priced at. */
static bool keep_point(prices *s, const double *U) {
    int64_t n = s->p->loss.n;
    if (!s->norm2) return true;
    if (s->n_points == s->room) {
        int64_t more = 2 * s->room + 16;
        if (!mem_resize(ctx_allocator(s->ctx), &s->point, more * n, sizeof(double))) return false;
        s->room = more;
    }
    memcpy(s->point + s->n_points++ * n, U, sizeof(double) * (size_t)n);
    return true;
}

/* Blocks list[from .. to), of `width` columns. */
static pare_status read_blocks(prices *s, int64_t from, int64_t to, int64_t width,
                               price_point *point, int64_t count, double *own, pare_error *err) {
    const penalty *pen = s->p->penalty;
    view part = *s->p->x;
    int64_t at = 0;
    for (int64_t b = from; b < to; b++)
        for (int64_t k = pen->start[s->list[b]]; k < pen->start[s->list[b] + 1]; k++)
            s->cols[at++] = s->p->x->cols ? s->p->x->cols[pen->member[k]] : pen->member[k];
    part.cols = s->cols;
    part.d = width;
    pare_status status = mat_tmul(&part, s->U, count * s->p->loss.c, s->out, s->ctx, err);
    if (status != PARE_OK) return status;
    at = 0;
    for (int64_t b = from; b < to; b++) {
        if (s->norm2)
            settle_single(s, s->list[b], at, width, point, count);
        else
            settle(s, s->list[b], at, width, point, count, own);
        at += penalty_size(pen, s->list[b]);
    }
    s->passes += (double)width / (double)pen->d;
    return PARE_OK;
}

pare_status prices_pass(prices *s, price_point *point, int64_t count, bool all, pare_error *err) {
    const penalty *pen = s->p->penalty;
    const pare_allocator *mem = ctx_allocator(s->ctx);
    int64_t c = s->p->loss.c, most = BUDGET / (count * c), chosen;
    if (most < pen->largest) most = pen->largest;
    if (most > pen->d) most = pen->d;
    pare_status status = PARE_OK;
    double *own = mem_alloc(mem, pen->largest * c, sizeof(double));
    TRY_MEM(own && stack(s, point, count));
    if (most * count * c > s->out_room) {
        TRY_MEM(mem_resize(mem, &s->out, most * count * c, sizeof(double)));
        s->out_room = most * count * c;
    }
    chosen = choose(s, point, count, all);
    TRY_MEM(chosen >= 0);
    for (int64_t m = 0; m < count; m++) {
        point[m].conjugate = 0;
        point[m].price = chosen < pen->n_blocks ? point[m].lambda * pen->alpha : 0;
    }
    for (int64_t from = 0, to; from < chosen; from = to) {
        int64_t width = 0;
        for (to = from; to < chosen && width + penalty_size(pen, s->list[to]) <= most; to++)
            width += penalty_size(pen, s->list[to]);
        TRY(read_blocks(s, from, to, width, point, count, own, err));
    }
    TRY_MEM(keep_point(s, point[count - 1].U));
done:
    mem_free(mem, own);
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
