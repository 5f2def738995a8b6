#include "solve/svm/svm_track.h"

#include "la/factor.h"

#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

static const double OPTIMAL = 1e-9;  /* of margin 1: how far conditions may be violated */
static const double SINGULAR = 1e-8; /* a smaller 1 - x'q would lose the inverse's digits */
enum {
    CHANGES_MAX = 20, /* of the free samples at a time; a new solve is better then */
    MOVES_MAX = 1000, /* of f: each leaves a little rounding in it */
};

bool svm_track_init(svm_track *t, arena *mem, int64_t n) {
    memset(t, 0, sizeof *t);
    t->at = ARENA_NEW(mem, int64_t, n);
    t->inverse = ARENA_NEW(mem, double, (n + 1) * (n + 1));
    t->work = ARENA_NEW(mem, double, (n + 1) * (n + 1));
    t->beta = ARENA_NEW(mem, double, n);
    t->f = ARENA_NEW(mem, double, n);
    t->e = ARENA_NEW(mem, double, n);
    t->q = ARENA_NEW(mem, double, n + 1);
    t->u = ARENA_NEW(mem, double, n + 1);
    t->pivot = ARENA_NEW(mem, int, n + 1);
    return t->at && t->inverse && t->work && t->beta && t->f && t->e && t->q && t->u && t->pivot;
}

static int64_t border(const svm_track *t) { return t->p.intercept ? 1 : 0; }
static int64_t order(const svm_track *t) { return t->m + border(t); }
static int64_t lead(const svm_track *t) { return t->p.n + 1; }

/* q = M^-1 u. */
static void apply_inverse(svm_track *t) {
    cblas_dsymv(CblasColMajor, CblasLower, (int)order(t), 1, t->inverse, (int)lead(t), t->u, 1, 0,
                t->q, 1);
}

/* M^-1 += by times q q', its first `size` rows. */
static void update_inverse(svm_track *t, int64_t size, double by) {
    cblas_dsyr(CblasColMajor, CblasLower, (int)size, by, t->q, 1, t->inverse, (int)lead(t));
}

static void make_f(svm_track *t) {
    int n = (int)t->p.n;
    t->moves = 0;
    cblas_dsymv(CblasColMajor, CblasLower, n, 1, t->p.K, n, t->beta, 1, 0, t->f, 1);
}

/* beta_i += by. */
static void add_to(svm_track *t, int64_t i, double by) {
    int64_t n = t->p.n;
    t->beta[i] += by;
    cblas_daxpy((int)n, by, t->p.K + i * n, 1, t->f, 1);
}

/* e, and how far the free samples and the balance are from their conditions. */
static double residual(svm_track *t) {
    int64_t n = t->p.n, first = t->at[0];
    double worst = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        t->e[i] = t->p.y[i] - t->b - t->f[i] - t->p.ridge[i] * t->beta[i];
        sum += t->beta[i];
    }
    for (int64_t k = 0; k < t->m; k++) {
        t->u[border(t) + k] = t->e[t->at[k]];
        worst = fmax(worst, fabs(t->e[t->at[k]]));
    }
    if (!t->p.intercept) return worst;
    t->u[0] = -sum;
    return fmax(worst, fabs(sum) * t->p.K[first * n + first]);
}

/* (beta_F, b) += by times q. */
static void move(svm_track *t, double by) {
    for (int64_t k = 0; k < t->m; k++) add_to(t, t->at[k], by * t->q[border(t) + k]);
    if (t->p.intercept) t->b += by * t->q[0];
    if (++t->moves >= MOVES_MAX) make_f(t);
}

/* The solution for these free samples; false: the inverse has lost its digits. */
static bool refine(svm_track *t) {
    double worst = residual(t);
    for (int round = 0; round < 2 && !(worst <= 1e-3 * OPTIMAL); round++) {
        apply_inverse(t);
        move(t, 1);
        worst = residual(t);
    }
    return worst <= OPTIMAL;
}

