/* The junctures of a path along the only method's own parameter: between which two values the
 * weight of a feature passes the threshold of selection, on all samples. The points of the path are
 * solved from the largest value down; between two points that select different features the middle
 * is solved, down to intervals of MAX_WIDTH, at both ends of which the certificate is computed from
 * raw data. A weight that passes the threshold twice between two points is not seen. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "path/path_setup.h"
#include "select/fitting.h"

static const double MAX_WIDTH = 0.001;

/* A value of the parameter, solved. */
typedef struct juncture_end {
    double value, gap; /* gap: NaN until it is computed */
    fit_result r;
    bool *in; /* d: selected */
} juncture_end;

typedef struct juncture_search {
    const pare_path *p;
    const path_method *m;
    const method_walk *walk;
    fitting f;
    void *solver;
    path_juncture *found; /* by mem_resize */
    int64_t count, capacity;
    const pare_ctx *ctx;
} juncture_search;

static pare_status solve_end(juncture_end *end, juncture_search *s, double value, pare_error *err) {
    *end = (juncture_end){.value = value, .gap = NAN};
    fit_result_init(&end->r, s->ctx);
    PASS(s->walk->at(s->solver, value, &end->r, s->ctx, err));
    end->in = ARENA_ZERO(&end->r.mem, bool, s->f.x.d);
    if (!end->in) return error_memory(err);
    for (int64_t i = 0; i < end->r.n_support; i++) end->in[end->r.support[i]] = true;
    return PARE_OK;
}

/* The gap of the whole problem, from raw data. */
static pare_status certify_end(juncture_end *end, const juncture_search *s, pare_error *err) {
    const fitting *f = &s->f;
    const fit_result *r = &end->r;
    pare_report found;
    cert_job job = {.data = f->data,
                    .y = &f->y,
                    .weight = f->weight,
                    .offset = f->offset,
                    .scale = f->identity.scale,
                    .missing = f->identity.missing,
                    .row_scale = f->identity.row_scale,
                    .with_intercept = f->identity.intercept,
                    .own = settings_of(&r->set, s->m->m->group),
                    .n_cols = r->n_cols,
                    .cols = r->cols,
                    .z = r->z,
                    .n_outputs = r->n_dual,
                    .n_dual = r->n_dual,
                    .dual = r->dual};
    if (!isnan(end->gap)) return PARE_OK;
    pare_status status = s->m->m->certify(&found, &job, s->ctx, err);
    if (status == PARE_OK) end->gap = found.certificate.relative;
    return status;
}

static pare_status keep_junctures(juncture_search *s, juncture_end *low, juncture_end *high,
                                  pare_error *err) {
    pare_status status = certify_end(low, s, err);
    if (status == PARE_OK) status = certify_end(high, s, err);
    for (int64_t j = 0; j < s->f.x.d && status == PARE_OK; j++) {
        if (low->in[j] == high->in[j]) continue;
        if (s->count == s->capacity) {
            int64_t capacity = 2 * s->capacity + 16;
            if (!mem_resize(ctx_allocator(s->ctx), &s->found, capacity, sizeof *s->found))
                return error_memory(err);
            s->capacity = capacity;
        }
        s->found[s->count++] = (path_juncture){
            .index = j, .value = {low->value, high->value}, .gap = {low->gap, high->gap}};
    }
    return status;
}

static pare_status bracket(juncture_search *s, juncture_end *low, juncture_end *high,
                           pare_error *err) {
    if (memcmp(low->in, high->in, sizeof *low->in * (size_t)s->f.x.d) == 0) return PARE_OK;
    if (high->value - low->value <= MAX_WIDTH * (1 + 1e-9))
        return keep_junctures(s, low, high, err);
    juncture_end middle;
    double value = round(0.5e9 * (low->value + high->value)) / 1e9;
    pare_status status = solve_end(&middle, s, value, err);
    if (status == PARE_OK) status = bracket(s, &middle, high, err);
    if (status == PARE_OK) status = bracket(s, low, &middle, err);
    fit_result_free(&middle.r);
    return status;
}

static pare_status search_all(juncture_search *s, pare_error *err) {
    const path_setup *setup = &s->p->setup;
    juncture_end high, low;
    pare_status status = solve_end(&high, s, setup->along[setup->n_sizes - 1], err);
    for (int64_t i = setup->n_sizes - 2; i >= 0 && status == PARE_OK; i--) {
        status = solve_end(&low, s, setup->along[i], err);
        if (status == PARE_OK) status = bracket(s, &low, &high, err);
        fit_result_free(&high.r);
        high = low;
    }
    fit_result_free(&high.r);
    return status;
}

/* Copies what was found to the path, with the features' names, by falling values. */
static pare_status keep_found(pare_path *p, path_run *run, const juncture_search *s,
                              pare_error *err) {
    char made_up[32];
    run->juncture = ARENA_NEW(&p->mem, path_juncture, s->count);
    if (!run->juncture) return error_memory(err);
    for (int64_t i = 0; i < s->count; i++) {
        path_juncture *one = &run->juncture[i];
        *one = s->found[i];
        one->name = arena_text(&p->mem, pare_data_name(s->f.data, one->index, made_up));
        if (!one->name) return error_memory(err);
    }
    run->n_junctures = s->count;
    run->has_junctures = true;
    return PARE_OK;
}

bool path_has_junctures(const pare_path *p) {
    setting_value wanted;
    const path_method *m = &p->setup.method[0];
    return p->setup.along && m->m->walk &&
           settings_named(&wanted, &m->grid[0], m->m->group, "junctures") && wanted.flag;
}

pare_status path_keep_junctures(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    path_run *run = &p->run[0];
    const path_method *m = &p->setup.method[0];
    const all_settings *set = &m->grid[run->chosen < 0 ? 0 : run->point[run->chosen].tuned];
    juncture_search s = {.p = p, .m = m, .walk = m->m->walk, .ctx = ctx};
    pare_status status = PARE_OK;
    TRY(fitting_begin(&s.f, p->setup.data, &p->y, NULL, 0, m->m, m->classifier, set, ctx, err));
    fit_job job = {.x = &s.f.x,
                   .y = &s.f.y,
                   .weight = s.f.weight,
                   .offset = s.f.offset,
                   .set = set,
                   .terms = s.f.terms};
    TRY(s.walk->open(&s.solver, &job, ctx, err));
    TRY(search_all(&s, err));
    TRY(keep_found(p, run, &s, err));
done:
    if (s.solver) status = s.walk->close(s.solver, status, ctx, err);
    mem_free(ctx_allocator(ctx), s.found);
    if (s.f.data) fitting_end(&s.f);
    return status;
}
