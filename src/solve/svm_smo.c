/* Sequential minimal optimisation for the SVM dual: the rough part of the solve.
 *
 * Each step moves mass between two samples i (which can grow) and j (which can shrink), chosen by
 * second-order information (Fan, Chen and Lin, JMLR 6, 2005): i has the largest gradient, j the
 * largest gain with it. Without an intercept one sample moves alone. Every step increases the dual.
 * COST  O(n) a step: two rows of K and the gradient. */
#include <math.h>

#include "solve/svm_state.h"

/* Below this share of the diagonal, a pair's curvature is rounding. */
#define CURVATURE_FLOOR 1e-12

/* The loops below keep one running best per lane, so that they vectorise without reordering. */
enum { LANES = 8 };

typedef struct choice {
    int64_t at;
    double value;
} choice;

/* The first sample with the largest key that can grow. */
static choice largest_growing(const svm_state *s) {
    const double *e = s->e, *beta = s->beta, *hi = s->hi;
    double best[LANES];
    int64_t n = s->n, t = 0;
    for (int l = 0; l < LANES; l++) best[l] = -INFINITY;
    for (; t + LANES <= n; t += LANES)
        for (int l = 0; l < LANES; l++) {
            double v = beta[t + l] < hi[t + l] ? e[t + l] : -INFINITY;
            best[l] = v > best[l] ? v : best[l];
        }
    choice c = {-1, -INFINITY};
    for (; t < n; t++)
        if (beta[t] < hi[t] && e[t] > c.value) c.value = e[t];
    for (int l = 0; l < LANES; l++) c.value = best[l] > c.value ? best[l] : c.value;
    for (t = 0; t < n && c.at < 0; t++)
        if (beta[t] < hi[t] && e[t] == c.value) c.at = t;
    return c;
}

/* The partner of i that gains most; *least receives the smallest gradient that can shrink. */
static choice best_partner(const svm_state *s, int64_t i, double *gain, double *least) {
    const double *e = s->e, *beta = s->beta, *lo = s->lo, *diag = s->diag, *row = s->p->K + i * s->n;
    double best[LANES], low[LANES], ei = e[i], di = diag[i] * (1 + CURVATURE_FLOOR) + 1e-30 * s->size;
    int64_t n = s->n, t = 0;
    for (int l = 0; l < LANES; l++) {
        best[l] = 0;
        low[l] = INFINITY;
    }
    for (; t + LANES <= n; t += LANES)
        for (int l = 0; l < LANES; l++) {
            double v = beta[t + l] > lo[t + l] ? e[t + l] : INFINITY;
            double drop = ei - v, curvature = di + diag[t + l] - 2 * row[t + l];
            double floor_at = CURVATURE_FLOOR * (di + diag[t + l]);
            curvature = curvature > floor_at ? curvature : floor_at;
            double g = drop > 0 ? drop * drop / curvature : 0;
            gain[t + l] = g;
            best[l] = g > best[l] ? g : best[l];
            low[l] = v < low[l] ? v : low[l];
        }
    choice c = {-1, 0};
    *least = INFINITY;
    for (; t < n; t++) {
        double v = beta[t] > lo[t] ? e[t] : INFINITY;
        double drop = ei - v, curvature = di + diag[t] - 2 * row[t];
        double floor_at = CURVATURE_FLOOR * (di + diag[t]);
        curvature = curvature > floor_at ? curvature : floor_at;
        gain[t] = drop > 0 ? drop * drop / curvature : 0;
        if (gain[t] > c.value) c.value = gain[t];
        if (v < *least) *least = v;
    }
    for (int l = 0; l < LANES; l++) {
        c.value = best[l] > c.value ? best[l] : c.value;
        *least = low[l] < *least ? low[l] : *least;
    }
    if (c.value > 0)
        for (t = 0; t < n && c.at < 0; t++)
            if (gain[t] == c.value) c.at = t;
    return c;
}

/* beta_i += step, beta_j -= step, both staying in their boxes, and the gradient with them. */
static void move_pair(svm_state *s, int64_t i, int64_t j) {
    int64_t n = s->n;
    const double *ki = s->p->K + i * n, *kj = s->p->K + j * n;
    double total = s->diag[i] + s->diag[j] + 1e-30 * s->size;
    double curvature = fmax(total - 2 * ki[j], CURVATURE_FLOOR * total);
    double step = (s->e[i] - s->e[j]) / curvature;
    double room_i = s->hi[i] - s->beta[i], room_j = s->beta[j] - s->lo[j];
    if (step >= room_i || step >= room_j) step = fmin(room_i, room_j);
    s->beta[i] = step == room_i ? s->hi[i] : s->beta[i] + step;
    s->beta[j] = step == room_j ? s->lo[j] : s->beta[j] - step;
    double *e = s->e;
    for (int64_t t = 0; t < n; t++) e[t] -= step * (ki[t] - kj[t]);
    e[i] -= step * svm_ridge(s, i);
    e[j] += step * svm_ridge(s, j);
}

/* Without an intercept: the sample whose own best move gains most. */
static double move_one(svm_state *s, double enough) {
    int64_t n = s->n, at = -1;
    double best = 0, best_step = 0, worst = 0;
    for (int64_t t = 0; t < n; t++) {
        double e = s->e[t], room = e > 0 ? s->hi[t] - s->beta[t] : s->lo[t] - s->beta[t];
        if (room == 0 || e == 0) continue;
        double curvature = fmax(s->diag[t], CURVATURE_FLOOR * s->size), step = e / curvature;
        if (fabs(step) > fabs(room)) step = room;
        double gain = step * (e - step * curvature / 2);
        worst = fmax(worst, fabs(e));
        if (gain > best) {
            best = gain;
            best_step = step;
            at = t;
        }
    }
    if (at < 0 || !(worst > enough)) return worst;
    double next = s->beta[at] + best_step;
    if (best_step == s->hi[at] - s->beta[at]) next = s->hi[at];
    if (best_step == s->lo[at] - s->beta[at]) next = s->lo[at];
    s->beta[at] = next;
    const double *row = s->p->K + at * n;
    double *e = s->e;
    for (int64_t t = 0; t < n; t++) e[t] -= best_step * row[t];
    e[at] -= best_step * svm_ridge(s, at);
    return worst;
}

double svm_smo_run(svm_state *s, int64_t budget, double enough) {
    double violation = 0;
    for (int64_t k = 0; k < budget; k++) {
        if (s->p->intercept) {
            double least;
            choice i = largest_growing(s);
            if (i.at < 0) return 0;
            choice j = best_partner(s, i.at, s->change, &least);
            violation = i.value - least;
            if (j.at < 0) return 0;
            if (!(violation > enough)) return violation;
            move_pair(s, i.at, j.at);
        } else {
            violation = move_one(s, enough);
            if (!(violation > enough)) return violation;
        }
        s->iterations++;
    }
    return violation;
}
