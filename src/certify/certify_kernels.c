#include "certify/certify_kernels.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

/* --- the centred target, shared by all columns --- */

static double sample_weight(const cert_job *job, int64_t i) {
    return job->weight ? job->weight[i] : 1;
}

bool cert_target_make(cert_target *t, arena *mem, const cert_job *job) {
    const target *y = job->y;
    int64_t n = job->data->x.n, c = y->n_classes;
    *t = (cert_target){.n = n, .q = y->cls ? c : 1};
    t->v = ARENA_ZERO(mem, double, n * t->q);
    if (!t->v) return false;
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) t->total += sample_weight(job, i);
    t->factor = y->cls ? (double)c / (double)(c - 1) : 1;
    if (!y->cls) cert_spread(y->value, job->weight, n, &mean, &squares);
    for (int64_t k = 0; k < t->q; k++) {
        double share = 0;
        for (int64_t i = 0; y->cls && i < n; i++)
            if (y->cls[i] == k) share += sample_weight(job, i) / t->total;
        for (int64_t i = 0; i < n; i++)
            t->v[i * t->q + k] =
                sample_weight(job, i) * (y->cls ? (y->cls[i] == k) - share
                                                : (y->value[i] - mean) / sqrt(squares / t->total));
    }
    return true;
}

static cert_kind kind_named(const char *kernel) {
    if (strcmp(kernel, "linear") == 0) return CERT_LINEAR;
    return strcmp(kernel, "delta") == 0 ? CERT_DELTA : CERT_RBF;
}

/* Sets kernel and trace of the column in raw units; the masses are the target's, then the
 * weights. */
static void column_kernel(cert_feature *f, const cert_column *col, const cert_job *job,
                          const cert_target *t, double gamma, double *form, double *trace) {
    double squares;
    cert_spread(col->x, job->weight, t->n, &f->mean, &squares);
    f->gamma = isnan(gamma) ? t->total / (2 * squares) : gamma * col->scale * col->scale;
    for (int64_t i = 0; i < t->n; i++) {
        double *m = f->mass + f->code[i] * f->q;
        for (int64_t c = 0; c < t->q; c++) m[c] += t->v[i * t->q + c];
        m[t->q] += sample_weight(job, i);
    }
    cert_feature_apply(f, form);
    double own = f->shift == 0 ? t->total : 0; /* of rbf and delta kernels: 1 - shift each */
    *trace = f->kind == CERT_LINEAR ? squares : own - form[t->q] / t->total;
}

typedef struct align_part {
    cert_reader reader;
    cert_column col;
    cert_feature feature;
    double *form;
} align_part;

static void align_one(align_part *p, const cert_job *job, const cert_target *t, int64_t j,
                      double gamma, double *a, double *trace) {
    *a = *trace = 0;
    cert_column_read(&p->reader, j, &p->col);
    if (p->col.scale == 0) return;
    cert_feature_values(&p->feature, p->col.x, t->n);
    column_kernel(&p->feature, &p->col, job, t, gamma, p->form, trace);
    double sum = 0;
    for (int64_t c = 0; c < t->q; c++) sum += p->form[c];
    if (*trace > 0) *a = fmax(t->factor * sum / *trace, 0);
}

pare_status cert_alignments(double *a, double *trace, const cert_job *job, const char *kernel,
                            double gamma, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->data->x.n, d = job->data->x.d;
    int threads = ctx_threads(ctx), opened = 0;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    cert_target t;
    align_part *part = ARENA_ZERO(&mem, align_part, threads);
    TRY_MEM(part);
    TRY_MEM(cert_target_make(&t, &mem, job));
    for (; opened < threads; opened++) {
        align_part *p = &part[opened];
        p->feature.kind = kind_named(kernel);
        p->feature.forms_only = true;
        TRY_MEM(cert_feature_make(&p->feature, &mem, n, t.q + 1));
        TRY_MEM(p->col.x = ARENA_NEW(&mem, double, n));
        TRY_MEM(p->form = ARENA_NEW(&mem, double, t.q + 1));
        TRY(cert_open(&p->reader, job, ctx, err));
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int k = 0; k < threads; k++) /* a column's result does not depend on its thread */
        for (int64_t j = d * k / threads; j < d * (k + 1) / threads; j++)
            align_one(&part[k], job, &t, j, gamma, &a[j], &trace[j]);

done:
    while (opened > 0) status = cert_close(&part[--opened].reader, status, err);
    arena_free(&mem);
    return status;
}

/* --- the predictor --- */

typedef struct gap_judge {
    const cert_job *job;
    int64_t n, c;
    double C;
    double *feasible;   /* n x c: dual, signed and made feasible */
    double *f;          /* n x c */
    double *norm2;      /* c: of the model's point */
    double *dual_norm2; /* c */
} gap_judge;

static double label(const gap_judge *g, int64_t o, int64_t i) {
    return g->job->y->cls[i] == (g->c == 1 ? 1 : o) ? 1 : -1;
}

static void make_feasible(gap_judge *g, int64_t o) {
    double *a = g->feasible + o * g->n, sum[2] = {0, 0}, all = 0, total = 0;
    const double *dual = g->job->dual + o * g->n;
    if (!g->job->y->cls) { /* any numbers of sum 0, zero for samples without weight */
        for (int64_t i = 0; i < g->n; i++) {
            a[i] = sample_weight(g->job, i) > 0 ? dual[i] : 0;
            all += a[i];
            total += sample_weight(g->job, i);
        }
        for (int64_t i = 0; i < g->n; i++) a[i] -= sample_weight(g->job, i) * all / total;
        return;
    }
    for (int64_t i = 0; i < g->n; i++) {
        a[i] = fmin(fmax(dual[i], 0), g->C * sample_weight(g->job, i));
        sum[label(g, o, i) > 0] += a[i];
    }
    double lighter = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < g->n; i++) {
        double own = sum[label(g, o, i) > 0];
        a[i] *= label(g, o, i) * (own > 0 ? lighter / own : 1);
    }
}

