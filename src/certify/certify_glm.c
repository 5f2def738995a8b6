/* The certificates of `lasso` and `logistic`: a duality gap, from raw columns.
 *   primal   sum_i s_i loss(y_i, f_i) + lambda sum over units [ alpha a |w_u| + (1 - alpha)/2 |w_u|^2 ]
 *   dual     -L*(-t U) - sum over units (t |g_u| - lambda alpha a)_+^2 / (2 lambda (1 - alpha)),
 *            g = X'U scaled; alpha = 1: t small enough that the numerators are 0 instead
 * s_i: shares of the weight. A unit is one coefficient, or those of a feature over the classes (rows),
 * or of the features of a group, with a = sqrt(features). U, the stored dual, is first made a dual
 * point of the loss: cut to signs and sizes that it may have, and balanced where there is an
 * intercept. One pass over the columns. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"
#include "data/groups.h"

enum { BALANCING = 1000 };
static const double BALANCED = 1e-12; /* sums of shares: to rounding */

typedef struct glm_cert {
    const cert_job *job;
    bool logistic, rows;
    double lambda, alpha;
    int64_t n, c;
    double *s, *y, *U, *f; /* n; n x c */
    const int64_t *group;
    int64_t n_units;
    double *w2, *g2, *size; /* per unit: squares, and the features of it */
} glm_cert;

/* Shares of the weight; balanced: every class the same. */
static void share_out(glm_cert *k, bool balanced) {
    const cert_job *job = k->job;
    double total = 0;
    for (int64_t i = 0; i < k->n; i++) k->s[i] = job->weight ? job->weight[i] : 1;
    for (int64_t o = 0; balanced && o < job->y->n_classes; o++) {
        double own = 0;
        for (int64_t i = 0; i < k->n; i++)
            if (job->y->cls[i] == o) own += k->s[i];
        for (int64_t i = 0; i < k->n; i++)
            if (job->y->cls[i] == o) k->s[i] /= own;
    }
    for (int64_t i = 0; i < k->n; i++) total += k->s[i];
    for (int64_t i = 0; i < k->n; i++) k->s[i] /= total;
}

static void targets(glm_cert *k) {
    const target *y = k->job->y;
    for (int64_t i = 0; i < k->n; i++)
        for (int64_t o = 0; o < k->c; o++)
            k->y[o * k->n + i] = !k->logistic ? y->value[i]
                                 : k->c == 1  ? y->cls[i] == 1
                                              : y->cls[i] == o;
}

static void balance_values(glm_cert *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) sum += k->U[i] = k->s[i] > 0 ? k->job->dual[i] : 0;
    for (int64_t i = 0; k->job->with_intercept && i < k->n; i++) k->U[i] -= k->s[i] * sum;
}

/* Two classes: U of one sign in each, the heavier shrunk to the lighter. */
static void balance_pair(glm_cert *k) {
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < k->n; i++) {
        double up = k->y[i] > 0 ? 1 : -1;
        k->U[i] = up * fmin(fmax(up * k->job->dual[i], 0), k->s[i]);
        sum[k->y[i] > 0] += fabs(k->U[i]);
    }
    double less = fmin(sum[0], sum[1]);
    for (int64_t i = 0; k->job->with_intercept && i < k->n; i++)
        k->U[i] *= sum[k->y[i] > 0] > 0 ? less / sum[k->y[i] > 0] : 0;
}

/* Each sample's probabilities q = y - U / s to sum 1. */
static void sum_to_one(glm_cert *k) {
    for (int64_t i = 0; i < k->n; i++) {
        double sum = 0;
        for (int64_t o = 0; o < k->c; o++) sum += k->U[o * k->n + i];
        for (int64_t o = 0; o < k->c; o++)
            k->U[o * k->n + i] = sum > 0 ? k->U[o * k->n + i] / sum : k->y[o * k->n + i];
    }
}

/* Several classes: the probabilities behind U, scaled by class and by sample in turn until those of
 * each class sum to its share. false: they do not. */
