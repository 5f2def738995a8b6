/* The nested cross-validated selection curve from end to end: the true labels, the permutation
 * test, the fit on all samples at the chosen size, correlated alternatives, comparison. Every step
 * that reads labels runs inside training folds; only the final fit and its description see all
 * samples, and no score is taken from it. */
#include <math.h>
#include <string.h>

#include <pare/model.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "fit/duration_notice.h"
#include "data/checksum.h"
#include "la/device.h"
#include "select/leaks.h"
#include "fit/fit.h"
#include "model/model.h"
#include "path/path_setup.h"
#include "select/bootstrap.h"
#include "select/baseline.h"
#include "select/batch_notes.h"
#include "select/checkpoint.h"
#include "select/jobs.h"
#include "select/outcome.h"
#include "select/risk_groups.h"
#include "select/substitutes.h"
#include "select/duplicate_samples.h"

enum { SCORES_KEPT = 4000000, PERMUTE_TRIES = 100, PURPOSE_NULL = 0x6e756c6c };

/* Runs of a method in one job of a round: for the progress. */
static double job_cost(const pare_path *p, bool nested) {
    double runs = 0, inner = (double)p->setup.inner.folds;
    nested |= p->y.task->metric[p->setup.metric].probable; /* they are calibrated on inner folds */
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        int64_t grid = p->setup.method[m].n_grid;
        runs += 1 + (nested || grid > 1 ? inner * (double)grid : 0);
    }
    return runs;
}

/* Before the start: tells which methods will take long. */
static void say_efforts(const pare_path *p, const pare_ctx *ctx) {
    double inner = (double)p->setup.inner.folds, parts = (double)p->plan.count;
    int64_t n = p->plan.part[0].n_train;
    for (int64_t i = 0; i < p->setup.n_methods; i++) {
        const path_method *m = &p->setup.method[i];
        const method *resolved = method_resolve(m->m, p->y.task, INT64_MAX);
        double selections = ceil((double)m->n_grid / (double)m->n_final);
        double fits = parts * (1 + inner * selections);
        fits += parts * (double)p->n_null * (1 + (selections > 1 ? inner * selections : 0));
        duration_notice_log(
            &(duration_notice){resolved, &m->grid[0], n, p->setup.sizes[0], fits + 1},
            p->setup.data, &p->y, ctx);
    }
}

static pare_status nothing_done(interruption stopped, pare_error *err) {
    if (stopped == INTERRUPT_TIME)
        return error_set(err, PARE_E_DATA, "the time limit ended the path before its first fold");
    return error_set(err, PARE_E_CANCELLED, "stopped before the first fold was finished");
}

static pare_status run_true(pare_path *p, checkpoint *kept, double share, interruption *stopped,
                            const pare_ctx *ctx, pare_error *err) {
    p->round = (path_round){.setup = &p->setup, .y = &p->y, .plan = &p->plan, .kept = kept};
    p->round.nested = p->setup.inner.folds > 0;
    int64_t words = fold_scores(&p->setup) + fold_numbers(&p->setup, true);
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8.0 * (double)words * (double)(p->plan.count * p->setup.n_methods),
                         "the results of all folds", err));
    TRY(round_alloc(&p->round, &p->mem, p->plan.count, err));
    TRY(round_run(&p->round, 0, share, stopped, ctx, err));
    if (p->setup.n_shards > 0) goto done;
    int64_t done = 0;
    for (int64_t i = 0; i < p->plan.count * p->setup.n_methods; i++)
        done += p->round.result[i].done;
    if (done == 0) TRY(nothing_done(*stopped, err));
    TRY(outcome_runs(p, ctx, err));
    TRY(bootstrap_intervals(p, ctx, err));
    TRY(risk_groups_fill(p, ctx, err));
    TRY(path_note_times(p, ctx, err));
done:
    return status;
}

/* Permuted labels, and folds stratified by them. Permuting labels between whole groups may leave a
 * class too small for the folds: then the labels are permuted again. */
static pare_status permute_labels(target *y, cv_plan *plan, const pare_path *p, int64_t round,
                                  arena *mem, const pare_ctx *ctx, pare_error *err) {
    uint64_t seed = plan_seed(p->setup.seed, PURPOSE_NULL + (uint64_t)round);
    pare_status status = PARE_E_DATA;
    for (int t = 0; t < PERMUTE_TRIES && status == PARE_E_DATA; t++) {
        status = target_permute(y, mem, &p->y, p->n, p->setup.request.group,
                                plan_seed(seed, (uint64_t)t), err);
        if (status == PARE_OK)
            status =
                plan_make(plan, mem, &p->setup.request, y, NULL, p->n, p->setup.seed, ctx, err);
    }
    return status;
}

