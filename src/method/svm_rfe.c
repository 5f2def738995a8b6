/* NAME       svm-rfe
 * PAPER      zero-norm section 4.3 (recursive feature elimination, after Guyon et al.).
 * PROBLEM    the SVM  1/2 |w|^2 + C sum_i max(0, 1 - y_i f_i)  on fewer and fewer features: those that
 *            contribute least to |w|^2 (several classes: sum_k |w_k|^2, one against the rest) leave.
 * SYMBOLS    U: alpha.y per output, n x c; w_p = X_p'U; K: Gram of the live features; M: length of
 *            the way that U has gone so far.
 * ALGORITHM  1. Solve the SVM on K, warm from the last.
 *            2. The features of smallest |w_p| leave: `step` of them, or that share of the living.
 *               Since |w_p| changes by at most |x_p| |dU|, an old value less R (M - M_p), with R the
 *               largest |x_p|, is a lower bound: a heap of bounds, only those at its top are
 *               evaluated again. Large steps evaluate all by one tmul.
 *            3. K <- K - sum x_p x_p' over those that left; K anew when the living have halved.
 *            4. Until k features live (1, if k is not said), which rank by |w|.
 *            Kernels: method/rfe_kernel.c.
 * COST       about log2(d/k) gram and tmul passes over the living, which halve: 2 of each over all d
 *            in sum; per elimination O(n^2) and an SVM of one or two Newton steps. Memory n^2 + O(d).
 * GUARANTEE  the SVM on the survivors has a certified gap (certify/certify_rfe.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "method/rfe.h"
#include "solve/svm_track.h"

static const double ROUNDING = 1e-14;  /* of |U|, added to every way it goes */
static const double SOLVE_TOL = 1e-11; /* weights that decide are good to its root */

enum { FEW = 8 }; /* rank-one downdates at most at a time */

typedef struct bound {
    double key; /* |w_p| when evaluated, plus R M at that time */
    int64_t p;
} bound;

typedef struct rfe {
    view x; /* about the columns' means */
    gram_svm svm;
    double *K, *U, *part; /* U: of the last solve; part: n x n scratch */
    int64_t d, live;
    bound *heap;        /* live */
    int64_t *evaluated; /* d: the round in which a feature's key was exact */
    bool *alive;
    int64_t round, rebuilt; /* living when K was built */
    double R, way;
    column_reader reader;
    double *column; /* n */
    int64_t *cols;  /* d: scratch, columns of the matrix */
    int64_t *own;   /* d: scratch, view columns */
    double *W;      /* d x c */
    int64_t *gone;  /* d: view columns in the order they left */
    int64_t n_gone;
    svm_track *track;           /* c: one per output */
    bool *tracking;             /* c: track follows that output's solution */
    double *sign, *cost, *soft; /* n x c: the outputs' problems */
} rfe;

/* Which of two leaves first: the lower key, of equals the last. */
static bool before(const bound *a, const bound *b) {
    return a->key < b->key || (a->key == b->key && a->p > b->p);
}

static void sift_down(bound *heap, int64_t count, int64_t at) {
    bound moving = heap[at];
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &moving)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static double *read_column(rfe *s, int64_t p) {
    column c;
    mat_column(&s->reader, p, &c);
    int64_t n = s->svm.n;
    if (!c.index) {
        memcpy(s->column, c.value, sizeof(double) * (size_t)n);
        return s->column;
    }
    for (int64_t i = 0; i < n; i++) s->column[i] = c.rest;
    for (int64_t e = 0; e < c.count; e++) s->column[c.index[e]] = c.value[e];
    return s->column;
}

static double weight_of(rfe *s, int64_t p) {
    const double *x = read_column(s, p);
    double sum = 0;
    for (int64_t o = 0; o < s->svm.c; o++) {
        const double *u = s->svm.U + o * s->svm.n;
        double w = 0;
        for (int64_t i = 0; i < s->svm.n; i++) w += x[i] * u[i];
        sum += w * w;
    }
    return sqrt(sum);
}

static view view_of(rfe *s, const int64_t *own, int64_t count) {
    view v = s->x;
    for (int64_t i = 0; i < count; i++) s->cols[i] = s->x.cols ? s->x.cols[own[i]] : own[i];
    v.cols = s->cols;
    v.d = count;
    return v;
}

static int64_t list_living(rfe *s) {
    int64_t count = 0;
    for (int64_t p = 0; p < s->d; p++)
        if (s->alive[p]) s->own[count++] = p;
    return count;
}

