/* One cross-validation of all methods. For each split and method:
 *   1. inner folds of the training fold, at every value of the grid: the curve that the training
 *      fold by itself would show. It chooses the setting at each size (tuning) and a size (nested).
 *   2. the curve on the test fold with the settings chosen.
 * Each inner fold and, where nothing is tuned, the split itself is a job of its own.
 * COST  per split and method (1 + inner folds x selections in the grid) runs of the method, and
 *       a refit per size and setting of each. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "select/shared_statistics.h"
#include "select/checkpoint.h"
#include "select/curve.h"
#include "select/jobs.h"
#include "select/path.h"
#include "select/round_calibrate.h"

enum { PURPOSE_INNER = 0x696e6e65 };

enum { TAIL_NESTED, TAIL_UNCONVERGED, TAIL_SIZE };

int64_t fold_scores(const path_setup *p) {
    int64_t each = CALIBRATION_WIDTH * p->outputs + p->n_summary;
    return (p->n_sizes + 1) * p->n_metrics + p->n_sizes * each;
}
int64_t fold_numbers(const path_setup *p, bool keeps_picks) {
    return 2 * p->n_sizes + TAIL_SIZE + (keeps_picks ? p->pick_start[p->n_sizes] : 0);
}
double *fold_nested(const path_setup *p, const fold_result *r) {
    return r->score + p->n_sizes * p->n_metrics;
}
double *fold_calibration(const path_setup *p, const fold_result *r, int64_t s) {
    return fold_nested(p, r) + p->n_metrics + s * CALIBRATION_WIDTH * p->outputs;
}
double *fold_summary(const path_setup *p, const fold_result *r, int64_t s) {
    return fold_calibration(p, r, p->n_sizes) + s * p->n_summary;
}
int64_t fold_kept(const path_setup *p, const cv_part *part, int64_t m) {
    int64_t each = p->outputs + (p->method[m].probable ? p->n_classes : 0) + (p->n_summary > 0);
    return p->keeps_scores ? p->n_sizes * part->n_test * each : 0;
}
int64_t fold_used(const fold_result *r, int64_t s) { return r->number[s]; }
int64_t fold_tuned(const path_setup *p, const fold_result *r, int64_t s) {
    return r->number[p->n_sizes + s];
}
static int64_t *fold_tail(const path_setup *p, const fold_result *r) {
    return r->number + 2 * p->n_sizes;
}
int64_t fold_nested_size(const path_setup *p, const fold_result *r) {
    return r->done ? fold_tail(p, r)[TAIL_NESTED] : -1;
}
int64_t fold_unconverged(const path_setup *p, const fold_result *r) {
    return fold_tail(p, r)[TAIL_UNCONVERGED];
}
const int64_t *fold_picks(const path_setup *p, const fold_result *r, int64_t s) {
    if (fold_used(r, s) > p->pick_start[s + 1] - p->pick_start[s]) return NULL;
    return fold_tail(p, r) + TAIL_SIZE + p->pick_start[s];
}

pare_status round_alloc(path_round *r, arena *mem, int64_t n_parts, pare_error *err) {
    const path_setup *p = r->setup;
    int64_t count = n_parts * p->n_methods, scores = fold_scores(p),
            numbers = fold_numbers(p, r->number == 0);
    double *score = ARENA_NEW(mem, double, count *scores);
    int64_t *number = ARENA_ZERO(mem, int64_t, count * numbers);
    r->result = ARENA_ZERO(mem, fold_result, count);
    if (!score || !number || !r->result) return error_memory(err);
    for (int64_t i = 0; i < count * scores; i++) score[i] = NAN;
    for (int64_t i = 0; i < count; i++)
        r->result[i] = (fold_result){.score = score + i * scores, .number = number + i * numbers};
    for (int64_t i = 0; p->keeps_scores && r->number == 0 && i < count; i++) {
        const cv_part *part = &r->plan->part[i / p->n_methods];
        int64_t size = fold_kept(p, part, i % p->n_methods);
        double *F = r->result[i].F = ARENA_NEW(mem, double, size);
        if (!F) return error_memory(err);
        for (int64_t q = 0; q < size; q++) F[q] = NAN;
        if (p->method[i % p->n_methods].probable)
            r->result[i].P = F + p->n_sizes * part->n_test * p->outputs;
        if (p->n_summary > 0) r->result[i].loss = F + size - p->n_sizes * part->n_test;
    }
    return PARE_OK;
}

void round_points(const path_round *r, int64_t m, int64_t metric, estimate *point) {
    const path_setup *p = r->setup;
    int64_t stride = p->n_methods * fold_scores(p);
    for (int64_t s = 0; s < p->n_sizes; s++)
        point[s] = summary_of(r->result[m].score + s * p->n_metrics + metric, r->plan->count,
                              stride, r->plan->ratio);
}

static curve_job job_of(const path_round *r, const path_method *m, int64_t g, const cv_part *part,
                        const fitting *shared, int64_t n_shared) {
    const path_setup *p = r->setup;
    return (curve_job){.data = m->data,
                       .y = r->y,
                       .m = m->m,
                       .classifier = m->classifier,
                       .set = &m->grid[g],
                       .n_sets = m->n_final,
                       .part = part,
                       .shared = shared,
                       .n_shared = n_shared,
                       .n_sizes = p->n_sizes,
                       .sizes = p->sizes,
                       .budget = p->budget,
                       .at = p->at,
                       .along = p->along};
}

/* The curves of inner split i at all settings of the grid: inner[(g * plan->count + i) * per
 * part]. */