static pare_status run_permuted(pare_path *p, checkpoint *kept, double before, double until,
                                interruption *stopped, const pare_ctx *ctx, pare_error *err) {
    int64_t methods = p->setup.n_methods, sizes = p->setup.n_sizes;
    arena all, one;
    arena_init(&all, ctx_allocator(ctx));
    arena_init(&one, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    double *point = ARENA_NEW(&all, double, p->n_null *methods *sizes);
    double *chosen = ARENA_NEW(&all, double, p->n_null *methods);
    double *apart = ARENA_NEW(&all, double, p->n_null *methods *RISK_DIVISIONS);
    TRY_MEM(point && chosen && apart);
    for (int64_t i = 0; i < p->n_null && *stopped == INTERRUPT_NONE; i++) {
        target y;
        cv_plan plan;
        path_round r = {.setup = &p->setup, .y = &y, .plan = &plan, .kept = kept, .number = i + 1};
        arena_free(&one);
        TRY(permute_labels(&y, &plan, p, i, &one, ctx, err));
        TRY(round_alloc(&r, &one, plan.count, err));
        double share = (until - before) / (double)p->n_null;
        TRY(round_run(&r, before + share * (double)i, share, stopped, ctx, err));
        if (*stopped != INTERRUPT_NONE) break;
        if (p->setup.n_shards > 0) continue;
        TRY(outcome_null_means(&r, point + i * methods * sizes, chosen + i * methods, ctx, err));
        TRY(risk_groups_apart(apart + i * methods * RISK_DIVISIONS, &r, ctx, err));
        p->n_null_done++;
    }
    if (p->n_null_done > 0) TRY(outcome_null(p, point, chosen, ctx, err));
    risk_groups_test(p, apart);
done:
    arena_free(&one);
    arena_free(&all);
    return status;
}

static pare_status keep_name(const char **name, pare_path *p, const pare_data *data, int64_t index,
                             pare_error *err) {
    char made_up[32];
    *name = arena_text(&p->mem, pare_data_name(data, index, made_up));
    return *name ? PARE_OK : error_memory(err);
}

static pare_status keep_names(pare_path *p, pare_error *err) {
    pare_status status = PARE_OK;
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        path_run *run = &p->run[m];
        const pare_data *data = run->method->data;
        for (int64_t i = 0; i < run->n_frequency; i++)
            TRY(keep_name(&run->frequency[i].name, p, data, run->frequency[i].index, err));
        for (int64_t i = 0; i < run->n_feature; i++) {
            path_feature *f = &run->feature[i];
            TRY(keep_name(&f->name, p, data, f->index, err));
            for (int64_t q = 0; q < f->n_substitutes; q++)
                TRY(keep_name(&f->substitute[q].name, p, data, f->substitute[q].index, err));
        }
    }
done:
    return status;
}

/* What is added to a path that is complete without it. */
static pare_status unless_stopped(pare_status (*add)(pare_path *, const pare_ctx *, pare_error *),
                                  pare_path *p, interruption *stopped, const pare_ctx *ctx,
                                  pare_error *err) {
    pare_status status = add(p, ctx, err);
    if (status != PARE_E_CANCELLED) return status;
    *stopped = INTERRUPT_CANCEL;
    return PARE_OK;
}

static pare_status run_all(pare_path *p, const pare_path_options *o, checkpoint *kept,
                           const pare_ctx *ctx, pare_error *err) {
    interruption stopped = INTERRUPT_NONE;
    pare_status status = PARE_OK;
    double first = job_cost(p, p->setup.inner.folds > 0);
    double folds = first + (double)p->n_null * job_cost(p, false);
    double until = 1 / (1 + path_control_cost(p) / (folds * (double)p->plan.count));
    double share = until * first / folds;
    TRY(run_true(p, kept, share, &stopped, ctx, err));
    if (stopped == INTERRUPT_NONE && p->n_null > 0)
        TRY(run_permuted(p, kept, share, until, &stopped, ctx, err));
    if (p->setup.n_shards > 0) {
        if (stopped != INTERRUPT_NONE)
            status = error_set(err, PARE_E_CANCELLED,
                               "the shard was stopped before its end: run it again, it goes on "
                               "from its checkpoint");
        goto done;
    }
    if (stopped == INTERRUPT_NONE) TRY(path_fit_all(p, o->substitutes, &stopped, ctx, err));
    if (stopped == INTERRUPT_NONE) TRY(path_run_control(p, until, &stopped, ctx, err));
    if (stopped == INTERRUPT_NONE)
        TRY(unless_stopped(path_against_covariates, p, &stopped, ctx, err));
    TRY(outcome_compare(p, ctx, err));
    TRY(keep_names(p, err));
    if (o->weights && stopped == INTERRUPT_NONE)
        TRY(unless_stopped(path_keep_weights, p, &stopped, ctx, err));
    if (path_has_junctures(p) && stopped == INTERRUPT_NONE)
        TRY(unless_stopped(path_keep_junctures, p, &stopped, ctx, err));
    p->complete = stopped == INTERRUPT_NONE;
done:
    return status;
}

