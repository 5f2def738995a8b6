/* The points of paths along a method's own parameter, all from one call of the method. */
#include "base/error.h"
#include "select/curve.h"
#include "select/measure.h"

/* The scores of one path. */
static pare_status measure_path(curve *out, const curve_job *job, const along_points *points,
                                int64_t outputs, const pare_ctx *ctx, pare_error *err) {
    const cv_part *part = job->part;
    int64_t metrics = measure_count(job->y->task), stride = part->n_test * outputs;
    out->unconverged += points->unconverged;
    for (int64_t s = 0; s < job->n_sizes; s++) {
        if (points->want && !points->want[s]) continue;
        out->used[s] = points->used[s];
        pare_status status = measure_all(out->score + s * metrics, job->y, part->test, part->n_test,
                                         points->F + s * stride, outputs, ctx, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

pare_status curve_along(curve *out, int64_t paths, const all_settings *const *set,
                        const bool *const *want, const curve_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    const cv_part *part = job->part;
    int64_t outputs = job->y->n_classes > 2 ? job->y->n_classes : 1;
    int64_t stride = part->n_test * outputs;
    fitting f = {0};
    pare_status status = PARE_OK;
    if (job->base)
        fitting_share(&f, job->base, job->m, job->classifier, set[0], ctx);
    else
        TRY(fitting_begin(&f, job->data, job->y, part->train, part->n_train, job->m,
                          job->classifier, set[0], ctx, err));
    fit_job train = {.x = &f.x, .y = &f.y, .weight = f.weight, .set = &f.set};
    view test = f.x;
    test.rows = part->test;
    test.n = part->n_test;
    along_points *points = ARENA_ZERO(&f.mem, along_points, paths);
    all_settings *own = ARENA_NEW(&f.mem, all_settings, paths);
    TRY_MEM(points);
    TRY_MEM(own);
    for (int64_t g = 0; g < paths; g++) {
        own[g] = *set[g];
        points[g] = (along_points){.set = &own[g],
                                   .count = job->n_sizes,
                                   .value = job->along,
                                   .want = want ? want[g] : NULL,
                                   .picks = out[g].picks,
                                   .pick_start = out[g].pick_start};
        TRY_MEM(points[g].F = ARENA_NEW(&f.mem, double, job->n_sizes *stride));
        TRY_MEM(points[g].used = ARENA_NEW(&f.mem, int64_t, job->n_sizes));
    }
    TRY(f.m->along->run(points, paths, &train, &test, ctx, err));
    for (int64_t g = 0; g < paths; g++)
        TRY(measure_path(&out[g], job, &points[g], outputs, ctx, err));

done:
    if (f.data) fitting_end(&f);
    return status;
}
