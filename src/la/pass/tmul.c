/* Few right-hand sides: SIMD_COLUMNS columns at a time come side by side, and each product picks its rows of
 * them. Numbers come as they are stored; the shift goes before the product, the scale after. */
#include "la/pass/tmul.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "la/pass/simd_columns.h"

enum { CHUNK_MOST = 1024, CHUNK_NUMBERS = 1 << 17 };
/* Columns that products ask for together, over how many there are, from which on they go along them side by side.
 * With fewer in common most lanes would be summed for nothing: each goes along its own, and those that another
 * had before are still in the cache. */
static const double COMMON = 1.6;

static view unscaled(const view *v) {
    view raw = *v;
    raw.shift = raw.scale = NULL;
    return raw;
}

static bool any_rows(const view *v) {
    view raw = unscaled(v);
    return view_is_raw(&raw) && v->x->n <= SIMD_BLOCK_ROWS;
}

bool tmul_shares(const tmul_request *a) {
    const int64_t *cols = a->v->cols;
    if (a->c > TMUL_FEW || !any_rows(a->v)) return false;
    for (int64_t j = 1; cols && j < a->v->d; j++)
        if (cols[j] <= cols[j - 1]) return false;
    return true;
}

tmul_pass tmul_plan(const tmul_request *const *ask, int64_t count) {
    const view *v = ask[0]->v;
    int64_t stride, wide = CHUNK_NUMBERS / v->n / SIMD_COLUMNS * SIMD_COLUMNS;
    tmul_pass p = {.ask = ask, .count = count};
    p.wide = max64(SIMD_COLUMNS, min64(CHUNK_MOST, wide));
    p.chunks = ((count > 1 ? v->x->d : v->d) + p.wide - 1) / p.wide;
    p.whole = count > 1 || (any_rows(v) && v->x->ops->direct && v->x->ops->direct(v->x, &stride));
    return p;
}

static int64_t block_rows(const tmul_pass *p) {
    const view *v = p->ask[0]->v;
    return p->whole ? v->x->n : min64(SIMD_BLOCK_ROWS, v->n);
}

/* Columns as the pass takes them, with all rows of X or those of its one view. */
static view columns_of(const tmul_pass *p) {
    view raw = unscaled(p->ask[0]->v);
    if (p->whole) {
        raw.rows = NULL;
        raw.n = raw.x->n;
    }
    return raw;
}

int64_t tmul_scratch(const tmul_pass *p) {
    int64_t stride;
    view raw = columns_of(p);
    return SIMD_COLUMNS * (block_rows(p) + (tile_direct(&raw, &stride) ? 0 : raw.n));
}

int64_t tmul_scratch_shared(const matrix *x) { return 2 * SIMD_COLUMNS * x->n; }

/* The base columns of a chunk, as some product asks for them. Product q asks for own[q] of them, from its
 * at[q] on. */
static int64_t list_columns(const tmul_pass *p, int64_t chunk, int64_t *at, int64_t *own,
                            int64_t *base) {
    int64_t from = chunk * p->wide, count = 0;
    const view *v = p->ask[0]->v;
    if (p->count == 1) {
        at[0] = from;
        for (int64_t j = from; j < v->d && j < from + p->wide; j++) base[count++] = view_base(v, j);
        own[0] = count;
        return count;
    }
    bool wanted[CHUNK_MOST] = {false}, all = false;
    int64_t wide = min64(p->wide, v->x->d - from);
    for (int64_t q = 0; q < p->count; q++) {
        v = p->ask[q]->v;
        at[q] = v->cols ? place_from(v->cols, v->d, from) : from;
        own[q] = v->cols ? 0 : wide;
        all |= !v->cols;
        for (int64_t j = at[q]; v->cols && j < v->d && v->cols[j] < from + wide; j++, own[q]++)
            wanted[v->cols[j] - from] = true;
    }
    for (int64_t k = 0; k < wide; k++)
        if (all || wanted[k]) base[count++] = from + k;
    return count;
}

/* SIMD_COLUMNS columns as one product sees them. */
typedef struct simd_list {
    int64_t first;               /* its place among its own, where all are; else -1 */
    int64_t place[SIMD_COLUMNS]; /* of each, or -1 */
    double shift[SIMD_COLUMNS], scale[SIMD_COLUMNS];
} simd_list;

static void simd_transform(simd_list *l, const view *v, const int64_t *base, int64_t count,
                           bool in_a_row) {
    for (int64_t k = 0; k < SIMD_COLUMNS; k++) l->shift[k] = 0, l->scale[k] = 1;
    if (in_a_row) {
        if (v->shift) memcpy(l->shift, v->shift + base[0], sizeof l->shift);
        if (v->scale) memcpy(l->scale, v->scale + base[0], sizeof l->scale);
        return;
    }
    for (int64_t k = 0; v->shift && k < count; k++) l->shift[k] = v->shift[base[k]];
    for (int64_t k = 0; v->scale && k < count; k++) l->scale[k] = v->scale[base[k]];
}

