#include "select/outcome.h"

#include <math.h>
#include <string.h>

#include <pare/version.h>

#include "base/error.h"
#include "base/order.h"

enum { FREQUENCY_LISTED = 1000 };
static const double CORE_SHARE = 0.9;
static const stability NO_STABILITY = {NAN, NAN, NAN};
static const path_null NO_NULL = {NAN, NAN, NAN, NAN, NAN, 0, NAN};

static fold_result *result_of(const pare_path *p, int64_t j, int64_t m) {
    return &p->round.result[j * p->setup.n_methods + m];
}

/* The setting that most splits chose at this size; ties: the first of the grid. */
static int64_t most_tuned(const pare_path *p, int64_t m, int64_t s) {
    int64_t best = 0, most = 0;
    for (int64_t g = 0; g < p->setup.method[m].n_grid; g++) {
        int64_t count = 0;
        for (int64_t j = 0; j < p->plan.count; j++) {
            const fold_result *r = result_of(p, j, m);
            count += r->done && fold_tuned(&p->setup, r, s) == g;
        }
        if (count > most) {
            best = g;
            most = count;
        }
    }
    return best;
}

/* The selections of all finished splits at one size; returns false if a split has too many to
 * list. */
static bool selections(const pare_path *p, int64_t m, int64_t s, const int64_t **pick,
                       int64_t *count, int64_t *sets) {
    *sets = 0;
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *r = result_of(p, j, m);
        if (!r->done) continue;
        pick[*sets] = fold_picks(&p->setup, r, s);
        count[*sets] =
            fold_used(r, s) - p->setup.method[m].n_kept; /* forced-in features are not selected */
        if (!pick[*sets]) return false;
        pick[(*sets)++] += p->setup.method[m].n_kept;
    }
    return true;
}

/* The features that were selected most often at the chosen size, and their selection frequencies at
 * every size. */
static pare_status fill_frequency(pare_path *p, int64_t m, const double *at_chosen,
                                  const double *const *at_size, const pare_ctx *ctx,
                                  pare_error *err) {
    path_run *run = &p->run[m];
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t d = p->setup.method[m].d;
    for (int64_t j = 0; j < d; j++) run->n_ever += at_chosen[j] > 0;
    ranked *list = mem_alloc(mem, run->n_ever, sizeof *list);
    for (int64_t j = 0; j < d; j++) run->n_core += at_chosen[j] >= CORE_SHARE;
    run->n_frequency = run->n_core;
    if (run->n_frequency < FREQUENCY_LISTED)
        run->n_frequency = run->n_ever < FREQUENCY_LISTED ? run->n_ever : FREQUENCY_LISTED;
    run->frequency = ARENA_NEW(&p->mem, path_frequency, run->n_frequency);
    pare_status status = PARE_OK;
    TRY_MEM(list);
    TRY_MEM(run->frequency);
    for (int64_t j = 0, i = 0; j < d; j++)
        if (at_chosen[j] > 0) list[i++] = (ranked){at_chosen[j], j};
    sort_best_first(list, run->n_ever);
    for (int64_t i = 0; i < run->n_frequency; i++) {
        path_frequency *f = &run->frequency[i];
        f->index = list[i].index;
        f->at_chosen = list[i].key;
        TRY_MEM(f->share = ARENA_NEW(&p->mem, double, p->setup.n_sizes));
        for (int64_t s = 0; s < p->setup.n_sizes; s++)
            f->share[s] = at_size[s] ? at_size[s][f->index] : NAN;
    }
done:
    mem_free(mem, list);
    return status;
}

static pare_status fill_stability(pare_path *p, int64_t m, const pare_ctx *ctx, pare_error *err) {
    path_run *run = &p->run[m];
    int64_t d = p->setup.method[m].d, sets;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    const int64_t **pick = ARENA_NEW(&scratch, const int64_t *, p->plan.count);
    int64_t *count = ARENA_NEW(&scratch, int64_t, p->plan.count);
    const double **share = ARENA_ZERO(&scratch, const double *, p->setup.n_sizes);
    TRY_MEM(pick && count && share);
    for (int64_t s = 0; s < p->setup.n_sizes; s++) {
        run->point[s].stable = NO_STABILITY;
        if (!selections(p, m, s, pick, count, &sets) || sets == 0) continue;
        double *frequency = ARENA_NEW(&scratch, double, d);
        TRY_MEM(frequency);
        TRY(stability_of(&run->point[s].stable, frequency, pick, count, sets, d, ctx, err));
        share[s] = frequency;
    }
    run->stable = run->chosen < 0 ? NO_STABILITY : run->point[run->chosen].stable;
    if (run->chosen >= 0 && share[run->chosen])
        TRY(fill_frequency(p, m, share[run->chosen], share, ctx, err));
done:
    arena_free(&scratch);
    return status;
}

