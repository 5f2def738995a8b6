/* Complementary pairs stability selection around any method that ranks: what a path does in a training
 * part is done in each half, up to the choice of the q best. All halves share the passes that the
 * parts of a path share (select/base.h); nothing is predicted. */
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "select/base.h"
#include "select/control.h"
#include "select/curve.h"
#include "select/jobs.h"

typedef struct halves {
    const pare_path *p;
    path_setup setup;    /* the path's, with q for its only size */
    path_method *method; /* its methods, asked for sizes as in a path along them */
    fitting *base;       /* halves x kinds, of the halves from `from` on */
    int64_t from;
    int64_t room;   /* features that q groups, or features, are at most */
    int64_t *pick;  /* halves x methods x room */
    int64_t *count; /* halves x methods: features in pick */
    int64_t *unconverged;
} halves;

/* The best of the ranking. Features that tie with the next one are left out: taking the first of them
 * would select by the order of the columns, always the same. */
static int64_t pick_best(int64_t *pick, fitting *f, const fit_result *r, int64_t q) {
    int64_t usable = f->x.d - f->sc.n_constant - f->terms.n_kept, count = 0;
    const int64_t *ranking = r->ranking + f->terms.n_kept; /* those that are kept are no choice */
    const int64_t *group = choice_is(f->set->common.count, "groups") ? f->terms.group : NULL;
    for (int64_t units = 0; count < usable && units < q; units++) {
        int64_t own = group ? group[ranking[count]] : -1; /* its features stand together */
        do count++;
        while (group && count < usable && group[ranking[count]] == own);
    }
    if (count < usable) { /* those of a group score alike: it goes as a whole */
        double next = r->score[ranking[count]];
        while (count > 0 && r->score[ranking[count - 1]] == next) count--;
    }
    memcpy(pick, ranking, sizeof *pick * (size_t)count);
    return count;
}

static pare_status run_half(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    halves *h = user;
    int64_t methods = h->setup.n_methods, q = h->p->control.rule.q;
    int64_t half = h->from + job / methods, at = half * methods + job % methods;
    const path_method *m = &h->method[job % methods];
    curve_job own = {.data = h->setup.data,
                     .y = &h->p->y,
                     .m = m->m,
                     .classifier = m->classifier,
                     .set = m->grid,
                     .n_sets = 1,
                     .part = &h->p->control.half[half],
                     .base = &h->base[job / methods * h->setup.n_kinds],
                     .n_bases = h->setup.n_kinds,
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
    h->count[at] = pick_best(h->pick + at * h->room, &f, &r, q);
done:
    fit_result_free(&r);
    if (f.data) fitting_end(&f);
    return status;
}

/* The halves from h->from on, `count` of them. */
static pare_status run_some(halves *h, int64_t count, job_list *list, interruption *stopped,
                            const pare_ctx *ctx, pare_error *err) {
    const path_setup *s = &h->setup;
    pare_status status = PARE_OK;
    TRY_MEM(h->base = mem_zero(ctx_allocator(ctx), count * s->n_kinds, sizeof *h->base));
    TRY(bases_make(h->base, h->p->control.half + h->from, count, s->kind, s->n_kinds, s->data,
                   &h->p->y, ctx, err));
    TRY(jobs_run(list, stopped, ctx, err));
done:
    if (h->base) bases_free(h->base, count * s->n_kinds);
    mem_free(ctx_allocator(ctx), h->base);
    h->base = NULL;
    return status;
}

static pare_status run_halves(halves *h, double before, double share, interruption *stopped,
                              const pare_ctx *ctx, pare_error *err) {
    const path_setup *s = &h->setup;
    int64_t total = 2 * h->p->control.pairs, at_once, n = 0;
    for (int64_t i = 0; i < total; i++)
        if (h->p->control.half[i].n_train > n) n = h->p->control.half[i].n_train;
    at_once = bases_at_once(bases_bytes(n, s->data->x.d, s->n_classes, s->kind, s->n_kinds),
                            &s->data->x, ctx);
    for (h->from = 0; h->from < total && *stopped == INTERRUPT_NONE; h->from += at_once) {
        int64_t count = total - h->from < at_once ? total - h->from : at_once;
        job_list list = {.count = count * s->n_methods,
                         .run = run_half,
                         .user = h,
                         .stage = "halves",
                         .before = before + share * (double)h->from / (double)total,
                         .share = share * (double)count / (double)total};
        pare_status status = run_some(h, count, &list, stopped, ctx, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

static pare_status begin(halves *h, pare_path *p, arena *mem, pare_error *err) {
    const path_setup *s = &p->setup;
    int64_t total = 2 * p->control.pairs * s->n_methods;
    *h = (halves){.p = p, .setup = *s};
    pare_status status = PARE_OK;
    h->setup.n_sizes = 1;
    h->setup.sizes = &p->control.rule.q;
    h->setup.along = NULL;
    TRY_MEM(h->method = ARENA_NEW(mem, path_method, s->n_methods));
    for (int64_t i = 0; i < s->n_methods; i++) {
        path_method *m = &h->method[i];
        *m = s->method[i];
        m->n_grid = m->n_final = 1;
        TRY_MEM(m->grid = ARENA_NEW(mem, all_settings, 1));
        *m->grid = s->method[i].grid[0];
        m->grid->common.k = s->data->x.d; /* as where sizes are asked for */
    }
    h->setup.method = h->method;
    TRY(base_kinds(&h->setup.kind, &h->setup.n_kinds, mem, &h->setup, h->method, s->n_methods,
                   p->y.task, err));
    h->room = p->control.rule.q * s->units.largest;
    TRY_MEM(h->pick = ARENA_NEW(mem, int64_t, total * h->room));
    TRY_MEM(h->count = ARENA_ZERO(mem, int64_t, total));
    TRY_MEM(h->unconverged = ARENA_ZERO(mem, int64_t, total));
done:
    return status;
}

static pare_status keep_shares(halves *h, pare_path *p, int64_t m, double *share,
                               const pare_ctx *ctx, pare_error *err) {
    const control_request *c = &p->control;
    int64_t total = 2 * c->pairs, methods = h->setup.n_methods;
    for (int64_t j = 0; j < p->d; j++) share[j] = 0;
    for (int64_t i = 0; i < total; i++) {
        int64_t at = i * methods + m;
        for (int64_t e = 0; e < h->count[at]; e++) share[h->pick[at * h->room + e]]++;
        p->run[m].unconverged += h->unconverged[at];
    }
    for (int64_t j = 0; j < p->d; j++) share[j] /= (double)total;
    return control_list(&p->run[m].control, p, share, true, (double)c->rule.times / (double)total,
                        ctx, err);
}

pare_status control_halves(pare_path *p, double before, double share, interruption *stopped,
                           const pare_ctx *ctx, pare_error *err) {
    halves h;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(begin(&h, p, &mem, err));
    TRY(run_halves(&h, before, share, stopped, ctx, err));
    if (*stopped != INTERRUPT_NONE) goto done;
    double *value = ARENA_NEW(&mem, double, p->d);
    TRY_MEM(value);
    for (int64_t m = 0; m < p->setup.n_methods; m++) TRY(keep_shares(&h, p, m, value, ctx, err));
done:
    arena_free(&mem);
    return status;
}
