/* The points of paths along a method's own parameter, all from one call of the method. */
#include "base/error.h"
#include "select/curve.h"
#include "select/score.h"

/* The scores of the path of set g. */
static pare_status measure_path(curve *out, const curve_job *job, const along_points *points,
                                int64_t g, int64_t outputs, const pare_ctx *ctx, pare_error *err) {
    int64_t stride = job->part->n_test * outputs;
    out->unconverged += points->unconverged;
    for (int64_t s = 0; s < job->n_sizes; s++) {
        if (points->want && !points->want[s]) continue;
        out->used[s] = points->used[s];
        score_offset(points->F + s * stride, job->data->offset, job->part->test, job->part->n_test);
        pare_status status =
            curve_measure(out, job, g, s, points->F + s * stride, NULL, outputs, ctx, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

pare_status curve_along(curve *out, const curve_job *job, fitting *f, const pare_ctx *ctx,
                        pare_error *err) {
    const cv_part *part = job->part;
    int64_t outputs = target_scores(job->y), paths = 0;
    int64_t stride = part->n_test * outputs;
    fit_job train = {.x = &f->x,
                     .y = &f->y,
                     .weight = f->weight,
                     .offset = f->offset,
                     .set = f->set,
                     .terms = f->terms};
    view test = f->x;
    test.rows = part->test;
    test.n = part->n_test;
    along_points *points = ARENA_ZERO(&f->mem, along_points, job->n_sets);
    int64_t *which = ARENA_NEW(&f->mem, int64_t, job->n_sets);
    PASS_MEM(points && which);
    for (int64_t g = 0; g < job->n_sets; g++) {
        const bool *want = job->want ? job->want + g * job->n_sizes : NULL;
        bool any = !want;
        for (int64_t s = 0; want && s < job->n_sizes; s++) any |= want[s];
        if (!any) continue;
        points[paths] = (along_points){.set = &job->set[g],
                                       .count = job->n_sizes,
                                       .value = job->along,
                                       .want = want,
                                       .picks = out[g].picks,
                                       .pick_start = out[g].pick_start};
        PASS_MEM(points[paths].F = ARENA_NEW(&f->mem, double, job->n_sizes *stride));
        PASS_MEM(points[paths].used = ARENA_NEW(&f->mem, int64_t, job->n_sizes));
        which[paths++] = g;
    }
    PASS(along_run(f->m, points, paths, &train, &test, ctx, err));
    for (int64_t i = 0; i < paths; i++)
        PASS(measure_path(&out[which[i]], job, &points[i], which[i], outputs, ctx, err));
    return PARE_OK;
}
