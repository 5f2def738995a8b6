/* Sequential minimal optimisation for the SVM dual: the first, approximate part of the solve.
 *
 * Each step moves mass between two samples i (which can grow) and j (which can shrink), chosen by
 * second-order information (Fan, Chen and Lin, JMLR 6, 2005): i has the largest gradient, j the
 * largest gain with it. Without an intercept one sample moves by itself. Every step increases the
 * dual.
 * COST  O(n) a step, in two passes: partner search, and gradient update with the search for the
 *       next i. Both are written in vectors of SIMD_COLUMNS doubles, which the compiler maps to
 *       what the machine has; compilers do not vectorise a search for a maximum and its place
 *       themselves. */
#include <math.h>
#include <string.h>

#include "solve/svm/svm_state.h"

/* Below this share of the diagonal, a pair's curvature is rounding. */
#define CURVATURE_FLOOR 1e-12

enum { SIMD_COLUMNS = 4 };
typedef double wide __attribute__((vector_size(8 * SIMD_COLUMNS)));
typedef int64_t wide_mask __attribute__((vector_size(8 * SIMD_COLUMNS)));
#define WIDE(x) ((wide){(x), (x), (x), (x)})
#define SELECT(mask, a, b) ((wide)(((mask) & (wide_mask)(a)) | (~(mask) & (wide_mask)(b))))

typedef struct choice {
    int64_t at; /* -1: none */
    double value;
} choice;

/* The largest of the SIMD columns and its place, unless none exceeds `none`; of equals, the first
 * sample. */
static inline choice choose(const double *best, const double *at, double none) {
    choice c = {-1, none};
    for (int l = 0; l < SIMD_COLUMNS; l++)
        if (best[l] > c.value || (c.at >= 0 && best[l] == c.value && (int64_t)at[l] < c.at))
            c = (choice){(int64_t)at[l], best[l]};
    return c;
}

/* e -= step (ki - kj); the growing sample with the largest gradient. */
static inline __attribute__((always_inline)) choice update_body(double *e, const double *grow,
                                                                const double *ki, const double *kj,
                                                                double step, int64_t n) {
    wide best = WIDE(-INFINITY), at = WIDE(0.0), here = {0, 1, 2, 3}, steps = WIDE(step);
    double bests[SIMD_COLUMNS], ats[SIMD_COLUMNS];
    int64_t t = 0;
    for (; t + SIMD_COLUMNS <= n; t += SIMD_COLUMNS, here += (double)SIMD_COLUMNS) {
        wide g, can, a, b;
        memcpy(&g, e + t, sizeof g);
        memcpy(&can, grow + t, sizeof can);
        memcpy(&a, ki + t, sizeof a);
        memcpy(&b, kj + t, sizeof b);
        g -= steps * (a - b);
        can += g;
        memcpy(e + t, &g, sizeof g);
        wide_mask better = can > best;
        best = SELECT(better, can, best);
        at = SELECT(better, here, at);
    }
    memcpy(bests, &best, sizeof best);
    memcpy(ats, &at, sizeof at);
    for (int l = 0; t < n; t++, l++) {
        e[t] -= step * (ki[t] - kj[t]);
        if (e[t] + grow[t] > bests[l]) {
            bests[l] = e[t] + grow[t];
            ats[l] = (double)t;
        }
    }
    return choose(bests, ats, -INFINITY);
}

/* The partner of i that gains most; *least receives the smallest gradient that can shrink. */
static inline __attribute__((always_inline)) choice
partner_body(const double *e, const double *shrink, const double *diag, const double *row,
             double ei, double di, int64_t n, double *least) {
    wide best = WIDE(0.0), at = WIDE(0.0), here = {0, 1, 2, 3}, low = WIDE(INFINITY),
         zero = WIDE(0.0);
    double bests[SIMD_COLUMNS], ats[SIMD_COLUMNS], lows[SIMD_COLUMNS];
    int64_t t = 0;
    for (; t + SIMD_COLUMNS <= n; t += SIMD_COLUMNS, here += (double)SIMD_COLUMNS) {
        wide g, can, total, k;
        memcpy(&g, e + t, sizeof g);
        memcpy(&can, shrink + t, sizeof can);
        memcpy(&total, diag + t, sizeof total);
        memcpy(&k, row + t, sizeof k);
        can += g;
        total += di;
        wide curvature = total - 2 * k, floor_at = CURVATURE_FLOOR * total, drop = ei - can;
        curvature = SELECT(curvature > floor_at, curvature, floor_at);
        drop = SELECT(drop > zero, drop, zero);
        wide gain = drop * drop / curvature;
        wide_mask better = gain > best;
        best = SELECT(better, gain, best);
        at = SELECT(better, here, at);
        low = SELECT(can < low, can, low);
    }
    memcpy(bests, &best, sizeof best);
    memcpy(ats, &at, sizeof at);
    memcpy(lows, &low, sizeof low);
    for (int l = 0; t < n; t++, l++) {
        double can = e[t] + shrink[t], drop = ei - can, total = di + diag[t];
        double gain =
            drop > 0 ? drop * drop / fmax(total - 2 * row[t], CURVATURE_FLOOR * total) : 0;
        if (gain > bests[l]) {
            bests[l] = gain;
            ats[l] = (double)t;
        }
        lows[l] = fmin(lows[l], can);
    }
    *least = fmin(fmin(lows[0], lows[1]), fmin(lows[2], lows[3]));
    return choose(bests, ats, 0);
}