static pare_status run_inner(const path_round *r, const path_method *m, int64_t part, int64_t i,
                             part_under_way *under_way, arena *mem, const pare_ctx *ctx,
                             pare_error *err) {
    const path_setup *p = r->setup;
    const inner_parts *inner = &r->inner[part - r->from];
    const cv_plan *plan = &inner->plan;
    int64_t per_part = p->n_sizes * p->n_metrics, *used = ARENA_NEW(mem, int64_t, p->n_sizes);
    curve *out = ARENA_NEW(mem, curve, m->n_final);
    int64_t values = p->n_sizes * plan->part[i].n_test * p->outputs;
    double *F = under_way->F ? ARENA_NEW(mem, double, m->n_final *values) : NULL;
    if (!used || !out || (under_way->F && !F)) return error_memory(err);
    for (int64_t g = 0; g < m->n_grid; g += m->n_final) {
        curve_job job = job_of(r, m, g, &plan->part[i], &inner->shared[i * p->n_kinds], p->n_kinds);
        for (int64_t e = 0; F && e < m->n_final * values; e++) F[e] = NAN;
        for (int64_t q = 0; q < m->n_final; q++)
            out[q] = (curve){.score = under_way->inner + ((g + q) * plan->count + i) * per_part,
                             .used = used,
                             .F = F ? F + q * values : NULL};
        PASS(curve_run(out, &job, ctx, err));
        for (int64_t q = 0; F && q < m->n_final; q++)
            round_keep_values(r, under_way, part, i, g + q, F + q * values);
    }
    return PARE_OK;
}

/* Chooses from the inner curves. tuned[s]: the best position in the grid at each size; *size: the
 * size that the rule chooses on the inner curve of these settings. */
static pare_status choose_by_inner(const path_round *r, const path_method *m, int64_t part,
                                   const double *score, int64_t *tuned, int64_t *size, arena *mem,
                                   pare_error *err) {
    const path_setup *p = r->setup;
    const cv_plan *plan = &r->inner[part - r->from].plan;
    int64_t per_part = p->n_sizes * p->n_metrics;
    estimate *best = ARENA_NEW(mem, estimate, p->n_sizes);
    if (!best) return error_memory(err);
    for (int64_t s = 0; s < p->n_sizes; s++) best[s] = (estimate){NAN, NAN};
    for (int64_t g = 0; g < m->n_grid; g++)
        for (int64_t s = 0; s < p->n_sizes; s++) {
            estimate e =
                summary_of(score + g * plan->count * per_part + s * p->n_metrics + p->metric,
                           plan->count, per_part, plan->ratio);
            bool better =
                isnan(best[s].mean) || (p->higher ? e.mean > best[s].mean : e.mean < best[s].mean);
            if (!better) continue;
            best[s] = e;
            tuned[s] = isnan(e.mean) ? 0 : g;
        }
    *size = choice_make(best, p->n_sizes, p->higher, p->rule, p->tolerance);
    return PARE_OK;
}

