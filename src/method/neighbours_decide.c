/* Decision values of a result on other samples, where the nearest training sample may decide: what
 * cross-validation uses before there is a model. Cost: one pass over X for the outputs of both, or
 * for the distances themselves. */
#include <float.h>
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "method/method.h"

enum { COLUMNS_AT_ONCE = 64 };

static pare_status outputs(double *F, const fit_result *r, const view *x, const pare_ctx *ctx,
                           pare_error *err) {
    pare_status status = mat_mul(x, r->support, r->n_support, r->W, r->n_outputs, F, ctx, err);
    for (int64_t o = 0; o < r->n_outputs && status == PARE_OK; o++)
        for (int64_t i = 0; i < x->n; i++) F[o * x->n + i] += r->b[o];
    return status;
}

/* distance (n_test x n_train) += squared differences over `count` columns of both. */
static void add_distances(double *distance, const double *test, int64_t n_test, const double *train,
                          int64_t n_train, int64_t count) {
    for (int64_t j = 0; j < count; j++)
        for (int64_t t = 0; t < n_train; t++)
            for (int64_t i = 0; i < n_test; i++) {
                double away = test[j * n_test + i] - train[j * n_train + t];
                distance[t * n_test + i] += away * away;
            }
}

static pare_status raw_distances(double *distance, const fit_result *r, const view *train,
                                 const view *test, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    double *a = mem_alloc(mem, test->n * COLUMNS_AT_ONCE, sizeof *a),
           *b = mem_alloc(mem, train->n * COLUMNS_AT_ONCE, sizeof *b);
    pare_status status = PARE_OK;
    TRY_MEM(a);
    TRY_MEM(b);
    for (int64_t s = 0; s < r->n_support; s += COLUMNS_AT_ONCE) {
        int64_t count = r->n_support - s < COLUMNS_AT_ONCE ? r->n_support - s : COLUMNS_AT_ONCE;
        TRY(mat_columns(test, r->support + s, count, a, ctx, err));
        TRY(mat_columns(train, r->support + s, count, b, ctx, err));
        add_distances(distance, a, test->n, b, train->n, count);
    }
done:
    mem_free(mem, b);
    mem_free(mem, a);
    return status;
}

pare_status neighbours_decide(double *F, const fit_result *r, const fit_job *job, const view *test,
                              const pare_ctx *ctx, pare_error *err) {
    if (r->decides == BY_OUTPUTS) return outputs(F, r, test, ctx, err);
    int64_t n = job->x->n, m = test->n, c = r->n_outputs;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(ctx_room(ctx, 8 * (double)n * (double)m, "the distances to the samples", err));
    double *distance = ARENA_ZERO(&mem, double, n *m), *mapped = ARENA_NEW(&mem, double, n *c);
    TRY_MEM(distance);
    TRY_MEM(mapped);
    if (r->decides == BY_RAW_NEIGHBOUR) {
        TRY(raw_distances(distance, r, job->x, test, ctx, err));
    } else {
        TRY(outputs(F, r, test, ctx, err));
        TRY(outputs(mapped, r, job->x, ctx, err));
        add_distances(distance, F, m, mapped, n, c);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t o = 0; o < c; o++) {
            double own = DBL_MAX, other = DBL_MAX; /* a class without samples is far away */
            for (int64_t t = 0; t < n; t++) {
                bool is_own = job->y->cls[t] == (c == 1 ? 1 : (int32_t)o);
                double *least = is_own ? &own : &other;
                *least = fmin(*least, distance[t * m + i]);
            }
            F[o * m + i] = c == 1 ? sqrt(other) - sqrt(own) : -sqrt(own);
        }

done:
    arena_free(&mem);
    return status;
}
