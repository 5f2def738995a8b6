/* Newton steps for the SVM dual: the exact part of the solve.
 *
 * The face F holds the samples strictly between their bounds and those at a bound that want to
 * leave it. On F the dual is an equality-constrained quadratic,
 *     (K + diag r + jitter)_FF d + b 1 = e_F,   1'd = 0,
 * solved through one Cholesky factor. The jitter makes a singular K_FF solvable; repeated steps are
 * then a proximal-point method and its bias vanishes. If the step (or its multiple that is best
 * along d) leaves the box, the point is projected onto the box and the constraint in the diagonal's
 * metric and the best point of the segment to it is taken, unless going along d to the first bound
 * gains more. Every step increases the dual, unless it is `bold` and goes all the way to the
 * projection: samples then enter and leave F many at a time. After a bound was met, no sample joins
 * F until the optimum on the rest of F is reached, and the factor is kept, without the samples that
 * left.
 *
 * COST  |F|^3 / 3 + O(n |F|) a step, O(n |F|) for each sample that leaves; memory |F|^2. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "la/factor.h"
#include "solve/svm/svm_state.h"

#define JITTER_LAST 1e-4
/* Along a direction without curvature (singular K) go this many Newton steps at most. */
#define STRETCH_MAX 1e6

void svm_multiply(const svm_state *s, const int64_t *at, const double *v, int64_t m, double *out) {
    int64_t n = s->n, k = 0;
    const double *K = s->p->K;
    for (int64_t t = 0; t < n; t++) out[t] = 0;
    for (; k + 4 <= m; k += 4) { /* four rows at a time: a quarter of the traffic on out */
        const double *a = K + at[k] * n, *b = K + at[k + 1] * n, *c = K + at[k + 2] * n,
                     *d = K + at[k + 3] * n;
        double va = v[k], vb = v[k + 1], vc = v[k + 2], vd = v[k + 3];
        for (int64_t t = 0; t < n; t++) out[t] += (va * a[t] + vb * b[t]) + (vc * c[t] + vd * d[t]);
    }
    for (; k < m; k++) cblas_daxpy((int)n, v[k], K + at[k] * n, 1, out, 1);
    if (s->p->ridge)
        for (k = 0; k < m; k++) out[at[k]] += s->p->ridge[at[k]] * v[k];
}

static int64_t choose_face(const svm_state *s, int64_t *face, double b, bool extend) {
    int64_t m = 0;
    double worst = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->beta[i] < s->hi[i]) worst = fmax(worst, s->e[i] - b);
        if (s->beta[i] > s->lo[i]) worst = fmax(worst, b - s->e[i]);
    }
    double enough = extend ? 1e-3 * worst : INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        bool grow = s->beta[i]<s->hi[i], shrink = s->beta[i]> s->lo[i];
        double want = s->e[i] - b;
        if ((grow && shrink) || (grow && want > enough) || (shrink && want < -enough))
            face[m++] = i;
    }
    return m;
}

static double jitter_at(const svm_state *s, const svm_newton *nw, int64_t i) {
    return nw->jitter * (fabs(s->diag[i]) + 1e-3 * s->size);
}

/* The factor of the face's matrix, as the upper triangle U'U in column-major order. */
static bool factorise(const svm_state *s, svm_newton *nw, int64_t m) {
    for (; nw->jitter <= JITTER_LAST; nw->jitter *= 100) {
        for (int64_t a = 0; a < m; a++) {
            const double *row = s->p->K + nw->face[a] * s->n;
            double *out = nw->factor + a * m;
            for (int64_t c = 0; c < a; c++) out[c] = row[nw->face[c]];
            out[a] = s->diag[nw->face[a]] + jitter_at(s, nw, nw->face[a]);
        }
        if (chol_factor('U', m, nw->factor, m)) return true;
    }
    nw->jitter = JITTER_LAST;
    return false;
}

/* Takes column k out of the factor of m columns: what stands below the diagonal then is rotated
 * away, column by column. O((m - k)^2) instead of a new factor. */
