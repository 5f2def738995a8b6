/* The public side of matrix.h: checks, and the calls into the storage kind. The checks
 * cost O(n + d) and make every index safe, so the kinds do not check again. */
#include "la/matrix.h"

#include <float.h>
#include <inttypes.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/ranks.h"
#include "la/pass/scheduler.h"
#include "la/distributed/distributed.h"
#include "la/kind/cuda/cuda.h"
#include "la/pass/simd_columns.h"
#include "la/product/tile.h"

static const matrix *shown(const matrix *x) {
    while (x->ops->of) x = x->ops->of(x);
    return x;
}

bool mat_is_sparse(const matrix *x) { return shown(x)->ops->sparse; }
bool mat_in_memory(const matrix *x) { return !shown(x)->ops->elsewhere; }
const char *mat_kind(const matrix *x) { return shown(x)->ops->kind; }

double mat_stored(const matrix *x) {
    return x->ops->stored ? x->ops->stored(x) : (double)x->n * (double)x->d;
}

double mat_bytes(const matrix *x) {
    x = shown(x);
    return x->ops->bytes ? x->ops->bytes(x) : 8 * mat_stored(x);
}

bool mat_at_once(const matrix *x) {
    return distributed_under(x) || (x->ops->stats && !x->ops->elsewhere);
}

double mat_products(const matrix *x) { return (double)x->n * (double)x->n * (double)x->d; }

/* Counts columns as read. */
static void count_columns(const matrix *x, int64_t columns, double products, const pare_ctx *ctx) {
    if (x->d > 0) ctx_count(ctx, mat_bytes(x) * (double)columns / (double)x->d, products);
}

static double gram_products(const view *a, const view *b) {
    return (double)a->n * (double)(b ? b->n : a->n) * (double)a->d;
}

view view_all(const matrix *x) { return (view){.x = x, .n = x->n, .d = x->d}; }

bool mat_chain(const matrix *x, entry_chain *out) {
    *out = (entry_chain){0};
    for (; x->ops->over; x = x->ops->over(x))
        if (!x->ops->chain || !x->ops->chain(x, out)) return false;
    out->base = x;
    return true;
}

const mat_ops *mat_ops_for(const matrix *x, double work, const pare_ctx *ctx) {
    const mat_ops *device = cuda_ops_for(x, work, ctx);
    return device ? device : x->ops;
}

static double entries(const view *v) { return (double)v->n * (double)v->d; }

/* ---- checks ---- */

static pare_status check_view(const view *v, bool values, pare_error *err) {
    const matrix *x = v->x;
    if (x->n < 1 || x->n > INT32_MAX || x->d < 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "a matrix of %" PRId64 " rows and %" PRId64 " columns: rows must be 1 to "
                         "2^31 - 1, columns 0 or more",
                         x->n, x->d);
    if (v->n < 1 || v->n > INT32_MAX || v->d < 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "a view of %" PRId64 " rows and %" PRId64 " columns: rows must be 1 to "
                         "2^31 - 1, columns 0 or more",
                         v->n, v->d);
    if (!v->rows && v->n != x->n)
        return error_set(err, PARE_E_ARGUMENT,
                         "a view of all rows has %" PRId64 " of them, the matrix %" PRId64, v->n,
                         x->n);
    if (!v->cols && v->d != x->d)
        return error_set(err, PARE_E_ARGUMENT,
                         "a view of all columns has %" PRId64 " of them, the matrix %" PRId64, v->d,
                         x->d);
    for (int64_t i = 0; v->rows && i < v->n; i++)
        if (v->rows[i] < 0 || v->rows[i] >= x->n)
            return error_set(err, PARE_E_ARGUMENT,
                             "row %" PRId64 " of the view is row %" PRId32
                             " of a matrix of %" PRId64 " rows",
                             i, v->rows[i], x->n);
    for (int64_t j = 0; v->cols && j < v->d; j++)
        if (v->cols[j] < 0 || v->cols[j] >= x->d)
            return error_set(err, PARE_E_ARGUMENT,
                             "column %" PRId64 " of the view is column %" PRId64
                             " of a matrix of %" PRId64 " columns",
                             j, v->cols[j], x->d);
    if (values && x->missing && !v->fill)
        return error_set(err, PARE_E_ARGUMENT,
                         "the matrix has missing values and the view says not how to fill them");
    return PARE_OK;
}

static pare_status check_weights(const double *w, int64_t count, const char *what,
                                 pare_error *err) {
    for (int64_t i = 0; w && i < count; i++)
        if (!(w[i] >= 0 && w[i] <= DBL_MAX))
            return error_set(err, PARE_E_ARGUMENT,
                             "the weight of %s %" PRId64 " is %g: it must be finite and >= 0", what,
                             i, w[i]);
    return PARE_OK;
}

