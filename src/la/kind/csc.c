/* Compressed sparse columns. Entries that are not stored are 0 before scaling, so after it a column
 * is rest = (0 - shift) scale everywhere plus scale x where x is stored: no operation writes the
 * rest to memory. A view's rows are folded onto the base rows once per call (U is summed, F is
 * copied to the repeats), after which the loops over entries do not know about them. */
#include "la/kind/csc.h"

#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- rows of a view ---- */

row_map csc_map_fill(const view *v, int32_t *start, int32_t *pos) {
    bool ordered = true;
    memset(start, 0, (size_t)(v->x->n + 1) * sizeof *start);
    for (int64_t i = 0; i < v->n; i++) {
        start[v->rows[i] + 1]++;
        ordered = ordered && (i == 0 || v->rows[i - 1] <= v->rows[i]);
    }
    for (int64_t r = 0; r < v->x->n; r++) start[r + 1] += start[r];
    for (int64_t i = 0; i < v->n; i++) pos[start[v->rows[i]]++] = (int32_t)i;
    for (int64_t r = v->x->n; r > 0; r--) start[r] = start[r - 1];
    start[0] = 0;
    return (row_map){start, pos, ordered};
}

int64_t csc_expanded(const matrix *of, int64_t base, const row_map *map) {
    const csc_arrays *x = csc_of(of);
    int64_t first = x->col_ptr[base], last = x->col_ptr[base + 1], count = 0;
    if (!map->start) return last - first;
    for (int64_t e = first; e < last; e++)
        count += map->start[x->row[e] + 1] - map->start[x->row[e]];
    return count;
}

int64_t csc_expand(const matrix *of, int64_t base, const row_map *map, double fill, double factor,
                   int32_t *index, double *value) {
    const csc_arrays *x = csc_of(of);
    int64_t first = x->col_ptr[base], last = x->col_ptr[base + 1], count = 0;
    if (!map->start) {
        for (int64_t e = first; e < last; e++, count++) {
            index[count] = x->row[e];
            value[count] = (x->value[e] == x->value[e] ? x->value[e] : fill) * factor;
        }
        return count;
    }
    for (int64_t e = first; e < last; e++) {
        double a = (x->value[e] == x->value[e] ? x->value[e] : fill) * factor;
        for (int32_t k = map->start[x->row[e]]; k < map->start[x->row[e] + 1]; k++) {
            index[count] = map->pos[k];
            value[count++] = a;
        }
    }
    return count;
}

/* Shell's sort with Ciura's gaps: columns are short, and this needs no memory. */
static void sort_pairs(int32_t *index, double *value, int64_t count) {
    static const int64_t gaps[] = {301 * 64, 301 * 16, 301 * 4, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int64_t i = gaps[g]; i < count; i++) {
            int32_t key = index[i];
            double kept = value[i];
            int64_t at = i;
            for (; at >= gaps[g] && index[at - gaps[g]] > key; at -= gaps[g]) {
                index[at] = index[at - gaps[g]];
                value[at] = value[at - gaps[g]];
            }
            index[at] = key;
            value[at] = kept;
        }
}

/* ---- one column ---- */

/* The buffers of a walk. */
typedef struct csc_scratch {
    double *value;  /* n */
    int32_t *index; /* n, with rows only */
    row_map map;
} csc_scratch;

static pare_status csc_walk_open(walk *w, pare_error *err) {
    const view *v = w->v;
    int32_t *start, *pos;
    if (!v->rows && view_is_raw(v)) return PARE_OK;
    csc_scratch *s = w->self = ARENA_ZERO(&w->mem, csc_scratch, 1);
    PASS_MEM(s);
    PASS_MEM(s->value = ARENA_NEW(&w->mem, double, v->n));
    if (!v->rows) return PARE_OK;
    PASS_MEM(ARENA_NEWS(&w->mem, int32_t, v->n, &s->index, &pos));
    PASS_MEM(start = ARENA_NEW(&w->mem, int32_t, v->x->n + 1));
    s->map = csc_map_fill(v, start, pos);
    return PARE_OK;
}

