/* The certificates of the methods with a 1-norm error, from the stored dual u (n numbers), with
 * s_i the cost of sample i's residual r_i = b_i - a_i'x - b0:
 *   llna         primal  sum s_i |r_i| + lambda |x|_1
 *                dual    sum u_i b_i,  |u_i| <= s_i,  |A_j'u| <= lambda for all columns,  sum u = 0
 *                        with an intercept; s_i = (1 - lambda) w_i
 *   plna         the same with the costs c_j = lambda alpha exp(-alpha |x_j|) of the linearisation
 *                at x: no vertex can gain more on it than primal - dual. The objective is F itself.
 *                With a global bound: F less that bound, which is taken from the model: a verdict on
 *                it repeats the search.
 *                Groups of features, in both: the largest |x_j| of each, and sum_j |A_j'u| <= c_g.
 *                Features with a sign: only what of A_j'u their weight may follow counts.
 *   best-subset  primal  sum w_i |r_i|;  dual as above with A_j'u = 0 for the chosen columns: the
 *                fit is the best these columns allow. That no other k columns do better is only
 *                  the search's report. If the search did not end (outcome time_limit, cancelled):
 *                A_j'u = 0 for all columns, so that the dual bounds the error of every set.
 *   lambda = 0   llna and plna as best-subset, with A_j'u = 0 for all columns.
 * u is made feasible here whatever it was: cut, balanced and scaled, or projected where A_j'u = 0.
 * Cost: one pass over the problem's columns. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/group_sums.h"
#include "la/product/dot.h"

static const double SLOPE_FLOOR = 1e-8;  /* of the largest s_i times |a_ij|: the floor of plna */
static const double DEPENDENT = 1e-9;    /* relative norm of the residual below which a column
                                            depends on others */
static const double EXACT_SHARE = 1e-12; /* of sum w_i |b_i|: an error that counts as zero */

typedef struct judge {
    const cert_job *job;
    cert_reader reader;
    cert_column col;
    int64_t n;
    double *s, *u, *r;    /* n */
    int64_t *position;    /* n_features: place among the coefficients, or -1 */
    double lambda, alpha; /* alpha 0: |x| itself */
    double floor;         /* of the slopes */
    double norm;          /* sum c_j |x_j| */
    double penalty;       /* lambda sum (1 - exp(-alpha |x_j|)) */
    double worst;         /* max |A_j'u| / c_j */
    cert_groups groups;
    double *size, *price, *range; /* per group: largest |x_j|, sum of |A_j'u|, largest |a_ij| */
} judge;

/* Cuts u into its box and, with an intercept, shrinks the heavier sign until both weigh the
 * same. */
static void make_feasible(judge *g) {
    double plus = 0, minus = 0;
    for (int64_t i = 0; i < g->n; i++) {
        g->u[i] = fmin(g->s[i], fmax(-g->s[i], g->job->dual[i]));
        if (g->u[i] > 0) plus += g->u[i];
        if (g->u[i] < 0) minus -= g->u[i];
    }
    if (!g->job->with_intercept || plus == minus) return;
    double shrink = fmin(plus, minus) / fmax(plus, minus);
    for (int64_t i = 0; i < g->n; i++)
        if ((plus > minus) == (g->u[i] > 0)) g->u[i] *= shrink;
}