static pare_status check_count(int64_t c, const char *what, pare_error *err) {
    if (c < 1 || c > INT32_MAX)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s has %" PRId64 " columns: 1 to 2^31 - 1 are allowed", what, c);
    return PARE_OK;
}

static pare_status check_same_columns(const view *a, const view *b, pare_error *err) {
    if (a->x != b->x)
        return error_set(err, PARE_E_ARGUMENT, "the two views see different matrices");
    bool same =
        a->d == b->d &&
        (a->cols == b->cols ||
         (a->cols && b->cols && memcmp(a->cols, b->cols, (size_t)a->d * sizeof *a->cols) == 0));
    if (!same) return error_set(err, PARE_E_ARGUMENT, "the two views see different columns");
    return PARE_OK;
}

static pare_status check_subset(const view *v, const int64_t *S, int64_t s, pare_error *err) {
    if (s < 0 || (!S && s != v->d))
        return error_set(err, PARE_E_ARGUMENT,
                         "%" PRId64 " columns of a view of %" PRId64 " without a list of them", s,
                         v->d);
    for (int64_t k = 0; S && k < s; k++)
        if (S[k] < 0 || S[k] >= v->d)
            return error_set(err, PARE_E_ARGUMENT,
                             "column %" PRId64 " of a view of %" PRId64 " columns", S[k], v->d);
    return PARE_OK;
}

/* ---- operations ---- */

/* Returns true if x is distributed and the context has the other ranks, which then take part. */
static bool is_shared(const matrix *x, const pare_ctx *ctx) {
    return ctx_ranks(ctx) && distributed_under(x);
}

static pare_status end_phase(const pare_ctx *ctx, phase before, pare_status status) {
    ctx_phase(ctx, before);
    return status;
}

static pare_status gram(const view *a, const view *b, const double *z, double *K,
                        const pare_ctx *ctx, pare_error *err) {
    PASS(check_view(a, true, err));
    if (b) PASS(check_view(b, true, err));
    if (b) PASS(check_same_columns(a, b, err));
    PASS(check_weights(z, a->d, "column", err));
    count_columns(a->x, a->d, gram_products(a, b), ctx);
    if (is_shared(a->x, ctx)) return distributed_gram(a, b, z, K, ctx, err);
    const mat_ops *ops = mat_ops_for(a->x, gram_products(a, b), ctx);
    return (ops->gram ? ops->gram : tile_gram)(a, b, z, K, ctx, err);
}

pare_status mat_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                     pare_error *err) {
    phase before = ctx_phase(ctx, PHASE_GRAM);
    return end_phase(ctx, before, gram(a, b, z, K, ctx, err));
}

static pare_status gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                             const pare_ctx *ctx, pare_error *err) {
    if (count < 0)
        return error_set(err, PARE_E_ARGUMENT, "%" PRId64 " views: 0 or more are allowed", count);
    if (count == 0) return PARE_OK;
    for (int64_t i = 0; i < count; i++) {
        PASS(check_view(&v[i], true, err));
        PASS(check_same_columns(&v[0], &v[i], err));
        PASS(check_weights(z ? z[i] : NULL, v[i].d, "column", err));
        count_columns(v->x, i == 0 ? v->d : 0, gram_products(&v[i], NULL), ctx);
    }
    if (is_shared(v[0].x, ctx)) return distributed_gram_many(count, v, z, K, ctx, err);
    const mat_ops *ops = mat_ops_for(v[0].x, gram_products(&v[0], NULL), ctx);
    return (ops->gram_many ? ops->gram_many : tile_gram_many)(count, v, z, K, ctx, err);
}

pare_status mat_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                          const pare_ctx *ctx, pare_error *err) {
    phase before = ctx_phase(ctx, PHASE_GRAM);
    return end_phase(ctx, before, gram_many(count, v, z, K, ctx, err));
}

static pare_status tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                        const pare_ctx *ctx, pare_error *err) {
    PASS(check_view(v, true, err));
    PASS(check_count(c, "the right-hand block", err));
    tmul_request request = {v, U, c, squared, out};
    if (scheduler_takes(&request, ctx)) return scheduler_tmul(&request, ctx, err);
    count_columns(v->x, v->d, 0, ctx);
    if (is_shared(v->x, ctx)) return distributed_tmul(v, U, c, squared, out, ctx, err);
    const mat_ops *ops = mat_ops_for(v->x, entries(v) * (double)c, ctx);
    return (ops->tmul ? ops->tmul : tile_tmul)(v, U, c, squared, out, ctx, err);
}

pare_status mat_tmul(const view *v, const double *U, int64_t c, double *out, const pare_ctx *ctx,
                     pare_error *err) {
    phase before = ctx_phase(ctx, PHASE_PRODUCT);
    return end_phase(ctx, before, tmul(v, U, c, false, out, ctx, err));
}

