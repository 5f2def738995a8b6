/* The pool, its programs and the descent of plna_descent.h. */
#include "method/lp/plna_descent.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

static const double SLOPE_FLOOR = 1e-8; /* of the most that the column can gain on the heaviest
                                           sample */
static const double STILL = 1e-6;       /* relative gain of a linearisation that is rounding */
static const double WIDE_CELLS = 1e6;   /* cells of X from which a pool pays */
enum { MAX_LINEARISATIONS = 1000 };
enum { PRICE_BLOCK = 8192 }; /* columns priced at a time */
enum { MAX_VIOLATORS = 50 }; /* violated columns that join the pool, per point and round */

typedef struct violator {
    double ratio; /* |A_j'u| / c_j */
    int64_t feature;
} violator;

double plna_slope(const plna_work *w, int64_t j, double x) {
    double least = SLOPE_FLOOR * (1 - w->lambda) * w->heaviest * w->range[j];
    if (w->range[j] == 0) least = w->lambda * w->alpha; /* a column of zeros */
    return fmax(least, w->lambda * w->alpha * exp(-w->alpha * fabs(x)));
}

void plna_costs_at_zero(plna_work *w) {
    int64_t count = w->pooled ? w->n_pool : w->d;
    for (int64_t k = 0; k < count; k++) {
        int64_t j = w->pooled ? w->pool[k] : k;
        w->cost[j] = plna_slope(w, j, 0);
    }
}

/* Writes |x_j| of every feature of the point, in its group the largest, into w->size. */
static void sizes_open(const plna_work *w, const plna_point *p) {
    for (int64_t k = 0; k < p->count; k++) w->size[p->weight[k].feature] = fabs(p->weight[k].value);
    blocks_largest(&w->blocks, w->size);
}

static void sizes_close(const plna_work *w) {
    for (int64_t j = 0; j < w->d; j++) w->size[j] = 0;
}

/* A group counts by its first feature. */
static bool counts(const plna_work *w, int64_t j) {
    const feature_blocks *b = &w->blocks;
    return !b->of || b->member[b->start[b->of[j]]] == j;
}

double plna_penalty(const plna_work *w, const plna_point *p) {
    double sum = 0;
    for (int64_t k = 0; k < p->count && !w->blocks.of; k++)
        sum -= expm1(-w->alpha * fabs(p->weight[k].value));
    if (!w->blocks.of) return w->lambda * sum;
    sizes_open(w, p);
    for (int64_t j = 0; j < w->d; j++)
        if (counts(w, j)) sum -= expm1(-w->alpha * w->size[j]);
    sizes_close(w);
    return w->lambda * sum;
}

int64_t plna_taken(const plna_work *w, const plna_point *p) {
    if (!w->blocks.counted) return p->count;
    sizes_open(w, p);
    int64_t count = blocks_active(&w->blocks, w->size);
    sizes_close(w);
    return count;
}

static pare_status reserve(plna_point *p, int64_t count, const plna_work *w, pare_error *err) {
    if (count <= p->capacity) return PARE_OK;
    if (!mem_resize(w->mem, &p->weight, 2 * count, sizeof *p->weight)) return error_memory(err);
    p->capacity = 2 * count;
    return PARE_OK;
}

pare_status plna_point_new(plna_point *p, plna_work *w, pare_error *err) {
    *p = (plna_point){.value = NAN, .dual = ARENA_ZERO(&w->own, double, w->n)};
    return p->dual ? PARE_OK : error_memory(err);
}

void plna_point_free(plna_point *p, const plna_work *w) { mem_free(w->mem, p->weight); }

pare_status plna_point_copy(plna_point *to, const plna_point *from, const plna_work *w,
                            pare_error *err) {
    PASS(reserve(to, from->count, w, err));
    to->count = from->count;
    if (from->count) memcpy(to->weight, from->weight, sizeof *to->weight * (size_t)from->count);
    memcpy(to->dual, from->dual, sizeof *to->dual * (size_t)w->n);
    to->b = from->b;
    to->error = from->error;
    to->value = from->value;
    to->outcome = from->outcome;
    return PARE_OK;
}

bool plna_is_wide(int64_t n, int64_t d) { return (double)n * (double)d > WIDE_CELLS && d > 2 * n; }

