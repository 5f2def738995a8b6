/* Complementary pairs stability selection around any method that ranks: each half-sample runs the
 * steps of a training fold, up to the choice of the q best features. All half-samples share passes
 * over X as the splits of a path do (select/shared_statistics.h); nothing is predicted. */
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "select/shared_statistics.h"
#include "select/control.h"
#include "select/curve.h"
#include "select/jobs.h"

typedef struct half_runs {
    const pare_path *p;
    path_setup setup;    /* the path's, with q as its only size */
    path_method *method; /* its methods, with the settings of a path over sizes */
    fitting *shared;     /* half-samples x kinds, of the half-samples from `from` on */
    int64_t from;
    int64_t capacity; /* the most features that q groups, or features, have */
    int64_t *pick;    /* half-samples x methods x capacity */
    int64_t *count;   /* half-samples x methods: features in pick */
    int64_t *unconverged;
} half_runs;

/* The best of the ranking. Features that tie with the next one are left out: taking the first of
 * them would always select by the order of the columns. */
static int64_t pick_best(int64_t *pick, fitting *f, const fit_result *r, int64_t q) {
    int64_t usable = f->x.d - f->sc.n_constant - f->terms.n_kept, count = 0;
    const int64_t *ranking = r->ranking + f->terms.n_kept; /* forced-in features are not selected */
    const int64_t *group = choice_is(f->set->common.count, "groups") ? f->terms.group : NULL;
    for (int64_t units = 0; count < usable && units < q; units++) {
        int64_t own = group ? group[ranking[count]] : -1; /* the features of a group are adjacent */
        do count++;
        while (group && count < usable && group[ranking[count]] == own);
    }
    if (count < usable) { /* features of a group tie: the group goes as a whole */
        double next = r->score[ranking[count]];
        while (count > 0 && r->score[ranking[count - 1]] == next) count--;
    }
    memcpy(pick, ranking, sizeof *pick * (size_t)count);
    return count;
}

static pare_status run_half(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    half_runs *h = user;
    int64_t methods = h->setup.n_methods, q = h->p->control.rule.q;
    int64_t half = h->from + job / methods, at = half * methods + job % methods;
    const path_method *m = &h->method[job % methods];
    curve_job own = {.data = m->data,
                     .y = &h->p->y,
                     .m = m->m,
                     .classifier = m->classifier,
                     .set = m->grid,
                     .n_sets = 1,
                     .part = &h->p->control.half[half],
                     .shared = &h->shared[job / methods * h->setup.n_kinds],
                     .n_shared = h->setup.n_kinds,
                     .n_sizes = 1,
                     .sizes = h->setup.sizes};
    fitting f = {0};
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    TRY(curve_begin(&f, &own, ctx, err));
    TRY(fitting_run(&f, &r, (amount){.k = solves_for_k(m->m, m->grid) || m->m->nested ? q : 0}, ctx,
                    err));
    if (ctx_stopped(ctx) != INTERRUPT_NONE || r.outcome == PARE_CANCELLED ||
        r.outcome == PARE_TIME_LIMIT) {
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a half");
        goto done;
    }
    h->unconverged[at] = r.outcome == PARE_MAX_ITER;
    h->count[at] = pick_best(h->pick + at * h->capacity, &f, &r, q);
done:
    fit_result_free(&r);
    if (f.data) fitting_end(&f);
    return status;
}

/* Runs `count` half-samples from h->from on. */
static pare_status run_some(half_runs *h, int64_t count, job_list *list, interruption *stopped,
                            const pare_ctx *ctx, pare_error *err) {
    const path_setup *s = &h->setup;
    pare_status status = PARE_OK;
    TRY_MEM(h->shared = mem_zero(ctx_allocator(ctx), count * s->n_kinds, sizeof *h->shared));
    TRY(shared_statistics_make(h->shared, h->p->control.half + h->from, count, s->kind, s->n_kinds,
                               &h->p->y, ctx, err));
    TRY(jobs_run(list, stopped, ctx, err));
done:
    if (h->shared) shared_statistics_free(h->shared, count * s->n_kinds);
    mem_free(ctx_allocator(ctx), h->shared);
    h->shared = NULL;
    return status;
}