static bool balance_classes(glm_cert *k) {
    int64_t n = k->n;
    bool even = !k->job->with_intercept;
    for (int64_t e = 0; e < n * k->c; e++) {
        double s = k->s[e % n];
        k->U[e] = s > 0 ? fmax(k->y[e] - k->job->dual[e] / s, 0) : k->y[e];
    }
    sum_to_one(k);
    for (int turn = 0; turn < BALANCING && !even; turn++) {
        double worst = 0;
        for (int64_t o = 0; o < k->c; o++) {
            double have = 0, want = 0;
            for (int64_t i = 0; i < n; i++) {
                have += k->s[i] * k->U[o * n + i];
                want += k->s[i] * k->y[o * n + i];
            }
            worst = fmax(worst, fabs(have - want));
            for (int64_t i = 0; i < n && have > 0; i++) k->U[o * n + i] *= want / have;
        }
        sum_to_one(k);
        even = worst <= BALANCED;
    }
    for (int64_t e = 0; e < n * k->c; e++) k->U[e] = k->s[e % n] * (k->y[e] - k->U[e]);
    return even;
}

static double loss_of(const glm_cert *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        double f = k->f[i], top = -INFINITY, total = 0, own = 0, one;
        for (int64_t o = 0; o < k->c; o++) top = fmax(top, k->f[o * k->n + i]);
        for (int64_t o = 0; o < k->c; o++) {
            total += exp(k->f[o * k->n + i] - top);
            own += k->y[o * k->n + i] * k->f[o * k->n + i];
        }
        double away = k->y[i] > 0 ? -f : f; /* of the other class, where there are two */
        if (!k->logistic)
            one = (k->y[i] - f) * (k->y[i] - f) / 2;
        else if (k->c == 1)
            one = away > 0 ? away + log1p(exp(-away)) : log1p(exp(away));
        else
            one = log(total) + top - own;
        if (k->s[i] > 0) sum += k->s[i] * one;
    }
    return sum;
}

static double entropy(double q) { return q > 0 ? -q * log(q) : 0; }

/* -L*(-t U). */
static double loss_dual_of(const glm_cert *k, double t) {
    double sum = 0;
    for (int64_t e = 0; e < k->n * k->c; e++) {
        double s = k->s[e % k->n], u = t * k->U[e];
        if (s == 0) continue;
        if (k->job->offset) sum -= u * k->job->offset[e % k->n];
        double moved = fabs(u) / s;
        if (!k->logistic)
            sum += u * k->y[e] - u * u / (2 * s);
        else if (k->c == 1)
            sum += s * (entropy(moved) + (moved < 1 ? -(1 - moved) * log1p(-moved) : 0));
        else
            sum +=
                s * (k->y[e] > 0 ? (moved < 1 ? -(1 - moved) * log1p(-moved) : 0) : entropy(moved));
    }
    return sum;
}

static int64_t unit_of(const glm_cert *k, int64_t i, int64_t j, int64_t o) {
    int64_t block = k->group ? k->group[j] : i;
    return k->rows ? block : block * k->c + o;
}

/* Column j of the data, the i-th of the problem; coef: c raw coefficients of it, or NULL: zeros. */
static void add_column(glm_cert *k, const cert_column *x, int64_t i, int64_t j, const double *coef,
                       int64_t stride) {
    for (int64_t o = 0; o < k->c; o++) {
        int64_t unit = unit_of(k, i, j, o);
        double g = 0, raw = coef ? coef[o * stride] : 0;
        for (int64_t r = 0; r < k->n; r++) g += k->U[o * k->n + r] * (x->x[r] - x->shift);
        g *= x->scale;
        double w = raw == 0 ? 0 : raw / x->scale; /* scale 0: infinite, as it should */
        k->g2[unit] += g * g;
        k->w2[unit] += w * w;
        if (o == 0 || !k->rows) k->size[unit]++;
        for (int64_t r = 0; raw != 0 && r < k->n; r++) k->f[o * k->n + r] += raw * x->x[r];
    }
}

static pare_status read_columns(glm_cert *k, cert_reader *reader, pare_error *err) {
    const cert_job *job = k->job;
    cert_column x = {.x = ARENA_NEW(&reader->mem, double, k->n)};
    int64_t *at = cert_positions(reader);
    if (!x.x || !at) return error_memory(err);
    for (int64_t e = 0; e < k->n * k->c; e++)
        k->f[e] = job->intercept[e / k->n] + (job->offset ? job->offset[e % k->n] : 0);
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        cert_column_read(reader, j, &x);
        add_column(k, &x, i, j, at[j] < 0 ? NULL : job->coef + at[j], job->n_coef);
    }
    return PARE_OK;
}

