/* The path of kta along p, all points from one pass over the features; with several settings of C,
 * lambda1 and lambda2 (tuning) all points of all of them.
 *
 *   K(p) = sum over selected j of eta_j(p) K_j,   selected: a_j > threshold(p)
 *
 * Weights at any p are, to BASIS_TOLERANCE, combinations of those at some 25 basis points, whatever
 * the feature (solve/kernel/kta_basis.h); and the selected sets are nested. So the features enter
 * by descending alignment into one sum of kernels per basis point, and as soon as all that a point
 * selects are in, its K is the combination of these sums. A predictor is fitted to it at once, warm
 * from the previous point.
 * COST  one pass over the selected features; memory (rank + 2) N^2, N the samples of both parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/svm/gram_svm.h"
#include "method/kernel/kernel_predictor.h"
#include "method/kernel/kta.h"
#include "solve/kernel/kernel_sum.h"
#include "solve/kernel/kta_basis.h"

static const double BASIS_TOLERANCE = 1e-6;
enum { TOGETHER = 32 }; /* paths in one pass */

/* Sorts the features that are not constant by descending alignment; returns how many. */
static int64_t rank_features(ranked *r, const kta_features *f, int64_t d) {
    int64_t count = 0;
    for (int64_t j = 0; j < d; j++)
        if (f->trace[j] > 0) r[count++] = (ranked){f->a[j], j};
    sort_best_first(r, count);
    return count;
}

static void count_selected(along_points *out, const kta_problem *k, const ranked *r, int64_t n) {
    for (int64_t s = 0; s < out->count; s++) {
        kta_problem at = *k;
        at.p = out->value[s];
        double threshold = kta_threshold(&at);
        int64_t low = 0, high = n;
        while (low < high) {
            int64_t mid = (low + high) / 2;
            if (r[mid].key > threshold)
                low = mid + 1;
            else
                high = mid;
        }
        out->used[s] = low;
    }
}

/* The features of each point and their weights, where they are wanted. */
static pare_status keep_features(along_points *points, const kta_problem *k, const ranked *r,
                                 int64_t n, arena *mem, pare_error *err) {
    if (!points->picks) return PARE_OK;
    int64_t *cols = ARENA_NEW(mem, int64_t, n);
    double *eta = points->z ? ARENA_NEW(mem, double, n) : NULL;
    if (!cols || (points->z && !eta)) return error_memory(err);
    for (int64_t i = 0; i < n; i++) cols[i] = r[i].index;
    for (int64_t s = 0; s < points->count; s++) {
        kta_problem at = *k;
        at.p = points->value[s];
        for (int64_t i = 0; eta && i < points->used[s]; i++)
            eta[i] =
                i > 0 && r[i].key == r[i - 1].key ? eta[i - 1] : exp(kta_log_weight(&at, r[i].key));
        along_keep(points, s, cols, eta);
    }
    return PARE_OK;
}

/* A point of one of the paths. */
typedef struct path_item {
    int64_t path, s, used;
} path_item;

/* The state of the predictor of a path. */
typedef struct path_state {
    double *dual, C; /* n x outputs of its previous point; C there, 0: none yet */
} path_state;

typedef struct path_work {
    const kta_features *f;
    const kta_problem *at; /* of each item */
    const ranked *rank;
    const kta_basis *basis;
    path_state *state; /* of each path */
    const fit_job *job;
    kernel_kind kind;
    view both;    /* samples of the fit, then the test samples */
    double **G;   /* rank sums, N x N */
    double *K;    /* N x N: at the point */
    double *Kc;   /* n x n: its centred part */
    double *s;    /* n weights */
    int64_t n, N; /* samples of the fit, of both */
    gram_svm svm;
    double *U, *b; /* regression */
} path_work;

/* Adds features first .. last-1 of the ranking to the sums. */
static pare_status add_features(path_work *w, int64_t first, int64_t last, const pare_ctx *ctx,
                                pare_error *err) {
    int64_t count = last - first, rank = w->basis->rank;
    int threads = ctx_threads(ctx);
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t *cols = ARENA_NEW(&scratch, int64_t, count);
    double *weight = ARENA_NEW(&scratch, double, count *rank),
           *gamma = ARENA_NEW(&scratch, double, count);
    TRY_MEM(cols && weight && gamma);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < rank; r++) {
        const kta_problem *at = &w->at[w->basis->point[r]];
        double before = -1, eta = 0;
        for (int64_t i = 0; i < count; i++) {
            const ranked *one = &w->rank[first + i];
            if (one->key != before) eta = exp(kta_log_weight(at, before = one->key));
            weight[r * count + i] = eta / w->f->trace[one->index];
        }
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t j = w->rank[first + i].index;
        gamma[i] = w->f->gamma[j];
        cols[i] = w->both.cols ? w->both.cols[j] : j;
    }
    view batch = w->both;
    batch.cols = cols;
    batch.d = count;
    kernel_sum sum = {w->kind, gamma, rank, weight};
    TRY(kernel_sum_add(w->G, &batch, &sum, ctx, err));

