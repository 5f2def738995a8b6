/* Permutation q-values of methods that score each feature by itself: the scores under permuted
 * labels are the null distribution of a feature that is unrelated to the target. Only the labels
 * differ from the fit to the true labels; its statistics of X are used again.
 *
 *   p_j = (1 + null scores >= score_j) / (1 + null scores)
 * over the null scores of all features where a score means the same for each (method.standardised),
 * of feature j by itself otherwise. pi = min(1, (1 + #{p_j > 1/2}) / (d / 2)) estimates the
 * proportion of true nulls (J. D. Storey. A direct approach to false discovery rates. JRSS B
 * 64:479-498, 2002; with the 1 of Storey, Taylor, Siegmund 2004), and q_j is pi times the q-value
 * of Benjamini and Hochberg. */
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

enum { PURPOSE_LABELS = 0x6c61626c, PERMUTATIONS_POOLED = 100, PERMUTATIONS_EACH = 1000 };
enum { MAX_BATCH = 16 }; /* permutations whose statistics come from one pass */

static const double TIE = 1e-9; /* relative: equal scores may differ as much, by the order of their
                                   sums */

int64_t control_permutations(const control_request *c, const method *m) {
    if (c->permutations > 0) return c->permutations;
    return m->standardised ? PERMUTATIONS_POOLED : PERMUTATIONS_EACH;
}

typedef struct nulls {
    const pare_path *p;
    const path_method *m;
    const fitting *shared;
    int64_t n_active; /* features that are neither constant nor forced in */
    int64_t *feature; /* n_active */
    double *score;    /* n_active: with the true labels, less the tolerance of a tie */
    double *sorted;   /* the same ascending, where null scores are pooled */
    int64_t *above;   /* n_active: null scores of that feature that are as high; or, pooled, those
                         as high as sorted[i] and no higher one */
    int64_t permutations;
    int64_t batch; /* permutations per pass over X */
    uint64_t seed;
} nulls;

/* Returns how many of the sorted scores are at most x. */
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

/* Counts the scores of active features from .. to - 1; score: of the features from `first` on. The
 * counts are integers, so that the order of the threads does not matter. */
static void count_scores(nulls *z, int64_t from, int64_t to, const double *score, int64_t first) {
    for (int64_t i = from; i < to; i++) {
        double x = score[z->feature[i] - first];
        int64_t at = z->sorted ? at_most(z->sorted, z->n_active, x) - 1 : x >= z->score[i] ? i : -1;
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
    fitting_share(&f, z->shared, z->m->m, z->m->classifier, z->m->grid, ctx);
    pare_status status = PARE_OK;
    TRY(target_permute(&y, &mem, &p->y, p->n, p->setup.request.group,
                       plan_seed(z->seed, (uint64_t)job), err));
    f.y = y;
    r.first = !f.terms.group; /* only groups read the ranking */
    TRY(fitting_run(&f, &r, (amount){0}, ctx, err));
    if (ctx_stopped(ctx) != INTERRUPT_NONE || r.outcome == PARE_CANCELLED ||
        r.outcome == PARE_TIME_LIMIT)
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a permutation");
    else
        count_scores(z, 0, z->n_active, r.score, 0);
done:
    fit_result_free(&r);
    fitting_end(&f);
    arena_free(&mem);
    return status;
}

/* One of the permutations that share the statistics of X. */
typedef struct permuted {
    nulls *z;
    target y;
    filter f;
    moments_score to;
    moments_scores own;
    stats_reader scores;
    int64_t next; /* of the active features */
} permuted;

static pare_status count_some(void *self, int64_t first, int64_t columns, const col_stats *const *s,
                              const pare_ctx *ctx, pare_error *err) {
    permuted *p = self;
    nulls *z = p->z;
    int64_t from = p->next;
    p->own.from = first;
    pare_status status = p->scores.receive(&p->own, first, columns, s, ctx, err);
    while (p->next < z->n_active && z->feature[p->next] < first + columns) p->next++;
    if (status == PARE_OK) count_scores(z, from, p->next, p->to.score, first);
    return status;
}

/* Runs z->batch permutations, or as many as are left, from one pass over X. */
static pare_status run_together(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    nulls *z = user;
    const pare_path *p = z->p;
    const fitting *shared = z->shared;
    int64_t left = z->permutations - job * z->batch, count = left < z->batch ? left : z->batch;
    permuted own[MAX_BATCH];
    stats_reader reader[MAX_BATCH];
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < count; i++) {
        permuted *o = &own[i];
        double *score = ARENA_NEW(&mem, double, MAX_STATS_COLUMNS);
        TRY_MEM(score);
        *o = (permuted){.z = z};
        TRY(target_permute(&o->y, &mem, &p->y, p->n, p->setup.request.group,
                           plan_seed(z->seed, (uint64_t)(job * z->batch + i)), err));
        fit_job of = {.raw = &shared->raw, .y = &o->y, .weight = shared->weight};
        TRY(filter_open(&o->f, &mem, &of, 0, err));
        o->f.bare = true;
        o->to = (moments_score){.kind = z->m->m->by_moments, .score = score};
        o->own = (moments_scores){.f = &o->f, .to = &o->to, .count = 1};
        TRY(moments_reader(&o->scores, &o->own, &mem, ctx, err));
        reader[i] = o->scores;
        reader[i].receive = count_some;
        reader[i].self = o;
    }
    TRY(stats_read(reader, count, ctx, err));
    if (ctx_stopped(ctx) != INTERRUPT_NONE)
        status = error_set(err, PARE_E_CANCELLED, "stopped inside a permutation");
done:
    arena_free(&mem);
    return status;
}

