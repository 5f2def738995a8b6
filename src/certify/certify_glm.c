/* The certificates of `lasso` and `logistic`: a duality gap, from raw columns.
 *   primal   sum_i s_i loss(y_i, f_i) + lambda sum over units [ alpha a |w_u| + (1 - alpha)/2
 *   |w_u|^2 ]
 *   dual     -L*(-t U) - sum over units (t |g_u| - lambda alpha a)_+^2 / (2 lambda (1 - alpha)),
 *            g = X'U scaled; alpha = 1: t small enough that the numerators are 0 instead
 * s_i: shares of the weight. A unit is one coefficient, or those of a feature over the classes
 * (rows), or of the features of a group, with a = sqrt(features) and both terms times the cost e of
 * the block, that of its feature or the mean of its group. A forced-in feature costs 0 and is a
 * block by itself: X'U along it counts as the gain of its coefficient. U, the stored dual, is first
 * made a dual point of the loss: cut to feasible signs and sizes, and balanced where there is
 * an intercept. One pass over the columns.
 * adaptive: costs are recomputed from a ridge's dual point V, stored behind U: its coefficients
 * are X'V / ridge, whose own duality gap must be small, or nothing is certified. Two more
 * passes. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"
#include "data/feature/groups.h"

enum { BALANCING = 1000 };
static const double BALANCED = 1e-12; /* sums of shares: to rounding */
static const double REACH = 10;       /* bound of unpenalised coefficients, relative to their
                                         size */
static const double WEAKEST = 1e-10;  /* of the largest ridge coefficient: smaller ones count as
                                         this */
static const double START = 1e-6;     /* relative: the largest gap of the ridge */
static const double NOTHING = 1e-14;  /* of the mean square of the target: no loss at all */

typedef struct glm_cert {
    const cert_job *job;
    bool logistic, rows;
    double lambda, alpha;
    bool adaptive;
    double gamma, ridge;
    bool by_dual; /* the point is X'U / lambda, of a ridge, with the intercepts that belong to U */
    int64_t n, c;
    double *s, *y, *U, *f; /* n; n x c */
    int64_t *block;        /* d: the features that are one unit, or one for each output */
    int64_t n_units;
    double *w2, *g2, *size; /* per unit: squares, and number of features */
    double *cost;           /* per block, or NULL: ones */
} glm_cert;

static void share_out(glm_cert *k) {
    const cert_job *job = k->job;
    double total = 0;
    for (int64_t i = 0; i < k->n; i++) total += k->s[i] = job->weight ? job->weight[i] : 1;
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

/* Several classes: the probabilities of U, scaled by class and by sample in turn until those of
 * each class sum to its share. Returns false if that fails. */
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
        double away = k->y[i] > 0 ? -f : f; /* of the other class, for two */
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

static int64_t unit_of(const glm_cert *k, int64_t j, int64_t o) {
    return k->rows ? k->block[j] : k->block[j] * k->c + o;
}

/* A column by itself, or with its group, at their mean cost; a forced-in one always by itself. */
static pare_status number_blocks(glm_cert *k, arena *mem, pare_error *err) {
    const cert_job *job = k->job;
    const int64_t *group;
    int64_t count;
    pare_status status = groups_number(&group, &count, mem, job->data, err);
    if (status != PARE_OK) return status;
    int64_t most = count + job->n_cols;
    double *size = ARENA_ZERO(mem, double, most);
    k->block = ARENA_NEW(mem, int64_t, job->data->x.d);
    if (job->cost || job->kept) k->cost = ARENA_ZERO(mem, double, most);
    if (!k->block || !size || ((job->cost || job->kept) && !k->cost)) return error_memory(err);
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        bool kept = job->kept && job->kept[j];
        int64_t b = k->block[j] = group && !kept ? group[j] : count++;
        double cost = kept ? 0 : job->cost ? job->cost[j] : 1;
        if (k->cost) k->cost[b] = (k->cost[b] * size[b] + cost) / (size[b] + 1);
        size[b]++;
    }
    k->n_units = count * (k->rows ? 1 : k->c);
    return PARE_OK;
}

