/* The program behind l1_lambda_max.h, turned around so that the features are its columns. With g(w)
 * the least of sum_i u_i y_i w'x_i over the feasible u, lambda_max = max g(w) over |w|_1 <= 1, and
 * g is homogeneous: lambda_max = 1 / (least |w|_1 with g(w) >= 1). With signs such that the heavier
 * class H is positive, and L the lighter one of weight S,
 *     g(w) = max over t, r >= 0 of  S t - sum_H s_i r_i - sum_L s_i f_i
 *            with  w'x_i - t + r_i >= 0 on H  and  w'x_i - f_i = 0 on L.
 * Core variables: t, then one per sample: r_i or f_i. Rows: the samples, then g(w) >= 1. */
#include "solve/lp/l1_lambda_max.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "solve/lp/lp.h"

static const double same_weight = 1e-12; /* relative difference of the classes that is rounding */

typedef struct balance {
    int64_t n;
    const double *y, *s;
    double heavier; /* the sign of H */
    double lighter; /* S */
    const lp_groups *groups;
    const signed char *sign;
} balance;

/* The core columns require of pi, with p that of the last row: pi_i = -s_i p on L, 0 <= pi_i <= s_i
 * p on H and sum_H pi_i = S p. */
static void repair(void *user, double *pi, bool ray) {
    (void)ray; /* the core costs are 0 anyway */
    const balance *b = user;
    double p = pi[b->n] = fmax(0, pi[b->n]), sum = 0, slack = 0, wanted = b->lighter * p;
    for (int64_t i = 0; i < b->n; i++) {
        double most = b->s[i] * p;
        if (b->y[i] != b->heavier) {
            pi[i] = -most;
            continue;
        }
        pi[i] = fmax(0, fmin(most, pi[i]));
        sum += pi[i];
        slack += most - pi[i];
    }
    double down = sum > wanted ? wanted / sum : 1;
    double up = sum < wanted && slack > 0 ? fmin(1, (wanted - sum) / slack) : 0;
    for (int64_t i = 0; i < b->n; i++)
        if (b->y[i] == b->heavier) pi[i] = down * pi[i] + up * (b->s[i] * p - pi[i]);
}

/* What of feature j's price its weight may follow. */
static double pull_of(const balance *b, const double *price, int64_t j) {
    return lp_price_with(b->sign ? b->sign[j] : 0, price[j]);
}

static pare_status solve(double *out, double *price, const view *x, balance *b, arena *mem,
                         const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    lp_master *master = NULL;
    int64_t n = b->n, e = 0;
    double *cost, *core_cost, *lo, *hi, *value;
    int64_t *ptr;
    int32_t *sample, *index;
    bool *core_free;
    TRY_MEM(cost = ARENA_NEW(mem, double, x->d));
    TRY_MEM(ARENA_ZEROS(mem, double, n + 1, &core_cost, &lo));
    TRY_MEM(core_free = ARENA_NEW(mem, bool, n + 1));
    TRY_MEM(hi = ARENA_NEW(mem, double, n + 1));
    TRY_MEM(sample = ARENA_NEW(mem, int32_t, n + 1));
    TRY_MEM(ptr = ARENA_NEW(mem, int64_t, n + 2));
    TRY_MEM(index = ARENA_NEW(mem, int32_t, 3 * n + 1));
    TRY_MEM(value = ARENA_NEW(mem, double, 3 * n + 1));
    for (int64_t j = 0; j < x->d; j++) cost[j] = 1;
    core_free[0] = true;
    for (int64_t i = 0; i < n; i++) {
        bool heavy = b->y[i] == b->heavier;
        core_free[i + 1] = !heavy;
        sample[i] = (int32_t)i;
        hi[i] = heavy ? INFINITY : 0;
        ptr[i] = e;
        if (heavy) {
            index[e] = 0;
            value[e++] = -1;
        }
        index[e] = (int32_t)(i + 1);
        value[e++] = heavy ? 1 : -1;
    }
    lo[n] = 1;
    hi[n] = INFINITY;
    sample[n] = -1;
    ptr[n] = e;
    index[e] = 0;
    value[e++] = b->lighter;
    for (int64_t i = 0; i < n; i++) {
        index[e] = (int32_t)(i + 1);
        value[e++] = -b->s[i];
    }
    ptr[n + 1] = e;
    lp_spec spec = {.x = x,
                    .cost = cost,
                    .groups = b->groups,
                    .sign = b->sign,
                    .n_core = n + 1,
                    .core_cost = core_cost,
                    .core_free = core_free,
                    .rows = {.count = n + 1,
                             .lo = lo,
                             .hi = hi,
                             .sample = sample,
                             .core_ptr = ptr,
                             .core_index = index,
                             .core_value = value},
                    .repair = repair,
                    .user = b};
    lp_result r;
    TRY(lp_create(&master, &spec, ctx, err));
    TRY(lp_solve(master, &r, ctx, err));
    *out = r.infeasible ? 0 : 1 / r.objective;
    for (int64_t j = 0; r.price && j < x->d; j++) price[j] = r.price[j];
done:
    lp_free(master);
    return status;
}

pare_status l1_lambda_max(double *out, double *price, const view *x, const lp_groups *groups,
                          const signed char *sign, const double *y, const double *s, bool intercept,
                          const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena mem = arena_of(ctx);
    int64_t n = x->n;
    double sum[2] = {0, 0};
    *out = 0;
    memset(price, 0, sizeof *price * (size_t)x->d);
    for (int64_t i = 0; i < n; i++) sum[y[i] > 0] += s[i];
    balance b = {n, y, s, sum[1] > sum[0] ? 1 : -1, fmin(sum[0], sum[1]), groups, sign};
    if (intercept && b.lighter == 0) goto done;
    if (intercept && fabs(sum[1] - sum[0]) > same_weight * (sum[0] + sum[1])) {
        TRY(solve(out, price, x, &b, &mem, ctx, err));
        goto done;
    }
    double *u;
    TRY_MEM(u = ARENA_NEW(&mem, double, n));
    for (int64_t i = 0; i < n; i++) u[i] = s[i] * y[i];
    TRY(mat_tmul(x, u, 1, price, ctx, err));
    for (int64_t j = 0; j < x->d && !groups; j++) *out = fmax(*out, pull_of(&b, price, j));
    for (int64_t g = 0; groups && g < groups->count; g++) {
        double sum_g = 0;
        for (int64_t i = groups->start[g]; i < groups->start[g + 1]; i++)
            sum_g += pull_of(&b, price, groups->member[i]);
        *out = fmax(*out, sum_g);
    }
done:
    arena_free(&mem);
    return status;
}
