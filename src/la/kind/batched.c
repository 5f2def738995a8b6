/* Another matrix with missing values filled and the rows of each batch shifted and scaled by column,
 * computed while a tile is loaded, so that there is never a second X. Dense. */
#include <math.h>

#include "base/error.h"
#include "la/storage.h"

static void adjust(double *x, int64_t n, const batched_view *by, const int32_t *rows, int64_t base,
                   int64_t d) {
    for (int64_t i = 0; i < n; i++) {
        int64_t b = by->batch[rows ? rows[i] : i];
        if (by->fill && isnan(x[i])) x[i] = by->fill[base];
        if (by->shift && b >= 0) x[i] = (x[i] - by->shift[b * d + base]) * by->scale[b * d + base];
    }
}

static pare_status batched_load(const matrix *x, const int64_t *base, int64_t count,
                                const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const batched_view *by = x->self;
    pare_status status = by->of->ops->load(by->of, base, count, rows, n, out, err);
    for (int64_t k = 0; k < count && status == PARE_OK; k++, out += n)
        adjust(out, n, by, rows, base[k], x->d);
    return status;
}

static const matrix *batched_of(const matrix *x) { return ((const batched_view *)x->self)->of; }
static double batched_stored(const matrix *x) { return mat_stored(batched_of(x)); }

matrix mat_batched(const batched_view *by) {
    static const mat_ops ops = {
        .kind = "batched", .over = batched_of, .stored = batched_stored, .load = batched_load};
    return (matrix){&ops, by->of->n, by->of->d, by->of->missing && !by->fill, (void *)by};
}
