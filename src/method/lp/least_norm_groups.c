/* The lambda of methods with a 1-norm error and groups of features, whose penalty is the largest
 * coefficient of each, or with signs: the path of solve/l1_path goes feature by feature, to both
 * sides, and supports neither. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "method/lp/least_norm.h"

static const double STEP = 0.5;       /* factor of mu, downwards, until k groups are selected */
static const double NARROWEST = 1e-6; /* ratio - 1 of mu at which the bisection ends */
enum { MAX_STEPS = 80 };

/* A value with the least weighted error. */
static pare_status median_of(double *out, const double *y, const double *weight, int64_t n,
                             arena *mem, pare_error *err) {
    ranked *sorted = ARENA_NEW(mem, ranked, n);
    double total = 0, reached = 0;
    if (!sorted) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        sorted[i] = (ranked){y[i], i};
        total += weight[i];
    }
    sort_least_first(sorted, n);
    for (int64_t i = 0; i < n && reached < total / 2; i++) {
        reached += weight[sorted[i].index];
        *out = sorted[i].key;
    }
    return PARE_OK;
}

/* The dual of the fit without features: the sign of every residual times its weight; samples
 * without one share the balance, by weight. */
static void null_dual(double *u, const double *y, const double *weight, int64_t n, double level,
                      bool intercept) {
    double sum = 0, free = 0;
    for (int64_t i = 0; i < n; i++) {
        u[i] = y[i] > level ? weight[i] : y[i] < level ? -weight[i] : 0;
        sum += u[i];
        free += y[i] == level ? weight[i] : 0;
    }
    for (int64_t i = 0; i < n && intercept && free > 0; i++)
        if (y[i] == level) u[i] = -sum * weight[i] / free;
}

pare_status least_norm_mu_max_groups(double *mu, const fit_job *job, const feature_blocks *blocks,
                                     const double *weight, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    const double *y = job->y->value;
    bool intercept = job->set->common.intercept;
    double level = 0;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *u = ARENA_NEW(&mem, double, n), *price = ARENA_NEW(&mem, double, d);
    double *sum = ARENA_NEW(&mem, double, blocks->count);
    TRY_MEM(u && price && sum);
    if (intercept) TRY(median_of(&level, y, weight, n, &mem, err));
    null_dual(u, y, weight, n, level, intercept);
    TRY(mat_tmul(job->x, u, 1, price, ctx, err));
    *mu = 0;
    blocks_pull(blocks, price, d);
    blocks_sum(blocks, price, sum);
    for (int64_t j = 0; j < d; j++) *mu = fmax(*mu, price[j]);
done:
    arena_free(&mem);
    return status;
}

/* The quantity that k limits in a solution: groups, or features. size: d, zero before and after. */
static int64_t taken(const l1_solution *s, const feature_blocks *blocks, double *size) {
    if (!blocks->counted) return s->n_weight;
    for (int64_t k = 0; k < s->n_weight; k++) size[s->weight[k].feature] = 1;
    int64_t count = blocks_active(blocks, size);
    for (int64_t k = 0; k < s->n_weight; k++) size[s->weight[k].feature] = 0;
    return count;
}

pare_status least_norm_search_groups(fit_result *r, double *mu, const fit_job *job,
                                     const feature_blocks *blocks, const double *weight,
                                     double floor, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, k = job->k, found = 0;
    double above = *mu, below = NAN; /* mu with fewer than k, with more */
    l1_program *program = NULL;
    l1_solution s;
    lp_groups groups;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *cost = ARENA_NEW(&mem, double, d), *size = ARENA_ZERO(&mem, double, d);
    double *loss = ARENA_NEW(&mem, double, n);
    TRY_MEM(cost && size && loss);
    memcpy(loss, weight, sizeof *loss * (size_t)n);
    for (int64_t j = 0; j < d; j++) cost[j] = *mu;
    l1_spec spec = {.loss = L1_FIT,
                    .x = job->x,
                    .groups = blocks_lp(&groups, blocks),
                    .sign = blocks->sign,
                    .y = job->y->value,
                    .cost = cost,
                    .loss_cost = loss,
                    .intercept = job->set->common.intercept};
    TRY(l1_create(&program, &spec, ctx, err));
    for (int step = 0; step < MAX_STEPS && found != k; step++) {
        double next = isnan(below) ? STEP * above : sqrt(above) * sqrt(below);
        if (next < floor || (!isnan(below) && above <= below * (1 + NARROWEST))) break;
        for (int64_t j = 0; j < d; j++) cost[j] = next;
        l1_set_costs(program, cost, NULL);
        TRY(l1_solve(program, &s, ctx, err));
        if (s.outcome != PARE_OPTIMAL) break;
        found = taken(&s, blocks, size);
        *mu = next;
        if (found < k) above = next;
        if (found > k) below = next;
    }
    if (found < k && !isnan(below)) *mu = below; /* several entered at once */
    if (found != k)
        TRY(fit_note(r, err, "no lambda was found that leaves exactly %lld %s: %.6g was taken",
                     (long long)k, blocks->counted ? "groups" : "coefficients",
                     least_norm_lambda(*mu)));
done:
    l1_free(program);
    arena_free(&mem);
    return status;
}
