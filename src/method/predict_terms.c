/* Decision values of a model on monomials: its base columns are read once, memory n times their
 * number. A monomial with a missing factor is missing and imputed as a whole, as in the fit. */
#include "method/predict_terms.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "data/terms.h"

static void multiply(double *x, const model_terms *t, int64_t i, const double *base, int64_t n) {
    for (int64_t r = 0; r < n; r++) x[r] = 1;
    for (int64_t k = t->start[i]; k < t->start[i + 1]; k++)
        for (int64_t p = 0; p < t->power[k]; p++)
            for (int64_t r = 0; r < n; r++) x[r] *= base[t->base[k] * n + r];
}

pare_status predict_terms(double *scores, const pare_model *m, const pare_data *data,
                          const int64_t *cols, const pare_ctx *ctx, pare_error *err) {
    const model_terms *t = m->terms;
    int64_t n = data->x.n, s = m->n_selected;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    walk w = {0};
    pare_status status = PARE_OK;
    double *base = ARENA_NEW(&mem, double, n * t->n_base), *x = ARENA_NEW(&mem, double, n);
    TRY_MEM(base);
    TRY_MEM(x);
    view all = view_all(&data->x);
    TRY(walk_open(&w, &all, cols, t->n_base, ctx, err));
    int64_t b;
    column c;
    while (walk_next(&w, &b, &c)) column_spread(&c, n, base + b * n);
    for (int64_t o = 0; o < m->n_outputs; o++)
        for (int64_t i = 0; i < n; i++) scores[o * n + i] = m->intercept[o];
    for (int64_t j = 0; j < s; j++) {
        multiply(x, t, j, base, n);
        for (int64_t i = 0; i < n; i++) {
            if (isnan(x[i]) && m->impute) x[i] = m->impute[j];
            if (isnan(x[i])) {
                status = error_at(err, PARE_E_DATA, i + 1, 0, -1,
                                  "sample %lld has no value of %.128s, and the model was fitted "
                                  "without imputation",
                                  (long long)i + 1, m->name[j]);
                goto done;
            }
            for (int64_t o = 0; o < m->n_outputs; o++)
                scores[o * n + i] += m->coef[o * s + j] * x[i];
        }
    }
done:
    status = walk_end(&w, status, err);
    arena_free(&mem);
    return status;
}