/* count <= SIMD_COLUMNS base columns; *at: the product's next. false: it has none of them. */
static bool simd_list_rows(simd_list *l, const view *v, const int64_t *base, int64_t count,
                           int64_t *at) {
    int64_t first = *at, next = first;
    bool in_a_row =
        !v->cols && count == SIMD_COLUMNS && base[SIMD_COLUMNS - 1] - base[0] == SIMD_COLUMNS - 1;
    if (in_a_row) next += SIMD_COLUMNS;
    for (int64_t k = 0; !in_a_row && k < SIMD_COLUMNS; k++) {
        int64_t own = k < count && next < v->d ? view_base(v, next) == base[k] : 0;
        l->place[k] = own ? next : -1;
        next += own;
    }
    *at = next;
    l->first = next == first + SIMD_COLUMNS ? first : -1;
    if (next > first) simd_transform(l, v, base, count, in_a_row);
    return next > first;
}

static void put(const tmul_request *a, const simd_list *l, const double *sum) {
    for (int64_t c = 0; c < a->c; c++) {
        double *out = a->out + c * a->v->d, value[SIMD_COLUMNS], nobody;
        for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
            double by = a->squared ? l->scale[k] * l->scale[k] : l->scale[k];
            value[k] = by * sum[c * SIMD_COLUMNS + k];
        }
        if (l->first >= 0)
            memcpy(out + l->first, value, sizeof value);
        else
            for (int64_t k = 0; k < SIMD_COLUMNS; k++)
                *(l->place[k] >= 0 ? out + l->place[k] : &nobody) = value[k];
    }
}

static void dots(const tmul_request *a, const simd_list *l, const double *block,
                 const int32_t *rows, int64_t first, int64_t n, double *sum,
                 prefetch_range *ahead) {
    for (int64_t c = 0; c < a->c; c++)
        simd_dot(block, rows, n, l->shift, a->U + c * a->v->n + first, a->squared,
                 sum + c * SIMD_COLUMNS, ahead);
}

/* Where the columns of a block are: in X, or in the buffer. The last stands in for those that are not. */
static void find_columns(tmul_pass *p, const int64_t *base, int64_t count, double *buffer,
                         const double **where) {
    view raw = columns_of(p);
    int64_t stride = raw.n;
    const double *direct = tile_direct(&raw, &stride);
    pare_error error;
    if (!direct) {
        pare_status status = tile_load(&raw, base, count, NULL, buffer, &error);
        if (status != PARE_OK) failure_note(&p->failed, status, &error);
        if (status != PARE_OK) memset(buffer, 0, (size_t)(raw.n * count) * sizeof *buffer);
    }
    for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
        int64_t own = min64(k, count - 1);
        where[k] = direct ? direct + base[own] * stride : buffer + own * stride;
    }
}

/* Where the next block's are in X, if they are there. */
static bool find_next(const tmul_pass *p, const int64_t *base, int64_t count,
                      const double **where) {
    int64_t stride;
    const matrix *x = p->ask[0]->v->x;
    const double *direct = x->ops->direct ? x->ops->direct(x, &stride) : NULL;
    for (int64_t k = 0; direct && k < SIMD_COLUMNS; k++)
        where[k] = direct + base[min64(k, count - 1)] * stride;
    return direct;
}

/* One stretch of memory, if the columns are that. */
static prefetch_range stretch_of(const double *const *where, int64_t n) {
    for (int k = 1; k < SIMD_COLUMNS; k++)
        if (where[k] != where[0] + k * n) return (prefetch_range){0};
    return (prefetch_range){where[0], where[0] + SIMD_COLUMNS * n};
}

