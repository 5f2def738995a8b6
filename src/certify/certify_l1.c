/* Shared by the certificates of the l1 margin programs. Separately, one program per output o:
 *   primal   sum_j cost_j |w_j| + sum_i loss_io max(0, 1 - y_i f_i); loss_io = inf: a hard margin
 *   dual     sum u  at  0 <= u_i <= loss_io, |sum_i u_i y_i x_ij| <= cost_j, and with an intercept
 *            sum u y = 0
 * at a u made feasible here: cut to its box, the heavier class shrunk until both weigh the same,
 * then all divided by the worst |sum_i u_i y_i x_ij| / cost_j.
 * Together (Weston and Watkins), one program:
 *   primal   sum_jk cost_j |w_jk| + sum_i sum_{k != c(i)} loss_ik max(0, 1 - f_i,c(i) + f_ik)
 *   dual     sum u  at  0 <= u_ik <= loss_ik, U_ik = -u_ik, U_i,c(i) = sum_k u_ik,
 *            |X_j'U_k| <= cost_j, and with intercepts sum_i U_ik = 0
 * where the sums over a class, going out and coming in, are made equal by scaling the two against
 * each other in turn.
 * Features with a sign: only what of X_j'u their weight may follow counts, and a weight of the other
 * sign costs infinitely much.
 * Groups of features: cost_g max_j |w_j| for each output, sum_j |X_j'u| <= cost_g. Hard margins
 * may miss 1 by 1e-6; (w, b) is then stretched. Cost: one pass over the problem's columns for all
 * outputs. */
#include <math.h>

#include "base/error.h"
#include "certify/group_sums.h"

static const double HARD_TOLERANCE = 1e-6; /* a hard-margin model has min y f >= 1 - this */
static const double EVEN = 1e-15;          /* relative difference that is rounding */
enum { EVEN_SWEEPS = 200 };

typedef struct l1_judge {
    const cert_job *job;
    const double *loss;
    int64_t n, c;
    bool together;
    double *u;       /* n x c: feasible duals times y, together: U */
    double *f;       /* n x c: decision values of the point */
    double *penalty; /* c: sum_j cost_j |w_j| */
    double *ratio;   /* c: max_j |X_j'u| / cost_j */
    cert_groups groups;
    double *largest, *price, *cost; /* groups x c, the same, groups: |w_j|, sum |X_j'u|, cost */
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
        if (s->job->with_intercept && sum[y > 0] > 0) u[i] *= lighter / sum[y > 0];
        u[i] *= y;
    }
}

/* One class against another: what the samples of a hold against b, in all. */
static double held(const l1_judge *s, int32_t a, int64_t b) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (s->job->y->cls[i] == a) sum += s->u[b * s->n + i];
    return sum;
}

/* Scales the duals of class a's samples by t and those of others against a by 1/t, so that both
 * sums are equal; returns their relative difference. Sums that cannot be made equal become 0. */
static double even_out(l1_judge *s, int32_t a) {
    double out = 0, in = 0;
    for (int32_t b = 0; b < s->c; b++) {
        if (b == a) continue;
        out += held(s, a, b);
        in += held(s, b, a);
    }
    if (out == in) return 0;
    double t = out > 0 && in > 0 ? sqrt(in / out) : 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t b = 0; b < s->c; b++) {
            if (s->job->y->cls[i] == a && b != a) s->u[b * s->n + i] *= t;
            if (s->job->y->cls[i] != a && b == a) s->u[b * s->n + i] *= t > 0 ? 1 / t : 0;
        }
    return t > 0 ? fabs(out - in) / (out + in) : 1;
}

static void make_feasible_together(l1_judge *s) {
    int64_t n = s->n, c = s->c;
    const int32_t *cls = s->job->y->cls;
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++)
            s->u[k * n + i] =
                cls[i] == k ? 0 : fmin(fmax(s->job->dual[k * n + i], 0), s->loss[k * n + i]);
    if (s->job->with_intercept) {
        for (int sweep = 0; sweep < EVEN_SWEEPS; sweep++) {
            double worst = 0;
            for (int32_t a = 0; a < c; a++) worst = fmax(worst, even_out(s, a));
            if (worst <= EVEN) break;
        }
        double over = 1;
        for (int64_t e = 0; e < n * c; e++)
            if (s->u[e] > s->loss[e]) over = fmax(over, s->u[e] / s->loss[e]);
        for (int64_t e = 0; e < n * c; e++) s->u[e] /= over;
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < c; k++) sum += s->u[k * n + i];
        for (int64_t k = 0; k < c; k++) s->u[k * n + i] *= -1;
        s->u[cls[i] * n + i] = sum;
    }
}

/* The contribution of |w| and a price, of column j in output o, to the sums. */
static void add_sizes(l1_judge *s, int64_t j, int64_t o, double cost, double size, double price) {
    if (s->groups.of) {
        int64_t g = s->groups.of[j], e = o * s->groups.count + g;
        s->cost[g] = cost;
        s->largest[e] = fmax(s->largest[e], size);
        s->price[e] += price;
        return;
    }
    if (price > 0) s->ratio[o] = fmax(s->ratio[o], price / cost);
    if (size > 0) s->penalty[o] += cost * size;
}

