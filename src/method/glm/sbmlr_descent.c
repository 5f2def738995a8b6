/* sbmlr, step 3: Newton's steps on the active coefficients. The logarithm is concave: where its
 * part of the Hessian makes that indefinite, the step uses its tangent instead, which descends all
 * the same. */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "la/factor.h"
#include "method/glm/sbmlr_point.h"

enum { STEPS = 300, HALVINGS = 40 };
static const double FLAT = 1e-13;  /* of the price: smaller slopes count as 0 */
static const double RIDGE = 1e-12; /* of the mean diagonal: intercepts may shift together */
static const double ENOUGH = 1e-4; /* of the decrease that the slope predicts */
static const double STILL = 1e-14; /* of the objective: smaller changes may be rounding */

/* The active coordinates of a point, coefficients output by output and then intercepts, and the
 * arrays of a step. */
typedef struct system {
    const glm_task *t;
    double total;
    int64_t m, n_active;   /* m = n_active + intercepts */
    int64_t *column, *out; /* of each coordinate: its column of X, -1: the intercept; its output */
    double *X, *mean;      /* n x features, about their weighted means; features */
    double *x, *sign;      /* m: the point; 1, -1, or 0 for intercepts */
    double *F, *P, *U;     /* n x c */
    double *R;             /* n x m: the coordinates' columns, weighted */
    double *H, *g, *v;     /* m x m; m: the slope; H^-1 sign */
    double *step, *trial;  /* m */
    double loss, sum, value; /* value: the objective */
} system;

static double entry(const system *s, int64_t e, int64_t i) {
    return s->column[e] < 0 ? 1 : s->X[s->column[e] * s->t->n + i];
}

static bool allocate(system *s, arena *mem, int64_t count) {
    int64_t n = s->t->n, c = s->t->c, m = s->m;
    s->column = ARENA_NEW(mem, int64_t, m);
    s->out = ARENA_NEW(mem, int64_t, m);
    s->X = ARENA_NEW(mem, double, n *count);
    s->mean = ARENA_ZERO(mem, double, count);
    s->F = ARENA_NEW(mem, double, n *c);
    s->P = ARENA_NEW(mem, double, n *c);
    s->U = ARENA_NEW(mem, double, n *c);
    s->R = ARENA_NEW(mem, double, n *m);
    s->H = ARENA_NEW(mem, double, m *m);
    double **const vector[] = {&s->x, &s->sign, &s->g, &s->v, &s->step, &s->trial};
    bool fine = s->column && s->out && s->X && s->mean && s->F && s->P && s->U && s->R && s->H;
    for (int i = 0; i < 6; i++) fine &= (*vector[i] = ARENA_ZERO(mem, double, m)) != NULL;
    return fine;
}

static pare_status open_system(system *s, arena *mem, const sbmlr_point *p, const glm_task *t,
                               double total, const pare_ctx *ctx, pare_error *err) {
    int64_t n = t->n, c = t->c, count = p->at.n_features, at = 0;
    int64_t intercepts = t->problem.intercept ? c : 0;
    *s = (system){.t = t, .total = total, .n_active = p->n_active, .m = p->n_active + intercepts};
    if (!allocate(s, mem, count)) return error_memory(err);
    pare_status status = mat_columns(t->problem.x, p->feature, count, s->X, ctx, err);
    for (int64_t j = 0; intercepts && status == PARE_OK && j < count; j++) {
        s->mean[j] = la_dot(t->problem.loss.share, s->X + j * n, n);
        for (int64_t i = 0; i < n; i++) s->X[j * n + i] -= s->mean[j];
    }
    for (int64_t o = 0; o < c; o++)
        for (int64_t j = 0; j < count; j++) {
            double w = p->B[j * c + o];
            if (w == 0) continue;
            s->column[at] = j;
            s->out[at] = o;
            s->x[at] = w;
            s->sign[at++] = w > 0 ? 1 : -1;
        }
    for (int64_t o = 0; o < intercepts; o++, at++) {
        s->column[at] = -1;
        s->out[at] = o;
        s->x[at] = p->b[o];
        for (int64_t j = 0; j < count; j++) s->x[at] += s->mean[j] * p->B[j * c + o];
    }
    return status;
}

