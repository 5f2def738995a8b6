/* Residuals of another matrix after projection on a few columns, x - A (B'x), computed while a
 * column is loaded, so that there is never a second X. Dense, also where the other matrix is
 * sparse. */
#include "base/error.h"
#include "la/storage.h"

enum { PIECE = 512, MAX_BLOCK = 32 }; /* samples loaded at a time; basis columns summed at a time */

/* out = samples rows[0 .. count) (NULL: from, from + 1, ...) of the scaled column;
 * count <= PIECE. */
static pare_status load_piece(const residual_view *by, int64_t base, const int32_t *rows,
                              int64_t from, int64_t count, double *out, pare_error *err) {
    const view *of = &by->of;
    transform t = view_transform(of, base);
    int32_t at[PIECE] = {0}; /* the compiler cannot see that count > 0 */
    for (int64_t i = 0; i < count; i++) {
        int64_t sample = rows ? rows[i] : from + i;
        at[i] = of->rows ? of->rows[sample] : (int32_t)sample;
    }
    pare_status status = of->x->ops->load(of->x, &base, 1, at, count, out, err);
    for (int64_t i = 0; i < count; i++) out[i] = transform_value(t, out[i]);
    return status;
}

/* sum = B'x for `count` columns of B. x: the whole column if it is loaded, else NULL. */
static pare_status project(const residual_view *by, int64_t base, const double *x, const double *B,
                           int64_t count, double *sum, pare_error *err) {
    int64_t n = by->of.n;
    double piece[PIECE];
    for (int64_t q = 0; q < count; q++) sum[q] = 0;
    for (int64_t from = 0; from < n; from += PIECE) {
        int64_t length = min64(PIECE, n - from);
        PASS(x ? PARE_OK : load_piece(by, base, NULL, from, length, piece, err));
        const double *at = x ? x + from : piece;
        for (int64_t q = 0; q < count; q++)
            for (int64_t i = 0; i < length; i++) sum[q] += B[q * n + from + i] * at[i];
    }
    return PARE_OK;
}

static pare_status load_column(const residual_view *by, int64_t base, const int32_t *rows,
                               int64_t n, double *out, pare_error *err) {
    int64_t whole = by->of.n;
    double sum[MAX_BLOCK];
    if (by->nothing && by->nothing[base]) {
        for (int64_t i = 0; i < n; i++) out[i] = 0;
        return PARE_OK;
    }
    for (int64_t from = 0; from < n; from += PIECE) {
        pare_status status = load_piece(by, base, rows ? rows + from : NULL, from,
                                        min64(PIECE, n - from), out + from, err);
        if (status != PARE_OK) return status;
    }
    /* A and B come from one orthonormal basis: projections on different parts of it do not
     * interact. */
    for (int64_t q = 0; q < by->m; q += MAX_BLOCK) {
        int64_t count = min64(MAX_BLOCK, by->m - q);
        pare_status status =
            project(by, base, !rows ? out : NULL, by->B + q * whole, count, sum, err);
        if (status != PARE_OK) return status;
        for (int64_t p = 0; p < count; p++)
            for (int64_t i = 0; i < n; i++)
                out[i] -= sum[p] * by->A[(q + p) * whole + (rows ? rows[i] : i)];
    }
    return PARE_OK;
}

static pare_status residual_load(const matrix *x, const int64_t *base, int64_t count,
                                 const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const residual_view *by = x->self;
    pare_status status = PARE_OK;
    for (int64_t k = 0; k < count && status == PARE_OK; k++)
        status = load_column(by, base[k], rows, n, out + k * n, err);
    return status;
}

static const matrix *residual_over(const matrix *x) {
    return ((const residual_view *)x->self)->of.x;
}

matrix mat_residual(const residual_view *by) {
    static const mat_ops ops = {.kind = "residual", .over = residual_over, .load = residual_load};
    return (matrix){&ops, by->of.n, by->of.x->d, false, (void *)by};
}