static void drop_column(svm_newton *nw, int64_t k, int64_t m) {
    double *cosine = nw->target, *sine = nw->target + m; /* free until the next projection */
    for (int64_t c = k; c + 1 < m; c++) {
        double *to = nw->factor + c * nw->lead;
        memcpy(to, to + nw->lead, sizeof(double) * (size_t)(c + 2));
        for (int64_t j = k; j < c; j++) {
            double a = to[j], b = to[j + 1];
            to[j] = cosine[j] * a + sine[j] * b;
            to[j + 1] = cosine[j] * b - sine[j] * a;
        }
        double r = hypot(to[c], to[c + 1]);
        cosine[c] = to[c] / r;
        sine[c] = to[c + 1] / r;
        to[c] = r;
    }
}

/* Removes samples that are at a bound now from the face and its factor, if they are few; no sample
 * joins. False: not possible. */
static bool shrink_face(const svm_state *s, svm_newton *nw) {
    int64_t old = nw->m, kept = 0, leaving = 0;
    for (int64_t k = 0; k < old; k++) {
        int64_t i = nw->face[k];
        leaving += !(s->beta[i] > s->lo[i] && s->beta[i] < s->hi[i]);
    }
    if (8 * leaving > old) return false;
    for (int64_t k = 0; k < old; k++) {
        int64_t i = nw->face[k];
        if (s->beta[i] > s->lo[i] && s->beta[i] < s->hi[i])
            nw->face[kept++] = i;
        else
            drop_column(nw, kept, nw->m--);
    }
    return true;
}

/* The face for the next step and its factor, nw->m samples; none: m = 0. */
static bool prepare_face(svm_state *s, svm_newton *nw, double b, const pare_allocator *mem) {
    if (!nw->extend && nw->m > 0 && shrink_face(s, nw)) return true;
    int64_t m = choose_face(s, nw->face, b, nw->extend);
    nw->m = 0;
    if (m > nw->capacity) {
        int64_t capacity = m + m / 4 < s->n ? m + m / 4 : s->n;
        mem_free(mem, nw->factor);
        nw->capacity = 0;
        nw->factor = mem_alloc(mem, capacity, sizeof(double) * (size_t)capacity);
        if (!nw->factor) return false;
        nw->capacity = capacity;
    }
    nw->lead = m;
    if (m > 0 && factorise(s, nw, m)) nw->m = m;
    return true;
}

/* target = the projection of beta + t step onto the face's box and sum; false if it failed. */
static bool project(const svm_state *s, svm_newton *nw, int64_t m, double t) {
    double low = -INFINITY, high = INFINITY, shift = 0, wanted = 0, mass = 0;
    for (int64_t k = 0; k < m; k++) wanted += s->beta[nw->face[k]];
    for (int iteration = 0; iteration < 200; iteration++) {
        double sum = 0, slope = 0;
        mass = 0;
        for (int64_t k = 0; k < m; k++) {
            int64_t i = nw->face[k];
            double metric = 1 / (fabs(s->diag[i]) + 1e-3 * s->size);
            double x = s->beta[i] + t * nw->step[k] - shift * metric;
            if (x <= s->lo[i]) {
                x = s->lo[i];
            } else if (x >= s->hi[i]) {
                x = s->hi[i];
            } else {
                slope += metric;
            }
            nw->target[k] = x;
            sum += x;
            mass += fabs(x);
        }
        double excess = sum - wanted;
        if (!s->p->intercept || fabs(excess) <= 4 * DBL_EPSILON * mass) return true;
        if (!isfinite(excess)) return false;
        if (excess > 0)
            low = shift;
        else
            high = shift;
        double next = slope > 0 ? shift + excess / slope : NAN;
        if (!(next > low && next < high)) {
            if (isfinite(low) && isfinite(high))
                next = low + (high - low) / 2;
            else
                return false;
            if (!(next > low && next < high)) return fabs(excess) <= 1e-12 * mass;
        }
        shift = next;
    }
    return false;
}

