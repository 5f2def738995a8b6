/* Coordinate steps on the quadratic model of the loss (work.h, quadratic), and the line search. */
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "solve/glm/work.h"

enum {
    MAX_ROUNDS = 4,
    MAX_BLOCK_ROUNDS = 10,
    MAX_HALVINGS = 40,
    MIN_BLAS = 8
};                                     /* MANY: outputs, for BLAS */
static const double ROUND_DONE = 0.03; /* a round that gains less than this share of the first */
static const double ARMIJO = 1e-4;     /* of the model's decrease */
static const double TIE = 1e-9, TIE_OF_TOL = 0.1; /* relative, see entrance */
static const double TINY_RIDGE = 1e-12; /* of the mean diagonal, where the intercepts' block is
                                           singular: equal shifts of all outputs */

/* The intercepts' Hessian, plus what makes it definite along equal shifts; factored. */
static void factor_intercepts(glm_work *w) {
    quadratic *q = &w->q;
    int64_t n = w->loss->n, c = w->loss->c;
    double trace = 0;
    memset(q->H0, 0, sizeof(double) * (size_t)(c * c));
    for (int64_t i = 0; i < n; i++) {
        const double *p = w->P + i * c;
        for (int64_t o = 0; o < c; o++)
            for (int64_t l = 0; l < c; l++)
                q->H0[o * c + l] += w->loss->share[i] * p[o] * ((o == l) - p[l]);
    }
    for (int64_t o = 0; o < c; o++) trace += q->H0[o * c + o];
    if (!(trace > 0)) trace = 1;
    for (int64_t e = 0; e < c * c; e++)
        q->H0[e] += trace / (double)c * (1.0 / (double)c + (e % (c + 1) == 0 ? TINY_RIDGE : 0));
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)c, q->H0, (lapack_int)c);
}

static void intercept_step(glm_work *w) {
    quadratic *q = &w->q;
    int64_t n = w->loss->n, c = w->loss->c;
    double *step = w->trial_b;
    if (!w->intercept) return;
    memset(step, 0, sizeof(double) * (size_t)c);
    for (int64_t e = 0; e < n * c; e++) step[e % c] -= q->V[e];
    if (c == 1) {
        q->kappa = q->total > 0 ? step[0] / q->total : 0; /* keeps the sum of V + h kappa at 0 */
        return;
    }
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)c, 1, q->H0, (lapack_int)c, step,
                        (lapack_int)c);
    for (int64_t o = 0; o < c; o++) w->b[o] += step[o];
    for (int64_t i = 0; i < n; i++) loss_curve_sample(w->loss, w->P, i, step, 1, q->V + i * c);
}

static void model_open(glm_work *w) {
    quadratic *q = &w->q;
    int64_t n = w->loss->n, c = w->loss->c;
    if (!w->loss->kind->quadratic || q->now == 0) q->now++;
    for (int64_t e = 0; e < n * c; e++) q->V[e] = -w->U[e];
    q->total = q->kappa = 0;
    if (c == 1 && !w->loss->kind->curve) w->loss->kind->diagonal(w->loss, w->P, q->h);
    for (int64_t i = 0; c == 1 && i < n; i++) q->total += q->h[i];
    if (c > 1 && w->intercept) factor_intercepts(w);
    memcpy(q->B0, w->B, sizeof(double) * (size_t)(w->cols.count * c));
    memcpy(q->b0, w->b, sizeof(double) * (size_t)c);
    if (c == 1) intercept_step(w);
}

/* The c x c block of a column by BLAS, with the rows sqrt(share) x p in trial_U. */
static void multiply_block(glm_work *w, const held *x, double *A) {
    int64_t c = w->loss->c;
    double *rows = w->trial_U;
    for (int64_t e = 0; e < x->count; e++) {
        int64_t i = x->row ? x->row[e] : e;
        const double *p = w->P + i * c;
        double root = sqrt(w->loss->share[i]) * x->value[e];
        for (int64_t o = 0; o < c; o++) {
            rows[e * c + o] = root * p[o];
            A[o * c + o] += root * root * p[o];
        }
    }
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, (int)c, (int)x->count, -1, rows, (int)c, 1,
                A, (int)c);
}

