/* lasso and logistic with alpha 0 on wide data: the ridge's coefficients are X'a for some a of n
 * numbers, so that with X X' = Z Z', Z of n x r, the same loss in the features Z and |theta|^2 is the
 * same problem; B = X' V S^-1/2 theta where Z = V S^1/2. Two passes over X instead of some for every
 * working set, n^2 of memory. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/glm_task.h"

enum { MOST_N = 4000 };
static const double ROUNDING = 1e-13; /* of the largest eigenvalue: what counts as 0 */

bool glm_ridge_fits(const glm_task *t) {
    return t->how->alpha == 0 && !t->job->group && t->d > t->n && t->n <= MOST_N &&
           t->lambda_max > 0;
}

/* V (n x n) and S (n), ascending, of X X' as the job centres it. */
static pare_status decompose(double *V, double *S, const glm_task *t, bool centred, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    lapack_int n = (lapack_int)t->n;
    double size;
    pare_status status = fit_gram(t->job, centred, V, ctx, err);
    if (status != PARE_OK) return status;
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, S, &size, -1);
    double *work = ARENA_NEW(mem, double, (int64_t)size);
    if (!work) return error_memory(err);
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, S, work, (lapack_int)size) != 0)
        return error_set(err, PARE_E_DATA, "the kernel matrix has no eigenvalues");
    return PARE_OK;
}

typedef struct taken {
    const glm_task *t;
    glm_point at;
    double *theta, *b, *U; /* r x c; c; n x c */
} taken;

static pare_status take(void *user, const glm_point *point, bool *stop, pare_error *err) {
    taken *to = user;
    int64_t c = to->t->c;
    (void)stop;
    (void)err;
    to->at = *point;
    for (int64_t i = 0; i < point->n_features; i++)
        memcpy(to->theta + point->feature[i] * c, point->B + i * c, sizeof(double) * (size_t)c);
    memcpy(to->b, point->b, sizeof(double) * (size_t)c);
    memcpy(to->U, point->U, sizeof(double) * (size_t)(to->t->n * c));
    return PARE_OK;
}

/* The problem in the features Z. */
static pare_status solve_small(taken *to, const glm_task *t, const double *Z, int64_t r,
                               double lambda, arena *mem, const pare_ctx *ctx, pare_error *err) {
    matrix z = mat_dense(t->n, r, Z);
    view x = view_all(&z);
    penalty pen;
    glm_solver *solver = NULL;
    pare_status status = PARE_OK;
    TRY(penalty_open(&pen, mem, r, t->c, 0, t->how->rows, NULL, 0, NULL, err));
    glm_problem p = t->problem;
    p.x = &x;
    p.penalty = &pen;
    TRY(glm_open(&solver, &p, ctx, err));
    TRY(glm_run(solver, &lambda, 1, take, to, err));
done:
    glm_close(solver);
    return status;
}

pare_status glm_ridge(fit_result *r, const glm_task *t, double lambda, const pare_ctx *ctx,
                      pare_error *err) {
    int64_t n = t->n, d = t->d, c = t->c, rank = 0;
    bool centred = t->problem.intercept && t->job->mean;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    double *V = NULL, *S = NULL, *Z = NULL, *A = NULL, *W = NULL, *B = NULL;
    int64_t *all = NULL;
    taken to = {.t = t};
    TRY(ctx_room(ctx, 16 * (double)n * (double)n, "the kernel matrix", err));
    TRY_MEM(V = ARENA_NEW(&mem, double, n *n));
    TRY_MEM(S = ARENA_NEW(&mem, double, n));
    TRY(decompose(V, S, t, centred, &mem, ctx, err));
    while (rank < n && S[n - 1 - rank] > ROUNDING * S[n - 1]) rank++;
    TRY_MEM(Z = ARENA_NEW(&mem, double, n *rank));
    for (int64_t k = 0; k < rank; k++)
        for (int64_t i = 0; i < n; i++) Z[k * n + i] = V[(n - 1 - k) * n + i] * sqrt(S[n - 1 - k]);
    TRY_MEM(to.theta = ARENA_ZERO(&mem, double, rank *c));
    TRY_MEM(to.b = ARENA_NEW(&mem, double, c));
    TRY_MEM(to.U = ARENA_NEW(&mem, double, n *c));
    TRY(solve_small(&to, t, Z, rank, lambda, &mem, ctx, err));
    TRY_MEM(A = ARENA_ZERO(&mem, double, n *c));
    for (int64_t o = 0; o < c; o++)
        for (int64_t k = 0; k < rank; k++)
            for (int64_t i = 0; i < n; i++)
                A[o * n + i] += Z[k * n + i] / S[n - 1 - k] * to.theta[k * c + o];
    TRY_MEM(W = ARENA_NEW(&mem, double, d *c));
    TRY_MEM(B = ARENA_NEW(&mem, double, d *c));
    TRY_MEM(all = ARENA_NEW(&mem, int64_t, d));
    view x = centred ? fit_centred(t->job) : *t->job->x;
    TRY(mat_tmul(&x, A, c, W, ctx, err));
    for (int64_t j = 0; j < d; j++) {
        all[j] = j;
        double moved = centred ? fit_moved(t->job, j) : 0;
        for (int64_t o = 0; o < c; o++) {
            B[j * c + o] = W[o * d + j];
            to.b[o] -= moved * W[o * d + j];
        }
    }
    to.at.feature = all;
    to.at.B = B;
    to.at.b = to.b;
    to.at.U = to.U;
    to.at.n_features = d;
    TRY(glm_task_give(r, t, &to.at, ctx, err));
done:
    arena_free(&mem);
    return status;
}