pare_status mat_tmul2(const view *v, const double *U, int64_t c, double *out, const pare_ctx *ctx,
                      pare_error *err) {
    phase before = ctx_phase(ctx, PHASE_PRODUCT);
    return end_phase(ctx, before, tmul(v, U, c, true, out, ctx, err));
}

static pare_status mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                       double *F, const pare_ctx *ctx, pare_error *err) {
    PASS(check_view(v, true, err));
    PASS(check_count(c, "the weight block", err));
    PASS(check_subset(v, S, s, err));
    count_columns(v->x, s, 0, ctx);
    if (is_shared(v->x, ctx)) return distributed_mul(v, S, s, W, c, F, ctx, err);
    const mat_ops *ops = mat_ops_for(v->x, (double)v->n * (double)s * (double)c, ctx);
    return (ops->mul ? ops->mul : tile_mul)(v, S, s, W, c, F, ctx, err);
}

pare_status mat_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                    double *F, const pare_ctx *ctx, pare_error *err) {
    phase before = ctx_phase(ctx, PHASE_PRODUCT);
    return end_phase(ctx, before, mul(v, S, s, W, c, F, ctx, err));
}

pare_status mat_stats(const view *v, const double *weight, col_stats *out, const pare_ctx *ctx,
                      pare_error *err) {
    PASS(check_view(v, false, err));
    PASS(check_weights(weight, v->n, "row", err));
    count_columns(v->x, v->d, 0, ctx);
    if (is_shared(v->x, ctx)) return distributed_stats(v, weight, out, ctx, err);
    const mat_ops *ops = mat_ops_for(v->x, entries(v), ctx);
    if (ops->stats) return ops->stats(v, weight, out, ctx, err);
    return (ops->stats_many ? ops->stats_many : tile_stats_many)(1, v, &weight, &out, ctx, err);
}

pare_status mat_stats_many(int64_t count, const view *v, const double *const *weight,
                           col_stats *const *out, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    if (count == 0) return status;
    const mat_ops *ops = mat_ops_for(v->x, entries(v) * (double)count, ctx);
    bool apart = ops->stats || is_shared(v->x, ctx);
    for (int64_t i = 0; i < count; i++) {
        const double *own = weight ? weight[i] : NULL;
        if (apart) {
            TRY(mat_stats(&v[i], own, out[i], ctx, err));
            continue;
        }
        TRY(check_view(&v[i], false, err));
        TRY(check_same_columns(&v[0], &v[i], err));
        TRY(check_weights(own, v[i].n, "row", err));
    }
    if (apart) goto done;
    count_columns(v->x, v->d, 0, ctx);
    TRY((ops->stats_many ? ops->stats_many : tile_stats_many)(count, v, weight, out, ctx, err));
done:
    return status;
}

bool mat_asinh_fits(const view *v) {
    const matrix *x = v->x;
    bool loads = !mat_is_sparse(x) && x->n <= SIMD_BLOCK_ROWS && v->n <= SIMD_BLOCK_ROWS;
    return !x->missing && !mat_at_once(x) && (x->ops->asinh_fit_many || loads);
}

static bool separates(const mat_ops *ops) { return ops->separates || !ops->asinh_fit_many; }

bool mat_asinh_separates(const view *v, const pare_ctx *ctx) {
    return mat_asinh_fits(v) && separates(mat_ops_for(v->x, entries(v), ctx));
}

pare_status mat_asinh_fit_many(int64_t count, const view *v, double unit, const asinh_fit *out,
                               const pare_ctx *ctx, pare_error *err) {
    bool classes = false;
    for (int64_t i = 0; i < count; i++) {
        PASS(check_view(&v[i], true, err));
        PASS(check_same_columns(&v[0], &v[i], err));
        classes |= out[i].classes.count > 0;
    }
    if (count == 0) return PARE_OK;
    const mat_ops *ops = mat_ops_for(v->x, entries(v) * (double)count, ctx);
    if (classes && !separates(ops)) ops = v->x->ops; /* a device does not */
    count_columns(v->x, v->d, 0, ctx);
    return (ops->asinh_fit_many ? ops->asinh_fit_many : tile_asinh_fit_many)(count, v, unit, out,
                                                                             ctx, err);
}

pare_status mat_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    *out = (matrix){0};
    pare_status status = check_view(v, false, err);
    return status == PARE_OK
               ? (v->x->ops->compact ? v->x->ops->compact : tile_compact)(out, v, ctx, err)
               : status;
}

void mat_free(matrix *x, const pare_allocator *mem) {
    if (x->ops && x->ops->free) x->ops->free(x, mem ? mem : ctx_allocator(NULL));
    *x = (matrix){0};
}

/* ---- columns ---- */

