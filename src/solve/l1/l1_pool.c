/* See l1_pool.h. Columns are stored row by row, as the dual changes on few samples in a pivot:
 * prices read only the rows of these samples, and the rows of the basis are contiguous. Sparse
 * columns are priced in X, and only those in use are copied. */
#include "solve/l1/l1_pool.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

enum { MOSTLY = 10 };     /* dense data with at most one nonzero in MOSTLY count as sparse */
enum { CELLS = 1 << 21 }; /* of candidates' columns that are kept in any case */
enum { MIN_CANDIDATES = 64, SHARE = 8 }; /* candidates at first: FEW and a SHARE-th of all */
enum { SOON = 8 }; /* pivots: if all are priced again after fewer, allow more candidates */
static const double rounding = 1e-15;  /* of |u| and of |v| */
static const double nearly = 1 - 1e-9; /* of mu: rounding in the bound */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

/* The capacity for dense data. */
static int64_t dense_capacity(const view *x, int64_t most) {
    int64_t n = largest(x->n, 1);
    return 2 + least(x->d, largest(2 * most + MIN_CANDIDATES, CELLS / n));
}

static bool sparse(const l1_pool *q) { return mat_is_sparse(q->x.x); }

double l1_pool_bytes(const view *x, int64_t most) {
    double n = (double)x->n, d = (double)x->d;
    if (mat_is_sparse(x->x)) return 8 * (n * (double)(most + 3) + 12 * d);
    double thin = 12 * n * d / MOSTLY + 8 * (double)x->x->d; /* bytes of the sparse copy */
    return 8 * (n * (double)(dense_capacity(x, most) + 2) + 12 * d) + thin;
}

/* A sparse copy of dense data that are mostly zeros: the rows of x, all columns of its matrix, with
 * those outside the view empty. *out is NULL for other data. */
static pare_status thin_copy(const matrix **out, arena *mem, const view *x, const pare_ctx *ctx,
                             pare_error *err) {
    view raw = {.x = x->x, .rows = x->rows, .n = x->n, .cols = x->cols, .d = x->d};
    int64_t count = 0, c, most = x->n * x->d / MOSTLY, full = x->x->d;
    walk w;
    column col;
    *out = NULL;
    pare_status status = walk_open(&w, &raw, NULL, x->d, ctx, err);
    if (status != PARE_OK) return status;
    while (count <= most && walk_next(&w, &c, &col))
        for (int64_t i = 0; i < x->n; i++) count += col.value[i] != 0;
    if (count > most) goto done;
    matrix *thin = ARENA_NEW(mem, matrix, 1);
    csc_arrays *of = ARENA_NEW(mem, csc_arrays, 1);
    int64_t *start = ARENA_ZERO(mem, int64_t, full + 1);
    int32_t *row = ARENA_NEW(mem, int32_t, count);
    double *kept = ARENA_NEW(mem, double, count);
    TRY_MEM(thin && of && start && row && kept);
    for (c = 0; c < x->d; c++) start[x->cols ? x->cols[c] : c] = c + 1; /* in the view */
    for (int64_t j = 0, at = 0; j <= full; j++) {
        int64_t seen = start[j];
        start[j] = at;
        if (seen && !walk_at(&w, seen - 1, &col)) goto done;
        for (int64_t i = 0; seen && i < x->n; i++) {
            if (col.value[i] == 0) continue;
            row[at] = (int32_t)i;
            kept[at++] = col.value[i];
        }
    }
    *of = (csc_arrays){start, row, kept};
    *thin = mat_csc(x->n, full, of);
    *out = thin;
done:
    return walk_end(&w, status, err);
}

pare_status l1_pool_init(l1_pool *q, arena *mem, const view *x, int64_t most, bool intercept,
                         const pare_ctx *ctx, pare_error *err) {
    int64_t n = x->n, d = x->d;
    *q = (l1_pool){.x = *x, .n = n, .d = d, .age = SOON};
    const matrix *thin = NULL;
    if (!sparse(q) && n > 0) PASS(thin_copy(&thin, mem, x, ctx, err));
    if (thin) {
        q->x.x = thin;
        q->x.rows = NULL;
    }
    q->capacity = sparse(q) ? d + 2 : dense_capacity(x, most);
    q->stride = sparse(q) ? most + 1 : q->capacity;
    q->limit = least(q->capacity, MIN_CANDIDATES + most + d / SHARE);
    PASS_MEM(q->X = ARENA_ZERO(mem, double, n * q->stride));
    PASS_MEM(ARENA_NEWS(mem, int64_t, q->capacity, &q->feature, &q->base, &q->found));
    PASS_MEM(q->place = ARENA_NEW(mem, int64_t, d));
    PASS_MEM(ARENA_ZEROS(mem, double, q->capacity, &q->at, &q->per));
    PASS_MEM(q->price = ARENA_NEW(mem, double, 2 * d));
    PASS_MEM(q->norm = ARENA_NEW(mem, double, d));
    PASS_MEM(ARENA_NEWS(mem, double, n, &q->past, &q->column));
    for (int64_t j = 0; j < d; j++) q->place[j] = -1;
    if (intercept) {
        q->feature[0] = -1;
        q->used = q->count = 1;
        for (int64_t i = 0; i < n; i++) q->X[i * q->stride] = 1;
    }
    return PARE_OK;
}

