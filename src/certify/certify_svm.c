/* The certificate of `svm`, one output after the other (one against one: of a pair of
 * classes, on their samples only):
 *   primal   1/2 sum_j (coef_j / scale_j)^2 + sum_i loss_i(y_i f_i), f from the raw coefficients
 *   dual     sum alpha - 1/2 sum_j (sum_i alpha_i y_i x_ij)^2 - 1/2 sum_i ridge_i alpha_i^2
 * at an alpha made feasible here: cut to [0, C_i], and with an intercept the heavier class shrunk
 * until both weigh the same. Their difference bounds the distance to the optimum, whatever computed
 * the numbers. Cost: one pass over the problem's columns for all outputs. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

static const double HARD_TOLERANCE = 1e-6; /* a hard-margin model has min y f >= 1 - this */

typedef struct svm_judge {
    const cert_job *job;
    const cert_svm_problem *m;
    int64_t n, c;
    double *signed_alpha; /* n x c: feasible alpha times y */
    double *f;            /* n x c: decision values of the point to certify */
    double *norm2;        /* c: |w|^2 of that point */
    double *dual_norm2;   /* c: |sum alpha y x|^2 */
} svm_judge;

/* Of sample i in output o; 0: it is of neither class of a pair. */
static double label(const svm_judge *s, int64_t o, int64_t i) {
    int32_t own = s->job->y->cls[i], pair[2];
    if (!s->m->pairs) return own == (int32_t)(s->c == 1 ? 1 : o) ? 1 : -1;
    class_pair(o, s->job->y->n_classes, pair);
    return own == pair[1] ? 1 : own == pair[0] ? -1 : 0;
}

static double weight_of(const svm_judge *s, int64_t o, int64_t i) {
    if (s->m->pairs && label(s, o, i) == 0) return 0; /* it is not in that problem */
    return s->job->weight ? s->job->weight[i] : 1;
}

/* Of sample i in output o, times its weight; 0: none. */
static double ridge_of(const svm_judge *s, int64_t o, int64_t i) {
    const double *own = s->m->ridges;
    double r = own ? own[o * s->n + i] : s->m->ridge;
    double weight = weight_of(s, o, i);
    return weight > 0 ? r / weight : 0;
}

static double upper(const svm_judge *s, int64_t o, int64_t i) {
    double own = weight_of(s, o, i);
    if (own == 0) return 0;
    double C = s->m->costs ? s->m->costs[o * s->n + i] : s->m->C;
    return ridge_of(s, o, i) > 0 ? INFINITY : C * own;
}

static bool is_hard(const svm_judge *s) {
    return !s->m->ridges && !s->m->costs && s->m->ridge == 0 && isinf(s->m->C);
}

static void make_feasible(svm_judge *s, int64_t o) {
    double *a = s->signed_alpha + o * s->n, sum[2] = {0, 0};
    for (int64_t i = 0; i < s->n; i++) {
        double y = label(s, o, i);
        a[i] = fmin(fmax(s->job->dual[o * s->n + i], 0), upper(s, o, i));
        sum[y > 0] += a[i];
    }
    double lighter = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < s->n; i++) {
        double y = label(s, o, i);
        if (s->job->with_intercept && sum[y > 0] > 0) a[i] *= lighter / sum[y > 0];
        a[i] *= y;
    }
}

/* One column's terms in all outputs. position: its index among the coefficients, or -1. */
static void add_column(svm_judge *s, const cert_column *col, int64_t position) {
    const cert_job *job = s->job;
    for (int64_t o = 0; o < s->c; o++) {
        double dual = 0, coef = 0;
        const double *a = s->signed_alpha + o * s->n;
        /* With an intercept the signed alphas sum to 0, so that any centre gives the same sum; the
           mean loses the fewest digits. */
        double centre = job->with_intercept ? col->mean : col->shift;
        for (int64_t i = 0; i < s->n; i++) dual += a[i] * (col->x[i] - centre);
        dual *= col->scale;
        s->dual_norm2[o] += dual * dual;
        if (!job->coef)
            coef = dual * col->scale;
        else if (position >= 0)
            coef = job->coef[o * job->n_coef + position];
        if (coef == 0) continue;
        s->norm2[o] +=
            (coef / col->scale) * (coef / col->scale); /* scale 0: infinite, as required */
        double shift = job->coef ? 0 : centre;         /* given intercepts are for raw values */
        double *f = s->f + o * s->n;
        for (int64_t i = 0; i < s->n; i++) f[i] += coef * (col->x[i] - shift);
    }
}

/* The same for all columns at once if the SVM has a kernel. */
static pare_status add_kernel(svm_judge *s, cert_reader *reader, pare_error *err) {
    int64_t n = s->n;
    double *K = ARENA_NEW(&reader->mem, double, n *n);
    if (!K) return error_memory(err);
    PASS(cert_kernel_gram(K, s->job, s->m, reader, err));
    for (int64_t o = 0; o < s->c; o++) {
        const double *a = s->signed_alpha + o * n;
        for (int64_t i = 0; i < n; i++) {
            double f = 0;
            for (int64_t j = 0; j < n; j++) f += K[i * n + j] * a[j];
            s->dual_norm2[o] += a[i] * f;
            if (!s->job->kernel) s->f[o * n + i] = f;
        }
        s->norm2[o] = s->dual_norm2[o];
    }
    return s->job->kernel ? cert_kernel_point(s->job, reader, s->f, s->norm2, err) : PARE_OK;
}

