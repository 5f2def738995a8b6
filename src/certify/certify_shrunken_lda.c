/* The certificate of the final classifier lda: the residual of its equations, from raw columns.
 * With r_j a column less its class means, divided by its pooled deviation within classes s_j
 * (variance sum w r^2 / (n - c), at least 1e-12 of the total), v_j = coef_j s_j and m_k the class
 * means from the overall one, over s_j:
 *   objective sum over the outputs of v'C_g v / 2 - m'v, C_g v as below
 *   value     max over features and outputs of |((1-g)/(n-c) R'W R v + g v - m)_j|
 *   relative  value over the largest |m_j|, or if that is more the intercepts' distance from
 *             ln(n_k/n) - m_k'v/2 - mean'coef over the sum of the sizes of those parts
 * Two classes: the second less the first. Cost: two passes over the selected columns. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certify.h"

typedef struct column_sight {
    double mean, dev; /* dev 0: constant */
    double *of_class; /* c: class means from the overall one */
    double *r;        /* n: less the class means */
} column_sight;

typedef struct judge {
    const cert_job *job;
    cert_reader reader;
    cert_column col;
    column_sight at;
    int64_t n, c;
    double total, *class_weight; /* c */
    double *Rv;                  /* n x outputs */
    double *b, *size;            /* outputs: the correct intercepts, sizes of their terms */
    double worst, largest, objective;
} judge;

static double weight_of(const judge *s, int64_t i) {
    return s->job->weight ? s->job->weight[i] : 1;
}

static void look(judge *s, int64_t j) {
    const int32_t *cls = s->job->y->cls;
    column_sight *at = &s->at;
    cert_column_read(&s->reader, j, &s->col);
    memset(at->of_class, 0, sizeof *at->of_class * (size_t)s->c);
    at->mean = s->col.mean;
    double inside = 0, between = 0;
    for (int64_t i = 0; i < s->n; i++)
        at->of_class[cls[i]] +=
            weight_of(s, i) * (s->col.x[i] - at->mean) / s->class_weight[cls[i]];
    for (int64_t i = 0; i < s->n; i++) {
        at->r[i] = s->col.x[i] - at->mean - at->of_class[cls[i]];
        inside += weight_of(s, i) * at->r[i] * at->r[i];
    }
    for (int64_t k = 0; k < s->c; k++)
        between += s->class_weight[k] * at->of_class[k] * at->of_class[k];
    at->dev = sqrt(fmax(inside / (s->total - (double)s->c), 1e-12 * (inside + between) / s->total));
    if (s->col.scale == 0) at->dev = 0;
}

/* The side of the equations that does not depend on the coefficients. */
static double mean_of(const judge *s, int64_t o) {
    const double *m = s->at.of_class;
    return (s->c == 2 ? m[1] - m[0] : m[o]) / s->at.dev;
}

static void add_feature(judge *s, int64_t i) {
    const cert_job *job = s->job;
    look(s, job->index[i]);
    for (int64_t o = 0; o < job->n_outputs; o++) {
        double coef = job->coef[o * job->n_coef + i];
        const double *m = s->at.of_class;
        double half = coef * (s->c == 2 ? m[0] + m[1] : m[o]) / 2;
        s->b[o] -= half + coef * s->at.mean;
        s->size[o] += fabs(half) + fabs(coef * s->at.mean);
        for (int64_t e = 0; e < s->n; e++) s->Rv[o * s->n + e] += coef * s->at.r[e];
    }
}

static void judge_feature(judge *s, int64_t i, double g) {
    const cert_job *job = s->job;
    look(s, job->index[i]);
    for (int64_t o = 0; o < job->n_outputs; o++) {
        double coef = job->coef[o * job->n_coef + i], sum = 0;
        if (s->at.dev == 0) {
            if (coef != 0) s->worst = INFINITY;
            continue;
        }
        for (int64_t e = 0; e < s->n; e++)
            sum += weight_of(s, e) * s->at.r[e] * s->Rv[o * s->n + e];
        double left = (1 - g) / (s->total - (double)s->c) * sum / s->at.dev + g * coef * s->at.dev;
        s->worst = fmax(s->worst, fabs(left - mean_of(s, o)));
        s->largest = fmax(s->largest, fabs(mean_of(s, o)));
        s->objective += coef * s->at.dev * (left / 2 - mean_of(s, o));
    }
}

static pare_status prepare(judge *s, pare_error *err) {
    const cert_job *job = s->job;
    arena *mem = &s->reader.mem;
    PASS_MEM(ARENA_NEWS(mem, double, s->n, &s->col.x, &s->at.r));
    PASS_MEM(s->at.of_class = ARENA_NEW(mem, double, s->c));
    PASS_MEM(s->class_weight = ARENA_ZERO(mem, double, s->c));
    PASS_MEM(s->Rv = ARENA_ZERO(mem, double, s->n * job->n_outputs));
    PASS_MEM(ARENA_NEWS(mem, double, job->n_outputs, &s->b, &s->size));
    for (int64_t i = 0; i < s->n; i++) {
        s->total += weight_of(s, i);
        s->class_weight[job->y->cls[i]] += weight_of(s, i);
    }
    for (int64_t o = 0; o < job->n_outputs; o++) {
        const double *n_k = s->class_weight;
        s->b[o] = s->c == 2 ? log(n_k[1] / n_k[0]) : log(n_k[o] / s->total);
        s->size[o] = fmax(1, fabs(s->b[o]));
    }
    return PARE_OK;
}

pare_status certify_shrunken_lda(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                 pare_error *err) {
    judge s = {.job = job, .n = job->data->x.n, .c = job->y->n_classes};
    if (!job->coef) return PARE_OK;
    pare_status status = cert_open(&s.reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(prepare(&s, err));
    double g = fmin(0.9, 40 / s.total), off = 0;
    for (int64_t i = 0; i < job->n_coef; i++) add_feature(&s, i);
    for (int64_t i = 0; i < job->n_coef; i++) judge_feature(&s, i, g);
    for (int64_t o = 0; o < job->n_outputs; o++)
        off = fmax(off, fabs(job->intercept[o] - s.b[o]) / s.size[o]);
    double relative = s.worst == 0 ? 0 : s.worst / s.largest;
    out->objective = s.objective;
    out->certificate = (pare_certificate){PARE_CERT_KKT, s.worst, fmax(relative, off)};
done:
    return cert_close(&s.reader, status, err);
}