static pare_status observe(nulls *z, fitting *shared, arena *mem, const pare_ctx *ctx,
                           pare_error *err) {
    fit_result r;
    fit_result_init(&r, ctx);
    pare_status status = PARE_OK;
    int64_t d = shared->x.d;
    TRY(fitting_run(shared, &r, (amount){0}, ctx, err));
    TRY_MEM(z->feature = ARENA_NEW(mem, int64_t, d));
    TRY_MEM(z->score = ARENA_NEW(mem, double, d));
    TRY_MEM(z->above = ARENA_ZERO(mem, int64_t, d));
    for (int64_t j = 0; j < d; j++) {
        double x = r.score[j];
        if (shared->sc.scale && shared->sc.scale[j] == 0) continue;
        if (terms_keep(&shared->terms, j)) continue; /* forced in */
        z->feature[z->n_active] = j;
        z->score[z->n_active++] = isfinite(x) ? x - TIE * fabs(x) : x;
    }
    if (z->m->m->standardised) {
        TRY_MEM(z->sorted = ARENA_NEW(mem, double, d));
        memcpy(z->sorted, z->score, sizeof *z->sorted * (size_t)z->n_active);
        sort_up(z->sorted, z->n_active);
    }
done:
    fit_result_free(&r);
    return status;
}

/* Writes p of the active features and returns the estimated proportion of true nulls. */
static double p_values(double *p, nulls *z, int64_t permutations) {
    double all = (double)permutations, over_half = 0;
    if (z->sorted) {
        all *= (double)z->n_active;
        for (int64_t i = z->n_active - 2; i >= 0; i--) z->above[i] += z->above[i + 1];
    }
    for (int64_t i = 0; i < z->n_active; i++) {
        int64_t at = i; /* pooled: the first of the equal scores */
        if (z->sorted) {
            at = at_most(z->sorted, z->n_active, z->score[i]) - 1;
            while (at > 0 && z->sorted[at - 1] == z->score[i]) at--;
        }
        p[i] = (1 + (double)z->above[at]) / (1 + all);
        over_half += p[i] > 0.5;
    }
    return z->n_active ? fmin(1, (1 + over_half) / (0.5 * (double)z->n_active)) : 1;
}

static pare_status keep_values(nulls *z, pare_path *p, int64_t m, arena *mem, const pare_ctx *ctx,
                               pare_error *err) {
    control_result *out = &p->run[m].control;
    int64_t d = p->setup.method[m].d;
    double *p_value = ARENA_NEW(mem, double, z->n_active), *q = ARENA_NEW(mem, double, z->n_active);
    double *value = ARENA_NEW(mem, double, d);
    PASS_MEM(p_value && q && value);
    out->nulls = p_values(p_value, z, out->permutations);
    PASS_MEM(false_discovery(q, p_value, z->n_active, ctx_allocator(ctx)));
    for (int64_t j = 0; j < d; j++) value[j] = 1;
    for (int64_t i = 0; i < z->n_active; i++) value[z->feature[i]] = fmin(1, out->nulls * q[i]);
    return control_list(out, p, m, value, false, p->control.level, ctx, err);
}

/* Whether null scores are the filter's scores from the statistics: no costs or groups change them
 * afterwards, and class sizes are fixed, so that the filter has no reason to fail. */
static bool can_batch(const fitting *shared, const path_setup *setup) {
    return scores_from_statistics(shared->m, &shared->identity, shared->data) &&
           !shared->terms.cost && !shared->terms.group && !shared->weight && !setup->request.group;
}

/* At least one batch for each thread. */
static int64_t batch_of(int64_t permutations, const pare_ctx *ctx) {
    int64_t threads = ctx_threads(ctx), each = (permutations + threads - 1) / threads;
    return each < MAX_BATCH ? each : MAX_BATCH;
}

pare_status control_permute(pare_path *p, int64_t m, double before, double share,
                            interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    const path_method *own = &p->setup.method[m];
    control_result *out = &p->run[m].control;
    nulls z = {.p = p, .m = own, .seed = plan_seed(p->setup.seed, PURPOSE_LABELS)};
    fitting shared = {0};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    out->permutations = control_permutations(&p->control, own->m);
    out->pooled = own->m->standardised;
    TRY(fitting_begin(&shared, own->data, &p->y, NULL, 0, own->m, own->classifier, own->grid, ctx,
                      err));
    TRY(observe(&z, &shared, &mem, ctx, err));
    z.shared = &shared;
    z.permutations = out->permutations;
    bool together = can_batch(&shared, &p->setup);
    z.batch = together ? batch_of(z.permutations, ctx) : 1;
    job_list list = {.count = (z.permutations + z.batch - 1) / z.batch,
                     .run = together ? run_together : run_permuted,
                     .user = &z,
                     .stage = "permuted labels",
                     .before = before,
                     .share = share};
    TRY(jobs_run(&list, stopped, ctx, err));
    if (*stopped == INTERRUPT_NONE) TRY(keep_values(&z, p, m, &mem, ctx, err));
done:
    if (shared.data) fitting_end(&shared);
    arena_free(&mem);
    return status;
}
