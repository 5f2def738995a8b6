/* Decision values of a kernel model: one pass over the data's selected columns, memory n times the
 * number of support samples. */
#include "method/predict_kernel.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "data/kernel.h"

pare_status predict_kernel(double *scores, const pare_model *m, const pare_data *data,
                           const int64_t *cols, const pare_ctx *ctx, pare_error *err) {
    const kernel_model *k = m->kernel;
    int64_t n = data->x.n, s = k->n_support;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    walk w = {0};
    pare_status status = PARE_OK;
    TRY(ctx_room(ctx, 8 * (double)n * (double)s, "the kernel between samples and model", err));
    double *x = ARENA_NEW(&mem, double, n), *sums = ARENA_ZERO(&mem, double, n *s);
    TRY_MEM(x);
    TRY_MEM(sums);
    view all = view_all(&data->x);
    TRY(walk_open(&w, &all, cols, m->n_selected, ctx, err));
    int64_t j;
    column c;
    while (walk_next(&w, &j, &c)) {
        column_spread(&c, n, x);
        for (int64_t i = 0; i < n; i++) {
            if (isnan(x[i]) && m->impute) x[i] = m->impute[j];
            if (!isnan(x[i])) continue;
            status = error_at(err, PARE_E_DATA, i + 1, cols[j] + 1, -1,
                              "sample %lld has no value of %.128s, and the model was fitted "
                              "without imputation",
                              (long long)i + 1, m->name[j]);
            goto done;
        }
        kernel_add(k, j, m->shift[j], x, n, sums);
    }
    kernel_finish(k, sums, n * s);
    for (int64_t o = 0; o < m->n_outputs; o++)
        for (int64_t i = 0; i < n; i++) {
            double f = m->intercept[o];
            for (int64_t t = 0; t < s; t++) f += k->alpha[o * s + t] * sums[t * n + i];
            scores[o * n + i] = f;
        }
done:
    status = walk_end(&w, status, err);
    arena_free(&mem);
    return status;
}
