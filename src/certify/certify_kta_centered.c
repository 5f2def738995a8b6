/* The certificate of `kta-centered`. From the weights eta of the model and raw columns: the
 * combined kernel B by plain loops, the scale at which it fits the target best,
 * scale = <B, T> / <B, B>, and of every feature the slope a_j - scale <K_j, B>, which must be 0
 * where eta_j > 0 and 0 at most elsewhere. The value is the worst of them, relative to the largest
 * alignment; the objective is the alignment itself, <B, T> / (|B| |T|). Pairs of samples that share
 * the value 0 of a raw column are known by its other samples. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "certify/certify_kernels.h"

typedef struct slope_judge {
    const cert_job *job;
    cert_target t;
    double *a, *trace, *eta, *with; /* d: alignment, trace, weight, <K_j, B> */
    double *B;                      /* n x n: centred, times both samples' weights */
    double *plain;                  /* n x n: centred */
} slope_judge;

/* One thread's column. */
typedef struct slope_part {
    cert_reader reader;
    cert_column col;
    double *row;    /* n */
    int64_t *other; /* n: samples that are not 0 */
    double *x;      /* n: their values */
} slope_part;

static double weight_of(const slope_judge *g, int64_t i) {
    return g->job->weight ? g->job->weight[i] : 1;
}

static double gamma_of(const slope_judge *g, const cert_column *col) {
    double mean, squares, gamma = ((const kta_centered_settings *)g->job->own)->gamma;
    cert_spread(col->x, g->job->weight, g->t.n, &mean, &squares);
    return isnan(gamma) ? g->t.total / (2 * squares) : gamma * col->scale * col->scale;
}

/* expm1 is slow: it is used only where exp would cancel. */
static double exp_minus_one(double p) { return p < -0.1 ? exp(p) - 1 : expm1(p); }

/* The kernel of raw values x with one of them, minus 1 (linear: the kernel itself, centred). */
static void values(double *out, const slope_judge *g, const cert_column *col, double gamma,
                   const double *x, int64_t count, double at) {
    const char *kernel = ((const kta_centered_settings *)g->job->own)->kernel;
    if (kernel[0] == 'l')
        for (int64_t i = 0; i < count; i++) out[i] = (x[i] - col->mean) * (at - col->mean);
    else if (kernel[0] == 'd')
        for (int64_t i = 0; i < count; i++) out[i] = x[i] == at ? 0 : -1;
    else
        for (int64_t i = 0; i < count; i++)
            out[i] = exp_minus_one(-gamma * (x[i] - at) * (x[i] - at));
}

static void add_kernel(slope_judge *g, slope_part *p, double weight) {
    int64_t n = g->t.n;
    double gamma = gamma_of(g, &p->col);
    for (int64_t a = 0; a < n; a++) {
        values(p->row, g, &p->col, gamma, p->col.x, a + 1, p->col.x[a]);
        for (int64_t b = 0; b <= a; b++) g->plain[a * n + b] += weight * p->row[b];
    }
}

/* Weighted centring of the lower triangle, into both matrices. */
static void centre(slope_judge *g, double *mean) {
    int64_t n = g->t.n;
    double all = 0;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < a; b++) g->plain[b * n + a] = g->plain[a * n + b];
    for (int64_t a = 0; a < n; a++) {
        mean[a] = 0;
        for (int64_t b = 0; b < n; b++)
            mean[a] += weight_of(g, b) / g->t.total * g->plain[a * n + b];
        all += weight_of(g, a) / g->t.total * mean[a];
    }
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) {
            double *k = &g->plain[a * n + b];
            *k += all - mean[a] - mean[b];
            g->B[a * n + b] = *k * weight_of(g, a) * weight_of(g, b);
        }
}

/* <K_j, B> before normalisation: B's rows sum to 0, so that a constant over all pairs drops out,
 * and the samples at 0 need only the rest of each row. */
static double against(const slope_judge *g, slope_part *p) {
    const cert_column *col = &p->col;
    int64_t n = g->t.n, count = 0;
    double gamma = gamma_of(g, col), sum = 0, zero = 0, none, from_zero;
    for (int64_t i = 0; i < n; i++)
        if (col->x[i] != 0) {
            p->x[count] = col->x[i];
            p->other[count++] = i;
        }
    values(&none, g, col, gamma, &zero, 1, 0);
    for (int64_t e = 0; e < count; e++) {
        const double *row = g->B + p->other[e] * n;
        double rest = 0, inside = 0; /* rest: over the samples at 0 */
        values(&from_zero, g, col, gamma, &p->x[e], 1, 0);
        values(p->row, g, col, gamma, p->x, e + 1, p->x[e]);
        for (int64_t o = 0; count < n && o < count; o++) rest -= row[p->other[o]];
        for (int64_t o = 0; o < e; o++) inside += row[p->other[o]] * (p->row[o] - none);
        sum += 2 * rest * (from_zero - none) + 2 * inside + row[p->other[e]] * (p->row[e] - none);
    }
    return sum;
}

