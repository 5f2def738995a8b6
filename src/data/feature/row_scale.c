#include "data/feature/row_scale.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* One pass over the columns of a view: the weight of the samples in which each is not zero. */
static pare_status count_samples(double *df, const view *x, const double *weight,
                                 const pare_ctx *ctx, pare_error *err) {
    walk w;
    column c;
    int64_t j;
    pare_status status = walk_open(&w, x, NULL, x->d, ctx, err);
    while (status == PARE_OK && walk_next(&w, &j, &c)) {
        df[j] = 0;
        for (int64_t e = 0; e < c.count; e++)
            if (c.value[e] != 0) df[j] += weight ? weight[c.index ? c.index[e] : e] : 1;
    }
    return walk_end(&w, status, err);
}

/* One pass: what each row is to be multiplied by. Rows of zeros stay. idf: per column of x. */
static pare_status measure_rows(double *row, const view *x, bool absolute, const double *idf,
                                const pare_ctx *ctx, pare_error *err) {
    walk w;
    column c;
    int64_t j;
    pare_status status = walk_open(&w, x, NULL, x->d, ctx, err);
    memset(row, 0, sizeof *row * (size_t)x->n);
    while (status == PARE_OK && walk_next(&w, &j, &c))
        for (int64_t e = 0; e < c.count; e++) {
            double v = c.value[e] * (idf ? idf[j] : 1);
            row[c.index ? c.index[e] : e] += absolute ? fabs(v) : v * v;
        }
    for (int64_t i = 0; i < x->n; i++)
        row[i] = row[i] > 0 ? 1 / (absolute ? row[i] : sqrt(row[i])) : 0;
    return walk_end(&w, status, err);
}

pare_status row_scale_check(const matrix *x, const char *kind, pare_error *err) {
    if (!x->missing || strcmp(kind, "none") == 0) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "`row_scale` needs whole rows, and the data have missing values: drop the "
                     "samples that have them (`missing drop`)");
}

/* Turns *x into a view of the scaled matrix. col: per column of the matrix, or NULL. */
static pare_status show(view *x, const double *row, const double *col, arena *mem,
                        pare_error *err) {
    row_scaling *by = ARENA_NEW(mem, row_scaling, 1);
    matrix *shown = ARENA_NEW(mem, matrix, 1);
    if (!by || !shown) return error_memory(err);
    *by = (row_scaling){x->x, row, col};
    *shown = mat_row_scaled(by);
    x->x = shown;
    return PARE_OK;
}

pare_status row_scale_fit(view *x, double **idf, const char *kind, const double *weight, arena *mem,
                          const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    view all = view_all(x->x);
    double *row, n = 0;
    *idf = NULL;
    if (strcmp(kind, "none") == 0) return PARE_OK;
    TRY(row_scale_check(x->x, kind, err));
    TRY_MEM(row = ARENA_NEW(mem, double, all.n));
    if (strcmp(kind, "tfidf") == 0) {
        TRY_MEM(*idf = ARENA_NEW(mem, double, all.d));
        TRY(count_samples(*idf, x, weight, ctx, err));
        for (int64_t i = 0; i < x->n; i++) n += weight ? weight[i] : 1;
        for (int64_t j = 0; j < all.d; j++) (*idf)[j] = log((1 + n) / (1 + (*idf)[j])) + 1;
    }
    TRY(measure_rows(row, &all, strcmp(kind, "l1") == 0, *idf, ctx, err));
    TRY(show(x, row, *idf, mem, err));
done:
    return status;
}

pare_status row_scale_apply(view *x, const char *kind, const int64_t *cols, int64_t count,
                            const double *idf, arena *mem, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    view seen = view_all(x->x);
    double *row, *col = NULL;
    if (strcmp(kind, "none") == 0) return PARE_OK;
    TRY(row_scale_check(x->x, kind, err));
    seen.cols = cols;
    seen.d = count;
    TRY_MEM(row = ARENA_NEW(mem, double, seen.n));
    TRY(measure_rows(row, &seen, strcmp(kind, "l1") == 0, idf, ctx, err));
    if (idf) TRY_MEM(col = ARENA_ZERO(mem, double, x->x->d));
    for (int64_t i = 0; idf && i < count; i++) col[cols[i]] = idf[i];
    TRY(show(x, row, col, mem, err));
done:
    return status;
}