/* Column j of the data; coef: c raw coefficients of it, or NULL: zeros. */
static void add_column(glm_cert *k, const cert_column *x, int64_t j, const double *coef,
                       int64_t stride) {
    for (int64_t o = 0; o < k->c; o++) {
        int64_t unit = unit_of(k, j, o);
        double g = 0, raw = coef ? coef[o * stride] : 0;
        for (int64_t r = 0; r < k->n; r++) g += k->U[o * k->n + r] * (x->x[r] - x->shift);
        g *= x->scale;
        double w = raw == 0 ? 0 : raw / x->scale; /* scale 0: infinite, as required */
        if (k->by_dual) {
            w = g / k->lambda;
            raw = 0;
            for (int64_t r = 0; r < k->n; r++)
                k->f[o * k->n + r] += w * x->scale * (x->x[r] - x->shift);
        }
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
        k->f[e] =
            (k->by_dual ? 0 : job->intercept[e / k->n]) + (job->offset ? job->offset[e % k->n] : 0);
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        cert_column_read(reader, j, &x);
        bool none = k->by_dual || at[j] < 0;
        add_column(k, &x, j, none ? NULL : job->coef + at[j], job->n_coef);
    }
    return PARE_OK;
}

static double cost_of(const glm_cert *k, int64_t unit) {
    return k->cost ? k->cost[k->rows ? unit : unit / k->c] : 1;
}

static double penalty_of(const glm_cert *k) {
    double sum = 0;
    for (int64_t u = 0; u < k->n_units; u++)
        sum += cost_of(k, u) *
               (k->alpha * sqrt(k->size[u]) * sqrt(k->w2[u]) + (1 - k->alpha) / 2 * k->w2[u]);
    return k->lambda * sum;
}

/* The gain of unpenalised coefficients in a ball of REACH times their own size: by convexity the
 * gain beyond it is at most proportional. */
static double gain_of(const glm_cert *k) {
    double sum = 0;
    for (int64_t u = 0; u < k->n_units; u++)
        if (k->size[u] > 0 && cost_of(k, u) == 0)
            sum += REACH * fmax(sqrt(k->w2[u]), 1) * sqrt(k->g2[u]);
    return sum;
}

/* The better of two multiples of U: itself, and the largest that the norms of X'U allow. */
static double dual_of(const glm_cert *k) {
    double over = 1, conjugate = 0, gain = gain_of(k);
    for (int64_t u = 0; u < k->n_units; u++) {
        double e = cost_of(k, u), g = sqrt(k->g2[u]);
        double most = k->lambda * k->alpha * e * sqrt(k->size[u]);
        if (g <= most || e == 0) continue;
        over = fmax(over, g / most);
        conjugate += (g - most) * (g - most) / (2 * k->lambda * (1 - k->alpha) * e);
    }
    double within = loss_dual_of(k, 1 / over) - gain;
    return k->alpha < 1 ? fmax(within, loss_dual_of(k, 1) - conjugate - gain) : within;
}

/* Reads the columns: U, decision values, and the sums over columns. *even: U is a dual point. */
static pare_status weigh(glm_cert *k, bool *even, cert_reader *reader, pare_error *err) {
    pare_status status = PARE_OK;
    TRY_MEM(k->U = ARENA_NEW(&reader->mem, double, k->n * k->c));
    TRY_MEM(k->f = ARENA_NEW(&reader->mem, double, k->n * k->c));
    TRY_MEM(k->w2 = ARENA_ZERO(&reader->mem, double, k->n_units));
    TRY_MEM(k->g2 = ARENA_ZERO(&reader->mem, double, k->n_units));
    TRY_MEM(k->size = ARENA_ZERO(&reader->mem, double, k->n_units));
    *even = true;
    if (!k->logistic)
        balance_values(k);
    else if (k->c == 1)
        balance_pair(k);
    else
        *even = balance_classes(k);
    TRY(read_columns(k, reader, err));
done:
    return status;
}

/* The decision value in output o that corresponds to dual point U of sample i. */
static double meant(const glm_cert *k, int64_t o, int64_t i) {
    double u = k->U[o * k->n + i] / k->s[i], y = k->y[o * k->n + i];
    if (!k->logistic) return y - u;
    double yes = y > 0 ? 1 - u : -u, no = y > 0 ? u : 1 + u; /* without cancellation */
    return k->c == 1 ? log(yes) - log(no) : log(yes);
}

/* The intercepts for which the decision values equal those of U, in the mean over the samples; for
 * several outputs up to a number that each sample adds to all of them. */
static void add_intercepts(glm_cert *k) {
    for (int64_t o = 0; k->job->with_intercept && o < k->c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < k->n; i++)
            if (k->s[i] > 0) sum += k->s[i] * (meant(k, o, i) - k->f[o * k->n + i]);
        for (int64_t i = 0; i < k->n; i++) k->f[o * k->n + i] += sum;
    }
}