static double penalty_of(const glm_cert *k) {
    double sum = 0;
    for (int64_t u = 0; u < k->n_units; u++)
        sum += k->alpha * sqrt(k->size[u]) * sqrt(k->w2[u]) + (1 - k->alpha) / 2 * k->w2[u];
    return k->lambda * sum;
}

/* The best of two multiples of U: itself, and the one at which the norms allow X'U. */
static double dual_of(const glm_cert *k) {
    double over = 1, conjugate = 0;
    for (int64_t u = 0; u < k->n_units; u++) {
        double most = k->lambda * k->alpha * sqrt(k->size[u]), g = sqrt(k->g2[u]);
        if (g <= most) continue;
        over = fmax(over, g / most);
        conjugate += (g - most) * (g - most) / (2 * k->lambda * (1 - k->alpha));
    }
    double within = loss_dual_of(k, 1 / over);
    return k->alpha < 1 ? fmax(within, loss_dual_of(k, 1) - conjugate) : within;
}

static pare_status judge(glm_cert *k, pare_report *out, bool balanced, const pare_ctx *ctx,
                         pare_error *err) {
    const cert_job *job = k->job;
    cert_reader reader;
    int64_t n_groups = 0;
    k->n = job->data->x.n;
    k->c = job->n_outputs;
    if (!job->coef || job->n_dual != k->c) return PARE_OK;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(groups_number(&k->group, &n_groups, &reader.mem, job->data, err));
    k->n_units = (k->group ? n_groups : job->n_cols) * (k->rows ? 1 : k->c);
    TRY_MEM(k->s = ARENA_NEW(&reader.mem, double, k->n));
    TRY_MEM(k->y = ARENA_NEW(&reader.mem, double, k->n * k->c));
    TRY_MEM(k->U = ARENA_NEW(&reader.mem, double, k->n * k->c));
    TRY_MEM(k->f = ARENA_NEW(&reader.mem, double, k->n * k->c));
    TRY_MEM(k->w2 = ARENA_ZERO(&reader.mem, double, k->n_units));
    TRY_MEM(k->g2 = ARENA_ZERO(&reader.mem, double, k->n_units));
    TRY_MEM(k->size = ARENA_ZERO(&reader.mem, double, k->n_units));
    share_out(k, balanced);
    targets(k);
    bool even = true;
    if (!k->logistic)
        balance_values(k);
    else if (k->c == 1)
        balance_pair(k);
    else
        even = balance_classes(k);
    TRY(read_columns(k, &reader, err));
    out->objective = loss_of(k) + penalty_of(k);
    out->certificate = cert_gap(out->objective, even ? dual_of(k) : -INFINITY);

done:
    return cert_close(&reader, status, err);
}

pare_status certify_lasso(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                          pare_error *err) {
    const lasso_settings *set = job->own;
    glm_cert k = {.job = job, .lambda = set->lambda, .alpha = set->alpha};
    return judge(&k, out, false, ctx, err);
}

pare_status certify_logistic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                             pare_error *err) {
    const logistic_settings *set = job->own;
    glm_cert k = {.job = job,
                  .logistic = true,
                  .rows = strcmp(set->penalty, "rows") == 0,
                  .lambda = set->lambda,
                  .alpha = set->alpha};
    return judge(&k, out, strcmp(set->class_weight, "balanced") == 0, ctx, err);
}

pare_status certify_ridge_logistic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                   pare_error *err) {
    const common_settings *set = job->own;
    double total = 0;
    for (int64_t i = 0; i < job->data->x.n; i++) total += job->weight ? job->weight[i] : 1;
    logistic_settings own = {.penalty = "l1", .class_weight = "none", .alpha = 0};
    own.lambda = 1 / (set->classifier_C * total);
    cert_job ridged = *job;
    ridged.own = &own;
    return certify_logistic(out, &ridged, ctx, err);
}

pare_status certify_relaxed_logistic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                     pare_error *err) {
    logistic_settings own = {.penalty = "l1", .class_weight = "none", .alpha = 0, .lambda = 1e-3};
    cert_job ridged = *job;
    ridged.own = &own;
    return certify_logistic(out, &ridged, ctx, err);
}
