#include "method/lp/plna_vertices.h"

#include <string.h>

#include "base/error.h"
#include "solve/l1/l1_path.h"

static pare_status add(plna_vertices *v, int64_t at, const l1_segment *s, pare_error *err) {
    plna_point *p = &v->point[at];
    if (s->n_weight > p->capacity) {
        p->capacity = 2 * s->n_weight;
        p->weight = ARENA_NEW(&v->mem, lp_weight, p->capacity);
        if (!p->weight) return error_memory(err);
    }
    memcpy(p->weight, s->weight, sizeof *p->weight * (size_t)s->n_weight);
    p->count = s->n_weight;
    p->b = s->b;
    p->error = s->error;
    p->value = s->mu_low; /* until it is a start */
    return PARE_OK;
}

/* Every second one goes, and from here on only every second is taken. */
static void thin(plna_vertices *v) {
    for (int64_t i = 0; 2 * i < v->count; i++) {
        plna_point swap = v->point[i];
        v->point[i] = v->point[2 * i];
        v->point[2 * i] = swap;
    }
    v->count = (v->count + 1) / 2;
}

pare_status plna_vertices_find(plna_vertices *v, const plna_work *w, int64_t most,
                               const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = w->job;
    l1_path *path = NULL;
    l1_segment at = {0};
    pare_status status = PARE_OK;
    int64_t seen = 0, stride = 1;
    *v = (plna_vertices){0};
    arena_init(&v->mem, ctx_allocator(ctx));
    if (w->blocks.of || most == 0) return PARE_OK;
    TRY_MEM(v->point = ARENA_ZERO(&v->mem, plna_point, 2 * most));
    TRY_MEM(v->dual = ARENA_ZERO(&v->mem, double, w->n));
    TRY(l1_path_open(&path, job->x, job->y->value, w->weight, job->set->common.intercept, 0, ctx,
                     err));
    while (!at.last) {
        TRY(l1_path_next(path, &at, ctx, err));
        if (at.n_weight == 0) continue;
        if (w->d > w->n && 2 * at.n_weight > w->n) break;
        if (seen++ % stride != 0) continue;
        TRY(add(v, v->count++, &at, err));
        if (v->count < 2 * most) continue;
        thin(v);
        stride *= 2;
    }
    if (v->count > most) thin(v);
done:
    l1_path_free(path);
    return status;
}

void plna_vertices_free(plna_vertices *v) { arena_free(&v->mem); }

int64_t plna_vertices_above(const plna_vertices *v, double mu) {
    int64_t count = 0;
    while (count < v->count && v->point[count].value >= mu) count++;
    return count;
}

pare_status plna_vertex_at(const plna_vertices *v, int64_t i, plna_work *w, plna_point *out,
                           pare_error *err) {
    plna_point p = v->point[i];
    p.dual = v->dual;
    PASS(plna_point_copy(out, &p, w, err));
    out->error = (1 - w->lambda) * p.error;
    out->value = out->error + plna_penalty(w, out);
    out->outcome = PARE_OPTIMAL;
    return plna_pool_point(w, out, err);
}
