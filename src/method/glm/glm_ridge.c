/* lasso and logistic with alpha 0 on wide data: the ridge's coefficients are X'a for some a of n
 * numbers, so that with X X' = Z Z', Z of n x r, the same loss in the features Z and |theta|^2 is
 * the same problem at every lambda; B = X' V S^-1/2 theta where Z = V S^1/2. One pass over X and
 * n^2 of memory for Z, whatever the number of lambdas, then a pass for the coefficients of some of
 * them at once. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/glm/glm_task.h"

enum { MAX_SAMPLES = 4000, AT_ONCE = 10, BUDGET = 1 << 21 }; /* BUDGET: numbers of X'A at a time */
static const double ROUNDING = 1e-13; /* of the largest eigenvalue: what counts as 0 */

struct glm_small {
    arena mem;
    bool centred;
    int64_t rank;
    double *Z, *S; /* n x rank; its squared singular values, falling */
    matrix z;
    view x;
    penalty pen;
    glm_problem problem;
    glm_solver *solver;
    int64_t most;                      /* points that a pass over X serves */
    double *theta, *A, *W, *b, *U, *B; /* of those points; B: of one */
    int64_t *feature;
    glm_point *point;
};

static bool fits(const glm_task *t) {
    for (int64_t g = 0; g < t->pen.n_blocks; g++)
        if (t->pen.cost[g] != 1) return false;
    return !t->pen.sign && t->how->alpha == 0 && t->d > t->n && t->n <= MAX_SAMPLES &&
           t->lambda_max > 0;
}

/* V (n x n) and S (n), ascending, of X X', centred as the job requires. */
static pare_status decompose(double *V, double *S, const glm_task *t, bool centred, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    lapack_int n = (lapack_int)t->n, whole, found = 0;
    double size;
    PASS(fit_gram(t->job, centred, V, ctx, err));
    LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, S, &size, -1, &whole, -1);
    double *work = ARENA_NEW(mem, double, (int64_t)size);
    lapack_int *iwork = ARENA_NEW(mem, lapack_int, whole);
    if (!work || !iwork) return error_memory(err);
    found = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, V, n, S, work, (lapack_int)size,
                                iwork, whole);
    if (found != 0) return error_set(err, PARE_E_DATA, "the kernel matrix has no eigenvalues");
    return PARE_OK;
}

/* Z and S, with scratch in an arena that is freed at the end. */
static pare_status open_space(struct glm_small *s, const glm_task *t, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t n = t->n;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *V = NULL, *S = NULL;
    TRY(ctx_check_memory(ctx, 40 * (double)n * (double)n, "the kernel matrix", err));
    TRY_MEM(V = ARENA_NEW(&mem, double, n *n));
    TRY_MEM(S = ARENA_NEW(&mem, double, n));
    TRY(decompose(V, S, t, s->centred, &mem, ctx, err));
    while (s->rank < n && S[n - 1 - s->rank] > ROUNDING * S[n - 1]) s->rank++;
    TRY_MEM(s->Z = ARENA_NEW(&s->mem, double, n * s->rank));
    TRY_MEM(s->S = ARENA_NEW(&s->mem, double, s->rank));
    for (int64_t k = 0; k < s->rank; k++) {
        s->S[k] = S[n - 1 - k];
        for (int64_t i = 0; i < n; i++) s->Z[k * n + i] = V[(n - 1 - k) * n + i] * sqrt(s->S[k]);
    }
done:
    arena_free(&mem);
    return status;
}

static pare_status allocate(struct glm_small *s, const glm_task *t, pare_error *err) {
    int64_t n = t->n, d = t->d, c = t->c, most = BUDGET / (d * c);
    s->most = most < 1 ? 1 : most > AT_ONCE ? AT_ONCE : most;
    s->theta = ARENA_NEW(&s->mem, double, s->most * s->rank * c);
    s->A = ARENA_NEW(&s->mem, double, s->most *n *c);
    s->W = ARENA_NEW(&s->mem, double, s->most *d *c);
    s->b = ARENA_NEW(&s->mem, double, s->most *c);
    s->U = ARENA_NEW(&s->mem, double, s->most *n *c);
    s->B = ARENA_NEW(&s->mem, double, d *c);
    s->feature = ARENA_NEW(&s->mem, int64_t, d);
    s->point = ARENA_NEW(&s->mem, glm_point, s->most);
    bool fine = s->theta && s->A && s->W && s->b && s->U && s->B && s->feature && s->point;
    return fine ? PARE_OK : error_memory(err);
}

