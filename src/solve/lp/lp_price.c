/* Pricing for lp.h: the duals against all features in one pass, and the worst of them. */
#include <math.h>

#include "base/rng.h"
#include "solve/lp/lp_master.h"

/* Signs that a one-sided row cannot have are rounding. */
static void drop_wrong_signs(lp_master *m) {
    for (int64_t r = 0; r < m->n_rows; r++) {
        if (m->lo[r] == -INFINITY && !(m->pi[r] < 0)) m->pi[r] = 0;
        if (m->hi[r] == INFINITY && !(m->pi[r] > 0)) m->pi[r] = 0;
    }
}

pare_status lp_price(lp_master *m, lp_pricing *p, double threshold, bool ray, const pare_ctx *ctx,
                     pare_error *err) {
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
    pare_status status = mat_tmul(&m->x, m->u, m->blocks, m->price, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t j = 0; j < m->x.d * m->blocks; j++) {
        if (!(lp_cost(m, j) < INFINITY)) continue;
        double size = fabs(m->price[j]), ratio = size / lp_cost(m, j);
        if (size > p->residual) p->residual = size;
        if (ratio > p->ratio) p->ratio = ratio;
        if (ratio > threshold && !(m->present[j] & (m->price[j] > 0 ? LP_PLUS : LP_MINUS)))
            keep_best(m->heap, &p->found, LP_BATCH, (ranked){ratio, j});
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
    for (int64_t j = 0; j < m->x.d * m->blocks && status == PARE_OK; j++)
        if (lp_cost(m, j) < INFINITY) *scale = fmax(*scale, fabs(m->price[j]) / lp_cost(m, j));
    return status;
}