static pare_status csc_column(walk *w, int64_t j, column *out, pare_error *err) {
    (void)err;
    const view *v = w->v;
    const csc_arrays *x = csc_of(v->x);
    csc_scratch *s = w->self;
    int64_t base = view_base(v, j), first = x->col_ptr[base], count = x->col_ptr[base + 1] - first;
    transform t = view_transform(v, base);
    *out = (column){transform_value(t, 0), count, x->row + first, x->value + first};
    if (!s) return PARE_OK;
    if (s->index) {
        out->count = csc_expand(v->x, base, &s->map, NAN, 1, s->index, s->value);
        if (!s->map.ordered) sort_pairs(s->index, s->value, out->count);
        out->index = s->index;
        out->value = s->value;
    }
    for (int64_t e = 0; e < out->count; e++) s->value[e] = transform_value(t, out->value[e]);
    out->value = s->value;
    return PARE_OK;
}

/* ---- X'U ---- */

enum { U_BLOCK = 32 }; /* right-hand sides that run together along an entry */

/* U summed onto base rows and laid out so that a row's U_BLOCK numbers are neighbours: block k0 is
 * n_base x wide, row-major, at k0 * n_base. sums: the column sums of U. */
static void fold_rows(const view *v, const double *U, int64_t c, double *folded, double *sums) {
    int64_t n = v->x->n;
    memset(folded, 0, (size_t)(n * c) * sizeof *folded);
    for (int64_t k = 0; k < c; k++) {
        int64_t k0 = k / U_BLOCK * U_BLOCK, wide = min64(U_BLOCK, c - k0);
        double *at = folded + k0 * n + (k - k0), sum = 0;
        for (int64_t i = 0; i < v->n; i++) {
            at[(v->rows ? v->rows[i] : i) * wide] += U[i + k * v->n];
            sum += U[i + k * v->n];
        }
        sums[k] = sum;
    }
}

/* What a stored x adds to the rest of its column, plain or squared; with s = scale x,
 * (s + rest)^2 - rest^2 = s (s + 2 rest) without cancellation. */
static double entry_gain(transform t, double rest, double x, bool squared) {
    double s = (x == x ? x : t.fill) * t.scale;
    return squared ? s * (s + 2 * rest) : s;
}

/* Without a fill no sample of the view has a missing value. Samples outside it may, and are then
 * counted 0 times, not NaN times. */
static transform counted_transform(const view *v, int64_t base) {
    transform t = view_transform(v, base);
    if (!v->fill) t.fill = 0;
    return t;
}

/* One right-hand side: no block to set up, and the scale leaves the sum. */
static double tmul_one(const view *v, int64_t j, const double *u, double u_sum, bool squared) {
    const csc_arrays *x = csc_of(v->x);
    int64_t base = view_base(v, j), last = x->col_ptr[base + 1];
    transform t = counted_transform(v, base);
    double rest = (0 - t.shift) * t.scale, sum = 0;
    if (squared) {
        for (int64_t e = x->col_ptr[base]; e < last; e++)
            sum += entry_gain(t, rest, x->value[e], true) * u[x->row[e]];
        return sum + rest * rest * u_sum;
    }
    for (int64_t e = x->col_ptr[base]; e < last; e++) {
        double a = x->value[e];
        sum += (a == a ? a : t.fill) * u[x->row[e]];
    }
    return sum * t.scale + rest * u_sum;
}

static void tmul_column(const view *v, int64_t j, const double *folded, const double *sums,
                        int64_t k0, int64_t wide, bool squared, double *out) {
    const csc_arrays *x = csc_of(v->x);
    int64_t base = view_base(v, j);
    transform t = counted_transform(v, base);
    double rest = (0 - t.shift) * t.scale, sum[U_BLOCK];
    for (int64_t k = 0; k < wide; k++) sum[k] = 0;
    for (int64_t e = x->col_ptr[base]; e < x->col_ptr[base + 1]; e++) {
        const double *u = folded + x->row[e] * wide;
        double gain = entry_gain(t, rest, x->value[e], squared);
        for (int64_t k = 0; k < wide; k++) sum[k] += gain * u[k];
    }
    double common = squared ? rest * rest : rest;
    for (int64_t k = 0; k < wide; k++) out[j + (k0 + k) * v->d] = sum[k] + common * sums[k0 + k];
}