pare_status glm_small_open(glm_task *t, const pare_ctx *ctx, pare_error *err) {
    if (!fits(t)) return PARE_OK;
    struct glm_small *s = ARENA_ZERO(&t->mem, struct glm_small, 1);
    if (!s) return error_memory(err);
    t->small = s;
    arena_init(&s->mem, ctx_allocator(ctx));
    s->centred = (t->problem.intercept || t->problem.loss.kind->level) && t->job->mean;
    PASS(open_space(s, t, ctx, err));
    PASS(allocate(s, t, err));
    s->z = mat_dense(t->n, s->rank, s->Z);
    s->x = view_all(&s->z);
    PASS(penalty_open(&s->pen, &s->mem, s->rank, t->c, 0, t->how->rows, NULL, 0, NULL, err));
    s->problem = t->problem;
    s->problem.x = &s->x;
    s->problem.penalty = &s->pen;
    return glm_open(&s->solver, &s->problem, ctx, err);
}

void glm_small_close(struct glm_small *s) {
    if (!s) return;
    glm_close(s->solver);
    arena_free(&s->mem);
}

typedef struct collector {
    const glm_task *t;
    int64_t count; /* points whose coefficients are not computed yet */
    glm_see *see;
    void *user;
    const pare_ctx *ctx;
} collector;

/* Point p with its coefficients in the features themselves, from W. */
static void translate(const glm_task *t, int64_t p) {
    struct glm_small *s = t->small;
    int64_t d = t->d, c = t->c, used = 0;
    const double *W = s->W + p * d * c;
    double *b = s->b + p * c;
    for (int64_t j = 0; j < d; j++) {
        double moved = s->centred ? fit_moved(t->job, j) : 0;
        bool any = false;
        for (int64_t o = 0; o < c; o++) {
            s->B[used * c + o] = W[o * d + j];
            any |= W[o * d + j] != 0;
            if (t->problem.intercept) b[o] -= moved * W[o * d + j];
        }
        s->feature[used] = j;
        used += any;
    }
    s->point[p].feature = s->feature;
    s->point[p].n_features = used;
    s->point[p].B = s->B;
    s->point[p].b = b;
    s->point[p].U = s->U + p * t->n * c;
}

/* Passes the waiting points on: one pass over X. */
static pare_status show(collector *to, bool *stop, pare_error *err) {
    const glm_task *t = to->t;
    struct glm_small *s = t->small;
    int64_t n = t->n, c = t->c, count = to->count;
    view x = s->centred ? fit_centred(t->job) : *t->job->x;
    to->count = 0;
    if (count == 0) return PARE_OK;
    memset(s->A, 0, sizeof(double) * (size_t)(count * n * c));
    for (int64_t p = 0; p < count; p++)
        for (int64_t o = 0; o < c; o++)
            for (int64_t k = 0; k < s->rank; k++) {
                double a = s->theta[(p * s->rank + k) * c + o] / s->S[k];
                for (int64_t i = 0; i < n; i++) s->A[(p * c + o) * n + i] += s->Z[k * n + i] * a;
            }
    pare_status status = mat_tmul(&x, s->A, count * c, s->W, to->ctx, err);
    for (int64_t p = 0; p < count && status == PARE_OK && !*stop; p++) {
        translate(t, p);
        status = to->see(to->user, &s->point[p], stop, err);
    }
    return status;
}

static pare_status collect(void *user, const glm_point *point, bool *stop, pare_error *err) {
    collector *to = user;
    struct glm_small *s = to->t->small;
    int64_t n = to->t->n, c = to->t->c, p = to->count++;
    double *theta = s->theta + p * s->rank * c;
    memset(theta, 0, sizeof(double) * (size_t)(s->rank * c));
    for (int64_t i = 0; i < point->n_features; i++)
        memcpy(theta + point->feature[i] * c, point->B + i * c, sizeof(double) * (size_t)c);
    memcpy(s->b + p * c, point->b, sizeof(double) * (size_t)c);
    memcpy(s->U + p * n * c, point->U, sizeof(double) * (size_t)(n * c));
    s->point[p] = *point;
    return to->count == s->most ? show(to, stop, err) : PARE_OK;
}

pare_status glm_task_run(const glm_task *t, const double *lambda, int64_t count, glm_see *see,
                         void *user, const pare_ctx *ctx, pare_error *err) {
    if (!t->small) return glm_run(t->solver, lambda, count, see, user, err);
    collector to = {.t = t, .see = see, .user = user, .ctx = ctx};
    bool stop = false;
    pare_status status = glm_run(t->small->solver, lambda, count, collect, &to, err);
    return status == PARE_OK ? show(&to, &stop, err) : status;
}
