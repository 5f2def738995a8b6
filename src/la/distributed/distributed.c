/* A matrix of which every rank holds a run of columns. A rank reads its own columns in place. It
 * fetches a column of another rank on demand, from any thread, and caches a few of them, so that
 * every operation is correct on every rank. Operations that cost a pass over X are divided instead:
 * each rank computes the results of its own columns as a single process would, and all ranks gather
 * all results. The bits depend neither on the number of ranks nor on the distribution of the
 * columns.
 *
 * Memory of a rank: its columns, MAX_CACHED bytes of columns of other ranks, and the d-sized
 * results of a call. Methods read all weights, scores and statistics, so these are on every
 * rank. */
#include "la/distributed/distributed.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "la/product/tile.h"

enum {
    MAX_FETCH = 32,
    MAX_CACHED = 1 << 26,
    MAX_MESSAGE = 1 << 28
}; /* columns of a request; bytes */

/* ---- distribution of the columns ---- */

static int32_t owner_of(const distributed *s, int64_t base) {
    int32_t low = 0, high = s->ranks.count - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (base < s->start[middle + 1])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The first column of rank r: a multiple of the blocks of products, hashes and tiles, as far as the
 * ranks still get about equally many columns. */
static int64_t start_of(int64_t d, int32_t count, int32_t r) {
    int64_t step = 1, at = (int64_t)((double)d * (double)r / (double)count);
    for (int64_t next = 32; next <= d / (8 * (int64_t)count); next *= 2) step = next;
    return r == count ? d : (at + step / 2) / step * step;
}

void mat_distributed_range(int64_t d, int32_t ranks, int32_t rank, int64_t *from, int64_t *to) {
    *from = start_of(d, ranks, rank);
    *to = start_of(d, ranks, rank + 1);
}

/* ---- columns of other ranks ---- */

/* Serves another rank: the request lists base columns, the reply holds their values. */
static int answer(void *of, const void *question, int64_t question_bytes, void *to,
                  int64_t answer_bytes) {
    const distributed *s = of;
    int64_t count = question_bytes / (int64_t)sizeof(int64_t), base[MAX_FETCH];
    pare_error error;
    if (count > MAX_FETCH || answer_bytes != count * s->own.n * (int64_t)sizeof(double)) return 1;
    memcpy(base, question, (size_t)question_bytes);
    for (int64_t k = 0; k < count; k++) {
        base[k] -= s->first;
        if (base[k] < 0 || base[k] >= s->own.d) return 1;
    }
    return s->own.ops->load(&s->own, base, count, NULL, s->own.n, to, &error) != PARE_OK;
}

static double *slot_of(const distributed *s, int64_t base) {
    return s->cached + base % s->slots * s->own.n;
}

static bool is_cached(const distributed *s, int64_t base) {
    return s->key[base % s->slots] == base;
}

/* Fetches columns of a rank, ascending, into the cache. */
static pare_status fetch(distributed *s, int32_t rank, const int64_t *base, int64_t count,
                         pare_error *err) {
    int64_t n = s->own.n;
    const pare_ranks *r = &s->ranks;
    if (r->ask(r->user, rank, s->service, base, count * (int64_t)sizeof *base, s->staged,
               count * n * (int64_t)sizeof(double)) != 0)
        return error_set(err, PARE_E_IO,
                         "rank %d of %d cannot give feature %" PRId64 ", which it has", (int)rank,
                         (int)r->count, base[0] + 1);
    for (int64_t k = 0; k < count; k++) {
        s->key[base[k] % s->slots] = base[k];
        memcpy(slot_of(s, base[k]), s->staged + k * n, (size_t)n * sizeof(double));
    }
    return PARE_OK;
}

/* Loads column next[0] of another rank; next[1 ..] are the other columns of that rank in the call.
 * A single column that follows a cached one is taken for a sequential read, so that the columns
 * after it are fetched with it. */
static pare_status load_remote(distributed *s, int32_t rank, const int64_t *next, int64_t count,
                               const int32_t *rows, int64_t n, double *out, pare_error *err) {
    int64_t wanted[MAX_FETCH], missing = 0, base = next[0];
    pare_status status = PARE_OK;
    omp_set_lock(&s->lock);
    if (!is_cached(s, base)) {
        bool in_a_row = count == 1 && base > 0 && is_cached(s, base - 1);
        int64_t most = s->max_fetch;
        for (int64_t k = 0; !in_a_row && k < count && missing < most; k++)
            if (!is_cached(s, next[k])) wanted[missing++] = next[k];
        for (int64_t j = base; in_a_row && j < s->start[rank + 1] && missing < most; j++)
            wanted[missing++] = j;
        status = fetch(s, rank, wanted, missing, err);
        if (status == PARE_OK &&
            !is_cached(s, base)) /* a later column took its place in the cache */
            status = fetch(s, rank, &base, 1, err);
    }
    const double *from = slot_of(s, base);
    for (int64_t i = 0; status == PARE_OK && i < n; i++) out[i] = from[rows ? rows[i] : i];
    omp_unset_lock(&s->lock);
    return status;
}

static pare_status distributed_load(const matrix *x, const int64_t *base, int64_t count,
                                    const int32_t *rows, int64_t n, double *out, pare_error *err) {
    distributed *s = x->self;
    int64_t local[MAX_FETCH];
    pare_status status = PARE_OK;
    for (int64_t k = 0, run; k < count && status == PARE_OK; k += run) {
        int32_t rank = owner_of(s, base[k]);
        for (run = 0; k + run < count && run < MAX_FETCH && owner_of(s, base[k + run]) == rank;
             run++)
            local[run] = base[k + run] - s->first;
        if (rank == s->ranks.index) {
            status = s->own.ops->load(&s->own, local, run, rows, n, out + k * n, err);
            continue;
        }
        for (int64_t i = 0; i < run && status == PARE_OK; i++)
            status = load_remote(s, rank, base + k + i, run - i, rows, n, out + (k + i) * n, err);
    }
    return status;
}

/* ---- the kind ---- */

static const matrix *distributed_own(const matrix *x) {
    return &((const distributed *)x->self)->own;
}

/* Waits until all ranks are here. */
static pare_status barrier(const distributed *s, pare_error *err) {
    int64_t *start = mem_alloc(&s->mem, 2 * (s->ranks.count + 1), sizeof *start);
    if (!start) return error_memory(err);
    for (int32_t r = 0; r <= s->ranks.count; r++) start[r] = r;
    pare_status status = ranks_gather(&s->ranks, start + s->ranks.count + 1, start, err);
    mem_free(&s->mem, start);
    return status;
}

/* Waits until no rank requests columns any more, and frees. */
static void distributed_free(matrix *x, const pare_allocator *mem) {
    distributed *s = x->self;
    (void)mem;
    if (s->service >= 0) {
        (void)!barrier(s, NULL);
        s->ranks.retire(s->ranks.user, s->service);
    }
    mat_free(&s->own, &s->mem);
    omp_destroy_lock(&s->lock);
    pare_allocator own = s->mem;
    mem_free(&own, s->start);
    mem_free(&own, s->key);
    mem_free(&own, s->cached);
    mem_free(&own, s->staged);
    mem_free(&own, s);
}

static const mat_ops distributed_ops = {.kind = "distributed",
                                        .of = distributed_own,
                                        .free = distributed_free,
                                        .load = distributed_load};

pare_status mat_distributed(matrix *out, int64_t d, matrix *own, int64_t first, bool missing,
                            const pare_ranks *ranks, const pare_allocator *mem, pare_error *err) {
    distributed *s = mem_zero(mem, 1, sizeof *s);
    pare_status status = PARE_OK;
    if (!s) {
        mat_free(own, mem);
        return error_memory(err);
    }
    s->ranks = *ranks;
    s->mem = *mem;
    s->own = *own;
    s->own.missing = missing; /* of the whole X, as a single process would see it */
    s->first = first;
    s->service = -1;
    omp_init_lock(&s->lock);
    *own = (matrix){0};
    *out = (matrix){&distributed_ops, s->own.n, d, missing, s};
    int64_t n = s->own.n;
    s->slots = max64(MAX_FETCH, min64(d, MAX_CACHED / (8 * n)));
    s->max_fetch = max64(1, min64(MAX_FETCH, MAX_MESSAGE / (8 * n)));
    TRY_MEM(s->start = mem_alloc(mem, ranks->count + 1, sizeof *s->start));
    for (int32_t r = 0; r <= ranks->count; r++) s->start[r] = start_of(d, ranks->count, r);
    TRY_MEM(s->key = mem_alloc(mem, s->slots, sizeof *s->key));
    for (int64_t k = 0; k < s->slots; k++) s->key[k] = -1;
    TRY_MEM(s->cached = mem_alloc(mem, s->slots * n, sizeof *s->cached));
    TRY_MEM(s->staged = mem_alloc(mem, MAX_FETCH * n, sizeof *s->staged));
    s->service = ranks->serve(ranks->user, answer, s);
    TRY_MEM(s->service >= 0);
    TRY(barrier(s, err));
done:
    if (status != PARE_OK) mat_free(out, mem);
    return status;
}

/* ---- division of the work ---- */

const distributed *distributed_under(const matrix *x) {
    while (x->ops != &distributed_ops && x->ops->over) x = x->ops->over(x);
    return x->ops == &distributed_ops ? x->self : NULL;
}

pare_ctx single_process_ctx(const pare_ctx *ctx) {
    pare_ctx own = *ctx;
    own.ranks = NULL;
    return own;
}

/* A unit belongs to the rank that holds its middle column. Where the columns are not in the order
 * of the ranks, all ranks get equally many units and fetch the columns that they do not hold. */
pare_status share_make(share *out, const view *v, const int64_t *S, int64_t count, int64_t unit,
                       arena *mem, const pare_ctx *ctx, pare_error *err) {
    const distributed *s = distributed_under(v->x);
    const pare_ranks *ranks = ctx_ranks(ctx);
    int64_t units = (count + unit - 1) / unit;
    *out = (share){s ? ranks : NULL, units, NULL};
    if (!out->ranks) return PARE_OK;
    int64_t *from = out->from = ARENA_ZERO(mem, int64_t, ranks->count + 1);
    if (!from) return error_memory(err);
    bool in_order = true;
    int32_t now = 0;
    for (int64_t u = 0; u < units && in_order; u++) {
        int64_t p = min64(count - 1, u * unit + unit / 2), base = view_base(v, S ? S[p] : p);
        while (now + 1 < ranks->count && base >= s->start[now + 1]) now++;
        in_order = base >= s->start[now];
        from[now + 1] = u + 1;
    }
    for (int32_t r = 0; r < ranks->count; r++)
        from[r + 1] = in_order ? max64(from[r], from[r + 1]) : units * (r + 1) / ranks->count;
    return PARE_OK;
}

/* Turns v, whose columns are all of this rank, into a view of the rank's own matrix. */
static void use_local(view *v, const distributed *s) {
    v->x = &s->own;
    if (v->shift) v->shift += s->first;
    if (v->scale) v->scale += s->first;
    if (v->fill) v->fill += s->first;
}

pare_status share_part(view *out, const view *v, const int64_t *S, int64_t from, int64_t to,
                       arena *mem, pare_error *err) {
    const distributed *s = v->x->ops == &distributed_ops ? v->x->self : NULL;
    int64_t *cols = ARENA_NEW(mem, int64_t, to - from);
    if (!cols) return error_memory(err);
    bool local = s != NULL;
    for (int64_t p = from; p < to; p++) {
        int64_t base = cols[p - from] = view_base(v, S ? S[p] : p);
        local = local && base >= s->start[s->ranks.index] && base < s->start[s->ranks.index + 1];
    }
    *out = *v;
    out->cols = cols;
    out->d = to - from;
    if (!local) return PARE_OK;
    use_local(out, s);
    for (int64_t p = 0; p < to - from; p++) cols[p] -= s->first;
    return PARE_OK;
}

view share_align(const view *v, const view *part) {
    view out = *v;
    out.cols = part->cols;
    out.d = part->d;
    if (part->x != v->x) use_local(&out, v->x->self);
    return out;
}

/* Where the parts of the ranks begin in a block of `size` numbers or bytes a column. */
static int64_t *places(const share *h, int64_t unit, int64_t count, int64_t size, arena *mem) {
    int64_t *start = ARENA_NEW(mem, int64_t, h->ranks->count + 1);
    for (int32_t r = 0; start && r <= h->ranks->count; r++)
        start[r] = min64(count, h->from[r] * unit) * size;
    return start;
}

span mat_share(const view *v, int64_t unit, const pare_ctx *ctx) {
    arena mem;
    share h;
    arena_init(&mem, ctx_allocator(ctx));
    span all = {0, (v->d + unit - 1) / unit}, own = all;
    /* without memory for it this rank computes all, and mat_join fails for the same reason */
    if (share_make(&h, v, NULL, v->d, unit, &mem, ctx, NULL) == PARE_OK && h.ranks)
        own = (span){h.from[h.ranks->index], h.from[h.ranks->index + 1]};
    arena_free(&mem);
    return own;
}

pare_status mat_join(const view *v, int64_t unit, void *out, size_t size, const pare_ctx *ctx,
                     pare_error *err) {
    arena mem;
    share h;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(share_make(&h, v, NULL, v->d, unit, &mem, ctx, err));
    if (!h.ranks) goto done;
    int64_t *start = places(&h, 1, h.units, (int64_t)size, &mem);
    TRY_MEM(start);
    TRY(ranks_gather(h.ranks, out, start, err));
done:
    arena_free(&mem);
    return status;
}

pare_status mat_total(const view *v, uint64_t *sum, int64_t count, const pare_ctx *ctx,
                      pare_error *err) {
    const pare_ranks *r = ctx_ranks(ctx);
    if (!r || !distributed_under(v->x)) return PARE_OK;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    uint64_t *all = ARENA_NEW(&mem, uint64_t, count * r->count);
    int64_t *start = ARENA_NEW(&mem, int64_t, r->count + 1);
    TRY_MEM(all && start);
    memcpy(all + r->index * count, sum, (size_t)count * sizeof *sum);
    for (int32_t k = 0; k <= r->count; k++) start[k] = k * count * (int64_t)sizeof *all;
    TRY(ranks_gather(r, all, start, err));
    for (int64_t i = 0; i < count; i++) {
        sum[i] = 0;
        for (int32_t k = 0; k < r->count; k++) sum[i] += all[k * count + i];
    }
done:
    arena_free(&mem);
    return status;
}

/* ---- column by column ---- */

pare_status distributed_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                             const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t unit = tile_tmul_unit(v->n, c), d = v->d, *start;
    pare_ctx own = single_process_ctx(ctx);
    double *all = out, *mine;
    share h;
    view part;
    TRY(share_make(&h, v, NULL, d, unit, &mem, ctx, err));
    TRY_MEM(start = places(&h, unit, d, c, &mem));
    if (c > 1) TRY_MEM(all = ARENA_NEW(&mem, double, d *c));
    int64_t from = start[h.ranks->index] / c, to = start[h.ranks->index + 1] / c;
    mine = all + from * c;
    TRY(share_part(&part, v, NULL, from, to, &mem, err));
    if (to > from) TRY((squared ? mat_tmul2 : mat_tmul)(&part, U, c, mine, &own, err));
    for (int32_t r = 0; r <= h.ranks->count; r++) start[r] *= (int64_t)sizeof *all;
    TRY(ranks_gather(h.ranks, all, start, err));
    for (int32_t r = 0; c > 1 && r < h.ranks->count; r++) {
        int64_t first = start[r] / c / 8, width = start[r + 1] / c / 8 - first;
        for (int64_t k = 0; k < c && width > 0; k++)
            memcpy(out + first + k * d, all + first * c + k * width, (size_t)width * sizeof *out);
    }
done:
    arena_free(&mem);
    return status;
}