/* All weights by one pass, and the heap from them. */
static pare_status evaluate_all(rfe *s, const pare_ctx *ctx, pare_error *err) {
    int64_t count = list_living(s), c = s->svm.c;
    view v = view_of(s, s->own, count);
    pare_status status = mat_tmul(&v, s->svm.U, c, s->W, ctx, err);
    if (status != PARE_OK) return status;
    s->way = 0;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int64_t o = 0; o < c; o++) sum += s->W[o * count + i] * s->W[o * count + i];
        s->heap[i] = (bound){sqrt(sum), s->own[i]};
        s->evaluated[s->own[i]] = s->round;
    }
    s->live = count;
    for (int64_t i = count / 2 - 1; i >= 0; i--) sift_down(s->heap, count, i);
    return PARE_OK;
}

/* The `count` weakest leave the heap for `gone`. */
static void eliminate(rfe *s, int64_t count) {
    while (count > 0) {
        int64_t p = s->heap[0].p;
        if (s->evaluated[p] == s->round) {
            s->gone[s->n_gone++] = p;
            s->alive[p] = false;
            s->heap[0] = s->heap[--s->live];
            count--;
        } else {
            s->heap[0].key = weight_of(s, p) + s->R * s->way;
            s->evaluated[p] = s->round;
        }
        if (s->live > 0) sift_down(s->heap, s->live, 0);
    }
}

/* One rank-one downdate followed exactly where possible; false: the SVMs are to be solved again. */
static bool follow(rfe *s, const double *x) {
    gram_svm *g = &s->svm;
    for (int64_t o = 0; o < g->c; o++)
        if (!s->tracking[o]) return false;
    for (int64_t o = 0; o < g->c; o++) {
        s->tracking[o] = svm_track_downdate(&s->track[o], x, g->dual + o * g->n, &g->b[o]);
        if (!s->tracking[o]) return false;
        memcpy(g->U + o * g->n, s->track[o].beta, sizeof(double) * (size_t)g->n);
    }
    return true;
}

static void start_tracks(rfe *s) {
    gram_svm *g = &s->svm;
    int64_t n = g->n;
    for (int64_t o = 0; o < g->c; o++) {
        gram_svm_costs(g, o, s->sign + o * n, s->cost + o * n, s->soft + o * n);
        svm_problem p = {.n = n,
                         .K = s->K,
                         .y = s->sign + o * n,
                         .C = s->cost + o * n,
                         .ridge = s->soft + o * n,
                         .intercept = g->intercept};
        s->tracking[o] = svm_track_start(&s->track[o], &p, g->dual + o * n, &g->b[o]);
        if (s->tracking[o]) memcpy(g->U + o * n, s->track[o].beta, sizeof(double) * (size_t)n);
    }
}

/* Step 3, for the last `count` that left. */
static pare_status take_out(rfe *s, int64_t count, bool *followed, const pare_ctx *ctx,
                            pare_error *err) {
    int64_t n = s->svm.n;
    *followed = false;
    const int64_t *left = s->gone + s->n_gone - count;
    if (2 * s->live <= s->rebuilt) {
        int64_t living = list_living(s);
        view v = view_of(s, s->own, living);
        s->rebuilt = living;
        return mat_gram(&v, NULL, NULL, s->K, ctx, err);
    }
    if (count > FEW) {
        view v = view_of(s, left, count);
        pare_status status = mat_gram(&v, NULL, NULL, s->part, ctx, err);
        for (int64_t i = 0; i < n * n; i++) s->K[i] -= s->part[i];
        return status;
    }
    for (int64_t k = 0; k < count; k++) {
        const double *x = read_column(s, left[k]);
        cblas_dger(CblasColMajor, (int)n, (int)n, -1, x, 1, x, 1, s->K, (int)n);
        *followed = (k == 0 || *followed) && follow(s, x);
    }
    return PARE_OK;
}

/* Step 1, unless the last downdate was `followed`. */
static pare_status solve(rfe *s, fit_result *r, bool followed, const pare_ctx *ctx,
                         pare_error *err) {
    int64_t size = s->svm.n * s->svm.c;
    if (!followed) {
        pare_status status = gram_svm_solve_anyhow(&s->svm, r, s->K, ctx, err);
        if (status != PARE_OK) return status;
        s->svm.warm = true;
        start_tracks(s);
    }
    r->iterations++;
    double moved = 0, length = 0;
    for (int64_t i = 0; i < size; i++) {
        double step = s->svm.U[i] - s->U[i];
        moved += step * step;
        length += s->svm.U[i] * s->svm.U[i];
        s->U[i] = s->svm.U[i];
    }
    s->way += sqrt(moved) + ROUNDING * sqrt(length);
    s->round++;
    return PARE_OK;
}

