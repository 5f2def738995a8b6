/* The weights along a path: two runs over all samples for each setting that some point uses, one to
 * count the features, one to keep them. */
#include <string.h>

#include "base/error.h"
#include "path/path_setup.h"
#include "select/fitting.h"

/* One run with the settings of grid position g for the points that use it. */
static pare_status run_setting(pare_path *p, int64_t g, bool *want, const along_points *points,
                               const pare_ctx *ctx, pare_error *err) {
    const path_setup *s = &p->setup;
    const path_method *m = &s->method[0];
    bool any = false;
    fitting f = {0};
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < s->n_sizes; i++) any |= want[i] = p->run[0].point[i].tuned == g;
    if (!any) return PARE_OK;
    TRY(fitting_begin(&f, s->data, &p->y, NULL, 0, m->m, m->classifier, &m->grid[g], ctx, err));
    fit_job job = {.x = &f.x,
                   .y = &f.y,
                   .weight = f.weight,
                   .offset = f.offset,
                   .set = f.set,
                   .terms = f.terms};
    along_points own = *points;
    own.set = f.set;
    TRY(along_run(m->m, &own, 1, &job, NULL, ctx, err));
done:
    if (f.data) fitting_end(&f);
    return status;
}

pare_status path_keep_weights(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    const path_setup *s = &p->setup;
    int64_t grid = s->method[0].n_grid, *start = ARENA_ZERO(&p->mem, int64_t, s->n_sizes + 1);
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    along_points points = {.count = s->n_sizes, .value = s->along};
    bool *want = ARENA_NEW(&scratch, bool, s->n_sizes);
    TRY_MEM(start && want);
    TRY_MEM(points.used = ARENA_ZERO(&scratch, int64_t, s->n_sizes));
    points.want = want;
    for (int64_t g = 0; g < grid; g++) {
        TRY(run_setting(p, g, want, &points, ctx, err));
        for (int64_t i = 0; i < s->n_sizes; i++)
            if (want[i]) start[i + 1] = points.used[i];
    }
    for (int64_t i = 0; i < s->n_sizes; i++) start[i + 1] += start[i];
    TRY(ctx_check_memory(ctx, 16 * (double)start[s->n_sizes], "the weights along the path", err));
    TRY_MEM(points.picks = p->weight_index = ARENA_NEW(&p->mem, int64_t, start[s->n_sizes]));
    TRY_MEM(points.z = p->weight = ARENA_NEW(&p->mem, double, start[s->n_sizes]));
    points.pick_start = start;
    for (int64_t g = 0; g < grid; g++) TRY(run_setting(p, g, want, &points, ctx, err));
    p->weight_start = start;
done:
    arena_free(&scratch);
    return status;
}

int64_t pare_path_n_weights(const pare_path *p) { return p->weight_start ? p->setup.n_sizes : 0; }

bool pare_path_weights(pare_path_point_weights *out, const pare_path *p, int64_t i) {
    if (i < 0 || i >= pare_path_n_weights(p)) return false;
    int64_t first = p->weight_start[i];
    *out = (pare_path_point_weights){p->setup.along[i], p->weight_start[i + 1] - first,
                                     p->weight_index + first, p->weight + first};
    return true;
}

const char *pare_path_parameter(const pare_path *p) {
    return p->setup.along ? p->setup.method[0].m->along->axis->name : NULL;
}