static pare_status judge_open(judge *g, const cert_job *job, double error_share,
                              const pare_ctx *ctx, pare_error *err) {
    memset(g, 0, sizeof *g);
    int64_t n = job->data->x.n;
    g->job = job;
    g->n = n;
    pare_status status = cert_open(&g->reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY_MEM(ARENA_NEWS(&g->reader.mem, double, n, &g->col.x, &g->s, &g->u, &g->r));
    TRY_MEM(g->position = cert_positions(&g->reader));
    for (int64_t i = 0; i < n; i++) {
        g->s[i] = error_share * (job->weight ? job->weight[i] : 1);
        g->floor = fmax(g->floor, SLOPE_FLOOR * g->s[i]);
        g->r[i] = job->y->value[i] - job->intercept[0];
    }
    make_feasible(g);
    return PARE_OK;
done:
    return cert_close(&g->reader, status, err);
}

/* The contribution of |x|, |A_j'u| and the largest |a_ij| of a column, or group, to the sums. */
static void add_sizes(judge *g, double x, double price, double range) {
    double cost = g->lambda;
    if (g->alpha > 0) cost = fmax(g->floor * range, g->lambda * g->alpha * exp(-g->alpha * x));
    g->worst = fmax(g->worst, price / cost);
    g->norm += x > 0 ? cost * x : 0;
    g->penalty += g->lambda * -expm1(-g->alpha * x);
}

/* One column's terms in the residuals, the penalty and the feasibility of u. */
static void add_column(judge *g, int64_t j) {
    cert_column_read(&g->reader, j, &g->col);
    int64_t at = g->position[j];
    double coef = at >= 0 ? g->job->coef[at] : 0, x = 0, price = 0, range = 0;
    if (coef != 0) {
        x = fabs(coef / g->col.scale); /* scale 0: infinite, as required */
        if (cert_forbids(g->job, j, coef)) x = INFINITY;
        for (int64_t i = 0; i < g->n; i++) g->r[i] -= coef * g->col.x[i];
    }
    for (int64_t i = 0; i < g->n; i++) {
        double value = g->col.x[i] - g->col.shift;
        price += g->u[i] * value;
        range = fmax(range, fabs(value * g->col.scale));
    }
    price = cert_pull(g->job, j, price * g->col.scale);
    if (!g->groups.of) {
        add_sizes(g, x, price, range);
        return;
    }
    int64_t own = g->groups.of[j];
    g->size[own] = fmax(g->size[own], x);
    g->price[own] += price;
    g->range[own] = fmax(g->range[own], range);
}

static double error_of(const judge *g) {
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++) sum += g->s[i] * fabs(g->r[i]);
    return sum;
}

static double dual_of(const judge *g) {
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++) sum += g->u[i] * g->job->y->value[i];
    return sum / fmax(1, g->worst);
}

/* Rounding may put the dual an ulp above the primal. */
static pare_certificate gap_between(double primal, double dual) {
    bool rounding = dual > primal && dual <= primal * (1 + EXACT_SHARE);
    return cert_gap(primal, rounding ? primal : dual);
}

/* Subtracts from v its projection on the `count` orthonormal vectors of q (n each); twice, for
 * rounding. */
static void project_out(double *v, const double *q, int64_t count, int64_t n) {
    for (int twice = 0; twice < 2; twice++)
        for (int64_t k = 0; k < count; k++) {
            double along = la_dot(v, q + k * n, n);
            for (int64_t i = 0; i < n; i++) v[i] -= along * q[k * n + i];
        }
}

/* Orthonormalises v, at q + count n, against those before it; returns false if it depends on
 * them. */
static bool orthonormalise(double *q, int64_t count, int64_t n) {
    double *v = q + count * n, before = sqrt(la_dot(v, v, n));
    project_out(v, q, count, n);
    double length = sqrt(la_dot(v, v, n));
    if (!(length > DEPENDENT * before)) return false;
    for (int64_t i = 0; i < n; i++) v[i] /= length;
    return true;
}

/* Without a penalty: A_j'u = 0 for the columns `cols` of the problem, or for those of the
 * coefficients only. */