pare_status plna_open(plna_work *w, const fit_job *job, bool pooled, const pare_ctx *ctx,
                      pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    *w = (plna_work){
        .job = job, .mem = ctx_allocator(ctx), .n = n, .d = d, .tol = job->set->plna.tol};
    arena_init(&w->own, w->mem);
    w->pooled = pooled;
    PASS_MEM(w->weight = fit_weights(&w->own, job->weight, n, NULL));
    PASS_MEM(w->loss = fit_weights(&w->own, job->weight, n, NULL));
    PASS_MEM(ARENA_NEWS(&w->own, double, d, &w->cost, &w->range));
    PASS(plna_point_new(&w->next, w, err));
    PASS(least_norm_ranges(w->range, job, ctx, err));
    PASS_MEM(w->size = ARENA_ZERO(&w->own, double, d));
    PASS(blocks_of(&w->blocks, &w->own, job, err));
    blocks_largest(&w->blocks, w->range);
    lp_groups groups;
    w->heaviest = least_norm_heaviest(w->weight, n);
    for (int64_t j = 0; j < d; j++) w->cost[j] = 1;
    l1_spec spec = {L1_FIT,        job->x,
                    job->y->value, w->cost,
                    w->loss,       job->set->common.intercept,
                    w->tol,        blocks_lp(&groups, &w->blocks),
                    NULL};
    PASS(l1_create(&w->all, &spec, ctx, err));
    if (!w->pooled) return PARE_OK;
    PASS_MEM(w->in_pool = ARENA_ZERO(&w->own, bool, d));
    PASS_MEM(w->duals = ARENA_NEW(&w->own, double, n *PLNA_GROUP));
    PASS_MEM(w->price = ARENA_NEW(&w->own, double, PRICE_BLOCK *PLNA_GROUP));
    return PARE_OK;
}

void plna_close(plna_work *w) {
    l1_free(w->all);
    l1_free(w->some);
    mem_free(w->mem, w->pool);
    mem_free(w->mem, w->base);
    mem_free(w->mem, w->packed);
    plna_point_free(&w->next, w);
    arena_free(&w->own);
}

/* Appends a column to the pool, unless it is in it; the pool's program is then out of date. */
static pare_status pool_add(plna_work *w, int64_t j, pare_error *err) {
    if (w->in_pool[j]) return PARE_OK;
    if (w->n_pool == w->pool_capacity) {
        int64_t more = 2 * w->pool_capacity + 64;
        if (!mem_resize(w->mem, &w->pool, more, sizeof *w->pool) ||
            !mem_resize(w->mem, &w->base, more, sizeof *w->base) ||
            !mem_resize(w->mem, &w->packed, more, sizeof *w->packed))
            return error_memory(err);
        w->pool_capacity = more;
    }
    w->in_pool[j] = true;
    w->pool[w->n_pool++] = j;
    l1_free(w->some);
    w->some = NULL;
    return PARE_OK;
}

pare_status plna_pool_point(plna_work *w, const plna_point *p, pare_error *err) {
    pare_status status = PARE_OK;
    for (int64_t k = 0; w->pooled && k < p->count && status == PARE_OK; k++)
        status = pool_add(w, p->weight[k].feature, err);
    return status;
}

/* The program over the current pool; its costs are set later. */
static pare_status make_program(plna_work *w, const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = w->job;
    view x = *job->x;
    sort_index(w->pool, w->n_pool);
    for (int64_t k = 0; k < w->n_pool; k++)
        w->base[k] = job->x->cols ? job->x->cols[w->pool[k]] : w->pool[k];
    x.cols = w->base;
    x.d = w->n_pool;
    l1_spec spec = {L1_FIT, &x,   job->y->value, w->cost, w->loss, job->set->common.intercept,
                    w->tol, NULL, NULL};
    return l1_create(&w->some, &spec, ctx, err);
}

/* Returns the program to solve and sets w->next.weight to the point `from` in its columns. */
static pare_status program_at(plna_work *w, const plna_point *from, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t at = 0;
    if (w->pooled && !w->some) PASS(make_program(w, ctx, err));
    PASS(reserve(&w->next, from->count, w, err));
    for (int64_t k = 0; k < from->count; k++) {
        w->next.weight[k] = from->weight[k];
        while (w->pooled && w->pool[at] < from->weight[k].feature) at++;
        if (w->pooled) w->next.weight[k].feature = at;
    }
    l1_start(w->pooled ? w->some : w->all, w->next.weight, from->count, from->b);
    return PARE_OK;
}

pare_status plna_program(plna_work *w, bool all, plna_point *out, double *value,
                         const pare_ctx *ctx, pare_error *err) {
    l1_solution s;
    bool pooled = w->pooled && !all;
    if (pooled && !w->some) PASS(make_program(w, ctx, err));
    l1_program *program = pooled ? w->some : w->all;
    for (int64_t k = 0; pooled && k < w->n_pool; k++) w->packed[k] = w->cost[w->pool[k]];
    l1_set_costs(program, pooled ? w->packed : w->cost, w->loss);
    PASS(l1_solve(program, &s, ctx, err));
    w->programs++;
    if (!pooled) w->passes += s.passes;
    PASS(reserve(out, s.n_weight, w, err));
    out->count = s.n_weight;
    for (int64_t k = 0; k < s.n_weight; k++) {
        int64_t j = s.weight[k].feature;
        out->weight[k] = (lp_weight){pooled ? w->pool[j] : j, s.weight[k].value};
    }
    memcpy(out->dual, s.dual, sizeof *s.dual * (size_t)w->n);
    out->b = s.b;
    out->outcome = s.outcome;
    out->error = 0;
    for (int64_t i = 0; i < w->n; i++)
        out->error += w->loss[i] * fabs(s.f[i] - w->job->y->value[i]);
    out->value = isnan(s.objective) ? NAN : out->error + plna_penalty(w, out);
    *value = s.objective;
    return PARE_OK;
}