/* T (n) = by H x, of one output whose curvature is no diagonal. */
static void curve_column(const glm_work *w, const held *x, double by, double *T) {
    memset(T, 0, sizeof(double) * (size_t)w->loss->n);
    held_add(x, by, T, 1, 0);
    w->loss->kind->curve(w->loss, w->P, T);
}

/* The curvature of column k: one number, or its c x c block. */
static void prepare(glm_work *w, int64_t k) {
    quadratic *q = &w->q;
    int64_t c = w->loss->c;
    held x = columns_at(&w->cols, k);
    double *A = q->A + k * c * c;
    if (q->version[k] == q->now) return;
    q->version[k] = q->now;
    memset(A, 0, sizeof(double) * (size_t)(c * c));
    if (c == 1 && w->loss->kind->curve) {
        curve_column(w, &x, 1, w->trial_U);
        A[0] = fmax(held_dot(&x, w->trial_U), 0);
        return;
    }
    if (c == 1) {
        double first = 0, second = 0;
        for (int64_t e = 0; e < x.count; e++) {
            double hx = q->h[x.row ? x.row[e] : e] * x.value[e];
            first += hx;
            second += hx * x.value[e];
        }
        q->hx[k] = first;
        A[0] = w->intercept && q->total > 0 ? fmax(second - first * first / q->total, 0) : second;
        return;
    }
    if (c >= MIN_BLAS) multiply_block(w, &x, A);
    for (int64_t e = 0; c < MIN_BLAS && e < x.count; e++) {
        int64_t i = x.row ? x.row[e] : e;
        const double *p = w->P + i * c;
        double s = w->loss->share[i] * x.value[e] * x.value[e];
        for (int64_t o = 0; o < c; o++) {
            A[o * c + o] += s * p[o];
            for (int64_t l = 0; l <= o; l++) A[o * c + l] -= s * p[o] * p[l];
        }
    }
    for (int64_t o = 0; o < c; o++)
        for (int64_t l = o + 1; l < c; l++) A[o * c + l] = A[l * c + o];
}

/* Moves column k by step (c numbers), in B and in the model's gradient. */
static void move(glm_work *w, int64_t k, const double *step) {
    quadratic *q = &w->q;
    int64_t c = w->loss->c;
    held x = columns_at(&w->cols, k);
    if (c == 1 && w->loss->kind->curve) {
        curve_column(w, &x, step[0], w->trial_U);
        for (int64_t i = 0; i < w->loss->n; i++) q->V[i] += w->trial_U[i];
    } else if (c == 1) {
        for (int64_t e = 0; e < x.count; e++) {
            int64_t i = x.row ? x.row[e] : e;
            q->V[i] += q->h[i] * x.value[e] * step[0];
        }
        if (w->intercept && q->total > 0) q->kappa -= step[0] * q->hx[k] / q->total;
    } else {
        for (int64_t e = 0; e < x.count; e++) {
            int64_t i = x.row ? x.row[e] : e;
            loss_curve_sample(w->loss, w->P, i, step, x.value[e], q->V + i * c);
        }
    }
    for (int64_t o = 0; o < c; o++) w->B[k * c + o] += step[o];
}

static void model_gradient(const glm_work *w, int64_t k, double *g) {
    const quadratic *q = &w->q;
    int64_t c = w->loss->c;
    held x = columns_at(&w->cols, k);
    if (c == 1) {
        g[0] = held_dot(&x, q->V);
        if (q->kappa != 0) g[0] += q->kappa * q->hx[k];
        return;
    }
    memset(g, 0, sizeof(double) * (size_t)c);
    for (int64_t e = 0; e < x.count; e++) {
        const double *v = q->V + (x.row ? x.row[e] : e) * c;
        for (int64_t o = 0; o < c; o++) g[o] += x.value[e] * v[o];
    }
}