static void exchange(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void exchange_samples(svm_track *t, int64_t k, int64_t l) {
    int64_t kept = t->at[k];
    t->at[k] = t->at[l];
    t->at[l] = kept;
}

/* The k-th free sample becomes the last and leaves M^-1. */
static bool remove_free(svm_track *t, int64_t k) {
    int64_t last = order(t) - 1, s = border(t) + k, ld = lead(t);
    double *B = t->inverse;
    for (int64_t j = 0; j < s; j++) exchange(&B[j * ld + s], &B[j * ld + last]);
    for (int64_t j = s + 1; j < last; j++) exchange(&B[s * ld + j], &B[j * ld + last]);
    if (s < last) exchange(&B[s * ld + s], &B[last * ld + last]);
    exchange_samples(t, k, --t->m);
    double pivot = B[last * ld + last];
    if (t->m == 0 || !(pivot > 0)) return false;
    for (int64_t j = 0; j < last; j++) t->q[j] = B[j * ld + last];
    update_inverse(t, last, -1 / pivot);
    return true;
}

/* Sample at[l], at a bound so far, joins the free ones and M^-1. */
static bool add_free(svm_track *t, int64_t l) {
    int64_t n = t->p.n, size = order(t), ld = lead(t), i = t->at[l];
    if (t->p.intercept) t->u[0] = 1;
    for (int64_t k = 0; k < t->m; k++) t->u[border(t) + k] = t->p.K[i * n + t->at[k]];
    apply_inverse(t);
    double own = t->p.K[i * n + i] + t->p.ridge[i];
    double rest = own - cblas_ddot((int)size, t->u, 1, t->q, 1);
    if (!(rest > SINGULAR * own)) return false;
    update_inverse(t, size, 1 / rest);
    for (int64_t j = 0; j < size; j++) t->inverse[j * ld + size] = -t->q[j] / rest;
    t->inverse[size * ld + size] = 1 / rest;
    exchange_samples(t, t->m++, l);
    return true;
}

/* The free sample that is farthest outside its box, relative to what it holds; -1: none. */
static int64_t farthest_outside(const svm_track *t) {
    int64_t worst = -1;
    double most = 0;
    for (int64_t k = 0; k < t->m; k++) {
        int64_t i = t->at[k];
        double a = t->beta[i] * t->p.y[i], over = fmax(-a, a - t->p.C[i]);
        if (a > 0 && a < t->p.C[i]) continue;
        if (worst >= 0 && over <= most) continue;
        most = over;
        worst = k;
    }
    return worst;
}

/* The sample at a bound that most wants to leave it, as a place in `at`; -1: none. */
static int64_t most_willing(const svm_track *t) {
    int64_t worst = -1;
    double most = OPTIMAL;
    for (int64_t l = t->m; l < t->p.n; l++) {
        int64_t i = t->at[l];
        double want = t->e[i] * t->p.y[i]; /* to grow */
        bool low = t->beta[i] == 0, high = fabs(t->beta[i]) == t->p.C[i];
        double will = fmax(high ? 0 : want, low ? 0 : -want);
        if (will <= most) continue;
        most = will;
        worst = l;
    }
    return worst;
}

/* Lets samples meet and leave their bounds, one at a time, until all conditions of optimality
 * hold. */
static bool settle(svm_track *t, double *alpha, double *b) {
    for (int change = 0; change <= CHANGES_MAX; change++) {
        if (!refine(t)) return false;
        int64_t k = farthest_outside(t), l = k < 0 ? most_willing(t) : -1;
        if (k >= 0) {
            int64_t i = t->at[k];
            double bound = t->beta[i] * t->p.y[i] <= 0 ? 0 : t->p.y[i] * t->p.C[i];
            add_to(t, i, bound - t->beta[i]);
            t->beta[i] = bound;
            if (!remove_free(t, k)) return false;
        } else if (l >= 0) {
            if (!add_free(t, l)) return false;
        } else {
            for (int64_t i = 0; i < t->p.n; i++) alpha[i] = fabs(t->beta[i]);
            *b = t->b;
            return true;
        }
    }
    return false;
}

bool svm_track_start(svm_track *t, const svm_problem *p, double *alpha, double *b) {
    int64_t n = p->n, last = n;
    t->p = *p;
    t->m = 0;
    t->b = *b;
    for (int64_t i = 0; i < n; i++) {
        t->beta[i] = alpha[i] * p->y[i];
        if (alpha[i] > 0 && alpha[i] < p->C[i])
            t->at[t->m++] = i;
        else
            t->at[--last] = i;
    }
    if (t->m == 0) return false;
    int64_t size = order(t), ld = lead(t), o = border(t);
    for (int64_t k = 0; k < t->m; k++) {
        double *column = t->inverse + (o + k) * ld;
        for (int64_t l = 0; l < t->m; l++) column[o + l] = p->K[t->at[k] * n + t->at[l]];
        column[o + k] += p->ridge[t->at[k]];
        if (p->intercept) column[0] = t->inverse[o + k] = 1;
    }
    if (p->intercept) t->inverse[0] = 0;
    if (!lu_factor(size, size, t->inverse, ld, t->pivot) ||
        LAPACKE_dgetri_work(LAPACK_COL_MAJOR, (lapack_int)size, t->inverse, (lapack_int)ld,
                            t->pivot, t->work, (lapack_int)(size * size)))
        return false;
    make_f(t);
    return settle(t, alpha, b);
}

bool svm_track_downdate(svm_track *t, const double *x, double *alpha, double *b) {
    int64_t n = t->p.n, size = order(t);
    if (t->p.intercept) t->u[0] = 0;
    for (int64_t k = 0; k < t->m; k++) t->u[border(t) + k] = x[t->at[k]];
    apply_inverse(t);
    double left = 1 - cblas_ddot((int)size, t->u, 1, t->q, 1);
    if (!(fabs(left) > SINGULAR)) return false;
    double weight = cblas_ddot((int)n, x, 1, t->beta, 1);
    cblas_daxpy((int)n, -weight, x, 1, t->f, 1);
    move(t, weight / left);
    update_inverse(t, size, 1 / left);
    return settle(t, alpha, b);
}
