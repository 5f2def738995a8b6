/* The certificate of `sbmlr`, from raw columns: how far its point is from stationary.
 *   objective  sum_i w_i loss(y_i, f_i) + L ln S,  S = sum |b_jo| in scaled units, L of them not 0
 *   active     |slope of the loss + L / S sign b|
 *   inactive   excess of the slope over (L + 1) / S, the price of the coefficient if it entered,
 *              if entering by itself lowers the objective
 *   intercepts |slope|
 * The largest of these, relative to L / S; without active coefficients to the sum of weights, and
 * only the intercepts count. Two passes over the columns, one of them over those of the model. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

static const double LITTLE = 1e-9; /* of the objective: smaller decreases do not count */

typedef struct sbmlr_cert {
    const cert_job *job;
    int64_t n, c, n_active;
    double sum, loss, total, worst;
    double *f, *u; /* n x c: decision values, w (indicator - probability) */
    cert_columns at;
    double *moved; /* 2 c: scratch */
} sbmlr_cert;

/* Decision values, S and L. */
static void add_point(sbmlr_cert *k, cert_reader *reader) {
    const cert_job *job = k->job;
    for (int64_t e = 0; e < k->n * k->c; e++)
        k->f[e] = job->intercept[e / k->n] + (job->offset ? job->offset[e % k->n] : 0);
    for (int64_t i = 0; i < job->n_coef; i++) {
        cert_column_read(reader, job->index[i], &k->at.col);
        for (int64_t o = 0; o < k->c; o++) {
            double raw = job->coef[o * job->n_coef + i];
            if (raw == 0) continue;
            k->n_active++;
            k->sum += fabs(raw / k->at.col.scale); /* scale 0: infinite, as it should */
            for (int64_t r = 0; r < k->n; r++) k->f[o * k->n + r] += raw * k->at.col.x[r];
        }
    }
}

/* ln(1 + e^t) */
static double soft(double t) { return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t)); }

/* The loss of sample i with decision values f; slopes, unless NULL: w (indicator - probability). */
static double sample_loss(const sbmlr_cert *k, int64_t i, const double *f, double *slope) {
    const cert_job *job = k->job;
    int64_t own = job->y->cls[i];
    double w = job->weight ? job->weight[i] : 1, top = -INFINITY, sum = 0;
    if (k->c == 1) {
        double away = own == 1 ? -f[0] : f[0];
        if (slope) slope[0] = w * (own == 1 ? 1 : -1) / (1 + exp(-away));
        return w * soft(away);
    }
    for (int64_t o = 0; o < k->c; o++) top = fmax(top, f[o]);
    for (int64_t o = 0; o < k->c; o++) sum += exp(f[o] - top);
    for (int64_t o = 0; slope && o < k->c; o++) slope[o] = w * ((o == own) - exp(f[o] - top) / sum);
    return w * (log(sum) + top - f[own]);
}

static double sample_at(sbmlr_cert *k, int64_t i, int64_t o, double step) {
    for (int64_t l = 0; l < k->c; l++) k->moved[l] = k->f[l * k->n + i];
    k->moved[o] += step * (k->at.col.x[i] - k->at.col.shift) * k->at.col.scale;
    return sample_loss(k, i, k->moved, NULL);
}

/* The objective with an inactive coefficient of the current column at `step`. */
static double value_with(sbmlr_cert *k, int64_t o, double step) {
    double sum = (double)(k->n_active + 1) * log(k->sum + fabs(step));
    for (int64_t i = 0; i < k->n; i++) sum += sample_at(k, i, o, step);
    return sum;
}

/* Whether some step in the direction of `sign` lowers the objective: a search over sizes, finer
 * around the best of them. */
static bool pays(sbmlr_cert *k, int64_t o, double sign) {
    double now = k->loss + (double)k->n_active * log(k->sum);
    double best = INFINITY, at = 0, unit = k->sum / (double)k->n_active;
    for (int e = -40; e <= 20; e++) {
        double there = value_with(k, o, sign * unit * pow(2, e / 4.0));
        if (!(there < best)) continue;
        best = there;
        at = unit * pow(2, e / 4.0);
    }
    for (double width = 0.2; width > 1e-7; width /= 2)
        for (int way = -1; way <= 1; way += 2) {
            double there = value_with(k, o, sign * at * (1 + way * width));
            if (!(there < best)) continue;
            best = there;
            at *= 1 + way * width;
        }
    return best < now - LITTLE * fabs(now);
}

static void take_sample(sbmlr_cert *k, int64_t i) {
    double *slope = k->moved + k->c;
    for (int64_t l = 0; l < k->c; l++) k->moved[l] = k->f[l * k->n + i];
    k->loss += sample_loss(k, i, k->moved, slope);
    k->total += k->job->weight ? k->job->weight[i] : 1;
    for (int64_t o = 0; o < k->c; o++) k->u[o * k->n + i] = slope[o];
}

static void judge_column(sbmlr_cert *k, const double *coef, int64_t stride) {
    const cert_column *x = &k->at.col;
    for (int64_t o = 0; o < k->c; o++) {
        double g = 0, raw = coef ? coef[o * stride] : 0, off;
        for (int64_t r = 0; r < k->n; r++) g += k->u[o * k->n + r] * (x->x[r] - x->shift);
        g *= x->scale;
        if (raw != 0)
            off = fabs(g - copysign((double)k->n_active / k->sum, raw));
        else
            off = fabs(g) - (double)(k->n_active + 1) / k->sum;
        if (off <= k->worst || (raw == 0 && !pays(k, o, g > 0 ? 1 : -1))) continue;
        k->worst = isnan(off) ? INFINITY : off;
    }
}

pare_status certify_sbmlr(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                          pare_error *err) {
    sbmlr_cert k = {.job = job, .n = job->data->x.n, .c = job->n_outputs};
    int64_t classes = job->y->n_classes;
    cert_reader reader;
    if (!job->coef || !job->y->cls || k.c != (classes > 2 ? classes : 1)) return PARE_OK;
    PASS(cert_begin(&k.at, &reader, job, 0, ctx, err));
    pare_status status = PARE_OK;
    TRY_MEM(ARENA_NEWS(&reader.mem, double, k.n *k.c, &k.f, &k.u));
    TRY_MEM(k.moved = ARENA_NEW(&reader.mem, double, 2 * k.c));
    add_point(&k, &reader);
    for (int64_t i = 0; i < k.n; i++) take_sample(&k, i);
    for (int64_t o = 0; job->with_intercept && o < k.c; o++) {
        double slope = 0;
        for (int64_t i = 0; i < k.n; i++) slope += k.u[o * k.n + i];
        k.worst = fmax(k.worst, fabs(slope));
    }
    while (k.n_active > 0 && cert_next(&k.at))
        judge_column(&k, k.at.position < 0 ? NULL : job->coef + k.at.position, job->n_coef);
    double scale = k.n_active > 0 ? (double)k.n_active / k.sum : k.total;
    out->objective = k.loss + (k.n_active > 0 ? (double)k.n_active * log(k.sum) : 0);
    out->certificate =
        (pare_certificate){PARE_CERT_KKT, k.worst, k.worst == 0 ? 0 : k.worst / scale};

done:
    return cert_close(&reader, status, err);
}
