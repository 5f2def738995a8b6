/* The points of paths along a method's own parameter, all from one call of the method. */
#include <string.h>

#include "base/error.h"
#include "select/curve.h"
#include "select/score.h"

/* The scores of the path of set g, whose points have those of the `rows` samples. */
static pare_status measure_path(curve *out, const curve_job *job, const along_points *points,
                                const int32_t *row, int64_t rows, int64_t g, int64_t outputs,
                                const pare_ctx *ctx, pare_error *err) {
    int64_t stride = rows * outputs, n = job->part->n_test;
    out->unconverged += points->unconverged;
    for (int64_t s = 0; s < job->n_sizes; s++) {
        if (points->want && !points->want[s]) continue;
        out->used[s] = points->used[s];
        double *F = points->F + s * stride, *F_train = rows > n ? F + n : NULL;
        score_offset(F, job->data->offset, row, rows);
        if (F_train) score_centre(F, n, F_train, rows - n, job->part->train, job->data->weight);
        PASS(curve_measure(out, job, g, s, F, F_train, outputs, ctx, err));
    }
    return PARE_OK;
}

/* The samples whose scores are wanted: those of the test fold and, where metrics are relative to
 * them, those of the training fold after them. */
static pare_status scored_rows(const int32_t **row, int64_t *rows, const curve_job *job, arena *mem,
                               pare_error *err) {
    const cv_part *part = job->part;
    *row = part->test;
    *rows = part->n_test;
    if (!job->y->task->timed) return PARE_OK;
    int32_t *both = ARENA_NEW(mem, int32_t, part->n_test + part->n_train);
    PASS_MEM(both);
    memcpy(both, part->test, sizeof *both * (size_t)part->n_test);
    memcpy(both + part->n_test, part->train, sizeof *both * (size_t)part->n_train);
    *row = both;
    *rows += part->n_train;
    return PARE_OK;
}

pare_status curve_along(curve *out, const curve_job *job, fitting *f, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t outputs = target_scores(job->y), paths = 0, rows;
    const int32_t *row;
    PASS(scored_rows(&row, &rows, job, &f->mem, err));
    fit_job train = {.x = &f->x,
                     .y = &f->y,
                     .weight = f->weight,
                     .offset = f->offset,
                     .set = f->set,
                     .terms = f->terms};
    view test = f->x;
    test.rows = row;
    test.n = rows;
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
        PASS_MEM(points[paths].F = ARENA_NEW(&f->mem, double, job->n_sizes *rows *outputs));
        PASS_MEM(points[paths].used = ARENA_NEW(&f->mem, int64_t, job->n_sizes));
        which[paths++] = g;
    }
    PASS(along_run(f->m, points, paths, &train, &test, ctx, err));
    for (int64_t i = 0; i < paths; i++)
        PASS(measure_path(&out[which[i]], job, &points[i], row, rows, which[i], outputs, ctx, err));
    return PARE_OK;
}
