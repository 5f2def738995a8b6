/* Paths along a parameter of a method: their points, what is kept of each, and the paths of several
 * settings. */
#include <math.h>

#include "base/error.h"
#include "method/method.h"

static int64_t shares(double *out, const all_settings *set, const method *m) {
    int64_t count = settings_get(set, m->group, "lambda_count").integer;
    double least = settings_get(set, m->group, "lambda_least").real;
    for (int64_t i = 0; out && i < count; i++) out[i] = fit_path_lambda(1, least, i, count);
    return count;
}

static void set_share(all_settings *set, const method *m, double share) {
    settings_put(set, m->group, "lambda", NAN);
    settings_put(set, m->group, "lambda_ratio", share);
    set->common.k = -1;
}

const along_axis along_shares = {"lambda_ratio", shares, set_share};

static int64_t powers(double *out, const all_settings *set, const method *m) {
    double p = settings_get(set, m->group, "p").real,
           start = settings_get(set, m->group, "p_start").real;
    double step = settings_get(set, m->group, "p_step").real;
    int64_t steps = start > p ? (int64_t)ceil((start - p) / step - 1e-9) : 0;
    for (int64_t i = 0; out && i <= steps; i++) /* the number of features grows with p */
        out[steps - i] = i == steps ? p : round((start - (double)i * step) * 1e9) / 1e9;
    return steps + 1;
}

static void set_power(all_settings *set, const method *m, double p) {
    settings_put(set, m->group, "p", p);
}

const along_axis along_powers = {"p", powers, set_power};

pare_status along_run(const method *m, along_points *points, int64_t paths, const fit_job *job,
                      const view *test, const pare_ctx *ctx, pare_error *err) {
    if (m->along->run_together) return m->along->run_together(points, paths, job, test, ctx, err);
    fit_job own = *job;
    pare_status status = PARE_OK;
    for (int64_t g = 0; g < paths && status == PARE_OK; g++) {
        own.set = points[g].set;
        status = m->along->run(&points[g], &own, test, ctx, err);
    }
    return status;
}

void along_keep(along_points *points, int64_t s, const int64_t *cols, const double *z) {
    int64_t used = points->used[s];
    if (points->want && !points->want[s]) return;
    if (!points->picks || used > points->pick_start[s + 1] - points->pick_start[s]) return;
    for (int64_t i = 0; i < used; i++) {
        points->picks[points->pick_start[s] + i] = cols[i];
        if (points->z) points->z[points->pick_start[s] + i] = z ? z[i] : 1;
    }
}

pare_status along_give(along_points *points, int64_t s, const view *test, const int64_t *S,
                       int64_t count, const double *W, const double *b, int64_t c,
                       const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    points->used[s] = count;
    if (points->picks) {
        double *z = mem_zero(mem, count, sizeof *z);
        if (!z) return error_memory(err);
        for (int64_t i = 0; i < count; i++) {
            for (int64_t o = 0; o < c; o++) z[i] = hypot(z[i], W[o * count + i]);
            if (c == 1) z[i] = W[i];
        }
        along_keep(points, s, S, z);
        mem_free(mem, z);
    }
    if (!points->F || (points->want && !points->want[s])) return PARE_OK;
    double *F = points->F + s * test->n * c;
    pare_status status = mat_mul(test, S, count, W, c, F, ctx, err);
    for (int64_t o = 0; o < c && status == PARE_OK; o++)
        for (int64_t i = 0; i < test->n; i++) F[o * test->n + i] += b[o];
    return status;
}