static void put_column(l1_pool *q, int64_t place, const double *values) {
    for (int64_t i = 0; i < q->n; i++) q->X[i * q->stride + place] = values[i];
}

static pare_status load_column(const l1_pool *q, int64_t j, double *out, const pare_ctx *ctx,
                               pare_error *err) {
    return mat_columns(&q->x, &j, 1, out, ctx, err);
}

/* Appends a candidate. */
static pare_status add(l1_pool *q, int64_t j, const pare_ctx *ctx, pare_error *err) {
    int64_t place = q->count++;
    q->feature[place] = j;
    q->base[place] = q->x.cols ? q->x.cols[j] : j;
    q->place[j] = place;
    if (sparse(q)) return PARE_OK;
    pare_status status = load_column(q, j, q->column, ctx, err);
    put_column(q, place, q->column);
    return status;
}

/* out = sum_i v_i X_i over places first .. end, rows of v_i = 0 left out; four at a time. */
static void add_rows(const l1_pool *q, const double *v, int64_t first, int64_t end, double *out) {
    const double *x[4] = {0};
    double c[4] = {0};
    int have = 0;
    for (int64_t k = first; k < end; k++) out[k] = 0;
    for (int64_t i = 0; i < q->n; i++) {
        if (v[i] == 0) continue;
        x[have] = q->X + i * q->stride;
        c[have++] = v[i];
        if (have < 4) continue;
        have = 0;
        for (int64_t k = first; k < end; k++)
            out[k] += (c[0] * x[0][k] + c[1] * x[1][k]) + (c[2] * x[2][k] + c[3] * x[3][k]);
    }
    for (int t = 0; t < have; t++)
        for (int64_t k = first; k < end; k++) out[k] += c[t] * x[t][k];
}

/* X_j'v of the candidates from place `first` on. */
static pare_status multiply(l1_pool *q, int64_t first, const double *v, double *out,
                            const pare_ctx *ctx, pare_error *err) {
    if (!sparse(q)) {
        add_rows(q, v, first, q->count, out);
        return PARE_OK;
    }
    view some = q->x;
    some.cols = q->base + first;
    some.d = q->count - first;
    return some.d > 0 ? mat_tmul(&some, v, 1, out + first, ctx, err) : PARE_OK;
}

static pare_status price_from(l1_pool *q, int64_t first, const double *dual, const pare_ctx *ctx,
                              pare_error *err) {
    pare_status status = multiply(q, first, dual, q->at, ctx, err);
    return status == PARE_OK ? multiply(q, first, dual + q->n, q->per, ctx, err) : status;
}

pare_status l1_pool_refresh(l1_pool *q, const double *dual, const pare_ctx *ctx, pare_error *err) {
    return price_from(q, q->used, dual, ctx, err);
}

pare_status l1_pool_product(l1_pool *q, const double *v, double *out, const pare_ctx *ctx,
                            pare_error *err) {
    return multiply(q, q->used, v, out, ctx, err);
}

void l1_pool_used_product(const l1_pool *q, const double *v, double *out) {
    add_rows(q, v, 0, q->used, out);
}

pare_status l1_pool_combine(l1_pool *q, double alpha, const double *w, double *out,
                            const pare_ctx *ctx, pare_error *err) {
    int64_t first = q->used > 0 && q->feature[0] < 0; /* past the intercept */
    if (q->used == 0 || q->n == 0) return PARE_OK;
    if (!sparse(q)) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)q->n, (int)q->used, alpha, q->X,
                    (int)q->stride, w, 1, 1, out, 1);
        return PARE_OK;
    }
    pare_status status =
        mat_mul(&q->x, q->feature + first, q->used - first, w + first, 1, q->column, ctx, err);
    double b = first ? w[0] : 0;
    for (int64_t i = 0; i < q->n && status == PARE_OK; i++) out[i] += alpha * (q->column[i] + b);
    return status;
}

