/* The two-class SVM dual on a given Gram matrix: the outer loop.
 *
 * PROBLEM    See svm_dual.h. The parts have their own files: svm_smo.c (pair steps), svm_newton.c
 *            (Newton steps on the free samples), svm_value.c (primal, dual, best intercept).
 * ALGORITHM  1. Start at alpha = 0, or make the given alpha feasible.
 *            2. Pair steps until the set of free samples is approximately known (not
 *               on a warm start).
 *            3. Newton steps while they gain; pair steps again where they do not; and so on.
 *            4. Stop when the duality gap, at a freshly computed gradient, is within tol_rel; when
 *               the hard samples are certified inseparable; or when neither kind of step gains.
 * COST       O(n) a pair step, |free|^3 / 3 + O(n |free|) a Newton step. A warm start at a
 *            neighbouring problem needs n |free| for the gradient and a few Newton steps.
 * GUARANTEE  The gap is the true one of the returned alpha and (w, b). From round to round the
 *            dual never decreases. */
#include "solve/svm/svm_dual.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/svm/svm_state.h"

#define PROOF_TOL 1e-6      /* of inseparability, see svm_dual.h */
#define PAIR_VIOLATION 0.03 /* the violation at which Newton steps replace the first pair steps */
enum {
    PAIRS_MAX = 10,     /* n pair steps so many times before Newton steps have a turn */
    CAREFUL_FIRST = 10, /* Newton steps that cannot lose before pair steps have a turn again */
    STALLS_MAX = 8      /* rounds without gain before giving up */
};
/* The cost model that chooses between the two kinds of steps; counts, not clocks, so that the same
 * problem always takes the same path. Measured on one machine, the choice is flat around them. */
#define PAIR_COST 3.5    /* of a pair step, in n */
#define FLOPS_RATIO 10.0 /* Cholesky: m^3 over this */
#define NEWTON_STEPS 3.0 /* typically needed */
#define WARM_COST 2.0    /* a warm start takes pair steps first where a Newton step costs more */

typedef struct workspace {
    svm_state s;
    svm_newton nw;
    double *scratch; /* 3 n */
    svm_value last;  /* what ended an optimal solve; scratch then holds its K beta */
    int64_t *support;
    double *weight;
    double *kept_beta, *kept_e; /* n each: the best point of a run of bold Newton steps, */
    int64_t kept_fresh_at;      /* and how fresh its gradient is */
    double kept_peak;
    double *best_beta, best_gap; /* n: of all rounds, for a solve that ends early */
} workspace;

static pare_status check(const svm_problem *p, pare_error *err) {
    if (p->n < 1) return error_set(err, PARE_E_ARGUMENT, "the SVM needs at least one sample");
    if (!(p->tol_rel > 0))
        return error_set(err, PARE_E_ARGUMENT, "tol_rel is %g but must be positive", p->tol_rel);
    for (int64_t i = 0; i < p->n; i++) {
        if (p->y[i] != 1 && p->y[i] != -1)
            return error_set(err, PARE_E_ARGUMENT, "label %g of sample %lld is neither -1 nor +1",
                             p->y[i], (long long)i);
        if (!(p->C[i] >= 0))
            return error_set(err, PARE_E_ARGUMENT, "C = %g of sample %lld is not >= 0", p->C[i],
                             (long long)i);
        if (p->ridge && !(p->ridge[i] >= 0 && p->ridge[i] < INFINITY))
            return error_set(err, PARE_E_ARGUMENT, "ridge %g of sample %lld is not finite and >= 0",
                             p->ridge[i], (long long)i);
        if (!isfinite(p->K[i * p->n + i]))
            return error_set(err, PARE_E_ARGUMENT, "the Gram matrix holds %g for sample %lld",
                             p->K[i * p->n + i], (long long)i);
    }
    return PARE_OK;
}

/* Reading all of K costs as much as a short warm solve, and a number that is not finite cannot end
 * in a finite gap: so look for one only where the solve did not end well. */
