#include "certify/ranking_penalty.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/feature/groups.h"

enum { THIRDS = 200 };

pare_status cert_penalty_open(cert_penalty *p, cert_reader *r, const char *word, double alpha,
                              double lambda, pare_error *err) {
    const cert_job *job = r->job;
    int64_t n = job->data->x.n;
    *p = (cert_penalty){.lambda = lambda, .n_cols = job->n_cols, .share = 1};
    if (strcmp(word, "l2") == 0) p->share = 0;
    if (strcmp(word, "l1l2") == 0) p->share = alpha;
    PASS_MEM(ARENA_ZEROS(&r->mem, double, n, &p->u, &p->f));
    PASS_MEM(p->g = ARENA_ZERO(&r->mem, double, p->n_cols));
    if (strcmp(word, "group") != 0) return PARE_OK;
    PASS(groups_number(&p->group, &p->n_groups, &r->mem, job->data, err));
    if (!p->group)
        return error_set(err, PARE_E_ARGUMENT,
                         "the model has penalty group: give its feature groups, `groups`");
    PASS_MEM(ARENA_ZEROS(&r->mem, double, p->n_groups, &p->norm2, &p->dual_norm2));
    return PARE_OK;
}

/* Column j of the data, the i-th of the problem. */
static void add_column(cert_penalty *p, int64_t n, const cert_column *col, int64_t i, int64_t j,
                       double coef) {
    double g = 0;
    for (int64_t k = 0; k < n; k++) g += p->u[k] * (col->x[k] - col->shift);
    p->g[i] = g *= col->scale;
    double w = coef == 0 ? 0 : coef / col->scale; /* scale 0: infinite, as required */
    p->one += fabs(w);
    p->two += w * w;
    if (p->group) {
        p->norm2[p->group[j]] += w * w;
        p->dual_norm2[p->group[j]] += g * g;
    }
    for (int64_t k = 0; coef != 0 && k < n; k++) p->f[k] += coef * (col->x[k] - col->shift);
}

pare_status cert_penalty_pass(cert_penalty *p, cert_reader *r, pare_error *err) {
    const cert_job *job = r->job;
    int64_t n = job->data->x.n;
    cert_columns at;
    PASS(cert_columns_open(&at, r, err));
    while (cert_next(&at))
        add_column(p, n, &at.col, at.i, at.j, at.position < 0 ? 0 : job->coef[at.position]);
    return PARE_OK;
}

double cert_penalty_value(const cert_penalty *p) {
    double groups = 0;
    for (int64_t k = 0; k < p->n_groups; k++) groups += sqrt(p->norm2[k]);
    if (p->group) return p->lambda * groups;
    return p->lambda * (p->share * p->one + (1 - p->share) / 2 * p->two);
}

static double scaled_value(const cert_penalty *p, double total, double square, double t) {
    double conjugate = 0;
    for (int64_t i = 0; p->share < 1 && i < p->n_cols; i++) {
        double over = fmax(0, t * fabs(p->g[i]) - p->lambda * p->share);
        conjugate += over * over / (2 * p->lambda * (1 - p->share));
    }
    return t * total - t * t * square - conjugate;
}

double cert_penalty_dual(const cert_penalty *p, double total, double square) {
    double largest = 0, lo = 0, hi = 1;
    for (int64_t i = 0; !p->group && i < p->n_cols; i++) largest = fmax(largest, fabs(p->g[i]));
    for (int64_t k = 0; k < p->n_groups; k++) largest = fmax(largest, sqrt(p->dual_norm2[k]));
    if (p->share == 1 && largest > p->lambda) hi = p->lambda / largest;
    double end = hi;
    for (int step = 0; step < THIRDS; step++) {
        double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
        if (scaled_value(p, total, square, a) > scaled_value(p, total, square, b))
            hi = b;
        else
            lo = a;
    }
    return fmax(scaled_value(p, total, square, end), scaled_value(p, total, square, (lo + hi) / 2));
}
