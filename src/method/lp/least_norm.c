#include "method/lp/least_norm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solve/l1/least_error.h"

static const double nothing = 1e-11;       /* of the range of y */
static const double LARGEST = 1 - 0x1p-53; /* lambda: the last number below 1 */

double least_norm_heaviest(const double *weight, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, weight[i]);
    return most > 0 ? most : 1;
}

pare_status least_norm_ranges(double *range, const fit_job *job, const pare_ctx *ctx,
                              pare_error *err) {
    walk w;
    column c;
    int64_t j;
    PASS(walk_open(&w, job->x, NULL, job->x->d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        range[j] = c.index && c.count < job->x->n ? fabs(c.rest) : 0;
        for (int64_t e = 0; e < c.count; e++) range[j] = fmax(range[j], fabs(c.value[e]));
    }
    return walk_close(&w, err);
}

double least_norm_lambda(double mu) { return fmin(mu / (1 + mu), LARGEST); }
double least_norm_mu(double lambda) { return lambda / (1 - lambda); }

pare_status least_norm_mu_max(double *mu, const fit_job *job, const double *weight,
                              const pare_ctx *ctx, pare_error *err) {
    l1_path *path;
    l1_segment first;
    pare_status status =
        l1_path_open(&path, job->x, job->y->value, weight, job->set->common.intercept, 0, ctx, err);
    if (status != PARE_OK) return status;
    status = l1_path_next(path, &first, ctx, err);
    *mu = first.mu_low;
    l1_path_free(path);
    return status;
}

pare_status least_norm_raise(fit_result *r, double *lambda, double heaviest, pare_error *err) {
    double least = least_norm_lambda(LEAST_NORM_FLOOR * heaviest);
    if (*lambda == 0 || *lambda >= least) return PARE_OK;
    double asked = *lambda;
    *lambda = least;
    return fit_note(r, err,
                    "lambda %.6g was raised to %.6g: a smaller penalty beside these sample weights "
                    "cannot be told from rounding",
                    asked, least);
}

pare_status least_norm_clean(lp_weight *weight, int64_t *count, const fit_job *job,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, kept = 0;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, job->y->value[i]);
        high = fmax(high, job->y->value[i]);
    }
    if (!job->set->common.intercept) { /* without an intercept the path starts from zero */
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    double *values = mem_alloc(ctx_allocator(ctx), n, sizeof *values);
    if (!values) return error_memory(err);
    pare_status status = PARE_OK;
    for (int64_t k = 0; k < *count && status == PARE_OK; k++) {
        double largest = 0;
        status = mat_columns(job->x, &weight[k].feature, 1, values, ctx, err);
        for (int64_t i = 0; i < n && status == PARE_OK; i++)
            largest = fmax(largest, fabs(values[i]));
        if (fabs(weight[k].value) * largest > nothing * (high - low)) weight[kept++] = weight[k];
    }
    *count = kept;
    mem_free(ctx_allocator(ctx), values);
    return status;
}

pare_status least_norm_keep(fit_result *r, const fit_job *job, const lp_weight *weight,
                            int64_t count, double b, const double *dual, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    pare_status status = PARE_OK;
    double *W = mem_zero(&r->mem.mem, d, sizeof *W);
    TRY_MEM(W);
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, 1));
    TRY_MEM(r->dual = ARENA_ZERO(&r->mem, double, n));
    for (int64_t k = 0; k < count; k++) W[weight[k].feature] = weight[k].value;
    r->b[0] = b;
    r->n_dual = 1;
    if (dual) memcpy(r->dual, dual, sizeof *dual * (size_t)n);
    TRY(fit_support(r, W, d, 1, err));
    r->n_point = r->n_support; /* for a later refit on the k best */
    r->point = r->support;
    r->point_W = r->W;
    r->point_b = r->b;
done:
    mem_free(&r->mem.mem, W);
    return status;
}

pare_status least_norm_by_path(fit_result *r, const fit_job *job, const double *loss, double lambda,
                               const pare_ctx *ctx, pare_error *err) {
    least_error found;
    lp_weight *kept = NULL;
    pare_status status = PARE_OK;
    TRY(least_error_solve(&found, job->x, job->y->value, loss, lambda, job->set->common.intercept,
                          ctx, err));
    int64_t count = found.n_weight;
    TRY_MEM(kept = mem_alloc(&r->mem.mem, count, sizeof *kept));
    if (count) memcpy(kept, found.weight, sizeof *kept * (size_t)count);
    TRY(least_norm_clean(kept, &count, job, ctx, err));
    TRY(least_norm_keep(r, job, kept, count, found.b, found.dual, err));
    r->objective = found.objective;
    r->outcome = found.outcome;
    r->iterations += found.pivots;
done:
    mem_free(&r->mem.mem, kept);
    least_error_free(&found);
    return status;
}
