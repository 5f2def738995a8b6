#include "certify/mkl_parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* One feature: its values, then those of the model's support vectors; masses: the sample weights,
 * then per output the dual point and the model's. */
typedef struct one_feature {
    cert_column col;
    cert_feature f;
    double *form;
    double trace;
} one_feature;

static int64_t n_support(const mkl_parts *g) {
    return g->job->kernel ? g->job->kernel->n_support : 0;
}

static cert_kind kind_named(const char *kernel) {
    if (strcmp(kernel, "linear") == 0) return CERT_LINEAR;
    return strcmp(kernel, "delta") == 0 ? CERT_DELTA : CERT_RBF;
}

static void read_feature(const mkl_parts *g, one_feature *x, cert_reader *reader, int64_t j) {
    const cert_kernel *k = g->job->kernel;
    int64_t n = g->n, support = n_support(g), at = g->position[j], q = x->f.q;
    double squares, *value = x->col.x;
    cert_column_read(reader, j, &x->col);
    for (int64_t t = 0; t < support; t++) { /* imputed values agree up to rounding */
        double own = at >= 0 ? k->x[at * support + t] : value[0], fill = x->col.fill;
        value[n + t] = fabs(own - fill) <= 1e-12 * fabs(fill) ? fill : own;
    }
    cert_feature_values(&x->f, value, n + support);
    cert_spread(value, g->job->weight, n, &x->f.mean, &squares);
    x->f.gamma =
        isnan(g->gamma) ? g->total / (2 * squares) : g->gamma * x->col.scale * x->col.scale;
    for (int64_t i = 0; i < n; i++) {
        double *mass = x->f.mass + x->f.code[i] * q;
        mass[0] += parts_weight(g, i);
        for (int64_t o = 0; o < g->c; o++) mass[1 + 2 * o] += g->u[o * n + i];
    }
    for (int64_t t = 0; at >= 0 && t < support; t++)
        for (int64_t o = 0; o < g->c; o++)
            x->f.mass[x->f.code[n + t] * q + 2 + 2 * o] += k->alpha[o * support + t];
    cert_feature_apply(&x->f, x->form);
    double own = x->f.shift == 0 ? g->total : 0; /* of rbf and delta kernels: 1 - shift each */
    x->trace = x->f.kind == CERT_LINEAR ? squares : own - x->form[0] / g->total;
}

/* weight times the kernel applied to the masses of one column, which sum to `sum`. */
static void add_part(const mkl_parts *g, const one_feature *x, int64_t o, int64_t mass,
                     double weight, double sum) {
    for (int64_t i = 0; i < g->n; i++)
        g->f[o * g->n + i] +=
            weight * (x->f.applied[x->f.code[i] * x->f.q + mass] + x->f.shift * sum);
}

static void add_linear(const mkl_parts *g, const one_feature *x, int64_t j, int64_t o) {
    const cert_job *job = g->job;
    double coef = job->coef[o * job->n_coef + g->position[j]];
    if (coef == 0) return;
    g->norm2[j] += x->trace > 0 ? coef * coef * x->trace : INFINITY;
    for (int64_t i = 0; i < g->n; i++) g->f[o * g->n + i] += coef * x->col.x[i];
}

/* Centring is not needed: it would only shift the intercept. */
static void add_kernel(const mkl_parts *g, const one_feature *x, int64_t j, int64_t o) {
    const cert_kernel *k = g->job->kernel;
    int64_t at = g->position[j];
    double weight = k->weight[at], sum = 0;
    bool other = x->f.kind == CERT_RBF && !(fabs(k->gamma[at] - x->f.gamma) <= 1e-9 * x->f.gamma);
    if (weight == 0) return;
    for (int64_t t = 0; t < k->n_support; t++) sum += k->alpha[o * k->n_support + t];
    double form = x->form[2 + 2 * o] + x->f.shift * sum * sum;
    g->norm2[j] += weight * weight * x->trace * fmax(form, 0);
    if (other || !(weight > 0) || !(x->trace > 0)) g->norm2[j] = INFINITY;
    add_part(g, x, o, 2 + 2 * o, weight, sum);
}

static void add_feature(const mkl_parts *g, const one_feature *x, int64_t j) {
    bool active = x->col.scale != 0 && x->trace > 0;
    for (int64_t o = 0; active && o < g->c; o++) g->s[j] += fmax(x->form[1 + 2 * o], 0) / x->trace;
    for (int64_t o = 0; !g->selecting && g->position[j] >= 0 && o < g->c; o++) {
        if (g->job->coef)
            add_linear(g, x, j, o);
        else
            add_kernel(g, x, j, o);
    }
    if (!g->selecting || g->z[j] == 0) return;
    g->norm2[j] = g->z[j] > 0 && active ? g->z[j] * g->z[j] * g->s[j] : INFINITY;
    for (int64_t o = 0; active && o < g->c; o++)
        add_part(g, x, o, 1 + 2 * o, g->z[j] / x->trace, 0);
}

pare_status parts_make(mkl_parts *g, const cert_job *job, const char *kernel, double gamma,
                       cert_reader *reader, pare_error *err) {
    int64_t d = job->data->x.d;
    arena *mem = &reader->mem;
    *g = (mkl_parts){.job = job,
                     .kernel = kernel,
                     .gamma = gamma,
                     .n = job->data->x.n,
                     .c = job->n_outputs,
                     .selecting = !job->coef && !job->kernel};
    PASS_MEM(g->u = ARENA_NEW(mem, double, g->n * g->c));
    PASS_MEM(g->f = ARENA_ZERO(mem, double, g->n * g->c));
    PASS_MEM(ARENA_ZEROS(mem, double, d, &g->s, &g->norm2, &g->z));
    PASS_MEM(g->position = ARENA_NEW(mem, int64_t, d));
    for (int64_t j = 0; j < d; j++) g->position[j] = -1;
    for (int64_t i = 0; !g->selecting && i < job->n_coef; i++) g->position[job->index[i]] = i;
    for (int64_t i = 0; g->selecting && job->z && i < job->n_cols; i++)
        g->z[job->cols[i]] = job->z[i];
    for (int64_t i = 0; i < g->n; i++) g->total += parts_weight(g, i);
    return PARE_OK;
}

pare_status parts_read(mkl_parts *g, cert_reader *reader, pare_error *err) {
    const cert_job *job = g->job;
    arena *mem = &reader->mem;
    int64_t capacity = g->n + n_support(g), count = g->selecting ? job->data->x.d : job->n_cols;
    one_feature x = {.f = {.kind = kind_named(g->kernel)}};
    x.col.x = ARENA_NEW(mem, double, capacity);
    x.form = ARENA_NEW(mem, double, 1 + 2 * g->c);
    if (!x.col.x || !x.form || !cert_feature_make(&x.f, mem, capacity, 1 + 2 * g->c))
        return error_memory(err);
    for (int64_t i = 0; i < count; i++) {
        int64_t j = job->cols && !g->selecting ? job->cols[i] : i;
        read_feature(g, &x, reader, j);
        add_feature(g, &x, j);
    }
    return PARE_OK;
}
