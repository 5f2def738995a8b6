/* The certificates of `lasso` and `logistic`: a duality gap, from raw columns.
 *   primal   sum_i s_i loss(y_i, f_i) + lambda P,
 *            P = sum over units [alpha a |w_u| + (1 - alpha)/2 |w_u|^2]
 *   dual     -L*(-t U) - sum over units (t |g_u| - lambda alpha a)_+^2 / (2 lambda (1 - alpha)),
 *            g = X'U scaled; alpha = 1: t small enough that the numerators are 0 instead
 * s_i: shares of the weight. A unit is one coefficient, or those of a feature over the classes
 * (rows), or of the features of a group, with a = sqrt(features) and both terms times the cost e of
 * the block, that of its feature or the mean of its group. A forced-in feature costs 0 and is a
 * block by itself: X'U along it counts as the gain of its coefficient. A feature with a sign counts
 * in g by what of X_j'U its coefficient may follow. U, the stored dual, is first
 * made a dual point of the loss: cut to feasible signs and sizes, and balanced where there is
 * an intercept. One pass over the columns.
 * adaptive: costs are recomputed from a ridge's dual point V, stored behind U: its coefficients
 * are X'V / ridge, whose own duality gap must be small, or nothing is certified.
 * Two more passes.
 * What depends on the loss is in cert_loss_*.c. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/cert_glm.h"
#include "data/feature/groups.h"

static const double REACH = 10;      /* bound of unpenalised coefficients, relative to their
                                         size */
static const double WEAKEST = 1e-10; /* of the largest ridge coefficient: smaller ones count as
                                         this */
static const double START = 1e-6;    /* relative: the largest gap of the ridge */

static void share_out(glm_cert *k) {
    const cert_job *job = k->job;
    double total = 0;
    for (int64_t i = 0; i < k->n; i++) total += k->s[i] = job->weight ? job->weight[i] : 1;
    for (int64_t i = 0; i < k->n; i++) k->s[i] /= total;
}

/* -L*(-t U). */
static double loss_dual_of(const glm_cert *k, double t) {
    double sum = k->loss->dual(k, t);
    for (int64_t e = 0; k->job->offset && e < k->n * k->c; e++)
        if (k->s[e % k->n] > 0) sum -= t * k->U[e] * k->job->offset[e % k->n];
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
    PASS(groups_number(&group, &count, mem, job->data, err));
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
        if (cert_forbids(k->job, j, raw)) k->wrong = true;
        if (k->by_dual) {
            w = g / k->lambda;
            raw = 0;
            for (int64_t r = 0; r < k->n; r++)
                k->f[o * k->n + r] += w * x->scale * (x->x[r] - x->shift);
        }
        double pull = k->by_dual ? g : cert_pull(k->job, j, g);
        k->g2[unit] += pull * pull;
        k->w2[unit] += w * w;
        if (o == 0 || !k->rows) k->size[unit]++;
        for (int64_t r = 0; raw != 0 && r < k->n; r++) k->f[o * k->n + r] += raw * x->x[r];
    }
}

pare_status cert_glm_values(double *f, const cert_job *job, int64_t outputs, cert_reader *reader,
                            pare_error *err) {
    int64_t n = job->data->x.n;
    cert_column x = {.x = ARENA_NEW(&reader->mem, double, n)};
    if (!x.x) return error_memory(err);
    for (int64_t e = 0; e < n * outputs; e++)
        f[e] = job->intercept[e / n] + (job->offset ? job->offset[e % n] : 0);
    for (int64_t i = 0; i < job->n_coef; i++) {
        cert_column_read(reader, job->index[i], &x);
        for (int64_t e = 0; e < n * outputs; e++)
            f[e] += job->coef[e / n * job->n_coef + i] * x.x[e % n];
    }
    return PARE_OK;
}