static pare_status check_gram(const svm_problem *p, pare_error *err) {
    for (int64_t k = 0; k < p->n * p->n; k++)
        if (!isfinite(p->K[k]))
            return error_set(err, PARE_E_ARGUMENT,
                             "the Gram matrix holds %g for samples %lld and %lld", p->K[k],
                             (long long)(k / p->n), (long long)(k % p->n));
    return PARE_OK;
}

static pare_status prepare(workspace *w, arena *a, const svm_problem *p, pare_error *err) {
    int64_t n = p->n;
    svm_state *s = &w->s;
    s->p = p;
    s->n = n;
    PASS_MEM(s->beta = ARENA_ZERO(a, double, n));
    PASS_MEM(ARENA_NEWS(a, double, n, &s->lo, &s->hi, &s->e, &s->diag, &s->grow, &s->shrink,
                        &s->change, &w->weight, &w->kept_beta, &w->best_beta, &w->kept_e));
    PASS_MEM(ARENA_NEWS(a, int64_t, n, &w->nw.face, &w->support));
    PASS_MEM(ARENA_NEWS(a, double, 2 * n, &w->nw.step, &w->nw.target));
    PASS_MEM(w->scratch = ARENA_NEW(a, double, 3 * n));
    w->nw.jitter = SVM_JITTER_FIRST;
    s->homogeneous = true;
    double trace = 0;
    for (int64_t i = 0; i < n; i++) {
        double C = p->C[i], k = p->K[i * n + i];
        s->lo[i] = p->y[i] < 0 ? -C : 0;
        s->hi[i] = p->y[i] > 0 ? C : 0;
        s->diag[i] = k + svm_ridge(s, i);
        trace += fabs(k);
        s->n_used += C > 0;
        s->n_hard += svm_is_hard(s, i);
        if (C > 0 && C < INFINITY) s->homogeneous = false;
    }
    s->size = trace > 0 ? trace / (double)n : 1;
    return PARE_OK;
}

/* Scales the heavier class down until the two balance: its samples below their C if that is enough,
 * since those at C probably stay there, else all. Rounding errors are left to refresh. */
static void balance(const svm_state *s, double *beta) {
    double mass[2] = {0, 0}, loose[2] = {0, 0};
    for (int64_t i = 0; i < s->n; i++) {
        int side = beta[i] > 0;
        mass[side] += fabs(beta[i]);
        if (fabs(beta[i]) < s->p->C[i]) loose[side] += fabs(beta[i]);
    }
    int heavy = mass[1] > mass[0];
    double excess = mass[heavy] - mass[!heavy];
    if (excess <= 1e-13 * mass[heavy]) return;
    bool all = loose[heavy] < excess;
    double ratio = 1 - excess / (all ? mass[heavy] : loose[heavy]);
    for (int64_t i = 0; i < s->n; i++)
        if ((beta[i] > 0) == heavy && (all || fabs(beta[i]) < s->p->C[i])) beta[i] *= ratio;
}

static void start_from(svm_state *s, const double *alpha) {
    for (int64_t i = 0; i < s->n; i++) {
        double a = isfinite(alpha[i]) ? fmin(fmax(alpha[i], 0), s->p->C[i]) : 0;
        s->beta[i] = a * s->p->y[i];
    }
    if (s->p->intercept) balance(s, s->beta);
}

/* out = (K + diag r) beta over its non-zeros. */
static void multiply_beta(workspace *w, const double *beta, double *out) {
    int64_t m = 0;
    for (int64_t i = 0; i < w->s.n; i++)
        if (beta[i] != 0) {
            w->support[m] = i;
            w->weight[m++] = beta[i];
        }
    svm_multiply(&w->s, w->support, w->weight, m, out);
}

static double largest_term(const svm_state *s) {
    double largest = 0;
    for (int64_t i = 0; i < s->n; i++) largest = fmax(largest, fabs(s->beta[i] * s->diag[i]));
    return largest;
}

/* The gradient anew, and what rounding did to sum beta = 0 corrected in the sample with the largest
 * slack. */