/* The steps below lower the model over one block, and return about how much. */

/* The price at which a block leaves 0: a trace above the limit, so that only the first of several
 * duplicate columns enters. */
static double entrance(const glm_work *w) {
    return w->lambda * w->pen->alpha * (1 + fmin(TIE, TIE_OF_TOL * w->tol));
}

static double single_step(glm_work *w, int64_t b) {
    int64_t k = w->first[b], g = w->block[b];
    double u, old = w->B[k], next;
    prepare(w, k);
    double a = w->q.A[k];
    model_gradient(w, k, &u);
    if (!(a > 0)) return 0;
    double pull = sign_pull(penalty_sign(w->pen, w->feature[k]), u);
    if (old == 0 && pull <= entrance(w) * w->pen->norm[g]) return 0;
    next = penalty_shrink(w->pen, g, w->lambda / a, old - u / a);
    double step = next - old;
    if (step == 0) return 0;
    move(w, k, &step);
    w->B[k] = next;
    return a * step * step;
}

/* One feature, several outputs: its own small problem, by coordinates or proximal gradients. */
static double outputs_step(glm_work *w, int64_t b) {
    int64_t k = w->first[b], g = w->block[b], c = w->loss->c;
    double *u = w->gradient + k * c, *next = w->trial_B + k * c, *B = w->B + k * c;
    double *A = w->q.A + k * c * c, largest = 0, gained = 0, moved = 0;
    model_gradient(w, k, u);
    if (!block_active(w, b) && !penalty_free(w->pen, g) &&
        penalty_price(w->pen, g, u) <= entrance(w))
        return 0;
    prepare(w, k);
    memcpy(next, B, sizeof(double) * (size_t)c);
    for (int64_t o = 0; o < c; o++) largest = fmax(largest, A[o * c + o]);
    if (!(largest > 0)) return 0;
    for (int round = 0; round < MAX_BLOCK_ROUNDS; round++) {
        for (int64_t o = 0; o < c && !w->pen->rows; o++) {
            double a = A[o * c + o], old = next[o];
            if (!(a > 0)) continue;
            next[o] = penalty_shrink(w->pen, g, w->lambda / a, old - u[o] / a);
            for (int64_t l = 0; l < c && next[o] != old; l++)
                u[l] += A[o * c + l] * (next[o] - old);
        }
        if (!w->pen->rows) continue;
        double L = 2 * largest,
               *old = w->trial_b; /* rows of |A| sum to twice the diagonal at most */
        memcpy(old, next, sizeof(double) * (size_t)c);
        for (int64_t o = 0; o < c; o++) next[o] -= u[o] / L;
        penalty_prox(w->pen, g, w->lambda / L, next);
        for (int64_t o = 0; o < c; o++)
            for (int64_t l = 0; l < c && next[o] != old[o]; l++)
                u[l] += A[o * c + l] * (next[o] - old[o]);
    }
    double *step = w->trial_b;
    for (int64_t o = 0; o < c; o++) {
        step[o] = next[o] - B[o];
        moved += fabs(step[o]);
        gained += A[o * c + o] * step[o] * step[o];
    }
    if (moved == 0) return 0;
    move(w, k, step);
    memcpy(B, next, sizeof(double) * (size_t)c);
    return gained;
}

/* A group: one proximal gradient step, with the sum of its columns' curvatures as the bound. */
static double group_step(glm_work *w, int64_t b) {
    int64_t c = w->loss->c, from = w->first[b], to = w->first[b + 1], g = w->block[b];
    double L = 0, gained = 0, *next = w->trial_B + from * c, *B = w->B + from * c;
    for (int64_t k = from; k < to; k++) {
        prepare(w, k);
        double largest = 0;
        for (int64_t o = 0; o < c; o++) largest = fmax(largest, w->q.A[k * c * c + o * (c + 1)]);
        L += c == 1 ? largest : 2 * largest;
        model_gradient(w, k, w->gradient + k * c);
    }
    if (!(L > 0)) return 0;
    for (int64_t e = 0; e < (to - from) * c; e++) next[e] = B[e] - w->gradient[from * c + e] / L;
    penalty_prox(w->pen, g, w->lambda / L, next);
    for (int64_t k = from; k < to; k++) {
        double *step = w->trial_b, moved = 0;
        for (int64_t o = 0; o < c; o++) {
            step[o] = w->trial_B[k * c + o] - w->B[k * c + o];
            moved += step[o] * step[o];
        }
        if (moved == 0) continue;
        gained += L * moved;
        move(w, k, step);
        memcpy(w->B + k * c, w->trial_B + k * c, sizeof(double) * (size_t)c);
    }
    return gained;
}

