/* The two-class SVM dual on a given Gram matrix: the outer loop.
 *
 * PROBLEM    svm_dual.h; the parts' own files: svm_smo.c (pair steps), svm_newton.c (Newton steps on
 *            the free samples), svm_value.c (primal, dual and the best intercept).
 * ALGORITHM  1. Start at alpha = 0, or make the given alpha feasible.
 *            2. Pair steps until the set of free samples is roughly known (not on a warm start).
 *            3. Newton steps while they gain; pair steps again where they do not; and so on.
 *            4. Stop when the duality gap, at a freshly computed gradient, is within tol_rel; when
 *               the hard samples are proved inseparable; or when neither kind of step gains.
 * COST       O(n) a pair step, |free|^3 / 3 + O(n |free|) a Newton step. A warm start at a
 *            neighbouring problem needs n |free| for the gradient and a few Newton steps.
 * GUARANTEE  The gap is the true one of the returned alpha and (w, b). The dual never decreases. */
#include "solve/svm_dual.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/svm_state.h"

#define PROOF_TOL 1e-6 /* of inseparability, see svm_dual.h */
enum {
    NEWTON_ROUNDS = 100, /* Newton steps before pair steps have a turn again */
    STALLS_MAX = 4      /* rounds without gain before giving up */
};

typedef struct workspace {
    svm_state s;
    svm_newton nw;
    double *scratch; /* 3 n */
    int64_t *support;
    double *weight;
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

static pare_status prepare(workspace *w, arena *a, const svm_problem *p, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t n = p->n;
    svm_state *s = &w->s;
    s->p = p;
    s->n = n;
    TRY_MEM(s->beta = ARENA_ZERO(a, double, n));
    TRY_MEM(s->lo = ARENA_NEW(a, double, n));
    TRY_MEM(s->hi = ARENA_NEW(a, double, n));
    TRY_MEM(s->e = ARENA_NEW(a, double, n));
    TRY_MEM(s->diag = ARENA_NEW(a, double, n));
    TRY_MEM(s->change = ARENA_NEW(a, double, n));
    TRY_MEM(w->nw.face = ARENA_NEW(a, int64_t, n));
    TRY_MEM(w->nw.step = ARENA_NEW(a, double, 2 * n));
    TRY_MEM(w->nw.target = ARENA_NEW(a, double, n));
    TRY_MEM(w->scratch = ARENA_NEW(a, double, 3 * n));
    TRY_MEM(w->support = ARENA_NEW(a, int64_t, n));
    TRY_MEM(w->weight = ARENA_NEW(a, double, n));
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
done:
    return status;
}

/* Scales the heavier class down until the two balance. */
static void balance(double *beta, int64_t n) {
    double up = 0, down = 0;
    for (int64_t i = 0; i < n; i++) {
        if (beta[i] > 0) up += beta[i];
        if (beta[i] < 0) down -= beta[i];
    }
    double ratio_up = up > down ? down / up : 1, ratio_down = down > up ? up / down : 1;
    for (int64_t i = 0; i < n; i++) beta[i] *= beta[i] > 0 ? ratio_up : ratio_down;
}

static void start_from(svm_state *s, const double *alpha) {
    for (int64_t i = 0; i < s->n; i++) {
        double a = isfinite(alpha[i]) ? fmin(fmax(alpha[i], 0), s->p->C[i]) : 0;
        s->beta[i] = a * s->p->y[i];
    }
    if (s->p->intercept) balance(s->beta, s->n);
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

/* The gradient anew, and what rounding did to sum beta = 0 put right in the roomiest sample. */
static void refresh(workspace *w) {
    svm_state *s = &w->s;
    if (s->p->intercept) {
        double sum = 0, most = 0;
        int64_t at = -1;
        for (int64_t i = 0; i < s->n; i++) {
            double room = fmin(s->hi[i] - s->beta[i], s->beta[i] - s->lo[i]);
            sum += s->beta[i];
            if (room > most) {
                most = room;
                at = i;
            }
        }
        if (at >= 0 && fabs(sum) < most) s->beta[at] -= sum;
    }
    multiply_beta(w, s->beta, s->change);
    for (int64_t i = 0; i < s->n; i++) s->e[i] = s->p->y[i] - s->change[i];
}

/* Where multiples of beta are feasible, the best multiple: c = sum alpha / beta'(K + diag r) beta. */
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

/* Whether the hard part of beta proves inseparability; if so, beta becomes the proof. */
static bool prove_inseparable(workspace *w, const svm_value *v) {
    svm_state *s = &w->s;
    double largest = 0, sum = 0, norm = 0, *proof = w->scratch, *image = w->scratch + s->n;
    for (int64_t i = 0; i < s->n; i++)
        if (svm_is_hard(s, i)) largest = fmax(largest, s->p->K[i * s->n + i]);
    double enough = 0.99 * PROOF_TOL * PROOF_TOL * largest;
    if (s->n_hard == s->n_used && !(4 * v->quadratic <= 2 * enough * v->sum * v->sum)) return false;
    for (int64_t i = 0; i < s->n; i++) proof[i] = svm_is_hard(s, i) ? s->beta[i] : 0;
    if (s->p->intercept) balance(proof, s->n);
    for (int64_t i = 0; i < s->n; i++) sum += fabs(proof[i]);
    if (!(sum > 0) || !isfinite(sum)) return false;
    for (int64_t i = 0; i < s->n; i++) proof[i] *= 2 / sum;
    multiply_beta(w, proof, image);
    for (int64_t i = 0; i < s->n; i++) norm += proof[i] * image[i];
    if (!(norm <= enough)) return false;
    memcpy(s->beta, proof, sizeof(double) * (size_t)s->n);
    return true;
}

typedef enum verdict { GO_ON, FINISHED } verdict;

/* Evaluates the gap and decides; optimality only on a newly computed gradient. */
static verdict judge(workspace *w, svm_value *v, svm_solution *out) {
    const svm_problem *p = w->s.p;
    for (int attempt = 0; attempt < 2; attempt++) {
        *v = svm_value_at(&w->s, w->scratch);
        double size = fmax(fabs(v->primal), fabs(v->dual));
        if (!(v->primal < INFINITY && v->primal - v->dual <= p->tol_rel * size)) break;
        if (attempt == 1) {
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
    interruption stop = ctx_poll(ctx, "svm", -1);
    if (stop == INTERRUPT_NONE) return false;
    out->outcome = stop == INTERRUPT_TIME ? PARE_TIME_LIMIT : PARE_CANCELLED;
    return true;
}

static pare_status iterate(workspace *w, svm_solution *out, const pare_ctx *ctx, pare_error *err) {
    svm_state *s = &w->s;
    svm_value v;
    int64_t n = s->n, limit = s->p->max_iter > 0 ? s->p->max_iter : 200000 + 500 * n;
    bool pairs_first = !s->p->warm;
    double enough = 0.1;
    int stalls = 0;
    out->outcome = PARE_MAX_ITER;
    if (judge(w, &v, out) == FINISHED) return PARE_OK;
    for (int64_t round = 0; s->iterations < limit && stalls < STALLS_MAX; round++) {
        double before = v.dual;
        if (pairs_first) {
            int64_t budget = round == 0 ? 2 * n + 20 : n / 4 + 10;
            if (budget > limit - s->iterations) budget = limit - s->iterations;
            svm_smo_run(s, budget, enough);
            rescale(s);
            if (judge(w, &v, out) == FINISHED || interrupted(ctx, out)) return PARE_OK;
        }
        pairs_first = true;
        enough = 0;
        w->nw.extend = true;
        for (int k = 0; k < NEWTON_ROUNDS && s->iterations < limit; k++) {
            double at = v.dual;
            svm_newton_result result = svm_newton_step(s, &w->nw, ctx_allocator(ctx));
            if (result == NEWTON_MEMORY) return error_memory(err);
            if (result == NEWTON_NONE) break;
            rescale(s);
            if (judge(w, &v, out) == FINISHED || interrupted(ctx, out)) return PARE_OK;
            if (result == NEWTON_FULL && !(v.dual > at + 1e-3 * (v.primal - v.dual))) break;
        }
        stalls = v.dual > before + 1e-14 * fabs(before) ? 0 : stalls + 1;
        if (stalls > 0) {
            refresh(w);
            if (judge(w, &v, out) == FINISHED) return PARE_OK;
        }
    }
    return PARE_OK;
}

static void finish(workspace *w, svm_solution *out) {
    svm_state *s = &w->s;
    refresh(w);
    svm_value v = svm_value_at(s, w->scratch);
    if (out->inseparable) {
        v = (svm_value){INFINITY, INFINITY, 0, 1, 0, 0};
    }
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
    arena a;
    arena_init(&a, ctx_allocator(ctx));
    out->inseparable = false;
    TRY(check(p, err));
    TRY(prepare(&w, &a, p, err));
    if (p->warm) start_from(&w.s, out->alpha);
    refresh(&w);
    if (p->warm) rescale(&w.s);
    TRY(iterate(&w, out, ctx, err));
    finish(&w, out);
    for (int64_t i = 0; i < p->n; i++)
        if (!isfinite(out->f[i])) {
            status = error_set(err, PARE_E_ARGUMENT,
                               "the decision value of sample %lld is not finite: the Gram matrix "
                               "holds numbers that are not, or too large ones", (long long)i);
            goto done;
        }
done:
    mem_free(ctx_allocator(ctx), w.nw.factor);
    arena_free(&a);
    return status;
}