static void refresh(workspace *w) {
    svm_state *s = &w->s;
    if (s->p->intercept) {
        double sum = 0, most = 0;
        int64_t at = -1;
        for (int64_t i = 0; i < s->n; i++) {
            double slack = fmin(s->hi[i] - s->beta[i], s->beta[i] - s->lo[i]);
            sum += s->beta[i];
            if (slack > most) {
                most = slack;
                at = i;
            }
        }
        if (at >= 0 && fabs(sum) < most) s->beta[at] -= sum;
    }
    multiply_beta(w, s->beta, s->change);
    for (int64_t i = 0; i < s->n; i++) s->e[i] = s->p->y[i] - s->change[i];
    s->fresh_at = s->iterations;
    s->peak = largest_term(s);
}

/* Where multiples of beta are feasible, the best multiple: c = sum alpha / beta'(K + diag r) beta.
 */
static void rescale(svm_state *s) {
    if (!s->homogeneous) return;
    double sum = 0, curvature = 0;
    for (int64_t i = 0; i < s->n; i++) {
        sum += s->beta[i] * s->p->y[i];
        curvature += s->beta[i] * (s->p->y[i] - s->e[i]);
    }
    double c = sum / curvature;
    if (!(curvature > 0) || !isfinite(c) || c == 0) return;
    for (int64_t i = 0; i < s->n; i++) {
        s->beta[i] *= c;
        s->e[i] = s->p->y[i] - c * (s->p->y[i] - s->e[i]);
    }
}

/* Returns true if the hard part of beta certifies inseparability; beta then becomes the certificate. */
static bool prove_inseparable(workspace *w, const svm_value *v) {
    svm_state *s = &w->s;
    double largest = 0, sum = 0, norm = 0, *proof = w->scratch, *image = w->scratch + s->n;
    for (int64_t i = 0; i < s->n; i++)
        if (svm_is_hard(s, i)) largest = fmax(largest, s->p->K[i * s->n + i]);
    double enough = 0.99 * PROOF_TOL * PROOF_TOL * largest;
    if (s->n_hard == s->n_used && !(4 * v->quadratic <= 2 * enough * v->sum * v->sum)) return false;
    for (int64_t i = 0; i < s->n; i++) proof[i] = svm_is_hard(s, i) ? s->beta[i] : 0;
    if (s->p->intercept) balance(s, proof);
    for (int64_t i = 0; i < s->n; i++) sum += fabs(proof[i]);
    if (!(sum > 0) || !isfinite(sum)) return false;
    for (int64_t i = 0; i < s->n; i++) proof[i] *= 2 / sum;
    multiply_beta(w, proof, image);
    for (int64_t i = 0; i < s->n; i++) norm += proof[i] * image[i];
    if (!(norm <= enough)) return false;
    memcpy(s->beta, proof, sizeof(double) * (size_t)s->n);
    return true;
}

/* Returns true if rounding errors of gradient updates since it was computed could matter. */
static bool is_stale(const svm_state *s, const svm_value *v) {
    double drift = (double)(s->iterations - s->fresh_at) * DBL_EPSILON * s->peak;
    return !(drift * v->sum <= 0.01 * s->p->tol_rel * fabs(v->dual));
}

typedef enum verdict { GO_ON, FINISHED } verdict;

/* Evaluates the gap and decides. exact: with the best intercept, otherwise a good one is enough. */
static verdict judge(workspace *w, svm_value *v, svm_solution *out, bool exact) {
    svm_state *s = &w->s;
    s->peak = fmax(s->peak, largest_term(s));
    for (;;) {
        *v = svm_value_at(s, w->scratch, exact);
        double size = fmax(fabs(v->primal), fabs(v->dual));
        if (!(v->primal < INFINITY && v->primal - v->dual <= s->p->tol_rel * size)) break;
        if (!is_stale(s, v) || s->iterations == s->fresh_at) {
            w->last = *v;
            out->outcome = PARE_OPTIMAL;
            return FINISHED;
        }
        refresh(w);
    }
    if (v->primal == INFINITY && prove_inseparable(w, v)) {
        out->inseparable = true;
        out->outcome = PARE_OPTIMAL;
        return FINISHED;
    }
    return GO_ON;
}