/* Adds a column's terms. weight: that of its raw kernel in the problem; values: of the column, then
 * of the model's support vectors. Masses: the target's and weights (used up), then per output the
 * feasible dual and the model's. */
static void add_column(gap_judge *g, cert_feature *f, const cert_target *t, int64_t position,
                       double weight, double *form) {
    const cert_kernel *k = g->job->kernel;
    int64_t n = g->n, first = t->q + 1, q = f->q;
    double gamma = f->gamma, model_weight = k ? k->weight[position] : 0;
    for (int64_t e = 0; e < f->u * q; e++) f->mass[e] = 0;
    for (int64_t o = 0; o < g->c; o++) {
        for (int64_t i = 0; i < n; i++)
            f->mass[f->code[i] * q + first + 2 * o] += g->feasible[o * n + i];
        for (int64_t s = 0; k && s < k->n_support; s++)
            f->mass[f->code[n + s] * q + first + 2 * o + 1] += k->alpha[o * k->n_support + s];
    }
    cert_feature_apply(f, form);
    bool other = k && f->kind == CERT_RBF && !(fabs(k->gamma[position] - gamma) <= 1e-9 * gamma);
    for (int64_t o = 0; o < g->c; o++) {
        g->dual_norm2[o] += weight * form[first + 2 * o];
        if (!k || model_weight == 0) continue;
        double sum = 0;
        for (int64_t s = 0; s < k->n_support; s++) sum += k->alpha[o * k->n_support + s];
        if (other) g->norm2[o] = INFINITY; /* not a function of the problem's space */
        g->norm2[o] += model_weight * model_weight / weight * form[first + 2 * o + 1];
        for (int64_t i = 0; i < n; i++)
            g->f[o * n + i] +=
                model_weight * (f->applied[f->code[i] * q + first + 2 * o + 1] + f->shift * sum);
    }
}

static void add_linear_point(gap_judge *g, const cert_column *col, int64_t position,
                             double weight) {
    const cert_job *job = g->job;
    for (int64_t o = 0; o < g->c; o++) {
        double coef = job->coef[o * job->n_coef + position];
        if (coef == 0) continue;
        g->norm2[o] += coef * coef / weight;
        for (int64_t i = 0; i < g->n; i++) g->f[o * g->n + i] += coef * col->x[i];
    }
}

static void add_values(const gap_judge *g, int64_t o, double *primal, double *dual) {
    const cert_job *job = g->job;
    *primal += 0.5 * g->norm2[o];
    *dual -= 0.5 * g->dual_norm2[o];
    for (int64_t i = 0; i < g->n; i++) {
        double s = sample_weight(job, i), a = g->feasible[o * g->n + i];
        double f = g->f[o * g->n + i] + job->intercept[o];
        if (s == 0) continue;
        if (job->y->cls) {
            *primal += g->C * s * fmax(0, 1 - label(g, o, i) * f);
            *dual += fabs(a);
        } else {
            double residual = job->y->value[i] - f;
            *primal += 0.5 * g->C * s * residual * residual;
            *dual += a * job->y->value[i] - 0.5 * a * a / (g->C * s);
        }
    }
}

pare_status cert_weighted_kernels(pare_report *out, const cert_job *job, const char *kernel,
                                  double gamma, double C, const pare_ctx *ctx, pare_error *err) {
    const cert_kernel *k = job->kernel;
    int64_t n = job->data->x.n, c = job->n_outputs, support = k ? k->n_support : 0;
    gap_judge g = {.job = job, .n = n, .c = c, .C = C};
    cert_reader reader;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    arena *mem = &reader.mem;

    cert_target t;
    cert_column col = {0};
    cert_feature f = {.kind = kind_named(kernel)};
    TRY_MEM(cert_target_make(&t, mem, job));
    int64_t q = t.q + 1 + 2 * c;
    double *x = ARENA_NEW(mem, double, n + support), *form = ARENA_NEW(mem, double, q);
    double *given = ARENA_ZERO(mem, double, job->data->x.d);
    TRY_MEM(given && x && form);
    TRY_MEM(cert_feature_make(&f, mem, n + support, q));
    TRY_MEM(g.feasible = ARENA_NEW(mem, double, n *c));
    TRY_MEM(g.f = ARENA_ZERO(mem, double, n *c));
    TRY_MEM(ARENA_ZEROS(mem, double, c, &g.norm2, &g.dual_norm2));
    col.x = x;
    for (int64_t o = 0; o < c; o++) make_feasible(&g, o);
    for (int64_t i = 0; i < job->n_given; i++) given[job->given_cols[i]] = job->given[i];
    for (int64_t i = 0; i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        double trace;
        cert_column_read(&reader, j, &col);
        for (int64_t s = 0; s < support; s++) { /* imputed values agree up to rounding */
            double own = k->x[i * support + s];
            x[n + s] = fabs(own - col.fill) <= 1e-12 * fabs(col.fill) ? col.fill : own;
        }
        cert_feature_values(&f, x, n + support);
        column_kernel(&f, &col, job, &t, gamma, form, &trace);
        double weight = trace > 0 ? given[j] / trace : 0;
        add_column(&g, &f, &t, i, weight, form);
        if (job->coef) add_linear_point(&g, &col, i, weight);
    }
    double primal = 0, dual = 0;
    for (int64_t o = 0; o < c; o++) add_values(&g, o, &primal, &dual);
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);

done:
    return cert_close(&reader, status, err);
}