/* The curve on the test fold, once for each selection that some size chose. */
static pare_status run_outer(const path_round *r, const path_method *m, int64_t j,
                             fold_result *result, part_under_way *under_way, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    const path_setup *p = r->setup;
    bool *want = ARENA_NEW(mem, bool, m->n_final * p->n_sizes);
    curve *out = ARENA_NEW(mem, curve, m->n_final);
    if (!want || !out) return error_memory(err);
    int64_t *tuned = result->number + p->n_sizes, *tail = fold_tail(p, result);
    for (int64_t g = 0; g < m->n_grid; g += m->n_final) {
        bool any = false;
        for (int64_t q = 0; q < m->n_final; q++) {
            for (int64_t s = 0; s < p->n_sizes; s++)
                any |= want[q * p->n_sizes + s] = tuned[s] == g + q;
            out[q] = (curve){.score = result->score,
                             .used = result->number,
                             .F = result->F ? result->F : under_way->outer,
                             .P = result->P,
                             .summary = p->n_summary > 0 ? fold_summary(p, result, 0) : NULL,
                             .loss = result->loss};
            if (r->number != 0) continue;
            out[q].picks = tail + TAIL_SIZE;
            out[q].pick_start = p->pick_start;
        }
        if (!any) continue;
        curve_job job =
            job_of(r, m, g, &r->plan->part[j], &r->shared[(j - r->from) * p->n_kinds], p->n_kinds);
        job.want = want;
        PASS(curve_run(out, &job, ctx, err));
        for (int64_t q = 0; q < m->n_final; q++) tail[TAIL_UNCONVERGED] += out[q].unconverged;
    }
    return PARE_OK;
}

int64_t shard_of(const path_setup *p, int64_t n_shards, int64_t round, int64_t part, int64_t m) {
    return ((m * p->n_rounds + round) * p->n_parts + part) % n_shards;
}

static bool is_open(const path_round *r, int64_t part, int64_t m) {
    const path_setup *p = r->setup;
    if (r->result[part * p->n_methods + m].done) return false;
    return p->n_shards == 0 || shard_of(p, p->n_shards, r->number, part, m) == p->shard;
}

static bool has_work(const path_round *r, int64_t part) {
    for (int64_t m = 0; m < r->setup->n_methods; m++)
        if (is_open(r, part, m)) return true;
    return false;
}

static bool needs_inner(const path_round *r, const path_method *m) {
    bool tuned = m->n_grid > 1;
    return r->setup->inner.folds > 0 && (r->nested || tuned || round_calibrates(r, m));
}

static bool any_needs_inner(const path_round *r) {
    for (int64_t m = 0; m < r->setup->n_methods; m++)
        if (needs_inner(r, &r->setup->method[m])) return true;
    return false;
}

/* The number of inner splits that the method needs in a split. */
static int64_t inner_count(const path_round *r, int64_t part, const path_method *m) {
    return needs_inner(r, m) ? r->inner[part - r->from].plan.count : 0;
}

/* Finishes a method on a split once all its curves are there, except those that wait for the
 * tuning. */
static pare_status conclude(path_round *r, int64_t j, int64_t i, arena *mem, const pare_ctx *ctx,
                            pare_error *err) {
    const path_setup *p = r->setup;
    const path_method *m = &p->method[i];
    fold_result *result = &r->result[j * p->n_methods + i];
    part_under_way *under_way = &r->under_way[(j - r->from) * p->n_methods + i];
    int64_t *tail = fold_tail(p, result), size = -1;
    pare_status status = PARE_OK;
    if (under_way->F && r->y->task->metric[p->metric].probable)
        TRY(round_calibrate_inner(r, m, j, under_way, mem, ctx, err));
    if (needs_inner(r, m))
        TRY(choose_by_inner(r, m, j, under_way->inner, result->number + p->n_sizes, &size, mem,
                            err));
    if (m->n_grid > 1) TRY(run_outer(r, m, j, result, under_way, mem, ctx, err));
    if (under_way->F) TRY(round_calibrate_outer(r, m, j, under_way, result, mem, ctx, err));
    tail[TAIL_NESTED] = size;
    if (size >= 0)
        memcpy(fold_nested(p, result), result->score + size * p->n_metrics,
               sizeof(double) * (size_t)p->n_metrics);
    if (r->kept) status = checkpoint_add(r->kept, r, j, i, err);
    result->done = status == PARE_OK;
done:
    return status;
}

/* Runs inner split `f` of a split or, for the f after the last, the split itself; the job that
 * finishes last concludes the split. */
