/* The certificate of `lstsq`: the residual of the normal equations. With r_i = b_i - a_i'x - b0,
 *   objective  sum_i w_i r_i^2
 *   value      max over the columns, and the intercept's column of ones, of |sum_i w_i a_ij r_i|,
 *              columns as scaled and with an intercept centred by their weighted mean
 *   relative   value over the largest it could be, max_j |a_j| |b| in the weighted 2-norm, b
 *              centred likewise
 * Columns with a sign whose coefficient is 0: only what of the sum it may follow.
 * Zero at a least-squares solution; a singular value s <= tol that was set to zero leaves at most
 * tol |b|. Cost: two passes over the columns. */
#include <math.h>

#include "base/error.h"
#include "certify/certify.h"

static const double ROUNDING = 1e-18; /* of b^2: rounding of a centred constant b */

static double weight_of(const cert_job *job, int64_t i) { return job->weight ? job->weight[i] : 1; }

static double mean_of(const cert_job *job, const double *v, int64_t n) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += weight_of(job, i) * v[i];
        total += weight_of(job, i);
    }
    return job->with_intercept && total > 0 ? sum / total : 0;
}

pare_status certify_lstsq(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                          pare_error *err) {
    if (!job->coef) return PARE_OK;
    int64_t n = job->data->x.n;
    const double *y = job->y->value;
    cert_reader reader;
    cert_column col = {0};
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    double *r = ARENA_NEW(&reader.mem, double, n);
    TRY_MEM(r);
    TRY_MEM(col.x = ARENA_NEW(&reader.mem, double, n));
    int64_t *position = cert_positions(&reader);
    bool wrong = false;
    TRY_MEM(position);
    for (int64_t i = 0; i < n; i++) r[i] = y[i] - job->intercept[0];
    for (int64_t k = 0; k < job->n_coef; k++) {
        if (job->coef[k] == 0) continue;
        wrong |= cert_forbids(job, job->index[k], job->coef[k]);
        cert_column_read(&reader, job->index[k], &col);
        for (int64_t i = 0; i < n; i++) r[i] -= job->coef[k] * col.x[i];
    }
    double objective = 0, total = 0, sum = 0, size = 0, mean = mean_of(job, y, n);
    for (int64_t i = 0; i < n; i++) {
        double w = weight_of(job, i);
        objective += w * r[i] * r[i];
        size += w * (y[i] - mean) * (y[i] - mean) + w * ROUNDING * y[i] * y[i];
        sum += w * r[i];
        total += w;
    }
    double worst = job->with_intercept ? fabs(sum) : 0, longest = 0;
    if (job->with_intercept) longest = sqrt(total);
    for (int64_t c = 0; c < job->n_cols; c++) {
        double along = 0, length = 0;
        int64_t j = job->cols ? job->cols[c] : c;
        cert_column_read(&reader, j, &col);
        double centre = mean_of(job, col.x, n);
        double shift = job->with_intercept ? centre : col.shift;
        for (int64_t i = 0; i < n; i++) {
            double w = weight_of(job, i), x = (col.x[i] - shift) * col.scale;
            along += w * x * r[i];
            length += w * x * x;
        }
        bool rests = position[j] < 0 || job->coef[position[j]] == 0;
        worst = fmax(worst, rests ? cert_pull(job, j, along) : fabs(along));
        longest = fmax(longest, sqrt(length));
    }
    double scale = longest * sqrt(size);
    out->objective = wrong ? INFINITY : objective;
    out->certificate = (pare_certificate){PARE_CERT_KKT, worst, worst == 0 ? 0 : worst / scale};
done:
    return cert_close(&reader, status, err);
}

pare_status certify_relaxed_lasso(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                  pare_error *err) {
    cert_job rest = *job;
    target y = *job->y;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t n = job->data->x.n;
    rest.y = &y;
    if (job->offset) {
        TRY_MEM(y.value = ARENA_NEW(&mem, double, n));
        for (int64_t i = 0; i < n; i++) y.value[i] = job->y->value[i] - job->offset[i];
    }
    status = certify_lstsq(out, &rest, ctx, err);
done:
    arena_free(&mem);
    return status;
}
