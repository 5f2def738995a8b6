#include "select/score.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"

/* |x_i|^2 of every sample of the view: the diagonal of its Gram, row by row. */
static pare_status squares(double *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < v->n; i++) {
        view one = *v;
        int32_t row = v->rows ? v->rows[i] : (int32_t)i;
        one.rows = &row;
        one.n = 1;
        pare_status status = mat_gram(&one, NULL, NULL, &out[i], ctx, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

/* F = sum_i U_i k(x_i, x), with the kernel of fit_kernel. */
static pare_status score_kernel(const fit_kernel *k, const view *train, const view *test, double *F,
                                int64_t outputs, const pare_ctx *ctx, pare_error *err) {
    int64_t n = train->n, m = test->n;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(ctx_room(ctx, 8 * (double)n * (double)m, "the kernel between training and test samples",
                 err));
    double *K = ARENA_NEW(&mem, double, m *n);
    double *own = ARENA_NEW(&mem, double, n), *other = ARENA_NEW(&mem, double, m);
    TRY_MEM(K && own && other);
    TRY(mat_gram(test, train, NULL, K, ctx, err));
    bool rbf = choice_is(k->type, "rbf");
    if (rbf) TRY(squares(own, train, ctx, err));
    if (rbf) TRY(squares(other, test, ctx, err));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < m; t++) {
            double *x = &K[i * m + t];
            *x = rbf ? exp(-k->gamma * fmax(0, own[i] + other[t] - 2 * *x))
                     : pow(k->gamma * *x + k->coef0, k->degree);
        }
    for (int64_t o = 0; o < outputs; o++)
        for (int64_t t = 0; t < m; t++) {
            double f = 0;
            for (int64_t i = 0; i < n; i++) f += k->U[o * n + i] * K[i * m + t];
            F[o * m + t] = f;
        }
done:
    arena_free(&mem);
    return status;
}

/* The view on the columns of the support only. */
static pare_status on_support(view *v, arena *mem, const fit_result *r, pare_error *err) {
    int64_t *cols = ARENA_NEW(mem, int64_t, r->n_support);
    if (!cols) return error_memory(err);
    for (int64_t i = 0; i < r->n_support; i++)
        cols[i] = v->cols ? v->cols[r->support[i]] : r->support[i];
    v->cols = cols;
    v->d = r->n_support;
    return PARE_OK;
}

pare_status score_rows(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count,
                       const int32_t *rows, int64_t n_rows, double *F, const pare_ctx *ctx,
                       pare_error *err) {
    view train = f->x, test;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    if (chosen) {
        train.cols = chosen;
        train.d = count;
    }
    const method *m = chosen && ends_in_classifier(f->m, &f->set) ? f->classifier : f->m;
    if (r->kernel && !m->score) TRY(on_support(&train, &mem, r, err));
    test = train;
    test.rows = rows;
    test.n = n_rows;
    if (m->score) {
        all_settings set = f->set;
        fit_job job = {.x = &train, .y = &f->y, .weight = f->weight, .set = &set};
        status = m->score(F, r, &job, &test, ctx, err);
        goto done;
    }
    if (r->kernel)
        TRY(score_kernel(r->kernel, &train, &test, F, r->n_outputs, ctx, err));
    else
        TRY(mat_mul(&test, r->support, r->n_support, r->W, r->n_outputs, F, ctx, err));
    for (int64_t o = 0; o < r->n_outputs; o++)
        for (int64_t i = 0; i < n_rows; i++) F[o * n_rows + i] += r->b[o];
done:
    arena_free(&mem);
    return status;
}