static pare_status run_fold(path_round *r, int64_t j, int64_t i, int64_t f, const pare_ctx *ctx,
                            pare_error *err) {
    const path_setup *p = r->setup;
    const path_method *m = &p->method[i];
    part_under_way *under_way = &r->under_way[(j - r->from) * p->n_methods + i];
    int64_t inner = inner_count(r, j, m);
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    if (f < inner)
        TRY(run_inner(r, m, j, f, under_way, &mem, ctx, err));
    else if (m->n_grid == 1)
        TRY(run_outer(r, m, j, &r->result[j * p->n_methods + i], under_way, &mem, ctx, err));
    if (atomic_fetch_sub(&under_way->left, 1) == 1) TRY(conclude(r, j, i, &mem, ctx, err));
done:
    arena_free(&mem);
    return status;
}

static pare_status run_job(void *user, int64_t job, const pare_ctx *ctx, pare_error *err) {
    path_round *r = user;
    const path_setup *p = r->setup;
    int64_t f = r->folds - 1 - job % r->folds, i = job / r->folds % p->n_methods;
    int64_t j = r->from + job / r->folds / p->n_methods;
    bool single_process = !ctx_ranks(ctx);
    if (single_process && f > inner_count(r, j, &p->method[i])) return PARE_OK;
    if (!is_open(r, j, i)) return PARE_OK;
    if (single_process) return run_fold(r, j, i, f, ctx, err);
    /* all ranks must run the same jobs in the same order */
    for (f = 0; f <= inner_count(r, j, &p->method[i]); f++) {
        PASS(run_fold(r, j, i, f, ctx, err));
    }
    return PARE_OK;
}

/* The jobs of the splits from r->from on: one for each method and fold, so that many can be under
 * way. */