double path_size(const path_setup *p, int64_t s) {
    return p->budget ? p->budget[s] : (double)p->sizes[s];
}

static pare_status fill_outer(pare_path *p, int64_t m, const pare_ctx *ctx, pare_error *err) {
    path_sizes_chosen *out = &p->run[m].outer;
    double *size = mem_alloc(ctx_allocator(ctx), p->plan.count, sizeof *size);
    if (!size) return error_memory(err);
    *out = (path_sizes_chosen){.low = NAN, .median = NAN, .high = NAN};
    for (int64_t j = 0; j < p->plan.count; j++) {
        int64_t at = fold_nested_size(&p->setup, result_of(p, j, m));
        if (at < 0) continue;
        size[out->count++] = path_size(&p->setup, at);
        out->as_chosen +=
            p->run[m].chosen >= 0 && size[out->count - 1] == path_size(&p->setup, p->run[m].chosen);
    }
    if (out->count > 0) {
        sort_up(size, out->count);
        out->low = size[0];
        out->high = size[out->count - 1];
        out->median = (size[(out->count - 1) / 2] + size[out->count / 2]) / 2;
    }
    mem_free(ctx_allocator(ctx), size);
    return PARE_OK;
}

/* Squared errors and variance over the test samples of all splits together: a split of few samples
 * has too little variance of its own. */
static double pooled_r2(const pare_path *p, int64_t m, int64_t s) {
    int64_t q = metric_find(p->y.task, "mean_squared_error");
    double error = 0, count = 0, mean = 0, spread = 0;
    if (q < 0) return NAN;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < p->plan.count; j++) {
            const fold_result *r = result_of(p, j, m);
            const cv_part *part = &p->plan.part[j];
            if (!r->done) continue;
            if (pass == 0) error += r->score[s * p->setup.n_metrics + q] * (double)part->n_test;
            for (int64_t i = 0; i < part->n_test; i++) {
                double y = p->y.value[part->test[i]];
                if (pass == 0) count++, mean += y;
                if (pass == 1) spread += (y - mean) * (y - mean);
            }
        }
        if (pass == 0) mean /= count;
    }
    return spread > 0 ? 1 - error / spread : NAN;
}

/* What is said of the chosen point, and of the nested CV estimate. */
static void fill_chosen(const pare_path *p, path_run *run) {
    estimate nested = run->nested[p->setup.metric];
    run->name = run->method->name;
    run->tuned = run->method->tuned;
    run->nested_mean = nested.mean;
    run->nested_se = nested.se;
    run->mean = run->se = run->budget = run->events_per_feature = NAN;
    run->hazards = (path_hazards){NAN, NAN, NAN};
    run->kept_score = run->added = run->added_low = run->added_high = NAN;
    if (run->chosen < 0) return;
    path_point *at = &run->point[run->chosen];
    at->chosen = true;
    run->rule = choice_name(p->setup.rule);
    run->n_features = at->n_features;
    run->budget = at->budget;
    run->mean = at->mean;
    run->se = at->se;
}

/* The score of each cohort that was left out, at the size that the others chose. */
static pare_status fill_cohorts(pare_path *p, int64_t m, pare_error *err) {
    path_run *run = &p->run[m];
    if (p->n_cohorts == 0) return PARE_OK;
    PASS_MEM(run->cohort = ARENA_ZERO(&p->mem, path_cohort, p->n_cohorts));
    for (int64_t j = 0; j < p->n_cohorts; j++) {
        const fold_result *r = result_of(p, j, m);
        int64_t at = fold_nested_size(&p->setup, r);
        run->cohort[j] = (path_cohort){.name = p->cohort_name[j],
                                       .n = p->plan.part[j].n_test,
                                       .value = fold_nested(&p->setup, r)[p->setup.metric],
                                       .n_features = NAN,
                                       .interval = INTERVAL_NONE};
        if (at >= 0) run->cohort[j].n_features = (double)(fold_used(r, at) - run->method->n_kept);
    }
    return PARE_OK;
}