/* Products first .. end - 1 with those base columns. */
static void run_columns(tmul_pass *p, int64_t first, int64_t end, const int64_t *base,
                        int64_t count, int64_t *at, double *scratch) {
    const double *where[SIMD_COLUMNS], *next[SIMD_COLUMNS];
    double *block = scratch, *buffer = scratch + SIMD_COLUMNS * block_rows(p);
    simd_list l;
    for (int64_t b = 0; b < count; b += SIMD_COLUMNS) {
        int64_t left = count - b, wide = min64(SIMD_COLUMNS, left);
        find_columns(p, base + b, wide, buffer, where);
        bool more =
            left > SIMD_COLUMNS &&
            find_next(p, base + b + SIMD_COLUMNS, min64(SIMD_COLUMNS, left - SIMD_COLUMNS), next);
        prefetch_range ahead = {0};
        if (more && p->whole) ahead = stretch_of(next, p->ask[0]->v->x->n);
        if (ahead.at) more = false; /* is sent for by the sums */
        if (p->whole) simd_interleave(block, where, p->ask[0]->v->x->n, more ? next : NULL);
        for (int64_t q = first; q < end; q++) {
            const tmul_request *a = p->ask[q];
            double sum[TMUL_FEW * SIMD_COLUMNS];
            memset(sum, 0, sizeof(double) * (size_t)(a->c * SIMD_COLUMNS));
            if (!simd_list_rows(&l, a->v, base + b, wide, &at[q])) continue;
            if (p->whole) dots(a, &l, block, a->v->rows, 0, a->v->n, sum, &ahead);
            for (int64_t row = 0; !p->whole && row < a->v->n; row += SIMD_BLOCK_ROWS) {
                int64_t n = min64(SIMD_BLOCK_ROWS, a->v->n - row);
                simd_interleave(block, where, n, more ? next : NULL);
                for (int64_t k = 0; k < SIMD_COLUMNS; k++) where[k] += n;
                dots(a, &l, block, NULL, row, n, sum, &ahead);
            }
            put(a, &l, sum);
        }
        for (; ahead.at < ahead.end; ahead.at += CACHE_LINE_DOUBLES) __builtin_prefetch(ahead.at);
    }
}

int64_t tmul_chunk(tmul_pass *p, int64_t chunk, double *scratch) {
    int64_t base[CHUNK_MOST], at[TMUL_MAX_REQUESTS], own[TMUL_MAX_REQUESTS], asked = 0;
    int64_t count = list_columns(p, chunk, at, own, base);
    for (int64_t q = 0; q < p->count; q++) asked += own[q];
    bool apart = p->count > 1 && (double)asked < COMMON * (double)count;
    if (!apart) run_columns(p, 0, p->count, base, count, at, scratch);
    for (int64_t q = 0; apart && q < p->count; q++) {
        const int64_t *cols = p->ask[q]->v->cols;
        run_columns(p, q, q + 1, cols ? cols + at[q] : base, own[q], at, scratch);
    }
    return count;
}

/* ---- one product ---- */

static void square(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] *= x[i];
}

/* Many: tiles of columns against blocks of U. The block of results goes through a small buffer, so
 * that BLAS never sees d as a leading dimension. */
enum { C_BLOCK = 128 };

static void tmul_tiles(const view *v, const double *U, int64_t c, bool squared, double *out,
                       double *tile, double *block, int64_t width, int threads, failure *failed) {
    int64_t tiles = (v->d + width - 1) / width, n = v->n, stride = n;
    const double *direct = v->cols || squared ? NULL : tile_direct(v, &stride);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t first = t * width, w = min64(width, v->d - first);
        double *own = tile + omp_get_thread_num() * n * width;
        double *result = block + omp_get_thread_num() * C_BLOCK * width;
        if (!direct) load_run(v, first, w, own, failed);
        if (squared) square(own, n * w);
        const double *x = direct ? direct + first * stride : own;
        for (int64_t k = 0; k < c; k += C_BLOCK) {
            int64_t wide = min64(C_BLOCK, c - k);
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)w, (int)wide, (int)n, 1, x,
                        (int)stride, U + k * n, (int)n, 0, result, (int)w);
            for (int64_t q = 0; q < wide; q++)
                memcpy(out + first + (k + q) * v->d, result + q * w, (size_t)w * sizeof *out);
        }
    }
}

int64_t tile_tmul_unit(int64_t n, int64_t c) { return c <= TMUL_FEW ? 1 : tile_width(n); }

static pare_status tmul_few(const tmul_request *a, int threads, arena *scratch, pare_error *err) {
    tmul_pass p = tmul_plan(&a, 1);
    int64_t each = tmul_scratch(&p);
    double *own = ARENA_NEW(scratch, double, threads *each);
    if (!own) return error_memory(err);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t k = 0; k < p.chunks; k++) tmul_chunk(&p, k, own + omp_get_thread_num() * each);
    return failure_end(&p.failed, err);
}

pare_status tile_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                      const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    /* A number is met but c times here: so little work that many more must be met to wake a thread. */
    int threads = work_threads(ctx, (double)v->n * (double)v->d * (double)c / 8);
    int64_t width = tile_width(v->n);
    double *tile, *block;
    if (c <= TMUL_FEW) {
        tmul_request one = {v, U, c, squared, out};
        TRY(tmul_few(&one, threads, &scratch, err));
        goto done;
    }
    TRY_MEM(tile = ARENA_NEW(&scratch, double, threads * v->n * width));
    TRY_MEM(block = ARENA_NEW(&scratch, double, threads *C_BLOCK *width));
    tmul_tiles(v, U, c, squared, out, tile, block, width, threads, &failed);
    status = failure_end(&failed, err);
done:
    arena_free(&scratch);
    return status;
}
