/* The points of a path along a method's own parameter, all from one call of the method. */
#include "base/error.h"
#include "select/curve.h"
#include "select/measure.h"

pare_status curve_along(curve *out, const curve_job *job, fitting *f, const pare_ctx *ctx,
                        pare_error *err) {
    const cv_part *part = job->part;
    int64_t metrics = measure_count(job->y->task);
    int64_t outputs = job->y->n_classes > 2 ? job->y->n_classes : 1;
    int64_t stride = part->n_test * outputs;
    fit_job train = {.x = &f->x, .y = &f->y, .weight = f->weight, .set = &f->set};
    view test = f->x;
    test.rows = part->test;
    test.n = part->n_test;
    along_points points = {.count = job->n_sizes,
                           .value = job->along,
                           .want = job->want,
                           .picks = out->picks,
                           .pick_start = out->pick_start};
    pare_status status = PARE_OK;
    TRY_MEM(points.F = ARENA_NEW(&f->mem, double, job->n_sizes *stride));
    TRY_MEM(points.used = ARENA_NEW(&f->mem, int64_t, job->n_sizes));
    TRY(f->m->along->run(&points, &train, &test, ctx, err));
    out->unconverged += points.unconverged;
    for (int64_t s = 0; s < job->n_sizes; s++) {
        if (job->want && !job->want[s]) continue;
        out->used[s] = points.used[s];
        TRY(measure_all(out->score + s * metrics, job->y, part->test, part->n_test,
                        points.F + s * stride, outputs, ctx, err));
    }

done:
    return status;
}