static pare_status fill_run(pare_path *p, int64_t m, const pare_ctx *ctx, pare_error *err) {
    const path_setup *setup = &p->setup;
    path_run *run = &p->run[m];
    int64_t stride = setup->n_methods * fold_scores(setup);
    run->method = &setup->method[m];
    run->point = ARENA_ZERO(&p->mem, path_point, setup->n_sizes);
    estimate *point = ARENA_NEW(&p->mem, estimate, setup->n_sizes);
    if (!run->point || !point) return error_memory(err);
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *r = result_of(p, j, m);
        if (!r->done) continue;
        run->n_done++;
        run->unconverged += fold_unconverged(setup, r);
        for (int64_t s = 0; s < setup->n_sizes; s++)
            run->point[s].used_mean += (double)(fold_used(r, s) - run->method->n_kept);
    }
    for (int64_t q = 0; q < setup->n_metrics; q++) {
        round_points(&p->round, m, q, point);
        for (int64_t s = 0; s < setup->n_sizes; s++) run->point[s].metric[q] = point[s];
        run->nested[q] = summary_of(fold_nested(setup, &p->round.result[m]) + q, p->plan.count,
                                    stride, p->plan.ratio);
    }
    for (int64_t q = 0; q < setup->n_metrics; q++) {
        run->has[q] = !p->y.task->metric[q].probable;
        for (int64_t s = 0; s < setup->n_sizes; s++)
            run->has[q] |= !isnan(run->point[s].metric[q].mean);
    }
    for (int64_t s = 0; s < setup->n_sizes; s++) {
        path_point *at = &run->point[s];
        point[s] = at->metric[setup->metric];
        at->n_features = setup->sizes[s];
        at->value = setup->along ? setup->along[s] : NAN;
        at->budget = setup->budget ? setup->budget[s] : NAN;
        at->mean = point[s].mean;
        at->se = point[s].se;
        at->used_mean /= (double)run->n_done;
        at->tuned = most_tuned(p, m, s);
        at->pooled_r2 = pooled_r2(p, m, s);
        at->null = NO_NULL;
        if (isnan(at->mean) && at->used_mean == 0) at->used_mean = NAN;
    }
    run->null = NO_NULL;
    run->chosen = choice_make(point, setup->n_sizes, setup->higher, setup->rule, setup->tolerance);
    fill_chosen(p, run);
    PASS(fill_cohorts(p, m, err));
    PASS(fill_outer(p, m, ctx, err));
    return fill_stability(p, m, ctx, err);
}

/* The best of defined values, the first of equals; -1: none. */
static int64_t best_of(const double *value, int64_t count, bool higher) {
    int64_t best = -1;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(value[i]) && (best < 0 || mean_better(value[i], value[best], higher))) best = i;
    return best;
}

static pare_status find_best(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    double *mean = mem_alloc(ctx_allocator(ctx), p->setup.n_methods, sizeof *mean);
    if (!mean) return error_memory(err);
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        double nested = p->run[m].nested[p->setup.metric].mean;
        mean[m] = isnan(nested) ? p->run[m].mean : nested;
    }
    p->best = best_of(mean, p->setup.n_methods, p->setup.higher);
    p->best_name = p->best < 0 ? NULL : p->run[p->best].name;
    mem_free(ctx_allocator(ctx), mean);
    return PARE_OK;
}

pare_status outcome_runs(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    p->run = ARENA_ZERO(&p->mem, path_run, p->setup.n_methods);
    if (!p->run) return error_memory(err);
    p->version = PARE_VERSION;
    p->kind = "path";
    p->task = p->y.task->name;
    const metric_info *metric = &p->y.task->metric[p->setup.metric];
    p->metric = metric->name;
    p->metric_least = metric->least;
    p->metric_most = metric->most;
    for (int64_t m = 0; m < p->setup.n_methods; m++) {
        pare_status status = fill_run(p, m, ctx, err);
        if (status != PARE_OK) return status;
    }
    return find_best(p, ctx, err);
}

pare_status outcome_null_means(const path_round *r, double *point, double *chosen,
                               const pare_ctx *ctx, pare_error *err) {
    const path_setup *setup = r->setup;
    estimate *e = mem_alloc(ctx_allocator(ctx), setup->n_sizes, sizeof *e);
    if (!e) return error_memory(err);
    for (int64_t m = 0; m < setup->n_methods; m++) {
        round_points(r, m, setup->metric, e);
        for (int64_t s = 0; s < setup->n_sizes; s++) point[m * setup->n_sizes + s] = e[s].mean;
        int64_t at = choice_make(e, setup->n_sizes, setup->higher, setup->rule, setup->tolerance);
        chosen[m] = at >= 0 ? e[at].mean : NAN;
    }
    mem_free(ctx_allocator(ctx), e);
    return PARE_OK;
}

