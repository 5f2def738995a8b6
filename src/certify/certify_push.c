/* The certificate of `inf-push`, from raw columns:
 *   primal   sum_i c_i max(0, 1 - f_i + max_j f_j) + lambda Omega(w),  w_j = coef_j / scale_j
 *   dual     sum alpha - (lambda Omega)*(g),  g_j = sum_i alpha_i x_ij - sum_k beta_k x_kj scaled
 * at an (alpha, beta) made feasible here: alpha cut to [0, c_i], beta to >= 0 and to negatives that
 * count, the heavier of the two shrunk to the lighter, both scaled down to where g is allowed and the
 * value best. Shifts cancel: only differences of scores matter.
 * Without coefficients (a selecting problem) the point is the one the dual gives, which l2 and l1l2
 * have and the norms have not: then there is no certificate. Cost: one pass over the columns. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"
#include "data/groups.h"

enum { HALVINGS = 200 };

typedef struct push_judge {
    const cert_job *job;
    const inf_push_settings *set;
    int64_t n;
    double *cost; /* n: share of the positives' weight; 0 for negatives; -1: without weight */
    double *u;    /* n: alpha, -beta, feasible but for the scaling */
    double *f;    /* n: scores of the point to judge */
    double total; /* sum of alpha */
    double *g;    /* n_cols */
    double one, two;
    const int64_t *group; /* per feature of the data */
    int64_t n_groups;
    double *norm2, *dual_norm2; /* per group: squares of w and of g */
} push_judge;

static bool is_mixed(const push_judge *s) { return strcmp(s->set->penalty, "l1l2") == 0; }
static bool is_group(const push_judge *s) { return strcmp(s->set->penalty, "group") == 0; }
static bool is_smooth(const push_judge *s) {
    return strcmp(s->set->penalty, "l2") == 0 || (is_mixed(s) && s->set->alpha == 0);
}
/* Shares of the 1-norm and of the half square in the penalty. */
static double share_one(const push_judge *s) {
    return is_mixed(s) ? s->set->alpha : is_smooth(s) ? 0 : 1;
}

static void make_feasible(push_judge *s) {
    const cert_job *job = s->job;
    double weight[2] = {0, 0}, sum[2] = {0, 0};
    for (int64_t i = 0; i < s->n; i++) weight[job->y->cls[i]] += job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < s->n; i++) {
        double own = job->weight ? job->weight[i] : 1, dual = fmax(job->dual[i], 0);
        bool positive = job->y->cls[i] == 1;
        s->cost[i] = own == 0 ? -1 : positive ? own / weight[1] : 0;
        s->u[i] = own == 0 ? 0 : positive ? fmin(dual, s->cost[i]) : dual;
        sum[positive] += s->u[i];
    }
    s->total = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < s->n; i++) {
        bool positive = job->y->cls[i] == 1;
        s->u[i] *= (sum[positive] > 0 ? s->total / sum[positive] : 0) * (positive ? 1 : -1);
    }
}

/* The weight that the dual gives a feature of l2 or l1l2. */
static double dual_weight(const push_judge *s, double g) {
    double one = share_one(s), lambda = s->set->lambda;
    return copysign(fmax(fabs(g) - lambda * one, 0), g) / (lambda * (1 - one));
}

static void add_column(push_judge *s, const cert_column *col, int64_t i, int64_t j, double coef) {
    double g = 0;
    for (int64_t k = 0; k < s->n; k++) g += s->u[k] * (col->x[k] - col->shift);
    s->g[i] = g *= col->scale;
    double w = coef == 0 ? 0 : coef / col->scale; /* scale 0: infinite, as it should */
    if (!s->job->coef && share_one(s) < 1) {
        w = dual_weight(s, g);
        coef = w * col->scale;
    }
    s->one += fabs(w);
    s->two += w * w;
    if (s->group) {
        s->norm2[s->group[j]] += w * w;
        s->dual_norm2[s->group[j]] += g * g;
    }
    for (int64_t k = 0; coef != 0 && k < s->n; k++) s->f[k] += coef * (col->x[k] - col->shift);
}

static double primal_value(const push_judge *s) {
    double top = -INFINITY, loss = 0, groups = 0, one = share_one(s);
    for (int64_t i = 0; i < s->n; i++)
        if (s->cost[i] == 0) top = fmax(top, s->f[i]);
    for (int64_t i = 0; i < s->n; i++)
        if (s->cost[i] > 0) loss += s->cost[i] * fmax(0, 1 - s->f[i] + top);
    if (is_group(s)) {
        for (int64_t k = 0; k < s->n_groups; k++) groups += sqrt(s->norm2[k]);
        return loss + s->set->lambda * groups;
    }
    return loss + s->set->lambda * (one * s->one + (1 - one) / 2 * s->two);
}

/* The dual objective at the point scaled by t. */
static double scaled_value(const push_judge *s, double t) {
    double one = share_one(s), lambda = s->set->lambda, conjugate = 0;
    for (int64_t i = 0; one < 1 && i < s->job->n_cols; i++) {
        double over = fmax(0, t * fabs(s->g[i]) - lambda * one);
        conjugate += over * over / (2 * lambda * (1 - one));
    }
    return t * s->total - conjugate;
}

static double dual_value(const push_judge *s) {
    double largest = 0, lo = 0, hi = 1;
    if (share_one(s) == 1) { /* a norm: scaled until its dual norm is at most lambda */
        for (int64_t i = 0; i < s->job->n_cols; i++) largest = fmax(largest, fabs(s->g[i]));
        if (is_group(s)) {
            largest = 0;
            for (int64_t k = 0; k < s->n_groups; k++)
                largest = fmax(largest, sqrt(s->dual_norm2[k]));
        }
        return s->total * (largest > s->set->lambda ? s->set->lambda / largest : 1);
    }
    for (int step = 0; step < HALVINGS; step++) { /* thirds of a concave function */
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (scaled_value(s, a) > scaled_value(s, b))
            hi = b;
        else
            lo = a;
    }
    return fmax(scaled_value(s, 1), scaled_value(s, (lo + hi) / 2));
}

pare_status certify_push(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t n = job->data->x.n, d = job->data->x.d;
    push_judge s = {.job = job, .set = &job->set->inf_push, .n = n};
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;

    cert_column col = {0};
    double *coef = ARENA_ZERO(&reader.mem, double, d);
    TRY_MEM(coef);
    TRY_MEM(col.x = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.cost = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.u = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.f = ARENA_ZERO(&reader.mem, double, n));
    TRY_MEM(s.g = ARENA_ZERO(&reader.mem, double, job->n_cols));
    if (is_group(&s)) {
        TRY(groups_number(&s.group, &s.n_groups, &reader.mem, job->data, err));
        if (!s.group) {
            status =
                error_set(err, PARE_E_ARGUMENT,
                          "the model has penalty group: give its feature groups, --groups FILE");
            goto done;
        }
        TRY_MEM(s.norm2 = ARENA_ZERO(&reader.mem, double, s.n_groups));
        TRY_MEM(s.dual_norm2 = ARENA_ZERO(&reader.mem, double, s.n_groups));
    }
    for (int64_t i = 0; i < job->n_coef; i++) coef[job->index[i]] = job->coef[i];
    make_feasible(&s);
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        cert_column_read(&reader, j, &col);
        add_column(&s, &col, i, j, coef[j]);
    }
    if (!job->coef && share_one(&s) == 1) goto done;
    out->objective = primal_value(&s);
    out->certificate = cert_gap(out->objective, dual_value(&s));

done:
    cert_close(&reader);
    return status;
}
