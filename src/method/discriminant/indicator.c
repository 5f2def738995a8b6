#include "method/discriminant/indicator.h"

#include <string.h>

#include "base/error.h"

pare_status indicator_make(indicator *out, arena *mem, const fit_job *job, pare_error *err) {
    int64_t n = job->x->n, c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    *out = (indicator){
        .n = n, .c = c, .intercept = job->set->common.intercept, .centred = job->standard};
    if (c == 1 && !out->intercept)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`intercept`: false is not allowed with two classes: their one output f_2 - "
            "f_1 stands for both only with an intercept");
    out->sign = ARENA_NEW(mem, double, n *c);
    out->target = ARENA_NEW(mem, double, n *c);
    out->weight = fit_weights(mem, job->weight, n, &out->total);
    if (!out->sign || !out->target || !out->weight) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < c; k++) {
            bool own = job->y->cls[i] == (c == 1 ? 1 : k);
            out->sign[k * n + i] = own ? 1 : -1;
            out->target[k * n + i] = own ? 1 : 0;
        }
    }
    return PARE_OK;
}

pare_status indicator_centre(view *out, double **mean, arena *mem, const view *v,
                             const double *weight, const pare_ctx *ctx, pare_error *err) {
    int64_t d = v->d, base = v->x->d;
    double total, *share = fit_weights(mem, weight, v->n, &total),
                  *shift = ARENA_ZERO(mem, double, base);
    PASS_MEM(share && shift);
    PASS_MEM(*mean = ARENA_NEW(mem, double, d));
    for (int64_t i = 0; i < v->n; i++) share[i] /= total;
    PASS(mat_tmul(v, share, 1, *mean, ctx, err));
    if (v->shift) memcpy(shift, v->shift, sizeof *shift * (size_t)base);
    for (int64_t j = 0; j < d; j++) {
        int64_t at = v->cols ? v->cols[j] : j;
        double scale = v->scale ? v->scale[at] : 1;
        if (scale != 0) shift[at] = (v->shift ? v->shift[at] : 0) + (*mean)[j] / scale;
    }
    *out = *v;
    out->shift = shift;
    return PARE_OK;
}