/* Computed on demand: some callers use the first breakpoint only. */
static pare_status find_norms(l1_pool *q, const pare_ctx *ctx, pare_error *err) {
    if (q->normed) return PARE_OK;
    for (int64_t i = 0; i < q->n; i++) q->column[i] = 1;
    pare_status status = mat_tmul2(&q->x, q->column, 1, q->norm, ctx, err);
    for (int64_t j = 0; j < q->d && status == PARE_OK; j++) q->norm[j] = sqrt(q->norm[j]);
    q->normed = status == PARE_OK;
    return status;
}

pare_status l1_pool_bound(l1_pool *q, const double *u, double mu, const double *dual, bool *many,
                          const pare_ctx *ctx, pare_error *err) {
    double along = 0, size = 0, square = 0;
    pare_status status = find_norms(q, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t i = 0; i < q->n; i++) along += u[i] * q->past[i];
    if (q->past_square > 0) along /= q->past_square;
    for (int64_t i = 0; i < q->n; i++) {
        double dropped = u[i] - along * q->past[i];
        square += dropped * dropped;
        size += u[i] * u[i];
    }
    double dropped = sqrt(square) + rounding * (sqrt(size) + fabs(along) * sqrt(q->past_square));
    int64_t first = q->count, found = 0, free = q->limit - q->count;
    *many = true;
    q->age++;
    for (int64_t j = 0; j < q->d; j++) {
        if (!(fabs(along) * q->price[j] + q->norm[j] * dropped >= nearly * mu)) continue;
        if (q->place[j] >= 0) continue;
        if (found >= free) return PARE_OK;
        q->found[found++] = j;
    }
    *many = false;
    for (int64_t k = 0; k < found && status == PARE_OK; k++) status = add(q, q->found[k], ctx, err);
    return status == PARE_OK ? price_from(q, first, dual, ctx, err) : status;
}

pare_status l1_pool_price_all(l1_pool *q, const double *dual, const pare_ctx *ctx,
                              pare_error *err) {
    return mat_tmul(&q->x, dual, 2, q->price, ctx, err);
}

pare_status l1_pool_restart(l1_pool *q, const double *u, double by, int64_t entrant,
                            const pare_ctx *ctx, pare_error *err) {
    if (q->age < SOON) q->limit = least(q->capacity - 1, 2 * q->limit);
    q->age = 0;
    q->past_square = 0;
    for (int64_t i = 0; i < q->n; i++) {
        q->past[i] = u[i];
        q->past_square += u[i] * u[i];
    }
    for (int64_t k = q->used; k < q->count; k++) q->place[q->feature[k]] = -1;
    q->count = q->used;
    pare_status status = PARE_OK;
    if (entrant >= 0) {
        q->at[q->used] = q->price[entrant];
        q->per[q->used] = q->price[q->d + entrant];
        status = add(q, entrant, ctx, err);
    }
    for (int64_t j = 0; j < q->d; j++) q->price[j] = fabs(q->price[j] + by * q->price[q->d + j]);
    return status;
}

pare_status l1_pool_column(const l1_pool *q, int64_t place, double *out, const pare_ctx *ctx,
                           pare_error *err) {
    if (sparse(q)) return load_column(q, q->feature[place], out, ctx, err);
    for (int64_t i = 0; i < q->n; i++) out[i] = q->X[i * q->stride + place];
    return PARE_OK;
}

static void swap_numbers(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void swap_places(l1_pool *q, int64_t a, int64_t b) {
    if (a == b) return;
    int64_t j = q->feature[a], base = q->base[a];
    q->feature[a] = q->feature[b];
    q->feature[b] = j;
    q->base[a] = q->base[b];
    q->base[b] = base;
    q->place[q->feature[a]] = a;
    q->place[q->feature[b]] = b;
    swap_numbers(q->at + a, q->at + b);
    swap_numbers(q->per + a, q->per + b);
    if (a < q->stride && b < q->stride)
        for (int64_t i = 0; i < q->n; i++)
            swap_numbers(q->X + i * q->stride + a, q->X + i * q->stride + b);
}

void l1_pool_exchange(l1_pool *q, int64_t in, int64_t out, const double *values) {
    if (in < 0) {
        if (out >= 0) swap_places(q, out, --q->used);
        return;
    }
    int64_t to = out >= 0 ? out : q->used++;
    swap_places(q, to, in);
    if (sparse(q)) put_column(q, to, values);
}