/* The objective at x, with probabilities and U there. */
static double value_at(system *s, const double *x) {
    const glm_loss *loss = &s->t->problem.loss;
    int64_t n = loss->n, c = loss->c;
    memset(s->F, 0, sizeof(double) * (size_t)(n * c));
    s->sum = 0;
    for (int64_t e = 0; e < s->m; e++) {
        if (e < s->n_active) s->sum += fabs(x[e]);
        for (int64_t i = 0; i < n; i++) s->F[i * c + s->out[e]] += x[e] * entry(s, e, i);
    }
    s->loss = loss->kind->point(loss, s->F, s->U, s->P, NULL);
    return s->total * s->loss + (s->n_active > 0 ? (double)s->n_active * log(s->sum) : 0);
}

/* The slope there; its distance from 0 as a share of the price. */
static double slope(system *s) {
    int64_t n = s->t->n, c = s->t->c;
    double price = s->n_active > 0 ? (double)s->n_active / s->sum : s->total, worst = 0;
    for (int64_t e = 0; e < s->m; e++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum -= s->U[i * c + s->out[e]] * entry(s, e, i);
        s->g[e] = s->total * sum + price * s->sign[e];
        worst = fmax(worst, fabs(s->g[e]));
    }
    return worst / price;
}

/* R: each coordinate's column times the root of its output's weight in every sample: of share p, of
 * one output share p (1 - p), or, squared, of share p^2. */
static void weigh(system *s, bool squared) {
    const glm_loss *loss = &s->t->problem.loss;
    int64_t n = loss->n, c = loss->c;
    double *root = s->F; /* is rewritten before it is read */
    for (int64_t i = 0; i < n; i++)
        for (int64_t o = 0; o < c; o++) {
            double p = s->P[i * c + o], w = s->total * loss->share[i];
            root[o * n + i] = squared ? sqrt(w) * p : sqrt(w * p * (c == 1 ? 1 - p : 1));
        }
    for (int64_t e = 0; e < s->m; e++)
        for (int64_t i = 0; i < n; i++) s->R[e * n + i] = root[s->out[e] * n + i] * entry(s, e, i);
}

/* H of the total loss, lower triangle: share (diag p - p p') between the outputs. */
static void curve(system *s) {
    int64_t n = s->t->n, m = s->m, n_active = s->n_active;
    bool one = s->t->c == 1;
    double trace = 0;
    weigh(s, !one);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)n, one ? 1 : -1, s->R, (int)n,
                0, s->H, (int)m);
    if (!one) weigh(s, false);
    for (int64_t from = 0, to; !one && from < n_active; from = to) { /* one output's coefficients */
        for (to = from; to < n_active && s->out[to] == s->out[from];) to++;
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)(to - from), (int)n, 1,
                    s->R + from * n, (int)n, 1, s->H + from * (m + 1), (int)m);
    }
    for (int64_t e = n_active; !one && e < m; e++) /* and its intercept */
        for (int64_t a = 0; a <= e; a++)
            if (s->out[a] == s->out[e]) s->H[a * m + e] += la_dot(s->R + a * n, s->R + e * n, n);
    for (int64_t a = 0; a < m; a++) trace += s->H[a * m + a] / (double)m;
    for (int64_t a = 0; a < m; a++) s->H[a * m + a] += RIDGE * trace;
}

/* step = -(H - n_active / sum^2 sign sign')^-1 g, or without the second term where that is not
 * definite. false: H itself is not. */
