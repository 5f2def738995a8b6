/* The certificate of `dlsr` and `lsr`, output by output:
 *   primal   sum_i s_i r_i^2 + lambda sum_j (coef_j / scale_j)^2, f from the raw coefficients
 *   dual     sum_i a_i target_i - a_i^2 / (4 s_i) - sum_j (sum_i a_i x_ij)^2 / (4 lambda)
 * at an a made feasible here: 0 where s_i = 0, its sign that of the residuals (dlsr: + for the own
 * class, - for the others; lsr: any), and with an intercept the heavier sign shrunk until both
 * weigh the same. Two classes store one output, g = f_2 - f_1: f_2 = (1 + g) / 2, and f_1 = 1 - f_2
 * has the same residuals and weights, so everything counts twice. Without coefficients (a selection
 * problem) the point is the dual's own, w = X'a / (2 lambda), with the best intercept. Cost: one
 * pass over the problem's columns for all outputs. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

typedef struct ls_judge {
    const cert_job *job;
    bool one_sided;
    double lambda;
    int64_t n, c;
    double *weight;     /* n */
    double *a;          /* n x c */
    double *f;          /* n x c: of the last class if c is 1 */
    double *norm2;      /* c: |w|^2 of the point */
    double *dual_norm2; /* c: |X'a|^2 */
} ls_judge;

static bool is_own(const ls_judge *s, int64_t o, int64_t i) {
    return s->job->y->cls[i] == (s->c == 1 ? 1 : (int32_t)o);
}

static void set_weights(ls_judge *s) {
    for (int64_t i = 0; i < s->n; i++) s->weight[i] = s->job->weight ? s->job->weight[i] : 1;
}

static void make_feasible(ls_judge *s, int64_t o) {
    double *a = s->a + o * s->n, up = 0, down = 0;
    for (int64_t i = 0; i < s->n; i++) {
        a[i] = s->weight[i] > 0 ? s->job->dual[o * s->n + i] : 0;
        if (s->one_sided && (is_own(s, o, i) ? a[i] < 0 : a[i] > 0)) a[i] = 0;
        *(a[i] > 0 ? &up : &down) += fabs(a[i]);
    }
    for (int64_t i = 0; i < s->n && s->job->with_intercept; i++) {
        double heavy = a[i] > 0 ? up : down;
        if (heavy > 0) a[i] *= fmin(up, down) / heavy;
    }
}

static void add_column(ls_judge *s, const cert_column *col, int64_t position) {
    const cert_job *job = s->job;
    for (int64_t o = 0; o < s->c; o++) {
        const double *a = s->a + o * s->n;
        double image = 0, coef = 0;
        for (int64_t i = 0; i < s->n; i++) image += a[i] * (col->x[i] - col->shift);
        image *= col->scale;
        s->dual_norm2[o] += image * image;
        if (!job->coef)
            coef = image / (2 * s->lambda) * col->scale;
        else if (position >= 0)
            coef = job->coef[o * job->n_coef + position] / (s->c == 1 ? 2 : 1);
        if (coef == 0) continue;
        s->norm2[o] += (coef / col->scale) * (coef / col->scale);
        double shift = job->coef ? 0 : col->shift; /* given intercepts are for raw values */
        for (int64_t i = 0; i < s->n; i++) s->f[o * s->n + i] += coef * (col->x[i] - shift);
    }
}

static double loss(const ls_judge *s, int64_t o, double b, double *slope) {
    double sum = 0;
    *slope = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double r = s->f[o * s->n + i] + b - (is_own(s, o, i) ? 1 : 0);
        if (s->one_sided) r = is_own(s, o, i) ? fmin(r, 0) : fmax(r, 0);
        sum += s->weight[i] * r * r;
        *slope += s->weight[i] * r;
    }
    return sum;
}

/* The b of least loss, which is convex in b: by bisection. */
static double best_intercept(const ls_judge *s, int64_t o) {
    double lo = INFINITY, hi = -INFINITY, slope;
    if (!s->job->with_intercept) return 0;
    for (int64_t i = 0; i < s->n; i++) {
        double kink = (is_own(s, o, i) ? 1 : 0) - s->f[o * s->n + i];
        lo = fmin(lo, kink);
        hi = fmax(hi, kink);
    }
    for (int step = 0; step < 200; step++) {
        double middle = 0.5 * (lo + hi);
        loss(s, o, middle, &slope);
        *(slope > 0 ? &hi : &lo) = middle;
    }
    return 0.5 * (lo + hi);
}

static pare_status certify(pare_report *out, ls_judge *s, const pare_ctx *ctx, pare_error *err) {
    const cert_job *job = s->job;
    int64_t n = s->n, c = s->c;
    cert_reader reader;
    cert_columns at;
    PASS(cert_begin(&at, &reader, job, c, ctx, err));
    pare_status status = PARE_OK;
    TRY_MEM(s->weight = ARENA_NEW(&reader.mem, double, n));
    TRY_MEM(s->a = ARENA_NEW(&reader.mem, double, n *c));
    TRY_MEM(s->f = ARENA_ZERO(&reader.mem, double, n *c));
    TRY_MEM(ARENA_ZEROS(&reader.mem, double, c, &s->norm2, &s->dual_norm2));
    set_weights(s);
    for (int64_t o = 0; o < c; o++) make_feasible(s, o);
    while (cert_next(&at)) add_column(s, &at.col, at.position);
    double primal = 0, dual = 0, copies = c == 1 ? 2 : 1, slope;
    for (int64_t o = 0; o < c; o++) {
        double b = job->coef ? job->intercept[o] : best_intercept(s, o);
        if (job->coef && c == 1) b = (1 + b) / 2;
        primal += copies * (loss(s, o, b, &slope) + s->lambda * s->norm2[o]);
        dual -= copies * s->dual_norm2[o] / (4 * s->lambda);
        for (int64_t i = 0; i < n; i++) {
            double a = s->a[o * n + i];
            if (a == 0) continue;
            dual += copies * ((is_own(s, o, i) ? a : 0) - a * a / (4 * s->weight[i]));
        }
    }
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);

done:
    return cert_close(&reader, status, err);
}

pare_status certify_dlsr(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    ls_judge s = {.job = job,
                  .one_sided = true,
                  .lambda = ((const dlsr_settings *)job->own)->lambda,
                  .n = job->data->x.n,
                  .c = job->n_outputs};
    return certify(out, &s, ctx, err);
}

pare_status certify_lsr(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    ls_judge s = {.job = job,
                  .lambda = ((const lsr_settings *)job->own)->lambda,
                  .n = job->data->x.n,
                  .c = job->n_outputs};
    return certify(out, &s, ctx, err);
}