/* Sets w->cost at the point; returns the error and sum_j c_j |x_j| there. */
static double costs_at(plna_work *w, const plna_point *p) {
    double sum = p->error;
    plna_costs_at_zero(w);
    for (int64_t k = 0; k < p->count && !w->blocks.of; k++) {
        double x = p->weight[k].value, c = plna_slope(w, p->weight[k].feature, x);
        w->cost[p->weight[k].feature] = c;
        sum += c * fabs(x);
    }
    if (!w->blocks.of) return sum;
    sizes_open(w, p);
    for (int64_t j = 0; j < w->d; j++) {
        w->cost[j] = plna_slope(w, j, w->size[j]);
        if (counts(w, j)) sum += w->cost[j] * w->size[j];
    }
    sizes_close(w);
    return sum;
}

/* From p until the linearisation on the pool gains nothing; p then has its dual. */
static pare_status descend(plna_work *w, plna_point *p, const pare_ctx *ctx, pare_error *err) {
    PASS(program_at(w, p, ctx, err));
    for (int step = 0; step < MAX_LINEARISATIONS && p->outcome == PARE_OPTIMAL; step++) {
        double here = costs_at(w, p), there;
        PASS(plna_program(w, false, &w->next, &there, ctx, err));
        bool better = there < here - w->tol * here && w->next.value < p->value;
        if (!better) { /* no vertex is better than x, unless raised costs say that one is */
            bool still = !(there < here - STILL * here);
            memcpy(p->dual, w->next.dual, sizeof *p->dual * (size_t)w->n);
            p->outcome = w->next.outcome != PARE_OPTIMAL ? w->next.outcome
                         : still                         ? PARE_STATIONARY
                                                         : PARE_MAX_ITER;
            return PARE_OK;
        }
        plna_point swap = *p;
        *p = w->next;
        w->next = swap;
    }
    if (p->outcome == PARE_OPTIMAL) p->outcome = PARE_MAX_ITER;
    return PARE_OK;
}

/* Keeps the worst MAX_VIOLATORS in descending order; of equal ones the first. */
static void offer(violator *list, int64_t *count, violator v) {
    int64_t at = *count;
    if (at == MAX_VIOLATORS && !(v.ratio > list[at - 1].ratio)) return;
    if (at < MAX_VIOLATORS)
        *count = at + 1;
    else
        at--;
    for (; at > 0 && list[at - 1].ratio < v.ratio; at--) list[at] = list[at - 1];
    list[at] = v;
}

/* One pass over X: columns outside the pool that the duals of the points violate join it, and these
 * points are to be improved again. `open`: the points to check. */
static pare_status price_all(plna_work *w, plna_point *const *open, int64_t count,
                             const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t found[PLNA_GROUP] = {0}, *cols = NULL;
    violator *worst = NULL;
    TRY_MEM(cols = mem_alloc(w->mem, PRICE_BLOCK, sizeof *cols));
    TRY_MEM(worst = mem_alloc(w->mem, count * MAX_VIOLATORS, sizeof *worst));
    for (int64_t t = 0; t < count; t++)
        memcpy(w->duals + t * w->n, open[t]->dual, sizeof(double) * (size_t)w->n);
    w->passes++;
    for (int64_t first = 0; first < w->d; first += PRICE_BLOCK) {
        view block = *w->job->x;
        block.d = w->d - first < PRICE_BLOCK ? w->d - first : PRICE_BLOCK;
        block.cols = cols;
        for (int64_t k = 0; k < block.d; k++)
            cols[k] = w->job->x->cols ? w->job->x->cols[first + k] : first + k;
        TRY(mat_tmul(&block, w->duals, count, w->price, ctx, err));
        for (int64_t k = 0; k < block.d; k++) {
            if (w->in_pool[first + k] || w->range[first + k] == 0) continue;
            double cost = plna_slope(w, first + k, 0);
            for (int64_t t = 0; t < count; t++) {
                double ratio = fabs(w->price[t * block.d + k]) / cost;
                if (ratio > 1 + w->tol / 2)
                    offer(worst + t * MAX_VIOLATORS, &found[t], (violator){ratio, first + k});
            }
        }
    }
    for (int64_t t = 0; t < count; t++) {
        if (found[t] > 0) open[t]->outcome = PARE_OPTIMAL;
        for (int64_t k = 0; k < found[t]; k++)
            TRY(pool_add(w, worst[t * MAX_VIOLATORS + k].feature, err));
    }
done:
    mem_free(w->mem, worst);
    mem_free(w->mem, cols);
    return status;
}

pare_status plna_settle(plna_work *w, plna_point *const *points, int64_t count, const pare_ctx *ctx,
                        pare_error *err) {
    for (;;) {
        plna_point *open[PLNA_GROUP];
        int64_t n_open = 0;
        for (int64_t t = 0; t < count; t++) {
            if (points[t]->outcome != PARE_OPTIMAL) continue;
            PASS(descend(w, points[t], ctx, err));
            if (points[t]->outcome == PARE_STATIONARY) open[n_open++] = points[t];
        }
        if (!w->pooled || n_open == 0) return PARE_OK;
        PASS(price_all(w, open, n_open, ctx, err));
    }
}