/* Keeps the test scores if requested, or if they are few. */
static void keep_scores(pare_path *p, const pare_path_options *o) {
    path_setup *s = &p->setup;
    double count = 0;
    s->outputs = target_scores(&p->y);
    s->n_classes = p->y.n_classes;
    s->n_summary = p->y.task->summarise ? p->y.task->summary_size(&p->y) : 0;
    s->keeps_scores = true;
    for (int64_t j = 0; j < p->plan.count; j++)
        for (int64_t m = 0; m < s->n_methods; m++)
            count += (double)fold_kept(s, &p->plan.part[j], m);
    s->keeps_scores = o->predictions || count <= SCORES_KEPT;
}

/* Results from a checkpoint, or from the shards of other runs. */
static pare_status open_kept(checkpoint *kept, pare_path *p, const pare_path_options *o,
                             const pare_ctx *ctx, pare_error *err) {
    char key[65];
    path_setup *s = &p->setup;
    s->n_parts = p->plan.count;
    s->n_rounds = 1 + p->n_null;
    s->n_shards = o->n_shards;
    s->shard = o->shard - 1;
    path_key(key, p);
    if (o->n_merge > 0)
        return checkpoint_merge(kept, o->merge, o->n_merge, key, s, &p->plan, &p->mem, ctx, err);
    if (!o->checkpoint) return PARE_OK;
    return checkpoint_open(kept, o->checkpoint, key, o->command, s, &p->plan, &p->mem, ctx, err);
}

static void forget_data(pare_path *p) {
    p->whole = p->source = p->setup.data = NULL;
    for (int64_t m = 0; m < p->setup.n_methods; m++) p->setup.method[m].data = NULL;
}

static pare_status path_within(pare_path **out, const pare_data *given,
                               const pare_settings *const *settings, int64_t n_methods,
                               const pare_path_options *o, const pare_ctx *ctx, pare_error *err) {
    checkpoint kept = {0};
    problem of = {0};
    pare_status status = PARE_OK;
    pare_path *p = mem_zero(ctx_allocator(ctx), 1, sizeof *p);
    TRY_MEM(p);
    arena_init(&p->mem, ctx_allocator(ctx));
    TRY(path_check_options(o, n_methods, err));
    TRY(data_checksum(given, ctx, p->sha256, err));
    status = problem_open(&of, &p->mem, given, settings, n_methods, true, ctx, err);
    if (status == PARE_OK) status = path_set_up(p, &of, o, ctx, err);
    if (status == PARE_E_CANCELLED) status = nothing_done(ctx_poll(ctx, "path", -1), err);
    if (status != PARE_OK) goto done;
    p->whole = given;
    keep_scores(p, o);
    TRY(baseline_of(p->baseline, &p->y, p->source->weight, &p->plan, ctx, err));
    TRY(open_kept(&kept, p, o, ctx, err));
    if (of.samples.rows) {
        TRY_MEM(p->given_row = ARENA_NEW(&p->mem, int32_t, p->n));
        memcpy(p->given_row, of.samples.rows, sizeof *p->given_row * (size_t)p->n);
    }
    TRY(leaks_find(&p->notes, &p->mem.mem, p->source, &p->y, ctx, err));
    TRY(batch_notes_find(&p->notes, &p->mem.mem, p->source, &p->y, ctx, err));
    TRY(duplicate_samples_find(&p->notes, &p->mem.mem, &of.samples, &p->plan, ctx, err));
    if (!o->n_merge) say_efforts(p, ctx);
    TRY(run_all(p, o, kept.mem ? &kept : NULL, ctx, err));
    forget_data(p);               /* the path keeps no reference to its input */
    if (p->setup.n_shards == 0) { /* the result of a shard is its checkpoint */
        *out = p;
        p = NULL;
    }

done:
    if (kept.mem) checkpoint_close(&kept);
    problem_close(&of); /* before the arena of p, which it is in */
    pare_path_free(p);
    return status;
}

pare_status pare_path_run(pare_path **out, const pare_data *data,
                          const pare_settings *const *settings, int64_t n_methods,
                          const pare_path_options *options, const pare_ctx *ctx, pare_error *err) {
    call c;
    pare_path_options own;
    *out = NULL;
    pare_path_options_init(&own);
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK)
        status = options_take(&own, options, sizeof own, "pare_path_options_init", err);
    if (status == PARE_OK) call_reads(&c, mat_bytes(&data->x), mat_products(&data->x));
    if (status == PARE_OK) status = device_begin(&c, &data->x, err);
    if (status == PARE_OK) status = path_within(out, data, settings, n_methods, &own, &c.ctx, err);
    device_end(&c);
    call_end(&c);
    return status;
}

void pare_path_free(pare_path *p) {
    if (!p) return;
    pare_allocator mem = p->mem.mem;
    pare_model_free(p->model);
    strings_free(&p->notes, &mem);
    arena_free(&p->mem);
    mem_free(&mem, p);
}

pare_model *pare_path_model(pare_path *p) {
    pare_model *model = p->model;
    p->model = NULL;
    return model;
}

bool pare_path_complete(const pare_path *p) { return p->complete; }

int64_t pare_path_unconverged(const pare_path *p) {
    int64_t count = 0;
    for (int64_t m = 0; m < p->setup.n_methods; m++) count += p->run[m].unconverged;
    return count;
}