done:
    arena_free(&scratch);
    return status;
}

/* K at item s from the sums, its centred training block, and C by its settings. */
static pare_status combine(path_work *w, int64_t s, const kta_settings *set, double *C,
                           const pare_ctx *ctx, pare_error *err) {
    int64_t n = w->n, N = w->N, rank = w->basis->rank;
    const double *coef = w->basis->coef + s * rank;
    for (int64_t i = 0; i < N; i++) {
        double *row = w->K + i * N;
        int64_t last = i < n ? i + 1 : n; /* the kernel between test samples is not needed */
        memset(row, 0, sizeof *row * (size_t)last);
        for (int64_t r = 0; r < rank; r++) {
            const double *from = w->G[r] + i * N;
            for (int64_t j = 0; j < last; j++) row[j] += coef[r] * from[j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) w->Kc[i * n + j] = w->Kc[j * n + i] = w->K[i * N + j];
    pare_status status = kernel_sum_centre(w->Kc, w->s, n, ctx, err);
    double trace = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        trace += w->s[i] * w->Kc[i * n + i];
        total += w->s[i];
    }
    *C = isnan(set->C) ? set->C_ratio * (trace > 0 ? total / trace : 1) : set->C;
    return status;
}

/* Decision values of the test samples. The duals sum to 0: centring subtracted a constant, which
 * the first sample determines. */
static void score_test(const path_work *w, const double *U, const double *b, int64_t outputs,
                       double *F) {
    int64_t n = w->n, N = w->N, m = N - n;
    for (int64_t o = 0; o < outputs; o++) {
        const double *u = U + o * n;
        double base = b[o];
        for (int64_t i = 0; i < n; i++) base += u[i] * (w->Kc[i] - w->K[i * N]);
        for (int64_t t = 0; t < m; t++) {
            const double *row = w->K + (n + t) * N;
            double f = base;
            for (int64_t i = 0; i < n; i++) f += u[i] * row[i];
            F[o * m + t] = f;
        }
    }
}

static pare_status fit_point(path_work *w, along_points *points, const path_item *item,
                             int64_t number, const pare_ctx *ctx, pare_error *err) {
    double C;
    int64_t outputs = target_scores(w->job->y), size = w->n * outputs;
    along_points *own = &points[item->path];
    double *F = own->F + item->s * (w->N - w->n) * outputs;
    pare_status status = combine(w, number, &own->set->kta, &C, ctx, err);
    if (status != PARE_OK) return status;
    if (!w->state) { /* regression */
        arena scratch = arena_of(ctx);
        status = kernel_ridge_solve(w->U, w->b, w->job, w->Kc, C, &scratch, err);
        arena_free(&scratch);
        if (status == PARE_OK) score_test(w, w->U, w->b, 1, F);
        return status;
    }
    path_state *state = &w->state[item->path];
    w->svm.warm = state->C > 0;
    for (int64_t i = 0; w->svm.warm && i < size; i++)
        w->svm.dual[i] = state->dual[i] * (C / state->C);
    w->svm.C = state->C = C;
    w->svm.tol_rel = own->set->kta.tol;
    status = gram_svm_solve(&w->svm, w->Kc, ctx, err);
    if (status != PARE_OK) return status;
    memcpy(state->dual, w->svm.dual, sizeof(double) * (size_t)size);
    if (w->svm.outcome == PARE_CANCELLED || w->svm.outcome == PARE_TIME_LIMIT)
        return error_set(err, PARE_E_CANCELLED, "stopped inside a path");
    own->unconverged += w->svm.outcome == PARE_MAX_ITER;
    score_test(w, w->svm.U, w->svm.b, outputs, F);
    return PARE_OK;
}

static pare_status work_make(path_work *w, int64_t paths, arena *mem, const view *test,
                             const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = w->job;
    int64_t n = w->n = job->x->n, N = w->N = n + test->n, rank = w->basis->rank;
    PASS(ctx_check_memory(ctx, 8 * (double)(rank + 2) * (double)N * (double)N,
                          "the sums of kernels that the path combines", err));
    int32_t *rows = ARENA_NEW(mem, int32_t, N);
    w->G = ARENA_ZERO(mem, double *, rank);
    w->K = ARENA_NEW(mem, double, N *N);
    w->Kc = ARENA_NEW(mem, double, n *n);
    w->s = ARENA_NEW(mem, double, n);
    w->U = ARENA_NEW(mem, double, n);
    w->b = ARENA_NEW(mem, double, 1);
    if (!rows || !w->G || !w->K || !w->Kc || !w->s || !w->U || !w->b) return error_memory(err);
    for (int64_t r = 0; r < rank; r++)
        if (!(w->G[r] = ARENA_ZERO(mem, double, N *N))) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        rows[i] = job->x->rows ? job->x->rows[i] : (int32_t)i;
        w->s[i] = job->weight ? job->weight[i] : 1;
    }
    for (int64_t i = n; i < N; i++) rows[i] = test->rows ? test->rows[i - n] : (int32_t)(i - n);
    w->both = *job->x;
    w->both.rows = rows;
    w->both.n = N;
    if (!job->y->cls) return PARE_OK;
    int64_t outputs = target_scores(job->y);
    w->state = ARENA_ZERO(mem, path_state, paths);
    if (!w->state) return error_memory(err);
    for (int64_t g = 0; g < paths; g++)
        if (!(w->state[g].dual = ARENA_NEW(mem, double, n *outputs))) return error_memory(err);
    return gram_svm_init(&w->svm, mem, job, "ovr", err);
}

