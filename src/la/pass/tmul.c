/* X'U of few right-hand sides. SIMD_COLUMNS columns at a time are interleaved, and each product of
 * the pass reads its own rows of that block. Columns are loaded unscaled: the shift is subtracted
 * before the product, the scale is applied after. */
#include "la/pass/tmul.h"

#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "la/pass/simd_columns.h"

enum { MAX_CHUNK = 1024, CHUNK_NUMBERS = 1 << 17 };
/* The columns that products request, each counted as often as it is requested, over the number of
 * different ones. Above this the products of a pass share interleaved blocks. Below, most SIMD
 * columns of a shared block would be summed for nothing, so each product interleaves its own
 * columns, which the others have left in the cache. */
static const double MIN_OVERLAP = 1.6;

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
    if (a->c > MAX_FEW_RHS || !any_rows(a->v)) return false;
    for (int64_t j = 1; cols && j < a->v->d; j++)
        if (cols[j] <= cols[j - 1]) return false;
    return true;
}

tmul_pass tmul_plan(const tmul_request *const *request, int64_t count) {
    const view *v = request[0]->v;
    int64_t stride, wide = CHUNK_NUMBERS / v->n / SIMD_COLUMNS * SIMD_COLUMNS;
    tmul_pass p = {.request = request, .count = count};
    p.wide = max64(SIMD_COLUMNS, min64(MAX_CHUNK, wide));
    p.chunks = ((count > 1 ? v->x->d : v->d) + p.wide - 1) / p.wide;
    p.whole = count > 1 || (any_rows(v) && v->x->ops->direct && v->x->ops->direct(v->x, &stride));
    return p;
}

static int64_t block_rows(const tmul_pass *p) {
    const view *v = p->request[0]->v;
    return p->whole ? v->x->n : min64(SIMD_BLOCK_ROWS, v->n);
}

