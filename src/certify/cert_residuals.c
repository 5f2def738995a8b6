/* Residuals of columns after projection on the forced-in features, by plain loops:
 * x - K (K'WK)^-1 K'W x, K the forced-in columns as the problem sees them and the intercept, W the
 * weights of the samples. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

static const double NOTHING = 1e-18; /* of a column's square: rounding */

/* Subtracts from v its projection on the first `count` basis vectors, in units of the root of the
 * weights. */
static void take_away(const cert_reader *r, double *v, int64_t count) {
    int64_t n = r->job->data->x.n;
    for (int turn = 0; turn < 2; turn++)
        for (int64_t q = 0; q < count; q++) {
            const double *basis = r->basis + q * n;
            double along = 0;
            for (int64_t i = 0; i < n; i++) along += basis[i] * v[i];
            for (int64_t i = 0; i < n; i++) v[i] -= along * basis[i];
        }
}

static double square(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

/* Appends the vector behind the basis to it, unless it depends on those before. */
static void join(cert_reader *r) {
    int64_t n = r->job->data->x.n;
    double *v = r->basis + r->n_basis * n, before = square(v, n);
    take_away(r, v, r->n_basis);
    double norm = sqrt(square(v, n));
    if (!(norm * norm > NOTHING * before)) return;
    for (int64_t i = 0; i < n; i++) v[i] /= norm;
    r->n_basis++;
}

pare_status cert_partial_open(cert_reader *r, pare_error *err) {
    const cert_job *job = r->job;
    int64_t n = job->data->x.n, d = job->data->x.d, count = 1;
    bool level = job->with_intercept || job->y->task->by_order;
    for (int64_t j = 0; j < d; j++) count += job->partial[j];
    double *basis = ARENA_NEW(&r->mem, double, n *count);
    cert_column col = {.x = ARENA_NEW(&r->mem, double, n)};
    r->root = ARENA_NEW(&r->mem, double, n);
    if (!basis || !col.x || !r->root) return error_memory(err);
    for (int64_t i = 0; i < n; i++) r->root[i] = sqrt(job->weight ? job->weight[i] : 1);
    for (int64_t j = -1; j < d; j++) {
        if (j < 0 ? !level : !job->partial[j]) continue;
        r->basis = NULL; /* read without projection */
        if (j >= 0) cert_column_read(r, j, &col);
        r->basis = basis;
        double *v = basis + r->n_basis * n;
        for (int64_t i = 0; i < n; i++)
            v[i] = r->root[i] * (j < 0 ? 1 : (col.x[i] - col.shift) * col.scale);
        join(r);
    }
    r->basis = basis;
    return PARE_OK;
}

void cert_partial_take(const cert_reader *r, int64_t j, cert_column *col) {
    int64_t n = r->job->data->x.n;
    double before;
    if (r->job->partial[j]) col->scale = 0;
    if (col->scale == 0) return;
    for (int64_t i = 0; i < n; i++) col->x[i] = r->root[i] * (col->x[i] - col->shift) * col->scale;
    bool level = r->job->with_intercept || r->job->y->task->by_order;
    if (level) take_away(r, col->x, 1);
    before = square(col->x, n);
    take_away(r, col->x, r->n_basis);
    bool nothing = !(square(col->x, n) > NOTHING * before);
    for (int64_t i = 0; i < n; i++) col->x[i] = col->shift + col->x[i] / r->root[i] / col->scale;
    col->mean = level ? col->shift : col->mean;
    if (nothing) col->scale = 0;
}

pare_status cert_partial_target(target *y, arena *mem, const cert_job *job, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t n = job->data->x.n;
    *y = *job->y;
    if (!job->partial || !y->value) return PARE_OK;
    cert_reader r;
    pare_status status = cert_open(&r, job, ctx, err);
    if (status != PARE_OK) return status;
    double *left = ARENA_NEW(mem, double, n);
    TRY_MEM(left);
    for (int64_t i = 0; i < n; i++) left[i] = r.root[i] * y->value[i];
    take_away(&r, left, r.n_basis);
    for (int64_t i = 0; i < n; i++) left[i] /= r.root[i];
    y->value = left;
done:
    return cert_close(&r, status, err);
}