pare_status distributed_stats(const view *v, const double *weight, col_stats *out,
                              const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    pare_ctx own = single_process_ctx(ctx);
    span mine = mat_share(v, 1, ctx);
    view part;
    TRY(share_part(&part, v, NULL, mine.from, mine.to, &mem, err));
    if (part.d > 0) TRY(mat_stats(&part, weight, out + mine.from, &own, err));
    TRY(mat_join(v, 1, out, sizeof *out, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* Each rank expands the columns that it holds; then all are put into the order of S. */
pare_status distributed_columns(const view *v, const int64_t *S, int64_t s, double *out,
                                const pare_ctx *ctx, pare_error *err) {
    const distributed *x = distributed_under(v->x);
    const pare_ranks *r = ctx_ranks(ctx);
    pare_ctx own = single_process_ctx(ctx);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t size = v->n * (int64_t)sizeof(double), *at, *mine, count = 0, *start;
    int32_t *rank;
    double *all;
    TRY_MEM(start = ARENA_ZERO(&mem, int64_t, r->count + 2));
    TRY_MEM(at = ARENA_NEW(&mem, int64_t, r->count));
    TRY_MEM(rank = ARENA_NEW(&mem, int32_t, s));
    TRY_MEM(mine = ARENA_NEW(&mem, int64_t, s));
    TRY_MEM(all = ARENA_NEW(&mem, double, s * v->n));
    for (int64_t k = 0; k < s; k++) {
        int64_t j = S ? S[k] : k;
        rank[k] = owner_of(x, view_base(v, j));
        start[rank[k] + 1] += size;
        if (rank[k] == r->index) mine[count++] = j;
    }
    for (int32_t k = 0; k < r->count; k++) start[k + 1] += start[k];
    for (int32_t k = 0; k < r->count; k++) at[k] = start[k] / (int64_t)sizeof *all;
    TRY(mat_columns(v, mine, count, all + at[r->index], &own, err));
    TRY(ranks_gather(r, all, start, err));
    for (int64_t k = 0; k < s; k++) {
        memcpy(out + k * v->n, all + at[rank[k]], (size_t)size);
        at[rank[k]] += v->n;
    }
done:
    arena_free(&mem);
    return status;
}