static pare_status csc_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                            const pare_ctx *ctx, pare_error *err) {
    enum { RUN = 256 }; /* columns multiplied by one block of U while both are in cache */
    pare_status status = PARE_OK;
    arena scratch = arena_of(ctx);
    double *folded, *sums;
    int threads = work_threads(ctx, (double)(csc_of(v->x)->col_ptr[v->x->d] + v->d) * (double)c);
    TRY_MEM(folded = ARENA_NEW(&scratch, double, v->x->n *c));
    TRY_MEM(sums = ARENA_NEW(&scratch, double, c));
    fold_rows(v, U, c, folded, sums);
    if (c == 1) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
        for (int64_t j = 0; j < v->d; j++) out[j] = tmul_one(v, j, folded, sums[0], squared);
        goto done;
    }
    int64_t runs = (v->d + RUN - 1) / RUN;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t run = 0; run < runs; run++)
        for (int64_t k0 = 0; k0 < c; k0 += U_BLOCK)
            for (int64_t j = run * RUN; j < min64(v->d, (run + 1) * RUN); j++)
                tmul_column(v, j, folded + k0 * v->x->n, sums, k0, min64(U_BLOCK, c - k0), squared,
                            out);
done:
    arena_free(&scratch);
    return status;
}

/* ---- X_S W ---- */

/* Adds columns first .. last-1 of the list, for outputs k0 .. k0+wide-1, onto base rows: sum is
 * n_base x wide, row-major; rest (wide) takes what every row gets. */
static void mul_range(const view *v, const int64_t *S, int64_t s, const double *W, int64_t k0,
                      int64_t wide, int64_t first, int64_t last, double *sum, double *rest) {
    const csc_arrays *x = csc_of(v->x);
    memset(sum, 0, (size_t)(v->x->n * wide) * sizeof *sum);
    memset(rest, 0, (size_t)wide * sizeof *rest);
    for (int64_t p = first; p < last; p++) {
        double w[U_BLOCK];
        bool zero = true;
        for (int64_t k = 0; k < wide; k++) {
            w[k] = W[p + (k0 + k) * s];
            zero = zero && w[k] == 0;
        }
        if (zero) continue;
        int64_t base = view_base(v, S ? S[p] : p);
        transform t = counted_transform(v, base);
        for (int64_t k = 0; k < wide; k++) rest[k] += (0 - t.shift) * t.scale * w[k];
        for (int64_t e = x->col_ptr[base]; e < x->col_ptr[base + 1]; e++) {
            double *at = sum + x->row[e] * wide;
            double gain = entry_gain(t, 0, x->value[e], false);
            for (int64_t k = 0; k < wide; k++) at[k] += gain * w[k];
        }
    }
}

static void mul_range_one(const view *v, const int64_t *S, const double *W, int64_t first,
                          int64_t last, double *sum, double *rest) {
    const csc_arrays *x = csc_of(v->x);
    memset(sum, 0, (size_t)v->x->n * sizeof *sum);
    *rest = 0;
    for (int64_t p = first; p < last; p++) {
        if (W[p] == 0) continue;
        int64_t base = view_base(v, S ? S[p] : p), stop = x->col_ptr[base + 1];
        transform t = counted_transform(v, base);
        double w = t.scale * W[p];
        *rest += (0 - t.shift) * w;
        for (int64_t e = x->col_ptr[base]; e < stop; e++)
            sum[x->row[e]] += (x->value[e] == x->value[e] ? x->value[e] : t.fill) * w;
    }
}

/* Where the sums are small, each range of columns has its own; else only the outputs are divided
 * among threads. The choice depends on sizes only, and the ranges are added in order. */
static pare_status csc_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                           double *F, const pare_ctx *ctx, pare_error *err) {
    enum { MAX_PARTS = 16, MAX_SMALL = 1 << 18, MIN_COLUMNS = 1024 };
    pare_status status = PARE_OK;
    arena scratch = arena_of(ctx);
    int64_t n = v->x->n, blocks = (c + U_BLOCK - 1) / U_BLOCK;
    int64_t parts = n * c <= MAX_SMALL ? min64(MAX_PARTS, s / MIN_COLUMNS + 1) : 1;
    int threads = work_threads(ctx, (double)(csc_of(v->x)->col_ptr[v->x->d] + s) * (double)c);
    double *sum, *rest;
    TRY_MEM(sum = ARENA_NEW(&scratch, double, parts *n *c));
    TRY_MEM(rest = ARENA_NEW(&scratch, double, parts *c));
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < parts * blocks; i++) {
        int64_t part = i % parts, k0 = i / parts * U_BLOCK;
        int64_t first = s * part / parts, last = s * (part + 1) / parts;
        if (c == 1)
            mul_range_one(v, S, W, first, last, sum + part * n, rest + part);
        else
            mul_range(v, S, s, W, k0, min64(U_BLOCK, c - k0), first, last,
                      sum + part * n * c + k0 * n, rest + part * c + k0);
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < c; k++) {
        int64_t k0 = k / U_BLOCK * U_BLOCK, wide = min64(U_BLOCK, c - k0);
        double common = 0;
        for (int64_t part = 0; part < parts; part++) common += rest[part * c + k];
        for (int64_t i = 0; i < v->n; i++) {
            const double *at = sum + k0 * n + (v->rows ? v->rows[i] : i) * wide + (k - k0);
            double total = 0;
            for (int64_t part = 0; part < parts; part++) total += at[part * n * c];
            F[i + k * v->n] = total + common;
        }
    }
