/* What the certificates of the l1 margin programs share: one program per output o,
 *   primal   sum_j cost_j |w_j| + sum_i loss_io max(0, 1 - y_i f_i); loss_io = inf: a hard margin
 *   dual     sum u  at  0 <= u_i <= loss_io, |sum_i u_i y_i x_ij| <= cost_j, and with an intercept
 *            sum u y = 0
 * at a u made feasible here: cut to its box, the heavier class shrunk until both weigh the same, then
 * all divided by the worst |sum_i u_i y_i x_ij| / cost_j. Hard margins may miss 1 by 1e-6; (w, b) is
 * then stretched. Cost: one pass over the problem's columns for all outputs. */
#include <math.h>

#include "base/error.h"
#include "certify/certify.h"

static const double HARD_TOLERANCE = 1e-6; /* a hard-margin model has min y f >= 1 - this */

typedef struct l1_judge {
    const cert_job *job;
    const double *cost, *loss;
    int64_t n, c;
    double *u;       /* n x c: feasible duals times y */
    double *f;       /* n x c: decision values of the point */
    double *penalty; /* c: sum_j cost_j |w_j| */
    double *ratio;   /* c: max_j |X_j'u| / cost_j */
} l1_judge;

static double label(const l1_judge *s, int64_t o, int64_t i) {
    int32_t positive = (int32_t)(s->c == 1 ? 1 : o);
    return s->job->y->cls[i] == positive ? 1 : -1;
}

static void make_feasible(l1_judge *s, int64_t o) {
    double *u = s->u + o * s->n, sum[2] = {0, 0};
    for (int64_t i = 0; i < s->n; i++) {
        u[i] = fmin(fmax(s->job->dual[o * s->n + i], 0), s->loss[o * s->n + i]);
        sum[label(s, o, i) > 0] += u[i];
    }
    double lighter = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < s->n; i++) {
        double y = label(s, o, i);
        if (s->job->set->common.intercept && sum[y > 0] > 0) u[i] *= lighter / sum[y > 0];
        u[i] *= y;
    }
}

/* One column's part in all outputs; position: its place among the coefficients, or -1. */
static void add_column(l1_judge *s, const cert_column *col, double cost, int64_t position,
                       double *W) {
    const cert_job *job = s->job;
    for (int64_t o = 0; o < s->c; o++) {
        double price = 0, *f = s->f + o * s->n;
        const double *u = s->u + o * s->n;
        for (int64_t i = 0; i < s->n; i++) price += u[i] * (col->x[i] - col->shift);
        price = fabs(price * col->scale);
        if (price > 0) s->ratio[o] = fmax(s->ratio[o], price / cost);
        double coef = position >= 0 ? job->coef[o * job->n_coef + position] : 0;
        if (coef == 0) continue;
        double w = coef / col->scale; /* scale 0: infinite, as it should */
        s->penalty[o] += cost * fabs(w);
        if (W) W[o * job->n_coef + position] = w;
        for (int64_t i = 0; i < s->n; i++) f[i] += coef * col->x[i];
    }
}

/* What makes hard margins exactly 1: 1 if they are; NaN if they are broken. */
static double stretch_of(const l1_judge *s, int64_t o) {
    double least = INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        double margin = label(s, o, i) * (s->f[o * s->n + i] + s->job->intercept[o]);
        if (isinf(s->loss[o * s->n + i])) least = fmin(least, margin);
    }
    return least >= 1 ? 1 : least >= 1 - HARD_TOLERANCE ? 1 / least : NAN;
}

static double primal_value(const l1_judge *s, int64_t o) {
    double stretch = stretch_of(s, o), value = stretch * s->penalty[o];
    if (isnan(stretch)) return INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        double margin = label(s, o, i) * (s->f[o * s->n + i] + s->job->intercept[o]);
        double cost = s->loss[o * s->n + i];
        if (cost > 0 && !isinf(cost)) value += cost * fmax(0, 1 - stretch * margin);
    }
    return value;
}

pare_status certify_l1(double *primal, double *dual, double *W, const cert_job *job, int64_t c,
                       const double *cost, const double *loss, const pare_ctx *ctx,
                       pare_error *err) {
    int64_t n = job->data->x.n, d = job->data->x.d;
    l1_judge s = {.job = job, .n = n, .c = c, .cost = cost, .loss = loss};
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;

    cert_column col = {0};
    int64_t *position = ARENA_NEW(&reader.mem, int64_t, d);
    TRY_MEM(position);
    TRY_MEM(col.x = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.u = ARENA_NEW(&reader.mem, double, n *c));
    TRY_MEM(s.f = ARENA_ZERO(&reader.mem, double, n *c));
    TRY_MEM(s.penalty = ARENA_ZERO(&reader.mem, double, c));
    TRY_MEM(s.ratio = ARENA_ZERO(&reader.mem, double, c));
    for (int64_t j = 0; j < d; j++) position[j] = -1;
    for (int64_t i = 0; i < job->n_coef; i++) position[job->index[i]] = i;
    for (int64_t o = 0; o < c; o++) make_feasible(&s, o);
    for (int64_t i = 0; W && i < job->n_coef * c; i++) W[i] = 0;
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        cert_column_read(&reader, j, &col);
        add_column(&s, &col, cost[i], position[j], W);
        position[j] = -1;
    }
    *primal = *dual = 0;
    for (int64_t o = 0; o < c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += fabs(s.u[o * n + i]);
        *primal += primal_value(&s, o);
        *dual += s.ratio[o] > 1 ? sum / s.ratio[o] : sum;
    }
    for (int64_t i = 0; i < job->n_coef; i++) /* weight on a column that is not in the problem */
        for (int64_t o = 0; o < c && position[job->index[i]] >= 0; o++)
            if (job->coef[o * job->n_coef + i] != 0) *primal = INFINITY;

done:
    cert_close(&reader);
    return status;
}