static void add_groups(l1_judge *s) {
    for (int64_t e = 0; e < s->groups.count * s->c; e++) {
        int64_t o = e / s->groups.count;
        double cost = s->cost[e % s->groups.count];
        if (s->price[e] > 0) s->ratio[o] = fmax(s->ratio[o], s->price[e] / cost);
        if (s->largest[e] > 0) s->penalty[o] += cost * s->largest[e];
    }
}

/* One column's terms in all outputs; position: its index among the coefficients, or -1. */
static void add_column(l1_judge *s, const cert_column *col, int64_t j, double cost,
                       int64_t position, double *W) {
    const cert_job *job = s->job;
    for (int64_t o = 0; o < s->c; o++) {
        double price = 0, *f = s->f + o * s->n;
        const double *u = s->u + o * s->n;
        for (int64_t i = 0; i < s->n; i++) price += u[i] * (col->x[i] - col->shift);
        price = cert_pull(job, j, price * col->scale);
        double coef = position >= 0 ? job->coef[o * job->n_coef + position] : 0;
        double w = coef == 0 ? 0 : coef / col->scale; /* scale 0: infinite, as required */
        if (cert_forbids(job, j, coef)) w = INFINITY;
        add_sizes(s, j, o, cost, fabs(w), price);
        if (coef == 0) continue;
        if (W) W[o * job->n_coef + position] = w;
        for (int64_t i = 0; i < s->n; i++) f[i] += coef * col->x[i];
    }
}

/* The margin (i, o) of the point; infinite where there is none. */
static double margin_of(const l1_judge *s, int64_t o, int64_t i) {
    const double *b = s->job->intercept;
    double f = s->f[o * s->n + i] + b[o];
    if (!s->together) return label(s, o, i) * f;
    int32_t own = s->job->y->cls[i];
    return own == o ? INFINITY : s->f[own * s->n + i] + b[own] - f;
}

/* The objective of outputs from .. to - 1, whose hard margins are stretched to 1 together. */
static double primal_value(const l1_judge *s, int64_t from, int64_t to) {
    double least = INFINITY, value = 0;
    for (int64_t o = from; o < to; o++)
        for (int64_t i = 0; i < s->n; i++)
            if (isinf(s->loss[o * s->n + i])) least = fmin(least, margin_of(s, o, i));
    if (!(least >= 1 - HARD_TOLERANCE)) return INFINITY;
    double stretch = least >= 1 ? 1 : 1 / least;
    for (int64_t o = from; o < to; o++) {
        value += stretch * s->penalty[o];
        for (int64_t i = 0; i < s->n; i++) {
            double cost = s->loss[o * s->n + i];
            if (cost > 0 && !isinf(cost)) value += cost * fmax(0, 1 - stretch * margin_of(s, o, i));
        }
    }
    return value;
}

/* sum u over the same outputs, scaled to the prices. */
static double dual_value(const l1_judge *s, int64_t from, int64_t to) {
    double sum = 0, worst = 1;
    for (int64_t o = from; o < to; o++) {
        worst = fmax(worst, s->ratio[o]);
        for (int64_t i = 0; i < s->n; i++) {
            double u = s->u[o * s->n + i];
            sum += s->together ? fmax(u, 0) : fabs(u);
        }
    }
    return sum / worst;
}

pare_status certify_l1(double *primal, double *dual, double *W, const cert_job *job, int64_t c,
                       bool together, const double *cost, const double *loss, const pare_ctx *ctx,
                       pare_error *err) {
    int64_t n = job->data->x.n;
    l1_judge s = {.job = job, .n = n, .c = c, .together = together, .loss = loss};
    cert_reader reader;
    cert_columns at;
    PASS(cert_begin(&at, &reader, job, 0, ctx, err));
    pare_status status = PARE_OK;
    TRY_MEM(s.u = ARENA_NEW(&reader.mem, double, n *c));
    TRY_MEM(s.f = ARENA_ZERO(&reader.mem, double, n *c));
    TRY_MEM(ARENA_ZEROS(&reader.mem, double, c, &s.penalty, &s.ratio));
    TRY(cert_groups_open(&s.groups, &reader.mem, job, err));
    TRY_MEM(ARENA_ZEROS(&reader.mem, double, s.groups.count *c, &s.largest, &s.price));
    TRY_MEM(s.cost = ARENA_ZERO(&reader.mem, double, s.groups.count));
    if (together) make_feasible_together(&s);
    for (int64_t o = 0; o < c && !together; o++) make_feasible(&s, o);
    for (int64_t i = 0; W && i < job->n_coef * c; i++) W[i] = 0;
    while (cert_next(&at)) {
        add_column(&s, &at.col, at.j, cost[at.i], at.position, W);
        at.position_of[at.j] = -1;
    }
    add_groups(&s);
    *primal = *dual = 0;
    for (int64_t o = 0; o < c; o += together ? c : 1) {
        *primal += primal_value(&s, o, together ? c : o + 1);
        *dual += dual_value(&s, o, together ? c : o + 1);
    }
    for (int64_t i = 0; i < job->n_coef; i++) /* weight on a column outside the problem */
        for (int64_t o = 0; o < c && at.position_of[job->index[i]] >= 0; o++)
            if (job->coef[o * job->n_coef + i] != 0) *primal = INFINITY;

done:
    return cert_close(&reader, status, err);
}