static int fewest_first(const void *pa, const void *pb) {
    const path_item *a = pa, *b = pb;
    int used = order_index(a->used, b->used), path = order_index(a->path, b->path);
    return used ? used : path ? path : order_index(a->s, b->s);
}

/* The wanted points of all paths, fewest features first, and the problem of each. */
static int64_t list_items(path_item *item, kta_problem *at, const along_points *points,
                          const kta_problem *k, int64_t paths) {
    int64_t count = 0;
    for (int64_t g = 0; g < paths; g++)
        for (int64_t s = 0; points[g].F && s < points[g].count; s++)
            if (!points[g].want || points[g].want[s])
                item[count++] = (path_item){g, s, points[g].used[s]};
    qsort(item, (size_t)count, sizeof *item, fewest_first);
    for (int64_t i = 0; i < count; i++) {
        at[i] = k[item[i].path];
        at[i].p = points[item[i].path].value[item[i].s];
    }
    return count;
}

/* Whether two paths have kernel and gamma in common. */
static pare_status run_alike(along_points *points, int64_t paths, const fit_job *shared,
                             const view *test, const pare_ctx *ctx, pare_error *err) {
    int64_t d = shared->x->d, selected = 0;
    arena mem = arena_of(ctx);
    kta_features f;
    kta_basis basis;
    pare_status status = PARE_OK;
    fit_job own = *shared, *job = &own;
    job->set = points[0].set;

    TRY(weighted_kernels_check(job, "kta", err));
    kta_problem *k = ARENA_NEW(&mem, kta_problem, paths);
    TRY_MEM(k);
    TRY(kta_align(&f, &k[0], job, &job->set->kta, &mem, ctx, err));
    for (int64_t g = 1; g < paths; g++) TRY(kta_resolve(&k[g], &points[g].set->kta, f.a, d, err));
    ranked *rank = ARENA_NEW(&mem, ranked, d);
    double *a = ARENA_NEW(&mem, double, d);
    path_item *item = ARENA_NEW(&mem, path_item, paths * points->count);
    kta_problem *at = ARENA_NEW(&mem, kta_problem, paths * points->count);
    TRY_MEM(rank && a);
    TRY_MEM(item && at);
    int64_t usable = rank_features(rank, &f, d);
    for (int64_t g = 0; g < paths; g++) {
        count_selected(&points[g], &k[g], rank, usable);
        TRY(keep_features(&points[g], &k[g], rank, usable, &mem, err));
    }
    int64_t count = list_items(item, at, points, k, paths);
    if (count == 0) goto done;

    for (int64_t i = 0; i < usable; i++) a[i] = rank[i].key;
    TRY(kta_basis_make(&basis, &mem, at, count, a, item[count - 1].used, BASIS_TOLERANCE, ctx,
                       err));
    path_work w = {.f = &f,
                   .at = at,
                   .rank = rank,
                   .basis = &basis,
                   .job = job,
                   .kind = kernel_named(job->set->kta.kernel)};
    TRY(work_make(&w, paths, &mem, test, ctx, err));
    for (int64_t i = 0; i < count; i++) {
        if (item[i].used > selected) TRY(add_features(&w, selected, item[i].used, ctx, err));
        selected = item[i].used;
        TRY(fit_point(&w, points, &item[i], i, ctx, err));
    }

done:
    arena_free(&mem);
    return status;
}

static bool alike(const all_settings *a, const all_settings *b) {
    bool gamma = a->kta.gamma == b->kta.gamma || (isnan(a->kta.gamma) && isnan(b->kta.gamma));
    return gamma && strcmp(a->kta.kernel, b->kta.kernel) == 0;
}

/* Paths with a common kernel together, a bounded number at a time. */
static pare_status path_run_along(along_points *points, int64_t paths, const fit_job *job,
                                  const view *test, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    bool *taken = mem_zero(ctx_allocator(ctx), paths, sizeof *taken);
    TRY_MEM(taken);
    for (int64_t first = 0; first < paths; first++) {
        along_points group[TOGETHER];
        int64_t which[TOGETHER], count = 0;
        for (int64_t g = first; g < paths && count < TOGETHER; g++) {
            if (taken[g] || !alike(points[first].set, points[g].set)) continue;
            taken[g] = true;
            which[count] = g;
            group[count++] = points[g];
        }
        if (count == 0) continue;
        TRY(run_alike(group, count, job, test, ctx, err));
        for (int64_t i = 0; i < count; i++) points[which[i]] = group[i];
    }
done:
    mem_free(ctx_allocator(ctx), taken);
    return status;
}

const method_along kta_along = {&along_powers, NULL, path_run_along};