done:
    arena_free(&scratch);
    return status;
}

/* ---- statistics ---- */

/* The rows of a view on base rows: total weight and number of those of positive weight. */
typedef struct seen {
    double weight;
    int64_t count;
} seen;

static col_stats column_stats(const csc_arrays *x, int64_t base, const seen *rows, seen all) {
    col_stats s = {.min = INFINITY, .max = -INFINITY};
    int64_t first = x->col_ptr[base], last = x->col_ptr[base + 1];
    double sum = 0, squares = 0, left = 0;
    seen listed = {0, 0}, missing = {0, 0};
    for (int64_t e = first; e < last; e++) {
        seen r = rows[x->row[e]];
        double a = x->value[e];
        if (r.count == 0) continue;
        if (a != a) {
            missing.weight += r.weight;
            missing.count += r.count;
            continue;
        }
        listed.weight += r.weight;
        listed.count += r.count;
        sum += r.weight * a;
        s.min = a < s.min ? a : s.min;
        s.max = a > s.max ? a : s.max;
        s.nonzeros += a != 0 ? r.count : 0;
    }
    s.missing = missing.count;
    seen zeros = {all.weight - listed.weight - missing.weight,
                  all.count - listed.count - missing.count};
    if (zeros.count == 0 || !(zeros.weight > 0))
        zeros.weight = 0; /* rounding left less than one sample */
    if (zeros.count > 0) {
        s.min = fmin(s.min, 0);
        s.max = fmax(s.max, 0);
    }
    double total = listed.weight + zeros.weight;
    if (!(total > 0)) return (col_stats){.missing = s.missing};
    if (s.min == s.max) { /* exactly constant, whatever the mean rounds to */
        s.mean = s.min;
        return s;
    }
    s.mean = sum / total;
    left = zeros.weight * (0 - s.mean);
    squares = zeros.weight * s.mean * s.mean;
    for (int64_t e = first; e < last; e++) {
        seen r = rows[x->row[e]];
        double a = x->value[e];
        if (r.count == 0 || a != a) continue;
        left += r.weight * (a - s.mean);
        squares += r.weight * (a - s.mean) * (a - s.mean);
    }
    s.var = fmax(0, (squares - left * (left / total)) / total);
    s.mean += left / total;
    return s;
}

static pare_status csc_stats(const view *v, const double *weight, col_stats *out,
                             const pare_ctx *ctx, pare_error *err) {
    seen *rows = mem_zero(ctx_allocator(ctx), v->x->n, sizeof *rows), all = {0, 0};
    if (!rows) return error_memory(err);
    for (int64_t i = 0; i < v->n; i++) {
        double w = weight ? weight[i] : 1;
        seen *r = &rows[v->rows ? v->rows[i] : i];
        if (!(w > 0)) continue;
        r->weight += w;
        r->count++;
        all.weight += w;
        all.count++;
    }
    int threads = work_threads(ctx, (double)(csc_of(v->x)->col_ptr[v->x->d] + v->d));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (int64_t j = 0; j < v->d; j++)
        out[j] = column_stats(csc_of(v->x), view_base(v, j), rows, all);
    mem_free(ctx_allocator(ctx), rows);
    return PARE_OK;
}

/* ---- compact ---- */