/* The columns that the pass loads: with all rows of X, or with those of its one view. */
static view columns_of(const tmul_pass *p) {
    view raw = unscaled(p->request[0]->v);
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

/* Lists the base columns of a chunk that some product requests. Product q requests own[q] of them,
 * from its view column at[q] on. */
static int64_t list_columns(const tmul_pass *p, int64_t chunk, int64_t *at, int64_t *own,
                            int64_t *base) {
    int64_t from = chunk * p->wide, count = 0;
    const view *v = p->request[0]->v;
    if (p->count == 1) {
        at[0] = from;
        for (int64_t j = from; j < v->d && j < from + p->wide; j++) base[count++] = view_base(v, j);
        own[0] = count;
        return count;
    }
    bool wanted[MAX_CHUNK] = {false}, all = false;
    int64_t wide = min64(p->wide, v->x->d - from);
    for (int64_t q = 0; q < p->count; q++) {
        v = p->request[q]->v;
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

/* The columns of an interleaved block in the view of one product. */
typedef struct simd_list {
    int64_t first; /* view column of the first, where all follow one another; else -1 */
    int64_t place[SIMD_COLUMNS]; /* view column of each, or -1 */
    double shift[SIMD_COLUMNS], scale[SIMD_COLUMNS];
} simd_list;

static void list_transform(simd_list *l, const view *v, const int64_t *base, int64_t count,
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

/* count <= SIMD_COLUMNS base columns; *at: the product's next view column. Returns false if the
 * view has none of them. */
static bool list_fill(simd_list *l, const view *v, const int64_t *base, int64_t count,
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
    if (next > first) list_transform(l, v, base, count, in_a_row);
    return next > first;
}

static void put(const tmul_request *a, const simd_list *l, const double *sum) {
    for (int64_t c = 0; c < a->c; c++) {
        double *out = a->out + c * a->v->d, value[SIMD_COLUMNS], unused;
        for (int64_t k = 0; k < SIMD_COLUMNS; k++) {
            double by = a->squared ? l->scale[k] * l->scale[k] : l->scale[k];
            value[k] = by * sum[c * SIMD_COLUMNS + k];
        }
        if (l->first >= 0)
            memcpy(out + l->first, value, sizeof value);
        else
            for (int64_t k = 0; k < SIMD_COLUMNS; k++)
                *(l->place[k] >= 0 ? out + l->place[k] : &unused) = value[k];
    }
}

static void dots(const tmul_request *a, const simd_list *l, const double *block,
                 const int32_t *rows, int64_t first, int64_t n, double *sum,
                 prefetch_range *ahead) {
    for (int64_t c = 0; c < a->c; c++)
        simd_dot(block, rows, n, l->shift, a->U + c * a->v->n + first, a->squared,
                 sum + c * SIMD_COLUMNS, ahead);
}

/* Finds the columns of a block: in X, or loaded into the buffer. A block of fewer repeats its last
 * one. */
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

/* Finds the columns of the next block in X; false: they are not in memory. */
static bool find_next(const tmul_pass *p, const int64_t *base, int64_t count,
                      const double **where) {
    int64_t stride;
    const matrix *x = p->request[0]->v->x;
    const double *direct = x->ops->direct ? x->ops->direct(x, &stride) : NULL;
    for (int64_t k = 0; direct && k < SIMD_COLUMNS; k++)
        where[k] = direct + base[min64(k, count - 1)] * stride;
    return direct;
}

/* The memory of the columns where they are contiguous, else an empty range. */
static prefetch_range stretch_of(const double *const *where, int64_t n) {
    for (int k = 1; k < SIMD_COLUMNS; k++)
        if (where[k] != where[0] + k * n) return (prefetch_range){0};
    return (prefetch_range){where[0], where[0] + SIMD_COLUMNS * n};
}

/* Computes products first .. end - 1 with these base columns. */
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
        if (more && p->whole) ahead = stretch_of(next, p->request[0]->v->x->n);
        if (ahead.at) more = false; /* the sums prefetch it */
        if (p->whole) simd_interleave(block, where, p->request[0]->v->x->n, more ? next : NULL);
        for (int64_t q = first; q < end; q++) {
            const tmul_request *a = p->request[q];
            double sum[MAX_FEW_RHS * SIMD_COLUMNS];
            memset(sum, 0, sizeof(double) * (size_t)(a->c * SIMD_COLUMNS));
            if (!list_fill(&l, a->v, base + b, wide, &at[q])) continue;
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
    int64_t base[MAX_CHUNK], at[MAX_TMUL_REQUESTS], own[MAX_TMUL_REQUESTS], asked = 0;
    int64_t count = list_columns(p, chunk, at, own, base);
    for (int64_t q = 0; q < p->count; q++) asked += own[q];
    bool separately = p->count > 1 && (double)asked < MIN_OVERLAP * (double)count;
    if (!separately) run_columns(p, 0, p->count, base, count, at, scratch);
    for (int64_t q = 0; separately && q < p->count; q++) {
        const int64_t *cols = p->request[q]->v->cols;
        run_columns(p, q, q + 1, cols ? cols + at[q] : base, own[q], at, scratch);
    }
    return count;
}

/* ---- one product ---- */

static void square(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] *= x[i];
}

/* Many right-hand sides: tiles of columns times blocks of U. The block of results goes through a
 * small buffer, so that BLAS never sees d as a leading dimension. */
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

int64_t tile_tmul_unit(int64_t n, int64_t c) { return c <= MAX_FEW_RHS ? 1 : tile_width(n); }

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
    arena scratch = arena_of(ctx);
    /* Each number takes part in c multiplications only, so that waking a thread pays for large X
     * alone. */
    int threads = work_threads(ctx, (double)v->n * (double)v->d * (double)c / 8);
    int64_t width = tile_width(v->n);
    double *tile, *block;
    if (c <= MAX_FEW_RHS) {
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
