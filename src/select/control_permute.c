/* Permutation q-values of methods that score each feature by itself: the scores under permuted labels
 * are what a feature reaches that has nothing to do with the target. Statistics of X are those of the
 * true labels' fit, only the labels differ.
 *
 *   p_j = (1 + null scores >= score_j) / (1 + null scores)
 * over the null scores of all features where a score means the same for each (method.standardised), of
 * feature j alone otherwise. pi = min(1, (1 + #{p_j > 1/2}) / (d / 2)) estimates the share of true nulls
 * (J. D. Storey. A direct approach to false discovery rates. JRSS B 64:479-498, 2002; with the 1 of
 * Storey, Taylor, Siegmund 2004), and q_j is pi times the q-value of Benjamini and Hochberg. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/p_values.h"
#include "method/filter/filter_moments.h"
#include "select/shared_statistics.h"
#include "select/control.h"
#include "select/fitting.h"
#include "select/jobs.h"
#include "select/path.h"

enum { PURPOSE_LABELS = 0x6c61626c, MANY_POOLED = 100, MANY_APART = 1000 };
enum { AT_ONCE = 16 }; /* permutations whose statistics come from one pass, at most */

static const double TIE = 1e-9; /* equal scores may differ so much: their sums have other orders */

int64_t control_permutations(const control_request *c, const method *m) {
    if (c->permutations > 0) return c->permutations;
    return m->standardised ? MANY_POOLED : MANY_APART;
}

typedef struct nulls {
    const pare_path *p;
    const path_method *m;
    const fitting *base;
    int64_t live;     /* features that are not constant */
    int64_t *feature; /* live */
    double *score;    /* live: with the true labels, less what a tie may lack */
    double *sorted;   /* the same ascending, where null scores are pooled */
    int64_t *above;   /* live: null scores of that feature that are as high; or, pooled, those as
                            high as sorted[i] and no higher one */
    int64_t permutations;
    int64_t batch; /* of which the statistics come from one pass */
    uint64_t seed;
} nulls;

/* How many of the sorted scores are at most x. */
static int64_t at_most(const double *sorted, int64_t count, double x) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sorted[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Those of live features from .. to - 1; score: of the features from `first` on. Whole numbers are added, so that the
 * order of the threads does not matter. */
static void count_scores(nulls *z, int64_t from, int64_t to, const double *score, int64_t first) {
    for (int64_t i = from; i < to; i++) {
        double x = score[z->feature[i] - first];
        int64_t at = z->sorted ? at_most(z->sorted, z->live, x) - 1 : x >= z->score[i] ? i : -1;
        if (at < 0) continue;
#pragma omp atomic
        z->above[at]++;
    }
}

static pare_status run_permuted(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    nulls *z = user;
    const pare_path *p = z->p;
    fitting f;
    fit_result r;
    arena mem;
    target y;
    arena_init(&mem, ctx_allocator(ctx));
    fit_result_init(&r, ctx);
    fitting_share(&f, z->base, z->m->m, z->m->classifier, z->m->grid, ctx);
    pare_status status = PARE_OK;
    TRY(target_permute(&y, &mem, &p->y, p->n, p->setup.request.group,
                       plan_seed(z->seed, (uint64_t)job), err));
    f.y = y;
    r.first = !f.terms.group; /* nobody looks at the ranking, but groups at places in it */
    TRY(fitting_run(&f, &r, (amount){0}, ctx, err));
    if (ctx_stopped(ctx) != INTERRUPT_NONE || r.outcome == PARE_CANCELLED ||
        r.outcome == PARE_TIME_LIMIT)
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a permutation");
    else
        count_scores(z, 0, z->live, r.score, 0);
done:
    fit_result_free(&r);
    fitting_end(&f);
    arena_free(&mem);
    return status;
}

/* A permutation of many that see the same statistics of X. */
typedef struct permuted {
    nulls *z;
    target y;
    filter f;
    moments_score to;
    moments_scores own;
    stats_reader scores;
    int64_t next; /* of the live features */
} permuted;

static pare_status count_some(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                              const pare_ctx *ctx, pare_error *err) {
    permuted *p = self;
    nulls *z = p->z;
    int64_t from = p->next;
    p->own.from = first;
    pare_status status = p->scores.see(&p->own, first, columns, s, ctx, err);
    while (p->next < z->live && z->feature[p->next] < first + columns) p->next++;
    if (status == PARE_OK) count_scores(z, from, p->next, p->to.score, first);
    return status;
}

/* z->batch permutations, or as many as are left, from one pass over X. */
static pare_status run_together(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    nulls *z = user;
    const pare_path *p = z->p;
    const fitting *base = z->base;
    int64_t left = z->permutations - job * z->batch, count = left < z->batch ? left : z->batch;
    permuted own[AT_ONCE];
    stats_reader reader[AT_ONCE];
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < count; i++) {
        permuted *o = &own[i];
        double *score = ARENA_NEW(&mem, double, STATS_COLUMNS);
        TRY_MEM(score);
        *o = (permuted){.z = z};
        TRY(target_permute(&o->y, &mem, &p->y, p->n, p->setup.request.group,
                           plan_seed(z->seed, (uint64_t)(job * z->batch + i)), err));
        fit_job of = {.raw = &base->raw, .y = &o->y, .weight = base->weight};
        TRY(filter_open(&o->f, &mem, &of, 0, err));
        o->f.bare = true;
        o->to = (moments_score){.kind = z->m->m->by_moments, .score = score};
        o->own = (moments_scores){.f = &o->f, .to = &o->to, .count = 1};
        TRY(moments_reader(&o->scores, &o->own, &mem, ctx, err));
        reader[i] = o->scores;
        reader[i].see = count_some;
        reader[i].self = o;
    }
    TRY(stats_read(reader, count, ctx, err));
    if (ctx_stopped(ctx) != INTERRUPT_NONE)
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a permutation");
done:
    arena_free(&mem);
    return status;
}