static bool interrupted(const pare_ctx *ctx, svm_solution *out) {
    return ctx_stops(ctx, "svm", -1, &out->outcome);
}

/* What a Newton step costs, in units of what n pair steps cost. */
static double newton_cost(const svm_state *s) {
    int64_t free = 0;
    for (int64_t i = 0; i < s->n; i++) free += s->beta[i] > s->lo[i] && s->beta[i] < s->hi[i];
    double n = (double)s->n, m = (double)free;
    return (m * m * m / FLOPS_RATIO + n * m) / (PAIR_COST * n * n);
}

/* Pair steps, n at a time, until no violation above `enough` is left or they have had enough turns;
 * beyond that (from the start if not `by_pairs`) as long as they are expected to reach the
 * tolerance at less cost than a few Newton steps. */
static verdict pairs_phase(workspace *w, svm_value *v, svm_solution *out, const pare_ctx *ctx,
                           int64_t limit, double enough, bool by_pairs) {
    svm_state *s = &w->s;
    double violation = by_pairs ? INFINITY : 0;
    for (int k = 0; s->iterations < limit; k++) {
        double before = v->primal - v->dual;
        int64_t budget = s->n + 20;
        if (budget > limit - s->iterations) budget = limit - s->iterations;
        violation = svm_smo_run(s, budget, violation > enough ? enough : 0);
        rescale(s);
        if (judge(w, v, out, true) == FINISHED || interrupted(ctx, out)) return FINISHED;
        if (violation > enough && k < PAIRS_MAX) continue;
        double gap = v->primal - v->dual, wanted = s->p->tol_rel * fabs(v->dual);
        double turns = before < INFINITY ? 2 * log(gap / wanted) / log(before / gap) : INFINITY;
        if (!(turns > 0 && turns < NEWTON_STEPS * newton_cost(s))) break;
    }
    return GO_ON;
}

static void keep(workspace *w) {
    memcpy(w->kept_beta, w->s.beta, sizeof(double) * (size_t)w->s.n);
    memcpy(w->kept_e, w->s.e, sizeof(double) * (size_t)w->s.n);
    w->kept_fresh_at = w->s.fresh_at;
    w->kept_peak = w->s.peak;
}

static void restore(workspace *w) {
    memcpy(w->s.beta, w->kept_beta, sizeof(double) * (size_t)w->s.n);
    memcpy(w->s.e, w->kept_e, sizeof(double) * (size_t)w->s.n);
    w->s.fresh_at = w->kept_fresh_at;
    w->s.peak = w->kept_peak;
}

/* Close to the optimum the dual, flat there, is right to the last digits long before the gradient
 * is: among such points the primal tells which is better. */
static bool is_better(const svm_value *a, const svm_value *b) {
    double noise = 1e-13 * fabs(b->dual);
    return a->dual > b->dual + noise || (a->dual > b->dual - noise && a->primal < b->primal);
}

/* Newton steps while they gain. Bold ones at first, which may lose; after two without a new best,
 * back to the best and on with steps that cannot. */
static pare_status newton_phase(workspace *w, svm_value *v, svm_solution *out, verdict *is,
                                const pare_ctx *ctx, int64_t limit, int64_t careful_max,
                                pare_error *err) {
    svm_state *s = &w->s;
    svm_value best = *v;
    int64_t misses = 0, careful = 0;
    w->nw.bold = w->nw.extend = true;
    keep(w);
    while (s->iterations < limit && careful < careful_max) {
        careful += !w->nw.bold;
        svm_newton_result result = svm_newton_step(s, &w->nw, ctx_allocator(ctx));
        if (result == NEWTON_MEMORY) return error_memory(err);
        if (result == NEWTON_NONE && !w->nw.bold) break;
        rescale(s);
        *is = judge(w, v, out, false);
        if (*is == FINISHED) return PARE_OK;
        bool small = !(v->dual > best.dual + 1e-3 * (v->primal - v->dual));
        if (is_better(v, &best)) {
            small = small && !(v->primal - v->dual < (best.primal - best.dual) / 2);
            best = *v;
            misses = 0;
            keep(w);
        } else if (w->nw.bold && (++misses > 1 || result == NEWTON_NONE)) {
            w->nw.bold = false;
            w->nw.extend = true;
            *v = best;
            restore(w);
            small = false;
        }
        if (interrupted(ctx, out)) {
            *is = FINISHED;
            break;
        }
        if (result == NEWTON_FULL && small && misses == 0) break;
    }
    if (is_better(&best, v)) {
        *v = best;
        restore(w);
    }
    return PARE_OK;
}

