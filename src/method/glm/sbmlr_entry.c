/* sbmlr, step 3: whether an inactive coefficient enters. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "method/glm/sbmlr_point.h"

enum { DOUBLINGS = 60, HALVINGS = 60 };

pare_status sbmlr_fitted(double *F, const sbmlr_point *p, const glm_task *t, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = t->n, c = t->c, count = p->at.n_features;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *W = ARENA_NEW(&mem, double, count *c), *by_output = ARENA_NEW(&mem, double, n *c);
    TRY_MEM(W && by_output);
    for (int64_t e = 0; e < count * c; e++) W[e % c * count + e / c] = p->B[e];
    TRY(mat_mul(t->problem.x, p->feature, count, W, c, by_output, ctx, err));
    for (int64_t e = 0; e < n * c; e++) F[e] = by_output[e % c * n + e / c] + p->b[e % c];
done:
    arena_free(&mem);
    return status;
}

/* The objective along one coefficient, at `step` from 0. */
typedef struct ray {
    const glm_loss *loss;
    const double *F, *x; /* n x c; n */
    int64_t o;
    double sign, total, n_active, sum; /* n_active: with this one */
    double *at, *U, *P;                /* n x c */
} ray;

static double along(const ray *r, double step, double *slope) {
    int64_t n = r->loss->n, c = r->loss->c;
    memcpy(r->at, r->F, sizeof(double) * (size_t)(n * c));
    for (int64_t i = 0; i < n; i++) r->at[i * c + r->o] += r->sign * step * r->x[i];
    double loss = r->loss->kind->point(r->loss, r->at, r->U, r->P, NULL);
    *slope = r->n_active / (r->sum + step);
    for (int64_t i = 0; i < n; i++) *slope -= r->total * r->sign * r->U[i * c + r->o] * r->x[i];
    return r->total * loss + r->n_active * log(r->sum + step);
}

/* The first minimum beyond 0, where the objective falls at first. */
static double lowest(const ray *r, double *value) {
    double low = 0, high = r->sum / r->n_active, slope;
    *value = along(r, high, &slope);
    for (int k = 0; k < DOUBLINGS && slope < 0; k++) {
        low = high;
        high *= 2;
        *value = along(r, high, &slope);
    }
    for (int k = 0; k < HALVINGS && high - low > 1e-12 * high; k++) {
        double middle = (low + high) / 2;
        *value = along(r, middle, &slope);
        *(slope < 0 ? &low : &high) = middle;
    }
    return high;
}

pare_status sbmlr_entry(double *value, const sbmlr_point *p, const glm_task *t, double total,
                        const double *F, int64_t j, int64_t o, double sign, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t nc = t->n * t->c;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double now = total * p->at.loss + (double)p->n_active * log(p->sum), then;
    double *x = ARENA_NEW(&mem, double, t->n), *at = ARENA_NEW(&mem, double, 3 * nc);
    TRY_MEM(x && at);
    TRY(mat_columns(t->problem.x, &j, 1, x, ctx, err));
    ray r = {.loss = &t->problem.loss,
             .F = F,
             .x = x,
             .o = o,
             .sign = sign,
             .total = total,
             .n_active = (double)p->n_active + 1,
             .sum = p->sum,
             .at = at,
             .U = at + nc,
             .P = at + 2 * nc};
    *value = sign * lowest(&r, &then);
    if (!(then < now)) *value = 0;
done:
    arena_free(&mem);
    return status;
}
