/* Pricing for lp.h: finds the most violated features among all in one pass, or in the working set
 * of the last pass. */
#include <math.h>

#include "base/error.h"
#include "base/rng.h"
#include "solve/lp/lp_master.h"

/* Signs that a one-sided row cannot have are rounding. */
static void drop_wrong_signs(lp_master *m) {
    for (int64_t r = 0; r < m->n_rows; r++) {
        if (m->lo[r] == -INFINITY && !(m->pi[r] < 0)) m->pi[r] = 0;
        if (m->hi[r] == INFINITY && !(m->pi[r] > 0)) m->pi[r] = 0;
    }
}

/* Returns true if the master has the column that the price of `feature`, or group, requires. */
static bool is_there(const lp_master *m, int64_t feature) {
    if (!m->groups.of) return m->in_master[feature] & (m->price[feature] > 0 ? LP_PLUS : LP_MINUS);
    if (!m->in_master[feature]) return false;
    int64_t unit = feature % m->stride, first = m->groups.start[unit];
    int64_t size = m->groups.start[unit + 1] - first, block = feature / m->stride * m->x.d;
    for (int64_t k = 0; k < m->n_columns; k++) {
        if (m->column[k].feature != feature) continue;
        const signed char *sign = m->sign + m->column[k].signs;
        int64_t i = 0;
        while (i < size && sign[i] == lp_sign(m, block + m->groups.member[first + i])) i++;
        if (i == size) return true;
    }
    return false;
}

/* pi -> u, and the dual objective. */
static void give_samples(lp_master *m, lp_pricing *p, bool ray) {
    *p = (lp_pricing){0, 0, 0, 0};
    drop_wrong_signs(m);
    if (m->repair) m->repair(m->user, m->pi, ray);
    for (int64_t i = 0; i < m->x.n * m->blocks; i++) m->u[i] = 0;
    for (int64_t r = 0; r < m->n_rows; r++) {
        double pi = m->pi[r];
        if (pi != 0) p->dual += pi * (pi > 0 ? m->lo[r] : m->hi[r]);
        for (int64_t k = 0; m->sample[r] >= 0 && k < m->blocks; k++)
            m->u[k * m->x.n + m->sample[r]] += m->factor[r * m->blocks + k] * pi;
    }
}

/* Records the price of feature j. */
static void offer(lp_master *m, lp_pricing *p, int64_t j, double ratio, double threshold) {
    if (ratio > threshold && !is_there(m, j))
        keep_best(m->heap, &p->found, LP_BATCH, (ranked){ratio, j});
}

pare_status lp_price(lp_master *m, lp_pricing *p, double threshold, bool ray, const pare_ctx *ctx,
                     pare_error *err) {
    give_samples(m, p, ray);
    m->n_working = 0;
    PASS(mat_tmul(&m->x, m->u, m->blocks, m->price, ctx, err));
    for (int64_t j = 0; j < m->units * m->blocks; j++) {
        if (!(lp_cost(m, j) < INFINITY)) continue;
        double size = lp_price_of(m, j), ratio = size / lp_cost(m, j);
        if (size > p->residual) p->residual = size;
        if (ratio > p->ratio) p->ratio = ratio;
        offer(m, p, j, ratio, threshold);
        if (m->working)
            keep_best(m->working, &m->n_working, working_set_size(m->x.d), (ranked){ratio, j});
    }
    sort_best_first(m->heap, p->found);
    working_set_sort(m->working, m->n_working, m->working_col);
    return PARE_OK;
}

void lp_expect(lp_master *m, const double *price) {
    m->n_working = 0;
    for (int64_t j = 0; m->working && j < m->x.d * m->blocks; j++)
        if (price[j] != 0 && lp_cost(m, j) < INFINITY)
            keep_best(m->working, &m->n_working, working_set_size(m->x.d),
                      (ranked){lp_pull(m, j, price[j]) / lp_cost(m, j), j});
    working_set_sort(m->working, m->n_working, m->working_col);
}

pare_status lp_price_working(lp_master *m, lp_pricing *p, double threshold, const pare_ctx *ctx,
                             pare_error *err) {
    int64_t count = m->n_working;
    view x = m->x;
    give_samples(m, p, false);
    if (count == 0) return PARE_OK;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = m->working[i].index % m->stride;
        m->working_col[i] = x.cols ? x.cols[j] : j;
    }
    x.cols = m->working_col;
    x.d = count;
    PASS(mat_tmul(&x, m->u, m->blocks, m->working_price, ctx, err));
    for (int64_t i = 0; i < count; i++) {
        int64_t j = m->working[i].index;
        m->price[j] = m->working_price[i + j / m->stride * count];
        offer(m, p, j, lp_pull(m, j, m->price[j]) / lp_cost(m, j), threshold);
    }
    sort_best_first(m->heap, p->found);
    return PARE_OK;
}

pare_status lp_ray_scale(lp_master *m, double *scale, const pare_ctx *ctx, pare_error *err) {
    rng random;
    rng_seed(&random, 1, 0);
    for (int64_t i = 0; i < m->x.n * m->blocks; i++) m->u[i] = rng_next(&random) >> 63 ? 1 : -1;
    pare_status status = mat_tmul(&m->x, m->u, m->blocks, m->price, ctx, err);
    *scale = 0;
    for (int64_t j = 0; j < m->units * m->blocks && status == PARE_OK; j++)
        if (lp_cost(m, j) < INFINITY) *scale = fmax(*scale, lp_price_of(m, j) / lp_cost(m, j));
    return status;
}