static pare_status iterate(workspace *w, svm_solution *out, const pare_ctx *ctx, pare_error *err) {
    svm_state *s = &w->s;
    svm_value v;
    verdict is = GO_ON;
    int64_t limit = s->p->max_iter > 0 ? s->p->max_iter : 200000 + 500 * s->n;
    int stalls = 0;
    int64_t careful_max = CAREFUL_FIRST;
    double enough = PAIR_VIOLATION, best_dual;
    out->outcome = PARE_MAX_ITER;
    if (judge(w, &v, out, !s->p->warm) == FINISHED) return PARE_OK;
    best_dual = v.dual;
    w->best_gap = INFINITY;
    for (int64_t round = 0; s->iterations < limit && stalls < STALLS_MAX; round++) {
        if (round > 0 || !s->p->warm || newton_cost(s) > WARM_COST)
            if (pairs_phase(w, &v, out, ctx, limit, enough, round > 0 || !s->p->warm) == FINISHED)
                return PARE_OK;
        pare_status status = newton_phase(w, &v, out, &is, ctx, limit, careful_max, err);
        if (status != PARE_OK || is == FINISHED) return status;
        enough /= 10;
        if (careful_max < s->n) careful_max *= 2;
        double gap = v.primal - v.dual;
        bool gained = v.dual > best_dual + 1e-12 * fabs(best_dual) || gap < 0.9 * w->best_gap;
        best_dual = fmax(best_dual, v.dual);
        if (gap < w->best_gap) {
            w->best_gap = gap;
            memcpy(w->best_beta, s->beta, sizeof(double) * (size_t)s->n);
        }
        stalls = gained ? 0 : stalls + 1;
        if (stalls > 0) {
            refresh(w);
            if (judge(w, &v, out, true) == FINISHED) return PARE_OK;
        }
    }
    return PARE_OK;
}

static void finish(workspace *w, svm_solution *out) {
    svm_state *s = &w->s;
    svm_value v = w->last;
    if (out->outcome != PARE_OPTIMAL || out->inseparable) {
        refresh(w);
        v = svm_value_at(s, w->scratch, true);
    }
    if (out->outcome != PARE_OPTIMAL && w->best_gap < v.primal - v.dual) {
        memcpy(s->beta, w->best_beta, sizeof(double) * (size_t)s->n);
        refresh(w);
        v = svm_value_at(s, w->scratch, true);
    }
    if (out->inseparable) v = (svm_value){INFINITY, INFINITY, 0, 1, 0, 0};
    for (int64_t i = 0; i < s->n; i++) {
        out->alpha[i] = fabs(s->beta[i]);
        out->f[i] = v.scale * w->scratch[i] + v.b;
    }
    out->b = v.b;
    out->scale = v.scale;
    out->primal = v.primal;
    out->dual = v.dual;
    out->iterations = s->iterations;
}

pare_status svm_dual_solve(svm_solution *out, const svm_problem *p, const pare_ctx *ctx,
                           pare_error *err) {
    pare_status status = PARE_OK;
    workspace w = {0};
    arena a = arena_of(ctx);
    out->inseparable = false;
    TRY(check(p, err));
    TRY(prepare(&w, &a, p, err));
    if (p->warm) start_from(&w.s, out->alpha);
    refresh(&w);
    if (p->warm) rescale(&w.s);
    TRY(iterate(&w, out, ctx, err));
    finish(&w, out);
    if (out->outcome != PARE_OPTIMAL) TRY(check_gram(p, err));
done:
    mem_free(ctx_allocator(ctx), w.nw.factor);
    arena_free(&a);
    return status;
}
