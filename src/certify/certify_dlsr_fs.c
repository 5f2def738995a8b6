/* The certificate of `dlsr-fs`:
 *   primal   sum_i s_i |r_i| + lambda sum_j |W^j|, f and W from the raw coefficients; with groups
 *            of features sum_g |W^g|, one norm over all rows of a group
 *   dual     sum_i L_{i, class of i} at multipliers made feasible here: cut to L >= 0, rows shrunk
 *            to norm s_i, in every output the heavier of own class and others scaled to the lighter
 *            (an intercept requires that), then all scaled until |X_j'A| <= lambda for every
 *            column j, or group.
 * Two classes store one output, g = f_2 - f_1, and one column l of multipliers: f_2 = (1 + g) / 2,
 * f_1 = (1 - g) / 2, W_2 = -W_1 = half the weights of g, L = (l, l).
 * Cost: one pass over the problem's columns. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"
#include "data/feature/groups.h"

typedef struct fs_judge {
    const cert_job *job;
    int64_t n, c;           /* c: stored outputs, 1 for two classes */
    double copies;          /* sqrt of the number of outputs for each stored one */
    double *weight;         /* n */
    double *A;              /* n x c: signed feasible multipliers, before the scaling to lambda */
    double *f;              /* n x c: stored outputs of the point */
    double penalty;         /* sum of row norms */
    double largest_price;   /* largest |X_j'A| */
    const int64_t *group;   /* of every feature, or NULL */
    double *norm2, *price2; /* of each group: squares of its rows, of its X_j'A */
} fs_judge;

static double sign_of(const fs_judge *s, int64_t o, int64_t i) {
    return s->job->y->cls[i] == (s->c == 1 ? 1 : (int32_t)o) ? 1 : -1;
}

static void set_weights(fs_judge *s) {
    for (int64_t i = 0; i < s->n; i++) s->weight[i] = s->job->weight ? s->job->weight[i] : 1;
}

/* Returns sum_i L_{i, class of i}. */
static double make_feasible(fs_judge *s) {
    int64_t n = s->n;
    double value = 0;
    for (int64_t i = 0; i < n; i++) {
        double norm2 = 0;
        for (int64_t o = 0; o < s->c; o++) {
            double L = fmax(0, s->job->dual[o * n + i]);
            s->A[o * n + i] = sign_of(s, o, i) * L;
            norm2 += L * L;
        }
        double norm = s->copies * sqrt(norm2);
        for (int64_t o = 0; o < s->c && norm > s->weight[i]; o++)
            s->A[o * n + i] *= s->weight[i] / norm;
    }
    for (int64_t o = 0; o < s->c; o++) {
        double own = 0, others = 0, *a = s->A + o * n;
        for (int64_t i = 0; i < n; i++) *(a[i] > 0 ? &own : &others) += fabs(a[i]);
        for (int64_t i = 0; i < n && s->job->with_intercept; i++) {
            double heavy = a[i] > 0 ? own : others;
            if (heavy > 0) a[i] *= fmin(own, others) / heavy;
        }
        for (int64_t i = 0; i < n; i++)
            if (s->c == 1 || a[i] > 0) value += fabs(a[i]);
    }
    return value;
}

static void add_column(fs_judge *s, const cert_column *col, int64_t j, int64_t position) {
    const cert_job *job = s->job;
    double price2 = 0, norm2 = 0;
    for (int64_t o = 0; o < s->c; o++) {
        const double *a = s->A + o * s->n;
        double price = 0;
        for (int64_t i = 0; i < s->n; i++) price += a[i] * (col->x[i] - col->shift);
        price *= col->scale;
        price2 += price * price;
        double coef = position >= 0 ? job->coef[o * job->n_coef + position] : 0;
        if (coef == 0) continue;
        double w = coef / col->scale / (s->c == 1 ? 2 : 1);
        norm2 += w * w;
        for (int64_t i = 0; i < s->n; i++) s->f[o * s->n + i] += coef * col->x[i];
    }
    if (s->group) {
        s->norm2[s->group[j]] += norm2;
        s->price2[s->group[j]] += price2;
        return;
    }
    s->penalty += s->copies * sqrt(norm2);
    s->largest_price = fmax(s->largest_price, s->copies * sqrt(price2));
}

static void add_groups(fs_judge *s, int64_t n_groups) {
    for (int64_t g = 0; g < n_groups; g++) {
        s->penalty += s->copies * sqrt(s->norm2[g]);
        s->largest_price = fmax(s->largest_price, s->copies * sqrt(s->price2[g]));
    }
}

static double loss(const fs_judge *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double norm2 = 0;
        for (int64_t o = 0; o < s->c; o++) {
            double sign = sign_of(s, o, i), f = s->f[o * s->n + i] + s->job->intercept[o];
            if (s->c == 1) f = (1 + f) / 2;
            double r = fmax(0, (sign > 0 ? 1 : 0) - sign * f);
            norm2 += r * r;
        }
        sum += s->weight[i] * s->copies * sqrt(norm2);
    }
    return sum;
}

pare_status certify_dlsr_fs(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    int64_t n = job->data->x.n, c = job->n_outputs;
    fs_judge s = {.job = job, .n = n, .c = c, .copies = c == 1 ? sqrt(2) : 1};
    if (!job->coef)
        return error_set(err, PARE_E_FORMAT, "the model lacks the point of the selecting problem");
    cert_reader reader;
    cert_columns at;
    int64_t n_groups;
    PASS(cert_begin(&at, &reader, job, c, ctx, err));
    pare_status status = PARE_OK;
    TRY(groups_number(&s.group, &n_groups, &reader.mem, job->data, err));
    TRY_MEM(ARENA_ZEROS(&reader.mem, double, n_groups, &s.norm2, &s.price2));
    TRY_MEM(s.weight = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s.A = ARENA_NEW(&reader.mem, double, n *c));
    TRY_MEM(s.f = ARENA_ZERO(&reader.mem, double, n *c));
    set_weights(&s);
    double dual = make_feasible(&s), lambda = ((const dlsr_fs_settings *)job->own)->lambda;
    while (cert_next(&at)) add_column(&s, &at.col, at.j, at.position);
    add_groups(&s, n_groups);
    if (s.largest_price > lambda) dual *= lambda / s.largest_price;
    out->objective = loss(&s) + lambda * s.penalty;
    out->certificate = cert_gap(out->objective, dual);

done:
    return cert_close(&reader, status, err);
}