/* p = (1 + how many are as good or better) / (N + 1): never 0, and valid for any N. */
static path_null judge(double observed, const double *mean, int64_t stride, int64_t rounds,
                       bool higher, double *sorted) {
    int64_t count = 0, defined = 0;
    double sum = 0;
    for (int64_t i = 0; i < rounds; i++) {
        double x = mean[i * stride];
        if (isnan(x)) continue;
        sorted[defined++] = x;
        sum += x;
        count += !mean_better(observed, x, higher);
    }
    if (defined == 0 || isnan(observed)) return NO_NULL;
    sort_up(sorted, defined);
    int64_t low = (int64_t)(0.05 * (double)(defined - 1) + 0.5), high = defined - 1 - low;
    return (path_null){.p = (1 + (double)count) / ((double)defined + 1),
                       .mean = sum / (double)defined,
                       .low = sorted[low],
                       .high = sorted[high],
                       .least = 1 / ((double)defined + 1),
                       .count = defined,
                       .p_methods = NAN};
}

/* The p-value of the best of all methods: its score among the best of each permutation, so that
 * the choice between the methods is permuted too. */
static pare_status judge_methods(pare_path *p, const double *chosen, double *sorted,
                                 const pare_ctx *ctx, pare_error *err) {
    int64_t methods = p->setup.n_methods, rounds = p->n_null_done;
    const pare_allocator *mem = ctx_allocator(ctx);
    double *best = mem_alloc(mem, rounds, sizeof *best);
    double *mean = mem_alloc(mem, methods, sizeof *mean);
    pare_status status = PARE_OK;
    TRY_MEM(best && mean);
    for (int64_t m = 0; m < methods; m++) mean[m] = p->run[m].mean;
    for (int64_t i = 0; i < rounds; i++) {
        int64_t at = best_of(chosen + i * methods, methods, p->setup.higher);
        best[i] = at < 0 ? NAN : chosen[i * methods + at];
    }
    int64_t own = best_of(mean, methods, p->setup.higher);
    double pvalue = own < 0 ? NAN : judge(mean[own], best, 1, rounds, p->setup.higher, sorted).p;
    for (int64_t m = 0; m < methods; m++) p->run[m].null.p_methods = pvalue;
done:
    mem_free(mem, best);
    mem_free(mem, mean);
    return status;
}

pare_status outcome_null(pare_path *p, const double *point, const double *chosen,
                         const pare_ctx *ctx, pare_error *err) {
    const path_setup *setup = &p->setup;
    int64_t methods = setup->n_methods, sizes = setup->n_sizes;
    double *sorted = mem_alloc(ctx_allocator(ctx), p->n_null_done, sizeof *sorted);
    if (!sorted) return error_memory(err);
    for (int64_t m = 0; m < methods; m++) {
        path_run *run = &p->run[m];
        for (int64_t s = 0; s < sizes; s++)
            run->point[s].null =
                judge(run->point[s].metric[setup->metric].mean, point + m * sizes + s,
                      methods * sizes, p->n_null_done, setup->higher, sorted);
        run->null =
            judge(p->run[m].mean, chosen + m, methods, p->n_null_done, setup->higher, sorted);
    }
    pare_status status = methods > 1 ? judge_methods(p, chosen, sorted, ctx, err) : PARE_OK;
    mem_free(ctx_allocator(ctx), sorted);
    return status;
}

pare_status outcome_compare(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    const path_setup *setup = &p->setup;
    int64_t methods = setup->n_methods, parts = p->plan.count;
    if (methods < 2) return PARE_OK;
    double *score = mem_alloc(ctx_allocator(ctx), methods * parts, sizeof *score);
    pare_status status = PARE_OK;
    TRY_MEM(score);
    TRY_MEM(p->pair = ARENA_NEW(&p->mem, path_pair, methods * (methods - 1) / 2));
    TRY_MEM(p->rank = ARENA_NEW(&p->mem, double, methods));
    bool nested = setup->inner.folds > 0;
    p->compared = nested ? "nested" : "chosen";
    for (int64_t m = 0; m < methods; m++)
        for (int64_t j = 0; j < parts; j++) {
            const fold_result *r = result_of(p, j, m);
            int64_t at = nested ? setup->n_sizes : p->run[m].chosen;
            score[m * parts + j] = at < 0 ? NAN : r->score[at * setup->n_metrics + setup->metric];
        }
    for (int64_t a = 0; a < methods; a++)
        for (int64_t b = a + 1; b < methods; b++) {
            path_pair *pair = &p->pair[p->n_pairs++];
            pair->first = p->run[a].name;
            pair->second = p->run[b].name;
            TRY(compare_paired(&pair->test, score + a * parts, score + b * parts, parts,
                               p->plan.ratio, ctx, err));
        }
    compare_ranks(p->rank, &p->rank_parts, score, methods, parts, setup->higher);
    p->critical = compare_critical(methods, p->rank_parts);
done:
    mem_free(ctx_allocator(ctx), score);
    return status;
}