static pare_status prepare(rfe *s, arena *mem, const fit_job *job, const pare_ctx *ctx,
                           pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    const svm_rfe_settings *set = &job->set->svm_rfe;
    pare_status status = PARE_OK;
    s->d = s->live = s->rebuilt = d;
    TRY(ctx_room(ctx, 8 * (double)n * (double)n, "the Gram matrix of the samples", err));
    TRY(gram_svm_init(&s->svm, mem, job, "ovr", err));
    double *mean;
    TRY(gram_view(&s->x, &mean, mem, job, ctx, err));
    s->svm.C = set->C;
    s->svm.ridge = set->ridge;
    s->svm.tol_rel = fmin(set->tol, SOLVE_TOL);
    TRY_MEM(s->K = ARENA_NEW(mem, double, n *n));
    TRY_MEM(s->part = ARENA_NEW(mem, double, n *n));
    TRY_MEM(s->U = ARENA_ZERO(mem, double, n * s->svm.c));
    TRY_MEM(s->heap = ARENA_NEW(mem, bound, d));
    TRY_MEM(s->evaluated = ARENA_ZERO(mem, int64_t, d));
    TRY_MEM(s->alive = ARENA_NEW(mem, bool, d));
    TRY_MEM(s->column = ARENA_NEW(mem, double, n));
    TRY_MEM(s->cols = ARENA_NEW(mem, int64_t, d));
    TRY_MEM(s->own = ARENA_NEW(mem, int64_t, d));
    TRY_MEM(s->gone = ARENA_NEW(mem, int64_t, d));
    int64_t c = s->svm.c;
    TRY_MEM(s->W = ARENA_NEW(mem, double, d *c));
    TRY_MEM(s->track = ARENA_NEW(mem, svm_track, c));
    TRY_MEM(s->tracking = ARENA_ZERO(mem, bool, c));
    TRY_MEM(s->sign = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->cost = ARENA_NEW(mem, double, n *c));
    TRY_MEM(s->soft = ARENA_NEW(mem, double, n *c));
    for (int64_t o = 0; o < c; o++) TRY_MEM(svm_track_init(&s->track[o], mem, n));
    double *ones = ARENA_NEW(mem, double, n);
    TRY_MEM(ones);
    for (int64_t p = 0; p < d; p++) s->alive[p] = true;
    for (int64_t i = 0; i < n; i++) ones[i] = 1;
    TRY(mat_tmul2(&s->x, ones, 1, s->W, ctx, err));
    for (int64_t p = 0; p < d; p++) s->R = fmax(s->R, sqrt(s->W[p]));
    TRY(fit_gram(job, &s->x, s->K, ctx, err));
done:
    return status;
}

/* The survivors' SVM as the selecting problem, and the ranking. */
static pare_status finish(rfe *s, fit_result *r, const pare_ctx *ctx, pare_error *err) {
    int64_t survivors = s->live;
    pare_status status = PARE_OK;
    TRY_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, survivors));
    r->n_cols = list_living(s);
    memcpy(r->cols, s->own, sizeof(int64_t) * (size_t)survivors);
    TRY(evaluate_all(s, ctx, err));
    eliminate(s, survivors);
    TRY(rfe_finish(r, &s->svm, s->gone, s->d, err));
done:
    return status;
}

pare_status svm_rfe_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    svm_rfe_settings *set = &job->set->svm_rfe;
    if (set->step >= 1 && set->step != floor(set->step))
        return error_set(
            err, PARE_E_ARGUMENT,
            "step: %g features cannot be eliminated at a time: give a whole number, or "
            "a fraction below 1 of those that remain",
            set->step);
    if (!choice_is(set->kernel, "linear")) return rfe_kernel_fit(r, job, ctx, err);
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    rfe s = {0};
    bool reading = false;
    pare_status status = PARE_OK;
    int64_t least = job->k > 0 ? job->k : 1;
    TRY(prepare(&s, &mem, job, ctx, err));
    TRY(column_open(&s.reader, &s.x, ctx, err));
    reading = true;
    r->outcome = PARE_OPTIMAL;
    TRY(solve(&s, r, false, ctx, err));
    TRY(evaluate_all(&s, ctx, err));
    while (s.live > least && r->outcome == PARE_OPTIMAL) {
        int64_t count = rfe_step(set->step, s.live, least), living = s.live;
        if (20 * count > living) TRY(evaluate_all(&s, ctx, err));
        eliminate(&s, count);
        bool followed;
        TRY(take_out(&s, count, &followed, ctx, err));
        TRY(solve(&s, r, followed, ctx, err));
        r->outcome = rfe_poll(&s.svm, (double)s.n_gone / (double)s.d, ctx);
    }
    TRY(finish(&s, r, ctx, err));
    set->ridge = s.svm.ridge;

done:
    if (reading) column_close(&s.reader);
    arena_free(&mem);
    return status;
}

void svm_rfe_hand_on(all_settings *final) { /* the same kernel */
    strcpy(final->svm.kernel, final->svm_rfe.kernel);
    final->svm.gamma = final->svm_rfe.gamma;
    final->svm.degree = final->svm_rfe.degree;
    final->svm.coef0 = final->svm_rfe.coef0;
}