static double block_step(glm_work *w, int64_t b) {
    if (w->first[b + 1] - w->first[b] > 1) return group_step(w, b);
    return w->loss->c == 1 ? single_step(w, b) : outputs_step(w, b);
}

/* trial_F: F plus t times the model's step. */
static void fit_moved(glm_work *w, double t) {
    const quadratic *q = &w->q;
    int64_t n = w->loss->n, c = w->loss->c, entries = w->cols.count * c;
    for (int64_t o = 0; o < c; o++) w->trial_b[o] = q->b0[o] + t * (w->b[o] - q->b0[o]);
    for (int64_t e = 0; e < n * c; e++)
        w->trial_F[e] = w->F[e] + (w->trial_b[e % c] - q->b0[e % c]);
    for (int64_t e = 0; e < entries; e++) {
        w->trial_B[e] = t == 1 ? w->B[e] : q->B0[e] + t * (w->B[e] - q->B0[e]);
        if (w->trial_B[e] == q->B0[e]) continue;
        held x = columns_at(&w->cols, e / c);
        held_add(&x, w->trial_B[e] - q->B0[e], w->trial_F, c, e % c);
    }
}

/* Goes back from the model's minimiser towards B0 until the objective falls; sets F and everything
 * computed from it. */
static bool search(glm_work *w) {
    quadratic *q = &w->q;
    int64_t n = w->loss->n, c = w->loss->c, entries = w->cols.count * c;
    double before = w->primal, slope = 0, t = 1;
    for (int halving = 0; halving < MAX_HALVINGS; halving++, t /= 2) {
        fit_moved(w, t);
        double now = work_try(w);
        if (halving == 0) {
            for (int64_t e = 0; e < n * c; e++) slope -= w->U[e] * (w->trial_F[e] - w->F[e]);
            slope = fmin(slope + w->lambda * (w->trial_penalty - w->penalty_now), 0);
        }
        if (now < before && now <= before + ARMIJO * t * slope) {
            work_accept(w);
            return true;
        }
    }
    memcpy(w->B, q->B0, sizeof(double) * (size_t)entries);
    memcpy(w->b, q->b0, sizeof(double) * (size_t)c);
    return false;
}

/* Returns true if some zero unit of the block would become nonzero, by the gradient at F. */
static bool wants_in(const glm_work *w, int64_t b) {
    int64_t c = w->loss->c, g = w->block[b];
    const double *u = w->gradient + w->first[b] * c;
    double most = entrance(w);
    if (penalty_free(w->pen, g)) return true;
    if (!block_active(w, b)) return penalty_price(w->pen, g, u) > most;
    for (int64_t o = 0; o < c && !w->pen->rows; o++)
        if (w->B[w->first[b] * c + o] == 0 && fabs(u[o]) > most * w->pen->norm[g]) return true;
    return false;
}

bool model_step(glm_work *w, bool all) {
    double first = 0;
    model_open(w);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        double gained = 0;
        if (w->loss->c > 1) intercept_step(w);
        for (int64_t b = 0; b < w->n_blocks; b++)
            if ((all && block_active(w, b)) || (round == 0 && wants_in(w, b)))
                gained += block_step(w, b);
        if (round == 0) first = gained;
        if (!all || gained <= ROUND_DONE * first) break;
    }
    if (w->loss->c == 1 && w->intercept) w->b[0] += w->q.kappa;
    return search(w);
}
