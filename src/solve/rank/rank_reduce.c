/* The l2 penalty with more features than samples: w = X'c has the scores R v and the norm |v| for
 * X X' = R R' and v = R'c, so that the problem is one of N features. R is a Cholesky factor with
 * pivots, of as many columns as X has independent samples. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/rank/pair_losses.h"

typedef struct reduced {
    int64_t N, rank;
    double *L, *R; /* N x N: rows in the order of the pivots, and of the samples */
    int *pivot;    /* N, from 1 */
    double *v, *c, *f;
} reduced;

static pare_status factor(reduced *q, arena *mem, const push_problem *p, const pare_ctx *ctx,
                          pare_error *err) {
    int64_t N = q->N;
    int rank = 0;
    PASS(ctx_check_memory(ctx, 16 * (double)N * (double)N, "the Gram matrix of the samples", err));
    PASS_MEM(q->L = ARENA_NEW(mem, double, N *N));
    PASS_MEM(q->R = ARENA_ZERO(mem, double, N *N));
    PASS_MEM(q->pivot = ARENA_NEW(mem, int, N));
    PASS_MEM(ARENA_ZEROS(mem, double, N, &q->v, &q->c, &q->f));
    double *work = ARENA_NEW(mem, double, 2 * N);
    PASS_MEM(work);
    PASS(mat_gram(p->x, NULL, NULL, q->L, ctx, err));
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (int)N, q->L, (int)N, q->pivot, &rank, -1, work);
    q->rank = rank;
    for (int64_t j = 0; j < q->rank; j++)
        for (int64_t i = j; i < N; i++) q->R[j * N + q->pivot[i] - 1] = q->L[j * N + i];
    return PARE_OK;
}

/* v = L^-1 f or v = L^-T v on the first pivots. */
static void solve(const reduced *q, char how, double *v) {
    if (q->rank)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', how, 'N', (int)q->rank, 1, q->L, (int)q->N, v,
                            (int)q->rank);
}

pare_status rank_svm_reduced(push_solution *out, const push_problem *p, bool squared,
                             const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    reduced q = {.N = p->m + p->n};
    pare_status status = PARE_OK;
    TRY(factor(&q, &mem, p, ctx, err));
    matrix R = mat_dense(q.N, q.rank, q.R);
    view x = view_all(&R);
    push_problem few = *p;
    few.x = &x;
    few.K = NULL;
    double *w = out->w;
    if (p->warm) {
        TRY(mat_mul(p->x, NULL, p->x->d, w, 1, q.f, ctx, err));
        for (int64_t i = 0; i < q.rank; i++) q.v[i] = q.f[q.pivot[i] - 1];
        solve(&q, 'N', q.v);
    }
    out->w = q.v;
    status = rank_svm_solve(out, &few, squared, ctx, err);
    out->w = w;
    if (status != PARE_OK) goto done;
    solve(&q, 'T', q.v);
    for (int64_t i = 0; i < q.rank; i++) q.c[q.pivot[i] - 1] = q.v[i];
    TRY(mat_tmul(p->x, q.c, 1, w, ctx, err));
done:
    arena_free(&mem);
    return status;
}