static pare_status csc_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    const pare_allocator *mem = ctx_allocator(ctx);
    arena scratch;
    arena_init(&scratch, mem);
    int32_t *start, *pos, *row = NULL;
    int64_t *col_ptr = NULL;
    double *value = NULL;
    row_map map = {NULL, NULL, true};
    if (v->rows) {
        TRY_MEM(start = ARENA_NEW(&scratch, int32_t, v->x->n + 1));
        TRY_MEM(pos = ARENA_NEW(&scratch, int32_t, v->n));
        map = csc_map_fill(v, start, pos);
    }
    TRY_MEM(col_ptr = mem_alloc(mem, v->d + 1, sizeof *col_ptr));
    col_ptr[0] = 0;
    for (int64_t j = 0; j < v->d; j++)
        col_ptr[j + 1] = col_ptr[j] + csc_expanded(v->x, view_base(v, j), &map);
    TRY_MEM(row = mem_alloc(mem, col_ptr[v->d], sizeof *row));
    TRY_MEM(value = mem_alloc(mem, col_ptr[v->d], sizeof *value));
    int threads = work_threads(ctx, (double)col_ptr[v->d]);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
    for (int64_t j = 0; j < v->d; j++) {
        int32_t *to = row + col_ptr[j];
        int64_t count = csc_expand(v->x, view_base(v, j), &map, NAN, 1, to, value + col_ptr[j]);
        if (!map.ordered) sort_pairs(to, value + col_ptr[j], count);
    }
    TRY(mat_csc_own(out, v->n, v->d, (csc_arrays){col_ptr, row, value}, mem, err));
done:
    if (status != PARE_OK) {
        mem_free(mem, col_ptr);
        mem_free(mem, row);
        mem_free(mem, value);
    }
    arena_free(&scratch);
    return status;
}

/* ---- the kind ---- */

static double csc_stored(const matrix *x) { return (double)csc_of(x)->col_ptr[x->d]; }

static void csc_free(matrix *x, const pare_allocator *mem) {
    csc_owned *own = x->self;
    mat_release release = own->release;
    for (int k = 0; k < 3; k++) mem_free(mem, own->own[k]);
    mem_free(mem, own);
    if (release.call) release.call(release.user);
}

/* The value at one row of a column: its entries are sorted. */
static double entry(const csc_arrays *a, int64_t j, int32_t row) {
    int64_t lo = a->col_ptr[j], end = a->col_ptr[j + 1], hi = end;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (a->row[mid] < row)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && a->row[lo] == row ? a->value[lo] : 0;
}

/* Dense columns, for kinds that show a sparse matrix as a dense one. */
static pare_status csc_load(const matrix *x, const int64_t *base, int64_t count,
                            const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const csc_arrays *a = csc_of(x);
    (void)err;
    for (int64_t k = 0; k < count; k++, out += n) {
        int64_t j = base[k];
        for (int64_t i = 0; i < n; i++) out[i] = rows ? entry(a, j, rows[i]) : 0;
        for (int64_t e = a->col_ptr[j]; !rows && e < a->col_ptr[j + 1]; e++)
            out[a->row[e]] = a->value[e];
    }
    return PARE_OK;
}

#define CSC                                                                                        \
    .kind = "sparse", .sparse = true, .stored = csc_stored, .load = csc_load, .gram = csc_gram,    \
    .gram_many = csc_gram_many, .tmul = csc_tmul, .mul = csc_mul, .stats = csc_stats,              \
    .compact = csc_compact, .walk_open = csc_walk_open, .column = csc_column
static const mat_ops csc_ops = {CSC, .free = csc_free};
static const mat_ops csc_borrowed_ops = {CSC};

matrix mat_csc(int64_t n, int64_t d, const csc_arrays *of) {
    bool missing = any_missing(of->value, of->col_ptr[d]);
    return (matrix){&csc_borrowed_ops, n, d, missing, (void *)of};
}

pare_status csc_keep(matrix *out, int64_t n, int64_t d, const csc_owned *what,
                     const pare_allocator *mem, pare_error *err) {
    csc_owned *own = mem_alloc(mem, 1, sizeof *own);
    if (!own) return error_memory(err);
    *own = *what;
    *out = mat_csc(n, d, &own->of);
    out->ops = &csc_ops;
    return PARE_OK;
}

pare_status mat_csc_own(matrix *out, int64_t n, int64_t d, csc_arrays of, const pare_allocator *mem,
                        pare_error *err) {
    csc_owned what = {.of = of, .own = {(void *)of.col_ptr, (void *)of.row, (void *)of.value}};
    return csc_keep(out, n, d, &what, mem, err);
}