static pare_status observe(nulls *z, fitting *base, arena *mem, const pare_ctx *ctx,
                           pare_error *err) {
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    int64_t d = base->x.d;
    TRY(fitting_run(base, &r, (amount){0}, ctx, err));
    TRY_MEM(z->feature = ARENA_NEW(mem, int64_t, d));
    TRY_MEM(z->score = ARENA_NEW(mem, double, d));
    TRY_MEM(z->above = ARENA_ZERO(mem, int64_t, d));
    for (int64_t j = 0; j < d; j++) {
        double x = r.score[j];
        if (base->sc.scale && base->sc.scale[j] == 0) continue;
        if (terms_keep(&base->terms, j)) continue; /* no choice */
        z->feature[z->live] = j;
        z->score[z->live++] = isfinite(x) ? x - TIE * fabs(x) : x;
    }
    if (z->m->m->standardised) {
        TRY_MEM(z->sorted = ARENA_NEW(mem, double, d));
        memcpy(z->sorted, z->score, sizeof *z->sorted * (size_t)z->live);
        sort_up(z->sorted, z->live);
    }
done:
    fit_result_free(&r);
    return status;
}

/* p: live. The share of true nulls comes back. */
static double p_values(double *p, nulls *z, int64_t permutations) {
    double all = (double)permutations, over_half = 0;
    if (z->sorted) {
        all *= (double)z->live;
        for (int64_t i = z->live - 2; i >= 0; i--) z->above[i] += z->above[i + 1];
    }
    for (int64_t i = 0; i < z->live; i++) {
        int64_t at = i; /* pooled: the first of those that score alike */
        if (z->sorted) {
            at = at_most(z->sorted, z->live, z->score[i]) - 1;
            while (at > 0 && z->sorted[at - 1] == z->score[i]) at--;
        }
        p[i] = (1 + (double)z->above[at]) / (1 + all);
        over_half += p[i] > 0.5;
    }
    return z->live ? fmin(1, (1 + over_half) / (0.5 * (double)z->live)) : 1;
}

static pare_status keep_values(nulls *z, pare_path *p, control_result *out, arena *mem,
                               const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    double *chance = ARENA_NEW(mem, double, z->live), *q = ARENA_NEW(mem, double, z->live);
    double *value = ARENA_NEW(mem, double, p->d);
    TRY_MEM(chance && q && value);
    out->nulls = p_values(chance, z, out->permutations);
    TRY_MEM(false_discovery(q, chance, z->live, ctx_allocator(ctx)));
    for (int64_t j = 0; j < p->d; j++) value[j] = 1;
    for (int64_t i = 0; i < z->live; i++) value[z->feature[i]] = fmin(1, out->nulls * q[i]);
    TRY(control_list(out, p, value, false, p->control.level, ctx, err));
done:
    return status;
}

/* Whether null scores are what a filter makes of the statistics: no costs or groups change them afterwards, and classes
 * stay as large as they are, so that the filter has nothing to refuse. */
static bool comes_together(const fitting *base, const path_setup *setup) {
    return scores_come_along(base->m, &base->identity, base->data) && !base->terms.cost &&
           !base->terms.group && !base->weight && !setup->request.group;
}

/* There is to be work for all threads. */
static int64_t batch_of(int64_t permutations, const pare_ctx *ctx) {
    int64_t threads = ctx_threads(ctx), each = (permutations + threads - 1) / threads;
    return each < AT_ONCE ? each : AT_ONCE;
}

pare_status control_permute(pare_path *p, int64_t m, double before, double share,
                            interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    const path_method *own = &p->setup.method[m];
    control_result *out = &p->run[m].control;
    nulls z = {.p = p, .m = own, .seed = plan_seed(p->setup.seed, PURPOSE_LABELS)};
    fitting base = {0};
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    out->permutations = control_permutations(&p->control, own->m);
    out->pooled = own->m->standardised;
    TRY(fitting_begin(&base, p->setup.data, &p->y, NULL, 0, own->m, own->classifier, own->grid, ctx,
                      err));
    TRY(observe(&z, &base, &mem, ctx, err));
    z.base = &base;
    z.permutations = out->permutations;
    bool together = comes_together(&base, &p->setup);
    z.batch = together ? batch_of(z.permutations, ctx) : 1;
    job_list list = {.count = (z.permutations + z.batch - 1) / z.batch,
                     .run = together ? run_together : run_permuted,
                     .user = &z,
                     .stage = "permuted labels",
                     .before = before,
                     .share = share};
    TRY(jobs_run(&list, stopped, ctx, err));
    if (*stopped == INTERRUPT_NONE) TRY(keep_values(&z, p, out, &mem, ctx, err));
done:
    if (base.data) fitting_end(&base);
    arena_free(&mem);
    return status;
}
