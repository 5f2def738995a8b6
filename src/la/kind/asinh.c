/* asinh((x - median) / spread) of each column of another matrix, computed while a tile is loaded,
 * so that there is never a second X. Dense, also where the other matrix is sparse. */
#include "base/error.h"
#include "la/kind/asinh_row.h"
#include "la/storage.h"

void asinh_values(double *x, int64_t count, double median, double spread) {
    if (spread > 0) asinh_row(x, count, median, spread);
}

double asinh_value(double x, double median, double spread) {
    asinh_values(&x, 1, median, spread);
    return x;
}

static pare_status asinh_load(const matrix *x, const int64_t *base, int64_t count,
                              const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const asinh_view *by = x->self;
    pare_status status = by->of->ops->load(by->of, base, count, rows, n, out, err);
    for (int64_t k = 0; k < count && status == PARE_OK; k++, out += n)
        asinh_values(out, n, by->median[base[k]], by->spread[base[k]]);
    return status;
}

static const double *asinh_under(const matrix *x, int64_t j, double *median, double *spread) {
    const asinh_view *by = x->self;
    int64_t stride;
    const double *at = by->of->ops->direct ? by->of->ops->direct(by->of, &stride) : NULL;
    *median = by->median[j];
    *spread = by->spread[j];
    return at ? at + j * stride : NULL;
}

static const matrix *asinh_over(const matrix *x) { return ((const asinh_view *)x->self)->of; }

static bool asinh_chain(const matrix *x, entry_chain *by) {
    const asinh_view *own = x->self;
    if (by->median || by->row) return false; /* something comes after it */
    by->median = own->median;
    by->spread = own->spread;
    return true;
}

matrix mat_asinh(const asinh_view *by) {
    static const mat_ops ops = {.kind = "asinh",
                                .over = asinh_over,
                                .chain = asinh_chain,
                                .load = asinh_load,
                                .under = asinh_under};
    const mat_ops *own = by->of->ops->asinh;
    return (matrix){own ? own : &ops, by->of->n, by->of->d, by->of->missing, (void *)by};
}