static pare_status read_columns(glm_cert *k, cert_reader *reader, pare_error *err) {
    const cert_job *job = k->job;
    cert_columns at;
    PASS(cert_columns_open(&at, reader, err));
    for (int64_t e = 0; e < k->n * k->c; e++)
        k->f[e] =
            (k->by_dual ? 0 : job->intercept[e / k->n]) + (job->offset ? job->offset[e % k->n] : 0);
    while (cert_next(&at)) {
        bool none = k->by_dual || at.position < 0;
        add_column(k, &at.col, at.j, none ? NULL : job->coef + at.position, job->n_coef);
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
    PASS_MEM(ARENA_NEWS(&reader->mem, double, k->n * k->c, &k->U, &k->f));
    PASS_MEM(ARENA_ZEROS(&reader->mem, double, k->n_units, &k->w2, &k->g2, &k->size));
    *even = true;
    if (k->loss->from_point)
        PASS(k->loss->from_point(k, even, reader, err));
    else
        *even = k->loss->balance(k);
    return read_columns(k, reader, err);
}

/* The intercepts for which the decision values equal those of U, in the mean over the samples; for
 * several outputs up to a number that each sample adds to all of them. */
static void add_intercepts(glm_cert *k) {
    for (int64_t o = 0; k->job->with_intercept && o < k->c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < k->n; i++)
            if (k->s[i] > 0)
                sum += k->s[i] * (k->loss->decision_of_dual(k, o, i) - k->f[o * k->n + i]);
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
    double strongest = 0;
    job.dual += k->n * k->c;
    start.job = &job;
    start.rows = start.by_dual = true;
    start.lambda = k->ridge;
    start.alpha = 0;
    start.cost = NULL;
    start.n_units = k->n_units / (k->rows ? 1 : k->c);
    PASS(weigh(&start, fine, reader, err));
    if (!k->cost && !(k->cost = ones(&reader->mem, start.n_units))) return error_memory(err);
    add_intercepts(&start);
    double primal = start.loss->value(&start) + penalty_of(&start), dual = dual_of(&start);
    *fine &= primal - dual <= START * fmax(fabs(primal), fabs(dual)) + k->loss->nothing(k);
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
    k->c = target_scores(job->y);
    int64_t duals = k->loss->from_point ? 0 : k->c * (k->adaptive ? 2 : 1);
    if (!job->coef || job->n_dual != duals) return PARE_OK;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(number_blocks(k, &reader.mem, err));
    TRY_MEM(k->s = ARENA_NEW(&reader.mem, double, k->n));
    TRY_MEM(k->y = ARENA_NEW(&reader.mem, double, k->n * k->c));
    share_out(k);
    if (k->loss->targets) k->loss->targets(k);
    if (k->adaptive) TRY(add_costs(k, &fine, &reader, err));
    TRY(weigh(k, &even, &reader, err));
    out->objective = k->wrong ? INFINITY : k->loss->value(k) + penalty_of(k);
    double dual = even && fine ? dual_of(k) : -INFINITY;
    bool rounding =
        k->loss->from_point && fabs(out->objective - dual) <= k->loss->nothing(k); /* of sums */
    out->certificate = cert_gap(out->objective, rounding ? out->objective : dual);

done:
    return cert_close(&reader, status, err);
}

pare_status certify_lasso(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                          pare_error *err) {
    const lasso_settings *set = job->own;
    glm_cert k = {.job = job,
                  .loss = &cert_squared,
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
                  .loss = target_scores(job->y) == 1 ? &cert_logistic : &cert_softmax,
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

pare_status certify_cox(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    const cox_settings *set = job->own;
    glm_cert k = {.job = job,
                  .loss = &cert_cox,
                  .lambda = set->lambda,
                  .alpha = set->alpha,
                  .efron = strcmp(set->ties, "efron") == 0};
    return judge(&k, out, ctx, err);
}

pare_status certify_relaxed_cox(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                pare_error *err) {
    cox_settings own = *(const cox_settings *)job->own;
    cert_job ridged = *job;
    own.alpha = 0;
    own.lambda = 0.3;
    ridged.own = &own;
    return certify_cox(out, &ridged, ctx, err);
}