typedef choice (*update_fn)(double *, const double *, const double *, const double *, double,
                            int64_t);
typedef choice (*partner_fn)(const double *, const double *, const double *, const double *, double,
                             double, int64_t, double *);

static choice update_plain(double *e, const double *grow, const double *ki, const double *kj,
                           double step, int64_t n) {
    return update_body(e, grow, ki, kj, step, n);
}

static choice partner_plain(const double *e, const double *shrink, const double *diag,
                            const double *row, double ei, double di, int64_t n, double *least) {
    return partner_body(e, shrink, diag, row, ei, di, n, least);
}

/* The same operations in wider registers: the bits are the same. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static choice update_avx2(double *e, const double *grow,
                                                          const double *ki, const double *kj,
                                                          double step, int64_t n) {
    return update_body(e, grow, ki, kj, step, n);
}

__attribute__((target("avx2"))) static choice partner_avx2(const double *e, const double *shrink,
                                                           const double *diag, const double *row,
                                                           double ei, double di, int64_t n,
                                                           double *least) {
    return partner_body(e, shrink, diag, row, ei, di, n, least);
}
#endif

/* beta_i += step, beta_j -= step, both staying in their boxes; returns the step. */
static double move_pair(svm_state *s, int64_t i, int64_t j) {
    double total = s->diag[i] + s->diag[j] + 1e-30 * s->size;
    double curvature = fmax(total - 2 * s->p->K[i * s->n + j], CURVATURE_FLOOR * total);
    double step = (s->e[i] - s->e[j]) / curvature;
    double slack_i = s->hi[i] - s->beta[i], slack_j = s->beta[j] - s->lo[j];
    if (step >= slack_i || step >= slack_j) step = fmin(slack_i, slack_j);
    s->beta[i] = step == slack_i ? s->hi[i] : s->beta[i] + step;
    s->beta[j] = step == slack_j ? s->lo[j] : s->beta[j] - step;
    s->e[i] -= step * svm_ridge(s, i);
    s->e[j] += step * svm_ridge(s, j);
    return step;
}

static void mark(svm_state *s, int64_t i) {
    s->grow[i] = s->beta[i] < s->hi[i] ? 0 : -INFINITY;
    s->shrink[i] = s->beta[i] > s->lo[i] ? 0 : INFINITY;
}

static double run_pairs(svm_state *s, int64_t budget, double enough) {
    int64_t n = s->n;
    update_fn update = update_plain;
    partner_fn partner = partner_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        update = update_avx2;
        partner = partner_avx2;
    }
#endif
    for (int64_t i = 0; i < n; i++) mark(s, i);
    choice i = update(s->e, s->grow, s->p->K, s->p->K, 0, n);
    double violation = 0, least;
    for (int64_t k = 0; k < budget && i.at >= 0; k++) {
        const double *row = s->p->K + i.at * n;
        choice j = partner(s->e, s->shrink, s->diag, row, i.value, s->diag[i.at] + 1e-30 * s->size,
                           n, &least);
        if (j.at < 0) return 0;
        violation = i.value - least;
        if (!(violation > enough)) break;
        double step = move_pair(s, i.at, j.at);
        mark(s, i.at);
        mark(s, j.at);
        i = update(s->e, s->grow, row, s->p->K + j.at * n, step, n);
        s->iterations++;
    }
    return violation;
}

/* Without an intercept: the sample whose own best move gains most. Returns the largest violation.
 */
static double move_one(svm_state *s, double enough) {
    int64_t n = s->n, at = -1;
    double best = 0, best_step = 0, worst = 0;
    for (int64_t t = 0; t < n; t++) {
        double e = s->e[t], slack = e > 0 ? s->hi[t] - s->beta[t] : s->lo[t] - s->beta[t];
        if (slack == 0 || e == 0) continue;
        double curvature = fmax(s->diag[t], CURVATURE_FLOOR * s->size), step = e / curvature;
        if (fabs(step) > fabs(slack)) step = slack;
        double gain = step * (e - step * curvature / 2);
        worst = fmax(worst, fabs(e));
        if (gain > best) {
            best = gain;
            best_step = step;
            at = t;
        }
    }
    if (at < 0) return 0;
    if (!(worst > enough)) return worst;
    double next = s->beta[at] + best_step;
    if (best_step == s->hi[at] - s->beta[at]) next = s->hi[at];
    if (best_step == s->lo[at] - s->beta[at]) next = s->lo[at];
    s->beta[at] = next;
    const double *row = s->p->K + at * n;
    double *e = s->e;
    for (int64_t t = 0; t < n; t++) e[t] -= best_step * row[t];
    e[at] -= best_step * svm_ridge(s, at);
    s->iterations++;
    return worst;
}

double svm_smo_run(svm_state *s, int64_t budget, double enough) {
    if (s->p->intercept) return run_pairs(s, budget, enough);
    double violation = 0;
    for (int64_t k = 0; k < budget; k++) {
        violation = move_one(s, enough);
        if (!(violation > enough)) break;
    }
    return violation;
}