static double target_norm(const slope_judge *g) {
    double sum = 0;
    for (int64_t c = 0; c < g->t.q; c++)
        for (int64_t e = 0; e < g->t.q; e++) {
            double dot = 0;
            for (int64_t i = 0; i < g->t.n; i++)
                if (weight_of(g, i) > 0)
                    dot += g->t.v[i * g->t.q + c] * g->t.v[i * g->t.q + e] / weight_of(g, i);
            sum += dot * dot;
        }
    return g->t.factor * sqrt(sum);
}

static void judge(pare_report *out, const slope_judge *g) {
    int64_t n = g->t.n, d = g->job->data->x.d;
    double with_target = 0, own = 0, largest = 0, worst = 0;
    for (int64_t i = 0; i < n * n; i++) own += g->B[i] * g->plain[i];
    for (int64_t j = 0; j < d; j++) {
        with_target += g->eta[j] * g->a[j];
        largest = fmax(largest, g->a[j]);
    }
    double scale = own > 0 ? with_target / own : 0;
    for (int64_t j = 0; j < d; j++) {
        double slope = g->a[j] - scale * g->with[j];
        double wrong = g->eta[j] > 0 ? fabs(slope) : fmax(slope, 0);
        if (g->eta[j] < 0 || (g->eta[j] > 0 && !(g->trace[j] > 0))) wrong = INFINITY;
        if (!(wrong <= worst)) worst = wrong;
    }
    out->objective = own > 0 ? with_target / sqrt(own) / target_norm(g) : 0;
    out->certificate = (pare_certificate){PARE_CERT_KKT, worst, worst == 0 ? 0 : worst / largest};
}

static pare_status certify_weights(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                   pare_error *err) {
    const kta_centered_settings *s = job->own;
    int64_t n = job->data->x.n, d = job->data->x.d;
    int threads = ctx_threads(ctx), opened = 0;
    slope_judge g = {.job = job};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    slope_part *part = ARENA_ZERO(&mem, slope_part, threads);
    TRY_MEM(part);
    TRY(ctx_check_memory(ctx, 16 * (double)n * (double)n, "the kernel matrices of the samples",
                         err));
    TRY_MEM(ARENA_NEWS(&mem, double, d, &g.a, &g.trace));
    TRY_MEM(ARENA_ZEROS(&mem, double, d, &g.eta, &g.with));
    TRY_MEM(g.B = ARENA_NEW(&mem, double, n *n));
    TRY_MEM(g.plain = ARENA_ZERO(&mem, double, n *n));
    TRY_MEM(cert_target_make(&g.t, &mem, job));
    TRY(cert_alignments(g.a, g.trace, job, s->kernel, s->gamma, ctx, err));
    for (; opened < threads; opened++) {
        slope_part *p = &part[opened];
        TRY_MEM(ARENA_NEWS(&mem, double, n, &p->col.x, &p->row, &p->x));
        TRY_MEM(p->other = ARENA_NEW(&mem, int64_t, n));
        TRY(cert_open(&p->reader, job, ctx, err));
    }
    for (int64_t i = 0; job->cols && job->z && i < job->n_cols; i++) {
        if (job->partial && job->partial[job->cols[i]])
            continue; /* forced in: not a weight of the problem */
        int64_t j = job->cols[i];
        g.eta[j] = job->z[i];
        if (!(g.trace[j] > 0)) continue;
        cert_column_read(&part[0].reader, j, &part[0].col);
        add_kernel(&g, &part[0], job->z[i] / g.trace[j]);
    }
    centre(&g, part[0].row);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int k = 0; k < threads; k++) /* a column's result does not depend on its thread */
        for (int64_t j = d * k / threads; j < d * (k + 1) / threads; j++) {
            if (!(g.trace[j] > 0)) continue;
            cert_column_read(&part[k].reader, j, &part[k].col);
            g.with[j] = against(&g, &part[k]) / g.trace[j];
        }
    judge(out, &g);

done:
    while (opened > 0) status = cert_close(&part[--opened].reader, status, err);
    arena_free(&mem);
    return status;
}

pare_status certify_kta_centered(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                 pare_error *err) {
    const kta_centered_settings *s = job->own;
    if (!job->predictor) return certify_weights(out, job, ctx, err);
    return cert_weighted_kernels(out, job, s->kernel, s->gamma, s->C, ctx, err);
}