static bool newton_step(system *s) {
    int64_t m = s->m;
    double along = 0, own = 0, bend = s->n_active > 0 ? (double)s->n_active / (s->sum * s->sum) : 0;
    curve(s);
    if (!chol_factor('L', m, s->H, m)) return false;
    memcpy(s->v, s->sign, sizeof(double) * (size_t)m);
    memcpy(s->step, s->g, sizeof(double) * (size_t)m);
    chol_solve('L', m, s->H, m, s->v, 1);
    chol_solve('L', m, s->H, m, s->step, 1);
    for (int64_t e = 0; e < m; e++) {
        along += s->sign[e] * s->step[e];
        own += s->sign[e] * s->v[e];
    }
    double more = bend * own < 1 ? bend * along / (1 - bend * own) : 0;
    for (int64_t e = 0; e < m; e++) s->step[e] = -(s->step[e] + more * s->v[e]);
    return true;
}

/* As much of the step as descends, at most to where the first coefficient reaches 0. */
static bool go(system *s) {
    double share = 1, promise = 0;
    int64_t first = -1;
    for (int64_t e = 0; e < s->m; e++) {
        promise += s->g[e] * s->step[e];
        if (e >= s->n_active || s->sign[e] * (s->x[e] + share * s->step[e]) > 0) continue;
        share = -s->x[e] / s->step[e];
        first = e;
    }
    for (int halving = 0; halving < HALVINGS; halving++, share /= 2, first = -1) {
        for (int64_t e = 0; e < s->m; e++) s->trial[e] = s->x[e] + share * s->step[e];
        if (first >= 0) s->trial[first] = 0;
        double there = value_at(s, s->trial);
        if (!(there <= s->value + ENOUGH * share * promise + STILL * fabs(s->value))) continue;
        memcpy(s->x, s->trial, sizeof(double) * (size_t)s->m);
        s->value = there;
        return true;
    }
    return false;
}

/* Removes coefficients that are 0. */
static void remove_zeros(system *s, const sbmlr_point *p, uint8_t *eliminations) {
    int64_t at = 0, c = s->t->c, n_active = s->n_active;
    for (int64_t e = 0; e < s->m; e++) {
        if (e < n_active && s->x[e] == 0) {
            uint8_t *own = &eliminations[p->feature[s->column[e]] * c + s->out[e]];
            if (*own < UINT8_MAX - 1) ++*own;
            s->n_active--;
            continue;
        }
        s->x[at] = s->x[e];
        s->sign[at] = s->sign[e];
        s->column[at] = s->column[e];
        s->out[at++] = s->out[e];
    }
    s->m = at;
}

static void give_back(const system *s, sbmlr_point *p) {
    int64_t c = s->t->c, count = p->at.n_features;
    for (int64_t e = 0; e < count * c; e++) p->B[e] = 0;
    for (int64_t e = 0; e < s->n_active; e++) p->B[s->column[e] * c + s->out[e]] = s->x[e];
    for (int64_t e = s->n_active; e < s->m; e++) {
        double b = s->x[e];
        for (int64_t j = 0; j < count; j++) b -= s->mean[j] * p->B[j * c + s->out[e]];
        p->b[s->out[e]] = b;
    }
    memcpy(p->U, s->U, sizeof(double) * (size_t)(s->t->n * c));
    sbmlr_count(p, c);
    p->at.loss = s->loss;
    if (p->n_active > 0) p->at.lambda = (double)p->n_active / p->sum / s->total;
}

pare_status sbmlr_descend(sbmlr_point *p, const glm_task *t, double total, uint8_t *eliminations,
                          double *steep, const pare_ctx *ctx, pare_error *err) {
    system s;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    *steep = 0;
    TRY(open_system(&s, &mem, p, t, total, ctx, err));
    for (int step = 0; step < STEPS && s.m > 0; step++) {
        s.value = value_at(&s, s.x);
        *steep = slope(&s);
        if (*steep <= FLAT || !newton_step(&s)) break;
        double before = s.value;
        bool gone = go(&s);
        int64_t n_active = s.n_active;
        if (gone) remove_zeros(&s, p, eliminations);
        bool still = s.n_active == n_active && before - s.value <= STILL * fabs(before);
        if (!gone || (still && *steep <= t->how->tol * ENOUGH)) break;
    }
    value_at(&s, s.x);
    if (s.m > 0) *steep = slope(&s);
    give_back(&s, p);
done:
    arena_free(&mem);
    return status;
}