/* beta moves by t times v on the face; what comes within rounding of a bound is at it. */
static void move_face(svm_state *s, const svm_newton *nw, int64_t m, const double *v, double t) {
    for (int64_t k = 0; k < m; k++) {
        int64_t i = nw->face[k];
        double to = s->beta[i] + t * v[k], rounding = 2 * DBL_EPSILON * fabs(s->beta[i]);
        s->beta[i] = to <= s->lo[i] + rounding   ? s->lo[i]
                     : to >= s->hi[i] - rounding ? s->hi[i]
                                                 : to;
    }
    for (int64_t i = 0; i < s->n; i++) s->e[i] -= t * s->change[i];
}

static svm_newton_result try_step(svm_state *s, svm_newton *nw, const pare_allocator *mem) {
    bool any_free;
    double b = svm_price(s, &any_free);
    if (!prepare_face(s, nw, b, mem)) return NEWTON_MEMORY;
    s->iterations++;
    int64_t m = nw->m, block = -1;
    if (m == 0) return NEWTON_NONE;
    double *step = nw->step, *ones = nw->step + m;
    for (int64_t k = 0; k < m; k++) {
        step[k] = s->e[nw->face[k]] - b;
        ones[k] = 1;
    }
    chol_solve('U', m, nw->factor, nw->lead, step, s->p->intercept ? 2 : 1);
    if (s->p->intercept) {
        double sum_step = 0, sum_ones = 0, rest = 0;
        for (int64_t k = 0; k < m; k++) {
            sum_step += step[k];
            sum_ones += ones[k];
        }
        for (int64_t k = 0; k < m; k++) rest += step[k] -= sum_step / sum_ones * ones[k];
        for (int64_t k = 0; k < m; k++) step[k] -= rest / (double)m;
    }

    /* Along the step the dual gains t slope - t^2 curvature / 2. */
    double slope = 0, bias = 0, first = INFINITY;
    for (int64_t k = 0; k < m; k++) {
        int64_t i = nw->face[k];
        double slack = step[k] > 0 ? s->hi[i] - s->beta[i] : s->lo[i] - s->beta[i];
        slope += step[k] * (s->e[i] - b);
        bias += step[k] * step[k] * jitter_at(s, nw, i);
        if (step[k] != 0 && slack / step[k] < first) {
            first = slack / step[k];
            block = k;
        }
    }
    if (!(slope > 0) || !isfinite(slope)) return NEWTON_NONE;
    double curvature = fmax(slope - bias, slope / STRETCH_MAX), best = slope / curvature;
    if (best <= first) {
        svm_multiply(s, nw->face, step, m, s->change);
        move_face(s, nw, m, step, best);
        return NEWTON_FULL;
    }
    double straight = first * (slope - first * curvature / 2);
    if (project(s, nw, m, best)) {
        double *v = nw->target, rise = 0, bend = 0;
        for (int64_t k = 0; k < m; k++) {
            v[k] -= s->beta[nw->face[k]];
            rise += v[k] * (s->e[nw->face[k]] - b);
        }
        if (rise > 0 || nw->bold) {
            svm_multiply(s, nw->face, v, m, s->change);
            for (int64_t k = 0; k < m; k++) bend += v[k] * s->change[nw->face[k]];
            double t = bend > rise && !nw->bold ? rise / bend : 1;
            if (nw->bold || t * (rise - t * bend / 2) > straight) {
                move_face(s, nw, m, v, t);
                return NEWTON_PART;
            }
        }
    }
    if (!(straight > 0)) return NEWTON_NONE;
    svm_multiply(s, nw->face, step, m, s->change);
    move_face(s, nw, m, step, first);
    int64_t i = nw->face[block];
    s->beta[i] = step[block] > 0 ? s->hi[i] : s->lo[i];
    return NEWTON_PART;
}

svm_newton_result svm_newton_step(svm_state *s, svm_newton *nw, const pare_allocator *mem) {
    svm_newton_result result = try_step(s, nw, mem);
    if (result == NEWTON_NONE && nw->extend) {
        nw->extend = false;
        result = try_step(s, nw, mem);
    }
    nw->extend = result != NEWTON_PART || nw->bold;
    return result;
}