static double primal_value(const svm_judge *s, int64_t o, double b) {
    double loss = 0, least = INFINITY;
    bool hard = is_hard(s);
    for (int64_t i = 0; i < s->n; i++) {
        double own = weight_of(s, o, i), margin = label(s, o, i) * (s->f[o * s->n + i] + b);
        if (own == 0) continue;
        double slack = fmax(0, 1 - margin);
        least = fmin(least, margin);
        double ridge = ridge_of(s, o, i);
        if (ridge > 0)
            loss += slack * slack / (2 * ridge);
        else if (!hard)
            loss += upper(s, o, i) * slack;
    }
    if (!hard) return 0.5 * s->norm2[o] + loss;
    if (least < 1 - HARD_TOLERANCE) return INFINITY;
    double stretch = fmin(least, 1); /* the factor that makes the margins exactly 1 */
    return 0.5 * s->norm2[o] / (stretch * stretch);
}

/* The best intercept for the point that the dual gives: where the primal, convex in b, is least. */
static double best_intercept(svm_judge *s, int64_t o) {
    double *f = s->f + o * s->n, lo = INFINITY, hi = -INFINITY, least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        if (weight_of(s, o, i) == 0) continue;
        double y = label(s, o, i), kink = y - f[i];
        lo = fmin(lo, kink);
        hi = fmax(hi, kink);
        if (y > 0) least = fmin(least, f[i]);
        if (y < 0) most = fmax(most, f[i]);
    }
    bool intercept = s->job->with_intercept;
    if (is_hard(s)) { /* centre, then stretch to margin 1 */
        double b = intercept ? -0.5 * (least + most) : 0;
        double margin = intercept ? 0.5 * (least - most) : fmin(least, -most);
        if (margin > 0) {
            for (int64_t i = 0; i < s->n; i++) f[i] /= margin;
            s->norm2[o] /= margin * margin;
            b /= margin;
        }
        return b;
    }
    if (!intercept) return 0;
    for (int step = 0; step < 200; step++) { /* thirds of a convex function */
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (primal_value(s, o, a) <= primal_value(s, o, b))
            hi = b;
        else
            lo = a;
    }
    return 0.5 * (lo + hi);
}

pare_status certify_svm_problem(pare_report *out, const cert_job *job, const cert_svm_problem *m,
                                const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->data->x.n, c = job->n_outputs;
    if (m->zero_slack && !m->costs) {
        if (job->intercept) return certify_zero_slack(out, job, m, ctx, err);
        out->objective = NAN; /* its tangents are at slacks that the dual does not determine */
        out->certificate = (pare_certificate){PARE_CERT_NONE, NAN, NAN};
        return PARE_OK;
    }
    if (c > 1 && m->together) return certify_ww(out, job, m, ctx, err);
    if (m->pairs && c != class_pairs(job->y->n_classes))
        return error_set(err, PARE_E_DATA, "the model's outputs are not one per pair of classes");
    svm_judge s = {.job = job, .m = m, .n = n, .c = c};
    cert_reader reader;
    cert_columns at;
    PASS(cert_begin(&at, &reader, job, 0, ctx, err));
    pare_status status = PARE_OK;
    TRY_MEM(s.signed_alpha = ARENA_NEW(&reader.mem, double, n *c));
    TRY_MEM(s.f = ARENA_ZERO(&reader.mem, double, n *c));
    TRY_MEM(ARENA_ZEROS(&reader.mem, double, c, &s.norm2, &s.dual_norm2));
    for (int64_t o = 0; o < c; o++) make_feasible(&s, o);
    bool linear = choice_is(m->kernel, "linear");
    if (!linear) TRY(add_kernel(&s, &reader, err));
    while (linear && cert_next(&at)) {
        if (job->z) at.col.scale *= job->z[at.i];
        add_column(&s, &at.col, at.position);
    }

    double primal = 0, dual = 0;
    for (int64_t o = 0; o < c; o++) {
        double b = job->intercept ? job->intercept[o] : best_intercept(&s, o);
        primal += primal_value(&s, o, b);
        dual -= 0.5 * s.dual_norm2[o];
        for (int64_t i = 0; i < n; i++) {
            double a = fabs(s.signed_alpha[o * n + i]);
            dual += a - 0.5 * ridge_of(&s, o, i) * a * a;
        }
    }
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);

done:
    return cert_close(&reader, status, err);
}

pare_status certify_svm(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    const svm_settings *s = job->own;
    cert_svm_problem m = {.C = s->C,
                          .ridge = s->ridge,
                          .zero_slack = choice_is(s->slack, "zero"),
                          .together = choice_is(s->multiclass, "ww"),
                          .pairs = job->y->n_classes > 2 && choice_is(s->multiclass, "ovo"),
                          .kernel = s->kernel,
                          .gamma = s->gamma,
                          .degree = s->degree,
                          .coef0 = s->coef0};
    return certify_svm_problem(out, job, &m, ctx, err);
}