static pare_status unpenalised(pare_report *out, const cert_job *job, bool all_columns,
                               const pare_ctx *ctx, pare_error *err) {
    judge g;
    pare_status status = judge_open(&g, job, 1, ctx, err);
    if (status != PARE_OK) return status;
    int64_t n = g.n, count = 0, columns = all_columns ? job->n_cols : job->n_coef;
    int64_t most = columns + 1 < n ? columns + 1 : n; /* at most so many are independent */
    double *q = ARENA_NEW(&g.reader.mem, double, n *(most + 1)), size = 0;
    TRY_MEM(q);
    if (job->with_intercept) {
        for (int64_t i = 0; i < n; i++) q[i] = g.s[i] > 0 ? 1 : 0;
        count += orthonormalise(q, count, n);
    }
    for (int64_t c = 0; c < columns; c++) {
        int64_t j = !all_columns ? job->index[c] : job->cols ? job->cols[c] : c;
        int64_t at = g.position[j];
        double coef = at >= 0 ? job->coef[at] : 0, *v = q + count * n;
        if (coef == 0 && count == most) continue;
        cert_column_read(&g.reader, j, &g.col);
        for (int64_t i = 0; i < n; i++) {
            g.r[i] -= coef * g.col.x[i];
            v[i] = g.s[i] > 0 ? (g.col.x[i] - g.col.shift) : 0;
        }
        if (g.col.scale > 0 && count < most) count += orthonormalise(q, count, n);
    }
    project_out(g.u, q, count, n);
    g.worst = 1;
    for (int64_t i = 0; i < n; i++) {
        size += g.s[i] * fabs(job->y->value[i]);
        if (g.s[i] > 0) g.worst = fmax(g.worst, fabs(g.u[i]) / g.s[i]);
    }
    out->objective = error_of(&g);
    out->certificate = gap_between(out->objective, fmax(0, dual_of(&g)));
    if (out->objective <= EXACT_SHARE * size) out->certificate.relative = 0; /* an exact fit */
done:
    return cert_close(&g.reader, status, err);
}

static pare_status penalised(pare_report *out, const cert_job *job, double lambda, double alpha,
                             const pare_ctx *ctx, pare_error *err) {
    if (!job->coef) return PARE_OK; /* the dual by itself gives no point */
    if (lambda == 0) {
        pare_status status = unpenalised(out, job, true, ctx, err);
        if (alpha > 0) out->certificate.kind = PARE_CERT_MINIMUM_PRINCIPLE;
        return status;
    }
    judge g;
    pare_status status = judge_open(&g, job, 1 - lambda, ctx, err);
    if (status != PARE_OK) return status;
    g.lambda = lambda;
    g.alpha = alpha;
    TRY(cert_groups_open(&g.groups, &g.reader.mem, job, err));
    TRY_MEM(ARENA_ZEROS(&g.reader.mem, double, g.groups.count, &g.size, &g.price, &g.range));
    for (int64_t i = 0; i < job->n_cols; i++) add_column(&g, job->cols ? job->cols[i] : i);
    for (int64_t k = 0; k < g.groups.count; k++) add_sizes(&g, g.size[k], g.price[k], g.range[k]);
    double error = error_of(&g);
    out->objective = error + (alpha > 0 ? g.penalty : g.norm);
    /* u = 0 is feasible too: never below 0 */
    out->certificate = gap_between(error + g.norm, fmax(0, dual_of(&g)));
    if (alpha > 0) out->certificate.kind = PARE_CERT_MINIMUM_PRINCIPLE;
done:
    return cert_close(&g.reader, status, err);
}

pare_status certify_llna(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    return penalised(out, job, ((const llna_settings *)job->own)->lambda, 0, ctx, err);
}

pare_status certify_plna(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    const plna_settings *own = job->own;
    pare_status status = penalised(out, job, own->lambda, own->alpha, ctx, err);
    if (status != PARE_OK || !job->coef || isnan(own->global_bound)) return status;
    out->certificate = gap_between(out->objective, own->global_bound);
    out->certificate.kind = PARE_CERT_GLOBAL_GAP;
    return PARE_OK;
}

pare_status certify_best_subset(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                pare_error *err) {
    bool ended = out->outcome == PARE_OPTIMAL || out->outcome == PARE_MAX_ITER;
    return job->coef ? unpenalised(out, job, !ended, ctx, err) : PARE_OK;
}
