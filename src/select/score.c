#include "select/score.h"

#include "base/error.h"
#include "model/predictor.h"

void score_offset(double *F, const double *offset, const int32_t *rows, int64_t n) {
    for (int64_t i = 0; offset && i < n; i++) F[i] += offset[rows ? rows[i] : i];
}

pare_status score_rows(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count,
                       const int32_t *rows, int64_t n_rows, double *F, const pare_ctx *ctx,
                       pare_error *err) {
    bool other = chosen && ends_in_classifier(f->m, f->set);
    const view *x = fitting_view(f, other ? f->classifier : f->m);
    fitted from = {.r = r, .x = *x, .y = &f->y, .weight = f->weight};
    from.x.cols = chosen ? chosen : r->support;
    from.x.d = chosen ? count : r->n_support;
    if (chosen) from.place = r->support;
    view test = from.x;
    test.rows = rows;
    test.n = n_rows;
    predictor p;
    arena mem = arena_of(ctx);
    pare_status status = predictor_from_result(&p, &mem, &from, ctx, err);
    if (status == PARE_OK) status = predictor_apply(F, &p, &test, ctx, err);
    if (status == PARE_OK) score_offset(F, f->data->offset, rows, n_rows);
    arena_free(&mem);
    return status;
}

void score_centre(double *F, int64_t n, double *F_train, int64_t n_train, const int32_t *train,
                  const double *weight) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n_train; i++) {
        double own = weight ? weight[train[i]] : 1;
        total += own;
        sum += own * F_train[i];
    }
    for (int64_t i = 0; i < n_train; i++) F_train[i] -= sum / total;
    for (int64_t i = 0; i < n; i++) F[i] -= sum / total;
}

pare_status score_part(const fitting *f, const fit_result *r, const int64_t *chosen, int64_t count,
                       const cv_part *part, double *F, double *F_train, const pare_ctx *ctx,
                       pare_error *err) {
    PASS(score_rows(f, r, chosen, count, part->test, part->n_test, F, ctx, err));
    if (!f->y.task->timed) return PARE_OK;
    PASS(score_rows(f, r, chosen, count, part->train, part->n_train, F_train, ctx, err));
    score_centre(F, part->n_test, F_train, part->n_train, part->train, f->data->weight);
    return PARE_OK;
}