static pare_status run_half_samples(half_runs *h, double before, double share,
                                    interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    const path_setup *s = &h->setup;
    int64_t total = 2 * h->p->control.pairs, at_once, n = 0;
    for (int64_t i = 0; i < total; i++)
        if (h->p->control.half[i].n_train > n) n = h->p->control.half[i].n_train;
    at_once = shared_statistics_at_once(
        shared_statistics_bytes(n, s->n_classes, s->kind, s->n_kinds), &s->data->x, ctx);
    for (h->from = 0; h->from < total && *stopped == INTERRUPT_NONE; h->from += at_once) {
        int64_t count = total - h->from < at_once ? total - h->from : at_once;
        job_list list = {.count = count * s->n_methods,
                         .run = run_half,
                         .user = h,
                         .stage = "half-samples",
                         .before = before + share * (double)h->from / (double)total,
                         .share = share * (double)count / (double)total};
        PASS(run_some(h, count, &list, stopped, ctx, err));
    }
    return PARE_OK;
}

static pare_status begin(half_runs *h, pare_path *p, arena *mem, pare_error *err) {
    const path_setup *s = &p->setup;
    int64_t total = 2 * p->control.pairs * s->n_methods;
    *h = (half_runs){.p = p, .setup = *s};
    h->setup.n_sizes = 1;
    h->setup.sizes = &p->control.rule.q;
    h->setup.along = NULL;
    PASS_MEM(h->method = ARENA_NEW(mem, path_method, s->n_methods));
    for (int64_t i = 0; i < s->n_methods; i++) {
        path_method *m = &h->method[i];
        *m = s->method[i];
        m->n_grid = m->n_final = 1;
        PASS_MEM(m->grid = ARENA_NEW(mem, all_settings, 1));
        *m->grid = s->method[i].grid[0];
        m->grid->common.k = m->d; /* as where sizes are requested */
    }
    h->setup.method = h->method;
    PASS(shared_kinds(&h->setup.kind, &h->setup.n_kinds, mem, &h->setup, h->method, s->n_methods,
                      p->y.task, err));
    h->capacity = p->control.rule.q * s->units.largest;
    PASS_MEM(h->pick = ARENA_NEW(mem, int64_t, total * h->capacity));
    PASS_MEM(ARENA_ZEROS(mem, int64_t, total, &h->count, &h->unconverged));
    return PARE_OK;
}

static pare_status keep_shares(half_runs *h, pare_path *p, int64_t m, double *share,
                               const pare_ctx *ctx, pare_error *err) {
    const control_request *c = &p->control;
    int64_t total = 2 * c->pairs, methods = h->setup.n_methods;
    int64_t d = p->setup.method[m].d;
    for (int64_t j = 0; j < d; j++) share[j] = 0;
    for (int64_t i = 0; i < total; i++) {
        int64_t at = i * methods + m;
        for (int64_t e = 0; e < h->count[at]; e++) share[h->pick[at * h->capacity + e]]++;
        p->run[m].unconverged += h->unconverged[at];
    }
    for (int64_t j = 0; j < d; j++) share[j] /= (double)total;
    return control_list(&p->run[m].control, p, m, share, true,
                        (double)c->rule.times / (double)total, ctx, err);
}

pare_status control_half_samples(pare_path *p, double before, double share, interruption *stopped,
                                 const pare_ctx *ctx, pare_error *err) {
    half_runs h;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(begin(&h, p, &mem, err));
    TRY(run_half_samples(&h, before, share, stopped, ctx, err));
    if (*stopped != INTERRUPT_NONE) goto done;
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        double *value = ARENA_NEW(&mem, double, p->setup.method[m].d);
        TRY_MEM(value);
        TRY(keep_shares(&h, p, m, value, ctx, err));
    }
done:
    arena_free(&mem);
    return status;
}