pare_status walk_begin(walk *w, pare_error *err) {
    const mat_ops *ops = w->v->x->ops;
    return (ops->walk_open ? ops->walk_open : tile_walk_open)(w, err);
}

pare_status walk_open(walk *w, const view *v, const int64_t *S, int64_t s, const pare_ctx *ctx,
                      pare_error *err) {
    *w = (walk){.v = v, .S = S, .stop = s, .ctx = ctx};
    arena_init(&w->mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(check_view(v, false, err));
    TRY(check_subset(v, S, s, err));
    TRY(walk_begin(w, err));
    return PARE_OK;
done:
    arena_free(&w->mem);
    *w = (walk){0};
    return status;
}

bool walk_at(walk *w, int64_t p, column *out) {
    int64_t j = w->S ? w->S[p] : p;
    const mat_ops *ops = w->v->x->ops;
    w->seen++;
    pare_error *err = w->status == PARE_OK ? &w->error : NULL;
    pare_status status = (ops->column ? ops->column : tile_column)(w, j, out, err);
    if (status == PARE_OK) return true;
    if (w->status == PARE_OK) w->status = status;
    static const int32_t none;
    static const double zero;
    *out = (column){0, 0, &none, &zero};
    return false;
}

bool walk_next(walk *w, int64_t *p, column *out) {
    if (w->status != PARE_OK || w->at >= w->stop) return false;
    *p = w->at++;
    return walk_at(w, *p, out);
}

pare_status walk_close(walk *w, pare_error *err) {
    pare_status status = w->status;
    if (status != PARE_OK && err) *err = w->error;
    if (w->seen > 0) count_columns(w->v->x, w->seen, 0, w->ctx);
    arena_free(&w->mem);
    *w = (walk){0};
    return status;
}

pare_status walk_end(walk *w, pare_status status, pare_error *err) {
    pare_status own = walk_close(w, status == PARE_OK ? err : NULL);
    return status == PARE_OK ? own : status;
}

pare_status walks_open(walk *w, int64_t count, const view *v, const int64_t *S, int64_t s,
                       const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < count; i++) {
        pare_status status = walk_open(&w[i], v, S, s, ctx, err);
        if (status != PARE_OK) return walks_end(w, i, status, NULL);
    }
    return PARE_OK;
}

pare_status walks_end(walk *w, int64_t count, pare_status status, pare_error *err) {
    for (int64_t i = 0; i < count; i++) status = walk_end(&w[i], status, err);
    return status;
}

pare_status mat_look_for_missing(matrix *x, const pare_allocator *mem, pare_error *err) {
    return mat_look_within(x, 0, x->d, mem, err);
}

pare_status mat_look_within(matrix *x, int64_t from, int64_t to, const pare_allocator *mem,
                            pare_error *err) {
    view all = view_all(x);
    walk w = {.v = &all, .at = from, .stop = to};
    column c;
    int64_t j;
    arena_init(&w.mem, mem);
    pare_status status = walk_begin(&w, err);
    x->missing = false;
    while (status == PARE_OK && !x->missing && walk_next(&w, &j, &c))
        x->missing = any_missing(c.value, c.count);
    return walk_end(&w, status, err);
}

void column_spread(const column *c, int64_t n, double *out) {
    if (!c->index) {
        memcpy(out, c->value, (size_t)n * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < n; i++) out[i] = c->rest;
    for (int64_t e = 0; e < c->count; e++) out[c->index[e]] = c->value[e];
}

static pare_status columns(const view *v, const int64_t *S, int64_t s, double *out,
                           const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    if (is_shared(v->x, ctx)) {
        status = check_view(v, true, err);
        if (status == PARE_OK) status = check_subset(v, S, s, err);
        return status == PARE_OK ? distributed_columns(v, S, s, out, ctx, err) : status;
    }
    arena scratch = arena_of(ctx);
    walk *walks = NULL;
    int threads = (int)max64(1, min64(work_threads(ctx, (double)v->n * (double)s), s)), open = 0;
    TRY(check_view(v, true, err));
    TRY_MEM(walks = ARENA_NEW(&scratch, walk, threads));
    TRY(walks_open(walks, threads, v, S, s, ctx, err));
    open = threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < s; k++) {
        column c;
        walk_at(&walks[omp_get_thread_num()], k, &c);
        column_spread(&c, v->n, out + k * v->n);
    }
done:
    status = walks_end(walks, open, status, err);
    arena_free(&scratch);
    return status;
}

pare_status mat_columns(const view *v, const int64_t *S, int64_t s, double *out,
                        const pare_ctx *ctx, pare_error *err) {
    phase before = ctx_phase(ctx, PHASE_COLUMNS);
    return end_phase(ctx, before, columns(v, S, s, out, ctx, err));
}