static pare_status plan_jobs(path_round *r, int64_t count, job_list *list, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    const path_setup *p = r->setup;
    r->folds = 1;
    for (int64_t j = 0; r->inner && !ctx_ranks(ctx) && j < count; j++)
        if (r->inner[j].plan.count >= r->folds) r->folds = r->inner[j].plan.count + 1;
    list->count = count * p->n_methods * r->folds;
    r->under_way = ARENA_ZERO(mem, part_under_way, count * p->n_methods);
    if (!r->under_way) return error_memory(err);
    for (int64_t k = 0; k < count * p->n_methods; k++) {
        const path_method *m = &p->method[k % p->n_methods];
        int64_t inner = inner_count(r, r->from + k / p->n_methods, m);
        int64_t scores = m->n_grid * inner * p->n_sizes * p->n_metrics;
        double *own = r->under_way[k].inner = ARENA_NEW(mem, double, scores);
        if (!own) return error_memory(err);
        for (int64_t q = 0; q < scores; q++) own[q] = NAN;
        atomic_init(&r->under_way[k].left, inner + 1);
        if (inner == 0 || !round_calibrates(r, m)) continue;
        pare_status status =
            round_keep_open(&r->under_way[k], r, m, r->from + k / p->n_methods, mem, err);
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

/* Clears the scores of splits that were not concluded. */
static void clear_unfinished(path_round *r, int64_t count) {
    const path_setup *p = r->setup;
    for (int64_t k = 0; k < count * p->n_methods; k++) {
        fold_result *result = &r->result[r->from * p->n_methods + k];
        for (int64_t q = 0; !result->done && q < fold_scores(p); q++) result->score[q] = NAN;
    }
}

/* The inner folds of the splits from r->from on. *parts: their number, with the splits
 * themselves. */
static pare_status plan_inner(path_round *r, int64_t count, int64_t *parts, arena *mem,
                              const pare_ctx *ctx, pare_error *err) {
    const path_setup *p = r->setup;
    *parts = count;
    if (!any_needs_inner(r)) return PARE_OK;
    PASS_MEM(r->inner = ARENA_ZERO(mem, inner_parts, count));
    for (int64_t i = 0; i < count; i++) {
        const cv_part *part = &r->plan->part[r->from + i];
        uint64_t seed = plan_seed(p->seed, PURPOSE_INNER + (uint64_t)(r->from + i));
        PASS(plan_make(&r->inner[i].plan, mem, &p->inner, r->y, part->train, part->n_train, seed,
                       ctx, err));
        *parts += r->inner[i].plan.count;
    }
    return PARE_OK;
}

/* The shared statistics of the splits from r->from on and of their inner folds, all in a few passes
 * over X. *made: how many. */
static pare_status make_shared(path_round *r, int64_t count, int64_t *made, arena *mem,
                               const pare_ctx *ctx, pare_error *err) {
    const path_setup *p = r->setup;
    int64_t parts, at = count;
    PASS(plan_inner(r, count, &parts, mem, ctx, err));
    cv_part *part = ARENA_NEW(mem, cv_part, parts);
    PASS_MEM(part);
    PASS_MEM(r->shared = ARENA_ZERO(mem, fitting, parts * p->n_kinds));
    memcpy(part, r->plan->part + r->from, sizeof *part * (size_t)count);
    for (int64_t i = 0; r->inner && i < count; i++) {
        const cv_plan *plan = &r->inner[i].plan;
        memcpy(part + at, plan->part, sizeof *part * (size_t)plan->count);
        r->inner[i].shared = r->shared + at * p->n_kinds;
        at += plan->count;
    }
    *made = parts * p->n_kinds;
    return shared_statistics_make(r->shared, part, parts, p->kind, p->n_kinds, r->y, ctx, err);
}

/* Runs `count` splits from r->from on with their shared statistics. */
static pare_status run_parts(path_round *r, int64_t count, job_list *list, interruption *stopped,
                             const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    int64_t made = 0;
    pare_status status = PARE_OK;
    TRY(make_shared(r, count, &made, &mem, ctx, err));
    TRY(plan_jobs(r, count, list, &mem, ctx, err));
    TRY(jobs_run(list, stopped, ctx, err));
done:
    clear_unfinished(r, count);
    if (status == PARE_E_CANCELLED) { /* the splits before are done */
        *stopped = ctx_stopped(ctx) == INTERRUPT_TIME ? INTERRUPT_TIME : INTERRUPT_CANCEL;
        status = PARE_OK;
    }
    if (r->shared) shared_statistics_free(r->shared, made);
    r->shared = NULL;
    r->inner = NULL;
    r->under_way = NULL;
    arena_free(&mem);
    return status;
}

/* As many splits as the memory for shared statistics allows, but at least enough work for all
 * threads. */
static int64_t parts_at_once(const path_round *r, const pare_ctx *ctx) {
    const path_setup *p = r->setup;
    int64_t n = 0, threads = ctx_threads(ctx);
    for (int64_t j = 0; j < r->plan->count; j++)
        if (r->plan->part[j].n_train > n) n = r->plan->part[j].n_train;
    double bytes = shared_statistics_bytes(n, p->n_classes, p->kind, p->n_kinds);
    bool inner = any_needs_inner(r);
    if (inner) bytes *= 1 + (double)p->inner.folds;
    int64_t jobs = p->n_methods * (inner && !ctx_ranks(ctx) ? 1 + p->inner.folds : 1);
    int64_t at_once = shared_statistics_at_once(bytes, &p->data->x, ctx),
            least = (threads + jobs - 1) / jobs;
    return at_once > least ? at_once : least;
}

/* Whether products with X may come from shared passes: transformed splits and splits with batches see a
 * matrix of their own each. */
static bool shares_passes(const path_setup *p) {
    if (p->data->batch.count) return false;
    for (int64_t k = 0; k < p->n_kinds; k++)
        if (!choice_is(p->kind[k].identity.scale, "robust")) return true;
    return p->n_kinds == 0;
}

pare_status round_run(path_round *r, double before, double share, interruption *stopped,
                      const pare_ctx *ctx, pare_error *err) {
    const path_setup *p = r->setup;
    int64_t parts = r->plan->count, at_once = parts_at_once(r, ctx);
    pare_status status = PARE_OK;
    if (r->kept) checkpoint_restore(r->kept, r);
    *stopped = INTERRUPT_NONE;
    for (int64_t next = 0; next < parts;) {
        int64_t count = 0; /* adjacent splits with work */
        r->from = next;
        while (next < parts && count < at_once && has_work(r, next)) next++, count++;
        next += count == 0;
        if (count == 0) continue;
        double whole = share / (double)parts;
        job_list list = {.run = run_job,
                         .user = r,
                         .stage = r->number == 0 ? "folds" : "folds with permuted labels",
                         .x = shares_passes(p) ? &p->data->x : NULL,
                         .n_concurrent = jobs_at_once(&p->data->x, p->outputs, ctx),
                         .before = before + whole * (double)r->from,
                         .share = whole * (double)count};
        status = run_parts(r, count, &list, stopped, ctx, err);
        if (status != PARE_OK || *stopped != INTERRUPT_NONE) break;
    }
    return status;
}