static double *ones(arena *mem, int64_t count) {
    double *v = ARENA_NEW(mem, double, count);
    for (int64_t i = 0; v && i < count; i++) v[i] = 1;
    return v;
}

/* Costs of the blocks from the stored ridge. *fine: it is that ridge's dual. */
static pare_status add_costs(glm_cert *k, bool *fine, cert_reader *reader, pare_error *err) {
    cert_job job = *k->job;
    glm_cert start = *k;
    double strongest = 0, square = 0;
    job.dual += k->n * k->c;
    start.job = &job;
    start.rows = start.by_dual = true;
    start.lambda = k->ridge;
    start.alpha = 0;
    start.cost = NULL;
    start.n_units = k->n_units / (k->rows ? 1 : k->c);
    pare_status status = weigh(&start, fine, reader, err);
    if (status != PARE_OK) return status;
    if (!k->cost && !(k->cost = ones(&reader->mem, start.n_units))) return error_memory(err);
    add_intercepts(&start);
    double primal = loss_of(&start) + penalty_of(&start), dual = dual_of(&start);
    for (int64_t i = 0; !k->logistic && i < k->n; i++) square += k->s[i] * k->y[i] * k->y[i];
    *fine &= primal - dual <= START * fmax(fabs(primal), fabs(dual)) + NOTHING * square;
    for (int64_t u = 0; u < start.n_units; u++) strongest = fmax(strongest, sqrt(start.w2[u]));
    for (int64_t u = 0; u < start.n_units; u++)
        k->cost[u] *=
            strongest > 0 ? pow(fmax(sqrt(start.w2[u]) / strongest, WEAKEST), -k->gamma) : 1;
    return PARE_OK;
}

static pare_status judge(glm_cert *k, pare_report *out, const pare_ctx *ctx, pare_error *err) {
    const cert_job *job = k->job;
    cert_reader reader;
    bool even = true, fine = true;
    k->n = job->data->x.n;
    k->c = k->logistic ? target_scores(job->y) : 1;
    if (!job->coef || job->n_dual != k->c * (k->adaptive ? 2 : 1)) return PARE_OK;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(number_blocks(k, &reader.mem, err));
    TRY_MEM(k->s = ARENA_NEW(&reader.mem, double, k->n));
    TRY_MEM(k->y = ARENA_NEW(&reader.mem, double, k->n * k->c));
    share_out(k);
    targets(k);
    if (k->adaptive) TRY(add_costs(k, &fine, &reader, err));
    TRY(weigh(k, &even, &reader, err));
    out->objective = loss_of(k) + penalty_of(k);
    out->certificate = cert_gap(out->objective, even && fine ? dual_of(k) : -INFINITY);

done:
    return cert_close(&reader, status, err);
}

pare_status certify_lasso(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                          pare_error *err) {
    const lasso_settings *set = job->own;
    glm_cert k = {.job = job,
                  .lambda = set->lambda,
                  .alpha = set->alpha,
                  .adaptive = set->adaptive,
                  .gamma = set->adaptive_gamma,
                  .ridge = set->adaptive_ridge};
    return judge(&k, out, ctx, err);
}

pare_status certify_logistic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                             pare_error *err) {
    const logistic_settings *set = job->own;
    glm_cert k = {.job = job,
                  .logistic = true,
                  .rows = strcmp(set->penalty, "rows") == 0,
                  .lambda = set->lambda,
                  .alpha = set->alpha,
                  .adaptive = set->adaptive,
                  .gamma = set->adaptive_gamma,
                  .ridge = set->adaptive_ridge};
    return judge(&k, out, ctx, err);
}

pare_status certify_ridge_logistic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                   pare_error *err) {
    const common_settings *set = job->own;
    double total = 0;
    for (int64_t i = 0; i < job->data->x.n; i++) total += job->weight ? job->weight[i] : 1;
    logistic_settings own = {.penalty = "l1", .alpha = 0};
    own.lambda = 1 / (set->classifier_C * total);
    cert_job ridged = *job;
    ridged.own = &own;
    return certify_logistic(out, &ridged, ctx, err);
}

pare_status certify_relaxed_logistic(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                     pare_error *err) {
    logistic_settings own = {.penalty = "l1", .alpha = 0, .lambda = 1e-3};
    cert_job ridged = *job;
    ridged.own = &own;
    return certify_logistic(out, &ridged, ctx, err);
}
